"""Runs: the list with its filters and its cursor, one run with its timeline, its graph and its events."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from rcs_hooks.files.clock import seconds
from rcs_hooks.runs.queries import RUN_STATUSES
from tests.table import each_row

if TYPE_CHECKING:
    from tests.dashboard.support import Board, Record


def ids(found: Record) -> list[str]:
    return [run["run_id"] for run in found["runs"]]


@pytest.fixture
def busy(board: Board) -> Board:
    return filled_with_runs(board)


@pytest.fixture(scope="module")
def still(shown: Board) -> Board:
    return filled_with_runs(shown)


def filled_with_runs(board: Board) -> Board:
    """Five runs of two workflows, active one after the other; and one without a machine."""
    project = board.project
    project.walk("requirements", "design", run="a1", data={"status": "running", "feature": "login"})
    project.emit("detect", run="b1", workflow="blueprint", status="waiting")
    project.emit("requirements", run="a2", status="failed")
    project.emit("detect", run="b2", workflow="blueprint")
    project.emit("whatever", run="plain", workflow="plain")
    project.emit("requirements", run="a3")
    return board


FILTERS: list[tuple[str, Record, list[str]]] = [
    ("nothing asked for", {}, ["a3", "b2", "a2", "b1", "a1"]),
    ("a workflow", {"workflow": "blueprint"}, ["b2", "b1"]),
    ("one without a machine", {"workflow": "plain"}, []),
    ("a status", {"status": "waiting"}, ["b1"]),
    ("a feature", {"feature": "login"}, ["a1"]),
    ("a project", {"project": "ROOT"}, ["a3", "b2", "a2", "b1", "a1"]),
    ("since a moment", {"since": "2023-11-14T22:13:25.000Z"}, ["a3", "b2"]),
    ("until a moment", {"until": "2023-11-14T22:13:23.000Z"}, ["a1"]),
    ("all at once", {"project": "ROOT", "workflow": "build", "status": "running", "since": "1h"}, ["a3", "a1"]),
]


@each_row(("query", "expected"), [pytest.param(*row[1:], id=row[0]) for row in FILTERS])
def test_the_list_is_filtered(still: Board, query: Record, expected: list[str]) -> None:
    asked = {name: value.replace("ROOT", still.root) for name, value in query.items()}
    assert ids(still.get("/api/runs", **asked)) == expected


def test_a_cursor_gives_every_run_once(busy: Board) -> None:
    seen: list[str] = []
    cursor: dict[str, Any] = {}
    for size in (2, 2, 1):
        page = busy.get("/api/runs", limit=2, **cursor)
        assert len(page["runs"]) == size
        seen += ids(page)
        cursor = {"before": page["next"]}
    assert seen == ["a3", "b2", "a2", "b1", "a1"]
    assert cursor == {"before": None}


def test_runs_are_counted_whatever_the_page_and_the_status(still: Board) -> None:
    whole = still.get("/api/runs")
    page = still.get("/api/runs", limit=1, status="failed")
    assert page["totals"] == whole["totals"]
    assert sum(page["totals"].values()) == whole["total"] == len(whole["runs"])
    assert page["total"] == page["totals"]["failed"]


@each_row("sort", ["started", "lasted", "events", "name", "status"])
def test_runs_are_sorted(still: Board, sort: str) -> None:
    found = still.get("/api/runs", sort=sort)["runs"]
    assert {run["run_id"] for run in found} == {run["run_id"] for run in still.get("/api/runs")["runs"]}
    keys = {
        "started": [run["started_at"] for run in reversed(found)],
        "lasted": [(seconds(run["started_at"]) or 0) - (seconds(run["last_at"]) or 0) for run in found],
        "events": [-run["event_count"] for run in found],
        "name": [(run["feature"] or run["workflow"]).casefold() for run in found],
        "status": [RUN_STATUSES.index(run["status"]) for run in found],
    }
    assert keys[sort] == sorted(keys[sort])


REFUSED = [
    ("status", "runing", "status 'runing' is not known; it is one of running, waiting, stalled, failed, completed, "
     "skipped, idle, inactive"),
    ("since", "yesterday", "since=yesterday: write 45m, 12h, 30d, 2w or a moment like 2026-01-31T09:30Z"),
    ("limit", "0", "limit=0: a number from 1 to 1000 is needed"),
    ("limit", "many", "limit=many: a number from 1 to 1000 is needed"),
    ("before", "-1", f"before=-1: a number from 0 to {2**62} is needed"),
    ("workflw", "build", "'workflw' is not a parameter of this address; it takes project, workflow, status, feature, "
     "session, since, until, before, limit, sort"),
]  # fmt: skip


@each_row(("name", "value", "words"), REFUSED)
def test_what_cannot_be_asked_for_is_refused_in_a_sentence(still: Board, name: str, value: str, words: str) -> None:
    assert still.refused("/api/runs", **{name: value}) == (400, words)


def test_without_a_database_there_are_no_runs_and_none_is_made(board: Board) -> None:
    assert board.get("/api/runs") == {
        "runs": [], "next": None, "total": 0, "totals": {}, "last_runs": None, "seq": 0, "projects": [],
        "workflows": [],
    }  # fmt: skip
    assert list(board.project.home.iterdir()) == []


# --- one run


@pytest.fixture
def nested(board: Board) -> Board:
    project = board.project
    project.walk("requirements", "design", "tasks", "build")
    project.emit("building", unit="T1")
    project.emit("completed", "completed", unit="T1")
    project.emit("building", unit="T2")
    project.emit("build", unit="U1")
    project.walk("verify", "build")
    return board


def test_the_timeline_has_every_step_and_what_is_nested_in_it(nested: Board) -> None:
    found = nested.get("/api/runs/r1")
    timeline = found["timeline"]
    assert [visit["ended_at"] is None for visit in found["visits"]] == [False] * 5 + [True]
    assert [(step["step"], step["status"], step["visits"]) for step in timeline] == [
        ("requirements", "completed", 1), ("design", "completed", 1), ("tasks", "completed", 1),
        ("build", "running", 2), ("verify", "completed", 1), ("archive", None, None),
    ]  # fmt: skip
    build = timeline[3]
    assert [(unit["step"], unit["unit"], unit["status"]) for unit in build["units"]] == [("build", "U1", "running")]
    assert [(agent["agent"], agent["unit"], agent["status"], len(agent["steps"])) for agent in build["agents"]] == [
        ("task-builder", "T1", "completed", 2), ("task-builder", "T2", "running", 1),
    ]  # fmt: skip
    assert all(not step["agents"] and not step["units"] for step in timeline if step["step"] != "build")


def marked(svg: str) -> tuple[set[tuple[str, str]], list[str], list[str]]:
    """The edges that were taken, the states that were visited, and the current one."""
    taken = set(re.findall(r'class="edge taken" data-from="([^"]*)" data-to="([^"]*)"', svg))
    visited = re.findall(r'class="state[^"]* visited" data-state="([^"]*)"', svg)
    current = re.findall(r'class="state current[^"]*" data-state="([^"]*)"', svg)
    return taken, visited, current


def test_the_graph_shows_the_path_with_its_loop_and_where_the_run_is(nested: Board) -> None:
    graph = nested.get("/api/runs/r1")["graph"]
    taken, visited, current = marked(graph["svg"])
    assert taken == {
        ("[*]", "requirements"), ("requirements", "design"), ("design", "tasks"), ("tasks", "build"),
        ("build", "verify"), ("verify", "build"),
    }  # fmt: skip
    assert set(visited) == {"requirements", "design", "tasks", "build", "verify"}
    assert current == ["build"]
    assert graph["problem"] is None


def test_an_agent_that_comes_back_to_a_state_was_there_twice(board: Board) -> None:
    board.project.walk("requirements", "checker:reviewing", "checker:fixing", "checker:reviewing")
    board.project.now += 5
    (agent,) = board.get("/api/runs/r1")["timeline"][0]["agents"]
    told = [(each["status"], each["seconds"], len(each["stays"])) for each in agent["steps"]]
    assert told == [("completed", 1.0, 1), ("running", 6.0, 2)]


def test_a_branch_is_entered_from_where_it_branches_off_and_joined_from_each(board: Board) -> None:
    board.project.walk("a", "b", "c", "d", workflow="fork")
    taken, _, _ = marked(board.get("/api/runs/r1")["graph"]["svg"])
    assert taken == {("[*]", "a"), ("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")}


def test_a_run_says_why_it_has_failed(board: Board) -> None:
    board.project.emit("requirements", "failed", data={"status": "failed", "message": "no\nnetwork"})
    assert board.get("/api/runs/r1")["reason"] == "no network"


def test_events_behind_a_sequence(nested: Board) -> None:
    def seqs(found: Record) -> list[int]:
        return [event["seq"] for event in found["events"]]

    everything = nested.get("/api/runs/r1")
    count = everything["event_count"]
    assert (seqs(everything), everything["after"], everything["more"]) == (list(range(1, count + 1)), 0, False)
    page = nested.get("/api/runs/r1", after=3, limit=2)
    assert (seqs(page), page["after"], page["more"]) == ([4, 5], 3, True)
    page = nested.get("/api/runs/r1/events", after=5, limit=1000)
    assert (seqs(page), page["after"], page["more"]) == (list(range(6, count + 1)), 5, False)
    page = nested.get("/api/runs/r1/events", after=count)
    assert (seqs(page), page["more"]) == ([], False)
