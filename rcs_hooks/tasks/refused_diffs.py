"""Look in the history of a task for a diff that changes the same as the present one, and was sent back for it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rcs_hooks.tasks import snapshot, task_files
from rcs_hooks.tasks.diff_paths import changes_in
from rcs_hooks.tasks.guards.acceptance import (
    ACCEPTED,
    NEEDS_CHANGES,
    check_decided,
    check_revert_requested,
    check_tests_failed,
)
from rcs_hooks.tasks.guards.code import check_needs_code_changes
from rcs_hooks.tasks.phases import CODE_VERDICT, DECISION, DIFF, HISTORY, REPORT, REVERT_RECORD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rcs_hooks.tasks.failures import Failures
    from rcs_hooks.tasks.snapshot import Snapshot

MOST_ROUNDS = 200
MOST_BYTES = 32 * 1024 * 1024
"""How much of the history is compared: the newest rounds, with diffs of so many bytes in all."""

REFUSALS: tuple[tuple[str, Callable[[Snapshot], Failures]], ...] = (
    (CODE_VERDICT, check_needs_code_changes),
    (REPORT, check_tests_failed),
    (DECISION, check_decided(NEEDS_CHANGES)),
    (REVERT_RECORD, check_revert_requested),
)
"""The artifacts that may refuse the code of a round, each with the guard that is open if it does."""


def find(folder: str, task: str, diff: str) -> str:
    """Return the artifact that refused a diff that changes the same as `diff`: its path in the history of the task.

    Of several, that of the newest round; empty if there is none.
    """
    same = changes_in(diff)
    for round_ in _rounds(folder):
        old = task_files.read(folder, f"{round_}/{DIFF}", snapshot.LARGEST_DIFF)
        if not isinstance(old, bytes) or changes_in(old.decode(errors="replace")) != same:
            continue
        artifact = _refused_by(snapshot.take(f"{folder}/{round_}", task, {}))
        if artifact:
            return f"{round_}/{artifact}"
    return ""


def _rounds(folder: str) -> Iterator[str]:
    """Yield the folders of the history that have a diff, the newest first, as many as are compared."""
    try:
        names = os.listdir(f"{folder}/{HISTORY}")
    except OSError:
        return
    numbers = sorted(
        (int(name) for name in names if name.isascii() and name.isdigit() and len(name) < 10), reverse=True
    )
    left = MOST_BYTES
    for number in numbers[:MOST_ROUNDS]:
        try:
            left -= os.lstat(f"{folder}/{HISTORY}/{number}/{DIFF}").st_size
        except OSError:
            continue
        if left < 0:
            return
        yield f"{HISTORY}/{number}"


def _refused_by(old: Snapshot) -> str:
    """Return the artifact of a round that asks for other code; empty if none does, or the code was accepted."""
    if not check_decided(ACCEPTED)(old) and check_revert_requested(old):
        return ""
    return next((path for path, guard in REFUSALS if not guard(old)), "")
