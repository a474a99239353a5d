"""Turns local records into the rows that leave the machine: everything that may leave passes through here. Pure.

Rules of this file:
- What leaves is named field by field; a field that nobody names stays.
- Without texts there leave names of workflows, modes, phases, steps and agents, words for states, counts, times, ids of
  sessions, and questions with their options. Ids that a person wrote become digests and numbers.
- Prompts, answers, outputs of proofs and contents of artifacts never leave.
- Every text is cleaned and bounded, and PostgreSQL can store it.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING
from uuid import UUID

from rcs_hooks import jsontext
from rcs_hooks.files.clock import iso, seconds
from rcs_hooks.overview.reasons import NAMES as WHY
from rcs_hooks.overview.reasons import message_in
from rcs_hooks.share.rows import ArtifactRow, ModeEventRow, RunEventRow, RunRow, StepRow, TaskMoveRow
from rcs_hooks.state import history
from rcs_hooks.text import clean
from rcs_hooks.workflow.mode_record import TITLE_LENGTH
from rcs_hooks.workflow.proof import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.runs.log_records import LoggedArtifact, LoggedRun, LoggedRunEvent, LoggedStep
    from rcs_hooks.state.history import Event

NAME_LENGTH = 128
TEXT_LENGTH = 1_000
PATH_LENGTH = 400
LONGEST_DATA = 8_192
"""How many characters the data of one event may have as JSON; of longer data only what says why leaves."""
MOST_VALUES = 100
DEEPEST = 4
LARGEST = 2**53
LARGEST_COUNT = 2**31
NO_DATA = "{}"
OWN_MACHINE = "own"
"""What stands for the file of a machine that is not shipped, where no path may leave."""
DIGEST_BYTES = 6
"""So long that no two units or tasks of a machine become one."""
WHO = ("agent", "terminal", "script")
COUNTS = ("exit", "seconds", "passed", "timed_out", "early", "gap")
"""The data of an event of a mode that are numbers and truths."""
TEXTS = ("reason", "evidence", "plan", "brief", "command", "folder", "why", "text")


class Leaving:
    """What of one project's records may leave one machine."""

    def __init__(self, machine: str, *, texts: bool, shipped: str) -> None:
        """Create the rule. `machine`: the machine's id, with which digests are keyed. `shipped`: this package."""
        self.texts = texts
        self._key = UUID(machine).bytes
        self._shipped = shipped

    # --- runs

    def run(self, run: LoggedRun) -> RunRow:
        workflow = _name(run.workflow)
        return RunRow(
            id=run.id,
            run_id=clean(run.run_id, PATH_LENGTH) if self.texts else f"{workflow}-{run.id}",
            workflow=workflow,
            feature=self._text(run.feature, TITLE_LENGTH),
            file=self._machine_file(workflow, run.file),
            status=_name(run.status),
            current=_name_or_none(run.current),
            events=_small(run.events) or 0,
            artifacts=_small(run.artifacts) or 0,
            started_at=moment(run.started_at) or "",
            last_at=moment(run.last_at) or "",
            last_ms=_count(run.last_ms) or 0,
            ended=_name_or_none(run.ended),
            reason=(message_in(_text_of(run.reason), TEXT_LENGTH) or None) if self.texts and run.reason else None,
            session=_name_or_none(run.session),
            client=_name_or_none(run.client),
            open_steps="\n".join(map(_name, _text_of(run.open_steps).split("\n")[:MOST_VALUES])) or None,
            local_last_event=run.last_event,
        )

    def _machine_file(self, workflow: str, file: str | None) -> str | None:
        if not file:
            return None
        if _text_of(file).startswith(f"{self._shipped}/"):
            return f"rcs:{workflow}"
        return clean(file, PATH_LENGTH) if self.texts else OWN_MACHINE

    def run_event(self, event: LoggedRunEvent) -> RunEventRow:
        return RunEventRow(
            event.position, event.run, _small(event.seq) or 0, moment(event.at) or "", _name(event.type),
            _name_or_none(event.step), self.unit(event.unit or "") or None, _name_or_none(event.status),
            self._data(event.data), bool(event.automatic),
        )  # fmt: skip

    def step(self, step: LoggedStep) -> StepRow:
        return StepRow(
            step.run, _name(step.step), self.unit(step.unit), _name(step.agent), _name(step.parent),
            _name(step.status), _small(step.entered) or 0, _small(step.last) or 0, _small(step.visits) or 0,
            moment(step.started_at), moment(step.ended_at), _count(step.open_ms), _count(step.spent_ms) or 0,
        )  # fmt: skip

    def artifact(self, artifact: LoggedArtifact) -> ArtifactRow | None:
        """Return the row of an artifact; None where texts may not leave: it is a path."""
        if not self.texts:
            return None
        return ArtifactRow(
            artifact.run, clean(artifact.path, PATH_LENGTH), _name_or_none(artifact.type),
            clean(artifact.feature, TITLE_LENGTH) or None, _name_or_none(artifact.step), bool(artifact.subflow),
            moment(artifact.at) or "", _small(artifact.seq) or 0,
        )  # fmt: skip

    def unit(self, name: str) -> str:
        """Return the name of a unit, or what stands for it; empty if there is none."""
        if not _text_of(name):
            return ""
        return clean(name, NAME_LENGTH) if self.texts else f"unit-{self._digest(name)}"

    # --- modes and tasks

    def mode_event(self, event: Event) -> ModeEventRow:
        return ModeEventRow(
            event.n, moment(event.at), _name(event.mode), _name(event.event), _name(event.from_), _name(event.to),
            _small(event.iteration), self._text(event.title, TITLE_LENGTH) or "",
            jsontext.dumps_line(self._mode_data(event)),
        )  # fmt: skip

    def _mode_data(self, event: Event) -> JsonObject:
        data = event.data
        found: JsonObject = {name: value for name in COUNTS if _is_number(value := data.get(name))}
        if event.event in (history.QUESTION, history.ANSWER):
            found |= {name: text for name in ("id", "outcome", "asked_by") if (text := _name(data.get(name)))}
        if event.event == history.QUESTION and (asked := clean(data.get("text"), TEXT_LENGTH)):
            found["text"] = asked
        if data.get("proof") in VERDICTS:
            found["proof"] = data["proof"]
        if self.texts and event.event != history.ANSWER:
            found |= {name: text for name in TEXTS if (text := clean(data.get(name), TEXT_LENGTH))}
            if isinstance(changed := data.get("changed"), list):
                found["changed"] = [clean(each, PATH_LENGTH) for each in changed[:MOST_VALUES]]
        return found

    def task(self, name: str) -> str:
        """Return the name of a task, or what stands for it."""
        return clean(name, NAME_LENGTH) if self.texts else f"task-{self._digest(name)}"

    def task_move(self, position: int, line: Mapping[str, object]) -> TaskMoveRow:
        """Return the row of a line of a transcript. `position`: the number of the line."""
        data: JsonObject = {"by": line["by"]} if line.get("by") in WHO else {}
        if self.texts:
            data |= {"reason": text} if (text := clean(line.get("reason"), TEXT_LENGTH)) else {}
            failed = line.get("failed")
            data |= {"failed": _cleaned(failed, DEEPEST)} if isinstance(failed, list) and failed else {}
        kind, before, after = (_name(line.get(name)) for name in ("kind", "from", "to"))
        return TaskMoveRow(position, moment(line.get("ts")), kind, before, after, jsontext.dumps_line(data))

    # --- what all have

    def _digest(self, text: str) -> str:
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES, key=self._key).hexdigest()

    def _text(self, value: object, limit: int = TEXT_LENGTH) -> str | None:
        return (clean(value, limit) or None) if self.texts else None

    def _data(self, data: str) -> str:
        if not self.texts or data == NO_DATA:
            return NO_DATA
        try:
            found = jsontext.loads(data)
        except (ValueError, TypeError):
            return NO_DATA
        if not isinstance(found, dict):
            return NO_DATA
        text = jsontext.dumps_line(_cleaned(found, DEEPEST))
        if len(text) <= LONGEST_DATA:
            return text
        return jsontext.dumps_line({name: text for name in WHY if (text := clean(found.get(name), TEXT_LENGTH))})


def moment(value: object) -> str | None:
    """Return a moment as our clock writes it; None for anything else."""
    if isinstance(value, str) and len(value) == 24 and value[10] == "T" and value[23] == "Z":
        digits = f"{value[:4]}{value[5:7]}{value[8:10]}{value[11:13]}{value[14:16]}{value[17:19]}{value[20:23]}"
        if digits.isascii() and digits.isdigit() and value[4] + value[7] + value[13] + value[16] + value[19] == "--::.":
            return value
    at = seconds(value) if isinstance(value, str) and len(value) <= 40 else None
    return iso(at) if at is not None and at >= 0 else None


def _text_of(value: object) -> str:
    """Return a text as it is; empty for anything else, which a column of SQLite may hold whatever its type."""
    return value if isinstance(value, str) else ""


def _name(value: object) -> str:
    return clean(value, NAME_LENGTH)


def _name_or_none(value: object) -> str | None:
    return clean(value, NAME_LENGTH) or None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < LARGEST else None


def _small(value: object) -> int | None:
    found = _count(value)
    return found if found is not None and abs(found) < LARGEST_COUNT else None


def _is_number(value: object) -> bool:
    if isinstance(value, float):
        return value - value == 0.0  # neither infinite nor no number
    return isinstance(value, int) and abs(value) < LARGEST


def _cleaned(value: object, deep: int) -> object:
    """Return a value of JSON with every text in it cleaned; what is deeper or longer than we look is left out."""
    if isinstance(value, str):
        return clean(value, TEXT_LENGTH)
    if value is None or _is_number(value):
        return value
    if deep and isinstance(value, dict):
        pairs: Sequence[tuple[object, object]] = list(value.items())[:MOST_VALUES]
        return {clean(key, NAME_LENGTH): _cleaned(each, deep - 1) for key, each in pairs}
    if deep and isinstance(value, list):
        return [_cleaned(each, deep - 1) for each in value[:MOST_VALUES]]
    return None
