"""Which way the rooms may call each other: down, never up; and the pure rooms know no file, clock or environment."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import rcs_hooks
from tests.table import each_row

PACKAGE = Path(rcs_hooks.__file__).parent
BASE = {"catalog", "client_names", "environment", "errors", "fault", "jsontext", "mode_def", "text", "tuples"}
STATE = BASE | {"workflow", "files", "modes", "terminal"}
PROVING = {"config", "proof"}
MAY_IMPORT = {
    "catalog": {"mode_def"},
    "client_names": set(),
    "environment": {"client_names", "files"},
    "errors": set(),
    "fault": {"tuples"},
    "interface": {"catalog", "errors", "workflow"},
    "jsontext": set(),
    "mode_def": {"catalog", "jsontext", "shipped_modes", "text"},
    "shipped_modes": set(),
    "terminal": {"errors", "text", "tuples"},
    "text": set(),
    "tuples": set(),
    "workflow": BASE - {"environment"},
    "files": BASE - {"environment"},
    "modes": BASE | {"workflow", "files", "machine"},
    "config": BASE | {"files"},
    "proof": BASE | {"files", "workflow"},
    "state": STATE | PROVING,
    "editing": BASE | {"files"},
    "clients": BASE | {"workflow", "files", "editing"},
    "hook": STATE | {"state", "clients"},
    "hud": STATE | {"state"},
    "overlay": BASE | {"workflow"},
    "install": STATE | PROVING | {"state", "editing", "clients", "hook", "__version__"},
    "machine": {"errors"},
    "drawing": {"machine", "terminal"},
    "runs": BASE | {"machine", "files", "workflow"},
    "tasks": BASE | PROVING | {"machine", "runs", "files", "workflow"},
    "overview": STATE | PROVING | {"state", "runs", "tasks", "hud"},
    "mcp": STATE | PROVING | {"interface", "state", "hook", "runs", "overview", "__version__"},
    "dashboard": STATE
    | PROVING
    | {"overview", "state", "hook", "machine", "drawing", "runs", "tasks"}
    | {"__version__"},
    "share": STATE | PROVING | {"machine", "state", "runs", "tasks", "overview", "dashboard", "__version__"},
    "cli": STATE
    | PROVING
    | {"interface", "state", "editing", "clients", "hook", "hud", "overlay", "install", "machine"}
    | {"drawing", "runs", "tasks", "overview", "mcp", "dashboard", "share", "__version__"},
}
IMPURE = {"os", "sys", "io", "time", "datetime", "pathlib", "subprocess", "tempfile", "socket", "logging", "random"}
PURE = ("workflow", "overlay", "interface", "machine", "drawing")


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
    """The files of a room: those of its folder, or the one module that it is."""
    return sorted((PACKAGE / room).rglob("*.py")) or [PACKAGE / f"{room}.py"]


def test_every_room_has_its_rule() -> None:
    rooms = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    rooms |= {path.stem for path in PACKAGE.glob("[!_]*.py")}
    assert rooms == set(MAY_IMPORT)


@each_row("room", MAY_IMPORT)
def test_a_room_calls_only_downwards(room: str) -> None:
    for path in modules(room):
        ours = {name.split(".")[1] for name in imports_of(path) if name.startswith("rcs_hooks.")}
        assert ours <= MAY_IMPORT[room] | {room}, path


@pytest.mark.parametrize("room", PURE)
def test_a_pure_room_knows_no_file_clock_or_environment(room: str) -> None:
    for path in modules(room):
        names = {name.split(".")[0] for name in imports_of(path)}
        calls = {node.id for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Name)}
        assert not names & IMPURE, path
        assert not calls & {"open", "print", "input"}, path


@pytest.mark.parametrize("room", ["hook", "hud", "overlay", "workflow", "modes", "environment"])
def test_a_room_that_a_hook_loads_reads_no_settings_and_runs_nothing(room: str) -> None:
    for path in modules(room):
        names = imports_of(path)
        assert not {name for name in names if name.startswith(("rcs_hooks.config", "rcs_hooks.proof"))}, path
        assert not {name.split(".")[0] for name in names} & {"tomllib", "subprocess"}, path


@pytest.mark.parametrize("module", ["rcs_hooks.hook.entry", "rcs_hooks.catalog", "rcs_hooks.files.workspaces"])
def test_a_call_without_work_loads_nothing_heavy(module: str) -> None:
    import subprocess
    import sys

    code = f"import sys; before = set(sys.modules); import {module}; print(*(set(sys.modules) - before))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    allowed = {"rcs_hooks", "rcs_hooks.hook", "rcs_hooks.hook.entry", "rcs_hooks.hook.call", "rcs_hooks.jsontext"}
    allowed |= {"rcs_hooks.environment", "rcs_hooks.files", "rcs_hooks.files.paths", "rcs_hooks.catalog", "_json"}
    allowed |= {"rcs_hooks.files.workspaces", "gc"}  # `gc` is part of the interpreter
    assert set(loaded) <= allowed


def test_no_class_name_is_defined_twice() -> None:
    files = sorted(PACKAGE.rglob("*.py"))
    names = [node.name for path in files for node in ast.parse(path.read_text()).body if isinstance(node, ast.ClassDef)]
    assert sorted({name for name in names if names.count(name) > 1}) == []
