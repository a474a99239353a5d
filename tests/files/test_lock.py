"""The lock around a commit: who waits, how long, in which order."""

from __future__ import annotations

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import filelock
import pytest

from rcs_hooks.errors import LockTimeout
from rcs_hooks.files import preparation, transaction
from rcs_hooks.files.lock import LOCK, LOCK_SECONDS, Lock
from rcs_hooks.files.transaction import Write
from rcs_hooks.state.prune import prune
from rcs_hooks.state.scopes import Scope
from rcs_hooks.workflow.commands import Commands
from tests.files.test_transaction import exits_with_status_of
from tests.support import clock, least


def is_free(state: Path) -> bool:
    try:
        with Lock(str(state), 0):
            return True
    except LockTimeout:
        return False


def is_free_for_filelock(state: Path) -> bool:
    try:
        with filelock.FileLock(state / LOCK, timeout=0):
            return True
    except filelock.Timeout:
        return False


def test_our_lock_excludes_itself_and_filelock_while_it_is_held(folder: Path) -> None:
    with Lock(str(folder)):
        assert not is_free(folder)
        assert not is_free_for_filelock(folder)
    assert is_free_for_filelock(folder)
    with filelock.FileLock(folder / LOCK):
        assert not is_free(folder)
    assert is_free(folder)


@pytest.mark.parametrize("ours", [True, False], ids=["ours", "filelock's"])
def test_a_lock_goes_with_its_process(folder: Path, *, ours: bool) -> None:
    ready, told = os.pipe()

    def hold() -> None:
        with Lock(str(folder)) if ours else filelock.FileLock(folder / LOCK):
            os.write(told, b"!")
            signal.pause()

    child = os.fork()
    if child == 0:
        exits_with_status_of(hold)
    assert os.read(ready, 1) == b"!"
    assert not is_free(folder)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(ready)
    os.close(told)
    assert is_free(folder)


def test_a_lock_that_does_not_come_is_a_timeout_that_names_it(folder: Path) -> None:
    def wait() -> None:
        with pytest.raises(LockTimeout, match=r"could not lock .*/\.lock: another rcs process"):
            Lock(str(folder), seconds=0.1).__enter__()

    with Lock(str(folder)):
        assert 0.1 <= least(lambda: clock(wait), LOCK_SECONDS) <= LOCK_SECONDS


def test_a_lock_that_is_given_back_in_time_is_taken(folder: Path) -> None:
    held = Lock(str(folder)).__enter__()
    timer = threading.Timer(0.05, held.__exit__, (None, None, None))
    timer.start()
    with Lock(str(folder), seconds=60):
        assert not is_free(folder)
    timer.join()


def test_the_holder_of_a_removed_lock_file_does_not_open_the_new_one(folder: Path) -> None:
    old = Lock(str(folder)).__enter__()
    (folder / LOCK).unlink()
    with Lock(str(folder), 0):
        old.__exit__(None, None, None)
        assert not is_free(folder)
        assert not is_free_for_filelock(folder)


def test_only_one_of_many_threads_is_inside(folder: Path) -> None:
    inside: list[int] = []
    most: list[int] = []
    before = len(os.listdir("/proc/self/fd"))

    def enter(number: int) -> None:
        for _ in range(20):
            with Lock(str(folder), seconds=30):
                inside.append(number)
                most.append(len(inside))
                inside.remove(number)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(enter, range(8)))
    assert most == [1] * 160
    assert len(os.listdir("/proc/self/fd")) == before, "a file was left open"


def test_what_a_kill_left_staged_of_a_question_goes_with_the_next_write_there(tmp_path: Path) -> None:
    folder = preparation.prepare(str(tmp_path))
    asked = tmp_path / ".rcs" / "state" / "sessions" / "s1" / "questions"
    asked.mkdir(parents=True)
    for name in ("q-1.json.new", "q-2.json", "notes.new"):
        (asked / name).write_text("{}")
    with Lock(folder):
        transaction.commit(folder, [Write("sessions/s1/questions/q-3.json", {})])
    assert sorted(path.name for path in asked.iterdir()) == ["notes.new", "q-2.json", "q-3.json"]


def test_prune_removes_what_a_kill_left_staged(tmp_path: Path) -> None:
    preparation.prepare(str(tmp_path))
    state = tmp_path / ".rcs" / "state"
    left = [state / "sessions" / "s1" / "questions" / "q-1.json.new", state / "team-state.json.new"]
    for path in left:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    for dry_run in (True, False):
        prune(Scope(str(tmp_path), None, 0.0, Commands("rcs", "")), dry_run=dry_run)
        assert [path.exists() for path in left] == [dry_run, dry_run]
