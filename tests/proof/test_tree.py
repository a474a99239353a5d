"""Which tracked files a command has changed, by the fingerprints from before and after it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from rcs_hooks.proof.tree import changed_tracked, fingerprint
from tests.proof.repositories import ENV, Repo
from tests.table import each_row


def _make(folder: Path) -> Repo:
    library, repo = Repo(folder / "library"), Repo(folder / "repo")
    repo.git("submodule", "--quiet", "add", str(library.top), "lib")
    repo.write("gone.txt", "tracked, and not on disk\n")
    repo.commit()
    Repo(repo.top / "inner")
    (repo.top / "gone.txt").unlink()
    repo.write("new.txt", "untracked\n")
    return repo


def _several(repo: Repo) -> None:
    repo.write("src/b.py", "changed\n")
    (repo.top / "a.txt").unlink()
    (repo.top / "run.sh").chmod(0o644)


def _edited_and_added(repo: Repo) -> None:
    repo.write("new.txt", "changed\n")
    repo.git("add", "new.txt")


CHANGES: dict[str, tuple[tuple[str, ...], Callable[[Repo], object]]] = {
    "nothing": ((), lambda repo: None),
    "a tracked file": (("a.txt",), lambda repo: repo.write("a.txt", "changed\n")),
    "its mode": (("a.txt",), lambda repo: (repo.top / "a.txt").chmod(0o755)),
    "a deleted file": (("a.txt",), lambda repo: (repo.top / "a.txt").unlink()),
    "several": (("a.txt", "run.sh", "src/b.py"), _several),
    "a tracked file that is there again": (("gone.txt",), lambda repo: repo.write("gone.txt", "x")),
    "a renamed file": (("a.txt",), lambda repo: (repo.top / "a.txt").rename(repo.top / "c.txt")),
    "a file renamed by git": (("a.txt", "c.txt"), lambda repo: repo.git("mv", "a.txt", "c.txt")),
    "a deleted untracked file": ((), lambda repo: (repo.top / "new.txt").unlink()),
    "an untracked file that is staged": ((), lambda repo: repo.git("add", "new.txt")),
    "an untracked file that is edited and staged": (("new.txt",), _edited_and_added),
    "a file that is no longer tracked": ((), lambda repo: repo.git("rm", "-q", "--cached", "a.txt")),
    "a file of a submodule": (("lib/a.txt",), lambda repo: repo.write("lib/a.txt", "changed\n")),
    "a deleted submodule": (("lib",), lambda repo: shutil.rmtree(repo.top / "lib")),
    "a file of an inner repository": (("inner/a.txt",), lambda repo: repo.write("inner/a.txt", "changed\n")),
    "a new inner repository": ((), lambda repo: Repo(repo.top / "another")),
}


@pytest.mark.slow
@each_row("change", CHANGES)
def test_tracked_files_that_a_command_changes_are_named(change: str, tmp_path: Path) -> None:
    expected, make = CHANGES[change]
    repo = _make(tmp_path)
    before = fingerprint(str(repo.top), ENV)
    make(repo)
    after = fingerprint(str(repo.top), ENV)
    assert changed_tracked(before, after) == expected
    assert changed_tracked(after, before) == expected


def test_a_repository_that_is_gone_is_named_for_nobody_knows_what_it_tracked(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    before = fingerprint(str(repo.top), ENV)
    (repo.top / ".git").rename(tmp_path / "elsewhere")
    after = fingerprint(str(repo.top), ENV)
    assert (changed_tracked(before, after), changed_tracked(after, before)) == ((".git",), ())


def test_a_fingerprint_is_the_kind_and_a_hash(tmp_path: Path) -> None:
    kind, _, rest = fingerprint(str(Repo(tmp_path / "repo").top), ENV).digest.partition(":")
    assert (kind, len(bytes.fromhex(rest))) == ("git", 32)
    kind, _, rest = fingerprint(str(tmp_path / "repo/src"), ENV | {"PATH": ""}).digest.partition(":")
    assert (kind, len(bytes.fromhex(rest))) == ("files", 32)


def test_no_program_is_left_and_no_descriptor(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    fingerprint(str(repo.top), ENV)
    before = sorted(os.listdir("/proc/self/fd"))
    fingerprint(str(repo.top), ENV)
    assert sorted(os.listdir("/proc/self/fd")) == before
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    assert not [pid for pid in children if b"git" in Path(f"/proc/{pid}/cmdline").read_bytes()]
