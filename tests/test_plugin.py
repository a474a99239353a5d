"""The checkout as a plugin of Claude Code: its files, and the launcher that finds a Python for each hook call."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

from rcs_hooks import __version__
from rcs_hooks.catalog import SKILL_FILES, SKILLS
from tests.support import CHECKOUT, HOOKS, RCS_HOOK, Answer, Record, Workspace, check_output
from tests.table import each_row

LAUNCHER = HOOKS / "plugin"
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
START: Record = {"source": "startup"}
OFF = "rcs: the hooks are off, there is no Python"

# --- the files


def read(path: str) -> Record:
    record: Record = json.loads((CHECKOUT / path).read_text())
    return record


def test_the_manifest() -> None:
    manifest = read(".claude-plugin/plugin.json")
    assert (manifest["name"], manifest["version"]) == ("rcs", __version__)
    assert manifest["skills"] == [f"./rcs_hooks/skills/{name}" for name in SKILL_FILES]
    (plugin,) = read(".claude-plugin/marketplace.json")["plugins"]
    assert (plugin["name"], plugin["source"]) == ("rcs", "./")


def test_the_version_is_written_in_the_package_alone() -> None:
    """The manifest must repeat it, and the changelog has a heading for it; all else reads it."""
    assert metadata.version("rcs-hooks") == __version__
    assert re.findall(r"(?m)^## (\S+)", (CHECKOUT / "CHANGELOG.md").read_text())[0] == __version__
    sources = [*CHECKOUT.glob("*.*"), *CHECKOUT.glob(".claude-plugin/*"), *CHECKOUT.glob("hooks/*")]
    sources += [*CHECKOUT.glob("rcs_hooks/**/*.py"), *CHECKOUT.glob("rcs_hooks/skills/**/*.md")]
    naming = {str(path.relative_to(CHECKOUT)) for path in sources if path.is_file() and __version__ in path.read_text()}
    assert naming == {"rcs_hooks/__init__.py", ".claude-plugin/plugin.json", "CHANGELOG.md"}


def test_the_hooks() -> None:
    def group(script: str, seconds: int = 30) -> list[Record]:
        command = f'"${{CLAUDE_PLUGIN_ROOT}}/hooks/plugin" {script} || exit 0'
        return [{"hooks": [{"type": "command", "command": command, "timeout": seconds}]}]

    assert read("hooks/hooks.json")["hooks"] == {
        "UserPromptSubmit": group("user_prompt_submit"),
        "Stop": group("stop"),
        "SessionStart": group("session_start"),
        "SessionEnd": group("session_end", 3),
    }


def test_the_launcher_knows_our_packages_and_our_skills() -> None:
    assigned = dict(re.findall(r"(?m)^([A-Z]+)='(.*)'$", LAUNCHER.read_text()))
    assert assigned["PACKAGES"].split() == [re.split(r"\W", name)[0] for name in PROJECT["dependencies"]]
    assert assigned["NAMES"].split("|") == list(SKILLS)
    assert os.access(LAUNCHER, os.X_OK)


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

    def says(self, event: str, **fields: Any) -> str:
        (group,) = read("hooks/hooks.json")["hooks"][event]
        command = ["/bin/sh", "-c", group["hooks"][0]["command"]]
        raw, here = self.workspace.payload(event, **fields), self.workspace.root
        done = subprocess.run(command, input=raw, capture_output=True, cwd=here, env=self.env, timeout=60, check=False)
        assert (done.returncode, done.stderr, done.stdout.count(b"\n")) == (0, b"", 1)
        return done.stdout.decode().removesuffix("\n")

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


# --- which Python


def prompts(plugin: Plugin) -> bool:
    return "active: forge" in plugin.says("UserPromptSubmit", prompt="$forge")


def the_persons(plugin: Plugin) -> None:
    plugin.program(plugin.bin / "python3", "exit 1")
    plugin.env["RCS_PYTHON"] = str(plugin.python(plugin.workspace.root.parent / "mine" / "my python"))


def a_deleted_one(plugin: Plugin) -> None:
    plugin.python(plugin.bin / "python3")
    (plugin.data / "python").write_text(f"{plugin.root}|\n{plugin.data}/venv/bin/python3\n\n")


def beside_modules_of_the_workspace(plugin: Plugin) -> None:
    for name in ("contextlib", "pydantic", "regex"):
        (plugin.workspace.root / f"{name}.py").write_text("raise SystemExit('owned')\n")
    plugin.python(plugin.bin / "python3")
    plugin.env["PYTHONPATH"] = str(plugin.workspace.root)


def beside_a_note_of_the_workspace(plugin: Plugin) -> None:
    plugin.python(plugin.bin / "python3")
    evil = plugin.program(plugin.workspace.root / "evil", "exit 1")
    (plugin.workspace.root / "python").write_text(f"{plugin.root}|\n{evil}\n\n")
    plugin.env["CLAUDE_PLUGIN_DATA"] = "."


FOUND: dict[str, Callable[[Plugin], object]] = {
    "an environment in the plugin's data": lambda plugin: plugin.python(plugin.data / "venv/bin/python3"),
    "that of an installed rcs-hook": lambda plugin: (plugin.bin / "rcs-hook").symlink_to(RCS_HOOK),
    "the one that the person names": the_persons,
    "another than the deleted one": a_deleted_one,
    "beside modules of the workspace": beside_modules_of_the_workspace,
    "beside a note of the workspace": beside_a_note_of_the_workspace,
}


@each_row("prepare", FOUND.values(), ids=FOUND)
def test_a_python_is_found(prepare: Callable[[Plugin], object], tmp_path: Path) -> None:
    plugin = Plugin(tmp_path)
    prepare(plugin)
    assert prompts(plugin)


@each_row("named", [False, True])
def test_under_qwen_code_no_variable_chooses_the_python(named: bool, tmp_path: Path) -> None:
    """It takes variables from a `.env` of the workspace, which a repository may bring."""
    plugin = Plugin(tmp_path)
    evil = plugin.program(plugin.workspace.root / "evil", "exit 1")
    plugin.python(plugin.bin / "python3")
    (plugin.data / "python").write_text(f"{plugin.root}|{evil if named else ''}\n{evil}\n\n")
    plugin.env |= {"QWEN_CODE_SESSION_ID": "of another session", "RCS_PYTHON": str(evil) if named else ""}
    assert prompts(plugin)
    assert plugin.calls == 1


# --- none


WITHOUT: dict[str, tuple[Callable[[Plugin], object], str]] = {
    "no python": (lambda _: None, "3.11 or later"),
    "3.8": (lambda plugin: plugin.program(plugin.bin / "python3", "echo 'Unknown option: -P' >&2; exit 2"), "3.11"),
    "a log line": (lambda plugin: plugin.program(plugin.bin / "python3", "echo loading; exit 0"), "3.11"),
    "one of the workspace": (
        lambda plugin: (plugin.program(plugin.workspace.root / "python3", "exit 1"), plugin.env.update(PATH=".:")),
        "3.11 or later",
    ),
    "no packages": (lambda plugin: plugin.python(plugin.bin / "python3", "-S"), "with their packages"),
}


@each_row(("prepare", "words"), WITHOUT.values(), ids=WITHOUT)
def test_without_a_python_the_person_is_told_once(
    prepare: Callable[[Plugin], object], words: str, tmp_path: Path
) -> None:
    plugin = Plugin(tmp_path)
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
        check_output(event, line)
        assert f"{OFF} {words}" in line if is_told else line == "{}"
    assert plugin.workspace.snapshot() == {}


def test_what_it_says_can_be_pasted(tmp_path: Path) -> None:
    plugin = Plugin(tmp_path, 'it\'s "$HOME `id` \\n"')
    plugin.python(plugin.bin / "python3", "-S")
    text = Answer("SessionStart", plugin.says("SessionStart", **START)).notice
    command = text.partition("paste into a terminal: ")[2]
    script = f"set -- {command.replace(' && ', ' AND ')}; printf '%s\\n' \"$@\""
    done = subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, check=True)
    venv = f"{plugin.data}/venv"
    create = [sys.executable, "-m", "venv", venv, "AND"]
    fill = [f"{venv}/bin/python3", "-m", "pip", "install", "-q", "filelock", "orjson", "pydantic", "regex"]
    assert done.stdout.splitlines() == create + fill


def test_hooks_are_on_as_soon_as_the_packages_are_there(tmp_path: Path) -> None:
    plugin = Plugin(tmp_path)
    plugin.program(plugin.bin / "python3", "exit 1")
    assert Answer("SessionStart", plugin.says("SessionStart", **START)).notice
    assert plugin.says("Stop") == "{}"
    assert plugin.calls == 1, "what was found is not searched again"
    plugin.python(plugin.data / "venv/bin/python3")
    packages = plugin.data / "venv/lib/python3.11/site-packages"
    packages.mkdir(parents=True)
    later = (plugin.data / "python").stat().st_mtime + 10
    os.utime(packages, (later, later))
    assert prompts(plugin)


def test_a_plugin_whose_scripts_are_gone_blocks_nothing(tmp_path: Path) -> None:
    plugin = Plugin(tmp_path)
    (plugin.root / "hooks").unlink()
    (plugin.root / "hooks").mkdir()
    (plugin.root / "hooks" / "plugin").symlink_to(LAUNCHER)
    plugin.python(plugin.bin / "python3")
    assert plugin.says("Stop") == "{}"
