"""`rcs log`: what happened, in words and as JSON, of one session or of all, once or as it happens."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from rcs_hooks.cli.log import counted, what
from rcs_hooks.state import history
from rcs_hooks.state.history import Event
from rcs_hooks.state.history_listing import LoggedEvent
from tests.support import NOW, Workspace, clean_env, run_rcs
from tests.table import each_row

PROOF: dict[str, Any] = {"command": "make check", "exit": 0, "seconds": 12.3, "passed": True, "changed": []}


def event(
    name: str = "", before: str = "", to: str = "", iteration: int = 0, mode: str = "forge", **data: Any
) -> Event:
    return Event(1, "", mode, name, before, to, iteration, data=data)


WORDS = (
    (event("started", "", "starting"), "started: starting"),
    (event("resumed", "failed", "fixing", 3, reason="no disk"), "resumed after failed: fixing, round 3 (no disk)"),
    (event("phase", "starting", "executing", 1), "starting -> executing"),
    (event("phase", "fixing", "verifying", 2), "fixing -> verifying, round 2"),
    (event("phase", "fixing", "fixing", 3), "fixing, round 3"),
    (event("question", text="Which?"), 'asked "Which?"'),
    (event("question", "a", "a"), "waits for the user: a"),
    (event("question", text="Which?", asked_by="team"), "waits for team's question"),
    (event("answer", "a", "a"), "answered: a"),
    (event("let_go", why="unchanged"), "Stop let go: nothing had changed"),
    (event("let_go", "a", "a", why=["x"]), "Stop let go: a"),
    (event("handoff", "planning", "forge", mode="blueprint"), "handed over to forge"),
    (event("outcome", "b", "finished", evidence="pytest: ok"), "finished in b (pytest: ok)"),
    (event("outcome", "b", "finished", early=True), "finished early in b"),
    (event("outcome", "code-review", "finished", mode="autopilot", early=True, evidence="c"),
     "finished early in code-review, as no review has said clean (c)"),
    (event("outcome", "b", "finished", proof="stale", early=True), "finished early in b, stale"),
    (event("outcome", "", "finished", proof="sure"), "finished"),
    (event("proof", **PROOF), "proof: `make check` passed after 12 s"),
    (event("proof", **PROOF | {"exit": 2, "seconds": 0.2}), "proof: `make check` failed (exit 2)"),
    (event("proof", **PROOF | {"exit": 124, "timed_out": True}), "proof: `make check` timed out after 12 s"),
    (event("proof", **PROOF | {"changed": ["a.py", "b\x1b.py"], "seconds": 0}),
     "proof: `make check` changed a.py and 1 more"),
    (event("proof", **PROOF | {"folder": "../fa\x1bke", "seconds": 0}), "proof: `make check` in ../fa ke passed"),
    (event("proof", command=["x"]), "proof"),
    (event("outcome", "fixing", "userinterlude", 2), "stopped by the user in fixing, round 2"),
    (event("outcome", "fixing", "cleared"), "cleared in fixing"),
    (event("outcome", "", "off"), "switched off"),
)  # fmt: skip


@each_row(("event", "words"), WORDS)
def test_what_happened_in_words(event: Event, words: str) -> None:
    assert what(event) == words


def held(mode: str = "forge", session: str = "s1", **fields: Any) -> LoggedEvent:
    return LoggedEvent(session, event("held", "verifying", "verifying", 2, mode)._replace(**fields))


@each_row(("entries", "times"), [
    ([held()] * 5, [5]),
    ([held(), held("ultrawork"), held(), held("ultrawork")], [2, 2]),
    ([held(), held(session="s2"), held()], [1, 2]),
    ([held(), held(to="fixing"), held(to="fixing")], [1, 2]),
    ([held(), held(title="another")], [1, 1]),
    ([held(), held(event="let_go"), held()], [1, 1, 1]),
])  # fmt: skip
def test_held_stops_in_a_row_are_one_line(entries: list[LoggedEvent], times: list[int]) -> None:
    assert [each for _, each in counted(entries)] == times


@pytest.fixture
def two(workspace: Workspace) -> Workspace:
    workspace.prompt("$forge fix the parser", "s1")
    workspace.prompt("$crew write the docs", "s2")
    workspace.prompt("$cancel", "s1")
    return workspace


def log(workspace: Workspace, *words: str, status: int = 0) -> str:
    done = run_rcs("log", *words, cwd=workspace.root, env=clean_env())
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr


def local(number: int) -> str:
    """The local time of the event with this number."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(NOW + number))


def as_json(workspace: Workspace, *words: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log(workspace, "--json", *words).splitlines()]


def test_all_sessions_are_merged_and_each_run_is_named(two: Workspace) -> None:
    assert log(two).splitlines() == [
        f"{local(1)}  forge  s1  started: starting                fix the parser",
        f"{local(2)}  team   s2  started: starting                write the docs",
        f"{local(3)}  forge  s1  stopped by the user in starting  fix the parser",
    ]


def test_a_session_a_mode_and_a_number_choose(two: Workspace) -> None:
    assert [each["event"] for each in as_json(two, "--session", "s1")] == ["started", "outcome"]
    assert [each["session"] for each in as_json(two, "--mode", "$crew")] == ["s2"]
    assert [each["event"] for each in as_json(two, "-n", "1")] == ["outcome"]
    assert as_json(two, "--mode", "release") == []
    assert len(run_rcs("log", "--json", cwd=two.root, env=clean_env(RCS_SESSION_ID="s2")).stdout.splitlines()) == 3
    assert as_json(two, "-n", "1") == [
        {"at": "2023-11-14T22:13:23.000Z", "session": "s1", "mode": "forge", "event": "outcome", "from": "starting",
         "to": "userinterlude", "iteration": 0, "title": "fix the parser", "data": {}},
    ]  # fmt: skip


def test_where_nothing_has_happened_it_says_so_and_makes_no_state(workspace: Workspace) -> None:
    assert log(workspace) == "nothing has happened yet here\n"
    assert log(workspace, "--session", "s9") == "nothing has happened yet in session s9\n"
    assert log(workspace, "--mode", "$rcs:release") == "nothing has happened to release yet here\n"
    assert log(workspace, "--json") == ""
    assert not workspace.state.exists()


def test_the_number_counts_lines_and_not_the_stops_that_are_one_line(two: Workspace) -> None:
    stop = held(at="2023-11-14T22:13:30.000Z", title="fix the parser").event
    written = history.append(str(two.state), "s1", [stop._replace(event="phase"), *[stop] * 40])
    assert written
    with (two.folder("s1") / "history.jsonl").open("a") as file:
        file.write(written.append)
    ends = [line.rpartition("s1  ")[2].partition("  ")[0] for line in log(two, "-n", "3").splitlines()]
    assert ends == ["stopped by the user in starting", "verifying, round 2", "Stop held 40 times: verifying, round 2"]
    assert len(log(two, "-n", "1").splitlines()) == 1
    assert [each["event"] for each in as_json(two, "-n", "3")] == ["held"] * 3
