"""What the HUD shows, from one reading of the state; as facts, and as one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks.state import ledger
from rcs_hooks.workflow.lifecycle import outcome_of
from rcs_hooks.workflow.text import clean, word

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rcs_hooks.state.session import Session

MOST = 10**9
RESET, BOLD, DIM, GREEN, YELLOW, RED = (f"\x1b[{code}m" for code in (0, 1, 2, 32, 33, 31))


class Shown(NamedTuple):
    """One active mode."""

    mode: str
    phase: str
    waits: bool
    iteration: int | None = None
    max_iterations: int | None = None
    scope: str = "session"


class Hud(NamedTuple):
    active: tuple[Shown, ...]
    deferred: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    """Sessions that have something active, where none was named and root has nothing."""
    is_closed: bool = False
    """The client has ended the session; what is active there waits until it is resumed."""
    is_stalled: bool = False
    """Its Stop was let go because nothing had changed, and nothing has changed since."""
    off: str = ""
    """What switches the hooks off."""

    def as_json(self) -> dict[str, Any]:
        return {
            "active_modes": [shown.mode for shown in self.active],
            "modes": [shown._asdict() for shown in self.active],
            "waiting": any(shown.waits for shown in self.active),
            "deferred": list(self.deferred),
            "unreadable": list(self.unreadable),
            "closed": self.is_closed,
            "stalled": self.is_stalled,
            "off": self.off or None,
        } | ({"elsewhere": list(self.elsewhere)} if self.elsewhere else {})


def hud_of(view: Session, deferred: Sequence[str], *, off: str = "") -> Hud:
    notes = ledger.load(view.folder, view.session) if view.session else {}
    members = view.members()
    active = tuple(
        Shown(
            member.mode,
            word(member.record.get("current_phase")),
            outcome_of(member.record).waits,
            _count(member.record.get("iteration")),
            _count(member.record.get("max_iterations")),
            "session" if member.session else "root",
        )
        for member in members
    )
    return Hud(
        active,
        tuple(deferred),
        tuple(clean(broken.path, 200) for broken in view.unreadable),
        is_closed=ledger.is_closed(notes),
        is_stalled=ledger.is_stalled(notes, members),
        off=off,
    )


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST else None


def as_line(hud: Hud, *, colour: bool, width: int | None = None) -> str:
    """`rcs: team executing + forge verifying 2/50`; what does not fit into `width` is left out from the end."""
    parts = [(DIM, "rcs: "), *_parts(hud)]
    shown, left = [], width if width is not None else MOST
    for code, whole in parts:
        text = whole if len(whole) <= left else whole[: max(0, left - 1)] + "…"
        shown.append(f"{code}{text}{RESET}" if colour and code and text.strip() else text)
        left -= len(text)
        if left <= 0 or text.endswith("…"):
            break
    return "".join(shown)


def _parts(hud: Hud) -> Iterator[tuple[str, str]]:
    if hud.off:
        yield RED, "off, "
    if hud.elsewhere:
        yield "", f"{len(hud.elsewhere)} sessions are active; --session shows one: {', '.join(hud.elsewhere)}"
    elif not hud.active:
        yield DIM, "idle"
    for number, shown in enumerate(hud.active):
        yield "", " + " if number else ""
        yield BOLD, shown.mode
        yield "", " "
        yield GREEN, shown.phase
        if shown.iteration is not None and shown.max_iterations is not None:
            yield "", f" {shown.iteration}/{shown.max_iterations}"
        if shown.waits:
            yield "", " "
            yield YELLOW, "waits for you"
    if hud.active and hud.is_closed:
        yield DIM, ", closed"
    elif hud.active and hud.is_stalled:
        yield YELLOW, ", stalled"
    if hud.deferred:
        yield DIM, f", then {', '.join(hud.deferred)}"
    if hud.unreadable:
        yield RED, f", {len(hud.unreadable)} unreadable"
