"""A proof is kept in the records of the runs that it is for, and a run that finishes is judged by it."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rcs_hooks.cli.options import scope as scope_in
from rcs_hooks.config import ProofSettings
from rcs_hooks.errors import Refused
from rcs_hooks.proof import tree
from rcs_hooks.state import judging, proof_output
from rcs_hooks.state.judging import Judge
from rcs_hooks.state.operations import get_status
from rcs_hooks.state.proving import choose, keep
from rcs_hooks.state.unprovable import Typed
from rcs_hooks.state.writing import write
from rcs_hooks.workflow.commands import Commands
from rcs_hooks.workflow.mode_record import ModeRecord
from rcs_hooks.workflow.proof import Proof
from tests import own_modes
from tests.cli.test_state_commands import rcs
from tests.support import Record, Workspace
from tests.table import each_row

if TYPE_CHECKING:
    from rcs_hooks.state.scopes import Scope

DONE = {"lifecycle_outcome": "finished"}
AT = "2023-11-14T22:20:00.000Z"
ANY = ProofSettings()
ENV = {"PATH": os.defpath}


def at(workspace: Workspace, session: str | None = "s1", **env: str) -> Scope:
    found = scope_in(ENV | env, str(workspace.root), str(workspace.root), session, workspace.now)
    return found._replace(commands=found.commands._replace(rcs="rcs", root=None))


def proof_of(workspace: Workspace, **changes: Any) -> Proof:
    """The proof of a command that passed on the work tree as it is."""
    digest = tree.fingerprint(str(workspace.root), ENV).digest
    return Proof("pytest -q", 0, 1.5, AT, digest)._replace(**changes)


def proven(workspace: Workspace, *modes: str, finish: bool = False, tail: bytes = b"9 passed\n", **more: Any) -> Any:
    """What `rcs prove` does around its command."""
    chosen = choose(at(workspace), modes or None)
    settings = more.pop("settings", ANY)
    evidence = more.pop("evidence", "")
    proof = proof_of(workspace, **more)
    return keep(at(workspace), chosen, proof, tail, finish=finish, settings=settings, evidence=evidence)


@pytest.fixture
def forge(workspace: Workspace) -> Workspace:
    """A workspace with a file, in which forge is at its last phase."""
    (workspace.root / "a.py").write_text("one = 1\n")
    workspace.prompt("$forge fix the ledger")
    for phase in ("executing", "verifying"):
        write(at(workspace), "forge", {"current_phase": phase})
    return workspace


def state_of(workspace: Workspace, mode: str = "forge") -> str:
    return ModeRecord(workspace.read(mode)).proof_status.state


# --- what is kept


def test_a_proof_is_kept_in_the_record_and_the_run_goes_on(forge: Workspace) -> None:
    result = proven(forge)
    record = forge.read("forge")
    name = record["proof"].pop("output")
    assert record["active"] is True
    assert record["proof"] == {
        "command": "pytest -q", "exit": 0, "seconds": 1.5, "at": AT, "tree": proof_of(forge).tree, "changed": [],
        "timed_out": False, "state": "proven", "judged_at": AT,
    }  # fmt: skip
    kept = forge.folder("s1") / "proofs" / name
    assert kept.read_bytes() == b"9 passed\n"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    assert result["says"].splitlines()[1:] == [
        "forge: `pytest -q` passed; it proves the run as long as no file changes.",
        "To finish: rcs state write --mode forge --outcome finished --session s1",
    ]
    assert result["proof"] == {"state": "proven", "command": "pytest -q", "exit": 0, "at": AT}


@each_row(("before", "given", "expected"), [
    ({}, "", "pytest -q: exit 0"), ({}, "all 9 pass", "all 9 pass"), ({"evidence": "read it"}, "", "read it"),
    ({"evidence": "read it"}, "all 9 pass", "all 9 pass"),
])  # fmt: skip
@each_row(("phase", "early"), [("verifying", ""), ("executing", "; early: in phase executing")])
def test_a_pass_with_finish_ends_the_run_as_proven(
    phase: str, early: str, before: Record, given: str, expected: str, workspace: Workspace
) -> None:
    workspace.write("forge", current_phase=phase, **before)
    said = proven(workspace, finish=True, evidence=given)["says"]
    record = workspace.read("forge")
    assert (record["active"], record["lifecycle_outcome"], record["evidence"]) == (False, "finished", expected)
    assert state_of(workspace) == "proven"
    assert said.splitlines()[0] == f"forge: finished, proven by `pytest -q`{early}."
    assert record.get("early", False) is bool(early)
    assert rcs(workspace.root, "state", "get-status", "--session", "s1").out == (
        f"forge: not active, phase {phase}, finished, proven by `pytest -q`\n"
    )


@each_row(("changes", "says"), [
    ({"exit": 1}, "forge: unproven: `pytest -q` failed (exit 1)."),
    ({"exit": 124, "timed_out": True}, "forge: unproven: `pytest -q` timed out."),
    ({"changed": ("a.py",)}, "forge: unproven: `pytest -q` changed a.py."),
])  # fmt: skip
def test_a_command_that_did_not_pass_finishes_nothing(changes: Record, says: str, workspace: Workspace) -> None:
    workspace.write("forge", current_phase="verifying")
    result = proven(workspace, finish=True, **changes)
    assert workspace.read("forge")["active"] is True
    assert state_of(workspace) == "unproven"
    assert result["says"].splitlines()[1] == says


def test_one_proof_is_for_all_that_run_and_more_than_plans(workspace: Workspace) -> None:
    workspace.prompt("$crew $forge ship it")
    proven(workspace, finish=True)
    for mode in ("team", "forge"):
        assert workspace.read(mode)["lifecycle_outcome"] == "finished"
        assert state_of(workspace, mode) == "proven"
    assert workspace.read("team")["proof"] == workspace.read("forge")["proof"]


def test_a_run_that_has_finished_is_proven_afterwards_by_name(forge: Workspace) -> None:
    said = write(at(forge), "forge", DONE)["says"].splitlines()
    assert said[:2] == ["forge: finished, unproven.", "To prove it: rcs prove --mode forge --session s1 -- COMMAND"]
    assert state_of(forge) == "unproven"
    proven(forge, "forge")
    assert state_of(forge) == "proven"
    assert forge.read("forge")["lifecycle_outcome"] == "finished"
    proven(forge, "forge", exit=2)
    assert state_of(forge) == "unproven"


# --- the runs that a proof is for


def refusal(scope: Scope, *modes: str) -> list[str]:
    with pytest.raises(Refused) as refused:
        choose(scope, modes or None)
    return str(refused.value).splitlines()


def test_without_a_run_nothing_is_chosen_and_nothing_is_created(workspace: Workspace) -> None:
    assert refusal(at(workspace)) == [
        "nothing runs in session s1, so nothing can be proven; the command was not run",
        "a run starts with a prompt that begins with its skill, such as: $forge fix the failing test",
    ]
    assert refusal(at(workspace), "forge") == [
        "forge does not run in session s1, so it cannot be proven; the command was not run",
        "to start forge: rcs state write --mode forge --active --session s1",
    ]
    assert refusal(at(workspace, None)) == [
        f"nothing runs in the workspace {workspace.root}, so nothing can be proven; the command was not run",
        "a run starts with a prompt that begins with its skill, such as: $forge fix the failing test",
    ]
    assert not (workspace.root / ".rcs").exists()


def test_the_runs_that_finished_last_are_offered_with_what_was_typed(workspace: Workspace) -> None:
    done: Record = {"active": False, "lifecycle_outcome": "finished"}
    for number, mode in enumerate(["ultrawork", "forge", "blueprint", "team", "ultraqa"]):
        workspace.write(mode, "s1", completed_at=f"2023-11-14T22:00:0{number}.000Z", **done)
    workspace.write("autopilot", "s1", active=False, lifecycle_outcome="failed")
    typed = Typed("ls -l", finish=True)
    with pytest.raises(Refused) as refused:
        choose(at(workspace), None, typed)
    assert str(refused.value).splitlines()[1:] == [
        f"{mode} finished in session s1; if that run is meant: rcs prove --mode {mode} --session s1 -- ls -l"
        for mode in ("ultraqa", "team", "forge")
    ]
    for mode in ("ultraqa", "team", "forge"):
        assert choose(at(workspace), [mode], typed).modes == (mode,)


def test_what_ended_otherwise_or_plans_is_not_proven(workspace: Workspace) -> None:
    workspace.write("forge", active=False, lifecycle_outcome="failed")
    assert refusal(at(workspace), "forge") == [
        "forge has ended (failed) in session s1, so it cannot be proven; the command was not run",
        "to take it up: rcs state write --mode forge --active --session s1",
    ]
    workspace.write("blueprint")
    plans = ["blueprint plans and changes no code, so there is nothing to prove; run the command without rcs prove"]
    assert refusal(at(workspace)) == plans
    assert refusal(at(workspace), "blueprint") == plans
    workspace.write("ultrawork")
    assert choose(at(workspace)).modes == ("ultrawork",)
    assert refusal(at(workspace), "team")[1:] == [
        "ultrawork runs there: rcs prove --mode ultrawork --session s1 -- COMMAND"
    ]


def test_of_several_sessions_one_has_to_be_named(workspace: Workspace) -> None:
    workspace.write("forge", "s1")
    assert choose(at(workspace, None)).scope.session == "s1"
    workspace.write("team", "s2")
    assert refusal(at(workspace, None)) == [
        "2 sessions have something active; say which one is meant:",
        "rcs prove --mode forge --session s1 -- COMMAND",
        "rcs prove --mode team --session s2 -- COMMAND",
    ]


def test_a_file_that_cannot_be_read_is_named(workspace: Workspace) -> None:
    workspace.write("forge")
    workspace.mode_path("forge").write_text("{")
    for modes in ((), ("forge",)):
        assert "cannot be read" in refusal(at(workspace), *modes)[0]


ANOTHER = "forge: another run of it began while the command ran"
# what forge was before, what happens to it while the command runs, and the refusal
MEANWHILE: list[tuple[Record, Record, str]] = [
    ({}, DONE, "forge: it ended (finished) while the command ran"),
    ({}, {"active": False}, "forge: it ended (switched off) while the command ran"),
    ({}, {"fresh": True}, ANOTHER),
    (DONE, {"active": True}, ANOTHER),
]


@each_row(("before", "meanwhile", "why"), MEANWHILE)
def test_a_run_that_ended_or_began_anew_meanwhile_is_left_alone(
    before: Record, meanwhile: Record, why: str, workspace: Workspace
) -> None:
    workspace.prompt("$forge fix it now")
    write(at(workspace), "forge", {"note": 1} | before)
    chosen = choose(at(workspace), ["forge"])
    workspace.now += 5
    write(at(workspace), "forge", meanwhile)
    there = workspace.snapshot()
    with pytest.raises(Refused) as refused:
        keep(at(workspace), chosen, proof_of(workspace), b"ok", finish=True, settings=ANY)
    assert str(refused.value) == f"{why}, so the proof was not recorded for it; nothing was written"
    assert workspace.snapshot() == there


def test_a_run_of_the_workspace_is_proven_in_its_own_record(workspace: Workspace) -> None:
    workspace.write("forge", None, current_phase="verifying")
    proven(workspace, finish=True, tail=b"")
    assert workspace.read("forge", None)["proof"]["state"] == "proven"
    assert not workspace.mode_path("forge", "s1").exists()
    assert not list(workspace.state.rglob("proofs"))


def test_a_record_that_was_removed_meanwhile_is_said(workspace: Workspace) -> None:
    workspace.prompt("$crew $forge ship it")
    chosen = choose(at(workspace))
    workspace.mode_path("team").unlink()
    result = keep(at(workspace), chosen, proof_of(workspace), b"", finish=True, settings=ANY)
    assert result["warnings"] == [
        "team: its record was removed while the command ran, so the proof was not recorded for it"
    ]
    assert workspace.read("forge")["proof"]["state"] == "proven"


# --- the verdict where a run finishes


def edit(root: Path) -> None:
    (root / "a.py").write_text("one = 2\n")


def add(root: Path) -> None:
    (root / "new.py").write_text("")


def nothing(root: Path) -> None:
    pass


@each_row(("change", "state"), [(nothing, "proven"), (edit, "stale"), (add, "stale")])
def test_a_run_is_proven_while_its_tree_is_the_one_of_the_proof(change: Any, state: str, workspace: Workspace) -> None:
    (workspace.root / "a.py").write_text("one = 1\n")
    workspace.write("forge", current_phase="verifying")
    proven(workspace)
    change(workspace.root)
    result = write(at(workspace), "forge", DONE)
    assert state_of(workspace) == state
    assert result["proof"]["state"] == state
    assert get_status(at(workspace), "forge")["statuses"]["forge"]["proof"]["state"] == state


def test_a_verdict_stays_until_finished_is_written_again(forge: Workspace) -> None:
    proven(forge, finish=True)
    edit(forge.root)
    write(at(forge), "forge", {"evidence": "9 passed"})
    assert state_of(forge) == "proven"
    write(at(forge), "forge", {"lifecycle_outcome": "failed"})
    write(at(forge), "forge", DONE)
    assert state_of(forge) == "stale"


@each_row("written", [DONE, {"run_outcome": "finish"}, {"terminal_outcome": "finished"}, {"active": False} | DONE,
                      {"current_phase": "complete"} | DONE])  # fmt: skip
def test_every_way_to_finish_is_judged(written: Record, workspace: Workspace) -> None:
    workspace.write("forge", current_phase="verifying")
    write(at(workspace), "forge", written)
    assert workspace.read("forge")["proof"] == {"state": "unproven", "judged_at": workspace.read("forge")["updated_at"]}


@each_row(("mode", "written"), [
    ("blueprint", DONE), ("deep-interview", DONE), ("autoresearch", DONE), ("forge", {"lifecycle_outcome": "failed"}),
    ("forge", {"active": False}), ("forge", {"note": 1}), ("forge", {"lifecycle_outcome": "askuserQuestion"}),
])  # fmt: skip
def test_a_plan_and_any_other_end_have_no_verdict(mode: str, written: Record, workspace: Workspace) -> None:
    workspace.write(mode)
    result = write(at(workspace), mode, written)
    assert "proof" not in workspace.read(mode)
    assert "proof" not in result
    assert "prove" not in result["says"].splitlines()[0]
    status = get_status(at(workspace), mode)["statuses"][mode]
    assert status["proof"] == {"state": "unproven", "command": "", "exit": None, "at": ""}
    assert status["verdict_says"] == ""


def test_the_tree_is_read_only_where_a_run_finishes_with_a_proof_that_passed(
    forge: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    proven(forge, exit=1)
    monkeypatch.setattr(tree, "fingerprint", lambda *_: pytest.fail("the tree was read"))
    write(at(forge), "forge", {"evidence": "x"})
    write(at(forge), "forge", DONE)


def unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(root: str, env: object) -> tree.Tree:
        raise tree.TreeFailure("git: dubious\x1b ownership")

    monkeypatch.setattr(tree, "fingerprint", fails)


def test_a_tree_that_cannot_be_read_proves_nothing_and_says_why(
    forge: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    proven(forge)
    unreadable(monkeypatch)
    result = write(at(forge), "forge", DONE)
    assert result["warnings"] == ["the work tree could not be compared: git: dubious ownership"]
    assert result["says"].splitlines()[0] == (
        "forge: finished, unproven: `pytest -q` passed, but the work tree cannot be read."
    )
    assert state_of(forge) == "unproven"


def test_a_new_run_has_no_proof_and_a_run_that_is_taken_up_has_its_own(forge: Workspace) -> None:
    proven(forge)
    proof = forge.read("forge")["proof"]
    write(at(forge), "forge", {"lifecycle_outcome": "blocked"})
    forge.prompt("$forge go on")
    assert forge.read("forge")["proof"] == proof
    write(at(forge), "forge", {"fresh": True})
    assert "proof" not in forge.read("forge")
    proven(forge, finish=True)
    forge.prompt("$forge another thing")
    assert "proof" not in forge.read("forge")


# --- a project that requires a proof


NEEDED = ProofSettings("make check", True, 60.0, "rcs.toml", "rcs.toml")


MADE: Record = {"command": "make check"}
# What the proof is (None: there is none), what is done to the tree, and the second line of the refusal.
REQUIRED: list[tuple[Record | None, Any, str]] = [
    (MADE, nothing, ""),
    (None, nothing, "to give up: rcs state write --mode forge --outcome failed --reason WHY --session s1"),
    (MADE, add, "the newest proof: stale: files have changed since `make check` passed"),
    (MADE | {"exit": 2}, nothing, "the newest proof: unproven: `make check` failed (exit 2)"),
    ({"command": "true"}, nothing,
     "the newest proof: unproven: `true` is not the command that ~/.rcs/config.toml names"),
]  # fmt: skip


def requiring(workspace: Workspace) -> Scope:
    """Let forge be at its last phase, and the person require a proof in their own file."""
    home = workspace.root.parent / f"{workspace.root.name}-home"
    (home / ".rcs").mkdir(parents=True)
    (home / ".rcs" / "config.toml").write_text('[proof]\ncommand = "make check"\nrequired = true\n')
    workspace.write("forge", current_phase="verifying")
    return at(workspace, HOME=str(home))


@each_row(("proof", "change", "line"), REQUIRED)
def test_only_the_required_command_on_this_very_tree_lets_a_run_finish(
    proof: Record | None, change: Any, line: str, workspace: Workspace
) -> None:
    scope = requiring(workspace)
    if proof:
        proven(workspace, **proof)
    change(workspace.root)
    before = workspace.workflow_state()
    if not line:
        write(scope, "forge", DONE)
        assert state_of(workspace) == "proven"
        return
    with pytest.raises(Refused) as refused:
        write(scope, "forge", DONE)
    why = "forge: finished is refused, for ~/.rcs/config.toml requires a proof: rcs prove --finish --mode forge"
    assert str(refused.value).splitlines()[:2] == [f"{why} --session s1", line]
    assert workspace.workflow_state() == before
    write(scope, "forge", {"lifecycle_outcome": "failed"})


def test_a_required_proof_that_is_recorded_at_the_last_moment_counts(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    required = requiring(workspace)
    judge_for, judges = judging.judge_for, []

    def meanwhile(scope: Scope, modes: Any, records: Any) -> Judge:
        judges.append(judge_for(scope, modes, records))
        if len(judges) == 1:
            proven(workspace, command="make check")
        return judges[-1]

    monkeypatch.setattr(judging, "judge_for", meanwhile)
    write(required, "forge", DONE)
    assert ([judge.tree is None for judge in judges], state_of(workspace)) == ([True, False], "proven")


def test_a_required_proof_on_a_tree_that_cannot_be_read_says_why(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope = requiring(workspace)
    proven(workspace, **MADE)
    unreadable(monkeypatch)
    with pytest.raises(Refused, match="\nthe work tree could not be compared: git: dubious ownership"):
        write(scope, "forge", DONE)


def test_a_plan_needs_no_proof_where_one_is_required(workspace: Workspace) -> None:
    scope = requiring(workspace)
    workspace.write("blueprint")
    workspace.edit("forge", active=False, lifecycle_outcome="failed")
    write(scope, "blueprint", DONE)
    assert workspace.read("blueprint")["active"] is False


def test_the_command_of_the_settings_proves_nothing_where_it_ran_in_another_folder() -> None:
    """It ran before the settings named it."""
    work = f"git:{'0' * 64}"
    judge = Judge(NEEDED, ("forge",), Commands("rcs", "s1"), tree=work)
    states = []
    for folder in ("", "sub", "../other"):
        proof = Proof("make check", 0, 1.0, "2026-01-01T00:00:00Z", work, folder=folder)
        states.append(judge.field_of(proof, at="2026-01-01T00:00:01Z")["state"])
    assert states == ["proven", "unproven", "unproven"]


# --- the output


def test_the_end_of_an_output_is_bounded_and_the_newest_are_left(forge: Workspace) -> None:
    for number in range(25):
        forge.now += 1
        proven(forge, tail=b"x" * 9_000 + str(number).encode())
    kept = sorted((forge.folder("s1") / "proofs").iterdir())
    assert len(kept) == 20
    assert [path.read_bytes()[-2:] for path in (kept[0], kept[-1])] == [b"x5", b"24"]
    assert all(path.stat().st_size == 4_096 for path in kept)
    assert forge.read("forge")["proof"]["output"] == kept[-1].name


def test_an_output_that_cannot_be_written_costs_no_proof(forge: Workspace, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (forge.folder("s1") / "proofs").symlink_to(outside)
    result = proven(forge)
    assert result["warnings"][0].startswith("the end of the output could not be written: ")
    assert state_of(forge) == "proven"
    assert list(outside.iterdir()) == []


def test_only_the_file_of_a_proof_is_read(forge: Workspace, tmp_path: Path) -> None:
    proven(forge)
    folder, name = str(forge.state), forge.read("forge")["proof"]["output"]
    assert proof_output.read(folder, "s1", name) == b"9 passed\n"
    assert proof_output.read(folder, "s1", "../forge-state.json") is None
    assert proof_output.read(folder, "s1", name.replace("2", "3")) is None
    place = forge.folder("s1") / "proofs"
    (tmp_path / "secret").write_text("secret")
    (place / "a.txt").symlink_to(tmp_path / "secret")
    os.mkfifo(place / "b.txt")
    assert proof_output.read(folder, "s1", "a.txt") is None
    assert proof_output.read(folder, "s1", "b.txt") is None
    place.rename(tmp_path / "moved")
    place.symlink_to(tmp_path / "moved")
    assert proof_output.read(folder, "s1", name) is None


# --- modes of one's own


def test_an_own_mode_is_proven_if_it_executes(tmp_path: Path) -> None:
    desk = own_modes.Desk(tmp_path)
    own_modes.put(desk.root)
    desk.prompt("$release the ledger")
    proven(desk, finish=True)
    assert desk.read("release")["proof"]["state"] == "proven"
