"""`rcs task test ID -- COMMAND` runs a command and writes the report; at acceptance the report is held to the tree."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
from pathlib import Path

import pytest

from rcs_hooks.config import ProofSettings
from rcs_hooks.tasks.eval_report import proof_in
from tests.proof.repositories import Repo
from tests.table import each_row
from tests.tasks.paths import CODE_REVIEW, REPORT
from tests.tasks.rows import CLEAN_REVIEW, PASSED
from tests.tasks.support import RCS, Record, Task

CHECK = "test -s a.txt"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "project")


@pytest.fixture
def task(repo: Repo) -> Task:
    return Task(repo.top).at("test")


def run(task: Task, *command: str, options: tuple[str, ...] = (), home: str = "") -> tuple[int, str, str]:
    done = task.program("test", *options, "--", *command, **({"HOME": home} if home else {}))
    return done.status, done.out, done.err


# --- what a run writes


def test_a_command_that_passes_is_in_the_report_and_opens_the_way(task: Task) -> None:
    status, out, err = run(task, "sh", "-c", "echo shown; echo aside >&2")
    assert (status, out) == (0, "shown\n")
    assert err.startswith("aside\ntask t1: `sh -c 'echo shown; echo aside >&2'` passed in ")
    assert err.endswith("s; recorded in .rcs/tasks/t1/eval/eval-report.json\n  next: rcs task next t1\n")
    report = task.read(REPORT)
    assert (report["status"], report["overall_pass"], report["exit"]) == ("completed", True, 0)
    assert report["tree"].startswith("git:")
    (suite,) = report["suites"]
    assert (suite["id"], suite["kind"], suite["overall_pass"], suite["exit"]) == (
        "sh -c 'echo shown; echo aside >&2'", "test", True, 0
    )  # fmt: skip
    assert suite["output"] == "shown\naside\n"
    task.did("next")
    assert (task.phase, task.transcript[-2]["kind"]) == ("accept", "note")


def test_a_command_that_fails_sends_the_task_back(task: Task) -> None:
    status, _, err = run(task, "sh", "-c", "exit 3")
    assert (status, "failed (exit 3)" in err) == (3, True)
    assert "  next: rcs task next t1; it goes back to codegen: sh -c 'exit 3': failed (exit 3)\n" in err
    again = "if a command was mistyped: rcs task test t1 --fresh -- COMMAND"
    assert err.endswith(f"  {again}; to have it decided as it is: rcs task accept t1\n")
    report = task.read(REPORT)
    assert (report["status"], report["overall_pass"]) == ("completed", False)
    task.did("next")
    assert task.phase == "codegen"


@pytest.mark.parametrize(("command", "status"), [("no-such-program", 127), ("./a.txt", 126)])
def test_a_command_that_cannot_be_run_writes_nothing(task: Task, command: str, status: int) -> None:
    before = task.tree()
    assert run(task, command)[0] == status
    assert task.tree() == before


@pytest.mark.slow
def test_a_command_that_changes_tracked_files_proves_nothing(task: Task) -> None:
    status, _, err = run(task, "sh", "-c", "echo more >> a.txt")
    assert (status, "it proves nothing, as it has changed a.txt; run it again" in err) == (0, True)
    report = task.read(REPORT)
    assert (report["overall_pass"], report["changed"]) == (False, ["a.txt"])


@pytest.mark.slow
def test_several_commands_are_suites_of_one_report_on_the_same_tree(task: Task, repo: Repo) -> None:
    task.put(REPORT, PASSED | {"notes": "mine"})
    run(task, "true")
    run(task, "sh", "-c", CHECK, options=("--kind", "lint"))
    report = task.read(REPORT)
    assert [(each["id"], each["kind"]) for each in report["suites"]] == [("true", "test"), (f"sh -c '{CHECK}'", "lint")]
    assert (report["overall_pass"], report["notes"]) == (True, "mine")
    run(task, "false")
    assert task.read(REPORT)["overall_pass"] is False
    run(task, "true", options=("--fresh",))
    assert [each["id"] for each in task.read(REPORT)["suites"]] == ["true"]
    repo.write("a.txt", "another tree\n")
    run(task, "sh", "-c", CHECK)
    assert [each["id"] for each in task.read(REPORT)["suites"]] == [f"sh -c '{CHECK}'"]


@pytest.mark.slow
def test_a_command_that_is_out_of_time_is_a_run_that_broke(task: Task) -> None:
    status, _, err = run(task, "sleep", "60", options=("--timeout", "1s"))
    assert (status, "timed out" in err) == (124, True)
    report = task.read(REPORT)
    assert (report["status"], report["overall_pass"], report["timed_out"]) == ("failed", False, True)


def test_from_review_the_task_enters_test_first(task: Task) -> None:
    task.at("review", {CODE_REVIEW: CLEAN_REVIEW})
    assert run(task, "true")[0] == 0
    assert (task.phase, task.read(REPORT)["overall_pass"]) == ("test", True)


@each_row(("phase", "artifacts", "words"), [
    ("planning", {}, "task t1 is in planning, and tests are run in test or accept"),
    ("review", {CODE_REVIEW: CLEAN_REVIEW | {"decision": "blocked"}}, "cannot move review -> test"),
    ("test", {REPORT: "{"}, "eval/eval-report.json: not JSON"),
])  # fmt: skip
def test_where_it_may_not_run_nothing_runs(task: Task, phase: str, artifacts: Record, words: str) -> None:
    task.at(phase, artifacts)
    before = task.tree("transcript.jsonl")
    status, out, err = run(task, "touch", "ran")
    assert (status, out, words in err) == (125, "", True)
    assert (task.root / "ran").exists() is False
    assert task.tree("transcript.jsonl") == before


@each_row(("words", "said"), [
    (("--kind", "lint"), "rcs task test ID -- COMMAND"),
    (("--",), "there is no command after --"),
    (("--timeout", "0", "--", "true"), "'0' is not a time"),
    (("--kind", "vibes", "--", "true"), "--kind 'vibes': it is one of test, lint, static, custom"),
    (("true", "-q"), "write `--` before the command: rcs task test t1 -- true -q"),
    (("--nothing",), "task test has no option '--nothing'; see: rcs task test --help"),
])  # fmt: skip
def test_a_wrong_command_line_runs_nothing(task: Task, words: tuple[str, ...], said: str) -> None:
    task.at("test")
    before = task.tree()
    done = task("test", *words)
    assert (done.status, done.out, said in done.err, task.tree()) == (2, "", True, before)


@pytest.mark.slow
def test_a_task_that_goes_on_meanwhile_keeps_its_report(task: Task, repo: Repo) -> None:
    task.put(REPORT, PASSED)
    move = ["sh", "-c", f"{shlex.quote(RCS[0])} task redo t1 >&2"]
    status, _, err = run(task, *move)
    assert status == 125
    assert "has gone on to test meanwhile, so the result of the command is not recorded" in err
    assert not task.there(REPORT)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_command_that_somebody_ends_is_not_recorded(task: Task, number: signal.Signals) -> None:
    words = [*RCS, *task.words("test", "--", "sh", "-c", "echo up; exec sleep 60")]
    process = subprocess.Popen(words, cwd=task.root, env=task.env(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"up\n"
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert b"not recorded: it was interrupted" in err
    assert not task.there(REPORT)


def test_in_json_the_last_line_says_what_came_of_it(task: Task) -> None:
    done = task.program("test", "--json", "--", "sh", "-c", "echo shown; exit 4")
    assert (done.status, done.err) == (4, "shown\n")
    said = json.loads(done.out)
    assert {key: said[key] for key in ("ok", "task", "phase", "command", "exit", "recorded", "proof")} == {
        "ok": False, "task": "t1", "phase": "test", "command": "sh -c 'echo shown; exit 4'", "exit": 4,
        "recorded": REPORT, "proof": None,
    }  # fmt: skip
    assert said["tree"].startswith("git:")


# --- at acceptance


def enter_accept(task: Task, *command: str) -> str:
    run(task, *(command or ("sh", "-c", CHECK)))
    return task.did("next")


def test_on_the_same_tree_it_is_proven_and_stays_so_when_it_is_committed(task: Task, repo: Repo) -> None:
    repo.write("a.txt", "work\n")
    proven = f"  proof: proven by `sh -c '{CHECK}'`\n"
    assert proven in enter_accept(task)
    repo.commit("the work")
    assert proven in run(task, "sh", "-c", CHECK)[2], "in accept it is run again on what is to be accepted"
    assert proven in task.did("accept", "--decision", "accepted")
    assert (task.phase, task.state["proof"]["state"], proven in task.did("status")) == ("done", "proven", True)


@pytest.mark.slow
def test_after_an_edit_it_is_stale_and_says_how_to_run_it_again(task: Task, repo: Repo) -> None:
    run(task, "sh", "-c", CHECK)
    repo.write("a.txt", "edited\n")
    words = f"  proof: stale: files have changed since `sh -c '{CHECK}'` passed"
    assert f"{words}; to run it again: rcs task test t1 -- sh -c '{CHECK}'\n" in task.did("next")
    assert task("status", "--json").json["proof"]["state"] == "stale"
    said = task.did("accept", "--decision", "accepted")
    assert f"{words}\n" in said
    assert task.phase == "done", "it is shown, and nothing is refused"


def test_a_report_by_hand_is_unproven(task: Task) -> None:
    task.put(REPORT, PASSED)
    assert "  proof: unproven; to run it again: rcs task test t1 -- COMMAND\n" in task.did("next")


def trusted(task: Task, repo: Repo, text: str) -> dict[str, str]:
    """The environment of a person who trusts this `rcs.toml`."""
    home = task.root.parent / "home"
    home.mkdir()
    repo.write("rcs.toml", text)
    done = subprocess.run(
        [*RCS, "config", "trust"], cwd=repo.top, env=task.env(HOME=str(home)), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return {"HOME": str(home)}


@pytest.mark.slow
def test_only_the_trusted_command_proves(task: Task, repo: Repo) -> None:
    env = trusted(task, repo, f'[proof]\ncommand = "{CHECK}"\n')
    _, _, err = run(task, "true", home=env["HOME"])
    assert f"  not a proof: rcs.toml names `{CHECK}`; run: rcs task test t1 -- {CHECK}\n" in err
    done = task.program("next", **env)
    assert "  proof: unproven: `true` is not the command that rcs.toml names" in done.out
    run(task, *CHECK.split(), home=env["HOME"])
    assert task.state["proof"]["state"] == "proven"
    assert task.state["proof"]["command"] == CHECK


@pytest.mark.slow
def test_where_a_proof_is_required_nothing_is_accepted_without_one(task: Task, repo: Repo) -> None:
    env = trusted(task, repo, f'[proof]\ncommand = "{CHECK}"\nrequired = true\n')
    run(task, *CHECK.split(), home=env["HOME"])
    repo.write("a.txt", "edited\n")
    assert task.program("next", **env).status == 0
    done = task.program("accept", "--decision", "accepted", **env)
    assert (done.status, task.phase) == (1, "accept")
    stale = f"stale: files have changed since `{CHECK}` passed, need proven, as rcs.toml requires"
    assert f"  - {REPORT}: {stale}\n  fix: rcs task test t1 -- {CHECK}\n" in done.err
    assert done.err.startswith("task t1: the decision is recorded in .rcs/tasks/t1/accept/decision.json\n"), "it counts"
    assert task.program("accept", "--decision", "accepted", "--json", **env).json["recorded"] == "accept/decision.json"
    assert "closed (accepted): eval/eval-report.json: stale" in task.did("status")
    run(task, *CHECK.split(), home=env["HOME"])
    done = task.program("next", **env)
    assert (done.status, task.phase, task.state["proof"]["state"]) == (0, "done", "proven")


# --- the rules, by hand

TREE = "git:" + "a" * 64
OTHER = "git:" + "b" * 64
ANY = ProofSettings()
MAKE = ProofSettings(command="make check", source="rcs.toml")


def suite(command: str, exit: int = 0, **more: object) -> Record:
    return {"id": command, "kind": "test", "overall_pass": exit == 0, "command": command, "exit": exit, **more}


def report(*suites: Record, **more: object) -> Record:
    passed = all(each["overall_pass"] for each in suites)
    return {"status": "completed", "overall_pass": passed, "suites": [*suites], "tree": TREE, **more}


PROOFS: list[tuple[str, Record, ProofSettings, str, str]] = [
    # what, the report, the settings, the command that decides, the verdict on the tree on which it ran
    ("one that passed", report(suite("pytest")), ANY, "pytest", "proven"),
    ("the last of two", report(suite("pytest"), suite("ruff")), ANY, "ruff", "proven"),
    ("one that failed", report(suite("pytest", 1), suite("ruff")), ANY, "pytest", "unproven"),
    ("the trusted one", report(suite("make check"), suite("ruff")), MAKE, "make check", "proven"),
    ("not the trusted one", report(suite("true")), MAKE, "true", "unproven"),
    ("the trusted one, and another failed", report(suite("make check"), suite("x", 1)), MAKE, "x", "unproven"),
    ("by hand", {**PASSED, "tree": TREE}, ANY, "", "unproven"),
    ("by hand, and failed", report(suite("pytest"), {"id": "x", "overall_pass": False}), ANY, "", "unproven"),
    ("the trusted one, elsewhere", report(suite("make check", folder="sub")), MAKE, "make check", "unproven"),
    ("any command, elsewhere", report(suite("pytest", folder="sub")), ANY, "pytest", "proven"),
    ("no tree", report(suite("pytest"), tree=""), ANY, "pytest", "unproven"),
    ("a claim that it passed", report({**suite("pytest", 1), "overall_pass": True}), ANY, "pytest", "unproven"),
    ("it has changed files", report(suite("pytest", changed=["a"])), ANY, "pytest", "unproven"),
    ("an exit that is a word", report(suite("pytest") | {"exit": "0"}), ANY, "", "unproven"),
]


@each_row(("found", "settings", "command", "state"), [row[1:] for row in PROOFS], ids=[row[0] for row in PROOFS])
def test_what_a_report_proves(found: Record, settings: ProofSettings, command: str, state: str) -> None:
    proof = proof_in(found, settings)
    assert (proof.proof.command if proof.proof else "") == command
    assert proof.judged(TREE, "now")["state"] == state
    assert proof.judged(None, "now")["state"] == "unproven"
