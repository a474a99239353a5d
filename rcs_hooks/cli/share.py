"""The command `rcs share`: a team's machines in one PostgreSQL database."""

from __future__ import annotations

import argparse
import os
import signal
import threading
from typing import TYPE_CHECKING

from rcs_hooks.cli import options, output, share_folders
from rcs_hooks.config.loading import HOME_SHOWN
from rcs_hooks.errors import Refused
from rcs_hooks.files.workspaces import working_folder
from rcs_hooks.runs import queries
from rcs_hooks.share import own_file, settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.cli.options import Parser
    from rcs_hooks.share.pruning import Pruned

FOLDER = "the workspace (default: that of this folder)"


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "share",
        "Share what runs on this machine with a team, in a PostgreSQL database of its own. Nothing leaves the machine"
        " before you add a folder.",
        "rcs share init postgresql://user@host/database",
        "rcs share add .",
        "rcs share start",
        "rcs share status",
        "rcs share prune --older-than 90d --dry-run",
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    _add_init(actions)
    _add_add(actions)
    remove = options.add_action(actions, "remove", "send nothing more of a folder", "rcs share remove .")
    remove.add_argument("folder", nargs="?", metavar="FOLDER", help=FOLDER)
    options.add_json(remove)
    _add_service(actions)
    purpose = "send what is new on this machine, until you stop it"
    share = options.add_action(actions, "run", purpose, "rcs share run", "rcs share run --once")
    share.add_argument("--once", action="store_true", help="send what is there now, and end")
    options.add_json(share)
    _add_prune(actions)
    return parser


def _add_init(actions: argparse._SubParsersAction[Parser]) -> None:
    purpose = "write which database is shared, and make or update the schema in it"
    init = options.add_action(
        actions,
        "init",
        purpose,
        "rcs share init postgresql://user@host/database",
        "rcs share init --roles",
    )
    init.add_argument(
        "url", nargs="?", metavar="URL", help=f"its address, without a password (default: the one in {HOME_SHOWN})"
    )
    init.add_argument(
        "--roles", action="store_true", help="also make the roles rcs_writer and rcs_reader, and what they may do"
    )
    options.add_json(init)


def _add_add(actions: argparse._SubParsersAction[Parser]) -> None:
    add = options.add_action(
        actions, "add", "let what runs in a folder leave the machine", "rcs share add .", "rcs share add . --texts"
    )
    add.add_argument("folder", nargs="?", metavar="FOLDER", help=FOLDER)
    add.add_argument("--name", metavar="NAME", help="what others are shown (default: the folder's own name)")
    add.add_argument(
        "--texts",
        action="store_true",
        help="titles, reasons, messages, commands, paths and the data of `rcs emit` leave too (default: none)",
    )
    options.add_json(add)


def _add_service(actions: argparse._SubParsersAction[Parser]) -> None:
    purposes = {
        "start": "let a service of yours run `rcs share run`, now and at each login; shows the file that it writes",
        "stop": "stop and remove that service",
    }
    for name, purpose in purposes.items():
        action = options.add_action(actions, name, purpose, f"rcs share {name}", f"rcs share {name} --dry-run")
        action.add_argument("--dry-run", action="store_true", help="show what would change, and change nothing")
        options.add_json(action)
    purpose = "say how far behind each folder is, and what is wrong; exit status 1 where something is"
    options.add_json(options.add_action(actions, "status", purpose, "rcs share status"))


def _add_prune(actions: argparse._SubParsersAction[Parser]) -> None:
    prune = options.add_action(
        actions,
        "prune",
        "delete what is old from the shared database, for good",
        "rcs share prune --older-than 90d --dry-run",
    )
    prune.add_argument(
        "--older-than",
        type=options.duration,
        required=True,
        metavar="TIME",
        help="what was 45m, 12h, 30d or 2w ago, or earlier",
    )
    prune.add_argument("--dry-run", action="store_true", help="only count it")
    options.add_json(prune)


def run(argv: Sequence[str]) -> int:
    args = build().parse_args(argv)
    return ACTIONS[args.action](args)


def _init(args: argparse.Namespace) -> int:
    if args.url:
        share_folders.refuse_agent("where to share", "rcs share init URL")
        address, home = settings.read_address(args.url), settings.home_in(os.environ)
    else:
        found = settings.load(os.environ)
        address, home = found.needed_address(), found.home
    from rcs_hooks.share import schema

    made = schema.init(address, roles=args.roles)
    was_written = own_file.set_url(home, args.url.strip()) if args.url else False
    found = settings.load(os.environ)
    if args.json:
        versions = {"before": made.before, "version": made.after}
        output.result({"ok": True} | versions | {"roles": made.has_roles, "was_changed": was_written})
        return output.OK
    done = "has" if made.before == made.after else "was brought up to" if made.before else "has got"
    output.text(output.plain(f"{address.shown} {done} version {made.after} of the schema"))
    if args.roles:
        output.text("the roles rcs_writer and rcs_reader may use it; to give one to a user: GRANT rcs_writer TO NAME")
    if was_written:
        output.text(f"{HOME_SHOWN} names it")
    if not found.projects:
        output.text("Nothing leaves this machine yet; to share a folder: rcs share add .")
    return output.OK


# --- run


def _run(args: argparse.Namespace) -> int:
    found = settings.load(os.environ)
    if not found.projects:
        say = "no folder is shared yet, so nothing leaves this machine; to share one: rcs share add ."
        if args.once:
            raise Refused(say)
        output.text(say)
    from rcs_hooks.share import loop

    stop = threading.Event()
    if not args.once:
        output.text(output.plain(f"sharing with {found.needed_address().shown}; Ctrl-C ends it"))
        output.flush()
    before = [(number, signal.signal(number, lambda *_: stop.set())) for number in (signal.SIGTERM, signal.SIGINT)]
    try:
        count = loop.run(os.environ, working_folder(), once=args.once, stop=stop)
    finally:
        for number, handler in before:
            signal.signal(number, handler)
    if args.json:
        output.result({"ok": True, "sent": count})
    else:
        output.text(f"{count:,} event{'' if count == 1 else 's'} sent")
    return output.OK


# --- start, stop, status


def _start(args: argparse.Namespace) -> int:
    share_folders.refuse_agent("what runs in the background", "rcs share start")
    from rcs_hooks.cli import share_service

    return share_service.start(args)


def _stop(args: argparse.Namespace) -> int:
    from rcs_hooks.cli import share_service

    return share_service.stop(args)


def _status(args: argparse.Namespace) -> int:
    from rcs_hooks.cli import share_status

    return share_status.run(args)


# --- prune


def _prune(args: argparse.Namespace) -> int:
    address = settings.load(os.environ).needed_address()
    from rcs_hooks.share import connecting, pruning

    with connecting.connection(address) as link:
        connecting.check_writer(link)
        before = pruning.now(link) - queries.milliseconds(args.older_than) / 1000
        pruned = pruning.prune(link, before, dry_run=args.dry_run)
    if args.json:
        output.result({"ok": True, "dry_run": args.dry_run, **pruned._asdict()})
    else:
        output.text(f"{_counted(pruned)} {'would be ' if args.dry_run else ''}deleted")
    return output.OK


def _counted(pruned: Pruned) -> str:
    counts = [f"{count:,} {name if count != 1 else name.removesuffix('s')}" for name, count in pruned._asdict().items()]
    return ", ".join(counts[:-1]) + f" and {counts[-1]}"


ACTIONS = {
    "init": _init,
    "add": share_folders.add,
    "remove": share_folders.remove,
    "start": _start,
    "stop": _stop,
    "status": _status,
    "run": _run,
    "prune": _prune,
}
