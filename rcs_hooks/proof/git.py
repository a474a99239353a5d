"""Runs git on a repository of unknown origin, so that it runs nothing of the repository's and writes nothing.

Rules of this file:
- No variable GIT_* of the caller reaches git, and no discovery decides where the work tree is.
- What a config could have git run is overridden on the command line, which goes before every config.
- git opens what a repository names (an exclude file, an include), and that may be a pipe: each call has a deadline, and
  then its whole group is killed.
"""

from __future__ import annotations

import fcntl
import os
import selectors
import signal
import subprocess
import time

from rcs_hooks.errors import Refused, reason_of, suppress
from rcs_hooks.files.ls_files import guarded
from rcs_hooks.text import clean
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.trustctime=true",
    "core.checkStat=default",
    "core.ignoreStat=false",
    "core.untrackedCache=false",
    "core.preloadIndex=true",
    "core.safecrlf=false",
)
READ_SIZE = 1 << 20
PIPE_SIZE = 1 << 20
MOST_OUTPUT = 1 << 30
SHOWN = 300


class TreeFailure(Refused):
    """Raised when the work tree cannot be fingerprinted; says why, in one sentence."""

    code = "tree"


class GitFailure(TreeFailure):
    """Raised when git does not read a repository, or must not; says why, in one sentence."""


class Deadline:
    """The moment at which a fingerprint has to be ready."""

    __slots__ = ("_seconds", "_until", "root")

    def __init__(self, root: str, seconds: float) -> None:
        self.root = root
        self._seconds = seconds
        self._until = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds that are left. Raises TreeFailure if there are none."""
        left = self._until - time.monotonic()
        if left > 0:
            return left
        raise TreeFailure(
            f"the files of {clean(self.root, SHOWN)} could not be read within {self._seconds:g} s; "
            "try `git status` there, and list large folders of generated files in .gitignore"
        )


class GitCall(NamedTuple):
    """One call of git: its words, and what it reads from stdin."""

    words: tuple[str, ...]
    stdin: bytes = b""


class GitOutput(NamedTuple):
    """What a call of git printed, and its exit status."""

    out: bytes
    err: bytes
    exit: int

    @property
    def why(self) -> str:
        """Return the last line that git printed as an error, without `fatal: `."""
        lines = self.err.decode(errors="replace").strip().splitlines()
        fatal = [line for line in lines if line.startswith("fatal:")] or lines or [f"exit {self.exit}"]
        return clean(fatal[0].removeprefix("fatal: "), SHOWN)


class Git:
    """git, for one work tree: its program, environment and deadline."""

    __slots__ = ("_env", "_start", "deadline", "program", "top")

    def __init__(self, program: str, top: str, env: Mapping[str, str], deadline: Deadline) -> None:
        self.program = program
        self.top = top
        self.deadline = deadline
        self._env = guarded(env)
        self._start: tuple[str, ...] = (program, "--no-pager", *_overridden(SETTINGS))

    def believe(self, folder: str) -> None:
        """Use this git folder from now on, whatever its config says of a work tree."""
        self._start += (f"--git-dir={folder}", f"--work-tree={self.top}")

    def storing_in(self, objects: str, index: str) -> Git:
        """Return a git that writes new objects and its index to these paths, and nothing to the repository."""
        other = Git(self.program, self.top, {}, self.deadline)
        other._env = {**self._env, "GIT_OBJECT_DIRECTORY": objects, "GIT_INDEX_FILE": index}
        other._start = self._start
        other.override(["core.splitIndex=false"])  # a shared index would be written beside that of the repository
        return other

    def override(self, settings: Iterable[str]) -> None:
        """Override these settings of every config from now on."""
        at = self._start.index("--no-pager") + 1
        self._start = (*self._start[:at], *_overridden(settings), *self._start[at:])

    def run(self, *calls: GitCall) -> list[GitOutput]:
        """Run calls at the same time; return what each has printed. Raises TreeFailure."""
        processes: list[subprocess.Popen[bytes]] = []
        try:
            for call in calls:
                processes.append(self._started(call.words))
            outputs = _exchange(processes, [call.stdin for call in calls], self.deadline.left)
            exits = [_exit_of(process, self.deadline.left) for process in processes]
            return [GitOutput(*output, exit) for output, exit in zip(outputs, exits, strict=True)]
        finally:
            for process in processes:
                _end(process)

    def output(self, *calls: GitCall) -> list[bytes]:
        """Do the same, and return the stdout of each."""
        return [one.out for one in self.checked(*calls)]

    def checked(self, *calls: GitCall) -> list[GitOutput]:
        """Run calls at the same time; return what each has printed. Raises TreeFailure if one of them fails."""
        said = self.run(*calls)
        for one in said:
            if one.exit:
                raise GitFailure(f"git cannot read the work tree {clean(self.top, SHOWN)}: {one.why}")
        return said

    def _started(self, words: Sequence[str]) -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # in Popen, it would orphan the process
        try:
            return subprocess.Popen(
                [*self._start, *words],
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                cwd=self.top,
                env=self._env,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            why = reason_of(error) if isinstance(error, OSError) else str(error)
            raise GitFailure(f"git cannot be run in {clean(self.top, SHOWN)}: {why}") from None
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _overridden(settings: Iterable[str]) -> list[str]:
    return [word for setting in settings for word in ("-c", setting)]


def _exchange(
    processes: Sequence[subprocess.Popen[bytes]], inputs: Sequence[bytes], left: Callable[[], float]
) -> list[tuple[bytes, bytes]]:
    """Write each input and read all outputs at the same time, until all of them are closed."""
    said: dict[int, list[bytes]] = {}
    unsaid: dict[int, memoryview] = {}
    total = 0
    with selectors.DefaultSelector() as selector:
        for process, given in zip(processes, inputs, strict=True):
            assert process.stdin and process.stdout and process.stderr  # noqa: S101 - all three are pipes
            for stream in (process.stdout, process.stderr):
                said[stream.fileno()] = []
                _widen(stream.fileno())
                selector.register(stream.fileno(), selectors.EVENT_READ)
            if given:
                os.set_blocking(process.stdin.fileno(), False)
                unsaid[process.stdin.fileno()] = memoryview(given)
                selector.register(process.stdin.fileno(), selectors.EVENT_WRITE, process)
            else:
                process.stdin.close()
        while selector.get_map():
            for key, event in selector.select(left()):
                if event == selectors.EVENT_WRITE:
                    rest = _written(key.fd, unsaid[key.fd])
                    unsaid[key.fd] = rest
                    if not rest:
                        selector.unregister(key.fd)
                        with suppress(BrokenPipeError):
                            key.data.stdin.close()
                    continue
                chunk = os.read(key.fd, READ_SIZE)
                said[key.fd].append(chunk)
                total += len(chunk)
                if not chunk:
                    selector.unregister(key.fd)
                if total > MOST_OUTPUT:
                    raise TreeFailure("git lists more files than can be compared")
    streams = [(process.stdout, process.stderr) for process in processes]
    return [(b"".join(said[out.fileno()]), b"".join(said[err.fileno()])) for out, err in streams if out and err]


def _widen(fd: int) -> None:
    """Let a pipe hold more, where the system has that and allows it: git then waits for us less often."""
    with suppress(OSError, AttributeError):
        fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, PIPE_SIZE)


def _written(fd: int, given: memoryview) -> memoryview:
    """Write what a pipe takes; return the rest, which is empty where nobody reads any more."""
    try:
        return given[os.write(fd, given[:READ_SIZE]) :]
    except BlockingIOError:
        return given
    except BrokenPipeError:
        return given[:0]


def _exit_of(process: subprocess.Popen[bytes], left: Callable[[], float]) -> int:
    try:
        return process.wait(left())
    except subprocess.TimeoutExpired:
        left()
        raise


def _end(process: subprocess.Popen[bytes]) -> None:
    """Leave nothing of a process: no group that runs, no zombie, no open pipe."""
    if process.returncode is None:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)  # with all that it has started
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream:
            with suppress(OSError):
                stream.close()
    process.wait()
