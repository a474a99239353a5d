"""One run of `rcs emit` as text: its facts, its steps and files, and its last events."""

from __future__ import annotations

from typing import Any

from rcs_hooks.cli import output
from rcs_hooks.files.clock import seconds
from rcs_hooks.terminal import when
from rcs_hooks.text import clean

SHOWN_EVENTS = 10
Record = dict[str, Any]


def write(run: Record, *, after: int, is_shared: bool) -> None:
    """Print a run. `after`: the number of the last event that is not shown."""
    output.text(f"{run['run_id']}: {clean(run['workflow'])} is {run['status']}")
    for name in ("feature", "project", "machine", "session", "client", "started_at", "last_at"):
        if run[name]:
            output.text(f"  {name.removesuffix('_at'):<9}{clean(run[name], 120)}")
    for title, lines in (
        ("steps", [_step_line(step) for step in run["steps"]]),
        ("artifacts", [_artifact_line(artifact) for artifact in run["artifacts"]]),
        ("events", [_event_line(event) for event in run["events"]]),
    ):
        if lines:
            output.text(f"{title}:")
        for line in lines:
            output.text(f"  {line}")
    if (more := run["event_count"] - after - SHOWN_EVENTS) > 0:
        name = run["run_id"]
        shows_all = f"rcs runs show --shared {name} --json" if is_shared else f"rcs runs export {name}"
        output.text(f"  and {more} before these: {shows_all}")


def _step_line(step: Record) -> str:
    name = clean(step["step"], 32) + (f" ({clean(step['unit'], 16)})" if step["unit"] else "")
    again = f" x{step['visits']}" if step["visits"] > 1 else ""
    return f"{name:<44}{step['status']:<12}{_clock(step['started_at']):<9}{step['seconds']:>8.1f} s{again}".rstrip()


def _artifact_line(artifact: Record) -> str:
    return clean(artifact["path"], 64) + ("  (missing)" if artifact["missing"] else "")


def _event_line(event: Record) -> str:
    what = clean(event["step"] or event["type"], 32) + (f" ({clean(event['unit'], 12)})" if event["unit"] else "")
    by = "  (by itself)" if event["automatic"] else ""
    return f"{event['seq']:>5} {_clock(event['at'])} {what:<32} {event['status'] or event['type']}{by}"


def _clock(moment: str | None) -> str:
    return when.full(seconds(moment))[11:] or "-"
