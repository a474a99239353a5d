"""A command that is run for a proof: its status, its output, and how it ends."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.proof.programs import LONG, RUNNER, is_alive, runner_env, wait_for
from tests.table import each_row

Ended = subprocess.CompletedProcess[bytes]


def run(folder: Path, *argv: str, limit: float | None = None, **options: Any) -> tuple[dict[str, Any], Ended]:
    """Run a command to its end; return what came of it, and what the whole program wrote."""
    extra = options.pop("extra", {}) | ({"LIMIT": str(limit)} if limit else {})
    streams: dict[str, Any] = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE) | {"stdin": subprocess.DEVNULL}
    streams |= options
    done: Ended = subprocess.run(
        [*RUNNER, *argv], cwd=folder, env=runner_env(folder, **extra), timeout=LONG, check=False, **streams
    )
    return json.loads((folder / "result.json").read_text()), done


def start(folder: Path, *argv: str, **options: Any) -> subprocess.Popen[bytes]:
    """Start a command; `finish` waits for its end."""
    extra = options.pop("extra", {})
    streams: dict[str, Any] = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE) | {"stdin": subprocess.DEVNULL}
    streams |= options
    program: subprocess.Popen[bytes] = subprocess.Popen(
        [*RUNNER, *argv], cwd=folder, env=runner_env(folder, **extra), **streams
    )
    return program


def finish(folder: Path, program: subprocess.Popen[bytes]) -> tuple[dict[str, Any], bytes]:
    out, _ = program.communicate(timeout=LONG)
    return json.loads((folder / "result.json").read_text()), out


def pid_in(path: Path) -> int:
    """Wait for a file with the id of a process."""
    wait_for(lambda: path.exists() and path.read_text().endswith("\n"), f"{path.name}")
    return int(path.read_text())


EXITS: list[tuple[tuple[str, ...], int, int]] = [
    (("true",), 0, 0),
    (("sh", "-c", "exit 3"), 3, 0),
    (("sh", "-c", "kill -SEGV $$"), 128 + signal.SIGSEGV, signal.SIGSEGV),
    (("sh", "-c", "kill -KILL 0"), 128 + signal.SIGKILL, signal.SIGKILL),
]


@pytest.mark.slow
@each_row("argv, code, number", EXITS)
def test_the_exit_status_is_the_commands_own(tmp_path: Path, argv: tuple[str, ...], code: int, number: int) -> None:
    ran, done = run(tmp_path, *argv)
    assert (ran["exit"], ran["signal"], ran["timed_out"], done.returncode) == (code, number, False, code)
    assert b"Traceback" not in done.stderr


UNRUNNABLE = [
    (("no-such-command",), "CommandNotFound", "there is no command `no-such-command`"),
    (("",), "CommandNotFound", "the command is an empty word"),
    (
        ("pytest -q",),
        "CommandNotFound",
        "there is no command `pytest -q`; a line for a shell is run by: sh -c '…'",
    ),
    (("cd", "src"), "CommandNotFound", "there is no command `cd`; a line for a shell is run by: sh -c '…'"),
    (("./lost",), "CommandNotFound", "`./lost` cannot be run: its first line names a program that is not there"),
    (("./plain",), "NotRunnable", "`./plain` cannot be run: permission denied"),
    (("./plain/below",), "NotRunnable", "`./plain/below` cannot be run: not a directory"),
]


@pytest.mark.slow
@each_row("argv, error, says", UNRUNNABLE, ids=[row[0][0] for row in UNRUNNABLE])
def test_what_cannot_be_run_is_told_from_what_is_not_there(
    tmp_path: Path, argv: tuple[str, ...], error: str, says: str
) -> None:
    (tmp_path / "plain").write_text("")
    (tmp_path / "lost").write_text("#!/no/such/program\n")
    (tmp_path / "lost").chmod(0o755)
    ran, _ = run(tmp_path, *argv)
    assert ran == {"refused": error, "says": says}


def test_a_script_without_a_first_line_is_run_as_every_shell_runs_it(tmp_path: Path) -> None:
    (tmp_path / "check").write_text('echo "$1"; exit 4\n')
    (tmp_path / "check").chmod(0o755)
    assert run(tmp_path, "./check", "by path")[1].stdout == b"by path\n"
    ran, done = run(tmp_path, "check", "by name", extra={"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert (ran["exit"], done.stdout) == (4, b"by name\n")


def test_the_command_has_our_stdin_folder_and_environment(tmp_path: Path) -> None:
    done = subprocess.run(
        [*RUNNER, "sh", "-c", 'cat; pwd; echo "$COLOUR"'],
        input=b"typed ",
        cwd=tmp_path,
        env=runner_env(tmp_path, COLOUR="green"),
        capture_output=True,
        timeout=LONG,
        check=True,
    )
    assert done.stdout.decode() == f"typed {tmp_path}\ngreen\n"


# --- output


def test_output_is_passed_on_as_it_comes(tmp_path: Path) -> None:
    program = start(tmp_path, "sh", "-c", "printf first; while [ ! -e go ]; do sleep 0.01; done; printf second")
    assert program.stdout
    assert os.read(program.stdout.fileno(), 100) == b"first"
    (tmp_path / "go").touch()
    ran, rest = finish(tmp_path, program)
    assert (rest, ran["tail"]) == (b"second", "firstsecond")


def test_all_output_goes_to_stderr_where_stdout_is_for_json(tmp_path: Path) -> None:
    _, done = run(tmp_path, "sh", "-c", "echo out; echo err >&2", extra={"TO_STDERR": "1"})
    assert (done.stdout, done.stderr) == (b"", b"out\nerr\n")


def test_output_of_any_size_is_passed_on_to_the_byte_and_its_end_is_kept(tmp_path: Path) -> None:
    times = 150_000
    code = f"import sys; sys.stdout.buffer.write(bytes(range(256)) * {times})"
    with (tmp_path / "out").open("wb") as file:
        ran, _ = run(tmp_path, sys.executable, "-c", code, stdout=file)
    data = bytes(range(256)) * times
    assert hashlib.sha256((tmp_path / "out").read_bytes()).digest() == hashlib.sha256(data).digest()
    assert ran["tail"].encode("latin-1") == data[-4096:]


def test_a_reader_that_leaves_does_not_end_the_command(tmp_path: Path) -> None:
    program = start(tmp_path, "sh", "-c", "seq 100000; echo end >end; exit 3", stderr=subprocess.DEVNULL)
    assert program.stdout
    os.read(program.stdout.fileno(), 10)
    program.stdout.close()
    assert program.wait(LONG) == 3
    ran = json.loads((tmp_path / "result.json").read_text())
    assert (tmp_path / "end").exists()
    assert ran["tail"].endswith("\n100000\n")
    assert ran["output_lost"] == ""


def test_a_full_disk_does_not_end_the_command_and_is_told(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        ran, done = run(tmp_path, "sh", "-c", "echo x; exit 3", stdout=full)
    assert (done.returncode, ran["tail"], ran["output_lost"]) == (3, "x\n", "no space left on device")


CLOSED = [("stdin", "<&-"), ("stdout", ">&-"), ("stderr", "2>&-"), ("all", "<&- >&- 2>&-")]


@each_row("what, how", CLOSED, ids=[row[0] for row in CLOSED])
def test_a_closed_stream_is_no_trouble(tmp_path: Path, what: str, how: str) -> None:
    line = f"exec {shlex.join(RUNNER)} sh -c 'cat; echo out; echo err >&2; exit 3' {how}"
    done = subprocess.run(["sh", "-c", line], cwd=tmp_path, env=runner_env(tmp_path), timeout=LONG, check=False)
    assert done.returncode == 3, what
    ran = json.loads((tmp_path / "result.json").read_text())
    assert sorted(ran["tail"].split()) == ["err", "out"]


def test_what_the_command_leaves_behind_is_not_waited_for_and_lives_on(tmp_path: Path) -> None:
    ran, done = run(tmp_path, "sh", "-c", "sleep 1000 & echo $! >pid; echo started")
    pid = pid_in(tmp_path / "pid")
    try:
        assert (ran["exit"], done.stdout) == (0, b"started\n")
        assert is_alive(pid)
    finally:
        os.kill(pid, signal.SIGKILL)


# --- its end


@pytest.mark.slow
def test_a_command_that_takes_too_long_is_ended_with_all_that_it_has_started(tmp_path: Path) -> None:
    ran, done = run(tmp_path, "sh", "-c", "sleep 1000 & echo $! >pid; echo begun; wait", limit=2)
    assert (ran["exit"], ran["timed_out"], ran["is_interrupted"]) == (124, True, False)
    assert done.stdout == b"begun\n"
    assert not is_alive(pid_in(tmp_path / "pid"))


PASSED_ON = [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT]


@pytest.mark.slow
@each_row("number", PASSED_ON, ids=[each.name for each in PASSED_ON])
def test_a_signal_to_us_is_passed_on(tmp_path: Path, number: signal.Signals) -> None:
    program = start(tmp_path, "sh", "-c", "sleep 1000 & echo $! >pid; wait")
    pid = pid_in(tmp_path / "pid")
    program.send_signal(number)
    ran, _ = finish(tmp_path, program)
    assert (program.returncode, ran["signal"], ran["is_interrupted"]) == (128 + number, number, True)
    if number in (signal.SIGTERM, signal.SIGHUP):  # a shell lets what it starts in the background ignore the others
        wait_for(lambda: not is_alive(pid), "the end of what the command had started")
    else:
        os.kill(pid, signal.SIGKILL)


def test_a_command_that_ends_in_peace_because_it_is_told_to_has_not_passed(tmp_path: Path) -> None:
    program = start(tmp_path, "sh", "-c", "trap 'exit 0' TERM; echo $$ >pid; while :; do sleep 0.01; done")
    pid_in(tmp_path / "pid")
    program.terminate()
    ran, _ = finish(tmp_path, program)
    assert (ran["exit"], ran["is_interrupted"]) == (128 + signal.SIGTERM, True)


@pytest.mark.slow
def test_a_command_that_heeds_no_signal_is_killed(tmp_path: Path) -> None:
    ran, _ = run(tmp_path, "sh", "-c", "trap '' TERM; echo $$ >pid; while :; do sleep 0.01; done", limit=2)
    assert (ran["exit"], ran["timed_out"]) == (124, True)
    assert not is_alive(pid_in(tmp_path / "pid"))
