"""The Model Context Protocol, as far as a server that has only tools speaks it: the answer to each message.

Two forms of it are in use. Up to 2025-11-25 a client says hello with `initialize`, and both keep to the version that
was agreed on. From 2026-07-28 on there is no hello: each request names its version, and each result says that it is
complete. Nothing has to be remembered for either, so a request is answered whatever came before it. A request that the
client cancels is answered all the same, as the protocol allows: a call ends by itself within seconds.
"""

from rcs_hooks import __version__
from rcs_hooks.mcp import tools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Message = dict[str, Any]
    Call = Callable[[str, dict[str, Any]], tuple[str, bool]]
    """Runs a tool; returns its text, and whether that is an error."""

NAME = "rcs_state"
WITH_HELLO = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
WITHOUT_HELLO = "2026-07-28"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
SERVER = {"name": NAME, "version": __version__}
OF_EACH_RESULT = {"resultType": "complete", "_meta": {"io.modelcontextprotocol/serverInfo": SERVER}}
CAPABILITIES = {"capabilities": {"tools": {"listChanged": False}}}
MAY_BE_CACHED = ("server/discover", "tools/list")
NOT_CACHED = {"ttlMs": 0, "cacheScope": "private"}
"""What each of those says without a hello: another version of ours may offer other tools."""
PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
NO_VERSION = -32022
SHOWN = 100
"""How many characters of a wrong name an error repeats."""


class WrongRequest(Exception):
    """Raised when a request cannot be carried out; carries the code of the JSON-RPC error."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


def answer_to(message: object, call: "Call") -> "Message | list[Message] | None":
    """Return the answer to a message, or to several in one list; None if the client expects none."""
    if not isinstance(message, list) or not message:
        return _answer_to_one(message, call)
    answers = [answer for each in message if (answer := _answer_to_one(each, call))]
    return answers or None


def _answer_to_one(message: object, call: "Call") -> "Message | None":
    if not isinstance(message, dict):
        return error(None, INVALID_REQUEST, "a message is one JSON object")
    is_answer = "method" not in message and ("result" in message or "error" in message)
    if is_answer or ("method" in message and "id" not in message):
        return None
    number = message.get("id")
    if fault := _fault_of(message):
        return error(number if _is_id(number) else None, INVALID_REQUEST, f"no valid JSON-RPC request: {fault}")
    try:
        return result(number, _carried_out(message["method"], message.get("params") or {}, call))
    except WrongRequest as why:
        return error(number, why.code, str(why), why.data)
    except Exception as why:  # noqa: BLE001 - the client waits for an answer, and other calls must go on
        return error(number, INTERNAL_ERROR, f"{type(why).__name__}: {why}")


def _fault_of(message: "Message") -> str:
    """Return what makes a message an invalid request; empty if it is valid."""
    if message.get("jsonrpc") != "2.0":
        return 'jsonrpc must be "2.0"'
    if not isinstance(message.get("method"), str):
        return "method must be text"
    if not _is_id(message["id"]):
        return "id must be text or a number"
    return "" if isinstance(message.get("params"), dict | None) else "params must be an object"


def _is_id(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _carried_out(method: str, params: "Message", call: "Call") -> "Message":
    """Return the result of a request, in the form of the version that it names."""
    meta = params.get("_meta")
    version = meta.get(VERSION_KEY) if isinstance(meta, dict) else None
    if version not in (None, WITHOUT_HELLO):
        shown = str(version)[:SHOWN]
        known = {"supported": [WITHOUT_HELLO], "requested": shown}
        raise WrongRequest(NO_VERSION, f"there is no version {shown!r} of the protocol here", known)
    carry_out = METHODS.get(method)
    if carry_out is None:
        raise WrongRequest(NO_METHOD, f"there is no method {method[:SHOWN]!r}; there are {', '.join(METHODS)}")
    value = carry_out(params, call)
    if version is None:
        return value
    return {**value, **(NOT_CACHED if method in MAY_BE_CACHED else {}), **OF_EACH_RESULT}


def _initialize(params: "Message", _: "Call") -> "Message":
    asked = params.get("protocolVersion")
    agreed = asked if asked in WITH_HELLO else WITH_HELLO[-1]
    return {"protocolVersion": agreed, **CAPABILITIES, "serverInfo": SERVER}


def _discover(_: "Message", __: "Call") -> "Message":
    return {"supportedVersions": [WITHOUT_HELLO], **CAPABILITIES}


def _ping(_: "Message", __: "Call") -> "Message":
    return {}


def _list(_: "Message", __: "Call") -> "Message":
    listed = []
    for name in tools.NAMES:
        purpose, schema = tools.schema_of(name)
        listed.append({"name": name, "description": purpose, "inputSchema": schema})
    return {"tools": listed}


def _call(params: "Message", call: "Call") -> "Message":
    name, arguments = params.get("name"), params.get("arguments")
    if not isinstance(name, str):
        raise WrongRequest(INVALID_PARAMS, "name must be text: the name of a tool")
    if not isinstance(arguments, dict | None):
        raise WrongRequest(INVALID_PARAMS, "arguments must be an object")
    return called(*call(name, arguments or {}))


METHODS: "dict[str, Callable[[Message, Call], Message]]" = {
    "initialize": _initialize,
    "server/discover": _discover,
    "ping": _ping,
    "tools/list": _list,
    "tools/call": _call,
}


def called(text: str, is_error: bool) -> "Message":
    """Return the result of a tool that answers with a text."""
    return {"content": [{"type": "text", "text": text}], "isError": is_error}


def result(number: object, value: "Message") -> "Message":
    """Return the message that answers a request. `number`: the request's id."""
    return {"jsonrpc": "2.0", "id": number, "result": value}


def error(number: object, code: int, message: str, data: object = None) -> "Message":
    """Return the message that refuses a request. `number`: the request's id; None if it cannot be read."""
    more = {} if data is None else {"data": data}
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message, **more}}
