"""Inputs that once did harm: each command line, and what it does now."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.table import each_row
from tests.tasks.paths import DIFF, PLAN
from tests.tasks.rows import ROWS, WHOLE_PLAN
from tests.tasks.support import Task

CODEGEN = ROWS["T6"]
HEAD = "@@ -1 +1 @@\n-a\n+b\n"
MNEMONIC = f"diff --git i/src/a.py w/src/a.py\nindex 1..2 100644\n--- i/src/a.py\n+++ w/src/a.py\n{HEAD}"
BARE = f"diff --git a/a.py a/a.py\n--- a/a.py\n+++ a/a.py\n{HEAD}"
QUOTED = f'--- "a/\\303\\274\\a\\".py"\n+++ "b/ü\\a\\".py"\n{HEAD}'


@each_row(
    ("patch", "path"),
    [
        (MNEMONIC, "src/a.py"),
        (BARE, "a/a.py"),
        (QUOTED, 'ü\a".py'),
        ("diff --git a/b.png b/b.png\nBinary files a/b.png and b/b.png differ\n", "b.png"),
        ("--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+x\n", "new.py"),
        (f"--- c/a.py\n+++ c/a.py\n{HEAD}", "c/a.py"),
        (f"{BARE.replace('a/a.py', 'b/a b.py')}", "b/a b.py"),
    ],
    ids=["mnemonic", "no prefix", "quoted", "binary", "made", "a folder c", "a blank"],
)
def test_a_planned_file_is_in_scope_however_the_diff_spells_it(task: Task, patch: str, path: str) -> None:
    plan = WHOLE_PLAN | {"file_plan": [{"path": path}]}
    task.at("codegen", {PLAN: plan, DIFF: patch, f"code/files/{path}": "b\n"})
    assert task.did("next", "--json").startswith('{"ok":true')
    assert task.phase == "review"


@each_row("path", ["../x", "/etc/passwd", "w/src/b.py"])
def test_a_file_outside_the_plan_sends_back_whatever_its_path(task: Task, path: str) -> None:
    CODEGEN.on(task, **{DIFF: f"--- {path}\n+++ {path}\n{HEAD}"})
    task.did("next")
    assert task.phase == "planning"


def test_many_values_are_counted_at_all_levels(task: Task) -> None:
    task.at("planning", {PLAN: WHOLE_PLAN | {"notes": [[0] * 1000] * 50}})
    assert "planning/planning.ai.json: it holds more than 50000 values, need fewer" in task("next").err
    task.put(PLAN, WHOLE_PLAN | {"notes": [[0] * 1000] * 49})
    task.did("next")


def test_a_folder_that_cannot_be_walked_hides_no_status(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    CODEGEN.on(task)
    monkeypatch.chdir(task.folder / "code/files")
    for _ in range(300):
        Path("d" * 20).mkdir()
        monkeypatch.chdir("d" * 20)
    monkeypatch.chdir(task.root)
    out = task.did("status")
    assert "file name too long, need a folder that can be read" in out
    assert max(map(len, out.splitlines())) < 400


@pytest.mark.parametrize("line", ["/next --override " + "x" * 3_000_000, "\0" * 70_000, "/redo" + " " * 70_000 + "x"])
def test_a_line_without_end_is_refused_and_the_next_one_read(task: Task, line: str) -> None:
    task.at("planning")
    before = task.state_bytes
    done = task.rcs("task", "repl", "t1", stdin=f"{line}\n/status --json\n")
    assert done.err == "rcs: the line has more than 65536 characters; nothing was done\n"
    assert (json.loads(done.out)["phase"], task.state_bytes) == ("planning", before)
