"""The lines that clients run: whatever has become of the hook, no client takes what they say as a block."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rcs_hooks.clients import lines
from tests.table import each_row

SHELLS = [shell for shell in ("/bin/sh", "/bin/bash") if os.path.exists(shell)]
CALL = b'{"hook_event_name": "Stop", "session_id": "s1", "cwd": "/"}'
PATIENCE = 60


def stand_in(folder: Path, text: str) -> str:
    """A program in place of Python, which does as the text says."""
    path = folder / "bin of mine" / "python3"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def not_executable(folder: Path) -> str:
    path = stand_in(folder, "exit 0")
    Path(path).chmod(0o644)
    return path


def dangling(folder: Path) -> str:
    path = folder / "python3"
    path.symlink_to(folder / "gone")
    return str(path)


def a_folder(folder: Path) -> str:
    (folder / "python3").mkdir()
    return str(folder / "python3")


def without_interpreter(folder: Path) -> str:
    path = stand_in(folder, "")
    Path(path).write_text("#!/gone/interpreter\n")
    return path


def without_package(folder: Path) -> str:
    """A Python that runs and does not find the package."""
    return stand_in(folder, f"exec {shlex.quote(sys.executable)} -I -S -c 'import rcs_hooks'")


def gone(folder: Path) -> str:
    return str(folder / "gone" / "python3")


def ending_with(status: int) -> Callable[[Path], str]:
    return lambda folder: stand_in(folder, f"echo why >&2; exit {status}")


BROKEN: dict[str, Callable[[Path], str]] = {
    "Python is gone": gone,
    "a dangling link": dangling,
    "not executable": not_executable,
    "a folder": a_folder,
    "its interpreter is gone": without_interpreter,
    "the package is gone": without_package,
    **{f"exit {status}": ending_with(status) for status in (0, 1, 2, 3, 126, 127)},
}
# What a client blocks by: Codex and Claude Code 2, Qwen Code 2 with stderr, Gemini CLI any but 0 and 1 with any text.


def run(line: str, shell: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([shell, "-c", line], input=CALL, capture_output=True, timeout=PATIENCE, check=False)


@pytest.mark.parametrize("shell", SHELLS)
@each_row("name", BROKEN)
def test_a_hook_that_cannot_run_blocks_nothing(shell: str, name: str, tmp_path: Path) -> None:
    python = BROKEN[name](tmp_path)
    assert run(lines.hook_command(python), shell).returncode == 0
    quiet = run(lines.quiet_command(python), shell)
    assert (quiet.stdout, quiet.stderr) == (b"", b"")


@pytest.mark.parametrize("shell", SHELLS)
def test_a_killed_hook_blocks_nothing(shell: str, tmp_path: Path) -> None:
    killed = stand_in(tmp_path, "kill -KILL $$")
    assert run(lines.hook_command(killed), shell).returncode == 0
    quiet = run(lines.quiet_command(killed), shell)
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (-signal.SIGKILL, b"", b"")


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("form", lines.FORMS)
def test_a_hook_that_runs_answers(shell: str, form: object, tmp_path: Path) -> None:
    assert callable(form)
    done = run(form(sys.executable), shell)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"{}\n", b"")


@pytest.mark.parametrize("shell", SHELLS)
def test_the_quiet_line_becomes_the_hook_so_that_killing_the_shell_ends_it(shell: str, tmp_path: Path) -> None:
    hook = stand_in(tmp_path, "echo $$; exec sleep 600")
    process = subprocess.Popen([shell, "-c", lines.quiet_command(hook)], stdout=subprocess.PIPE)
    assert process.stdout
    assert int(process.stdout.readline()) == process.pid
    process.terminate()
    assert process.stdout.read() == b""  # nobody holds the pipe
    assert process.wait(PATIENCE) == -signal.SIGTERM
    process.stdout.close()


@each_row(
    ("words", "python"),
    [
        ([], None),
        (["/a b/python3"], None),
        (["/a b/python3", *lines.HOOK_OPTIONS], None),
        (["/a b/python3", *lines.HOOK_OPTIONS, "||", "exit", "1"], None),
        (["/a b/python3", *lines.HOOK_OPTIONS, *lines.GUARD], "/a b/python3"),
        (["test", "-x", "/x", *lines.GUARD], None),
    ],
)
def test_the_python_of_a_line_is_known(words: list[str], python: str | None) -> None:
    assert lines.interpreter_of(words) == python


def test_a_quiet_line_that_tests_one_python_and_runs_another_is_not_ours() -> None:
    from rcs_hooks.clients.entries import words_of

    line = lines.quiet_command("/a b/python3")
    assert lines.interpreter_of(words_of({"command": line})) == "/a b/python3"
    other = line.replace("exec '/a b/python3'", "exec /evil/python3")
    assert other != line
    assert lines.interpreter_of(words_of({"command": other})) is None
    assert lines.interpreter_of(words_of({"command": f"{line}; say done"})) is None
