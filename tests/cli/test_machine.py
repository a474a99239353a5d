"""`rcs machine` as a whole program."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from rcs_hooks.runs.workflow_files import SHIPPED
from tests.support import Workspace, clean_env, run_rcs
from tests.table import each_row

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


@each_row(
    ("text", "out", "err"),
    [
        (GOOD, "x.md: 2 states, 2 transitions\n", ""),
        (PLAIN, "x.md: no ## STATE-MACHINE section\n", ""),
        (BROKEN, "", BROKEN_SAID.format(file="x.md")),
    ],
)
def test_check_says_what_is_in_a_file_or_shows_the_spot(text: str, out: str, err: str, tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text(text)
    assert machine(tmp_path, "check", "x.md") == (int(bool(err)), out, err)


def test_the_error_of_one_file_does_not_hide_that_of_another(project: Path) -> None:
    for name, text in (("a.md", BROKEN), ("b.md", GOOD)):
        (project / name).write_text(text)
    status, out, err = machine(project, "check", "none.md", "crwe", "a\x1b[2Jb", "a.md", "b.md", ".", "a.md")
    assert (status, out) == (1, "b.md: 2 states, 2 transitions\n")
    assert err == (
        "none.md: no such file or directory\n"
        "crwe: no file, skill or agent is called so; did you mean `rcs machine check crew`?\n"
        "a [2Jb: no file, skill or agent is called so; `rcs machine list` shows those that are\n"
        f"{BROKEN_SAID.format(file='a.md')}"
        ".: it is not a file of at most 1048576 bytes\n"
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


NO_MODE = "no mode is called `design` here, so what is declared about it has no effect"
NO_EVENT = "the way from `b` to the end has no event; write when it is taken: `: all_pass`"
DECLARED: list[tuple[str, str, int, list[str]]] = [
    # what is in place of a word of MODE, the status, and the lines that are printed
    ("", "", 0, ["{path}: mode release (execution), 2 phases"]),
    ("execution\n", "execution\n  rcs-after: design\n", 0, [f"{{path}}: warning: {NO_MODE}"]),
    (" : done", "", 0, [f"{{path}}:13: warning: {NO_EVENT}"]),
    ("execution", "mode\n  rcs-mode: x", 1, [
        "{path}:5: `rcs-kind` is planning or execution, and not `mode`",
        "{path}:6: `rcs-mode` is only for the modes that ship; take it out",
    ]),
]  # fmt: skip


@each_row(("old", "new", "status", "lines"), DECLARED)
def test_check_of_a_declaration_shows_each_fault_and_warns(
    old: str, new: str, status: int, lines: list[str], tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    skill(tmp_path, "release", MODE.replace(old, new))
    path = ".claude/skills/release/SKILL.md"
    found, out, err = machine(tmp_path, "check", path)
    assert (found, (out + err).splitlines()[: len(lines)]) == (status, [each.format(path=path) for each in lines])


def test_what_ships_is_checked_without_a_warning(project: Path) -> None:
    files = sorted(map(str, Path(SHIPPED).rglob("*.md")))
    status, out, err = machine(project, "check", *files)
    assert (status, err) == (0, "")
    assert "warning" not in out
    assert len(out.splitlines()) == len(files) >= 9


def test_the_pre_commit_hook_takes_what_check_takes(project: Path) -> None:
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


def test_list_as_json_says_what_each_declares(project: Path) -> None:
    bad, mine = skill(project, "bad", BROKEN), skill(project, "build", GOOD)
    skill(project, "release", MODE)
    found = {each["name"]: each for each in json.loads(machine(project, "list", "--json")[1])}
    assert found["build"] == {
        "name": "build", "kind": "skill", "file": str(mine), "machine": True, "mode": False, "error": None,
    }  # fmt: skip
    assert found["bad"]["error"] == BROKEN_SAID.format(file=bad).rstrip("\n")
    told = {name: (found[name]["machine"], found[name]["mode"]) for name in ("release", "bad", "blueprint")}
    assert told == {"release": (False, True), "bad": (False, False), "blueprint": (True, True)}
    assert json.loads(rcs(project.parent, "machine", "list", "--json", "--root", "project")[1]) == list(found.values())


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


NO_SECTION = "has no ## STATE-MACHINE section, so there is nothing to show\n"
NOT_SHOWN: list[tuple[str, str]] = [
    ("nothing", "rcs: no skill or agent is called 'nothing'; `rcs machine list` shows those that are\n"),
    ("none.md", "rcs: none.md: no such file or directory\n"),
    ("plain.md", f"rcs: plain.md {NO_SECTION}"),
    ("broken.md", "rcs: " + BROKEN_SAID.format(file="broken.md")),
]


@each_row(("name", "said"), NOT_SHOWN)
def test_what_cannot_be_shown(name: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "plain.md").write_text(PLAIN)
    (tmp_path / "broken.md").write_text(BROKEN)
    assert machine(tmp_path, "show", name) == (1, "", said)


def test_task_is_the_name_of_the_lifecycle_that_tasks_go_through(project: Path) -> None:
    status, out, err = machine(project, "show", "task")
    assert (status, err) == (0, "")
    assert out.startswith(f"task: {Path(SHIPPED).parent}/tasks/lifecycle.md\n  planning ")
    path = skill(project, "task", PLAIN)
    skill(project.parent / "home", "task", GOOD)
    assert machine(project, "show", "task") == (0, out, "")
    path.write_text(GOOD)
    assert "    -> b : go\n" in machine(project, "show", "task")[1]


def test_show_of_a_mode_shows_its_phases_and_one_that_ships_goes_by_the_package(project: Path) -> None:
    path = skill(project, "release", MODE)
    assert machine(project, "show", "release")[1].splitlines() == [
        f"release: {path}",
        "  a  (start; The first)",
        "    -> b : go",
        "  b  (The second)",
        "    -> a (back) : back",
        "    -> end : done",
    ]
    assert "charter" in machine(project, "show", "blueprint")[1]
    assert "reviewing" in machine(project, "show", "blueprint", "--mode")[1]
    skill(project, "crew", MODE.replace("release", "crew"))
    for name in ("crew", "team", "swarm"):
        assert machine(project, "show", name)[1].splitlines()[0] == f"crew: {SHIPPED}/crew/SKILL.md"
    path.write_text(PLAIN)
    said = f"rcs: {path} has no ## MODE section, so it declares no mode\n"
    assert machine(project, "show", "release", "--mode") == (1, "", said)


# --- the way of a run


def emit(project: Path, step: str, *more: str, workflow: str = "build", status: str = "running") -> None:
    words = ["--type", "status_change", "--workflow", workflow, "--run-id", "r1", "--step", step, *more]
    assert rcs(project, "emit", *words, "--data", json.dumps({"status": status}))[0] == 0


def test_the_path_of_a_run_is_marked_in_the_list_and_in_the_picture(project: Path) -> None:
    for step in ("requirements", "design", "tasks", "build", "verify", "build"):
        emit(project, step)
    emit(project, "task-builder:building", "--unit", "T1")
    _, out, _ = machine(project, "show", "build", "--run", "r1")
    marks = {line[2:].split()[0]: line[0] for line in out.splitlines()[1:] if not line.startswith("    ")}
    assert marks == {"requirements": "+", "design": "+", "tasks": "+", "build": "*", "verify": "+", "archive": " "}
    _, out, _ = machine(project, "show", "build", "--svg", "--run", "r1")
    assert ET.fromstring(out).tag == "{http://www.w3.org/2000/svg}svg"
    assert 'class="edge taken" data-from="verify" data-to="build"' in out
    assert 'class="edge" data-from="verify" data-to="archive"' in out
    assert 'class="state current visited" data-state="build"' in out
    said = "rcs: there is no run 'r2'; `rcs runs list` shows those that are\n"
    assert machine(project, "show", "build", "--run", "r2") == (1, "", said)
    said = "rcs: r1 is a run of 'build'; `rcs machine show build --run r1`\n"
    assert machine(project, "show", "pr-review", "--run", "r1") == (1, "", said)


SESSION = "0199f0aa-1111-7222-8333-444455556666"


def test_the_path_of_a_mode_in_a_session_is_marked(project: Path) -> None:
    workspace = Workspace(project)
    workspace.prompt("$forge fix the login", session=SESSION)
    for phase in ("executing", "verifying", "fixing"):
        assert rcs(project, "state", "write", "--mode", "forge", "--phase", phase, "--session", SESSION)[0] == 0
    listed = machine(project, "show", "forge", "--run", SESSION[:8])[1].splitlines()
    assert [line[:12].rstrip() for line in listed if line[:1] in "*+"] == [
        "+ starting", "+ executing", "+ verifying", "* fixing",
    ]  # fmt: skip
    said = f"rcs: session {SESSION} has had no run of team; `rcs log --mode team` shows those that there are\n"
    assert machine(project, "show", "crew", "--run", SESSION) == (1, "", said)
    assert machine(project, "show", "forge", "--run", "../x")[0] == 1
