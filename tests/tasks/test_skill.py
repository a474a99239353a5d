"""The skill that ships names the commands, phases and artifacts of the program."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import rcs_hooks
from rcs_hooks.cli.task import parse
from rcs_hooks.tasks.phases import OUTPUTS, PHASES, SCHEMAS
from tests.table import each_row

TEXT = (Path(rcs_hooks.__file__).parent / "skills" / "task" / "SKILL.md").read_text()
COMMANDS = [line for fence in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL) for line in fence.splitlines()]
ROWS = {row[0]: row for row in re.findall(r"^\| `(\w+)` \| [^|]* \| ([^|]*) \| ([^|]*) \|$", TEXT, re.MULTILINE)}


@each_row("command", sorted(set(COMMANDS)))
def test_each_command_is_one(command: str) -> None:
    program, name, *words = shlex.split(command.replace("ID", "t1"))
    assert (program, name) == ("rcs", "task")
    parse(words)


def test_every_action_that_leads_a_task_stands_in_it() -> None:
    said = {shlex.split(command)[2] for command in COMMANDS}
    assert said == {
        "list", "new", "status", "next", "plan", "review", "codegen", "accept", "revert", "redo", "schema", "collect",
        "test",
    }  # fmt: skip


def test_each_phase_has_its_artifacts_and_their_schemas() -> None:
    assert [*ROWS] == [phase for phase in PHASES if phase in OUTPUTS]
    names = {path: name for name, path in SCHEMAS.items()}
    for phase, (_, artifacts, schemas) in ROWS.items():
        assert [each.rstrip("/") for each in re.findall(r"`([^`]+)`", artifacts)] == list(OUTPUTS[phase])
        assert re.findall(r"`([^`]+)`", schemas) == [names[path] for path in OUTPUTS[phase] if path in names]
