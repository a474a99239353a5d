"""What `python -m tests.mutation` promises: which changes it makes, where they are, and that no test escapes it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests import mutation
from tests.mutation_worker import replacements
from tests.table import each_row

CHANGES = [
    ("x = a == b", ["(a != b)"]),
    ("x = a and b", ["(a or b)"]),
    ("x = not a", ["(a)"]),
    ("x = a + b", ["(a - b)"]),
    ("x = 7", ["(6)", "(8)"]),
    ("x = 'word'", ["('word?')"]),
    ("if a: x = b", ["(not (a))"]),
    ("def f(): return a", ["return None"]),
    ("def f(): return False", ["(True)"]),
    ("f(a)", ["pass"]),
    ("for a in b: continue", ["pass"]),
    ("def f(a: 'A' = None) -> 'B': 'docstring'", []),
    ("if TYPE_CHECKING: f(a)", []),
    ("x = f'{a == 1}'", []),
]
OLD = "A = 1\nclass C:\n    def f(self):\n        return (lambda: 2)()\n"


@each_row(("source", "changed"), CHANGES)
def test_each_kind_of_change_is_made(source: str, changed: list[str]) -> None:
    assert sorted(each.new for each in mutation.mutants(source.encode())) == changed


@each_row(("old", "new", "names", "lines"), [("2", "3", {"C.f", "C.f.<locals>.<lambda>"}, {4}), ("1", "3", None, {1})])
def test_a_change_is_in_functions_or_outside(old: str, new: str, names: set[str] | None, lines: set[int]) -> None:
    texts = OLD, OLD.replace(old, new)
    found = replacements(*(compile(text, "c.py", "exec") for text in texts))
    assert (None if found is None else {each.co_qualname for each in found}) == names
    assert mutation.touched(*(text.encode() for text in texts)) == lines


@pytest.mark.slow
def test_a_test_that_fails_hangs_or_dies_has_noticed(tmp_path: Path) -> None:
    python = tmp_path / "x/.venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    for name, what in {"a": "while True: pass", "b": "__import__('os').abort()", "c": "pass", "d": "assert 0"}.items():
        (tmp_path / f"x/test_{name}.py").write_text(f"def test():\n    {what}\n")
    worker = mutation.Worker(tmp_path / "x")
    tests = [f"test_{name}.py::test" for name in "abcd"]
    found = worker.results({"files": [], "tests": tests, "seconds": 60, "patience": 3, "stop": False})
    worker.close()
    assert {test: failed for test, (failed, _) in found.items()} == dict(zip(tests, [1, 1, 0, 1], strict=True))
