"""The screen of a terminal: taken for a page, and given back as it was, however the program ends."""

from __future__ import annotations

import contextlib
import fcntl
import io
import os
import pty
import signal
import struct
import termios
from collections.abc import Iterator

import pytest

from rcs_hooks.cli import screen as screens
from rcs_hooks.cli.screen import BELL, CLEAR, GIVE_BACK, TAKE, Screen

LOCAL = 3
"""Which of the modes of a terminal say what it does with keys."""
RAW = termios.ECHO | termios.ICANON
HANDLED = (
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGINT,
    signal.SIGWINCH,
    signal.SIGCONT,
    signal.SIGTSTP,
)


class Pty:
    """Both ends of a terminal; this process writes to it as a program would."""

    def __init__(self) -> None:
        self.leader, follower = pty.openpty()
        os.set_blocking(self.leader, False)
        self.out = io.TextIOWrapper(io.FileIO(follower, "w"), "utf-8")
        self.keys = io.TextIOWrapper(io.FileIO(os.dup(follower)), "utf-8")

    def resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self.out.fileno(), termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def shown(self) -> str:
        """What has been written since the last call."""
        found = b""
        while True:
            try:
                found += os.read(self.leader, 1 << 16)
            except BlockingIOError:
                return found.decode()

    def modes(self) -> int:
        return int(termios.tcgetattr(self.keys.fileno())[LOCAL])

    def close(self) -> None:
        self.out.close()
        self.keys.close()
        os.close(self.leader)


@pytest.fixture
def terminal() -> Iterator[Pty]:
    made = Pty()
    yield made
    made.close()


def screen_of(terminal: Pty) -> Screen:
    return Screen(terminal.out, terminal.keys)


def test_it_is_taken_and_given_back(terminal: Pty) -> None:
    before, handlers = terminal.modes(), [signal.getsignal(number) for number in HANDLED]
    with screen_of(terminal):
        assert terminal.shown() == TAKE
        assert not terminal.modes() & RAW
    assert terminal.shown() == GIVE_BACK
    assert terminal.modes() == before
    assert [signal.getsignal(number) for number in HANDLED] == handlers
    assert signal.set_wakeup_fd(-1) == -1


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError("x")], ids=repr)
def test_an_error_gives_it_back(terminal: Pty, error: BaseException) -> None:
    before = terminal.modes()
    with pytest.raises(type(error)), screen_of(terminal):
        raise error
    assert terminal.shown() == TAKE + GIVE_BACK
    assert terminal.modes() == before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_that_ends_the_program_gives_it_back(terminal: Pty, number: signal.Signals) -> None:
    with pytest.raises(SystemExit) as ended, screen_of(terminal):
        signal.raise_signal(number)
    assert ended.value.code == 128 + number
    assert terminal.shown() == TAKE + GIVE_BACK


def test_the_first_signal_counts_and_what_follows_changes_nothing(terminal: Pty) -> None:
    before = terminal.modes()
    with pytest.raises(SystemExit) as ended, screen_of(terminal):
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
                signal.raise_signal(number)
    assert ended.value.code == 128 + signal.SIGTERM
    assert terminal.shown() == TAKE + GIVE_BACK
    assert terminal.modes() == before


def test_a_terminal_that_takes_nothing_holds_up_no_end(terminal: Pty, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screens, "PATIENCE", 0.1)
    before = terminal.modes()
    with screen_of(terminal):
        os.set_blocking(terminal.out.fileno(), False)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(terminal.out.fileno(), b"x" * 4096)
        os.set_blocking(terminal.out.fileno(), True)
    assert terminal.modes() == before


def test_lines_are_drawn_where_they_differ_from_what_is_shown(terminal: Pty) -> None:
    with screen_of(terminal) as screen:
        terminal.shown()
        screen.draw(["one", "two · 漢"])
        assert terminal.shown() == f"{CLEAR}one\r\r\ntwo · 漢"  # the terminal adds one to each line feed
        screen.draw(["one", "two · 漢"])
        assert terminal.shown() == ""
        screen.draw(["one", "two · 漢"], with_bell=True)
        assert terminal.shown() == BELL
        screen.draw(["one"])
        assert terminal.shown() == f"{CLEAR}one"


@pytest.mark.parametrize("number", [signal.SIGWINCH, signal.SIGCONT])
def test_another_size_ends_the_wait_and_all_is_drawn_again(terminal: Pty, number: signal.Signals) -> None:
    terminal.resize(44, 10)
    with screen_of(terminal) as screen:
        assert screen.size() == (44, 10)
        screen.draw(["one"])
        terminal.shown()
        terminal.resize(120, 30)
        signal.raise_signal(number)
        assert screen.wait(3600) == ""
        assert screen.size() == (120, 30)
        screen.draw(["one"])
        assert terminal.shown() == f"{CLEAR}one"


def test_a_terminal_that_does_not_know_its_size_is_taken_for_a_usual_one(terminal: Pty) -> None:
    terminal.resize(0, 0)
    with screen_of(terminal) as screen:
        assert screen.size() == (80, 24)


def test_a_key_ends_the_wait_and_is_not_shown(terminal: Pty) -> None:
    with screen_of(terminal) as screen:
        terminal.shown()
        os.write(terminal.leader, b"q")
        assert screen.wait(3600) == "q"
        assert screen.wait(0) == ""
        assert terminal.shown() == ""


def test_without_a_terminal_for_keys_none_is_read(terminal: Pty) -> None:
    before = terminal.modes()
    with open(os.devnull, encoding="utf-8") as nothing, Screen(terminal.out, nothing) as screen:
        assert screen.wait(0.01) == ""
        assert terminal.modes() == before
    with Screen(terminal.out, None) as screen:
        assert screen.wait(0.01) == ""


def test_what_the_encoding_does_not_have_is_a_question_mark(terminal: Pty) -> None:
    terminal.out.reconfigure(encoding="ascii")
    with screen_of(terminal) as screen:
        terminal.shown()
        screen.draw(["1 · 2"])
        assert terminal.shown() == f"{CLEAR}1 ? 2"
