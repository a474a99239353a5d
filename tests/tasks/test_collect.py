"""`rcs task collect`: the diff and its files come from git, staged, committed or neither, and nothing else changes."""

from __future__ import annotations

import fcntl
import hashlib
import os
import random
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.proof.repositories import Repo
from tests.table import each_row
from tests.tasks.paths import DIFF, PLAN
from tests.tasks.rows import CLEAN_REVIEW, WHOLE_PLAN
from tests.tasks.support import RCS, Task

FILES = "code/files"
KILLS = 12


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "project")


@pytest.fixture
def task(repo: Repo) -> Task:
    """A task that began on the first commit, and is in codegen."""
    task = Task(repo.top)
    task.did("new")
    task.put(PLAN, WHOLE_PLAN)
    for target in ("plan_review", "codegen"):
        task.did("next", "--override", "it is clear", "--to", target)
    return task


def collected(task: Task) -> dict[str, str]:
    """The files that were collected, as they lie in code/files."""
    top = task.folder / FILES
    return {str(path.relative_to(top)): path.read_text() for path in sorted(top.rglob("*")) if path.is_file()}


def everything_of_git(top: Path) -> dict[str, str]:
    """Each file in `.git` with its hash."""
    found = sorted(path for path in (top / ".git").rglob("*") if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


def test_the_diff_and_its_files_are_what_has_changed_since_the_task_began(task: Task, repo: Repo) -> None:
    repo.write("a.txt", "committed\n")
    repo.commit()
    repo.write("src/b.py", "staged\n")
    repo.git("add", "-A")
    repo.write("src/new.py", "neither\n")
    repo.write("build/out.log", "ignored\n")
    (repo.top / "run.sh").unlink()
    said = task.did("collect")
    assert collected(task) == {"a.txt": "committed\n", "src/b.py": "staged\n", "src/new.py": "neither\n"}
    assert (
        "  changed: a.txt, src/b.py, src/new.py\n  removed: run.sh\n  next: rcs task next t1; it goes back to planning"
        in said
    )
    diff = (task.folder / DIFF).read_text()
    for path in ("a.txt", "src/b.py", "src/new.py", "run.sh"):
        assert f"diff --git a/{path} b/{path}\n" in diff
    assert ".rcs" not in diff


def test_what_would_send_the_task_back_is_said_before_it_goes_back(task: Task, repo: Repo) -> None:
    repo.write("a.txt", "of something else\n")
    repo.write("src/a.py", "print('hello')\n")
    said = task.did("collect")
    assert said.endswith(
        "  next: rcs task next t1; it goes back to planning: not in the plan: a.txt\n"
        "  to keep the plan: let the work agree with it, then again: rcs task collect t1 [--base REF]\n"
    )
    repo.git("checkout", "-q", "a.txt")
    assert task.did("collect").endswith("  changed: src/a.py\n  next: rcs task next t1\n")
    (repo.top / "src/a.py").unlink()
    repo.write("a.txt", "of something else\n")
    repo.commit()
    task.put(PLAN, WHOLE_PLAN | {"file_plan": [{"path": "a.txt"}, {"path": "src/a.py"}]})
    found = "rcs task next t1; it goes back to plan_review: planned, and not generated: src/a.py\n"
    assert found in task.did("collect")


def test_the_diff_makes_the_work_out_of_the_start(task: Task, repo: Repo, tmp_path: Path) -> None:
    """What was collected is enough to do the work again: git applies it to a clone of the start."""
    start = repo.git("rev-parse", "HEAD").strip()
    repo.write("a.txt", "one\nmore\n")
    repo.write("ü and blanks.py", "new\n")
    repo.git("mv", "src/b.py", "src/c.py")
    (repo.top / "link").unlink()
    (repo.top / "link").symlink_to("run.sh")
    (repo.top / "a.txt").chmod(0o755)
    task.did("collect")
    repo.git("clone", "-q", str(repo.top), str(tmp_path / "clone"))
    other = tmp_path / "clone"
    Repo.git(repo, "-C", str(other), "checkout", "-q", start)
    Repo.git(repo, "-C", str(other), "apply", str(task.folder / DIFF))
    for path in ("a.txt", "ü and blanks.py", "src/c.py"):
        assert (other / path).read_bytes() == (repo.top / path).read_bytes()
        assert (task.folder / FILES / path).read_bytes() == (repo.top / path).read_bytes()
    assert os.readlink(other / "link") == "run.sh"
    assert os.access(other / "a.txt", os.X_OK)
    assert not (other / "src/b.py").exists()


def test_what_was_collected_opens_the_way_to_the_review(task: Task, repo: Repo) -> None:
    repo.write("src/a.py", "print('hello')\n")
    task.did("collect")
    task.did("next")
    assert task.phase == "review"


def test_nothing_of_the_repository_is_written(task: Task, repo: Repo) -> None:
    repo.write("a.txt", "changed\n")
    repo.write("src/new.py", "new\n")
    before = everything_of_git(repo.top)
    task.did("collect")
    assert everything_of_git(repo.top) == before
    assert [path.name for path in task.folder.iterdir() if path.name.startswith(".collected")] == []


def test_nothing_of_the_repository_runs(task: Task, repo: Repo, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "evil.sh"
    program.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    program.chmod(0o755)
    repo.write(".gitattributes", "*.py filter=evil diff=evil\n*.txt filter=other diff=other\n")
    for driver in ("evil", "other"):
        repo.git("config", f"filter.{driver}.clean", str(program))
        repo.git("config", f"filter.{driver}.process", str(program))
        repo.git("config", f"filter.{driver}.required", "true")
        repo.git("config", f"diff.{driver}.command", str(program))
        repo.git("config", f"diff.{driver}.textconv", str(program))
    for name in ("core.fsmonitor", "diff.external", "core.pager", "core.editor", "core.sshCommand"):
        repo.git("config", name, str(program))
    for hook in ("pre-commit", "post-index-change", "reference-transaction", "fsmonitor-watchman"):
        path = repo.top / ".git/hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(program.read_bytes())
        path.chmod(0o755)
    repo.write("src/b.py", "changed\n")
    repo.write("src/new.py", "new\n")
    os.utime(repo.top / "a.txt")
    task.did("collect")
    assert not ran.exists()
    assert collected(task) == {
        ".gitattributes": (repo.top / ".gitattributes").read_text(), "src/b.py": "changed\n", "src/new.py": "new\n"
    }  # fmt: skip


def test_a_file_with_a_filter_that_has_not_changed_is_not_in_the_diff(task: Task, repo: Repo) -> None:
    """A secret that git-crypt and the like keep encrypted in the repository stays out of the diff."""
    repo.write(".gitattributes", "*.secret filter=upper\n")
    repo.git("config", "filter.upper.clean", "tr a-z A-Z")
    repo.git("config", "filter.upper.smudge", "tr A-Z a-z")
    repo.write("x.secret", "plain\n")
    repo.commit()
    past = time.time() - 100
    os.utime(repo.top / "x.secret", (past, past))
    repo.git("update-index", "--refresh")
    repo.write("a.txt", "changed\n")
    task.did("collect", "--base", "HEAD")
    assert collected(task) == {"a.txt": "changed\n"}


def test_line_ends_are_those_that_git_stores(task: Task, repo: Repo) -> None:
    repo.write(".gitattributes", "*.txt text eol=crlf\n")
    repo.write("a.txt", "one\r\ntwo\r\n")
    task.did("collect")
    assert collected(task)["a.txt"] == "one\ntwo\n"
    assert "-one" not in (task.folder / DIFF).read_text()


def other_branch(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "other")
    repo.write("theirs.txt", "x\n")
    repo.commit()
    repo.git("checkout", "-q", "main")


def second_commit(repo: Repo) -> None:
    repo.write("a.txt", "two\n")
    repo.commit()


BASES: dict[str, tuple[Callable[[Repo], object], str, dict[str, str]]] = {
    "a commit": (lambda repo: None, "HEAD", {"n.txt": "new\n"}),
    "a tag": (lambda repo: repo.git("tag", "-a", "v1", "-m", "v1"), "v1", {"n.txt": "new\n"}),
    "a branch that has gone on": (other_branch, "other", {"n.txt": "new\n"}),
    "the commit before": (second_commit, "HEAD~1", {"a.txt": "two\n", "n.txt": "new\n"}),
}


@pytest.mark.slow
@each_row("name", BASES)
def test_another_base_may_be_named(tmp_path: Path, name: str) -> None:
    repo = Repo(tmp_path / "project")
    prepare, base, expected = BASES[name]
    (repo.top / ".git/info/exclude").write_text(".rcs/\n")
    task = Task(repo.top).at("codegen")
    prepare(repo)
    repo.write("n.txt", "new\n")
    task.did("collect", "--base", base)
    assert collected(task) == expected


@pytest.mark.slow
@each_row("base", ["nowhere", "--output=x", "-n", "a b", "HEAD\x1b[31m", "x" * 10_000, "HEAD:a.txt"], ids=ascii)
def test_a_base_that_is_no_commit_is_refused(tmp_path: Path, base: str) -> None:
    repo = Repo(tmp_path / "project")
    task = Task(repo.top).at("codegen")
    repo.write("n.txt", "new\n")
    before = task.tree()
    done = task("collect", f"--base={base}")
    assert (done.status, done.out) == (1, "")
    assert "there is no commit" in done.err
    assert len(done.err) < 600
    assert "\x1b" not in done.err
    assert task.tree() == before


def test_a_task_that_does_not_say_where_it_began_asks_for_a_base(repo: Repo) -> None:
    task = Task(repo.top).at("codegen")
    done = task("collect")
    assert done == (
        1, "", "rcs: task t1 does not say at which commit it began; name one: rcs task collect t1 --base REF\n"
    )  # fmt: skip


@pytest.mark.parametrize(
    "start", [7, None, [], {}, {"commit": 7}, {"commit": "--output=x"}, {"commit": "HEAD@{-1}"}], ids=repr
)
def test_a_start_that_was_tampered_with_is_none(task: Task, repo: Repo, start: object) -> None:
    repo.write("n.txt", "new\n")
    task.put("state.json", task.state | {"start": start})
    assert "does not say at which commit it began" in task("collect").err


def test_before_the_first_commit_every_file_is_new(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "project", commit=False)
    task = Task(repo.top)
    task.did("new")
    assert task.state["start"] == {"commit": ""}
    task.put("state.json", task.state | {"phase": "codegen"})
    task.did("collect")
    assert sorted(collected(task)) == [".gitignore", "a.txt", "run.sh", "src/b.py"]


def test_without_git_there_is_no_start_and_nothing_to_collect(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    (folder / ".rcs").mkdir(parents=True)
    task = Task(folder)
    (folder / ".git").rmdir()
    task.did("new")
    assert "start" not in task.state
    task.at("codegen")
    done = task("collect", "--base", "HEAD")
    assert (done.status, "there is no git repository around" in done.err) == (1, True)


@each_row("phase", ["planning", "plan_review", "review", "test", "accept", "revert", "done"])
def test_elsewhere_than_in_codegen_it_is_refused(tmp_path: Path, phase: str) -> None:
    repo = Repo(tmp_path / "project")
    task = Task(repo.top).at(phase)
    repo.write("n.txt", "new\n")
    before = task.tree()
    done = task("collect", "--base", "HEAD")
    assert (done.status, done.out, task.tree()) == (1, "", before)
    assert f"task t1 is in {phase}, and code is collected in codegen" in done.err


def test_where_nothing_has_changed_it_says_so(task: Task) -> None:
    before = task.tree()
    done = task("collect")
    assert (done.status, task.tree()) == (1, before)
    assert "no file has changed since commit " in done.err


def test_what_somebody_wrote_by_hand_goes_to_the_history(task: Task, repo: Repo) -> None:
    (task.folder / FILES).mkdir(parents=True)
    (task.folder / FILES / "only.py").write_text("mine\n")
    (task.folder / DIFF).write_text("mine\n")
    repo.write("a.txt", "changed\n")
    said = task.did("collect")
    assert "  moved to history/1: code/diff.patch, code/files\n" in said
    assert (task.folder / "history/1" / FILES / "only.py").read_text() == "mine\n"
    assert (task.folder / "history/1" / DIFF).read_text() == "mine\n"
    assert collected(task) == {"a.txt": "changed\n"}


def test_what_was_collected_before_is_replaced(task: Task, repo: Repo) -> None:
    repo.write("a.txt", "changed\n")
    repo.write("b.txt", "soon gone\n")
    task.did("collect")
    (repo.top / "b.txt").unlink()
    repo.write("c.txt", "new\n")
    assert "history" not in task.did("collect")
    assert collected(task) == {"a.txt": "changed\n", "c.txt": "new\n"}
    assert not (task.folder / "history").exists()
    (task.folder / FILES / "a.txt").write_text("by hand\n")
    task.did("collect")
    assert (task.folder / "history/1" / FILES / "a.txt").read_text() == "by hand\n"


def test_changes_that_were_sent_back_are_refused_when_they_are_collected_again(task: Task, repo: Repo) -> None:
    repo.write("src/a.py", "print('hello')\n")
    task.did("collect")
    task.did("next")
    task.put("review/code-review.json", CLEAN_REVIEW | {"decision": "needs_changes"})
    task.did("next")
    assert task.phase == "codegen"
    repo.write("src/a.py", "print('hello')\n")
    repo.commit()
    assert "history" not in task.did("collect"), "code/files was collected too, and lies in history/1 already"
    assert "the same changes were sent back by history/1/review/code-review.json" in task("next").err
    repo.write("src/a.py", "print('good morning')\n")
    task.did("collect")
    task.did("next")
    assert task.phase == "review"


def test_a_workspace_in_a_repository_collects_its_own_files(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "mono")
    inner = repo.top / "src"
    task = Task.__new__(Task)
    task.root, task.name = inner, "t1"
    task.did("new", "--root", str(inner))
    task.at("codegen")
    repo.write("src/b.py", "changed\n")
    repo.write("a.txt", "outside\n")
    said = task.did("collect", "--base", "HEAD", "--root", str(inner))
    assert collected(task) == {"b.py": "changed\n"}
    assert "  outside this workspace, left out: a.txt\n" in said
    assert "diff --git a/b.py b/b.py\n" in (task.folder / DIFF).read_text()


def test_a_link_is_in_the_diff_only(task: Task, repo: Repo) -> None:
    repo.write("a.txt", "changed\n")
    (repo.top / "other").symlink_to("/etc/passwd")
    assert "  links, in the diff only: other\n" in task.did("collect")
    assert collected(task) == {"a.txt": "changed\n"}
    assert "+/etc/passwd" in (task.folder / DIFF).read_text()


@pytest.mark.slow
def test_too_much_is_refused_with_what_to_do(task: Task, repo: Repo) -> None:
    before = task.tree()
    with (repo.top / "huge.bin").open("wb") as file:
        file.truncate(65 * 1024 * 1024)
    done = task("collect")
    assert (done.status, task.tree()) == (1, before)
    assert "the largest is huge.bin; list generated files in .gitignore" in done.err
    (repo.top / "huge.bin").unlink()
    repo.write("long.txt", "a line\n" * 3_000_000)
    assert "the diff has more than 16 MB" in task("collect").err
    assert task.tree() == before


def test_it_says_the_same_in_json(task: Task, repo: Repo) -> None:
    start = repo.git("rev-parse", "HEAD").strip()
    repo.write("a.txt", "changed\n")
    (repo.top / "run.sh").unlink()
    assert task("collect", "--json").json == {
        "ok": True, "task": "t1", "base": start, "files": ["a.txt"], "removed": ["run.sh"], "links": [],
        "outside": [], "archived": None, "moved": [], "next": "rcs task next t1",
    }  # fmt: skip
    assert task.state["collected"]["base"] == start
    assert task.transcript[-1]["kind"] == "note"
    assert task.transcript[-1]["reason"] == f"collected 2 changed files against commit {start[:12]}"


def test_no_link_is_written_through(task: Task, repo: Repo, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (task.folder / "code").symlink_to(outside)
    repo.write("a.txt", "changed\n")
    assert task("collect").status == 1
    assert list(outside.iterdir()) == []


def test_what_a_killed_call_has_left_is_removed_and_what_a_living_one_uses_is_not(task: Task, repo: Repo) -> None:
    repo.write("a.txt", "changed\n")
    dead, alive = task.folder / ".collected-dead", task.folder / ".collected-alive"
    for folder in (dead, alive):
        (folder / "objects").mkdir(parents=True)
    held = os.open(alive, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_SH)
    task.did("collect")
    assert (dead.exists(), alive.exists()) == (False, True)
    os.close(held)


@pytest.mark.slow
def test_wherever_it_is_killed_nothing_is_lost_and_no_half_is_taken_for_the_whole(task: Task, repo: Repo) -> None:
    (task.folder / FILES).mkdir(parents=True)
    (task.folder / FILES / "only.py").write_text("mine\n")
    (task.folder / DIFF).write_text("mine\n")
    before = everything_of_git(repo.top)
    chance = random.Random(14)
    for number in range(KILLS):
        repo.write("a.txt", f"changed {number}\n")
        child = subprocess.Popen(
            [*RCS, *task.words("collect")], cwd=task.root, env=task.env(), stdout=subprocess.DEVNULL
        )
        time.sleep(chance.uniform(0.05, 0.6))
        child.kill()
        child.wait()
        assert everything_of_git(repo.top) == before
        mine = [path for path in task.folder.rglob("only.py") if path.read_text() == "mine\n"]
        assert len(mine) == 1
        if task.there(DIFF) and mine[0].parent.parent.parent != task.folder:
            ours = (task.folder / FILES / "a.txt").read_text()
            assert f"+{ours}" in (task.folder / DIFF).read_text()
    task.did("collect")
    assert collected(task) == {"a.txt": (repo.top / "a.txt").read_text()}
    assert everything_of_git(repo.top) == before
    assert [path.name for path in task.folder.iterdir() if path.name.startswith(".collected")] == []
