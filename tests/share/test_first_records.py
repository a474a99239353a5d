"""A history or a transcript that is only just being made: what is sent of it then is not sent once more later."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

import pytest

from rcs_hooks.files import transaction
from rcs_hooks.files.lock import Lock
from rcs_hooks.files.paths import JOURNAL
from rcs_hooks.share import file_sources
from rcs_hooks.share.leaving import Leaving
from rcs_hooks.share.sharer import Sharer
from tests.share.support import Home, table

if TYPE_CHECKING:
    from rcs_hooks.share.outbox import Batch, LocalSource
    from tests.share.conftest import Database

Sources = Callable[[str, str, Leaving], Iterable["LocalSource"]]
SOURCES: dict[str, Sources] = {"history": file_sources.histories, "task": file_sources.transcripts}


def send(home: Home) -> None:
    sharer = Sharer(home.env, str(home.project))
    sharer.send_news(threading.Event())
    sharer.close()


@pytest.mark.parametrize("written", [0, 40])
def test_the_first_events_of_a_session_are_there_once_though_their_commit_was_cut_short(
    written: int, database: Database, tmp_path: Path
) -> None:
    home = Home(tmp_path, database.url())
    path = home.log("s-1", {}, {})
    state = home.project / ".rcs/state"
    lines = path.read_text()
    path.write_text(lines[:written])
    files = [{"path": "sessions/s-1/history.jsonl", "size": 0, "append": lines}]
    (state / JOURNAL).write_text(json.dumps({"version": 1, "files": files}))
    send(home)
    with Lock(str(state)):
        transaction.recover(str(state))
    assert path.read_text() == lines
    send(home)
    home.log("s-1", {})
    send(home)
    assert table(database, "SELECT position FROM rcs.mode_events ORDER BY 1") == [(1,), (2,), (3,)]


@pytest.mark.parametrize("kind", ["history", "task"])
def test_records_that_come_between_two_looks_at_an_empty_file_are_sent_with_the_next_one(
    kind: str, tmp_path: Path
) -> None:
    home = Home(tmp_path, "")
    path = home.log("s-1") if kind == "history" else home.task("s-1", 0)
    root, machine = str(home.project), str(UUID(int=1))
    found: list[LocalSource] = [*SOURCES[kind](root, machine, Leaving(machine, texts=True, shipped=""))]
    source = found[0]
    before = source.keys
    home.log("s-1", {}) if kind == "history" else home.task("s-1", 1)
    assert path.stat().st_size
    assert list(source.batches(0)) == []
    assert source.keys != before
    assert [batch.upto for batch in source.batches(0)] == [1]


def test_a_transcript_that_is_gone_before_all_of_it_was_sent_ends_nothing(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home(tmp_path, database.url())
    path = home.task("build", 3)
    read = file_sources.TaskSource.batches

    def batches(source: file_sources.TaskSource, after: int) -> Iterator[Batch]:
        for batch in read(source, after):
            path.unlink()
            yield batch

    monkeypatch.setattr(file_sources.TaskSource, "batches", batches)
    send(home)
    assert table(database, "SELECT position FROM rcs.task_moves ORDER BY 1") == [(1,), (2,), (3,)]
