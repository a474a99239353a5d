"""Our entries go in among a person's own, and out again, and theirs stay."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rcs_hooks.errors import Refused
from rcs_hooks.install import merge

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
    ("as setup writes it", {"type": "command", "command": merge.hook_command("/a b/bin/python3")}),
    ("its module", {"type": "command", "command": "python3.12 -P -m rcs_hooks.hook.entry"}),
    ("behind another command", {"type": "command", "command": f"cd /x; {HOOK}"}),
    ("behind a wrapper", {"type": "command", "command": f"exec env A=1 PATH=/evil {HOOK}"}),
    ("glued to an operator", {"type": "command", "command": f"true&&{HOOK}||true"}),
    ("a variable before it", {"type": "command", "command": f"RCS_LOG=1 {HOOK}"}),
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


@pytest.mark.parametrize("handler", [row[1] for row in OURS], ids=[row[0] for row in OURS])
def test_is_ours(handler: object) -> None:
    assert merge.is_ours(handler)


@pytest.mark.parametrize("handler", [row[1] for row in NOT_OURS], ids=[row[0] for row in NOT_OURS])
def test_is_not_ours(handler: object) -> None:
    assert not merge.is_ours(handler)


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
    after = merge.with_handlers(THEIRS, {"Stop": COMMAND})
    assert after == WITH_OURS
    assert merge.with_handlers(after, {"Stop": COMMAND}) == after
    assert merge.without_handlers(after) == THEIRS


@pytest.mark.parametrize("text", ["", " \n"])
def test_nothing_is_an_empty_object(text: str) -> None:
    expected = {"hooks": {"Stop": [{"hooks": [COMMAND]}]}}
    assert json.loads(merge.with_handlers(text, {"Stop": COMMAND})) == expected
    assert json.loads(merge.with_server(text, {"command": "/x"})) == {"mcpServers": {"rcs_state": {"command": "/x"}}}


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


@pytest.mark.parametrize(
    ("before", "with_ours", "without"), [row[1:] for row in MERGED], ids=[row[0] for row in MERGED]
)
def test_merged(before: list[Record], with_ours: list[Record], without: list[Record] | None) -> None:
    after = merge.with_handlers(stop(*before), {"Stop": COMMAND})
    assert json.loads(after) == {"hooks": {"Stop": with_ours}}
    assert merge.with_handlers(after, {"Stop": COMMAND}) == after
    assert json.loads(merge.without_handlers(after)) == ({"hooks": {"Stop": without}} if without else {})


def test_command_to_mcp_keeps_the_place_and_the_time_out() -> None:
    before = stop({"hooks": [theirs("a"), {**COMMAND, "timeout": 3}]}, {"hooks": [theirs("b")]})
    after = merge.with_handlers(before, {"Stop": TOOL})
    assert json.loads(after)["hooks"]["Stop"] == [
        {"hooks": [theirs("a"), {**TOOL, "timeout": 3}]},
        {"hooks": [theirs("b")]},
    ]
    assert json.loads(merge.with_handlers(after, {"Stop": COMMAND})) == json.loads(before)


def test_ours_for_an_event_that_is_not_wanted_goes() -> None:
    before = json.dumps({"hooks": {"PreToolUse": [{"hooks": [STALE]}], "Stop": [{"hooks": [COMMAND]}]}})
    assert json.loads(merge.with_handlers(before, {"Stop": COMMAND})) == {"hooks": {"Stop": [{"hooks": [COMMAND]}]}}


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        ([], "the whole of it is no object"),
        ("x", "the whole of it is no object"),
        ({"hooks": []}, "hooks is no object"),
        ({"hooks": None}, "hooks is no object"),
        ({"hooks": {"Stop": {}}}, "hooks.Stop is no list"),
        ({"hooks": {"Stop": ["x"]}}, "hooks.Stop.0 is no object"),
        ({"hooks": {"Stop": [{}, {"hooks": {}}]}}, "hooks.Stop.1.hooks is no list"),
    ],
)
def test_hooks_of_a_shape_that_no_client_reads_are_refused(settings_: object, message: str) -> None:
    for change in (lambda text: merge.with_handlers(text, WANTED), merge.without_handlers):
        with pytest.raises(Refused) as error:
            change(json.dumps(settings_))
        assert str(error.value) == message


# --- rules and servers


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("Bash(rcs state:*)", True),
        ("Bash(/opt/venv/bin/rcs question:*)", True),
        ("Bash('/opt/a b/rcs' state:*)", True),
        ("mcp__rcs_state", True),
        ("mcp__rcs_state__hook_stop", False),
        ("mcp__rcs_state2", False),
        ("Bash(rcs:*)", False),
        ("Bash(rcs hud:*)", False),
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
    assert merge.is_our_rule(rule) is expected


def test_the_rules_that_are_wanted() -> None:
    assert merge.rules_for(["rcs", "'/a b/rcs'"], server=True) == [
        "Bash(rcs state:*)",
        "Bash(rcs question:*)",
        "Bash(rcs emit:*)",
        "Bash(rcs task:*)",
        "Bash('/a b/rcs' state:*)",
        "Bash('/a b/rcs' question:*)",
        "Bash('/a b/rcs' emit:*)",
        "Bash('/a b/rcs' task:*)",
        "mcp__rcs_state",
    ]


def test_rules_are_put_behind_the_persons_own_and_stale_ones_go() -> None:
    before = '{"permissions": {"allow": ["Bash(ls:*)", "Bash(/gone/rcs state:*)", "Read(*)"], "deny": ["WebFetch"]}}'
    after = merge.with_rules(before, ["Bash(rcs state:*)", "Bash(rcs question:*)"])
    assert after == (
        '{"permissions": {"allow": ["Bash(ls:*)", "Read(*)", "Bash(rcs state:*)", "Bash(rcs question:*)"],'
        ' "deny": ["WebFetch"]}}'
    )
    assert merge.with_rules(after, ["Bash(rcs state:*)", "Bash(rcs question:*)"]) == after
    assert merge.without_rules(after) == '{"permissions": {"allow": ["Bash(ls:*)", "Read(*)"], "deny": ["WebFetch"]}}'


def test_permissions_that_are_ours_alone_go_as_a_whole() -> None:
    text = '{\n  "a": 1\n}\n'
    assert merge.without_rules(merge.with_rules(text, ["Bash(rcs state:*)", "mcp__rcs_state"])) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "the whole of it is no object"),
        ('{"permissions": []}', "permissions is no object"),
        ('{"permissions": {"allow": "all"}}', "permissions.allow is no list"),
    ],
)
def test_permissions_of_another_shape_are_refused(text: str, message: str) -> None:
    for change in (lambda text: merge.with_rules(text, ["mcp__rcs_state"]), merge.without_rules):
        with pytest.raises(Refused) as error:
            change(text)
        assert str(error.value) == message


def test_a_server_beside_others() -> None:
    before = '{"mcpServers": {"a": {"command": "x"}}, "z": 1.0}'
    after = merge.with_server(before, {"command": "/rcs", "args": ["mcp"]})
    assert after == (
        '{"mcpServers": {"a": {"command": "x"}, "rcs_state": {"command": "/rcs", "args": ["mcp"]}}, "z": 1.0}'
    )
    assert merge.with_server(after, {"command": "/rcs", "args": ["mcp"]}) == after
    assert merge.without_server(after) == before
    assert merge.without_server(before) == before


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
    after = merge.with_server(json.dumps({"mcpServers": {"rcs_state": there}}), entry, is_shared=False)
    assert json.loads(after) == {"mcpServers": {"rcs_state": expected}}
    assert merge.with_server(after, entry, is_shared=False) == after


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
        "timeout": 7,
    }
    after = merge.with_server(json.dumps({"mcpServers": {"rcs_state": there}}), entry)
    assert json.loads(after) == {"mcpServers": {"rcs_state": entry | {"timeout": 7}}}
    assert merge.with_server(after, entry) == after


@pytest.mark.parametrize("text", ['{"mcpServers": []}', '{"mcpServers": null}'])
def test_servers_of_another_shape_are_refused(text: str) -> None:
    with pytest.raises(Refused, match=r"^mcpServers is no object$"):
        merge.with_server(text, {})
    with pytest.raises(Refused, match=r"^mcpServers is no object$"):
        merge.without_server(text)


def test_the_server_is_enabled_once() -> None:
    before = '{"enabledMcpjsonServers": ["a"]}'
    after = merge.with_enabled_server(before)
    assert after == '{"enabledMcpjsonServers": ["a", "rcs_state"]}'
    assert merge.with_enabled_server(after) == after
    assert merge.without_enabled_server(after) == before
    assert merge.without_enabled_server(merge.with_enabled_server("{}")) == "{}"
    with pytest.raises(Refused, match=r"^enabledMcpjsonServers is no list$"):
        merge.with_enabled_server('{"enabledMcpjsonServers": "a"}')


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
    return [(place[0], handler) for place, handler in merge.handlers(settings_) if not merge.is_ours(handler)]


@settings(max_examples=120, deadline=None)
@given(hooks_of(foreign), indents, st.sampled_from([COMMAND, TOOL]))
def test_without_is_the_opposite_of_with(before: Record, indent: Any, handler: Record) -> None:
    text = json.dumps(before, indent=indent)
    after = merge.with_handlers(text, dict.fromkeys(WANTED, handler))
    assert {place[0]: found for place, found in merge.ours(json.loads(after))} == dict.fromkeys(WANTED, handler)
    assert foreign_in_order(json.loads(after)) == foreign_in_order(before)
    assert json.loads(merge.without_handlers(after)) == before
    if before.get("hooks") and not set(WANTED) - set(before["hooks"]):
        assert merge.without_handlers(after) == text


@settings(max_examples=120, deadline=None)
@given(hooks_of(foreign | ours), indents, st.sampled_from([COMMAND, TOOL]))
def test_with_twice_is_with_once(before: Record, indent: Any, handler: Record) -> None:
    wanted = dict.fromkeys(WANTED, handler)
    after = merge.with_handlers(json.dumps(before, indent=indent), wanted)
    assert merge.with_handlers(after, wanted) == after
    assert sorted(place[0] for place, _ in merge.ours(json.loads(after))) == sorted(WANTED)
    assert sorted(map(repr, foreign_in_order(json.loads(after)))) == sorted(map(repr, foreign_in_order(before)))
    assert merge.ours(json.loads(merge.without_handlers(after))) == []


rules = st.lists(
    st.sampled_from(["Bash(ls:*)", "Read(*)", "mcp__x", "Bash(rcs hud:*)", None, 5]), min_size=1, max_size=4
)


@settings(max_examples=60, deadline=None)
@given(rules, indents)
def test_rules_of_others_stay_to_the_byte(before: list[Any], indent: Any) -> None:
    text = json.dumps({"permissions": {"allow": before}}, indent=indent)
    wanted = merge.rules_for(["'/a b/rcs'", "rcs"], server=True)
    after = merge.with_rules(text, wanted)
    assert json.loads(after) == {"permissions": {"allow": [*before, *wanted]}}
    assert merge.without_rules(after) == text
