"""Local stores that somebody else has written: they end no program and keep nothing else from being sent."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.state import history
from tests.share.support import Home, shared_events, table

if TYPE_CHECKING:
    from tests.share.conftest import Database

AT = "2023-11-14T22:13:20.000Z"
ODD_LINES: dict[str, bytes] = {
    "no-utf8": b'{"v":1,"n":1,"at":"\xff\xfe","mode":"forge","event":"phase"}\n' * 3,
    "surrogates": b'{"v":1,"n":1,"mode":"\\ud800","event":"phase","from":"\\u0000","title":"\\udfff"}\n',
    "numbers": b'{"v":1,"n":1,"iteration":1e999,"event":"proof","data":{"exit":1e999,"seconds":-1e308}}\n',
    "late": b'{"v":1,"n":999999999999999,"at":"9999-12-31T23:59:59-23:59","mode":"forge","event":"question"}\n',
    "truths": b'{"v":1,"n":true,"event":"phase","mode":"forge"}\n',
    "fractions": b'{"v":1,"n":1.5,"event":"phase","mode":3}\n{"v":1,"n":-5,"event":"phase","mode":"forge"}\n',
    "deep": b'{"v":1,"n":1,"event":"phase","mode":"forge","data":' + b"[" * 20_000 + b"]" * 20_000 + b"}\n",
    "giant": b'{"v":1,"n":1,"event":"phase","title":"' + b"x" * 9_000_000 + b'"}\n',
    "repeated": b'{"v":1,"n":2,"event":"phase","mode":"forge"}\n{"v":1,"n":1,"event":"phase","mode":"forge"}\n' * 500,
}  # fmt: skip


@pytest.mark.parametrize("name", ODD_LINES)
def test_a_history_of_odd_lines_keeps_nothing_from_leaving(name: str, database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url(), texts=True)
    home.emit(3)
    path = home.log("a-odd")
    path.write_bytes(ODD_LINES[name])
    home.log("b-plain", *[{}] * 4)
    home.share()
    assert shared_events(database) == [1, 2, 3]
    assert table(database, "SELECT position FROM rcs.sources WHERE name = 'b-plain'") == [(4,)]
    assert home.status()["local_error"] is None


def test_a_number_that_nothing_is_counted_on_from_keeps_no_later_event_from_leaving(
    database: Database, tmp_path: Path
) -> None:
    home = Home(tmp_path, database.url())
    home.log("s-1", {}, {}, {"n": history.LARGEST_NUMBER - 1})
    home.share()
    for number in (4, 5):
        home.log("s-1", {"n": number})
        home.share()
    assert table(database, "SELECT position FROM rcs.mode_events ORDER BY 1") == [(1,), (2,), (4,), (5,)]
    assert table(database, "SELECT count(*) FROM rcs.sources") == [(1,)]


def test_what_is_no_file_is_passed_over(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url(), texts=True)
    for session in ("fifo", "link", "zero", "folder"):
        home.log(session).unlink()
    sessions = home.project / ".rcs/state/sessions"
    os.mkfifo(sessions / "fifo/history.jsonl")
    (sessions / "link/history.jsonl").symlink_to("/etc/passwd")
    (sessions / "zero/history.jsonl").symlink_to("/dev/zero")
    (sessions / "folder/history.jsonl").mkdir()
    home.task("plain", 2)
    for task in ("fifo", "zero"):
        home.task(task, 1)
        (home.project / f".rcs/tasks/{task}/transcript.jsonl").unlink()
    os.mkfifo(home.project / ".rcs/tasks/fifo/transcript.jsonl")
    (home.project / ".rcs/tasks/zero/transcript.jsonl").symlink_to("/dev/zero")
    home.log("plain", *[{}] * 4)
    home.share()
    assert table(database, "SELECT name, position FROM rcs.sources WHERE position > 0 ORDER BY position") == [
        ("plain", 2),
        ("plain", 4),
    ]


def test_values_of_another_type_and_texts_that_are_no_utf8_are_read_as_far_as_they_can_be(
    database: Database, tmp_path: Path
) -> None:
    home = Home(tmp_path, database.url(), texts=True)
    home.emit(20, runs=4)
    with sqlite3.connect(home.database) as sql:
        sql.execute("UPDATE events SET unit=x'ff', data=x'ff', step=x'00', at=x'00', seq=seq + 3000000000 WHERE id = 3")
        sql.execute("UPDATE events SET status=1.5, type=x'ff', automatic='yes' WHERE id = 4")
        sql.execute("UPDATE runs SET file=x'ff', open_steps=x'ff', feature=x'00', events=9e300, status='failed'")
        sql.execute("UPDATE runs SET last_ms=-9223372036854775808, run_id=char(0) || 'x' || char(55357) WHERE id = 2")
        sql.execute("UPDATE events SET data=x'ff', status='failed' WHERE run = 2")
        sql.execute("UPDATE events SET data=CAST(x'7b2261223a22ff227d' AS text) WHERE id = 5")
        sql.execute("UPDATE steps SET visits=1e300, spent_ms=9223372036854775807, open_ms='x', started_at=x'00'")
    sql.close()
    home.share()
    assert shared_events(database) == list(range(1, 21))
    assert home.status()["local_error"] is None
    ((data,),) = table(database, "SELECT data FROM rcs.run_events WHERE position = 5")
    assert json.loads(data) == {"a": ""}


@pytest.mark.parametrize("link", [".rcs", ".rcs/state", ".rcs/state/sessions", ".rcs/state/sessions/s-link",
                                  ".rcs/tasks", ".rcs/tasks/link"])  # fmt: skip
def test_a_link_in_a_project_leads_to_nothing_that_is_not_shared(link: str, database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url(), texts=True)
    secret = tmp_path / "secret"
    home.log("s-secret", {}, project=secret)
    path = secret / ".rcs/state/sessions/s-secret/forge-state.json"
    path.write_text('{"active":true,"current_phase":"SECRET"}')
    tasks = secret / ".rcs/tasks/secret"
    tasks.mkdir(parents=True)
    (tasks / "state.json").write_text('{"phase": "planning", "why": "SECRET"}')
    (tasks / "transcript.jsonl").write_text(f'{{"ts":"{AT}","kind":"transition","from":"a","to":"b"}}\n')
    (home.project / link).parent.mkdir(parents=True, exist_ok=True)
    (home.project / link).symlink_to(secret / link.replace("link", "secret"))
    home.share()
    assert table(database, "SELECT count(*) FROM rcs.mode_events") == [(0,)]
    assert table(database, "SELECT count(*) FROM rcs.task_moves") == [(0,)]
    shown = json.dumps(table(database, "SELECT key, record::text FROM rcs.present")).lower()
    assert "secret" not in shown
