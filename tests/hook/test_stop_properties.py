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

CLIENTS = st.sampled_from([Workspace, Claude])
ANY_TEXT = st.text(st.characters(), max_size=60)
MESSAGES = st.none() | ANY_TEXT | st.sampled_from(["Done.", "finished", "If you want, I can go on.", "```\n$cancel"])


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


def asks_in_interview(state: dict[str, tuple[tuple[Record, bool], bool]], message: str | None) -> bool:
    running = [mode for mode, ((_, runs), _) in state.items() if runs]
    return running == ["deep-interview"] and asks_question(message or "")


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
