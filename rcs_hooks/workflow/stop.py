"""The stop decision: does the run go on, or may the turn end.

Rules of this file:
- A Stop is blocked exactly when a mode is active and not waiting, and the bounds below allow it.
- No endless loop, by construction: every block is counted before it is spoken, in a row on one
  fingerprint, and in sum for one prompt of the person.
- A run that was let go without progress is stalled: it is held once for a prompt until it has changed.
- Where the agent may rightly stop (`once`), it is held once for a fingerprint, to tell it how.
"""

from __future__ import annotations

from typing import NamedTuple

IN_A_ROW = 5
PER_PROMPT = 50
CLIENT_CAP = 8
"""How often Claude Code lets a Stop be blocked before it ends the turn itself, without a word."""

IDLE, RUNNING, UNCHANGED, TOO_MANY, ITERATIONS, LOST = "idle", "running", "unchanged", "too many", "iterations", "lost"
OLD, QUIET, ALREADY = "old", "quiet", "already"
BACKGROUND, QUESTION, WORKSPACE, SANDBOX = "background", "question", "workspace", "sandbox"
"""Why a Stop is held once only: something runs in the background, the person is asked, the record is nobody's, or the
agent's commands can record nothing."""
ONCE = (BACKGROUND, QUESTION, WORKSPACE, SANDBOX)

INTERVIEW = "deep-interview"
QUESTION_MARKS = ("?", "？", "؟")
TAIL = 200


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
    stalled: str = ""
    """The fingerprint of the run when it was let go without progress."""
    once: str = ""
    """The fingerprint that was held once, for one of the reasons in `ONCE`."""


class Limits(NamedTuple):
    in_a_row: int = IN_A_ROW
    per_prompt: int = PER_PROMPT


class Decision(NamedTuple):
    blocks: bool
    why: str
    members: tuple[Member, ...]
    counted: Count
    """To be kept before anything is said."""

    @property
    def is_said(self) -> bool:
        """Whether there is anything to say, and so to keep."""
        return self.why not in (IDLE, QUIET, ALREADY)


def asks(message: str) -> bool:
    """Tell whether a message ends in a question: only marks, a parenthesis and a list of options stand behind it."""
    lines = [line.strip() for line in message[-TAIL:].splitlines() if line.strip()]
    while len(lines) > 1 and _is_option(lines[-1]):
        lines.pop()
    last = lines[-1] if lines else ""
    if last.endswith((")", "）")):
        before = last[: max(last.rfind("("), last.rfind("（"), 0)].rstrip()
        last = before or last
    while last and not last[-1].isalnum() and last[-1] not in (*QUESTION_MARKS, "."):
        last = last[:-1]
    return last.endswith(QUESTION_MARKS)


def _is_option(line: str) -> bool:
    head, _, rest = line.partition(" ")
    return bool(rest) and (head in ("-", "*", "•") or (head[-1] in ".)" and len(head.strip("().")) <= len("10")))


def limits(max_blocks: str | None, *, claude: bool = False, cap: str | None = None) -> Limits:
    """From the settings as the environment holds them; one that is no number counts as not set."""
    in_a_row = _number(max_blocks, IN_A_ROW)
    client_cap = _number(cap, CLIENT_CAP) if claude else 0
    return Limits(in_a_row, min(PER_PROMPT, client_cap - 1) if client_cap else PER_PROMPT)


def _number(text: str | None, default: int) -> int:
    text = (text or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < len(str(10**9)) else default


def decide(
    running: tuple[Member, ...], fingerprint: str, count: Count, limit: Limits, once: str | None = None
) -> Decision:
    """Decide about one Stop.

    `running`: every active member that does not wait. `fingerprint`: of what the whole set has done so far.
    `once`: why it is held once only, one of `ONCE`.
    """
    if not running:
        return Decision(blocks=False, why=IDLE, members=(), counted=count)
    held = tuple(member for member in running if not member.exhausted)
    if count.is_lost:
        return Decision(blocks=False, why=LOST, members=running, counted=count._replace(fingerprint=fingerprint))
    if not held:
        return Decision(blocks=False, why=ITERATIONS, members=running, counted=count)
    in_a_row = count.in_a_row if count.fingerprint == fingerprint else 0
    here = count._replace(fingerprint=fingerprint, in_a_row=in_a_row)
    if once and count.once == fingerprint:
        # Who asks the person, or was not held by this prompt, needs no words.
        why = once if in_a_row and once != QUESTION else QUIET
        return Decision(blocks=False, why=why, members=running, counted=here)
    is_stalled = count.stalled == fingerprint
    stalled = here._replace(stalled=fingerprint)
    if count.of_prompt >= limit.per_prompt:
        return Decision(blocks=False, why=TOO_MANY, members=running, counted=stalled)
    if in_a_row >= (min(1, limit.in_a_row) if is_stalled else limit.in_a_row):
        return Decision(blocks=False, why=UNCHANGED, members=running, counted=stalled)
    now = Count(
        fingerprint,
        in_a_row + 1,
        count.of_prompt + 1,
        stalled=fingerprint if is_stalled else "",
        once=fingerprint if once else count.once,
    )
    return Decision(blocks=True, why=once or RUNNING, members=running, counted=now)
