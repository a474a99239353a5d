"""Word the overview for a terminal: groups with a heading, two or three lines for each entry. Pure."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from rcs_hooks.files.clock import seconds
from rcs_hooks.overview import proofs
from rcs_hooks.overview.entries import CLOSED, ENDED, MODE, RUN, RUNNING, TASK, TASKS, WAITING, Entry, length_for
from rcs_hooks.terminal.ids import short
from rcs_hooks.text import clean
from rcs_hooks.workflow.proof import PROVEN, STALE, UNPROVEN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rcs_hooks.overview.entries import Overview

HEADINGS = {
    WAITING: "Waits for you",
    RUNNING: "Runs",
    ENDED: "Ended in the last day",
    TASKS: "Tasks",
    CLOSED: "In closed sessions",
}
AGES = {WAITING: "for {}", RUNNING: "for {}", ENDED: "{} ago", TASKS: "{} ago", CLOSED: "closed {} ago"}
NOTHING = "Nothing runs here. To start, type `$forge` and a task to your agent; `rcs modes` lists what else there is."
MOST = 20
"""How many entries of a group are shown."""
INDENT = "    "
UNBROKEN = "\xa0"
"""A blank at which no line is broken."""
WIDEST = 110
NARROWEST = 40
BOLD, DIM, GREEN, YELLOW, RESET = "\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[33m", "\x1b[0m"
COLOURS = {PROVEN: GREEN, STALE: YELLOW, UNPROVEN: YELLOW}


def lines(overview: Overview, now: float, *, width: int = 80, is_coloured: bool = False) -> Iterator[str]:
    """Yield the lines that show an overview, or one line that says that there is nothing. No command is broken in two.

    `width`: the columns of the terminal. `now`: seconds since 1970, from which ages count.
    """
    width = max(NARROWEST, min(width, WIDEST))
    length = length_for(entry for group in overview.groups.values() for entry in group)
    groups = {name: group for name, group in overview.groups.items() if group}
    if not groups:
        yield NOTHING
    for number, (name, group) in enumerate(groups.items()):
        if number:
            yield ""
        yield _styled(f"{HEADINGS[name]} ({len(group)})", YELLOW if name == WAITING else BOLD, is_coloured=is_coloured)
        for entry in group[:MOST]:
            yield from _entry(entry, now, width, length, is_coloured=is_coloured)
        if len(group) > MOST:
            yield f"  and {len(group) - MOST} more: rcs status --json"


def _entry(entry: Entry, now: float, width: int, length: int, *, is_coloured: bool) -> Iterator[str]:
    """Yield the lines of an entry. `length`: how many letters of its id are shown."""
    age = _age(entry.since, now)
    age = AGES[entry.group].format(age) if age else ""
    if entry.group == ENDED:
        age = f"{entry.outcome}{' early' if entry.is_early else ''} {age}"
    head = clean(_head(entry, length), max(12, width - 4 - len(age)))
    gap = " " * max(2, width - 2 - len(head) - len(age))
    yield f"  {_styled(head, BOLD, is_coloured=is_coloured)}" + (
        f"{gap}{_styled(age, DIM, is_coloured=is_coloured)}" if age else ""
    )
    detail = _detail(entry, now, length)
    verdict = entry.verdict if is_coloured else ""
    for line in textwrap.wrap(detail, width, initial_indent=INDENT, subsequent_indent=INDENT, break_on_hyphens=False):
        yield line.replace(UNBROKEN, " ").replace(verdict, f"{COLOURS[verdict]}{verdict}{RESET}" if verdict else "", 1)
        verdict = "" if verdict in line else verdict
    if entry.command:
        yield f"{INDENT}{entry.to}: {entry.command}"


def _head(entry: Entry, length: int) -> str:
    if entry.kind == TASK and entry.group != TASKS:
        return f"task {entry.name}"
    if entry.has_title:
        return f"{entry.name}: {entry.title}"
    if entry.kind == MODE:
        whose = f"session {short(entry.session, length)}" if entry.session else "of the workspace"
        return f"{entry.name}, {whose}"
    return f"{entry.name}, run {short(entry.id, length)}" if entry.kind == RUN and entry.id else entry.name


def _detail(entry: Entry, now: float, length: int) -> str:
    """Return what is said below the head of an entry; empty for one that has ended with nothing more to say."""
    if entry.detail == entry.outcome:
        return ""
    how = f"{entry.outcome}{' early' if entry.is_early else ''}" if entry.outcome else ""
    parts = [entry.detail.removeprefix(how).lstrip(", ") if how else entry.detail]
    if entry.stop:
        age = _age(entry.stop.at, now)
        when = f" {age} ago" if age else ""
        parts.append(
            f"Stop held it{when}"
            if entry.stop.was_held
            else f"Stop let it go{when}, as nothing had changed: `go on` continues it, `$cancel` ends it"
        )
    if entry.proof and entry.proof.command and entry.group != ENDED:
        age = _age(entry.proof.at, now)
        parts.append(f"{proofs.newest(entry.proof)}{f' {age} ago' if age else ''}")
    if entry.has_title and entry.kind == MODE:
        parts.append(f"session{UNBROKEN}{short(entry.session, length)}" if entry.session else "of the workspace")
    elif entry.has_title and entry.kind not in (MODE, TASK):
        parts.append(f"run{UNBROKEN}{short(entry.id, length)}")
    return "; ".join(part for part in parts if part)


def _age(since: str | None, now: float) -> str:
    """Return how long ago a moment was, in one unit; empty if the moment is not known."""
    moment = seconds(since)
    if moment is None:
        return ""
    age = max(0.0, now - moment)
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if age >= length:
            return f"{int(age // length)} {unit}"
    return f"{int(age)} s"


def _styled(text: str, style: str, *, is_coloured: bool) -> str:
    return f"{style}{text}{RESET}" if is_coloured and text else text
