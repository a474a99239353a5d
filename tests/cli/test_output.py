"""What was printed when Ctrl-C comes: passed on where somebody takes it, and no reason to wait where nobody does.

And what goes on until Ctrl-C ends by itself once nobody reads it.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from rcs_hooks.cli import output

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
