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


def test_a_new_size_of_the_terminal_reaches_the_command(tmp_path: Path) -> None:
    code = (
        "import os, signal, time\n"
        "signal.signal(signal.SIGWINCH, lambda *_: os.write(1, b'.'))\n"
        "os.write(1, b'begun')\n"
        "while os.get_terminal_size(1).columns != 55: time.sleep(0.01)\n"
    )
    with on_terminal(*RUNNER, sys.executable, "-c", code, cwd=tmp_path, env=runner_env(tmp_path)) as program:
        program.expect("begun")
        program.resize(20, 55)
        assert program.wait() == 0


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


def test_a_command_may_ask_the_person(tmp_path: Path) -> None:
    line = "printf 'name? '; read -r name; echo hello $name"
    with on_terminal(*RUNNER, "sh", "-c", line, cwd=tmp_path, env=runner_env(tmp_path)) as program:
        program.expect(r"name\? ")
        program.type("ann\n")
        program.expect("hello ann")
        assert program.wait() == 0


def test_no_pager_waits_for_a_key(tmp_path: Path) -> None:
    Repo(tmp_path / "work").write("a.txt", "changed\n" * 1000)
    env = runner_env(tmp_path, PAGER="less")
    with on_terminal(*RUNNER, "git", "diff", "--exit-code", cwd=tmp_path / "work", env=env) as program:
        assert program.wait() == 1
        assert program.shown.count(b"changed") == 1000


def test_the_terminal_is_as_before_after_a_command_that_was_killed(shell: OnTerminal) -> None:
    shell.type(
        f"stty -a | md5sum >before; {RUN} sh -c 'stty raw -echo; kill -9 $$'; stty -a | md5sum >after; echo e''nd\n"
    )
    shell.expect("end")
    shell.type("cmp before after && echo sa''me\n")
    shell.expect("same")


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


def test_the_time_for_which_it_is_stopped_does_not_count(shell: OnTerminal, tmp_path: Path) -> None:
    (tmp_path / "waits.py").write_text(WAITS)
    shell.type(f"LIMIT=8 {RUN} {sys.executable} waits.py\n")
    pid = pid_in(tmp_path / "pid")
    shell.type("\x1a")
    shell.expect("Stopped")
    shell.type("sleep 9; touch go; fg; echo co''de $?\n")
    shell.expect("code 6")
    assert not is_alive(pid)
    assert float(str(result(tmp_path)["seconds"])) < 8


def test_a_command_in_the_background_stops_when_it_asks_and_has_the_terminal_in_the_foreground(
    shell: OnTerminal, tmp_path: Path
) -> None:
    shell.type(f"{RUN} sh -c 'read -r name; echo hello $name; exit 4' &\n")
    shell.expect("Stopped")
    shell.type("fg; echo co''de $?\n")
    shell.expect("fg; echo.*\r\n.*runner[^\n]*\n")
    shell.type("ann\n")
    shell.expect("hello ann")
    shell.expect("code 4")


def test_ctrl_z_where_nobody_could_continue_us_stops_nothing_for_long(tmp_path: Path) -> None:
    (tmp_path / "waits.py").write_text(WAITS)
    with on_terminal(*RUNNER, sys.executable, "waits.py", cwd=tmp_path, env=runner_env(tmp_path)) as program:
        pid = pid_in(tmp_path / "pid")
        program.type("\x1a")
        program.expect(r"\^Z")
        (tmp_path / "go").touch()
        wait_for(lambda: not is_alive(pid), "the end of the command")
        assert program.wait() == 6


def test_a_program_beside_it_keeps_the_terminal(shell: OnTerminal, tmp_path: Path) -> None:
    pager = "import sys; sys.stdin.read(); print('page', open('/dev/tty').readline(), flush=True)"
    (tmp_path / "pager.py").write_text(pager)
    shell.type(f"{RUN} echo out | {sys.executable} pager.py; echo co''de $?\n")
    wait_for((tmp_path / "result.json").exists, "the end of the command")
    shell.type("next\n")
    shell.expect("page next")
    shell.expect("code 0")


def test_ctrl_c_reaches_a_command_whose_output_is_read_by_another_program(shell: OnTerminal, tmp_path: Path) -> None:
    shell.type(f"{RUN} sh -c 'echo $$ >pid; exec sleep 1000' | cat; echo co''de ${{PIPESTATUS[0]}}\n")
    pid = pid_in(tmp_path / "pid")
    shell.type("\x03")
    wait_for(lambda: not is_alive(pid), "the end of the command")
    wait_for(lambda: result(tmp_path)["exit"] == 130, "what came of it")


def test_a_command_whose_output_is_read_by_another_program_may_ask_the_person(shell: OnTerminal) -> None:
    shell.type(f"{RUN} sh -c 'read -r name; echo hello $name' | cat\n")
    shell.type("ann\n")
    shell.expect("hello ann")


def test_a_terminal_that_is_closed_ends_the_command(tmp_path: Path) -> None:
    line = "echo $$ >pid; echo begun; exec sleep 1000"
    program = OnTerminal(*RUNNER, "sh", "-c", line, cwd=tmp_path, env=runner_env(tmp_path))
    program.expect("begun")
    pid = pid_in(tmp_path / "pid")
    program.hang_up()
    wait_for(lambda: not is_alive(pid), "the end of the command")
    assert program.process.wait(60) == 128 + signal.SIGHUP
    program.close()
