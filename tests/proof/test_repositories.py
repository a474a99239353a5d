"""The fingerprint of work trees of each kind: other programs, worktrees, sparse ones, parts of one, and none at all."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from rcs_hooks.proof.git import TreeFailure
from rcs_hooks.proof.tree import changed_tracked, fingerprint
from tests.proof.repositories import ENV, Repo, git
from tests.table import each_row

pytestmark = pytest.mark.slow

SOMEBODY = 65_534


def digest(top: Path, env: dict[str, str] | None = None) -> str:
    return fingerprint(str(top), env or ENV).digest


def assert_an_edit_counts_and_its_commit_does_not(repo: Repo, name: str, text: str) -> None:
    before = digest(repo.top)
    repo.write(name, text)
    edited = digest(repo.top)
    assert edited != before
    repo.commit()
    assert digest(repo.top) == edited


# --- programs that git runs on files


LFS = """#!{python} -EsS
import hashlib, sys
data = sys.stdin.buffer.read()
if len(data) < 1024 and data.startswith(b"version https://git-lfs"):
    out = data
else:
    out = b"version https://git-lfs.github.com/spec/v1\\noid sha256:%s\\nsize %d\\n"
    out = out % (hashlib.sha256(data).hexdigest().encode(), len(data)) if data else b""
sys.stdout.buffer.write(out)
"""
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 1234\n"


def _with_program(repo: Repo, name: str, program: str) -> None:
    path = repo.write(f".git/{name}", program)
    path.chmod(0o755)
    repo.git("config", f"filter.{name}.clean", str(path))
    repo.git("config", f"filter.{name}.required", "true")
    repo.write(".gitattributes", f"*.bin filter={name} -text\n")


def test_a_large_file_of_git_lfs_is_known_by_its_pointer(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    _with_program(repo, "lfs", LFS.format(python=os.path.realpath(sys.executable)))
    for name, data in {
        "large": b"\0\r\n" * (1 << 20),
        "small": b"a",
        "empty": b"",
        "pointer": POINTER.encode(),
    }.items():
        repo.write(f"{name}.bin", data)
    before = digest(repo.top)
    repo.commit()
    assert digest(repo.top) == before
    for path in repo.top.glob("*.bin"):
        path.touch()
    assert digest(repo.top) == before
    assert_an_edit_counts_and_its_commit_does_not(repo, "small.bin", "b")


def test_a_file_with_another_filter_is_known_by_its_bytes(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    _with_program(repo, "upper", "#!/bin/sh\ntr a-z A-Z\n")
    path = repo.write("a.bin", "one\r\n")
    before = digest(repo.top)
    repo.commit()
    assert digest(repo.top) == before
    path.touch()
    assert digest(repo.top) == before
    assert_an_edit_counts_and_its_commit_does_not(repo, "a.bin", "ONE\r\n")


# --- more than one work tree, and less than a whole one


def test_a_worktree_has_its_own_files_and_its_own_index(tmp_path: Path) -> None:
    repo, other = Repo(tmp_path / "repo"), tmp_path / "other"
    repo.git("worktree", "add", "-q", str(other))
    assert digest(other) == digest(repo.top)
    before = digest(other)
    repo.write("a.txt", "changed\n")
    repo.commit()
    assert digest(other) == before
    (other / "a.txt").write_text("changed\n")
    assert digest(other) == digest(repo.top)
    git(other, "commit", "-q", "-am", "x")
    assert digest(other) == digest(repo.top)


@pytest.mark.parametrize("index", ["--sparse-index", "--no-sparse-index"])
def test_a_sparse_work_tree_is_what_is_on_disk(index: str, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    repo.write("docs/deep/c.md", "three\n")
    repo.commit()
    repo.git("sparse-checkout", "set", "--cone", index, "src")
    before = digest(repo.top)
    repo.write("docs/deep/c.md", "three\n")
    assert digest(repo.top) != before
    shutil.rmtree(repo.top / "docs")
    assert digest(repo.top) == before
    assert_an_edit_counts_and_its_commit_does_not(repo, "src/b.py", "changed\n")


def test_a_partial_clone_fetches_nothing(tmp_path: Path) -> None:
    origin, clone = Repo(tmp_path / "origin"), tmp_path / "clone"
    origin.git("config", "uploadpack.allowFilter", "true")
    origin.write("docs/c.txt", "a\r\n")
    origin.commit()
    git(tmp_path, "clone", "-q", "--no-checkout", "--filter=blob:none", origin.top.as_uri(), str(clone))
    git(clone, "sparse-checkout", "set", "--cone", "src")
    git(clone, "checkout", "-q", "main")
    stored = sorted(str(path) for path in (clone / ".git").rglob("*"))
    before = digest(clone)
    (clone / ".gitattributes").write_text("* text=auto\n")
    (clone / "docs").mkdir()
    (clone / "docs/c.txt").write_bytes(b"b\r\n")
    assert digest(clone) != before
    assert sorted(str(path) for path in (clone / ".git").rglob("*")) == stored


def test_many_repositories_one_in_another_are_refused(tmp_path: Path) -> None:
    top = folder = tmp_path / "repo"
    for _ in range(40):
        folder.mkdir()
        git(folder, "init", "-q")
        folder /= "r"
    with pytest.raises(TreeFailure, match="more than 32 repositories lie one in another"):
        digest(top)


# --- where the workspace lies


def test_a_folder_of_a_repository_has_the_fingerprint_of_all_of_it(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    assert digest(repo.top / "src") == digest(repo.top)


def test_the_repository_of_the_home_folder_is_not_that_of_the_folders_in_it(tmp_path: Path) -> None:
    home = Repo(tmp_path / "home")
    project = home.top / "project"
    project.mkdir()
    env = ENV | {"HOME": str(home.top)}
    before = digest(project, env)
    assert before.startswith("files:")
    home.write("a.txt", "changed\n")
    assert digest(project, env) == before
    assert digest(home.top, env).startswith("git:")


@pytest.mark.parametrize("name", ["a\nb", "a:b", " a ", "\udcff", "a'b", "-a", "a=b"])
def test_the_folder_of_a_repository_may_have_any_name(name: str, tmp_path: Path) -> None:
    repo = Repo(tmp_path / name)
    before = digest(repo.top)
    assert before.startswith("git:")
    repo.commit("the same files")
    repo.write("ignored.log", "x")
    assert digest(repo.top / "src") == before


@pytest.mark.parametrize("text", ["", "junk\n", "gitdir: /nowhere\n", "gitdir: \n"])
def test_a_git_file_that_leads_nowhere_is_no_repository(text: str, tmp_path: Path) -> None:
    (tmp_path / ".git").write_text(text)
    path = tmp_path / "a"
    path.write_text("one")
    before = digest(tmp_path)
    assert before.startswith("files:")
    path.write_text("changed")
    assert digest(tmp_path) != before


def test_a_folder_that_is_gone_has_no_fingerprint(tmp_path: Path) -> None:
    with pytest.raises(TreeFailure, match="there is no folder"):
        digest(tmp_path / "gone")


@pytest.mark.parametrize("config", ["[core]\n\trepositoryformatversion = 99\n", "[core", "[extensions]\n\tnew = 1\n"])
def test_a_repository_that_git_refuses_to_read_is_no_folder(config: str, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    repo.write(".git/config", f"[core]\nrepositoryformatversion = 1\n{config}")
    with pytest.raises(TreeFailure, match=r"^git cannot read .*/repo: "):
        digest(repo.top)


# --- without git


@pytest.mark.parametrize("path", ["", "/nonexistent", "."])
def test_without_git_a_repository_is_a_folder(path: str, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    env = ENV | {"PATH": path}
    before = digest(repo.top, env)
    assert before.startswith("files:")
    repo.git("commit", "-q", "--allow-empty", "-m", "x")
    repo.write(".rcs/state/forge-state.json", "{}")
    assert digest(repo.top, env) == before
    repo.write("src/b.py", "changed\n")
    assert digest(repo.top, env) != before


def test_without_a_repository_each_change_counts(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    path, link = tmp_path / "folder/a", tmp_path / "link"
    changes: list[Callable[[], object]] = [
        lambda: path.write_text("one"),
        lambda: path.write_text("two"),
        lambda: path.write_text("six"),
        lambda: path.chmod(0o755),
        lambda: path.rename(path.with_name("b")),
        lambda: link.symlink_to("folder"),
        (tmp_path / "new").touch,
    ]
    seen = [digest(tmp_path)]
    for change in changes:
        change()
        seen.append(digest(tmp_path))
    assert len(set(seen)) == len(seen)
    (tmp_path / "empty").mkdir()
    (tmp_path / ".hg").mkdir()
    (tmp_path / ".hg/dirstate").touch()
    assert digest(tmp_path) == seen[-1]


def test_the_repositories_in_a_folder_are_read_by_git(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "folder/repo")
    before = fingerprint(str(tmp_path), ENV)
    repo.commit("the same files")
    repo.write("ignored.log", "x")
    assert digest(tmp_path) == before.digest
    repo.write("a.txt", "changed\n")
    after = fingerprint(str(tmp_path), ENV)
    assert after.digest != before.digest
    assert changed_tracked(before, after) == ("folder/repo/a.txt",)


# --- who may read


@contextmanager
def _as_somebody(top: Path) -> Iterator[None]:
    """Become a user who owns this folder: root may read everything. Imports would fail: the interpreter is root's."""
    if os.geteuid():
        yield
        return
    for path in (top, *top.rglob("*")):
        os.chown(path, SOMEBODY, SOMEBODY, follow_symlinks=False)
    for path in top.parents:
        if path.stat().st_uid == 0 and not path.stat().st_mode & 1:
            path.chmod(path.stat().st_mode | 0o11)
    os.seteuid(SOMEBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def _edit_and_shut(top: Path, mode: int) -> None:
    (top / "src").chmod(0o755)
    (top / "src/b.py").write_text("edited\n")
    (top / "src").chmod(mode)


def _add_and_shut(top: Path, mode: int) -> None:
    (top / "src").chmod(0o755)
    (top / "src/new.py").write_text("new\n")
    (top / "src").chmod(mode)


CLOSED = {
    "edited behind a folder that nobody may enter": (0, 0o755, _edit_and_shut),
    "edited while the folder was open again": (0, 0, _edit_and_shut),
    "a new file in a folder that nobody may list": (0o311, 0o755, _add_and_shut),
}


@pytest.mark.parametrize("is_by_git", [True, False])
@each_row("way", CLOSED)
def test_a_folder_that_cannot_be_looked_into_hides_no_change(way: str, is_by_git: bool, tmp_path: Path) -> None:
    mode, before, change = CLOSED[way]
    repo = Repo(tmp_path / "repo")
    if not is_by_git:
        shutil.rmtree(repo.top / ".git")
    (repo.top / "src").chmod(before)
    with _as_somebody(repo.top):
        digest_before = digest(repo.top)
        assert digest(repo.top) == digest_before
        change(repo.top, mode)
        assert digest(repo.top) != digest_before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_repository_of_another_user_is_refused_with_the_advice_of_git(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "re po")
    os.chown(repo.top, SOMEBODY, SOMEBODY)
    expected = (
        f"git does not read {repo.top}, which belongs to another user; if you trust it: "
        f"git config --global --add safe.directory '{repo.top}'"
    )
    with pytest.raises(TreeFailure) as raised:
        digest(repo.top)
    assert str(raised.value) == expected
    git_config = tmp_path / "home/.gitconfig"
    git_config.parent.mkdir()
    git_config.write_text(f"[safe]\n\tdirectory = {repo.top}\n")
    assert digest(repo.top, ENV | {"HOME": str(git_config.parent)}).startswith("git:")
