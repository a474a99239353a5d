"""The id of a machine: one for each machine, whoever shares the home or the disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rcs_hooks.errors import Refused
from rcs_hooks.share.identity import machine_id
from tests.table import each_row

if TYPE_CHECKING:
    from pathlib import Path


def test_an_id_is_made_once_and_belongs_to_the_machine(tmp_path: Path) -> None:
    home = str(tmp_path)
    first = machine_id(home, "machine one")
    assert first.version == 4
    assert machine_id(home, "machine one") == first
    file = tmp_path / ".rcs/share/machine.json"
    assert file.stat().st_mode & 0o777 == 0o600
    assert "machine one" not in file.read_text()


def test_two_homes_have_two_ids(tmp_path: Path) -> None:
    assert machine_id(str(tmp_path / "a"), "one") != machine_id(str(tmp_path / "b"), "one")


@each_row(
    "text", ["", "{", "[]", "{}", '{"machines": []}', '{"machines": {"x": "y"}}', '{"machines": {"x": 1}}', "\xff"]
)
def test_a_file_that_is_not_understood_is_named_and_stays(text: str, tmp_path: Path) -> None:
    file = tmp_path / ".rcs/share/machine.json"
    file.parent.mkdir(parents=True)
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(Refused, match="remove it, and this machine is shared as a new one"):
        machine_id(str(tmp_path), "one")
    assert file.read_bytes() == text.encode("latin-1")
