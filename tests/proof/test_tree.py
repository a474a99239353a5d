"""Two fingerprints are equal where the files of the work are."""

from __future__ import annotations

from pathlib import Path

from rcs_hooks.proof.tree import changed_tracked, fingerprint
from tests.proof.repositories import ENV, Repo


def test_the_same_tree_has_the_same_fingerprint_and_another_file_another(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    before = fingerprint(str(repo.top), ENV)
    assert before.digest.startswith("git:")
    assert fingerprint(str(repo.top), ENV) == before
    repo.write("a.txt", "another\n")
    after = fingerprint(str(repo.top), ENV)
    assert after.digest != before.digest
    assert changed_tracked(before, after) == ("a.txt",)


def test_without_a_repository_the_files_have_a_fingerprint_too(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    before = fingerprint(str(tmp_path), ENV)
    assert before.digest.startswith("files:")
    (tmp_path / "b").write_text("2")
    after = fingerprint(str(tmp_path), ENV)
    assert after.digest != before.digest
    assert changed_tracked(before, after) == ()
