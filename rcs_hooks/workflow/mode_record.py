"""The record of one mode: what its file says.

Rules of this file:
- Other tools write these files too. Any field may be missing or hold any type, and there may be fields that nobody
  here knows. Reading never fails: a field of a wrong type counts as missing.
- Nothing is lost: a record that is written back holds every field that it was read with, in the order in which it was
  read, of whatever type, but for those that were replaced or removed. So the fields stay in one dict, and known ones
  are read from it when they are asked for; a slot for each would need a second store for order and wrong types.
- A record never changes. `with_fields` and `without` return another one.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.workflow.proof import Proof, ProofStatus

KNOWN = frozenset(
    (
        *("active", "mode", "current_phase", "iteration", "max_iterations", "state", "error"),
        *("lifecycle_outcome", "terminal_outcome", "run_outcome"),
        *("started_at", "updated_at", "completed_at", "session_id", "thread_id", "turn_id", "run"),
        *("question_enforcement", "resumed_from", "review_cycle", "review_verdict", "return_to_blueprint_reason"),
        *("auto_completed_reason", "completion_note", "transition_source", "transition_target_mode"),
        *(
            "title",
            "visited",
            "reason",
            "evidence",
            "plan",
            "brief",
            "finding",
            "reviewed",
            "early",
            "proof",
            "proof_named",
            "declared",
        ),
    )
)
TITLE_LENGTH = 80
"""How long a title is, wherever it is written or shown."""
CLEARED = "cleared"
"""The phase of a record that only says that there is no run."""


class ModeRecord:
    """What the file of a mode says: the known fields by name and type, and the others in `extra`."""

    __hash__ = None  # type: ignore[assignment]  # two records are equal by their fields
    __slots__ = ("_fields",)

    def __init__(self, fields: Mapping[str, object]) -> None:
        self._fields = fields

    @classmethod
    def from_json(cls, value: Mapping[str, object] | None) -> ModeRecord:
        """Return the record for a JSON object of any content; for None, a record without fields."""
        return cls(value or {})

    def to_json(self) -> JsonObject:
        """Return a JSON object with every field of the record, in the order of the file."""
        return dict(self._fields)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ModeRecord) and self._fields == other._fields

    def __repr__(self) -> str:
        return f"ModeRecord({self._fields!r})"

    def get(self, name: str, default: object = None) -> object:
        """Return a field as it was read, of whatever type; `default` if the record does not have it."""
        return self._fields.get(name, default)

    def has(self, name: str) -> bool:
        return name in self._fields

    @property
    def is_empty(self) -> bool:
        return not self._fields

    @property
    def extra(self) -> JsonObject:
        """Return the fields that are not in `KNOWN`; they survive every write."""
        return {name: value for name, value in self._fields.items() if name not in KNOWN}

    # --- the known fields

    @property
    def is_switched_on(self) -> bool:
        return self._fields.get("active") is True

    @property
    def phase(self) -> str:
        """Return the current phase; empty if the record states none."""
        return self._text("current_phase")

    @property
    def iteration(self) -> int | None:
        """Return the iteration that has begun; None if the record states none."""
        return self._count("iteration")

    @property
    def max_iterations(self) -> int | None:
        """Return the number of the last iteration; None if the record states none."""
        return self._count("max_iterations")

    @property
    def is_exhausted(self) -> bool:
        """Tell whether the run has reached its last iteration; False if the record states no last one."""
        iteration, most = self.iteration, self.max_iterations
        return iteration is not None and bool(most) and iteration >= (most or 0)

    @property
    def session_id(self) -> str | None:
        """Return the session that the record names; None if it names none."""
        named = self._text("session_id")
        return named if named.strip() else None

    @property
    def started_at(self) -> str:
        """Return when the run started, as the record writes it; empty if it does not say."""
        return self._text("started_at")

    @property
    def run(self) -> str:
        """Return what tells this run from every other run of the mode; empty for one that another tool started.

        It is the moment when the run began or was resumed, under a name that nobody else writes.
        """
        return self._text("run")

    @property
    def updated_at(self) -> str:
        """Return when the record was last written, as it says itself; empty if it does not say."""
        return self._text("updated_at")

    @property
    def completed_at(self) -> str:
        """Return when the run ended, as the record writes it; empty if it does not say."""
        return self._text("completed_at")

    @property
    def state(self) -> JsonObject:
        """Return what the mode's skill itself keeps in the record; empty if it keeps nothing."""
        return self._object("state")

    @property
    def question_enforcement(self) -> JsonObject:
        """Return the note of the question that the mode was told to wait for; empty if there is none."""
        return self._object("question_enforcement")

    @property
    def has_question_pending(self) -> bool:
        return self.question_enforcement.get("status") == "pending"

    @property
    def question_id(self) -> object:
        """Return the id of the question that the mode waits, or has waited, for; None if the record names none."""
        return self.question_enforcement.get("question_id")

    @property
    def resumed_after(self) -> str | None:
        """Return the outcome of the earlier run that this run has taken up; None if this run began afresh."""
        return str(self._object("resumed_from").get("outcome")) if "resumed_from" in self._fields else None

    @property
    def ended_before(self) -> str:
        """Return when the earlier run ended that this run has taken up; empty if this run began afresh."""
        ended = self._object("resumed_from").get("completed_at")
        return ended if isinstance(ended, str) else ""

    @property
    def reason_before(self) -> str:
        """Return why the earlier run ended that this run has taken up; empty if it is not known."""
        reason = self._object("resumed_from").get("reason")
        return reason if isinstance(reason, str) else ""

    @property
    def asked_at_resume(self) -> str:
        """Return the title of the prompt that took the run up; empty if that prompt only named the skill."""
        title = self._object("resumed_from").get("title")
        return title if isinstance(title, str) else ""

    @property
    def title(self) -> str:
        """Return the first words of the prompt that started the run; empty if it had none."""
        return self._text("title")

    @property
    def visited(self) -> tuple[str, ...]:
        """Return the phases of this round, in the order in which the run was in them first."""
        value = self._fields.get("visited")
        return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()

    @property
    def reason(self) -> str:
        """Return why the run ended as it did; empty if it did not say."""
        return self._text("reason")

    @property
    def evidence(self) -> str:
        """Return what shows that the run has done its work; empty if it did not say."""
        return self._text("evidence")

    @property
    def plan(self) -> str:
        """Return the path of the plan, relative to the workspace if it lies there; empty if the run has none."""
        return self._text("plan")

    @property
    def brief(self) -> str:
        """Return the path of the brief, relative to the workspace if it lies there; empty if the run has none."""
        return self._text("brief")

    @property
    def finding(self) -> str:
        """Return what a review found in the run that handed over to this one; empty if none did."""
        return self._text("finding")

    @property
    def is_early(self) -> bool:
        """Tell whether the run finished from a phase in which its machine does not end."""
        return self._fields.get("early") is True

    @property
    def proof(self) -> Proof | None:
        """Return the newest proof of the run; None if it has none."""
        from rcs_hooks.workflow.proof import Proof

        return Proof.from_json(self._fields.get("proof"))

    @property
    def proof_status(self) -> ProofStatus:
        """Return the stored verdict on the run: proven, stale or unproven."""
        from rcs_hooks.workflow.proof import status_of

        return status_of(self)

    @property
    def has_named_proof(self) -> bool:
        """Tell whether the settings named the command that proves the run, when its record was last written.

        A hook reads this in place of the settings. It is written where the run may end, and for one that has finished.
        """
        return self._fields.get("proof_named") is True

    @property
    def declared(self) -> JsonObject:
        """Return the definition of the mode that the record keeps; empty for a mode that ships."""
        return self._object("declared")

    @property
    def is_tombstone(self) -> bool:
        """Tell whether the record only says that there is no run."""
        return self.phase == CLEARED and not self.is_switched_on

    def _text(self, name: str) -> str:
        value = self._fields.get(name)
        return value if isinstance(value, str) else ""

    def _count(self, name: str) -> int | None:
        value = self._fields.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def _object(self, name: str) -> JsonObject:
        value = self._fields.get(name)
        return value if isinstance(value, dict) else {}

    # --- another record

    def with_fields(self, fields: Mapping[str, object]) -> ModeRecord:
        """Return another record with these fields set: a field that is there keeps its place, a new one comes last."""
        return ModeRecord({**self._fields, **fields})

    def without(self, names: Iterable[str]) -> ModeRecord:
        """Return another record without the fields of these names."""
        gone = frozenset(names)
        return ModeRecord({name: value for name, value in self._fields.items() if name not in gone})
