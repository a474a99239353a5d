"""Tell what has happened between two looks at a workspace: what began to wait, what failed, what ended. Pure.

Rules of this file:
- An event is something that was not so at the look before. What was there at the first look is none.
- One thing that a person has to look at is one event: a question that several modes wait for, a Stop of several runs.
- What cannot be read is no event, and neither is that it can be read again (`carried_over`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.files.clock import iso, seconds
from rcs_hooks.overview.entries import CLOSED, ENDED, MODE, RUN, RUNNING, TASK, TASKS, VERSION, WAITING, Entry, Overview
from rcs_hooks.tasks.phases import DONE
from rcs_hooks.workflow.lifecycle import FAILED, FAILURES

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Iterator

    from rcs_hooks.jsontext import JsonObject

KINDS = (WAITING, FAILED, ENDED)
SAME = 1.0
"""Seconds by which two accounts of the same end may differ: the record of a run, and its line in the history."""
SLACK = 60.0
"""Seconds by which the clock of whoever wrote an end may be behind."""


class WatchedEvent(NamedTuple):
    """Something that has happened in a workspace."""

    kind: str
    """`waiting`: it waits for the person now. `failed`: it ended, and somebody has to look at it. `ended`: it ended
    otherwise."""
    entry: Entry
    """What it happened to, as it is now."""

    def is_among(self, kinds: Collection[str]) -> bool:
        """Tell whether a person who asked for these kinds wants to know of it. What has failed has also ended."""
        return self.kind in kinds or (self.kind == FAILED and ENDED in kinds)

    def as_json(self, now: float) -> JsonObject:
        """Return the event as JSON. `now`: when it was seen."""
        entry, question = self.entry, self.entry.question
        return {
            "v": VERSION,
            "event": self.kind,
            "at": iso(now),
            **entry.as_json(),
            "project": entry.project,
            "outcome": entry.outcome or (DONE if self.kind == ENDED else None),
            "detail": entry.detail,
            "command": entry.command,
            "question": question and {"id": question.id, "text": question.text, "options": list(question.options)},
        }


def compare(before: Overview, after: Overview, at: float = 0.0) -> tuple[WatchedEvent, ...]:
    """Return what has happened between two looks at a workspace, the oldest event first.

    `at`: when `before` was looked at, in seconds since 1970. What ended long before then is no news, although `before`
    did not show it.
    """
    found = [*_waiting(before, after), *_ended(before, after, at)]
    return tuple(sorted(found, key=lambda event: seconds(event.entry.since) or 0.0))


def carried_over(before: Overview, after: Overview) -> Overview:
    """Return `after` with what it lacks only because it could not be read, as it was in `before`.

    The next look is compared with this, or all that can be read again would seem to be new.
    """
    hidden = [entry for entry in _all(after) if entry.is_unreadable]
    if not hidden:
        return after
    there = {_thing(entry) for entry in _all(after) if not entry.is_unreadable}
    lost = [
        entry
        for entry in _all(before)
        if not entry.is_unreadable and _thing(entry) not in there and any(_hides(each, entry) for each in hidden)
    ]

    def with_lost(group: str) -> tuple[Entry, ...]:
        return (*after.groups[group], *(entry for entry in lost if entry.group == group))

    return Overview(
        with_lost(WAITING), with_lost(RUNNING), with_lost(ENDED), with_lost(TASKS), with_lost(CLOSED), after.off
    )


def _hides(unreadable: Entry, entry: Entry) -> bool:
    """Tell whether an entry may be missing because of what cannot be read."""
    if (unreadable.kind, unreadable.project) != (entry.kind, entry.project):
        return False
    if entry.kind == MODE:
        return unreadable.session in (None, entry.session)
    return unreadable.id in ("", entry.id)


def _waiting(before: Overview, after: Overview) -> Iterator[WatchedEvent]:
    known = {about for entry in _all(before) for about in _waits_about(entry)}
    asking = {_session(entry) for entry in after.waiting if entry.question}
    for entry in _all(after):
        if entry.kind == MODE and not entry.question and _session(entry) in asking:
            continue  # the question is the event
        for about in _waits_about(entry):
            if about not in known:
                known.add(about)
                yield WatchedEvent(WAITING, entry)


def _waits_about(entry: Entry) -> Iterator[Hashable]:
    """Yield what tells apart the times that an entry waits for the person; nothing if it does not wait."""
    if entry.is_unreadable or entry.is_answered:  # who has just answered need not be called
        return
    if entry.question:  # also in a session that its client has closed: it can be answered all the same
        yield "question", entry.project, entry.question.id
    elif entry.lost_question:
        yield "question", entry.project, entry.lost_question
    elif entry.group == WAITING:
        yield _thing(entry), entry.phase, entry.iteration
    elif entry.group == RUNNING and entry.stop and not entry.stop.was_held:
        yield "stop", _session(entry), entry.stop.at


def _ended(before: Overview, after: Overview, at: float) -> Iterator[WatchedEvent]:
    ends: dict[Hashable, list[Entry]] = {}
    for entry in filter(_has_ended, _all(before)):
        ends.setdefault(_thing(entry), []).append(entry)
    went_on = {_thing(entry) for entry in _all(before) if not _has_ended(entry)}
    for entry in filter(_has_ended, _all(after)):
        thing = _thing(entry)
        if any(_is_same_end(end, entry) for end in ends.get(thing, ())):
            continue
        if thing in went_on or (seconds(entry.since) or 0.0) >= at - SLACK:
            yield WatchedEvent(FAILED if entry.outcome in FAILURES else ENDED, entry)


def _has_ended(entry: Entry) -> bool:
    return entry.group == ENDED or (entry.kind == TASK and entry.phase == DONE)


def _is_same_end(one: Entry, other: Entry) -> bool:
    """Tell whether two entries of one thing are about the same end of it."""
    if one.kind == RUN:  # its time is that of its last event, and events may follow its end
        return one.outcome == other.outcome
    return abs((seconds(one.since) or 0.0) - (seconds(other.since) or 0.0)) <= SAME


def _thing(entry: Entry) -> Hashable:
    """Return what an entry is about, whichever run of it: a mode in its session, a run, or a task."""
    if entry.kind == MODE:
        return entry.kind, entry.project, entry.session, entry.name
    return entry.kind, entry.project, entry.id


def _session(entry: Entry) -> Hashable:
    return entry.kind, entry.project, entry.session


def _all(overview: Overview) -> Iterable[Entry]:
    return (entry for group in overview.groups.values() for entry in group)
