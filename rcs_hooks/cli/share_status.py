"""`rcs share status`, and what `rcs doctor` says of sharing."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.cli import output
from rcs_hooks.clients.check import NOTE, OK, WARN, Check
from rcs_hooks.errors import Refused
from rcs_hooks.files.clock import seconds
from rcs_hooks.files.workspaces import working_folder
from rcs_hooks.install.check import at_most
from rcs_hooks.share import health, progress, service, settings
from rcs_hooks.share.sql import WRITES
from rcs_hooks.terminal import when
from rcs_hooks.terminal.style import BAD
from rcs_hooks.terminal.table import Cell, Column, Row
from rcs_hooks.text import clean

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from rcs_hooks.clients.installer import Host
    from rcs_hooks.share.health import Program, ProjectHealth, SharedServer
    from rcs_hooks.share.settings import ShareSettings

LONGEST = 400
MOST = 4
"""The most problems that doctor shows."""
TITLE = "sharing"
COLUMNS = (Column("PROJECT", leads=True), Column("WHAT LEAVES"), Column("NOT SENT YET", is_flexible=True))


class SharingReport(NamedTuple):
    """What there is to say of sharing, as it was found."""

    settings: ShareSettings
    server: SharedServer
    at_work: Program
    projects: Sequence[ProjectHealth]
    service: str
    """The state of the service."""
    service_path: str
    problems: Sequence[tuple[str, str]]
    """What is wrong, each with what to type."""

    @property
    def machine(self) -> str:
        return self.at_work.machine or self.settings.machine


def run(args: argparse.Namespace) -> int:
    """Say how far sharing has got; return REFUSED where something is wrong."""
    found = settings.load(os.environ)
    server = health.server(found.needed_address())
    at_work = health.program(found.home)
    projects = health.projects(found, os.environ, working_folder())
    manager = service.manager(os.environ, found.home)
    state = manager.state()
    problems = list(health.problems(found, server, at_work, has_service=state != service.ABSENT))
    report = SharingReport(found, server, at_work, projects, state, manager.path, problems)
    (_as_json if args.json else _as_text)(report)
    return output.REFUSED if problems else output.OK


def _as_json(report: SharingReport) -> None:
    server, at_work = report.server, report.at_work
    said = at_work.said
    shown = {
        "server": {"name": server.shown, "schema": server.version, "needed": WRITES, "error": server.error or None},
        "machine": report.machine,
        "person": report.settings.person,
        "service": {"state": report.service, "path": report.service_path},
        "run": {"is_at_work": at_work.is_at_work} | {name: said.get(name) for name in ("pid", "state", "at", "sent")},
        "last_sent_at": said.get("last_sent_at"),
        "error": said.get("error"),
        "local_error": said.get("local_error"),
        "projects": [
            {**each.project._asdict(), "is_there": each.is_there, "behind": each.behind._asdict()}
            for each in report.projects
        ],
        "problems": [{"message": what, "todo": todo} for what, todo in report.problems],
    }
    output.result({"ok": not report.problems, **shown})


def _as_text(report: SharingReport) -> None:
    server, state = report.server, report.service
    version = f", version {server.version} of the schema" if server.version is not None else ""
    lines = [
        ("shared database", f"{server.shown}{version}"),
        ("this machine", f"{report.machine}, of {report.settings.person}"),
        ("service", state if state == service.ABSENT else f"{state} ({report.service_path})"),
        ("rcs share run", _said_of(report.at_work)),
    ]
    for name, text in lines:
        output.text(output.plain(f"{name:<17}{text}"))
    if not report.projects:
        output.text("No folder is shared; to share one: rcs share add .")
    else:
        output.text("")
        now = time.time()
        rows = [Row((clean(each.project.name, LONGEST), _leaves(each), _behind(each, now))) for each in report.projects]
        output.table(rows, COLUMNS)
    for what, todo in report.problems:
        output.text("")
        output.prose(f"wrong: {what}{f'; type: {todo}' if todo else ''}")


def _said_of(at_work: Program) -> str:
    last = seconds(at_work.said.get("last_sent_at"))
    sent = f"; sent something last {when.ago(last, time.time())}" if last else ""
    if not at_work.is_at_work:
        return f"not at work{sent}"
    state = {progress.CURRENT: "has sent everything", progress.SENDING: "is sending", progress.WAITING: "waits"}
    return f"{state.get(str(at_work.said.get('state')), 'at work')} (process {at_work.pid}){sent}"


def _leaves(each: ProjectHealth) -> str:
    return "with texts" if each.project.texts else "no texts"


def _behind(each: ProjectHealth, now: float) -> Cell:
    if not each.is_there:
        return Cell("its folder is gone", BAD)
    events, since = each.behind
    if not events:
        return Cell("nothing")
    first = when.ago(seconds(since), now)
    return Cell(f"{events:,} record{'' if events == 1 else 's'}{f', the first of {first}' if first else ''}")


def checks(host: Host) -> Iterator[Check]:
    """Yield what doctor says of sharing; nothing where it is not set up. Asks the server for some seconds at most."""
    try:
        found = settings.load(host.env)
    except Refused:  # the home is another user's: nothing there counts, and nothing is shared
        return
    if found.address is None and not found.projects and not found.faults:
        return
    there = health.server(found.address) if found.address and found.projects else None
    at_work = health.program(found.home)
    has_service = os.path.lexists(service.manager(host.env, found.home).path)
    wrong = [
        Check(TITLE, WARN, clean(what, LONGEST), todo or "rcs share status")
        for what, todo in health.problems(found, there, at_work, has_service=has_service)
    ]
    yield from at_most(MOST, wrong)
    names = ", ".join(each.name for each in found.projects)
    if found.address is None:
        yield Check(TITLE, NOTE, "folders may leave this machine, and no shared database is named", settings.INIT)
    elif not found.projects:
        yield Check(TITLE, NOTE, f"{found.address.shown} is named, and no folder is shared", "rcs share add .")
    elif not wrong:
        yield Check(TITLE, OK, clean(f"{names} with {found.address.shown}", LONGEST))
