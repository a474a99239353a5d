"""The command `rcs runs list | show | end | prune | export`."""

from __future__ import annotations

import argparse
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rcs_hooks.cli import options, output, run_page, shared_lists, whole_ids
from rcs_hooks.environment import real_environment
from rcs_hooks.errors import Refused, UsageError
from rcs_hooks.files.clock import seconds
from rcs_hooks.files.workspaces import find_root, working_folder
from rcs_hooks.runs import queries
from rcs_hooks.runs.queries import RUN_STATUSES
from rcs_hooks.runs.records import COMPLETED, FAILED, SKIPPED, RunFilter, RunRecord
from rcs_hooks.runs.sqlite_store import SqliteStore, open_readonly, open_readwrite
from rcs_hooks.runs.store import RunStore, location_of
from rcs_hooks.runs.update import end_run
from rcs_hooks.terminal import when
from rcs_hooks.terminal.ids import LONG_ID, folder_names, short, telling_length
from rcs_hooks.terminal.style import QUIET, STRONG, kind_of
from rcs_hooks.terminal.table import Cell, Column, Row
from rcs_hooks.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Record = dict[str, Any]

SHOWN_RUNS = 50
ENDS = (COMPLETED, FAILED, SKIPPED)
LONGEST_TITLE = 120
COLUMNS = (
    Column("FEATURE", is_flexible=True),
    Column("STATUS"),
    Column("WORKFLOW"),
    Column("STEP"),
    Column("LAST EVENT"),
    Column("PROJECT"),
    Column("RUN"),
)
SHARED_COLUMNS = (*COLUMNS[:5], Column("MACHINE"), *COLUMNS[5:])


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "runs",
        "List, show, end, prune and export the runs that were reported with `rcs emit`, from the database ~/.rcs/rcs.db"
        " (RCS_DB names another).",
        "rcs runs list --status waiting",
        "rcs runs show RUN",
        "rcs runs end RUN --status failed",
        "rcs runs prune --older-than 30d --dry-run",
        "rcs runs export > events.jsonl",
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    listing = options.add_action(
        actions, "list", "list the runs, the one with the newest event first", "rcs runs list --status waiting"
    )
    _add_filters(listing)
    listing.add_argument("--feature", metavar="NAME", help="only runs of this feature")
    listing.add_argument("--session", metavar="ID", help="only runs that this session reported last, by its whole id")
    listing.add_argument(
        "--since",
        type=options.duration,
        metavar="TIME",
        help="only runs with an event in the last 45m, 12h, 30d or 2w",
    )
    listing.add_argument("--limit", type=int, default=SHOWN_RUNS, metavar="N", help=f"how many ({SHOWN_RUNS})")
    listing.add_argument("--before", type=int, metavar="N", help="the page after the one with this `next`")
    shared_lists.add_option(listing)
    options.add_json(listing)
    show = options.add_action(actions, "show", "show one run: its steps, artifacts and events", "rcs runs show RUN")
    show.add_argument("id", help="the run, by its id or the first letters of it")
    show.add_argument("--after", type=int, default=0, metavar="SEQ", help="only the events after this one")
    _add_project(show)
    shared_lists.add_option(show)
    options.add_json(show)
    end = options.add_action(actions, "end", "end a run that nobody continues", "rcs runs end RUN --status failed")
    end.add_argument("id", help="the run, by its id or the first letters of it")
    end.add_argument("--status", choices=ENDS, default=SKIPPED, help="how it ended (default: skipped)")
    _add_project(end)
    options.add_json(end)
    prune = options.add_action(actions, "prune", "delete runs for good", "rcs runs prune --older-than 30d --dry-run")
    prune.add_argument(
        "--older-than",
        type=options.duration,
        required=True,
        metavar="TIME",
        help="without an event for 45m, 12h, 30d or 2w",
    )
    _add_filters(prune)
    prune.add_argument("--dry-run", action="store_true", help="only list them")
    prune.add_argument("--force", action="store_true", help="also those of a shared folder that are not shared yet")
    options.add_json(prune)
    export = options.add_action(
        actions, "export", "print every event as a line of JSON", "rcs runs export > events.jsonl"
    )
    export.add_argument("id", nargs="?", help="only the events of this run")
    export.add_argument("--after", type=int, default=0, metavar="ID", help="only the events after this one")
    _add_filters(export, status=False)
    export.add_argument("--json", action="store_true", help="accepted; the output is JSON anyway")
    return parser


def _add_project(to: argparse.ArgumentParser) -> None:
    to.add_argument(
        "--project", metavar="FOLDER", help="the project of the run (default: the workspace of this folder)"
    )


def _add_filters(to: argparse.ArgumentParser, *, status: bool = True) -> None:
    to.add_argument("--workflow", metavar="NAME", help="only runs of this workflow")
    to.add_argument("--project", metavar="FOLDER", help="only runs of this project")
    if status:
        to.add_argument(
            "--status",
            choices=RUN_STATUSES,
            metavar="STATUS",
            help=f"only runs with this status: {', '.join(RUN_STATUSES)}",
        )


def run(argv: Sequence[str]) -> int:
    args = build().parse_args(argv)
    here = real_environment()
    if getattr(args, "shared", False):
        with shared_lists.store() as shared:
            return ACTIONS[args.action](args, shared, here.now)
    location = location_of(here)
    writes = args.action in WRITES and os.path.exists(location)
    store = open_readwrite(location) if writes else open_readonly(location)
    try:
        return ACTIONS[args.action](args, store, here.now)
    finally:
        if store:
            store.close()


def _project(args: argparse.Namespace) -> str | None:
    if getattr(args, "shared", False):
        return args.project or None
    return os.path.realpath(args.project) if args.project else None


def _filters(args: argparse.Namespace) -> RunFilter:
    return RunFilter(_project(args), args.workflow, getattr(args, "status", None))


def _ms(now: float) -> int:
    return round(now * 1000)


def _list(args: argparse.Namespace, store: RunStore | None, now: float) -> int:
    if args.limit < 1:
        raise UsageError(f"--limit {args.limit}: it must be 1 or more")
    since = _ms(now) - queries.milliseconds(args.since) if args.since else None
    filters = _filters(args)._replace(feature=args.feature, session=args.session, since_ms=since)
    found: Record = queries.list_runs(store, _ms(now), filters, limit=args.limit, before=args.before)
    if args.json:
        output.result(found)
        return output.OK
    if not found["runs"]:
        output.text(f"no {'such ' if any(filters) else 'reported '}runs (rcs emit); what runs in sessions: rcs status")
        return output.OK
    length = telling_length(name for each in found["runs"] if len(name := each["run_id"]) >= LONG_ID)
    if args.shared:
        rows = [_shared_row(each, now) for each in found["runs"]]
        output.table(rows, SHARED_COLUMNS)
    else:
        folders = folder_names(each["project"] for each in found["runs"] if each["project"])
        output.table([_row(each, now, length, folders) for each in found["runs"]], COLUMNS)
    if found["next"]:
        output.text(f"more: {_next_page(args, found['next'])}")
    return output.OK


def _row(run: Record, now: float, length: int, folders: Mapping[str, str]) -> Row:
    """Return the row of a run. `length`: how many letters of its id are shown. `folders`: what projects are called."""
    feature, project, at = clean(run["feature"], LONGEST_TITLE), run["project"] or "", seconds(run["last_at"])
    cells = (
        Cell(feature, STRONG) if feature else Cell("(no feature)", QUIET),
        Cell(run["status"], kind_of(run["status"])),
        Cell(clean(run["workflow"])),
        Cell(clean(queries.place_words(run["current_steps"]))),
        Cell(when.ago(at, now), QUIET, when.full(at)),
        Cell(folders.get(project, project) if len(folders) > 1 else "", full=project),
        Cell(short(run["run_id"], length), full=run["run_id"]),
    )
    return Row(cells)


def _shared_row(run: Record, now: float) -> Row:
    """Return the row of a run of another machine."""
    cells = _row(run, now, len(run["run_id"]), {}).cells
    machine, _, project = run["project"].removeprefix("//").partition("/")
    return Row((*cells[:5], Cell(machine), Cell(project), cells[6]))


def _next_page(args: argparse.Namespace, before: int) -> str:
    """Return the command that lists the next page with the same filters. `before`: where the next page begins."""
    import shlex

    asked = [(name, getattr(args, name)) for name in ("workflow", "project", "status", "feature", "session", "since")]
    asked += [("limit", str(args.limit) if args.limit != SHOWN_RUNS else None), ("before", str(before))]
    words = [word for name, value in asked if value is not None for word in (f"--{name}", value)]
    return shlex.join(["rcs", "runs", "list", *(["--shared"] if args.shared else []), *words])


def _find(args: argparse.Namespace, store: RunStore | None, now: float) -> RunRecord:
    """Return the run of this project that the command line names.

    Raises Refused, with the command for another project.
    """
    project = os.path.realpath(args.project or find_root(os.environ, working_folder()))
    args.id = whole_ids.run(store, args.id, now, project)
    found = queries.find_run(store, args.id)
    if found.project == project:
        return found
    import shlex

    other = found.project
    status = ["--status", args.status] if getattr(args, "status", SKIPPED) != SKIPPED else []
    command = shlex.join(["rcs", "runs", args.action, args.id, *status, "--project", other])
    raise Refused(f"run {args.id!r} belongs to {clean(other, 200)}, not to {project}; if it is meant: {command}")


def _show(args: argparse.Namespace, store: RunStore | None, now: float) -> int:
    name = _shared_id(args, store, now) if args.shared else _find(args, store, now).run_id
    last = None if args.json else run_page.SHOWN_EVENTS
    found: Record = queries.show_run(store, name, _ms(now), after=args.after, last=last)
    if args.shared:  # they are on their machine
        found["artifacts"] = [each | {"missing": False} for each in found["artifacts"]]
    if args.json:
        output.result(found)
    else:
        run_page.write(found, after=args.after, is_shared=args.shared)
    return output.OK


def _shared_id(args: argparse.Namespace, store: RunStore | None, now: float) -> str:
    from rcs_hooks.share.reader import PostgresStore

    assert isinstance(store, PostgresStore)  # noqa: S101 - for the type checker: no other is opened for --shared
    return shared_lists.run_id(store, args.id, _ms(now))


def _end(args: argparse.Namespace, store: SqliteStore | None, now: float) -> int:
    name = _find(args, store, now).run_id
    if store is None:
        return output.REFUSED
    with store.write_transaction():
        ended = end_run(store, queries.find_run(store, name), args.status, now)
    if args.json:
        output.result(ended.as_json())
    else:
        steps = f"; so are {', '.join(clean(step) for step in ended.steps)}" if ended.steps else ""
        output.text(f"{name} is {args.status}{steps}")
    return output.OK


def _prune(args: argparse.Namespace, store: SqliteStore | None, now: float) -> int:
    found = queries.prunable_runs(store, _ms(now), args.older_than, _filters(args))
    unsent = [] if args.force else _unsent(found)
    found = [run for run in found if run not in unsent]
    deleted = 0 if args.dry_run else queries.prune(store, found)
    names = [run.run_id for run in found]
    if args.json:
        kept = {"unsent": [run.run_id for run in unsent]} if unsent else {}
        output.result({"deleted": deleted, "dry_run": args.dry_run, "runs": names} | kept)
        return output.OK
    if unsent:
        stay = "1 run stays, for it is" if len(unsent) == 1 else f"{len(unsent)} runs stay, for they are"
        output.refused(f"rcs: {stay} not known to be shared yet; to share: rcs share run --once; to delete: --force")
    if args.dry_run:
        for name in names:
            output.text(name)
    output.text(f"{len(names)} would be deleted" if args.dry_run else f"{deleted} deleted")
    return output.OK


def _unsent(found: list[RunRecord]) -> list[RunRecord]:
    """Return those of the runs that belong to a shared project and were not sent to its end."""
    from rcs_hooks.share import sent, settings

    try:
        known = settings.load(os.environ)
    except Refused:
        return []
    projects, location = {each.path for each in known.projects}, location_of(real_environment())
    upto = sent.load(known.home, known.server).upto
    return [run for run in found if run.project in projects and upto(run.project, sent.RUNS, location) < run.last_event]


def _export(args: argparse.Namespace, store: RunStore | None, now: float) -> int:
    import orjson  # takes 15 ms to load, and pays with some thousand events

    run_id = whole_ids.run(store, args.id, now, _project(args)) if args.id else None
    for event in queries.export(store, run_id=run_id, after=args.after, workflow=args.workflow, project=_project(args)):
        with suppress(TypeError):  # a lone surrogate, or a number of more than 64 bits
            if (line := orjson.dumps(event)).isascii():  # no letter of an event moves the cursor of who looks at it
                output.text(line.decode())
                continue
        output.result(event)
    return output.OK


WRITES = ("end", "prune")
ACTIONS: dict[str, Callable[[argparse.Namespace, Any, float], int]] = {
    "list": _list,
    "show": _show,
    "end": _end,
    "prune": _prune,
    "export": _export,
}
