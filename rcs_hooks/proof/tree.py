"""Takes the fingerprint of a work tree: two are equal where the files of the work are.

What counts is each file that git tracks, or that is untracked and not ignored, as it lies on disk: its path, its mode,
and the id that `git add` would give it. So staging, committing or un-staging the same content changes nothing.
Repositories in the work tree count by their own files, whatever commit is checked out. Nothing in `.rcs` counts.
"""

from __future__ import annotations

import hashlib
import os

from rcs_hooks.errors import suppress
from rcs_hooks.files.ls_files import find_git
from rcs_hooks.files.paths import GIT, inside
from rcs_hooks.proof import walk
from rcs_hooks.proof.content import object_id
from rcs_hooks.proof.git import SHOWN, Deadline, GitCall, GitFailure, TreeFailure
from rcs_hooks.proof.repository import Repository, around, outermost
from rcs_hooks.proof.work_tree import GITLINK, is_own_repository, line_of, list_files
from rcs_hooks.text import clean
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Tree", "TreeFailure", "changed_tracked", "fingerprint"]

SECONDS = 60.0
DEEPEST = 32
BY_GIT, BY_FILES = "git", "files"


class Tree(NamedTuple):
    """The fingerprint of a work tree, and what it was taken of."""

    digest: str
    """`git:` or `files:` and 64 hexadecimal digits: all that is kept of it."""
    lines: tuple[bytes, ...] = ()
    untracked: frozenset[bytes] = frozenset()
    nested: tuple[tuple[bytes, bool, Tree], ...] = ()
    """The repositories in it: path, whether it is a submodule, and its own tree."""


NOTHING = Tree("")


def fingerprint(root: str, env: Mapping[str, str], seconds: float = SECONDS) -> Tree:
    """Take the fingerprint of the work tree around a folder. Raises TreeFailure."""
    if not os.path.isdir(root):
        raise TreeFailure(f"there is no folder {clean(root, SHOWN)}")
    root = os.path.realpath(root)
    deadline = Deadline(root, seconds)
    program = find_git(env, outermost(root, env))
    repository = around(program, root, env, deadline) if program else None
    taken = _Taken(program, env, deadline)
    return taken.of_repository(repository, root, 0) if repository else taken.of_folder(root, 0)


class _Taken:
    """The taking of one fingerprint, and of those of the repositories in it."""

    def __init__(self, program: str | None, env: Mapping[str, str], deadline: Deadline) -> None:
        self._program = program
        self._env = env
        self._deadline = deadline

    def of_repository(self, repository: Repository, root: str, depth: int) -> Tree:
        top = repository.git.top
        listed = list_files(repository)
        found: dict[bytes, tuple[bool, Tree]] = {}
        for paths, is_submodule in ((listed.submodules, True), (listed.repositories, False)):
            for path in paths:
                found[path] = is_submodule, self._of_nested(top, path, depth)
        if root != top and _is_ignored(repository, root):
            found[os.fsencode(os.path.relpath(root, top))] = False, self.of_folder(root, depth)
        return _joined(BY_GIT, listed.lines, listed.at, found, listed.untracked, repository)

    def of_folder(self, folder: str, depth: int) -> Tree:
        lines, repositories = walk.listed(os.fsencode(folder), self._deadline.left)
        found = {path: (False, self._of_nested(folder, path, depth)) for path in repositories}
        return _joined(BY_FILES, lines, 0, found, frozenset())

    def _of_nested(self, top: str, path: bytes, depth: int) -> Tree:
        if depth == DEEPEST:
            raise TreeFailure(
                f"more than {DEEPEST} repositories lie one in another below {clean(self._deadline.root, SHOWN)}"
            )
        place = os.path.join(top, os.fsdecode(path))
        if not inside(os.path.realpath(place), top):
            return _joined(BY_FILES, [], 0, {}, frozenset())
        with suppress(GitFailure):
            if self._program and is_own_repository(top, path):
                repository = around(self._program, place, self._env, self._deadline, nested=True)
                if repository:
                    return self.of_repository(repository, place, depth + 1)
        return self.of_folder(place, depth + 1)


def _joined(
    by: str,
    lines: list[bytes],
    at: int,
    found: dict[bytes, tuple[bool, Tree]],
    untracked: frozenset[bytes],
    repository: Repository | None = None,
) -> Tree:
    kind, blind_to = (repository.kind, repository.blind_to) if repository else ("sha256", ())
    nested = [(path, is_submodule, tree) for path, (is_submodule, tree) in sorted(found.items())]
    own = [
        line_of(GITLINK, object_id(kind, tree.digest.encode()), path) for path, _, tree in nested if not _is_empty(tree)
    ]
    if own or not at:
        lines = sorted([*lines, *own], key=(lambda line: line[at:]) if at else lambda line: line.partition(b"\t")[2])
    said = (f"without {name}".encode() for name in blind_to)
    digest = hashlib.sha256(b"\0".join([*said, *lines])).hexdigest()
    return Tree(f"{by}:{digest}", tuple(lines), untracked, tuple(nested))


def _is_empty(tree: Tree) -> bool:
    return not tree.lines


def _is_ignored(repository: Repository, root: str) -> bool:
    """Tell whether a repository ignores a folder in it, so that git lists none of the files there."""
    below = os.path.join(os.curdir, os.path.relpath(root, repository.git.top))
    (said,) = repository.git.run(GitCall(("check-ignore", "-q", "--", below)))
    if said.exit > 1:
        raise GitFailure(f"git does not tell whether {clean(root, SHOWN)} is ignored: {said.why}")
    return said.exit == 0


def changed_tracked(before: Tree, after: Tree) -> tuple[str, ...]:
    """Return the tracked files whose content, mode or presence differs, sorted. Without git, no file is tracked."""
    return tuple(sorted(os.fsdecode(path) for path in _changed(before, after)))


def _changed(before: Tree, after: Tree) -> set[bytes]:
    if before.digest == after.digest:
        return set()
    found: set[bytes] = set()
    if _are_by_git(before) and not _are_by_git(after):
        found.add(GIT.encode())  # what has become of the tracked files, nobody can tell any more
    nested = [{path: (is_submodule, tree) for path, is_submodule, tree in tree.nested} for tree in (before, after)]
    if _are_by_git(before, after):
        for here, there, inner in ((before, after, nested[0]), (after, before, nested[1])):
            paths = {line.partition(b"\t")[2] for line in set(here.lines).difference(there.lines)}
            found |= paths - here.untracked - inner.keys()
    for path in nested[0].keys() | nested[1].keys():
        (was_submodule, old), (is_submodule, new) = (trees.get(path, (False, NOTHING)) for trees in nested)
        if _are_by_git(old, new):
            found |= {path + b"/" + name for name in _changed(old, new)}
        elif (was_submodule or is_submodule) and old.digest != new.digest:
            found.add(path)
    return found


def _are_by_git(*trees: Tree) -> bool:
    return all(tree.digest.startswith(BY_GIT) for tree in trees)
