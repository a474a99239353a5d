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
    "Python may not be run": lambda broken: broken.replace_python("", 0o644),
    "Python exits with 1": lambda broken: broken.replace_python("exit 1"),
    "Python is too old and exits with 2": lambda broken: broken.replace_python("echo 'Unknown option: -P' >&2; exit 2"),
    "Python exits with 127": lambda broken: broken.replace_python("exit 127"),
    "Python is killed": lambda broken: broken.replace_python("kill -9 $$"),
    "the package is gone": lambda broken: shutil.rmtree(broken.package),
    "the package lacks its entry": lambda broken: (broken.package / "hook/entry.py").unlink(),
    "the package lacks a module": lambda broken: (broken.package / "jsontext.py").unlink(),
    "the entry is empty": lambda broken: (broken.package / "hook/entry.py").write_text(""),
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


@pytest.mark.slow
def test_the_entries_answer_where_nothing_is_broken(installation: Installation, tmp_path: Path) -> None:
    for entry in every_entry(installation, tmp_path / "project").values():
        done = hook("/bin/sh", "-c", entry, cwd=tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"{}\n", b"")


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


@pytest.mark.slow
@pytest.mark.parametrize("descriptors", [3, 4, 5])
def test_without_a_file_descriptor_left_nothing_is_blocked(
    installation: Installation, tmp_path: Path, descriptors: int
) -> None:
    for entry in every_entry(installation, tmp_path / "project").values():
        done = hook("/bin/sh", "-c", f"ulimit -n {descriptors}; {entry}", cwd=tmp_path)
        assert (done.returncode, done.stdout) in ((0, b""), (0, b"{}\n"))


@pytest.mark.parametrize("what", few([what for what in BREAKS if not what.startswith(("all of it", "the program"))]))
def test_the_installed_program_exits_with_0_too(installation: Installation, tmp_path: Path, what: str) -> None:
    """It is what older set-ups call, by itself."""
    BREAKS[what](installation)
    done = hook(str(installation.bin / "rcs-hook"), cwd=tmp_path, env={"PATH": "/nonexistent"})
    assert (done.returncode, done.stdout) == (0, b"")


# --- wherever it lies


@pytest.mark.slow
@pytest.mark.parametrize("folder", [NAME, 'it\'s $HOME `id` "q"', LONG])
def test_it_runs_from_any_path(tmp_path: Path, folder: str) -> None:
    installation = make(tmp_path / folder)
    program = str(installation.bin / "rcs")
    said = subprocess.run(
        [program, "try", "$forge go"], cwd=tmp_path, env=clean_env(), capture_output=True, check=False
    )
    assert (said.returncode, said.stderr) == (0, b"")
    assert b"forge" in said.stdout
    done = hook(str(installation.bin / "rcs-hook"), cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"{}\n", b"")
    for transport in ("command", "mcp"):
        project = tmp_path / f"project by {transport}"
        (project / ".git").mkdir(parents=True)
        words = [program, "setup", "--client", "all", "--transport", transport]
        subprocess.run(words, cwd=project, env=clean_env(HOME=str(tmp_path)), check=True, capture_output=True)
        for name in (".codex/hooks.json", ".claude/settings.json"):
            (group,) = json.loads((project / name).read_text())["hooks"]["SessionStart"]
            done = hook("/bin/sh", "-c", group["hooks"][0]["command"], cwd=tmp_path, env={})
            assert (done.returncode, done.stdout, done.stderr) == (0, b"{}\n", b"")
    server = json.loads((project / ".mcp.json").read_text())["mcpServers"]["rcs_state"]
    assert server == {"command": program, "args": ["mcp"]}
    module = [str(installation.python), "-P", "-m", "rcs_hooks", "--version"]
    assert subprocess.run(module, cwd=tmp_path, env=clean_env(), capture_output=True, check=True).stdout[:4] == b"rcs "


@pytest.mark.parametrize(
    "word", ["an absolute link", "a relative link", "two links", "a linked folder", "a relative path"]
)
def test_it_is_found_through_links(installation: Installation, tmp_path: Path, word: str) -> None:
    """As `uv tool` and `pipx` put it on PATH."""
    (local := tmp_path / "local bin").mkdir()
    program = installation.bin / "rcs"
    named = local / "rcs"
    if word == "an absolute link":
        named.symlink_to(program)
    elif word == "a relative link":
        named.symlink_to(os.path.relpath(program, local))
    elif word == "two links":
        (local / "rcs-1").symlink_to(program)
        named.symlink_to("rcs-1")
    elif word == "a linked folder":
        (tmp_path / "linked").symlink_to(installation.bin)
        named = tmp_path / "linked/rcs"
    else:
        named = Path(os.path.relpath(program, local))
    done = subprocess.run([str(named), "--version"], cwd=local, env={}, capture_output=True, check=False)
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
    installed = Installation(place)
    said = subprocess.run(
        [installed.bin / "rcs", "try", "$forge go"], cwd=tmp_path, env=clean_env(), capture_output=True, check=False
    )
    assert (said.returncode, said.stderr) == (0, b"")
    for command in set_up(installed, tmp_path / "project").values():
        done_ = hook("/bin/sh", "-c", command, cwd=tmp_path, env={})
        assert (done_.returncode, done_.stdout, done_.stderr) == (0, b"{}\n", b"")
    done_ = hook(str(installed.bin / "rcs-hook"), cwd=tmp_path)
    assert (done_.returncode, done_.stdout, done_.stderr) == (0, b"{}\n", b"")


# --- as a newcomer goes about it


def first_command() -> str:
    """README's first, with the one prompt that it tries."""
    line: str
    (line,) = re.findall(r"^python3 -m venv .*rcs try .*$", (CHECKOUT / "README.md").read_text(), re.MULTILINE)
    return line


def in_shell(line: str, *args: str, cwd: Path, env: dict[str, str]) -> str:
    done = subprocess.run(
        ["/bin/sh", "-ec", line, "sh", *args],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def network_env(tools: Path, home: Path) -> dict[str, str]:
    """What reaches the registry, in a home of its own."""
    path = f"{tools}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    return dict(os.environ) | {"HOME": str(home), "PATH": path, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def a_first_day(rcs: Path, folder: Path) -> None:
    """setup, doctor, a prompt through each entry that was written, the command that it shows, and uninstall."""
    (project := folder / "a project").mkdir()
    (home := folder / "a home").mkdir()
    env = clean_env(HOME=str(home), PATH=os.defpath)
    subprocess.run(["git", "init", "-q", "."], cwd=project, env=env, check=True)
    before = set(project.rglob("*"))

    def run(*words: str) -> str:
        return in_shell('"$@"', str(rcs), *words, cwd=project, env=env)

    run("setup", "--client", "all", "--skills", "--statusline")
    done = subprocess.run([rcs, "doctor", "--json"], cwd=project, env=env, capture_output=True, check=False)
    checks = json.loads(done.stdout)["checks"]
    wrong = [check for check in checks if check["status"] == "broken" and check["what"] not in BY_THE_PERSON]
    assert wrong == []
    for client, name in (("Codex", ".codex/hooks.json"), ("Claude Code", ".claude/settings.json")):
        assert {check["status"] for check in checks if check["what"] in (f"{client} hook", f"{client} skills")} == {
            "ok"
        }
        ((group,)) = json.loads((project / name).read_text())["hooks"]["UserPromptSubmit"]
        session = "codex1" if client == "Codex" else "claude1"
        turn = {"turn_id": "t1", "model": "m"} if client == "Codex" else {"prompt_id": "p1"}
        call = {"hook_event_name": "UserPromptSubmit", "session_id": session, "cwd": str(project)} | turn
        call["prompt"] = "$forge fix it"
        said = subprocess.run(
            ["/bin/sh", "-c", group["hooks"][0]["command"]], input=json.dumps(call), cwd=project, env=env,
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        context = json.loads(said.stdout)["hookSpecificOutput"]["additionalContext"]
        (command,) = re.findall(r": (.* state write .*--phase executing.*)$", context, re.MULTILINE)
        in_shell(command.replace("--phase executing", "--outcome finished"), cwd=project, env=env)
        assert session not in run("state", "list-active", "--session", session)
    line = json.loads((project / ".claude/settings.json").read_text())["statusLine"]["command"]
    assert in_shell(f"echo '{{}}' | {line}", cwd=project, env=env) == "\n"
    assert run("help", "trouble").startswith("# Trouble\n")
    run("uninstall", "--purge", "--yes")
    assert set(project.rglob("*")) == before
    assert list(home.iterdir()) == []


BY_THE_PERSON = ("Codex trust", "Codex project")
"""What nobody but the person at Codex can do."""


@pytest.mark.slow
def test_a_newcomer_with_the_first_command_of_readme_in_a_path_with_a_blank(tools: Path, tmp_path: Path) -> None:
    left_out = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", "tests", "fixtures")
    shutil.copytree(CHECKOUT, checkout := tmp_path / "my own checkout", ignore=left_out)
    (tmp_path / "h").mkdir()
    said = in_shell(first_command(), cwd=checkout, env=network_env(tools, tmp_path / "h"))
    assert "blueprint" in said
    a_first_day(checkout / ".venv/bin/rcs", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("installer", ["uv", "pipx"])
def test_a_newcomer_with_a_tool_installer_in_a_path_with_a_blank(tools: Path, tmp_path: Path, installer: str) -> None:
    (folder := tmp_path / "my own tools").mkdir()
    (tmp_path / "h").mkdir()
    env = network_env(tools, tmp_path / "h")
    in_shell(INSTALLERS[installer], str(folder), str(CHECKOUT), sys.executable, cwd=tmp_path, env=env)
    a_first_day(folder / "bin/rcs", tmp_path)
