"""`rcs hud --watch`: a page that follows the workspace, a bell when something waits, a terminal that is given back."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from rcs_hooks.cli import hud_watch
from rcs_hooks.cli.screen import GIVE_BACK, TAKE, Screen
from rcs_hooks.overview.live import LiveOverview
from rcs_hooks.state.question_service import answer, ask
from rcs_hooks.terminal.style import PLAIN
from tests.state.test_operations import at
from tests.support import RCS_HOOK, Workspace, clean_env

RCS = str(RCS_HOOK.with_name("rcs"))
PATIENCE = 60.0
ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture
def workspace(workspace: Workspace) -> Workspace:
    """A workspace with the real time, because a page has it too."""
    workspace.now = time.time() - 10
    return workspace


# --- what is drawn, and when the bell rings


class Scripted:
    """A screen on which one thing happens at each wait; then it is left by a key."""

    def __init__(self, *steps: Callable[[], object]) -> None:
        self.steps = list(steps)
        self.pages: list[list[str]] = []
        self.bells: list[bool] = []

    def size(self) -> tuple[int, int]:
        return 80, 24

    def draw(self, lines: Sequence[str], *, with_bell: bool = False) -> None:
        self.pages.append(list(lines))
        self.bells.append(with_bell)

    def wait(self, _seconds: float) -> str:
        if not self.steps:
            return "q"
        self.steps.pop(0)()
        return ""


def followed(workspace: Workspace, *steps: Callable[[], object], session: str | None = None) -> Scripted:
    """A page without colours that was followed while this happened in the workspace."""
    screen = Scripted(*steps)
    scope = at(workspace)._replace(session=None)
    live = LiveOverview({"HOME": str(workspace.root / "home")}, str(workspace.root))
    page = hud_watch.LivePage(live, scope, session, cast("Screen", screen))
    page.style = PLAIN
    try:
        assert page.follow() == 0
    finally:
        live.close()
    return screen


def asked(workspace: Workspace, session: str = "s1", text: str = "Which?") -> str:
    found: str = ask(at(workspace, session)._replace(now=time.time()), "forge", text)["question_id"]
    return found


def test_the_page_follows_what_happens(workspace: Workspace) -> None:
    workspace.prompt("$forge fix the ledger")
    screen = followed(
        workspace,
        lambda: None,
        lambda: workspace.edit("forge", current_phase="verifying"),
        lambda: workspace.prompt("$team write the guide", session="s2"),
        lambda: workspace.edit("forge", active=False, lifecycle_outcome="failed"),
    )
    assert [page[0] for page in screen.pages] == [
        "rcs: forge starting 0/50 (fix the ledger)",
        "rcs: forge starting 0/50 (fix the ledger)",
        "rcs: forge verifying 0/50 (fix the ledger)",
        "rcs: 2 working",
        "rcs: 1 working · 1 failed",
    ]
    assert screen.pages[0][2] == "Runs (1)"
    assert not any(screen.bells)


def test_the_bell_rings_once_for_each_question_and_for_none_that_was_there(workspace: Workspace) -> None:
    workspace.prompt("$forge fix the ledger")
    workspace.prompt("$forge fix the parser", session="s2")
    first = asked(workspace)
    screen = followed(
        workspace,
        lambda: None,
        lambda: asked(workspace, "s2"),
        lambda: workspace.edit("forge", "s2", iteration=1),
        lambda: answer(at(workspace)._replace(now=time.time()), first, "this", source="cli"),
        lambda: asked(workspace, text="And now?"),
    )
    assert screen.bells == [False, False, True, False, False, True]
    assert screen.pages[0][0] == "rcs: 1 waits for you · 1 working"
    assert screen.pages[-1][0] == "rcs: 2 wait for you"
    assert any("asks: And now?" in line for line in screen.pages[-1])


@pytest.mark.parametrize("name", ["forge-state.json", "questions/*.json"])
def test_the_bell_is_silent_for_a_file_that_cannot_be_read_for_a_moment(name: str, workspace: Workspace) -> None:
    workspace.prompt("$forge fix the ledger")
    asked(workspace)
    (path,) = workspace.folder("s1").glob(name)
    whole = path.read_bytes()
    screen = followed(workspace, lambda: path.write_bytes(b"{"), lambda: path.write_bytes(whole))
    assert not any(screen.bells)
    assert screen.pages[0] == screen.pages[-1] != screen.pages[1]


def test_a_page_of_one_session_shows_and_rings_for_that_alone(workspace: Workspace) -> None:
    workspace.prompt("$forge fix the ledger")
    workspace.prompt("$forge fix the parser", session="s2")
    screen = followed(workspace, lambda: asked(workspace, "s2"), lambda: asked(workspace), session="s1")
    assert screen.bells == [False, False, True]
    assert [page[0] for page in screen.pages] == [
        "rcs: forge starting 0/50 (fix the ledger)",
        "rcs: forge starting 0/50 (fix the ledger)",
        "rcs: forge starting 0/50 asks: Which? (fix the ledger)",
    ]
    assert "parser" not in "".join(line for page in screen.pages for line in page)


# --- the whole program


class Terminal:
    """`rcs hud --watch` on a terminal, in a process group of its own, as a shell starts it."""

    def __init__(self, root: Path, *options: str, **env: str) -> None:
        self.leader, self.follower = pty.openpty()
        self.resize(80)
        self.before = termios.tcgetattr(self.follower)
        self.process = subprocess.Popen(
            [RCS, "hud", "--watch", *options],
            cwd=root, env=clean_env(**({"TERM": "xterm-256color"} | env)), process_group=0,
            stdin=self.follower, stdout=self.follower, stderr=self.follower,
        )  # fmt: skip
        self.drawn = ""

    def resize(self, columns: int) -> None:
        fcntl.ioctl(self.follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def until(self, is_enough: Callable[[str], Any]) -> str:
        """Read until enough has been drawn since the last call, and return that."""
        deadline, begun = time.monotonic() + PATIENCE, len(self.drawn)
        while not is_enough(self.drawn[begun:]):
            assert time.monotonic() < deadline, self.drawn
            if select.select([self.leader], [], [], 0.1)[0]:
                self.drawn += os.read(self.leader, 1 << 16).decode(errors="replace")
        return self.drawn[begun:]

    def end(self) -> int:
        """Wait for the end of the program, and return its status."""
        status = self.process.wait(PATIENCE)
        while select.select([self.leader], [], [], 0)[0]:
            self.drawn += os.read(self.leader, 1 << 16).decode(errors="replace")
        return status

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.leader)
        os.close(self.follower)


@pytest.fixture
def terminal(workspace: Workspace) -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def start(*options: str, **env: str) -> Terminal:
        opened.append(Terminal(workspace.root, *options, **env))
        return opened[-1]

    yield start
    for each in opened:
        each.close()


def test_a_question_rings_and_ctrl_c_gives_the_terminal_back(
    workspace: Workspace, terminal: Callable[..., Terminal]
) -> None:
    workspace.prompt("$forge fix the ledger")
    watch = terminal()
    shown = watch.until(lambda drawn: "Ctrl-C ends it" in drawn)
    assert shown.startswith(TAKE)
    assert "\a" not in shown
    asked(workspace)
    assert "asks: Which?" in ANSI.sub("", watch.until(lambda drawn: "\a" in drawn))
    watch.process.send_signal(signal.SIGINT)
    assert watch.end() == 130
    assert watch.drawn.endswith(GIVE_BACK)
    assert termios.tcgetattr(watch.follower) == watch.before


@pytest.mark.slow
@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_gives_the_terminal_back(
    number: signal.Signals, status: int, workspace: Workspace, terminal: Callable[..., Terminal]
) -> None:
    watch = terminal()
    watch.until(lambda drawn: "Ctrl-C ends it" in drawn)
    watch.process.send_signal(number)
    assert watch.end() == status
    assert watch.drawn.endswith(GIVE_BACK)
    assert termios.tcgetattr(watch.follower) == watch.before


@pytest.mark.slow
def test_a_key_ends_it_and_another_size_is_drawn_at_once(
    workspace: Workspace, terminal: Callable[..., Terminal]
) -> None:
    workspace.prompt("$forge fix the ledger of the bank so that nobody loses a cent")
    watch = terminal()
    wide = ANSI.sub("", watch.until(lambda drawn: "Ctrl-C ends it" in drawn))
    assert "  fix the ledger of the bank so that nobody loses  forge" in wide
    watch.resize(44)
    watch.process.send_signal(signal.SIGWINCH)
    narrow = ANSI.sub("", watch.until(lambda drawn: "Ctrl-C ends it" in drawn))
    assert max(map(len, narrow.splitlines())) <= 44
    os.write(watch.leader, b"q")
    assert watch.end() == 0


@pytest.mark.slow
def test_ctrl_z_gives_the_terminal_back_until_it_goes_on(
    workspace: Workspace, terminal: Callable[..., Terminal]
) -> None:
    watch = terminal()
    watch.until(lambda drawn: "Ctrl-C ends it" in drawn)
    watch.process.send_signal(signal.SIGTSTP)
    _, status = os.waitpid(watch.process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    assert watch.until(lambda drawn: GIVE_BACK in drawn).endswith(GIVE_BACK)
    assert termios.tcgetattr(watch.follower) == watch.before
    watch.process.send_signal(signal.SIGCONT)
    assert TAKE in watch.until(lambda drawn: "Ctrl-C ends it" in drawn)
    watch.process.send_signal(signal.SIGINT)
    assert watch.end() == 130


@pytest.mark.slow
def test_a_dumb_terminal_gets_a_line_for_each_change(workspace: Workspace, terminal: Callable[..., Terminal]) -> None:
    workspace.prompt("$forge fix the ledger")
    watch = terminal(TERM="dumb")
    watch.until(lambda drawn: "starting" in drawn)
    workspace.edit("forge", current_phase="verifying")
    watch.until(lambda drawn: "verifying" in drawn)
    watch.process.send_signal(signal.SIGINT)
    assert watch.end() == 130
    assert watch.drawn.splitlines() == [
        "rcs: forge starting 0/50 (fix the ledger)",
        "rcs: forge verifying 0/50 (fix the ledger)",
    ]


# --- piped


@pytest.mark.parametrize(
    "options", [(), pytest.param(("--session", "s1"), marks=pytest.mark.slow)], ids=["workspace", "session"]
)
def test_without_a_terminal_it_prints_a_line_for_each_change(options: tuple[str, ...], workspace: Workspace) -> None:
    workspace.write("forge", current_phase="planning")
    watch = subprocess.Popen(
        [RCS, "hud", "--watch", *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=workspace.root, env=clean_env(),
    )  # fmt: skip
    try:
        assert watch.stdout
        assert watch.stdout.readline() == b"rcs: forge planning\n"
        workspace.edit("forge", current_phase="verifying")
        assert watch.stdout.readline() == b"rcs: forge verifying\n"
        watch.send_signal(signal.SIGINT)
        out, err = watch.communicate(timeout=PATIENCE)
    finally:
        with contextlib.suppress(ProcessLookupError):
            watch.kill()
    assert (watch.returncode, out, err) == (130, b"", b"")
