"""A newcomer follows README, in a clean home: nothing fails, and nobody asks but where README says so."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.real_clients.configure import write_settings
from tests.real_clients.model_server import Turn, run, run_found, say
from tests.real_clients.newcomer import SECTIONS, Newcomer, shown_commands, shown_span, shown_text
from tests.real_clients.test_turns import ASK, DONE, FINISH, LET_GO, REASON, STEPS, WORKING, counts
from tests.support import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from tests.real_clients.driver import Person

FIRST = "Your first `$forge`"
WRONG = "When something is wrong"
REMOVALS = {"uv": "uv tool uninstall rcs-hooks", "pipx": "pipx uninstall rcs-hooks"}
WAYS = {"uv": "uv tool install .", "pipx": "pipx install .", "pip": "source .venv/bin/activate"}
TRY, TESTS = (next(line for line in shown_commands() if word in line) for word in ("rcs try", "pytest"))
NOT_TYPED = {
    TESTS: "it is what runs here",
    "pipx install .": "another way, below",
    "pipx uninstall rcs-hooks": "another way, below",
    "source .venv/bin/activate": "another way, below",
    "rcs dashboard": "it needs a browser: tests/browser",
    "rcs watch": "it goes on until Ctrl-C: tests/cli/test_watch.py",
}
OWN_SETTINGS = {"permissions": {"allow": ["Bash(python3 fix.py:*)"]}}
LOGIN = {
    "login.py": "def may_enter(name):\n    return False\n",
    "test_login.py": "from login import may_enter\n\n\ndef test_login():\n    assert may_enter('ann')\n",
    "fix.py": "open('login.py', 'w').write('def may_enter(name):\\n    return bool(name)\\n')\n",
    ".gitignore": "__pycache__\n.pytest_cache\n",
}
FIX = run("python3 fix.py")
PROVEN = shown_span(FIRST, "finished, proven by .*")
PROVE = run(rf"\1{PROVEN.split('`')[1]}", r"(?<=: )(.*rcs'? prove --finish --mode .*-- )COMMAND$")
"""Pastes the command that a Stop's reason shows, with the command that README has as its example."""
EXECUTING, VERIFYING = (
    run(rf"\1{phase}\2", r"(?<=: )(.*rcs'? state write --mode forge --phase )[\w-]+(.*)$")
    for phase in ("executing", "verifying")
)
BY_NAME = run_found(r"(?<=the settings name the command\): )[^\\\"\n]+")
NAME = "release"
WRITE = rf"([\w./-]*rcs) state write --mode {NAME}\b.*?--session ([\w-]+)"
"""Any command for a write to this mode, which the hooks have shown: the program and the session are taken from it."""


def to(phase: str) -> Turn:
    return run(rf"\1 state write --mode {NAME} --session \2 --phase {phase}", WRITE)


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`uv` and `pipx`, as a person may have them."""
    folder = tmp_path_factory.mktemp("tools")
    subprocess.run([sys.executable, "-m", "venv", str(folder / "env")], check=True, timeout=120)
    subprocess.run([folder / "env/bin/pip", "install", "-q", "uv", "pipx"], check=True, timeout=300)
    (bin_ := folder / "bin").mkdir()
    for name in ("uv", "pipx"):
        (bin_ / name).symlink_to(folder / "env/bin" / name)
    return bin_


@pytest.fixture
def newcomer(person: Person, tools: Path, tmp_path: Path) -> Newcomer:
    """Has a project in a folder with a blank in its name, with a test that fails and settings of their own."""
    person.workspace = project = tmp_path / "my project"
    project.mkdir()
    git(project, "init", "-q")
    for name, text in LOGIN.items():
        (project / name).write_text(text)
    write_settings(project / ".claude/settings.json", OWN_SETTINGS)
    git(project, "add", ".")
    git(project, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "A login")
    return Newcomer.sits_down(person, tools)


def trusts_the_folder(newcomer: Newcomer) -> None:
    """Say so in the client, and in Codex approve the hooks."""
    person, project = newcomer.person, newcomer.person.workspace
    if person.client == "codex":
        person.bypass = False
        person.trusts(project, approved=project)
    else:
        person.asks = True
        trusted = {"projects": {str(project): {"hasTrustDialogAccepted": True}}}
        write_settings(person.home / ".claude/.claude.json", trusted)


def files(folder: Path) -> dict[str, bytes]:
    """Return what a person finds in a folder, but for what git and Python keep there."""
    ours = (path for path in folder.rglob("*") if path.is_file() or path.is_symlink())
    kept = {".git", "__pycache__", ".pytest_cache"}
    return {str(path.relative_to(folder)): path.read_bytes() for path in ours if not kept & set(path.parts)}


def verdict(newcomer: Newcomer) -> str:
    """Return the last line of doctor, whose status is 1 while something is left to do."""
    newcomer.typed.add("rcs doctor")
    return newcomer.enters("rcs doctor || true").splitlines()[-1]


# --- the parts of README, in their order


def tries_it(newcomer: Newcomer) -> None:
    project = newcomer.person.workspace
    before = files(project)
    assert "you see:\n  rcs: blueprint started" in newcomer.types(TRY)
    assert files(project) == before


def sets_up(newcomer: Newcomer, way: str) -> None:
    project = newcomer.person.workspace
    before = files(project)
    newcomer.types(WAYS[way])
    newcomer.folder = project
    newcomer.enters("rcs setup --skills --dry-run")
    assert files(project) == before
    newcomer.types("rcs setup --skills")
    assert verdict(newcomer).startswith("It would not work yet. To do")
    trusts_the_folder(newcomer)


def sees_what_changed(newcomer: Newcomer, before: dict[str, bytes]) -> None:
    project = newcomer.person.workspace
    words = re.findall(r"^\| `\$(\w+)` \|", SECTIONS["What you can type"], re.MULTILINE)
    skills = {f".claude/skills/{name}/SKILL.md" for name in [*words, "task"]}
    settings = ".claude/settings.json"
    new = {name for name in files(project).keys() - before.keys() if not name.startswith(".rcs/")}
    assert new == skills | {f"{settings}.before-rcs"}
    assert files(project)[f"{settings}.before-rcs"] == before[settings]
    assert json.loads(before[settings])["permissions"]["allow"][0] in (project / settings).read_text()
    changed = newcomer.enters("git status --short").split()[1::2]
    assert sorted(changed) == [settings, f"{settings}.before-rcs", ".claude/skills/", "login.py"], "git ignores .rcs"


def first_forge(newcomer: Newcomer) -> None:
    asked = newcomer.prompts(shown_text(FIRST).strip(), WORKING, EXECUTING, ASK, say("Which database?"))
    assert shown_span(FIRST, "rcs: .*") in asked.shown
    assert [number > 0 for number in counts(asked, REASON)[:2]] == [False, True], "it may not stop yet"
    assert "Which database?" in newcomer.types("rcs status")
    answered = newcomer.prompts("Postgres", FIX, VERIFYING, WORKING, PROVE, DONE, resume=asked.session)
    assert any(f"rcs: forge {PROVEN}" in text for text in answered.shown)
    assert "proven" in newcomer.types("rcs status")
    assert "finished" in newcomer.types("rcs log")


def lets_go(newcomer: Newcomer) -> None:
    """The agent goes on and on, until it is let go by itself; `$cancel` ends the run."""
    went_on = newcomer.prompts("$forge make it faster", *STEPS)
    assert len(went_on.requests) == 1 + 5
    assert LET_GO in went_on.shown[-1]
    newcomer.prompts(shown_span(WRONG, r"\$cancel"), DONE, resume=went_on.session)
    assert "forge" not in newcomer.types("rcs try 'your prompt'")
    assert Workspace(newcomer.person.workspace).active(went_on.session) == []


def switches_off_and_on(newcomer: Newcomer) -> None:
    def is_on(**env: str) -> bool:
        return any(counts(newcomer.prompts("$ultrawork go", DONE, **env), "[rcs]"))

    name, value = shown_span(WRONG, "RCS_DISABLE=1").split("=")
    assert not is_on(**{name: value})
    for off, on in (("rcs off", "rcs on"), ("rcs off --everywhere", "rcs on --everywhere")):
        newcomer.types(off)
        assert not is_on()
        newcomer.types(on)
    assert verdict(newcomer).startswith("It would work now")


def mode_of_their_own(newcomer: Newcomer) -> None:
    newcomer.types(f"rcs modes new {NAME}")
    file = newcomer.person.workspace / shown_span("A mode of your own", r".*/SKILL\.md")
    text = file.read_text()
    file.write_text(text.replace("Make the change that meets the checklist", "Tag version 2 of the program"))
    assert file.read_text() != text
    script = (WORKING, to("executing"), to("verifying"), WORKING, PROVE, DONE)
    outcome = newcomer.prompts(f"${NAME} version 2", *script)
    assert outcome.shown[0].startswith(f"rcs: {NAME} started")
    steps = ("Write the checklist, with one command", "Tag version 2 of the program", "Run the whole checklist")
    heard = [next(at for at, number in enumerate(counts(outcome, step)) if number) for step in steps]
    assert heard == sorted(set(heard)), "each step comes when its turn has come"
    assert f"rcs: {NAME} {PROVEN}" in outcome.shown[-1]


def works_in_a_team(newcomer: Newcomer) -> None:
    (newcomer.person.workspace / "rcs.toml").write_text(shown_text("In a team"))
    newcomer.types("rcs config trust")
    outcome = newcomer.prompts("$forge make it short", EXECUTING, VERIFYING, WORKING, BY_NAME, DONE)
    assert any(f"rcs: forge {PROVEN}" in text for text in outcome.shown)


def reads_on(newcomer: Newcomer) -> None:
    assert "install" in newcomer.types("rcs help")
    assert newcomer.types("rcs help install").startswith("# Install")


def undoes_it(newcomer: Newcomer, way: str) -> None:
    newcomer.types("rcs uninstall")
    newcomer.types("rcs setup --scope user")
    newcomer.types("rcs setup")
    newcomer.types("rcs uninstall")
    newcomer.enters("rcs uninstall --scope user")
    newcomer.types("rcs uninstall --purge", says="y\n")
    newcomer.types(REMOVALS[way])
    assert newcomer.enters("command -v rcs || echo gone") == "gone\n"


# --- the walk


@pytest.mark.parametrize("client", ["claude"])
def test_a_newcomer_meets_no_error_and_is_asked_only_what_readme_says(newcomer: Newcomer) -> None:
    before, home = files(newcomer.person.workspace), newcomer.person.home
    tries_it(newcomer)
    sets_up(newcomer, "uv")
    first_forge(newcomer)
    sees_what_changed(newcomer, before)
    lets_go(newcomer)
    switches_off_and_on(newcomer)
    mode_of_their_own(newcomer)
    works_in_a_team(newcomer)
    reads_on(newcomer)
    undoes_it(newcomer, "uv")

    left = files(newcomer.person.workspace)
    assert [name for name in before if left.get(name) != before[name]] == ["login.py"], "the agent has repaired it"
    assert left.keys() - before.keys() == {f".claude/skills/{NAME}/SKILL.md", "rcs.toml"}
    assert not (home / ".rcs").exists()
    assert newcomer.errors == []
    assert [question.split()[:2] for question in newcomer.questions] == [["rcs", "prove"]] * 3 + [["rcs", "uninstall"]]
    assert set(shown_commands()) - newcomer.typed == NOT_TYPED.keys()
    print(f"{newcomer.minutes:.1f} minutes, {newcomer.steps} steps")


@pytest.mark.parametrize(("way", "client"), [("pipx", "claude"), ("uv", "codex"), ("pip", "codex")])
def test_every_way_to_install_it_leads_to_a_first_run(newcomer: Newcomer, way: str) -> None:
    before = files(newcomer.person.workspace)
    if way == "pip":
        tries_it(newcomer)
    sets_up(newcomer, way)
    outcome = newcomer.prompts(shown_text(FIRST).strip(), WORKING, FINISH, DONE)
    assert shown_span(FIRST, "rcs: .*") in outcome.shown
    assert Workspace(newcomer.person.workspace).read("forge", outcome.session)["lifecycle_outcome"] == "finished"
    newcomer.types("rcs uninstall --purge", says="y\n")
    if way in REMOVALS:
        newcomer.types(REMOVALS[way])
    assert newcomer.errors == []
    assert files(newcomer.person.workspace) == before
