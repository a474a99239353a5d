"""The database: who may use it, what it answers, and what stands in its way."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from typing import Any

import pytest

from rcs_hooks.environment import Environment
from rcs_hooks.errors import Refused, StoreError
from rcs_hooks.runs import queries, sqlite_errors, sqlite_schema
from rcs_hooks.runs.queries import event_as_json
from rcs_hooks.runs.records import EventRecord, StepRecord
from rcs_hooks.runs.store import location_of
from tests.runs.support import BUILD, Project, listed, shown
from tests.table import each_row

DAY = 24 * 3600


def ms(project: Project) -> int:
    return round(project.now * 1000)


# --- the file


def test_the_folder_and_the_database_are_for_nobody_else(project: Project) -> None:
    project.emit("requirements")
    assert stat.S_IMODE(project.database.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(project.database.stat().st_mode) == 0o600
    found = [project.query(f"PRAGMA {name}") for name in ("journal_mode", "user_version", "application_id")]
    assert found == [[("wal",)], [(sqlite_schema.VERSION,)], [(sqlite_schema.APPLICATION,)]]


def test_rcs_db_names_another_file_and_without_a_home_there_is_no_place() -> None:
    home = {"HOME": "/home/u"}
    assert location_of(Environment(home | {"RCS_DB": "x.db"}, "/here", 0)) == "/here/x.db"
    assert location_of(Environment(home | {"RCS_DB": " "}, "/here", 0)) == "/home/u/.rcs/rcs.db"
    with pytest.raises(StoreError, match=r"HOME is not an absolute path, so there is no place for \.rcs/rcs\.db; set"):
        location_of(Environment({}, "/here", 0))
    with pytest.raises(StoreError, match="RCS_DB: it has to be the path of an SQLite file"):
        location_of(Environment({"RCS_DB": "postgresql://x"}, "/here", 0))


def test_a_database_of_a_newer_version_is_refused_and_not_touched(project: Project) -> None:
    project.emit("requirements")
    connection = sqlite3.connect(project.database)
    connection.execute(f"PRAGMA user_version = {sqlite_schema.VERSION + 1}")
    connection.close()
    before = project.dump()
    with pytest.raises(StoreError) as caught:
        project.emit("design")
    assert str(caught.value) == (
        f"{project.database} was made by a newer version of rcs (its schema is {sqlite_schema.VERSION + 1}, "
        f"this one knows {sqlite_schema.VERSION}); install that version, or set RCS_DB to another file"
    )
    assert project.dump() == before


@each_row("sql", ["CREATE TABLE theirs (a)", "PRAGMA application_id = 77"])
def test_a_database_of_another_program_is_refused_and_not_touched(project: Project, sql: str) -> None:
    project.database.parent.mkdir()
    connection = sqlite3.connect(project.database)
    connection.execute(sql)
    connection.commit()
    connection.close()
    before = project.database.read_bytes()
    with pytest.raises(StoreError, match="is a database of another program"):
        project.emit("requirements")
    assert project.database.read_bytes() == before


def test_an_empty_file_becomes_a_database_and_a_folder_does_not(project: Project) -> None:
    project.database.mkdir(parents=True)
    with pytest.raises(StoreError, match="is not a file; set RCS_DB"):
        project.emit("requirements")
    project.database.rmdir()
    project.database.touch()
    assert project.emit("requirements")["seq"] == 1


def test_a_locked_database_is_explained_in_a_sentence(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.emit("requirements")
    monkeypatch.setattr(sqlite_schema, "BUSY_SECONDS", 0.05)
    holder = sqlite3.connect(project.database, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="was locked by another process for more than 5 s; try again"):
        project.emit("design")
    holder.execute("ROLLBACK")
    holder.close()
    assert project.emit("design")["seq"] == 3


# --- what a page asks


def test_units_and_agents_are_nested_under_the_step_they_belong_to(project: Project) -> None:
    from rcs_hooks.machine import mermaid

    project.emit("requirements")
    project.emit("building", unit="T1")
    project.emit("completed", "completed", unit="T1")
    project.emit("requirements", "failed", unit="T9")
    store = project.store()
    machine = mermaid.read(f"stateDiagram-v2{BUILD}", name="build", file="")
    first, *others = shown(store, "r1", ms(project), machine=machine)["timeline"]
    store.close()
    assert [step["step"] for step in others] == ["design", "tasks", "build", "verify", "archive"]
    assert [(unit["unit"], unit["status"]) for unit in first["units"]] == [("T9", "failed")]
    (agent,) = first["agents"]
    assert (agent["agent"], agent["unit"], agent["step"], agent["status"]) == (
        "task-builder", "T1", "task-builder:completed", "completed",
    )  # fmt: skip
    assert [step["step"] for step in agent["steps"]] == ["task-builder:building", "task-builder:completed"]


def test_time_in_a_step_is_summed_over_its_visits(project: Project) -> None:
    project.walk("requirements", "design", "tasks", "build", "verify", "build", "verify")
    store = project.store()
    steps = {step["step"]: step for step in shown(store, "r1", ms(project) + 500)["steps"]}
    store.close()
    assert (steps["build"]["seconds"], steps["build"]["visits"]) == (1.998, 2)
    assert (steps["verify"]["seconds"], steps["verify"]["ended_at"]) == (1.499, None)


# --- what SQLite cannot take, and what it says


@each_row("asked", [{"workflow": "a\udcff"}, {"project": "/a\udcff"}, {"feature": "\ud800"}, {"run_id": "\udcff"}])
def test_text_that_is_not_utf_8_is_one_sentence(project: Project, asked: dict[str, Any]) -> None:
    project.emit("requirements")
    store = project.store()
    with pytest.raises(Refused, match="is not UTF-8, so it can neither be stored nor looked for"):
        shown(store, asked["run_id"], 0) if "run_id" in asked else listed(store, ms(project), **asked)
    store.close()


def test_a_project_whose_name_is_not_utf_8_is_refused_and_nothing_is_written(project: Project) -> None:
    project.emit("requirements")
    before = project.dump()
    (project.root / "p\udcff").mkdir()
    with pytest.raises(Refused, match=r"p\\udcff' is not UTF-8"):
        project.emit("requirements", run="r2", project="p\udcff")
    assert project.dump() == before


@each_row("asked", [{"before": 2**63}, {"limit": 2**63}])
def test_a_number_that_is_too_large_is_one_sentence(project: Project, asked: dict[str, int]) -> None:
    project.emit("requirements")
    store = project.store()
    with pytest.raises(Refused, match="a number is too large; 9223372036854775807 is the last"):
        listed(store, ms(project), **asked)
    store.close()


@each_row(("code", "said"), [
    (sqlite3.SQLITE_FULL, "/x.db cannot grow, for the disk is full; nothing was changed"),
    (sqlite3.SQLITE_IOERR_SHMSIZE, "/x.db cannot be read or written (words); see whether its disk is full"),
    (sqlite3.SQLITE_BUSY_SNAPSHOT, "/x.db was locked by another process for more than 5 s; try again"),
])  # fmt: skip
def test_an_error_of_sqlite_says_what_to_do(code: int, said: str) -> None:
    error = sqlite3.OperationalError("words")
    error.sqlite_errorcode = code
    with pytest.raises(StoreError) as caught, sqlite_errors.translate_errors("/x.db"):
        raise error
    assert str(caught.value) == said


def test_a_run_is_shown_as_it_was_at_one_moment(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.emit("requirements")
    store = project.store()
    steps = store.steps

    def steps_of_another_moment(run: int) -> list[StepRecord]:
        project.emit("design")
        return steps(run)

    monkeypatch.setattr(store, "steps", steps_of_another_moment)
    found = shown(store, "r1", 0)
    assert (found["event_count"], [step["step"] for step in found["steps"]], len(found["events"])) == (
        1, ["requirements"], 1,
    )  # fmt: skip
    monkeypatch.undo()
    assert shown(store, "r1", 0)["event_count"] == 3
    store.close()


# --- what is exported


@pytest.mark.parametrize("run_id", ["r1", None])
def test_an_export_of_one_run_or_all_keeps_no_other_reader_from_a_clean_log(
    project: Project, run_id: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page is read and let go, however slowly it is taken."""
    monkeypatch.setattr(queries, "PAGE", 5)
    for _ in range(queries.PAGE + 5):
        project.emit("requirements")
    store = project.store()
    assert list(queries.export(store, run_id=run_id, workflow="plain")) == []
    events = queries.export(store, run_id=run_id)
    assert next(events)["seq"] == 1
    project.emit("requirements")
    assert project.query("PRAGMA wal_checkpoint(TRUNCATE)") == [(0, 0, 0)]
    assert [event["seq"] for event in events] == list(range(2, queries.PAGE + 7))
    store.close()


def test_the_last_events_of_a_run_can_be_had_alone(project: Project) -> None:
    for _ in range(7):
        project.emit("requirements")
    store = project.store()
    assert [event["seq"] for event in shown(store, "r1", 0, last=3)["events"]] == [5, 6, 7]
    assert [event["seq"] for event in shown(store, "r1", 0, after=5, last=3)["events"]] == [6, 7]
    assert [event["seq"] for event in shown(store, "r1", 0, last=30)["events"]] == [1, 2, 3, 4, 5, 6, 7]
    store.close()


# --- rows that another hand has spoilt


@each_row(("data", "shown"), [
    ('{"status": "running"}', {"status": "running"}), ("x" * 300, {"unreadable": "x" * 200}),
    (None, {"unreadable": "None"}),
])  # fmt: skip
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
