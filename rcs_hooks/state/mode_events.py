"""Compares the records of a session before and after a call, and says what happened to each mode.

Pure: no file and no clock. `Draft.writes` calls it, and nothing else does, so every way to change a record has a
history.
"""

from __future__ import annotations

from rcs_hooks.state import history, questions
from rcs_hooks.state.history import TEXT_LENGTH, Event, text_of
from rcs_hooks.workflow.lifecycle import FINISHED, is_active, outcome_of, review_finding, review_is_open, spelled
from rcs_hooks.workflow.mode_record import TITLE_LENGTH, ModeRecord

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rcs_hooks.jsontext import JsonObject

    Steps = Sequence[ModeRecord | None]

LARGEST_COUNT = 10**9
TARGET = "transition_target_mode"
PROOF = "proof"
"""The field of a record that holds its newest proof, and the verdict."""
MOST_CHANGED = 5
"""How many of the tracked files that a command changed an event names."""
NO_RECORD = ModeRecord({})


def events_of(changed: Mapping[str, Steps], asked: Mapping[str, JsonObject], *, now: str) -> list[Event]:
    """Return what happened to the modes of a session, in the order in which they changed.

    `changed`: for each mode its record before, then each one that was drafted; None where there is none. Of those
    between the first and the last only an ended one says something: the run ended, and the next one began in the same
    call. `asked`: the questions that the call asks, by id.
    """
    found = []
    for mode, steps in changed.items():
        before = steps[0]
        for number, step in enumerate(steps[1:], 2):
            if number == len(steps) or not is_active(step or NO_RECORD):
                found += _between(mode, before or NO_RECORD, step or NO_RECORD, asked, now)
                before = step
    return found


class _Maker:
    """Makes the events of one mode between two records: with its title, its iteration and the moment."""

    def __init__(self, mode: str, before: ModeRecord, after: ModeRecord, now: str, *, goes_on: bool) -> None:
        self.mode = text_of(mode)
        self.now = now
        told = before if after.is_empty or after.is_tombstone else after
        self.title = text_of(told.title, TITLE_LENGTH)
        self.iteration = count_of(after if goes_on or after.iteration is not None else before)

    def __call__(self, name: str, start: str, end: str, **data: object) -> Event:
        kept: JsonObject = {
            key: value if value is True else text_of(value, TEXT_LENGTH) for key, value in data.items() if value
        }
        return Event(0, self.now, self.mode, name, text_of(start), text_of(end), self.iteration, self.title, kept)


def _between(
    mode: str, before: ModeRecord, after: ModeRecord, asked: Mapping[str, JsonObject], now: str
) -> list[Event]:
    """Return what happened to a mode between two records; one without fields stands for none."""
    was, goes_on = is_active(before), is_active(after)
    event = _Maker(mode, before, after, now, goes_on=goes_on)
    phase = after.phase
    found = []
    if goes_on and not was:
        if after.resumed_after:
            found.append(event(history.RESUMED, after.resumed_after, phase, reason=after.reason_before))
        else:
            found.append(event(history.STARTED, "", phase))
    elif was and goes_on and _is_anew(before, after):
        found.append(event(history.STARTED, before.phase, phase))
        before = NO_RECORD  # what it had asked is answered by nobody
    elif was and _has_moved(before, after, goes_on=goes_on):
        found.append(event(history.PHASE, before.phase, phase, reason=_why_again(before, after)))
    found += _of_proof(before, after, event)
    if goes_on:
        found += _of_question(before if was else NO_RECORD, after, asked, event)
    elif was:
        found.append(_ending(before, after, event))
    elif _has_another_outcome(before, after):
        found.append(event(history.OUTCOME, phase, _end_word(after), **_why(after)))
    return found


def count_of(record: ModeRecord) -> int | None:
    """Return the iteration of a record; None for a number that is too large to be one."""
    count = record.iteration
    return count if count is not None and abs(count) < LARGEST_COUNT else None


def _why_again(before: ModeRecord, after: ModeRecord) -> str:
    """Return the finding of a review that began another round; empty otherwise. The next review may overwrite it."""
    rises = (count_of(after) or 0) > (count_of(before) or 0)
    return review_finding(after, TEXT_LENGTH) if rises and review_is_open(after) else ""


def _is_anew(before: ModeRecord, after: ModeRecord) -> bool:
    """Tell whether an active run was begun anew (`--fresh`), rather than moved."""
    return after.started_at > before.started_at and after.updated_at == after.started_at


def _has_moved(before: ModeRecord, after: ModeRecord, *, goes_on: bool) -> bool:
    """Tell whether a run has changed its phase or its iteration; a word for an ending is no phase."""
    if goes_on:
        return (before.phase, before.iteration) != (after.phase, after.iteration)
    is_phase = after.phase and not (spelled(after.phase) or after.is_tombstone)
    return bool(is_phase and after.phase != before.phase)


def _ending(before: ModeRecord, after: ModeRecord, event: _Maker) -> Event:
    """Return how a run has ended: handed over to another mode, or by an outcome."""
    target = after.get(TARGET)
    if isinstance(target, str) and before.get(TARGET) is None:
        return event(history.HANDOFF, before.phase, target, plan=after.plan, brief=after.brief)
    last = before.phase if spelled(after.phase) or after.is_tombstone or after.is_empty else after.phase
    return event(history.OUTCOME, last, _end_word(after), **_why(after))


def _why(after: ModeRecord) -> JsonObject:
    verdict = after.proof_status.state if after.has(PROOF) and outcome_of(after).word == FINISHED else ""
    return {"reason": after.reason, "evidence": after.evidence, "early": after.is_early, "proof": verdict}


def _of_proof(before: ModeRecord, after: ModeRecord, event: _Maker) -> list[Event]:
    """Return the event of a proof that was recorded; none if the newest one is the same as before."""
    if before.get(PROOF) == after.get(PROOF) or (proof := after.proof) is None or proof == before.proof:
        return []
    data: JsonObject = {
        "command": text_of(proof.command, TEXT_LENGTH),
        "exit": proof.exit,
        "seconds": proof.seconds,
        "passed": proof.passed,
        "changed": [text_of(name) for name in proof.changed[:MOST_CHANGED]],
    }
    data |= {"timed_out": True} if proof.timed_out else {}
    data |= {"folder": text_of(proof.folder, TEXT_LENGTH)} if proof.folder else {}
    has_ended = not (is_active(before) or is_active(after))
    return [event(history.PROOF, after.phase, _end_word(after) if has_ended else after.phase)._replace(data=data)]


def _end_word(after: ModeRecord) -> str:
    if after.is_empty or after.is_tombstone:
        return history.CLEARED
    outcome = outcome_of(after)
    return str(outcome.public) if outcome.ends else history.OFF


def _has_another_outcome(before: ModeRecord, after: ModeRecord) -> bool:
    """Tell whether a run that had ended before has another outcome now."""
    outcome = outcome_of(after)
    is_run = not (before.is_empty or after.is_empty or after.is_tombstone)
    return is_run and outcome.ends and outcome.public != outcome_of(before).public


def _of_question(before: ModeRecord, after: ModeRecord, asked: Mapping[str, JsonObject], event: _Maker) -> list[Event]:
    """Return the event of a run that has begun to wait for the person, or that waits no longer; none for any other."""
    was, waits = outcome_of(before), outcome_of(after)
    phase = after.phase
    if waits.waits and not (was.waits and before.question_id == after.question_id):
        name = after.question_id if after.has_question_pending else None
        question = asked.get(str(name), {})
        asker = question.get("source")
        others = asker if asker != event.mode else ""
        text = questions.text_of(question)
        return [event(history.QUESTION, phase, phase, outcome=waits.public, id=name, text=text, asked_by=others)]
    if was.waits and not waits.waits:
        name = before.question_id if before.has_question_pending else None
        return [event(history.ANSWER, phase, phase, id=name)]  # the person's words stay in the question's record alone
    return []
