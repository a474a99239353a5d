"""What a diff leaves, what it changes, and that a refused one counts only by what it changes."""

from __future__ import annotations

import pytest

from rcs_hooks.tasks.diff_paths import changes_in, paths_in, paths_left
from tests.table import each_row
from tests.tasks.paths import CODE_REVIEW, DIFF
from tests.tasks.rows import CLEAN_REVIEW, PATCH, ROWS
from tests.tasks.support import Task

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
    ("new", NEW, {"n"}, {"n"}),
    ("deleted", GONE, {"g"}, set()),
    ("deleted, and it was empty", EMPTY_GONE, {"e"}, set()),
    ("renamed", RENAMED, {"old", "new"}, {"new"}),
    ("copied", COPIED, {"two"}, {"two"}),
    ("binary", BINARY, {"b.png"}, {"b.png"}),
    ("deleted and made again, as a link", GONE + NEW.replace("b/n", "b/g").replace("a/n", "a/g"), {"g"}, {"g"}),
    ("a header inside a hunk", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- a/y\n+++ b/y\n", {"x"}, {"x"}),
    ("no diff", "nothing\n", set(), set()),
]


@each_row(("patch", "named", "left"), [row[1:] for row in FILES], ids=[row[0] for row in FILES])
def test_a_diff_names_files_and_leaves_files(patch: str, named: set[str], left: set[str]) -> None:
    assert (paths_in(patch), paths_left(patch)) == (named, left)


SAME: list[tuple[str, str, str]] = [
    # what differs, one diff, the other one
    ("the lines have moved", GIT, GIT.replace("@@ -1 +1 @@", "@@ -41 +43 @@ def greet():")),
    ("words before the first file", GIT, f"From: me\nSubject: again\n\n{GIT}"),
    ("dates behind the names", PLAIN, PLAIN.replace("x.py\n", "x.py\t2026-11-19 14:00:00\n")),
    ("prefixes of paths", GIT, GIT.replace("a/", "i/").replace("b/", "w/")),
    ("lines around it", "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n one\n-a\n+b\n",
     "--- a/x\n+++ b/x\n@@ -9,2 +9,2 @@\n-a\n+b\n two\n"),
    ("how similar a renamed file is", RENAMED, RENAMED.replace("100%", "90%")),
]  # fmt: skip
OTHER: list[tuple[str, str, str]] = [
    ("a line that is added", GIT, GIT.replace("+b\n", "+c\n")),
    ("a blank in a line", GIT, GIT.replace("+b\n", "+ b\n")),
    ("the file", GIT, GIT.replace("x.py", "y.py")),
    ("the end of the last line", GIT, f"{GIT}\\ No newline at end of file\n"),
    ("the mode", MODE, MODE.replace("100755", "120000")),
    ("the content of a binary file", BINARY, BINARY.replace("11..22", "11..33")),
    ("deleted, and no longer", GONE, GONE.replace("deleted file", "old")),
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


def test_the_newest_verdict_on_a_diff_is_named_whatever_else_is_in_the_history(task: Task) -> None:
    ROWS["T6"].on(task)
    for number in (1, 2):
        task.put(f"history/{number}/{DIFF}", PATCH)
        task.put(f"history/{number}/{CODE_REVIEW}", CLEAN_REVIEW | {"decision": "needs_changes"})
    task.put("history/4/code/diff.patch/x", "a folder")
    (task.folder / "history/5").write_text("a file")
    assert "sent back by history/2/review/code-review.json" in task("next").err


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
