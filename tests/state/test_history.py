"""The history of a session: its lines, its numbers, and what else may be in its file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rcs_hooks import jsontext
from rcs_hooks.cli.options import scope
from rcs_hooks.files import paths
from rcs_hooks.state import history, writing
from rcs_hooks.state.history import Event
from rcs_hooks.state.history_listing import entries
from tests.support import Workspace
from tests.table import each_row

if TYPE_CHECKING:
    from rcs_hooks.state.scopes import Scope


def at(workspace: Workspace, session: str | None = "s1") -> Scope:
    return scope({}, str(workspace.root), str(workspace.root), session, workspace.now)


def path_of(workspace: Workspace, session: str = "s1") -> Path:
    return workspace.folder(session) / paths.HISTORY


def lines(workspace: Workspace, session: str = "s1") -> list[dict[str, Any]]:
    path = path_of(workspace, session)
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def told(workspace: Workspace, session: str = "s1", limit: int = 100) -> list[tuple[int, str, str]]:
    return [(event.n, event.mode, event.event) for event in history.read(str(workspace.state), session, limit)]


# --- what is told


def test_a_denial_and_a_write_to_root_tell_nothing(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    before = path_of(workspace).read_bytes()
    workspace.prompt("$blueprint")
    workspace.write("team", None)
    writing.write(at(workspace, None), "team", {"lifecycle_outcome": "finished"}, root_scope=True)
    assert list(workspace.state.rglob(paths.HISTORY)) == [path_of(workspace)]
    assert path_of(workspace).read_bytes() == before


# --- what else may be in the file


def event(number: int, mode: str = "forge", name: str = "phase", to: str = "a", at: str = "2026-01-01") -> Event:
    return Event(number, at, mode, name, "", to, number)


def line(number: int, **fields: str) -> bytes:
    return json.dumps(event(number, **fields).as_json()).encode() + b"\n"


GARBAGE = {
    "an event": (line(7), 8, False),
    "a torn line": (line(7) + b'{"v":1,"n":8,"at', 9, True),
    "an event that is larger than any number": (line(7) + line(10**16), 9, True),
    "bytes": (line(7) + b"\xff\xfe\0\n", 9, True),
    "nothing but garbage": (b"hello\n", 7, True),
    "a line that is too long": (line(7) + b"x" * 100_000 + b"\n", len(line(7)) + 100_002, True),
    "an event that leaves no number": (line(7) + line(10**15 - 1), 9, True),
    "nested too deeply": (line(7) + b"[" * 50_000 + b"\n", 9, True),
}


@each_row("name", GARBAGE)
def test_the_next_event_is_numbered_whatever_the_end_holds(name: str, workspace: Workspace) -> None:
    data, number, has_gap = GARBAGE[name]
    workspace.folder("s1").mkdir(parents=True)
    path_of(workspace).write_bytes(data)
    workspace.prompt("$forge")
    (found,) = history.read(str(workspace.state), "s1", 1)
    assert (found.event, found.n, found.data) == ("started", number, {"gap": True} if has_gap else {})
    assert path_of(workspace).read_bytes().startswith(data)
    workspace.prompt("$cancel")
    (found,) = history.read(str(workspace.state), "s1", 1)
    assert (found.n, found.data) == (number + 1, {})


def test_what_a_line_brings_is_cleaned_and_bounded() -> None:
    strange = {"mode": "a\x1b[2J", "from": 7, "title": "t" * 500, "iteration": True, "data": []}
    found = history.event_of(json.dumps(event(1).as_json() | strange).encode())
    assert found is not None
    assert (found.mode, found.from_, len(found.title), found.iteration, found.data) == ("a [2J", "", 80, None, {})


@each_row("fields", [{"n": 0}, {"n": "1"}, {"n": 1.5}, {"event": "unknown"}, {"event": ["held"]}])
def test_what_is_no_event_is_passed_over(fields: dict[str, Any]) -> None:
    assert history.event_of(json.dumps(event(1).as_json() | fields).encode()) is None


# --- reading


def with_lines(workspace: Workspace, count: int, session: str = "s1") -> Path:
    workspace.folder(session).mkdir(parents=True, exist_ok=True)
    path_of(workspace, session).write_bytes(b"".join(map(line, range(1, count + 1))))
    return path_of(workspace, session)


@each_row("limit", [1, 500, 3_000])
def test_the_last_events_are_read_over_any_number_of_parts(limit: int, workspace: Workspace) -> None:
    with_lines(workspace, 2_500)
    found = history.read(str(workspace.state), "s1", limit)
    assert [each.n for each in found] == [*range(1, 2_501)][-limit:]
    assert [each.n for each in history.read(str(workspace.state), "s1", limit, after=2_498)] == [2_499, 2_500][-limit:]
    assert history.read(str(workspace.state), "s1", limit, mode="team") == []


def test_a_history_of_gigabytes_is_read_only_at_its_end(workspace: Workspace) -> None:
    path = with_lines(workspace, 3)
    data = path.read_bytes()
    with path.open("r+b") as file:
        file.seek(3 * 1024**3)
        file.write(b"\n" + data)
    assert [each.n for each in history.read(str(workspace.state), "s1", 10)] == [1, 2, 3]
    workspace.prompt("$forge")
    assert told(workspace)[-1] == (4, "forge", "started")


@each_row("garbage", [b"x\n", b"\n", b'{"n":1,"event":"none"}\n'])
def test_a_history_of_garbage_costs_little(
    garbage: bytes, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """8 MB of such lines made the start of a session take 18 seconds, and `rcs log` more than a minute."""
    path = with_lines(workspace, 3)
    monkeypatch.setattr(history, "MOST_PASSED_OVER", 1_000)
    path.write_bytes(line(1) + garbage * (300_000 // len(garbage)) + line(2) + garbage * 10 + line(3))
    parsed: list[str] = []

    def loads(text: str) -> object:
        parsed.append(text)
        return json.loads(text)

    monkeypatch.setattr(jsontext, "loads", loads)
    assert [each.n for each in history.read(str(workspace.state), "s1", 10)] == [2, 3]
    assert len(parsed) < 8_000


def test_the_histories_of_all_sessions_are_merged_by_time(workspace: Workspace) -> None:
    for session in ("s1", "s2"):
        workspace.prompt("$forge", session)
    workspace.prompt("$cancel", "s1")
    folder = str(workspace.state)
    assert [(each.session, each.event.event) for each in entries(folder, None, 10)] == [
        ("s1", "started"), ("s2", "started"), ("s1", "outcome"),
    ]  # fmt: skip
    assert [each.session for each in entries(folder, None, 2)] == ["s2", "s1"]
    assert [each.event.n for each in entries(folder, None, 10, after={"s1": 1})] == [1, 2]


def test_a_clock_that_was_set_back_does_not_mix_up_a_session(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    workspace.now -= 1_000
    workspace.prompt("$cancel")
    assert [each.event.event for each in entries(str(workspace.state), None, 10)] == ["started", "outcome"]
