"""The id of each file is the one that `git add` would give it, whatever attributes and settings make git convert."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from rcs_hooks.proof.tree import fingerprint
from tests.proof.repositories import ENV, Repo, git
from tests.table import each_row


def added(repo: Repo, folder: Path) -> list[bytes]:
    """Return what `git add -A` lists, done with another index and another store of objects."""
    folder.mkdir()
    index = repo.top / ".git/index"
    if index.exists():
        shutil.copy2(index, folder / "index")  # with its time, by which git tells whether it has to look at a file
    env = {
        "GIT_INDEX_FILE": str(folder / "index"),
        "GIT_OBJECT_DIRECTORY": str(folder),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(repo.top / ".git/objects"),
    }
    git(repo.top, "add", "-A", env=env)
    lines = git(repo.top, "ls-files", "-s", "-z", env=env).split("\0")
    return [b"H " + os.fsencode(line) for line in lines if line]


TEXTS = {
    "lf": b"a\nb\n",
    "crlf": b"a\r\nb\r\n",
    "mixed": b"a\r\nb\n",
    "cr": b"a\rb\n",
    "binary": b"\0\r\n",
    "empty": b"",
}
ATTRIBUTES = {
    "none": "",
    "text": "* text\n",
    "auto": "* text=auto\n",
    "auto, eol=lf": "* text=auto eol=lf\n",
    "auto, eol=crlf": "* text=auto eol=crlf\n",
    "eol=crlf": "* eol=crlf\n",
    "eol=lf": "* eol=lf\n",
    "no text": "* -text\n",
    "binary": "* binary\n",
    "crlf": "* crlf\n",
    "no crlf": "* -crlf\n",
    "crlf=input": "* crlf=input\n",
    "crlf=auto": "* crlf=auto\n",
    "no text, eol": "* -text eol=crlf\n",
    "ident": "* ident\n",
    "ident and text": "* text ident\n",
    "an encoding": "*.utf16 working-tree-encoding=UTF-16LE text\n",
    "a driver without a program": "* filter=nothing\n",
    "lfs without its program": "* filter=lfs\n",
    "a macro": "[attr]mine text ident\n* mine\n",
}
SETTINGS = {"no settings": [], "autocrlf": ["core.autocrlf", "true"], "input": ["core.autocrlf", "input"]}


ROWS = {(attributes, settings) for attributes in ATTRIBUTES for settings in SETTINGS}
NOT_KNOWN = {("ident", "autocrlf"), ("ident", "input")}
"""Where a blob in the index has CRLF and the file a keyword, `hash-object` converts both, and `git add` one of them."""


@pytest.mark.slow
@each_row(("attributes", "settings"), sorted(ROWS - NOT_KNOWN))
def test_what_git_converts_has_the_id_that_git_gives_it(attributes: str, settings: str, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo", commit=False)
    for before, text in TEXTS.items():
        for after in TEXTS:
            repo.write(f"{before}-{after}.txt", text + b"$Id$\n")
    repo.commit()
    if words := SETTINGS[settings]:
        repo.git("config", *words)
    repo.git("config", "core.safecrlf", "false")
    repo.write(".gitattributes", ATTRIBUTES[attributes])
    for before in TEXTS:
        for after, text in TEXTS.items():
            repo.write(f"{before}-{after}.txt", b"changed\n" + text + b"$Id: 1234 $\n")
    for after, text in TEXTS.items():
        repo.write(f"new-{after}.txt", text)
        repo.write(f"new-{after}.utf16", text.decode("latin-1").encode("utf-16-le"))
    tree = fingerprint(str(repo.top), ENV)
    assert list(tree.lines) == added(repo, tmp_path / "other")
    repo.git("add", "-A")
    assert fingerprint(str(repo.top), ENV).digest == tree.digest


NAMES = (
    *("with blank", " blank at both ends ", "new\nline", "return\r", '"quoted"', '"half', "back\\slash", "tab\there"),
    *("\x1b[31m", "-rf", "--stdin", ":(glob)*", "*", "ünï", "~", "#", "!x", "\udcff\udcfe", "x" * 255),
)


def _named(repo: Repo) -> None:
    for name in NAMES:
        repo.write(name, "a\r\n")
        repo.write(f"folder/{name}/{name}", "b\n")
    repo.write(".gitattributes", "* text\n")


def _renamed(repo: Repo) -> None:
    _named(repo)
    repo.commit()
    for name in NAMES:
        repo.write(name, "changed\r\n")


def _modes(repo: Repo) -> None:
    repo.git("config", "core.filemode", "false")
    (repo.top / "a.txt").chmod(0o755)
    repo.write("a.txt", "changed\n").chmod(0o755)
    repo.write("run.sh", "changed\n").chmod(0o644)
    repo.write("new.sh", "new\n").chmod(0o755)


def _no_links(repo: Repo) -> None:
    repo.git("config", "core.symlinks", "false")
    (repo.top / "link").unlink()
    repo.write("link", "src/b.py")


def _strange(repo: Repo) -> None:
    (repo.top / "dangling").symlink_to("nowhere")
    (repo.top / "to-folder").symlink_to("src")
    (repo.top / "loop").symlink_to("loop")
    (repo.top / "src/b.py").unlink()
    (repo.top / "src").rmdir()
    (repo.top / "src").symlink_to("/etc")
    os.mkfifo(repo.top / "pipe")


def _kinds(repo: Repo) -> None:
    repo.write("file", "one\n")
    repo.write("folder/file", "two\n")
    repo.write("folder.c", "between in the order of git\n")
    repo.commit()
    (repo.top / "file").unlink()
    repo.write("file/inside", "one\n")
    (repo.top / "folder/file").unlink()
    (repo.top / "folder").rmdir()
    repo.write("folder", "two\n")


def _submodule_as_file(repo: Repo) -> None:
    for name in ("lib", "link"):
        git(repo.top, "clone", "-q", ".", f"{name}.git")
        repo.git("add", f"{name}.git")
    repo.git("commit", "-q", "-m", "x")
    for name in ("lib", "link"):
        shutil.rmtree(repo.top / f"{name}.git")
    repo.write("lib.git", "a file\n")
    (repo.top / "link.git").symlink_to("src")


STATES: dict[str, Callable[[Repo], object]] = {
    "no change": lambda repo: None,
    "strange names": _named,
    "strange names that are tracked": _renamed,
    "modes that do not count": _modes,
    "links that are files": _no_links,
    "links that lead anywhere": _strange,
    "a file of any size": lambda repo: [repo.write(f"of-{n}", b"\r" * n) for n in (1, 1 << 20, (1 << 20) + 1, 3 << 20)],
    "announced files": lambda repo: [repo.write("new", "new\n"), repo.git("add", "-N", "new")],
    "files that are folders, and folders that are files": _kinds,
    "submodules that are files": _submodule_as_file,
    "no index": lambda repo: (repo.top / ".git/index").unlink(),
}


@each_row("state", STATES)
def test_each_file_has_the_id_that_git_gives_it(state: str, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    STATES[state](repo)
    tree = fingerprint(str(repo.top), ENV)
    assert list(tree.lines) == added(repo, tmp_path / "other")


def test_ids_of_the_other_kind_are_known(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo", "--object-format=sha256")
    repo.write("a.txt", "changed\n")
    repo.write("new.txt", "new\n")
    tree = fingerprint(str(repo.top), ENV)
    assert list(tree.lines) == added(repo, tmp_path / "other")
    repo.commit()
    assert fingerprint(str(repo.top), ENV).digest == tree.digest


def test_a_repository_without_a_commit_has_a_fingerprint(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo", commit=False)
    before = fingerprint(str(repo.top), ENV)
    assert len(before.lines) == 5
    repo.commit()
    assert fingerprint(str(repo.top), ENV).digest == before.digest
