"""Which way the rooms may call each other: down, never up; and the pure files know no file, clock or environment."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import rcs_hooks
from tests.table import each_row

PACKAGE = Path(rcs_hooks.__file__).parent
LAYERS = """
    errors, jsontext, shipped_modes, text, tuples, client_names
    catalog + mode_def, fault, machine
    terminal, files, workflow
    interface, overlay, drawing, environment, editing, proof
    config, clients, modes, runs
    state, tasks
    hook, hud
    overview, install
    mcp, dashboard
    share
    cli
"""
"""The lowest first. Rooms of one line know nothing of each other, unless a plus joins them."""
PURE = """
    workflow/ machine/ drawing/ overlay.py interface.py
    runs/records.py runs/request.py runs/rules.py runs/progress.py runs/path.py runs/timeline.py runs/messages.py
    tasks/guards/acceptance.py tasks/guards/code.py tasks/guards/edge.py tasks/guards/plan.py tasks/messages.py
    tasks/diff_paths.py tasks/edges.py tasks/failures.py tasks/flow.py tasks/phases.py
    tasks/plan_contents.py tasks/state.py terminal/ids.py
    terminal/line.py terminal/near.py terminal/prose.py terminal/style.py terminal/table.py
"""
IMPURE = {"os", "sys", "io", "time", "datetime", "pathlib", "subprocess", "tempfile", "socket", "logging", "random"}
SQL = ("SELECT ", "INSERT ", "UPDATE ", "DELETE FROM", "PRAGMA ", "BEGIN ", "CREATE TABLE")


def imports_of(path: Path) -> set[str]:
    """Return the modules that a file names in its imports, those for type checking included."""
    names: set[str] = set()
    for module, rest in re.findall(r"^ *(?:from|import) ([\w.]+)(?: import (.*))?", path.read_text(), re.M):
        names |= {f"rcs_hooks.{name}" for name in re.findall(r"\w+|\($", rest)} if module == "rcs_hooks" else {module}
    return names


def files_of(room: str) -> list[Path]:
    return files(f"{room}/" if (PACKAGE / room).is_dir() else f"{room}.py")


def files(place: str) -> list[Path]:
    """Return the files of a folder, or the one file that it is; there must be some."""
    found = sorted((PACKAGE / place).rglob("*.py")) if place.endswith("/") else [PACKAGE / place]
    assert found, place
    return found


def test_a_room_imports_only_rooms_below_it() -> None:
    below = {"__version__"}
    for line in filter(None, map(str.strip, LAYERS.splitlines())):
        for group in line.split(", "):
            rooms = group.split(" + ")
            for path in [path for room in rooms for path in files_of(room)]:
                ours = {name.split(".")[1] for name in imports_of(path) if name.startswith("rcs_hooks.")}
                assert ours <= below | {*rooms}, path
        below |= {*line.replace(" + ", ", ").split(", ")}
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert packages | {path.stem for path in PACKAGE.glob("[!_]*.py")} | {"__version__"} == below


@each_row("place", PURE.split())
def test_a_pure_file_knows_no_file_clock_or_environment(place: str) -> None:
    for path in files(place):
        assert not {name.split(".")[0] for name in imports_of(path)} & IMPURE, path
        calls = {node.id for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Name)}
        assert not calls & {"open", "print", "input"}, path


def test_sql_is_written_in_the_stores_only() -> None:
    having = [path for path in PACKAGE.rglob("*.py") if any(word in path.read_text() for word in SQL)]
    assert {str(path.relative_to(PACKAGE)) for path in having} == {
        "runs/sqlite_log.py", "runs/sqlite_schema.py", "runs/sqlite_store.py", "share/schema.py", "share/sql.py"
    }  # fmt: skip


def test_no_class_name_is_defined_twice() -> None:
    names = re.findall(r"^class (\w+)", "\n".join(path.read_text() for path in PACKAGE.rglob("*.py")), re.M)
    assert sorted({name for name in names if names.count(name) > 1}) == []
