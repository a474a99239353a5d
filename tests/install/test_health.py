"""What doctor says of a workspace's state, and that it changes none of it."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rcs_hooks.clients.check import BROKEN, NOTE, OK, WARN, Check
from rcs_hooks.install import health, locks
from rcs_hooks.state.scopes import Scope
from rcs_hooks.workflow.commands import Commands
from tests.support import NOW, Workspace
from tests.table import each_row

if TYPE_CHECKING:
    from collections.abc import Callable


def scope(root: Path, now: float = NOW) -> Scope:
    return Scope(str(root), None, now, Commands("rcs", "", None))


def checks(root: Path, now: float = NOW, seconds: float = 60.0) -> list[Check]:
    """Asked twice, with every file and time stamp compared."""
    before = everything(root)
    found = list(health.checks(scope(root, now), seconds))
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


def test_without_state_it_makes_none(workspace: Workspace) -> None:
    root = workspace.root
    assert checks(root) == [Check("state", OK, f"{root} can be written"), Check("state", OK, f"{root} has none yet")]
    assert list(root.iterdir()) == []


def test_state_of_a_running_session_is_sound(workspace: Workspace) -> None:
    workspace.prompt("$forge go")
    root = workspace.root
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
    assert worse(checks(workspace.root)) == [
        Check("state", BROKEN, ".rcs/state/team-state.json: it is not UTF-8", "rcs state clear --mode team"),
        Check(
            "state",
            BROKEN,
            ".rcs/state/sessions/s1/forge-state.json: it is not JSON: Expecting value: line 1 column 11 (char 10)",
            "rcs state clear --mode forge --session s1",
        ),
    ]


@each_row(
    ("value", "shown"),
    [
        ("wat", "'wat'"),
        ("\x1b[31mred\u202e", "'[31mred'"),
        ("x" * 10_000, f"'{'x' * 39}…'"),
        (7, "'7'"),
        (["a", {}], "\"['a',{}]\""),
    ],
)
def test_an_outcome_that_means_nothing_is_shown_on_one_line(workspace: Workspace, value: object, shown: str) -> None:
    workspace.write("forge", lifecycle_outcome=value)
    [check] = worse(checks(workspace.root))
    assert (check.what, check.status) == ("outcome", WARN)
    assert check.todo == "rcs state write --mode forge --outcome finished --session s1"
    start, said, end = check.found.partition(shown)
    assert start == ".rcs/state/sessions/s1/forge-state.json: lifecycle_outcome "
    assert said
    assert end == " has no meaning; use one of finished, blocked, failed, userinterlude, askuserQuestion"


def test_what_nobody_touched_for_a_day_is_stale(workspace: Workspace) -> None:
    workspace.write("forge")
    workspace.write("team", None)
    assert worse(checks(workspace.root, NOW + 25 * 3600)) == [
        Check(
            "stale",
            WARN,
            ".rcs/state/team-state.json: unchanged for a day, so it is ignored",
            "rcs state clear --mode team",
        ),
        Check(
            "stale",
            NOTE,
            ".rcs/state/sessions/s1/forge-state.json: active, and unchanged for 25 h",
            "rcs state clear --mode forge --session s1",
        ),
    ]


def test_a_record_from_the_future_is_named(workspace: Workspace) -> None:
    workspace.write("forge")
    assert worse(checks(workspace.root, NOW - 48 * 3600)) == [
        Check(
            "stale",
            NOTE,
            ".rcs/state/sessions/s1/forge-state.json: changed 48 h in the future by this clock",
            "set the clock right",
        )
    ]


@each_row("moment", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "", 5, None, "\ud800"])
def test_a_moment_of_any_shape_is_no_reason_to_fail(workspace: Workspace, moment: object) -> None:
    workspace.write("forge", updated_at=moment)
    workspace.write("team", None, updated_at=moment)
    assert BROKEN not in [check.status for check in checks(workspace.root)]


def test_a_count_that_cannot_be_read_is_named(workspace: Workspace) -> None:
    workspace.write("forge")
    ledger = workspace.folder("s1") / "hook-ledger.json"
    ledger.write_text("[]")
    assert worse(checks(workspace.root)) == [
        Check(
            "state",
            WARN,
            f"{ledger}: it is not a JSON object, so no Stop of that session is held",
            "the next prompt replaces it; or remove it",
        )
    ]


def test_a_commit_that_was_cut_short_is_named(workspace: Workspace) -> None:
    workspace.write("forge")
    (workspace.state / ".commit.json").write_text('{"files": []}')
    assert worse(checks(workspace.root)) == [
        Check("state", NOTE, "a write was interrupted; the next prompt, Stop or `rcs state write` finishes it")
    ]


def test_of_thousands_the_worst_are_said_and_the_rest_counted(workspace: Workspace) -> None:
    for number in range(300):
        workspace.write("forge", f"s{number}", lifecycle_outcome="wat")
    workspace.write("team", "zz")
    workspace.mode_path("team", "zz").write_text("")
    found = worse(checks(workspace.root))
    assert [check.status for check in found] == [BROKEN, *[WARN] * 8]
    assert found[-1] == Check("outcome", WARN, "293 more of this kind")


def test_reading_ends_after_its_time_and_says_so(workspace: Workspace) -> None:
    workspace.write("forge", "s1", lifecycle_outcome="wat")
    workspace.write("forge", "s2", lifecycle_outcome="wat")
    assert worse(checks(workspace.root, seconds=-1)) == [
        Check(
            "state",
            NOTE,
            "2 sessions; only the 0 that changed last were checked",
            "remove old ones: rcs state prune --older-than 30d",
        )
    ]


# --- folders that a repository may have brought


def _file(root: Path) -> None:
    (root / ".rcs").write_text("")


def _pipe(root: Path) -> None:
    os.mkfifo(root / ".rcs")


def _link_out(root: Path) -> None:
    (root / ".rcs").symlink_to(root.parent)


def _dangling(root: Path) -> None:
    (root / ".rcs").symlink_to("nowhere")


def _state_out(root: Path) -> None:
    (root / ".rcs").mkdir()
    (root / ".rcs/state").symlink_to("/etc")


@each_row(
    ("make", "said"),
    [
        (_file, ".rcs of {root} is not a folder, so no state is kept; move it away, or set RCS_ROOT"),
        (_pipe, ".rcs of {root} is not a folder, so no state is kept; move it away, or set RCS_ROOT"),
        (_dangling, ".rcs of {root} is not a folder, so no state is kept; move it away, or set RCS_ROOT"),
        (_link_out, "{root}/.rcs is a link, so it is not used; remove it, or set RCS_ROOT"),
        (_state_out, "{root}/.rcs/state is a link, so it is not used; remove it, or set RCS_ROOT"),
    ],
)
def test_a_state_folder_that_is_none_is_said_once(
    workspace: Workspace, make: Callable[[Path], None], said: str
) -> None:
    make(workspace.root)
    [check] = worse(checks(workspace.root))
    assert (check.what, check.status, check.found) == ("state", BROKEN, said.format(root=workspace.root))


def _sessions_file(state: Path) -> None:
    (state / "sessions").write_text("")


def _sessions_pipe(state: Path) -> None:
    os.mkfifo(state / "sessions")


def _sessions_loop(state: Path) -> None:
    (state / "sessions").symlink_to("sessions")


def _session_out(state: Path) -> None:
    (state / "sessions").mkdir()
    (state / "sessions/s1").symlink_to("/etc")


def _log_pipe(state: Path) -> None:
    (state.parent / "logs").mkdir()
    os.mkfifo(state.parent / "logs/hook-errors.jsonl")


def _log_folder(state: Path) -> None:
    (state.parent / "logs/hook-errors.jsonl").mkdir(parents=True)


def _log_noise(state: Path) -> None:
    (state.parent / "logs").mkdir()
    (state.parent / "logs/hook-errors.jsonl").write_bytes(b"\xff\n[" + b"[" * 99_000 + b'\n{"at": 5}\n7\n{"at"')


def _lock_pipe(state: Path) -> None:
    os.mkfifo(state / ".lock")


def _lock_link(state: Path) -> None:
    (state / ".lock").symlink_to("/etc/passwd")


def _lock_folder(state: Path) -> None:
    (state / ".lock").mkdir()


@each_row(
    "make",
    [
        _sessions_file,
        _sessions_pipe,
        _sessions_loop,
        _session_out,
        _log_pipe,
        _log_folder,
        _log_noise,
        _lock_pipe,
        _lock_link,
        _lock_folder,
    ],
)
def test_what_a_repository_brings_ends_no_check(workspace: Workspace, make: Callable[[Path], None]) -> None:
    workspace.state.mkdir(parents=True)
    make(workspace.state)
    found = checks(workspace.root)
    assert found[-1].what in ("state", "lock")
    lock = [check for check in found if check.what == "lock"]
    assert [check.status for check in lock] == ([BROKEN] if "lock" in make.__name__ else [])


def test_a_log_that_leads_out_is_not_read(workspace: Workspace, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "hook-errors.jsonl").write_text(json.dumps({"at": "2023-11-14T22:00:00Z", "why": "secret"}) + "\n")
    workspace.state.mkdir(parents=True)
    (workspace.root / ".rcs/logs").symlink_to(outside)
    assert worse(checks(workspace.root)) == []


def test_failures_of_the_last_day_are_counted_with_the_last_one(workspace: Workspace) -> None:
    logs = workspace.root / ".rcs/logs"
    workspace.state.mkdir(parents=True)
    logs.mkdir()
    lines: list[dict[str, Any]] = [
        {"at": "2023-11-12T00:00:00Z", "why": "old"},
        {"at": "2023-11-14T20:00:00Z", "why": "first"},
        {"at": "2023-11-14T21:00:00Z", "why": "last\x1b[2J\nfake"},
    ]
    (logs / "hook-errors.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert worse(checks(workspace.root)) == [
        Check(
            "log",
            WARN,
            "a hook failed 2 times in the last day; last at 2023-11-14T21:00:00Z: last [2J fake",
            f"see {logs}/hook-errors.jsonl",
        )
    ]


# --- may it be written


@pytest.mark.parametrize(
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
        for name in (".rcs", ".rcs/state"):
            os.mkdir(f"{root}/{name}", 0o555)
            os.chmod(f"{root}/{name}", 0o755 if name == ".rcs" else 0o555)
        # Another user may not write what measures coverage here.
        env = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
        done = subprocess.run(
            [sys.executable, "-c", STEP_DOWN, root], capture_output=True, text=True, check=False, cwd="/", env=env
        )
    todo = f"give yourself permission to write it, or set RCS_ROOT (now {root})"
    assert (done.stdout, done.stderr) == (f"state|broken|{root}/.rcs/state cannot be written|{todo}|\n", "")


# --- the lock


def test_a_lock_that_is_free_is_not_mentioned(workspace: Workspace) -> None:
    workspace.state.mkdir(parents=True)
    (workspace.state / ".lock").write_text("")
    assert list(locks.checks(str(workspace.state))) == []


HOLD = "import fcntl, sys; f = open(sys.argv[1]); fcntl.flock(f, fcntl.LOCK_EX); print('held', flush=True); input()"


def test_a_lock_that_is_held_is_named_until_its_process_dies(workspace: Workspace) -> None:
    workspace.state.mkdir(parents=True)
    lock = workspace.state / ".lock"
    lock.write_text("")
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        [check] = locks.checks(str(workspace.state), 0.02)
        holder.kill()
    assert (check.what, check.status) == ("lock", BROKEN)
    assert check.found == f"{lock} is held by another process and does not come free"
    assert check.todo == f"find it with `fuser {lock}`, and end it if it hangs"
    assert list(locks.checks(str(workspace.state), 0.02)) == []


def test_two_that_look_are_not_in_each_others_way(workspace: Workspace) -> None:
    workspace.state.mkdir(parents=True)
    (workspace.state / ".lock").write_text("")
    with open(workspace.state / ".lock") as other:
        fcntl.flock(other, fcntl.LOCK_SH)
        assert list(locks.checks(str(workspace.state), 0.0)) == []
