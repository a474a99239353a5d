"""Commits survive a kill at every step, the lock is one lock for everybody, and reading never waits."""

from __future__ import annotations

import gc
import itertools
import json
import os
import shutil
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from rcs_hooks.errors import UnsafePath
from rcs_hooks.files import paths
from rcs_hooks.files.folders import make_folders
from rcs_hooks.files.lock import Lock
from rcs_hooks.files.preparation import prepare
from rcs_hooks.files.reading import read
from rcs_hooks.files.transaction import Write, commit, recover
from tests import properties

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Record = dict[str, Any]
Files = dict[str, Record]
DISK_CALLS = ("open", "write", "pwrite", "fsync", "replace", "unlink", "mkdir")
KILLED = 77
HERE = "sessions/s1"

OLD: Files = {
    f"{HERE}/blueprint-state.json": {"active": True, "text": "old " * 50},
    f"{HERE}/skill-active-state.json": {"active_skills": ["blueprint"]},
    "team-state.json": {"active": True},
    f"{HERE}/ultraqa-state.json": {"active": True},
}
SEVERAL = (
    Write("team-state.json", {"active": False}),
    Write(f"{HERE}/blueprint-state.json", {"active": False}),
    Write(f"{HERE}/skill-active-state.json", {"active_skills": ["forge"]}),
    Write(f"{HERE}/forge-state.json", {"active": True, "text": "ünï " * 50}),
    Write(f"{HERE}/questions/q1.json", {"status": "answered"}),
    Write(f"{HERE}/hook-ledger.json", {"version": 1}, durable=False),
)
COMMITS = {
    "one file": (Write(f"{HERE}/blueprint-state.json", {"active": False}),),
    "one new file in a new folder": (Write(f"{HERE}/questions/q1.json", {"status": "pending"}),),
    "one file removed": (Write("team-state.json", None),),
    "several files": SEVERAL,
    "several files, two of them removed": (
        Write(f"{HERE}/blueprint-state.json", {"active": False}), Write("team-state.json", None),
        Write(f"{HERE}/ultraqa-state.json", None), Write(f"{HERE}/forge-state.json", {"active": True}),
    ),
}  # fmt: skip
NAMES = ["several files", *(pytest.param(name, marks=pytest.mark.slow) for name in COMMITS if name != "several files")]
each_commit = pytest.mark.parametrize("name", NAMES)
"""A child of the whole process for each step: the commit of several files in each run, the others are slow."""


def with_old_state(root: Path) -> Path:
    root.mkdir()
    state = Path(prepare(str(root)))
    make_folders(str(state), HERE)
    for path, record in OLD.items():
        (state / path).write_text(json.dumps(record))
    return state


def after(writes: tuple[Write, ...]) -> Files:
    changed = OLD | {write.path: write.record for write in writes if write.record is not None}
    return {
        path: changed[path] for path in changed if path not in {write.path for write in writes if write.record is None}
    }


def found_in(state: Path) -> Files:
    """Every `*.json` file but the journal; fails for one that does not parse."""
    there = sorted(path for path in state.rglob("*.json") if path.name != paths.JOURNAL)
    return {str(path.relative_to(state)): json.loads(path.read_bytes()) for path in there}


def leftovers(state: Path) -> list[str]:
    return sorted(
        path.name for path in state.rglob("*") if path.name.endswith(paths.STAGED) or path.name == paths.JOURNAL
    )


def commit_locked(state: Path, writes: tuple[Write, ...]) -> None:
    with Lock(str(state)):
        recover(str(state))
        commit(str(state), writes)


def recover_locked(state: Path) -> None:
    with Lock(str(state)):
        recover(str(state))


def in_a_child(action: Callable[[], object]) -> int:
    """Runs `action` in a forked child; its status: 0, or 1 where it raised, or what it exits with."""
    child = os.fork()
    if child == 0:
        exits_with_status_of(action)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def exits_with_status_of(action: Callable[[], object]) -> NoReturn:
    status = 1
    gc.disable()  # a collection would copy every page of the parent
    try:
        action()
        status = 0
    finally:
        os._exit(status)


def at_disk_call(number: int, strike: Callable[[str, tuple[Any, ...]], None], *, late: bool = False) -> None:
    """From now on `strike` is called before, or just after, the disk call of that number. Only ever used in a child."""
    calls = itertools.count(1)

    def struck(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **options: Any) -> Any:
            is_it = next(calls) == number
            if is_it and not late:
                strike(name, args)
            try:
                return call(*args, **options)
            finally:
                if is_it and late:
                    strike(name, args)

        return counted

    for name in DISK_CALLS:
        setattr(os, name, struck(name, getattr(os, name)))


def killed_at(number: int, action: Callable[[], object], *, torn: bool = False) -> bool:
    """Whether `action` lived long enough to be killed at that disk call. `torn`: a write gets half done."""
    write, pwrite = os.write, os.pwrite

    def die(name: str, args: tuple[Any, ...]) -> None:
        if torn and name == "write":
            write(args[0], args[1][: len(args[1]) // 2])
        if torn and name == "pwrite":
            pwrite(args[0], args[1][: len(args[1]) // 2], args[2])
        os._exit(KILLED)

    def doomed() -> None:
        at_disk_call(number, die)
        action()

    status = in_a_child(doomed)
    assert status in (0, KILLED)
    return status == KILLED


def copies(state: Path) -> Iterator[tuple[int, Path]]:
    """Numbers from 1 on, each with a fresh copy of the state folder."""
    for number in itertools.count(1):
        yield number, copy_of(state)


def copy_of(state: Path) -> Path:
    return Path(shutil.copytree(state, tempfile.mkdtemp(dir=state.parent), dirs_exist_ok=True))


# --- a kill at every step


@each_commit
@pytest.mark.parametrize("torn", [pytest.param(False, marks=pytest.mark.slow), True])
def test_a_commit_killed_at_any_step_is_whole_or_never_was(folder: Path, name: str, *, torn: bool) -> None:
    writes, happened = COMMITS[name], []
    for number, state in copies(folder):
        killed = killed_at(number, lambda state=state: commit_locked(state, writes), torn=torn)  # type: ignore[misc]  # mypy infers no lambda with a default
        found_in(state)
        recover_locked(state)
        assert found_in(state) in (OLD, after(writes)), f"a mixture after a kill at step {number}"
        happened.append(found_in(state) == after(writes))
        if not killed:
            break
    assert happened == sorted(happened), "more than one moment of commit"
    assert not happened[0]
    assert happened[-1]


@pytest.mark.slow
@each_commit
def test_a_recovery_killed_at_any_step_is_finished_by_the_next(folder: Path, name: str) -> None:
    writes = COMMITS[name]
    for number, crashed in copies(folder):
        if properties.is_sample and number % 2:
            continue
        if not killed_at(number, lambda crashed=crashed: commit_locked(crashed, writes)):  # type: ignore[misc]  # mypy infers no lambda with a default
            break
        for second, state in copies(crashed):
            killed = killed_at(second, lambda state=state: recover_locked(state))  # type: ignore[misc]  # mypy infers no lambda with a default
            found_in(state)
            recover_locked(state)
            assert found_in(state) in (OLD, after(writes)), f"a mixture after kills at {number} and {second}"
            if not killed:
                break


@pytest.mark.slow
def test_a_folder_made_by_a_killed_process_is_still_kept_out_of_git(tmp_path: Path) -> None:
    for number in itertools.count(1):
        root = tmp_path / str(number)
        root.mkdir()
        killed = killed_at(number, lambda root=root: prepare(str(root)))  # type: ignore[misc]  # mypy infers no lambda with a default
        prepare(str(root))
        assert (root / ".rcs" / ".gitignore").is_file(), f"no .gitignore after a kill at step {number}"
        assert (root / ".rcs" / ".gitignore").read_text() == "*\n", f"not the text after a kill at step {number}"
        names = sorted(path.name for path in (root / ".rcs").iterdir())
        assert names == [".gitignore", "state"], f"something is left of a kill at step {number}"
        if not killed:
            break


# --- an interrupt


def each_disk_call(state: Path, writes: tuple[Write, ...]) -> Iterator[tuple[int, Path]]:
    """The numbers of the disk calls of a commit, each with a fresh copy of the state folder."""
    for number, copy in copies(state):
        if not killed_at(number, lambda copy=copy: commit(str(copy), writes)):  # type: ignore[misc]  # mypy infers no lambda with a default
            return
        yield number, copy_of(state)


@pytest.mark.slow
@each_commit
@pytest.mark.parametrize("late", [False, True], ids=["before the call", "after the call"])
def test_a_commit_interrupted_at_any_step_is_whole_or_never_was(folder: Path, name: str, *, late: bool) -> None:
    writes = COMMITS[name]

    def interrupt(name: str, _: tuple[Any, ...]) -> None:
        raise KeyboardInterrupt(name)

    def interrupted(number: int, state: Path) -> None:
        at_disk_call(number, interrupt, late=late)
        commit(str(state), writes)

    for number, state in each_disk_call(folder, writes):
        assert in_a_child(lambda number=number, state=state: interrupted(number, state)) == 1  # type: ignore[misc]  # mypy infers no lambda with a default
        recover_locked(state)
        assert found_in(state) in (OLD, after(writes)), f"a mixture after an interrupt at step {number}"


# --- what a commit writes


def test_files_and_folders_are_for_the_owner_alone_and_nothing_else_is_left(folder: Path) -> None:
    commit_locked(folder, SEVERAL)
    assert (found_in(folder), leftovers(folder)) == (after(SEVERAL), [])
    text = json.dumps(after(SEVERAL)[f"{HERE}/forge-state.json"], indent=2, ensure_ascii=False)
    assert (folder / f"{HERE}/forge-state.json").read_text() == f"{text}\n"
    assert {stat.S_IMODE((folder / write.path).stat().st_mode) for write in SEVERAL} == {0o600}
    folders = [folder.parent, *(path for path in folder.parent.rglob("*") if path.is_dir())]
    assert {stat.S_IMODE(path.stat().st_mode) for path in folders} == {0o700}


def test_half_of_a_surrogate_pair_survives(folder: Path) -> None:
    commit_locked(folder, (Write("team-state.json", {"text": "\ud800 é"}),))
    assert read(str(folder), "team-state.json") == {"text": "\ud800 é"}


@pytest.mark.parametrize("planted", ["forge-state.json", "forge-state.json.new", "../../.commit.json.new"])
def test_a_link_in_the_place_of_a_file_is_replaced_not_written_through(
    folder: Path, tmp_path: Path, planted: str
) -> None:
    victim = tmp_path / "victim.json"
    victim.write_text("mine")
    (folder / HERE / planted).symlink_to(victim)
    commit_locked(folder, SEVERAL)
    assert victim.read_text() == "mine"
    assert found_in(folder) == after(SEVERAL)
    assert not any(path.is_symlink() for path in folder.rglob("*"))


def test_a_commit_into_a_folder_that_is_a_link_is_refused_whole(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (folder / HERE / "questions").symlink_to(outside)
    with pytest.raises(UnsafePath, match="questions is a link, so it is not used; remove it"):
        commit_locked(folder, SEVERAL)
    assert list(outside.iterdir()) == []
    assert (found_in(folder), leftovers(folder)) == (OLD, [])
