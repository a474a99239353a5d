"""`rcs prove` as a whole: each exit status, what is recorded, what is said, and its JSON."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.config.support import WHOLE
from tests.proof.programs import LONG, wait_for
from tests.proof.repositories import Repo
from tests.support import RCS_HOOK, Record, Workspace, clean_env, run_rcs
from tests.table import each_row

RCS = str(RCS_HOOK.with_name("rcs"))
TYPED = shlex.quote(RCS)
"""As a shell reads it: a checkout may be in a folder whose name has a blank."""


class Bench:
    """A person with a home and a repository, in which forge is in its last phase."""

    def __init__(self, folder: Path, mode: str = "forge", phase: str = "verifying") -> None:
        self.home, self.root = folder / "home", folder / "work"
        self.home.mkdir()
        self.repo = Repo(self.root)
        self.env = clean_env(HOME=str(self.home), RCS_DB=str(folder / "runs.db"))
        self.path = self.root / f".rcs/state/sessions/s1/{mode}-state.json"
        Workspace(self.root, now=time.time()).prompt(f"${mode} fix the ledger")
        self.record(current_phase=phase)

    def rcs(self, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        return run_rcs(*words, cwd=self.root, env=self.env | env)

    def whole(self, *words: str, stdin: bytes = b"", **env: str) -> subprocess.CompletedProcess[bytes]:
        """`rcs` as a process."""
        return subprocess.run(
            [RCS, *words],
            cwd=self.root,
            env=self.env | env,
            input=stdin,
            capture_output=True,
            timeout=LONG,
            check=False,
        )

    def record(self, **fields: object) -> None:
        self.path.write_text(json.dumps(json.loads(self.path.read_text()) | fields))

    def read(self) -> Record:
        record: Record = json.loads(self.path.read_text())
        return record

    def proof(self) -> Record:
        found: Record = self.read().get("proof", {})
        return found

    def settings(self, text: str) -> None:
        """Write `rcs.toml`, and trust it as a person does."""
        (self.root / "rcs.toml").write_text(text)
        assert self.rcs("config", "trust").returncode == 0


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


SH = ("--", "sh", "-c")
STATE = ".rcs/state/sessions/s1/forge-state.json"
EXITS: list[tuple[tuple[str, ...], int, bool, str]] = [
    # words, exit status, whether it is recorded, a part of what is said
    (("--", "true"), 0, True, "forge: `true` passed"),
    ((*SH, "exit 3"), 3, True, "forge: unproven: `sh -c 'exit 3'` failed (exit 3)"),
    ((*SH, "exit 125"), 125, True, "failed (exit 125)"),
    ((*SH, "kill -KILL $$"), 137, True, "failed (exit 137)"),
    ((*SH, "echo >>a.txt"), 0, True, "changed a.txt"),
    (("--finish", "--", "true"), 0, True, "forge: finished, proven by `true`"),
    (("--finish", *SH, "exit 3"), 3, True, "failed (exit 3)"),
    (("--finish", *SH, "echo >>a.txt"), 1, True, "changed a.txt"),
    (("--finish", "--timeout", "1s", "--", "sleep", "9"), 124, True, "`sleep 9` timed out"),
    (("--", "no-such-command", "--json"), 127, False, "rcs: there is no command `no-such-command`\n"),
    (("--", "./a.txt"), 126, False, "`./a.txt` cannot be run: permission denied"),
    (("--", "true && true"), 127, False, "a line for a shell is run by: sh -c '…'"),
    (("--finish", "--"), 125, False, "there is no command to run; name one: rcs prove -- COMMAND"),
    (("--finish", "make", "a b"), 2, False, "write `--` before the command: rcs prove --finish -- make 'a b'"),
    (("--timeout", "soon", "--", "true"), 2, False, "--timeout 'soon': expected a time from 1s to 24h"),
    (("--mode", "nonsense", "--", "true"), 125, False, "'nonsense' is not a workflow mode"),
    (("--mode", "team", "--", "true"), 125, False, "the command was not run"),
    (("--session", "s9", "--", "true"), 125, False, "nothing runs in session s9"),
    (("--session", "../s1", "--", "true"), 125, False, "../s1"),
    ((*SH, f"rm {STATE}"), 125, False, "but was not recorded"),
    ((*SH, "rm -r .rcs/state; exit 4"), 4, False, "but was not recorded"),
]


@each_row(("words", "code", "is_recorded", "says"), EXITS)
def test_each_exit_status(words: tuple[str, ...], code: int, is_recorded: bool, says: str, tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    done = bench.rcs("prove", *words)
    assert (done.returncode, done.stdout) == (code, "")
    assert says in done.stderr
    assert (bench.path.exists() and bool(bench.proof())) is is_recorded
    finished = bench.path.exists() and bench.read().get("lifecycle_outcome") == "finished"
    assert finished is ("--finish" in words and code == 0)


def test_a_process_ends_with_the_same_status_and_passes_on_its_environment(bench: Bench) -> None:
    done = bench.whole("prove", *SH, "echo $COLOUR; cat; exit 3", COLOUR="green", stdin=b"in")
    assert (done.returncode, done.stdout) == (3, b"green\nin")


def test_a_command_that_nobody_trusts_is_named_and_not_run(bench: Bench) -> None:
    (bench.root / "rcs.toml").write_text("[proof]\ncommand = 'touch ran'\n")
    done = bench.rcs("prove", "--json")
    assert (done.returncode, done.stdout) == (125, "")
    named = "rcs.toml names `touch ran`, which is not trusted; a person who has looked at it types: rcs config trust"
    assert named in json.loads(done.stderr)["message"]
    assert not (bench.root / "ran").exists()
    assert bench.rcs("prove", "--", "true").returncode == 0
    assert bench.proof()["command"] == "true"


@each_row("words", [(), ("--finish",)])
def test_a_disk_that_is_full_costs_the_proof_and_is_said(words: tuple[str, ...], tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    line = f"ulimit -f 0; exec {TYPED} prove {' '.join(words)} -- true"
    done = subprocess.run(
        ["sh", "-c", line], cwd=bench.root, env=bench.env, capture_output=True, text=True, timeout=LONG, check=False
    )
    assert done.returncode == (1 if words else 125)
    assert "the command ended with exit status 0, but was not recorded: file too large" in done.stderr
    assert (bench.proof(), bench.read()["active"]) == ({}, True)


# --- JSON


def test_json_is_one_line_and_the_output_is_on_stderr(bench: Bench) -> None:
    done = bench.whole("prove", "--finish", "--json", *SH, "echo out; echo err >&2")
    assert done.returncode == 0
    assert done.stdout.count(b"\n") == 1
    assert done.stderr.startswith(b"out\nerr\nrcs: forge: finished, proven by ")
    answer = json.loads(done.stdout)
    assert list(answer)[:7] == ["ok", "command", "exit", "seconds", "tree", "at", "proof"]
    assert answer["ok"] is True
    assert answer["command"] == "sh -c 'echo out; echo err >&2'"
    assert (answer["exit"], answer["proof"], answer["finished"], answer["modes"]) == (0, "proven", True, ["forge"])
    proof = bench.proof()
    assert (answer["tree"], answer["at"], answer["seconds"]) == (proof["tree"], proof["at"], proof["seconds"])
    assert answer["message"] in done.stderr.decode().replace("rcs: ", "")


# --- which command counts


def test_without_a_command_that_of_the_project_is_run_in_its_root(bench: Bench) -> None:
    bench.settings('[proof]\ncommand = "pwd >where; test -e run.sh"\ntimeout = "5m"\n')
    (bench.root / "deep").mkdir()
    done = run_rcs("prove", "--finish", cwd=bench.root / "deep", env=bench.env)
    assert (done.returncode, (bench.root / "where").read_text()) == (0, f"{bench.root}\n")
    assert bench.proof()["command"] == "pwd >where; test -e run.sh"
    assert bench.read()["lifecycle_outcome"] == "finished"


RUN = f"run: {TYPED} prove --mode forge --session s1\n"
RUN_TO_FINISH = f"run: {TYPED} prove --finish --mode forge --session s1\n"
NOT_A_PROOF = "rcs: not a proof: rcs.toml names `make check`; "
OTHERS = [(("--", "true"), 0), (("--finish", "--", "true"), 1), (("--finish", *SH, "exit 3"), 3)]


@each_row("words, code", OTHERS)
def test_another_command_than_that_of_the_project_runs_and_is_no_proof(
    tmp_path: Path, words: tuple[str, ...], code: int
) -> None:
    bench = Bench(tmp_path)
    bench.settings(WHOLE)
    done = bench.rcs("prove", *words)
    assert (done.returncode, done.stderr) == (code, NOT_A_PROOF + (RUN_TO_FINISH if "--finish" in words else RUN))
    assert (bench.proof(), bench.read()["active"]) == ({}, True)
    answer = json.loads(bench.rcs("prove", "--json", *words).stdout)
    assert (answer["ok"], answer["proof"], answer["tree"], answer["modes"]) == (False, "unproven", None, [])


def test_a_trusted_file_that_was_edited_leaves_nothing_that_proves(bench: Bench) -> None:
    bench.settings('[proof]\ncommand = "false"\nrequired = true\n')
    (bench.root / "rcs.toml").write_text('[proof]\ncommand = "true"\n')
    done = bench.rcs("prove", "--finish", "--", "true")
    assert (done.returncode, "not a proof: rcs.toml has changed since it was trusted" in done.stderr) == (1, True)
    assert "proof" not in bench.read()
    (bench.root / "rcs.toml").unlink()
    assert bench.rcs("prove", "--", "true").returncode == 0
    assert "proof" not in bench.read()
    done = bench.rcs("prove")
    assert (done.returncode, "rcs config trust" in done.stderr) == (125, True)


# --- its end


def test_a_command_that_was_interrupted_is_not_recorded(bench: Bench) -> None:
    bench.rcs("prove", "--", "true")
    before = bench.read()
    program = subprocess.Popen(
        [RCS, "prove", "--json", *SH, "touch begun; exec sleep 1000"],
        cwd=bench.root,
        env=bench.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    wait_for((bench.root / "begun").exists, "the command")
    program.terminate()
    out, err = program.communicate(timeout=LONG)
    assert program.returncode == 128 + signal.SIGTERM
    assert err == b"rcs: interrupted by SIGTERM, so nothing was recorded\n"
    assert json.loads(out)["ok"] is False
    assert bench.read() == before


def test_where_nothing_can_be_recorded_the_command_is_not_run(bench: Bench, tmp_path: Path) -> None:
    sandbox = ("unshare", "-rm", "sh", "-c")
    if subprocess.run([*sandbox, "true"], capture_output=True, timeout=LONG, check=False).returncode:
        pytest.skip("needs namespaces")
    read_only = f"mount --bind -o ro . .; mount -o remount,bind,ro .; cd {bench.root}"
    line = f"{read_only}; exec {TYPED} prove -- touch {tmp_path}/ran"
    done = subprocess.run([*sandbox, line], cwd=bench.root, env=bench.env, capture_output=True, text=True, check=False)
    says = "rcs: nothing can be recorded here (read-only file system), so the command was not run\n"
    assert (done.returncode, done.stderr) == (125, says)
    assert not (tmp_path / "ran").exists()
