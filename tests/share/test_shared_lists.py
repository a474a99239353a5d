"""`--shared` of `rcs status`, `log` and `runs`: as words with the machine, and as JSON; whole programs, as a reader."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rcs_hooks.cli import shared_lists
from rcs_hooks.runs.records import NewEvent, RunRecord
from rcs_hooks.share import sql
from rcs_hooks.share.errors import ShareError
from tests.runs.support import RCS
from tests.share.conftest import Database
from tests.share.machine_rows import Rows, entry_record, now, session_record
from tests.share.proxy import PASSES, REFUSES, Proxy
from tests.share.support import nothing_left_behind, wait_for
from tests.support import CHECKOUT, Record, clean_env
from tests.table import each_row

RUN = RunRecord(
    id=0, run_id="r1", workflow="build-fast", project="", feature="login page", file="rcs:build-fast",
    status="waiting", current="plan", events=0, artifacts=0, started_at=now(90), last_at=now(), last_ms=0,
    last_event=0, ended=None,
)  # fmt: skip
EVENT = NewEvent(1, now(90), "status_change", "plan", None, "running", "{}", automatic=False)


def _run(words: tuple[str, ...], folder: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*RCS, *words], cwd=folder, env=env, capture_output=True, text=True, timeout=60, check=False)


class Team:
    def __init__(self, database: Database, folder: Path) -> None:
        self.home, self.root = folder / "home", folder / "work"
        self.root.mkdir()
        (self.home / ".rcs").mkdir(parents=True)
        self.sql = database.connect()
        self.laptop = Rows(self.sql, "laptop", "ann", "app")
        self.cloud = Rows(self.sql, "cloud", "bob", "site")
        reader = database.role("looks", "rcs_reader")
        (self.home / ".rcs" / "config.toml").write_text(f'[share]\nurl = "{database.url(reader)}"\n')

    def fill(self) -> None:
        for rows in (self.laptop, self.cloud):
            rows.run(RUN._replace(last_ms=round(time.time() * 1000)), EVENT, reason="needs a key")
            rows.mode("s1", "forge", "started", "", "analyze", title="fix the login")
            rows.mode("s1", "forge", "phase", "analyze", "execute")
            rows.document("session", "s1", session_record())
            rows.document("entry", "e1", entry_record())
            asked = {"id": "q1", "text": "Which?", "options": []}
            rows.document("entry", "e2", entry_record("blueprint", "waiting", session="s2", question=asked))

    @property
    def env(self) -> dict[str, str]:
        return clean_env(HOME=str(self.home), PYTHONPATH=str(CHECKOUT))

    def rcs(self, *words: str) -> tuple[int, str, str]:
        done = _run(words, self.root, self.env)
        return done.returncode, done.stdout, done.stderr

    def said(self, *words: str) -> str:
        status, out, errors = self.rcs(*words)
        assert (status, errors) == (0, "")
        return out


@pytest.fixture
def team(database: Database, tmp_path: Path) -> Iterator[Team]:
    made = Team(database, tmp_path)
    yield made
    made.sql.close()


@pytest.fixture
def full(team: Team) -> Team:
    team.fill()
    return team


def test_status_says_on_which_machine_and_what_to_type_there(full: Team) -> None:
    said = full.said("status", "--shared")
    assert "Waits for you (4)" in said
    assert "On laptop: rcs question answer q1 'YOUR ANSWER'" in said.replace("  ", " ")
    for words in ("laptop", "cloud", "app", "site", "fix the login", "login page"):
        assert words in said
    found = json.loads(full.said("status", "--shared", "--json"))
    assert sorted({entry["project"] for entry in found["waiting"]}) == ["//cloud/site", "//laptop/app"]


@pytest.mark.slow
def test_the_log_says_on_which_machine(full: Team) -> None:
    lines = full.said("log", "--shared").splitlines()
    assert len(lines) == 4
    assert all(("laptop" in line) != ("cloud" in line) for line in lines)
    assert "started: analyze" in lines[0]
    found = [json.loads(line) for line in full.said("log", "--shared", "--json", "-n", "2").splitlines()]
    assert [(each["project"], each["person"], each["event"]) for each in found] == [
        ("//cloud/site", "bob", "started"), ("//cloud/site", "bob", "phase"),
    ]  # fmt: skip
    assert full.said("log", "--shared", "--mode", "blueprint").startswith("nothing has happened")


class Following:
    """`rcs log --shared --follow` in a process of its own, until the block ends."""

    def __init__(self, team: Team) -> None:
        self._program = subprocess.Popen(
            [*RCS, "log", "--shared", "--follow", "--json"], cwd=team.root, env=team.env | {"PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._program.stdout
        assert self._program.stderr
        self.out, self.errors = self._program.stdout, self._program.stderr

    def __enter__(self) -> Following:
        return self

    def __exit__(self, *_: object) -> None:
        self._program.kill()
        self._program.communicate(timeout=60)

    def upto(self, event: str) -> list[Record]:
        """Read what is printed, up to the first event of this kind."""
        found: list[Record] = []
        while not found or found[-1]["event"] != event:
            found.append(json.loads(self.out.readline()))
        return found

    def rest(self) -> tuple[str, str]:
        """End the program; return what it has printed besides."""
        self._program.kill()
        return self._program.communicate(timeout=60)


def test_the_log_goes_on_with_what_happens(full: Team) -> None:
    with Following(full) as program:
        before = [json.loads(program.out.readline()) for _ in range(4)]
        full.laptop.mode("s1", "forge", "outcome", "verify", "finished")
        assert json.loads(program.out.readline())["event"] == "outcome"
        assert len(before) == 4


@pytest.fixture
def proxy(full: Team, database: Database) -> Iterator[Proxy]:
    """Stands between the lists and the server."""
    made = Proxy(database.server.port)
    config = full.home / ".rcs" / "config.toml"
    config.write_text(config.read_text().replace(f":{database.server.port}/", f":{made.port}/"))
    yield made
    made.close()


def test_what_happens_while_the_log_begins_to_follow_is_printed_once(full: Team, proxy: Proxy) -> None:
    awaited = {
        "before it is asked how far it is": sql.NEWEST_BATCH.encode(),
        "before it is asked what has happened": sql.BATCHES_BEFORE.partition("%s")[0].encode(),
    }

    def happens(sent: bytes) -> None:
        for name in [name for name, asked in awaited.items() if asked in sent]:
            full.laptop.mode("s2", "forge", "phase", "execute", name)
            del awaited[name]

    names, proxy.before = [*awaited], happens
    with Following(full) as program:
        wait_for(lambda: not awaited)
        full.laptop.mode("s2", "forge", "outcome", "verify", "finished")
        found = program.upto("outcome")
        assert sorted(each["to"] for each in found if each["session"] == "s2") == sorted([*names, "finished"])
        assert len(found) == 4 + 3
        assert program.rest() == ("", "")


@pytest.mark.parametrize(
    "refused", [1, pytest.param(2, marks=pytest.mark.slow), pytest.param(4, marks=[pytest.mark.slow, pytest.mark.full])]
)
def test_a_log_that_is_followed_outlives_the_server_and_says_once_that_it_is_away(
    refused: int, full: Team, proxy: Proxy
) -> None:
    with Following(full) as program:
        assert len([program.out.readline() for _ in range(4)]) == 4
        proxy.mode = REFUSES
        proxy.cut()
        assert program.errors.readline().endswith("; it is tried again\n")
        full.laptop.mode("s1", "forge", "outcome", "verify", "finished")
        wait_for(lambda: proxy.refused >= refused)
        proxy.mode = PASSES
        assert len(program.upto("outcome")) == 1
        assert program.rest() == ("", "")


@pytest.mark.slow
def test_runs_are_listed_with_their_machine_and_shown_by_their_id(full: Team) -> None:
    said = full.said("runs", "list", "--shared")
    assert "MACHINE" in said.splitlines()[0]
    assert "r1@laptop" in said
    assert "r1@cloud" in said
    one = json.loads(full.said("runs", "list", "--shared", "--json", "--project", "//cloud"))
    assert [run["run_id"] for run in one["runs"]] == ["r1@cloud"]
    first = json.loads(full.said("runs", "list", "--shared", "--json", "--limit", "1"))
    assert len(first["runs"]) == 1
    assert first["next"]
    assert "--shared" in full.said("runs", "list", "--shared", "--limit", "1").splitlines()[-1]
    assert "r1@laptop: build-fast is waiting" in full.said("runs", "show", "r1@laptop", "--shared")
    assert "r1@laptop: build-fast is waiting" in full.said("runs", "show", "r1@l", "--shared")
    assert json.loads(full.said("runs", "show", "r1@cloud", "--shared", "--json"))["project"] == "//cloud/site"


REFUSED = [
    (("runs", "show", "r1", "--shared"), "there is no run 'r1'"),
    (("runs", "show", "none@laptop", "--shared"), "there is no run"),
    (("status", "--shared", "--session", "s1"), "leave it out with --shared"),
]


@pytest.mark.slow
@each_row(("words", "says"), REFUSED)
def test_what_cannot_be_is_one_sentence(full: Team, words: tuple[str, ...], says: str) -> None:
    status, out, errors = full.rcs(*words)
    assert (status, out) == (1, "")
    assert says in errors


@pytest.mark.slow
def test_without_anything_shared_each_list_says_so(team: Team) -> None:
    assert "Nothing runs on any machine" in team.said("status", "--shared")
    assert "nothing has happened" in team.said("log", "--shared")
    assert "no reported runs" in team.said("runs", "list", "--shared")


@pytest.mark.slow
def test_where_no_database_is_named_it_says_how_to_name_one(team: Team) -> None:
    (team.home / ".rcs" / "config.toml").unlink()
    for words in (("status",), ("log",), ("runs", "list"), ("dashboard", "--port", "0")):
        status, out, errors = team.rcs(*words, "--shared")
        assert (status, out) == (1, "")
        assert "rcs share init" in errors


def test_where_the_database_is_away_it_is_one_sentence_without_the_address_of_a_secret(team: Team) -> None:
    (team.home / ".rcs" / "config.toml").write_text('[share]\nurl = "postgresql://x@127.0.0.1:9/none"\n')
    for words in (("status",), ("log",), ("runs", "list")):
        status, out, errors = team.rcs(*words, "--shared")
        assert (status, out) == (1, "")
        assert len(errors.splitlines()) == 1
        assert "127.0.0.1" in errors


def test_a_list_that_the_schema_wants_newer_leaves_nothing_behind(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    team.sql.execute("UPDATE rcs.schema SET version = 2, min_reader = 2")
    monkeypatch.setenv("HOME", str(team.home))
    connect = shared_lists.connector()
    with nothing_left_behind():
        for _ in range(3):
            with pytest.raises(ShareError, match="update rcs-hooks here"):
                connect()


def test_the_local_lists_never_connect(team: Team) -> None:
    """Where nothing can be imported that connects, they say the same."""
    (team.root / "psycopg.py").write_text("raise SystemExit('the driver was loaded')")
    env = team.env | {"PYTHONPATH": os.pathsep.join([str(team.root), str(CHECKOUT)])}
    for words in (("status",), ("log",), ("runs", "list")):
        done = _run(words, team.root, env)
        assert (done.returncode, done.stderr) == (0, "")
