"""Every answer has the shape that is described, and the description is whole."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from pydantic import TypeAdapter

from rcs_hooks.config import ProofSettings
from rcs_hooks.dashboard import json_live, json_models, json_modes, json_runs, schema
from rcs_hooks.files.clock import iso
from rcs_hooks.state import writing
from rcs_hooks.state.proving import choose, keep
from rcs_hooks.state.scopes import Scope
from rcs_hooks.workflow.commands import Commands
from rcs_hooks.workflow.proof import Proof
from tests.dashboard.support import Board, Record
from tests.table import each_row


@pytest.fixture(scope="module")
def full(shown: Board) -> Board:
    """Something of everything."""
    board = shown
    from tests.dashboard.test_actions import asked

    project = board.project
    project.emit("x:early", run="r1")
    project.walk("requirements", "design")
    project.emit("building", unit="T1")
    project.emit("design", unit="U1")
    (project.root / "a.md").write_text("# A\n\n```mermaid\nstateDiagram-v2\n[*] --> a\n```\n")
    project.artifact("a.md", step="design", subflow=True, type="report", feature="login")
    project.emit("requirements", "failed", run="r2")
    project.emit("requirements", "waiting", run="r3")
    board.workspace.prompt("$forge $ulw go")
    board.workspace.prompt("$forge go", session="s3")
    board.workspace.call("SessionEnd", session="s3", reason="other")
    board.workspace.prompt("$forge go", session="s4")
    board.workspace.stop(session="s4")
    for phase in ("executing", "verifying", "fixing", "verifying"):
        writing.write(Scope(board.root, "s4", board.now, Commands("rcs", "s4")), "forge", {"current_phase": phase})
    for session, mode in (("s5", "forge"), ("s6", "forge")):
        board.workspace.prompt(f"${mode} go", session=session)
        scope = Scope(board.root, session, board.now, Commands("rcs", session))
        proof = Proof(
            "pytest -q", 0, 1.5, iso(board.now), f"git:{'a' * 64}", changed=("a.py",) if session == "s6" else ()
        )
        keep(scope, choose(scope, [mode]), proof, b"41 passed", finish=session == "s5", settings=ProofSettings())
    board.workspace.write("team", session="s2")
    board.workspace.mode_path("team", "s2").write_text("{")
    asked(board)
    return board


ANSWERS: list[tuple[str, Record, type[json_models.JsonModel]]] = [
    ("/api/runs", {}, json_runs.RunsJson),
    ("/api/runs", {"limit": 1}, json_runs.RunsJson),
    ("/api/runs/r1", {}, json_runs.RunDetailJson),
    ("/api/runs/r1", {"after": 2, "limit": 1}, json_runs.RunDetailJson),
    ("/api/runs/r1/events", {"after": 0}, json_runs.EventsJson),
    ("/api/runs/r1/artifact", {"path": "a.md"}, json_runs.ArtifactTextJson),
    ("/api/overview", {}, json_modes.OverviewJson),
    ("/api/all", {}, json_modes.AllJson),
    ("/api/all", {"q": "forge", "sort": "title", "limit": 2}, json_modes.AllJson),
    ("/api/modes/forge", {"session": "s1"}, json_modes.ModeRunJson),
    ("/api/modes/forge", {"session": "s4", "run": 1}, json_modes.ModeRunJson),
    ("/api/modes/forge", {"session": "s5"}, json_modes.ModeRunJson),
    ("/api/modes/forge", {"session": "s6"}, json_modes.ModeRunJson),
    ("/api/modes/team", {"session": "s2"}, json_modes.ModeRunJson),
    ("/api/sessions", {}, json_models.SessionsJson),
    ("/api/tasks", {}, json_models.TasksJson),
    ("/api/attention", {}, json_models.AttentionJson),
    ("/api/token", {}, json_models.TokenJson),
]


@each_row(("address", "query", "shape"), ANSWERS)
def test_an_answer_has_its_shape(full: Board, address: str, query: Record, shape: type[json_models.JsonModel]) -> None:
    found = full.get(address, **query)
    assert shape.model_validate(found, strict=True).model_dump(mode="json") == found


def test_nothing_of_it_is_empty(full: Board) -> None:
    """So that the shapes above were seen in full."""
    run = full.get("/api/runs/r1")
    assert {step["step"] for step in run["timeline"] if step["agents"]} == {"", "design"}
    assert run["artifacts"]
    assert any(step["units"] for step in run["timeline"])
    assert any(session["questions"] for session in full.get("/api/sessions")["sessions"])
    assert any(session["unreadable"] for session in full.get("/api/sessions")["sessions"])
    assert all(full.get("/api/overview")[group] for group in ("waiting", "running", "closed"))
    assert full.get("/api/modes/forge", session="s1")["questions"]
    assert len(full.get("/api/modes/forge", session="s4")["rounds"]) == 2
    assert full.get("/api/modes/forge", session="s5")["proof"]["output"] == "41 passed"
    assert full.get("/api/modes/forge", session="s6")["proof"]["changed"] == ["a.py"]
    assert full.get("/api/overview")["ended"][0]["verdict"] == "proven"
    assert all(full.get("/api/attention")[kind] for kind in ("waiting", "failed"))


def test_a_task_has_its_shape_too() -> None:
    gate = {"to": "plan_review", "label": None, "open": False, "reasons": ["planning.ai.json: missing"],
            "suggested": False}  # fmt: skip
    task = {"task_id": "t1", "root": "/p", "phase": "planning", "round": 1, "done": False, "created_at": None,
            "updated_at": None, "why": [], "proof": {"verdict": "stale", "says": "stale"}, "decision": None,
            "gates": [gate], "problem": None}  # fmt: skip
    assert json_models.TaskJson.model_validate(task).model_dump() == task


def test_every_error_has_its_shape(full: Board) -> None:
    for address in ("/nowhere", "/api/runs/none", "/api/runs?status=x", "/api/"):
        json_models.ErrorJson.model_validate(full.client.get(address).json(), strict=True)


def test_every_address_is_described(full: Board) -> None:
    described = full.get("/api/schema")
    app: Any = full.client.app
    served = {route.path for route in app.app.routes if route.path.startswith("/api/")}
    assert set(described["paths"]) == served - {"/api/schema"} | {"/shared/api/machines"}
    assert described["openapi"] == "3.1.0"


def test_every_reference_leads_somewhere() -> None:
    text = json.dumps(schema.document())
    known = schema.document()["components"]["schemas"]
    named = set(re.findall(r'"#/components/schemas/(\w+)"', text))
    assert named == set(known) - {"Error"} | {"Error"}


def test_every_query_that_is_described_is_taken(full: Board) -> None:
    for address, (names, _) in schema.READ.items():
        for name in names:
            path = address.replace("{run}", "r1").replace("{mode}", "forge")
            answer = full.client.get(path, params={"path": "a.md"} | {name: ""} if "artifact" in path else {name: ""})
            assert "is not a parameter" not in answer.text


def test_the_messages_are_told_apart_by_their_type() -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(json_live.MessageJson)
    for message in ({"type": "hello", "seq": 1, "state": "x"}, {"type": "runs"}, {"type": "reset", "seq": 0}):
        assert adapter.validate_python(message, strict=True).model_dump() == message


def test_an_unexpected_error_is_a_sentence_too(full: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(full.data, "filters", broken)
    assert full.refused("/api/runs") == (500, "something unexpected went wrong here: ZeroDivisionError: by nothing")
