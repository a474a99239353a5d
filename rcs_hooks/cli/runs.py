"""`rcs runs list | show | end | prune | export`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rcs_hooks.cli import options, output
from rcs_hooks.errors import Refused
from rcs_hooks.runs import around, faults, ledger, reading, store
from rcs_hooks.runs.progress import COMPLETED, FAILED, RUN_STATUSES, SKIPPED
from rcs_hooks.state.paths import find_root, working_folder
from rcs_hooks.workflow.text import clean

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

Record = dict[str, Any]

SHOWN_RUNS, SHOWN_EVENTS = 50, 10
ENDS = (COMPLETED, FAILED, SKIPPED)


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "runs",
        "The runs that were reported with `rcs emit`, from the database ~/.rcs/rcs.db (RCS_DB names another).",
        "rcs runs list --status waiting",
        "rcs runs show RUN",
        "rcs runs end RUN --status failed",
        "rcs runs prune --older-than 30d --dry-run",
        "rcs runs export > events.jsonl",
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="the runs, those last heard of first", allow_abbrev=False)
    _add_filters(listing)
    listing.add_argument("--feature", metavar="NAME", help="only those of this feature")
    listing.add_argument("--since", metavar="TIME", help="only those heard of within 45m, 12h, 30d or 2w")
    listing.add_argument("--limit", type=int, default=SHOWN_RUNS, metavar="N", help=f"how many ({SHOWN_RUNS})")
    listing.add_argument("--before", type=int, metavar="N", help="the page behind the one whose `next` this is")
    options.add_json(listing)
    show = actions.add_parser("show", help="one run: its steps, artifacts and events", allow_abbrev=False)
    show.add_argument("id", help="the run's id")
    show.add_argument("--after", type=int, default=0, metavar="SEQ", help="only the events behind this one")
    _add_project(show)
    options.add_json(show)
    end = actions.add_parser("end", help="end a run that nobody goes on with", allow_abbrev=False)
    end.add_argument("id", help="the run's id")
    end.add_argument("--status", choices=ENDS, default=SKIPPED, help="how it has ended (skipped: it was given up)")
    _add_project(end)
    options.add_json(end)
    prune = actions.add_parser("prune", help="delete runs; only those asked for, and for good", allow_abbrev=False)
    prune.add_argument("--older-than", required=True, metavar="TIME", help="not heard of for 45m, 12h, 30d or 2w")
    _add_filters(prune)
    prune.add_argument("--dry-run", action="store_true", help="only say which")
    options.add_json(prune)
    export = actions.add_parser("export", help="every event as a line of JSON", allow_abbrev=False)
    export.add_argument("id", nargs="?", help="only those of this run")
    export.add_argument("--after", type=int, default=0, metavar="ID", help="only the events behind this one")
    _add_filters(export, status=False)
    export.add_argument("--json", action="store_true", help="as it is anyway")
    return parser


def _add_project(to: argparse.ArgumentParser) -> None:
    to.add_argument(
        "--project", metavar="FOLDER", help="the project whose run it is; else the workspace of this folder"
    )


def _add_filters(to: argparse.ArgumentParser, *, status: bool = True) -> None:
    to.add_argument("--workflow", metavar="NAME", help="only those of this workflow")
    to.add_argument("--project", metavar="FOLDER", help="only those of this project")
    if status:
        to.add_argument("--status", choices=RUN_STATUSES, help="only those that are so now")


def run(argv: Sequence[str]) -> int:
    args = build().parse_args(argv)
    here = around.real()
    kept = store.opened(faults.path_of(here.env, here.home, here.cwd))
    try:
        return ACTIONS[args.action](args, kept, here.now)
    finally:
        if kept:
            kept.close()


def _filters(args: argparse.Namespace) -> Record:
    project = os.path.realpath(args.project) if args.project else None
    found = {"workflow": args.workflow, "project": project, "status": getattr(args, "status", None)}
    return {name: value for name, value in found.items() if value is not None}


def _ms(now: float) -> int:
    return round(now * 1000)


def _list(args: argparse.Namespace, kept: store.Store | None, now: float) -> int:
    if args.limit < 1:
        raise Refused(f"--limit {args.limit}: one or more is needed")
    since = _ms(now) - reading.milliseconds(args.since) if args.since else None
    found = reading.listed(
        kept, _ms(now), limit=args.limit, before=args.before, feature=args.feature, since_ms=since, **_filters(args)
    )
    if args.json:
        output.result(found)
        return output.OK
    if not found["runs"]:
        output.text("no runs")
        return output.OK
    output.text(f"{'STATUS':<10}{'WORKFLOW':<13}{'STEP':<13}{'AGO':>4} RUN")
    for each in found["runs"]:
        step = clean(each["current"] or "-", 12)
        ago = _ago(each["last_at"], now)
        output.text(f"{each['status']:<10}{clean(each['workflow'], 12):<13}{step:<13}{ago:>4} {each['run_id']}")
    if found["next"]:
        output.text(f"more: {_page_behind(args, found['next'])}")
    return output.OK


def _page_behind(args: argparse.Namespace, before: int) -> str:
    """The same question once more."""
    import shlex

    asked = [(name, getattr(args, name)) for name in ("workflow", "project", "status", "feature", "since")]
    asked += [("limit", str(args.limit) if args.limit != SHOWN_RUNS else None), ("before", str(before))]
    words = [word for name, value in asked if value is not None for word in (f"--{name}", value)]
    return shlex.join(["rcs", "runs", "list", *words])


def _meant(args: argparse.Namespace, kept: store.Store | None, now: float) -> Record:
    """The run of this project that is called so. Raises Refused, with the command for another project's."""
    project = os.path.realpath(args.project or find_root(os.environ, working_folder()))
    found = reading.of_project(kept, args.id, project, _ms(now))
    if found is not None:
        return found
    import shlex

    other = reading.one(kept, args.id)["project"]
    status = ["--status", args.status] if getattr(args, "status", SKIPPED) != SKIPPED else []
    command = shlex.join(["rcs", "runs", args.action, args.id, *status, "--project", other])
    raise Refused(f"run {args.id!r} belongs to {clean(other, 200)}, not to {project}; if it is meant: {command}")


def _show(args: argparse.Namespace, kept: store.Store | None, now: float) -> int:
    name = _meant(args, kept, now)["run_id"]
    found = reading.whole(kept, name, _ms(now), after=args.after, last=None if args.json else SHOWN_EVENTS)
    if args.json:
        output.result(found)
        return output.OK
    output.text(f"{found['run_id']}: {clean(found['workflow'])} is {found['status']}")
    for name in ("feature", "project", "machine", "started_at", "last_at"):
        if found[name]:
            output.text(f"  {name.removesuffix('_at'):<9}{clean(found[name], 120)}")
    for title, lines in (
        ("steps", [_step_words(step) for step in found["steps"]]),
        ("artifacts", [_artifact_words(artifact) for artifact in found["artifacts"]]),
        ("events", [_event_words(event) for event in found["events"]]),
    ):
        if lines:
            output.text(f"{title}:")
        for line in lines:
            output.text(f"  {line}")
    if (more := found["event_count"] - args.after - SHOWN_EVENTS) > 0:
        output.text(f"  and {more} before these: rcs runs export {name}")
    return output.OK


def _step_words(step: Record) -> str:
    name = clean(step["step"], 32) + (f" ({clean(step['unit'], 16)})" if step["unit"] else "")
    again = f" x{step['visits']}" if step["visits"] > 1 else ""
    return f"{name:<44}{step['status']:<12}{_clock(step['started_at']):<9}{step['seconds']:>8.1f} s{again}".rstrip()


def _artifact_words(artifact: Record) -> str:
    return clean(artifact["path"], 64) + ("  (missing)" if artifact["missing"] else "")


def _event_words(event: Record) -> str:
    what = clean(event["step"] or event["type"], 32) + (f" ({clean(event['unit'], 12)})" if event["unit"] else "")
    by = "  (by itself)" if event["automatic"] else ""
    return f"{event['seq']:>5} {_clock(event['at'])} {what:<32} {event['status'] or event['type']}{by}"


def _clock(moment: str | None) -> str:
    return moment[11:19] if moment else "-"


def _ago(moment: str, now: float) -> str:
    from rcs_hooks.state.clock import seconds

    age = max(0, int(now - (seconds(moment) or now)))
    for unit, length in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if age >= length:
            return f"{min(age // length, 999)}{unit}"
    return f"{age}s"


def _end(args: argparse.Namespace, kept: store.Store | None, now: float) -> int:
    name = _meant(args, kept, now)["run_id"]
    if kept is None:
        return output.REFUSED
    with kept:
        found = reading.one(kept, name)
        ended = ledger.end(kept, found, args.status, now)
    if args.json:
        output.result({"ended": True, "run_id": name, "status": args.status, "steps": ended, "seq": found["events"]})
    else:
        steps = f"; so are {', '.join(clean(step) for step in ended)}" if ended else ""
        output.text(f"{name} is {args.status}{steps}")
    return output.OK


def _prune(args: argparse.Namespace, kept: store.Store | None, now: float) -> int:
    found = reading.prunable(kept, _ms(now), args.older_than, **_filters(args))
    deleted = 0 if args.dry_run else reading.prune(kept, found)
    names = [each["run_id"] for each in found]
    if args.json:
        output.result({"deleted": deleted, "dry_run": args.dry_run, "runs": names})
        return output.OK
    if args.dry_run:
        for name in names:
            output.text(name)
    output.text(f"{len(names)} would be deleted" if args.dry_run else f"{deleted} deleted")
    return output.OK


def _export(args: argparse.Namespace, kept: store.Store | None, _: float) -> int:
    for event in reading.exported(kept, run_id=args.id, after=args.after, **_filters(args)):
        output.result(event)
    return output.OK


ACTIONS = {"list": _list, "show": _show, "end": _end, "prune": _prune, "export": _export}
