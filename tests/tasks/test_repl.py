"""`rcs task repl`: the same commands with a slash, line after line, for one task."""

from __future__ import annotations

import os
import pty
import select
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support import few
from tests.table import each_row
from tests.tasks.paths import PLAN, PLAN_REVIEW
from tests.tasks.rows import CODE_FILES, WHOLE_PLAN
from tests.tasks.support import RCS, Done, Task


def piped(task: Task, *lines: str) -> Done:
    return task.rcs("task", "repl", task.name, stdin="".join(f"{line}\n" for line in lines))


def test_a_task_is_led_by_lines(task: Task) -> None:
    task.did("new")
    task.put(PLAN, WHOLE_PLAN)
    task.put(PLAN_REVIEW, {"ok": True, "blocked": False})
    done = piped(task, "/status", "/review plan", "/next", '/next --override "I accept the risk"', "/redo", "/quit")
    assert done.status == 0, done
    assert task.story == [
        ("transition", None, "planning"),
        ("transition", "planning", "plan_review"),
        ("transition", "plan_review", "codegen"),
        ("override", "codegen", "review"),
        ("redo", "review", "review"),
    ]
    assert task.transcript[3]["reason"] == "I accept the risk"


def test_it_ends_where_its_input_ends(task: Task) -> None:
    task.did("new")
    assert piped(task, "/redo").status == 0
    assert task.round("planning") == 2
    assert task.rcs("task", "repl", "t1", stdin="").status == 0


def test_nothing_behind_quit_is_done(task: Task) -> None:
    task.did("new")
    piped(task, "/quit", "/redo")
    assert task.round("planning") == 1


@each_row(
    "line",
    [
        "/test", "/next", "/nonsense", "/", "plan", "/review", "/review nothing", "/next --overide x",
        '/next --override "open', "/next --override ' '", "/redo --phase nowhere", "/accept --decision maybe",
        "/plan extra words", "\x1b[A", "/ü",
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


def test_an_empty_line_says_nothing(task: Task) -> None:
    task.did("new")
    assert piped(task, "", "   ", "/status").out == piped(task, "/status").out


@pytest.mark.slow
def test_bytes_that_are_no_text_do_not_end_it(task: Task) -> None:
    task.did("new")
    done = subprocess.run(
        [*RCS, "task", "repl", "t1"], input=b"/\xff\xfe\n\x00\n/redo\n", capture_output=True, cwd=task.root,
        env=task.env(), timeout=60, check=False,
    )  # fmt: skip
    assert b"Traceback" not in done.stderr
    assert task.round("planning") == 2


def test_a_task_that_breaks_meanwhile_does_not_end_it(task: Task) -> None:
    task.did("new")
    task.put("state.json", "{")
    done = piped(task, "/status", "/next", "/quit")
    assert done.status in (0, 1)
    assert (done.out + done.err).count("state.json: not JSON") == 2


SAME: dict[str, tuple[str, str]] = {
    "status": ("status", "/status"),
    "next refused": ("next", "/next"),
    "override": ('next --override "why not"', '/next --override "why not"'),
    "skipping": ("test", "/test"),
    "here already": ("plan", "/plan"),
    "redo": ("redo", "/redo"),
    "json": ("status --json", "/status --json"),
}


@pytest.mark.parametrize("name", few(SAME))
def test_both_say_and_do_the_same(tmp_path: Path, name: str) -> None:
    typed, slashed = SAME[name]
    tasks = []
    for folder in ("cli", "repl"):
        (tmp_path / folder).mkdir()
        tasks.append(Task(tmp_path / folder).at("planning", {PLAN: {}, **CODE_FILES}))
    command, *options = shlex.split(typed)
    one, two = tasks[0].program(command, *options), piped(tasks[1], slashed)
    assert (two.out + two.err).replace("/repl/", "/cli/") == (one.out + one.err)
    assert [{**line, "ts": ""} for line in tasks[0].transcript] == [{**line, "ts": ""} for line in tasks[1].transcript]
    assert tasks[0].phase == tasks[1].phase


# --- as a person types it


PATIENCE = 60.0
ON_TERMINAL = "import os, sys; os.login_tty(os.open(sys.argv[1], os.O_RDWR)); os.execv(sys.argv[2], sys.argv[2:])"


class Terminal:
    """The program with a controlling terminal of its own, so that ctrl-c arrives as a signal."""

    def __init__(self, task: Task) -> None:
        self.master, slave = pty.openpty()
        self.child = subprocess.Popen(
            [sys.executable, "-c", ON_TERMINAL, os.ttyname(slave), *RCS, "task", "repl", task.name],
            cwd=task.root,
            env=task.env(TERM="xterm"),
        )
        self._slave = slave
        self.seen = ""

    def comes(self, text: str, seconds: float) -> bool:
        """Reads until the text appears, and forgets what came before it."""
        deadline = time.monotonic() + seconds
        while text not in self.seen:
            ready, _, _ = select.select([self.master], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                return False
            self.seen += os.read(self.master, 65536).decode(errors="replace")
        self.seen = self.seen.partition(text)[2]
        return True

    def until(self, text: str) -> None:
        assert self.comes(text, PATIENCE), f"{text!r} does not come; seen: {self.seen!r}"

    def interrupts(self, text: str) -> None:
        """Types ctrl-c, and again where Python missed it: it does, right before it begins to wait for a key."""
        for _ in range(120):
            self.types("\x03")
            if self.comes(text, 0.5):
                return
        raise AssertionError(f"{text!r} does not come; seen: {self.seen!r}")

    def types(self, text: str) -> None:
        os.write(self.master, text.encode())

    def ends(self) -> int:
        return self.child.wait(PATIENCE)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.child.kill()
        self.child.wait()
        os.close(self._slave)
        os.close(self.master)


PROMPT = "t1 planning> "


@pytest.mark.slow
def test_the_arrow_brings_the_last_line_back_and_a_ctrl_c_ends_no_more_than_the_line(task: Task) -> None:
    task.did("new")
    with Terminal(task) as terminal:
        terminal.until(PROMPT)
        terminal.types("/redo\r")
        terminal.until(PROMPT)
        terminal.types("\x1b[A\r")
        terminal.until(PROMPT)
        assert task.round("planning") == 3
        terminal.types("/re")
        terminal.until("/re")
        terminal.interrupts(PROMPT)
        terminal.types("/quit\r")
        assert terminal.ends() == 0
    assert task.round("planning") == 3


@pytest.mark.slow
def test_the_prompt_says_where_the_task_is(task: Task) -> None:
    task.did("new")
    with Terminal(task) as terminal:
        terminal.until(PROMPT)
        terminal.types('/next --override "on"\r')
        terminal.until("t1 plan_review> ")
        terminal.types("\x04")
        assert terminal.ends() == 0
