"""What a writer's own role may write with plain SQL, and the pages stay quick and true: sizes, counts, names, locks."""

from __future__ import annotations

import json
import time
import tracemalloc
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from psycopg.errors import CheckViolation, InsufficientPrivilege

from rcs_hooks.runs.records import NewEvent
from rcs_hooks.share import connecting
from rcs_hooks.share.reader import IN_A_BATCH, PostgresStore
from tests.share.machine_rows import Rows, entry_record, now, session_record
from tests.share.test_shared_pages import ANSWERS, RUN, Pages, full, pages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rcs_hooks.share.connecting import Link

__all__ = ["full", "pages"]

HUGE = 100_000_000
LARGEST_ANSWER = 300_000


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


@pytest.mark.slow
def test_a_text_of_any_size_is_cut_in_the_server(full: Pages, eve: Rows) -> None:
    """None of the texts comes here: an answer has a few hundred kilobytes at most."""
    for table, columns in {
        "rcs.runs": ("feature", "workflow", "status", "reason", "open_steps", "client", "current"),
        "rcs.mode_events": (), "rcs.run_events": (),
    }.items():  # fmt: skip
        for column in columns:
            eve.do(f"UPDATE {table} SET {column} = repeat('x', %s) WHERE machine = %s", HUGE, eve.machine)
    source = eve.source
    eve.do(
        "INSERT INTO rcs.run_events"
        " (machine, source, position, run, seq, at, type, step, unit, status, data, automatic)"
        " SELECT %s, %s, 2, 1, 2, t, t, t, t, t, t, false FROM repeat('x', %s) t",
        eve.machine, source, HUGE,
    )  # fmt: skip
    eve.do("UPDATE rcs.runs SET events = 2 WHERE machine = %s", eve.machine)
    eve.batch(source, 1, 2)
    found = answers(full)
    assert {name: len(text) for name, text in found.items() if len(text) > LARGEST_ANSWER} == {}
    assert '"r1@laptop"' in found["/runs{}"]


@pytest.mark.slow
def test_a_machine_with_a_million_documents_hides_none_of_the_others(full: Pages, eve: Rows) -> None:
    eve.do(
        "INSERT INTO rcs.present (machine, project, kind, key, at, record)"
        " SELECT %s, %s, kind, 'x' || n, '9999-01-01T00:00:00.000Z', %s::jsonb || jsonb_build_object('n', n)"
        " FROM generate_series(1, 50000) n, unnest(ARRAY['entry', 'session', 'task', 'passage', 'other']) kind",
        eve.machine, eve.project, json.dumps(entry_record(session="s7")),
    )  # fmt: skip
    begun = time.process_time()
    overview = full.get("/overview")
    assert time.process_time() - begun < 5
    assert {"//laptop/app", "//cloud/site"} <= {each["project"] for each in overview["running"]}
    assert {each["root"] for each in full.get("/sessions", limit=1000)["sessions"]} >= {"//laptop/app", "//cloud/site"}
    answers(full)


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


def test_a_batch_that_says_more_than_it_has_costs_no_more_than_a_batch(full: Pages, eve: Rows) -> None:
    eve.do(
        "INSERT INTO rcs.run_events (machine, source, position, run, seq, at, type, data, automatic)"
        " SELECT %s, %s, n + 1, 1, n, '', 'x', '{}', false FROM generate_series(2, 30000) n",
        eve.machine, eve.source,
    )  # fmt: skip
    number = eve.batch(eve.source, -(2**62), 2**62)
    later = full.laptop.run(RUN._replace(run_id="r5", last_ms=round(time.time() * 1000)), event())
    store = PostgresStore(full.connect)
    found = store.events_after(number * 10_000, limit=20_000)
    assert [each.id for each in found] == sorted({each.id for each in found})
    assert found[-1].run_id == "r5@laptop"
    assert found[-1].id == later.last_event
    store.close()


@pytest.mark.parametrize("kind", ["phase", "unknown"])
def test_a_log_reads_no_more_of_a_history_than_it_shows(kind: str, full: Pages, eve: Rows) -> None:
    source = eve.made_source("history", "s9")
    eve.do(
        "INSERT INTO rcs.mode_events (machine, source, position, at, mode, event, title, data)"
        " SELECT %s, %s, n, '', 'forge', %s, repeat('x', 500), '{}' FROM generate_series(1, 3000) n",
        eve.machine, source, kind,
    )  # fmt: skip
    for _ in range(20):
        eve.batch(source, -(2**62), 2**62)
    full.laptop.mode("s1", "forge", "phase", "a", "z", at=now())
    store = PostgresStore(full.connect)
    tracemalloc.start()
    found = store.shown.latest_events(20, project=None, session=None, mode="forge")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    store.close()
    assert len(found) == (20 if kind == "phase" else 6)
    assert "z" in [entry.event.to for _, _, entry in found]
    assert peak < 10_000_000


NAMES = [
    "lарtop",
    "laptop\u2060",
    "lap top",
    "..",
    "a#b",
    "a@b".replace("@", "."),
    "<b>",
    "laptop \u00a0",
    "\u202elaptop",
]


def test_names_like_those_of_others_are_told_apart_and_their_pages_are_theirs(full: Pages, eve: Rows) -> None:
    made = [Rows(eve.sql, name, "ann", f"p{number}") for number, name in enumerate(NAMES)]
    for rows in made:
        rows.run(RUN._replace(run_id="r1", last_ms=round(time.time() * 1000)), event())
    machines = full.get("/machines")["machines"]
    names = [each["name"] for each in machines]
    assert len(set(names)) == len(names) == len(NAMES) + 3
    assert all(name.isprintable() and name == name.strip() for name in names)
    listed = full.get("/runs", limit=100)["runs"]
    assert len({run["run_id"] for run in listed}) == len(listed)
    for run in listed:
        shown = full.get(f"/runs/{run['run_id'].replace('#', '%23')}")
        assert (shown["run_id"], shown["project"]) == (run["run_id"], run["project"])
    assert full.get("/runs/r1@laptop")["project"] == "//laptop/app"


def test_a_writer_that_holds_its_locks_keeps_no_page_from_loading(full: Pages, eve: Rows) -> None:
    with eve.sql.transaction():
        eve.do("SELECT rcs.next_batch()")
        eve.do("UPDATE rcs.runs SET feature = 'held' WHERE machine = %s", eve.machine)
        eve.do("UPDATE rcs.machines SET program = 'held' WHERE id = %s", eve.machine)
        with full.database.connect() as owner:
            waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            answers(full)
            assert owner.execute(waiting.encode()).fetchone() == (0,)


def hidden_project(eve: Rows) -> int:
    """Make so many projects that nobody is shown all of them, and return one that is not."""
    eve.do(
        "INSERT INTO rcs.projects (machine, key, name, texts) SELECT %s, gen_random_uuid(), 'p' || n, false"
        " FROM generate_series(1, 300) n",
        eve.machine,
    )  # fmt: skip
    (hidden,) = eve.one("SELECT id FROM rcs.projects WHERE machine = %s ORDER BY key DESC LIMIT 1", eve.machine)
    return int(hidden)


def test_events_of_projects_that_nobody_is_shown_take_no_place_in_a_log(full: Pages, eve: Rows) -> None:
    full.laptop.mode("s1", "forge", "phase", "a", "z", at=now())
    eve.project = hidden_project(eve)
    source = eve.made_source("history", "s9")
    eve.do(
        "INSERT INTO rcs.mode_events (machine, source, position, at, mode, event, title, data)"
        " SELECT %s, %s, n, '', 'forge', 'phase', '', '{}' FROM generate_series(1, 50) n",
        eve.machine, source,
    )  # fmt: skip
    eve.batch(source, 0, 50)
    store = PostgresStore(full.connect)
    found = store.shown.latest_events(20, project=None, session=None, mode="forge")
    store.close()
    assert "z" in [entry.event.to for _, _, entry in found]


def test_events_of_runs_that_nobody_is_shown_take_no_place_among_those_that_are_new(full: Pages, eve: Rows) -> None:
    store = PostgresStore(full.connect)
    after = store.change_token() * IN_A_BATCH + IN_A_BATCH - 1
    eve.project = hidden_project(eve)
    run = eve.run(RUN._replace(run_id="e9"), event())
    eve.do(
        "INSERT INTO rcs.run_events (machine, source, position, run, seq, at, type, data, automatic)"
        " SELECT %s, %s, n, %s, n, '', 'status_change', '{}', false FROM generate_series(1001, 1050) n",
        eve.machine, eve.source, run.id % 2**48,
    )  # fmt: skip
    eve.batch(eve.source, 1000, 1050)
    full.laptop.run(RUN._replace(run_id="l9"), event())
    found = store.events_after(after, limit=20)
    store.close()
    assert [each.run_id for each in found] == ["l9@laptop"]


def counting(pages: Pages, asked: list[str]) -> Callable[[], Link]:
    """Open connections that write down each of their queries."""

    def connect() -> Link:
        link = connecting.open_link(pages.database.address)
        rows: Any = link.rows

        def counted(*values: Any) -> Any:
            asked.append(values[0])
            return rows(*values)

        setattr(link, "rows", counted)  # noqa: B010 - a method of this one alone
        return link

    return connect


def test_events_that_nobody_is_shown_cost_no_query_each(full: Pages, eve: Rows) -> None:
    asked: list[str] = []
    store = PostgresStore(counting(full, asked))
    after = store.change_token() * IN_A_BATCH + IN_A_BATCH - 1
    seen = [full.laptop.run(RUN._replace(run_id=f"l{number}"), event()).run_id for number in range(49)]
    eve.project = hidden_project(eve)
    run = eve.run(RUN._replace(run_id="e9"), event())
    eve.do(
        "INSERT INTO rcs.run_events (machine, source, position, run, seq, at, type, data, automatic)"
        " SELECT %s, %s, n, %s, n, '', 'status_change', '{}', false FROM generate_series(1001, 6000) n",
        eve.machine, eve.source, run.id % 2**48,
    )  # fmt: skip
    eve.batch(eve.source, 1000, 6000)
    for _ in range(2):
        asked.clear()
        assert [each.run_id for each in store.events_after(after, limit=50)] == seen
        assert len(asked) < 20
    full.laptop.do("DELETE FROM rcs.projects WHERE machine = %s AND name LIKE 'p%%' AND id <> %s",
                   eve.machine, eve.project)  # fmt: skip
    store.places()  # which has room for the project now
    assert len(store.events_after(after, limit=6_000)) == 49 + 1 + 5_000
    store.close()


def test_runs_of_projects_that_nobody_is_shown_cost_no_look_each(full: Pages, eve: Rows) -> None:
    hidden = hidden_project(eve)
    eve.do(
        "INSERT INTO rcs.runs (machine, source, id, project, run_id, workflow, file, status, events, artifacts,"
        " started_at, last_at, last_ms, last_event, local_last_event)"
        " SELECT machine, source, n, %s, 'e' || n, workflow, 'x', status, 0, 0, started_at, last_at, last_ms,"
        " last_event, 0 FROM rcs.runs, generate_series(1000, 1400) n WHERE machine = %s",
        hidden, eve.machine,
    )  # fmt: skip
    asked: list[str] = []
    store = PostgresStore(counting(full, asked))
    assert len(store.runs(round(time.time() * 1000), limit=1_000)) < 20
    store.close()
    assert len(asked) < 20
