"""Finds the repository around a folder, and what its config says of files."""

from __future__ import annotations

import os

from rcs_hooks.errors import suppress
from rcs_hooks.files.bounded import read_bytes
from rcs_hooks.files.paths import GIT
from rcs_hooks.files.tracked import repository_of
from rcs_hooks.proof.attributes import drivers_of
from rcs_hooks.proof.content import ModeRules
from rcs_hooks.proof.git import SHOWN, Deadline, Git, GitCall, GitFailure, GitOutput
from rcs_hooks.text import clean
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

DUBIOUS, NO_REPOSITORY = b"dubious ownership", b"not a git repository"
LONGEST_POINTER = 4_096
FALSE = ("false", "no", "off", "0", "")


class Repository(NamedTuple):
    """A work tree and how git reads it."""

    git: Git
    folder: str
    """The folder in which git keeps the index."""
    common: str
    """The folder that all worktrees share."""
    kind: str
    """The kind of its ids: sha1 or sha256."""
    modes: ModeRules
    autocrlf: bool
    drivers: frozenset[str]
    """The filter drivers that would run."""
    ignores_case: bool = False

    @property
    def blind_to(self) -> tuple[str, ...]:
        """Name what the config has git not see: a proof made before somebody set that holds no longer."""
        sees = {"filemode": self.modes.file_mode, "symlinks": self.modes.symlinks, "case": not self.ignores_case}
        return tuple(name for name, seen in sees.items() if not seen)


def around(
    program: str, root: str, env: Mapping[str, str], deadline: Deadline, *, nested: bool = False
) -> Repository | None:
    """Return the repository whose work tree a folder lies in; None if there is none. `nested`: look no further up.

    The repository of the home folder, or of `/`, is not that of what lies below. Raises TreeFailure.
    """
    folder = root
    while True:
        with suppress(OSError):
            found = repository_of(folder) if not nested or os.path.lexists(f"{folder}/{GIT}") else None
            if found is None:
                return None
            top, git_folder = found
            if top != root and (os.path.dirname(top) == top or _is_home(top, env)):
                return None
            if repository := _opened(Git(program, top, env, deadline), os.path.realpath(git_folder)):
                return repository
            if nested or not os.path.isdir(f"{top}/{GIT}"):
                return None
            folder = os.path.dirname(top)  # an empty `.git`, as a sandbox leaves one, is no repository to git either
            if folder != top:
                continue
        return None


def outermost(root: str, env: Mapping[str, str]) -> str:
    """Return the highest folder around this one that may be the work tree of a repository."""
    top = folder = root
    while os.path.dirname(folder) != folder:
        if os.path.lexists(f"{folder}/{GIT}") and not _is_home(folder, env):
            top = folder
        folder = os.path.dirname(folder)
    return top


def _opened(git: Git, folder: str) -> Repository | None:
    """Return the repository of a git folder; None if git finds another one, or none, from the work tree."""
    found, config = git.run(
        GitCall(("rev-parse", "--absolute-git-dir", "--show-object-format")),
        GitCall((f"--git-dir={folder}", "config", "-z", "--list")),
    )
    if DUBIOUS in found.err:
        raise GitFailure(
            f"git does not read {clean(git.top, SHOWN)}, which belongs to another user; if you trust it: "
            f"git config --global --add safe.directory {_shown_word(git.top)}"
        )
    if found.exit and NO_REPOSITORY not in found.err:  # else its ignored files would count, and a failure as a change
        raise GitFailure(f"git cannot read {clean(git.top, SHOWN)}: {found.why}")
    lines = found.out.rsplit(b"\n", 2)  # a path may hold a line feed
    if found.exit or len(lines) < 3 or os.path.realpath(os.fsdecode(lines[0])) != folder:
        return None
    settings = _settings(git, config)
    named, active = drivers_of(settings)
    if any("=" in name or "\n" in name for name in named):
        raise GitFailure(
            f"the config of {clean(git.top, SHOWN)} names a filter with `=` in it, which cannot be switched off"
        )
    git.believe(folder)
    ends = ("clean=", "process=", "smudge=", "required=false")
    git.override(f"filter.{name}.{end}" for name in sorted(named) for end in ends)
    modes = ModeRules(_flag(settings, "core.filemode"), _flag(settings, "core.symlinks"))
    autocrlf = settings.get("core.autocrlf", "false").lower() not in FALSE
    ignores_case = _flag(settings, "core.ignorecase", "false")
    kind = "sha256" if lines[1] == b"sha256" else "sha1"
    return Repository(git, folder, common_of(folder), kind, modes, autocrlf, active, ignores_case)


def _settings(git: Git, said: GitOutput) -> dict[str, str]:
    if said.exit:
        raise GitFailure(f"git cannot read the config of {clean(git.top, SHOWN)}: {said.why}")
    pairs = (os.fsdecode(setting).partition("\n") for setting in said.out.split(b"\0"))
    return {key: value if newline else "true" for key, newline, value in pairs if key}


def _flag(settings: Mapping[str, str], name: str, default: str = "true") -> bool:
    return settings.get(name, default).lower() not in FALSE


def _is_home(folder: str, env: Mapping[str, str]) -> bool:
    with suppress(OSError, ValueError):
        return os.path.samefile(folder, env.get("HOME") or os.devnull)
    return False


def _shown_word(path: str) -> str:
    import shlex

    return shlex.quote(clean(path, SHOWN))


def common_of(folder: str) -> str:
    """Return the folder that all worktrees of a repository share."""
    with suppress(OSError):
        if named := read_bytes(f"{folder}/commondir", LONGEST_POINTER, through_links=True):
            return os.path.realpath(os.path.join(folder, os.fsdecode(named.strip())))
    return folder
