"""What has happened between two looks: each thing that a person has to know of is one event, and only once."""

from __future__ import annotations

from rcs_hooks.overview.collect import grouped
from rcs_hooks.overview.entries import AskedQuestion, Entry, LastStop, Overview
from rcs_hooks.overview.events import carried_over, compare
from tests.table import each_row

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
WAITS = mode("waiting", phase="executing", iteration=1)
HELD, LET_GO = mode("running", stop=LastStop(True, BEFORE)), mode("running", stop=LastStop(False, NOW), since=BEFORE)
FINISHED = mode("ended", outcome="finished", since=NOW)
ENDED_BEFORE = mode("ended", outcome="finished", since=BEFORE)
RUN_WAITS, RUN_ENDED = run("waiting", phase="review"), run("ended", outcome="completed", since=NOW)
ACCEPT, DONE = task("waiting", "accept", iteration=1), task("tasks", "done", since=NOW)
UNREADABLE = mode("waiting", "session", is_unreadable=True)

Rows = list[tuple[str, list[Entry], list[Entry], list[str]]]

WAITING: Rows = [
    ("a mode goes on", [RUNS], [RUNS._replace(phase="verifying", iteration=2)], []),
    ("a question", [RUNS], [ASKS], ["waiting forge"]),
    ("another question", [ASKS], [ASKS._replace(question=WHY)], ["waiting forge"]),
    ("a question is answered", [ASKS], [RUNS], []),
    ("its mode has ended, the question is open", [ASKS], [ASKS._replace(id="q-1"), FINISHED], ["ended forge"]),
    ("its client closes the session", [ASKS], [ASKS._replace(group="closed")], []),
    ("asked, and the session closed at once", [RUNS], [ASKS._replace(group="closed")], ["waiting forge"]),
    ("waits again, a round later", [WAITS], [WAITS._replace(iteration=2)], ["waiting forge"]),
    ("two modes wait for one question", [RUNS], [ASKS, mode("waiting", "team")], ["waiting forge"]),
    ("Stop lets it go", [HELD], [LET_GO], ["waiting forge"]),
    ("Stop lets it go again", [LET_GO], [LET_GO._replace(stop=LastStop(False, LATER))], ["waiting forge"]),
    ("a run waits", [run("running")], [RUN_WAITS], ["waiting scan"]),
    ("a task comes to acceptance", [task("tasks", "test")], [ACCEPT], ["waiting login"]),
]
ENDED: Rows = [
    ("a mode finishes", [RUNS], [FINISHED], ["ended forge"]),
    ("a mode fails", [RUNS], [FINISHED._replace(outcome="failed")], ["failed forge"]),
    ("an old end comes to light", [RUNS], [RUNS, mode("ended", "team", outcome="finished", since=LONG_AGO)], []),
    ("a new run of the mode", [ENDED_BEFORE], [RUNS, ENDED_BEFORE._replace(id="17")], []),
    ("a task is done", [ACCEPT], [DONE], ["ended login"]),
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


def test_what_has_happened_meanwhile_is_news_once_it_can_be_read() -> None:
    first, second, third = grouped([RUNS]), grouped([UNREADABLE]), grouped([FINISHED])
    assert events(carried_over(first, second), third) == ["ended forge"]
    first = grouped([ASKS, RUNS._replace(session="s2")])
    assert carried_over(first, grouped([UNREADABLE])).running == ()
    assert carried_over(first, grouped([RUNS])) == grouped([RUNS])
