"""The installed command and the scripts are one program; it finds its workspace, and its words can be pasted."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rcs_hooks.clients.lines import hook_command
from rcs_hooks.environment import Environment
from rcs_hooks.hook.entry import respond
from tests.support import CHECKOUT, HOOKS, NOW, RCS_HOOK, SCRIPTS, Answer, Workspace, clean_env
from tests.table import each_row

PYTHON = sys.executable
PROGRAMS = {
    "rcs-hook": [str(RCS_HOOK)],
    "rcs-hook, given to Python": [PYTHON, str(RCS_HOOK)],
    "as setup writes it": ["/bin/sh", "-c", hook_command(PYTHON)],
    "user_prompt_submit.py": [PYTHON, str(SCRIPTS["UserPromptSubmit"])],
    "stop.py": [PYTHON, str(SCRIPTS["Stop"])],
    "the plugin": ["/bin/sh", str(HOOKS / "plugin"), "stop"],
    "a script without site-packages": [PYTHON, "-I", "-S", str(SCRIPTS["Stop"])],
}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def run(command: list[str], raw: bytes, *, cwd: Path, env: dict[str, str] | None = None) -> str:
    """What a program writes on stdout; it exits with 0 and says nothing on stderr."""
    done = subprocess.run(
        command, input=raw, capture_output=True, cwd=cwd, env=env or clean_env(), timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


# --- one program

A_DAY: list[tuple[str, dict[str, Any]]] = [
    ("UserPromptSubmit", {"turn_id": "t1", "prompt": "hello"}),
    ("UserPromptSubmit", {"turn_id": "t2", "prompt": "$blueprint $ultrawork a plan, please"}),
    ("UserPromptSubmit", {"turn_id": "t2", "prompt": "$blueprint $ultrawork a plan, please"}),
    ("Stop", {"turn_id": "t2", "last_assistant_message": "Would you like me to continue?"}),
    ("UserPromptSubmit", {"prompt_id": "t3", "prompt": "$team and é \U0001f600"}),
    ("UserPromptSubmit", {"turn_id": "t4", "prompt": "$autopilot"}),
    ("Stop", {"turn_id": "t4", "stop_hook_active": True, "last_assistant_message": None}),
    ("SessionEnd", {"reason": "other"}),
    ("UserPromptSubmit", {"turn_id": "t5", "prompt": "$cancel"}),
    ("Stop", {"turn_id": "t5"}),
    ("UserPromptSubmit", {"turn_id": "t6"}),
    ("UserPromptSubmit", {"turn_id": "t7", "prompt": "$team", "session_id": "../s1"}),
]


def lived(command: list[str], root: Path) -> tuple[list[str], dict[str, str]]:
    """What a program says in a whole day, and the state it leaves; times blanked."""
    root.mkdir()
    workspace = Workspace(root)
    env = clean_env(RCS_PYTHON=PYTHON, CLAUDE_PLUGIN_ROOT=str(CHECKOUT))
    said = [run(command, workspace.payload(event, **fields), cwd=root, env=env) for event, fields in A_DAY]
    state = {path: TIME.sub("TIME", data.decode()) for path, data in workspace.snapshot().items()}
    return [line.replace(str(root), "ROOT") for line in said], state


@pytest.mark.slow
def test_every_program_prints_the_same_bytes_and_leaves_the_same_state(tmp_path: Path) -> None:
    days = {name: lived(command, tmp_path / name) for name, command in PROGRAMS.items()}
    first = days["rcs-hook"]
    assert [line == "{}\n" for line in first[0]].count(True) == 4
    assert "state/sessions/s1/team-state.json" in first[1]
    assert days == dict.fromkeys(days, first)


# --- where the workspace is


def build(top: Path, layout: str) -> None:
    """`a/` is a folder, `a -> b` a link, anything else a file."""
    top.mkdir(exist_ok=True)
    for item in layout.split(", ") if layout else []:
        name, _, target = item.partition(" -> ")
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        if target:
            (top / name).symlink_to(target)
        elif name.endswith("/"):
            (top / name).mkdir(parents=True, exist_ok=True)
        else:
            (top / name).write_text("")


def below(top: Path, place: str) -> str:
    """Absolute, unless it is one that begins with dots and a slash."""
    return place if place.startswith(("./", "../")) else str(top / place)


def call_from(top: Path, cwd: str | None, env: dict[str, str], process: str = ".") -> Answer:
    """`$team` in a session; `cwd` of the payload, folders in `env` and that of the process are below `top`."""
    settings = {name: below(top, value) if value.strip() else value for name, value in env.items()}
    fields = {} if cwd is None else {"cwd": below(top, cwd)}
    call = {"session_id": "s1", "hook_event_name": "UserPromptSubmit", "turn_id": "t1", "prompt": "$team"} | fields
    environment = Environment(settings, str(top / process), NOW, "rcs")
    return Answer("UserPromptSubmit", respond(json.dumps(call).encode(), environment))


def roots_in(top: Path) -> list[str]:
    """Every folder in which team runs."""
    found = top.rglob(".rcs/state/sessions/s1/team-state.json")
    return [str(path.relative_to(top).parents[4]) for path in found]


ROOTS = [
    pytest.param(".git/, a/b/", {}, "a/b", ".", id="a repository further up"),
    pytest.param(".git, a/b/", {}, "a/b", ".", id="a repository whose .git is a file"),
    pytest.param(".git/, a/.rcs/state/, a/b/", {}, "a/b", "a", id="state nearer than the repository"),
    pytest.param(".rcs/state/, a/.git/, a/b/", {}, "a/b", "a", id="a repository nearer than state"),
    pytest.param("a/b/", {}, "a/b", "a/b", id="nothing: cwd itself"),
    pytest.param(".git/", {}, "gone/deeper", ".", id="a cwd that is gone, in a repository"),
    pytest.param(".git/, a/", {}, "a/../a/.", ".", id="dots in cwd"),
    pytest.param("a/b/", {}, None, ".", id="no cwd"),
    pytest.param(".git/, a/, b/", {"RCS_ROOT": "b"}, "a", "b", id="RCS_ROOT"),
    pytest.param(".git/, a/", {"RCS_ROOT": " "}, "a", ".", id="a blank RCS_ROOT"),
    pytest.param(".git/, a/, b/", {"CLAUDE_PROJECT_DIR": "b"}, "a", "b", id="CLAUDE_PROJECT_DIR"),
    pytest.param("a/, b/", {"RCS_ROOT": "a", "CLAUDE_PROJECT_DIR": "b"}, "b", "a", id="RCS_ROOT before the other"),
]


@each_row(("layout", "env", "cwd", "root"), ROOTS)
def test_the_workspace_is_found(tmp_path: Path, layout: str, env: dict[str, str], cwd: str | None, root: str) -> None:
    top = tmp_path / "top"
    build(top, layout)
    assert "initialized" in call_from(top, cwd, env).context
    assert roots_in(top) == [root]


# --- commands that find it again

SHELLS = [
    pytest.param(".git/", {}, ".", False, id="in the repository"),
    pytest.param(".git/, a/, b/", {"RCS_ROOT": "b"}, "a", True, id="RCS_ROOT names another folder"),
    pytest.param(".git/, a/", {"RCS_ROOT": "a"}, "a", False, id="RCS_ROOT is cwd, and has state from now on"),
    pytest.param(".git/, a/.git", {"CLAUDE_PROJECT_DIR": "."}, "a", True, id="cwd is in a submodule of the project"),
    pytest.param(".git/, c -> ../elsewhere", {}, "c", True, id="cwd is a link to a folder elsewhere"),
    pytest.param(".git/, d -> .", {"RCS_ROOT": "d"}, ".", False, id="RCS_ROOT is a link to what the shell finds"),
    pytest.param(".git/", {}, "gone", True, id="cwd is gone"),
]


@each_row(("layout", "env", "cwd", "is_named"), SHELLS)
def test_a_command_names_the_root_exactly_where_a_shell_would_find_another(
    tmp_path: Path, layout: str, env: dict[str, str], cwd: str, *, is_named: bool
) -> None:
    top = tmp_path / "top"
    (tmp_path / "elsewhere").mkdir()
    build(top, layout)
    context = call_from(top, cwd, env).context
    (root,) = {(top / name).resolve() for name in roots_in(top)}
    commands = [line for line in context.splitlines() if " --session s1" in line]
    assert commands
    for command in commands:
        words = shlex.split(command.partition("rcs ")[2])
        named = words[words.index("--root") + 1] if "--root" in words else None
        assert (Path(named).resolve() if named else None) == (root if is_named else None)


# --- how the agent's shell calls this program


def command_in(context: str) -> str:
    """The command in a context that takes the first step of a run."""
    return next(line for line in context.splitlines() if "--phase executing" in line).partition(": ")[2]


def installed_in(tmp_path: Path) -> Path:
    """A folder with an interpreter and an `rcs` beside it, as an installation makes it; with a blank in its path."""
    folder = tmp_path / "an env" / "bin"
    folder.mkdir(parents=True)
    (folder / "python3").symlink_to(PYTHON)
    program(folder / "rcs")
    (folder / "rcs").write_text("#!/bin/sh\n# stands for the script of rcs_hooks\nexit 1\n")
    return folder


def program(path: Path, mode: int = 0o755) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("#!/bin/sh\nexit 1\n")
    path.chmod(mode)


def words_for_rcs(installed: Path, path: str) -> list[str]:
    """What stands before `state write` in the commands of a call of the script with this interpreter and PATH."""
    workspace = Workspace(installed.parent)
    command = [str(installed / "python3"), str(SCRIPTS["UserPromptSubmit"])]
    line = run(command, workspace.payload("UserPromptSubmit", prompt="$team"), cwd=installed, env={"PATH": path})
    context = Answer("UserPromptSubmit", line.rstrip("\n")).context
    return shlex.split(command_in(context).partition(" state write")[0])


PATHS = {
    "the first on the path": ("/nonexistent:{bin}:/bin", True),
    "a link on the path": ("{tmp}/links", True),
    "behind what cannot be run": ("{tmp}/closed:{tmp}/folder:{bin}", True),
    "not on the path": ("/nonexistent", False),
    "no path": ("", False),
    "behind another program of its name": ("{tmp}/other:{bin}", False),
}


@each_row(("path", "is_by_name"), PATHS.values(), ids=PATHS)
def test_rcs_is_called_by_its_name_where_that_finds_it_and_else_by_its_path(
    path: str, is_by_name: bool, tmp_path: Path
) -> None:
    folder = installed_in(tmp_path)
    program(tmp_path / "other" / "rcs")
    program(tmp_path / "closed" / "rcs", mode=0o644)
    (tmp_path / "folder" / "rcs").mkdir(parents=True)
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "rcs").symlink_to(folder / "rcs")
    words = words_for_rcs(folder, path.format(bin=folder, tmp=tmp_path))
    assert words == ["rcs" if is_by_name else str(folder / "rcs")]


def test_without_an_installation_the_interpreter_is_called(tmp_path: Path) -> None:
    folder = installed_in(tmp_path)
    (folder / "rcs").unlink()
    words = words_for_rcs(folder, "/bin")
    assert words == [f"PYTHONPATH={CHECKOUT}", str(folder / "python3"), "-P", "-m", "rcs_hooks"]


@pytest.mark.parametrize("folder", ["it's $HOME; `true`"])
def test_a_command_of_an_answer_can_be_pasted(tmp_path: Path, folder: str) -> None:
    root = tmp_path / folder
    root.mkdir()
    workspace, env = Workspace(root), clean_env(RCS_ROOT=str(root))
    call = workspace.payload("UserPromptSubmit", prompt="$team", cwd=str(tmp_path))
    line = run(PROGRAMS["stop.py"], call, cwd=tmp_path, env=env)
    context = Answer("UserPromptSubmit", line.rstrip("\n")).context
    command = command_in(context).replace("--phase executing", "--outcome finished")
    subprocess.run(
        ["/bin/sh", "-c", command], cwd=tmp_path, env=clean_env(), check=True, capture_output=True, timeout=60
    )
    assert workspace.read("team")["lifecycle_outcome"] == "finished"
    ended = Answer("Stop", run(PROGRAMS["stop.py"], workspace.payload("Stop"), cwd=root).rstrip("\n"))
    assert ended.notice.startswith("rcs: team finished early, unproven. To prove it: ")
    assert not ended.blocks


def test_the_command_of_a_checkout_runs_no_code_of_the_workspace(tmp_path: Path) -> None:
    """A cloned repository may bring a package of our name, or one of the standard library's."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "python3").symlink_to(PYTHON)
    workspace = Workspace(tmp_path / "work")
    for name in ("rcs_hooks", "argparse"):
        (workspace.root / name).mkdir(parents=True)
        for file in ("__init__.py", "__main__.py"):
            (workspace.root / name / file).write_text("raise SystemExit('owned')\n")
    call = workspace.payload("UserPromptSubmit", prompt="$forge")
    line = run(
        [str(folder / "python3"), str(SCRIPTS["UserPromptSubmit"])], call, cwd=workspace.root, env={"PATH": "/bin"}
    )
    context = Answer("UserPromptSubmit", line.rstrip("\n")).context
    command = command_in(context).replace("--phase executing", "--outcome finished")
    done = subprocess.run(["/bin/sh", "-c", command], cwd=workspace.root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert workspace.read("forge")["lifecycle_outcome"] == "finished"
