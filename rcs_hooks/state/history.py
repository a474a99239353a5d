"""The history of a session: one line of JSON for each thing that happened to its modes, appended with the state.

Rules of this file:
- A line is appended in the commit of the state that it tells of (`files.transaction`), so the two agree after a kill.
- Each line has a number, `n`, one more than that of the line before. To append takes the end of the file alone.
- A history that cannot be read, is a link, is tracked by git or holds anything else keeps nobody from working. Lines
  that are no events count and are passed over; the next event says `gap`.
- Nothing rewrites the file. A reader reads a bounded part, from the end.
"""

from __future__ import annotations

import errno
import os

from rcs_hooks import jsontext
from rcs_hooks.errors import reason_of
from rcs_hooks.files import paths
from rcs_hooks.files.bounded import open_regular
from rcs_hooks.files.reading import Reader, root_of
from rcs_hooks.files.tracked import may_be_brought
from rcs_hooks.files.transaction import Write
from rcs_hooks.text import clean
from rcs_hooks.tuples import NamedTuple
from rcs_hooks.workflow.mode_record import TITLE_LENGTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.jsontext import JsonObject

STARTED, RESUMED, PHASE, OUTCOME, HANDOFF = "started", "resumed", "phase", "outcome", "handoff"
QUESTION, ANSWER, PROOF, HELD, LET_GO = "question", "answer", "proof", "held", "let_go"
EVENTS = (STARTED, RESUMED, PHASE, QUESTION, ANSWER, PROOF, HELD, LET_GO, HANDOFF, OUTCOME)
CLEARED, OFF = "cleared", "off"
"""What an outcome leads to where no outcome was stated: the record was removed, or the mode switched off."""
WORD_LENGTH = 128
TEXT_LENGTH = 200
TAIL = 4_096
LONGEST_LINE = CHUNK = 65_536
MOST_READ = 8 * 1024 * 1024
"""So many bytes at most are read of a history, from its end."""
LARGEST_NUMBER = 10**15
LARGEST_LAST = 10**12
"""A larger number of somebody else's is read, but not counted on from: soon no number would be left."""
SHORTEST_EVENT = 20
"""The bytes of `{"n":1,"event":"held"}`, nearly: a line that is shorter is not parsed."""
MOST_PASSED_OVER = 100_000
"""A reader that has passed over so many lines which are no events looks at no earlier part."""


class Event(NamedTuple):
    """One thing that happened to a mode. `n` is 0 until the event is appended."""

    n: int
    at: str
    mode: str
    event: str
    from_: str = ""
    """The phase before; for `resumed` the outcome of the run before, for `handoff` and `outcome` the last phase."""
    to: str = ""
    """The phase after; for `handoff` the mode that goes on, for `outcome`, and a `proof` after it, the outcome."""
    iteration: int | None = None
    title: str = ""
    data: JsonObject = {}  # noqa: RUF012 - never changed

    def as_json(self) -> JsonObject:
        """Return the object that is written as a line."""
        fields = {"n": self.n, "at": self.at, "mode": self.mode, "event": self.event, "from": self.from_, "to": self.to}
        return {"v": 1, **fields, "iteration": self.iteration, "title": self.title, "data": self.data}


def text_of(value: object, limit: int = WORD_LENGTH) -> str:
    """Return a text of unknown origin on one line, cleaned and bounded; empty if it is no text."""
    if isinstance(value, str) and len(value) <= limit and value.isascii() and value.isprintable() and '"' not in value:
        return value
    return clean(value, limit)


# --- writing


def append(folder: str, session: str, events: Sequence[Event], *, durable: bool = True) -> Write | None:
    """Return the write that appends events, numbered from the last line on; None if nothing can be appended.

    `durable`: whether they must survive a power cut.
    """
    path = paths.history_file(session)
    try:
        last, is_whole, has_gap = _end_of(folder, path)
    except OSError:
        return None
    lines = "" if is_whole else "\n"
    for number, event in enumerate(events, last + 1):
        data = event.data | {"gap": True} if has_gap and number == last + 1 else event.data
        lines += jsontext.dumps_line(event._replace(n=number, data=data).as_json()) + "\n"
    return Write(path, None, durable, lines)


def _end_of(folder: str, path: str) -> tuple[int, bool, bool]:
    """Return the number of the last line, whether a line end follows it, and whether it is no event.

    Where no number is found in the end of the file, the number is the size of the file: no line is shorter than a byte.
    Raises OSError.
    """
    try:
        fd = _open(folder, path)
    except FileNotFoundError:
        return 0, True, False
    try:
        size = os.fstat(fd).st_size
        for tail in (TAIL, CHUNK):
            data = os.pread(fd, tail, max(0, size - tail))
            is_whole = not size or data.endswith(b"\n")
            lines = data.removesuffix(b"\n").split(b"\n")
            for later, line in enumerate(reversed(lines if size <= tail else lines[1:])):
                if line and (event := event_of(line)) and event.n < LARGEST_LAST:
                    return event.n + later, is_whole, later > 0
            if size <= tail:
                break
    finally:
        os.close(fd)
    return size, is_whole, size > 0


def _open(folder: str, path: str) -> int:
    """Open a history for reading. Raises OSError."""
    fd = open_regular(f"{folder}/{path}")
    if fd is None:
        raise OSError(errno.EINVAL, "it is not a file")
    return fd


# --- reading


def event_of(line: bytes) -> Event | None:
    """Return the event in a line, cleaned and bounded; None if it holds anything else."""
    if not (line.startswith(b"{") and SHORTEST_EVENT <= len(line) <= LONGEST_LINE):
        return None
    try:
        found = jsontext.loads(line.decode())
    except ValueError:
        return None
    if not isinstance(found, dict):
        return None
    number, iteration, data = found.get("n"), found.get("iteration"), found.get("data")
    event = found.get("event")
    if (
        not isinstance(number, int)
        or isinstance(number, bool)
        or not 0 < number < LARGEST_NUMBER
        or event not in EVENTS
    ):
        return None
    at, mode, before, after = (text_of(found.get(name)) for name in ("at", "mode", "from", "to"))
    is_count = isinstance(iteration, int) and not isinstance(iteration, bool) and abs(iteration) < LARGEST_NUMBER
    title = text_of(found.get("title"), TITLE_LENGTH)
    known = data if isinstance(data, dict) else {}
    return Event(number, at, mode, event, before, after, iteration if is_count else None, title, known)


def read(folder: str, session: str, limit: int, *, mode: str = "", after: int = 0) -> list[Event]:
    """Return the last events of a session, oldest first; none of a history that cannot be read. Needs no lock.

    `limit`: so many at most. `mode`: only those of a mode. `after`: only those with a higher number. A commit that is
    under way, or was cut short, counts as done.
    """
    path = paths.history_file(session)
    if may_be_brought(root_of(folder), path):
        return []
    pending = Reader(folder).append_to(path)
    found: list[Event] = []
    others = 0
    try:
        fd = _open(folder, path)
    except FileNotFoundError:
        data, start, fd = b"", 0, -1
    except OSError:
        return []
    try:
        end = os.fstat(fd).st_size if fd >= 0 else 0
        if pending and pending.size <= end:
            end = pending.size
        rest = pending.lines.encode() if pending else b""
        least = max(0, end - MOST_READ)
        while True:
            start = max(least, end - CHUNK)
            data = (os.pread(fd, end - start, start) if end > start else b"") + rest
            lines = data.split(b"\n")
            rest = lines.pop(0) if start > least else b""  # its beginning lies before this part
            rest = rest if len(rest) <= LONGEST_LINE else b""
            for line in reversed(lines):
                event = event_of(line)
                others += event is None
                if event is None or (mode and event.mode != mode):
                    continue
                if event.n <= after or len(found) >= limit:
                    return found[::-1]
                found.append(event)
            if start <= least or others > MOST_PASSED_OVER:
                return found[::-1]
            end = start
    finally:
        if fd >= 0:
            os.close(fd)


def fault(folder: str, session: str) -> str:
    """Return why the history of a session cannot be read; empty if it can, or if there is none."""
    path = paths.history_file(session)
    if may_be_brought(root_of(folder), path):
        return "git tracks it"
    try:
        os.close(_open(folder, path))
    except FileNotFoundError:
        return ""
    except OSError as error:
        return "it is a symbolic link" if error.errno == errno.ELOOP else reason_of(error)
    return ""
