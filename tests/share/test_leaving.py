"""What leaves a machine: each kind of record, field by field, with and without texts, and no word that may not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks.runs.log_records import LoggedArtifact, LoggedRun, LoggedRunEvent, LoggedStep
from rcs_hooks.share.fitting import fitted
from rcs_hooks.share.leaving import Leaving
from rcs_hooks.share.leaving_documents import LeavingDocuments
from rcs_hooks.share.shapes import EntryShape, SessionShape, TaskShape
from rcs_hooks.state.history import EVENTS, Event
from tests.dashboard.support import Board
from tests.dashboard.test_actions import asked
from tests.dashboard.test_tasks import ordered, plan
from tests.properties import examples
from tests.share.machine_rows import entry_record, session_record, task_record
from tests.table import each_row

MACHINE = "00000000-0000-4000-8000-000000000001"
AT = "2026-11-01T10:00:00.000Z"
BARE = Leaving(MACHINE, texts=False, shipped="/package")
FULL = Leaving(MACHINE, texts=True, shipped="/package")

RUN = LoggedRun(
    7, "checkout-7", "forge", "Pay by card", "/package/skills/forge/SKILL.md", "waiting", "build", 12, 2, AT, AT,
    1_793_527_200_000, 90, None, "s-1", "Codex CLI", "12\nbuild\ntest", '{"message": "which bank?"}',
)  # fmt: skip
EVENT = LoggedRunEvent(90, 7, 12, AT, "status_change", "build", "card", "waiting", '{"message": "which bank?"}', False)
STEP = LoggedStep(7, "builder:build", "card", "builder", "build", "running", 3, 12, 2, AT, None, 1_000, 2_000)
ARTIFACT = LoggedArtifact(7, "src/card.py", "code", "Pay by card", "build", False, AT, 11)


@each_row(
    ("data", "full"),
    [
        ("{}", "{}"),
        ("no JSON", "{}"),
        ("[1]", "{}"),
        ('{"a": [1, {"b": "x\\u0000\\u001by"}]}', '{"a":[1,{"b":"x y"}]}'),
        ('{"half": "\\ud800"}', '{"half":""}'),
        ('{"large": 100000000000000000000}', '{"large":null}'),
        ('{"a": {"b": {"c": {"d": {"e": 1}}}}}', '{"a":{"b":{"c":{"d":null}}}}'),
        (json.dumps({"message": "why", "log": ["x" * 900] * 100}), '{"message":"why"}'),
    ],
)
def test_the_data_of_an_event(data: str, full: str) -> None:
    assert FULL.run_event(EVENT._replace(data=data)).data == full
    assert BARE.run_event(EVENT._replace(data=data)).data == "{}"


def test_what_stands_for_a_unit_or_a_task_is_another_for_each() -> None:
    names = [f"unit {number}" for number in range(10_000)]
    assert len(set(map(BARE.unit, names))) == len(set(map(BARE.task, names))) == len(names)


FIELDS = (
    "reason", "evidence", "plan", "brief", "command", "folder", "why", "text", "exit", "seconds", "passed", "timed_out",
    "early", "gap", "id", "outcome", "asked_by", "proof", "changed", "other",
)  # fmt: skip
# --- the property: no planted word leaves

WORDS = st.integers(0, 10**9).map(lambda number: f"PLANTED{number}")
JSON = st.recursive(
    WORDS | st.integers() | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
MOMENTS = st.just(AT) | WORDS
OBJECTS = st.dictionaries(st.sampled_from([*FIELDS, "x"]) | WORDS, JSON, max_size=12)


def asked_nothing(data: dict[str, Any]) -> dict[str, Any]:
    """Without what is a name, so that what is planted is text alone."""
    return {key: value for key, value in data.items() if key not in ("id", "outcome", "asked_by")}


@examples(200)
@given(OBJECTS, WORDS, WORDS, WORDS, MOMENTS, st.sampled_from([name for name in EVENTS if name != "question"]))
def test_no_planted_word_is_in_a_row(data: dict[str, Any], one: str, two: str, three: str, at: str, event: str) -> None:
    rows: list[object] = [
        BARE.run(RUN._replace(run_id=one, feature=two, file=f"/{three}", reason=json.dumps(data), started_at=at)),
        BARE.run_event(EVENT._replace(unit=one, data=json.dumps(data), at=at)),
        BARE.step(STEP._replace(unit=one, started_at=at)),
        BARE.artifact(ARTIFACT._replace(path=one, feature=two)),
        BARE.mode_event(Event(3, at, "forge", event, "plan", "build", 2, one, asked_nothing(data))),
        BARE.task(one),
        BARE.task_move(4, {"ts": at, "kind": "note", "reason": one, "by": two, "failed": [data], **data}),
    ]
    assert "PLANTED" not in repr(rows)


@examples(200)
@given(WORDS, OBJECTS)
def test_no_planted_word_is_in_a_document(word: str, data: dict[str, Any]) -> None:
    documents = LeavingDocuments(BARE)
    mode = (
        session_record()["modes"][0]
        | {"early": False}
        | {"title": word, "reason": word, "started_at": word}
        | {"more": data}
    )
    session = session_record(early=False, quiet_because=None) | {
        "root": f"/{word}", "resume": [{"client": word, "command": word}], "modes": [mode], "updated_at": word,
        "unreadable": [{"path": word, "why": word, "clear_as": word}], "more": data,
    }  # fmt: skip
    gate = task_record()["gates"][0] | {"reasons": [word]}
    task = task_record() | {
        "task_id": word, "root": f"/{word}", "why": [word], "proof": {"verdict": "stale", "says": word}, "more": data,
        "decision": {"decision": "accept", "by": word, "at": AT, "reasons": [word]}, "gates": [gate], "problem": word,
    }  # fmt: skip
    entry = entry_record(quiet="stalled", short="s-1") | {
        "title": word, "says": word, "detail": word, "command": word, "key": word, "project": word, "proof_says": word,
        "proof": data, "resume": [{"client": word, "command": word}], "since": word,
        "started_at": word, "more": data,
    }  # fmt: skip
    of_task = entry | {"kind": "task", "name": word, "id": word}
    passage = {"mode": "forge", "n": 4, "title": word, "outcome": None, "phase": "build", "started_at": word,
               "last_at": word, "reason": word, "verdict": None, "early": False, "more": data}  # fmt: skip
    rows = [
        documents.session(session), documents.task(task), documents.entry(entry, "running"),
        documents.entry(of_task, "tasks"), documents.passage(passage, "s-1", None, is_last=False),
    ]  # fmt: skip
    assert "PLANTED" not in repr(rows)


# --- what other machines take of it


def test_what_the_dashboard_here_answers_fits_the_shapes_that_documents_must_have(tmp_path: Path) -> None:
    board = Board(tmp_path)
    board.project.emit("x:early", run="r1")
    board.workspace.prompt("$forge $ulw go")
    asked(board)
    board.workspace.write("team", session="s2")
    board.workspace.mode_path("team", "s2").write_text("{")
    ordered(board, "new", "login")
    plan(board)
    sessions = board.get("/api/sessions")["sessions"]
    assert any(each["questions"] for each in sessions)
    assert any(each["unreadable"] for each in sessions)
    assert [fitted(SessionShape, each) for each in sessions] == sessions
    tasks = board.get("/api/tasks")["tasks"]
    assert tasks[0]["gates"]
    assert [fitted(TaskShape, each) for each in tasks] == tasks
    overview = board.get("/api/overview")
    board.close()
    entries = overview["waiting"] + overview["running"] + overview["tasks"]
    assert {each["kind"] for each in entries} == {"mode", "run", "task"}
    assert [fitted(EntryShape, each) for each in entries] == entries
