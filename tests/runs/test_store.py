"""The database: who may use it, what it answers, and what stands in its way."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from rcs_hooks.environment import Environment
from rcs_hooks.errors import Refused, StoreError
from rcs_hooks.runs import queries, sqlite_errors, sqlite_schema
from rcs_hooks.runs.records import StepRecord
from rcs_hooks.runs.sqlite_store import open_readonly
from rcs_hooks.runs.store import location_of
from rcs_hooks.workflow.silence import INACTIVE_AFTER_MS
from tests.runs.support import BUILD, Project, listed, shown

DAY = 24 * 3600


def ms(project: Project) -> int:
    return round(project.now * 1000)


# --- the file


def test_the_folder_and_the_database_are_for_nobody_else(project: Project) -> None:
    project.emit("requirements")
    assert stat.S_IMODE(project.database.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(project.database.stat().st_mode) == 0o600


def test_it_is_wal_with_a_version_and_a_name(project: Project) -> None:
    project.emit("requirements")
    assert project.query("PRAGMA journal_mode") == [("wal",)]
    assert project.query("PRAGMA user_version") == [(sqlite_schema.VERSION,)]
    assert project.query("PRAGMA application_id") == [(sqlite_schema.APPLICATION,)]
    assert project.query("PRAGMA foreign_key_check") == []


def test_rcs_db_names_another_file() -> None:
    assert location_of(Environment({"HOME": "/home/u"} | {"RCS_DB": "x.db"}, "/here", 0)) == "/here/x.db"
    assert location_of(Environment({"HOME": "/home/u"} | {"RCS_DB": " "}, "/here", 0)) == "/home/u/.rcs/rcs.db"


def test_without_a_home_there_is_no_place() -> None:
    with pytest.raises(
        StoreError, match=r"HOME is not an absolute path, so there is no place for \.rcs/rcs\.db; set RCS_DB"
    ):
        location_of(Environment({}, "/here", 0))


def test_a_reader_makes_no_file(tmp_path: Path) -> None:
    assert open_readonly(str(tmp_path / "rcs.db")) is None
    assert list(tmp_path.iterdir()) == []


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


def test_a_database_of_another_program_is_refused_and_not_touched(project: Project) -> None:
    project.database.parent.mkdir()
    connection = sqlite3.connect(project.database)
    connection.execute("CREATE TABLE theirs (a)")
    connection.commit()
    connection.close()
    before = project.database.read_bytes()
    with pytest.raises(StoreError, match="is a database of another program"):
        project.emit("requirements")
    assert project.database.read_bytes() == before


def test_an_empty_file_becomes_a_database(project: Project) -> None:
    project.database.parent.mkdir()
    project.database.touch()
    assert project.emit("requirements")["seq"] == 1


def test_a_folder_is_no_database(project: Project) -> None:
    project.database.mkdir(parents=True)
    with pytest.raises(StoreError, match="is not a file; set RCS_DB"):
        project.emit("requirements")


def test_a_home_that_is_a_file_is_one_sentence(project: Project) -> None:
    shutil.rmtree(project.home)
    project.home.touch()
    with pytest.raises(StoreError, match=r"cannot be used \(not a directory\); from a sandbox, use the tool `emit`"):
        project.emit("requirements")


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


def test_runs_are_filtered_and_come_last_active_first(project: Project) -> None:
    project.emit("requirements", run="r1", data={"status": "running", "feature": "x"})
    project.emit("detect", "waiting", run="r2", workflow="blueprint")
    project.emit("requirements", "completed", run="r3")
    store = project.store()

    def ids(**asked: Any) -> list[str]:
        return [run["run_id"] for run in listed(store, ms(project), **asked)["runs"]]

    assert ids() == ["r3", "r2", "r1"]
    assert ids(workflow="build") == ["r3", "r1"]
    assert ids(status="waiting") == ["r2"]
    assert ids(status="idle") == ["r3"]
    assert ids(feature="x") == ["r1"]
    assert ids(project=str(project.root)) == ["r3", "r2", "r1"]
    assert ids(project="/elsewhere") == []
    assert ids(since_ms=ms(project) - 1000) == ["r3", "r2"]
    assert ids(until_ms=ms(project) - 1000) == ["r1"]
    store.close()


def test_a_cursor_walks_over_all_runs_once(project: Project) -> None:
    for number in range(7):
        project.emit("requirements", run=f"r{number}")
    store = project.store()
    seen, before = [], None
    while True:
        page = listed(store, ms(project), limit=3, before=before)
        seen += [run["run_id"] for run in page["runs"]]
        before = page["next"]
        if before is None:
            break
    store.close()
    assert seen == [f"r{number}" for number in reversed(range(7))]


def test_a_run_without_an_event_for_a_day_is_inactive_until_the_next(project: Project) -> None:
    project.emit("requirements")
    project.emit("prd", run="r2", workflow="plain")
    project.emit("prd", "failed", run="r3", workflow="plain")
    project.now += DAY
    store = project.store()
    assert {run["run_id"]: run["status"] for run in listed(store, ms(project))["runs"]} == {
        "r1": "inactive", "r2": "inactive", "r3": "failed",
    }  # fmt: skip
    assert [run["run_id"] for run in listed(store, ms(project), status="inactive")["runs"]] == [
        "r2",
        "r1",
    ]
    assert listed(store, ms(project), status="running")["runs"] == []
    project.emit("design")
    assert listed(store, ms(project))["runs"][0]["status"] == "running"
    store.close()
    assert INACTIVE_AFTER_MS == DAY * 1000


def test_events_of_all_runs_follow_one_number(project: Project) -> None:
    for number in range(5):
        project.emit("requirements", run=f"r{number % 2}")
    store = project.store()
    first = store.events_after(0, limit=2)
    rest = store.events_after(first[-1].id)
    assert [event.id for event in first + rest] == [1, 2, 3, 4, 5]
    assert [event.run_id for event in first + rest] == ["r0", "r1", "r0", "r1", "r0"]
    run = store.run("r0")
    assert run
    assert [event.seq for event in store.events(run.id, after=1)] == [2, 3]
    store.close()


def test_an_id_is_never_given_again(project: Project) -> None:
    project.emit("requirements", run="r1")
    project.now += DAY
    store = project.writable_store()
    assert queries.prune(store, queries.prunable_runs(store, ms(project), "1h")) == 1
    store.close()
    assert project.emit("requirements", run="r1")["event_id"] == 2


def test_the_change_token_changes_when_another_connection_has_written(project: Project) -> None:
    project.emit("requirements")
    store = project.store()
    before = store.change_token()
    assert store.change_token() == before
    project.emit("design")
    assert store.change_token() != before
    store.close()


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


def test_a_missing_artifact_is_shown_as_missing(project: Project) -> None:
    project.artifact("there.md")
    project.artifact("gone.md")
    (project.root / "there.md").touch()
    store = project.store()
    artifacts = shown(store, "r1", ms(project))["artifacts"]
    store.close()
    assert [(each["path"], each["missing"]) for each in artifacts] == [("there.md", False), ("gone.md", True)]


def test_a_database_that_another_program_has_put_its_name_on_is_refused(project: Project) -> None:
    """Even where it holds nothing yet."""
    project.database.parent.mkdir()
    connection = sqlite3.connect(project.database)
    connection.execute("PRAGMA application_id = 77")
    connection.close()
    with pytest.raises(StoreError, match="is a database of another program"):
        project.emit("requirements")


# --- what SQLite cannot take, and what it says


@pytest.mark.parametrize(
    "asked", [{"workflow": "a\udcff"}, {"project": "/a\udcff"}, {"feature": "\ud800"}, {"run_id": "\udcff"}], ids=str
)
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


@pytest.mark.parametrize("asked", [{"before": 2**63}, {"limit": 2**63}], ids=str)
def test_a_number_that_is_too_large_is_one_sentence(project: Project, asked: dict[str, int]) -> None:
    project.emit("requirements")
    store = project.store()
    with pytest.raises(Refused, match="a number is too large; 9223372036854775807 is the last"):
        listed(store, ms(project), **asked)
    store.close()


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (sqlite3.SQLITE_FULL, "/x.db cannot grow, for the disk is full; nothing was changed"),
        (sqlite3.SQLITE_IOERR_SHMSIZE, "/x.db cannot be read or written (words); see whether its disk is full"),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, "/x.db was locked by another process for more than 5 s; try again"),
    ],
)
def test_an_error_of_sqlite_says_what_to_do(code: int, said: str) -> None:
    error = sqlite3.OperationalError("words")
    error.sqlite_errorcode = code
    with pytest.raises(StoreError) as caught, sqlite_errors.translate_errors("/x.db"):
        raise error
    assert str(caught.value) == said


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_runs_are_read_where_nothing_can_be_written(project: Project) -> None:
    """As from a sandbox: SQLite itself wants to make two files beside the database, even to read it."""
    project.emit("requirements")
    project.database.parent.chmod(0o500)
    store = project.store()
    assert [run["run_id"] for run in listed(store, ms(project))["runs"]] == ["r1"]
    store.close()
    with pytest.raises(StoreError, match=r"cannot be used \(.*\); from a sandbox, use the tool `emit`"):
        project.emit("design")
    project.database.parent.chmod(0o700)


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


def test_an_export_of_one_run_is_held_to_the_filters_too(project: Project) -> None:
    project.emit("requirements")
    store = project.store()
    assert len(list(queries.export(store, run_id="r1", workflow="build"))) == 1
    assert list(queries.export(store, run_id="r1", workflow="plain")) == []
    assert list(queries.export(store, run_id="r1", project="/elsewhere")) == []
    store.close()


@pytest.mark.parametrize("run_id", ["r1", None])
def test_an_export_keeps_no_other_reader_from_a_clean_log(project: Project, run_id: str | None) -> None:
    """A page is read and let go, however slowly it is taken."""
    for _ in range(queries.PAGE + 5):
        project.emit("requirements")
    store = project.store()
    events = queries.export(store, run_id=run_id)
    assert next(events)["seq"] == 1
    project.emit("requirements")
    assert project.query("PRAGMA wal_checkpoint(TRUNCATE)") == [(0, 0, 0)]
    assert [event["seq"] for event in events] == list(range(2, queries.PAGE + 7))
    store.close()


@pytest.mark.slow
def test_an_export_of_fat_events_takes_little_room(project: Project) -> None:
    fat = {"status": "running", "x": "y" * 200_000}
    for _ in range(queries.PAGE * 2):
        project.emit("requirements", data=fat)
    store = project.store()
    tracemalloc.start()
    assert sum(1 for _ in queries.export(store)) == queries.PAGE * 2
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    store.close()
    assert peak < 64_000_000


def test_the_last_events_of_a_run_can_be_had_alone(project: Project) -> None:
    for _ in range(7):
        project.emit("requirements")
    store = project.store()
    assert [event["seq"] for event in shown(store, "r1", 0, last=3)["events"]] == [5, 6, 7]
    assert [event["seq"] for event in shown(store, "r1", 0, after=5, last=3)["events"]] == [6, 7]
    assert [event["seq"] for event in shown(store, "r1", 0, last=30)["events"]] == [1, 2, 3, 4, 5, 6, 7]
    store.close()
