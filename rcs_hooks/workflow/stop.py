"""The stop decision: does the run go on, or may the turn end.

Rules of this file:
- A Stop is blocked exactly when a mode is active and not waiting, and the bounds below allow it.
- No endless loop, by construction: every block is counted before it is spoken, in a row on one
  fingerprint, and in sum for one prompt.
"""

from __future__ import annotations

from typing import NamedTuple

IN_A_ROW = 5
PER_PROMPT = 50
CLIENT_CAP = 8
"""How often Claude Code lets a Stop be blocked before it ends the turn itself, without a word."""

IDLE, RUNNING, UNCHANGED, TOO_MANY, ITERATIONS, LOST = "idle", "running", "unchanged", "too many", "iterations", "lost"


class Member(NamedTuple):
    """An active mode that does not wait."""

    mode: str
    phase: str
    iteration: int | None = None
    max_iterations: int | None = None

    @property
    def exhausted(self) -> bool:
        return self.iteration is not None and self.max_iterations is not None and self.iteration >= self.max_iterations


class Count(NamedTuple):
    """The blocks of a session so far."""

    fingerprint: str = ""
    in_a_row: int = 0
    of_prompt: int = 0
    is_lost: bool = False
    """Stop was blocked before, and nothing is known of it: nobody can say how often."""


class Limits(NamedTuple):
    in_a_row: int = IN_A_ROW
    per_prompt: int = PER_PROMPT


class Decision(NamedTuple):
    blocks: bool
    why: str
    members: tuple[Member, ...]
    counted: Count
    """To be kept before a block is spoken."""


def limits(max_blocks: str | None, *, claude: bool = False, cap: str | None = None) -> Limits:
    """From the settings as the environment holds them; one that is no number counts as not set."""
    in_a_row = _number(max_blocks, IN_A_ROW)
    client_cap = _number(cap, CLIENT_CAP) if claude else 0
    return Limits(in_a_row, min(PER_PROMPT, client_cap - 1) if client_cap else PER_PROMPT)


def _number(text: str | None, default: int) -> int:
    text = (text or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < len(str(10**9)) else default


def decide(running: tuple[Member, ...], fingerprint: str, count: Count, limit: Limits) -> Decision:
    """`running`: every active member that does not wait. `fingerprint`: of what the whole set has done so far."""
    if not running:
        return Decision(blocks=False, why=IDLE, members=(), counted=count)
    held = tuple(member for member in running if not member.exhausted)
    if count.is_lost:
        return Decision(blocks=False, why=LOST, members=running, counted=count._replace(fingerprint=fingerprint))
    if not held:
        return Decision(blocks=False, why=ITERATIONS, members=running, counted=count)
    in_a_row = count.in_a_row if count.fingerprint == fingerprint else 0
    if count.of_prompt >= limit.per_prompt:
        return Decision(blocks=False, why=TOO_MANY, members=running, counted=count)
    if in_a_row >= limit.in_a_row:
        return Decision(blocks=False, why=UNCHANGED, members=running, counted=count)
    now = Count(fingerprint, in_a_row + 1, count.of_prompt + 1)
    return Decision(blocks=True, why=RUNNING, members=running, counted=now)
