"""The HUD: what is running in a session, as facts and as one line, and Claude Code's status line.

Claude Code runs the status line after every message, so nothing is imported at the top that an idle one does not need.
"""

from __future__ import annotations

import os

from rcs_hooks import jsontext
from rcs_hooks.files.paths import is_name
from rcs_hooks.files.workspaces import find_root, may_have_state, off_by, state_folder
from rcs_hooks.terminal import style as styles
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from rcs_hooks.state.session import Session
    from rcs_hooks.terminal.line import Part
    from rcs_hooks.terminal.style import Style
    from rcs_hooks.workflow.proof import ProofStatus

LARGEST_COUNT = 10**9
LATELY = 86_400.0
"""Seconds for which a run that has finished is shown, unless another one begins."""
MOST_FINISHED = 2
SHOWN_TITLE = 40
"""How much of a title the line shows: it shares the terminal with what the client says."""
SHOWN_QUESTION = 120
NAME: Part = (styles.QUIET, "rcs: ")
OFF: Part = (styles.BAD, "off, ")
IDLE: Part = (styles.QUIET, "idle")


class HudMode(NamedTuple):
    """One active mode, as the HUD shows it.

    `waits`: whether it waits for the person. `scope`: where its record lies, `session` or `root`. `title`: what the
    person asked for; empty if nobody recorded it. `answered`: whether it waits only for the prompt that brings the
    agent an answer that was given elsewhere.
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
    answered: bool = False

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
    asks: tuple[tuple[str, str], ...] = ()
    """The open questions, each behind the mode that asks it; empty if nobody has looked for them."""
    is_closed: bool = False
    """Whether the client has ended the session; its active modes wait until it is resumed."""
    quiet: str = ""
    """`stalled` or `inactive`, if a mode that does not wait for the person is; otherwise empty."""
    off: str = ""
    """What switches the hooks off; empty if they are on."""
    finished: tuple[FinishedRun, ...] = ()
    client: str = ""
    """What people call the client of the session; empty if it is not known."""
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
            "stalled": self.quiet == "stalled",
            "inactive": self.quiet == "inactive",
            "client": self.client or None,
            "off": self.off or None,
            **({"to_clear": list(self.to_clear)} if self.to_clear else {}),
            **({"elsewhere": list(self.elsewhere)} if self.elsewhere else {}),
        }


def hud_of(view: Session, deferred: Sequence[str], *, off: str = "") -> Hud:
    """Return what the HUD shows, from one reading of a session.

    `deferred`: the skills that wait for planning to end. `off`: what switches the hooks off; empty if they are on.
    """
    from rcs_hooks.state import session_notes, silence, unread_answers
    from rcs_hooks.text import clean, word
    from rcs_hooks.workflow.lifecycle import outcome_of
    from rcs_hooks.workflow.mode_record import TITLE_LENGTH
    from rcs_hooks.workflow.silence import QUIET

    notes = session_notes.load(view.folder, view.session) if view.session else {}
    members = view.active_modes()
    answered = {member.mode for member in members if unread_answers.waits_for_prompt(view, member, notes)}
    active = tuple(
        HudMode(
            member.mode,
            word(member.record.phase),
            outcome_of(member.record).waits or member.mode in answered,
            _count(member.record.iteration),
            _count(member.record.max_iterations),
            "session" if member.session else "root",
            clean(member.record.title, TITLE_LENGTH),
            member.record.proof_status,
            member.mode in answered,
        )
        for member in members
    )
    status = silence.status_of(view, notes)
    return Hud(
        active,
        tuple(deferred),
        tuple(clean(broken.path, 200) for broken in view.unreadable),
        is_closed=session_notes.is_closed(notes),
        quiet="" if status not in QUIET or all(each.waits for each in active) else status,
        off=off,
        finished=() if active else _finished(view),
        client=session_notes.title_of_client(notes),
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


def as_line(hud: Hud, style: Style = styles.PLAIN, width: int | None = None) -> str:
    """Return the HUD as one line, such as `rcs: team executing + forge verifying 2/50`.

    `width`: the cells after which the line is cut; None: never.
    """
    from rcs_hooks.terminal.line import joined

    return joined((NAME, *_parts(hud)), style, width)


def _parts(hud: Hud) -> Iterator[Part]:
    """Yield the parts of the HUD's line behind the name of the program."""
    if hud.off:
        yield OFF
    if hud.active or hud.asks:
        yield from _active_parts(hud)
    elif hud.finished:
        yield from _finished_parts(hud)
    elif not hud.unreadable:
        yield IDLE
    if title := next((each.title for each in hud.active or hud.finished if each.title), ""):
        yield title_part(title)
    if hud.active and hud.is_closed:
        yield styles.QUIET, ", closed"
    elif hud.active and hud.quiet:
        yield styles.kind_of(hud.quiet), f", {hud.quiet}"
    if hud.deferred:
        yield styles.QUIET, f", then {', '.join(hud.deferred)}"
    if hud.unreadable:
        yield "", ", " if hud.active or hud.asks or hud.finished else ""
        yield styles.BAD, f"{len(hud.unreadable)} unreadable (see `rcs doctor`)"


def title_part(title: str) -> Part:
    """Return the title of a run as a part of the line, behind what is said of the run."""
    from rcs_hooks.text import clean

    return styles.QUIET, f" ({clean(title, SHOWN_TITLE)})"


def _active_parts(hud: Hud) -> Iterator[Part]:
    asks = dict(hud.asks)
    for number, each in enumerate(hud.active):
        yield "", " + " if number else ""
        yield styles.STRONG, each.mode
        yield "", " "
        yield styles.GOES_ON, each.phase
        if each.iteration is not None and each.max_iterations is not None:
            yield "", f" {each.iteration}/{each.max_iterations}"
        if each.mode in asks:
            yield from _question_parts(asks.pop(each.mode))
        elif each.waits:
            yield "", " "
            yield styles.WAITS, 'answered: type "go on"' if each.answered else "waits for you"
        if each.proof and each.proof.command:
            yield "", ", "
            yield verdict_part(each.proof, each.proof.at, hud.now)
    for number, (mode, question) in enumerate(asks.items(), len(hud.active)):
        yield "", " + " if number else ""
        yield styles.STRONG, mode
        yield from _question_parts(question)


def _question_parts(question: str) -> Iterator[Part]:
    from rcs_hooks.text import clean

    yield "", " "
    yield styles.WAITS, "asks:"
    yield "", f" {clean(question, SHOWN_QUESTION)}"


def _finished_parts(hud: Hud) -> Iterator[Part]:
    for number, each in enumerate(hud.finished[:MOST_FINISHED]):
        yield "", ", " if number else ""
        yield styles.STRONG, each.mode
        yield "", " finished, "
        yield verdict_part(each.proof, each.at, hud.now)


def verdict_part(proof: ProofStatus, at: str, now: float) -> Part:
    """Return a verdict in a word, with its time, as a part of the line."""
    from rcs_hooks.files.clock import seconds
    from rcs_hooks.terminal.when import clock

    return styles.GOOD if proof.state == "proven" else styles.WAITS, f"{proof.state} {clock(seconds(at), now)}".rstrip()


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
    return as_line(hud, styles.wanted(env)) if any((hud.active, hud.unreadable, hud.finished, off)) else ""


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
