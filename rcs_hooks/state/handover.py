"""Decides what a run begins with: title, plan and brief, and what a review has found.

Rules of this file:
- A planning run that has finished gives its title, plan and brief to what starts after it. Of several, the last one
  counts. Its plan is used up once another kind of run has finished after it, or the mode that starts has ended after
  it and is taken up with what it had.
- A run that hands over to planning because its review is not clean gives its title and plan, and what the review found.
- A run that starts beside another one, by a prompt that says nothing of the work, has what that one has: it is for the
  same work.
- The words of the prompt are the title, if they say anything of the work.
- A run that is begun anew has the title of the prompt that took it up; one that nobody took up has what it had.
"""

from __future__ import annotations

from rcs_hooks.text import clean
from rcs_hooks.workflow.lifecycle import FINISHED, is_active, outcome_of, review_finding
from rcs_hooks.workflow.mode_record import TITLE_LENGTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.catalog import ModeDef
    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.workflow.mode_record import ModeRecord

    Records = Mapping[str, ModeRecord]
    Modes = Mapping[str, ModeDef]

FINDING_LENGTH = 500
LONGEST_PATH = 1_000


def given_to(mode: ModeDef, records: Records, modes: Modes, *, title: str, now: str) -> JsonObject:
    """Return the fields that a run begins with because the prompt or an earlier run gives them.

    `records`: the records of the scope; of a run that ends in this call, `completed_at` is `now`. `title`: what
    the prompt says of the work; empty if it says nothing.
    """
    given = _handed_back(mode, records, modes, now) or _planned(mode, records, modes)
    given = given or ({} if title else _beside(mode, records))
    given["title"] = title or given.get("title")
    return _without_empty(given)


def given_anew(mode: ModeDef, records: Records, modes: Modes) -> JsonObject:
    """Return the fields with which an active run of `mode` is begun anew."""
    record = records[mode.name]
    if record.resumed_after is None:
        return _without_empty(_of(record))
    return _without_empty(_planned(mode, records, modes) | {"title": record.asked_at_resume})


def _of(record: ModeRecord) -> JsonObject:
    """Return the title, plan and brief of a run."""
    return {"title": clean(record.title, TITLE_LENGTH), "plan": _path(record.plan), "brief": _path(record.brief)}


def _path(value: object) -> str:
    return value if isinstance(value, str) and len(value) <= LONGEST_PATH and value.isprintable() else ""


def _without_empty(fields: JsonObject) -> JsonObject:
    return {name: value for name, value in fields.items() if value}


def _handed_back(mode: ModeDef, records: Records, modes: Modes, now: str) -> JsonObject:
    for name, record in records.items():
        hands_back = name in modes and mode.name in modes[name].returns_to and not is_active(record)
        if hands_back and record.get("transition_target_mode") == mode.name and record.completed_at == now:
            return {**_of(record), "finding": review_finding(record, FINDING_LENGTH)}
    return {}


def _beside(mode: ModeDef, records: Records) -> JsonObject:
    """Return title, plan and brief of the active run of another mode that began last; empty if there is none."""
    others = [record for name, record in records.items() if name != mode.name and is_active(record)]
    if not others:
        return {}
    last = max(others, key=lambda record: record.started_at)
    return _of(last)


def _planned(mode: ModeDef, records: Records, modes: Modes) -> JsonObject:
    finished = {name: record for name, record in records.items() if name in modes and _has_finished(record)}
    plans = [name for name in finished if modes[name].is_planning]
    if not plans:
        return {}
    name = max(plans, key=lambda each: finished[each].completed_at)
    record, at = finished[name], finished[name].completed_at
    own = records.get(mode.name)
    is_used = any(each.completed_at > at for other, each in finished.items() if not modes[other].is_planning)
    if name == mode.name or is_used or (own is not None and (own.completed_at or own.ended_before) > at):
        return {}
    return _of(record)


def _has_finished(record: ModeRecord) -> bool:
    return bool(record.completed_at) and not is_active(record) and outcome_of(record).word == FINISHED
