"""What a newcomer types wrong: the words of each answer, on one line that begins with `rcs:`, and its exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rcs_hooks import __version__
from tests.support import clean_env, error_json, run_rcs
from tests.table import each_row

ID = "550e8400-e29b-41d4-a716-446655440000"
SESSION = "3f2a9c01-1111-4222-8333-444455556666"
WRONG = {
    # commands
    "install": "there is no command 'install'; `rcs help` lists them",
    "--verison": "there is no option '--verison'; did you mean `rcs --version`?",
    "help nonsense": "there is no command or topic 'nonsense'; `rcs help` lists them",
    "stauts": "there is no command 'stauts'; did you mean `rcs status`?",
    # actions
    "state": "state needs an action: read, write, clear, list-active, get-status or prune",
    "state lst": "state has no action 'lst'; did you mean `rcs state list-active`?",
    "modes release": "modes has no action 'release'; there is list and new; to write a new mode: rcs modes new release",
    "completion tcsh": "completion has no shell 'tcsh'; there is bash, zsh and fish",
    "completion": "completion needs a shell: bash, zsh or fish",
    # words that are not taken, or are missing
    "status x": "status takes no 'x'; for one session: rcs status --session x",
    "try fix this": "try takes no 'this'; put the prompt in single quotes: rcs try 'fix this'",
    "try": "try needs PROMPT; see: rcs try --help",
    "setup codex": "setup takes no 'codex'; for one client: rcs setup --client codex",
    "off everywhere": "off takes no 'everywhere'; did you mean --everywhere?",
    "watch notify-send x": "watch takes no 'notify-send'; to call a program: rcs watch --exec notify-send",
    # options and their values
    "watch --on waitng": "--on 'waitng': it is one or more of waiting, failed, ended; did you mean waiting?",
    "watch --on ,": "--on needs a value: one or more of waiting, failed, ended",
    "status --sesion x": "status has no option '--sesion'; did you mean --session?",
    "state read --mode forge --phase x": "state read has no option '--phase'; see: rcs state read --help",
    "state read --mode": "--mode needs a value",
    "state write --phase x": "state write needs --mode; see: rcs state write --help",
    "state write --mode forge":
        "nothing to write; give --phase, --outcome, --active, --iteration, --set or another option",
    "task test x true": "write `--` before the command: rcs task test x -- true",
    "hud --json=1": "--json takes no value",
    "state --dry-run prune": "--dry-run belongs after `rcs state prune`",
    "setup --client vim": "--client 'vim': it is one of codex, claude, copilot, qwen, gemini, all",
    "runs list --status runing":
        "--status 'runing': it is one of running, waiting, stalled, failed, completed, skipped, idle, inactive; "
        "did you mean running?",
    "runs list --limit 0": "--limit 0: it must be 1 or more",
    "runs list --since soon": "--since: 'soon' is not a length of time; write 45m, 12h, 30d or 2w",
    "state write --mode forge --active --inactive": "--active and --inactive cannot go together",
    "log -n 0": "-n: 0 is not between 1 and 5000",
}  # fmt: skip


WITHOUT_JSON = ("help ", "prove ")
"""Lines behind which `--json` is wrong too, or a word of the command."""


@each_row(("line", "says"), WRONG.items(), ids=WRONG)
def test_a_wrong_command_line(line: str, says: str, tmp_path: Path) -> None:
    env = clean_env(HOME=str(tmp_path))
    done = run_rcs(*line.split(), cwd=tmp_path, env=env)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"rcs: {says}\n")
    if not line.startswith(WITHOUT_JSON):
        done = run_rcs(*line.split(), "--json", cwd=tmp_path, env=env)
        answer = json.loads(done.stderr)
        assert (done.returncode, done.stdout) == (2, "")
        assert answer == error_json("usage", says, **answer["details"])
    assert list(tmp_path.iterdir()) == []


MISTYPED = {
    "state read --mode forg": (1,
        "rcs: mode: 'forg' is not a workflow mode; did you mean forge? The others: brief, blueprint, autoresearch, "
        "crew, autoforge, ultrawork, ultraqa, or one of your own (`rcs modes` lists them)\n"),
    "state read --mode cancle": (1,
        "rcs: mode: 'cancle' is not a workflow mode; use one of brief, blueprint, autoresearch, crew, forge, "
        "autoforge, ultrawork, ultraqa, or one of your own (`rcs modes` lists them)\n"),
    "log --mode forg": (0, "nothing has happened to forg yet here; did you mean forge?\n"),
    "log --mode team": (0, "nothing has happened to team yet here\n"),
    "task status lgoin": (1, "rcs: there is no task lgoin; did you mean login?\n"),
    "task next other": (1, "rcs: there is no task other; begin it with: rcs task new other\n"),
    "runs end forge": (1, "rcs: forge is a mode, and its runs are not reported with `rcs emit`: see `rcs status`\n"),
    f"runs end {SESSION[:8]}":
        (1, f"rcs: {SESSION[:8]} is a session, and not reported with `rcs emit`: see `rcs status --session {SESSION}`"
        "\n"),
}  # fmt: skip


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A folder with a task and a run, and the environment to work in it."""
    folder = tmp_path_factory.mktemp("project")
    env = clean_env(HOME=str(folder / "home"), RCS_DB=str(folder / "runs.db"))
    root = folder / "work"
    (root / ".git").mkdir(parents=True)
    emit = ("emit", "--type", "status_change", "--workflow", "build", "--run-id", ID, "--step", "requirements")
    session = ("state", "write", "--mode", "forge", "--active", "--session", SESSION)
    for words in (("task", "new", "login"), session, (*emit, "--data", '{"status":"running"}')):
        assert run_rcs(*words, cwd=root, env=env).returncode == 0
    return root, env


@each_row(("line", "code", "says"), [(line, *rest) for line, rest in MISTYPED.items()], ids=MISTYPED)
def test_a_name_mistyped_or_an_id_cut_short(line: str, code: int, says: str, busy: tuple[Path, dict[str, str]]) -> None:
    root, env = busy
    done = run_rcs(*line.split(), cwd=root, env=env)
    assert (done.returncode, done.stdout + done.stderr) == (code, says)


@pytest.mark.parametrize("words", [["--version"], ["-V"], ["version"]])
def test_the_version_is_shown(words: list[str], tmp_path: Path) -> None:
    done = run_rcs(*words, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"rcs {__version__}\n", "")
