"""`rcs state prune`: which questions go, and which stay."""

from __future__ import annotations

import json
import os
from pathlib import Path

from tests.cli.test_state_commands import rcs
from tests.support import Record, Workspace
from tests.table import each_row

ENDED = {"active": False, "lifecycle_outcome": "finished", "completed_at": "2023-11-14T22:00:00.000Z"}
BEFORE, AFTER = "2023-11-14T21:00:00.000Z", "2023-11-14T23:00:00.000Z"


def question(workspace: Workspace, name: str, session: str | None = "s1", **fields: object) -> Path:
    """A closed question of forge, asked before the run ended, unless `fields` say otherwise."""
    record: Record = {
        "kind": "rcs.question/v1", "question_id": name, "session_id": session, "source": "forge", "status": "answered",
        "created_at": BEFORE, "updated_at": BEFORE, "question": "Which?", "answer": "this", "delivered_at": BEFORE,
    }  # fmt: skip
    path = workspace.folder(session) / "questions" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record | fields))
    return path


FAILED = ENDED | {"lifecycle_outcome": "failed"}
RUNS: Record = {"active": True}
WAITS = RUNS | {"lifecycle_outcome": "askuserQuestion"}
# What the mode's file says, and what the question says.
GO: list[tuple[Record | None, Record]] = [
    (ENDED, {}), (ENDED, {"status": "aborted"}), (ENDED, {"status": "error"}), (FAILED, {}), (None, {}),
    (ENDED, {"source": "somebody"}), (ENDED, {"source": ["forge"]}),
]  # fmt: skip
STAY: list[tuple[Record | None, Record]] = [
    (RUNS, {}), (WAITS, {}), (ENDED, {"status": "pending"}), (ENDED, {"status": "prompting"}),
    (ENDED, {"delivered_at": None}), (ENDED, {"created_at": AFTER}), (RUNS, {"source": {}}),
    (RUNS, {"source": "somebody"}),
]  # fmt: skip


@each_row("session", ["s1", None])
@each_row(("mode", "fields", "goes"), [*((*row, True) for row in GO), *((*row, False) for row in STAY)])
def test_which_questions_go(
    workspace: Workspace, mode: Record | None, fields: Record, goes: bool, session: str | None
) -> None:
    if mode is not None:
        workspace.write("forge", session, updated_at="2099-01-01T00:00:00Z", **mode)
    path = question(workspace, "q-1", session, **fields)
    before = workspace.snapshot()
    told = json.loads(rcs(workspace.root, "state", "prune", "--dry-run", "--json").out)
    assert workspace.snapshot() == before
    done = json.loads(rcs(workspace.root, "state", "prune", "--json").out)
    entry = {
        "question_id": "q-1", "session_id": session, "mode": fields.get("source", "forge"),
        "status": fields.get("status", "answered"), "path": str(path.relative_to(workspace.root)),
    }  # fmt: skip
    expected = {"success": True, "removed": int(goes), "questions": [entry] if goes else []}
    expected |= {"outputs": 0, "sessions": []}
    assert told == expected | {"dry_run": True}
    assert done == expected | {"dry_run": False}
    assert path.exists() is not goes


def test_a_mode_file_that_cannot_be_read_keeps_its_questions_and_outputs(workspace: Workspace) -> None:
    kept = [question(workspace, "q-1"), workspace.folder("s1") / "proofs" / "20231114-220000000-aa.txt"]
    kept[1].parent.mkdir()
    kept[1].touch()
    workspace.mode_path("forge").write_text("{")
    assert rcs(workspace.root, "state", "prune").out == "nothing to remove\n"
    assert all(path.exists() for path in kept)


def test_a_session_can_be_named(workspace: Workspace) -> None:
    mine, other = question(workspace, "q-1"), question(workspace, "q-2", "s2")
    done = rcs(workspace.root, "state", "prune", "--session", "s1")
    assert done.out == "removed 1 question:\n  q-1  answered  forge  session s1\n"
    assert (mine.exists(), other.exists()) == (False, True)


def test_of_very_many_all_go(workspace: Workspace) -> None:
    """More than are read at once elsewhere, and more than go in one commit."""
    paths = [question(workspace, f"q-{number}") for number in range(1_100)]
    assert json.loads(rcs(workspace.root, "state", "prune", "--json").out)["removed"] == 1_100
    assert not any(path.exists() for path in paths)


def test_without_state_nothing_is_made(workspace: Workspace) -> None:
    assert rcs(workspace.root, "state", "prune").out == "nothing to remove\n"
    assert workspace.snapshot() == {}
    assert not (workspace.root / ".rcs").exists()


def test_an_output_goes_that_no_record_names(workspace: Workspace) -> None:
    output = "20231114-220000000-{}.txt"
    proof = {"command": "make", "exit": 0, "output": output.format("aa")}
    for session in ("s1", None):
        place = workspace.folder(session) / "proofs"
        place.mkdir(parents=True)
        for name in ("aa", "bb", "cc"):
            (place / output.format(name)).write_text(name)
        (place / "notes.md").touch()
    workspace.write("forge", "s1", **ENDED, proof=proof)
    before = workspace.snapshot()
    said = rcs(workspace.root, "state", "prune", "--dry-run").out
    assert "would remove 5 outputs of earlier proofs\n" in said
    assert workspace.snapshot() == before
    assert "removed 5 outputs of earlier proofs\n" in rcs(workspace.root, "state", "prune").out
    left = sorted(str(path.relative_to(workspace.state)) for path in workspace.state.rglob("proofs/*"))
    assert left == ["proofs/notes.md", f"sessions/s1/proofs/{output.format('aa')}", "sessions/s1/proofs/notes.md"]
    assert rcs(workspace.root, "state", "prune").out == "nothing to remove\n"


def test_old_sessions_go_where_nothing_is_active_once_a_time_is_named(workspace: Workspace) -> None:
    for name, fields in (("old", ENDED), ("runs", {"active": True}), ("lately", ENDED)):
        workspace.write("forge", name, **fields)
    workspace.mode_path("forge", "broken").parent.mkdir()
    workspace.mode_path("forge", "broken").write_text("{")
    for name in ("old", "runs", "broken"):
        os.utime(workspace.folder(name), (0, 0))
    assert rcs(workspace.root, "state", "prune").out == "nothing to remove\n"
    older = ("state", "prune", "--older-than", "30d")
    assert rcs(workspace.root, *older, "--dry-run").out == "would remove 1 old session\n"
    assert rcs(workspace.root, *older).out == "removed 1 old session\n"
    assert sorted(os.listdir(workspace.state / "sessions")) == ["broken", "lately", "runs"]
