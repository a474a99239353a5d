"""Lines that a commit appends are there with the commit, once, and never keep the rest of it from being written."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rcs_hooks.files import paths
from rcs_hooks.files.folders import make_folders
from rcs_hooks.files.preparation import prepare
from rcs_hooks.files.reading import Append, Reader, appends_in
from rcs_hooks.files.transaction import Write, commit, recover
from tests.files.test_commit_folders import flushed
from tests.files.test_transaction import HERE, commit_locked, copies, killed_at, recover_locked
from tests.table import each_row

HISTORY = f"{HERE}/{paths.HISTORY}"
BEFORE = '{"n":1}\n{"n":2}\n'
LINES = '{"n":3,"text":"a line that is torn in the middle"}\n{"n":4}\n'
STATE = f"{HERE}/forge-state.json"
WRITES = (Write(STATE, {"active": False}), Write(HISTORY, None, append=LINES))
NOTES = (Write(f"{HERE}/hook-ledger.json", {"version": 1}, durable=False), Write(HISTORY, None, False, LINES))


@pytest.fixture(
    params=[pytest.param("", id="no history", marks=pytest.mark.slow), pytest.param(BEFORE, id="a history")]
)
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return state_folder(tmp_path / "workspace", request.param)


def state_folder(root: Path, history: str = BEFORE) -> Path:
    root.mkdir()
    state = Path(prepare(str(root)))
    make_folders(str(state), HERE)
    (state / STATE).write_text(json.dumps({"active": True}))
    if history:
        (state / HISTORY).write_text(history)
    return state


def history_of(state: Path) -> str:
    return (state / HISTORY).read_text() if (state / HISTORY).exists() else ""


def seen(state: Path) -> tuple[bool, str]:
    """Whether the run is active, and the history, as a reader finds them without the lock."""
    reader = Reader(str(state))
    record, pending = reader.read(STATE), reader.append_to(HISTORY)
    assert isinstance(record, dict)
    text = history_of(state)
    return bool(record["active"]), text[: pending.size] + pending.lines if pending else text


# --- a kill


@pytest.mark.parametrize(
    "torn",
    [pytest.param(False, id="between two calls", marks=pytest.mark.slow), pytest.param(True, id="or in a write")],
)
def test_a_commit_killed_at_any_step_has_both_or_neither(folder: Path, *, torn: bool) -> None:
    old = history_of(folder)
    happened = []
    for number, state in copies(folder):
        killed = killed_at(number, lambda state=state: commit_locked(state, WRITES), torn=torn)  # type: ignore[misc]  # mypy infers no lambda with a default
        found = seen(state)
        recover_locked(state)
        assert found == seen(state), f"a reader without the lock saw something else after a kill at step {number}"
        assert seen(state) in ((True, old), (False, old + LINES)), f"a mixture after a kill at step {number}"
        happened.append(seen(state)[0] is False)
        if not killed:
            break
    assert happened == sorted(happened)
    assert happened[-1]


def test_a_commit_that_is_completed_again_later_writes_nothing_twice(tmp_path: Path) -> None:
    """After a power cut a journal may be back that was removed, and lines have come behind its own."""
    state = state_folder(tmp_path / "workspace")
    (state / HISTORY).write_text(BEFORE + LINES + '{"n":5}\n')
    with_journal(state, {"path": HISTORY, "size": len(BEFORE), "append": LINES})
    recover_locked(state)
    assert history_of(state) == BEFORE + LINES + '{"n":5}\n'


# --- what it costs


def test_one_file_and_a_line_need_a_journal_and_two_flushes_more(tmp_path: Path) -> None:
    state = state_folder(tmp_path / "workspace")
    several = (Write(f"{HERE}/team-state.json", {}), *WRITES)
    with_line, without = flushed(lambda: commit(str(state), several)), flushed(lambda: commit(str(state), several[:2]))
    assert [name for name in with_line if name not in without] == [paths.HISTORY]
    assert with_line.index("rename forge-state.json") < with_line.index(paths.HISTORY)
    assert "rename .commit.json" in flushed(lambda: commit(str(state), WRITES))
    assert flushed(lambda: commit(str(state), NOTES)) == ["rename .commit.json", "rename hook-ledger.json"]


# --- what cannot be appended to


ELSEWHERE = "../../../elsewhere"
SPOILT: list[Callable[[Path], object]] = [lambda path: path.symlink_to(ELSEWHERE), Path.mkdir, os.mkfifo]


@each_row("spoil", SPOILT)
def test_the_commit_goes_on_without_the_line(spoil: Callable[[Path], object], tmp_path: Path) -> None:
    state = state_folder(tmp_path / "workspace", "")
    (state / HISTORY).parent.joinpath(ELSEWHERE).write_text("mine\n")
    spoil(state / HISTORY)
    commit_locked(state, WRITES)
    assert json.loads((state / STATE).read_text()) == {"active": False}
    assert not list(state.rglob(paths.JOURNAL))
    assert (state / HISTORY).parent.joinpath(ELSEWHERE).read_text() == "mine\n"


def test_a_disk_that_is_full_just_then_loses_nothing_once_it_has_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = state_folder(tmp_path / "workspace")

    def full(*_: Any) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as faults:
        faults.setattr(os, "pwrite", full)
        commit_locked(state, WRITES)
        assert seen(state) == (False, BEFORE + LINES)
    recover_locked(state)
    assert history_of(state) == BEFORE + LINES
    with monkeypatch.context() as faults:
        faults.setattr(os, "pwrite", full)
        commit_locked(state, WRITES)
        recover_locked(state)  # the line is given up: a history keeps nobody waiting
    assert not list(state.rglob(paths.JOURNAL))
    assert json.loads((state / STATE).read_text()) == {"active": False}


# --- the journals of others


def with_journal(state: Path, *entries: object) -> None:
    (state / paths.JOURNAL).write_text(json.dumps({"version": 1, "files": entries}))


ENTRY = {"path": HISTORY, "size": 3, "append": "x\n"}
ENTRIES = (
    (ENTRY, True),
    *((ENTRY | {"size": size}, False) for size in (-1, True, "3", None)),
    *((ENTRY | {"append": lines}, False) for lines in ("x", "é\n", None)),
    *((ENTRY | {"path": path}, False) for path in (
        "history.jsonl", "sessions/s1/questions/history.jsonl", "sessions/../history.jsonl", "sessions/s1/other.jsonl",
        "../../../home/history.jsonl", "elsewhere/s1/history.jsonl", STATE,
    )),
    ("no object", False),
)  # fmt: skip


@each_row(("entry", "counts"), ENTRIES)
def test_only_a_history_of_a_session_is_appended_to(entry: object, counts: bool) -> None:
    found = list(appends_in({"files": [entry]}))
    assert len(found) == int(counts)
    assert all(isinstance(each, Append) for each in found)


def test_what_somebody_else_has_written_since_stays(tmp_path: Path) -> None:
    state = state_folder(tmp_path / "workspace")
    (state / HISTORY).write_text(BEFORE + "theirs")
    with_journal(state, {"path": HISTORY, "size": len(BEFORE), "append": LINES})
    recover_locked(state)
    assert history_of(state) == f"{BEFORE}theirs\n{LINES}"


def test_a_journal_for_a_session_that_has_gone_leaves_nothing_behind(tmp_path: Path) -> None:
    state = state_folder(tmp_path / "workspace")
    shutil.rmtree(state / HERE)
    with_journal(state, {"path": HISTORY, "size": 0, "append": LINES})
    recover(str(state))
    assert sorted(path.name for path in state.iterdir() if path.name != ".lock") == ["sessions"]
