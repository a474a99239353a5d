"""What a record keeps of an own mode, and that a record of others brings nothing that a declaration could not say."""

from __future__ import annotations

import json

from rcs_hooks.mode_def import HOME, PROJECT, ModeDef
from rcs_hooks.modes import declaration
from tests.modes.declarations import skill
from tests.table import each_row


def own(metadata: str = "rcs-kind: execution", *, name: str = "release", source: str = PROJECT) -> ModeDef:
    found = declaration.read(skill(metadata, name=name), name=name, file=f"/p/{name}/SKILL.md", source=source)
    assert found.mode, found.faults
    return found.mode


FULL = "rcs-kind: execution\nrcs-after: blueprint\nrcs-beside: team\nrcs-max-iterations: 9"


@each_row("metadata", ["rcs-kind: planning", FULL])
def test_a_definition_comes_back_from_a_record_as_it_was(metadata: str) -> None:
    mode = own(metadata, source=HOME)
    assert ModeDef.from_json(json.loads(json.dumps(mode.to_json()))) == mode


BROKEN: dict[str, tuple[str, object]] = {
    "no name": ("name", None),
    "the name of a mode that ships": ("name", "forge"),
    "a name that leads elsewhere": ("name", "../forge"),
    "another kind": ("kind", "both"),
    "it ships": ("source", ""),
    "no states": ("states", {}),
    "a state that is no name": ("states", {"starting": "", "a b": "", "checking": ""}),
    "a state that asks": ("states", {"starting": "", "why?": "", "checking": ""}),
    "many states": ("states", {f"s{number}": "" for number in range(41)} | {"starting": "", "checking": ""}),
    "a first phase that is no state": ("first", "elsewhere"),
    "an edge to nowhere": ("edges", [["starting", "elsewhere", ""]]),
    "an edge of two": ("edges", [["starting", "checking"]]),
    "many edges": ("edges", [["starting", "checking", ""]] * 201),
    "after a number": ("after", [1]),
    "beside too many": ("beside", ["team"] * 21),
    "a round that is true": ("iteration", True),
    "a huge bound": ("max_iterations", 10**9),
    "a file that is a number": ("file", 1),
}


@each_row("case", BROKEN)
def test_a_record_that_is_broken_holds_no_definition(case: str) -> None:
    key, value = BROKEN[case]
    assert ModeDef.from_json({**own(FULL).to_json(), key: value}) is None


@each_row("value", [None, [], "release", 1, {}], ids=repr)
def test_what_is_no_object_holds_no_definition(value: object) -> None:
    assert ModeDef.from_json(value) is None
