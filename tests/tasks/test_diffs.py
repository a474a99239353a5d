"""What a diff leaves, what it changes, and that a refused one counts only by what it changes."""

from __future__ import annotations

import pytest

from rcs_hooks.tasks.diff_paths import changes_in, paths_in, paths_left
from tests.table import each_row
from tests.tasks.paths import CODE_REVIEW, DIFF, REPORT
from tests.tasks.rows import CLEAN_REVIEW, PASSED, PATCH, ROWS
from tests.tasks.support import Record, Task

HUNK = "@@ -1 +1 @@\n-a\n+b\n"
PLAIN = f"--- a/x.py\n+++ b/x.py\n{HUNK}"
GIT = f"diff --git a/x.py b/x.py\nindex 11..22 100644\n{PLAIN}"
NEW = "diff --git a/n b/n\nnew file mode 100644\nindex 00..11\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n"
GONE = "diff --git a/g b/g\ndeleted file mode 100644\nindex 11..00\n--- a/g\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
EMPTY_GONE = "diff --git a/e b/e\ndeleted file mode 100644\nindex e69de29..0000000\n"
RENAMED = "diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n"
COPIED = "diff --git a/one b/two\nsimilarity index 100%\ncopy from one\ncopy to two\n"
BINARY = "diff --git a/b.png b/b.png\nindex 11..22 100644\nBinary files a/b.png and b/b.png differ\n"
MODE = "diff --git a/run b/run\nold mode 100644\nnew mode 100755\n"

FILES: list[tuple[str, str, set[str], set[str]]] = [
    # what, the diff, the files that it names, those that are there after it
    ("changed", GIT, {"x.py"}, {"x.py"}),
    ("changed, without git's lines", PLAIN, {"x.py"}, {"x.py"}),
    ("two without git's lines", PLAIN + PLAIN.replace("x.py", "y.py"), {"x.py", "y.py"}, {"x.py", "y.py"}),
    ("new", NEW, {"n"}, {"n"}),
    ("deleted", GONE, {"g"}, set()),
    ("deleted, without git's lines", f"--- a/g\n+++ /dev/null\n{HUNK}", {"g"}, set()),
    ("deleted, and it was empty", EMPTY_GONE, {"e"}, set()),
    ("renamed", RENAMED, {"old", "new"}, {"new"}),
    ("copied", COPIED, {"two"}, {"two"}),
    ("binary", BINARY, {"b.png"}, {"b.png"}),
    ("another mode", MODE, {"run"}, {"run"}),
    ("deleted and made again, as a link", GONE + NEW.replace("b/n", "b/g").replace("a/n", "a/g"), {"g"}, {"g"}),
    ("all of them", GIT + NEW + GONE + RENAMED, {"x.py", "n", "g", "old", "new"}, {"x.py", "n", "new"}),
    ("a header inside a hunk", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- a/y\n+++ b/y\n", {"x"}, {"x"}),
    ("no diff", "nothing\n", set(), set()),
]


@each_row(("patch", "named", "left"), [row[1:] for row in FILES], ids=[row[0] for row in FILES])
def test_a_diff_names_files_and_leaves_files(patch: str, named: set[str], left: set[str]) -> None:
    assert (paths_in(patch), paths_left(patch)) == (named, left)


SAME: list[tuple[str, str, str]] = [
    # what differs, one diff, the other one
    ("the lines have moved", GIT, GIT.replace("@@ -1 +1 @@", "@@ -41 +43 @@ def greet():")),
    ("ids of blobs", GIT, GIT.replace("11..22", "33..44")),
    ("words before the first file", GIT, f"From: me\nSubject: again\n\n{GIT}"),
    ("dates behind the names", PLAIN, PLAIN.replace("x.py\n", "x.py\t2026-11-19 14:00:00\n")),
    ("prefixes of paths", GIT, GIT.replace("a/", "i/").replace("b/", "w/")),
    ("lines around it", "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n one\n-a\n+b\n",
     "--- a/x\n+++ b/x\n@@ -9,2 +9,2 @@\n-a\n+b\n two\n"),
    ("how similar a renamed file is", RENAMED, RENAMED.replace("100%", "90%")),
]  # fmt: skip
OTHER: list[tuple[str, str, str]] = [
    ("a line that is added", GIT, GIT.replace("+b\n", "+c\n")),
    ("a line that is removed", GIT, GIT.replace("-a\n", "-c\n")),
    ("a blank in a line", GIT, GIT.replace("+b\n", "+ b\n")),
    ("the file", GIT, GIT.replace("x.py", "y.py")),
    ("the end of the last line", GIT, f"{GIT}\\ No newline at end of file\n"),
    ("one file more", GIT, GIT + NEW),
    ("the mode", MODE, MODE.replace("100755", "120000")),
    ("the content of a binary file", BINARY, BINARY.replace("11..22", "11..33")),
    ("where it goes", RENAMED, RENAMED.replace("rename to new", "rename to newer")),
    ("deleted, and no longer", GONE, GONE.replace("deleted file", "old")),
    ("nothing at all", GIT, ""),
]


@each_row(("one", "other"), [row[1:] for row in SAME], ids=[row[0] for row in SAME])
def test_diffs_that_differ_in_this_change_the_same(one: str, other: str) -> None:
    assert one != other
    assert changes_in(one) == changes_in(other)


@each_row(("one", "other"), [row[1:] for row in OTHER], ids=[row[0] for row in OTHER])
def test_diffs_that_differ_in_this_change_something_else(one: str, other: str) -> None:
    assert changes_in(one) != changes_in(other)


def test_the_same_changes_are_refused_with_other_numbers_too(task: Task) -> None:
    task.at("review", ROWS["T6"].artifacts | {CODE_REVIEW: CLEAN_REVIEW | {"decision": "needs_changes"}})
    task.did("next")
    task.put(DIFF, PATCH.replace("@@ -1 +1 @@", "@@ -7 +7 @@"))
    assert "the same changes were sent back by history/1/review/code-review.json" in task("next").err
    task.put(DIFF, PATCH.replace("hello", "good morning"))
    task.did("next")
    assert task.phase == "review"


def test_the_newest_verdict_on_a_diff_is_named_and_a_huge_history_is_no_harm(task: Task) -> None:
    row = ROWS["T6"]
    row.on(task)
    for number in (1, 2):
        task.put(f"history/{number}/{DIFF}", PATCH)
        task.put(f"history/{number}/{CODE_REVIEW}", CLEAN_REVIEW | {"decision": "needs_changes"})
    for number in range(3, 260):
        task.put(f"history/{number}/note", "")
    task.put("history/260/code/diff.patch/x", "a folder")
    (task.folder / "history/261").write_text("a file")
    task.did("next")
    for number in range(3, 260):
        (task.folder / f"history/{number}/note").unlink()
        (task.folder / f"history/{number}").rmdir()
    task.at("codegen")
    assert "sent back by history/2/review/code-review.json" in task("next").err


WAIVED: list[tuple[str, Record, str, str]] = [
    ("T6", {f"history/1/{DIFF}": PATCH, f"history/1/{CODE_REVIEW}": CLEAN_REVIEW | {"decision": "blocked"}}, DIFF,
     "the same changes were sent back by history/1/review/code-review.json"),
    ("T6", {"code/files/b.py": "x"}, "code/files/", "not in code/diff.patch: b.py"),
    ("T6", {DIFF: PATCH.replace("src/a.py", "src/never.py")}, "code/", "not in the work tree: src/never.py"),
    ("T13", {REPORT: PASSED | {"suites": []}}, REPORT, "empty"),
]  # fmt: skip


@pytest.mark.parametrize(("row", "broken", "artifact", "found"), WAIVED, ids=["again", "no diff", "no tree", "suites"])
def test_a_person_may_waive_it_with_a_reason(task: Task, row: str, broken: Record, artifact: str, found: str) -> None:
    ROWS[row].on(task, **broken)
    task.did("next", "--override", "I have seen it work", "--to", ROWS[row].target)
    assert task.phase == ROWS[row].target
    failed = task.transcript[-1]["failed"]
    assert (artifact, found) in [(each["artifact"], each["found"]) for each in failed]


@pytest.mark.parametrize("path", ["../outside.py", "/etc/hostname", "src/../../outside.py", "."])
def test_a_path_that_leads_out_of_the_work_tree_is_not_in_it(task: Task, path: str) -> None:
    (task.root.parent / "outside.py").write_text("x")
    ROWS["T6"].on(task, **{DIFF: f"{PATCH}--- /dev/null\n+++ {path}\n@@ -0,0 +1 @@\n+x\n"})
    done = task("review code")
    assert (done.status, f"not in the work tree: {path}\n" in done.err) == (1, True)


def test_a_link_that_leads_nowhere_is_in_the_work_tree(task: Task) -> None:
    ROWS["T6"].on(task)
    (task.root / "src/a.py").unlink()
    (task.root / "src/a.py").symlink_to("nowhere")
    task.did("review code")
