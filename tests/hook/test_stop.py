"""The Stop hook by whole calls: which runs it keeps going, and what the agent is told."""

from __future__ import annotations

import ast
import os
import re
import shlex

import pytest

from rcs_hooks.files.clock import iso
from rcs_hooks.workflow.lifecycle import outcome_of
from rcs_hooks.workflow.mode_record import ModeRecord
from tests.support import CHECKOUT, NOW, Answer, Record, Workspace
from tests.table import each_row
from tests.workflow.test_lifecycle import FIELDS, ONE_OF_EACH, Means, cases

MODES = ("deep-interview", "blueprint", "autoresearch", "team", "forge", "autopilot", "ultrawork", "ultraqa")
UUID = "01a1edd5-d041-7843-9e62-3e218ca1fb5f"
LONGEST_ID = "s" * 128
GO_ON_OR_CANCEL = "Type `go on` to continue, `$cancel` to end it."
HANDOFF = ("Outcome", "Evidence", "Artifacts / state", "Handoff")
DAY = 24 * 3600


class Claude(Workspace):
    """As Claude Code calls: a prompt is named by `prompt_id`, and there is no `turn_id`."""

    def call(self, event: str, session: str = "s1", **fields: object) -> Answer:
        turn = {"prompt_id": fields.pop("turn_id")} if "turn_id" in fields else {}
        return super().call(event, session, **turn | fields)


def blocks(workspace: Workspace, stops: int, session: str = "s1") -> int:
    """How many of so many Stops are blocked while nothing changes."""
    return sum(workspace.stop(session).blocks for _ in range(stops))


def blocks_in_progress(workspace: Workspace, stops: int) -> int:
    """How many of so many Stops are blocked while the run gets on between any two of them."""
    blocked = 0
    for step in range(stops):
        workspace.edit("forge", state={"step": step})
        blocked += workspace.stop().blocks
    return blocked


def commands(text: str, verb: str, session: str | None = "s1") -> list[str]:
    """The modes of the `rcs state <verb>` commands in a text, each once; each command ends its line and is whole.

    `session`: which they name; None where they name the root scope.
    """
    scope = ["--session", session] if session else ["--root-scope"]
    modes: list[str] = []
    for line in text.splitlines():
        _, begins, rest = line.rpartition(f"rcs state {verb} ")
        if begins:
            words = shlex.split(rest)
            assert words[-len(scope) :] == scope
            modes += words[words.index("--mode") + 1].split(",")
    return list(dict.fromkeys(modes))


def proofs(text: str, session: str) -> list[str]:
    """The modes of the `rcs prove` commands in a text; each command ends its line and is whole."""
    modes: list[str] = []
    for line in text.splitlines():
        _, begins, rest = line.rpartition("rcs prove --finish --mode ")
        if begins:
            named, *words = shlex.split(rest)
            assert words == ["--session", session, "--", "COMMAND"]
            modes += named.split(",")
    return modes


def asks_for_handoff(reason: str) -> bool:
    """Whether one line of a reason asks for the four parts, in the order of the contract."""
    return any(
        -1 < line.find(HANDOFF[0]) < line.find(HANDOFF[1]) < line.find(HANDOFF[2]) < line.find(HANDOFF[3])
        for line in reason.splitlines()
    )


def finish(workspace: Workspace, mode: str = "forge") -> None:
    """The agent records that the run is over."""
    workspace.edit(mode, active=False, lifecycle_outcome="finished", completed_at=iso(workspace.now))


# --- which runs are kept going


@each_row("field", FIELDS)
@each_row(("spelling", "means", "pending"), cases(ONE_OF_EACH))
def test_stop_blocks_exactly_where_the_run_neither_ends_nor_waits(
    field: str, spelling: str, means: Means, pending: bool, workspace: Workspace
) -> None:
    other = "progress" if means.ends or means.waits else "finished"
    record: Record = dict.fromkeys(FIELDS[FIELDS.index(field) + 1 :], other) | {field: spelling}
    workspace.write("forge", **record | ({"question_enforcement": {"status": "pending"}} if pending else {}))

    assert workspace.stop().blocks is (means.public is None)
    assert outcome_of(ModeRecord.from_json(workspace.read("forge"))).public == means.public


def test_a_blocked_stop_changes_no_state_of_a_workflow(forge: Workspace) -> None:
    before = forge.snapshot()
    assert forge.stop().blocks
    noted = dict.fromkeys((f"state/sessions/s1/{name}" for name in ("hook-ledger.json", "history.jsonl")), b"")
    assert forge.snapshot() | noted == before | noted


# --- root records


def a_root_record(workspace: Workspace, **fields: object) -> None:
    workspace.write("forge", None, **fields)


@each_row(
    ("fields", "blocked"),
    [
        pytest.param({}, True, id="no-session"),
        pytest.param({"session_id": ""}, True, id="empty"),
        pytest.param({"session_id": "s1"}, True, id="this-session"),
        pytest.param({"session_id": "s2"}, False, id="another-session"),
        pytest.param({"updated_at": iso(NOW - DAY + 60)}, True, id="touched-within-a-day"),
        pytest.param({"updated_at": iso(NOW - DAY)}, False, id="stale"),
        pytest.param({"active": False}, False, id="off"),
        pytest.param({"run_outcome": "blocked_on_user"}, False, id="waits"),
    ],
)
def test_a_root_record_stands_in_where_it_is_fresh_and_no_one_elses(
    fields: Record, blocked: bool, workspace: Workspace
) -> None:
    a_root_record(workspace, **fields)
    answer = workspace.stop()
    assert answer.blocks is blocked
    session = "s1" if fields.get("session_id") == "s1" else None
    assert commands(answer.reason, "write", session) == (["forge"] if blocked else [])


@each_row(("age", "blocked"), [(DAY - 60, True), (DAY, False)], ids=["fresh", "stale"])
@each_row("updated", [None, "yesterday", iso(NOW + 30 * DAY)], ids=repr)
def test_a_root_record_that_does_not_tell_its_age_is_as_old_as_its_file(
    updated: object, age: int, blocked: bool, workspace: Workspace
) -> None:
    a_root_record(workspace, updated_at=updated)
    os.utime(workspace.mode_path("forge", None), (NOW - age, NOW - age))
    assert workspace.stop().blocks is blocked


@each_row("own", [{"active": False}, {"lifecycle_outcome": "finished"}, {"lifecycle_outcome": "askuserQuestion"}])
def test_the_sessions_own_record_hides_the_one_in_root(own: Record, workspace: Workspace) -> None:
    a_root_record(workspace)
    workspace.write("forge", **own)
    assert workspace.stop().line == "{}"


def test_sessions_neither_see_nor_count_each_others_runs(workspace: Workspace) -> None:
    workspace.prompt("$forge fix", "s1")
    workspace.prompt("$team build", "s2")
    assert blocks(workspace, 7, "s1") == 5
    assert commands(workspace.stop("s2").reason, "write", "s2") == ["team"]
    assert blocks(workspace, 7, "s2") == 4


# --- subagents


@each_row("fields", [{"agent_id": "a1"}, {"parent_agent_id": "s0"}, {"hook_event_name": "SubagentStop"}])
def test_a_stop_of_a_subagent_passes_and_counts_for_nothing(fields: Record, workspace: Workspace) -> None:
    workspace.prompt("$forge")
    before = workspace.snapshot()
    assert all(workspace.stop(**fields).line == "{}" for _ in range(3))
    assert workspace.snapshot() == before
    assert blocks(workspace, 7) == 5


# --- what the agent is told when a run is kept going


def test_the_reason_names_mode_and_phase_and_asks_for_the_handoff(forge: Workspace) -> None:
    forge.edit("forge", current_phase="verifying", iteration=3)
    reason = forge.stop().reason
    assert reason.splitlines()[0] == "[rcs] forge goes on: verifying, round 3."
    assert asks_for_handoff(reason)
    assert commands(reason, "write") == ["forge"]


@each_row("session", [UUID, LONGEST_ID])
@each_row("modes", [("forge",), ("team", "forge", "ultrawork")], ids="+".join)
def test_the_reason_holds_one_command_for_each_running_mode(
    modes: tuple[str, ...], session: str, workspace: Workspace
) -> None:
    workspace.prompt(" ".join(f"${mode}" for mode in modes), session)
    for mode in modes:
        workspace.edit(mode, session, current_phase="verifying")
    reason = workspace.stop(session).reason
    assert tuple(proofs(reason, session)) == modes
    assert tuple(commands(reason, "write", session)) in (modes, ())
    assert asks_for_handoff(reason)


@each_row("phase", ["executing", "x" * 40, "\u202e" * 10 + "🙂" * 10**4], ids=["word", "long", "hostile"])
@each_row("session", [UUID, LONGEST_ID], ids=["uuid", "longest-id"])
def test_eight_modes_and_a_long_session_id_fit_into_the_reason(session: str, phase: str, workspace: Workspace) -> None:
    for mode in MODES:
        workspace.write(mode, session, current_phase=phase, iteration=7, max_iterations=50)
    reason = workspace.stop(session, message="If you want, I can go on.").reason
    assert len(reason) <= 1_200
    assert [mode for mode in MODES if f"{mode} goes on: " not in reason] == []
    assert asks_for_handoff(reason)
    assert commands(reason, "write", session) + proofs(reason, session) != []


# --- an offer in the last message is named; nothing is decided by it

SOFTENERS = [
    ("If you’d like, I can continue.", "If you’d like, I can"),
    ("would you like me to run the tests?", "would you like me to"),
    ("IF YOU WANT, I CAN GO ON.", "IF YOU WANT, I CAN"),
    ("If you wish, I could add a test.", "If you wish, I could"),
    ("If you want, I'll do the rest.", "If you want, I'll"),
    ("Do you want me to go on?", "Do you want me to"),
    ("Should I continue with the rest?", "Should I continue"),
    ("Shall I proceed?", "Shall I proceed"),
    ("Let me know if you'd like more tests.", "Let me know if you'd like"),
    ("I can also write the docs if you want.", "I can also"),
    ("I'm happy to go on if you like.", "happy to"),
    ("- The tests are green.\n- If you like, I can go on.", "If you like, I can"),
    ("**If you want, I can** go on.", "If you want, I can"),
    ("x" * 100_000 + "\n\nWould you like me to continue?", "Would you like me to"),
    ("If you want,\nI can go on.", "If you want, I can"),
    ("If you want,\u00a0I can go on.", "If you want, I can"),
    ("```\n" + "x = 1\n" * 5_000 + "```\n\nWould you like me to continue?", "Would you like me to"),
    *((message, "") for message in [
        "The rules forbid “If you want, I can go on”.",
        "The rules forbid 'Would you like me to continue?' now.",
        "The rules forbid `If you want, I can` now.",
        "Removed:\n~~~text\nIf you'd like, I can go on.\n~~~\n",
        "Removed:\n```\nWould you like me to continue?",
        "Removed:\n\n    Would you like me to continue?\n",
        "> Would you like me to continue?\n\nNo such words any more.",
        "If you want a faster build, set JOBS.",
        "The user said what they would like.",
    ]),
]  # fmt: skip


@each_row(("message", "named"), SOFTENERS, ids=[repr(message[-40:]) for message, _ in SOFTENERS])
def test_a_softener_in_the_last_message_is_named_in_the_reason(message: str, named: str, workspace: Workspace) -> None:
    workspace.prompt("$forge fix the build")
    reason = workspace.stop(message=message).reason
    assert ("last message offers" in reason) is bool(named)
    assert named in reason


OFFERS = re.compile(
    r"if you( want|'d like| like| wish| prefer)|(would you|me to) like|do you want|(want|like) me to|(shall|should) i\b"
    r"|let me know|happy to|feel free"
)


def our_texts() -> list[str]:
    """Every text in our sources that is no docstring, but for what is only held against the words of others."""
    texts = []
    for path in sorted((CHECKOUT / "rcs_hooks").rglob("*.py")):
        tree = ast.parse(path.read_text())
        bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        strings = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
        texts += [
            str(node.value)
            for node in strings
            if id(node) not in bare and path.name not in ("last_message.py", "lexicon.py")
        ]
    return texts


@pytest.mark.slow
def test_no_text_of_ours_holds_a_softener() -> None:
    texts = our_texts()
    assert any("goes on: " in text for text in texts)
    assert [text for text in texts if OFFERS.search(text.lower().replace("’", "'"))] == []
