"""`rcs log`: what happened, in words and as JSON, of one session or of all, once or as it happens."""

from __future__ import annotations

import json
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from rcs_hooks.cli.log import counted, what
from rcs_hooks.state import history
from rcs_hooks.state.history import Event
from rcs_hooks.state.history_listing import LoggedEvent
from tests.support import NOW, RCS_HOOK, Workspace, clean_env, run_rcs
from tests.table import each_row

if TYPE_CHECKING:
    from collections.abc import Iterator

PROOF: dict[str, Any] = {"command": "make check", "exit": 0, "seconds": 12.3, "passed": True, "changed": []}
WORDS = (
    (Event(1, "", "forge", "started", "", "starting", 0), "started: starting"),
    (Event(1, "", "forge", "resumed", "failed", "fixing", 3, data={"reason": "no disk"}),
     "resumed after failed: fixing, round 3 (no disk)"),
    (Event(1, "", "forge", "phase", "starting", "executing", 1), "starting -> executing"),
    (Event(1, "", "forge", "phase", "fixing", "verifying", 2), "fixing -> verifying, round 2"),
    (Event(1, "", "forge", "phase", "fixing", "fixing", 3), "fixing, round 3"),
    (Event(1, "", "forge", "question", "a", "a", data={"text": "Which?"}), 'asked "Which?"'),
    (Event(1, "", "forge", "question", "a", "a"), "waits for the user: a"),
    (Event(1, "", "ultrawork", "question", "a", "a", data={"text": "Which?", "asked_by": "forge"}),
     "waits for forge's question"),
    (Event(1, "", "forge", "answer", "a", "a"), "answered: a"),
    (Event(1, "", "forge", "held", "fixing", "fixing", 2, data={"why": "running"}), "Stop held: fixing, round 2"),
    (Event(1, "", "forge", "let_go", "a", "a", data={"why": "unchanged"}), "Stop let go: nothing had changed"),
    (Event(1, "", "forge", "let_go", "a", "a", data={"why": ["x"]}), "Stop let go: a"),
    (Event(1, "", "blueprint", "handoff", "planning", "forge"), "handed over to forge"),
    (Event(1, "", "forge", "outcome", "verifying", "finished", 1, data={"evidence": "pytest: ok"}),
     "finished in verifying (pytest: ok)"),
    (Event(1, "", "forge", "outcome", "starting", "finished", 1, data={"early": True}), "finished early in starting"),
    (Event(1, "", "autopilot", "outcome", "code-review", "finished", 1, data={"early": True, "evidence": "pytest: ok"}),
     "finished early in code-review, as no review has said clean (pytest: ok)"),
    (Event(1, "", "forge", "outcome", "verifying", "finished", 1, data={"proof": "proven", "evidence": "make: exit 0"}),
     "finished in verifying, proven (make: exit 0)"),
    (Event(1, "", "forge", "outcome", "fixing", "finished", 1, data={"proof": "stale", "early": True}),
     "finished early in fixing, stale"),
    (Event(1, "", "forge", "outcome", "", "finished", data={"proof": "sure"}), "finished"),
    (Event(1, "", "forge", "proof", "a", "a", data=PROOF), "proof: `make check` passed after 12 s"),
    (Event(1, "", "forge", "proof", "a", "a", data=PROOF | {"exit": 2, "seconds": 0.2}),
     "proof: `make check` failed (exit 2)"),
    (Event(1, "", "forge", "proof", "a", "a", data=PROOF | {"exit": 124, "timed_out": True}),
     "proof: `make check` timed out after 12 s"),
    (Event(1, "", "forge", "proof", "a", "a", data=PROOF | {"changed": ["a.py", "b\x1b.py"], "seconds": 0}),
     "proof: `make check` changed a.py and 1 more"),
    (Event(1, "", "forge", "proof", "a", "a", data=PROOF | {"folder": "../fa\x1bke", "seconds": 0}),
     "proof: `make check` in ../fa ke passed"),
    (Event(1, "", "forge", "proof", "a", "a", data={"command": ["x"]}), "proof"),
    (Event(1, "", "forge", "outcome", "fixing", "userinterlude", 2), "stopped by the user in fixing, round 2"),
    (Event(1, "", "forge", "outcome", "fixing", "cleared"), "cleared in fixing"),
    (Event(1, "", "forge", "outcome", "", "off"), "switched off"),
)  # fmt: skip


@each_row(("event", "words"), WORDS)
def test_what_happened_in_words(event: Event, words: str) -> None:
    assert what(event) == words


def held(mode: str = "forge", session: str = "s1", **fields: Any) -> LoggedEvent:
    event = Event(1, "", mode, "held", "verifying", "verifying", 2)
    return LoggedEvent(session, event._replace(**fields))


@each_row(("entries", "times"), [
    ([held()] * 5, [5]),
    ([held(), held("ultrawork"), held(), held("ultrawork")], [2, 2]),
    ([held(), held(session="s2"), held()], [1, 2]),
    ([held(), held(to="fixing"), held(to="fixing")], [1, 2]),
    ([held(), held(iteration=3)], [1, 1]),
    ([held(), held(title="another")], [1, 1]),
    ([held(), held(event="let_go"), held()], [1, 1, 1]),
    ([held(event="phase"), held(event="phase")], [1, 1]),
    ([], []),
])  # fmt: skip
def test_held_stops_in_a_row_are_one_line(entries: list[LoggedEvent], times: list[int]) -> None:
    assert [each for _, each in counted(entries)] == times


def test_how_often_a_stop_was_held_is_said() -> None:
    ((entry, times),) = counted([held(at=f"2026-01-31T09:30:1{number}Z") for number in range(5)])
    assert (entry.event.at, what(entry.event, times)) == (
        "2026-01-31T09:30:14Z",
        "Stop held 5 times: verifying, round 2",
    )


def test_two_sessions_of_one_minute_are_told_apart(workspace: Workspace) -> None:
    for end in ("7000-8000-000000000001", "7000-8000-000000000002"):
        workspace.prompt("$forge fix it", f"01890a5d-ac96-{end}")
    shown = run_rcs("log", cwd=workspace.root, env=clean_env(NO_COLOR="1"), is_terminal=True).stdout.splitlines()
    assert [line for line in shown if not line.startswith(" ")] == [
        "fix it (forge, session 01890a5d-ac96-7000-8000-000000000001)",
        "fix it (forge, session 01890a5d-ac96-7000-8000-000000000002)",
    ]


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


def test_json_has_the_agreed_names(two: Workspace) -> None:
    assert as_json(two, "-n", "1") == [
        {"at": "2023-11-14T22:13:23.000Z", "session": "s1", "mode": "forge", "event": "outcome", "from": "starting",
         "to": "userinterlude", "iteration": 0, "title": "fix the parser", "data": {}},
    ]  # fmt: skip


def test_the_session_of_the_environment_hides_no_other(two: Workspace) -> None:
    done = run_rcs("log", "--json", cwd=two.root, env=clean_env(RCS_SESSION_ID="s2"))
    assert len(done.stdout.splitlines()) == 3


def test_where_nothing_has_happened_it_says_so_and_makes_no_state(workspace: Workspace) -> None:
    assert log(workspace) == "nothing has happened yet here\n"
    assert log(workspace, "--session", "s9") == "nothing has happened yet in session s9\n"
    assert log(workspace, "--mode", "$rcs:release") == "nothing has happened to release yet here\n"
    assert log(workspace, "--json") == ""
    assert not workspace.state.exists()


@pytest.mark.parametrize("number", ["0", "-3", "5001"])
def test_a_number_that_is_none_is_refused(number: str, two: Workspace) -> None:
    assert "between 1 and 5000" in log(two, "-n", number, status=2)


# --- as it happens


@pytest.fixture
def followed(two: Workspace) -> Iterator[subprocess.Popen[str]]:
    command = [str(RCS_HOOK.with_name("rcs")), "log", "-f", "--json", "-n", "1"]
    process = subprocess.Popen(
        command, cwd=two.root, env=clean_env(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    yield process
    process.kill()
    process.communicate()


def next_event(process: subprocess.Popen[str]) -> tuple[str, str]:
    assert process.stdout is not None
    found = json.loads(process.stdout.readline())
    return found["session"], found["event"]


@pytest.mark.slow
def test_following_prints_what_happens_from_now_on_and_nothing_twice(
    two: Workspace, followed: subprocess.Popen[str]
) -> None:
    assert next_event(followed) == ("s1", "outcome")
    two.now = time.time() + 60
    two.prompt("$forge", "s1")
    assert next_event(followed) == ("s1", "resumed")
    two.prompt("$forge", "s3")
    assert next_event(followed) == ("s3", "started")
    two.stop("s2")
    assert next_event(followed) == ("s2", "held")
    (two.folder("s1") / "history.jsonl").unlink()  # as README allows; it is numbered from 1 again
    two.prompt("$cancel", "s1")
    assert next_event(followed) == ("s1", "outcome")
    followed.send_signal(2)
    assert followed.wait(60) == 130
    assert followed.stdout is not None
    assert followed.stdout.read() == ""
