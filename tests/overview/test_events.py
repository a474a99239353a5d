"""What has happened between two looks: each thing that a person has to know of is one event, and only once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.overview.collect import grouped
from rcs_hooks.overview.entries import AskedQuestion, Entry, LastStop, Overview
from rcs_hooks.overview.events import carried_over, compare
from tests.table import each_row

if TYPE_CHECKING:
    from collections.abc import Sequence

AT = 1_700_000_000.0
"""When the first of the two looks was."""
LONG_AGO, BEFORE, NOW = "2023-11-14T20:13:20.000Z", "2023-11-14T22:13:10.000Z", "2023-11-14T22:13:21.000Z"
LATER = "2023-11-14T22:13:40.000Z"
WHICH, WHY = AskedQuestion("q-1", "Which database?", ("sqlite", "postgres")), AskedQuestion("q-2", "Why?", ())


def mode(group: str, name: str = "forge", session: str = "s1", **fields: object) -> Entry:
    return Entry("mode", name, f"{name} of {session}", group, session, project="/p")._replace(**fields)  # type: ignore[arg-type]  # of any field


def run(group: str, **fields: object) -> Entry:
    return Entry("run", "scan", "scan", group, id="r1", project="/p")._replace(**fields)  # type: ignore[arg-type]  # of any field


def task(group: str, phase: str, **fields: object) -> Entry:
    return Entry("task", "login", "login", group, id="login", phase=phase, project="/p")._replace(**fields)  # type: ignore[arg-type]  # of any field


RUNS, ASKS = mode("running", phase="executing"), mode("waiting", question=WHICH, since=NOW)
ANSWERED = mode("waiting", phase="executing", is_answered=True)
WAITS = mode("waiting", phase="executing", iteration=1)
LOST = WAITS._replace(lost_question=WHICH.id)
HELD, LET_GO = mode("running", stop=LastStop(True, BEFORE)), mode("running", stop=LastStop(False, NOW), since=BEFORE)
FINISHED = mode("ended", outcome="finished", since=NOW)
ENDED_BEFORE = mode("ended", outcome="finished", since=BEFORE)
RUN_WAITS, RUN_ENDED = run("waiting", phase="review"), run("ended", outcome="completed", since=NOW)
ACCEPT, DONE = task("waiting", "accept", iteration=1), task("tasks", "done", since=NOW)
UNREADABLE = mode("waiting", "session", is_unreadable=True)
NO_RUNS = Entry("run", "runs", "runs", "waiting", project="/p", is_unreadable=True)

Rows = list[tuple[str, list[Entry], list[Entry], list[str]]]

WAITING: Rows = [
    ("nothing", [], [], []),
    ("a mode begins to run", [], [RUNS], []),
    ("a mode goes on", [RUNS], [RUNS._replace(phase="verifying", iteration=2)], []),
    ("a question", [RUNS], [ASKS], ["waiting forge"]),
    ("a question of a mode that was not there", [], [ASKS], ["waiting forge"]),
    ("the same question", [ASKS], [ASKS], []),
    ("the same question, seen later", [ASKS], [ASKS._replace(since=LATER, phase="planning")], []),
    ("another question", [ASKS], [ASKS._replace(question=WHY)], ["waiting forge"]),
    ("a question that cannot be read any more", [ASKS], [LOST], []),
    ("a question that can be read again", [LOST], [ASKS], []),
    ("a question that cannot be read", [RUNS], [LOST], ["waiting forge"]),
    ("a question is answered", [ASKS], [RUNS], []),
    ("a question is answered elsewhere", [ASKS], [ANSWERED], []),
    ("the answer comes to the agent", [ANSWERED], [RUNS], []),
    ("an answered mode asks again", [ANSWERED], [ASKS._replace(question=WHY)], ["waiting forge"]),
    ("its mode has ended, the question is open", [ASKS], [ASKS._replace(id="q-1"), FINISHED], ["ended forge"]),
    ("its client closes the session", [ASKS], [ASKS._replace(group="closed")], []),
    ("its session is resumed", [ASKS._replace(group="closed")], [ASKS], []),
    ("asked, and the session closed at once", [RUNS], [ASKS._replace(group="closed")], ["waiting forge"]),
    ("a session is closed while it runs", [RUNS], [RUNS._replace(group="closed")], []),
    ("waits for the next prompt", [RUNS], [WAITS], ["waiting forge"]),
    ("waits for the next prompt as before", [WAITS], [WAITS._replace(since=LATER)], []),
    ("waits again, a round later", [WAITS], [WAITS._replace(iteration=2)], ["waiting forge"]),
    ("two modes wait for one question", [RUNS], [ASKS, mode("waiting", "team")], ["waiting forge"]),
    (
        "two sessions ask",
        [],
        [ASKS, ASKS._replace(session="s2", name="team", question=WHY)],
        ["waiting forge", "waiting team"],
    ),
    ("Stop holds it", [RUNS], [HELD], []),
    ("Stop lets it go", [HELD], [LET_GO], ["waiting forge"]),
    ("Stop has let it go before", [LET_GO], [LET_GO], []),
    ("Stop lets it go again", [LET_GO], [LET_GO._replace(stop=LastStop(False, LATER))], ["waiting forge"]),
    ("Stop lets two modes go", [HELD], [LET_GO, LET_GO._replace(name="team")], ["waiting forge"]),
    ("a run waits", [run("running")], [RUN_WAITS], ["waiting scan"]),
    ("a run waits, and reports more", [RUN_WAITS], [RUN_WAITS._replace(since=LATER)], []),
    ("a run waits at its next step", [RUN_WAITS], [RUN_WAITS._replace(phase="deploy")], ["waiting scan"]),
    ("a task comes to acceptance", [task("tasks", "test")], [ACCEPT], ["waiting login"]),
    ("a task comes there again", [ACCEPT], [ACCEPT._replace(iteration=2)], ["waiting login"]),
]
ENDED: Rows = [
    ("a mode finishes", [RUNS], [FINISHED], ["ended forge"]),
    ("a mode finishes that was not there", [], [FINISHED], ["ended forge"]),
    ("its clock was behind", [], [ENDED_BEFORE], ["ended forge"]),
    ("a mode fails", [RUNS], [FINISHED._replace(outcome="failed")], ["failed forge"]),
    ("a mode is blocked", [RUNS], [FINISHED._replace(outcome="blocked")], ["failed forge"]),
    ("a person stops a mode", [RUNS], [FINISHED._replace(outcome="userinterlude")], ["ended forge"]),
    ("a waiting mode fails", [ASKS], [FINISHED._replace(outcome="failed")], ["failed forge"]),
    ("it ended before", [FINISHED], [FINISHED], []),
    ("it is a day old", [FINISHED], [], []),
    ("an old end comes to light", [RUNS], [RUNS, mode("ended", "team", outcome="finished", since=LONG_AGO)], []),
    ("it ran, and its record has an old time", [RUNS], [FINISHED._replace(since=LONG_AGO)], ["ended forge"]),
    ("a new run of the mode", [ENDED_BEFORE], [RUNS, ENDED_BEFORE._replace(id="17")], []),
    ("the history has it a little later", [FINISHED], [FINISHED._replace(since=NOW.replace("21.000", "21.400"))], []),
    (
        "a new run that has ended too",
        [ENDED_BEFORE],
        [ENDED_BEFORE._replace(id="17"), FINISHED._replace(outcome="failed")],
        ["failed forge"],
    ),
    ("an end and a new run", [RUNS], [RUNS, FINISHED._replace(id="17")], ["ended forge"]),
    ("a handoff", [RUNS], [FINISHED, mode("running", "team")], ["ended forge"]),
    ("the same mode elsewhere", [FINISHED], [FINISHED, FINISHED._replace(session="s2")], ["ended forge"]),
    ("a run is completed", [run("running")], [RUN_ENDED], ["ended scan"]),
    ("a run fails", [run("running")], [RUN_ENDED._replace(outcome="failed")], ["failed scan"]),
    ("a run reports after its end", [RUN_ENDED], [RUN_ENDED._replace(since=LATER)], []),
    ("a task is done", [ACCEPT], [DONE], ["ended login"]),
    ("a task was done", [DONE], [DONE], []),
    ("a task goes on", [task("tasks", "plan")], [task("tasks", "codegen")], []),
    (
        "the oldest first",
        [],
        [RUN_ENDED._replace(since=LATER), ASKS, mode("ended", "team", outcome="failed", since=BEFORE)],
        ["failed team", "waiting forge", "ended scan"],
    ),
]


def events(before: Overview, after: Overview) -> list[str]:
    return [f"{event.kind} {event.entry.name}" for event in compare(before, after, AT)]


@each_row(
    ("before", "after", "found"), [row[1:] for row in (*WAITING, *ENDED)], ids=[row[0] for row in WAITING + ENDED]
)
def test_what_has_happened_between_two_looks(before: list[Entry], after: list[Entry], found: list[str]) -> None:
    assert events(grouped(before), grouped(after)) == found


@each_row(
    ("shown", "unreadable"),
    [([ASKS], UNREADABLE), ([FINISHED, RUNS], UNREADABLE), ([ASKS], UNREADABLE._replace(session=None)),
     ([RUN_WAITS], NO_RUNS), ([RUN_ENDED], NO_RUNS), ([ACCEPT], ACCEPT._replace(phase=None, is_unreadable=True)),
     ([DONE, ASKS, RUN_WAITS], Entry("task", "tasks", "tasks", "waiting", project="/p", is_unreadable=True))],
)  # fmt: skip
def test_what_cannot_be_read_for_a_moment_is_no_news_afterwards(shown: Sequence[Entry], unreadable: Entry) -> None:
    first = grouped(shown)
    second = grouped([unreadable, *(entry for entry in shown if entry.kind != unreadable.kind)])
    assert events(first, second) == []
    assert events(carried_over(first, second), first) == []


def test_what_has_happened_meanwhile_is_news_once_it_can_be_read() -> None:
    first, second, third = grouped([RUNS]), grouped([UNREADABLE]), grouped([FINISHED])
    assert events(carried_over(first, second), third) == ["ended forge"]
    first = grouped([ASKS, RUNS._replace(session="s2")])
    assert carried_over(first, grouped([UNREADABLE])).running == ()
    assert carried_over(first, grouped([RUNS])) == grouped([RUNS])


@each_row(
    ("outcome", "on", "wanted"),
    [
        ("failed", ["waiting"], False),
        ("failed", ["failed"], True),
        ("failed", ["ended"], True),
        ("finished", ["failed"], False),
        ("finished", ["waiting", "ended"], True),
    ],
)
def test_what_has_failed_has_also_ended(outcome: str, on: list[str], wanted: bool) -> None:
    (event,) = compare(Overview(), grouped([FINISHED._replace(outcome=outcome)]))
    assert event.is_among(on) is wanted


def test_an_event_as_json() -> None:
    asks = ASKS._replace(detail="asks: Which database?", to="To answer", command="rcs question answer q-1 'A'")
    (event,) = compare(Overview(), grouped([asks]))
    assert event.as_json(AT) == {
        "v": 1,
        "event": "waiting",
        "at": "2023-11-14T22:13:20.000Z",
        "kind": "mode",
        "name": "forge",
        "title": "forge of s1",
        "session": "s1",
        "client": None,
        "phase": None,
        "since": NOW,
        "says": "asks: Which database? To answer: rcs question answer q-1 'A'",
        "proof": None,
        "project": "/p",
        "outcome": None,
        "detail": "asks: Which database?",
        "command": "rcs question answer q-1 'A'",
        "question": {"id": "q-1", "text": "Which database?", "options": ["sqlite", "postgres"]},
    }
    (ended,) = compare(Overview(), grouped([DONE]))
    assert (ended.as_json(AT)["outcome"], ended.as_json(AT)["id"]) == ("done", "login")
