"""What was printed when Ctrl-C comes: passed on where somebody takes it, and no reason to wait where nobody does.

And what goes on until Ctrl-C ends by itself once nobody reads it.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from rcs_hooks.cli import output
from tests.support import RCS_HOOK, Workspace, clean_env

INTERRUPTED = "from rcs_hooks.cli import output; print('said'); output.interrupted()"
PATIENCE = 60


def ended(script: str, stdout: int) -> tuple[int, str]:
    with subprocess.Popen(
        [sys.executable, "-E", "-c", script], stdout=stdout, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            return process.wait(PATIENCE), process.communicate()[1]
        finally:
            process.kill()


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


def test_what_was_printed_before_ctrl_c_is_passed_on(pipe: tuple[int, int]) -> None:
    assert ended(INTERRUPTED, pipe[1]) == (0, "")
    assert os.read(pipe[0], 100) == b"said\n"
    assert ended(f"import sys; sys.stdout = None; {INTERRUPTED}", pipe[1]) == (0, "")


def test_ctrl_c_does_not_wait_for_a_pipe_that_nobody_reads(pipe: tuple[int, int]) -> None:
    os.set_blocking(pipe[1], False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(pipe[1], b"x" * 512)
    os.set_blocking(pipe[1], True)
    assert ended(INTERRUPTED, pipe[1]) == (0, "")


# --- nobody reads any more


def test_a_pause_ends_as_soon_as_nobody_reads_stdout(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        output.pause(0.01)
        timer = threading.Timer(0.05, os.close, [reading])
        timer.start()
        with pytest.raises(BrokenPipeError):
            output.pause(PATIENCE)
        timer.join()


@pytest.mark.slow
@pytest.mark.parametrize("line", ["log --follow", "watch"])
def test_a_live_view_ends_with_the_program_that_reads_it(line: str, workspace: Workspace) -> None:
    workspace.now = time.time()
    env = clean_env(HOME=str(workspace.root), RCS_DB=str(workspace.root / "runs.db"))
    command = [str(RCS_HOOK.with_name("rcs")), *line.split()]
    with subprocess.Popen(command, stdout=-1, stderr=-1, cwd=workspace.root, env=env) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.wait(PATIENCE) == 0
        assert process.stderr.read() == b""
