"""`config.toml` keeps its comments and its order, whatever way it is laid out, or is refused."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from rcs_hooks.clients.codex import config
from rcs_hooks.clients.entries import SetupBlocked
from rcs_hooks.errors import Refused, needs_extra
from tests.table import each_row

ENTRY: dict[str, Any] = {"command": "/opt/a b/rcs", "args": ["mcp"], "env": {"RCS_A": 'say "x" \\ ü'}}
LINES = """[mcp_servers.rcs_state]
command = "/opt/a b/rcs"
args = ["mcp"]
env = { "RCS_A" = "say \\"x\\" \\\\ ü" }
"""
ROOTS = ["/home/a b/.rcs", "/p/.rcs"]

COMMENTED = """# mine
model = 'gpt'   # the quick one

[mcp_servers.other] # theirs
command = "x"

# about projects
[projects."/home/me/a b"]
trust_level = "trusted"
"""

LAYOUTS = {
    "empty": "",
    "comments": COMMENTED,
    "dotted keys": "mcp_servers.a.command = 'x' # a\n\n[z]\nq = 1\n",
    "dotted keys between others": "model='a'\nmcp_servers.a.command = 'x'\nmcp_servers.b.command = 'y' # b\nq=1\n",
    "tables out of order": "[mcp_servers.a]\ncommand='x' # a\n[z]\nq=1\n[mcp_servers.b]\ncommand='y'\n# end\n",
    "a part of a server before it": "[mcp_servers.a.env]\nX='1'\n[p]\nm='x' # m\n[mcp_servers.a]\ncommand='x'\n",
    "lists of tables": "[[x]]\na=1 # one\n[[x]]\na=2\n[[x.y]]\nb=3\n",
    "inline sandbox": "sandbox_workspace_write = {network_access = true} # s\n[z]\nq=1\n",
    "dotted roots": "sandbox_workspace_write.writable_roots = ['/a'] # s\n[z]\nq=1\n",
    "roots on many lines": (
        "[sandbox_workspace_write]\nnetwork_access = true # n\n"
        "writable_roots = [\n  '/a', # a\n  # next\n  '/b', # b\n]\n[z]\nq=1\n"
    ),
    "CRLF": "# c\r\nmodel = 'a'\r\n[o]\r\nz = 1 # z\r\n",
    "text of many lines": (
        "note = '''\n[mcp_servers.rcs_state]\n# no comment\n'''\nx = 1_000 # 0x3e8\nt = 1979-05-27T07:32:00Z\n"
    ),
}


def comments(text: str) -> list[str]:
    return [line[line.index("#") :].strip() for line in text.splitlines() if "#" in line]


def survives(before: str, after: str) -> None:
    """Each line of before is in after, in its order."""
    rest = iter(after.splitlines())
    missing = [line for line in before.splitlines() if not any(line == other for other in rest)]
    assert missing == []


@each_row("text", LAYOUTS.values(), ids=LAYOUTS)
def test_a_server_is_added_and_taken_out(text: str) -> None:
    after = config.with_server(text, ENTRY)
    expected = tomllib.loads(text)
    expected.setdefault("mcp_servers", {})["rcs_state"] = ENTRY
    assert tomllib.loads(after) == expected
    survives(text, after)
    assert config.with_server(after, ENTRY) == after
    without = config.without_server(after)
    assert tomllib.loads(without) == tomllib.loads(text)
    survives(text, without)
    assert without.rstrip() == text.rstrip()


@each_row("text", LAYOUTS.values(), ids=LAYOUTS)
def test_roots_are_added_and_taken_out(text: str) -> None:
    before = tomllib.loads(text)
    after = config.with_roots(text, ROOTS)
    had = before.get("sandbox_workspace_write", {}).get("writable_roots", [])
    assert tomllib.loads(after)["sandbox_workspace_write"]["writable_roots"] == [*had, *ROOTS]
    assert comments(after) == comments(text)
    assert config.with_roots(after, ROOTS) == after
    without = config.without_roots(after, ROOTS)
    assert comments(without) == comments(text)
    assert config.writable_roots(tomllib.loads(without)) == had
    rest = {key: value for key, value in before.items() if key != "sandbox_workspace_write"}
    assert {k: v for k, v in tomllib.loads(without).items() if k != "sandbox_workspace_write"} == rest


def test_a_root_that_is_there_is_not_added_again() -> None:
    text = "[sandbox_workspace_write]\nwritable_roots = ['/home/a b/.rcs'] # mine\n"
    after = config.with_roots(text, ROOTS)
    assert tomllib.loads(after)["sandbox_workspace_write"]["writable_roots"] == ROOTS
    assert config.with_roots(after, reversed(ROOTS)) == after


@pytest.mark.parametrize(
    "text",
    [
        "mcp_servers = {}\nq = 1\n",
        "mcp_servers = { a = { command = 'x' } } # c\nq=1\n[o]\nz=1\n",
        "mcp_servers.rcs_state = { command = 'old' }\nq = 1\n",
    ],
    ids=["inline and empty", "inline", "ours inline"],
)
def test_a_layout_that_would_not_survive_is_refused(text: str) -> None:
    with pytest.raises(Refused) as error:
        config.with_server(text, ENTRY)
    assert str(error.value) == (
        "mcp_servers is laid out in a way that cannot be changed here; make it a table [mcp_servers] of its own"
    )


def test_a_list_that_would_not_survive_is_refused() -> None:
    text = "[sandbox_workspace_write]\nwritable_roots = [\n  '/a' # a\n  , '/b' # b\n  # end\n]\n"
    with pytest.raises(Refused, match=r"^sandbox_workspace_write is laid out in a way that cannot be changed here"):
        config.with_roots(text, ROOTS)


Change = Callable[[str], str]
SERVER: tuple[Change, ...] = (lambda text: config.with_server(text, ENTRY), config.without_server)
WRITABLE: tuple[Change, ...] = (partial(config.with_roots, wanted=ROOTS), partial(config.without_roots, ours=ROOTS))


@each_row(
    ("text", "changes", "message"),
    [
        ("mcp_servers = 5", SERVER, "mcp_servers is not a table"),
        ("[[mcp_servers]]\na = 1", SERVER, "mcp_servers is not a table"),
        ("sandbox_workspace_write = 5", WRITABLE, "sandbox_workspace_write is not a table"),
        ("[sandbox_workspace_write]\nwritable_roots = '/a'", WRITABLE,
         "sandbox_workspace_write.writable_roots is not a list"),
    ],
)  # fmt: skip
def test_what_is_of_another_shape_is_refused(text: str, changes: tuple[Change, ...], message: str) -> None:
    for change in changes:
        with pytest.raises(Refused) as error:
            change(text)
        assert str(error.value) == message


def test_what_is_no_toml_is_a_value_error() -> None:
    for text in ("a = ", "[a", "a = 1\na = 2", "x = " + "[" * 5000, "\ufeffa = 1"):
        with pytest.raises(ValueError, match=r"."):
            config.with_server(text, ENTRY)


def test_what_a_person_added_to_the_entry_stays() -> None:
    text = """[mcp_servers.rcs_state]
command = "/gone"
startup_timeout_sec = 3
omit_tools_from = ["direct"]

[mcp_servers.rcs_state.env]
MINE = "1"
RCS_OLD = "2"

[z]
q = 1
"""
    after = config.with_server(text, ENTRY, is_shared=False)
    assert tomllib.loads(after) == {
        "mcp_servers": {
            "rcs_state": ENTRY
            | {"startup_timeout_sec": 3, "omit_tools_from": ["direct"], "env": {"MINE": "1"} | ENTRY["env"]}
        },
        "z": {"q": 1},
    }
    assert config.with_server(after, ENTRY, is_shared=False) == after
    shared = config.with_server(text, ENTRY)
    own = {"startup_timeout_sec": 3, "omit_tools_from": ["direct"]}
    assert tomllib.loads(shared) == {"mcp_servers": {"rcs_state": ENTRY | own}, "z": {"q": 1}}


@pytest.mark.parametrize("change", ["taken out", "another path"])
def test_a_comment_on_the_table_after_ours_is_not_ours(change: str) -> None:
    """Codex writes the trust of a project behind the last table; a person may write a word on it."""
    text = f"{LINES}\n# about z\n[z]\nq = 1\n".replace("args", "# within\nargs")
    after = config.without_server(text) if change == "taken out" else config.with_server(text, {"command": "/new"})
    assert "# about z\n[z]" in after
    assert comments(after) == comments(text)


# --- without tomlkit


@pytest.fixture
def no_tomlkit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tomlkit", None)


@pytest.mark.usefixtures("no_tomlkit")
def test_without_the_library_whole_tables_are_changed() -> None:
    after = config.with_roots(config.with_server(COMMENTED, ENTRY), ROOTS)
    roots = '[sandbox_workspace_write]\nwritable_roots = ["/home/a b/.rcs", "/p/.rcs"]'
    assert after == f"{COMMENTED}\n{LINES}\n{roots}\n"
    assert tomllib.loads(after)["mcp_servers"]["rcs_state"] == ENTRY
    assert tomllib.loads(after)["sandbox_workspace_write"] == {"writable_roots": ROOTS}
    assert config.with_server(LINES, {"command": "/new"}) == '[mcp_servers.rcs_state]\ncommand = "/new"\n'
    assert config.without_roots(config.without_server(after), ROOTS) == COMMENTED


NEEDS = needs_extra("tomlkit", "a change of its {}")


@pytest.mark.usefixtures("no_tomlkit")
def test_without_the_library_a_table_of_the_person_s_own_is_refused() -> None:
    roots = "[sandbox_workspace_write]\nwritable_roots = ['/a', '/p/.rcs']\n"
    for change in (config.with_roots, config.without_roots):
        with pytest.raises(SetupBlocked) as error:
            change(roots, ROOTS)
        assert str(error.value) == NEEDS.format("sandbox_workspace_write")
    with pytest.raises(SetupBlocked) as error:
        config.without_server("mcp_servers.rcs_state.command = 'x'\n")
    assert str(error.value) == NEEDS.format("mcp_servers")


@pytest.mark.usefixtures("no_tomlkit")
@each_row("value", ["a\x7fb", "\x00\x1b\b\f", 'q"\\', "日本\u2028", "a\nb\tc\r"])
def test_any_text_is_written_as_toml(value: str) -> None:
    entry = {"command": value, "args": [value], "env": {value: value}}
    assert tomllib.loads(config.with_server("", entry)) == {"mcp_servers": {"rcs_state": entry}}
