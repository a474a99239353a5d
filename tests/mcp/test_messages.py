"""The answer to each line of a client, without a process."""

from __future__ import annotations

import json
from typing import Any

from rcs_hooks import __version__
from rcs_hooks.mcp import tools
from rcs_hooks.mcp.server import answer_to
from tests.support import clean_env, error_json
from tests.table import each_row

Json = dict[str, Any]

SERVER = {"name": "rcs_state", "version": __version__}
TOOLS = {"tools": {"listChanged": False}}


def answered(line: str | bytes) -> Any:
    """The answer as JSON; None where there is none. The tools are asked in a folder that is not there."""

    def call(name: str, arguments: Json) -> tuple[str, bool]:
        return tools.call(name, arguments, clean_env(), "/nowhere")

    answer = answer_to(line if isinstance(line, bytes) else line.encode(), call)
    return None if answer is None else json.loads(answer)


def request(method: str, params: object = None, number: object = 1) -> str:
    message = {"jsonrpc": "2.0", "id": number, "method": method}
    return json.dumps(message if params is None else message | {"params": params})


def result(line: str) -> Json:
    answer = answered(line)
    assert answer.keys() == {"jsonrpc", "id", "result"}
    value: Json = answer["result"]
    return value


def error(number: object, code: int, words: str) -> Json:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": words}}


# --- versions


@each_row(
    ("asked", "agreed"),
    [
        ("2025-06-18", "2025-06-18"),  # Codex 0.169
        ("2026-07-28", "2025-11-25"),  # has no hello
        (5, "2025-11-25"),
    ],
)
def test_a_hello_agrees_on_a_version(asked: object, agreed: str) -> None:
    params = {"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "x", "version": "0"}}
    expected = {"protocolVersion": agreed, "capabilities": TOOLS, "serverInfo": SERVER}
    assert result(request("initialize", params)) == expected


META = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}
OF_EACH = {"resultType": "complete", "_meta": {"io.modelcontextprotocol/serverInfo": SERVER}}
NOT_CACHED = {"ttlMs": 0, "cacheScope": "private"}


def test_without_a_hello_each_result_says_that_it_is_complete() -> None:
    """As Claude Code 2.1.326 asks."""
    discovered = {"supportedVersions": ["2026-07-28"], "capabilities": TOOLS} | NOT_CACHED | OF_EACH
    assert result(request("server/discover", META)) == discovered
    listed = result(request("tools/list", META))
    assert [tool["name"] for tool in listed.pop("tools")] == list(tools.NAMES)
    assert listed == NOT_CACHED | OF_EACH
    called = {"content": [{"type": "text", "text": "{}"}], "isError": False}
    assert result(request("tools/call", META | {"name": "hook_stop"})) == called | OF_EACH
    cut = request("tools/call", META | {"name": "hook_stop"})[:-2]
    assert result(cut).items() > OF_EACH.items()


@each_row("version", ["2025-06-18", 7])
def test_another_version_in_a_request_is_refused_with_the_one_that_is_known(version: object) -> None:
    meta = {"_meta": {"io.modelcontextprotocol/protocolVersion": version}}
    refused = answered(request("tools/list", meta))["error"]
    assert refused["code"] == -32022
    assert refused["data"] == {"supported": ["2026-07-28"], "requested": str(version)}


# --- requests

NAME = "name must be text: the name of a tool"
ARGUMENTS = "arguments must be an object"
METHODS = "there are initialize, server/discover, ping, tools/list, tools/call"


@each_row(
    ("method", "params", "code", "words"),
    [
        ("no/such", None, -32601, f"there is no method 'no/such'; {METHODS}"),
        ("x" * 5000, None, -32601, f"there is no method '{'x' * 100}'; {METHODS}"),
        ("tools/call", None, -32602, NAME),
        ("tools/call", {"name": 5, "arguments": {}}, -32602, NAME),
        ("tools/call", {"name": "state_read", "arguments": [1]}, -32602, ARGUMENTS),
    ],
)
def test_a_wrong_request_is_refused(method: str, params: object, code: int, words: str) -> None:
    assert answered(request(method, params)) == error(1, code, words)


@each_row("number", [0, 1.5, 10**400, "", "é\n", "\ud800"])
def test_an_id_comes_back_as_it_was(number: object) -> None:
    assert answered(request("ping", number=number)) == {"jsonrpc": "2.0", "id": number, "result": {}}


@each_row("number", [None, True, [7]])
def test_what_can_be_no_id_is_refused(number: object) -> None:
    assert answered(request("ping", number=number)) == error(
        None, -32600, "no valid JSON-RPC request: id must be text or a number"
    )


def test_a_fault_of_our_own_is_an_answer_too() -> None:
    def call(name: str, arguments: Json) -> tuple[str, bool]:
        raise ZeroDivisionError("by zero")

    answer = answer_to(request("tools/call", {"name": "hook_stop"}).encode(), call)
    assert json.loads(answer or "") == error(1, -32603, "ZeroDivisionError: by zero")


# --- what is not one valid message

DEEP = "[" * 100_000 + "]" * 100_000
HUGE = "9" * 5_000
NO_MESSAGE = "the line is not JSON; send one JSON object on each line"
NO_JSON = "the arguments are not JSON; send one JSON object"
PARAMS = "no valid JSON-RPC request: params must be an object"
METHOD = "no valid JSON-RPC request: method must be text"
OBJECT = "a message is one JSON object"
PING = '{"jsonrpc": "2.0", "id": 7, "method": "ping"}'
NO_VALID_LINES: dict[str, tuple[str, int | str | None, int, str]] = {
    "params that are a list": (PING[:-1] + ', "params": [1]}', 7, -32600, PARAMS),
    "a method that is a number": (PING.replace('"ping"', "7"), 7, -32600, METHOD),
    "no method": ('{"jsonrpc": "2.0", "id": 7}', 7, -32600, METHOD),
    "an empty batch": ("[]", None, -32600, OBJECT),
    "a mark of the byte order": ("\ufeff" + PING, 7, -32700, NO_JSON),
    "two missing braces": (PING[:-1] + ', "params": {"x": 1', 7, -32700, NO_JSON),
    "a huge id": (PING.replace("7", HUGE), None, -32700, NO_MESSAGE),
    "a word": ("hello", None, -32700, NO_MESSAGE),
    "a text without an end": ('"' + '\\"' * 500_000, None, -32700, NO_MESSAGE),
}


@each_row("name", NO_VALID_LINES)
def test_a_line_that_is_no_valid_message_is_answered_with_its_id_or_null(name: str) -> None:
    line, number, code, words = NO_VALID_LINES[name]
    assert answered(line) == error(number, code, words)


UNHEARD = {
    "a notification": '{"jsonrpc": "2.0", "method": "notifications/initialized"}',
    "a call without an id": '{"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "hook_stop"}}',
    "an answer": '{"jsonrpc": "2.0", "id": 92, "result": {}}',
    "a deep answer": f'{{"jsonrpc": "2.0", "id": 1, "result": {{"x": {DEEP}}}}}',
    "an invalid answer": '{"jsonrpc": "2.0", "id": 1, "error": "none"}',
    "nothing": "",
}


@each_row("name", UNHEARD)
def test_what_expects_no_answer_gets_none(name: str) -> None:
    assert answered(UNHEARD[name]) is None


def test_a_batch_is_answered_as_one() -> None:
    """Version 2025-03-26 has them."""
    said = answered(f"[{PING}, {UNHEARD['a notification']}, 5, {PING.replace('7', '8')}]")
    assert said == [
        {"jsonrpc": "2.0", "id": 7, "result": {}},
        error(None, -32600, OBJECT),
        {"jsonrpc": "2.0", "id": 8, "result": {}},
    ]


UNREADABLE = {
    DEEP: "the arguments are nested too deeply to be read; send less, or write it to a file",
    HUGE: "the arguments hold a number that is too large to be read; send it as text",
    "1e999": "the arguments hold a number that is too large to be read; send it as text",
    "NaN": NO_JSON,
}


@each_row(("value", "words"), UNREADABLE.items(), ids=["deep", "huge", "infinite", "NaN"])
def test_arguments_that_cannot_be_read_are_answered(value: str, words: str) -> None:
    for tool, expected in {
        "state_write": (error_json("usage", words), True),
        "hook_user_prompt_submit": (
            {"systemMessage": f"rcs: {words}; the prompt went through and no workflow was changed."}, False
        ),
        "hook_stop": ({"systemMessage": f"rcs: {words}; the turn may end."}, False),
    }.items():  # fmt: skip
        call = f'"params": {{"name": "{tool}", "arguments": {{"session_id": "s1", "mode": "forge", "x": {value}}}}}'
        answer = answered(f'{{"jsonrpc": "2.0", {call}, "method": "tools/call", "id": "{tool}"}}')
        assert answer["id"] == tool
        assert json.loads(answer["result"]["content"][0]["text"]) == expected[0]
        assert answer["result"]["isError"] == expected[1]
    line = f'{{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {{"_meta": [{value}]}}}}'
    assert answered(line) == error(7, -32700, words)


def test_half_of_a_surrogate_pair_in_a_hook_lets_its_prompt_through() -> None:
    """Claude Code sends one where it cuts a text within an emoji; the hook as a command takes it too."""
    call = '{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "hook_stop", "arguments": '
    answer = answered(call + '{"session_id": "s1", "last_assistant_message": "\\ud800"}}}')
    assert answer["result"] == {"content": [{"type": "text", "text": "{}"}], "isError": False}
