"""Word the overview for a terminal: one table with a heading for each group, and below a row what it says. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.files.clock import seconds
from rcs_hooks.overview import proofs
from rcs_hooks.overview.entries import CLOSED, ENDED, MODE, RUN, RUNNING, TASK, TASKS, WAITING, Entry, length_for
from rcs_hooks.terminal import style as styles
from rcs_hooks.terminal import when
from rcs_hooks.terminal.ids import short
from rcs_hooks.terminal.table import Cell, Column, Heading, Row, render
from rcs_hooks.terminal.width import wrapped
from rcs_hooks.workflow.lifecycle import in_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rcs_hooks.overview.entries import Overview
    from rcs_hooks.terminal.style import Style

HEADINGS = {
    WAITING: "Waits for you",
    RUNNING: "Runs",
    ENDED: "Ended in the last day",
    TASKS: "Tasks",
    CLOSED: "In closed sessions",
}
KINDS = {WAITING: styles.WAITS, RUNNING: styles.GOES_ON, TASKS: styles.GOES_ON, CLOSED: styles.QUIET}
LASTS = (WAITING, RUNNING)
"""The groups of which is said for how long; of the others, when it was."""
NOTHING = "Nothing runs here. To start, type `$forge` and a task to your agent; `rcs modes` lists what else there is."
TO_END = "To end a run: `$cancel` in its session, or see `rcs status --session ID`"
UNREADABLE = "unreadable"
MOST_NAMED = 5
"""How many other sessions are named where nothing runs in the one that was asked for."""
MOST = 20
"""How many entries of a group are shown."""
COLUMNS = (Column("TITLE", is_flexible=True), Column("MODE"), Column("STATE"), Column("SINCE"), Column("SESSION"))


def lines(
    overview: Overview,
    now: float,
    *,
    width: int | None = 80,
    style: Style = styles.PLAIN,
    nothing: str = NOTHING,
    with_ends: bool = False,
) -> Iterator[str]:
    """Yield the lines that show an overview, or one line that says that there is nothing. No command is broken in two.

    `width`: the columns of the terminal; None for a pipe. `now`: seconds since 1970, from which ages count. `nothing`:
    what is said where there is no entry. `with_ends`: whether the command is shown that ends a run.
    """
    length = length_for(entry for group in overview.groups.values() for entry in group)
    is_mixed = len({entry.client for group in overview.groups.values() for entry in group if entry.client}) > 1
    rows: list[Row | Heading] = []
    for name, group in overview.groups.items():
        if group:
            kind = styles.WAITS if name == WAITING else styles.STRONG
            rows.append(Heading(_heading(name, group), kind))
            rows += [_row(entry, now, length, with_end=with_ends, with_client=is_mixed) for entry in group[:MOST]]
        if len(group) > MOST:
            rows.append(Row((), (), ((f"and {len(group) - MOST} more", "rcs status --json"),)))
    if rows:
        yield from render(rows, COLUMNS, width, style, has_titles=False)
    else:
        yield from [nothing] if width is None else wrapped(nothing, width)


def nothing_in(session: str, whole: Overview) -> str:
    """Return the line that says that nothing runs in a session, and in which something does.

    `whole`: the overview of the workspace.
    """
    entries = (*whole.waiting, *whole.running, *whole.closed)
    others = list(dict.fromkeys(entry.session for entry in entries if entry.session and entry.kind == MODE))
    length = length_for(entries)
    named = ", ".join(short(each, length) for each in others[:MOST_NAMED]) + (", …" if len(others) > MOST_NAMED else "")
    there = f"; something does in {named}: `rcs status` shows all" if others else ""
    return f"nothing runs in session {session}{there}"


def _heading(name: str, group: Sequence[Entry]) -> str:
    """Return the heading of a group: the number of its entries, and apart from it that of the unreadable ones."""
    unreadable = sum(entry.is_unreadable for entry in group)
    counts = ((HEADINGS[name], len(group) - unreadable), (UNREADABLE, unreadable))
    said = ", ".join(f"{what} ({count})" for what, count in counts if count)
    return f"{said[0].upper()}{said[1:]}"


def _row(entry: Entry, now: float, length: int, *, with_end: bool, with_client: bool) -> Row:
    """Return the row of an entry.

    `length`: how many letters of its id are shown. `with_end`: whether the command is shown that ends its run.
    `with_client`: whether its client is named, as where there are several.
    """
    title, name = (entry.title, entry.name) if entry.has_title else (entry.name, "")
    state, detail = _state_and_detail(entry)
    cells = (
        Cell(title, styles.STRONG),
        Cell("task" if entry.kind == TASK and entry.group != TASKS else name),
        Cell(state, _kind(entry)),
        _since(entry, now),
        _whose(entry, length, entry.client if with_client else ""),
    )
    below = "; ".join(part for part in (detail, *_more(entry, now)) if part)
    commands = {entry.command: entry.to}
    if with_end or entry.session is None:  # no `$cancel` in a client is sure to reach a run of the workspace
        commands.setdefault(entry.to_end, "To end it")
    return Row(cells, (below,), tuple((to, command) for command, to in commands.items() if command))


def how_to_end(overview: Overview) -> str:
    """Return the line that says how a run is ended; empty if none is there whose command is not shown."""
    is_any = any(entry.to_end for entry in (*overview.waiting, *overview.running))
    return TO_END if is_any else ""


def _state_and_detail(entry: Entry) -> tuple[str, str]:
    """Return what an entry's state is in a few words, and what else there is to say about it."""
    if entry.outcome:
        how = f"{in_words(entry.outcome)}{' early' if entry.is_early else ''}"
        detail = entry.detail.removeprefix(how).lstrip(", ")
        return (f"{how}, {detail}", "") if detail == entry.verdict and detail else (how, detail)
    if entry.is_unreadable:
        return UNREADABLE, entry.detail
    if entry.kind == RUN:
        return entry.detail, ""
    rounds, last = entry.iteration, entry.max_iterations
    of_last = f"round {rounds} of {last}" if rounds and last else f"round {rounds}"
    phase = f"phase {entry.phase or 'unknown'}"
    detail = entry.detail.removeprefix(phase).removeprefix(f", {of_last}").lstrip(",; ")
    shown = f" {rounds}/{last}" if rounds and last else f" {rounds}" if rounds and rounds > 1 else ""
    shown += f", {entry.quiet}" if entry.quiet and entry.phase else ""
    return (f"{entry.phase}{shown}" if entry.phase else ""), detail


def _kind(entry: Entry) -> str:
    """Return in which colour the state of an entry is shown."""
    if entry.is_unreadable:
        return styles.BAD
    if entry.group == ENDED:
        return styles.kind_of(entry.verdict or entry.outcome or "")
    if entry.quiet and entry.group != WAITING:
        return styles.kind_of(entry.quiet)
    is_done = entry.group == TASKS and entry.phase == "done"
    return styles.kind_of(entry.verdict or "done") if is_done else KINDS[entry.group]


def _since(entry: Entry, now: float) -> Cell:
    """Return since when something is so, or when it ended."""
    moment = seconds(entry.since)
    full = when.full(moment)
    if entry.group in LASTS:
        return Cell(when.lasting(moment, now), styles.QUIET, f"since {full}" if full else "")
    return Cell(when.ago(moment, now), styles.QUIET, full)


def _whose(entry: Entry, length: int, client: str) -> Cell:
    """Return the session of a mode, behind the name of its client; or the id of a run.

    `length`: how many letters of it are shown.
    """
    if entry.kind == MODE:
        whose = short(entry.session, length) if entry.session else "workspace"
        return Cell(f"{client} {whose}".lstrip(), styles.QUIET, entry.session or "")
    return Cell(short(entry.id, length), styles.QUIET, entry.id) if entry.kind == RUN else Cell("")


def _more(entry: Entry, now: float) -> Iterator[str]:
    """Yield what became of the last Stop and of the newest proof of a run that goes on."""
    if entry.stop:
        ago = when.ago(seconds(entry.stop.at), now)
        at = f" {ago}" if ago else ""
        yield (
            f"kept from stopping{at}"
            if entry.stop.was_held
            else f"Stop let it go{at}, as nothing had changed: `go on` continues it, `$cancel` ends it"
        )
    if entry.proof and entry.proof.command and entry.group != ENDED:
        yield f"{proofs.newest(entry.proof)} {when.ago(seconds(entry.proof.at), now)}".rstrip()
