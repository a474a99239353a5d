"""What the pages of the shared database answer, over rows that machines have written, as a reader and nobody more."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from psycopg.errors import CheckViolation, InsufficientPrivilege
from starlette.testclient import TestClient

from rcs_hooks.dashboard import app
from rcs_hooks.dashboard.data import DashboardData
from rcs_hooks.dashboard.guard import AccessRules
from rcs_hooks.runs.records import NewEvent
from rcs_hooks.share import connecting
from rcs_hooks.share.shared_data import SharedData
from tests.share.machine_rows import RUN, Rows, entry_record, now, passage_record, session_record, task_record
from tests.table import each_row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.share.conftest import Database

HERE = "http://127.0.0.1:8727"


class Pages:
    """The application over two machines' rows, asked as `rcs_reader`."""

    def __init__(self, database: Database, home: str) -> None:
        self.database = database
        reader = database.role("looks", "rcs_reader")
        self.connect = lambda: connecting.open_link(database.address_of(reader))
        self.shared = SharedData(self.connect)
        self.rules = AccessRules("127.0.0.1", key=None)
        local = DashboardData(f"{home}/none.db", home, {"HOME": home})
        made = app.build_app(local, self.rules, shared=self.shared)
        self.client = TestClient(made, base_url=HERE, raise_server_exceptions=False)
        self.client.__enter__()
        self.writer = database.connect()
        self.laptop = Rows(self.writer, "laptop", "ann", "app")
        self.cloud = Rows(self.writer, "cloud", "bob", "site", texts=False)

    def get(self, address: str, **query: Any) -> dict[str, Any]:
        answer = self.client.get(f"/shared/api{address}", params=query)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def refused(self, address: str, **query: Any) -> tuple[int, str]:
        answer = self.client.get(f"/shared/api{address}", params=query)
        return answer.status_code, answer.json()["error"]

    def post(self, address: str, body: object) -> tuple[int, str]:
        own = {"Origin": HERE, "X-RCS-Token": self.rules.token}
        answer = self.client.post(f"/shared/api{address}", json=body, headers=own)
        return answer.status_code, answer.json().get("error")

    def fill(self) -> None:
        """Write something of each kind on both machines."""
        self.laptop.fill()
        self.cloud.fill()

    def close(self) -> None:
        self.client.__exit__(None, None, None)
        self.writer.close()


@pytest.fixture
def pages(database: Database, tmp_path: Any) -> Iterator[Pages]:
    made = Pages(database, str(tmp_path))
    yield made
    made.close()


@pytest.fixture
def full(pages: Pages) -> Pages:
    pages.fill()
    return pages


ANSWERS: list[tuple[str, dict[str, str]]] = [
    ("/overview", {}),
    ("/all", {}),
    ("/runs", {}),
    ("/runs", {"sort": "name"}),
    ("/sessions", {}),
    ("/sessions", {"active": "true"}),
    ("/tasks", {}),
    ("/attention", {}),
]


@each_row(("address", "query"), ANSWERS)
def test_an_answer_has_the_fields_of_the_local_one_with_rows_and_without(
    pages: Pages, address: str, query: dict[str, str]
) -> None:
    local = pages.client.get(f"/api{address}", params=query).json()
    assert set(pages.get(address, **query)) == set(local)
    pages.fill()
    assert set(pages.get(address, **query)) == set(local)


def test_the_overview_has_every_machine_each_thing_once(full: Pages) -> None:
    found = full.get("/overview")
    shown = [
        (entry["kind"], entry["name"], entry["project"]) for group in ("waiting", "running") for entry in found[group]
    ]
    assert sorted(shown) == [
        ("mode", "blueprint", "//cloud/site"), ("mode", "blueprint", "//laptop/app"),
        ("mode", "forge", "//cloud/site"), ("mode", "forge", "//laptop/app"),
        ("run", "build-fast", "//cloud/site"), ("run", "build-fast", "//laptop/app"),
    ]  # fmt: skip
    assert found["projects"] == ["//cloud/site", "//laptop/app"]
    asked = next(entry for entry in found["waiting"] if entry["question"])
    assert asked["command"] == "rcs question answer q1 'YOUR ANSWER'"


FILTERS = [("//laptop/app", ["//laptop/app"]), ("//laptop", ["//laptop/app"]), ("~bob", ["//cloud/site"]),
           ("//nowhere/app", [])]  # fmt: skip


@each_row(("asked", "shown"), FILTERS)
def test_a_list_is_of_a_project_a_machine_or_a_person(full: Pages, asked: str, shown: list[str]) -> None:
    assert sorted({run["project"] for run in full.get("/runs", project=asked)["runs"]}) == shown
    assert sorted({each["root"] for each in full.get("/sessions", project=asked)["sessions"]}) == shown
    assert sorted({each["root"] for each in full.get("/tasks", project=asked)["tasks"]}) == shown
    assert sorted({each["project"] for each in full.get("/all", project=asked)["entries"]}) == shown
    overview = full.get("/overview", project=asked)
    assert sorted({each["project"] for each in overview["waiting"] + overview["running"]}) == shown


def test_a_run_has_its_machine_where_that_ships(full: Pages) -> None:
    run = full.get("/runs/r1@laptop")
    assert run["graph"]["svg"]
    assert run["reason"] == "key?"
    assert [event["seq"] for event in run["events"]] == [1, 2]
    assert run["events"][-1]["id"] == run["last_event"]
    assert [artifact["missing"] for artifact in run["artifacts"]] == [False]


def test_the_page_of_a_mode_says_early_and_what_is_open_is_not_also_asked(pages: Pages) -> None:
    def shown(**fields: Any) -> dict[str, Any]:
        pages.laptop.document("session", "s1", session_record(**fields))
        return pages.get("/modes/forge", project="//laptop/app", session="s1")

    ended = session_record()["modes"][0] | {"active": False, "outcome": "finished", "early": True}
    assert shown(modes=[ended], status="finished", early=True)["early"]
    for event in ("started", "question"):
        pages.laptop.mode("s1", "forge", event, "", "starting", data={"id": "q2"})
    question = {"question_id": "q2", "mode": "forge", "question": "Which?", "options": [], "created_at": now(5)}
    found = shown(questions=[question])
    assert ([each["question_id"] for each in found["questions"]], found["asked"]) == (["q2"], [])


REFUSALS = [
    ("/questions/q1/answer", {"root": "//laptop/app", "answer": "a"},
     "on laptop, type: rcs question answer q1 'YOUR ANSWER'"),
    ("/runs/r1@cloud/end", {"status": "failed"}, "on cloud, type: rcs runs end r1 --status failed"),
    ("/modes/clear", {"root": "//laptop/app", "session": "s1", "mode": "forge"},
     "on laptop, type: rcs state clear --mode forge --session s1"),
]  # fmt: skip


@each_row(("address", "body", "says"), REFUSALS)
def test_nothing_is_acted_on_and_the_refusal_says_where(full: Pages, address: str, body: object, says: str) -> None:
    assert full.post(address, body) == (409, f"the shared pages are for looking; {says}")


NOT_THERE = [
    ("/runs/r9@laptop", {}), ("/runs/r1@nowhere", {}), ("/runs/r1", {}), ("/runs/@", {}),
    ("/modes/forge", {"project": "//laptop/none", "session": "s1"}),
    ("/modes/forge", {"project": "//laptop/app", "session": "s9"}), ("/modes/forge", {}),
]  # fmt: skip


@each_row(("address", "query"), NOT_THERE)
def test_what_is_not_there_is_one_sentence(full: Pages, address: str, query: dict[str, str]) -> None:
    status, sentence = full.refused(address, **query)
    assert status == 404
    assert "\n" not in sentence


HOSTILE: list[object] = [
    None, 5, "text", [], {}, {"modes": 5}, {"group": "waiting"}, {"group": ["x"], "kind": "mode"},
    session_record(modes=[{"mode": "<script>"}]), session_record(questions=[7, {}]),
    session_record(questions=[{"question_id": "q; rm -rf /", "question": "?"}]), session_record(future={"x": 1}),
    session_record(updated_at="yesterday"), session_record(blocks=None), entry_record(since="\x1b[31m"),
    entry_record(question={"id": "$(rm)", "text": "?"}), entry_record(title="<img src=x onerror=alert(1)>\u202e"),
    entry_record(command="rm -rf ~"), entry_record(early="maybe"), entry_record(iteration=10**400),
    task_record(gates=[{"to": 5}]), task_record(phase=["x"]), task_record(why="x" * 10), task_record(newer=[1]),
    passage_record(early="maybe"), passage_record(n="one"), passage_record(session="../../etc"),
    json.loads("[" * 200 + "]" * 200),
    session_record(modes=[session_record()["modes"][0]] * 200), {str(number): "x" * 100 for number in range(500)},
]  # fmt: skip


@pytest.mark.slow
def test_whatever_a_machine_writes_as_a_document_is_shown_or_passed_over(full: Pages) -> None:
    for number, record in enumerate(HOSTILE):
        for kind in ("session", "task", "entry", "passage", "unheard-of"):
            full.laptop.document(kind, f"s{number + 10}", json.dumps(record), at=["", "zzz", now()][number % 3])
    for address, query in ANSWERS:
        found = full.get(address, **query)
        text = json.dumps(found)
        assert "rm -rf" not in text
        assert "\\u202e" not in text
        assert "\\u001b" not in text
    names = {entry["session"] for entry in full.get("/overview")["running"]}
    assert "s1" in names


def test_names_of_machines_and_projects_lead_nowhere_else(pages: Pages) -> None:
    with pages.database.connect() as owner:
        owner.execute("ALTER TABLE rcs.machines DROP CONSTRAINT machines_name_check")
        owner.execute("ALTER TABLE rcs.projects DROP CONSTRAINT projects_name_check")
        owner.execute(
            "UPDATE rcs.machines SET name = '../@lap/top' || chr(8238), person = '~<b>' WHERE id = %s",
            (pages.laptop.machine,),
        )
        owner.execute("UPDATE rcs.projects SET name = '/etc/passwd' WHERE id = %s", (pages.laptop.project,))
    pages.fill()
    assert "//..__lap_top/_etc_passwd" in pages.get("/overview")["projects"]
    names = [run["run_id"] for run in pages.get("/runs")["runs"]]
    assert sorted(names) == ["r1@..__lap_top", "r1@cloud"]
    assert pages.get("/runs/r1@..__lap_top")["run_id"] == "r1@..__lap_top"


# --- what a writer's own role may write with plain SQL


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


def event() -> NewEvent:
    return NewEvent(1, now(), "status_change", "plan", None, "running", "{}", automatic=False)


def look_at_all(pages: Pages) -> None:
    own = [("/runs/e1@eve", {}), ("/modes/forge", {"project": "//eve/app", "session": "s1"})]
    for address, query in [*ANSWERS, *own]:
        pages.get(address, **query)


DEEP = "[" * 5_000 + "]" * 5_000
REFUSED = ['{"x": 1e131071}', json.dumps({"x": "y" * 70_000})]


def test_documents_that_no_machine_needs_are_refused_or_passed_over(full: Pages, eve: Rows) -> None:
    for number, record in enumerate(REFUSED):
        with pytest.raises(CheckViolation):
            eve.document("entry", f"x{number}", record)
    for number, record in enumerate([DEEP, '{"n": 1e300, "since": -1e300}', json.dumps(entry_record(iteration=2**60))]):
        for kind in ("entry", "session", "task", "passage"):
            eve.document(kind, f"y{number}", record)
    look_at_all(full)


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
    look_at_all(full)
