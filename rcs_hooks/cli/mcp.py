"""`rcs mcp`: runs the MCP server `rcs_state`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.cli import options, output
from rcs_hooks.errors import Refused, needs_extra

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence


def build() -> argparse.ArgumentParser:
    return options.parser(
        "mcp",
        "Run the MCP server, on stdin and stdout. Its tools are those of the state, question_ask, emit and two hooks.",
        "codex mcp add rcs_state -- rcs mcp",
        "claude mcp add rcs_state -- rcs mcp",
    )


def run(argv: Sequence[str]) -> int:
    build().parse_args(argv)
    try:
        from rcs_hooks.mcp.server import serve
    except ImportError as error:
        raise Refused(needs_extra(error.name, "the server")) from None
    serve()
    return output.OK
