"""A morning's work that the pictures show: one run waits, one goes on, one has finished with a proof."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rcs_hooks.state import question_service
from tests.browser.scene import Scene

if TYPE_CHECKING:
    from pathlib import Path

MINUTE = 60
REST = 20
"""Seconds beyond the full minutes, so that an age is that of its row here, and not a minute less."""
REPORT, LOGIN, INVOICES = (
    "4b1d6c0e-52f7-4f0e-9a6d-0c6f5b1f7a21",
    "7e90a3d2-1c44-4a57-8d0b-95b0f7c2e6d3",
    "c2f8b7a1-6e39-4d1c-b1a4-2f3d4e5a6b7c",
)
"""The sessions, by what their runs are about."""


def ago(minutes: int) -> int:
    """Return the seconds of an age of so many minutes."""
    return minutes * MINUTE + REST


def fill(folder: Path) -> Scene:
    """Return a scene in a folder, with the three runs in it."""
    scene = Scene(folder)
    scene.prompt("$forge Repair the import of old invoices", INVOICES, ago(50))
    scene.write(INVOICES, "forge", ago(48), current_phase="executing")
    scene.write(INVOICES, "forge", ago(20), current_phase="verifying")
    scene.prove(INVOICES, "forge", ago(18), output=b"41 passed", finish=True)
    scene.prompt("$crew Split the report into pages", REPORT, ago(35))
    scene.write(REPORT, "team", ago(32), current_phase="executing")
    scene.prompt("$forge Log in with a second factor", LOGIN, ago(26))
    for minutes, phase in ((24, "executing"), (14, "verifying"), (9, "fixing"), (4, "verifying")):
        scene.write(LOGIN, "forge", ago(minutes), current_phase=phase)
    asking = scene.scope(REPORT)._replace(now=time.time() - ago(3))
    question_service.ask(asking, "team", "Which page shall be the first?", ("totals", "one page a customer"))
    return scene
