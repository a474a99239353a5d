"""`rcs log`: shows what happened to the modes of a session, or of all, and follows it."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from rcs_hooks.catalog import MODES, NAMESPACE, skill_named
from rcs_hooks.cli import options, output, shared_lists
from rcs_hooks.errors import Refused, UsageError
from rcs_hooks.files.clock import iso, seconds
from rcs_hooks.state import history, history_listing
from rcs_hooks.state.validation import nearest_mode
from rcs_hooks.terminal import when, width
from rcs_hooks.terminal.ids import short, telling_length
from rcs_hooks.terminal.style import BAD, GOOD, QUIET, WAITS, kind_of
from rcs_hooks.terminal.table import Cell, Column, Heading, Row
from rcs_hooks.text import clean
from rcs_hooks.workflow.lifecycle import IN_WORDS, in_words
from rcs_hooks.workflow.messages.steps import NO_REVIEW, why_early
from rcs_hooks.workflow.proof import VERDICTS, Proof

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from rcs_hooks.state.history import Event
    from rcs_hooks.state.history_listing import LoggedEvent

QUOTE = "'"
SHOWN = 50
MOST = 5_000
PAUSE = 0.5
TITLE_LENGTH, TEXT_LENGTH, LONGEST_SESSION = 80, 100, 128
LATELY = 3_600
"""Seconds for which the time of an event is shown to the second."""
GROUPED = (Column("WHEN"), Column("WHAT", is_flexible=True, least=20))
FLAT = (Column("WHEN"), Column("MODE"), Column("SESSION"), Column("WHAT"), Column("TITLE"))
KINDS = {history.QUESTION: WAITS, history.HELD: QUIET, history.LET_GO: WAITS}
WHY = {
    "unchanged": "nothing had changed",
    "too many": "it was held too often for one prompt",
    "iterations": "the last round was reached",
    "old": "nothing had touched the run for a day",
    "background": "work goes on in the background",
    "workspace": "the run belongs to no session",
    "sandbox": "the agent cannot record an outcome",
}
ENDS = {**IN_WORDS, history.CLEARED: "cleared", history.OFF: "switched off"}


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "log",
        "Show what happened to the modes, oldest first: of a session, or of all sessions of the workspace.",
        "rcs log",
        "rcs log --session S --mode forge",
        "rcs log --follow",
        "rcs log --shared",
        "rcs log -n 500 --json > events.jsonl",
    )
    options.add_scope(parser)
    parser.add_argument("--mode", metavar="MODE", help="only what happened to this mode")
    parser.add_argument("-n", type=int, default=SHOWN, metavar="N", dest="number", help=f"how many lines ({SHOWN})")
    parser.add_argument("-f", "--follow", action="store_true", help="go on until Ctrl-C with what happens from now on")
    shared_lists.add_option(parser)
    options.add_json(parser)
    return parser


def run(argv: Sequence[str]) -> int:
    args = build().parse_args(argv)
    if not 0 < args.number <= MOST:
        raise UsageError(f"-n: {args.number} is not between 1 and {MOST}")
    if args.shared:
        return shared_lists.log(args, runtime_name(args.mode), lambda entry: what(entry.event))
    # Without --session all sessions are meant, also where the environment names one.
    scope = options.scope_of(args)
    folder, mode = scope.folder, runtime_name(args.mode)
    session = scope.session if args.session else None
    _check_readable(folder, session)
    printer = Printer(as_json=args.json)
    seen = history_listing.last_numbers(folder, session) if args.follow else {}
    shown = _latest(folder, session, mode, args.number, is_whole=args.json)
    printer.show(shown, args.number)
    for entry in shown:
        seen[entry.session] = max(seen.get(entry.session, 0), entry.event.n)
    if args.follow:
        _follow(folder, session, mode, seen, printer)
    elif not (shown or args.json):
        about = f" to {output.plain(mode)}" if mode else ""
        near = nearest_mode(mode) if mode and mode not in MODES else None
        where = f" in session {session}" if session else " here"
        meant = f"; did you mean {near}?" if near else ""
        output.text(f"nothing has happened{about} yet{where}{meant}")
    return output.OK


def _latest(folder: str, session: str | None, mode: str, number: int, *, is_whole: bool) -> list[LoggedEvent]:
    """Return the last events, so many that they make `number` rows; `is_whole`: as each is shown by itself."""
    limit = number
    while True:
        found = history_listing.entries(folder, session, limit, mode=mode)
        if is_whole or len(found) < limit or limit == MOST or len(counted(found)) > number:
            return found
        limit = min(2 * limit, MOST)


def runtime_name(name: str | None) -> str:
    """Return the name that records and histories have for a mode, which may be given as it is typed; empty for None."""
    wanted = (name or "").strip().removeprefix("$").lower()
    return skill_named(wanted) or wanted.removeprefix(NAMESPACE)


def _check_readable(folder: str, session: str | None) -> None:
    """Say which histories cannot be read. Raises Refused if the one that is asked for cannot."""
    for name in [session] if session else history_listing.recent_sessions(folder):
        why = history.fault(folder, name)
        if why and session:
            raise Refused(f"the history of session {name} cannot be read: {why}")
        if why:
            output.refused(f"rcs: the history of session {name} cannot be read: {why}")


def _follow(folder: str, session: str | None, mode: str, seen: dict[str, int], printer: Printer) -> None:
    """Print what happens from now on, until Ctrl-C. `seen`: the number of the last event, by session."""
    began, written = iso(time.time()), 0
    known = frozenset(seen)
    while True:
        output.flush()
        while (now := history_listing.stamp(folder, session)) == written:
            output.pause(PAUSE)
        written = now
        for name, last in history_listing.last_numbers(folder, session).items():
            if last < seen.get(name, 0):  # its file was deleted, and begins with 1 again
                seen[name] = 0
        found = history_listing.entries(folder, session, MOST, mode=mode, after=seen)
        for entry in found:
            seen[entry.session] = max(seen.get(entry.session, 0), entry.event.n)
        printer.show([entry for entry in found if entry.session in known or entry.event.at >= began])


class Printer:
    """Prints events: as words, one line each, or as JSON."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._is_terminal = width.of(sys.stdout, os.environ) is not None
        self._last: tuple[str, str, str] | None = None
        self._sessions: dict[str, None] = {}

    def show(self, entries: Sequence[LoggedEvent], most: int = MOST) -> None:
        """Print events: on a terminal below the run that they are of, elsewhere one line each with all there is.

        `most`: how many rows at most, the last ones; several events may be one.
        """
        if self._as_json:
            for entry in entries:
                output.result(entry.as_json())
            return
        shown = counted(entries)[-most:]
        self._sessions.update(dict.fromkeys(entry.session for entry, _ in shown))
        rows = list(self._grouped(shown) if self._is_terminal else map(_flat, shown))
        if rows:
            output.table(rows, GROUPED if self._is_terminal else FLAT, has_titles=False)

    def _grouped(self, shown: Sequence[tuple[LoggedEvent, int]]) -> Iterator[Row | Heading]:
        """Yield a row for each event, and a heading where one is about another run than that before it."""
        length, now = telling_length(self._sessions), time.time()
        for entry, times in shown:
            event = entry.event
            run = (entry.session, event.mode, event.title)
            if run != self._last:
                title, mode = clean(event.title, TITLE_LENGTH), clean(event.mode)
                whose = f"session {short(clean(entry.session, LONGEST_SESSION), length)}"
                yield Heading(f"{title} ({mode}, {whose})" if title else f"{mode}, {whose}", is_spaced=False)
            self._last = run
            at = seconds(event.at)
            moment = when.day(at, now, seconds=now - at < LATELY) if at is not None else ""
            yield Row((Cell(moment, QUIET), Cell(what(event, times), _kind(event))))


def counted(entries: Sequence[LoggedEvent]) -> list[tuple[LoggedEvent, int]]:
    """Return events with how often each happened: held Stops of a run in the same phase and round are one, the last."""
    found: dict[int, tuple[LoggedEvent, int]] = {}  # by the number of the event, in order
    held: dict[tuple[str, str], int] = {}
    for number, entry in enumerate(entries):
        event, run, times = entry.event, (entry.session, entry.event.mode), 1
        before = held.pop(run, None)
        if event.event == history.HELD:
            held[run] = number
            if before is not None and _is_same(found[before][0].event, event):
                times += found.pop(before)[1]
        found[number] = (entry, times)
    return list(found.values())


def _is_same(one: Event, other: Event) -> bool:
    return (one.to, one.iteration, one.title) == (other.to, other.iteration, other.title)


def _flat(counted_entry: tuple[LoggedEvent, int]) -> Row:
    """Return an event, and how often it happened, as a row with all that is known of it."""
    entry, times = counted_entry
    event = entry.event
    title = clean(event.title, TITLE_LENGTH)
    return Row(
        (
            when.full(seconds(event.at)),
            clean(event.mode),
            clean(entry.session, LONGEST_SESSION),
            what(event, times),
            title,
        )
    )


def _kind(event: Event) -> str:
    """Return in which colour an event is shown: those that somebody has to look at, and those that end a run."""
    if event.event == history.OUTCOME:
        return kind_of(str(event.data.get("proof") or event.to))
    if event.event == history.PROOF:
        return GOOD if event.data.get("passed") is True else BAD
    return KINDS.get(event.event, "")


def what(event: Event, times: int = 1) -> str:
    """Return in words what happened, so many times."""
    before, after = clean(event.from_), clean(event.to)
    text = clean(event.data.get("text"), TEXT_LENGTH)
    reason = clean(event.data.get("reason") or event.data.get("evidence"), TEXT_LENGTH)
    rounds = f", round {event.iteration}" if event.iteration and event.iteration > 1 else ""
    if event.event == history.STARTED:
        words = f"started: {after}{rounds}"
    elif event.event == history.RESUMED:
        words = f"resumed after {in_words(before)}: {after}{rounds}"
    elif event.event == history.PHASE:
        words = f"{before} -> {after}{rounds}" if before != after else f"{after}, round {event.iteration}"
    elif event.event == history.QUESTION:
        words = f'asked "{text}"' if text else f"waits for the user: {after}"
        if asker := clean(event.data.get("asked_by")):
            words = f"waits for {asker}'s question"
    elif event.event == history.ANSWER:
        words = f"answered: {after}"
    elif event.event == history.HELD:
        words = f"Stop held{f' {times} times' if times > 1 else ''}: {after}{rounds}"
    elif event.event == history.LET_GO:
        words = f"Stop let go: {WHY.get(str(event.data.get('why')), after)}"
    elif event.event == history.HANDOFF:
        words = f"handed over to {after}"
    elif event.event == history.OUTCOME:
        words = _of_end(event)
    else:
        words = _of_proof(event) if event.event == history.PROOF else event.event
    return f"{words} ({reason})" if reason else words


def _of_end(event: Event) -> str:
    """Return in words by which outcome a run has ended, where, and whether it was proven."""
    before, is_early = clean(event.from_), event.data.get("early") is True
    rounds = f", round {event.iteration}" if event.iteration and event.iteration > 1 else ""
    words = ENDS.get(event.to, clean(event.to)) + (" early" if is_early else "")
    words += f" in {before}{rounds}" if before else ""
    if is_early and why_early(MODES.get(event.mode), before) == NO_REVIEW:
        words += f", as {NO_REVIEW}"
    verdict = event.data.get("proof")
    return f"{words}, {verdict}" if verdict in VERDICTS else words


def _of_proof(event: Event) -> str:
    """Return in words what came of the command that was to prove a run."""
    proof = Proof.from_json(event.data)
    if proof is None:
        return "proof"
    command = f"proof: `{clean(proof.command, TEXT_LENGTH).replace('`', QUOTE)}`{proof.where}"
    after = f" after {proof.seconds:.0f} s" if proof.seconds >= 1 else ""
    return f"{command} {proof.result}{after}"
