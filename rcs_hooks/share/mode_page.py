"""The page of a mode's run on another machine, from its events and the document of its session. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.catalog import MODES
from rcs_hooks.dashboard import mode_path, mode_proof, mode_timeline
from rcs_hooks.dashboard.attention import mode_page as mode_address
from rcs_hooks.dashboard.mode_path import ModePath
from rcs_hooks.dashboard.mode_runs import GOES_ON, HAS_NOT_ENDED, MOST_SHOWN, early_because, run_lines
from rcs_hooks.dashboard.mode_timeline import CLOSED, UNKNOWN
from rcs_hooks.dashboard.runs import NotFound
from rcs_hooks.files.clock import seconds
from rcs_hooks.overview.records import title_of
from rcs_hooks.runs.records import RUNNING, WAITING
from rcs_hooks.text import clean
from rcs_hooks.workflow.silence import QUIET

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.share.places import Place
    from rcs_hooks.state.history import Event


def show(
    place: Place, session: str, mode: str, events: Sequence[Event], document: JsonObject | None, now: float,
    upto: int | None,
) -> JsonObject:  # fmt: skip
    """Return a run as JSON, without `state`. `document`: the session as JSON, if its machine shows it. Raises NotFound.

    `events`: those of the mode in the session, the oldest first. `upto`: as in the page of a local run.
    """
    name = clean(mode)
    runs = mode_path.runs_in(events)
    modes = document["modes"] if document else []
    assert isinstance(modes, list)  # noqa: S101 - for the type checker: the model of a session says so
    record = next((each for each in modes if each["mode"] == name and (each["session"] or "") == session), None)
    if record is None and not runs:
        where = f"session {session} of {place.address}" if session else place.address
        raise NotFound(f"there is no run of {name} in {where}")
    at = mode_path.run_of(runs, upto)
    is_last = at == len(runs) - 1
    shown = _shown(place, session, name, runs[at] if runs else (), record if is_last else None, document, now)
    newest = _status(ModePath(runs[-1] if runs else ()), record, document)
    return shown | {
        "is_last": is_last,
        "runs": run_lines(runs, *newest),
        "run": runs[at][0].n if runs else None,
        "problem": "the history of this run has not left its machine" if session and not runs else None,
    }


def latest(document: JsonObject, where: JsonObject) -> JsonObject | None:
    """Return the mode in which a session works, or else the one that ended last, as JSON; None if it has none."""
    modes = document["modes"]
    assert isinstance(modes, list)  # noqa: S101 - for the type checker: the model of a session says so
    own = [each for each in modes if each["session"] == where["session"]]
    active = [each for each in own if each["active"]]
    ended = sorted(own, key=lambda each: each["completed_at"] or each["updated_at"] or "")
    if not ended:
        return None
    found = active[0] if active else ended[-1]
    title, _ = title_of(found["mode"], str(where["session"]), found["title"])
    return {"mode": found["mode"], "title": title, "page": mode_address(where, found["mode"])}


def _shown(
    place: Place, session: str, mode: str, events: Sequence[Event], record: JsonObject | None,
    document: JsonObject | None, now: float,
) -> JsonObject:  # fmt: skip
    definition, path = MODES.get(mode), ModePath(events)
    status, outcome = _status(path, record, document)
    phase = _text(record, "phase") or path.current
    if path.visits and path.visits[-1].ended_at is None and status == WAITING:
        path.visits[-1].status = WAITING
    title, has_title = title_of(mode, session, path.title or _text(record, "title"))
    started = path.started_at or _text(record, "started_at")
    last = max(filter(None, (path.last_at, _text(record, "updated_at"))), default=None)
    until = now if status in GOES_ON else seconds(last or "")
    begun = seconds(started or "")
    if status not in GOES_ON:
        path.close(last)
    made = mode_timeline.as_json(mode, definition, path, phase, status, now)
    if definition is None:
        made["graph"] = {
            "svg": None,
            "problem": f"the machine of {mode} is on {place.machine.name}; only the path is here",
        }
    is_early = path.is_early or bool(record and record["early"])
    asking = [each for each in _questions(document) if each["mode"] == mode] if record and record["active"] else []
    return {
        "mode": mode,
        "project": place.address,
        "session": session or None,
        "title": title,
        "has_title": has_title,
        "status": status,
        "outcome": outcome,
        "early": is_early,
        "early_because": early_because(definition, phase) if is_early else None,
        "handed_over_to": path.target,
        "phase": phase,
        "asks": definition.states.get(phase) or None if definition and phase and status in HAS_NOT_ENDED else None,
        "iteration": record["iteration"] if record else path.iteration,
        "max_iterations": record["max_iterations"] if record else None,
        "reason": _text(record, "reason") or path.reason or None,
        "evidence": path.evidence or None,
        "proof": _proof(place, mode_proof.of_history(definition, events)),
        "plan": None,
        "brief": None,
        "started_at": started,
        "last_at": last,
        "seconds": round(max(0.0, until - begun), 3) if until is not None and begun is not None else None,
        "kind": ("planning" if definition.is_planning else "execution") if definition else None,
        "client": document["client"] if document else None,
        "resume": document["resume"] if document else [],
        "quiet_because": document["quiet_because"] if document and status in QUIET else None,
        "source": "",
        "file": None,
        **made,
        "rounds": list(path.rounds),
        "asked": [
            {
                "question": each["question"],
                "asked_at": each["asked_at"],
                "answer": None,
                "answered_at": each["answered_at"],
            }
            for each in path.questions
            if each["answered_at"] or each["id"] not in {question["question_id"] for question in asking}
        ],
        "questions": asking,
        "events": [mode_path.event_as_json(event) for event in events[-MOST_SHOWN:]],
        "event_count": len(events),
    }


def _status(path: ModePath, record: JsonObject | None, document: JsonObject | None) -> tuple[str, str | None]:
    """Return what a run is doing, and the word for its outcome, which is None while it goes on."""
    if record is None:
        return (path.status, path.outcome) if path.outcome else (UNKNOWN, None)
    if not record["active"]:
        outcome = _text(record, "outcome") or path.outcome or ""
        return mode_path.how_ended(outcome), outcome or None
    if record["waiting"]:
        return WAITING, None
    whole = document["status"] if document else RUNNING
    return str(whole) if whole in (CLOSED, *QUIET) else RUNNING, None


def _proof(place: Place, proof: JsonObject | None) -> JsonObject | None:
    """Return a proof; its output never leaves its machine."""
    if proof is None:
        return None
    return proof | {"output_problem": f"its output is on {place.machine.name} alone; `rcs dashboard` shows it there"}


def _questions(document: JsonObject | None) -> list[JsonObject]:
    found = document["questions"] if document else []
    return found if isinstance(found, list) else []


def _text(record: JsonObject | None, name: str) -> str | None:
    value = record[name] if record else None
    return value if isinstance(value, str) and value else None
