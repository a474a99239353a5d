"""What cannot be read for the moment costs the call its effect, and nothing that was committed."""

from __future__ import annotations

import errno
import itertools
import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from rcs_hooks.files.paths import JOURNAL
from tests.files.test_foreign_journal import each_moment, refuse_open
from tests.files.test_transaction import killed_at
from tests.support import Workspace

if TYPE_CHECKING:
    from pathlib import Path


def cut_short(workspace: Workspace, folder: Path) -> Workspace:
    """A copy of the workspace in which a handoff to forge was killed with blueprint completed and forge not begun."""
    for number in itertools.count(1):
        copy = Workspace(shutil.copytree(workspace.root, folder / str(number)), now=workspace.now)
        copy.turns = workspace.turns
        assert killed_at(number, lambda copy=copy: copy.prompt("$forge")), "it was never cut short there"  # type: ignore[misc]  # mypy infers no lambda with a default
        if (copy.state / JOURNAL).exists() and not copy.read("blueprint")["active"]:
            assert not copy.mode_path("forge").exists()
            return copy
    raise AssertionError


@pytest.mark.slow
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
@pytest.mark.parametrize("name", ["blueprint-state.json", "hook-ledger.json"])
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


def test_an_answer_is_never_lost_to_a_question_that_cannot_be_read_at_one_of_its_readings(workspace: Workspace) -> None:
    workspace.prompt("$team")
    (workspace.folder("s1") / "questions").mkdir()
    question = workspace.folder("s1") / "questions/q1.json"
    asked = json.dumps({"question_id": "q1", "source": "team", "status": "pending", "question": "Which?"})
    system, answered = os.open, 0
    for number in range(1, 20):
        question.write_text(asked)
        workspace.edit("team", lifecycle_outcome="askuserQuestion", question_enforcement={"question_id": "q1"})
        seen = 0

        def at_that_reading(path: Any, *args: Any, number: int = number, **options: Any) -> int:
            nonlocal seen
            seen += os.path.basename(path) == "q1.json"
            if os.path.basename(path) == "q1.json" and seen == number:
                raise OSError(errno.EIO, os.strerror(errno.EIO), path)
            return system(path, *args, **options)

        with pytest.MonkeyPatch.context() as moment:
            moment.setattr(os, "open", at_that_reading)
            workspace.prompt("the first", turn_id=f"a{number}")
        workspace.prompt("the first", turn_id=f"a{number}")
        assert json.loads(question.read_text()).get("answer") == "the first", f"lost at reading {number}"
        answered += 1
        if seen < number:
            break
    assert answered > 3
