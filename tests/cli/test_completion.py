"""`rcs completion`: what is offered for the word that is typed, and the script of each shell, run in that shell."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from rcs_hooks.cli import main
from tests.contract import MODES, OUTCOMES
from tests.support import RCS_HOOK, clean_env, run_rcs
from tests.table import each_row

RCS = [str(RCS_HOOK.with_name("rcs"))]


LEGACY = ("cancelled", "blocked_on_user", "progress")


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

OFFERED: list[tuple[str, str]] = [
    # the words that are typed, the last one perhaps only begun; what is offered for it
    ("", " ".join(name for name, *_ in main.COMMANDS)),
    ("share add ", ":folders"),
    ("state write --i", "--inactive --iteration --input"),
    ("state read --i", "--input"),
    ("status --root / --json --", "--help --session --shared"),
    ("state write --set a=1 --set", "--set"),
    ("watch --on ", "waiting failed ended"),
    ("watch --on failed --exec ", ":files"),
    ("watch --exec notify-send --", ":files"),
    ("--", "--help --version"),
    ("state write --mode ", " ".join(MODES)),
    ("log --mode = fo", "forge"),
    ("state write --outcome ", " ".join(name for name in OUTCOMES if name not in LEGACY)),
    ("runs list --status f", "failed"),
    ("task review ", "plan code"),
    ("task schema pl", "planning.ai plan.files plan-review"),
    ("task next --to re", "review revert"),
    ("help runs e", "end export"),
    ("task status lo", "login"),
    ("task new ", ""),
    ("runs show ", ""),
    ("machine show pr", "pr-review"),
]


@each_row(("typed", "offered"), OFFERED)
def test_what_is_offered(typed: str, offered: str, day: Day) -> None:
    lines = day.rcs("completion", "offers", "--", *typed.split(" ")).splitlines()
    assert sorted(line.partition("\t")[0] for line in lines) == sorted(offered.split())


def test_a_name_that_a_shell_would_run_is_never_offered(tmp_path: Path) -> None:
    skill = tmp_path / ".agents/skills/$(touch gone)/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("## STATE-MACHINE\n```mermaid\nstateDiagram-v2\n[*] --> a\n```\n")
    shown = run_rcs("completion", "offers", "--", "machine", "show", "", cwd=tmp_path).stdout
    assert "pr-review\t" in shown
    assert "touch" not in shown


# --- in the shells, as far as they are installed here

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


SHELLS = [name for name in ASKED if shutil.which(name)]


def completed(shell: str, day: Day, *words: str) -> list[str]:
    """Return what a shell offers for the last word."""
    program, *arguments = ASKED[shell]
    done = subprocess.run(
        [program, *arguments, day.script(shell), "rcs", *words],
        capture_output=True,
        text=True,
        cwd=day.root,
        env=day.env,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


IN_EACH_SHELL: list[tuple[tuple[str, ...], set[str]]] = [
    (("overlay", "apply", "AG"), {"AGENTS.md"}),
    (("state", "write", "--mode", "ultra"), {"ultrawork", "ultraqa"}),
    (("task", "status", "lo"), {"login"}),
    (("hud", "--root", "do"), {"docs"}),
]


@each_row("shell", SHELLS)
@each_row(("words", "offered"), IN_EACH_SHELL)
def test_a_shell_completes(words: tuple[str, ...], offered: set[str], shell: str, day: Day) -> None:
    assert {each.rstrip("/") for each in completed(shell, day, *words)} == offered


def test_a_file_with_a_blank_or_a_pattern_for_its_name_is_one_offer(day: Day) -> None:
    assert completed("bash", day, "overlay", "apply", "My") == ["My notes.md"]
    (day.root / "M*").touch()
    assert completed("bash", day, "overlay", "apply", "M*") == ["M*"]


@each_row("shell", ASKED)
def test_the_script_calls_this_program(shell: str, day: Day) -> None:
    assert f"{shlex.quote(RCS[0])} completion offers --" in Path(day.script(shell)).read_text()
