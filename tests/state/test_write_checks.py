"""A write about a mode that does not run is refused, and says what runs, where, and what to type."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from rcs_hooks.errors import Refused
from rcs_hooks.mcp import tools
from rcs_hooks.state.writing import write
from tests.state.test_operations import OUR_RCS, at
from tests.support import Record, Workspace, clean_env, run_rcs
from tests.table import each_row

ENDED = {"active": False, "lifecycle_outcome": "finished", "run_outcome": "finish"}
FINISHED = {"lifecycle_outcome": "finished"}

# What is on disk besides team in s1 (phase executing), what is written to forge of s1, and the lines of the refusal.
NOTHING_WRITTEN = "forge does not run in session s1 of ROOT, so nothing was written"
TEAM = "team runs there (phase executing): rcs state write --mode team"
START = "to start forge: rcs state write --mode forge --active --session s1"
TAKE_UP = "to run it again: rcs state write --mode forge --active --session s1"
REFUSED: list[tuple[dict[str, Record], Record, list[str]]] = [
    ({}, FINISHED, [NOTHING_WRITTEN, f"{TEAM} --outcome finished --session s1", START]),
    ({}, {"current_phase": "verifying"}, [NOTHING_WRITTEN, f"{TEAM} --phase verifying --session s1", START]),
    ({"s2": {"active": True}}, FINISHED, [NOTHING_WRITTEN, f"{TEAM} --outcome finished --session s1", START]),
    ({"s1": {"active": False, "current_phase": "cleared"}}, {"active": False},
     [NOTHING_WRITTEN, f"{TEAM} --session s1", START]),
    ({"s1": ENDED}, {"current_phase": "verifying"},
     [f"forge has ended (finished) in session s1, so no phase can be written; {TAKE_UP}"]),
    ({"s1": ENDED}, {"lifecycle_outcome": "askuserQuestion"},
     [f"forge has ended (finished) in session s1, so no such outcome can be written; {TAKE_UP}"]),
    ({"s1": ENDED}, {"run_outcome": "continue"},
     [f"forge has ended (finished) in session s1, so no such outcome can be written; {TAKE_UP}"]),
    ({"s1": {"active": False}}, {"current_phase": "verifying"},
     [f"forge is switched off in session s1, so no phase can be written; {TAKE_UP}"]),
]  # fmt: skip


@each_row(("there", "given", "lines"), REFUSED)
def test_what_does_not_run_is_not_moved(
    there: dict[str, Record], given: Record, lines: list[str], workspace: Workspace
) -> None:
    workspace.write("team")
    for session, fields in there.items():
        workspace.write("forge", session, **fields)
    before = workspace.snapshot()
    with pytest.raises(Refused) as refused:
        write(at(workspace), "forge", given)
    assert str(refused.value).replace(str(workspace.root), "ROOT").split("\n") == lines
    assert workspace.snapshot() == before


@each_row("given", [{"lifecycle_outcome": "failed"}, {"evidence": "x"}])
@each_row("old", [ENDED, {"active": False}])
def test_the_record_of_a_run_that_has_ended_can_be_corrected(old: Record, given: Record, workspace: Workspace) -> None:
    workspace.write("forge", **old)
    write(at(workspace), "forge", given)
    record = workspace.read("forge")
    assert {name: record[name] for name in given} == given
    assert record["active"] is False
    assert workspace.active() == []


@each_row("words", [["--outcome", "finished"], ["--phase", "verifying"], ["--active"]])
def test_a_session_in_other_capitals_is_told_how_it_is_written(words: list[str], workspace: Workspace) -> None:
    workspace.write("forge", "Run-A1")
    before, env = workspace.snapshot(), clean_env(**OUR_RCS)
    command = ["state", "write", "--mode", "forge", "--session", "run-a1", *words]
    done = run_rcs(*command, cwd=workspace.root, env=env)
    assert (done.returncode, done.stdout, workspace.snapshot()) == (1, "", before)
    said, _, pasted = done.stderr.strip().rpartition(": ")
    assert said == f"rcs: session run-a1 is not known in {workspace.root}; it is written Run-A1"
    assert shlex.split(pasted)[-2:] == ["--session", "Run-A1"]
    if words != ["--active"]:
        assert run_rcs(*shlex.split(pasted)[1:], cwd=workspace.root, env=env).returncode == 0
        assert workspace.snapshot() != before


def test_a_mistyped_mode_is_refused_with_what_runs_and_what_to_type(workspace: Workspace) -> None:
    workspace.prompt("$forge ship it")
    words = ["state", "write", "--mode", "forg", "--outcome", "finished", "--session", "s1"]
    done = run_rcs(*words, cwd=workspace.root)
    assert done.returncode == 1
    first, runs = done.stderr.splitlines()
    assert first.startswith("rcs: mode: 'forg' is not a workflow mode; did you mean forge? The others: brief, ")
    where, command = runs.split(": ", 1)
    assert where == "forge runs in session s1 (phase starting)"
    assert shlex.split(command)[1:] == ["state", "write", "--mode", "forge", *words[4:]]


@each_row("field", ["mode", "session_id", "cwd"])
def test_a_refusal_repeats_only_the_beginning_of_what_it_was_given(field: str, workspace: Workspace) -> None:
    arguments = {"mode": "forge", "session_id": "s1", "cwd": "", "current_phase": "x", field: "a" * 50_000}
    answer, is_error = tools.call("state_write", arguments, clean_env(), str(workspace.root))
    assert is_error
    assert len(json.loads(answer)["error"]) < 600


# --- without a session, the command that starts the mode names one


def refusal(workspace: Workspace, *, root_scope: bool = False) -> list[str]:
    with pytest.raises(Refused) as refused:
        write(at(workspace, None), "team", {"current_phase": "x"}, root_scope=root_scope)
    return str(refused.value).splitlines()


def test_where_no_session_is_known_the_root_scope_is_named(tmp_path: Path) -> None:
    first, *_, last = refusal(Workspace(tmp_path))
    assert first == f"team does not run in the root scope of {tmp_path}, so nothing was written"
    assert last == "to start team: rcs state write --mode team --active --root-scope"
    assert list(tmp_path.iterdir()) == []


def test_who_means_the_root_scope_is_told_of_it(workspace: Workspace) -> None:
    workspace.prompt("$forge go", "s1")
    workspace.write("ultrawork", None)
    assert refusal(workspace, root_scope=True)[1:] == [
        "ultrawork runs there (phase executing): rcs state write --mode ultrawork --phase x --root-scope",
        "to start team: rcs state write --mode team --active --root-scope",
    ]


def test_an_ended_run_of_the_workspaces_own_is_run_again_there(workspace: Workspace) -> None:
    workspace.write("team", None, **ENDED)
    assert refusal(workspace)[-1].endswith("to run it again: rcs state write --mode team --active --root-scope")
