"""Stop never loops: properties over random states, messages, limits and both clients."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks.environment import Environment
from rcs_hooks.hook.entry import respond
from rcs_hooks.workflow.last_message import asks_question
from tests.hook.test_stop import MODES, Claude
from tests.properties import examples
from tests.support import Record, Workspace
from tests.workflow.test_lifecycle import CASES, FIELDS, Means

WORDS = [str(case.values[0]) for case in CASES]
CLIENTS = st.sampled_from([Workspace, Claude])
ANY_TEXT = st.text(st.characters(), max_size=60)
MESSAGES = st.none() | ANY_TEXT | st.sampled_from(["Done.", "finished", "If you want, I can go on.", "```\n$cancel"])
COUNTS = st.integers(-1, 3)

# Whatever another tool, or a repository that was cloned, may have written.
PHASES = st.sampled_from(["starting", "executing", "verifying", *WORDS]) | ANY_TEXT | st.none() | st.integers()
JUNK = st.recursive(st.none() | st.booleans() | st.integers() | ANY_TEXT, lambda inner: st.lists(inner, max_size=2))
ANY_RECORD = st.fixed_dictionaries(
    {"active": st.sampled_from([True, True, True, False, "true"])},
    optional={
        "current_phase": PHASES,
        "iteration": COUNTS | JUNK,
        "max_iterations": COUNTS | JUNK,
        "lifecycle_outcome": st.sampled_from(WORDS) | JUNK,
        "run_outcome": st.sampled_from(WORDS) | JUNK,
        "question_enforcement": st.fixed_dictionaries({"status": st.sampled_from(["pending", "satisfied"])}) | JUNK,
        "error": JUNK,
        "state": st.dictionaries(ANY_TEXT, JUNK, max_size=3) | JUNK,
    },
)
ANY_STATE = st.dictionaries(st.sampled_from(MODES), ANY_RECORD, max_size=4)


@st.composite
def known_records(draw: st.DrawFn) -> tuple[Record, bool]:
    """A mode file, and whether its run goes on: by the hand-written table of outcomes."""
    spelling, means, pending = draw(st.sampled_from([case.values for case in CASES]))
    assert isinstance(means, Means)
    active = draw(st.booleans())
    record: Record = {"active": active, "current_phase": "executing", draw(st.sampled_from(FIELDS)): spelling}
    if pending:
        record["question_enforcement"] = {"status": "pending"}
    return record, active and means.public is None


KNOWN_STATES = st.dictionaries(st.sampled_from(MODES), st.tuples(known_records(), st.booleans()), max_size=4)


@contextmanager
def a_workspace(client: type[Workspace], **env: str) -> Iterator[Workspace]:
    """Forge was asked for, so that the state of a session is there."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = client(Path(folder), env=env)
        workspace.prompt("$forge fix it")
        workspace.mode_path("forge").unlink()
        yield workspace


def write_all(workspace: Workspace, records: dict[str, Record], session: str | None = "s1") -> None:
    for mode, record in records.items():
        workspace.write(mode, session, **record)


def asks_in_interview(state: dict[str, tuple[tuple[Record, bool], bool]], message: str | None) -> bool:
    running = [mode for mode, ((_, runs), _) in state.items() if runs]
    return running == ["deep-interview"] and asks_question(message or "")


@examples(100)
@given(
    client=CLIENTS,
    state=ANY_STATE,
    limit=st.integers(0, 7),
    stops=st.lists(st.tuples(MESSAGES, st.booleans(), st.sampled_from(["turn-1", "turn-2", "", None])), max_size=14),
)
def test_no_chain_of_stops_on_unchanged_state_is_blocked_more_often_than_the_limit(
    client: type[Workspace], state: dict[str, Record], limit: int, stops: list[tuple[str | None, bool, str | None]]
) -> None:
    with a_workspace(client, RCS_STOP_MAX_BLOCKS=str(limit)) as workspace:
        write_all(workspace, state)
        answers = [
            workspace.stop(message=message, stop_hook_active=flag, turn_id=turn) for message, flag, turn in stops
        ]
    assert sum(answer.blocks for answer in answers) <= limit


NOTIFICATION = "<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n</task-notification>"
TASKS = st.sampled_from([None, "[]", [{"type": "shell", "status": "running"}], '[{"type":"shell","status":"running"}]'])
SEEN = st.tuples(st.booleans(), st.integers(0, 9), st.booleans(), TASKS, MESSAGES, st.booleans())


@examples(100)
@given(limit=st.integers(0, 7), changes=st.booleans(), calls=st.lists(SEEN, max_size=30))
def test_no_client_that_lies_gets_more_than_its_limit(
    limit: int, changes: bool, calls: list[tuple[bool, int, bool, object, str | None, bool]]
) -> None:
    """Turn ids, stop_hook_active, the background, and prompts that no person typed change as they like."""
    with a_workspace(Workspace, RCS_STOP_MAX_BLOCKS="1000" if changes else str(limit)) as workspace:
        workspace.write("team", iteration=0)
        blocked = 0
        for number, (flag, turn, restarts, tasks, message, notifies) in enumerate(calls * (3 if changes else 1)):
            if changes:
                workspace.edit("team", iteration=number)
            if notifies:
                workspace.prompt(NOTIFICATION, turn_id=f"n{number}")
            if restarts:
                workspace.call("SessionEnd", reason="other")
                workspace.call("SessionStart", source="resume")
            workspace.now += 3
            fields: Record = {
                "turn_id": f"t{turn}", "stop_hook_active": flag, "background_tasks": tasks,
                "last_assistant_message": message,
            }  # fmt: skip
            environment = Environment(workspace.env, str(workspace.root), workspace.now, "rcs")
            blocked += '"block"' in respond(workspace.payload("Stop", **fields), environment)
    assert blocked <= (50 if changes else limit)


@examples(25)
@given(
    client=CLIENTS,
    cap=st.sampled_from([None, "0", "1", "2", "9", "100"]),
    states=st.lists(ANY_STATE, min_size=1, max_size=6),
    data=st.data(),
)
def test_no_prompt_is_blocked_more_often_than_its_total_whatever_changes(
    client: type[Workspace], cap: str | None, states: list[dict[str, Record]], data: st.DataObject
) -> None:
    client_cap = {None: 7, "0": 50, "1": 0, "2": 1, "9": 8, "100": 50}[cap] if client is Claude else 50
    env = {"RCS_STOP_MAX_BLOCKS": "1000"} | ({"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": cap} if cap else {})
    order = data.draw(st.lists(st.sampled_from(states), min_size=1, max_size=12))
    with a_workspace(client, **env) as workspace:
        workspace.write("team", state={"step": 0})
        blocked = 0
        for step in range(60):
            write_all(workspace, order[step % len(order)])
            workspace.edit("team", state={"step": step})
            blocked += workspace.stop(message=None).blocks
    assert blocked <= client_cap


@examples(100)
@given(client=CLIENTS, state=KNOWN_STATES, limit=st.integers(0, 8), message=MESSAGES)
def test_stop_blocks_exactly_while_a_mode_runs_within_the_bounds(
    client: type[Workspace], state: dict[str, tuple[tuple[Record, bool], bool]], limit: int, message: str | None
) -> None:
    with a_workspace(client, RCS_STOP_MAX_BLOCKS=str(limit)) as workspace:
        for mode, ((record, _), in_root) in state.items():
            workspace.write(mode, None if in_root else "s1", **record)
        blocked = [workspace.stop(message=message).blocks for _ in range(10)]
    own = any(running for (_, running), in_root in state.values() if not in_root)
    workspaces = any(running for (_, running), in_root in state.values() if in_root)
    asks = own and not workspaces and asks_in_interview(state, message)
    most = 1 if asks or not own else 7 if client is Claude else 50
    allowed = min(limit, most) if own or workspaces else 0
    assert blocked == [True] * allowed + [False] * (10 - allowed)


@examples(40)
@given(
    client=CLIENTS,
    members=st.dictionaries(st.sampled_from(MODES), st.tuples(st.integers(0, 4), st.integers(1, 4)), min_size=1),
)
def test_a_set_is_let_go_exactly_when_every_member_is_at_its_last_iteration(
    client: type[Workspace], members: dict[str, tuple[int, int]]
) -> None:
    with a_workspace(client) as workspace:
        for mode, (iteration, most) in members.items():
            workspace.write(mode, iteration=iteration, max_iterations=most)
        answer = workspace.stop()
    assert answer.blocks is any(iteration < most for iteration, most in members.values())
    assert bool(answer.notice) is not answer.blocks
