from __future__ import annotations

import contextlib
import gc
import importlib
import itertools
import os
import random
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import properties
from tests.support import Workspace

SLOW = ("browser", "real_clients", "sweep")
"""Folders whose tests are all slow."""
TESTS = Path(__file__).parent
MEMORY = "/dev/shm"
ROOM = 1 << 30
SAMPLE = 3
"""How many of its slow tests a file plays in a sample; those with real clients choose for themselves."""


def pytest_configure(config: pytest.Config) -> None:
    sys.dont_write_bytecode = False  # as for the programs that the tests start, whose environment is their own
    properties.in_full = _selects_slow(config)
    properties.is_sample = _is_sample()
    if not (_selects_slow(config) and _starts_clients(config)):
        _use_memory()


def _use_memory() -> None:
    """Keep the folders of the tests in memory, where a flush costs nothing, unless `TMPDIR` says otherwise.

    A crowd of hooks on a slow disk takes longer than any of them may wait. Not where a real client is started: its
    sandbox has a `/dev` of its own, in which such a folder is not there.
    """
    if "TMPDIR" not in os.environ and os.access(MEMORY, os.W_OK):
        status = os.statvfs(MEMORY)
        runs_programs = not status.f_flag & os.ST_NOEXEC
        if runs_programs and status.f_bavail * status.f_frsize > ROOM:
            os.environ["TMPDIR"] = MEMORY
            tempfile.tempdir = None


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Each worker first reads its share of the files, which the others then find compiled."""
    given: dict[str, str] = getattr(session.config, "workerinput", {})
    if "workerid" not in given or not {*session.config.getini("testpaths")} <= {*session.config.args}:
        return
    number, count = int(given["workerid"].removeprefix("gw")), int(given["workercount"])
    files = sorted(path for path in TESTS.rglob("test_*.py") if path.parent.name not in SLOW)
    for path in files[number::count]:
        with contextlib.suppress(Exception, pytest.skip.Exception):  # collection says what is wrong with a file
            importlib.import_module(".".join(path.relative_to(TESTS.parent).with_suffix("").parts))


def pytest_collection_finish() -> None:
    """What is collected stays until the end: Python need not look through it again and again for garbage."""
    gc.collect()
    gc.freeze()


def pytest_itemcollected(item: pytest.Item) -> None:
    """A property belongs to both: the plain run tries a few examples, `-m slow` all of them."""
    if properties.in_full and getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
        item.add_marker("slow")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In a sample, each file plays a few of its slow tests, the same ones each time: of what `-m` has left."""
    if not (_is_sample() and _selects_slow(config)):
        return
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    chosen = {
        item
        for path, group in files.items()
        for item in (group if path.parent.name == "real_clients" else _some_of(path.name, group))
    }
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = [item for item in items if item in chosen]


def _some_of(name: str, items: list[pytest.Item]) -> list[pytest.Item]:
    return random.Random(name).sample(items, min(len(items), SAMPLE))


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Tests of a file that is named, and those that take their time, run in this process; None: on all cores."""
    named = any(arg.partition("::")[0].endswith((".py", ".scene")) for arg in config.args)
    named = named or config.getoption("--update")  # a file of scenes is written by one process
    return 0 if named or _selects_slow(config) or config.option.collectonly or os.cpu_count() == 1 else None


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What is slow as a whole is not even read where nothing slow is asked for."""
    unasked = collection_path.name in SLOW and not any(f"tests/{name}" in arg for name in SLOW for arg in config.args)
    return True if unasked and not _selects_slow(config) else None


def _is_sample() -> bool:
    """`.ci/run` sets it; without it, and in `.ci/run full`, every test is run."""
    return os.environ.get("SWEEP") == "sample"


def _starts_clients(config: pytest.Config) -> bool:
    """Whether tests with real clients are among those that are named."""
    place = TESTS / "real_clients"
    named = [Path(arg.partition("::")[0]).resolve() for arg in config.args]
    is_named = any(path == place or path in place.parents or place in path.parents for path in named)
    return is_named and "tests/real_clients" not in (config.getoption("ignore") or ())


def _selects_slow(config: pytest.Config) -> bool:
    selected = str(config.getoption("markexpr"))
    return "slow" in selected and "not slow" not in selected


@pytest.fixture(autouse=True, scope="session")
def _folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folders of all tests, numbered here: pytest's own search for a free number reads them all for each test."""
    base = tmp_path_factory.getbasetemp()  # each folder on the way to a file is looked at whenever its path is resolved
    return (base / str(number) for number in itertools.count())


@pytest.fixture
def tmp_path(_folders: Iterator[Path]) -> Path:
    folder = next(_folders)
    folder.mkdir(0o700)
    return folder


@pytest.fixture(autouse=True)
def _no_real_home(monkeypatch: pytest.MonkeyPatch, _folders: Iterator[Path]) -> None:
    """The real home, and the settings of the session that runs the tests, are out of reach."""
    home = next(_folders)
    home.mkdir(0o700)
    monkeypatch.setenv("HOME", str(home))
    for name in os.environ:
        if name.startswith(("RCS_", "CLAUDE", "CODEX_")):
            monkeypatch.delenv(name)


@pytest.fixture(autouse=True, scope="session")
def _an_interrupt_is_heard() -> None:
    """Behind a shell's `&` it is ignored, and so it would be in every program that the tests start."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "workspace"
    root.mkdir()
    return Workspace(root)
