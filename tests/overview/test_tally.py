"""The counts of a workspace and their line: each thing once, as what concerns the person most."""

from __future__ import annotations

import time
from typing import Any

import pytest

from rcs_hooks.overview.collect import grouped
from rcs_hooks.overview.entries import AskedQuestion, Entry, LastStop
from rcs_hooks.overview.tally import parts
from rcs_hooks.terminal.line import joined
from rcs_hooks.workflow.proof import ProofStatus
from tests.table import each_row

NOW = 1_700_000_000.0
"""2023-11-14T22:13:20Z."""
AT = "2023-11-14T20:03:20.000Z"


def mode(group: str, session: str | None = "s1", **fields: Any) -> Entry:
    return Entry("mode", fields.pop("name", "forge"), "fix it", group, session, since=AT, phase="fixing")._replace(
        **fields
    )


def run(group: str, id_: str = "r1", **fields: Any) -> Entry:
    return Entry("run", "build", "billing", group, id=id_, since=AT, phase="design")._replace(**fields)


def task(group: str, name: str = "login", **fields: Any) -> Entry:
    return Entry("task", name, name, group, id=name, since=AT, phase="codegen", has_title=False)._replace(**fields)


ASKS = mode("waiting", question=AskedQuestion("q-1", "Which?", ()), detail="asks: Which?")
WAITS = mode("waiting", name="team", detail="waits with forge, which asks")
WORKS = mode("running", detail="phase fixing")
STALLED = mode("running", "s2", stop=LastStop(False, AT), quiet="stalled")
INACTIVE = mode("running", "s9", quiet="inactive")
HELD = mode("running", "s3", stop=LastStop(True, AT))
CLOSED = mode("closed", "s4", detail="phase fixing; its client has closed the session")
FAILED = mode("ended", "s5", outcome="failed", detail="failed in phase fixing: the disk is full")
FINISHED = mode("ended", "s6", outcome="finished", verdict="proven", detail="finished, proven by `pytest -q`",
                proof=ProofStatus("proven", "pytest -q", 0, AT))  # fmt: skip
STOPPED = mode("ended", "s7", outcome="userinterlude", detail="userinterlude")
RUNNING, RUN_WAITS = run("running", detail="running at design"), run("waiting", "r2", detail="waits at design")
RUN_FAILED = run("ended", "r3", outcome="failed", detail="failed at design")
OPEN = task("tasks", detail="phase codegen, round 2")

LINES: dict[str, tuple[tuple[Entry, ...], str]] = {
    "several": ((ASKS, WORKS._replace(session="s10"), STALLED, INACTIVE, HELD, CLOSED, FAILED, FINISHED, RUNNING,
                 RUN_WAITS, OPEN),
                "2 wait for you · 3 working · 1 stalled · 1 inactive · 1 failed · 1 open task · 1 closed"),
    "a session with a mode that asks and others": ((ASKS, WAITS, WORKS, RUNNING), "1 waits for you · 1 working"),
    "two that have finished": ((FINISHED, STOPPED, FINISHED._replace(session="s9", verdict="")),
                               "forge finished, proven 20:03 (fix it)"),
    "a failure, and the same session works again": ((FAILED, WORKS._replace(session="s5"), RUNNING), "2 working"),
    "one mode that has failed": ((FAILED,), "forge failed in phase fixing: the disk is full, 20:03 (fix it)"),
    "a reason without end": ((RUN_FAILED._replace(detail="x" * 400, has_title=False),),
                             f"build {'x' * 59}…, 20:03"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


@each_row(("entries", "line"), [pytest.param(*row, id=name) for name, row in LINES.items()])
def test_the_line_of_a_workspace(entries: tuple[Entry, ...], line: str) -> None:
    assert joined(parts(grouped(entries), NOW)) == line
    assert joined(parts(grouped(entries, "RCS_DISABLE"), NOW)) == f"off, {line}"
