"""Uninstall gives the text that the person's own edits alone would have given, whatever they edited since setup."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rcs_hooks.clients import installers
from rcs_hooks.clients.installer import InstallTarget, SetupOptions
from rcs_hooks.editing import files as editing
from rcs_hooks.editing import jsontree
from rcs_hooks.install import plan
from tests.install.test_doctor import make_host
from tests.table import each_row

if TYPE_CHECKING:
    from rcs_hooks.clients.client_file import ClientFile

PLACES = [(client, scope) for client, installer in installers().items() for scope in installer.scopes]
"""Every place that `rcs setup` writes to."""
HOOK = {"hooks": [{"type": "command", "command": "say done"}]}
THEIRS: dict[str, Any] = {
    "mine0": 1.5,
    "hooks": {"Stop": [{"matcher": "", **HOOK}, HOOK], "PreToolUse": [HOOK]},
    "mine1": 'ü \\ " [x] # no comment',
    "permissions": {"allow": ["Bash(ls:*)"], "deny": []},
    "mcpServers": {"other": {"command": "x", "env": {}}},
    "mine2": [1, [2]],
}
EMPTY: dict[str, Any] = {"mine0": 0, "hooks": {}, "mine1": 1, "permissions": {"allow": []}, "mcpServers": {}}
"""What ours go into is there, and empty: where the person edits it too, an empty part may be left or be gone."""
LAYOUTS: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "two blanks": (THEIRS, {"indent": 2}, "\n"),
    "tabs, and no end of the last line": (THEIRS, {"indent": "\t"}, ""),
    "one line": (THEIRS, {"separators": (" ,", ":")}, ""),
    "empty parts": (EMPTY, {"indent": 4}, "\n\n"),
    "nothing else": ({"mine1": 1}, {"indent": 2}, "\n"),
}
MARKS = {"plain": ("", "\n"), "a mark at the start": ("\ufeff", "\n"), "CRLF": ("", "\r\n")}
TOML = """mine0 = 0 # first
mine1 = 1
# a comment

[table]
 later = 'x' # end of a line
[[list]] # on a head
[projects.'/a/1']
[mcp_servers.own]
command = 'x' # theirs
"""
ROOTS = "[sandbox_workspace_write]\nwritable_roots = ['/a', '/b'] # two\n"


def json_text(file: ClientFile, layout: str, mark: str) -> str:
    value, form, end = LAYOUTS[layout]
    text = json.dumps(value | {"projects": {file.target.host.root: {"trusted": True}}}, **form)
    if file.has_comments:
        *lines, before_last, last = ["", *text.split("\n")]
        text = "\n".join([*(line and f"{line} // a, {{" for line in lines), before_last, last]).lstrip("\n")
    start, newline = MARKS[mark]
    return start + (text + end).replace("\n", newline)


def edited_json(text: str) -> str:
    """With a key on a line of its own, one beside another, another value, and a key at the end."""
    assert text.count('"mine1"') == 1
    text = text.replace('"mine0"', '"line": 0,\n"mine0"').replace('"mine1"', '"new": 0, "mine1"')
    (node,) = [member.node for member in jsontree.parse(text).members if member.key == "mine1"]
    text = f'{text[: node.start]}{{ "y":1 }}{text[node.end :]}'
    end = jsontree.parse(text).members[-1].node.end
    return f'{text[:end]},"late":0{text[end:]}'


def edited_toml(text: str) -> str:
    text = text.replace("mine1 =", "# about it\nnew = 1\nmine1 =").replace("mine0 = 0", "mine0 = 'text'")
    return f"# top\n{text}[zz]\n# late\nq = 1\n"


def file_at(place: InstallTarget, path: str) -> ClientFile:
    file = place.file(path)
    assert file
    return file


def set_up(place: InstallTarget, transport: str) -> None:
    for change in plan.setup(place, SetupOptions(transport, writable=True, statusline=True)):
        editing.write(change, place.boundary_of(change.path), plan.backup_for(file_at(place, change.path), change))


def take_out(place: InstallTarget) -> None:
    for change in plan.uninstall(place):
        editing.write(change, place.boundary_of(change.path))


def came_back(place: InstallTarget, layout: str, mark: str, *, is_edited: bool) -> dict[str, tuple[str, str]]:
    """Of each file what is there after all, and what the edits alone give. In between, each transport is set up."""
    expected = {}
    for file in place.files:
        path = Path(file.path)
        is_json = path.suffix == ".json"
        text = json_text(file, layout, mark) if is_json else TOML + (ROOTS if layout == "two blanks" else "")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        expected[file.path] = (edited_json if is_json else edited_toml)(text) if is_edited else text
    for transport in reversed(place.installer.transports):
        set_up(place, transport)
        for file in place.files if is_edited and transport == place.installer.transports[-1] else ():
            path = Path(file.path)
            edit = edited_json if path.suffix == ".json" else edited_toml
            path.write_bytes(edit(path.read_bytes().decode()).encode())
    take_out(place)
    return {path: (Path(path).read_bytes().decode(), alone) for path, alone in expected.items()}


def bare(value: Any) -> Any:
    """Without what is empty, and in a form in which 1, 1.0 and true differ."""
    if isinstance(value, dict):
        parts = {key: bare(part) for key, part in value.items()}
        return {key: part for key, part in parts.items() if part not in ({}, [])}
    return [bare(part) for part in value] if isinstance(value, list) else json.dumps(value)


ROWS = [(layout, "plain") for layout in LAYOUTS] + [("two blanks", mark) for mark in MARKS if mark != "plain"]


@pytest.mark.parametrize("is_edited", [False, True], ids=["as it was", "edited"])
@each_row(("place", "row"), [(place, row) for place in PLACES for row in ROWS])
def test_what_the_person_edited_is_all_that_is_left(
    place: tuple[str, str], row: tuple[str, str], is_edited: bool, tmp_path: Path
) -> None:
    target = InstallTarget(make_host(tmp_path), *place)
    for path, (there, alone) in came_back(target, *row, is_edited=is_edited).items():
        if not is_edited or LAYOUTS[row[0]][0] is THEIRS:
            assert there == alone, path
        elif path.endswith(".json"):
            assert bare(jsontree.parse(there).value) == bare(jsontree.parse(alone).value)
            assert re.findall("//.*", there) == re.findall("//.*", alone)
        else:
            assert tomllib.loads(there) == tomllib.loads(alone)
