"""`rcs completion`: what is offered for the word that is typed, and the script of each shell, run in that shell."""

from __future__ import annotations

import os
import pty
import select
import shlex
import shutil
import subprocess
import termios
import time
from pathlib import Path

import pytest

from rcs_hooks.catalog import MODES
from tests.support import RCS_HOOK, clean_env, few, run_rcs
from tests.table import each_row

RCS = [str(RCS_HOOK.with_name("rcs"))]
COMMANDS = {
    *("try", "setup", "doctor", "uninstall", "state", "question", "hud", "overlay"),
    *("off", "on", "machine", "modes", "config", "emit", "runs", "task", "dashboard", "mcp", "completion"),
    *("status", "log", "prove", "help", "watch", "share"),
}
OUTCOMES = {"finished", "blocked", "failed", "userinterlude", "askuserQuestion"}
SHELLS = ("bash", "zsh", "fish")


class Day:
    """A workspace with a task and files."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.home = folder / "home"
        for path in (self.home, self.root / ".git", self.root / "docs"):
            path.mkdir(parents=True)
        (self.root / "AGENTS.md").touch()
        (self.root / "My notes.md").touch()
        self.env = clean_env(HOME=str(self.home), RCS_DB=str(folder / "runs.db"))
        self.rcs("task", "new", "login")

    def rcs(self, *words: str) -> str:
        done = run_rcs(*words, cwd=self.root, env=self.env)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    def script(self, shell: str) -> str:
        path = self.root.parent / f"rcs.{shell}"
        if not path.exists():
            path.write_text(self.rcs("completion", shell))
        return str(path)


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Day:
    return Day(tmp_path_factory.mktemp("day"))


# --- what is offered


OFFERED: list[tuple[str, tuple[str, ...], set[str]]] = [
    ("every command", ("",), COMMANDS),
    ("a command begun", ("com",), {"completion"}),
    ("the actions of state", ("state", "re"), {"read"}),
    ("list-active and nothing else", ("state", "l"), {"list-active"}),
    ("the actions of share", ("share", "pr"), {"prune"}),
    ("a folder to share", ("share", "add", ""), {":folders"}),
    ("the actions of question", ("question", "a"), {"ask", "answer"}),
    ("the actions of overlay", ("overlay", "s"), {"show", "strip"}),
    ("the shells", ("completion", "b"), {"bash"}),
    ("the options of state", ("state", "write", "--i"), {"--inactive", "--iteration", "--input"}),
    ("none that only another action has", ("state", "read", "--i"), {"--input"}),
    ("an option of one action", ("question", "ask", "--te"), {"--text"}),
    ("no option a second time", ("status", "--root", "/", "--json", "--"), {"--help", "--session", "--shared"}),
    ("but one that may be repeated", ("state", "write", "--set", "a=1", "--set"), {"--set"}),
    ("the options of hud", ("hud", "--"), {"--help", "--session", "--root", "--json", "--statusline"}),
    ("what to watch for", ("watch", "--on", ""), {"waiting", "failed", "ended"}),
    ("a file for the program to call", ("watch", "--on", "failed", "--exec", ""), {":files"}),
    ("no option of ours behind the program", ("watch", "--exec", "notify-send", "--"), {":files"}),
    ("the options of rcs", ("--",), {"--help", "--version"}),
    ("every mode", ("state", "write", "--mode", ""), set(MODES)),
    ("a mode begun", ("state", "clear", "--mode", "ultra"), {"ultrawork", "ultraqa"}),
    ("a mode behind an equals sign", ("log", "--mode", "=", "fo"), {"forge"}),
    ("a mode for a question", ("question", "ask", "--mode", "fo"), {"forge"}),
    ("every outcome", ("state", "write", "--outcome", ""), OUTCOMES),
    ("an outcome begun", ("state", "write", "--mode", "forge", "--outcome", "f"), {"finished", "failed"}),
    ("the statuses of a run", ("runs", "list", "--status", "f"), {"failed"}),
    ("the actions of task", ("task", "rev"), {"review", "revert"}),
    ("the actions of an action", ("task", "review", ""), {"plan", "code"}),
    ("the schemas", ("task", "schema", "pl"), {"planning.ai", "plan.files", "plan-review"}),
    ("a phase to go to", ("task", "next", "--to", "re"), {"review", "revert"}),
    ("a decision", ("task", "accept", "--decision", "a"), {"accepted"}),
    ("a command to be helped with", ("help", "uni"), {"uninstall"}),
    ("an action to be helped with", ("help", "runs", "e"), {"end", "export"}),
    ("a task", ("task", "status", "lo"), {"login"}),
    ("no name for a new task", ("task", "new", ""), set()),
    ("no id of a run", ("runs", "show", ""), set()),
    ("no session", ("status", "--session", ""), set()),
    ("a machine", ("machine", "show", "pr"), {"pr-review"}),
    ("no such mode", ("state", "write", "--mode", "zzz"), set()),
    ("no such command", ("nonsense", ""), set()),
]


@each_row(("words", "offered"), [row[1:] for row in OFFERED], ids=[row[0] for row in OFFERED])
def test_what_is_offered(words: tuple[str, ...], offered: set[str], day: Day) -> None:
    lines = day.rcs("completion", "offers", "--", *words).splitlines()
    found = [line.partition("\t")[0] for line in lines]
    assert len(found) == len(set(found)), "nothing is offered twice"
    assert set(found) == offered


def test_an_offer_says_what_it_is(day: Day) -> None:
    assert day.rcs("completion", "offers", "--", "task", "next", "") == "login\tplanning\n"
    assert day.rcs("completion", "offers", "--", "config", "").splitlines()[0] == (
        "trust\tLet [proof] of the project's rcs.toml count, as it is now"
    )


def test_a_workspace_that_is_named_is_the_one_whose_tasks_are_offered(day: Day, tmp_path: Path) -> None:
    words = ("completion", "offers", "--", "task", "status", "--root", str(day.root), "lo")
    assert run_rcs(*words, cwd=tmp_path, env=day.env).stdout.startswith("login\t")


def test_a_name_that_a_shell_would_run_is_never_offered(tmp_path: Path) -> None:
    skill = tmp_path / ".agents/skills/$(touch gone)/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("## STATE-MACHINE\n```mermaid\nstateDiagram-v2\n[*] --> a\n```\n")
    shown = run_rcs("completion", "offers", "--", "machine", "show", "", cwd=tmp_path).stdout
    assert "pr-review\t" in shown
    assert "touch" not in shown


def test_where_nothing_can_be_read_nothing_is_offered_and_nothing_said(tmp_path: Path) -> None:
    env = clean_env(RCS_DB=str(tmp_path))
    done = run_rcs("completion", "offers", "--", "task", "status", "", cwd=tmp_path, env=env)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


# --- in the shells

IN_BASH = """set -eu; source "$1"; shift; spec=$(complete -p rcs); [[ $spec == *"-F _rcs"* ]]
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); set +eu; _rcs; set -eu
[ ${#COMPREPLY[@]} -eq 0 ] || printf "%s\\n" "${COMPREPLY[@]}"
"""
IN_ZSH = """compdef() { [[ "$*" = "_rcs rcs" ]] || exit 9 }
_describe() { print -rl -- "${(@)found%%:*}" }
_files() { [[ $1 = -/ ]] && print -rl -- ${words[CURRENT]}*(/) || print -rl -- ${words[CURRENT]}* }
source "$1"; shift; words=("$@"); CURRENT=$#; _rcs
"""
IN_FISH = "source $argv[1]; complete -C (string join ' ' -- $argv[2..-1]) | string split -f 1 \\t; or true"
ASKED = {
    "bash": ["bash", "--norc", "--noprofile", "-c", IN_BASH, "bash"],
    "zsh": ["zsh", "-f", "-c", IN_ZSH, "zsh"],
    "fish": ["fish", "--no-config", "-c", IN_FISH],
}
"""How each shell is asked: bash and zsh by the function that they would call, fish by its own engine."""


def completed(shell: str, day: Day, *words: str) -> list[str]:
    """Return what a shell offers for the last word."""
    program, *arguments = ASKED[shell]
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"{shell} is not installed here")
    done = subprocess.run(
        [path, *arguments, day.script(shell), "rcs", *words],
        capture_output=True,
        text=True,
        cwd=day.root,
        env=day.env,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


IN_EACH_SHELL: dict[str, tuple[tuple[str, ...], set[str]]] = {
    "a file": (("overlay", "apply", "AG"), {"AGENTS.md"}),
    "commands": (("o",), {"off", "on", "overlay"}),
    "a mode": (("state", "write", "--mode", "ultra"), {"ultrawork", "ultraqa"}),
    "a task": (("task", "status", "lo"), {"login"}),
    "an outcome": (("state", "write", "--outcome", "f"), {"finished", "failed"}),
    "an option": (("runs", "list", "--st"), {"--status"}),
    "a folder": (("hud", "--root", "do"), {"docs"}),
}


@pytest.mark.parametrize("name", few(IN_EACH_SHELL))
@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_completes(shell: str, name: str, day: Day) -> None:
    words, offered = IN_EACH_SHELL[name]
    found = completed(shell, day, *words)
    assert {each.rstrip("/") for each in found} == offered


def test_a_file_with_a_blank_in_its_name_is_one_offer(day: Day) -> None:
    assert completed("bash", day, "overlay", "apply", "My") == ["My notes.md"]


def test_a_file_whose_name_is_a_pattern_is_one_offer(day: Day) -> None:
    (day.root / "M*").touch()
    assert completed("bash", day, "overlay", "apply", "M*") == ["M*"]


READY = "ready:"
PROMPTS = {
    "bash": (("--noprofile", "--rcfile", "{folder}/.zshrc", "-i"), "PS1={ready}"),
    "zsh": (("-d", "-i"), "unsetopt prompt_sp prompt_cr; unset zle_bracketed_paste; bindkey -e; PS1={ready}"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("typed", "completed"), [
    ("rcs state li", "rcs state list-active"),
    ("rcs task st", "rcs task status"),
])  # fmt: skip
@pytest.mark.parametrize("shell", PROMPTS)
def test_a_tab_at_the_prompt_completes(shell: str, typed: str, completed: str, day: Day, tmp_path: Path) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed here")
    words, begin = PROMPTS[shell]
    (tmp_path / ".zshrc").write_text(f"{begin.format(ready=READY)}\nsource {day.script(shell)}\n")
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 200))
    child = subprocess.Popen(
        [program, *(each.format(folder=tmp_path) for each in words)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=day.root,
        env=day.env | {"TERM": "dumb", "ZDOTDIR": str(tmp_path)},
        start_new_session=True,
    )
    os.close(theirs)
    try:
        _wait_for(ours, READY)
        os.write(ours, f"{typed}\t".encode())
        _wait_for(ours, completed.removeprefix(typed))
        os.write(ours, b"\x01echo got: \n")
        _wait_for(ours, f"\ngot: {completed}")
    finally:
        child.kill()
        child.wait()
        os.close(ours)


def _wait_for(terminal: int, wanted: str) -> None:
    """Read a terminal until it shows a text; long, for the machine may be busy."""
    seen, end = "", time.monotonic() + 60
    while wanted not in seen:
        ready, _, _ = select.select([terminal], [], [], max(0.0, end - time.monotonic()))
        assert ready, f"{wanted!r} does not come; there is {seen!r}"
        seen += os.read(terminal, 4096).decode(errors="replace").replace("\r", "")


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_fine_syntax_and_calls_this_program(shell: str, day: Day) -> None:
    text = Path(day.script(shell)).read_text()
    assert f"{shlex.quote(RCS[0])} completion offers --" in text
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed here")
    done = subprocess.run([program, "-n", day.script(shell)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("words", [[], ["tcsh"]], ids=["no shell", "another shell"])
def test_a_shell_that_is_not_known_is_a_wrong_command_line(words: list[str]) -> None:
    done = subprocess.run(
        [*RCS, "completion", *words], capture_output=True, text=True, env=clean_env(), timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "shell" in done.stderr
