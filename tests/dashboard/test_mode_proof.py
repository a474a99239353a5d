"""The proof of a run as its page has it: from the record, or from the history for a run whose record is another's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.dashboard.test_mode_runs import shown
from tests.overview.test_proofs import PASSED
from tests.table import each_row

if TYPE_CHECKING:
    from tests.dashboard.support import Board, Record

NAME = "1700000000000-ab12.txt"
FINISHED: dict[str, Any] = {"active": False, "lifecycle_outcome": "finished", "current_phase": "verifying"}
KEYS = ("verdict", "says", "passed", "exit", "timed_out")

RECORDS: dict[str, tuple[object, tuple[object, ...]]] = {
    "files have changed": (PASSED | {"state": "stale"}, ("stale", "stale: files have changed since `pytest -q` passed",
     True, 0, False)),
    "it changed files": (PASSED | {"state": "unproven", "changed": ["a.py"]}, ("unproven",
     "unproven: `pytest -q` changed a.py", False, 0, False)),
    "a proof that is no object": ("proven", ("unproven", "unproven", None, None, False)),
}  # fmt: skip


@each_row(("proof", "expected"), [pytest.param(*row, id=name) for name, row in RECORDS.items()])
def test_a_run_that_has_finished_has_its_verdict(proof: object, expected: tuple[object, ...], board: Board) -> None:
    board.workspace.prompt("$forge fix the login")
    board.workspace.edit("forge", **FINISHED, proof=proof)
    found = shown(board)["proof"]
    assert tuple(found[key] for key in KEYS) == expected


BAD = "<script>alert(1)</script>\x1b]0;owned\x07\u202e\n"
HOSTILE: list[object] = [
    {"command": BAD * 1_000, "exit": 1, "at": BAD, "changed": [BAD] * 1_000, "output": BAD, "why": BAD, "state": BAD},
    {"command": BAD, "exit": 0, "at": {"a": 1}, "changed": BAD, "output": "../forge-state.json", "state": "proven"},
    {"command": "x", "exit": 10**30, "seconds": 1e308, "state": "proven"},
    {"command": "x", "exit": 0, "seconds": -1, "tree": BAD, "state": ["proven"], "judged_at": BAD},
    {"command": ["x"], "exit": True},
    [BAD], BAD, 1e300,
]  # fmt: skip


@each_row("proof", HOSTILE)
def test_a_hostile_proof_is_bounded_and_harmless(proof: object, board: Board) -> None:
    board.workspace.prompt("$forge fix the login")
    board.workspace.prompt("$forge fix the login", session="s2")
    board.workspace.edit("forge", **FINISHED, completed_at="2023-11-14T22:13:21.000Z", proof=proof)
    board.workspace.edit("forge", "s2", proof=proof)
    line = {"v": 1, "n": 90, "at": "2023-11-14T22:20:21.000Z", "mode": "forge", "event": "proof", "from": BAD, "to": "",
            "iteration": 1, "title": "", "data": proof}  # fmt: skip
    with (board.workspace.folder("s2") / "history.jsonl").open("a") as file:
        file.write(json.dumps(line) + "\n" + json.dumps(line | {"n": 91, "event": "outcome", "data": {"proof": proof}}))
    pages: list[Record] = [
        shown(board), shown(board, session="s2"), board.get("/api/overview"), board.get("/api/sessions"),
    ]  # fmt: skip
    assert pages[0]["proof"]["verdict"] == "unproven"
    for page in pages:
        page.pop("graph", None)
        text = json.dumps(page)
        assert all(bad not in text for bad in ("\\u001b", "\\u202e", "\\u0007", "\\n"))
        assert len(text) < 30_000
