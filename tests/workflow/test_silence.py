"""When something is stalled, and when it is inactive: one rule for runs, sessions and all surfaces."""

from __future__ import annotations

from rcs_hooks.workflow.silence import shown_status
from tests.table import each_row

HOUR = 3_600_000
DAY = 24 * HOUR


@each_row(
    ("status", "silent", "shown"),
    [
        ("running", 0, "running"),
        ("running", HOUR - 1, "running"),
        ("running", HOUR, "stalled"),
        ("running", DAY - 1, "stalled"),
        ("running", DAY, "inactive"),
        ("waiting", DAY - 1, "waiting"),
        ("waiting", DAY, "inactive"),
        ("idle", DAY, "inactive"),
        ("completed", 9 * DAY, "completed"),
        ("failed", 9 * DAY, "failed"),
        ("skipped", 9 * DAY, "skipped"),
    ],
)
def test_the_word_follows_from_the_silence(status: str, silent: int, shown: str) -> None:
    assert shown_status(status, 5 * DAY, 5 * DAY + silent) == shown
