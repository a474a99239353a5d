"""Turns what a write says of a run into fields of its record: verdict and reason, plan and brief, the title."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rcs_hooks.errors import Refused
from rcs_hooks.files.paths import fault_of
from rcs_hooks.text import clean
from rcs_hooks.workflow.lifecycle import REASON, VERDICT, is_clean, verdict_note
from rcs_hooks.workflow.mode_record import TITLE_LENGTH

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.catalog import ModeDef
    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.state.scopes import Scope
    from rcs_hooks.workflow.mode_record import ModeRecord

PATHS = ("plan", "brief")
NOT_STORED = ("fresh", "verdict")
"""What a write says that is no field of the record."""


def with_stored_paths(scope: Scope, wanted: Mapping[str, object]) -> tuple[JsonObject, list[str]]:
    """Return the fields with the paths as a record holds them, and a warning for each file that is not there.

    A path in the workspace is stored relative to it.
    """
    fields, warnings = dict(wanted), []
    for name in PATHS:
        if isinstance(path := wanted.get(name), str):
            full = _full(scope, name, path)
            root = os.path.normpath(scope.root)
            fields[name] = os.path.relpath(full, root) if full.startswith(f"{root}/") else full
            if not os.path.isfile(full):
                warnings.append(f"{name}: there is no file {clean(fields[name], 200)}; it is recorded all the same")
    return fields, warnings


def _full(scope: Scope, name: str, path: str) -> str:
    """Return the absolute path of a file that a call names: from its folder or, where that has none, the workspace."""
    if fault := fault_of(path):
        raise Refused(f"{name}: {fault}; nothing was written")
    here = os.path.normpath(os.path.join(scope.cwd or scope.root, path))
    there = os.path.normpath(os.path.join(scope.root, path))
    return there if not os.path.exists(here) and os.path.exists(there) else here


def fields_of(mode: ModeDef, record: ModeRecord, wanted: Mapping[str, object]) -> JsonObject:
    """Return the fields to write into the record of a mode.

    A verdict is kept in the mode's `state`, and in the record itself where another tool has put one there.
    Raises Refused for a verdict on a mode that has no review.
    """
    fields = {name: value for name, value in wanted.items() if name not in NOT_STORED}
    if "title" in wanted:
        fields["title"] = clean(wanted["title"], TITLE_LENGTH)
    if "verdict" not in wanted:
        return fields
    if not mode.returns_to:
        raise Refused(
            f"verdict: {mode.name} has no review; nothing was written. To say what shows the work: --evidence"
        )
    verdict = wanted["verdict"]
    review: JsonObject = {VERDICT: verdict, REASON: None if is_clean(verdict) else wanted.get("reason")}
    if "lifecycle_outcome" not in wanted:
        fields.pop("reason", None)
    state = fields.get("state")
    fields["state"] = {**(state if isinstance(state, dict) else {}), **review}
    return fields | {name: value for name, value in review.items() if record.has(name)}


def with_review(mode: ModeDef, old: ModeRecord, record: ModeRecord, fields: Mapping[str, object]) -> ModeRecord:
    """Return the record with a note of the verdict that it had, if the run comes to another review by this write.

    That verdict stays where it is: until the next one, it decides whether the run may finish or hand back.
    `fields`: what is written; a verdict among them is the new one.
    """
    state = fields.get("state")
    said = {*fields, *(state if isinstance(state, dict) else {})}
    if not said.isdisjoint((VERDICT, REASON)):
        return record.without(("reviewed",))
    comes = record.phase != mode.state_named(old.phase) and record.phase in mode.states
    if not (mode.returns_to and comes and mode.can_finish(record.phase)):
        return record
    note = verdict_note(record)
    return record.with_fields({"reviewed": note}) if note else record.without(("reviewed",))
