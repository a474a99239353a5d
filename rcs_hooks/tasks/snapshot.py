"""What lies in a task at one moment: every artifact read once, and whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks.tasks import fixes, messages, phases, reading
from rcs_hooks.tasks.failure import MISSING, Failure

if TYPE_CHECKING:
    from collections.abc import Mapping

LARGEST_DIFF = 16 * 1024 * 1024
MOST_VALUES = 50_000
"""In one artifact: each that is wrong would cost as much as a page of text."""


class Read(NamedTuple):
    """One artifact: its form filled in, or what stands in the way."""

    value: Any = None
    failures: tuple[Failure, ...] = ()

    @property
    def is_missing(self) -> bool:
        return self.value is None and all(each.found == MISSING and not each.field for each in self.failures)


class Snapshot(NamedTuple):
    task: str
    artifacts: Mapping[str, Read] = {}
    diff: str | None = None
    """The text of the patch; None where there is none that can be read."""
    diff_failures: tuple[Failure, ...] = ()
    files: tuple[str, ...] = ()
    """Those in code/files, relative to it."""
    files_failures: tuple[Failure, ...] = ()
    statuses: Mapping[str, str | None] = {}
    """Of each actor, as state.json has it."""
    plan_hash: str | None = None
    """SHA-256 of planning.ai.json."""

    def read(self, path: str) -> Read:
        return self.artifacts.get(path) or missing(self.task, path)


def missing(task: str, path: str) -> Read:
    return Read(failures=(Failure(path, "", MISSING, reading.AN_OBJECT, fixes.write(task, path)),))


def take(folder: str, task: str, statuses: Mapping[str, str | None]) -> Snapshot:
    texts = {path: reading.data(folder, path) for path in phases.SCHEMAS.values()}
    plan = texts[phases.PLAN]
    diff, diff_failures = _diff(folder, task)
    files, files_failures = _files(folder, task)
    artifacts = {path: _read(task, path, text) for path, text in texts.items() if text is not None}
    return Snapshot(
        task, artifacts, diff, diff_failures, files, files_failures, statuses,
        _sha256(plan) if isinstance(plan, bytes) else None,
    )  # fmt: skip


def _sha256(text: bytes) -> str:
    from hashlib import sha256

    return sha256(text).hexdigest()


def _read(task: str, path: str, text: bytes | reading.Broken) -> Read:
    found = reading.record_in(text) if isinstance(text, bytes) else text
    if isinstance(found, reading.Broken):
        return Read(failures=(_failure(task, path, found),))
    if reading.holds_more(found, MOST_VALUES):
        broken = reading.Broken(f"it holds more than {MOST_VALUES} values", "fewer")
        return Read(failures=(_failure(task, path, broken),))
    from rcs_hooks.tasks import artifacts

    value = artifacts.read(path, found)
    if isinstance(value, artifacts.Form):
        return Read(value)
    return Read(failures=tuple(Failure(path, *fault, fixes.write(task, path)) for fault in value))


def _failure(task: str, path: str, broken: reading.Broken) -> Failure:
    return Failure(path, "", broken.found, broken.needed, fixes.write(task, path))


def _diff(folder: str, task: str) -> tuple[str | None, tuple[Failure, ...]]:
    found = reading.data(folder, phases.DIFF, LARGEST_DIFF)
    if found is None:
        return None, (Failure(phases.DIFF, "", MISSING, reading.NO_FILE, fixes.write(task, phases.DIFF)),)
    if isinstance(found, reading.Broken):
        return None, (_failure(task, phases.DIFF, found),)
    return found.decode(errors="replace"), ()


def _files(folder: str, task: str) -> tuple[tuple[str, ...], tuple[Failure, ...]]:
    found, odd = reading.files_under(folder, phases.CODE_FILES)
    failures = [
        _failure(task, f"{phases.CODE_FILES}/{messages.path(name)}", broken)._replace(fix=fixes.TAKE_AWAY)
        for name, broken in odd
    ]
    return tuple(found), tuple(failures[:10])
