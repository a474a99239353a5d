"""What `python -m tests.mutation` promises: a mutant that a test sees is dead, another is shown, no file is changed."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests import mutation
from tests.table import each_row

TINY = b'''def is_small(number: int) -> bool:
    """Tell whether a number is small."""
    return number < 10
'''


def test_a_mutant_that_a_test_sees_is_dead_and_another_survives(tmp_path: Path) -> None:
    (tmp_path / "tiny.py").write_bytes(TINY)
    check = [sys.executable, "-c", "from tiny import is_small; assert is_small(9); assert not is_small(11)"]

    def passes() -> bool:
        return subprocess.run(check, cwd=tmp_path, stderr=subprocess.DEVNULL, check=False).returncode == 0

    sample = [each for each in mutation.mutants(TINY) if str(each) in ("number < 10 -> (number <= 10)", "10 -> (9)")]
    assert len(sample) == 2
    left = list(mutation.survivors(tmp_path, "tiny.py", sample, passes))
    assert [(each.line, str(each)) for each in left] == [(3, "number < 10 -> (number <= 10)")]
    assert (tmp_path / "tiny.py").read_bytes() == TINY


CHANGES = [
    ("x = a == b", ["(a != b)"]),
    ("x = a >= b", ["(a > b)"]),
    ("x = a not in b", ["(a in b)"]),
    ("x = a and b", ["(a or b)"]),
    ("x = not a", ["(a)"]),
    ("x = a + b", ["(a - b)"]),
    ("x = True", ["(False)"]),
    ("x = 7", ["(6)", "(8)"]),
    ("x = 'word'", ["('word?')"]),
    ("if a: x = b", ["(not (a))"]),
    ("def f(): return a", ["return None"]),
    ("def f(): return", []),
    ("def f(): return False", ["(True)"]),
    ("raise a", ["pass"]),
    ("f(a)", ["pass"]),
    ("for a in b: continue", ["pass"]),
    ("def f(a: 'A' = None) -> 'B': 'docstring'", []),
    ("if TYPE_CHECKING: f(a)", []),
    ("x = f'{a == 1}'", []),
]


@each_row(("source", "changed"), CHANGES)
def test_each_kind_of_change_is_made(source: str, changed: list[str]) -> None:
    assert sorted(each.new for each in mutation.mutants(source.encode())) == changed


def test_every_mutant_of_every_target_can_be_parsed() -> None:
    for modules, _ in mutation.ROOMS.values():
        source = (mutation.CHECKOUT / "rcs_hooks" / modules[0]).read_bytes()
        for each in mutation.mutants(source)[::50]:
            ast.parse(each.applied(source))


def test_every_target_exists_and_one_that_does_not_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    mutation.check_targets(list(mutation.ROOMS))
    monkeypatch.setitem(mutation.ROOMS, "gone", (("workflow/gone.py",), ()))
    with pytest.raises(
        mutation.TargetError, match=r"rcs_hooks/workflow/gone\.py does not exist: correct the entry 'gone'"
    ):
        mutation.check_targets(["gone"])
    with pytest.raises(mutation.TargetError, match="there is no room elsewhere"):
        mutation.check_targets(["elsewhere"])
