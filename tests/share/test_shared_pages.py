"""What the pages of the shared database answer, over rows that machines have written, as a reader and nobody more."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from psycopg.sql import SQL, Identifier
from starlette.testclient import TestClient

from rcs_hooks.dashboard import app
from rcs_hooks.dashboard.data import DashboardData
from rcs_hooks.dashboard.guard import AccessRules
from rcs_hooks.runs.records import ArtifactRecord, NewEvent, RunRecord, StepRecord
from rcs_hooks.share import connecting
from rcs_hooks.share.reader import PostgresStore
from rcs_hooks.share.shared_data import SharedData
from tests.share.conftest import Database
from tests.share.machine_rows import Rows, entry_record, now, passage_record, session_record, task_record
from tests.table import each_row

HERE = "http://127.0.0.1:8727"
RUN = RunRecord(
    id=0, run_id="r1", workflow="build-fast", project="", feature="login", file="rcs:build-fast", status="waiting",
    current="plan", events=0, artifacts=1, started_at=now(90), last_at=now(), last_ms=0, last_event=0, ended=None,
)  # fmt: skip


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
        import time

        run = RUN._replace(last_ms=round(time.time() * 1000))
        question = {"question_id": "q1", "mode": "forge", "question": "Which?", "options": ["a", "b"],
                    "created_at": now(5)}  # fmt: skip
        for rows in (self.laptop, self.cloud):
            stored = rows.run(
                run,
                NewEvent(1, now(90), "status_change", "plan", None, "running", "{}", automatic=False),
                NewEvent(2, now(), "status_change", "plan", "T1", "waiting", '{"message": "key?"}', automatic=False),
                reason="needs a key",
            )
            rows.step(stored, StepRecord("plan", status="waiting", entered=1, last=2, visits=1, started_at=now(90)))
            rows.artifact(stored, ArtifactRecord("plan.md", None, None, "plan", False, now(), 2))
            rows.mode("s1", "forge", "started", "", "starting", title="fix the login", at=now(60))
            rows.mode("s1", "forge", "phase", "starting", "executing", iteration=1, at=now(30))
            rows.mode("s1", "own-mode", "started", "", "begin", at=now(20))
            rows.document("session", "s1", session_record(questions=[question]))
            rows.document("entry", "e1", entry_record())
            asked = {"id": "q1", "text": "Which?", "options": ["a", "b"]}
            rows.document("entry", "e2", entry_record("blueprint", "waiting", session="s2", question=asked))
            rows.document("task", "t1", task_record())
            rows.document("passage", "s1:forge:1", passage_record())

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
def test_an_answer_has_the_fields_of_the_local_one(full: Pages, address: str, query: dict[str, str]) -> None:
    local = full.client.get(f"/api{address}", params=query).json()
    assert set(full.get(address, **query)) == set(local)


def test_an_empty_database_is_no_error(pages: Pages) -> None:
    for address, query in ANSWERS:
        pages.get(address, **query)
    assert pages.get("/machines")["machines"]


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
    assert len({entry["key"] for entry in found["waiting"] + found["running"]}) == 6
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


def test_a_mode_has_its_machine_where_that_ships_and_else_its_path(full: Pages) -> None:
    forge = full.get("/modes/forge", project="//laptop/app", session="s1")
    assert (forge["status"], forge["phase"], forge["title"]) == ("running", "executing", "fix the login")
    assert forge["graph"]["svg"]
    assert [each["question_id"] for each in forge["questions"]] == ["q1"]
    own = full.get("/modes/own-mode", project="//laptop/app", session="s1")
    assert own["graph"] == {"svg": None, "problem": "the machine of own-mode is on laptop; only the path is here"}
    assert own["status"] == "unknown"
    (step,) = own["timeline"]
    assert (step["step"], step["status"], step["ended_at"]) == ("begin", "running", own["last_at"])


def test_a_mode_that_waits_has_lasted_since_it_began_unless_its_machine_does_not_say_so(pages: Pages) -> None:
    asked: dict[str, Any] = {"since": now(120), "question": {"id": "q1", "text": "Which?", "options": []}}
    for rows, told in ((pages.laptop, {"started_at": now(18_000)}), (pages.cloud, {})):
        rows.document("entry", "e1", entry_record(group="waiting", **asked, **told))
    began = {entry["project"]: entry["started_at"] for entry in pages.get("/all")["entries"]}
    assert began["//laptop/app"] < now(17_000) < began["//cloud/site"] == asked["since"]


@pytest.mark.parametrize("status", ["stalled", "inactive", "closed"])
def test_a_mode_in_which_nothing_goes_on_is_as_on_its_own_machine(pages: Pages, status: str) -> None:
    ago = {"stalled": 2, "inactive": 48, "closed": 48}[status] * 3_600
    (mode,) = session_record()["modes"]
    last_at = now(ago)
    mode |= {"started_at": now(ago + 180), "updated_at": last_at}
    told = "closed" if status == "closed" else "running"
    pages.laptop.mode("s1", "forge", "started", "", "starting", iteration=1, at=now(ago + 180))
    pages.laptop.mode("s1", "forge", "phase", "starting", "executing", iteration=1, at=now(ago + 60))
    pages.laptop.document("session", "s1", session_record(status=told, modes=[mode], updated_at=last_at), at=last_at)
    found = pages.get("/modes/forge", project="//laptop/app", session="s1")
    goes_on = status == "stalled"
    assert (found["status"], [each["status"] for each in found["runs"]]) == (status, [status])
    assert (found["seconds"] > ago) == goes_on
    assert [found[key][-1]["ended_at"] is None for key in ("visits", "rounds")] == [goes_on, goes_on]
    assert found["asks"]
    needs = pages.get("/attention")
    silent = {kind: [need["since"] for need in needs[kind]] for kind in ("stalled", "inactive") if needs[kind]}
    assert silent == ({} if status == "closed" else {status: [last_at]})


def test_an_early_end_is_told_as_one_and_an_older_machine_does_not_know_of_it(pages: Pages) -> None:
    ended = session_record()["modes"][0] | {"active": False, "outcome": "finished"}
    for rows, told in ((pages.laptop, {"early": True}), (pages.cloud, {})):
        rows.document("passage", "s1:forge:1", passage_record() | told)
        rows.document("session", "s1", session_record(status="finished", modes=[ended | told]) | told)
    passages = {entry["project"]: entry["early"] for entry in pages.get("/all")["entries"]}
    assert passages == {"//laptop/app": True, "//cloud/site": False}
    sessions = pages.get("/sessions")["sessions"]
    assert {each["root"]: each["early"] for each in sessions} == passages
    assert {each["root"]: each["modes"][0]["early"] for each in sessions} == passages
    of_modes = {root: pages.get("/modes/forge", project=root, session="s1") for root in passages}
    assert {root: each["early"] for root, each in of_modes.items()} == passages


def test_a_question_that_is_open_is_not_also_among_those_that_were_asked(pages: Pages) -> None:
    question = {"question_id": "q2", "mode": "forge", "question": "Which?", "options": [], "created_at": now(5)}
    pages.laptop.document("session", "s1", session_record(questions=[question]))
    pages.laptop.mode("s1", "forge", "started", "", "starting", at=now(60))
    for number, event in (("q1", "question"), ("q1", "answer"), ("q2", "question")):
        pages.laptop.mode("s1", "forge", event, "starting", "starting", at=now(30), data={"id": number})
    found = pages.get("/modes/forge", project="//laptop/app", session="s1")
    assert [each["question_id"] for each in found["questions"]] == ["q2"]
    assert [each["answered_at"] is None for each in found["asked"]] == [False]


def test_the_word_for_an_end_is_no_phase_whatever_machine_writes_it(pages: Pages) -> None:
    ended = session_record()["modes"][0] | {"active": False, "outcome": "failed", "phase": "failed"}
    pages.laptop.document("session", "s1", session_record(status="failed", modes=[ended]))
    pages.laptop.document("passage", "s1:forge:1", passage_record(outcome="failed", phase="failed"))
    pages.laptop.document("entry", "e1", entry_record(group="ended", outcome="failed", phase="failed", since=now()))
    (session,) = pages.get("/sessions")["sessions"]
    (entry,) = pages.get("/all")["entries"]
    (listed,) = pages.get("/overview")["ended"]
    page = pages.get("/modes/forge", project="//laptop/app", session="s1")
    assert [each["phase"] for each in (session["modes"][0], entry, listed, page)] == [None] * 4


def test_the_sessions_that_wait_come_first(pages: Pages) -> None:
    for number, status in enumerate(("waiting", "running", "failed", "waiting", "finished")):
        at = now(500 - 100 * number)
        pages.laptop.document("session", f"s{number}", session_record(status=status, modes=[], updated_at=at), at=at)
    for limit, names in ((5, ["s3", "s0", "s1", "s4", "s2"]), (2, ["s3", "s0"])):
        found = pages.get("/sessions", limit=limit)
        assert ([each["session"] for each in found["sessions"]], found["more"]) == (names, limit < 5)


def test_one_session_is_found_however_many_are_newer(pages: Pages) -> None:
    names = [f"s{number}" for number in range(310)]
    for number, name in enumerate(names):
        at = now(1_000 - number)
        pages.laptop.document("session", name, session_record(updated_at=at), at=at)
    pages.laptop.document("session", "", session_record(), at=now(9_000))
    pages.cloud.document("session", "s0", session_record(), at=now(9_000))

    def asked(**query: str) -> list[tuple[str, str | None]]:
        return [(each["root"], each["session"]) for each in pages.get("/sessions", limit=50, **query)["sessions"]]

    assert ("//laptop/app", "s0") not in asked()
    assert sorted(asked(session="s0")) == [("//cloud/site", "s0"), ("//laptop/app", "s0")]
    assert asked(session="s0", project="//laptop/app", active="true") == [("//laptop/app", "s0")]
    assert asked(session="") == [("//laptop/app", None)]
    assert asked(session="none") == asked(session="s0", project="//nowhere") == []


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


def test_contents_of_artifacts_are_on_their_machine_alone(full: Pages) -> None:
    says = "'plan.md' has not left laptop; to read it there: rcs dashboard"
    assert full.refused("/runs/r1@laptop/artifact", path="plan.md") == (409, says)
    assert full.refused("/runs/r1@laptop/file", path="plan.md") == (409, says)


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
    session_record(modes=[{"mode": "<script>"}]), session_record(status={"a": 1}), session_record(questions=[7, {}]),
    session_record(questions=[{"question_id": "q; rm -rf /", "question": "?"}]), session_record(future={"x": 1}),
    session_record(updated_at="yesterday"), session_record(blocks=None), entry_record(since="\x1b[31m"),
    entry_record(question={"id": "$(rm)", "text": "?"}), entry_record(title="<img src=x onerror=alert(1)>\u202e"),
    entry_record(command="rm -rf ~"), entry_record(early="maybe"), entry_record(iteration=10**400),
    task_record(gates=[{"to": 5}]), task_record(phase=["x"]), task_record(why="x" * 10), task_record(newer=[1]),
    session_record(early="maybe"), session_record(modes=[session_record()["modes"][0] | {"early": 5}]),
    passage_record(early="maybe"), passage_record(n="one"), passage_record(session="../../etc"),
    passage_record(verdict="yes"),
    json.loads("[" * 200 + "]" * 200), {"group": "running", "kind": "mode", "name": {"deep": [[[[[[[[1]]]]]]]]}},
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


def test_rows_with_texts_in_their_numbers_places_are_no_error(full: Pages) -> None:
    """What PostgreSQL's types let through: odd statuses, moments that are none, data that is no JSON."""
    import time

    odd = RUN._replace(
        run_id="odd\x07<b>", status="levitating", last_at="soon", started_at="", current="\x1b]0;x",
        last_ms=round(time.time() * 1000),
    )  # fmt: skip
    full.laptop.run(odd, NewEvent(1, "later", "<i>", None, "u", "?", "no json", automatic=True))
    full.laptop.mode("s1", "forge", "levitated", "", "x")
    full.laptop.mode("s1", "forge", "phase", "\x1b[1m", "<b>", data={"text": ["x"]}, at="no time")
    for address in ("/overview", "/all", "/runs", "/attention"):
        full.get(address)
    assert full.get("/modes/forge", project="//laptop/app", session="s1")["phase"] == "executing"


def test_the_pages_are_served_and_have_the_switch(full: Pages) -> None:
    for address in ("/", "/shared/", "/shared/runs", "/shared/runs/r1@laptop", "/shared/machines"):
        answer = full.client.get(address, headers={"accept": "text/html"})
        assert answer.status_code == 200
        assert '<body data-shared="both">' in answer.text
    assert full.client.get("/api/machines").status_code == 404
    assert full.client.get("/shared/api/machines").status_code == 200


def test_a_connection_that_was_lost_is_opened_again_and_a_database_that_is_away_is_one_sentence(full: Pages) -> None:
    name = full.database.name
    full.get("/overview")
    with full.database.server.connect() as admin:
        admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))
        full.get("/overview")
        admin.execute(SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(Identifier(name)))
        admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))
        status, sentence = full.refused("/overview")
    assert status == 503
    assert "127.0.0.1" in sentence


def test_two_projects_of_one_name_on_a_machine_have_an_address_each(full: Pages) -> None:
    other = Rows(full.writer, "tablet", "ann", "app")
    other.machine, other.name = full.laptop.machine, "laptop"
    other.project = other.made_project("app")
    other.source = other.made_source("runs", "")
    other.document("session", "s1", session_record())
    other.run(RUN._replace(run_id="r7"), NewEvent(1, now(), "x", None, None, None, "{}", automatic=False))
    roots = [each["root"] for each in full.get("/sessions")["sessions"]]
    assert sorted(roots) == ["//cloud/site", "//laptop/app", "//laptop/app-2"]
    assert full.get("/runs/r7@laptop")["project"] == "//laptop/app-2"
    assert [each["run_id"] for each in full.get("/runs", project="//laptop/app-2")["runs"]] == ["r7@laptop"]
    names = [each["name"] for each in full.get("/machines")["machines"] for each in each["projects"]]
    assert sorted(names) == ["app", "app", "app-2", "site"]


def test_the_page_of_a_run_leads_to_its_session_and_the_mode_in_it(full: Pages) -> None:
    full.writer.execute("UPDATE rcs.runs SET session = 's1', client = 'claude'")
    run = full.get("/runs/r1@laptop")
    assert run["session_page"] == "/sessions?project=%2F%2Flaptop%2Fapp&session=s1"
    page = "/modes/forge?project=%2F%2Flaptop%2Fapp&session=s1"
    assert run["mode"] == {"mode": "forge", "title": "fix the login", "page": page}
    full.writer.execute("UPDATE rcs.runs SET session = 's9'")
    run = full.get("/runs/r1@laptop")
    assert (run["session_page"], run["mode"]) == (None, None)


def test_a_record_of_the_workspace_itself_has_a_page(full: Pages) -> None:
    (mode,) = session_record()["modes"]
    full.laptop.document("session", "", session_record(session=None, modes=[mode | {"session": None}]))
    shown = full.get("/modes/forge", project="//laptop/app")
    assert (shown["session"], shown["status"], shown["phase"], shown["title"]) == (
        None, "running", "executing", "fix the login",
    )  # fmt: skip
    assert (shown["events"], shown["problem"]) == ([], None)


def test_a_database_that_was_restored_from_a_backup_is_another_one(full: Pages) -> None:
    store = PostgresStore(full.connect)
    before = store.change_token()
    assert not store.is_replaced()
    full.writer.execute("DELETE FROM rcs.batches WHERE id = %s", [before])
    assert store.change_token() < before
    assert store.is_replaced()
    store.close()


LOGGED = [("laptop", 300), ("cloud", 200), ("laptop", 100), ("laptop", 150), ("cloud", 50)]


def test_what_happened_is_in_the_order_of_time_and_of_each_machine_in_its_own(pages: Pages) -> None:
    machines = {"laptop": pages.laptop, "cloud": pages.cloud}
    for name in ("cloud", "laptop"):  # each machine sends all of its own at once
        for number, (machine, ago) in enumerate(LOGGED):
            if machine == name:
                machines[name].mode("s1", "forge", "phase", "", f"p{number}", at=now(ago))
    store = PostgresStore(pages.connect)
    found = store.shown.latest_events(10, project=None, session=None, mode="")
    store.close()
    assert [entry.event.to for _, _, entry in found] == ["p0", "p1", "p2", "p3", "p4"]
