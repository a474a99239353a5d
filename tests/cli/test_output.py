"""What was printed when Ctrl-C comes: passed on where somebody takes it, and no reason to wait where nobody does."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

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


def test_ctrl_c_does_not_wait_for_a_pipe_that_nobody_reads(pipe: tuple[int, int]) -> None:
    os.set_blocking(pipe[1], False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(pipe[1], b"x" * 512)
    os.set_blocking(pipe[1], True)
    assert ended(INTERRUPTED, pipe[1]) == (0, "")


def test_ctrl_c_where_nobody_reads_any_more_or_stdout_is_closed_is_no_error(pipe: tuple[int, int]) -> None:
    assert ended(f"import sys; sys.stdout = None; {INTERRUPTED}", pipe[1]) == (0, "")
    reader, writer = os.pipe()
    os.close(reader)
    assert ended(INTERRUPTED, writer) == (0, "")
    os.close(writer)


NO_MORE_FILES = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))"


@pytest.mark.parametrize("does", ["interrupted", "abandoned"])
def test_where_no_more_files_can_be_opened_nothing_else_goes_wrong(does: str, pipe: tuple[int, int]) -> None:
    assert ended(f"from rcs_hooks.cli import output; {NO_MORE_FILES}; output.{does}()", pipe[1]) == (0, "")
