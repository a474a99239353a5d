"""The machines of a team as the dashboard lists them, and the state machines of the runs that they report."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import rcs_hooks
from rcs_hooks.files.clock import iso
from rcs_hooks.runs import workflow_files

if TYPE_CHECKING:
    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.machine.graph import Machine
    from rcs_hooks.runs.records import RunRecord
    from rcs_hooks.share.places import Places

SHIPPED = "rcs:"
"""What the file of a run begins with whose state machine ships with this package."""
SILENT_AFTER = 900.0
"""Seconds after which a machine that was not heard of is shown as silent."""
SKILLS = os.path.join(os.path.dirname(os.path.abspath(rcs_hooks.__file__)), "skills")


class SharedMachines:
    """The state machines of runs: those that ship. Of others, only the path leaves their machine."""

    def __init__(self) -> None:
        self._shipped = {each: os.path.join(SKILLS, each, "SKILL.md") for each in sorted(os.listdir(SKILLS))}
        self._known: dict[str, Machine | None] = {}

    def of(self, run: RunRecord) -> tuple[Machine | None, str | None]:
        """Return the state machine of a run, or None and one sentence on why there is none."""
        name = run.workflow
        if run.file != f"{SHIPPED}{name}" or name not in self._shipped:
            machine = run.run_id.rpartition("@")[2]
            return None, f"the state machine of {name} is on {machine}; only the path is here"
        if name not in self._known:
            found = workflow_files.WorkflowFile(name, workflow_files.SKILL, self._shipped[name])
            self._known[name] = workflow_files.machine_of(found)
        machine_found = self._known[name]
        return machine_found, None if machine_found else f"{name} has no state machine here; its machine may be newer"


def machines_as_json(places: Places, now: float) -> JsonObject:
    """Return every machine as JSON, the one that was heard of last first."""
    found = sorted(places.machines.values(), key=lambda machine: -(machine.seen_at or 0.0))
    return {
        "machines": [
            {
                "name": machine.name,
                "person": machine.person,
                "program": machine.program,
                "seen_at": iso(machine.seen_at) if machine.seen_at else None,
                "is_silent": machine.seen_at is None or now - machine.seen_at > SILENT_AFTER,
                "projects": [
                    {"project": each.address, "name": each.name, "texts": each.has_texts}
                    for each in places.projects.values()
                    if each.machine.id == machine.id
                ],
            }
            for machine in found
        ]
    }
