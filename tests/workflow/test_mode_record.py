"""The record of a mode: what strangers write is read without failing, and survives every write."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks.catalog import MODES
from rcs_hooks.jsontext import dumps_file
from rcs_hooks.state import mode_changes
from rcs_hooks.workflow.lifecycle import PUBLIC, is_active, outcome_of, review_is_open
from rcs_hooks.workflow.mode_record import KNOWN, ModeRecord
from tests.properties import examples

NOW = "2026-01-31T09:30:00.000Z"
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
RECORDS = st.dictionaries(st.sampled_from(sorted(KNOWN)) | st.text(max_size=8), VALUES, max_size=12)
PROPERTIES = [name for name, value in vars(ModeRecord).items() if isinstance(value, property)]
WRITES = {
    "started": lambda old: mode_changes.started(MODES["forge"], old, session="s1", turn="t1", now=NOW),
    "answered": lambda old: mode_changes.answered(MODES["forge"], old, now=NOW),
    "waiting": lambda old: mode_changes.waiting("forge", old, question="q1", now=NOW),
    "completed": lambda old: mode_changes.completed("forge", old, "team", now=NOW, path="x"),
    "interrupted": lambda old: mode_changes.interrupted("forge", old, now=NOW),
    "survivor_ended": lambda old: mode_changes.survivor_ended("forge", old, session="s1", now=NOW),
    "merged": lambda old: mode_changes.merged("forge", old, {"iteration": 3}, session="s1", now=NOW),
    "keeping_outcome": lambda old: mode_changes.keeping_outcome(old.with_fields({"run_outcome": "progress"}), old),
    **{f"with_outcome-{word}": partial(mode_changes.with_outcome, word=word, now=NOW) for word in PUBLIC},
}


@examples(100)
@given(RECORDS)
def test_a_record_of_any_content_is_read_and_written_back_to_the_byte(fields: dict[str, Any]) -> None:
    record = ModeRecord.from_json(fields)
    for name in PROPERTIES:
        getattr(record, name)
    assert outcome_of(record).public in (None, *PUBLIC)
    assert is_active(record) in (True, False)
    assert review_is_open(record) in (True, False)
    assert dumps_file(record.to_json()) == dumps_file(fields)


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
@examples(100)
@given(fields=RECORDS)
def test_unknown_fields_survive_every_write_in_their_order(write: Any, fields: dict[str, Any]) -> None:
    record = ModeRecord.from_json(fields)
    before = dumps_file(fields)
    assert list(write(record).extra.items()) == list(record.extra.items())
    assert dumps_file(record.to_json()) == before, "a record never changes"


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_a_field_of_a_wrong_type_survives_a_write_that_is_not_about_it(name: str) -> None:
    record = ModeRecord.from_json({"first": 1, name: ["wrong"], "last": 2})
    written = record.with_fields({"other": 3})
    assert list(written.to_json().items()) == [("first", 1), (name, ["wrong"]), ("last", 2), ("other", 3)]
    assert written.with_fields({name: "x"}).to_json() == {"first": 1, name: "x", "last": 2, "other": 3}
    assert list(written.without([name]).to_json()) == ["first", "last", "other"]
