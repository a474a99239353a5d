"""`rcs mcp`: runs the MCP server `rcs_state`."""

from __future__ import annotations

from rcs_hooks.cli import output

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence


def build() -> argparse.ArgumentParser:
    from rcs_hooks.cli import options

    return options.parser(
        "mcp",
        "Run the MCP server, on stdin and stdout. Its tools are those of the state, question_ask, emit and two hooks.",
        "codex mcp add rcs_state -- rcs mcp",
        "claude mcp add rcs_state -- rcs mcp",
    )


def run(argv: Sequence[str]) -> int:
    if argv:  # a client passes none, and waits
        build().parse_args(argv)
    from rcs_hooks.mcp.server import serve

    serve()
    return output.OK
