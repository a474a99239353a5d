"""The HUD: what is running in a session, as facts and as one line, and Claude Code's status line.

Claude Code runs the status line after every message, so nothing is imported at the top that an idle one does not need.
"""

from __future__ import annotations

import os

from rcs_hooks import jsontext
from rcs_hooks.files.paths import is_name
from rcs_hooks.files.workspaces import find_root, may_have_state, off_by, state_folder
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from rcs_hooks.state.session import Session
    from rcs_hooks.workflow.proof import ProofStatus

LARGEST_COUNT = 10**9
MOST_SECONDS = 10.0**11
LATELY = 86_400.0
"""Seconds for which a run that has finished is shown, unless another one begins."""
MOST_FINISHED = 2
SHOWN_TITLE = 40
"""How much of a title the line shows: it shares the terminal with what the client says."""
RESET, BOLD, DIM, GREEN, YELLOW, RED = (f"\x1b[{code}m" for code in (0, 1, 2, 32, 33, 31))


class HudMode(NamedTuple):
    """One active mode, as the HUD shows it.

    `waits`: whether it waits for the person. `scope`: where its record lies, `session` or `root`. `title`: what the
    person asked for; empty if nobody recorded it.
    """

    mode: str
    phase: str
    waits: bool
    iteration: int | None = None
    max_iterations: int | None = None
    scope: str = "session"
    title: str = ""
    proof: ProofStatus | None = None
    """The newest proof of the run, and the stored verdict on it."""

    def as_json(self) -> dict[str, Any]:
        """Return the mode as a JSON object; its `proof` has the keys of `rcs state get-status`."""
        return self._asdict() | {"proof": self.proof and self.proof.to_json()}


class FinishedRun(NamedTuple):
    """A run that has finished lately in a session where nothing has begun since, and is more than a plan."""

    mode: str
    title: str
    proof: ProofStatus
    at: str
    """When it finished."""

    def as_json(self) -> dict[str, Any]:
        return self._asdict() | {"proof": self.proof.to_json()}


class Hud(NamedTuple):
    """What is running in one session.

    `deferred`: the skills that wait for planning to end. `unreadable`: the paths of state files that cannot be read.
    """

    active: tuple[HudMode, ...]
    deferred: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()
    to_clear: tuple[str, ...] = ()
    """The commands that clear the unreadable files, one for each."""
    elsewhere: tuple[str, ...] = ()
    """Sessions with active modes, if the call names no session and nothing is active in root."""
    titles: tuple[str, ...] = ()
    """The titles of the sessions in `elsewhere`, in their order; empty for one that has none."""
    is_closed: bool = False
    """Whether the client has ended the session; its active modes wait until it is resumed."""
    is_stalled: bool = False
    """Whether Stop let the run go because nothing had changed, and nothing has changed since."""
    off: str = ""
    """What switches the hooks off; empty if they are on."""
    finished: tuple[FinishedRun, ...] = ()
    now: float = 0.0
    """When the session was read, in seconds since 1970."""

    def as_json(self) -> dict[str, Any]:
        """Return the facts as a JSON object; `to_clear` and `elsewhere` are left out where they are empty."""
        return {
            "active_modes": [each.mode for each in self.active],
            "modes": [each.as_json() for each in self.active],
            "finished": [each.as_json() for each in self.finished],
            "waiting": any(each.waits for each in self.active),
            "deferred": list(self.deferred),
            "unreadable": list(self.unreadable),
            "closed": self.is_closed,
            "stalled": self.is_stalled,
            "off": self.off or None,
            **({"to_clear": list(self.to_clear)} if self.to_clear else {}),
            **({"elsewhere": list(self.elsewhere)} if self.elsewhere else {}),
        }


def hud_of(view: Session, deferred: Sequence[str], *, off: str = "") -> Hud:
    """Return what the HUD shows, from one reading of a session.

    `deferred`: the skills that wait for planning to end. `off`: what switches the hooks off; empty if they are on.
    """
    from rcs_hooks.state import session_notes, stop_notes
    from rcs_hooks.text import clean, word
    from rcs_hooks.workflow.lifecycle import outcome_of
    from rcs_hooks.workflow.mode_record import TITLE_LENGTH

    notes = session_notes.load(view.folder, view.session) if view.session else {}
    members = view.active_modes()
    active = tuple(
        HudMode(
            member.mode,
            word(member.record.phase),
            outcome_of(member.record).waits,
            _count(member.record.iteration),
            _count(member.record.max_iterations),
            "session" if member.session else "root",
            clean(member.record.title, TITLE_LENGTH),
            member.record.proof_status,
        )
        for member in members
    )
    return Hud(
        active,
        tuple(deferred),
        tuple(clean(broken.path, 200) for broken in view.unreadable),
        is_closed=session_notes.is_closed(notes),
        is_stalled=stop_notes.is_stalled(notes, members),
        off=off,
        finished=() if active else _finished(view),
        now=view.now,
    )


def _finished(view: Session) -> tuple[FinishedRun, ...]:
    """Return the runs of a session that have finished lately, the newest first, without plans and handoffs."""
    from rcs_hooks.files.clock import seconds
    from rcs_hooks.text import clean
    from rcs_hooks.workflow.mode_record import TITLE_LENGTH
    from rcs_hooks.workflow.proof import is_judged

    found = []
    for mode, record in (view.own if view.session else view.root).items():
        definition, at = view.modes.get(mode), record.completed_at or record.updated_at
        if not (definition and is_judged(definition, record)):
            continue
        ended = seconds(at)
        if ended is not None and 0 <= view.now - ended < LATELY:
            found.append(FinishedRun(mode, clean(record.title, TITLE_LENGTH), record.proof_status, clean(at)))
    return tuple(sorted(found, key=lambda each: each.at, reverse=True))


def _count(value: int | None) -> int | None:
    return value if value is not None and 0 <= value < LARGEST_COUNT else None


def as_line(hud: Hud, *, colour: bool, width: int | None = None) -> str:
    """Return the HUD as one line, such as `rcs: team executing + forge verifying 2/50`.

    `width`: the number of characters after which the line is cut; None: never.
    """
    line, left = [], width if width is not None else LARGEST_COUNT
    for code, whole in ((DIM, "rcs: "), *_parts(hud)):
        text = whole if len(whole) <= left else whole[: max(0, left - 1)] + "…"
        line.append(f"{code}{text}{RESET}" if colour and code and text.strip() else text)
        left -= len(text)
        if left <= 0 or text.endswith("…"):
            break
    return "".join(line)


def _parts(hud: Hud) -> Iterator[tuple[str, str]]:
    """Yield the parts of the HUD's line, each with the escape code of its colour; an empty code means no colour."""
    if hud.off:
        yield RED, "off, "
    if hud.elsewhere:
        yield "", f"{len(hud.elsewhere)} sessions have active modes; --session shows one: {', '.join(_titled(hud))}"
    elif hud.active:
        yield from _active_parts(hud)
    elif hud.finished:
        yield from _finished_parts(hud)
    elif not hud.unreadable:
        yield DIM, "idle"
    if not hud.elsewhere and (title := next((each.title for each in hud.active or hud.finished if each.title), "")):
        yield DIM, f" ({_short(title)})"
    if hud.active and hud.is_closed:
        yield DIM, ", closed"
    elif hud.active and hud.is_stalled:
        yield YELLOW, ", stalled"
    if hud.deferred:
        yield DIM, f", then {', '.join(hud.deferred)}"
    if hud.unreadable:
        more = ", " if hud.active or hud.elsewhere or hud.finished else ""
        yield RED, f"{more}{len(hud.unreadable)} unreadable (see `rcs doctor`)"


def _short(title: str) -> str:
    from rcs_hooks.text import clean

    return clean(title, SHOWN_TITLE)


def _active_parts(hud: Hud) -> Iterator[tuple[str, str]]:
    for number, each in enumerate(hud.active):
        yield "", " + " if number else ""
        yield BOLD, each.mode
        yield "", " "
        yield GREEN, each.phase
        if each.iteration is not None and each.max_iterations is not None:
            yield "", f" {each.iteration}/{each.max_iterations}"
        if each.waits:
            yield "", " "
            yield YELLOW, "waits for you"
        if each.proof and each.proof.command:
            yield "", ", "
            yield _verdict(each.proof, each.proof.at, hud.now)


def _finished_parts(hud: Hud) -> Iterator[tuple[str, str]]:
    for number, each in enumerate(hud.finished[:MOST_FINISHED]):
        yield "", ", " if number else ""
        yield BOLD, each.mode
        yield "", " finished, "
        yield _verdict(each.proof, each.at, hud.now)


def _verdict(proof: ProofStatus, at: str, now: float) -> tuple[str, str]:
    """Return a verdict in a word with its time, after its colour: the time of day, or the date if it is older.

    An age would become wrong in a status line, which stays as it is until the next message.
    """
    from time import localtime, strftime

    from rcs_hooks.files.clock import seconds

    moment = seconds(at)
    colour = GREEN if proof.state == "proven" else YELLOW
    if moment is None or not 0 <= moment < MOST_SECONDS:
        return colour, proof.state
    form = "%H:%M" if now - moment < LATELY else "%Y-%m-%d"
    return colour, f"{proof.state} {strftime(form, localtime(moment))}"


def _titled(hud: Hud) -> Iterator[str]:
    """Yield the other sessions that are active, each with its title."""
    for number, session in enumerate(hud.elsewhere):
        title = _short(hud.titles[number]) if number < len(hud.titles) else ""
        yield f"{session} ({title})" if title else session


# --- the status line of Claude Code


def status_line(raw: bytes, env: Mapping[str, str], cwd: str, now: float) -> str:
    """Return the line that answers Claude Code's JSON, `raw`.

    Empty if the JSON names no session, or if nothing is active, unreadable or just finished and the hooks are on.
    """
    session, folder = _session_and_folder(raw)
    if not is_name(session):
        return ""
    root = find_root(env, os.path.join(cwd, folder), session)
    off = off_by(env, root)
    if not may_have_state(root, session):
        return "rcs: off" if off else ""
    from rcs_hooks.state import session as sessions
    from rcs_hooks.state.inventory import deferred_skills_in

    view = sessions.load(state_folder(root), session, now)
    hud = hud_of(view, deferred_skills_in(view.inventory), off=off)
    return as_line(hud, colour=not env.get("NO_COLOR")) if any((hud.active, hud.unreadable, hud.finished, off)) else ""


def _session_and_folder(raw: bytes) -> tuple[str, str]:
    try:
        fields = jsontext.loads(raw.decode())
    except ValueError:
        return "", ""
    if not isinstance(fields, dict):
        return "", ""
    workspace = fields.get("workspace")
    folders = (workspace.get("project_dir") if isinstance(workspace, dict) else None, fields.get("cwd"))
    folder = next((each for each in folders if isinstance(each, str) and each), "")
    session = fields.get("session_id")
    return (session if isinstance(session, str) else ""), folder
