"""The answer to each line of a client, without a process."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rcs_hooks import __version__
from rcs_hooks.mcp import tools
from rcs_hooks.mcp.server import answer_to, lines_of
from tests.support import clean_env, error_json

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


@pytest.mark.parametrize(
    ("asked", "agreed"),
    [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),  # Codex 0.169
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),  # has no hello
        ("1999-01-01", "2025-11-25"),
        (5, "2025-11-25"),
        (None, "2025-11-25"),
        (["2025-06-18"], "2025-11-25"),
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


def test_with_a_hello_no_result_says_so() -> None:
    assert result(request("tools/list")).keys() == {"tools"}
    assert result(request("tools/call", {"name": "hook_stop"})).keys() == {"content", "isError"}


@pytest.mark.parametrize("version", ["2025-06-18", "2027-01-01", 7, ["2026-07-28"]])
def test_another_version_in_a_request_is_refused_with_the_one_that_is_known(version: object) -> None:
    meta = {"_meta": {"io.modelcontextprotocol/protocolVersion": version}}
    refused = answered(request("tools/list", meta))["error"]
    assert refused["code"] == -32022
    assert refused["data"] == {"supported": ["2026-07-28"], "requested": str(version)}


@pytest.mark.parametrize("meta", [None, [], "x", {}, {"progressToken": 0}])
def test_any_other_meta_is_passed_over(meta: object) -> None:
    assert result(request("ping", {"_meta": meta})) == {}


# --- requests

NAME = "name must be text: the name of a tool"
ARGUMENTS = "arguments must be an object"
METHODS = "there are initialize, server/discover, ping, tools/list, tools/call"


@pytest.mark.parametrize(
    ("method", "params", "code", "words"),
    [
        ("no/such", None, -32601, f"there is no method 'no/such'; {METHODS}"),
        ("", {}, -32601, f"there is no method ''; {METHODS}"),
        ("resources/list", {}, -32601, f"there is no method 'resources/list'; {METHODS}"),
        ("prompts/get", {"name": "x"}, -32601, f"there is no method 'prompts/get'; {METHODS}"),
        ("x" * 5000, None, -32601, f"there is no method '{'x' * 100}'; {METHODS}"),
        ("tools/call", None, -32602, NAME),
        ("tools/call", {"arguments": {}}, -32602, NAME),
        ("tools/call", {"name": 5, "arguments": {}}, -32602, NAME),
        ("tools/call", {"name": "state_read", "arguments": [1]}, -32602, ARGUMENTS),
        ("tools/call", {"name": "hook_stop", "arguments": "team"}, -32602, ARGUMENTS),
    ],
)
def test_a_wrong_request_is_refused(method: str, params: object, code: int, words: str) -> None:
    assert answered(request(method, params)) == error(1, code, words)


@pytest.mark.parametrize("number", [0, -1, 7, 1.5, 10**400, "", "a", "é\n", "\ud800", "x" * 10_000])
def test_an_id_comes_back_as_it_was(number: object) -> None:
    assert answered(request("ping", number=number)) == {"jsonrpc": "2.0", "id": number, "result": {}}


@pytest.mark.parametrize("number", [None, True, [7], {"x": 1}])
def test_what_can_be_no_id_is_refused(number: object) -> None:
    words = "no valid JSON-RPC request: id must be text or a number"
    assert answered(request("ping", number=number)) == error(None, -32600, words)


def test_a_fault_of_our_own_is_an_answer_too() -> None:
    def call(name: str, arguments: Json) -> tuple[str, bool]:
        raise ZeroDivisionError("by zero")

    answer = answer_to(request("tools/call", {"name": "hook_stop"}).encode(), call)
    assert json.loads(answer or "") == error(1, -32603, "ZeroDivisionError: by zero")


# --- what is not one valid message

HALF = '"\\ud800"'
DEEP = "[" * 100_000 + "]" * 100_000
HUGE = "9" * 5_000
NO_MESSAGE = "the line is not JSON; send one JSON object on each line"
NO_JSON = "the arguments are not JSON; send one JSON object"
VERSION = 'no valid JSON-RPC request: jsonrpc must be "2.0"'
PARAMS = "no valid JSON-RPC request: params must be an object"
METHOD = "no valid JSON-RPC request: method must be text"
ID = "no valid JSON-RPC request: id must be text or a number"
OBJECT = "a message is one JSON object"
PING = '{"jsonrpc": "2.0", "id": 7, "method": "ping"}'
NO_VALID_LINES: dict[str, tuple[str, int | str | None, int, str]] = {
    "params that are a list": (PING[:-1] + ', "params": [1]}', 7, -32600, PARAMS),
    "params that are text": (PING[:-1] + ', "params": "x"}', 7, -32600, PARAMS),
    "a call with a list": (PING.replace("ping", "tools/call")[:-1] + ', "params": []}', 7, -32600, PARAMS),
    "no version": ('{"id": "a", "method": "ping"}', "a", -32600, VERSION),
    "another version": (PING.replace("2.0", "1.0"), 7, -32600, VERSION),
    "a method that is a number": (PING.replace('"ping"', "7"), 7, -32600, METHOD),
    "no method": ('{"jsonrpc": "2.0", "id": 7}', 7, -32600, METHOD),
    "an empty object": ("{}", None, -32600, VERSION),
    "an id that is a list": ('{"jsonrpc": "2.0", "id": [7], "method": 7}', None, -32600, METHOD),
    "an empty batch": ("[]", None, -32600, OBJECT),
    "a number": ("7", None, -32600, OBJECT),
    "null": ("null", None, -32600, OBJECT),
    "a mark of the byte order": ("\ufeff" + PING, 7, -32700, NO_JSON),
    "text behind it": (f"{PING} x", 7, -32700, NO_JSON),
    "two on one line": (f"{PING}{PING}", 7, -32700, NO_JSON),
    "a missing brace": (PING[:-1], 7, -32700, NO_JSON),
    "two missing braces": (PING[:-1] + ', "params": {"x": 1', 7, -32700, NO_JSON),
    "an end in the middle": (PING[:-8], None, -32700, NO_MESSAGE),
    "a word": ("hello", None, -32700, NO_MESSAGE),
    "a huge id": (PING.replace("7", HUGE), None, -32700, NO_MESSAGE),
    "an id that is no number": (PING.replace("7", "NaN"), None, -32700, NO_MESSAGE),
    "a deep id": (PING.replace("7", DEEP), None, -32700, NO_MESSAGE),
    "a text without an end": ('"' + '\\"' * 500_000, None, -32700, NO_MESSAGE),
    "only opened": ("[" * 500_000, None, -32700, NO_MESSAGE),
}


@pytest.mark.parametrize("name", NO_VALID_LINES)
def test_a_line_that_is_no_valid_message_is_answered_with_its_id_or_null(name: str) -> None:
    line, number, code, words = NO_VALID_LINES[name]
    assert answered(line) == error(number, code, words)


UNHEARD = {
    "a notification": '{"jsonrpc": "2.0", "method": "notifications/initialized"}',
    "a notification nobody knows": '{"jsonrpc": "2.0", "method": "notifications/none", "params": {}}',
    "a request that is cancelled": '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
    "a call without an id": '{"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "hook_stop"}}',
    "an answer": '{"jsonrpc": "2.0", "id": 92, "result": {}}',
    "an error": '{"jsonrpc": "2.0", "id": 92, "error": {"code": 1, "message": "x"}}',
    "a deep notification": f'{{"jsonrpc": "2.0", "method": "notifications/none", "params": {{"x": {DEEP}}}}}',
    "a deep answer": f'{{"jsonrpc": "2.0", "id": 1, "result": {{"x": {DEEP}}}}}',
    "an invalid notification": '{"jsonrpc": "1.0", "method": "notifications/none"}',
    "an invalid answer": '{"jsonrpc": "2.0", "id": 1, "error": "none"}',
    "notifications only": '[{"jsonrpc": "2.0", "method": "notifications/none"}]',
    "nothing": "",
    "blanks": " \t\r",
}


@pytest.mark.parametrize("name", UNHEARD)
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


def test_what_is_not_utf_8_is_replaced() -> None:
    assert answered(PING.replace("7", '"é"').encode("latin-1"))["id"] == "\ufffd"


UNREADABLE = {
    DEEP: "the arguments are nested too deeply to be read; send less, or write it to a file",
    HUGE: "the arguments hold a number that is too large to be read; send it as text",
    "1e999": "the arguments hold a number that is too large to be read; send it as text",
    "1.5.5": NO_JSON,
    "NaN": NO_JSON,
}


@pytest.mark.parametrize(("value", "words"), UNREADABLE.items(), ids=["deep", "huge", "infinite", "no number", "NaN"])
def test_arguments_that_cannot_be_read_are_answered(value: str, words: str) -> None:
    for tool, expected in {
        "state_write": (error_json("usage", words), True),
        "emit": (error_json("usage", words), True),
        "no_such_tool": (error_json("usage", words), True),
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
    answer = answered(call + f'{{"session_id": "s1", "last_assistant_message": {HALF}}}}}}}')
    assert answer["result"] == {"content": [{"type": "text", "text": "{}"}], "isError": False}


# --- lines


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", [b""]),
        (b"a\nb\n", [b"a", b"b", b""]),
        (b"a\n\nb", [b"a", b"", b"b"]),
        (b"x" * 200_000 + b"\ny", [b"x" * 200_000, b"y"]),
    ],
    ids=["nothing", "two", "no end", "longer than a read"],
)
def test_a_stream_is_read_line_by_line(data: bytes, expected: list[bytes], tmp_path: Any) -> None:
    file = tmp_path / "lines"
    file.write_bytes(data)
    with file.open("rb") as opened:
        assert list(lines_of(opened.fileno())) == expected
