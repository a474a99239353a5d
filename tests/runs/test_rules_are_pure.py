"""The rules know no file, no clock and no environment, and the SQL stands in two files."""

from __future__ import annotations

import ast
from pathlib import Path

import rcs_hooks.runs
from tests.table import each_row
from tests.test_layers import IMPURE, imports_of

ROOM = Path(rcs_hooks.runs.__file__).parent
WORDS = ("SELECT ", "INSERT ", "UPDATE ", "DELETE FROM", "PRAGMA ", "BEGIN ", "CREATE TABLE")


@each_row("name", ["records", "request", "rules", "progress", "path", "timeline", "messages"])
def test_a_file_of_rules_is_pure(name: str) -> None:
    path = ROOM / f"{name}.py"
    assert not {found.split(".")[0] for found in imports_of(path)} & IMPURE
    calls = {node.id for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Name)}
    assert not calls & {"open", "print", "input"}


def test_all_sql_is_in_the_store_and_its_schema() -> None:
    package = ROOM.parent
    having = [path for path in package.rglob("*.py") if any(word in path.read_text() for word in WORDS)]
    assert sorted(str(path.relative_to(package)) for path in having) == [
        "runs/sqlite_log.py",
        "runs/sqlite_schema.py",
        "runs/sqlite_store.py",
        "share/schema.py",
        "share/sql.py",
    ]
