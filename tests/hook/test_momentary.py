"""What cannot be read for the moment costs the call its effect, and nothing that was committed."""

from __future__ import annotations

import errno
import itertools
import shutil
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.state.files import JOURNAL
from tests.state.test_files import each_moment, killed_at, refuse_open
from tests.support import Workspace

if TYPE_CHECKING:
    from pathlib import Path


def cut_short(workspace: Workspace, folder: Path) -> Workspace:
    """A copy of the workspace in which a handoff to forge was killed with blueprint completed and forge not begun."""
    for number in itertools.count(1):
        copy = Workspace(shutil.copytree(workspace.root, folder / str(number)), now=workspace.now)
        copy.turns = workspace.turns
        assert killed_at(number, lambda copy=copy: copy.prompt("$forge")), "it was never cut short there"  # type: ignore[misc]
        if (copy.state / JOURNAL).exists() and not copy.read("blueprint")["active"]:
            assert not copy.mode_path("forge").exists()
            return copy
    raise AssertionError


@each_moment
def test_a_handoff_that_was_cut_short_outlives_a_stop_that_cannot_read_its_journal(
    workspace: Workspace, tmp_path: Path, refusal: int
) -> None:
    workspace.prompt("$blueprint")
    broken = cut_short(workspace, tmp_path)
    with pytest.MonkeyPatch.context() as moment:
        refuse_open(moment, JOURNAL, refusal)
        stop = broken.stop()
    assert not stop.blocks
    assert ".rcs/state/.commit.json cannot be read for the moment" in stop.notice
    assert broken.stop().blocks
    assert broken.active() == ["forge"]
    assert broken.read("forge")["active"]


@pytest.mark.parametrize("refusal", [errno.EMFILE, errno.EIO], ids=errno.errorcode.get)
@pytest.mark.parametrize("name", ["team-state.json", "hook-ledger.json"])
def test_a_prompt_that_met_an_unreadable_file_can_be_sent_again(workspace: Workspace, name: str, refusal: int) -> None:
    workspace.prompt("$blueprint")
    workspace.stop()
    before = workspace.snapshot()
    with pytest.MonkeyPatch.context() as moment:
        refuse_open(moment, name, refusal)
        first = workspace.prompt("$forge", turn_id="t9")
    assert "cannot be read for the moment" in first.notice
    assert not first.context
    assert workspace.snapshot() | {"logs/hook-errors.jsonl": b""} == before | {"logs/hook-errors.jsonl": b""}
    assert "initialized: " in workspace.prompt("$forge", turn_id="t9").context
    assert workspace.active() == ["forge"]
