"""What has changed since a commit is taken from any kind of work tree, and git writes nothing to the repository."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from rcs_hooks.proof.changes import Changes, changes_since, start_of
from tests.proof.repositories import ENV, Repo, git
from tests.table import each_row


def taken(top: Path, scratch: Path, base: str = "HEAD", env: dict[str, str] | None = None) -> Changes:
    """Takes the changes, and holds that no byte of the repository is another one afterwards."""
    before = bytes_of(top)
    scratch.mkdir()
    found = changes_since(str(top), base, env or ENV, str(scratch))
    assert bytes_of(top) == before
    return found


def bytes_of(top: Path) -> dict[str, str]:
    folders = [Path(git(top, "rev-parse", "--absolute-git-dir").strip())]
    folders.append(Path(git(top, "rev-parse", "--path-format=absolute", "--git-common-dir").strip()))
    paths = sorted(path for folder in folders for path in folder.rglob("*") if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def contents(changes: Changes) -> dict[str, bytes]:
    return {each.path: each.content for each in changes.files}


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "repo")


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    return tmp_path / "scratch"


def test_each_kind_of_change_is_taken(repo: Repo, scratch: Path) -> None:
    repo.write("a.txt", "changed\n")
    repo.write("new\nline.txt", "n\n")
    repo.write('quo"ted.txt', "q\n")
    repo.git("mv", "src/b.py", "src/c.py")
    (repo.top / "run.sh").chmod(0o644)
    (repo.top / ".gitignore").unlink()
    found = taken(repo.top, scratch)
    assert contents(found) == {
        "a.txt": b"changed\n", "new\nline.txt": b"n\n", 'quo"ted.txt': b"q\n", "run.sh": b"#!/bin/sh\n",
        "src/c.py": b"two\n",
    }  # fmt: skip
    assert found.removed == (".gitignore", "src/b.py")
    for line in (b"rename from src/b.py", b"old mode 100755", b"deleted file mode 100644"):
        assert line in found.diff


def test_a_file_in_place_of_a_folder_and_a_folder_in_place_of_a_file(repo: Repo, scratch: Path) -> None:
    shutil.rmtree(repo.top / "src")
    repo.write("src", "a file\n")
    (repo.top / "a.txt").unlink()
    repo.write("a.txt/inner", "in a folder\n")
    found = taken(repo.top, scratch)
    assert contents(found) == {"a.txt/inner": b"in a folder\n", "src": b"a file\n"}
    assert found.removed == ("a.txt", "src/b.py")


def test_what_a_sparse_checkout_leaves_out_is_not_removed(repo: Repo, scratch: Path) -> None:
    repo.git("sparse-checkout", "set", "--no-cone", "/a.txt")
    assert not (repo.top / "src/b.py").exists()
    repo.write("a.txt", "changed\n")
    found = taken(repo.top, scratch)
    assert (contents(found), found.removed) == ({"a.txt": b"changed\n"}, ())


def test_the_files_of_a_submodule_are_its_own(repo: Repo, scratch: Path, tmp_path: Path) -> None:
    Repo(tmp_path / "inner")
    repo.git("submodule", "add", "-q", str(tmp_path / "inner"), "sub")
    repo.commit()
    repo.write("sub/a.txt", "changed\n")
    repo.write("a.txt", "changed\n")
    git(repo.top / "sub", "commit", "-q", "-a", "-m", "x")
    found = taken(repo.top, scratch)
    assert (contents(found), found.removed) == ({"a.txt": b"changed\n"}, ())
    assert b"sub" not in found.diff


def test_in_the_middle_of_a_merge_it_is_what_lies_on_disk(repo: Repo, scratch: Path) -> None:
    repo.git("checkout", "-q", "-b", "other")
    repo.write("a.txt", "theirs\n")
    repo.commit()
    repo.git("checkout", "-q", "main")
    repo.write("a.txt", "ours\n")
    repo.commit()
    with pytest.raises(AssertionError):
        repo.git("merge", "-q", "other")
    found = contents(taken(repo.top, scratch))
    assert found == {"a.txt": (repo.top / "a.txt").read_bytes()}
    assert b"<<<<<<<" in found["a.txt"]


@each_row("wrong", ["GIT_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_EXTERNAL_DIFF", "GIT_CONFIG_PARAMETERS"])
def test_no_variable_of_git_reaches_it(tmp_path: Path, wrong: str) -> None:
    repo = Repo(tmp_path / "repo")
    repo.write("a.txt", "changed\n")
    found = taken(repo.top, tmp_path / "scratch", env=ENV | {wrong: str(tmp_path / "wrong")})
    assert contents(found) == {"a.txt": b"changed\n"}
    assert not (tmp_path / "wrong").exists()


SETTINGS = {
    "diff.noprefix": "true", "diff.mnemonicPrefix": "true", "color.ui": "always", "diff.renames": "false",
    "diff.external": "false", "diff.orderFile": "nowhere", "diff.context": "0", "core.quotePath": "false",
    "diff.suppressBlankEmpty": "true", "diff.submodule": "log", "diff.wordRegex": ".", "core.pager": "false",
}  # fmt: skip


@pytest.mark.slow
@each_row("name", SETTINGS)
def test_the_diff_is_the_same_with_every_setting(tmp_path: Path, name: str) -> None:
    repo = Repo(tmp_path / "repo")
    repo.write("a.txt", "1\n\n2\n3\n4\n5\n6\n")
    repo.commit()
    repo.write("a.txt", "1\n\n2\n3\n4\n5\nsix\n")
    repo.write("ü.txt", "n\n")
    repo.git("mv", "src/b.py", "src/c.py")
    plain = taken(repo.top, tmp_path / "plain").diff
    repo.git("config", name, SETTINGS[name])
    assert taken(repo.top, tmp_path / "scratch").diff == plain


def test_the_start_is_the_commit_that_is_checked_out(repo: Repo, tmp_path: Path) -> None:
    assert start_of(str(repo.top), ENV) == repo.git("rev-parse", "HEAD").strip()
    assert start_of(str(Repo(tmp_path / "new", commit=False).top), ENV) == ""
    (tmp_path / "none").mkdir()
    assert start_of(str(tmp_path / "none"), ENV) is None
    assert start_of(str(repo.top), {"PATH": "/nonexistent"}) is None
