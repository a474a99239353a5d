"""The notes of a session: what the hooks remember of it from one call to the next, and how they read and write that.

It is no workflow state. If it cannot be read, a Stop passes, and the next prompt replaces it.

The file has seven parts. `client`: the name of the client that sent the last prompt. `prompts`: the person's last
prompts, by digest; `turn`: that of a later prompt that no person typed (both: `prompt_notes`). `stops`: the counts of
blocked Stops, and what the last one was about (`stop_notes`). `noticed`: the notices that were given once
(`hook.notices`). `finished`: the runs of whose end the person was informed (`hook.finished`). `closed_at`: when the
client ended the session.
"""

from __future__ import annotations

import zlib

from rcs_hooks import jsontext
from rcs_hooks.files import paths
from rcs_hooks.files.reading import Unreadable, read_untracked
from rcs_hooks.files.transaction import Write
from rcs_hooks.workflow.lifecycle import OUTCOME_FIELDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.state.session import ActiveMode
    from rcs_hooks.workflow.mode_record import ModeRecord

CLIENT = "client"
"""The part with the name of the session's client."""
BEFORE = "before"
"""In the part `stops`: what it was before the last prompt, until a Stop tells whether the person typed that."""
NOTICED = "noticed"
"""The part with the notices that were given once in this session."""
FINISHED = "finished"
"""The part with the runs of whose end the person was informed: when each ended, by mode."""
LONGEST_TIME = 40
TIMES = frozenset({"timestamp", "ts", "time", "date", "turn_id", "thread_id"})


def load(folder: str, session: str) -> JsonObject | Unreadable:
    """Return the notes of a session: empty if there are none, Unreadable if their file cannot be read."""
    return read_untracked(folder, paths.notes_file(session)) or {}


def part(notes: Mapping[str, object], name: str) -> JsonObject:
    """Return the part of the notes with this name; empty if it is missing or not an object."""
    found = notes.get(name)
    return found if isinstance(found, dict) else {}


def write_with(notes: Mapping[str, object], session: str, **parts: JsonObject) -> Write:
    """Return the write of the notes with these parts replaced; it also marks the session as open."""
    record = {"version": 1, **notes, **parts}
    record.pop("closed_at", None)
    return Write(paths.notes_file(session), record, durable=False)


def note_closed(notes: Mapping[str, object], session: str, *, closed_at: str | None) -> Write:
    """Return the write that notes when the client closed the session; None: the session is open."""
    write = write_with(notes, session)
    return write._replace(record=(write.record or {}) | ({"closed_at": closed_at} if closed_at else {}))


def is_closed(notes: Mapping[str, object] | Unreadable) -> bool:
    """Tell whether the client has ended the session, and nothing has opened it since."""
    return not isinstance(notes, Unreadable) and isinstance(notes.get("closed_at"), str)


def title_of_client(notes: Mapping[str, object] | Unreadable) -> str:
    """Return the title of the client that a session belongs to, for people; empty if it is not known."""
    name = "" if isinstance(notes, Unreadable) else notes.get(CLIENT)
    if not (name and isinstance(name, str)):
        return ""
    from rcs_hooks.client_names import TITLES

    return TITLES.get(name, "")


# --- how a text, or a run, is known again


def digest(text: str) -> str:
    """Return a short digest of a text.

    It tells texts apart unless somebody forges one; hashlib takes 2 ms to import.
    """
    return digest_of_bytes(bytes_of(text))


def bytes_of(text: str) -> bytes:
    """Return a text as the bytes that a digest is made of."""
    return text.encode("utf-8", "surrogatepass")


def digest_of_bytes(data: bytes) -> str:
    """Return the digest of a text, given as its bytes."""
    return f"{len(data)}-{zlib.crc32(data):08x}"


def fingerprint(members: Sequence[ActiveMode]) -> str:
    """Return a digest of what the active modes have done so far.

    It covers which run it is, phase, iteration, outcome, `state`, and what was proven on which work tree. It leaves out
    times that others may write: a skill may write one without any progress.
    """
    facts = {
        member.mode: [
            member.record.get("current_phase"),
            member.record.get("iteration"),
            [member.record.get(field) for field in OUTCOME_FIELDS],
            _timeless(member.record.get("state")),
            *_proven(member.record),
            *([run] if (run := member.record.run) else []),
        ]
        for member in members
    }
    return digest(jsontext.dumps_line(dict(sorted(facts.items()))))


def _proven(record: ModeRecord) -> list[object]:
    proof = record.proof if record.has("proof") else None
    return [[proof.command, proof.exit, proof.tree]] if proof else []


def _timeless(value: object) -> object:
    if isinstance(value, dict):
        return {key: _timeless(inner) for key, inner in sorted(value.items()) if not _names_a_time(key)}
    if isinstance(value, list):
        return [_timeless(inner) for inner in value]
    return None if isinstance(value, str) and is_a_time(value) else value


def _names_a_time(key: str) -> bool:
    return key.lower() in TIMES or key.endswith(("_at", "At", "_ts", "_time"))


def is_a_time(text: str) -> bool:
    """Tell whether a text is a time in ISO 8601, like 2026-01-31T09:30."""
    shape = "".join("0" if char.isdigit() else char for char in text[:14])
    return shape in ("0000-00-00T00:", "0000-00-00 00:") and len(text) <= LONGEST_TIME
