"""The lines that clients run: whatever has become of the hook, no client takes what they say as a block."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.clients import lines
from rcs_hooks.clients.entries import is_ours, words_of
from tests.clients.broken import BROKEN, SILENT, stand_in
from tests.table import each_row

if TYPE_CHECKING:
    from pathlib import Path

SHELLS = [shell for shell in ("/bin/sh", "/bin/bash") if os.path.exists(shell)]
CALL = b'{"hook_event_name": "Stop", "session_id": "s1", "cwd": "/nonexistent"}'
PATIENCE = 60
# What a client blocks by: Codex and Claude Code 2, Qwen Code 2 with stderr, Gemini CLI any but 0 and 1 with any text.


def run(line: str, shell: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([shell, "-c", line], input=CALL, capture_output=True, timeout=PATIENCE, check=False)


@pytest.mark.parametrize("shell", SHELLS)
@each_row("name", BROKEN)
def test_a_hook_that_cannot_run_blocks_nothing(shell: str, name: str, tmp_path: Path) -> None:
    python = BROKEN[name](tmp_path)
    assert run(lines.hook_command(python), shell).returncode == 0
    quiet = run(lines.quiet_command(python), shell)
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, b"", b"")


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("form", lines.FORMS)
def test_a_hook_that_runs_answers(shell: str, form: object, tmp_path: Path) -> None:
    assert callable(form)
    done = run(form(sys.executable), shell)
    assert (done.returncode, done.stdout.rstrip(), done.stderr) == (0, b"{}", b"")


@pytest.mark.parametrize("shell", SHELLS)
def test_an_answer_of_any_length_and_with_any_character_comes_through_the_quiet_line(
    shell: str, tmp_path: Path
) -> None:
    text = '{"reason": "%s \\n `x` $HOME \u00e9 ' + "x" * 200_000 + '"}'
    (tmp_path / "answer").write_text(text)
    done = run(lines.quiet_command(stand_in(tmp_path, f"cat '{tmp_path}/answer'")), shell)
    assert done.stdout.decode() == text


def wait_for(file: Path) -> None:
    ends = time.monotonic() + PATIENCE
    while not file.exists():
        assert time.monotonic() < ends
        time.sleep(0.01)


@pytest.mark.parametrize("shell", SHELLS)
@each_row("name", SILENT)
def test_a_client_that_kills_the_shell_alone_waits_for_nobody(shell: str, name: str, tmp_path: Path) -> None:
    hook = stand_in(tmp_path, f"echo $$ > '{tmp_path}/started'; {SILENT[name]}")
    line, pipe = lines.quiet_command(hook), subprocess.PIPE
    with subprocess.Popen([shell, "-c", line], stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True) as process:
        try:
            wait_for(tmp_path / "started")
            process.terminate()
            assert process.communicate(timeout=PATIENCE) == (b"", b"")
            assert process.returncode == -signal.SIGTERM
        finally:
            os.killpg(process.pid, signal.SIGKILL)


@each_row(
    ("words", "python"),
    [
        ([], None),
        (["/a b/python3"], None),
        (["/a b/python3", *lines.HOOK_OPTIONS], None),
        (["/a b/python3", *lines.HOOK_OPTIONS, "||", "exit", "1"], None),
        (["/a b/python3", *lines.HOOK_OPTIONS, *lines.GUARD], "/a b/python3"),
        ([*lines.BEFORE, "/a b/python3", *lines.HOOK_OPTIONS, *lines.AFTER], "/a b/python3"),
        ([*lines.BEFORE, "/a b/python3", *lines.HOOK_OPTIONS], None),
        ([*lines.BEFORE], None),
    ],
)
def test_the_python_of_a_line_is_known(words: list[str], python: str | None) -> None:
    assert lines.interpreter_of(words) == python


def test_a_quiet_line_that_does_more_is_not_ours() -> None:
    line = lines.quiet_command("/a b/python3")
    assert lines.interpreter_of(words_of({"command": line})) == "/a b/python3"
    assert is_ours({"command": line})
    assert lines.interpreter_of(words_of({"command": f"{line}; say done"})) is None
    assert lines.interpreter_of(words_of({"command": line.replace("printf", "eval")})) is None
