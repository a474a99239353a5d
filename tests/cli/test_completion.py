"""`rcs completion`: the script of each shell, run in that shell if it is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from rcs_hooks.catalog import MODES
from tests.support import RCS_HOOK, clean_env

RCS = [str(RCS_HOOK.with_name("rcs"))]
COMMANDS = {
    *("try", "setup", "doctor", "uninstall", "state", "question", "hud", "overlay"),
    *("off", "on", "machine", "modes", "config", "emit", "runs", "task", "dashboard", "mcp", "completion"),
    *("status", "log", "prove", "help"),
}
OUTCOMES = {"finished", "blocked", "failed", "userinterlude", "askuserQuestion"}


def script(shell: str) -> str:
    done = subprocess.run(
        [*RCS, "completion", shell], capture_output=True, text=True, env=clean_env(), timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture(scope="module")
def bash_script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bash") / "rcs.bash"
    path.write_text(script("bash"))
    return path


def completed(bash_script: Path, *words: str, cwd: Path) -> list[str]:
    """Return what bash offers for the last word, asked as readline asks."""
    asks = (
        'set -eu; source "$1"; shift; spec=$(complete -p rcs); [[ $spec == *"-F _rcs"* ]];'
        ' COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); set +eu; _rcs; set -eu;'
        ' [ ${#COMPREPLY[@]} -eq 0 ] || printf "%s\\n" "${COMPREPLY[@]}"'
    )
    bash = shutil.which("bash")
    assert bash
    done = subprocess.run(
        [bash, "--norc", "--noprofile", "-c", asks, "bash", str(bash_script), *words],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=clean_env(),
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


OFFERED: list[tuple[str, tuple[str, ...], set[str]]] = [
    ("every command", ("",), COMMANDS),
    ("a command begun", ("com",), {"completion"}),
    ("the actions of state", ("state", "re"), {"read"}),
    ("list-active and nothing else", ("state", "l"), {"list-active"}),
    ("the actions of question", ("question", "a"), {"ask", "answer"}),
    ("the actions of overlay", ("overlay", "s"), {"show", "strip"}),
    ("the shells", ("completion", "b"), {"bash"}),
    ("the options of state", ("state", "write", "--i"), {"--inactive", "--iteration", "--input"}),
    ("an option of one action", ("question", "ask", "--te"), {"--text"}),
    ("the options of hud", ("hud", "--"), {"--help", "--session", "--root", "--json", "--watch", "--statusline"}),
    ("the options of try", ("try", "--j"), {"--json"}),
    ("every mode", ("state", "write", "--mode", ""), set(MODES)),
    ("a mode begun", ("state", "clear", "--mode", "ultra"), {"ultrawork", "ultraqa"}),
    ("a mode for a question", ("question", "ask", "--mode", "fo"), {"forge"}),
    ("every outcome", ("state", "write", "--outcome", ""), OUTCOMES),
    ("an outcome begun", ("state", "write", "--mode", "forge", "--outcome", "f"), {"finished", "failed"}),
    ("the actions of task", ("task", "rev"), {"review", "revert"}),
    ("the schemas", ("task", "pl"), {"plan", "planning.ai", "plan.files", "plan-review"}),
    ("a phase to go to", ("task", "next", "--to", "re"), {"review", "revert"}),
    ("a decision", ("task", "accept", "--decision", "a"), {"accepted"}),
    ("no such mode", ("state", "write", "--mode", "zzz"), set()),
]


@pytest.mark.parametrize(("words", "offered"), [pytest.param(*row[1:], id=row[0]) for row in OFFERED])
def test_bash_completes(bash_script: Path, tmp_path: Path, words: tuple[str, ...], offered: set[str]) -> None:
    found = completed(bash_script, "rcs", *words, cwd=tmp_path)
    assert len(found) == len(set(found)), "nothing is offered twice"
    assert set(found) == offered


def test_bash_offers_files_where_a_file_is_wanted(bash_script: Path, tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").touch()
    assert completed(bash_script, "rcs", "overlay", "apply", "AG", cwd=tmp_path) == ["AGENTS.md"]


def test_bash_offers_folders_for_the_root(bash_script: Path, tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    assert completed(bash_script, "rcs", "hud", "--root", "pro", cwd=tmp_path) == ["project"]


def test_a_file_with_a_blank_in_its_name_is_one_offer(bash_script: Path, tmp_path: Path) -> None:
    (tmp_path / "My notes.md").touch()
    assert completed(bash_script, "rcs", "overlay", "apply", "My", cwd=tmp_path) == ["My notes.md"]


def test_an_action_is_not_offered_where_a_file_is_wanted(bash_script: Path, tmp_path: Path) -> None:
    (tmp_path / "agents.md").touch()
    assert completed(bash_script, "rcs", "overlay", "apply", "a", cwd=tmp_path) == ["agents.md"]


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_fine_syntax(shell: str, tmp_path: Path) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed here")
    path = tmp_path / f"rcs.{shell}"
    path.write_text(script(shell))
    done = subprocess.run([program, "-n", str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_mode_and_outcome_stands_in_every_script(shell: str) -> None:
    text = script(shell)
    for word in COMMANDS | set(MODES) | OUTCOMES:
        assert word in text


@pytest.mark.slow
def test_zsh_borrows_the_script_of_bash() -> None:
    first, _, rest = script("zsh").partition("\n")
    assert first == "autoload -U +X bashcompinit && bashcompinit"
    assert rest == script("bash")


@pytest.mark.slow
@pytest.mark.parametrize("line", ["complete -c rcs -f -n __fish_use_subcommand -a state",
                                  "complete -c rcs -n '__fish_seen_subcommand_from state' -a list-active",
                                  "complete -c rcs -n '__fish_seen_subcommand_from hud' -l watch"])  # fmt: skip
def test_fish_has_a_line_for_each(line: str) -> None:
    assert line in script("fish").splitlines()


@pytest.mark.parametrize("words", [[], ["tcsh"]], ids=["no shell", "another shell"])
def test_a_shell_that_is_not_known_is_a_wrong_command_line(words: list[str]) -> None:
    done = subprocess.run(
        [*RCS, "completion", *words], capture_output=True, text=True, env=clean_env(), timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "shell" in done.stderr
