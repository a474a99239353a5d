"""Make the file of a review from one word and its reasons, as `rcs task review` records it. Pure.

What other reviewers have said stays in the file: a verdict that blocks is answered, or waived by an override, and never
lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.tasks.guards.plan import BLOCKED, NEEDS_CHANGES, OK
from rcs_hooks.tasks.phases import CODE_VERDICT, CODEGEN, PLAN_REVIEW, PLAN_VERDICT, PLANNING, REVIEW, TEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.tasks.author import Author

VERDICTS = (OK, NEEDS_CHANGES, BLOCKED)
PLAN, CODE = "plan", "code"
ISSUES_OF = (CODE, PLAN)
"""What an issue of a code review may be about: one of the plan leads back to planning."""
ARTIFACTS: dict[str, str] = {PLAN_REVIEW: PLAN_VERDICT, REVIEW: CODE_VERDICT}
BEFORE = {PLAN_REVIEW: PLANNING, REVIEW: CODEGEN}
"""The phase from which a verdict also enters the review that it is about."""
FORWARD = {PLAN_REVIEW: CODEGEN, REVIEW: TEST}
SEVERITIES = {OK: "info", NEEDS_CHANGES: "major", BLOCKED: "blocking"}
DECISIONS = {OK: "accepted", NEEDS_CHANGES: "needs_changes", BLOCKED: "blocked"}


class ReviewVerdict(NamedTuple):
    """What a person or an agent says of a plan or of code."""

    phase: str
    """The review that it is about: PLAN_REVIEW or REVIEW."""
    word: str
    reasons: tuple[str, ...] = ()
    about: str = CODE
    """Whether the issues of a code review are about the code or the plan."""

    @property
    def artifact(self) -> str:
        return ARTIFACTS[self.phase]

    @property
    def leads_to(self) -> str:
        """Return the phase to which the verdict leads."""
        if self.word == OK:
            return FORWARD[self.phase]
        return CODEGEN if (self.phase, self.about) == (REVIEW, CODE) else PLANNING

    def said(self, before: JsonObject, author: Author, plan_hash: str | None) -> JsonObject:
        """Return the keys of the artifact that the verdict sets; `before` is what the artifact says now."""
        return self._of_plan(before, author, plan_hash) if self.phase == PLAN_REVIEW else self._of_code(before, author)

    def _of_plan(self, before: JsonObject, author: Author, plan_hash: str | None) -> JsonObject:
        """Return the verdict on a plan. It counts for this plan alone: `plan_hash` is the SHA-256 of its file."""
        mine: JsonObject = {"id": author.kind, "ok": self.word == OK, "decision": self.word}
        mine |= {"severity": "blocking"} if self.word == BLOCKED else {}
        mine["blocking_issues" if self.word == BLOCKED else "reasons"] = list(self.reasons)
        others = [each for each in _list(before, "reviewers") if not _has(each, "id", author.kind)]
        meta = before.get("meta")
        rest = meta if isinstance(meta, dict) else {}
        return {
            "ok": self.word == OK,
            "blocked": self.word == BLOCKED,
            "reviewers": [*others, mine],
            "meta": rest | ({"plan_hash": plan_hash} if plan_hash else {}),
        }

    def _of_code(self, before: JsonObject, author: Author) -> JsonObject:
        others = [each for each in _list(before, "issues") if not _has(each, "by", author.kind)]
        mine: list[JsonObject] = [
            {"id": f"{author.kind}-{number}", "severity": SEVERITIES[self.word], "target": self.about,
             "message": reason, "by": author.kind}
            for number, reason in enumerate(self.reasons, 1)
        ]  # fmt: skip
        return {"ok": self.word == OK, "decision": DECISIONS[self.word], "issues": [*others, *mine]}


def _list(record: JsonObject, key: str) -> Sequence[object]:
    value = record.get(key)
    return value if isinstance(value, list) else ()


def _has(entry: object, key: str, value: str) -> bool:
    return isinstance(entry, dict) and entry.get(key) == value
