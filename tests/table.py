"""Tables whose rows are checked by one test."""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

SHOWN = 5
"""How many of the rows that fail are shown with their traceback."""

Names = str | Sequence[str]
Test = Callable[..., None]
Ids = Callable[[Any], str] | Iterable[object] | None


def _workspace(folder: Path, _: pytest.MonkeyPatch) -> object:
    from tests.support import Workspace

    (folder / "workspace").mkdir()
    return Workspace(folder / "workspace")


def _project(folder: Path, _: pytest.MonkeyPatch) -> object:
    from tests.runs.support import Project

    return Project(folder)


def _task(folder: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    from tests.tasks.support import Task

    monkeypatch.setenv("RCS_DB", str(folder / "runs.db"))
    (folder / "project").mkdir()
    return Task(folder / "project")


FRESH: dict[str, Callable[[Path, pytest.MonkeyPatch], object]] = {
    "tmp_path": lambda folder, _: folder,
    "monkeypatch": lambda _, monkeypatch: monkeypatch,
    "workspace": _workspace,
    "project": _project,
    "task": _task,
}
"""Fixtures that each row has for itself; any other is shared by the rows of a table."""


def each_row(
    names: Names, table: Iterable[Any], ids: Ids = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Checks every row of a table in one test, and names the rows that fail; otherwise as `pytest.mark.parametrize`.

    For rows that cost less than a test of their own does. With `TABLES_STOP` in the environment, the first row that
    fails is the last one tried.
    """
    fields = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    labels = None if ids is None or callable(ids) else list(ids)
    rows = [_row(row, len(fields), labels[number] if labels else ids) for number, row in enumerate(table)]
    assert rows, f"a table without rows: {names}"

    def decorate(test: Test) -> Test:
        parameters = inspect.signature(test).parameters
        fresh = [name for name in parameters if name in FRESH]

        @functools.wraps(test)
        def run(_folders: Iterator[Path], **shared: Any) -> None:
            if "_folders" in parameters:
                shared["_folders"] = _folders
            failures: dict[str, BaseException] = {}
            for name, values in rows:
                try:
                    with _own(fresh, _folders) as own:
                        test(**shared, **own, **dict(zip(fields, values, strict=True)))
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - each row is tried
                    error.add_note(f"row: {name}")
                    failures[name] = error
                    if "TABLES_STOP" in os.environ:
                        break
            if failures:
                message = f"{len(failures)} of {len(rows)} rows fail: {'; '.join(failures)}"
                raise BaseExceptionGroup(message, list(failures.values())[:SHOWN])

        folders = inspect.Parameter("_folders", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        shared = [each for name, each in parameters.items() if name not in (*fields, *FRESH, "_folders")]
        run.__signature__ = inspect.Signature([folders, *shared])  # type: ignore[attr-defined]  # what pytest provides
        return run

    return decorate


def _row(row: Any, width: int, label: Any) -> tuple[str, tuple[Any, ...]]:
    """The name of a row, and its values."""
    if isinstance(row, type(pytest.param())):
        assert not row.marks, f"{row}: a row of a table has no mark of its own"
        values, label = tuple(row.values), row.id or label
    else:
        values = (row,) if width == 1 else tuple(row)
    if callable(label):
        label = "-".join(str(label(value)) for value in values)
    name = str(label) if label else ", ".join(map(repr, values))
    return (name if len(name) <= 100 else name[:97] + "..."), values


@contextlib.contextmanager
def _own(names: list[str], folders: Iterator[Path]) -> Iterator[dict[str, object]]:
    """The fixtures of one row, and a home that no other row has seen."""
    if not names:
        yield {}
        return
    with pytest.MonkeyPatch.context() as monkeypatch:
        folder, home = next(folders), next(folders)
        folder.mkdir(0o700)
        home.mkdir(0o700)
        monkeypatch.setenv("HOME", str(home))
        yield {name: FRESH[name](folder, monkeypatch) for name in names}
