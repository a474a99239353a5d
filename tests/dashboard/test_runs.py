"""Runs: the list with its filters and its cursor, one run with its timeline, its graph and its events."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest

from rcs_hooks.dashboard import everything, runs
from rcs_hooks.files.clock import seconds
from rcs_hooks.runs.queries import RUN_STATUSES
from tests.dashboard.support import Board, Record
from tests.table import each_row


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
    ("another", {"workflow": "build"}, ["a3", "a2", "a1"]),
    ("one without a machine", {"workflow": "plain"}, []),
    ("one that there is not", {"workflow": "nothing"}, []),
    ("a status", {"status": "waiting"}, ["b1"]),
    ("another status", {"status": "failed"}, ["a2"]),
    ("a status and a workflow", {"status": "running", "workflow": "build"}, ["a3", "a1"]),
    ("a status that none has", {"status": "inactive"}, []),
    ("a feature", {"feature": "login"}, ["a1"]),
    ("a project", {"project": "ROOT"}, ["a3", "b2", "a2", "b1", "a1"]),
    ("another project", {"project": "/nowhere"}, []),
    ("an empty filter", {"workflow": "", "status": ""}, ["a3", "b2", "a2", "b1", "a1"]),
    ("since a moment", {"since": "2023-11-14T22:13:25.000Z"}, ["a3", "b2"]),
    ("until a moment", {"until": "2023-11-14T22:13:23.000Z"}, ["a1"]),
    ("a length of time", {"since": "1m"}, ["a3", "b2", "a2", "b1", "a1"]),
    ("all at once", {"project": "ROOT", "workflow": "build", "status": "running", "since": "1h"}, ["a3", "a1"]),
]


@each_row(("query", "expected"), [pytest.param(*row[1:], id=row[0]) for row in FILTERS])
def test_the_list_is_filtered(still: Board, query: Record, expected: list[str]) -> None:
    asked = {name: value.replace("ROOT", still.root) for name, value in query.items()}
    assert ids(still.get("/api/runs", **asked)) == expected


def test_the_list_names_the_projects_and_workflows_to_filter_by(busy: Board) -> None:
    found = busy.get("/api/runs")
    assert (found["projects"], found["workflows"]) == ([busy.root], ["blueprint", "build"])
    busy.project.emit("a", run="f1", workflow="fork")
    assert busy.get("/api/runs", limit=1)["workflows"] == ["blueprint", "build", "fork"]


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


def test_a_cursor_finds_its_way_past_many_runs_that_are_not_shown(board: Board) -> None:
    board.project.emit("requirements", run="old")
    for number in range(30):
        board.project.emit("x", run=f"plain-{number}", workflow="plain")
    board.project.emit("requirements", run="new")
    page = board.get("/api/runs", limit=1)
    assert ids(page) == ["new"]
    assert ids(board.get("/api/runs", limit=1, before=page["next"])) == ["old"]


def test_a_run_without_activity_for_a_day_is_inactive(busy: Board) -> None:
    busy.project.now += 25 * 3600
    found = {run["run_id"]: run["status"] for run in busy.get("/api/runs")["runs"]}
    assert found == {"a1": "inactive", "b1": "inactive", "a2": "failed", "b2": "inactive", "a3": "inactive"}
    assert ids(busy.get("/api/runs", status="inactive")) == ["a3", "b2", "b1", "a1"]


def test_runs_are_counted_whatever_the_page_and_the_status(still: Board) -> None:
    whole = still.get("/api/runs")
    page = still.get("/api/runs", limit=1, status="failed")
    assert page["totals"] == whole["totals"]
    assert sum(page["totals"].values()) == whole["total"] == len(whole["runs"])
    assert page["total"] == page["totals"]["failed"]


def test_of_more_runs_than_are_counted_the_last_are_and_that_is_said(
    still: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = still.get("/api/runs")
    assert (whole["total"], whole["last_runs"], still.get("/api/all")["last_runs"]) == (5, None, None)
    monkeypatch.setattr(runs, "MOST_SORTED", 3)
    monkeypatch.setattr(everything, "MOST_RUNS", 3)
    for query in ({}, {"status": "failed"}, {"sort": "name"}):
        found = still.get("/api/runs", **query)
        assert (found["last_runs"], sum(found["totals"].values())) == (3, 3)
    assert still.get("/api/all")["last_runs"] == 3
    assert still.get("/api/runs", workflow="none")["last_runs"] is None


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


def test_a_database_that_cannot_be_read_is_explained_in_a_sentence(board: Board) -> None:
    board.project.database.parent.mkdir(parents=True)
    board.project.database.write_bytes(b"no database " * 100)
    status, words = board.refused("/api/runs")
    assert status == 503
    assert words.startswith(f"{board.project.database} is damaged")
    assert words.endswith("and the next emit begins a new one")


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
    timeline = nested.get("/api/runs/r1")["timeline"]
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


def test_durations_are_real(nested: Board) -> None:
    """The clock goes on by a second with each event; `build` ran for 5 s, and runs again since the last event."""
    nested.project.now += 10
    found = nested.get("/api/runs/r1")
    assert [step["seconds"] for step in found["timeline"]] == [0.999, 0.999, 0.999, 14.999, 0.999, None]
    assert found["seconds"] == 19.0


def test_a_run_that_has_ended_grows_no_longer(nested: Board) -> None:
    nested.project.walk("verify", "archive")
    nested.project.emit("archive", "completed")
    before = nested.get("/api/runs/r1")
    nested.project.now += 1000
    after = nested.get("/api/runs/r1")
    assert before["status"] == after["status"] == "completed"
    assert before["seconds"] == after["seconds"] == 12.0


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


def test_a_branch_goes_out_from_where_it_branches_off(board: Board) -> None:
    board.project.walk("a", "b", "c", workflow="fork")
    taken, _, current = marked(board.get("/api/runs/r1")["graph"]["svg"])
    assert taken == {("[*]", "a"), ("a", "b"), ("a", "c")}
    assert current == ["c"]


def test_a_step_that_joins_branches_is_entered_from_each_of_them(board: Board) -> None:
    board.project.walk("a", "b", "c", "d", workflow="fork")
    taken, _, _ = marked(board.get("/api/runs/r1")["graph"]["svg"])
    assert taken == {("[*]", "a"), ("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")}


def test_steps_come_in_the_order_in_which_they_were_entered_first(board: Board) -> None:
    board.project.walk("a", "c", "b", workflow="fork")
    steps = board.get("/api/runs/r1")["timeline"]
    assert [(step["step"], step["status"]) for step in steps] == [
        ("a", "completed"), ("c", "running"), ("b", "running"), ("d", None),
    ]  # fmt: skip


def test_a_run_says_why_it_has_failed(board: Board) -> None:
    board.project.emit("requirements", "failed", data={"status": "failed", "message": "no\nnetwork"})
    assert board.get("/api/runs/r1")["reason"] == "no network"


def test_an_agent_that_comes_back_to_a_state_has_two_times_there_and_what_it_left_is_past(board: Board) -> None:
    project = board.project
    project.walk("requirements", "design", "tasks", "build")
    for step in ("reviewing", "fixing", "reviewing"):
        project.now += 10
        project.emit(f"checker:{step}")
    project.now += 5
    found = next(step for step in board.get("/api/runs/r1")["timeline"] if step["step"] == "build")
    (agent,) = found["agents"]
    told = {each["step"]: each for each in agent["steps"]}
    reviewing, fixing = told["checker:reviewing"], told["checker:fixing"]
    assert (fixing["status"], fixing["seconds"], len(fixing["stays"])) == ("completed", 11.0, 1)
    assert (reviewing["status"], reviewing["seconds"]) == ("running", 16.0)
    assert [stay["ended_at"] is None for stay in reviewing["stays"]] == [False, True]
    assert (agent["step"], agent["status"]) == ("checker:reviewing", "running")
    assert not any(event["step"] == "checker:fixing" and event["automatic"] for event in
                   board.get("/api/runs/r1")["events"])  # fmt: skip


def test_nothing_counts_on_after_the_end_of_a_run(board: Board) -> None:
    project = board.project
    project.walk("a", "b", "c", workflow="fork")
    project.emit("x:working", workflow="fork")
    project.now += 10
    project.emit("c", "failed", workflow="fork")
    found = board.get("/api/runs/r1")
    project.now += 500
    later = board.get("/api/runs/r1")
    assert (later["status"], later["seconds"]) == ("failed", found["seconds"])
    for one, other in zip(found["timeline"], later["timeline"], strict=True):
        assert (one["seconds"], one["agents"]) == (other["seconds"], other["agents"])
    assert all(visit["ended_at"] for visit in later["visits"])


def test_an_end_that_was_reached_is_marked_too(board: Board) -> None:
    board.project.walk("detect", "prd", workflow="blueprint")
    board.project.emit("prd", "completed", workflow="blueprint")
    taken, _, _ = marked(board.get("/api/runs/r1")["graph"]["svg"])
    assert taken == {("[*]", "detect"), ("detect", "prd"), ("prd", "[*]")}


def test_the_graph_holds_no_style_of_its_own_that_a_page_would_complain_of(nested: Board) -> None:
    svg = nested.get("/api/runs/r1")["graph"]["svg"]
    assert svg.startswith("<svg ")
    assert "<style" not in svg
    assert " style=" not in svg


def test_a_machine_that_is_gone_or_broken_leaves_the_rest(nested: Board) -> None:
    file = nested.project.root / ".claude" / "skills" / "build" / "SKILL.md"
    file.write_text(file.read_text().replace("[*] --> requirements", "[*] -> requirements"))
    broken = nested.get("/api/runs/r1")
    assert broken["graph"]["svg"] is None
    assert broken["graph"]["problem"].startswith(f"{file}: ")
    file.unlink()
    gone = nested.get("/api/runs/r1")
    assert gone["graph"] == {"svg": None, "problem": f"{file} cannot be read: no such file or directory"}
    assert {step["step"] for step in gone["timeline"]} == {"requirements", "design", "tasks", "build", "verify"}


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


def test_of_many_events_the_last_are_given(board: Board) -> None:
    for _ in range(211):
        board.project.emit("a", run="long", workflow="fork")
    found = board.get("/api/runs/long")
    assert [event["seq"] for event in found["events"]] == list(range(12, 212))
    assert (found["after"], found["more"]) == (11, False)


def test_every_visit_to_a_step_is_listed_loops_included(nested: Board) -> None:
    nested.project.emit("build", "waiting")
    visits = nested.get("/api/runs/r1")["visits"]
    assert [(stay["step"], stay["status"], stay["ended_at"] is None) for stay in visits] == [
        ("requirements", "completed", False), ("design", "completed", False), ("tasks", "completed", False),
        ("build", "completed", False), ("verify", "completed", False), ("build", "waiting", True),
    ]  # fmt: skip
    assert all(before["started_at"] < after["started_at"] for before, after in pairwise(visits))
    assert all(before["ended_at"] < after["started_at"] for before, after in pairwise(visits))


def test_a_step_that_only_ended_was_there_for_a_moment(board: Board) -> None:
    board.project.emit("requirements", "completed")
    board.project.emit("design", "skipped")
    (stay,) = board.get("/api/runs/r1")["visits"]
    assert (stay["step"], stay["started_at"]) == ("requirements", stay["ended_at"])


def test_large_events_are_given_in_parts(board: Board) -> None:
    for number in range(20):
        board.project.emit("requirements", data={"status": "running", "note": f"{number}" + "x" * 250_000})

    def seqs(found: Record) -> list[int]:
        return [event["seq"] for event in found["events"]]

    last = board.get("/api/runs/r1")
    assert (seqs(last), last["after"], last["more"]) == (list(range(5, 21)), 4, False)
    page = board.get("/api/runs/r1/events", after=0)
    assert (seqs(page), page["more"]) == (list(range(1, 17)), True)
    page = board.get("/api/runs/r1/events", after=16)
    assert (seqs(page), page["more"]) == ([17, 18, 19, 20], False)


def test_the_path_goes_on_from_where_it_was_looked_at(board: Board) -> None:
    seen = []
    for step in ("requirements", "design", "tasks", "build", "verify", "build"):
        board.project.emit(step)
        seen.append(marked(board.get("/api/runs/r1")["graph"]["svg"])[0])
    assert [len(taken) for taken in seen] == [1, 2, 3, 4, 5, 6]
    assert ("verify", "build") in seen[-1]
    file = board.project.root / ".claude" / "skills" / "build" / "SKILL.md"
    file.write_text(file.read_text().replace("verify --> build : retry\n", ""))
    assert ("verify", "build") not in marked(board.get("/api/runs/r1")["graph"]["svg"])[0]


@pytest.mark.parametrize("address", ["/api/runs/nope", "/api/runs/nope/events", "/api/runs/nope/artifact?path=x"])
def test_a_run_that_is_not_there(still: Board, address: str) -> None:
    assert still.refused(address) == (404, "there is no run 'nope'; it may have been pruned")


def test_a_run_without_a_machine_is_not_shown(busy: Board) -> None:
    words = "run 'plain' has no state machine, so it is not shown here; `rcs runs show plain` does"
    assert busy.refused("/api/runs/plain") == (404, words)


def test_a_script_in_a_name_is_only_text(board: Board) -> None:
    script = "<script>alert(1)</script>"
    board.project.skill(
        "bad", f"# x\n\n## STATE-MACHINE\n\n```mermaid\nstateDiagram-v2\n[*] --> a\na : {script}\n```\n"
    )
    board.project.emit("a", workflow="bad")
    board.project.emit(f"x:{script}", unit=script, workflow="bad", data={"status": "running", "feature": script})
    answer = board.client.get("/api/runs/r1")
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    found = answer.json()
    assert found["feature"] == script
    assert found["timeline"][0]["label"] == script
    assert "<script" not in found["graph"]["svg"]
    assert "&lt;script&gt;" in found["graph"]["svg"]


def test_an_unexpected_error_is_a_sentence_too(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(board.data, "filters", broken)
    assert board.refused("/api/runs") == (500, "something unexpected went wrong here: ZeroDivisionError: by nothing")
