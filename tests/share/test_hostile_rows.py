"""What a writer's own role may write with plain SQL, and the pages stay quick and true: sizes, counts, names, locks."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from psycopg.errors import CheckViolation, InsufficientPrivilege

from rcs_hooks.runs.records import NewEvent
from tests.share.machine_rows import Rows, entry_record, now, session_record
from tests.share.test_shared_pages import ANSWERS, RUN, Pages, full, pages

if TYPE_CHECKING:
    from collections.abc import Iterator


__all__ = ["full", "pages"]


@pytest.fixture
def eve(full: Pages) -> Iterator[Rows]:
    """A machine whose role is a writer's and nothing more, with rows of its own."""
    role = full.database.role("eve", "rcs_writer")
    with psycopg.connect(full.database.url(role), autocommit=True) as sql:
        rows = Rows(sql, "eve", "eve", "app")
        rows.run(RUN._replace(run_id="e1", last_ms=round(time.time() * 1000)), event())
        rows.mode("s1", "forge", "started", "", "starting", at=now(60))
        rows.document("session", "s1", session_record())
        rows.document("entry", "e1", entry_record())
        yield rows


def event() -> Any:
    return NewEvent(1, now(), "status_change", "plan", None, "running", "{}", automatic=False)


def answers(pages: Pages) -> dict[str, str]:
    own = [("/runs/e1@eve", {}), ("/modes/forge", {"project": "//eve/app", "session": "s1"})]
    found = {}
    for address, query in [*ANSWERS, *own]:
        answer = pages.client.get(f"/shared/api{address}", params=query)
        assert answer.status_code == 200, answer.text
        found[f"{address}{query}"] = answer.text
    return found


DEEP = "[" * 5_000 + "]" * 5_000
REFUSED = ['{"x": 1e131071}', json.dumps({"x": "y" * 70_000})]


def test_documents_that_no_machine_needs_are_refused_or_passed_over(full: Pages, eve: Rows) -> None:
    for number, record in enumerate(REFUSED):
        with pytest.raises(CheckViolation):
            eve.document("entry", f"x{number}", record)
    for number, record in enumerate([DEEP, '{"n": 1e300, "since": -1e300}', json.dumps(entry_record(iteration=2**60))]):
        for kind in ("entry", "session", "task", "passage"):
            eve.document(kind, f"y{number}", record)
    answers(full)


NUMBERS = [
    ("UPDATE rcs.runs SET last_event = 9000000000000000000 WHERE machine = %s", InsufficientPrivilege),
    ("UPDATE rcs.runs SET last_ms = 9000000000000000000 WHERE machine = %s", CheckViolation),
    ("UPDATE rcs.machines SET clock_ms = -9000000000000000000 WHERE id = %s", CheckViolation),
]


def test_numbers_that_would_hide_or_break_what_others_wrote_are_refused(full: Pages, eve: Rows) -> None:
    for statement, refusal in NUMBERS:
        with pytest.raises(refusal):
            eve.do(statement, eve.machine)
    eve.do("UPDATE rcs.machines SET clock_ms = 10000000000000 WHERE id = %s", eve.machine)
    eve.do("UPDATE rcs.runs SET events = 2147483647, last_ms = -100000000000000 WHERE machine = %s", eve.machine)
    eve.do("UPDATE rcs.projects SET changed = 9223372036854775807 WHERE machine = %s", eve.machine)
    answers(full)
