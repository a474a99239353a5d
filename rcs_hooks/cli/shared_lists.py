"""`--shared`: what the lists of this program say of all machines of a team, from the shared database."""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks.cli import output
from rcs_hooks.cli.output import text as say
from rcs_hooks.errors import Refused, StoreError
from rcs_hooks.files.clock import seconds
from rcs_hooks.overview.words import HEADINGS, LASTS, MOST
from rcs_hooks.terminal import style, when
from rcs_hooks.terminal.ids import resolve
from rcs_hooks.terminal.table import Cell, Column, Heading, Row
from rcs_hooks.text import clean

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from rcs_hooks.share.connecting import Link
    from rcs_hooks.share.places import Place
    from rcs_hooks.share.reader import PostgresStore
    from rcs_hooks.share.shared_data import SharedData
    from rcs_hooks.state.history_listing import LoggedEvent

Record = dict[str, Any]

NOT_THERE = ("session", "root", "root_scope")
"""What chooses a part of this machine alone."""
MOST_RUNS_LOOKED_AT = 5_000
AGAIN_AFTER = 5.0
"""Seconds until the log is read again that could not be, unless there is a notice before."""
KEYS = (
    "v",
    "kind",
    "name",
    "title",
    "session",
    "id",
    "client",
    "phase",
    "since",
    "says",
    "proof",
    "project",
    "command",
)
STATUS = (
    Column("TITLE", is_flexible=True), Column("MODE"), Column("STATE"), Column("SINCE"), Column("MACHINE"),
    Column("PROJECT"),
)  # fmt: skip
LOG = (
    Column("WHEN"), Column("MACHINE"), Column("PROJECT"), Column("MODE"), Column("SESSION"), Column("WHAT"),
    Column("TITLE"),
)  # fmt: skip


def add_option(to: argparse.ArgumentParser) -> None:
    """Add `--shared`."""
    to.add_argument(
        "--shared",
        action="store_true",
        help="of all machines of the team, from the shared database (`rcs help sharing`)",
    )


def connector() -> Callable[[], Link]:
    """Return the function that connects to the shared database as a reader. Raises Refused if none is named."""
    from rcs_hooks.share import connecting, settings

    address = settings.load(os.environ).needed_address()

    def connect() -> Link:
        link = connecting.open_link(address)
        with link.closed_on_error():
            connecting.check_reader(link)
        return link

    return connect


def is_possible() -> bool:
    """Tell whether a shared database is named, without connecting to it."""
    from rcs_hooks.share import settings

    try:
        return settings.load(os.environ).address is not None
    except Refused:
        return False


def data() -> SharedData:
    """Return the data of the shared pages. Raises Refused if no database is named, or the driver is missing."""
    connect = connector()
    from rcs_hooks.share.shared_data import SharedData

    return SharedData(connect)


@contextmanager
def store() -> Iterator[PostgresStore]:
    """Open the shared database for a block. Raises Refused and StoreError."""
    connect = connector()
    from rcs_hooks.share.reader import PostgresStore

    opened = PostgresStore(connect)
    try:
        yield opened
    finally:
        opened.close()


def check_alone(args: argparse.Namespace) -> None:
    """Raise Refused for an option that chooses a part of this machine."""
    for name in NOT_THERE:
        if getattr(args, name, None):
            raise Refused(f"--{name.replace('_', '-')} chooses a part of this machine; leave it out with --shared")


# --- status


def status(args: argparse.Namespace) -> int:
    """Print what goes on on all machines."""
    check_alone(args)
    shared = data()

    async def asked() -> Record:
        try:
            return await shared.overview(None)
        finally:
            await shared.close()

    found = asyncio.run(asked())
    groups = {name: found[name] for name in HEADINGS}
    if args.json:
        output.result({name: [{key: entry[key] for key in KEYS} for entry in each] for name, each in groups.items()})
        return output.OK
    now = time.time()
    rows: list[Row | Heading] = []
    for name, entries in groups.items():
        if entries:
            rows.append(Heading(f"{HEADINGS[name]} ({len(entries)})"))
            rows += [_status_row(entry, name, now) for entry in entries[:MOST]]
        if len(entries) > MOST:
            rows.append(Row((), (), ((f"and {len(entries) - MOST} more", "rcs status --shared --json"),)))
    if rows:
        output.table(rows, STATUS, has_titles=False)
    else:
        say("Nothing runs on any machine that shares; `rcs share status` says whether this one does.")
    return output.OK


def _status_row(entry: Record, group: str, now: float) -> Row:
    machine = _Named.of(entry["project"])
    state = entry["outcome"] or entry["phase"] or ""
    state = f"{state}, {entry['quiet']}" if entry["quiet"] else state
    at = seconds(entry["since"])
    moment = when.lasting(at, now) if group in LASTS else when.ago(at, now)
    below = entry["detail"] if entry["question"] or group == "waiting" else ""
    commands = ((f"On {machine.name}", entry["command"]),) if entry["command"] else ()
    cells = (
        Cell(entry["title"], style.STRONG), Cell(entry["name"]), Cell(state), Cell(moment, style.QUIET, when.full(at)),
        Cell(machine.name), Cell(machine.project, style.QUIET),
    )  # fmt: skip
    return Row(cells, (below,) if below else (), commands)


class _Named(NamedTuple):
    """The two parts of the address of a project."""

    name: str
    project: str

    @staticmethod
    def of(address: str) -> _Named:
        name, _, project = address.removeprefix("//").partition("/")
        return _Named(name, project)


# --- log


def log(args: argparse.Namespace, mode: str, what: Callable[[LoggedEvent], str]) -> int:
    """Print what happened to modes on all machines, the oldest first; with --follow also what happens from now on."""
    session = args.session
    args.session = None
    check_alone(args)
    with store() as opened:
        newest = opened.change_token() if args.follow else 0  # first: what comes after it is read now or followed
        found = opened.shown.latest_events(args.number, project=None, session=session, mode=mode)
        newest = max(newest, *(batch for batch, _, _ in found)) if found else newest
        _print_log(found, what, as_json=args.json)
        if args.follow:
            _follow(opened, session, mode, newest, args, what)
        elif not (found or args.json):
            say("nothing has happened on any machine that shares")
    return output.OK


def _print_log(
    found: list[tuple[int, Place, LoggedEvent]], what: Callable[[LoggedEvent], str], *, as_json: bool
) -> None:
    if as_json:
        for _, place, entry in found:
            output.result(entry.as_json() | {"project": place.address, "person": place.machine.person})
        return
    if found:
        output.table([_log_row(place, entry, what(entry)) for _, place, entry in found], LOG, has_titles=False)


def _log_row(place: Place, entry: LoggedEvent, what: str) -> Row:
    event = entry.event
    cells = (
        when.full(seconds(event.at)), place.machine.name, place.name, clean(event.mode), clean(entry.session), what,
        clean(event.title, 80),
    )  # fmt: skip
    return Row(cells)


def _follow(
    opened: PostgresStore, session: str | None, mode: str, newest: int, args: argparse.Namespace,
    what: Callable[[LoggedEvent], str],
) -> None:  # fmt: skip
    """Print what happens from now on, until Ctrl-C; a notice of the database wakes it.

    While the database is away, that is said once.
    """
    import threading

    from rcs_hooks.share.listening import Listening

    news = threading.Event()
    listening = Listening(connector(), lambda _: news.set())
    listening.start()
    problem = ""
    try:
        while True:
            output.flush()
            news.wait(AGAIN_AFTER if problem else None)
            news.clear()
            said, problem = problem, listening.problem
            try:
                if not problem:
                    found = opened.shown.latest_events(5_000, project=None, session=session, mode=mode, after=newest)
            except StoreError as error:
                problem = str(error)
            if problem:
                if not said:
                    output.refused(f"rcs: {problem}; it is tried again")
                continue
            newest = max(newest, *(batch for batch, _, _ in found)) if found else newest
            _print_log(found, what, as_json=args.json)
    finally:
        listening.stop()


# --- runs


def run_id(opened: PostgresStore, typed: str, now_ms: int) -> str:
    """Return the id of the run that is meant, RUN@MACHINE, by its first letters. Raises Refused."""
    if opened.run(typed) is not None:
        return typed
    meant = resolve(typed, [run.run_id for run in opened.runs(now_ms, limit=MOST_RUNS_LOOKED_AT)], "run")
    if opened.run(meant) is None:
        raise Refused(f"there is no run {typed!r}; `rcs runs list --shared` shows those that are")
    return meant


def machine_of(address: str) -> str:
    """Return the name of the machine in the address of a project."""
    return _Named.of(address).name
