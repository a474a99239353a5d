"""Each way in which a work tree can change after a proof, and whether the proof still holds for it then."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rcs_hooks.proof.tree import fingerprint
from tests.proof.repositories import ENV, Repo, git
from tests.table import each_row

PROVEN, STALE = "proven", "stale"


HOUR = 3_600


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a submodule, another repository in it, what is ignored, untracked, staged and edited.

    Its files are older than any index, so that git believes what the index says of them.
    """
    folder = tmp_path_factory.mktemp("template")
    _make(folder)
    then = time.time() - HOUR
    for path in folder.rglob("*"):
        os.utime(path, (then, then), follow_symlinks=False)
    return folder


def _copied(template: Path, folder: Path) -> Repo:
    shutil.copytree(template, folder, symlinks=True, dirs_exist_ok=True)
    repo = Repo.at(folder / "repo")
    for path in (repo.top, repo.top / "lib", repo.top / "inner"):
        git(path, "update-index", "-q", "--refresh", may_fail=True)  # it says with its status that one needs an update
    return repo


def _make(folder: Path) -> Repo:
    library = Repo(folder / "library")
    repo = Repo(folder / "repo", commit=False)
    repo.git("submodule", "--quiet", "add", str(library.top), "lib")
    repo.write("forced.log", "ignored, and tracked\n")
    repo.write("crlf.txt", "a\r\nb\r\n")
    repo.write("hidden.txt", "assumed unchanged\n")
    repo.write("sparse.txt", "skipped\n")
    repo.write("unchanged.txt", "the same\n")
    repo.git("add", "-f", "forced.log")
    repo.commit()
    repo.git("branch", "other")
    repo.git("checkout", "-q", "other")
    repo.write("a.txt", "of the other branch\n")
    repo.commit()
    repo.git("checkout", "-q", "main")
    Repo(repo.top / "inner")
    repo.git("update-index", "--assume-unchanged", "hidden.txt")
    repo.git("update-index", "--skip-worktree", "sparse.txt")
    repo.write("edited.txt", "1\n")
    repo.write("staged.txt", "1\n")
    repo.git("add", "edited.txt", "staged.txt")
    repo.write("edited.txt", "2\n")
    repo.write("new.txt", "untracked\n")
    repo.write("build/out", "ignored\n")
    repo.write(".rcs/state/forge-state.json", "{}")
    return repo


def _edit_with_old_times(repo: Repo) -> None:
    """Edit a file, and put its times back, once the clock shows another second: git compares no smaller part of one."""
    path = repo.top / "a.txt"
    before = path.stat()
    path.write_text("two\n")
    while int(path.stat().st_ctime) == int(before.st_ctime):
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _replace_with_old_times(repo: Repo) -> None:
    path = repo.top / "a.txt"
    before = path.stat()
    other = repo.write("build/other", "two\n")
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(path)


def _as_link(repo: Repo) -> None:
    (repo.top / "a.txt").unlink()
    (repo.top / "a.txt").symlink_to("one\n")


def _other_link(repo: Repo) -> None:
    (repo.top / "link").unlink()
    (repo.top / "link").symlink_to("new.txt")


def _as_folder(repo: Repo) -> None:
    (repo.top / "a.txt").unlink()
    repo.write("a.txt/inside", "one\n")


def _as_pipe(repo: Repo) -> None:
    (repo.top / "a.txt").unlink()
    os.mkfifo(repo.top / "a.txt")


def _folder_as_link(repo: Repo) -> None:
    shutil.move(repo.top / "src", repo.top / "build/src")
    (repo.top / "src").symlink_to("build/src")


def _in_and_out(repo: Repo) -> None:
    repo.git("stash", "-q", "--include-untracked")
    repo.git("stash", "pop", "-q", "--index")


def _branch_and_back(repo: Repo) -> None:
    repo.git("checkout", "-q", "other")
    repo.git("checkout", "-q", "main")


def _conflict(repo: Repo) -> None:
    repo.git("commit", "-q", "-m", "staged")
    repo.git("checkout", "-q", "-b", "third", "main")
    repo.write("a.txt", "of the third branch\n")
    repo.git("commit", "-q", "-am", "third")
    with_conflict = repo.top / "a.txt"
    try:
        repo.git("merge", "-q", "other")
    except AssertionError:
        assert "<<<<<<<" in with_conflict.read_text()
    with_conflict.write_text("one\n")


def _unborn(repo: Repo) -> None:
    repo.git("checkout", "-q", "--orphan", "new")


def _submodule_commit(repo: Repo) -> None:
    git(repo.top / "lib", "commit", "-q", "--allow-empty", "-m", "the same files")
    repo.git("add", "lib")


def _submodule_other_commit(repo: Repo) -> None:
    repo.write("lib/a.txt", "three\n")
    git(repo.top / "lib", "commit", "-q", "-am", "other files")


def _submodule_other_commit_and_back(repo: Repo) -> None:
    _submodule_other_commit(repo)
    git(repo.top / "lib", "checkout", "-q", "HEAD~1")


def _new_index(repo: Repo) -> None:
    (repo.top / ".git/index").unlink()
    repo.git("reset", "-q")


def _staged_only(repo: Repo) -> None:
    repo.write("a.txt", "two\n")
    repo.git("add", "a.txt")
    repo.write("a.txt", "one\n")


def _by_hand(*words: str) -> Callable[[Repo], object]:
    return lambda repo: repo.git(*words)


def _written(name: str, text: str = "changed\n") -> Callable[[Repo], object]:
    return lambda repo: repo.write(name, text)


def _touched(pattern: str) -> Callable[[Repo], object]:
    def touch(repo: Repo) -> None:
        for path in repo.top.glob(pattern):
            path.touch()

    return touch


def _removed(name: str) -> Callable[[Repo], object]:
    return lambda repo: (repo.top / name).unlink()


def _mode(name: str, mode: int) -> Callable[[Repo], object]:
    return lambda repo: (repo.top / name).chmod(mode)


WAYS: dict[str, tuple[str, Callable[[Repo], object]]] = {
    # --- what the files hold
    "nothing": (PROVEN, lambda repo: None),
    "a tracked file is edited": (STALE, _written("a.txt")),
    "edited, and as long as before": (STALE, _written("a.txt", "two\n")),
    "edited, and its times put back": (STALE, _edit_with_old_times),
    "replaced by a file with the old times": (STALE, _replace_with_old_times),
    "edited, and edited back": (PROVEN, lambda repo: [repo.write("a.txt", text) for text in ("two\n", "one\n")]),
    "a file in a folder is edited": (STALE, _written("src/b.py")),
    "an edited file is edited again": (STALE, _written("edited.txt", "3\n")),
    "an edited file is as it was staged": (STALE, _written("edited.txt", "1\n")),
    "a staged file is edited": (STALE, _written("staged.txt", "2\n")),
    "an untracked file is edited": (STALE, _written("new.txt")),
    "line ends are changed": (STALE, _written("crlf.txt", "a\nb\n")),
    "a file that git assumes unchanged is edited": (STALE, _written("hidden.txt")),
    "a file that git skips is edited": (STALE, _written("sparse.txt")),
    "an ignored file that git tracks is edited": (STALE, _written("forced.log")),
    "an ignored file is edited": (PROVEN, _written("build/out")),
    "a file is touched": (PROVEN, _touched("a.txt")),
    "all files are touched": (PROVEN, _touched("**/*.txt")),
    # --- which files there are
    "a new file": (STALE, _written("another.txt")),
    "a new file in a new folder": (STALE, _written("x/y/z")),
    "a new file with the content of another": (STALE, _written("copy.txt", "one\n")),
    "a new ignored file": (PROVEN, _written("x/y.log")),
    "a new empty folder": (PROVEN, lambda repo: (repo.top / "empty").mkdir()),
    "a new pipe": (PROVEN, lambda repo: os.mkfifo(repo.top / "pipe")),
    "state of rcs": (PROVEN, _written(".rcs/state/team-state.json")),
    "state of rcs in a folder": (PROVEN, _written("src/.rcs/state/team-state.json")),
    "a file called .rcs": (STALE, _written("src/.rcs")),
    "a tracked file is deleted": (STALE, _removed("a.txt")),
    "an untracked file is deleted": (STALE, _removed("new.txt")),
    "a skipped file is deleted": (STALE, _removed("sparse.txt")),
    "an ignored file is deleted": (PROVEN, _removed("build/out")),
    "a link is deleted": (STALE, _removed("link")),
    "a file is renamed": (STALE, lambda repo: (repo.top / "a.txt").rename(repo.top / "c.txt")),
    "a file is renamed by git": (STALE, _by_hand("mv", "a.txt", "c.txt")),
    "a folder is renamed": (STALE, lambda repo: (repo.top / "src").rename(repo.top / "lib2")),
    "a file is ignored from now on": (STALE, _written(".git/info/exclude", "new.txt\n")),
    "a tracked file is ignored from now on": (PROVEN, _written(".git/info/exclude", "a.txt\n")),
    # --- what they are
    "the executable bit is set": (STALE, _mode("a.txt", 0o755)),
    "the executable bit is taken": (STALE, _mode("run.sh", 0o644)),
    "the group may write": (PROVEN, _mode("a.txt", 0o664)),
    "an untracked file becomes executable": (STALE, _mode("new.txt", 0o755)),
    "a link leads elsewhere": (STALE, _other_link),
    "a file becomes a link with the same text": (STALE, _as_link),
    "a file becomes a folder": (STALE, _as_folder),
    "a file becomes a pipe": (STALE, _as_pipe),
    "a folder becomes a link": (STALE, _folder_as_link),
    # --- what git is told
    "everything is staged": (PROVEN, _by_hand("add", "-A")),
    "a new file is announced": (PROVEN, _by_hand("add", "-N", "new.txt")),
    "everything is committed": (PROVEN, lambda repo: repo.commit()),
    "what is staged is committed": (PROVEN, _by_hand("commit", "-q", "-m", "staged")),
    "the commit is amended": (PROVEN, _by_hand("commit", "-q", "--amend", "-m", "amended")),
    "everything is un-staged": (PROVEN, _by_hand("reset", "-q")),
    "one file is un-staged": (PROVEN, _by_hand("restore", "--staged", "staged.txt")),
    "a file is no longer tracked": (PROVEN, _by_hand("rm", "-q", "--cached", "a.txt")),
    "an ignored file is no longer tracked": (STALE, _by_hand("rm", "-q", "--cached", "forced.log")),
    "a file is assumed unchanged": (PROVEN, _by_hand("update-index", "--assume-unchanged", "a.txt")),
    "a file is skipped": (PROVEN, _by_hand("update-index", "--skip-worktree", "a.txt")),
    "another content is staged, and not on disk": (PROVEN, _staged_only),
    "the deletion of a file on disk is staged": (PROVEN, _by_hand("update-index", "--force-remove", "a.txt")),
    "all is reset": (STALE, _by_hand("reset", "-q", "--hard")),
    "all is put in the stash": (STALE, _by_hand("stash", "-q")),
    "all is put in the stash and taken out": (PROVEN, _in_and_out),
    "another branch is checked out": (STALE, _by_hand("checkout", "-q", "other")),
    "another branch and back": (PROVEN, _branch_and_back),
    "HEAD moves without the files": (PROVEN, _by_hand("reset", "-q", "--soft", "other")),
    "a branch without a commit": (PROVEN, _unborn),
    "a conflict, and the file as it was": (PROVEN, _conflict),
    "untracked files are cleaned": (STALE, _by_hand("clean", "-q", "-f")),
    "ignored files are cleaned": (PROVEN, _by_hand("clean", "-q", "-f", "-d", "-X", "build")),
    "the index is made anew": (PROVEN, _new_index),
    "the index has the fourth version": (PROVEN, _by_hand("update-index", "--index-version", "4")),
    "the index is split": (PROVEN, _by_hand("update-index", "--split-index")),
    "the index lists untracked files": (PROVEN, _by_hand("update-index", "--untracked-cache")),
    "the objects are packed": (PROVEN, _by_hand("gc", "-q")),
    "a tag, a branch and a remote": (PROVEN, _by_hand("branch", "third")),
    "git no longer looks at modes": (STALE, _by_hand("config", "core.fileMode", "false")),
    "git no longer looks at case, and a file differs in it": (
        STALE,
        lambda repo: [repo.git("config", "core.ignoreCase", "true"), repo.write("A.txt", "new\n")],
    ),
    "a hook of git": (PROVEN, _written(".git/hooks/pre-commit")),
    "another worktree beside it": (PROVEN, _by_hand("worktree", "add", "-q", "../beside", "other")),
    "another worktree in it": (STALE, _by_hand("worktree", "add", "-q", "within", "other")),
    "another worktree in it that is ignored": (PROVEN, _by_hand("worktree", "add", "-q", "build/within", "other")),
    # --- repositories in it
    "a file of a submodule is edited": (STALE, _written("lib/a.txt")),
    "a new file in a submodule": (STALE, _written("lib/another.txt")),
    "an ignored file in a submodule": (PROVEN, _written("lib/another.log")),
    "a submodule has another commit of the same files": (PROVEN, _submodule_commit),
    "a submodule has another commit": (STALE, _submodule_other_commit),
    "a submodule has another commit, and again the first": (PROVEN, _submodule_other_commit_and_back),
    "a submodule is put away": (STALE, _by_hand("submodule", "--quiet", "deinit", "-f", "lib")),
    "a file of an inner repository is edited": (STALE, _written("inner/a.txt")),
    "a new file in an inner repository": (STALE, _written("inner/another.txt")),
    "an inner repository commits": (
        PROVEN,
        lambda repo: git(repo.top / "inner", "commit", "-qm", "x", "--allow-empty"),
    ),
    "an inner repository is deleted": (STALE, lambda repo: shutil.rmtree(repo.top / "inner")),
    "a new inner repository": (STALE, lambda repo: Repo(repo.top / "another")),
    "a new inner repository that is ignored": (PROVEN, lambda repo: Repo(repo.top / "build/another")),
    "state of rcs in a submodule": (PROVEN, _written("lib/.rcs/state/team-state.json")),
}


@pytest.mark.slow
@each_row("way", WAYS)
def test_each_way_in_which_a_tree_can_change(way: str, template: Path, tmp_path: Path) -> None:
    expected, change = WAYS[way]
    repo = _copied(template, tmp_path)
    before = fingerprint(str(repo.top), ENV)
    change(repo)
    after = fingerprint(str(repo.top), ENV)
    assert (PROVEN if after.digest == before.digest else STALE) == expected
