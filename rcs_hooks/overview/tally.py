"""Count what a workspace has, and say it on one line: `2 wait for you · 5 working · 1 failed`. Pure.

Rules of this file:
- A session is one thing, whatever modes it has; so is a run that `rcs emit` reports, and a task.
- A thing counts once, as what concerns the person most: it waits, works, is stalled or inactive, is closed, has failed.
- A thing that has failed, and works again or has finished since, has not failed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks import hud
from rcs_hooks.files.clock import seconds
from rcs_hooks.overview.entries import ENDED, MODE, TASK, WAITING
from rcs_hooks.tasks.phases import DONE
from rcs_hooks.terminal import style as styles
from rcs_hooks.terminal.when import clock
from rcs_hooks.text import clean
from rcs_hooks.workflow.lifecycle import FAILURES
from rcs_hooks.workflow.silence import INACTIVE, STALLED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.overview.entries import Entry, Overview
    from rcs_hooks.terminal.line import Part

Thing = tuple[str, str, str]

SEPARATOR = " · "
LONGEST_DETAIL = 60


class Tally(NamedTuple):
    """The things of a workspace by what they do, each in one place, the newest first."""

    waiting: tuple[Entry, ...] = ()
    working: tuple[Entry, ...] = ()
    stalled: tuple[Entry, ...] = ()
    inactive: tuple[Entry, ...] = ()
    failed: tuple[Entry, ...] = ()
    tasks: tuple[Entry, ...] = ()
    """The open tasks that do not wait for the person."""
    closed: tuple[Entry, ...] = ()
    finished: tuple[Entry, ...] = ()
    """What has ended otherwise than by a failure."""
    unreadable: tuple[Entry, ...] = ()

    def as_json(self) -> JsonObject:
        """Return how many there are of each."""
        return {name: len(found) for name, found in self._asdict().items()}

    @property
    def live(self) -> tuple[Entry, ...]:
        """Return what a person may want to look at: everything that can be read and is not over."""
        return (*self.waiting, *self.working, *self.stalled, *self.inactive, *self.failed, *self.tasks, *self.closed)


def tally(overview: Overview) -> Tally:
    """Count the things of an overview."""
    found: dict[str, dict[Thing, Entry]] = {name: {} for name in Tally._fields}
    known: set[Thing] = set()
    for name, entry in _in_order(overview):
        thing = _thing(entry)
        if name == "unreadable":
            found[name][(*thing[:2], entry.detail)] = entry
        elif thing not in known:
            known.add(thing)
            found[name][thing] = entry
    return Tally(*(tuple(found[name].values()) for name in Tally._fields))


def _in_order(overview: Overview) -> Iterator[tuple[str, Entry]]:
    """Yield each entry behind the name of the count that it belongs to, what concerns the person most first."""
    for entry in overview.waiting:
        yield ("unreadable" if entry.is_unreadable else "waiting"), entry
    for name, quiet in (("working", ""), (STALLED, STALLED), (INACTIVE, INACTIVE)):
        for entry in overview.running:
            if entry.quiet == quiet:
                yield name, entry
    for entry in overview.tasks:
        yield ("finished" if entry.phase == DONE else "tasks"), entry
    for entry in overview.closed:
        yield "closed", entry
    for entry in overview.ended:  # the newest first, so what has finished since hides a failure
        yield ("failed" if entry.outcome in FAILURES else "finished"), entry


def _thing(entry: Entry) -> Thing:
    return entry.kind, entry.project, (entry.session or "") if entry.kind == MODE else entry.id


def only(found: Tally) -> Entry | None:
    """Return the one thing of a workspace that there is to tell of; None if there are several, or none."""
    if found.unreadable or len(found.live) > 1:
        return None
    return next(iter(found.live or (each for each in found.finished if each.verdict)), None)


def is_of_session(entry: Entry) -> bool:
    """Tell whether an entry is of a mode that is active or asks, so that its session has more to tell."""
    return entry.kind == MODE and entry.group != ENDED


def parts(overview: Overview, now: float, separator: str = SEPARATOR) -> Iterator[Part]:
    """Yield the parts of the line that says what a workspace has, behind the name of the program."""
    if overview.off:
        yield hud.OFF
    found = tally(overview)
    entry = only(found)
    if entry is not None:
        yield from _parts_of(entry, now)
        return
    for number, (kind, text) in enumerate(list(_counts(found)) or [hud.IDLE]):
        yield "", separator if number else ""
        yield kind, text


def _counts(found: Tally) -> Iterator[Part]:
    waiting, tasks = len(found.waiting), len(found.tasks)
    for count, kind, words in (
        (waiting, styles.WAITS, "waits for you" if waiting == 1 else "wait for you"),
        (len(found.working), styles.GOES_ON, "working"),
        (len(found.stalled), styles.WAITS, STALLED),
        (len(found.inactive), styles.QUIET, INACTIVE),
        (len(found.failed), styles.BAD, "failed"),
        (len(found.unreadable), styles.BAD, "unreadable (see `rcs doctor`)"),
        (tasks, "", "open task" if tasks == 1 else "open tasks"),
        (len(found.closed), styles.QUIET, "closed"),
    ):
        if count:
            yield kind, f"{count} {words}"


def _parts_of(entry: Entry, now: float) -> Iterator[Part]:
    """Yield the parts of the line about one thing that is no session with an active mode."""
    yield styles.STRONG, f"task {entry.name}" if entry.kind == TASK else entry.name
    if entry.verdict and (entry.group == ENDED or entry.phase == DONE):
        yield "", f" {'done' if entry.kind == TASK else 'finished'}, "
        yield styles.kind_of(entry.verdict), f"{entry.verdict} {clock(seconds(entry.since), now)}".rstrip()
    else:
        at = clock(seconds(entry.since), now) if entry.group == ENDED else ""
        yield "", " "
        yield _kind(entry), clean(entry.detail, LONGEST_DETAIL)
        yield "", f", {at}" if at else ""
    if entry.has_title:
        yield hud.title_part(entry.title)


def _kind(entry: Entry) -> str:
    if entry.group == ENDED:
        return styles.BAD if entry.outcome in FAILURES else ""
    return styles.WAITS if entry.group == WAITING else styles.GOES_ON
