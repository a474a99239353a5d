"""`rcs off` and `rcs on` as whole programs: what they write, what they print, and what the hooks then do."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from rcs_hooks.mcp import tools
from tests.support import Workspace, clean_env, hook_here, run_rcs
from tests.table import each_row


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def rcs(workspace: Workspace, home: Path | str, *words: str, **env: str) -> tuple[int, str]:
    done = run_rcs(*words, cwd=workspace.root, env=clean_env(HOME=str(home), **env))
    return done.returncode, done.stdout + done.stderr


def held(workspace: Workspace, home: Path) -> bool:
    raw = workspace.payload("Stop", turn_id="t1", last_assistant_message=f"Working {time.time()}.")
    return '"block"' in hook_here(raw, cwd=workspace.root, env=clean_env(HOME=str(home)))[0]


@pytest.fixture
def forge(workspace: Workspace) -> Workspace:
    workspace.now = time.time()
    workspace.prompt("$forge fix")
    return workspace


def test_off_and_on_in_a_workspace(forge: Workspace, home: Path) -> None:
    assert held(forge, home)
    assert rcs(forge, home, "off") == (0, f"the hooks are off in {forge.root}; `rcs on` switches them on\n")
    assert not held(forge, home)
    off = f"{forge.root}/.rcs/off is set; to switch them on: rcs on"
    assert f"the hooks are off, so none of this happens: {off}\n" in rcs(forge, home, "try", "$forge x")[1]
    assert f"the hooks are off: {off}\n" in rcs(forge, home, "status")[1]
    assert rcs(forge, home, "on") == (0, f"removed {forge.root}/.rcs/off; the hooks are on\n")
    assert held(forge, home)
    assert list(home.iterdir()) == []


def test_off_and_on_everywhere(forge: Workspace, home: Path) -> None:
    said = "the hooks are off everywhere; `rcs on --everywhere` switches them on\n"
    assert rcs(forge, home, "off", "--everywhere") == (0, said)
    assert not held(forge, home)
    assert rcs(forge, home, "on") == (
        0,
        f"{forge.root}/.rcs/off does not exist; {home}/.rcs/off still keeps the hooks off; run `rcs on --everywhere`\n",
    )
    assert rcs(forge, home, "on", "--everywhere", RCS_DISABLE="1") == (
        0,
        f"removed {home}/.rcs/off; RCS_DISABLE still keeps the hooks off; unset it\n",
    )
    assert held(forge, home)


def test_off_follows_no_link(workspace: Workspace, home: Path, tmp_path: Path) -> None:
    (home / ".rcs").mkdir()
    (home / ".rcs" / "off").symlink_to(tmp_path / "elsewhere")
    assert rcs(workspace, home, "off", "--everywhere")[0] == 1
    assert not (tmp_path / "elsewhere").exists()
    (workspace.root / ".rcs").symlink_to(home)
    assert rcs(workspace, home, "off")[0] == 1


def test_off_makes_the_folder_where_there_is_none_and_everywhere_needs_a_home(workspace: Workspace, home: Path) -> None:
    assert rcs(workspace, home, "off")[0] == 0
    assert (workspace.root / ".rcs" / ".gitignore").read_text() == "*\n"
    raw = workspace.payload("UserPromptSubmit", turn_id="t1", prompt="$forge fix")
    assert hook_here(raw, cwd=workspace.root, env=clean_env(HOME=str(home))) == ("{}", 0)
    said = "rcs: HOME is not set, so there is no home folder to switch the hooks off in; use RCS_DISABLE=1\n"
    assert rcs(workspace, "", "off", "--everywhere") == (1, said)


@each_row(
    ("words", "env", "off", "todo"),
    [
        (("off",), {}, "{root}/.rcs/off", "rcs on"),
        (("off", "--everywhere"), {}, "{home}/.rcs/off", "rcs on --everywhere"),
        (("--version",), {"RCS_DISABLE": "1"}, "RCS_DISABLE", "unset RCS_DISABLE"),
        (("--version",), {}, None, None),
    ],
)
def test_doctor_and_get_status_say_that_the_hooks_are_off(
    words: tuple[str, ...], env: dict[str, str], off: str | None, todo: str | None, workspace: Workspace
) -> None:
    home = workspace.root / "home"
    home.mkdir()
    (workspace.root / ".git" / "refs").mkdir(parents=True)
    workspace.now = time.time()
    workspace.prompt("$forge fix")
    rcs(workspace, home, *words)
    off = off and off.format(root=workspace.root, home=home)
    checks = json.loads(rcs(workspace, home, "doctor", "--json", **env)[1])["checks"]
    switch = [(check["found"], check["todo"]) for check in checks if check["what"] == "switch"]
    assert switch == ([(f"the hooks are off: {off} is set", todo)] if off else [])
    shown = rcs(workspace, home, "state", "get-status", "--session", "s1", **env)[1].splitlines()
    said = [f"the hooks are off: {off} is set; to switch them on: {todo}"] if off else []
    assert shown == ['forge: active, phase starting, "fix"', *said]
    given = {"session_id": "s1", "cwd": str(workspace.root)}
    answer, is_error = tools.call("state_get_status", given, clean_env(HOME=str(home), **env), "/")
    assert (json.loads(answer).get("off"), is_error) == (off, False)
