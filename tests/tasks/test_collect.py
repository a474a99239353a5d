"""`rcs task collect`: the diff and its files come from git, staged, committed or neither, and nothing else changes."""

from __future__ import annotations

import fcntl
import hashlib
import os
from pathlib import Path

import pytest

from tests.proof.repositories import Repo
from tests.table import each_row
from tests.tasks.paths import DIFF, PLAN
from tests.tasks.rows import WHOLE_PLAN
from tests.tasks.support import Record, Task

FILES = "code/files"


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
    start = repo.git("rev-parse", "HEAD").strip()
    repo.write("a.txt", "committed\n")
    repo.commit()
    repo.write("src/b.py", "staged\n")
    repo.git("add", "-A")
    repo.write("src/new.py", "neither\n")
    repo.write("build/out.log", "ignored\n")
    (repo.top / "run.sh").unlink()
    (repo.top / "other").symlink_to("/etc/passwd")
    before = everything_of_git(repo.top)
    said = task.did("collect")
    assert everything_of_git(repo.top) == before
    assert "  changed: a.txt, src/b.py, src/new.py\n  removed: run.sh\n  links, in the diff only: other\n" in said
    assert collected(task) == {"a.txt": "committed\n", "src/b.py": "staged\n", "src/new.py": "neither\n"}
    diff = (task.folder / DIFF).read_text()
    for path in ("a.txt", "src/b.py", "src/new.py", "run.sh", "other"):
        assert f"diff --git a/{path} b/{path}\n" in diff
    assert ".rcs" not in diff
    assert task("collect", "--json").json == {
        "ok": True, "task": "t1", "base": start, "files": ["a.txt", "src/b.py", "src/new.py"], "removed": ["run.sh"],
        "links": ["other"], "outside": [], "archived": None, "moved": [], "next": "rcs task next t1",
    }  # fmt: skip
    assert task.state["collected"]["base"] == start
    reason = f"collected 5 changed files against commit {start[:12]}"
    assert (task.transcript[-1]["kind"], task.transcript[-1]["reason"]) == ("note", reason)


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


NOWHERE = "task t1 does not say at which commit it began; name one: rcs task collect t1 --base REF"


@each_row(("change", "words", "said"), [
    *(({"start": {"commit": start}}, (), NOWHERE) for start in (None, 7, "--output=x", "@")),
    *(({}, (f"--base={base}",), "there is no commit") for base in ("no", "--output=x", "x" * 10_000, "HEAD:a.txt")),
    ({"phase": "review"}, (), "task t1 is in review, and code is collected in codegen"),
    ({"phase": "done"}, (), "task t1 is in done, and code is collected in codegen"),
])  # fmt: skip
def test_where_there_is_nothing_to_compare_with_nothing_is_collected(
    tmp_path: Path, change: Record, words: tuple[str, ...], said: str
) -> None:
    repo = Repo(tmp_path / "project")
    task = Task(repo.top).at("codegen")
    task.put("state.json", task.state | {"start": {"commit": repo.git("rev-parse", "HEAD").strip()}} | change)
    repo.write("n.txt", "new\n")
    before = task.tree()
    done = task("collect", *words)
    assert (done.status, done.out, said in done.err, task.tree()) == (1, "", True, before)
    assert len(done.err) < 600


@pytest.mark.parametrize("base", ["v1", "other", "HEAD"])
def test_another_base_may_be_named(task: Task, repo: Repo, base: str) -> None:
    repo.git("tag", "-a", "v1", "-m", "v1")
    repo.git("checkout", "-q", "-b", "other")
    repo.write("theirs.txt", "x\n")
    repo.commit()
    repo.git("checkout", "-q", "main")
    repo.write("n.txt", "new\n")
    task.did("collect", "--base", base)
    assert collected(task) == {"n.txt": "new\n"}


def test_nothing_of_the_repository_runs(task: Task, repo: Repo, tmp_path: Path) -> None:
    ran, program = tmp_path / "ran", tmp_path / "evil.sh"
    program.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    program.chmod(0o755)
    repo.write(".gitattributes", "*.py filter=evil diff=evil\n*.txt filter=evil diff=evil\n")
    names = ("filter.evil.clean", "filter.evil.process", "diff.evil.command", "diff.evil.textconv", "core.fsmonitor")
    for name in (*names, "diff.external", "core.pager", "core.editor"):
        repo.git("config", name, str(program))
    for hook in ("post-index-change", "reference-transaction", "fsmonitor-watchman"):
        path = repo.top / ".git/hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.symlink_to(program)
    repo.write("src/b.py", "changed\n")
    os.utime(repo.top / "a.txt")
    task.did("collect")
    assert not ran.exists()
    assert set(collected(task)) == {".gitattributes", "src/b.py"}


def test_before_the_first_commit_every_file_is_new_and_without_git_there_is_nothing(tmp_path: Path) -> None:
    task = Task(Repo(tmp_path / "project", commit=False).top)
    task.did("new")
    assert task.state["start"] == {"commit": ""}
    task.put("state.json", task.state | {"phase": "codegen"})
    task.did("collect")
    assert sorted(collected(task)) == [".gitignore", "a.txt", "run.sh", "src/b.py"]
    (tmp_path / "plain/.rcs").mkdir(parents=True)
    task = Task(tmp_path / "plain")
    (task.root / ".git").rmdir()
    task.did("new")
    assert "start" not in task.state
    assert "there is no git repository around" in task.at("codegen")("collect", "--base", "HEAD").err


@pytest.mark.slow
def test_nothing_and_too_much_are_refused_with_what_to_do(task: Task, repo: Repo) -> None:
    before = task.tree()
    assert "no file has changed since commit " in task("collect").err
    with (repo.top / "huge.bin").open("wb") as file:
        file.truncate(65 * 1024 * 1024)
    assert "the largest is huge.bin; list generated files in .gitignore" in task("collect").err
    (repo.top / "huge.bin").unlink()
    repo.write("long.txt", "a line\n" * 3_000_000)
    assert "the diff has more than 16 MB" in task("collect").err
    assert task.tree() == before


def test_what_somebody_wrote_by_hand_goes_to_the_history_and_no_link_is_followed(task: Task, repo: Repo) -> None:
    task.put("code/diff.patch", "mine\n")
    (task.folder / FILES).mkdir()
    (task.folder / FILES / "only.py").write_text("mine\n")
    repo.write("a.txt", "changed\n")
    assert "  moved to history/1: code/diff.patch, code/files\n" in task.did("collect")
    assert (task.folder / "history/1" / FILES / "only.py").read_text() == "mine\n"
    assert collected(task) == {"a.txt": "changed\n"}
    outside = task.root.parent / "outside"
    (task.folder / "code").rename(outside)
    (task.folder / "code").symlink_to(outside)
    repo.write("b.txt", "new\n")
    assert task("collect").status == 1
    assert not (outside / "files/b.txt").exists()


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
