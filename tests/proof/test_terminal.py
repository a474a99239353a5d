"""A command on a terminal: what it sees, Ctrl-C, Ctrl-Z, the background and a pager beside it."""

from __future__ import annotations

import json
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.proof.programs import (
    RUNNER,
    OnTerminal,
    is_alive,
    on_terminal,
    runner_env,
    state_of,
    wait_for,
)
from tests.proof.repositories import Repo

RUN = " ".join(RUNNER)
FACTS = """
import os, sys
print([os.isatty(each) for each in (0, 1, 2)], os.get_terminal_size(1), os.tcgetpgrp(0) == os.getpgrp(), flush=True)
"""
WAITS = """
import os, sys, time
with open("pid", "w") as file:
    print(os.getpid(), file=file)
while not os.path.exists("go"):
    time.sleep(0.01)
sys.exit(6)
"""
"""Starts no programs while it waits: a shell cannot be stopped in the moment in which it starts one."""
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not shutil.which("bash"), reason="needs a shell with jobs")]


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[OnTerminal]:
    """A shell with jobs, as a person has one."""
    with on_terminal("bash", "--norc", "--noprofile", "-i", cwd=tmp_path, env=runner_env(tmp_path)) as program:
        program.type("PS1='$ '; set -b\n")
        program.expect(r"\$ $")
        yield program


def pid_in(path: Path) -> int:
    wait_for(lambda: path.exists() and path.read_text().endswith("\n"), path.name)
    return int(path.read_text())


def result(folder: Path) -> dict[str, object]:
    path = folder / "result.json"
    wait_for(lambda: path.exists() and path.read_text().endswith("}"), path.name)
    found: dict[str, object] = json.loads(path.read_text())
    return found


def test_the_command_sees_a_terminal_of_our_size_and_is_in_its_foreground(tmp_path: Path) -> None:
    (tmp_path / "facts.py").write_text(FACTS)
    argv = (*RUNNER, sys.executable, "facts.py")
    with on_terminal(*argv, cwd=tmp_path, env=runner_env(tmp_path), rows=33, columns=77) as program:
        program.expect(r"\[True, True, True\] os.terminal_size\(columns=77, lines=33\) True")
        assert program.wait() == 0


def test_colours_and_progress_bars_are_passed_on_to_the_byte(tmp_path: Path) -> None:
    line = r"printf '\033[31mred\033[0m 10%%\r 99%%\r\033[K100%%\n\tend'"
    with on_terminal(*RUNNER, "sh", "-c", line, cwd=tmp_path, env=runner_env(tmp_path)) as program:
        assert program.wait() == 0
        assert program.shown == b"\033[31mred\033[0m 10%\r 99%\r\033[K100%\r\n\tend"
    assert result(tmp_path)["tail"] == "\033[31mred\033[0m 10%\r 99%\r\033[K100%\n\tend"


def test_ctrl_c_is_the_commands_own(tmp_path: Path) -> None:
    line = "trap 'echo heard; exit 9' INT; echo begun; while :; do sleep 0.01; done"
    with on_terminal(*RUNNER, "sh", "-c", line, cwd=tmp_path, env=runner_env(tmp_path)) as program:
        program.expect("begun")
        program.type("\x03")
        program.expect("heard")
        assert program.wait() == 9
    assert result(tmp_path)["is_interrupted"] is False


def test_ctrl_c_that_ends_the_command_is_told_from_a_failure(tmp_path: Path) -> None:
    with on_terminal(
        *RUNNER, "sh", "-c", "echo begun; exec sleep 1000", cwd=tmp_path, env=runner_env(tmp_path)
    ) as program:
        program.expect("begun")
        program.type("\x03")
        assert program.wait() == 130
    assert result(tmp_path)["is_interrupted"] is True


def test_no_pager_waits_for_a_key(tmp_path: Path) -> None:
    Repo(tmp_path / "work").write("a.txt", "changed\n" * 1000)
    env = runner_env(tmp_path, PAGER="less")
    with on_terminal(*RUNNER, "git", "diff", "--exit-code", cwd=tmp_path / "work", env=env) as program:
        assert program.wait() == 1
        assert program.shown.count(b"changed") == 1000


def test_ctrl_z_stops_both_and_fg_and_bg_go_on(shell: OnTerminal, tmp_path: Path) -> None:
    (tmp_path / "waits.py").write_text(WAITS)
    shell.type(f"{RUN} {sys.executable} waits.py; echo co''de $?\n")
    pid = pid_in(tmp_path / "pid")
    shell.type("\x1a")
    shell.expect("Stopped")
    shell.expect(r"code 148\r\n.*\$ $")
    assert state_of(pid) == "T"
    shell.type("bg\n")
    shell.expect(r"&\r\n.*\$ $")
    wait_for(lambda: state_of(pid) != "T", "the command in the background")
    shell.type("fg\n")
    shell.expect("fg\r\n.*waits.py\r\n")
    shell.type("\x1a")
    shell.expect("Stopped")
    wait_for(lambda: state_of(pid) == "T", "the command to stop again")
    shell.type("fg; echo co''de $?\n")
    wait_for(lambda: state_of(pid) != "T", "the command in the foreground")
    (tmp_path / "go").touch()
    shell.expect("code 6")
    assert result(tmp_path)["exit"] == 6


def test_a_terminal_that_is_closed_ends_the_command(tmp_path: Path) -> None:
    line = "echo $$ >pid; echo begun; exec sleep 1000"
    program = OnTerminal(*RUNNER, "sh", "-c", line, cwd=tmp_path, env=runner_env(tmp_path))
    program.expect("begun")
    pid = pid_in(tmp_path / "pid")
    program.hang_up()
    wait_for(lambda: not is_alive(pid), "the end of the command")
    assert program.process.wait(60) == 128 + signal.SIGHUP
    program.close()
