"""Read every artifact of a task once, so that all guards judge the same moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, NamedTuple, cast

from rcs_hooks.tasks import messages, task_files
from rcs_hooks.tasks.failures import (
    MISSING,
    REMOVE_IT,
    Failures,
    GuardFailure,
    fails,
    give_verdict,
    write,
    write_and_collect,
)
from rcs_hooks.tasks.phases import CODE_FILES, CODE_VERDICT, DIFF, PLAN, PLAN_VERDICT, SCHEMAS, FormT, JsonPath
from rcs_hooks.tasks.task_files import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.tasks.state import LackingProof

LARGEST_DIFF = 16 * 1024 * 1024
MOST_VALUES = 50_000
"""The most values in one artifact: a report of what is wrong with each could be as long as a page of text."""
MOST_FAILURES = 10
REVIEWED = {PLAN_VERDICT: "plan", CODE_VERDICT: "code"}


class ArtifactRead(NamedTuple, Generic[FormT]):
    """One JSON artifact: its content as a form, or why there is none."""

    value: FormT | None = None
    failures: Failures = ()

    @property
    def is_missing(self) -> bool:
        """Tell whether the artifact does not exist, as opposed to being unreadable or wrong."""
        return self.value is None and all(each.found == MISSING and not each.field for each in self.failures)


class Snapshot(NamedTuple):
    """The artifacts of a task at one moment."""

    task: str
    artifacts: Mapping[str, ArtifactRead[object]] = {}
    diff: str | None = None
    """The text of the patch; None where there is none, or none that can be read."""
    diff_failures: Failures = ()
    files: tuple[str, ...] = ()
    """The files in code/files, relative to it."""
    files_failures: Failures = ()
    statuses: Mapping[str, str | None] = {}
    """The status of each actor in state.json."""
    plan_hash: str | None = None
    """SHA-256 of planning.ai.json; None if it cannot be read."""
    absent: tuple[str, ...] = ()
    """The generated files that are not in the work tree, sorted. Filled in for codegen only."""
    refused_by: str = ""
    """The artifact in the history that sent this very diff back; empty if none did. Filled in for codegen only."""
    lacking_proof: LackingProof | None = None
    """What is missing where the person requires a proof."""

    def read(self, path: JsonPath[FormT]) -> ArtifactRead[FormT]:
        return cast("ArtifactRead[FormT]", self.artifacts.get(path) or _missing(self.task, path))


def _missing(task: str, path: str) -> ArtifactRead[object]:
    fix = give_verdict(task, REVIEWED[path]) if path in REVIEWED else write(task, path)
    return ArtifactRead(failures=fails(path, MISSING, fix, needed=task_files.AN_OBJECT))


def take(folder: str, task: str, statuses: Mapping[str, str | None]) -> Snapshot:
    """Read the artifacts in the folder of a task. `statuses` holds the status of each actor in state.json."""
    texts = {path: task_files.read(folder, path) for path in SCHEMAS.values()}
    plan = texts[PLAN]
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


def _read(task: str, path: str, text: bytes | UnreadableFile) -> ArtifactRead[object]:
    record = task_files.parse(text) if isinstance(text, bytes) else text
    if not isinstance(record, UnreadableFile) and task_files.has_more_values(record, MOST_VALUES):
        record = UnreadableFile(f"it holds more than {MOST_VALUES} values", "fewer")
    if isinstance(record, UnreadableFile):
        return ArtifactRead(failures=(_failure(task, path, record),))
    from rcs_hooks.tasks import forms  # only where there is an artifact: pydantic takes its time

    value = forms.read(path, record)
    if isinstance(value, forms.ArtifactForm):
        return ArtifactRead(value)
    return ArtifactRead(failures=tuple(GuardFailure(path, *fault, write(task, path)) for fault in value))


def _failure(task: str, path: str, file: UnreadableFile) -> GuardFailure:
    return GuardFailure(path, "", file.found, file.needed, write(task, path))


def _diff(folder: str, task: str) -> tuple[str | None, Failures]:
    text = task_files.read(folder, DIFF, LARGEST_DIFF)
    if text is None:
        return None, fails(DIFF, MISSING, write_and_collect(task), needed=task_files.A_FILE)
    if isinstance(text, UnreadableFile):
        return None, (_failure(task, DIFF, text),)
    return text.decode(errors="replace"), ()


def _files(folder: str, task: str) -> tuple[tuple[str, ...], Failures]:
    paths, unreadable = task_files.files_under(folder, CODE_FILES)
    failures = [
        _failure(task, f"{CODE_FILES}/{messages.short_path(path)}", file)._replace(fix=REMOVE_IT)
        for path, file in unreadable
    ]
    return tuple(paths), tuple(failures[:MOST_FAILURES])
