"""Where a workflow's file is looked for, and which one wins."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

import pytest

from rcs_hooks.errors import MachineError
from rcs_hooks.runs import workflow_files
from rcs_hooks.runs.workflow_files import SHIPPED, WorkflowFile
from tests.runs.support import Project
from tests.table import each_row

MACHINE = "## STATE-MACHINE\n```mermaid\nstateDiagram-v2\n[*] --> {state}\n{state} --> [*]\n```\n"

ORDER = [
    "project/.claude/skills/NAME/SKILL.md",
    "project/.codex/skills/NAME/SKILL.md",
    "project/.agents/skills/NAME/SKILL.md",
    "project/agents/NAME.md",
    "project/.claude/agents/NAME.md",
    "home/.claude/skills/NAME/SKILL.md",
    "home/.codex/skills/NAME/SKILL.md",
    "home/.agents/skills/NAME/SKILL.md",
    "home/agents/NAME.md",
    "home/.claude/agents/NAME.md",
]


class World:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.project, self.home = str(folder / "project"), str(folder / "home")

    def write(self, place: str, name: str = "own", text: str = MACHINE.format(state="a")) -> str:
        path = self.folder / place.replace("NAME", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return str(path)

    def find(self, name: str = "own", file: str | None = None) -> WorkflowFile | None:
        return workflow_files.find(name, project=self.project, home=self.home, file=file)

    def everything(self) -> list[WorkflowFile]:
        return workflow_files.find_all(project=self.project, home=self.home)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_every_place_is_looked_at_and_the_first_wins(world: World) -> None:
    paths = [world.write(place) for place in ORDER]
    while paths:
        kind = "skill" if paths[0].endswith("SKILL.md") else "agent"
        assert world.find() == WorkflowFile("own", kind, paths[0])
        assert WorkflowFile("own", kind, paths[0]) in world.everything()
        Path(paths.pop(0)).unlink()
    assert world.find() is None


def test_the_projects_own_hides_what_ships(world: World) -> None:
    shipped = os.path.join(SHIPPED, "build", "SKILL.md")
    assert world.find("build") == WorkflowFile("build", "skill", shipped)
    path = world.write("home/.claude/skills/NAME/SKILL.md", "build")
    assert world.find("build") == WorkflowFile("build", "skill", path)
    Path(path).write_text("# No machine here\n")
    found = world.find("build")
    assert found is not None
    assert workflow_files.machine_of(found) is None


def test_a_file_that_is_named_ends_the_search(world: World) -> None:
    world.write("project/.claude/skills/NAME/SKILL.md")
    path = world.write("elsewhere/NAME.md", text=MACHINE.format(state="there"))
    found = world.find(file=path)
    assert found == WorkflowFile("own", "agent", path)
    machine = workflow_files.machine_of(found)
    assert machine is not None
    assert (machine.name, machine.file, machine.states) == ("own", path, ("there",))


def test_a_skill_and_an_agent_of_one_name_hide_nothing_of_each_other(world: World) -> None:
    skill = world.write("project/.claude/skills/NAME/SKILL.md")
    agent = world.write("home/.claude/agents/NAME.md")
    assert [found for found in world.everything() if found.name == "own"] == [
        WorkflowFile("own", "skill", skill),
        WorkflowFile("own", "agent", agent),
    ]
    assert WorkflowFile("own", "agent", agent) in workflow_files.agents(project=world.project, home=world.home)


def test_without_a_home_the_project_and_what_ships_are_left(world: World) -> None:
    world.write("home/.claude/skills/NAME/SKILL.md")
    assert workflow_files.find("own", project=world.project, home=None) is None
    assert workflow_files.find("build", project=world.project, home=None) is not None


@each_row("name", ["", ".", "..", "../own", "a/b", "/etc/passwd", ".hidden", "a\0b", "a\nb"])
def test_a_name_that_leads_elsewhere_is_not_looked_for(world: World, name: str) -> None:
    world.write("project/.claude/own.md")
    world.write("project/.claude/skills/NAME/SKILL.md", ".hidden")
    assert world.find(name) is None
    assert name not in {found.name for found in world.everything()}


# --- reading


def test_what_is_no_file_is_refused(world: World) -> None:
    with pytest.raises(FileNotFoundError):
        workflow_files.machine_of(WorkflowFile("x", "skill", str(world.folder / "none.md")))
    with pytest.raises(MachineError, match="it is not a file"):
        workflow_files.read(str(world.folder))


# --- what ships

LINES = {
    "build": ("requirements design tasks build verify archive", "archive"),
    "build-fast": ("plan build review", "review"),
    "pr-review": ("split review synthesize post", "post"),
    "deep-research": ("clarify plan explore synthesize report", "report"),
    "blueprint": ("detect charter prd", "charter prd"),
    "task-builder": ("building completed failed", "completed failed"),
    "task-reviewer": ("reviewing completed failed", "completed failed"),
    "feature-verifier": ("verifying completed failed", "completed failed"),
    "hypothesis-tester": ("testing completed failed", "completed failed"),
}
BRANCHES = {
    "build": {("verify", "build"), ("verify", "archive")},
    "blueprint": {("detect", "charter"), ("detect", "prd")},
    "task-builder": {("building", "completed"), ("building", "failed")},
}


@each_row("name", LINES)
def test_what_ships_has_the_states_and_the_shape_of_the_contract(world: World, name: str) -> None:
    found = world.find(name)
    assert found is not None
    machine = workflow_files.machine_of(found)
    assert machine is not None
    states, ends = LINES[name]
    assert machine.steps() == machine.states == tuple(states.split())
    assert machine.initial == machine.states[:1]
    assert machine.terminal == tuple(ends.split())
    edges = {(one, other) for one, other, _ in machine.transitions}
    if name in BRANCHES:
        assert edges >= BRANCHES[name]
    elif name in ("build-fast", "pr-review", "deep-research"):
        assert edges == set(zip(machine.states, machine.states[1:], strict=False))
    else:
        assert edges == {(machine.states[0], "completed"), (machine.states[0], "failed")}


def test_everything_that_ships_can_be_read_and_says_how_to_report(world: World) -> None:
    for found in world.everything():
        text = workflow_files.read(found.path)
        assert f"\nname: {found.name}\n" in text.split("---")[1]
        description = text.split("---")[1].partition("\ndescription: ")[2].splitlines()[0]
        assert description
        assert not {": ", " #"} & {description[at : at + 2] for at in range(len(description))}, "it would be no YAML"
        if workflow_files.machine_of(found):
            assert "rcs emit " in text
            assert "--type status_change" in text


@each_row("name", [name for name in LINES if name != "blueprint"])
def test_the_command_in_what_ships_works_for_every_step(tmp_path: Path, name: str) -> None:
    """As an agent types it: with its placeholders filled in, the last step completed."""
    project = Project(tmp_path)
    shutil.rmtree(project.root / ".claude")
    (found,) = (found for found in workflow_files.find_all(project=str(tmp_path), home=None) if found.name == name)
    text = workflow_files.read(found.path)
    assert found.kind == "skill" or f"--step {name}:{{CURRENT_STATE}} --unit" in text
    fences = (part.partition("```")[0] for part in text.split("```sh\n")[1:])
    command = next(fence for fence in fences if fence.startswith("rcs emit "))
    filled = {"WORKFLOW": "build", "RUN_ID": "550e8400-e29b-41d4-a716-446655440000", "TASK_ID": "T1", "FEATURE_ID": "f"}
    states = LINES[name][0].split()
    for step in states if found.kind == "skill" else states[:2]:
        line = command.replace("\\\n", " ")
        for mark, value in (filled | {"CURRENT_STATE": step}).items():
            line = line.replace(f"{{{mark}}}", value)
        done = project.rcs(*shlex.split(line)[1:])
        assert (done.returncode, done.stderr) == (0, "")
        assert "the run is running" in done.stdout
