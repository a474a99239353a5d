"""What the HUD shows, from one reading of the state; as facts, and as one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks.workflow.lifecycle import outcome_of
from rcs_hooks.workflow.text import clean, word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.state.session import Session

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

    def as_json(self) -> dict[str, Any]:
        return {
            "active_modes": [shown.mode for shown in self.active],
            "modes": [shown._asdict() for shown in self.active],
            "waiting": any(shown.waits for shown in self.active),
            "deferred": list(self.deferred),
            "unreadable": list(self.unreadable),
        }


def hud_of(view: Session, deferred: Sequence[str]) -> Hud:
    active = tuple(
        Shown(
            member.mode,
            word(member.record.get("current_phase")),
            outcome_of(member.record).waits,
            _count(member.record.get("iteration")),
            _count(member.record.get("max_iterations")),
            "session" if member.session else "root",
        )
        for member in view.members()
    )
    return Hud(active, tuple(deferred), tuple(clean(broken.path, 200) for broken in view.unreadable))


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def as_line(hud: Hud, *, colour: bool) -> str:
    """`rcs: team executing + forge verifying 2/50`; empty names are never shown."""

    def paint(code: str, text: str) -> str:
        return f"{code}{text}{RESET}" if colour else text

    parts = [_part(shown, paint) for shown in hud.active]
    line = f"{paint(DIM, 'rcs:')} {' + '.join(parts) if parts else paint(DIM, 'idle')}"
    if hud.deferred:
        line += paint(DIM, f", then {', '.join(hud.deferred)}")
    if hud.unreadable:
        line += paint(RED, f", {len(hud.unreadable)} unreadable")
    return line


def _part(shown: Shown, paint: Any) -> str:
    text = f"{paint(BOLD, shown.mode)} {paint(GREEN, shown.phase)}"
    if shown.iteration is not None and shown.max_iterations is not None:
        text += f" {shown.iteration}/{shown.max_iterations}"
    return f"{text} {paint(YELLOW, 'waits for you')}" if shown.waits else text
