"""Which way the rooms may call each other: down, never up; and the pure rooms know no file, clock or environment."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import rcs_hooks

PACKAGE = Path(rcs_hooks.__file__).parent
BASE = {"catalog", "errors", "jsontext"}
MAY_IMPORT = {
    "workflow": BASE,
    "state": BASE | {"workflow"},
    "hook": BASE | {"workflow", "state"},
    "hud": BASE | {"workflow", "state"},
    "overlay": BASE | {"workflow"},
    "install": BASE | {"workflow", "state", "hook", "__version__"},
    "machine": {"errors"},
    "runs": BASE | {"machine", "state", "workflow"},
    "tasks": BASE | {"machine", "runs", "state", "workflow"},
    "mcp": BASE | {"workflow", "state", "hook", "runs", "__version__"},
    "dashboard": BASE | {"workflow", "state", "hook", "machine", "runs", "tasks", "__version__"},
    "cli": BASE
    | {"workflow", "state", "hook", "hud", "overlay", "install", "machine", "runs", "tasks", "mcp", "dashboard"}
    | {"__version__"},
}
IMPURE = {"os", "sys", "io", "time", "datetime", "pathlib", "subprocess", "tempfile", "socket", "logging", "random"}
PURE = ("workflow", "overlay", "machine")


def imports_of(path: Path) -> set[str]:
    """The modules that a file names in its imports, those for type checking included."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def modules(room: str) -> list[Path]:
    return sorted((PACKAGE / room).rglob("*.py"))


def test_every_room_has_its_rule() -> None:
    rooms = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert rooms == set(MAY_IMPORT)


@pytest.mark.parametrize(
    "path", [pytest.param(path, id=f"{room}/{path.name}") for room in MAY_IMPORT for path in modules(room)]
)
def test_a_room_calls_only_downwards(path: Path) -> None:
    room = path.relative_to(PACKAGE).parts[0]
    ours = {name.split(".")[1] for name in imports_of(path) if name.startswith("rcs_hooks.")}
    assert ours <= MAY_IMPORT[room] | {room}


@pytest.mark.parametrize(
    "path", [pytest.param(path, id=f"{room}/{path.name}") for room in PURE for path in modules(room)]
)
def test_a_pure_room_knows_no_file_clock_or_environment(path: Path) -> None:
    names = {name.split(".")[0] for name in imports_of(path)}
    calls = {node.id for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Name)}
    assert not names & IMPURE
    assert not calls & {"open", "print", "input"}


@pytest.mark.parametrize("module", ["rcs_hooks.hook.entry", "rcs_hooks.catalog", "rcs_hooks.state.paths"])
def test_a_call_without_work_loads_nothing_heavy(module: str) -> None:
    import subprocess
    import sys

    code = f"import sys; before = set(sys.modules); import {module}; print(*(set(sys.modules) - before))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    allowed = {"rcs_hooks", "rcs_hooks.hook", "rcs_hooks.hook.entry", "rcs_hooks.hook.call", "rcs_hooks.jsontext"}
    assert set(loaded) <= allowed | {"rcs_hooks.state", "rcs_hooks.state.paths", "rcs_hooks.catalog", "_json"}
