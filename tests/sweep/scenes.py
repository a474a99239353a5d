"""What is swept: a workspace as it was, a program, what a reader sees afterwards, and when the program said it is done.

A scene's `look` gives a value without times, as any reader without the lock would see it.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from contextlib import closing
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks.files.reading import Reader
from rcs_hooks.state import history, questions
from rcs_hooks.state import session as sessions
from tests.support import RCS_HOOK, Workspace, check_output, clean_env
from tests.tasks.paths import CODE_REVIEW, DIFF, REPORT
from tests.tasks.rows import PASSED, PATCH
from tests.tasks.support import Task

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tests.sweep.strace import Done

HOOK = [sys.executable, str(RCS_HOOK)]
RCS = [sys.executable, str(RCS_HOOK.with_name("rcs"))]
NOTHING_DONE = ("no workflow was changed", "the turn may end")


class Scene(NamedTuple):
    prepare: Callable[[Workspace], None]
    command: list[str]
    look: Callable[[Path], Any]
    says_so: Callable[[Done], bool]
    """Whether the program said that it has done it."""
    fields: Mapping[str, Any] = MappingProxyType({})
    """Of a hook call; empty for a command."""
    kept: Callable[[Any], Any] = lambda seen: seen
    """What of a look no fault may take; only of a kill is more expected, all of it."""

    def stdin(self, workspace: Workspace) -> bytes:
        fields = dict(self.fields)
        return workspace.payload(fields.pop("event"), **fields) if fields else b""

    def env(self, root: Path) -> dict[str, str]:
        """The order of a set would change the numbers of the calls."""
        return clean_env(HOME=str(root), RCS_DB=str(root / "rcs.db"), PYTHONHASHSEED="0")

    def misbehaves(self, done: Done) -> str:
        """What no fault excuses."""
        if "Traceback" in done.err or done.status not in ((0,) if self.fields else (0, 1)):
            return f"exit {done.status}: {done.err[-300:]}"
        if self.fields:
            check_output(self.fields["event"], done.out.removesuffix("\n"))
        return ""


# --- what a reader sees


def session_of(root: Path) -> Any:
    folder = str(root / ".rcs/state")
    view = sessions.load(folder, "s1", time.time())
    asked = questions.load(folder, "s1")
    return (
        [(member.mode, member.record.get("current_phase")) for member in view.active_modes()],
        [(mode, bool(record.get("active"))) for mode, record in sorted(view.own.items())],
        [entry["skill"] for entry in sessions.entries_of(view.inventory)],
        [(question.record["status"], question.record.get("answer")) for question in asked],
    )


def session_with_history(root: Path) -> Any:
    """A session, and what its history tells of it. A kill parts them never; a line that cannot be written is lost."""
    told = history.read(str(root / ".rcs/state"), "s1", 100)
    return session_of(root), [(event.n, event.mode, event.event, event.to) for event in told]


def without_history(seen: Any) -> Any:
    return seen[0]


def blocks_counted(root: Path) -> int:
    """A commit that a fault cut short counts as done."""
    found: Any = Reader(str(root / ".rcs/state")).read("sessions/s1/hook-ledger.json")
    return int(found.get("stops", {}).get("in_a_row", 0))


def events(root: Path) -> Any:
    database = root / "rcs.db"
    if not database.exists() or not database.stat().st_size:
        return []
    with closing(sqlite3.connect(database)) as kept:
        assert kept.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        if not kept.execute("SELECT 1 FROM sqlite_master WHERE name = 'events'").fetchall():
            return []
        return kept.execute(
            "SELECT runs.run_id, step FROM events JOIN runs ON runs.id = run ORDER BY events.id"
        ).fetchall()


def task_done_again(root: Path) -> Any:
    """A kill may leave an output in the history, and loses none. No move is without its line."""
    task = Task(root)
    number = task.round("codegen")
    assert len(task.story) >= number - 1
    places = {
        path: task.there(path) + len([found for found in task.folder.glob(f"history/*/{path}") if found.read_text()])
        for path in (DIFF, CODE_REVIEW, REPORT)
    }
    return task.phase, number, places


# --- the scenes


def _planned(workspace: Workspace) -> None:
    workspace.prompt("$blueprint")


def _running(workspace: Workspace) -> None:
    workspace.prompt("$team")


def _asked(workspace: Workspace) -> None:
    workspace.prompt("$team")
    (workspace.folder("s1") / "questions").mkdir()
    question = {"question_id": "q1", "source": "team", "status": "pending", "question": "Which?", "created_at": "1"}
    (workspace.folder("s1") / "questions/q1.json").write_text(json.dumps(question))
    workspace.edit("team", lifecycle_outcome="askuserQuestion", question_enforcement={"question_id": "q1"})


def _coded(workspace: Workspace) -> None:
    Task(workspace.root).at("codegen", {CODE_REVIEW: {"ok": True}, DIFF: PATCH, REPORT: PASSED})


def _nothing(_: Workspace) -> None:
    """The first state of a workspace."""


def _has_started(done: Done) -> bool:
    return "initialized: " in done.out


PROMPT = {"event": "UserPromptSubmit", "turn_id": "t2"}
STOP = {"event": "Stop", "turn_id": "t2", "stop_hook_active": False, "last_assistant_message": "Working."}
EMIT = ["emit", "--type", "status_change", "--workflow", "w", "--run-id", "r1", "--step", "build",
        "--data", '{"status": "running"}']  # fmt: skip

SCENES = {
    "activation": Scene(
        _nothing, HOOK, session_with_history, _has_started, PROMPT | {"prompt": "$team go"}, kept=without_history
    ),
    "handoff": Scene(
        _planned, HOOK, session_with_history, _has_started, PROMPT | {"prompt": "$forge"}, kept=without_history
    ),
    "answer": Scene(
        _asked,
        HOOK,
        session_with_history,
        lambda done: "Which?" in done.out,
        PROMPT | {"prompt": "the first"},
        kept=without_history,
    ),
    "held Stop": Scene(_running, HOOK, blocks_counted, lambda done: '"block"' in done.out, STOP),
    "state write": Scene(
        _running,
        [*RCS, "state", "write", "--mode", "team", "--phase", "executing", "--session", "s1"],
        session_with_history,
        lambda done: done.status == 0,
        kept=without_history,
    ),
    "emit": Scene(_nothing, [*RCS, *EMIT], events, lambda done: done.status == 0),
    "task redo": Scene(_coded, [*RCS, "task", "redo", "t1"], task_done_again, lambda done: done.status == 0),
}
