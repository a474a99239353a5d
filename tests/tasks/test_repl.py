"""`rcs task repl`: the same commands with a slash, line after line, for one task."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys

import pytest

from tests.table import each_row
from tests.tasks.paths import PLAN, PLAN_REVIEW
from tests.tasks.rows import WHOLE_PLAN
from tests.tasks.support import RCS, Done, Task


def piped(task: Task, *lines: str) -> Done:
    return task.rcs("task", "repl", task.name, stdin="".join(f"{line}\n" for line in lines))


def test_a_task_is_led_by_lines(task: Task) -> None:
    task.did("new")
    task.put(PLAN, WHOLE_PLAN)
    task.put(PLAN_REVIEW, {"ok": True, "blocked": False})
    done = piped(
        task, "/status", "/review plan", "/next", '/next --override "I accept the risk"', "", "/redo", "/quit", "/redo"
    )
    assert done.status == 0, done
    assert task.story == [
        ("transition", None, "planning"),
        ("transition", "planning", "plan_review"),
        ("transition", "plan_review", "codegen"),
        ("override", "codegen", "review"),
        ("redo", "review", "review"),
    ]
    assert task.transcript[3]["reason"] == "I accept the risk"


@each_row(
    "line",
    [
        "/test", "/nonsense", "/", "plan", "/review nothing", "/next --overide x",
        '/next --override "open', "/accept --decision maybe", "\x1b[A",
    ],
    ids=ascii,
)  # fmt: skip
def test_an_error_does_not_end_it(task: Task, line: str) -> None:
    task.did("new")
    done = piped(task, line, "/redo")
    assert task.round("planning") == 2, done
    assert "Traceback" not in done.err
    assert "\x1b[A" not in done.out + done.err
    assert len((done.out + done.err).strip().splitlines()) >= 2, "what was wrong is told"


# --- as a person types it


ON_TERMINAL = "import os, sys; os.login_tty(os.open(sys.argv[1], os.O_RDWR)); os.execv(sys.argv[2], sys.argv[2:])"
"""The program with a controlling terminal of its own, so that ctrl-c arrives as a signal."""


def typed(leader: int, keys: str, text: str) -> None:
    """Type keys, and read until the text has come; a ctrl-c again, which Python misses just before it waits."""
    os.write(leader, keys.encode())
    seen = ""
    for _ in range(120):
        while text not in seen and select.select([leader], [], [], 0.5)[0]:
            seen += os.read(leader, 65536).decode(errors="replace")
        if text in seen:
            return
        if keys == "\x03":
            os.write(leader, b"\x03")
    raise AssertionError(f"{text!r} does not come; seen: {seen!r}")


@pytest.mark.slow
def test_the_prompt_says_where_the_task_is_and_a_ctrl_c_ends_no_more_than_the_line(task: Task) -> None:
    task.did("new")
    leader, follower = pty.openpty()
    words = [sys.executable, "-c", ON_TERMINAL, os.ttyname(follower), *RCS, "task", "repl", task.name]
    with subprocess.Popen(words, cwd=task.root, env=task.env(TERM="xterm")) as child:
        typed(leader, "", "t1 planning> ")
        typed(leader, "/redo", "/redo")
        typed(leader, "\x03", "t1 planning> ")
        typed(leader, '/next --override "on"\r', "t1 plan_review> ")
        os.write(leader, b"\x04")
        assert child.wait(60) == 0
    os.close(follower)
    os.close(leader)
    assert task.round("planning") == 1
