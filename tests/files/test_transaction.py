"""Commits survive a kill at every step, the lock is one lock for everybody, and reading never waits."""

from __future__ import annotations

import errno
import gc
import itertools
import json
import os
import shutil
import signal
import stat
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import filelock
import pytest

from rcs_hooks.errors import LockTimeout, Unavailable, UnsafePath
from rcs_hooks.files import paths, preparation, transaction
from rcs_hooks.files.folders import make_folders
from rcs_hooks.files.lock import LOCK, LOCK_SECONDS, Lock, _Turns
from rcs_hooks.files.preparation import prepare
from rcs_hooks.files.reading import Reader, Unreadable, read
from rcs_hooks.files.transaction import Write, commit, recover
from rcs_hooks.state.prune import prune
from rcs_hooks.state.scopes import Scope
from rcs_hooks.workflow.commands import Commands
from tests.support import clock, least
from tests.table import each_row

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
        Write(f"{HERE}/blueprint-state.json", {"active": False}),
        Write("team-state.json", None),
        Write(f"{HERE}/ultraqa-state.json", None),
        Write(f"{HERE}/forge-state.json", {"active": True}),
    ),
}
each_commit = pytest.mark.parametrize(
    "writes",
    [
        pytest.param(writes, id=name, marks=() if writes is SEVERAL else pytest.mark.slow)
        for name, writes in COMMITS.items()
    ],
)
"""A child of the whole process for each step: the commit of several files in each run, the others are slow."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A state folder with state in it."""
    return with_old_state(tmp_path / "workspace")


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
@pytest.mark.parametrize(
    "torn",
    [
        pytest.param(False, id="between two calls", marks=pytest.mark.slow),
        pytest.param(True, id="in the middle of a write"),
    ],
)
def test_a_commit_killed_at_any_step_is_whole_or_never_was(
    folder: Path, writes: tuple[Write, ...], *, torn: bool
) -> None:
    happened = []
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
def test_a_recovery_killed_at_any_step_is_finished_by_the_next(folder: Path, writes: tuple[Write, ...]) -> None:
    for number, crashed in copies(folder):
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
def test_a_commit_after_a_killed_one_works_and_leaves_nothing_behind(folder: Path) -> None:
    for number, state in copies(folder):
        killed = killed_at(number, lambda state=state: commit_locked(state, SEVERAL))  # type: ignore[misc]  # mypy infers no lambda with a default
        commit_locked(state, SEVERAL)
        assert (found_in(state), leftovers(state)) == (after(SEVERAL), [])
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


@pytest.mark.slow
def test_many_processes_may_make_the_folder_of_a_workspace_at_once(tmp_path: Path) -> None:
    failed = 0
    for number in range(60):
        root = tmp_path / str(number)
        root.mkdir()
        failed += sum(status != 0 for status in at_once(lambda root=root: prepare(str(root)), 8))  # type: ignore[misc]  # mypy infers no lambda with a default
        assert (root / ".rcs" / ".gitignore").read_text() == "*\n"
    assert failed == 0


def at_once(action: Callable[[], object], processes: int) -> list[int]:
    """The statuses of forked children that wait for each other before they act."""
    gate, opened = os.pipe()

    def waits() -> None:
        os.close(opened)
        os.read(gate, 1)
        action()

    children = []
    for _ in range(processes):
        child = os.fork()
        if child == 0:
            exits_with_status_of(waits)
        children.append(child)
    os.close(opened)
    os.close(gate)
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


# --- a disk that fails


def commit_with_failure(state: Path, writes: tuple[Write, ...], number: int, calls: tuple[str, ...]) -> int:
    """A commit whose disk call of that number finds a full disk, if it is one of `calls`."""

    def fail(name: str, _: tuple[Any, ...]) -> None:
        if name in calls:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def struck() -> None:
        at_disk_call(number, fail)
        commit(str(state), writes)

    return in_a_child(struck)


def each_disk_call(state: Path, writes: tuple[Write, ...]) -> Iterator[tuple[int, Path]]:
    """The numbers of the disk calls of a commit, each with a fresh copy of the state folder."""
    for number, copy in copies(state):
        if not killed_at(number, lambda copy=copy: commit(str(copy), writes)):  # type: ignore[misc]  # mypy infers no lambda with a default
            return
        yield number, copy_of(state)


@pytest.mark.slow
@each_commit
def test_a_commit_that_finds_the_disk_full_changes_nothing(folder: Path, writes: tuple[Write, ...]) -> None:
    for number, state in each_disk_call(folder, writes):
        status = commit_with_failure(state, writes, number, ("open", "write", "mkdir"))
        recover_locked(state)
        assert found_in(state) == (OLD if status else after(writes)), f"at step {number}"


@pytest.mark.slow
@each_commit
def test_a_commit_that_cannot_be_brought_to_the_disk_is_whole_or_never_was(
    folder: Path, writes: tuple[Write, ...]
) -> None:
    for number, state in each_disk_call(folder, writes):
        status = commit_with_failure(state, writes, number, ("fsync",))
        recover_locked(state)
        assert found_in(state) in ((OLD, after(writes)) if status else (after(writes),)), f"at step {number}"


@pytest.mark.slow
def test_a_commit_that_finds_the_disk_full_takes_its_half_written_files_back(folder: Path) -> None:
    for number, state in each_disk_call(folder, SEVERAL):
        status = commit_with_failure(state, SEVERAL, number, ("open", "write", "fsync", "mkdir"))
        if status == 0:
            recover_locked(state)
        assert leftovers(state) == [], f"left after a full disk at step {number}"


@pytest.mark.slow
@each_commit
def test_a_rename_that_fails_leaves_no_mixture(folder: Path, writes: tuple[Write, ...]) -> None:
    for number, state in each_disk_call(folder, writes):
        commit_with_failure(state, writes, number, ("replace", "unlink"))
        recover_locked(state)
        assert found_in(state) in (OLD, after(writes)), f"at step {number}"


@pytest.mark.slow
@each_commit
@pytest.mark.parametrize("late", [False, True], ids=["before the call", "after the call"])
def test_a_commit_interrupted_at_any_step_is_whole_or_never_was(
    folder: Path, writes: tuple[Write, ...], *, late: bool
) -> None:
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


def test_files_are_for_the_owner_alone_with_two_spaces_and_a_newline(folder: Path) -> None:
    commit_locked(folder, SEVERAL)
    file = folder / f"{HERE}/forge-state.json"
    assert (
        file.read_text() == json.dumps(after(SEVERAL)[f"{HERE}/forge-state.json"], indent=2, ensure_ascii=False) + "\n"
    )
    assert {oct(stat.S_IMODE((folder / write.path).stat().st_mode)) for write in SEVERAL} == {"0o600"}


def test_every_folder_is_for_the_owner_alone(folder: Path) -> None:
    commit_locked(folder, SEVERAL)
    made = [folder.parent, *(path for path in folder.parent.rglob("*") if path.is_dir())]
    modes = {str(path.relative_to(folder.parent)): oct(stat.S_IMODE(path.stat().st_mode)) for path in made}
    assert modes == dict.fromkeys(modes, "0o700")


def test_half_of_a_surrogate_pair_survives(folder: Path) -> None:
    commit_locked(folder, (Write("team-state.json", {"text": "\ud800 é"}),))
    assert read(str(folder), "team-state.json") == {"text": "\ud800 é"}


def test_nothing_is_left_of_a_commit(folder: Path) -> None:
    commit_locked(folder, SEVERAL)
    assert (found_in(folder), leftovers(folder)) == (after(SEVERAL), [])


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


def test_a_commit_into_a_folder_that_leads_out_is_refused_whole(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (folder / HERE / "questions").symlink_to(outside)
    with pytest.raises(UnsafePath, match="leads out of the state folder"):
        commit_locked(folder, SEVERAL)
    assert list(outside.iterdir()) == []
    assert (found_in(folder), leftovers(folder)) == (OLD, [])


# --- a folder that is exchanged for a link


def exchanged_at(number: int, victim: Path, outside: Path, action: Callable[[], object]) -> None:
    """Does `action` in a child, and exchanges the folder for a link that leads out before a disk call."""
    rename, symlink = os.rename, os.symlink

    def exchange(*_: object) -> None:
        rename(victim, f"{victim}.gone")
        symlink(outside, victim)

    def struck() -> None:
        at_disk_call(number, exchange)
        action()

    in_a_child(struck)


@pytest.mark.slow
@pytest.mark.parametrize("victim", [".", "sessions", HERE, f"{HERE}/questions"])
@pytest.mark.parametrize("crashed", [False, True], ids=["commit", "recover"])
def test_a_folder_that_becomes_a_link_under_a_commit_leads_no_write_out(
    folder: Path, tmp_path: Path, victim: str, *, crashed: bool
) -> None:
    (folder / HERE / "questions").mkdir()
    before = crashed_after_its_journal(folder) if crashed else folder
    for number, state in copies(before):
        outside = Path(tempfile.mkdtemp(dir=tmp_path))
        (outside / "sessions/s1/questions").mkdir(parents=True)
        for place in (outside, outside / "s1", outside / "sessions", outside / HERE):
            place.mkdir(exist_ok=True)
            (place / "forge-state.json").write_text("mine")
            (place / "team-state.json.new").write_text("mine")
        there = sorted((path, path.is_file() and path.read_text()) for path in outside.rglob("*"))
        exchanged_at(number, state / victim, outside, lambda state=state: commit_locked(state, SEVERAL))  # type: ignore[misc]  # mypy infers no lambda with a default
        assert sorted((path, path.is_file() and path.read_text()) for path in outside.rglob("*")) == there, number
        if not (state / victim).is_symlink():
            break


# --- folders


def test_a_workspace_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(UnsafePath, match="is not there"):
        prepare(str(tmp_path / "gone"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("left", [None, ""], ids=["missing", "empty"])
def test_a_gitignore_that_was_lost_is_made_again(folder: Path, left: str | None) -> None:
    ignore = folder.parent / ".gitignore"
    ignore.unlink()
    if left is not None:
        ignore.write_text(left)
    prepare(str(folder.parent.parent))
    assert ignore.read_text() == "*\n"


def flushed(action: Callable[[], object]) -> list[str]:
    """The renames, the new folders, and what is brought to the disk, in order; names, and folders with a slash."""
    seen: list[str] = []
    replace, mkdir, fsync = os.replace, os.mkdir, os.fsync

    def replaced(source: Any, target: Any, **options: Any) -> None:
        replace(source, target, **options)
        seen.append(f"rename {target}")

    def made(path: Any, *args: Any, **options: Any) -> None:
        mkdir(path, *args, **options)
        seen.append(f"mkdir {path}")

    def synced(fd: int) -> None:
        fsync(fd)
        path = Path(os.readlink(f"/proc/self/fd/{fd}"))
        seen.append(f"{path.name}/" if path.is_dir() else path.name)

    with pytest.MonkeyPatch.context() as watched:
        watched.setattr(os, "replace", replaced)
        watched.setattr(os, "mkdir", made)
        watched.setattr(os, "fsync", synced)
        action()
    return seen


def test_every_name_is_on_the_disk_before_a_commit_is_told(tmp_path: Path) -> None:
    root = tmp_path / "workspace"
    root.mkdir()
    assert flushed(lambda: prepare(str(root))) == [
        "mkdir .rcs", "workspace/", ".gitignore", ".rcs/", "mkdir state", ".rcs/",
    ]  # fmt: skip
    state = root / ".rcs/state"
    writes = (Write("sessions/s1/a-state.json", {}), Write("sessions/s1/hook-ledger.json", {}, durable=False))
    assert flushed(lambda: commit(str(state), writes)) == [
        "mkdir sessions", "state/", "mkdir s1", "sessions/",
        "a-state.json.new", "s1/", ".commit.json.new", "rename .commit.json", "state/",
        "rename a-state.json", "rename hook-ledger.json", "s1/",
    ]  # fmt: skip
    assert flushed(lambda: commit(str(state), writes[:1])) == ["a-state.json.new", "rename a-state.json", "s1/"]
    assert flushed(lambda: commit(str(state), (Write("sessions/s1/a-state.json", None),))) == ["s1/"]


def test_what_may_be_lost_in_a_power_cut_costs_no_flush(folder: Path) -> None:
    ledger = (Write(f"{HERE}/hook-ledger.json", {"version": 1}, durable=False),)
    assert flushed(lambda: commit(str(folder), ledger)) == ["rename hook-ledger.json"]


def test_a_gitignore_that_is_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".rcs").mkdir()
    (tmp_path / ".rcs" / ".gitignore").write_text("state\n")
    prepare(str(tmp_path))
    assert (tmp_path / ".rcs" / ".gitignore").read_text() == "state\n"


@pytest.mark.parametrize("linked", [".rcs", ".rcs/state", ".rcs/state/sessions", ".rcs/state/sessions/s1"])
def test_no_folder_is_made_through_a_link_that_leads_out(tmp_path: Path, linked: str) -> None:
    root, outside = tmp_path / "workspace", tmp_path / "outside"
    outside.mkdir()
    (root / linked).parent.mkdir(parents=True)
    (root / linked).symlink_to(outside)
    with pytest.raises(UnsafePath):
        commit(prepare(str(root)), SEVERAL)
    assert list(outside.iterdir()) == []


# --- a journal that somebody else wrote

STRANGE = [
    pytest.param({"files": [{"path": "../outside/victim.json"}]}, id="a way up"),
    pytest.param({"files": [{"path": "sessions/../../outside/victim.json"}]}, id="a way up in the middle"),
    pytest.param({"files": [{"path": "{outside}/victim.json"}]}, id="an absolute path"),
    pytest.param({"files": [{"path": "../outside/victim.json", "remove": True}]}, id="a way up, to be removed"),
    pytest.param({"files": [{"path": "{outside}/victim.json", "remove": True}]}, id="an absolute path, to be removed"),
    pytest.param({"files": [{"path": ".lock", "remove": True}]}, id="the lock"),
    pytest.param({"files": [{"path": "notes.txt", "remove": True}]}, id="no state file"),
    pytest.param(
        {"files": [{"path": "sessions//s1/./blueprint-state.json", "remove": True}]}, id="empty and dotted parts"
    ),
    pytest.param({"files": [{"path": "team-state.json\0x.json", "remove": True}]}, id="a zero byte"),
    pytest.param({"files": [{"path": "\ud800.json", "remove": True}]}, id="half a surrogate pair"),
    pytest.param({"files": [{"path": "x" * 300 + ".json", "remove": True}]}, id="a name that is too long"),
    pytest.param({"files": [{"path": ["team-state.json"], "remove": True}, 7, None, []]}, id="entries of other types"),
    pytest.param({"files": [{"path": "team-state.json", "remove": "yes"}]}, id="a flag of another type"),
    pytest.param({"files": {"path": "team-state.json", "remove": True}}, id="no list"),
    pytest.param({}, id="nothing"),
]


@pytest.mark.parametrize("journal", STRANGE)
def test_what_a_strange_journal_names_is_left_alone(folder: Path, journal: Record) -> None:
    outside = folder.parent / "outside"
    outside.mkdir()
    for place in (outside / "victim.json", outside / "victim.json.new", folder / "notes.txt"):
        place.write_text("{}")
    before = sorted(outside.iterdir())
    (folder / paths.JOURNAL).write_text(json.dumps(journal).replace("{outside}", str(outside)))
    recover_locked(folder)
    assert sorted(outside.iterdir()) == before
    assert (folder / "notes.txt").exists()
    assert (found_in(folder), leftovers(folder)) == (OLD, [])


@each_row("text", ["", "{", "[]", "7", '{"files": NaN}', "[" * 5000], ids=repr)
def test_a_journal_that_cannot_be_read_is_dropped(folder: Path, text: str) -> None:
    (folder / paths.JOURNAL).write_text(text)
    recover_locked(folder)
    assert (found_in(folder), leftovers(folder)) == (OLD, [])


def test_a_journal_that_leads_out_over_a_link_touches_nothing(folder: Path) -> None:
    outside = folder.parent / "outside"
    outside.mkdir()
    for name in ("victim.json", "victim.json.new"):
        (outside / name).write_text("{}")
    (folder / "exit").symlink_to(outside)
    for remove in (True, False):
        (folder / paths.JOURNAL).write_text(json.dumps({"files": [{"path": "exit/victim.json", "remove": remove}]}))
        recover_locked(folder)
    assert sorted(path.name for path in outside.iterdir()) == ["victim.json", "victim.json.new"]
    assert found_in(folder) == OLD


def test_a_journal_that_is_a_link_is_removed_and_not_followed(folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "journal.json"
    elsewhere.write_text(json.dumps({"files": [{"path": "team-state.json", "remove": True}]}))
    (folder / paths.JOURNAL).symlink_to(elsewhere)
    recover_locked(folder)
    assert elsewhere.exists()
    assert (found_in(folder), leftovers(folder)) == (OLD, [])


# --- what cannot be read for the moment


MOMENTARY = (errno.EMFILE, errno.ENFILE, errno.EIO, errno.EACCES, errno.ENOMEM)
each_moment = pytest.mark.parametrize(
    "refusal",
    [
        pytest.param(each, id=errno.errorcode[each], marks=() if each == errno.EMFILE else pytest.mark.slow)
        for each in MOMENTARY
    ],
)


def refuse_open(monkeypatch: pytest.MonkeyPatch, name: str, refusal: int) -> None:
    """The system refuses to open a file of that name."""
    system = os.open

    def refusing(path: Any, *args: Any, **options: Any) -> int:
        if os.path.basename(path) == name:
            raise OSError(refusal, os.strerror(refusal), path)
        return system(path, *args, **options)

    monkeypatch.setattr(os, "open", refusing)


def crashed_after_its_journal(state: Path) -> Path:
    """A state folder in which a commit of SEVERAL is made, and hardly any of its files in place."""
    for number, crashed in copies(state):
        assert killed_at(number, lambda crashed=crashed: commit_locked(crashed, SEVERAL))  # type: ignore[misc]  # mypy infers no lambda with a default
        if (crashed / paths.JOURNAL).exists():
            return crashed
    raise AssertionError


@pytest.mark.slow
@each_moment
def test_a_journal_that_cannot_be_read_for_the_moment_is_finished_by_the_next_holder(
    folder: Path, refusal: int
) -> None:
    crashed = crashed_after_its_journal(folder)
    with pytest.MonkeyPatch.context() as moment:
        refuse_open(moment, paths.JOURNAL, refusal)
        with pytest.raises(Unavailable, match=r"\.rcs/state/\.commit\.json cannot be read for the moment"):
            recover_locked(crashed)
    recover_locked(crashed)
    assert (found_in(crashed), leftovers(crashed)) == (after(SEVERAL), [])


@pytest.mark.slow
@each_moment
@pytest.mark.parametrize("name", [paths.JOURNAL, "forge-state.json.new"])
def test_half_a_commit_is_never_read_as_the_whole(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, refusal: int
) -> None:
    crashed = crashed_after_its_journal(folder)
    refuse_open(monkeypatch, name, refusal)
    with pytest.raises(Unavailable, match="for the moment"):
        Reader(str(crashed)).read(f"{HERE}/forge-state.json")


@each_moment
def test_a_file_that_cannot_be_read_for_the_moment_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch, refusal: int
) -> None:
    refuse_open(monkeypatch, "team-state.json", refusal)
    found = read(str(folder), "team-state.json")
    assert found == Unreadable("team-state.json", os.strerror(refusal).lower(), refusal)
    assert found.is_momentary


# --- reading


def broken_files() -> dict[str, tuple[Callable[[Path], object], str]]:
    return {
        "nothing": (lambda path: path.write_bytes(b""), "it is not JSON"),
        "cut JSON": (lambda path: path.write_bytes(b'{"active": tr'), "it is not JSON"),
        "not UTF-8": (lambda path: path.write_bytes(b'{"x": "\xff"}'), "it is not UTF-8"),
        "a list": (lambda path: path.write_bytes(b"[]"), "it is not a JSON object"),
        "NaN": (lambda path: path.write_bytes(b'{"x": NaN}'), "it is not JSON: NaN is not JSON"),
        "deep nesting": (lambda path: path.write_bytes(b"[" * 100_000), "it is not JSON: it is nested too deeply"),
        "a folder": (lambda path: path.mkdir(), "it is not a file"),
        "a pipe": (os.mkfifo, "it is not a file"),
        "a link": (lambda path: path.symlink_to("team-state.json"), "it is a symbolic link"),
        "a loop": (lambda path: path.symlink_to(path.name), "it is a symbolic link"),
        "a device": (lambda path: path.symlink_to("/dev/zero"), "it is a symbolic link"),
        "9 MB": (lambda path: path.write_bytes(b"{}" + b" " * 9_000_000), "it is too large"),
    }


@pytest.mark.parametrize(("make", "why"), broken_files().values(), ids=broken_files().keys())
def test_a_file_that_cannot_be_read_says_why_and_is_never_waited_for(
    folder: Path, make: Callable[[Path], object], why: str
) -> None:
    make(folder / "forge-state.json")
    found = read(str(folder), "forge-state.json")
    assert isinstance(found, Unreadable)
    assert found.path == "forge-state.json"
    assert found.why.startswith(why)
    assert not found.is_momentary


@pytest.mark.parametrize("path", ["forge-state.json", "gone/forge-state.json", "team-state.json/forge-state.json"])
def test_a_file_that_is_not_there_is_none(folder: Path, path: str) -> None:
    assert read(str(folder), path) is None


def test_a_byte_order_mark_is_no_fault(folder: Path) -> None:
    (folder / "forge-state.json").write_bytes(b'\xef\xbb\xbf{"active": true}')
    assert read(str(folder), "forge-state.json") == {"active": True}


# --- the lock


def of_another_process(state: Path, seconds: float = 0) -> Lock:
    """A lock that does not stand in this process' queue."""
    lock = Lock(str(state), seconds)
    lock._turns = _Turns()
    return lock


def is_free(state: Path) -> bool:
    try:
        with of_another_process(state):
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
    assert is_free(folder)
    assert is_free_for_filelock(folder)


def test_filelock_excludes_our_lock_while_it_is_held(folder: Path) -> None:
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


@pytest.mark.slow
def test_many_threads_and_none_of_them_fails_to_make_the_first_state(tmp_path: Path) -> None:
    """Before there is a folder there is no lock: one server makes it for many sessions at once."""
    failed: list[Exception] = []

    def make(root: Path, together: threading.Barrier) -> None:
        together.wait()
        try:
            prepare(str(root))
        except OSError as error:
            failed.append(error)

    for number in range(30):
        root, together = tmp_path / str(number), threading.Barrier(16)
        root.mkdir()
        crowd = [threading.Thread(target=make, args=(root, together)) for _ in range(16)]
        for one in crowd:
            one.start()
        for one in crowd:
            one.join()
        assert sorted(path.name for path in (root / ".rcs").iterdir()) == [".gitignore", "state"]
    assert failed == []


@pytest.mark.slow
def test_threads_have_the_lock_in_the_order_they_asked_and_none_waits_for_ever(folder: Path) -> None:
    """What one server does for many sessions: luck must not let one of them wait beyond its time."""
    threads, rounds, held = 20, 10, 0.01
    before_me: list[int] = []

    def live() -> None:
        for _ in range(rounds):
            asked = len(before_me)
            with Lock(str(folder), seconds=60):
                before_me.append(len(before_me) - asked)
                time.sleep(held)

    crowd = [threading.Thread(target=live) for _ in range(threads)]
    for one in crowd:
        one.start()
    for one in crowd:
        one.join()
    assert len(before_me) == threads * rounds
    assert max(before_me) < 4 * threads  # in order it is one round; who was kept from asking lets some others ask again
    assert is_free(folder)


def test_a_thread_that_gave_up_leaves_the_turn_to_the_next(folder: Path) -> None:
    with Lock(str(folder)), pytest.raises(LockTimeout):
        Lock(str(folder), seconds=0.02).__enter__()
    with Lock(str(folder), seconds=60):
        assert not is_free(folder)
    with filelock.FileLock(folder / LOCK), pytest.raises(LockTimeout):
        Lock(str(folder), seconds=0.02).__enter__()
    with Lock(str(folder), seconds=60):
        assert not is_free(folder)


@pytest.mark.slow
def test_a_crowd_of_processes_has_the_lock_one_after_the_other_and_nobody_gives_up(folder: Path) -> None:
    """Together they take twice as long as any of them would wait for one holder."""
    crowd, held, patience = 30, 0.2, 3.0

    def live() -> None:
        with Lock(str(folder), patience):
            time.sleep(held)

    assert at_once(live, crowd) == [0] * crowd
    assert is_free(folder)


def test_what_a_wait_that_was_given_up_gets_later_is_given_back(folder: Path) -> None:
    with filelock.FileLock(folder / LOCK), pytest.raises(LockTimeout):
        Lock(str(folder), seconds=0.02).__enter__()
    for _ in range(3):
        with filelock.FileLock(folder / LOCK, timeout=60):
            assert not is_free(folder)


def test_a_lock_that_is_given_back_in_time_is_taken(folder: Path) -> None:
    held = Lock(str(folder)).__enter__()
    timer = threading.Timer(0.05, held.__exit__, (None, None, None))
    timer.start()
    with Lock(str(folder), seconds=60):
        assert not is_free(folder)
    timer.join()


def test_a_removed_lock_file_locks_nobody_out(folder: Path) -> None:
    with Lock(str(folder)):
        (folder / LOCK).unlink()
        assert is_free(folder)
    assert is_free(folder)


def test_the_holder_of_a_removed_lock_file_does_not_open_the_new_one(folder: Path) -> None:
    old = Lock(str(folder)).__enter__()
    (folder / LOCK).unlink()
    with of_another_process(folder):
        old.__exit__(None, None, None)
        assert not is_free(folder)
        assert not is_free_for_filelock(folder)


def test_a_lock_file_that_is_a_link_is_not_followed(folder: Path, tmp_path: Path) -> None:
    (folder / LOCK).unlink(missing_ok=True)
    (folder / LOCK).symlink_to(tmp_path / "made")
    with pytest.raises(OSError, match=r"/\.lock is a link, so no state is kept; to remove it: rm /"):
        Lock(str(folder)).__enter__()
    assert not (tmp_path / "made").exists()


def test_a_lock_leaves_no_open_file(folder: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    with Lock(str(folder)):
        assert not is_free(folder)
    assert len(os.listdir("/proc/self/fd")) == before


def test_only_one_of_many_threads_is_inside(folder: Path) -> None:
    inside: list[int] = []
    most: list[int] = []

    def enter(number: int) -> None:
        for _ in range(20):
            with Lock(str(folder), seconds=30):
                inside.append(number)
                most.append(len(inside))
                inside.remove(number)

    threads = [threading.Thread(target=enter, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 160


def test_what_a_kill_left_staged_of_a_question_goes_with_the_next_write_there(tmp_path: Path) -> None:
    folder = preparation.prepare(str(tmp_path))
    asked = tmp_path / ".rcs" / "state" / "sessions" / "s1" / "questions"
    asked.mkdir(parents=True)
    for name in ("q-1.json.new", "q-2.json", "notes.new"):
        (asked / name).write_text("{}")
    with Lock(folder):
        transaction.commit(folder, [Write("sessions/s1/questions/q-3.json", {})])
    assert sorted(path.name for path in asked.iterdir()) == ["notes.new", "q-2.json", "q-3.json"]


@pytest.mark.parametrize("dry_run", [True, False])
def test_prune_removes_what_a_kill_left_staged(dry_run: bool, tmp_path: Path) -> None:
    preparation.prepare(str(tmp_path))
    state = tmp_path / ".rcs" / "state"
    left = [state / "sessions" / "s1" / "questions" / "q-1.json.new", state / "team-state.json.new"]
    for path in left:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    prune(Scope(str(tmp_path), None, 0.0, Commands("rcs", "")), dry_run=dry_run)
    assert [path.exists() for path in left] == [dry_run, dry_run]
