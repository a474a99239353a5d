"""The diagram of the lifecycle, as `rcs machine show task` draws it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rcs_hooks.runs import workflow_files
from rcs_hooks.tasks.phases import WORKFLOW

if TYPE_CHECKING:
    from rcs_hooks.machine.graph import Machine

LIFECYCLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lifecycle.md")


def machine() -> Machine | None:
    """Return the machine that `lifecycle.md` draws. Raises MachineError."""
    return workflow_files.machine_of(workflow_files.WorkflowFile(WORKFLOW, workflow_files.SKILL, LIFECYCLE))
