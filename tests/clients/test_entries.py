"""Our entries go in among a person's own, and out again, and theirs stay."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks.clients import entries, lines
from rcs_hooks.clients.claude import settings as claude
from rcs_hooks.errors import Refused
from tests.properties import examples
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
    ("escaped blanks", {"type": "command", "command": "/home/a\\ b/rcs-hook"}),
    ("exec form", {"type": "command", "command": "/home/a b/rcs-hook", "args": []}),
    ("exec form with arguments", {"type": "command", "command": HOOK, "args": ["--x"]}),
    ("by its name alone", {"type": "command", "command": "rcs-hook"}),
    ("python and the path", {"type": "command", "command": f"/opt/venv/bin/python3 {HOOK}"}),
    ("python and the path, exec form", {"type": "command", "command": "python3", "args": [HOOK]}),
    ("as setup writes it", {"type": "command", "command": lines.hook_command("/a b/bin/python3")}),
    ("its module", {"type": "command", "command": "python3.12 -P -m rcs_hooks.hook.entry"}),
    ("behind another command", {"type": "command", "command": f"cd /x; {HOOK}"}),
    ("behind a wrapper", {"type": "command", "command": f"exec env A=1 PATH=/evil {HOOK}"}),
    ("glued to an operator", {"type": "command", "command": f"true&&{HOOK}||true"}),
    ("a variable before it", {"type": "command", "command": f"RCS_LOG=1 {HOOK}"}),
    ("behind signs that are no comment", {"type": "command", "command": f"ls a?#b; {HOOK}"}),
    ("something behind it", {"type": "command", "command": f"{HOOK} || true"}),
    ("no type", {"command": HOOK}),
    ("a path that is gone", {"type": "command", "command": "/gone/rcs-hook", "timeout": 99}),
    ("our server's tool", TOOL),
    ("our server's tool, an older one", {"type": "mcp_tool", "server": "rcs_state", "tool": "old"}),
]
NOT_OURS: list[tuple[str, object]] = [
    ("another program", {"type": "command", "command": "/usr/bin/say done"}),
    ("a longer name", {"type": "command", "command": "/opt/rcs-hook-x"}),
    ("a name with ours at its end", {"type": "command", "command": "/opt/my-rcs-hook"}),
    ("a folder of our name", {"type": "command", "command": "/opt/rcs-hook/run.sh"}),
    ("our name as a word", {"type": "command", "command": "notify-send rcs-hook done"}),
    ("our name behind a question mark", {"type": "command", "command": "notify-send ? rcs-hook done"}),
    ("another module of Python", {"type": "command", "command": "python3 -m http.server"}),
    ("our name as an argument", {"type": "command", "command": "notify-send", "args": ["rcs-hook"]}),
    ("our module in another program", {"type": "command", "command": "grep -r rcs_hooks.hook src"}),
    ("our path further back", {"type": "command", "command": f"test -x {HOOK} && echo there"}),
    ("in one quoted word", {"type": "command", "command": f"sh -c 'exec {HOOK} --mine'"}),
    ("another server", {"type": "mcp_tool", "server": "rcs_state2", "tool": "hook_stop"}),
    ("another server, our path beside", {"type": "mcp_tool", "server": "x", "command": HOOK}),
    ("our server in a command", {"type": "command", "server": "rcs_state", "command": "x"}),
    ("a prompt", {"type": "prompt", "prompt": "rcs-hook"}),
    ("an unclosed quote", {"type": "command", "command": "'/opt/rcs-hook-x"}),
    ("nothing", {}),
    ("no text as command", {"type": "command", "command": ["rcs-hook"]}),
    ("a number as command", {"type": "command", "command": 5, "args": 5}),
    ("arguments that are no text", {"type": "command", "command": "x", "args": [5, None, {}]}),
    ("a list", [HOOK]),
    ("a text", HOOK),
    ("null", None),
    ("a list as type", {"type": ["mcp_tool"], "server": "rcs_state"}),
    ("an empty command", {"type": "command", "command": ""}),
]


@each_row("handler", [row[1] for row in OURS], ids=[row[0] for row in OURS])
def test_is_ours(handler: object) -> None:
    assert entries.is_ours(handler)


@each_row("handler", [row[1] for row in NOT_OURS], ids=[row[0] for row in NOT_OURS])
def test_is_not_ours(handler: object) -> None:
    assert not entries.is_ours(handler)


def test_the_line_of_setup_never_fails_the_clients_call_and_names_its_python() -> None:
    line = lines.hook_command("/gone/my python3")
    assert subprocess.run(["/bin/sh", "-c", line], stderr=subprocess.DEVNULL, check=False).returncode == 0
    assert lines.interpreter_of(entries.words_of({"command": line})) == "/gone/my python3"
    assert lines.interpreter_of(entries.words_of({"command": f"{line}; say done"})) is None
    assert lines.interpreter_of(["/gone/my python3"]) is None


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
    // "permissions" says
    "model": "opus",
    "hooks": {
        "Stop": [
            {"matcher": "", "hooks": [{"type": "command", "command": "say done", "timeout": 5}]},
            {"hooks": [
                {"type": "command", "command": "/opt/rcs-hook-x"},
                {"type": "command", "command": "log", "args": ["stop"]}
            ]}
        ],
        "PreToolUse": [
            {"matcher": "Bash|Edit", "hooks": [{"type": "command", "command": "check"}]}
        ]
    },
    "env": {"A": "\\u00fc", "LIMIT": 1.0}
}
""".replace('    // "permissions" says\n', "")

WITH_OURS = """{
    "model": "opus",
    "hooks": {
        "Stop": [
            {"matcher": "", "hooks": [{"type": "command", "command": "say done", "timeout": 5}]},
            {"hooks": [
                {"type": "command", "command": "/opt/rcs-hook-x"},
                {"type": "command", "command": "log", "args": ["stop"]}
            ]},
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
        "PreToolUse": [
            {"matcher": "Bash|Edit", "hooks": [{"type": "command", "command": "check"}]}
        ]
    },
    "env": {"A": "\\u00fc", "LIMIT": 1.0}
}
"""


def test_ours_comes_last_among_the_persons_own_and_goes_again() -> None:
    after = entries.with_handlers(THEIRS, {"Stop": COMMAND})
    assert after == WITH_OURS
    assert entries.with_handlers(after, {"Stop": COMMAND}) == after
    assert entries.without_handlers(after) == THEIRS


@pytest.mark.parametrize("text", ["", " \n"])
def test_nothing_is_an_empty_object(text: str) -> None:
    expected = {"hooks": {"Stop": [{"hooks": [COMMAND]}]}}
    assert json.loads(entries.with_handlers(text, {"Stop": COMMAND})) == expected
    assert json.loads(claude.with_server(text, {"command": "/x"})) == {"mcpServers": {"rcs_state": {"command": "/x"}}}


def stop(*groups: Record) -> str:
    return json.dumps({"hooks": {"Stop": list(groups)}})


def theirs(name: str) -> Record:
    return {"type": "command", "command": name}


STALE = {"type": "command", "command": "/gone/rcs-hook", "timeout": 10}

# Name, before, with, without.
MERGED: list[tuple[str, list[Record], list[Record], list[Record] | None]] = [
    (
        "ours between theirs in one group stays there",
        [{"matcher": "m", "hooks": [theirs("a"), STALE, theirs("b")]}],
        [{"matcher": "m", "hooks": [theirs("a"), COMMAND, theirs("b")]}],
        [{"matcher": "m", "hooks": [theirs("a"), theirs("b")]}],
    ),
    (
        "ours twice: the first stays",
        [{"hooks": [theirs("a")]}, {"hooks": [COMMAND]}, {"hooks": [STALE, theirs("b")]}, {"hooks": [STALE]}],
        [{"hooks": [theirs("a")]}, {"hooks": [COMMAND]}, {"hooks": [theirs("b")]}],
        [{"hooks": [theirs("a")]}, {"hooks": [theirs("b")]}],
    ),
    ("ours twice in one group", [{"hooks": [STALE, COMMAND]}], [{"hooks": [COMMAND]}], None),
    (
        "a time-out that a person changed stays",
        [{"hooks": [{**STALE, "timeout": 99}]}],
        [{"hooks": [{**COMMAND, "timeout": 99}]}],
        None,
    ),
    (
        "what a person added stays",
        [{"matcher": "*", "hooks": [{**STALE, "statusMessage": "…"}]}],
        [{"matcher": "*", "hooks": [{**COMMAND, "statusMessage": "…"}]}],
        None,
    ),
    (
        "what could run something goes",
        [{"hooks": [{**COMMAND, "bash": "evil", "commandWindows": "evil", "shell": "x", "async": True}]}],
        [{"hooks": [COMMAND]}],
        None,
    ),
    ("mcp to command", [{"hooks": [TOOL]}], [{"hooks": [COMMAND]}], None),
    ("exec form to a line", [{"hooks": [{**COMMAND, "args": []}]}], [{"hooks": [COMMAND]}], None),
    ("a foreign group that is empty", [{"hooks": []}], [{"hooks": []}, {"hooks": [COMMAND]}], [{"hooks": []}]),
    (
        "a foreign group without any",
        [{"matcher": "x"}],
        [{"matcher": "x"}, {"hooks": [COMMAND]}],
        [{"matcher": "x"}],
    ),
    (
        "handlers that are garbage",
        [{"hooks": [5, None]}],
        [{"hooks": [5, None]}, {"hooks": [COMMAND]}],
        [{"hooks": [5, None]}],
    ),
]


@each_row(("before", "with_ours", "without"), [row[1:] for row in MERGED], ids=[row[0] for row in MERGED])
def test_merged(before: list[Record], with_ours: list[Record], without: list[Record] | None) -> None:
    after = entries.with_handlers(stop(*before), {"Stop": COMMAND})
    assert json.loads(after) == {"hooks": {"Stop": with_ours}}
    assert entries.with_handlers(after, {"Stop": COMMAND}) == after
    assert json.loads(entries.without_handlers(after)) == ({"hooks": {"Stop": without}} if without else {})


NOT_KEPT = [0, 0.001, 0.5, -5, 601, 999_999, "abc", "10", True, None, [], {}]


@each_row("is_shared", [True, False])
@each_row("timeout", NOT_KEPT, ids=str)
def test_a_time_out_that_makes_no_sense_is_replaced(timeout: object, is_shared: bool) -> None:
    before = stop({"hooks": [{**COMMAND, "timeout": timeout}]})
    after = entries.with_handlers(before, {"Stop": COMMAND}, is_shared=is_shared)
    assert json.loads(after) == json.loads(stop({"hooks": [COMMAND]}))


@each_row("timeout", [1, 2.5, 600])
def test_a_time_out_that_makes_sense_stays(timeout: float) -> None:
    before = stop({"hooks": [{**COMMAND, "timeout": timeout}]})
    assert entries.with_handlers(before, {"Stop": COMMAND}, is_shared=True) == before


# Before, and after in a file of a project.
SHARED: list[tuple[str, list[Record], list[Record]]] = [
    (
        "out of a group with a matcher",
        [{"matcher": "nothing-at-all", "hooks": [COMMAND]}],
        [{"hooks": [COMMAND]}],
    ),
    (
        "out of another's group with a matcher",
        [
            {"matcher": "m", "hooks": [theirs("a"), {**COMMAND, "timeout": 0.001}, theirs("b")]},
            {"hooks": [theirs("c")]},
        ],
        [{"matcher": "m", "hooks": [theirs("a"), theirs("b")]}, {"hooks": [theirs("c")]}, {"hooks": [COMMAND]}],
    ),
    (
        "a second one in a group that fires stays there",
        [{"matcher": "m", "hooks": [COMMAND]}, {"matcher": "*", "hooks": [STALE, theirs("a")]}],
        [{"matcher": "*", "hooks": [COMMAND, theirs("a")]}],
    ),
    (
        "a matcher for everything",
        [{"matcher": "", "hooks": [COMMAND]}],
        [{"matcher": "", "hooks": [COMMAND]}],
    ),
    ("a matcher of another type", [{"matcher": ["x"], "hooks": [COMMAND]}], [{"hooks": [COMMAND]}]),
    (
        "another's words and limits",
        [{"hooks": [{**COMMAND, "timeout": 30, "statusMessage": "evil", "additionalContextLimit": 0}]}],
        [{"hooks": [{**COMMAND, "timeout": 30}]}],
    ),
]


@each_row(("before", "expected"), [row[1:] for row in SHARED], ids=[row[0] for row in SHARED])
def test_in_a_file_of_a_project_ours_fires_and_says_nothing_of_a_stranger(
    before: list[Record], expected: list[Record]
) -> None:
    after = entries.with_handlers(stop(*before), {"Stop": COMMAND}, is_shared=True)
    assert json.loads(after) == {"hooks": {"Stop": expected}}
    assert entries.with_handlers(after, {"Stop": COMMAND}, is_shared=True) == after


def test_command_to_mcp_keeps_the_place_and_the_time_out() -> None:
    before = stop({"hooks": [theirs("a"), {**COMMAND, "timeout": 3}]}, {"hooks": [theirs("b")]})
    after = entries.with_handlers(before, {"Stop": TOOL})
    assert json.loads(after)["hooks"]["Stop"] == [
        {"hooks": [theirs("a"), {**TOOL, "timeout": 3}]},
        {"hooks": [theirs("b")]},
    ]
    assert json.loads(entries.with_handlers(after, {"Stop": COMMAND})) == json.loads(before)


def test_ours_for_an_event_that_is_not_wanted_goes() -> None:
    before = json.dumps({"hooks": {"PreToolUse": [{"hooks": [STALE]}], "Stop": [{"hooks": [COMMAND]}]}})
    assert json.loads(entries.with_handlers(before, {"Stop": COMMAND})) == {"hooks": {"Stop": [{"hooks": [COMMAND]}]}}


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


UNASKED = (
    "state",
    "question",
    "emit",
    "task new",
    "task list",
    "task status",
    "task schema",
    "task next",
    "task plan",
    "task codegen",
    "task review",
    "task collect",
    "task redo",
)
"""What setup lets an agent run without a question: nothing that carries another command, none that a person decides."""


@each_row(
    ("rule", "expected"),
    [
        ("Bash(rcs state:*)", True),
        ("Bash(/opt/venv/bin/rcs question:*)", True),
        ("Bash('/opt/a b/rcs' state:*)", True),
        ("Bash(rcs task new:*)", True),
        ("mcp__rcs_state", True),
        ("mcp__rcs_state__hook_stop", False),
        ("mcp__rcs_state2", False),
        ("Bash(rcs:*)", False),
        ("Bash(rcs hud:*)", False),
        ("Bash(rcs prove:*)", False),
        ("Bash(rcs task test:*)", False),
        ("Bash(rcs task accept:*)", False),
        ("Bash(:*)", False),
        ("Bash(rcs state list-active:*)", False),
        ("Bash(/opt/rcs-x state:*)", False),
        ("Bash(rcs state)", False),
        ("rcs state", False),
        ("Read(rcs state:*)", False),
        ("Bash('rcs state:*)", False),
        ("", False),
        (None, False),
        (["Bash(rcs state:*)"], False),
    ],
)
def test_which_rules_are_ours(rule: object, expected: bool) -> None:
    assert claude.RULES.is_ours(rule) is expected


def test_the_rules_that_are_wanted() -> None:
    assert claude.rules_for(["rcs", "'/a b/rcs'"], server=True) == [
        *(f"Bash(rcs {words}:*)" for words in UNASKED),
        *(f"Bash('/a b/rcs' {words}:*)" for words in UNASKED),
        "mcp__rcs_state",
    ]


@each_row(
    ("rule", "expected"),
    [
        ("Bash(rcs:*)", True),
        ("Bash(rcs *)", True),
        ("Bash(rcs*)", True),
        ("Bash(rcs task:*)", True),
        ("Bash(rcs task *)", True),
        ("Bash(rcs task test:*)", True),
        ("Bash(rcs task test login *)", True),
        ("Bash(rcs task repl:*)", True),
        ("Bash(rcs prove:*)", True),
        ("Bash(rcs prove --:*)", True),
        ("Bash(rcs prove --finish --mode forge *)", True),
        ("Bash(rcs prove * -- pytest -q)", True),
        ("Bash(rcs prove)", False),
        ("Bash(rcs prove --finish)", False),
        ("Bash(rcs prove --finish -- pytest -q)", False),
        ("Bash(rcs prove -- pytest:*)", False),
        ("Bash(rcs watch:*)", True),
        ("Bash(rcs watch --on failed:*)", True),
        ("Bash(rcs watch --exec:*)", True),
        ("Bash(rcs watch)", False),
        ("Bash(rcs watch --exec notify-send:*)", False),
        ("Bash(rcs wat*)", True),
        ("Bash(rcs p*)", True),
        ("Bash(rcs task te*)", True),
        ("Bash(rcs watch*)", True),
        ("Bash(rcs watch --on*)", True),
        ("Bash(rcs s*)", False),
        ("Bash(rcs task n*)", False),
        ("Bash(rcs wat *)", False),
        ("Bash(rcs config:*)", False),
        ("Bash(rcs-x:*)", False),
        ("Bash(ls:*)", False),
        ("Read(rcs:*)", False),
        ("Bash", False),
        *((f"Bash(rcs {words}:*)", False) for words in UNASKED),
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


def test_permissions_that_are_ours_alone_go_as_a_whole() -> None:
    text = '{\n  "a": 1\n}\n'
    assert claude.RULES.take(claude.RULES.put(text, ["Bash(rcs state:*)", "mcp__rcs_state"])) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "the file is not an object"),
        ('{"permissions": []}', "permissions is not an object"),
        ('{"permissions": {"allow": "all"}}', "permissions.allow is not a list"),
    ],
)
def test_permissions_of_another_shape_are_refused(text: str, message: str) -> None:
    for change in (lambda text: claude.RULES.put(text, ["mcp__rcs_state"]), claude.RULES.take):
        with pytest.raises(Refused) as error:
            change(text)
        assert str(error.value) == message


def test_a_server_beside_others() -> None:
    before = '{"mcpServers": {"a": {"command": "x"}}, "z": 1.0}'
    after = claude.with_server(before, {"command": "/rcs", "args": ["mcp"]})
    assert after == (
        '{"mcpServers": {"a": {"command": "x"}, "rcs_state": {"command": "/rcs", "args": ["mcp"]}}, "z": 1.0}'
    )
    assert claude.with_server(after, {"command": "/rcs", "args": ["mcp"]}) == after
    assert claude.without_server(after) == before
    assert claude.without_server(before) == before


@pytest.mark.parametrize(
    ("there", "expected"),
    [
        (5, {"command": "/rcs", "args": ["mcp"], "env": {"RCS_A": "1"}}),
        ({"command": "/gone", "timeout": 7}, {"command": "/rcs", "args": ["mcp"], "env": {"RCS_A": "1"}, "timeout": 7}),
        (
            {"command": "/gone", "env": {"MINE": "2", "RCS_A": "0", "RCS_B": "3"}},
            {"command": "/rcs", "args": ["mcp"], "env": {"MINE": "2", "RCS_A": "1"}},
        ),
        (
            {"command": "/gone", "type": "stdio"},
            {"command": "/rcs", "args": ["mcp"], "env": {"RCS_A": "1"}, "type": "stdio"},
        ),
    ],
    ids=["garbage", "a time-out of the person's", "variables of the person's, and stale ones of ours", "its type"],
)
def test_a_server_that_is_there_in_a_file_of_the_person_s_own(there: object, expected: Record) -> None:
    entry = {"command": "/rcs", "args": ["mcp"], "env": {"RCS_A": "1"}}
    after = claude.with_server(json.dumps({"mcpServers": {"rcs_state": there}}), entry, is_shared=False)
    assert json.loads(after) == {"mcpServers": {"rcs_state": expected}}
    assert claude.with_server(after, entry, is_shared=False) == after


def test_a_server_that_is_there_in_a_file_of_a_project_keeps_nothing_that_runs() -> None:
    entry = {"command": "/rcs", "args": ["mcp"], "env": {"RCS_A": "1"}}
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
    after = claude.with_server(json.dumps({"mcpServers": {"rcs_state": there | limits}}), entry)
    assert json.loads(after) == {"mcpServers": {"rcs_state": entry | limits}}
    assert claude.with_server(after, entry) == after


@pytest.mark.parametrize("text", ['{"mcpServers": []}', '{"mcpServers": null}'])
def test_servers_of_another_shape_are_refused(text: str) -> None:
    with pytest.raises(Refused, match=r"^mcpServers is not an object$"):
        claude.with_server(text, {})
    with pytest.raises(Refused, match=r"^mcpServers is not an object$"):
        claude.without_server(text)


def test_the_server_is_enabled_once() -> None:
    before = '{"enabledMcpjsonServers": ["a"]}'
    after = claude.with_enabled_server(before)
    assert after == '{"enabledMcpjsonServers": ["a", "rcs_state"]}'
    assert claude.with_enabled_server(after) == after
    assert claude.without_enabled_server(after) == before
    assert claude.without_enabled_server(claude.with_enabled_server("{}")) == "{}"
    with pytest.raises(Refused, match=r"^enabledMcpjsonServers is not a list$"):
        claude.with_enabled_server('{"enabledMcpjsonServers": "a"}')


# --- any settings of others

EVENTS = [*WANTED, "PreToolUse", "é"]
foreign = st.sampled_from([row[1] for row in NOT_OURS])
ours = st.sampled_from([row[1] for row in OURS])


def hooks_of(handlers: st.SearchStrategy[Any]) -> st.SearchStrategy[Record]:
    groups = st.fixed_dictionaries(
        {"hooks": st.lists(handlers, min_size=1, max_size=3)}, optional={"matcher": st.sampled_from(["", "Bash|x"])}
    )
    events = st.dictionaries(st.sampled_from(EVENTS), st.lists(groups, min_size=1, max_size=3), min_size=1, max_size=3)
    rest = {"model": st.sampled_from([1.0, "ü", None]), "permissions": st.just({"deny": ["x"]}), "hooks": events}
    return st.fixed_dictionaries({}, optional=rest)


indents = st.sampled_from([None, 2, 4, "\t"])


def foreign_in_order(settings_: Record) -> list[tuple[str, Any]]:
    return [(place[0], handler) for place, handler in entries.handlers(settings_) if not entries.is_ours(handler)]


@examples(120)
@given(hooks_of(foreign), indents, st.sampled_from([COMMAND, TOOL]))
def test_without_is_the_opposite_of_with(before: Record, indent: Any, handler: Record) -> None:
    text = json.dumps(before, indent=indent)
    after = entries.with_handlers(text, dict.fromkeys(WANTED, handler))
    assert {place[0]: found for place, found in entries.ours(json.loads(after))} == dict.fromkeys(WANTED, handler)
    assert foreign_in_order(json.loads(after)) == foreign_in_order(before)
    assert json.loads(entries.without_handlers(after)) == before
    if before.get("hooks") and not set(WANTED) - set(before["hooks"]):
        assert entries.without_handlers(after) == text


@examples(120)
@given(hooks_of(foreign | ours), indents, st.sampled_from([COMMAND, TOOL]), st.booleans())
def test_with_twice_is_with_once(before: Record, indent: Any, handler: Record, is_shared: bool) -> None:
    wanted = dict.fromkeys(WANTED, handler)
    after = entries.with_handlers(json.dumps(before, indent=indent), wanted, is_shared=is_shared)
    assert entries.with_handlers(after, wanted, is_shared=is_shared) == after
    assert sorted(place[0] for place, _ in entries.ours(json.loads(after))) == sorted(WANTED)
    assert sorted(map(repr, foreign_in_order(json.loads(after)))) == sorted(map(repr, foreign_in_order(before)))
    assert entries.ours(json.loads(entries.without_handlers(after))) == []


rules = st.lists(
    st.sampled_from(["Bash(ls:*)", "Read(*)", "mcp__x", "Bash(rcs hud:*)", None, 5]), min_size=1, max_size=4
)


@examples(60)
@given(rules, indents)
def test_rules_of_others_stay_to_the_byte(before: list[Any], indent: Any) -> None:
    text = json.dumps({"permissions": {"allow": before}}, indent=indent)
    wanted = claude.rules_for(["'/a b/rcs'", "rcs"], server=True)
    after = claude.RULES.put(text, wanted)
    assert json.loads(after) == {"permissions": {"allow": [*before, *wanted]}}
    assert claude.RULES.take(after) == text
