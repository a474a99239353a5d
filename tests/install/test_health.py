"""What doctor says of a workspace's state, and that it changes none of it."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from rcs_hooks.clients.check import BROKEN, NOTE, OK, WARN, Check
from rcs_hooks.install import health, locks
from rcs_hooks.state.scopes import Scope
from rcs_hooks.workflow.commands import Commands
from tests.support import NOW, Workspace
from tests.table import each_row

if TYPE_CHECKING:
    from collections.abc import Callable

HOUR = 3600
FORGE = ".rcs/state/sessions/s1/forge-state.json"


def checks(root: Path, now: float = NOW, seconds: float = 60.0) -> list[Check]:
    """With every file and time stamp compared."""
    before = everything(root)
    found = list(health.checks(Scope(str(root), None, now, Commands("rcs", "", None)), seconds))
    assert everything(root) == before
    return found


def everything(root: Path) -> dict[str, tuple[int, int, int, int]]:
    found = {}
    for folder, folders, files in os.walk(root):
        for name in (".", *folders, *files):
            status = os.lstat(os.path.join(folder, name))
            found[os.path.join(folder, name)] = (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)
    return found


def worse(found: list[Check]) -> list[Check]:
    return [check for check in found if check.status != OK]


# --- sound


def test_sound_state_is_said_to_be_so_and_none_is_made(workspace: Workspace) -> None:
    root = workspace.root
    assert checks(root) == [Check("state", OK, f"{root} can be written"), Check("state", OK, f"{root} has none yet")]
    assert list(root.iterdir()) == []
    workspace.prompt("$forge go")
    assert checks(root, workspace.now) == [
        Check("state", OK, f"{root}/.rcs/state can be written"),
        Check("state", OK, f"every file in {root}/.rcs/state is valid"),
    ]


# --- records


def test_a_file_that_cannot_be_read_is_named_with_the_command_that_clears_it(workspace: Workspace) -> None:
    workspace.write("forge")
    workspace.mode_path("forge").write_text('{"active":')
    workspace.write("team", None)
    workspace.mode_path("team", None).write_bytes(b"\xff")
    why = f"{FORGE}: it is not JSON: Expecting value: line 1 column 11 (char 10)"
    assert worse(checks(workspace.root)) == [
        Check("state", BROKEN, ".rcs/state/team-state.json: it is not UTF-8", "rcs state clear --mode team"),
        Check("state", BROKEN, why, "rcs state clear --mode forge --session s1"),
    ]


@each_row(
    ("value", "shown"),
    [
        ("wat", "'wat'"),
        ("\x1b[31mred\u202e", "'[31mred'"),
        ("x" * 10_000, f"'{'x' * 39}…'"),
        (["a", {}], "\"['a',{}]\""),
    ],
)
def test_an_outcome_that_means_nothing_is_shown_on_one_line(workspace: Workspace, value: object, shown: str) -> None:
    workspace.write("forge", lifecycle_outcome=value)
    said = f"{FORGE}: lifecycle_outcome {shown} has no meaning"
    known = "use one of finished, blocked, failed, userinterlude, askuserQuestion"
    todo = "rcs state write --mode forge --outcome finished --session s1"
    assert worse(checks(workspace.root)) == [Check("outcome", WARN, f"{said}; {known}", todo)]


def test_what_nobody_touched_for_a_day_is_stale(workspace: Workspace) -> None:
    workspace.write("forge")
    workspace.write("team", None)
    root = ".rcs/state/team-state.json: unchanged for a day, so it is ignored"
    assert worse(checks(workspace.root, NOW + 23 * HOUR)) == []
    assert worse(checks(workspace.root, NOW + 25 * HOUR)) == [
        Check("stale", WARN, root, "rcs state clear --mode team"),
        Check("stale", NOTE, f"{FORGE}: active, and unchanged for 25 h", "rcs state clear --mode forge --session s1"),
    ]


def test_a_record_from_the_future_is_named(workspace: Workspace) -> None:
    workspace.write("forge")
    said = f"{FORGE}: changed 48 h in the future by this clock"
    assert worse(checks(workspace.root, NOW - 48 * HOUR)) == [Check("stale", NOTE, said, "set the clock right")]


@each_row("moment", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "", 5, None, "\ud800"])
def test_a_moment_of_any_shape_is_no_reason_to_fail(workspace: Workspace, moment: object) -> None:
    workspace.write("forge", updated_at=moment)
    workspace.write("team", None, updated_at=moment)
    assert BROKEN not in [check.status for check in checks(workspace.root)]


def test_a_count_that_cannot_be_read_and_a_commit_that_was_cut_short_are_named(workspace: Workspace) -> None:
    workspace.write("forge")
    ledger = workspace.folder("s1") / "hook-ledger.json"
    ledger.write_text("[]")
    (workspace.state / ".commit.json").write_text('{"files": []}')
    uncounted = f"{ledger}: it is not a JSON object, so no Stop of that session is held"
    cut = "a write was interrupted; the next prompt, Stop or `rcs state write` finishes it"
    assert sorted(worse(checks(workspace.root))) == [
        Check("state", NOTE, cut),
        Check("state", WARN, uncounted, "the next prompt replaces it; or remove it"),
    ]


def test_of_thousands_the_worst_are_said_and_the_rest_counted_in_time(workspace: Workspace) -> None:
    for number in range(300):
        workspace.write("forge", f"s{number}", lifecycle_outcome="wat")
    workspace.write("team", "zz")
    workspace.mode_path("team", "zz").write_text("")
    found = worse(checks(workspace.root))
    assert [check.status for check in found] == [BROKEN, *[WARN] * 8]
    assert found[-1] == Check("outcome", WARN, "293 more of this kind")
    said = "301 sessions; only the 0 that changed last were checked"
    late = Check("state", NOTE, said, "remove old ones: rcs state prune --older-than 30d")
    assert worse(checks(workspace.root, seconds=-1)) == [late]


# --- folders that a repository may have brought


def _pipe(folder: Path, name: str) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    os.mkfifo(folder / name)


def _noise(folder: Path, name: str) -> None:
    (folder / name).parent.mkdir()
    (folder / name).write_bytes(b"\xff\n[" + b"[" * 99_000 + b'\n{"at": 5}\n7\n{"at"')


NO_FOLDER = ".rcs of {root} is not a folder, so no state is kept; move it away, or set RCS_ROOT"


@each_row(
    ("name", "to", "said"),
    [
        (".rcs", "", NO_FOLDER),
        (".rcs", "nowhere", NO_FOLDER),
        (".rcs", "..", "{root}/.rcs is a link, so it is not used; remove it, or set RCS_ROOT"),
        (".rcs/state", "/etc", "{root}/.rcs/state is a link, so it is not used; remove it, or set RCS_ROOT"),
    ],
)
def test_a_state_folder_that_is_none_is_said_once(workspace: Workspace, name: str, to: str, said: str) -> None:
    (workspace.root / name).parent.mkdir(exist_ok=True)
    (workspace.root / name).symlink_to(to) if to else _pipe(workspace.root, name)
    [check] = worse(checks(workspace.root))
    assert (check.what, check.status, check.found) == ("state", BROKEN, said.format(root=workspace.root))


@each_row(
    ("name", "make"),
    [
        ("sessions", _pipe),
        ("sessions", lambda folder, name: (folder / name).symlink_to(name)),
        ("sessions/s1", lambda folder, name: [(folder / name).parent.mkdir(), (folder / name).symlink_to("/etc")]),
        ("../logs/hook-errors.jsonl", _pipe),
        ("../logs/hook-errors.jsonl", _noise),
        ("../logs/hook-errors.jsonl", lambda folder, name: (folder / name).mkdir(parents=True)),
    ],
)
def test_what_a_repository_brings_ends_no_check(
    workspace: Workspace, name: str, make: Callable[[Path, str], object]
) -> None:
    workspace.state.mkdir(parents=True)
    make(workspace.state, name)
    assert checks(workspace.root)[-1].what == "state"


def test_a_log_that_leads_out_is_not_read(workspace: Workspace, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "hook-errors.jsonl").write_text(json.dumps({"at": "2023-11-14T22:00:00Z", "why": "secret"}) + "\n")
    workspace.state.mkdir(parents=True)
    (workspace.root / ".rcs/logs").symlink_to(outside)
    assert worse(checks(workspace.root)) == []


def test_failures_of_the_last_day_are_counted_with_the_last_one(workspace: Workspace) -> None:
    workspace.state.mkdir(parents=True)
    log = workspace.root / ".rcs/logs/hook-errors.jsonl"
    log.parent.mkdir()
    failures = [("12T00", "old"), ("14T20", "first"), ("14T21", "last\x1b[2J\nfake")]
    lines = [{"at": f"2023-11-{at}:00:00Z", "why": why} for at, why in failures]
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    said = "a hook failed 2 times in the last day; last at 2023-11-14T21:00:00Z: last [2J fake"
    assert worse(checks(workspace.root)) == [Check("log", WARN, said, f"see {log}")]


# --- may it be written


@each_row(
    ("blocks", "free", "files", "free_files", "is_full"),
    [(10, 0, 0, 0, True), (0, 0, 0, 0, False), (10, 5, 10, 0, True), (10, 5, 10, 5, False)],
)
def test_a_disk_is_full_without_blocks_or_without_files(
    blocks: int, free: int, files: int, free_files: int, is_full: bool
) -> None:
    disk = os.statvfs_result((512, 512, blocks, free, free, files, free_files, free_files, 0, 255))
    assert health.is_full(disk) is is_full


STEP_DOWN = """
import os, sys
from rcs_hooks.install import health
if os.geteuid() == 0:  # root may write everywhere
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
for check in health._writable(sys.argv[1], sys.argv[1] + "/.rcs/state"):
    print(*check, sep="|")
"""


def test_state_that_cannot_be_written_is_broken() -> None:
    with tempfile.TemporaryDirectory() as root:
        os.chmod(root, 0o755)
        for name, mode in ((".rcs", 0o755), (".rcs/state", 0o555)):
            os.mkdir(f"{root}/{name}")
            os.chmod(f"{root}/{name}", mode)
        # Another user may not write what measures coverage here.
        env = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
        done = subprocess.run(
            [sys.executable, "-c", STEP_DOWN, root], capture_output=True, text=True, check=False, cwd="/", env=env
        )
    todo = f"give yourself permission to write it, or set RCS_ROOT (now {root})"
    assert (done.stdout, done.stderr) == (f"state|broken|{root}/.rcs/state cannot be written|{todo}|\n", "")


# --- the lock


def test_a_lock_is_named_while_another_process_holds_it(workspace: Workspace) -> None:
    workspace.state.mkdir(parents=True)
    lock = workspace.state / ".lock"
    lock.write_text("")
    with open(lock) as other:
        assert list(locks.checks(str(workspace.state), 0.0)) == []
        fcntl.flock(other, fcntl.LOCK_SH)  # as another look does
        assert list(locks.checks(str(workspace.state), 0.0)) == []
        fcntl.flock(other, fcntl.LOCK_EX)
        said = f"{lock} is held by another process and does not come free"
        todo = f"find it with `fuser {lock}`, and end it if it hangs"
        assert list(locks.checks(str(workspace.state), 0.02)) == [Check("lock", BROKEN, said, todo)]
    assert list(locks.checks(str(workspace.state), 0.0)) == []
