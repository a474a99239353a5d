"""The id of a machine: one for each machine, whoever shares the home or the disk."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from uuid import UUID

import pytest

from rcs_hooks.errors import Refused
from rcs_hooks.share.identity import machine_id, system_id
from tests.table import each_row


def test_an_id_is_made_once_and_belongs_to_the_machine(tmp_path: Path) -> None:
    home = str(tmp_path)
    first = machine_id(home, "machine one")
    assert first.version == 4
    assert machine_id(home, "machine one") == first
    file = tmp_path / ".rcs/share/machine.json"
    assert file.stat().st_mode & 0o777 == 0o600
    assert "machine one" not in file.read_text()


def test_a_cloned_disk_gets_another_id_and_the_first_machine_stays_itself(tmp_path: Path) -> None:
    home = str(tmp_path)
    first, second = machine_id(home, "one"), machine_id(home, "two")
    assert first != second
    assert [machine_id(home, each) for each in ("one", "two", "one")] == [first, second, first]


def test_two_homes_have_two_ids(tmp_path: Path) -> None:
    assert machine_id(str(tmp_path / "a"), "one") != machine_id(str(tmp_path / "b"), "one")


def test_many_at_once_get_the_same(tmp_path: Path) -> None:
    code = f"from rcs_hooks.share.identity import machine_id; print(machine_id({str(tmp_path)!r}))"
    crowd = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) for _ in range(8)]
    said = {each.communicate(timeout=60)[0] for each in crowd}
    assert [each.returncode for each in crowd] == [0] * 8
    assert said == {f"{machine_id(str(tmp_path))}\n".encode()}


def test_the_machine_tells_itself_from_others() -> None:
    assert system_id() == system_id() != ""


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


def test_the_file_says_nothing_but_ids(tmp_path: Path) -> None:
    found = machine_id(str(tmp_path), "one")
    ((tie, said),) = json.loads((tmp_path / ".rcs/share/machine.json").read_text())["machines"].items()
    assert len(tie) == 64
    assert UUID(said) == found
