"""Runs tests for `tests.mutation`, each time in a child of a process that has collected the default suite before.

    python -m tests.mutation_worker covered|collected JOBS ANSWERS ARG...

A child replaces the code of the functions that are changed. Jobs and answers are lines of JSON through two open files.
`covered` runs the suite once, and notes which test runs which line.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import functools
import gc
import json
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Generator
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import coverage
import pytest

ROOT = os.getcwd()
STDERR = 2
MEMORY = 4 << 30
"""How many bytes of address space the tests of one change may have."""
GRACE = 2
"""How many seconds the programs that a child leaves behind have to end, such as a server that sees its pipe closed."""
COVERED = ".venv/covered"
"""The folder in a private copy with the settings of coverage, and the name of the test that runs."""
Job = dict[str, Any]
Results = dict[str, tuple[bool, float]]


def name_of(item: pytest.Item) -> str:
    """The id of a test, the same in every copy."""
    return item.nodeid.replace(ROOT, "COPY")


def replacements(old: CodeType, new: CodeType) -> dict[CodeType, CodeType] | None:
    """Return the functions' code that differs, each with what takes its place; None if other code differs, too."""
    inner = [[each for each in code.co_consts if isinstance(each, CodeType)] for code in (old, new)]
    is_function = bool(old.co_flags & CO_OPTIMIZED)
    found: dict[CodeType, CodeType] = {}
    if old.co_freevars != new.co_freevars:
        return None  # a function that is there holds as many variables as its code says
    if _own(old) != _own(new) or len(inner[0]) != len(inner[1]):
        return {old: new} if is_function else None
    for pair in zip(*inner, strict=True):
        replaced = replacements(*pair)
        if replaced is None:
            return {old: new} if is_function else None
        found |= replaced
    return found | {old: new} if found and is_function else found


def _own(code: CodeType) -> tuple[object, ...]:
    consts = [repr(each) for each in code.co_consts if not isinstance(each, CodeType)]
    return code.co_name, code.co_code, code.co_names, code.co_varnames, code.co_cellvars, consts, code.co_exceptiontable


class Player:
    """Runs the tests of a job in a child, and writes of each when it begins and how it ended."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._failed, self._seconds = False, 0.0

    def say(self, *words: object) -> None:
        with open(self._job["file"], "a") as file:
            file.write(json.dumps(words) + "\n")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._failed |= report.failed
        self._seconds += report.duration

    def play(self, items: dict[str, pytest.Item]) -> None:
        """Run the tests; one that hangs has noticed: the child ends."""
        chosen = [items[name] for name in self._job["tests"]]
        for item, following in zip(chosen, [*chosen[1:], None], strict=True):
            self._failed, self._seconds = False, 0.0
            patience = max(0.001, min(self._job["patience"], self._job["end"] - time.monotonic()))
            faulthandler.dump_traceback_later(patience, exit=True, file=STDERR)
            self.say(name_of(item))
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            self.say(name_of(item), self._failed, self._seconds)
            if self._failed and self._job["stop"]:
                break


class Collected:
    """Has collected the suite, and holds what a child must replace."""

    def __init__(self, jobs: int, answers: int) -> None:
        self._streams = jobs, answers
        self._sources = {str(path): path.read_bytes() for path in Path.cwd().glob("rcs_hooks/**/*.py")}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        gc.unfreeze()  # what is frozen is not listed
        everything = gc.get_objects()
        gc.freeze()
        functions = [each for each in everything if isinstance(each, FunctionType)]
        self._functions = [each for each in functions if each.__code__.co_filename in self._sources]
        caches = [each for each in everything if isinstance(each, functools._lru_cache_wrapper)]
        self._caches = [each for each in caches if str(each.__module__).startswith("rcs_hooks")]
        self._items = {name_of(item): item for item in session.items}
        self._plugins = session.config.pluginmanager
        serve(*self._streams, self._play)
        return True

    def _play(self, job: Job) -> None:
        for path in (str(Path.cwd() / name) for name in job["files"]):
            texts = self._sources[path], Path(path).read_bytes()
            replaced = replacements(*(compile(text, path, "exec", 0, True) for text in texts)) or {}
            for function in self._functions:
                if function.__code__.co_filename == path and function.__code__ in replaced:
                    function.__code__ = replaced[function.__code__]
        for cache in self._caches:
            cache.cache_clear()
        player = Player(job)
        self._plugins.register(player)
        player.play(self._items)


def serve(jobs: int, answers: int, play: Callable[[Job], None]) -> None:
    """Answer each job with the results of its tests."""
    for stream in (jobs, answers):
        os.set_inheritable(stream, False)
    ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER: what a child leaves behind becomes a child of this process
    with open(jobs, "rb") as lines, open(answers, "w", buffering=1) as out:
        for line in lines:
            out.write(json.dumps(_judge(json.loads(line), play)) + "\n")


def _judge(job: Job, play: Callable[[Job], None]) -> Results:
    """Run the tests of a job; where one takes its process down, the others run in another."""
    results: Results = {}
    end = job["end"] = time.monotonic() + job["seconds"]
    while job["tests"] and time.monotonic() < end:
        with tempfile.NamedTemporaryFile("r") as file:
            child = os.fork()
            if not child:
                _be_child(job | {"file": file.name}, play)
            status = os.waitpid(child, 0)[1]
            rows = [json.loads(line) for line in file]
        _end_programs()
        results |= {name: tuple(result) for name, *result in rows if result}
        if status and time.monotonic() < end:
            results |= {name: (True, 0.0) for name in [rows[-1][0] if rows else "collection"] if name not in results}
        if not status or not rows or (job["stop"] and any(failed for failed, _ in results.values())):
            break
        job["tests"] = [name for name in job["tests"] if name not in results]
    return results


def _be_child(job: Job, play: Callable[[Job], None]) -> None:
    """Run the tests of a job, and exit with 0 if that came to its end."""
    status = 1
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        faulthandler.dump_traceback_later(max(0.001, job["end"] - time.monotonic()), exit=True, file=STDERR)
        play(job)
        status = 0
    except BaseException:  # noqa: BLE001 - the worker writes what it was
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _end_programs() -> None:
    """Wait for what a child has left behind, and kill it if it does not end by itself."""
    place = Path(f"/proc/self/task/{os.getpid()}/children")
    end = time.monotonic() + GRACE
    while left := [int(each) for each in place.read_text().split()]:
        for each in left:
            if time.monotonic() > end:
                os.kill(each, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(each, os.WNOHANG)
        time.sleep(0.005)


class Covered:
    """Tells coverage, here and in the programs that are started, which test runs."""

    def __init__(self) -> None:
        self._folder = Path.cwd() / COVERED
        self.coverage = coverage.Coverage(config_file=str(self._folder / "settings"), data_suffix=True)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        (self._folder / "tests").write_text(json.dumps([name_of(item) for item in session.items]))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        (self._folder / "test").write_text(name_of(item))
        self.coverage.switch_context(name_of(item))
        try:
            return (yield)
        finally:
            self.coverage.switch_context("")
            (self._folder / "test").unlink()


def main(kind: str, jobs: str, answers: str, *arguments: str) -> None:
    if kind == "covered":
        covered = Covered()
        with covered.coverage.collect():
            pytest.main([*arguments], plugins=[covered])
        covered.coverage.save()
    else:
        pytest.main([*arguments], plugins=[Collected(int(jobs), int(answers))])


if __name__ == "__main__":
    main(*sys.argv[1:])
