"""`rcs machine` as a whole program."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from rcs_hooks.runs.workflow_files import SHIPPED
from rcs_hooks.text import clean
from tests.support import RCS_HOOK, clean_env, error_json, run_rcs

RCS = [str(RCS_HOOK.with_name("rcs"))]
GOOD = """\
## STATE-MACHINE
```mermaid
stateDiagram-v2
[*] --> a
a --> b : go
b --> a : back
b --> [*]
b : The second
```
"""
BROKEN = GOOD.replace("a --> b", "a -> b")
BROKEN_SAID = "{file}:5: a transition is written with the arrow `-->`\n    a -> b : go\n      ^^\n"
PLAIN = "# A skill\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").touch()
    return root


def rcs(folder: Path, *words: str, home: Path | None = None) -> tuple[int, str, str]:
    """Status, stdout and stderr of `rcs`."""
    done = run_rcs(*words, cwd=folder, env=clean_env(HOME=str(home or folder.parent / "home")))
    return done.returncode, done.stdout, done.stderr


def machine(project: Path, *words: str) -> tuple[int, str, str]:
    return rcs(project, "machine", *words)


def skill(project: Path, name: str, text: str, folder: str = ".claude/skills") -> Path:
    path = project / folder / name / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path


# --- check


def test_check_of_a_good_file_says_what_is_in_it(project: Path) -> None:
    (project / "x.md").write_text(GOOD)
    assert machine(project, "check", "x.md") == (0, "x.md: 2 states, 2 transitions\n", "")


def test_check_of_a_file_without_a_section_is_no_error(project: Path) -> None:
    (project / "x.md").write_text(PLAIN)
    assert machine(project, "check", "x.md") == (0, "x.md: no ## STATE-MACHINE section\n", "")


def test_check_shows_the_spot(project: Path) -> None:
    (project / "x.md").write_text(BROKEN)
    assert machine(project, "check", "x.md") == (1, "", BROKEN_SAID.format(file="x.md"))


def test_the_error_of_one_file_does_not_hide_that_of_another(project: Path) -> None:
    for name, text in (("a.md", BROKEN), ("b.md", GOOD), ("c.md", BROKEN)):
        (project / name).write_text(text)
    status, out, err = machine(project, "check", "a.md", "none.md", "b.md", ".", "c.md", "a.md")
    assert (status, out) == (1, "b.md: 2 states, 2 transitions\n")
    assert err == (
        BROKEN_SAID.format(file="a.md")
        + "none.md: no such file or directory\n"
        + ".: it is not a file of at most 1048576 bytes\n"
        + BROKEN_SAID.format(file="c.md")
    )


def test_check_warns_and_is_content(project: Path) -> None:
    (project / "x.md").write_text(GOOD.replace("b : The second", "direction LR\nb --> c-d"))
    status, out, err = machine(project, "check", "x.md")
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        "x.md:8: warning: `direction` is ignored",
        "x.md:9: warning: Mermaid itself cannot draw a state called `c-d`; write `c_d`",
        "x.md: warning: `c-d` leads nowhere and is not an end; write `c-d --> [*]`",
        "x.md: 3 states, 3 transitions",
    ]
    assert machine(project, "check", "--quiet", "x.md") == (0, "", "")


def test_check_takes_the_name_of_a_skill_or_a_mode(project: Path) -> None:
    path = skill(project, "release", GOOD)
    assert machine(project, "check", "release") == (0, f"{path}: 2 states, 2 transitions\n", "")
    assert machine(project, "check", "crew") == machine(project, "check", "team")
    (project / "release").write_text(BROKEN)
    assert machine(project, "check", "release") == (1, "", BROKEN_SAID.format(file="release"))


@pytest.mark.parametrize(("name", "hint"), [
    ("nonsense", "`rcs machine list` shows those that are"),
    ("pr-reveiw", "did you mean `rcs machine check pr-review`?"),
    ("froge", "did you mean `rcs machine check forge`?"),
    ("crwe", "did you mean `rcs machine check crew`?"),
    ("task-bilder", "did you mean `rcs machine check task-builder`?"),
    ("a\x1b[2Jb", "`rcs machine list` shows those that are"),
])  # fmt: skip
def test_a_name_that_nothing_has_is_told_what_was_probably_meant(project: Path, name: str, hint: str) -> None:
    said = f"{clean(name)}: no file, skill or agent is called so; {hint}\n"
    assert machine(project, "check", name) == (1, "", said)


def test_a_name_that_nothing_has_hides_no_finding_of_another(project: Path) -> None:
    status, out, err = machine(project, "check", "nonsense", "build")
    assert (status, err.count("\n")) == (1, 1)
    assert "build" in out


def test_check_without_a_file_is_a_wrong_command_line(project: Path) -> None:
    status, out, err = machine(project, "check")
    assert (status, out) == (2, "")
    assert "FILE" in err


def test_what_ships_is_checked_without_a_warning(project: Path) -> None:
    files = sorted(map(str, Path(SHIPPED).rglob("*.md")))
    status, out, err = machine(project, "check", *files)
    assert (status, err) == (0, "")
    assert "warning" not in out
    assert len(out.splitlines()) == len(files) >= 9


def test_the_pre_commit_hook_takes_what_check_takes(project: Path) -> None:
    import re

    lines = (Path(__file__).parents[2] / ".pre-commit-hooks.yaml").read_text().splitlines()
    entry = next(line.partition("entry: ")[2] for line in lines if "entry: " in line)
    files = next(line.partition("files: ")[2] for line in lines if "files: " in line)
    (project / "x.md").write_text(BROKEN)
    status, _, err = rcs(project, *entry.split()[1:], "x.md")
    assert (status, err) == (1, BROKEN_SAID.format(file="x.md"))
    matched = ["SKILL.md", ".claude/skills/x/SKILL.md", "agents/x.md", ".claude/agents/x.md"]
    others = ["README.md", "agents/x/y.md", "MYSKILL.md"]
    assert [path for path in (*matched, *others) if re.search(files, path)] == matched


# --- list


def test_list_shows_what_won(project: Path) -> None:
    skill(project, "build", PLAIN)
    skill(project.parent / "home", "build", GOOD)
    skill(project, "bad", BROKEN)
    status, out, err = machine(project, "list")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[:8] == [
        "NAME               TYPE   DECLARES",
        "autoforge          skill  a mode",
        "autoresearch       skill  a mode",
        "bad                skill  cannot be read",
        "  line 5: a transition is written with the arrow `-->`",
        f"  the project's: {project}/.claude/skills/bad/SKILL.md",
        "  To see where: rcs machine check .claude/skills/bad/SKILL.md",
        "blueprint          skill  a mode, 3 steps",
    ]
    at = lines.index("build              skill  no machine")
    assert lines[at + 1] == f"  the project's: {project}/.claude/skills/build/SKILL.md"
    assert "task               skill  task phases" in lines
    assert "task-builder       agent  3 steps" in lines


def test_list_as_json(project: Path) -> None:
    bad = skill(project, "bad", BROKEN)
    mine = skill(project, "build", GOOD)
    status, out, err = machine(project, "list", "--json")
    assert (status, err) == (0, "")
    found = {each["name"]: each for each in json.loads(out)}
    assert found["build"] == {
        "name": "build", "kind": "skill", "file": str(mine), "machine": True, "mode": False,
        "error": None,
    }  # fmt: skip
    assert found["bad"]["machine"] is False
    assert found["bad"]["error"] == BROKEN_SAID.format(file=bad).rstrip("\n")


def test_list_of_another_workspace(project: Path) -> None:
    skill(project, "mine", GOOD)
    status, out, _ = rcs(project.parent, "machine", "list", "--root", "project")
    assert status == 0
    lines = out.splitlines()
    at = lines.index("mine               skill  2 steps")
    assert lines[at + 1] == f"  the project's: {project}/.claude/skills/mine/SKILL.md"


# --- show

SHOWN = """\
x: {file}
  a  (start)
    -> b : go
  b  (The second)
    -> a (back) : back
    -> end
"""


def test_show_by_name_and_by_file(project: Path) -> None:
    path = skill(project, "x", GOOD)
    assert machine(project, "show", "x") == (0, SHOWN.format(file=path), "")
    relative = ".claude/skills/x/SKILL.md"
    assert machine(project, "show", relative) == (0, SHOWN.format(file=relative), "")


def test_show_from_a_folder_below(project: Path) -> None:
    skill(project, "x", GOOD)
    (project / "below").mkdir()
    assert rcs(project / "below", "machine", "show", "x", home=project.parent)[0] == 0


def test_show_as_json_is_exactly_this(project: Path) -> None:
    path = skill(project, "x", GOOD)
    status, out, err = machine(project, "show", "x", "--json")
    assert (status, err) == (0, "")
    assert json.loads(out) == {
        "name": "x",
        "file": str(path),
        "states": ["a", "b"],
        "labels": {"b": "The second"},
        "initial": ["a"],
        "terminal": ["b"],
        "transitions": [["a", "b", "go"], ["b", "a", "back"]],
        "steps": ["a", "b"],
    }


def test_show_as_a_picture(project: Path) -> None:
    status, out, err = machine(project, "show", "build", "--svg")
    assert (status, err) == (0, "")
    root = ET.fromstring(out)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert 'data-from="verify" data-to="build"' in out


def test_show_of_nothing(project: Path) -> None:
    said = "rcs: no skill or agent is called 'nothing'; `rcs machine list` shows those that are\n"
    assert machine(project, "show", "nothing") == (1, "", said)


def test_show_of_a_file_that_is_not_there(project: Path) -> None:
    assert machine(project, "show", "none.md") == (1, "", "rcs: none.md: no such file or directory\n")


def test_show_of_a_file_without_a_section(project: Path) -> None:
    (project / "x.md").write_text(PLAIN)
    said = "rcs: x.md has no ## STATE-MACHINE section, so there is nothing to show\n"
    assert machine(project, "show", "x.md") == (1, "", said)


def test_show_of_a_broken_file(project: Path) -> None:
    (project / "x.md").write_text(BROKEN)
    assert machine(project, "show", "x.md") == (1, "", "rcs: " + BROKEN_SAID.format(file="x.md"))
    status, out, err = machine(project, "show", "x.md", "--json")
    assert (status, out) == (1, "")
    said = json.loads(err)
    assert said == error_json("machine", BROKEN_SAID.format(file="x.md").rstrip("\n"), **said["details"])
    assert (list(said["details"]), said["details"]["file"]) == (["problem", "file", "line"], "x.md")


def test_show_as_json_and_as_a_picture_at_once_is_a_wrong_command_line(project: Path) -> None:
    assert machine(project, "show", "build", "--json", "--svg")[0] == 2


def test_task_is_the_name_of_the_lifecycle_that_tasks_go_through(project: Path) -> None:
    status, out, err = machine(project, "show", "task")
    assert (status, err) == (0, "")
    assert out.startswith(f"task: {Path(SHIPPED).parent}/tasks/lifecycle.md\n  planning ")
    skill(project, "task", "# My own\n")
    assert machine(project, "show", "task") == (0, out, "")
    skill(project.parent / "home", "task", GOOD)
    assert machine(project, "show", "task") == (0, out, "")
    (project / ".claude" / "skills" / "task" / "SKILL.md").write_text(GOOD)
    assert "    -> b : go\n" in machine(project, "show", "task")[1]
    (project / ".claude" / "skills" / "task" / "SKILL.md").write_text(PLAIN)
    said = "rcs: .claude/skills/task/SKILL.md has no ## STATE-MACHINE section, so there is nothing to show\n"
    assert machine(project, "show", ".claude/skills/task/SKILL.md") == (1, "", said)


# --- the way of a run


def emit(project: Path, step: str, *more: str) -> None:
    words = ["--type", "status_change", "--workflow", "build", "--run-id", "r1", "--step", step]
    status, _, err = rcs(project, "emit", *words, "--data", '{"status": "running"}', *more)
    assert (status, err) == (0, "")


@pytest.fixture
def ran(project: Path) -> Path:
    for step in ("requirements", "design", "tasks", "build", "verify", "build"):
        emit(project, step)
    emit(project, "task-builder:building", "--unit", "T1")
    return project


def test_show_marks_the_path_of_a_run(ran: Path) -> None:
    status, out, err = machine(ran, "show", "build", "--run", "r1")
    assert (status, err) == (0, "")
    marks = {line[2:].split()[0]: line[0] for line in out.splitlines()[1:] if not line.startswith("    ")}
    assert marks == {"requirements": "+", "design": "+", "tasks": "+", "build": "*", "verify": "+", "archive": " "}


def test_the_picture_marks_it_too(ran: Path) -> None:
    status, out, _ = machine(ran, "show", "build", "--svg", "--run", "r1")
    assert status == 0
    assert 'class="edge taken" data-from="verify" data-to="build"' in out
    assert 'class="edge" data-from="verify" data-to="archive"' in out
    assert 'class="state current visited" data-state="build"' in out


def test_a_run_that_is_not_there(ran: Path) -> None:
    said = "rcs: there is no run 'r2'; `rcs runs list` shows those that are\n"
    assert machine(ran, "show", "build", "--run", "r2") == (1, "", said)


def test_a_run_of_another_workflow(ran: Path) -> None:
    said = "rcs: r1 is a run of 'build'; `rcs machine show build --run r1`\n"
    assert machine(ran, "show", "pr-review", "--run", "r1") == (1, "", said)


def test_a_branch_is_marked_from_where_it_branches_off_as_in_the_dashboard(project: Path) -> None:
    fork = "stateDiagram-v2\n[*] --> a\na --> b\na --> c\nb --> d\nc --> d\nd --> [*]\n"
    skill = project / ".claude" / "skills" / "fork" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text(f"# Fork\n\n## STATE-MACHINE\n\n```mermaid\n{fork}```\n")
    for step in ("a", "b", "c", "d"):
        emit(project, step, "--workflow", "fork")
    emit(project, "d", "--workflow", "fork", "--data", '{"status": "completed"}')
    _, out, _ = machine(project, "show", "fork", "--svg", "--run", "r1")
    taken = set(re.findall(r'class="edge taken" data-from="([^"]*)" data-to="([^"]*)"', out))
    assert taken == {("[*]", "a"), ("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("d", "[*]")}


# --- the machine of a mode

MODE = """\
---
name: release
description: Releases.
metadata:
  rcs-kind: execution
---
## MODE
```mermaid
stateDiagram-v2
[*] --> a
a --> b : go
b --> a : back
b --> [*] : done
a : The first
b : The second
```
"""


def test_check_says_which_mode_a_skill_declares(project: Path) -> None:
    skill(project, "release", MODE)
    path = ".claude/skills/release/SKILL.md"
    assert machine(project, "check", path) == (0, f"{path}: mode release (execution), 2 phases\n", "")
    (project / path).write_text(MODE + GOOD)
    said = f"{path}: 2 states, 2 transitions; mode release (execution), 2 phases\n"
    assert machine(project, "check", path) == (0, said, "")


def test_check_shows_every_fault_of_a_declaration(project: Path) -> None:
    skill(project, "release", MODE.replace("execution", "mode\n  rcs-mode: x"))
    path = ".claude/skills/release/SKILL.md"
    first = f"{path}:5: `rcs-kind` is planning or execution, and not `mode`\n"
    second = f"{path}:6: `rcs-mode` is only for the modes that ship; take it out\n"
    assert machine(project, "check", "--quiet", path) == (1, "", first + second)


def test_check_warns_of_likely_mistakes_in_a_declaration(project: Path) -> None:
    skill(project, "release", MODE.replace(" : done", ""))
    path = ".claude/skills/release/SKILL.md"
    status, out, err = machine(project, "check", path)
    told = "the way from `b` to the end has no event; write when it is taken: `: all_pass`"
    assert (status, out.splitlines()[0], err) == (0, f"{path}:13: warning: {told}", "")


def test_show_of_a_skill_that_is_only_a_mode_shows_its_phases(project: Path) -> None:
    path = skill(project, "release", MODE)
    status, out, err = machine(project, "show", "release")
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        f"release: {path}",
        "  a  (start; The first)",
        "    -> b : go",
        "  b  (The second)",
        "    -> a (back) : back",
        "    -> end : done",
    ]


def test_show_of_a_skill_with_both_machines(project: Path) -> None:
    assert "charter" in machine(project, "show", "blueprint")[1]
    assert "reviewing" in machine(project, "show", "blueprint", "--mode")[1]
    assert "reviewing" in machine(project, "show", "blueprint", "--mode", "--svg")[1]


def test_show_of_a_mode_that_ships_goes_by_the_package(project: Path) -> None:
    skill(project, "crew", MODE.replace("release", "crew"))
    for name in ("crew", "team", "swarm"):
        status, out, _ = machine(project, "show", name)
        assert (status, out.splitlines()[0]) == (0, f"crew: {SHIPPED}/crew/SKILL.md")


def test_show_of_a_mode_where_there_is_none(project: Path) -> None:
    skill(project, "plain", PLAIN)
    status, _, err = machine(project, "show", "plain", "--mode")
    assert (status, err) == (
        1,
        f"rcs: {project}/.claude/skills/plain/SKILL.md has no ## MODE section, so it declares no mode\n",
    )
    assert "no ## STATE-MACHINE section" in machine(project, "show", "plain")[2]


def test_the_list_says_what_is_a_mode(project: Path) -> None:
    skill(project, "release", MODE)
    skill(project, "plain", PLAIN)
    _, out, _ = machine(project, "list")
    assert "release            skill  a mode" in out.splitlines()
    listed = {each["name"]: each for each in json.loads(machine(project, "list", "--json")[1])}
    told = {
        name: (listed[name]["machine"], listed[name]["mode"]) for name in ("release", "plain", "blueprint", "build")
    }
    assert told == {
        "release": (False, True),
        "plain": (False, False),
        "blueprint": (True, True),
        "build": (True, False),
    }


def test_check_warns_of_a_mode_that_is_named_and_is_not_here(project: Path) -> None:
    skill(project, "release", MODE.replace("execution", "execution\n  rcs-after: design blueprint"))
    path = ".claude/skills/release/SKILL.md"
    told = f"{path}: warning: no mode is called `design` here, so what is declared about it has no effect\n"
    assert told in machine(project, "check", path)[1]
    skill(project, "design", MODE.replace("release", "design").replace("execution", "planning"), ".agents/skills")
    assert told not in machine(project, "check", path)[1]
