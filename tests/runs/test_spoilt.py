"""Rows that another hand has spoilt: each is shown as that, and hides no other."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.runs.queries import event_as_json
from rcs_hooks.runs.records import EventRecord

if TYPE_CHECKING:
    from tests.runs.support import Project


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        ('{"status": "running"}', {"status": "running"}),
        ("not json", {"unreadable": "not json"}),
        ("x" * 300, {"unreadable": "x" * 200}),
        (None, {"unreadable": "None"}),
    ],
)
def test_an_event_is_shown_whatever_its_data(data: str, shown: object) -> None:
    event = EventRecord(1, 1, "", "status_change", "a", None, "running", data, False, "r1", "build", "/p")
    assert event_as_json(event) == event._asdict() | {"data": shown}


def test_a_run_with_a_spoilt_event_is_shown_and_exported(project: Project) -> None:
    project.walk("requirements", "design")
    with closing(sqlite3.connect(project.database)) as database, database:
        database.execute("UPDATE events SET data = 'not json' WHERE seq = 1")
    for words in (("show", "r1"), ("export",)):
        done = project.rcs("runs", *words)
        assert (done.returncode, done.stderr) == (0, "")
        assert "design" in done.stdout
