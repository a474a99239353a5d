"""`rcs task test ID -- COMMAND` runs a command and writes the report; at acceptance the report is held to the tree."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import time
from pathlib import Path

import pytest

from rcs_hooks.config import ProofSettings
from rcs_hooks.tasks import eval_report
from rcs_hooks.tasks.eval_report import SuiteRun, proof_in, with_run
from rcs_hooks.workflow.proof import Proof
from tests.proof.repositories import Repo
from tests.table import each_row
from tests.tasks.paths import CODE_REVIEW, DECISION, REPORT
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


@pytest.mark.slow
def test_a_command_that_is_out_of_time_is_a_run_that_broke(task: Task) -> None:
    status, _, err = run(task, "sleep", "60", options=("--timeout", "1s"))
    assert (status, "timed out" in err) == (124, True)
    report = task.read(REPORT)
    assert (report["status"], report["overall_pass"], report["timed_out"]) == ("failed", False, True)
    task.did("next")
    assert task.phase == "codegen"


@pytest.mark.parametrize(("command", "status"), [("no-such-program", 127), ("./a.txt", 126)])
def test_a_command_that_cannot_be_run_writes_nothing(task: Task, command: str, status: int) -> None:
    before = task.tree()
    assert run(task, command)[0] == status
    assert task.tree() == before


@pytest.mark.slow
def test_several_commands_are_suites_of_one_report_on_the_same_tree(task: Task, repo: Repo) -> None:
    run(task, "true")
    run(task, "sh", "-c", CHECK, options=("--kind", "lint"))
    run(task, "true")
    report = task.read(REPORT)
    assert [(each["id"], each["kind"]) for each in report["suites"]] == [(f"sh -c '{CHECK}'", "lint"), ("true", "test")]
    assert (report["overall_pass"], report["command"]) == (True, "true")
    run(task, "false")
    assert task.read(REPORT)["overall_pass"] is False
    repo.write("a.txt", "another tree\n")
    run(task, "true")
    assert [each["id"] for each in task.read(REPORT)["suites"]] == ["true"], "the others ran on another tree"


def test_a_mistyped_command_leaves_the_report_with_a_fresh_one(task: Task) -> None:
    run(task, "ls", "no-such-test.py")
    run(task, "true", options=("--fresh",))
    assert [each["id"] for each in task.read(REPORT)["suites"]] == ["true"]
    logged = [line["reason"] for line in task.transcript if line["kind"] == "note"][-2:]
    assert [reason.split("`")[1] for reason in logged] == ["ls no-such-test.py", "true"]
    task.did("next")
    assert task.phase == "accept"


@pytest.mark.slow
def test_a_report_that_was_written_by_hand_is_replaced_but_for_keys_that_nobody_knows(task: Task) -> None:
    task.put(REPORT, PASSED | {"notes": "mine"})
    run(task, "true")
    report = task.read(REPORT)
    assert ([each["id"] for each in report["suites"]], report["notes"]) == (["true"], "mine")


@pytest.mark.slow
def test_a_command_that_changes_tracked_files_proves_nothing(task: Task) -> None:
    status, _, err = run(task, "sh", "-c", "echo more >> a.txt")
    assert (status, "it proves nothing, as it has changed a.txt; run it again" in err) == (0, True)
    report = task.read(REPORT)
    assert (report["overall_pass"], report["changed"]) == (False, ["a.txt"])


@pytest.mark.slow
def test_from_review_the_task_enters_test_first(task: Task) -> None:
    task.at("review", {CODE_REVIEW: CLEAN_REVIEW})
    assert run(task, "true")[0] == 0
    assert (task.phase, task.read(REPORT)["overall_pass"]) == ("test", True)


REFUSED: dict[str, tuple[str, Record, str]] = {
    "planning": ("planning", {}, "task t1 is in planning, and tests are run in test or accept"),
    "codegen": ("codegen", {}, "task t1 is in codegen, and tests are run in test or accept"),
    "done": ("done", {}, "task t1 is in done, and tests are run in test or accept"),
    "a review that asks for changes": (
        "review",
        {CODE_REVIEW: CLEAN_REVIEW | {"decision": "blocked"}},
        "cannot move review -> test",
    ),
    "no review": ("review", {}, "review/code-review.json: missing"),
    "a report that is not JSON": ("test", {REPORT: "{"}, "eval/eval-report.json: not JSON"),
}


@pytest.mark.slow
@each_row("name", REFUSED)
def test_where_it_may_not_run_nothing_runs(tmp_path: Path, name: str) -> None:
    phase, artifacts, words = REFUSED[name]
    repo = Repo(tmp_path / "project")
    task = Task(repo.top).at(phase, artifacts)
    before = task.tree("transcript.jsonl")
    status, out, err = run(task, "touch", "ran")
    assert (status, out) == (125, "")
    assert words in err
    assert not (repo.top / "ran").exists()
    assert task.tree("transcript.jsonl") == before


@each_row("words", [("--kind", "lint"), ("--timeout", "5m")], ids=" ".join)
def test_options_of_a_command_need_one(tmp_path: Path, words: tuple[str, ...]) -> None:
    task = Task(tmp_path).at("test")
    done = task("test", *words)
    assert (done.status, done.out) == (2, "")
    assert "rcs task test ID -- COMMAND" in done.err


@each_row(
    ("words", "status", "said"),
    [
        (("--",), 2, "there is no command after --"),
        (("--timeout", "0", "--", "true"), 2, "'0' is not a time"),
        (("--kind", "vibes", "--", "true"), 2, "--kind 'vibes': it is one of test, lint, static, custom"),
        (("true", "-q"), 2, "write `--` before the command: rcs task test t1 -- true -q"),
        (("--nothing",), 2, "task test has no option '--nothing'; see: rcs task test --help"),
    ],
)
def test_a_wrong_command_line_runs_nothing(tmp_path: Path, words: tuple[str, ...], status: int, said: str) -> None:
    task = Task(tmp_path).at("test")
    before = task.tree()
    done = task("test", *words)
    assert (done.status, done.out, task.tree()) == (status, "", before)
    assert said in done.err


def test_without_a_command_it_goes_to_test_as_ever(task: Task) -> None:
    task.at("review", {CODE_REVIEW: CLEAN_REVIEW})
    task.did("test")
    assert (task.phase, task.there(REPORT)) == ("test", False)
    assert "to do: rcs task test t1 -- COMMAND" in task.did("status")


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


def test_in_the_repl_it_runs_too(task: Task) -> None:
    done = task.rcs("task", "repl", "t1", stdin="/test -- true\n/next\n")
    assert (done.status, task.phase) == (0, "accept")


def test_a_tail_of_any_bytes_is_text(task: Task) -> None:
    script = "head -c 100000 /dev/zero | tr '\\0' x; printf '\\377\\033[31m'"
    words = [*RCS, *task.words("test", "--", "sh", "-c", script)]
    subprocess.run(words, cwd=task.root, env=task.env(), capture_output=True, timeout=60, check=True)
    output = task.read(REPORT)["suites"][0]["output"]
    assert len(output) <= 4096
    assert output.startswith("xxx")


# --- at acceptance


def enter_accept(task: Task, *command: str) -> str:
    run(task, *(command or ("sh", "-c", CHECK)))
    return task.did("next")


@pytest.mark.slow
def test_on_the_same_tree_it_is_proven_and_stays_so_when_it_is_committed(task: Task, repo: Repo) -> None:
    repo.write("a.txt", "work\n")
    proven = f"  proof: proven by `sh -c '{CHECK}'`\n"
    assert proven in enter_accept(task)
    assert proven in task.did("status")
    repo.commit("the work")
    assert proven in task.did("accept", "--decision", "accepted")
    assert task.phase == "done"
    assert proven in task.did("status")
    assert task.state["proof"]["state"] == "proven"


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


@each_row(
    ("script", "again"),
    [('test "1" = 1', "sh -c 'test \"1\" = 1'"), ("true\ntrue", "COMMAND"), (f"true {'x' * 90}", "COMMAND")],
)
@pytest.mark.slow
def test_what_is_to_be_run_again_is_what_was_run(tmp_path: Path, script: str, again: str) -> None:
    repo = Repo(tmp_path / "project")
    task = Task(repo.top).at("test")
    run(task, "sh", "-c", script)
    repo.write("a.txt", "edited\n")
    assert f" passed; to run it again: rcs task test t1 -- {again}\n" in task.did("next")


@pytest.mark.slow
def test_in_accept_it_is_run_again_on_the_tree_that_is_to_be_accepted(task: Task, repo: Repo) -> None:
    enter_accept(task)
    repo.write("a.txt", "edited\n")
    status, _, err = run(task, "sh", "-c", CHECK)
    assert (status, task.phase, task.state["proof"]["state"]) == (0, "accept", "proven")
    assert f"  proof: proven by `sh -c '{CHECK}'`\n  next: rcs task status t1\n" in err
    run(task, "false")
    assert task.state["proof"]["state"] == "unproven"
    assert "reasons: empty although tests failed" in task("accept", "--decision", "accepted").err


@pytest.mark.slow
def test_an_edit_between_the_two_moves_is_noticed_at_the_second(task: Task, repo: Repo) -> None:
    assert "proven by" in enter_accept(task)
    repo.write("new.py", "x\n")
    said = task("accept", "--decision", "accepted", "--json").json
    assert (said["to"], said["proof"]["state"]) == ("done", "stale")


def test_a_report_by_hand_is_unproven(task: Task) -> None:
    task.put(REPORT, PASSED)
    assert "  proof: unproven; to run it again: rcs task test t1 -- COMMAND\n" in task.did("next")


def test_a_task_that_goes_back_has_no_verdict_any_more(task: Task) -> None:
    enter_accept(task)
    task.did("accept", "--decision", "needs_changes", "--reason", "say good morning")
    assert task.phase == "codegen"
    assert "proof" not in task.state
    assert "proof" not in task.did("status")


@pytest.mark.slow
def test_where_the_tree_cannot_be_read_it_is_unproven_with_the_reason(task: Task, repo: Repo) -> None:
    run(task, "sh", "-c", CHECK)
    repo.git("config", "filter.a=b.clean", "touch ran")
    said = task.did("next")
    assert f"  proof: unproven: `sh -c '{CHECK}'` cannot be compared: the config of" in said


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
def test_the_trusted_command_proves_in_the_root_only_and_a_line_for_a_shell_by_a_shell(task: Task, repo: Repo) -> None:
    line = f"{CHECK} && true"
    env = trusted(task, repo, f'[proof]\ncommand = "{line}"\n')
    hint = f"run: rcs task test t1 -- sh -c '{line}'\n"
    for command in (["sh", "-c", line], ["true"]):
        words = [*RCS, *task.words("test", "--"), *command]
        done = subprocess.run(words, cwd=repo.top / "src", env=task.env(**env), capture_output=True, check=False)
        where = f" in {repo.top}" if command[0] == "sh" else ""
        assert f"not a proof: rcs.toml names `{line}`{where}; {hint}" in done.stderr.decode()
    assert f"names `{line}`; {hint}" in run(task, "true", home=env["HOME"])[2]
    assert "not a proof" not in run(task, "sh", "-c", line, home=env["HOME"])[2]


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


@pytest.mark.slow
def test_a_person_may_waive_it_with_a_reason(task: Task, repo: Repo) -> None:
    env = trusted(task, repo, f'[proof]\ncommand = "{CHECK}"\nrequired = true\n')
    task.put(REPORT, PASSED)
    task.program("next", **env)
    task.put(DECISION, {"decision": "accepted"})
    assert task.program("next", **env).status == 1
    done = task.program("next", "--override", "the machine that tests is down", **env)
    assert (done.status, task.phase) == (0, "done")
    assert task.transcript[-1]["failed"][0]["artifact"] == REPORT


def test_an_untrusted_file_requires_nothing_of_a_task(task: Task, repo: Repo) -> None:
    repo.write("rcs.toml", '[proof]\ncommand = "touch ran"\nrequired = true\n')
    task.put(REPORT, PASSED)
    task.did("next")
    task.did("accept", "--decision", "accepted")
    assert (task.phase, (repo.top / "ran").exists()) == ("done", False)


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
    ("the last that failed", report(suite("a", 1), suite("b", 2), suite("c")), ANY, "b", "unproven"),
    ("the trusted one", report(suite("make check"), suite("ruff")), MAKE, "make check", "proven"),
    ("not the trusted one", report(suite("true")), MAKE, "true", "unproven"),
    ("the trusted one, and another failed", report(suite("make check"), suite("x", 1)), MAKE, "x", "unproven"),
    ("by hand", {**PASSED, "tree": TREE}, ANY, "", "unproven"),
    ("by hand, beside a command", report(suite("pytest"), {"id": "x", "overall_pass": True}), ANY, "pytest", "proven"),
    ("by hand, and failed", report(suite("pytest"), {"id": "x", "overall_pass": False}), ANY, "", "unproven"),
    ("the trusted one, elsewhere", report(suite("make check", folder="sub")), MAKE, "make check", "unproven"),
    ("any command, elsewhere", report(suite("pytest", folder="sub")), ANY, "pytest", "proven"),
    ("no tree", report(suite("pytest"), tree=""), ANY, "pytest", "unproven"),
    ("another tree", report(suite("pytest"), tree=OTHER), ANY, "pytest", "stale"),
    ("still running", report(suite("pytest"), status="running"), ANY, "", "unproven"),
    ("it says that all failed", report(suite("pytest"), overall_pass=False), ANY, "", "unproven"),
    ("a claim that it passed", report({**suite("pytest", 1), "overall_pass": True}), ANY, "pytest", "unproven"),
    ("it has changed files", report(suite("pytest", changed=["a"])), ANY, "pytest", "unproven"),
    ("no suites", report(), ANY, "", "unproven"),
    ("suites that are none", report() | {"suites": "pytest"}, ANY, "", "unproven"),
    ("an exit that is a word", report(suite("pytest") | {"exit": "0"}), ANY, "", "unproven"),
]


@each_row(("found", "settings", "command", "state"), [row[1:] for row in PROOFS], ids=[row[0] for row in PROOFS])
def test_what_a_report_proves(found: Record, settings: ProofSettings, command: str, state: str) -> None:
    proof = proof_in(found, settings)
    assert (proof.proof.command if proof.proof else "") == command
    assert proof.judged(TREE, "now")["state"] == state
    assert proof.judged(None, "now")["state"] == "unproven"


def test_a_report_keeps_the_newest_suites_only() -> None:
    written: Record = {}
    for number in range(60):
        proof = Proof(f"c{number}", 0, 1.0, "now", TREE)
        written = with_run(written, SuiteRun("test", proof, "", TREE))
    assert [each["id"] for each in written["suites"]] == [f"c{number}" for number in range(10, 60)]
    assert eval_report.MOST_SUITES == 50


def test_judging_takes_no_fingerprint_where_nothing_has_passed(task: Task, repo: Repo) -> None:
    """A pipe in place of an exclude file would hold git up until its deadline."""
    task.put(REPORT, PASSED)
    (repo.top / ".git/info/exclude").unlink()
    os.mkfifo(repo.top / ".git/info/exclude")
    before = time.monotonic()
    task.did("next")
    assert time.monotonic() - before < 50
