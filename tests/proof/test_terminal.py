"""A command on a terminal: what it sees, Ctrl-C, a pager, and the end of the terminal."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

import pytest

from tests.proof.programs import (
    RUNNER,
    OnTerminal,
    is_alive,
    on_terminal,
    runner_env,
    wait_for,
)
from tests.proof.repositories import Repo

FACTS = """
import os, sys
print([os.isatty(each) for each in (0, 1, 2)], os.get_terminal_size(1), os.tcgetpgrp(0) == os.getpgrp(), flush=True)
"""
pytestmark = pytest.mark.slow


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


def test_what_a_command_makes_of_ctrl_c_is_its_own_and_no_proof(tmp_path: Path) -> None:
    line = "trap 'echo heard; exit 9' INT; echo begun; while :; do sleep 0.01; done"
    with on_terminal(*RUNNER, "sh", "-c", line, cwd=tmp_path, env=runner_env(tmp_path)) as program:
        program.expect("begun")
        program.type("\x03")
        program.expect("heard")
        assert program.wait() == 9
    assert result(tmp_path)["is_interrupted"] is True


def test_ctrl_c_that_ends_the_command_is_told_from_a_failure(tmp_path: Path) -> None:
    with on_terminal(
        *RUNNER, "sh", "-c", "echo begun; exec sleep 1000", cwd=tmp_path, env=runner_env(tmp_path)
    ) as program:
        program.expect("begun")
        program.type("\x03")
        assert program.wait() == 130
    assert result(tmp_path)["is_interrupted"] is True


def test_a_command_that_takes_too_long_is_ended_on_a_terminal_too(tmp_path: Path) -> None:
    env = runner_env(tmp_path, LIMIT="1")
    with on_terminal(*RUNNER, "sh", "-c", "sleep 1000 & wait", cwd=tmp_path, env=env) as program:
        assert program.wait() == 124
    assert result(tmp_path)["timed_out"] is True


def test_no_pager_waits_for_a_key(tmp_path: Path) -> None:
    Repo(tmp_path / "work").write("a.txt", "changed\n" * 1000)
    env = runner_env(tmp_path, PAGER="less")
    with on_terminal(*RUNNER, "git", "diff", "--exit-code", cwd=tmp_path / "work", env=env) as program:
        assert program.wait() == 1
        assert program.shown.count(b"changed") == 1000


def test_a_terminal_that_is_closed_ends_the_command(tmp_path: Path) -> None:
    line = "echo $$ >pid; echo begun; exec sleep 1000"
    program = OnTerminal(*RUNNER, "sh", "-c", line, cwd=tmp_path, env=runner_env(tmp_path))
    program.expect("begun")
    pid = pid_in(tmp_path / "pid")
    program.hang_up()
    wait_for(lambda: not is_alive(pid), "the end of the command")
    assert program.process.wait(60) == 128 + signal.SIGHUP
    program.close()
