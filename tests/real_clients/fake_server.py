"""An MCP server that stands in for ours, and answers a hook's call as its first argument says. It needs no package.

`garbage`: text that is no JSON. `error`: the call has failed. `noise`: a line on stdout that is no message, instead of
an answer, and then the answer. `silence`: nothing, for ever. `end`: the server ends in the middle of the call.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

Json = dict[str, Any]

NAMES = ("hook_user_prompt_submit", "hook_stop")
SCHEMA = {"type": "object"}


def result_of(message: Json, way: str) -> Json | None:
    """Return the result of a request; None for what gets no answer."""
    params = message.get("params", {})
    if message["method"] == "initialize":
        info = {"name": "rcs_state", "version": "0"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}
    if message["method"] == "tools/list":
        return {"tools": [{"name": name, "description": name, "inputSchema": SCHEMA} for name in NAMES]}
    return answer(way) if message["method"] == "tools/call" else {}


def answer(way: str) -> Json | None:
    """Return what comes of a hook's call."""
    if way == "silence":
        return None
    if way == "end":
        os._exit(1)
    if way == "noise":
        print("Warning: {", flush=True)
    text = "Warning: {" if way == "garbage" else '{"decision": "block", "rea' if way == "half" else "{}"
    return {"content": [{"type": "text", "text": text}], "isError": way == "error"}


def main(way: str) -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            result = result_of(message, way)
            if result is not None:
                print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
