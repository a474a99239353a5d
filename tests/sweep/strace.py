"""A program under strace: which calls of it touch a workspace, and the same program with one of them made to fail."""

from __future__ import annotations

import errno
import re
import subprocess
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

KILL = "SIGKILL"
FAULTS = (errno.errorcode[errno.EIO], errno.errorcode[errno.EMFILE], errno.errorcode[errno.ENOSPC], KILL)
OPENS = ("open", "openat", "mkdir", "mkdirat", "flock")
READS = ("read", "pread64", "getdents64")
WRITES = ("write", "pwrite64", "fsync", "fdatasync", "ftruncate", "rename", "renameat", "renameat2", "utimensat")
REMOVES = ("unlink", "unlinkat")
CALLS = (*OPENS, *READS, *WRITES, *REMOVES)
LEFT_ALONE = (
    "access", "chdir", "close", "execve", "fchown", "fcntl", "fstat", "getcwd", "ioctl", "lseek", "lstat", "mmap",
    "newfstatat", "readlink", "readlinkat", "stat", "statx",
)  # fmt: skip
"""What asks about a file and changes nothing on the disk."""
NAME = re.compile(r"\w+(?=\()")
FOLDER_OF_THE_PROCESS = re.compile(r"AT_FDCWD<[^>]*>")


class Case(NamedTuple):
    """The call of that name and number, and what becomes of it."""

    call: str
    number: int
    fault: str


class Done(NamedTuple):
    status: int
    out: str
    err: str


def why_not() -> str:
    """Why no program can be traced here; empty where it can."""
    try:
        done = subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return "strace is not installed"
    return f"ptrace is not permitted here: {done.stderr.strip()}" if done.returncode else ""


def run(command: Sequence[str], stdin: bytes, root: Path, env: dict[str, str]) -> Done:
    done = subprocess.run(command, input=stdin, capture_output=True, cwd=root, env=env, timeout=120, check=False)
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def with_fault(
    case: Case, command: Sequence[str], stdin: bytes, root: Path, env: dict[str, str], log: Path
) -> tuple[Done, bool]:
    """What the program did, and whether the fault struck where the workspace is touched."""
    what = f"signal={KILL}" if case.fault == KILL else f"error={case.fault}"
    options = ["-qq", "-y", "-s", "0", "-o", str(log), "-e", f"trace={case.call}", "-e", "signal=none"]
    inject = f"inject={case.call}:{what}:when={case.number}"
    done = run(["strace", *options, "-e", inject, *command], stdin, root, env)
    lines = log.read_text().splitlines()
    struck = lines[-1:] if case.fault == KILL else [line for line in lines if line.endswith("(INJECTED)")]
    return done, len(struck) == 1 and _touches(root, struck[0])


def cases(command: Sequence[str], stdin: bytes, root: Path, env: dict[str, str], log: Path) -> Iterator[Case]:
    """Every fault at every call that touches the workspace; what the interpreter reads for itself is left alone."""
    options = ["-qq", "-y", "-s", "0", "-o", str(log), "-e", "trace=%file,%desc", "-e", "signal=none"]
    run(["strace", *options, *command], stdin, root, env)
    numbers: Counter[str] = Counter()
    for line in log.read_text().splitlines():
        if not (found := NAME.match(line)):
            continue
        name = found[0]
        numbers[name] += 1
        if _touches(root, line) and name not in LEFT_ALONE:
            assert name in CALLS, f"no fault is known for {line}"
            yield from (Case(name, numbers[name], fault) for fault in FAULTS if _can_happen(name, fault))


def _touches(root: Path, line: str) -> bool:
    return str(root) in FOLDER_OF_THE_PROCESS.sub("", line)


def _can_happen(name: str, fault: str) -> bool:
    if fault == "EMFILE":
        return name in OPENS
    if fault == "ENOSPC":
        return name in (*OPENS, *WRITES)
    return True
