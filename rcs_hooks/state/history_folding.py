"""Folds the oldest half of a long history into one line, and replays a history to the state that it leads to.

The line that stands for the others has the number and the moment of the last of them. Its data say which they were
(`first`, `lines`), when the history began (`since`), how many there were of each kind for each mode (`counts`), and
where each mode had got to (`last`), so that a folded history replays to the same state.

Only the command line and SessionStart fold: a prompt or a Stop never waits for it. What a shared project has not sent
yet stays as it is, and so does what the person's own settings may have named as shared since that was noted: nobody
reads the settings here.
"""

from __future__ import annotations

import os

from rcs_hooks import jsontext
from rcs_hooks.errors import LockTimeout, RcsError, suppress
from rcs_hooks.files import paths, transaction
from rcs_hooks.files.bounded import open_regular, read_bytes
from rcs_hooks.files.lock import Lock
from rcs_hooks.files.reading import root_of
from rcs_hooks.files.tracked import may_be_brought
from rcs_hooks.state import history
from rcs_hooks.state.history import MOST_READ, Event, event_of, text_of
from rcs_hooks.tuples import NamedTuple
from rcs_hooks.workflow.lifecycle import spelled
from rcs_hooks.workflow.mode_record import TITLE_LENGTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from rcs_hooks.jsontext import JsonObject

MOST_LINES = 5_000
MOST_FOLDED = 2 * MOST_LINES
"""So many lines at most are folded at once: a longer history, which is not ours, is folded in parts."""
SHORTEST_LINE = 100
"""No event of ours takes fewer bytes, so a small file needs no look into it."""
HEAD = 65_536
"""So many bytes of its beginning say when a history began."""
MOST_MODES = 64
"""So many modes, the last ones, are kept in the line that stands for the others."""


class RunState(NamedTuple):
    """Where a mode has got to, as its history tells."""

    is_active: bool = False
    phase: str = ""
    iteration: int | None = None
    outcome: str = ""
    """The word that people read for the outcome; empty while the run goes on."""
    title: str = ""


def replay(events: Iterable[Event]) -> dict[str, RunState]:
    """Return where each mode has got to after these events, oldest first; a folded line counts for all of its own."""
    found: dict[str, RunState] = {}
    for event in events:
        if event.event == history.FOLDED:
            found = {name: _state_from(value) for name, value in _object(event.data, "last").items()}
        else:
            found[event.mode] = _after(event, found.get(event.mode, RunState()))
    return found


def _after(event: Event, before: RunState) -> RunState:
    title = event.title if event.event == history.STARTED else event.title or before.title
    if event.event == history.OUTCOME or (event.event == history.PROOF and spelled(event.to)):
        return RunState(False, event.from_, event.iteration, event.to, title)
    if event.event == history.HANDOFF:
        return RunState(False, event.from_, event.iteration, "finished", title)
    if event.event == history.QUESTION:
        return RunState(True, event.to, event.iteration, text_of(event.data.get("outcome")), title)
    # A run that waits goes on waiting in another phase, and whatever a command has proven.
    goes_on = event.event in (history.PHASE, history.PROOF) and before.is_active
    waits_for = before.outcome if goes_on else ""
    return RunState(True, event.to, event.iteration, waits_for, title)


def _state_from(value: object) -> RunState:
    known = value if isinstance(value, dict) else {}
    iteration = known.get("iteration")
    phase, outcome = (text_of(known.get(name)) for name in ("phase", "outcome"))
    title = text_of(known.get("title"), TITLE_LENGTH)
    return RunState(
        known.get("active") is True, phase, iteration if isinstance(iteration, int) else None, outcome, title
    )


def _object(data: JsonObject, name: str) -> JsonObject:
    found = data.get(name)
    return found if isinstance(found, dict) else {}


def fold(folder: str, session: str, *, home: str | None = None, wait: float = 0) -> bool:
    """Fold the history of a session if it is long; tell whether it was folded.

    `home`: where it is noted what of a shared project was sent; what was not sent yet is not folded. `wait`: seconds to
    wait for the lock.
    """
    path = paths.history_file(session)
    if not _is_long(folder, path) or may_be_brought(root_of(folder), path):
        return False
    with suppress(LockTimeout, OSError, RcsError), Lock(folder, wait):
        transaction.recover(folder)
        data, is_whole = _content(folder, path)
        lines = [line for line in data.split(b"\n") if line.strip()]
        half = min(len(lines) // 2, MOST_FOLDED)
        old, kept = lines[:half], lines[half:]
        events = [event for line in old if (event := event_of(line))]
        waits = bool(events) and _is_unsent(folder, session, events[-1].n, home)
        if events and not waits and any(map(event_of, kept[-MOST_LINES:])):
            begun = begun_at(f"{folder}/{path}") or ""
            folded = jsontext.dumps_line(folded_into_one(events, is_whole=is_whole, begun=begun).as_json()).encode()
            transaction.replace_text(folder, path, b"\n".join([folded, *kept, b""]))
            return True
    return False


def _is_unsent(folder: str, session: str, last: int, home: str | None) -> bool:
    """Tell whether an event of a shared project's history is still to be sent; of the others none is."""
    from rcs_hooks.files import sent  # a session seldom starts with a long history

    known = sent.load(home)
    root = os.path.dirname(os.path.dirname(folder))
    if known.is_shared(root):
        return known.upto(root, sent.HISTORIES, session) < last
    return sent.may_name_more(home, known)


def begun_at(path: str) -> str | None:
    """Return when the first event of a history was, also if it was folded since. Raises OSError.

    Return an empty text if no event is in a long beginning, and None if there is no event in a short file.
    """
    head = read_bytes(path, HEAD) or b""
    first = next((event for line in head.split(b"\n") if (event := event_of(line))), None)
    if first is None:
        return "" if len(head) == HEAD else None
    return begun_by(first)


def begun_by(first: Event) -> str:
    """Return when a history began whose first event this is."""
    return str(first.data.get("since") or "") if first.event == history.FOLDED else first.at


def folded_into_one(events: list[Event], *, is_whole: bool = True, begun: str | None = None) -> Event:
    """Return one event that stands for `events`, oldest first.

    `is_whole`: whether no event before them is lost. `begun`: when the history began, if not with the first of them.
    """
    counts: dict[str, dict[str, int]] = {}
    first: object = events[0].n
    since = begun_by(events[0]) if begun is None else begun
    lines = 0
    for event in events:
        if event.event == history.FOLDED:
            first = event.data.get("first")
            earlier = event.data.get("lines")
            lines += earlier if isinstance(earlier, int) else 0
            for mode, of_mode in _object(event.data, "counts").items():
                for name, count in of_mode.items() if isinstance(of_mode, dict) else ():
                    _count(counts, mode, name, count if isinstance(count, int) else 0)
        else:
            lines += 1
            _count(counts, event.mode, event.event, 1)
    states = replay(events)
    last = {
        mode: {
            "active": state.is_active,
            "phase": state.phase,
            "iteration": state.iteration,
            "outcome": state.outcome,
            "title": state.title,
        }
        for mode, state in list(states.items())[-MOST_MODES:]
    }
    data: JsonObject = {"first": first, "since": since, "lines": lines, "counts": _latest(counts), "last": last}
    data |= {} if is_whole else {"lost": True}
    return Event(events[-1].n, events[-1].at, "", history.FOLDED, data=data)


def _latest(counts: dict[str, dict[str, int]]) -> JsonObject:
    return dict(list(counts.items())[-MOST_MODES:])


def _count(counts: dict[str, dict[str, int]], mode: str, name: object, more: int) -> None:
    if name in history.EVENTS:
        of_mode = counts.pop(text_of(mode), {})
        counts[text_of(mode)] = of_mode | {str(name): of_mode.get(str(name), 0) + more}


def _is_long(folder: str, path: str) -> bool:
    """Tell whether a history has so many lines, or bytes, that it is folded; a session folded away is left alone."""
    try:
        size = os.lstat(f"{folder}/{path}").st_size
        if size < MOST_LINES * SHORTEST_LINE:
            return False
        return size > MOST_READ or _content(folder, path)[0].count(b"\n") >= MOST_LINES
    except OSError:
        return False


def _content(folder: str, path: str) -> tuple[bytes, bool]:
    """Return the last bytes of a history, and whether they are all. Raises OSError."""
    fd = open_regular(f"{folder}/{path}")
    if fd is None:
        return b"", True
    try:
        size = os.fstat(fd).st_size
        return os.pread(fd, MOST_READ, max(0, size - MOST_READ)), size <= MOST_READ
    finally:
        os.close(fd)
