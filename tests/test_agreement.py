"""Every surface names the same active set, whatever lies on disk; and Stop follows it.

The expectation is derived here by hand from the rules, never from the code.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import example, given
from hypothesis import strategies as st

from rcs_hooks.cli.options import scope
from rcs_hooks.environment import Environment
from rcs_hooks.hook.entry import respond
from rcs_hooks.hud import as_line, hud_of
from rcs_hooks.mcp import tools
from rcs_hooks.overlay import block
from rcs_hooks.state.operations import get_status, list_active
from rcs_hooks.workflow.lifecycle import outcome_of
from tests import contract
from tests.properties import examples
from tests.support import Record, Workspace
from tests.workflow.test_lifecycle import SPELLINGS

MODES = tuple(contract.MODES)

ENV = {"PATH": str(Path(sys.executable).parent)}
HOUR = 3600.0
ENDED, WAITING, RUNNING = "ended", "waiting", "running"
PHASES = ["starting", "planning", "executing", "verifying", "reviewing the plan"]


class Tree(NamedTuple):
    """The files on disk, and what the rules make of each mode in session s1."""

    files: dict[tuple[str | None, str], Record | str]
    fate: dict[str, str]

    @property
    def active(self) -> set[str]:
        return {mode for mode, fate in self.fate.items() if fate != ENDED}

    @property
    def running(self) -> set[str]:
        return {mode for mode, fate in self.fate.items() if fate == RUNNING}


@st.composite
def records(draw: st.DrawFn) -> tuple[Record, str]:
    """Draw a mode file, and what the rules make of its run."""
    record: Record = {
        "active": draw(st.sampled_from([True, True, True, False])),
        "current_phase": draw(st.sampled_from(PHASES)),
    }
    if draw(st.booleans()):
        record |= {"iteration": draw(st.integers(0, 3)), "max_iterations": 4}
    fate = RUNNING
    if draw(st.integers(0, 2)) == 2:
        spelling, means, _ = draw(st.sampled_from(SPELLINGS))
        record[draw(st.sampled_from(["lifecycle_outcome", "terminal_outcome", "run_outcome"]))] = spelling
        fate = ENDED if means.ends else WAITING if means.waits else RUNNING
    elif draw(st.integers(0, 2)) == 2:
        record["question_enforcement"] = {"status": "pending", "question_id": "q-1"}
        fate = WAITING
    return record, fate if record["active"] else ENDED


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    files: dict[tuple[str | None, str], Record | str] = {}
    fate: dict[str, str] = {}
    now = time.time()
    for mode in draw(st.lists(st.sampled_from(MODES), unique=True, min_size=1, max_size=5)):
        in_session = draw(st.sampled_from(["yes", "no", "yes", "no", "yes", "unreadable", "empty"]))
        if draw(st.booleans()):
            record, means = draw(records())
            hours = draw(st.sampled_from([0, 1, 23, 0, 25, 100]))
            owner = draw(st.sampled_from(["s1", None, "", "s2"]))
            record |= {"updated_at": iso(now - hours * HOUR)} | ({} if owner is None else {"session_id": owner})
            broken = draw(st.integers(0, 5)) == 5
            files[None, mode] = "{" if broken else record
            if not broken and hours < 24 and owner != "s2" and in_session == "no":
                fate[mode] = means
        if in_session == "yes":
            files["s1", mode], fate[mode] = draw(records())
        elif in_session == "unreadable":
            files["s1", mode] = draw(st.sampled_from(["", "{", "[]", '{"active": tru']))
        elif in_session == "empty":
            files["s1", mode] = "{}"
        if draw(st.booleans()):
            files["s2", mode] = draw(records())[0]
    for place in draw(st.lists(st.sampled_from([None, "s1"]), unique=True)):
        files[place, "skill-active"] = draw(st.sampled_from(["{", inventory(MODES), inventory(MODES[::-1]), "[]"]))
    return Tree(files, fate)


def inventory(modes: tuple[str, ...]) -> str:
    """Return an inventory that claims that everything is active."""
    entries = [{"skill": mode, "active": True, "phase": "executing"} for mode in modes]
    return json.dumps({"version": 1, "active": True, "skill": modes[0], "active_skills": entries})


def iso(moment: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(moment))


@contextmanager
def laid_out(tree: Tree) -> Iterator[Workspace]:
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder).resolve(), env=ENV, now=time.time())
        workspace.folder("s1").mkdir(parents=True)
        for (session, mode), content in tree.files.items():
            path = workspace.mode_path(mode, session)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        yield workspace


# --- what each surface names


def by_list_active(workspace: Workspace) -> list[str]:
    modes: list[str] = list_active(here(workspace))["active_modes"]
    return modes


def by_get_status(workspace: Workspace) -> set[str]:
    return {mode for mode, status in get_status(here(workspace))["statuses"].items() if status["active"]}


def by_hud(workspace: Workspace) -> list[str]:
    return [shown.mode for shown in hud_of(here(workspace).view(), ()).active]


def by_hud_line(workspace: Workspace) -> list[str]:
    line = as_line(hud_of(here(workspace).view(), ()))
    return [mode for mode in re.findall(r"(?:rcs:|\+) ([a-z-]+)(?! finished,|[a-z-])", line) if mode != "idle"]


def by_overlay(workspace: Workspace) -> list[str]:
    members = here(workspace).view().active_modes()
    active = [(m.mode, m.record.phase, outcome_of(m.record).waits, m.record.proof_status) for m in members]
    return re.findall(r"(?m)^- ([a-z-]+): phase ", block(active, "rcs"))


def by_session_start(workspace: Workspace) -> list[str]:
    raw = workspace.payload("SessionStart", source="startup")
    output = json.loads(respond(raw, Environment(ENV, str(workspace.root), workspace.now, "rcs")))
    context: str = output.get("hookSpecificOutput", {}).get("additionalContext", "")
    return re.findall(r"(?::|\+) ([a-z-]+) \(phase ", context.partition("\n")[0])


def by_mcp(workspace: Workspace) -> list[str]:
    modes: list[str] = called(workspace, "state_list_active")["active_modes"]
    return modes


def by_mcp_status(workspace: Workspace) -> set[str]:
    return {mode for mode, status in called(workspace, "state_get_status")["statuses"].items() if status["active"]}


def here(workspace: Workspace) -> Any:
    return scope(ENV, str(workspace.root), None, "s1", workspace.now)


def called(workspace: Workspace, tool: str) -> Record:
    text, is_error = tools.call(tool, {"session_id": "s1", "cwd": str(workspace.root)}, ENV, str(workspace.root))
    assert not is_error, text
    result: Record = json.loads(text)
    return result


ORDERED = (by_hud, by_hud_line, by_overlay, by_session_start, by_mcp)
UNORDERED = (by_get_status, by_mcp_status)
STOPPING = re.compile(r"(?:\[rcs\]|;) ([a-z-]+) goes on: ")


@examples(200)
@given(tree=trees())
@example(tree=Tree({("s1", "forge"): "{}", (None, "forge"): {"active": True, "updated_at": iso(time.time())}}, {}))
def test_every_surface_names_the_active_set_of_the_rules(tree: Tree) -> None:
    with laid_out(tree) as workspace:
        before = workspace.snapshot()
        active = by_list_active(workspace)
        assert set(active) == tree.active
        assert len(active) == len(set(active))
        assert {surface.__name__: surface(workspace) for surface in ORDERED} == {
            surface.__name__: active for surface in ORDERED
        }
        assert {surface.__name__: surface(workspace) for surface in UNORDERED} == {
            surface.__name__: set(active) for surface in UNORDERED
        }
        assert workspace.snapshot() == before


@examples(200)
@given(tree=trees())
def test_stop_blocks_exactly_while_a_member_of_the_active_set_does_not_wait(tree: Tree) -> None:
    with laid_out(tree) as workspace:
        by_hook = workspace.stop()
        assert by_hook.blocks is bool(tree.running)
        assert set(STOPPING.findall(by_hook.reason.partition("\n")[0])) == tree.running
    with laid_out(tree) as workspace:  # a fresh tree, because the first Stop has counted a block
        arguments = {"session_id": "s1", "cwd": str(workspace.root), "last_assistant_message": "Working."}
        text, is_error = tools.call("hook_stop", arguments, ENV, str(workspace.root))
        assert not is_error
        assert ("decision" in json.loads(text)) is bool(tree.running)


@examples(100)
@given(tree=trees())
def test_list_active_empty_means_that_stop_allows(tree: Tree) -> None:
    with laid_out(tree) as workspace:
        if not by_list_active(workspace):
            assert not workspace.stop().blocks


@examples(60)
@given(tree=trees())
def test_clearing_all_that_is_active_lets_stop_pass_and_every_surface_fall_silent(tree: Tree) -> None:
    with laid_out(tree) as workspace:
        for mode in by_list_active(workspace):
            assert called_clear(workspace, mode)["cleared"] is True
        assert by_list_active(workspace) == []
        assert [surface(workspace) for surface in ORDERED] == [[] for _ in ORDERED]
        assert not workspace.stop().blocks


def called_clear(workspace: Workspace, mode: str) -> Record:
    arguments = {"mode": mode, "session_id": "s1", "cwd": str(workspace.root)}
    text, is_error = tools.call("state_clear", arguments, ENV, str(workspace.root))
    assert not is_error, text
    result: Record = json.loads(text)
    return result


@examples(60)
@given(tree=trees(), mode=st.sampled_from(MODES))
def test_a_denied_write_on_any_tree_changes_no_byte_and_an_allowed_one_is_named_by_all(tree: Tree, mode: str) -> None:
    with laid_out(tree) as workspace:
        before = workspace.snapshot()
        arguments = {"mode": mode, "session_id": "s1", "active": True, "cwd": str(workspace.root)}
        text, is_error = tools.call("state_write", arguments, ENV, str(workspace.root))
        if is_error:
            assert json.loads(text)["error"]
            assert workspace.snapshot() == before
        else:
            active = by_list_active(workspace)
            assert mode in active
            assert [surface(workspace) for surface in ORDERED] == [active for _ in ORDERED]
            assert workspace.active() == active


def test_list_active_and_stop_agree_after_a_commit_that_a_kill_cut_short() -> None:
    """A commit has happened once its journal is in place, even if its process is killed then: forge is active."""
    with laid_out(Tree({}, {})) as workspace:
        record = {"active": True, "mode": "forge", "current_phase": "starting"}
        (workspace.folder("s1") / "forge-state.json.new").write_text(json.dumps(record))
        files = [{"path": "sessions/s1/forge-state.json", "remove": False}]
        (workspace.state / ".commit.json").write_text(json.dumps({"version": 1, "files": files}))
        listed = by_list_active(workspace)
        assert listed == (["forge"] if workspace.stop().blocks else [])
