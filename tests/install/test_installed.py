"""An installation of its own for each test: at a path that no `#!` line can name, and broken in every way.

What a client runs exits with 0 and says nothing, whatever is broken: another status may block the person's prompt.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import site
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support import CHECKOUT, HOOKS, clean_env, few

if TYPE_CHECKING:
    from collections.abc import Callable

SHELLS = [shell for shell in ("/bin/sh", "/bin/bash", "/bin/zsh", "/usr/bin/fish") if os.path.exists(shell)]
FISH_HAS_NO_COMMAND = (0, 126, 127)
"""fish ends the whole line where a command cannot be run, whatever follows `||`. Clients block on 2 alone."""
NAME = "söme env"
LONG = "/".join(["x" * 100] * 3)
STOP = json.dumps({"hook_event_name": "Stop", "session_id": "s1", "cwd": "/nonexistent"}).encode()


class Installation:
    """An environment with the package and its two programs in it, as an installer lays them out."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = folder / "bin"

    @property
    def package(self) -> Path:
        (package,) = self.folder.glob("lib/python3.*/site-packages/rcs_hooks")
        return package

    @property
    def python(self) -> Path:
        return self.bin / "python3"

    def replace_python(self, text: str, mode: int = 0o755) -> None:
        self.python.unlink()
        self.python.write_text(f"#!/bin/sh\n{text}\n")
        self.python.chmod(mode)


def make(folder: Path) -> Installation:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=60)
    (packages,) = folder.glob("lib/python3.*/site-packages")
    # The packages of others, and not the link to the checkout that lies among them.
    (packages / "outer.pth").write_text("".join(f"{path}\n" for path in site.getsitepackages()))
    ignored = shutil.ignore_patterns("__pycache__", "static")
    shutil.copytree(CHECKOUT / "rcs_hooks", packages / "rcs_hooks", ignore=ignored)
    for program in ("rcs", "rcs-hook"):
        shutil.copy(HOOKS / program, folder / "bin")
    return Installation(folder)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    made = make(tmp_path_factory.mktemp("original") / NAME)
    hook(str(made.bin / "rcs-hook"), cwd=made.folder)  # compiled once, for all copies
    return made


@pytest.fixture
def installation(original: Installation, tmp_path: Path) -> Installation:
    shutil.copytree(original.folder, tmp_path / NAME, symlinks=True)
    return Installation(tmp_path / NAME)


def hook(*words: str, cwd: Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        words, input=STOP, capture_output=True, cwd=cwd, env=env or clean_env(), timeout=60, check=False
    )


def set_up(installation: Installation, project: Path, *flags: str) -> dict[str, str]:
    """What setup has written for each client: its one command line."""
    (project / ".git").mkdir(parents=True)
    env = clean_env(HOME=str(project.parent))
    words = [str(installation.bin / "rcs"), "setup", "--client", "all", *flags]
    done = subprocess.run(words, cwd=project, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    lines = {}
    for client, name in (("codex", ".codex/hooks.json"), ("claude", ".claude/settings.json")):
        events = json.loads((project / name).read_text())["hooks"]
        (lines[client],) = {group[0]["hooks"][0]["command"] for group in events.values()}
    return lines


# --- whatever is broken

BREAKS: dict[str, Callable[[Installation], object]] = {
    "all of it is gone": lambda broken: shutil.rmtree(broken.folder),
    "Python is gone": lambda broken: broken.python.unlink(),
    "Python is too old and exits with 2": lambda broken: broken.replace_python("echo 'Unknown option: -P' >&2; exit 2"),
    "Python is killed": lambda broken: broken.replace_python("kill -9 $$"),
    "the package is gone": lambda broken: shutil.rmtree(broken.package),
    "the package lacks a module": lambda broken: (broken.package / "jsontext.py").unlink(),
    "the entry is cut": lambda broken: (broken.package / "hook/entry.py").write_text("def main("),
    "the entry exits with 2": lambda broken: (broken.package / "hook/entry.py").write_text("raise SystemExit(2)"),
    "the program is gone": lambda broken: (broken.bin / "rcs-hook").unlink(),
    "the program may not be read": lambda broken: (broken.bin / "rcs-hook").chmod(0o311),
}


def every_entry(installation: Installation, project: Path) -> dict[str, str]:
    """Each form in which the hooks are set up, shipped and documented, as a line for the client's shell."""
    (plugin := project.parent / "a plugin").mkdir()
    shutil.copytree(HOOKS, plugin / "hooks")
    (plugin / "rcs_hooks").symlink_to(installation.package)
    (group,) = json.loads((plugin / "hooks/hooks.json").read_text())["hooks"]["Stop"]
    root = f"CLAUDE_PLUGIN_ROOT={shlex.quote(str(plugin))}; export CLAUDE_PLUGIN_ROOT; "
    python = f"RCS_PYTHON={shlex.quote(str(installation.python))}; export RCS_PYTHON; "
    script = shlex.join([str(installation.python), str(plugin / "hooks/stop.py")])
    return {
        **set_up(installation, project),
        "plugin": f"{root}{python}{group['hooks'][0]['command']}",
        "a checkout's script": f"{script} || exit 0",
    }


def test_each_entry_that_is_documented_ends_with_status_0() -> None:
    documents = [CHECKOUT / "README.md", *(CHECKOUT / "rcs_hooks/docs").glob("*.md"), *HOOKS.glob("*.py")]
    spans = [span for path in documents for span in re.findall(r"`([^`\n]+)`", path.read_text())]
    documented = [span for span in spans if re.match(r"(/\S+/)?(python3|rcs-hook) ", span)]
    assert len(documented) == 7
    assert [span for span in documented if not span.endswith(" || exit 0")] == []


@pytest.mark.parametrize("what", few(BREAKS))
def test_a_broken_installation_blocks_nothing(installation: Installation, tmp_path: Path, what: str) -> None:
    entries = every_entry(installation, tmp_path / "project")
    BREAKS[what](installation)
    for name, entry in entries.items():
        for shell in ["/bin/sh"] if "=" in entry else SHELLS:
            done = hook(shell, "-c", entry, cwd=tmp_path, env={"PATH": "/nonexistent", "HOME": str(tmp_path)})
            harmless = FISH_HAS_NO_COMMAND if shell.endswith("fish") else (0,)
            assert done.returncode in harmless, (name, shell, done.stderr)
            assert done.stdout in (b"", b"{}\n"), name


# --- wherever it lies


@pytest.mark.slow
@pytest.mark.parametrize("folder", [NAME, 'it\'s $HOME `id` "q"', LONG])
def test_it_runs_from_any_path(tmp_path: Path, folder: str) -> None:
    installation = make(tmp_path / folder)
    program = str(installation.bin / "rcs")
    answers_by_each_way(installation, tmp_path)
    project = tmp_path / "project over mcp"
    (project / ".git").mkdir(parents=True)
    words = [program, "setup", "--client", "all", "--transport", "mcp"]
    subprocess.run(words, cwd=project, env=clean_env(HOME=str(tmp_path)), check=True, capture_output=True)
    server = json.loads((project / ".mcp.json").read_text())["mcpServers"]["rcs_state"]
    assert server == {"command": program, "args": ["mcp"]}
    module = [str(installation.python), "-P", "-m", "rcs_hooks", "--version"]
    assert subprocess.run(module, cwd=tmp_path, env=clean_env(), capture_output=True, check=True).stdout[:4] == b"rcs "


def answers_by_each_way(installation: Installation, folder: Path) -> None:
    """By its program, the one for hooks, and each line that setup writes."""
    said = subprocess.run(
        [installation.bin / "rcs", "try", "$forge go"], cwd=folder, env=clean_env(), capture_output=True, check=False
    )
    assert (said.returncode, said.stderr) == (0, b"")
    assert b"forge" in said.stdout
    program = shlex.quote(str(installation.bin / "rcs-hook"))
    for command in (*set_up(installation, folder / "project").values(), program):
        done = hook("/bin/sh", "-c", command, cwd=folder, env={"PATH": os.environ["PATH"]})
        assert (done.returncode, done.stdout, done.stderr) == (0, b"{}\n", b"")


@pytest.mark.parametrize("word", ["an absolute link", "a relative link", "two links", "a linked folder"])
def test_it_is_found_through_links(original: Installation, tmp_path: Path, word: str) -> None:
    """As `uv tool` and `pipx` put it on PATH."""
    (local := tmp_path / "local bin").mkdir()
    program, named = original.bin / "rcs", local / "rcs"
    if word == "a linked folder":
        (tmp_path / "linked").symlink_to(original.bin)
        named = tmp_path / "linked/rcs"
    elif word == "two links":
        (local / "rcs-1").symlink_to(program)
        named.symlink_to("rcs-1")
    else:
        named.symlink_to(program if word == "an absolute link" else os.path.relpath(program, local))
    words = [f"./{os.path.relpath(named, local)}", "--version"]
    done = subprocess.run(words, cwd=local, env={}, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_folder_that_several_pythons_share_starts_the_one_that_has_the_package(tmp_path: Path) -> None:
    """As `pip install --user`, and a system's own Python, lay it out: no environment."""
    (folder := tmp_path / "bin").mkdir()
    shutil.copy(HOOKS / "rcs", folder)
    version = f"python3.{sys.version_info.minor}"
    (tmp_path / "lib" / version / "site-packages/rcs_hooks-1.dist-info").mkdir(parents=True)
    (folder / "python3").write_text("#!/bin/sh\nexit 9\n")
    for name, text in {version: f'exec {shlex.quote(sys.executable)} "$@"', "python3": "exit 9"}.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    done = subprocess.run([folder / "rcs", "--version"], env={}, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    (elsewhere := tmp_path / "elsewhere").mkdir()
    (folder / version).rename(elsewhere / version)
    done = subprocess.run([folder / "rcs", "--version"], env={"PATH": str(elsewhere)}, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_without_a_python_it_says_so(tmp_path: Path) -> None:
    shutil.copy(HOOKS / "rcs", tmp_path)
    done = subprocess.run([tmp_path / "rcs"], env={"PATH": "."}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (127, f"rcs: no Python is beside {tmp_path}/rcs, and none is on PATH\n")


@pytest.mark.slow
def test_nothing_is_imported_from_the_folder_of_the_call(installation: Installation, tmp_path: Path) -> None:
    """A cloned repository may bring a package of our name, one of the standard library's, and a Python."""
    lines = set_up(installation, tmp_path / "project")
    (work := tmp_path / "work").mkdir()
    for name in ("rcs_hooks", "json"):
        (work / name).mkdir()
        (work / name / "__init__.py").write_text("raise SystemExit('owned')\n")
    for name in ("os", "sitecustomize", "usercustomize", "_json"):
        (work / f"{name}.py").write_text("raise SystemExit('owned')\n")
    (work / "python3").write_text("#!/bin/sh\necho owned\n")
    (work / "python3").chmod(0o755)
    for command in (*lines.values(), shlex.quote(str(installation.bin / "rcs-hook"))):
        for path in ({}, {"PYTHONPATH": ""}, {"PYTHONPATH": f":{work}"}):
            done = hook("/bin/sh", "-c", command, cwd=work, env={"PATH": f".:{work}:/usr/bin:/bin", **path})
            assert (done.returncode, done.stdout, done.stderr) == (0, b"{}\n", b"")
    program = str(installation.bin / "rcs")
    for env in ({"PATH": "."}, {"PATH": ".", "PYTHONPATH": str(work)}):
        done = subprocess.run([program, "--version"], cwd=work, env=env, capture_output=True, check=False)
        assert (done.returncode, done.stdout[:4], done.stderr) == (0, b"rcs ", b"")


def test_the_two_programs_find_their_python_in_the_same_way() -> None:
    def body(name: str) -> str:
        return (HOOKS / name).read_text().partition("\n\n")[2].partition("\ncase $python in")[0]

    assert body("rcs") == body("rcs-hook")
    assert len(body("rcs")) > 500


# --- as real installers lay it out


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`uv` and `pipx`, from the package registry."""
    folder = tmp_path_factory.mktemp("tools")
    subprocess.run([sys.executable, "-m", "venv", str(folder / "env")], check=True, timeout=120)
    subprocess.run([folder / "env/bin/pip", "install", "-q", "uv", "pipx"], check=True, timeout=300)
    return folder / "env/bin"


INSTALLERS = {
    "pip": 'python3 -m venv "$1/env" && "$1/env/bin/python3" -m pip install -q "$2" && ln -s "$1/env/bin" "$1/bin"',
    "uv": 'UV_TOOL_DIR="$1/tools" UV_TOOL_BIN_DIR="$1/bin" uv tool install -q --python "$3" "$2"',
    "pipx": 'PIPX_HOME="$1/home" PIPX_BIN_DIR="$1/bin" pipx install -q --python "$3" "$2"',
}


@pytest.mark.slow
@pytest.mark.parametrize("folder", [NAME, pytest.param(LONG, marks=pytest.mark.full)])
@pytest.mark.parametrize("installer", INSTALLERS)
def test_a_real_installer_gives_programs_that_run(tools: Path, tmp_path: Path, installer: str, folder: str) -> None:
    (place := tmp_path / folder).mkdir(parents=True)
    env = dict(os.environ) | {"PATH": f"{tools}:{os.environ['PATH']}", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    line = ["/bin/sh", "-ec", INSTALLERS[installer], "sh", str(place), str(CHECKOUT), sys.executable]
    done = subprocess.run(line, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    answers_by_each_way(Installation(place), tmp_path)
