"""Our entries go in among a person's own, and out again, and theirs stay."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rcs_hooks.clients import entries, lines
from rcs_hooks.clients.claude import settings as claude
from rcs_hooks.errors import Refused
from tests.table import each_row

Record = dict[str, Any]

HOOK = "/opt/venv/bin/rcs-hook"
COMMAND: Record = {"type": "command", "command": HOOK, "timeout": 10}
TOOL: Record = {
    "type": "mcp_tool",
    "server": "rcs_state",
    "tool": "hook_stop",
    "timeout": 10,
    "input": {"cwd": "${cwd}"},
}
WANTED = {"UserPromptSubmit": COMMAND, "Stop": COMMAND, "SessionStart": COMMAND}

OURS = [
    ("a line for the shell", {"type": "command", "command": HOOK}),
    ("quoted, with blanks", {"type": "command", "command": "'/home/a b/venv/bin/rcs-hook'"}),
    ("exec form", {"type": "command", "command": "/home/a b/rcs-hook", "args": []}),
    ("python and the path, exec form", {"type": "command", "command": "python3", "args": [HOOK]}),
    ("as setup writes it", {"type": "command", "command": lines.hook_command("/a b/bin/python3")}),
    ("its module", {"type": "command", "command": "python3.12 -P -m rcs_hooks.hook.entry"}),
    ("behind another command", {"type": "command", "command": f"cd /x; {HOOK}"}),
    ("behind a wrapper", {"type": "command", "command": f"exec env A=1 PATH=/evil {HOOK}"}),
    ("glued to an operator", {"type": "command", "command": f"true&&{HOOK}||true"}),
    ("behind signs that are no comment", {"type": "command", "command": f"ls a?#b; {HOOK}"}),
    ("something behind it", {"type": "command", "command": f"{HOOK} || true"}),
    ("a path that is gone", {"type": "command", "command": "/gone/rcs-hook", "timeout": 99}),
    ("our server's tool", TOOL),
]
NOT_OURS: list[tuple[str, object]] = [
    ("another program", {"type": "command", "command": "/usr/bin/say done"}),
    ("a name with ours at its end", {"type": "command", "command": "/opt/my-rcs-hook"}),
    ("a folder of our name", {"type": "command", "command": "/opt/rcs-hook/run.sh"}),
    ("our name behind a question mark", {"type": "command", "command": "notify-send ? rcs-hook done"}),
    ("our name as an argument", {"type": "command", "command": "notify-send", "args": ["rcs-hook"]}),
    ("our module in another program", {"type": "command", "command": "grep -r rcs_hooks.hook src"}),
    ("our path further back", {"type": "command", "command": f"test -x {HOOK} && echo there"}),
    ("in one quoted word", {"type": "command", "command": f"sh -c 'exec {HOOK} --mine'"}),
    ("another server", {"type": "mcp_tool", "server": "rcs_state2", "tool": "hook_stop"}),
    ("another server, our path beside", {"type": "mcp_tool", "server": "x", "command": HOOK}),
    ("our server in a command", {"type": "command", "server": "rcs_state", "command": "x"}),
    ("an unclosed quote", {"type": "command", "command": "'/opt/rcs-hook-x"}),
    ("a number as command", {"type": "command", "command": 5, "args": 5}),
    ("arguments that are no text", {"type": "command", "command": "x", "args": [5, None, {}]}),
    ("a text", HOOK),
    ("a list as type", {"type": ["mcp_tool"], "server": "rcs_state"}),
]


@each_row("handler", [row[1] for row in OURS], ids=[row[0] for row in OURS])
def test_is_ours(handler: object) -> None:
    assert entries.is_ours(handler)


@each_row("handler", [row[1] for row in NOT_OURS], ids=[row[0] for row in NOT_OURS])
def test_is_not_ours(handler: object) -> None:
    assert not entries.is_ours(handler)


@each_row(
    ("line", "programs"),
    [
        (HOOK, [HOOK]),
        (f"exec /x/python3 {HOOK} --mine", ["/x/python3", HOOK]),
        ("python3 -m rcs_hooks.hook.entry", ["python3"]),
        (f"/x/first --mine; {HOOK} --mine || /x/last", [HOOK]),
        ("/x/say done", []),
    ],
)
def test_the_programs_that_a_hook_of_ours_runs(line: str, programs: list[str]) -> None:
    assert entries.programs_of({"command": line}) == programs


# --- settings of a person, written by hand

THEIRS = """{
    "model": "opus",
    "hooks": {
        "Stop": [
            {"hooks": [{"type": "command", "command": "/opt/rcs-hook-x"}]}
        ],
        "PreToolUse": [{"matcher": "Bash|Edit", "hooks": [{"type": "command", "command": "check"}]}]
    },
    "env": {"A": "\\u00fc", "LIMIT": 1.0}
}
"""
ADDED = """]},
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": "/opt/venv/bin/rcs-hook",
                        "timeout": 10
                    }
                ]
            }
        ],
        "Pre"""


def test_ours_comes_last_among_the_persons_own_and_goes_again() -> None:
    after = entries.with_handlers(THEIRS, {"Stop": COMMAND})
    assert after == THEIRS.replace(']}\n        ],\n        "Pre', ADDED)
    assert entries.with_handlers(after, {"Stop": COMMAND}) == after
    assert entries.without_handlers(after) == THEIRS


def stop(*groups: Record) -> str:
    return json.dumps({"hooks": {"Stop": list(groups)}})


def theirs(name: str) -> Record:
    return {"type": "command", "command": name}


STALE = {"type": "command", "command": "/gone/rcs-hook", "timeout": 10}

A, B = theirs("a"), theirs("b")

FOREIGN_GROUPS: list[Record] = [{"hooks": []}, {"matcher": "x"}, {"hooks": [5]}]

# Before, with, and without again.
MERGED: list[tuple[list[Record], list[Record], list[Record] | None]] = [
    ([{"matcher": "m", "hooks": [A, STALE, B]}], [{"matcher": "m", "hooks": [A, COMMAND, B]}],
     [{"matcher": "m", "hooks": [A, B]}]),
    ([{"hooks": [A]}, {"hooks": [COMMAND]}, {"hooks": [STALE, B]}, {"hooks": [STALE]}],
     [{"hooks": [A]}, {"hooks": [COMMAND]}, {"hooks": [B]}], [{"hooks": [A]}, {"hooks": [B]}]),
    ([{"hooks": [STALE, COMMAND]}], [{"hooks": [COMMAND]}], None),
    ([{"matcher": "*", "hooks": [{**STALE, "timeout": 99, "statusMessage": "…"}]}],
     [{"matcher": "*", "hooks": [{**COMMAND, "timeout": 99, "statusMessage": "…"}]}], None),
    ([{"hooks": [{**COMMAND, "bash": "evil", "commandWindows": "evil", "shell": "x", "async": True}]}],
     [{"hooks": [COMMAND]}], None),
    ([{"hooks": [TOOL]}], [{"hooks": [COMMAND]}], None),
    ([{"hooks": [{**COMMAND, "args": []}]}], [{"hooks": [COMMAND]}], None),
    *(([group], [group, {"hooks": [COMMAND]}], [group]) for group in FOREIGN_GROUPS),
]  # fmt: skip


@each_row(("before", "with_ours", "without"), MERGED)
def test_merged(before: list[Record], with_ours: list[Record], without: list[Record] | None) -> None:
    after = entries.with_handlers(stop(*before), {"Stop": COMMAND})
    assert json.loads(after) == {"hooks": {"Stop": with_ours}}
    assert entries.with_handlers(after, {"Stop": COMMAND}) == after
    assert json.loads(entries.without_handlers(after)) == ({"hooks": {"Stop": without}} if without else {})


@each_row("is_shared", [True, False])
@each_row("timeout", [0, 0.5, -5, 601, "10", True, None, [], {}], ids=str)
def test_a_time_out_that_makes_no_sense_is_replaced(timeout: object, is_shared: bool) -> None:
    before = stop({"hooks": [{**COMMAND, "timeout": timeout}]})
    after = entries.with_handlers(before, {"Stop": COMMAND}, is_shared=is_shared)
    assert json.loads(after) == json.loads(stop({"hooks": [COMMAND]}))


@each_row("timeout", [1, 2.5, 600])
def test_a_time_out_that_makes_sense_stays(timeout: float) -> None:
    before = stop({"hooks": [{**COMMAND, "timeout": timeout}]})
    assert entries.with_handlers(before, {"Stop": COMMAND}, is_shared=True) == before


PERSONAL = {"timeout": 30, "statusMessage": "evil", "additionalContextLimit": 0}
# Before, and after in a file of a project.
SHARED: list[tuple[list[Record], list[Record]]] = [
    ([{"matcher": "nothing-at-all", "hooks": [COMMAND]}], [{"hooks": [COMMAND]}]),
    ([{"matcher": "m", "hooks": [A, {**COMMAND, "timeout": 0.001}, B]}],
     [{"matcher": "m", "hooks": [A, B]}, {"hooks": [COMMAND]}]),
    ([{"matcher": "m", "hooks": [COMMAND]}, {"matcher": "*", "hooks": [STALE, A]}],
     [{"matcher": "*", "hooks": [COMMAND, A]}]),
    ([{"matcher": "", "hooks": [COMMAND]}], [{"matcher": "", "hooks": [COMMAND]}]),
    ([{"matcher": ["x"], "hooks": [COMMAND]}], [{"hooks": [COMMAND]}]),
    ([{"hooks": [COMMAND | PERSONAL]}], [{"hooks": [{**COMMAND, "timeout": 30}]}]),
]  # fmt: skip


@each_row(("before", "expected"), SHARED)
def test_in_a_file_of_a_project_ours_fires_and_says_nothing_of_a_stranger(
    before: list[Record], expected: list[Record]
) -> None:
    after = entries.with_handlers(stop(*before), {"Stop": COMMAND}, is_shared=True)
    assert json.loads(after) == {"hooks": {"Stop": expected}}
    assert entries.with_handlers(after, {"Stop": COMMAND}, is_shared=True) == after


@each_row(
    ("settings_", "message"),
    [
        ([], "the file is not an object"),
        ("x", "the file is not an object"),
        ({"hooks": []}, "hooks is not an object"),
        ({"hooks": None}, "hooks is not an object"),
        ({"hooks": {"Stop": {}}}, "hooks.Stop is not a list"),
        ({"hooks": {"Stop": ["x"]}}, "hooks.Stop.0 is not an object"),
        ({"hooks": {"Stop": [{}, {"hooks": {}}]}}, "hooks.Stop.1.hooks is not a list"),
    ],
)
def test_hooks_of_a_shape_that_no_client_reads_are_refused(settings_: object, message: str) -> None:
    for change in (lambda text: entries.with_handlers(text, WANTED), entries.without_handlers):
        with pytest.raises(Refused) as error:
            change(json.dumps(settings_))
        assert str(error.value) == message


# --- rules and servers


OF_TASKS = ("new", "list", "status", "schema", "next", "plan", "codegen", "review", "collect", "redo")
UNASKED = ("state", "question", "emit", *(f"task {verb}" for verb in OF_TASKS))
"""What setup lets an agent run without a question: nothing that carries another command, none that a person decides."""


OUR_RULES = ["Bash(rcs state:*)", "Bash('/opt/a b/rcs' state:*)", "Bash(rcs task new:*)", "mcp__rcs_state"]
OTHER_RULES: list[object] = [
    *["mcp__rcs_state__hook_stop", "Bash(rcs:*)", "Bash(rcs prove:*)", "Bash(rcs task test:*)"],
    *["Bash(rcs state list-active:*)", "Bash(/opt/rcs-x state:*)", "Bash(rcs state)", "Read(rcs state:*)"],
    *["Bash('rcs state:*)", "", None, ["Bash(rcs state:*)"]],
]


@each_row(("rule", "expected"), [*((rule, True) for rule in OUR_RULES), *((rule, False) for rule in OTHER_RULES)])
def test_which_rules_are_ours(rule: object, expected: bool) -> None:
    assert claude.RULES.is_ours(rule) is expected


def test_the_rules_that_are_wanted() -> None:
    assert claude.rules_for(["rcs", "'/a b/rcs'"], server=True) == [
        *(f"Bash(rcs {words}:*)" for words in UNASKED),
        *(f"Bash('/a b/rcs' {words}:*)" for words in UNASKED),
        "mcp__rcs_state",
    ]


TOO_WIDE = (
    *(":*", " *", "*", " task:*", " task *", " task test:*", " task test login *", " task repl:*", " task te*", " p*"),
    *(" prove:*", " prove --:*", " prove --finish --mode forge *", " prove * -- pytest -q"),
    *(" watch:*", " watch --on failed:*", " watch --exec:*", " wat*", " watch*", " watch --on*"),
)
NARROW = (
    *(" prove", " prove --finish", " prove --finish -- pytest -q", " prove -- pytest:*", " watch", " wat *", " s*"),
    *(" watch --exec notify-send:*", " task n*", " config:*", "-x:*", *(f" {words}:*" for words in UNASKED)),
)


@each_row(
    ("rule", "expected"),
    [
        *((f"Bash(rcs{words})", True) for words in TOO_WIDE),
        *((f"Bash(rcs{words})", False) for words in NARROW),
        *((rule, False) for rule in ("Bash(ls:*)", "Read(rcs:*)", "Bash")),
    ],
)
def test_which_rules_let_an_agent_run_any_command_by_rcs(rule: str, expected: bool) -> None:
    assert claude.is_too_wide(rule, "rcs") is expected
    assert claude.is_too_wide(rule.replace("rcs", "'/a b/rcs'"), "'/a b/rcs'") is expected


def test_rules_are_put_behind_the_persons_own_and_stale_ones_go() -> None:
    before = '{"permissions": {"allow": ["Bash(ls:*)", "Bash(/gone/rcs state:*)", "Read(*)"], "deny": ["WebFetch"]}}'
    after = claude.RULES.put(before, ["Bash(rcs state:*)", "Bash(rcs question:*)"])
    assert after == (
        '{"permissions": {"allow": ["Bash(ls:*)", "Read(*)", "Bash(rcs state:*)", "Bash(rcs question:*)"],'
        ' "deny": ["WebFetch"]}}'
    )
    assert claude.RULES.put(after, ["Bash(rcs state:*)", "Bash(rcs question:*)"]) == after
    assert claude.RULES.take(after) == '{"permissions": {"allow": ["Bash(ls:*)", "Read(*)"], "deny": ["WebFetch"]}}'


def test_a_server_beside_others() -> None:
    before = '{"mcpServers": {"a": {"command": "x"}}, "z": 1.0}'
    after = claude.with_server(before, {"command": "/rcs", "args": ["mcp"]})
    assert after == (
        '{"mcpServers": {"a": {"command": "x"}, "rcs_state": {"command": "/rcs", "args": ["mcp"]}}, "z": 1.0}'
    )
    assert claude.with_server(after, {"command": "/rcs", "args": ["mcp"]}) == after
    assert claude.without_server(after) == before
    assert claude.without_server(before) == before


ENTRY: Record = {"command": "/rcs", "args": ["mcp"], "env": {"RCS_A": "1"}}


@each_row(
    ("there", "more"),
    [
        (5, {}),
        ({"command": "/gone", "timeout": 7, "type": "stdio"}, {"timeout": 7, "type": "stdio"}),
        ({"command": "/gone", "env": {"MINE": "2", "RCS_A": "0", "RCS_B": "3"}}, {"env": {"MINE": "2", "RCS_A": "1"}}),
    ],
)
def test_a_server_that_is_there_in_a_file_of_the_person_s_own(there: object, more: Record) -> None:
    after = claude.with_server(json.dumps({"mcpServers": {"rcs_state": there}}), ENTRY, is_shared=False)
    assert json.loads(after) == {"mcpServers": {"rcs_state": ENTRY | more}}
    assert claude.with_server(after, ENTRY, is_shared=False) == after


def test_a_server_that_is_there_in_a_file_of_a_project_keeps_nothing_that_runs() -> None:
    there = {
        "type": "http",
        "url": "http://x",
        "headersHelper": "evil",
        "command": "/evil",
        "args": ["-c", "evil"],
        "cwd": "/evil",
        "env": {"PYTHONPATH": "/evil", "RCS_A": "0"},
    }
    limits = {
        "timeout": 7, "startup_timeout_sec": 8, "tool_timeout_sec": 9, "omit_tools_from": ["x"],
        "default_tools_approval_mode": "approve",
    }  # fmt: skip
    after = claude.with_server(json.dumps({"mcpServers": {"rcs_state": there | limits}}), ENTRY)
    assert json.loads(after) == {"mcpServers": {"rcs_state": ENTRY | limits}}
    assert claude.with_server(after, ENTRY) == after


def test_the_server_is_enabled_once() -> None:
    before = '{"enabledMcpjsonServers": ["a"]}'
    after = claude.with_enabled_server(before)
    assert after == '{"enabledMcpjsonServers": ["a", "rcs_state"]}'
    assert claude.with_enabled_server(after) == after
    assert claude.without_enabled_server(after) == before
    assert claude.without_enabled_server(claude.with_enabled_server("{}")) == "{}"
    with pytest.raises(Refused, match=r"^enabledMcpjsonServers is not a list$"):
        claude.with_enabled_server('{"enabledMcpjsonServers": "a"}')
