"""What the room may know: the size of a terminal and the time zone, but no file, no clock and no environment."""

from __future__ import annotations

import ast

from tests.table import each_row
from tests.test_layers import IMPURE, imports_of, modules

MAY_KNOW = {"width": {"os"}, "when": {"time", "datetime"}}
CALLS = {"os": {"get_terminal_size"}, "time": {"localtime", "strftime"}}


@each_row("name", ["__init__", "ids", "line", "near", "prose", "style", "table", "when", "width"])
def test_a_module_knows_no_file_and_no_clock(name: str) -> None:
    (path,) = [path for path in modules("terminal") if path.stem == name]
    known = {each.split(".")[0] for each in imports_of(path)} & IMPURE
    assert known <= MAY_KNOW.get(name, set())
    tree = ast.walk(ast.parse(path.read_text()))
    nodes = [node for node in tree if isinstance(node, ast.Attribute | ast.Name)]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    used = {
        (node.value.id, node.attr)
        for node in nodes
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    assert all(attribute in CALLS[module] for module, attribute in used if module in CALLS)
    assert not names & {"open", "print", "input"}


def test_no_module_is_forgotten() -> None:
    assert {path.stem for path in modules("terminal")} == {
        "__init__", "ids", "line", "near", "prose", "style", "table", "when", "width"
    }  # fmt: skip
