"""Decides whether a Stop is blocked, so that the agent works on, or its turn may end.

Rules of this file:
- A Stop is blocked if and only if a mode is active and does not wait, and the limits below allow it.
- There is no endless loop, by construction: every block is counted before its reason is sent, in a row while nothing
  changes (one fingerprint), and in total for one prompt of the person.
- A run that was let go without progress is stalled. Until it changes, it is blocked once for each prompt. The person is
  told once that it was let go.
- If the agent has a good reason to stop (one of `ONCE`), it is blocked once for a fingerprint, to tell it how to.
"""

from __future__ import annotations

from rcs_hooks.tuples import NamedTuple

IN_A_ROW = 5
PER_PROMPT = 50

IDLE, RUNNING, UNCHANGED, TOO_MANY, ITERATIONS = "idle", "running", "unchanged", "too many", "iterations"
OLD, QUIET = "old", "quiet"
BACKGROUND, QUESTION, WORKSPACE, SANDBOX = "background", "question", "workspace", "sandbox"
"""The good reasons to stop: background work runs, the agent asks the person, the record belongs to no session, or the
agent's commands cannot record an outcome."""
LET_GO_SHOWN = " told"
"""Appended to a fingerprint in `BlockCount.once` once the person was told that the run is no longer blocked."""
ONCE = (BACKGROUND, QUESTION, WORKSPACE, SANDBOX)


class RunningMode(NamedTuple):
    """An active mode that does not wait."""

    mode: str
    phase: str
    iteration: int | None = None
    max_iterations: int | None = None
    belongs_to_workspace: bool = False
    """Whether its record names no session."""

    @property
    def is_at_last_iteration(self) -> bool:
        return self.iteration is not None and self.max_iterations is not None and self.iteration >= self.max_iterations


class BlockCount(NamedTuple):
    """How often Stop was blocked in a session so far: `in_a_row` without change, and `of_prompt` since the last prompt.

    `fingerprint`: what the active modes looked like at the last Stop.
    """

    fingerprint: str = ""
    in_a_row: int = 0
    of_prompt: int = 0
    stalled: str = ""
    """The fingerprint of the run that was let go without progress; empty if none was."""
    once: str = ""
    """The fingerprint that was blocked once for a reason in `ONCE`; empty if none was."""


class BlockLimits(NamedTuple):
    """How often Stop may be blocked: in a row without change, and for one prompt."""

    in_a_row: int = IN_A_ROW
    per_prompt: int = PER_PROMPT


class Decision(NamedTuple):
    """Whether a Stop is blocked, why, for which running modes (`members`), and the new count."""

    blocks: bool
    why: str
    members: tuple[RunningMode, ...]
    counted: BlockCount
    """The new count, to be saved before the answer is sent."""
    is_last_block: bool = False
    """Whether the next Stop is not blocked unless something changes or the person sends a prompt."""

    @property
    def has_message(self) -> bool:
        """Tell whether this decision tells the agent or the person anything."""
        return self.why not in (IDLE, QUIET)


def limits(max_blocks: str | None, client_cap: int = 0) -> BlockLimits:
    """Return the limits on blocking Stop.

    `max_blocks`: the person's setting for blocks in a row; text that is not a number counts as not set.
    `client_cap`: how often the client lets a Stop be blocked before it ends the turn itself; 0: no limit.
    """
    in_a_row = _number(max_blocks, IN_A_ROW)
    return BlockLimits(in_a_row, min(PER_PROMPT, client_cap - 1) if client_cap else PER_PROMPT)


def _number(text: str | None, default: int) -> int:
    text = (text or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < len(str(10**9)) else default


def decide(
    running: tuple[RunningMode, ...], fingerprint: str, count: BlockCount, limit: BlockLimits, once: str | None = None
) -> Decision:
    """Decide about one Stop.

    `running`: every active mode that does not wait. `fingerprint`: changes with the progress of all active modes.
    `count`: the count so far. `once`: a good reason to stop, one of `ONCE`; None if there is none.
    """
    if not running:
        return Decision(blocks=False, why=IDLE, members=(), counted=count)
    held = tuple(member for member in running if not member.is_at_last_iteration)
    is_stalled = count.stalled == fingerprint
    if not held:
        ended = count._replace(stalled=fingerprint)
        return Decision(blocks=False, why=QUIET if is_stalled else ITERATIONS, members=running, counted=ended)
    in_a_row = count.in_a_row if count.fingerprint == fingerprint else 0
    here = count._replace(fingerprint=fingerprint, in_a_row=in_a_row)
    if once and count.once in (fingerprint, fingerprint + LET_GO_SHOWN):
        # No message if the agent asks the person, or was not blocked since the last prompt; and never a second one.
        has_message = in_a_row and once != QUESTION and count.once == fingerprint
        shown = here._replace(once=fingerprint + LET_GO_SHOWN) if has_message else here
        return Decision(blocks=False, why=once if has_message else QUIET, members=running, counted=shown)
    stalled = here._replace(stalled=fingerprint)
    if count.of_prompt >= limit.per_prompt:
        return Decision(blocks=False, why=QUIET if is_stalled else TOO_MANY, members=running, counted=stalled)
    most = min(1, limit.in_a_row) if is_stalled else limit.in_a_row
    if in_a_row >= most:
        return Decision(blocks=False, why=QUIET if is_stalled else UNCHANGED, members=running, counted=stalled)
    now = BlockCount(
        fingerprint,
        in_a_row + 1,
        count.of_prompt + 1,
        stalled=fingerprint if is_stalled else "",
        once=fingerprint if once else count.once,
    )
    is_last = not once and (now.in_a_row >= most or now.of_prompt >= limit.per_prompt)
    return Decision(blocks=True, why=once or RUNNING, members=running, counted=now, is_last_block=is_last)
