"""What leaves a machine: each kind of record, field by field, with and without texts, and no word that may not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks.runs.log_records import LoggedArtifact, LoggedRun, LoggedRunEvent, LoggedStep
from rcs_hooks.share.leaving import Leaving
from rcs_hooks.share.leaving_documents import LeavingDocuments
from rcs_hooks.share.rows import RunRow
from rcs_hooks.state.history import EVENTS, Event
from rcs_hooks.state.silence import LET_GO
from tests.properties import examples
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
UNIT = BARE.unit("card")


def test_what_stands_for_a_unit_and_a_task_tells_nothing_and_is_the_same_each_time() -> None:
    other = Leaving(MACHINE.replace("1", "2"), texts=False, shipped="/package")
    assert UNIT == BARE.unit("card") != BARE.unit("cart")
    assert (UNIT[:5], len(UNIT)) == ("unit-", 17)
    assert other.unit("card") != UNIT
    assert BARE.unit("") == FULL.unit("") == ""
    assert BARE.task("pay")[:5] == "task-"
    assert BARE.task("pay") != BARE.task("pie")
    assert (FULL.unit("card"), FULL.task("pay")) == ("card", "pay")


def test_what_stands_for_ten_thousand_units_and_tasks_is_another_for_each() -> None:
    names = [f"unit {number}" for number in range(10_000)]
    assert len(set(map(BARE.unit, names))) == len(set(map(BARE.task, names))) == len(names)


def test_a_run() -> None:
    bare = RunRow(
        7, "forge-7", "forge", None, "rcs:forge", "waiting", "build", 12, 2, AT, AT, 1_793_527_200_000, None, None,
        "s-1", "Codex CLI", "12\nbuild\ntest", 90,
    )  # fmt: skip
    assert BARE.run(RUN) == bare
    assert FULL.run(RUN) == bare._replace(run_id="checkout-7", feature="Pay by card", reason="which bank?")


@each_row(
    ("file", "bare", "full"),
    [
        (None, None, None),
        ("/package/skills/forge/SKILL.md", "rcs:forge", "rcs:forge"),
        ("/package-of-mine/SKILL.md", "own", "/package-of-mine/SKILL.md"),
        ("/home/me/secret/SKILL.md", "own", "/home/me/secret/SKILL.md"),
    ],
)
def test_the_file_of_a_machine(file: str | None, bare: str | None, full: str | None) -> None:
    run = RUN._replace(file=file)
    assert (BARE.run(run).file, FULL.run(run).file) == (bare, full)


def test_an_event_of_a_run() -> None:
    bare = (90, 7, 12, AT, "status_change", "build", UNIT, "waiting", "{}", False)
    assert BARE.run_event(EVENT) == bare
    assert FULL.run_event(EVENT) == (*bare[:6], "card", "waiting", '{"message":"which bank?"}', False)
    none = EVENT._replace(step=None, unit=None, status=None, automatic=True)
    assert BARE.run_event(none)[5:] == (None, None, None, "{}", True)


def test_a_step_and_an_artifact() -> None:
    bare = (7, "builder:build", UNIT, "builder", "build", "running", 3, 12, 2, AT, None, 1_000, 2_000)
    assert BARE.step(STEP) == bare
    assert FULL.step(STEP) == (*bare[:2], "card", *bare[3:])
    assert BARE.artifact(ARTIFACT) is None
    assert FULL.artifact(ARTIFACT) == (7, "src/card.py", "code", "Pay by card", "build", False, AT, 11)


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


DATA = {
    "reason": "r", "evidence": "e", "plan": "p.md", "brief": "b", "command": "make", "folder": "f", "why": "w",
    "text": "Which?", "exit": 1, "seconds": 2.5, "passed": True, "timed_out": True, "early": True, "gap": True,
    "id": "q-1", "outcome": "waiting", "asked_by": "cli", "proof": "proven", "changed": ["a.py"], "other": "o",
}  # fmt: skip
NUMBERS = {"exit": 1, "seconds": 2.5, "passed": True, "timed_out": True, "early": True, "gap": True, "proof": "proven"}
OF_TEXTS = {name: DATA[name] for name in ("reason", "evidence", "plan", "brief", "command", "folder", "why", "text")}


@each_row(
    ("event", "bare", "full"),
    [
        ("started", {}, OF_TEXTS | {"changed": ["a.py"]}),
        ("proof", {}, OF_TEXTS | {"changed": ["a.py"]}),
        ("question", {"id": "q-1", "outcome": "waiting", "asked_by": "cli", "text": "Which?"},
         OF_TEXTS | {"changed": ["a.py"]}),
        ("answer", {"id": "q-1", "outcome": "waiting", "asked_by": "cli"}, {}),
    ],
)  # fmt: skip
def test_an_event_of_a_mode(event: str, bare: dict[str, Any], full: dict[str, Any]) -> None:
    found = Event(3, AT, "forge", event, "plan", "build", 2, "Pay by card", DATA)
    row = BARE.mode_event(found)
    assert row[:8] == (3, AT, "forge", event, "plan", "build", 2, "")
    assert json.loads(row.data) == NUMBERS | bare
    assert FULL.mode_event(found).title == "Pay by card"
    assert json.loads(FULL.mode_event(found).data) == NUMBERS | bare | full


def test_a_move_of_a_task() -> None:
    line = {"ts": AT, "kind": "refused", "from": "plan", "to": "codegen", "reason": "r", "by": "agent",
            "failed": [{"file": "plan.md", "words": "w"}]}  # fmt: skip
    assert BARE.task_move(4, line) == (4, AT, "refused", "plan", "codegen", '{"by":"agent"}')
    full = FULL.task_move(4, line)
    assert json.loads(full.data) == {"by": "agent", "reason": "r", "failed": line["failed"]}
    assert BARE.task_move(1, {"ts": "yesterday", "by": "me"}) == (1, None, "", "", "", "{}")


SESSION: dict[str, Any] = {
    "root": "/home/me/pay", "session": "s-1", "client": "Codex CLI",
    "resume": [{"client": "Codex CLI", "command": "cd /home/me/pay && codex resume s-1"}],
    "status": "waiting", "quiet_because": None, "deferred": ["forge"], "deferred_source": "blueprint",
    "modes": [{"mode": "forge", "title": "Pay by card", "active": True, "waiting": True, "phase": "build",
               "outcome": None, "verdict": None, "iteration": 1, "max_iterations": 5, "reason": "no bank",
               "started_at": AT, "updated_at": AT, "completed_at": None, "session": "s-1", "early": False}],
    "questions": [{"question_id": "q-1", "mode": "forge", "question": "Which?", "options": ["A", "B"],
                   "created_at": AT}],
    "blocks": {"in_a_row": 1, "of_prompt": 2, "limit": 5},
    "unreadable": [{"path": ".rcs/state/x", "why": "it is a link", "clear_as": "x"}], "updated_at": AT,
    "early": False,
}  # fmt: skip


def test_a_session() -> None:
    bare = LeavingDocuments(BARE).session(SESSION)
    assert bare[:3] == ("session", "s-1", AT)
    mode = SESSION["modes"][0] | {"title": None, "reason": None}
    expected = {key: value for key, value in SESSION.items() if key != "root"} | {
        "resume": [], "modes": [mode], "unreadable": [{"path": "", "why": "it cannot be read", "clear_as": ""}],
    }  # fmt: skip
    assert json.loads(bare.record) == expected
    full = json.loads(LeavingDocuments(FULL).session(SESSION).record)
    assert full == {key: value for key, value in SESSION.items() if key != "root"}


@each_row(
    ("status", "why", "said"),
    [
        ("stalled", "no activity for 2 h", ("running", None)),
        ("inactive", "no activity for 2 d", ("running", None)),
        ("stalled", LET_GO, ("stalled", LET_GO)),
        ("inactive", LET_GO, ("stalled", LET_GO)),
        ("waiting", None, ("waiting", None)),
    ],
)
def test_that_nothing_is_heard_of_a_session_is_left_to_the_reader(
    status: str, why: str | None, said: tuple[str, str | None]
) -> None:
    found = json.loads(LeavingDocuments(BARE).session(SESSION | {"status": status, "quiet_because": why}).record)
    assert (found["status"], found["quiet_because"]) == said


TASK: dict[str, Any] = {
    "task_id": "pay", "root": "/home/me/pay", "phase": "accept", "round": 2, "done": False, "created_at": AT,
    "updated_at": AT, "why": ["no tests"], "proof": {"verdict": "proven", "says": "`make` passed"},
    "decision": {"decision": "accept", "by": "Mia", "at": AT, "reasons": ["good"]},
    "gates": [{"to": "done", "label": "accepted", "open": False, "reasons": ["plan.md is missing"], "suggested": True}],
    "problem": "state.json: broken",
}  # fmt: skip


def test_a_task() -> None:
    bare = LeavingDocuments(BARE).task(TASK)
    name = BARE.task("pay")
    assert bare[:3] == ("task", name, AT)
    same = {key: value for key, value in TASK.items() if key != "root"}
    gate = TASK["gates"][0] | {"reasons": ["accepted"]}
    assert json.loads(bare.record) == same | {
        "task_id": name, "why": [], "proof": {"verdict": "proven", "says": ""}, "gates": [gate],
        "decision": {"decision": "accept", "by": None, "at": AT, "reasons": []}, "problem": "it cannot be read",
    }  # fmt: skip
    assert json.loads(LeavingDocuments(FULL).task(TASK).record) == same


MODE_ENTRY: dict[str, Any] = {
    "v": 1, "kind": "mode", "name": "forge", "title": "Pay by card", "session": "s-1", "client": "Codex CLI",
    "phase": "build", "since": AT, "started_at": AT,
    "says": "asks: Which?. To answer: rcs question answer q-1",
    "proof": {"state": "proven", "proof": {"command": "make"}}, "key": "mode:/home/me/pay:s-1:forge",
    "project": "/home/me/pay", "detail": "asks: Which? (A | B)", "command": "rcs question answer q-1",
    "has_title": True, "short": "s-1", "iteration": 1, "max_iterations": 5, "outcome": None, "early": False,
    "verdict": None, "proof_says": "`make` passed", "event": None,
    "question": {"id": "q-1", "text": "Which?", "options": ["A", "B"]}, "quiet": "stalled", "resume": [], "stop": None,
}  # fmt: skip
LEFT_OUT = ("key", "project", "short")


def test_an_entry_of_the_overview() -> None:
    bare = LeavingDocuments(BARE).entry(MODE_ENTRY, "waiting")
    assert bare[:3] == ("entry", "mode:s-1:forge:q-1", AT)
    same = {key: value for key, value in MODE_ENTRY.items() if key not in LEFT_OUT}
    same |= {"group": "waiting", "quiet": None}
    assert json.loads(bare.record) == same | {
        "title": "forge", "has_title": False, "says": "asks: Which?", "detail": "asks: Which?", "command": "",
        "proof": None, "proof_says": None,
    }  # fmt: skip
    full = json.loads(LeavingDocuments(FULL).entry(MODE_ENTRY, "waiting").record)
    assert full == same | {"proof": {"state": "proven"}}


def test_an_entry_of_a_task_has_the_name_that_stands_for_it() -> None:
    entry = MODE_ENTRY | {"kind": "task", "name": "pay", "title": "pay", "id": "pay", "question": None}
    del entry["session"]
    name = BARE.task("pay")
    found = LeavingDocuments(BARE).entry(entry, "tasks")
    assert found.key == f"task:{name}:{name}:"
    record = json.loads(found.record)
    assert (record["name"], record["id"], record["title"], record["detail"]) == (name, name, name, "phase build")


def test_a_passage_of_a_mode() -> None:
    shown = {"mode": "forge", "n": 4, "title": "Pay by card", "outcome": "finished", "phase": "build",
             "started_at": AT, "last_at": AT, "reason": "all done", "verdict": "proven", "early": True}  # fmt: skip
    more = {"session": "s-1", "client": "Codex CLI", "is_last": True}
    full = LeavingDocuments(FULL).passage(shown, "s-1", "Codex CLI", is_last=True)
    assert full[:3] == ("passage", "s-1:forge:4", AT)
    assert json.loads(full.record) == shown | more
    bare = LeavingDocuments(BARE).passage(shown, "s-1", "Codex CLI", is_last=True)
    assert json.loads(bare.record) == shown | more | {"title": "", "reason": ""}


# --- the property: no planted word leaves

WORDS = st.integers(0, 10**9).map(lambda number: f"PLANTED{number}")
JSON = st.recursive(
    WORDS | st.integers() | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
MOMENTS = st.just(AT) | WORDS
OBJECTS = st.dictionaries(st.sampled_from([*DATA, "x"]) | WORDS, JSON, max_size=12)


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
    mode = SESSION["modes"][0] | {"title": word, "reason": word, "started_at": word} | {"more": data}
    session = SESSION | {
        "root": f"/{word}", "resume": [{"client": word, "command": word}], "modes": [mode], "updated_at": word,
        "unreadable": [{"path": word, "why": word, "clear_as": word}], "more": data,
    }  # fmt: skip
    gate = TASK["gates"][0] | {"reasons": [word]}
    task = TASK | {
        "task_id": word, "root": f"/{word}", "why": [word], "proof": {"verdict": "stale", "says": word}, "more": data,
        "decision": TASK["decision"] | {"by": word, "reasons": [word]}, "gates": [gate], "problem": word,
    }  # fmt: skip
    entry = MODE_ENTRY | {
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


@pytest.mark.slow
@examples(200)
@given(st.text(max_size=60), st.text(max_size=60))
def test_every_row_with_texts_can_be_stored(one: str, two: str) -> None:
    rows = [
        FULL.run(RUN._replace(run_id=one, feature=two, file=one, status=two, current=one, session=two)),
        FULL.run_event(EVENT._replace(step=one, unit=two, data=json.dumps({one: [two]}))),
        FULL.step(STEP._replace(step=one, unit=two)),
        FULL.artifact(ARTIFACT._replace(path=one, feature=two)),
        FULL.mode_event(Event(3, one, two, "started", one, two, 2, one, {"reason": two})),
        FULL.task_move(4, {"ts": one, "kind": two, "from": one, "reason": two, "failed": [{one: two}]}),
    ]
    for value in (value for row in rows for value in (row or ()) if isinstance(value, str)):
        assert "\0" not in value
        assert "\\u0000" not in value
        assert len(value.encode()) <= 40_000  # surrogates cannot be encoded
