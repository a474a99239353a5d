"""Whatever is done to a work tree, in whatever order and however quickly: each id is the one of `git add`."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from rcs_hooks.errors import suppress
from rcs_hooks.proof.tree import fingerprint
from tests.proof.repositories import ENV, Repo, git
from tests.proof.test_git_add import added

STEPS = 60
NAMES = ("a.txt", "src/b.py", "x", "x/y", "src", "z.log", "deep/er/f", "deep/er", "link")
CONTENTS = (b"1\n", b"2\n", b"1\r\n2\r\n", b"$Id$\n", b"$Id: x $\n", b"aa\r\n", b"\0\r\n", b"")
ATTRIBUTES = ("", "* text=auto\n", "* text\n", "* ident\n", "*.txt eol=crlf\n", "* -text\n")


class Changes:
    """One change after the other, chosen at random; many follow within the time that git's index can tell apart."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.repo = Repo(folder / "repo")
        self.done: list[str] = []
        self._random = random.Random(seed)

    def one(self) -> None:
        pick = self._random.choice
        name = pick(NAMES)
        path = self.repo.top / name
        actions: list[tuple[str, Callable[[], object]]] = [
            *[(f"write {name}", lambda: self._written(name, pick(CONTENTS)))] * 6,
            (f"delete {name}", path.unlink),
            (f"mode of {name}", lambda: path.chmod(pick((0o644, 0o755)))),
            (f"link {name}", lambda: self._linked(path, pick(("a", "b", "src")))),
            (f"touch {name}", path.touch),
            ("attributes", lambda: self.repo.write(".gitattributes", pick(ATTRIBUTES))),
            *[(" ".join(words), lambda words=words: self._git(*words)) for words in self._commands(name)],
        ]
        what, action = pick(actions)
        self.done.append(what)
        with suppress(OSError):
            action()

    def _commands(self, name: str) -> list[tuple[str, ...]]:
        number = self._random.randrange(1_000_000)
        return [
            ("add", "-A"),
            ("add", "-N", name),
            ("commit", "-qam", "x"),
            ("rm", "-q", "-r", "--cached", name),
            ("stash", "-q"),
            ("stash", "pop", "-q"),
            ("reset", "-q"),
            ("checkout", "-q", "--", name),
            ("checkout", "-q", "-b", f"branch{number}"),
            ("checkout", "-q", "main"),
            ("config", "core.autocrlf", ("false", "true", "input")[number % 3]),
        ]

    def _git(self, *words: str) -> None:
        git(self.repo.top, *words, may_fail=True)

    def _written(self, name: str, data: bytes) -> None:
        self._removed(self.repo.top / name)
        self.repo.write(name, data)

    def _linked(self, path: Path, to: str) -> None:
        self._removed(path)
        path.symlink_to(to)

    def _removed(self, path: Path) -> None:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.is_symlink():
            path.unlink()

    def as_it_is(self) -> set[bytes]:
        """The lines of files that hold what the index holds: they have not changed, whatever `git add` would do."""
        lines = os.fsencode(self.repo.git("ls-files", "-s", "-z")).split(b"\0")
        return {b"H 100755" + line[6:] for line in lines} | {b"H 100644" + line[6:] for line in lines}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_after_any_changes_each_id_is_the_one_of_git_add(seed: int, tmp_path: Path) -> None:
    changes = Changes(tmp_path, seed)
    for step in range(STEPS):
        changes.one()
        lines = fingerprint(str(changes.repo.top), ENV).lines
        expected = added(changes.repo, tmp_path / f"added-{step}")
        assert set(lines) - set(expected) <= changes.as_it_is(), changes.done
        assert [line[51:] for line in lines] == [line[51:] for line in expected], changes.done
