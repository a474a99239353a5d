"""The checkout as a plugin of Claude Code: its files, and the launcher that finds a Python for each hook call."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rcs_hooks import __version__
from rcs_hooks.catalog import SKILL_FILES, SKILLS
from tests.hook.test_programs import A_DAY, TIME
from tests.support import CHECKOUT, HOOKS, RCS_HOOK, Answer, Record, Workspace, check_output, few, of_children

if TYPE_CHECKING:
    from collections.abc import Callable

LAUNCHER = HOOKS / "plugin"
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
FOLDERS = ["a plugin", 'it\'s a "plugin"', "$HOME `id` \\n"]
START: Record = {"source": "startup"}
OFF = "rcs: the hooks are off, there is no Python"

# --- the files


def read(path: str) -> Record:
    record: Record = json.loads((CHECKOUT / path).read_text())
    return record


def test_the_manifest() -> None:
    assert read(".claude-plugin/plugin.json") == {
        "name": "rcs",
        "version": __version__,
        "description": "$skill workflows that start when asked and stop when done",
        "author": {"name": "The rcs-hooks authors"},
        "license": "MIT",
        "keywords": ["hooks", "workflow", "agent"],
        "skills": [f"./rcs_hooks/skills/{name}" for name in SKILL_FILES],
    }


def test_the_version_is_written_in_the_package_alone() -> None:
    """The manifest must repeat it, and the changelog has a heading for it; all else reads it."""
    assert tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["tool"]["hatch"]["version"] == {
        "path": "rcs_hooks/__init__.py"
    }
    assert "version" not in PROJECT
    assert metadata.version("rcs-hooks") == __version__
    assert re.findall(r"(?m)^## (\S+)", (CHECKOUT / "CHANGELOG.md").read_text())[0] == __version__
    sources = [*CHECKOUT.glob("*.*"), *CHECKOUT.glob(".claude-plugin/*"), *CHECKOUT.glob("hooks/*")]
    sources += [*CHECKOUT.glob("rcs_hooks/**/*.py"), *CHECKOUT.glob("rcs_hooks/skills/**/*.md")]
    naming = {str(path.relative_to(CHECKOUT)) for path in sources if path.is_file() and __version__ in path.read_text()}
    assert naming == {"rcs_hooks/__init__.py", ".claude-plugin/plugin.json", "CHANGELOG.md"}


def test_every_skill_that_the_manifest_names_is_there() -> None:
    for path in read(".claude-plugin/plugin.json")["skills"]:
        assert (CHECKOUT / path / "SKILL.md").read_text().startswith(f"---\nname: {Path(path).name}\n")


def test_the_repository_is_a_marketplace_of_the_one_plugin() -> None:
    assert read(".claude-plugin/marketplace.json") == {
        "name": "rcs-hooks",
        "owner": {"name": "The rcs-hooks authors"},
        "description": "The rcs-hooks plugin, out of its own repository",
        "plugins": [
            {
                "name": "rcs",
                "source": "./",
                "description": "$skill workflows that start when asked and stop when done",
            }
        ],
    }


def test_the_hooks() -> None:
    def group(script: str, seconds: int = 30) -> list[Record]:
        command = f'"${{CLAUDE_PLUGIN_ROOT}}/hooks/plugin" {script} || exit 0'
        return [{"hooks": [{"type": "command", "command": command, "timeout": seconds}]}]

    assert read("hooks/hooks.json") == {
        "hooks": {
            "UserPromptSubmit": group("user_prompt_submit"),
            "Stop": group("stop"),
            "SessionStart": group("session_start"),
            "SessionEnd": group("session_end", 3),
        }
    }


def assigned(name: str) -> str:
    match = re.search(rf"^{name}='(.*)'$", LAUNCHER.read_text(), re.MULTILINE)
    assert match
    return match[1]


def test_the_launcher_knows_our_packages_and_our_skills() -> None:
    assert assigned("PACKAGES").split() == [re.split(r"\W", name)[0] for name in PROJECT["dependencies"]]
    assert assigned("NAMES").split("|") == list(SKILLS)
    assert os.access(LAUNCHER, os.X_OK)


# --- calls


def linked(folder: Path) -> Path:
    """Link the checkout into a plugin's folder, without a virtual environment in it."""
    folder.mkdir()
    for name in (".claude-plugin", "hooks", "rcs_hooks"):
        (folder / name).symlink_to(CHECKOUT / name)
    return folder


class Plugin:
    """The plugin as the client calls it: by a shell, with its folders in the environment."""

    def __init__(self, folder: Path, root: str = "a plugin") -> None:
        self.root = linked(folder / root)
        self.data = folder / f"{root} data"
        self.data.mkdir()
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.workspace = Workspace(folder / "work")
        self.workspace.root.mkdir()
        names = {"CLAUDE_PLUGIN_ROOT": self.root, "CLAUDE_PLUGIN_DATA": self.data, "PATH": self.bin}
        self.env = {name: str(path) for name, path in names.items()}

    @property
    def note(self) -> list[str]:
        return (self.data / "python").read_text().splitlines()

    def says(self, event: str, session: str = "s1", **fields: object) -> str:
        (group,) = read("hooks/hooks.json")["hooks"][event]
        (hook,) = group["hooks"]
        return output(["/bin/sh", "-c", hook["command"]], self.workspace.payload(event, session, **fields), self)

    def notice(self, event: str, **fields: object) -> str:
        return Answer(event, self.says(event, "s1", **fields)).notice

    def program(self, path: Path, text: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\necho called >> {shlex.quote(f'{self.data}/calls')}\n{text}\n")
        path.chmod(0o755)
        return path

    def python(self, path: Path, flags: str = "") -> Path:
        """Write a program that runs the tests' interpreter."""
        return self.program(path, f'exec {shlex.quote(sys.executable)} {flags} "$@"')

    @property
    def calls(self) -> int:
        """How often one of these programs ran."""
        file = self.data / "calls"
        return len(file.read_text().split()) if file.exists() else 0


def output(command: list[str], raw: bytes, plugin: Plugin) -> str:
    done = subprocess.run(
        command, input=raw, capture_output=True, cwd=plugin.workspace.root, env=plugin.env, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count(b"\n") == 1
    return done.stdout.decode().removesuffix("\n")


@pytest.fixture
def plugin(tmp_path: Path) -> Plugin:
    return Plugin(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("folder", few(FOLDERS, 1))
def test_its_answers_are_those_of_the_installed_command_to_the_byte(tmp_path: Path, folder: str) -> None:
    days = {}
    for name in ("plugin", "rcs-hook"):
        (tmp_path / name).mkdir()
        one = Plugin(tmp_path / name, folder)
        one.env["RCS_PYTHON"] = sys.executable
        one.workspace.in_git()
        said = [one.says("SessionStart", **START)]
        for event, fields in A_DAY:
            session = str(fields.get("session_id", "s1"))
            rest = {key: value for key, value in fields.items() if key != "session_id"}
            if event == "SessionEnd":
                continue
            if name == "plugin":
                said.append(one.says(event, session, **rest))
            else:
                said.append(output([str(RCS_HOOK)], one.workspace.payload(event, session, **rest), one))
        files = {path: TIME.sub("TIME", data.decode()) for path, data in one.workspace.snapshot().items()}
        days[name] = (said, files)
    assert days["plugin"] == days["rcs-hook"]
    assert [line == "{}" for line in days["plugin"][0]].count(True) == 4


# --- which Python


def prompts(plugin: Plugin) -> bool:
    return "active: forge" in plugin.says("UserPromptSubmit", prompt="$forge")


PLACES: dict[str, Callable[[Plugin], Path]] = {
    "an environment in the plugin's data": lambda plugin: plugin.data / "venv/bin/python3",
    "an environment in the checkout": lambda plugin: plugin.root / ".venv/bin/python3",
    "3.14": lambda plugin: plugin.bin / "python3.14",
    "3.11": lambda plugin: plugin.bin / "python3.11",
    "python3": lambda plugin: plugin.bin / "python3",
}


@pytest.mark.parametrize("place", few(PLACES, 2))
def test_a_python_is_found(plugin: Plugin, place: str) -> None:
    plugin.python(PLACES[place](plugin))
    assert prompts(plugin)
    assert plugin.note == [f"{plugin.root}|", sys.executable, ""]
    assert plugin.calls == 1


@pytest.mark.slow
def test_what_was_found_is_not_searched_again_before_the_next_session(plugin: Plugin) -> None:
    plugin.python(plugin.bin / "python3")
    plugin.says("SessionStart", **START)
    plugin.says("Stop")
    assert prompts(plugin)
    assert plugin.calls == 1
    plugin.says("SessionStart", **START)
    assert plugin.calls == 2


def test_the_python_of_an_installed_rcs_hook_is_found(plugin: Plugin) -> None:
    """Also through a link, as pipx and uv install programs."""
    (plugin.bin / "rcs-hook").symlink_to(RCS_HOOK)
    assert prompts(plugin)
    assert Path(plugin.note[1]).parent == Path(sys.executable).parent


def test_the_one_that_the_person_names_comes_first(plugin: Plugin) -> None:
    plugin.python(plugin.bin / "python3")
    plugin.says("SessionStart", **START)
    plugin.env["RCS_PYTHON"] = str(plugin.python(plugin.workspace.root.parent / "mine" / "my python"))
    assert prompts(plugin)
    assert plugin.note == [f"{plugin.root}|{plugin.env['RCS_PYTHON']}", sys.executable, ""]
    assert plugin.calls == 2


def test_one_that_was_deleted_is_searched_again(plugin: Plugin) -> None:
    plugin.python(plugin.bin / "python3")
    (plugin.data / "python").write_text(f"{plugin.root}|\n{plugin.data}/venv/bin/python3\n\n")
    assert prompts(plugin)
    assert Path(plugin.note[1]).parent == Path(sys.executable).parent


def test_a_shim_that_fails_is_passed_over(plugin: Plugin) -> None:
    plugin.program(plugin.bin / "python3.12", "echo 'no version is set' >&2; exit 126")
    plugin.python(plugin.bin / "python3")
    assert prompts(plugin)


def test_a_python_of_the_workspace_is_never_run(plugin: Plugin) -> None:
    plugin.program(plugin.workspace.root / "python3", "exit 1")
    plugin.env["PATH"] = f".::{plugin.bin}"
    assert plugin.notice("SessionStart", **START).startswith(OFF)
    assert plugin.calls == 0


def test_the_search_runs_no_code_of_the_workspace(plugin: Plugin) -> None:
    for name in ("contextlib", "pydantic", "regex"):
        (plugin.workspace.root / f"{name}.py").write_text("raise SystemExit('owned')\n")
    plugin.python(plugin.bin / "python3")
    plugin.env["PYTHONPATH"] = str(plugin.workspace.root)
    assert prompts(plugin)


def test_without_a_data_folder_every_call_searches(plugin: Plugin) -> None:
    plugin.python(plugin.bin / "python3")
    calls = plugin.data / "calls"
    plugin.env["CLAUDE_PLUGIN_DATA"] = str(plugin.data / "gone")
    assert prompts(plugin)
    plugin.says("Stop")
    assert len(calls.read_text().split()) == 2


def _pipe(note: Path) -> None:
    os.mkfifo(note)


def _link(note: Path) -> None:
    note.symlink_to("mine")
    (note.parent / "mine").write_text("mine")


@pytest.mark.parametrize("make", [Path.mkdir, _pipe, _link])
def test_a_note_that_is_no_file_is_left_alone(plugin: Plugin, make: Callable[[Path], object]) -> None:
    plugin.python(plugin.bin / "python3")
    make(plugin.data / "python")
    files = sorted(plugin.data.iterdir())
    before = [(path, path.lstat().st_mode, path.lstat().st_mtime_ns) for path in files]
    assert prompts(plugin)
    assert [(path, path.lstat().st_mode, path.lstat().st_mtime_ns) for path in files] == before


def test_a_data_folder_that_could_be_the_workspace_is_none(plugin: Plugin) -> None:
    plugin.python(plugin.bin / "python3")
    evil = plugin.program(plugin.workspace.root / "evil", "exit 1")
    (plugin.workspace.root / "python").write_text(f"{plugin.root}|\n{evil}\n\n")
    plugin.env["CLAUDE_PLUGIN_DATA"] = "."
    assert prompts(plugin)


@pytest.mark.parametrize("named", [False, True])
def test_under_qwen_code_no_variable_chooses_the_python(plugin: Plugin, *, named: bool) -> None:
    """It takes variables from a `.env` of the workspace, which a repository may bring."""
    evil = plugin.program(plugin.workspace.root / "evil", "exit 1")
    plugin.python(plugin.bin / "python3")
    (plugin.data / "python").write_text(f"{plugin.root}|{evil if named else ''}\n{evil}\n\n")
    plugin.env |= {"QWEN_CODE_SESSION_ID": "of another session", "RCS_PYTHON": str(evil) if named else ""}
    assert prompts(plugin)
    assert plugin.calls == 1


# --- none


def nothing(plugin: Plugin) -> None:
    """Install no program."""


WITHOUT: dict[str, tuple[Callable[[Plugin], object], str]] = {
    "no python": (nothing, "3.11 or later"),
    "PATH is empty": (lambda plugin: plugin.env.update(PATH=""), "3.11 or later"),
    "3.8": (lambda plugin: plugin.program(plugin.bin / "python3", "echo 'Unknown option: -P' >&2; exit 2"), "3.11"),
    "a shim": (lambda plugin: plugin.program(plugin.bin / "python3", "echo no version >&2; exit 127"), "3.11"),
    "a log line": (lambda plugin: plugin.program(plugin.bin / "python3", "echo loading; exit 0"), "3.11"),
    "a folder": (lambda plugin: (plugin.bin / "python3").mkdir(), "3.11 or later"),
    "no packages": (lambda plugin: plugin.python(plugin.bin / "python3", "-S"), "with their packages"),
    "a deleted environment": (
        lambda plugin: (plugin.data / "python").write_text(f"{plugin.root}|\n/gone/python3\n\n"),
        "3.11 or later",
    ),
}


@pytest.mark.parametrize("why", WITHOUT)
def test_without_a_python_the_person_is_told_once(plugin: Plugin, why: str) -> None:
    prepare, words = WITHOUT[why]
    prepare(plugin)
    rows: list[tuple[str, Record, bool]] = [
        ("UserPromptSubmit", {"prompt": "How do I deploy?"}, False),
        ("Stop", {"last_assistant_message": "$forge"}, False),
        ("SessionStart", START, True),
        ("UserPromptSubmit", {"prompt": "And $PATH, $forgery, US$team?"}, False),
        ("UserPromptSubmit", {"prompt": "Well,\n$RCS:Crew ship it"}, True),
        ("Stop", {}, False),
        ("SessionStart", {"source": "compact"}, False),
    ]
    for event, fields, is_told in rows:
        line = plugin.says(event, **fields)
        if not is_told:
            assert line == "{}"
            continue
        check_output(event, line)
        assert f"{OFF} {words}" in line
    assert plugin.workspace.snapshot() == {}


def test_without_a_path_the_shells_own_is_looked_through(plugin: Plugin) -> None:
    """The machine decides which Python there is; the call must be answered in any case."""
    del plugin.env["PATH"]
    assert plugin.notice("SessionStart", **START).startswith(OFF) == (plugin.note[1] == "")
    assert plugin.says("UserPromptSubmit", prompt="How do I deploy?") == "{}"
    assert plugin.says("Stop") == "{}"


@pytest.mark.parametrize("folder", FOLDERS)
def test_what_it_says_can_be_pasted(tmp_path: Path, folder: str) -> None:
    plugin = Plugin(tmp_path, folder)
    plugin.python(plugin.bin / "python3", "-S")
    text = plugin.notice("SessionStart", **START)
    command = text.partition("paste into a terminal: ")[2]
    done = subprocess.run(
        ["/bin/sh", "-c", f"set -- {command.replace(' && ', ' AND ')}; printf '%s\\n' \"$@\""],
        capture_output=True,
        text=True,
        check=True,
    )
    venv = f"{plugin.data}/venv"
    create = [sys.executable, "-m", "venv", venv, "AND"]
    fill = [f"{venv}/bin/python3", "-m", "pip", "install", "-q", "filelock", "orjson", "pydantic", "regex"]
    assert done.stdout.splitlines() == create + fill


def test_a_path_that_cannot_be_shown_is_not(tmp_path: Path) -> None:
    plugin = Plugin(tmp_path, "evil\n\x1b]0;x")
    assert plugin.notice("SessionStart", **START).endswith("the plugin's folder has a name that cannot be shown.")


def test_hooks_are_on_as_soon_as_the_packages_are_there(plugin: Plugin) -> None:
    plugin.program(plugin.bin / "python3", "exit 1")
    assert plugin.notice("SessionStart", **START)
    assert plugin.calls == 1
    assert plugin.says("Stop") == "{}"
    assert plugin.calls == 1
    plugin.python(plugin.data / "venv/bin/python3")
    packages = plugin.data / "venv/lib/python3.11/site-packages"
    packages.mkdir(parents=True)
    later = (plugin.data / "python").stat().st_mtime + 10
    os.utime(packages, (later, later))
    assert prompts(plugin)


@pytest.mark.slow
@pytest.mark.parametrize("has_python", [True, False])
def test_ten_megabytes_are_read_to_their_end(plugin: Plugin, *, has_python: bool) -> None:
    if has_python:
        plugin.python(plugin.bin / "python3")
    assert plugin.says("UserPromptSubmit", prompt="x" * 10_000_000) == "{}"
    assert plugin.says("Stop", last_assistant_message="x" * 10_000_000) == "{}"


def test_a_plugin_whose_scripts_are_gone_blocks_nothing(tmp_path: Path) -> None:
    plugin = Plugin(tmp_path)
    (plugin.root / "hooks").unlink()
    (plugin.root / "hooks").mkdir()
    (plugin.root / "hooks" / "plugin").symlink_to(LAUNCHER)
    plugin.python(plugin.bin / "python3")
    assert plugin.says("Stop") == "{}"


@pytest.mark.alone
@pytest.mark.slow
def test_the_launcher_costs_a_fraction_of_the_call(plugin: Plugin) -> None:
    """Compares what the processor does with the script in the same shell; measured: 1.05."""
    plugin.env["RCS_PYTHON"] = sys.executable
    plugin.says("SessionStart", **START)
    raw = plugin.workspace.payload("Stop")
    script = f"{shlex.quote(sys.executable)} {shlex.quote(str(HOOKS / 'stop.py'))}"
    commands = {"plugin": '"${CLAUDE_PLUGIN_ROOT}/hooks/plugin" stop', "script": script}
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(40):
        for name, command in commands.items():
            start = of_children()
            assert output(["/bin/sh", "-c", command], raw, plugin) == "{}"
            times[name].append(of_children() - start)
    ratio = min(times["plugin"]) / min(times["script"])
    print(f"plugin to script: {ratio:.2f}")
    assert ratio < 1.5
