"""Uninstall gives the text that the person's own edits alone would have given, whatever they edited since setup."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rcs_hooks.clients import installers
from rcs_hooks.clients.client_file import ClientFile
from rcs_hooks.clients.installer import Host, InstallTarget, SetupOptions
from rcs_hooks.editing import files as editing
from rcs_hooks.editing import jsontree
from rcs_hooks.install import plan
from tests import properties
from tests.table import each_row

if TYPE_CHECKING:
    from collections.abc import Callable

SETUPS = [
    (client, scope, transport)
    for client, installer in installers().items()
    for scope in installer.scopes
    for transport in installer.transports
]
"""Every place that `rcs setup` writes to."""


class Edit(NamedTuple):
    """What a person does to a file: the same to the text with ours in it and to the one without."""

    what: str
    makes: Callable[[str], str]


class File(NamedTuple):
    text: str
    edits: list[Edit]


def instead(old: str, new: str) -> Callable[[str], str]:
    """Once, and only where it stands once: what is meant must be plain."""

    def makes(text: str) -> str:
        assert text.count(old) == 1, (old, text)
        return text.replace(old, new)

    return makes


# --- JSON

VALUES: st.SearchStrategy[Any] = st.sampled_from(
    [0, 1, 1.5, True, False, None, 'ü \\ " [x] # no comment', [], [1, [2]], {"c": {}}]
)
OTHER_VALUES = ["0", "1", "1.0", "true", "false", "null", '"x"', "[ ]", '{ "y":1 }']
FOREIGN = {"type": "command", "command": "say done"}
HOOKS = [
    None,
    {"Stop": [{"matcher": "", "hooks": [FOREIGN]}]},
    {"Stop": [{"hooks": [FOREIGN]}, {"hooks": [FOREIGN]}], "PreToolUse": [{"hooks": [FOREIGN]}]},
]
REMARKS = st.sampled_from(["", "", "", " // a, {", "\n  // b: [", " /* c */", "\n\t/* d\n e */"])
EMPTY_HOOKS: list[Any] = [{}, {"Stop": []}, {"PreToolUse": []}]
RULES = [None, {"allow": ["Bash(ls:*)"]}, {"deny": ["Bash(rm:*)"]}, {"allow": ["a", "b"], "deny": []}]
EMPTY_RULES: list[Any] = [{}, {"allow": []}]
SERVERS = [None, {"other": {"command": "x", "env": {}}}]


@st.composite
def json_files(draw: st.DrawFn, *, settled: bool, root: str, commented: bool) -> File:
    """An object with members of the person's own, marked so that an edit finds them, and with those that ours go into.

    `commented`: with comments behind lines and between them.
    `settled`: nothing of the latter is empty, so that ours come and go without a trace.
    """
    whole: dict[str, Any] = {f"mine{number}": draw(VALUES) for number in range(draw(st.integers(1, 4)))}
    hooks, rules, servers = (
        draw(st.sampled_from(full if settled else [*full, *empty]))
        for full, empty in ((HOOKS, EMPTY_HOOKS), (RULES, EMPTY_RULES), (SERVERS, [{}]))
    )
    parts = {"hooks": hooks, "permissions": rules, "mcpServers": servers, "projects": {root: {"trusted": True}}}
    whole |= {name: part for name, part in parts.items() if part is not None}
    names = draw(st.permutations(list(whole)))
    indent = draw(st.sampled_from([None, 1, 2, 4, "\t"]))
    colon = draw(st.sampled_from([":", ": ", " : "]))
    comma = "," if indent is not None else draw(st.sampled_from([",", ", ", " ,  "]))
    text = json.dumps({name: whole[name] for name in names}, indent=indent, separators=(comma, colon))
    mine = [name for name in names if name.startswith("mine")]
    edits = []
    for name in mine:
        key = f'"{name}"{colon}'
        edits.append(Edit(f"a key before {name}", instead(key, f'"new-{name}": 0, {key}')))
        if indent is not None:
            edits.append(Edit(f"a line before {name}", instead(key, f'"line-{name}": 0,\n{key}')))
        value = draw(st.sampled_from(OTHER_VALUES))
        edits.append(Edit(f"another value of {name}", partial(changed, name=name, value=value)))
    edits.append(Edit("a key at the end", at_the_end))
    if commented:
        lines = text.split("\n")
        bare = 2 if settled else 0  # else a key at the end would be on either side of the remark
        remarks = [draw(REMARKS) if number < len(lines) - bare else "" for number in range(len(lines))]
        text = "\n".join(map("".join, zip(lines, remarks, strict=True)))
    text = draw(st.sampled_from(["", "\ufeff"])) + text + draw(st.sampled_from(["", "\n", "\n\n"]))
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return File(text, edits)


def changed(text: str, name: str, value: str) -> str:
    (node,) = [member.node for member in jsontree.parse(text).members if member.key == name]
    return text[: node.start] + value + text[node.end :]


def at_the_end(text: str) -> str:
    end = jsontree.parse(text).members[-1].node.end
    return f'{text[:end]},"late":0{text[end:]}'


# --- TOML

LINES = [
    "# {n} a comment",
    "",
    "[table{n}]",
    "[table.a{n}] # on a head",
    "[[list]]  # {n}",
    "[projects.'/a/{n}']",
    "[mcp_servers.own{n}]\ncommand = 'x' # theirs {n}",
]


@st.composite
def toml_files(draw: st.DrawFn, *, settled: bool) -> File:
    lines = [
        f"mine{number} = {draw(st.sampled_from(['0', '1', 'true', '1.0', '[1, # one' + chr(10) + ' 2]']))}"
        for number in range(draw(st.integers(1, 3)))
    ]
    for number in range(draw(st.integers(0, 5))):
        lines.append(draw(st.sampled_from(LINES)).format(n=number))
        if draw(st.booleans()):
            lines.append(f"  later{number} = 'x'{draw(st.sampled_from(['', ' # end of a line']))}")
    roots = ["[sandbox_workspace_write]", "writable_roots = ['/a', '/b'] # two"]
    if draw(st.booleans()):
        lines += roots
    text = "\n".join(lines) + (draw(st.sampled_from(["\n", "\n\n"])) if settled else "")
    edits = []
    for name in re.findall(r"^(mine\d) =", text, re.MULTILINE):
        edits.append(Edit(f"a comment before {name}", instead(f"{name} = ", f"# about {name}\n{name} = ")))
        edits.append(Edit(f"a key before {name}", instead(f"{name} = ", f"new_{name[-1]} = 1\n{name} = ")))
    for name in re.findall(r"^(mine\d) = [\w.]+$", text, re.MULTILINE):
        value = draw(st.sampled_from(["0", "1", "true", "1.0", "'text' # said"]))
        edits.append(Edit(f"another value of {name}", partial(line_changed, name=name, value=value)))
    edits.append(Edit("a comment at the top", lambda text: f"# top\n{text}"))
    if settled:
        edits.append(Edit("a table at the end", lambda text: f"{text}[zz]\n# late\nq = 1\n"))
    return File(text, edits)


def line_changed(text: str, name: str, value: str) -> str:
    return re.sub(rf"^{name} = .*$", f"{name} = {value}", text, flags=re.MULTILINE)


# --- the property


class Case(NamedTuple):
    files: dict[str, File]
    edits: dict[str, list[Edit]]
    transports: list[str]


def paths(place: InstallTarget) -> list[str]:
    return [file.path for file in place.files]


@st.composite
def cases(draw: st.DrawFn, place: InstallTarget, transport: str, *, settled: bool) -> Case:
    files, edits = {}, {}
    for path in paths(place):
        kind = toml_files(settled=settled)
        if path.endswith("json"):
            kind = json_files(settled=settled, root=place.host.root, commented=file_of(place, path).has_comments)
        files[path] = draw(kind)
        edits[path] = draw(st.lists(st.sampled_from(files[path].edits), max_size=4, unique_by=lambda edit: edit.what))
    return Case(files, edits, [transport, *draw(st.lists(st.sampled_from(place.installer.transports), max_size=2))])


def set_up(place: InstallTarget, transport: str) -> None:
    for change in plan.setup(place, SetupOptions(transport, writable=True, statusline=True)):
        editing.write(change, place.boundary_of(change.path), plan.backup_for(file_of(place, change.path), change))


def file_of(place: InstallTarget, path: str) -> ClientFile:
    file = place.file(path)
    assert file
    return file


def take_out(place: InstallTarget) -> None:
    for change in plan.uninstall(place):
        editing.write(change, place.boundary_of(change.path))


def came_back(place: InstallTarget, case: Case) -> dict[str, tuple[str, str]]:
    """Of each file what is there after all, and what the edits alone give."""
    for path, file in case.files.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(file.text.encode())
    first, *more = case.transports
    set_up(place, first)
    expected = {}
    for path, file in case.files.items():
        text, alone = Path(path).read_bytes().decode(), file.text
        for made in case.edits[path]:
            text, alone = made.makes(text), made.makes(alone)
        Path(path).write_bytes(text.encode())
        expected[path] = alone
    for transport in more:
        set_up(place, transport)
    take_out(place)
    return {path: (Path(path).read_bytes().decode(), alone) for path, alone in expected.items()}


def fresh(tmp_path: Path) -> Host:
    shutil.rmtree(tmp_path)
    (tmp_path / "home").mkdir(parents=True)
    (tmp_path / "project/.git").mkdir(parents=True)
    return Host({"PATH": "/bin"}, str(tmp_path / "home"), str(tmp_path / "project"))


FEW = settings(max_examples=1, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))


def is_exact(place: InstallTarget, transport: str, data: st.DataObject) -> None:
    case = data.draw(cases(place, transport, settled=True))
    for path, (there, alone) in came_back(place, case).items():
        assert there == alone, path


def loses_nothing(place: InstallTarget, transport: str, data: st.DataObject) -> None:
    """Where ours went into something empty, or behind a last line without its end, and the person edited that too."""
    case = data.draw(cases(place, transport, settled=False))
    for path, (there, alone) in came_back(place, case).items():
        if not case.edits[path]:
            assert there == alone, path
        elif path.endswith(".json"):
            assert without_empty(jsontree.parse(there).value) == without_empty(jsontree.parse(alone).value)
        else:
            assert [line.rstrip() for line in there.rstrip().splitlines()] == alone.rstrip().splitlines()
            assert tomllib.loads(there) == tomllib.loads(alone)


def without_empty(value: Any) -> Any:
    """In a form in which 1, 1.0 and true differ."""
    if isinstance(value, dict):
        parts = {key: without_empty(part) for key, part in value.items()}
        return {key: part for key, part in parts.items() if part not in ({}, [])}
    return [without_empty(part) for part in value] if isinstance(value, list) else json.dumps(value)


@each_row(("client", "scope", "transport"), SETUPS, ids=map(" ".join, SETUPS))
@each_row("holds", [is_exact, loses_nothing], ids=lambda holds: holds.__name__)
def test_what_the_person_edited_is_all_that_is_left(
    holds: Callable[..., None], client: str, scope: str, transport: str, tmp_path: Path
) -> None:
    @FEW
    @given(st.data())
    def run(data: st.DataObject) -> None:
        holds(InstallTarget(fresh(tmp_path), client, scope), transport, data)

    run()


@pytest.mark.slow
@pytest.mark.parametrize(("client", "scope", "transport"), SETUPS, ids=map(" ".join, SETUPS))
@pytest.mark.parametrize("holds", [is_exact, loses_nothing], ids=lambda holds: holds.__name__)
def test_what_the_person_edited_is_all_that_is_left_in_many_rounds(
    holds: Callable[..., None], client: str, scope: str, transport: str, tmp_path: Path
) -> None:
    @settings(FEW, max_examples=50, derandomize=properties.is_sample)
    @given(st.data())
    def run(data: st.DataObject) -> None:
        holds(InstallTarget(fresh(tmp_path), client, scope), transport, data)

    run()
