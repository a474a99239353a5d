"""`rcs dashboard`: runs, sessions and tasks in a browser."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING

from rcs_hooks.cli import options, output, shared_lists
from rcs_hooks.environment import real_environment
from rcs_hooks.errors import Refused, UsageError, needs_extra
from rcs_hooks.files.workspaces import find_root
from rcs_hooks.runs.store import location_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from rcs_hooks.dashboard.serve import Address
    from rcs_hooks.share.shared_data import SharedData

HOST, PORT = "127.0.0.1", 8727
TOKEN_VARIABLE = "RCS_DASHBOARD_TOKEN"  # noqa: S105 - its name
SHORTEST_TOKEN = 16


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "dashboard",
        "Serve a page with the runs, sessions and tasks, live, until Ctrl-C. On any other address than this machine's "
        f"own the page asks for a token: the printed address holds a code that opens it once, and then the next "
        f"one is printed. {TOKEN_VARIABLE} sets a token of your own, which is then asked for on any address; "
        "?token=... takes it as often as you like.",
        "rcs dashboard --open",
        "rcs dashboard --port 0",
        "rcs dashboard --host 0.0.0.0",
        "rcs dashboard --shared",
    )
    parser.add_argument("--port", type=int, default=PORT, metavar="N", help=f"the port ({PORT}; 0: any free one)")
    parser.add_argument("--host", default=HOST, metavar="ADDRESS", help=f"the address to listen at ({HOST})")
    parser.add_argument("--open", action="store_true", help="open it in the browser")
    parser.add_argument("--token", action="store_true", help="ask for a token on this machine too, where others use it")
    parser.add_argument(
        "--shared", action="store_true", help="open the pages of all machines of the team, from the shared database"
    )
    parser.add_argument("--root", metavar="FOLDER", help="a workspace; else that of the current folder")
    return parser


def run(argv: Sequence[str]) -> int:
    args = build().parse_args(argv)
    if not 0 <= args.port <= 65535:
        raise UsageError(f"--port {args.port}: a number from 0 to 65535 is needed")
    try:
        from rcs_hooks.dashboard import serve
        from rcs_hooks.dashboard.data import DashboardData
    except ImportError as error:
        raise Refused(needs_extra(error.name, "the dashboard")) from None
    cwd = os.getcwd()
    root = os.path.join(cwd, args.root) if args.root else find_root(os.environ, cwd)
    if not os.path.isdir(root):
        raise Refused(f"--root {root}: there is no such folder")
    location = location_of(real_environment())
    shared = _shared(is_asked=args.shared)
    asks = args.token or os.environ.get(TOKEN_VARIABLE, "").strip() or serve.needs_key(args.host)
    key = _key() if asks else None
    listening = serve.listen(args.host, args.port)
    try:
        serve.serve(
            DashboardData(location, root, os.environ),
            listening,
            host=args.host,
            key=key,
            announce=_announce,
            opens=args.open,
            shared=shared,
            page="shared/" if args.shared else "",
        )
    except KeyboardInterrupt:  # Ctrl-C ends the dashboard
        return output.OK
    return output.OK


def _shared(*, is_asked: bool) -> SharedData | None:
    """Return the data of all machines; None where nothing is shared, or where it cannot be had and nobody asked."""
    try:
        return shared_lists.data() if is_asked or shared_lists.is_possible() else None
    except Refused:
        if is_asked:
            raise
        return None


def _key() -> str:
    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    if not token:
        return secrets.token_urlsafe(24)
    if len(token) < SHORTEST_TOKEN or not all(char.isascii() and (char.isalnum() or char in "-_") for char in token):
        raise Refused(f"{TOKEN_VARIABLE}: at least {SHORTEST_TOKEN} letters, digits, - and _ are needed")
    return token


def _announce(address: Address) -> None:
    once = "opens once; " if address.code else ""
    output.text(f"the dashboard is at {address.url} ({once}Ctrl-C ends it)")
    output.flush()
