"""A repository of a stranger runs nothing, is not changed, and keeps nobody waiting, while its work tree is read."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rcs_hooks.proof.git import TreeFailure
from rcs_hooks.proof.tree import fingerprint
from tests.proof.repositories import ENV, Repo, git
from tests.table import each_row

pytestmark = pytest.mark.slow


class Trap:
    """A repository with two others in it, and a program that leaves a mark where it is run."""

    def __init__(self, folder: Path) -> None:
        self.mark = folder / "mark"
        self.program = folder / "program"
        self.program.write_text(f'#!/bin/sh\necho "$0 $*" >> "{self.mark}"\ncat 2>/dev/null\nexit 0\n')
        self.program.chmod(0o755)
        self.library = Repo(folder / "library")
        self.repo = Repo(folder / "repo")
        git(self.repo.top, "submodule", "--quiet", "add", str(self.library.top), "lib")
        Repo(self.repo.top / "inner")
        self.repo.write("text.txt", "a\r\n")
        self.repo.commit()

    @property
    def folders(self) -> list[Path]:
        """The folders in which git keeps the config of each repository."""
        return [self.repo.top / ".git", self.repo.top / ".git/modules/lib", self.repo.top / "inner/.git"]

    def set(self, *pairs: str) -> None:
        """Set these keys of each config to the program."""
        for folder in self.folders:
            for pair in pairs:
                key, _, value = pair.partition("=")
                git(folder.parent, "config", "--file", str(folder / "config"), key, value or str(self.program))

    def attribute(self, text: str) -> None:
        for name in (".gitattributes", "lib/.gitattributes", "inner/.gitattributes"):
            self.repo.write(name, os.fsencode(text))

    def change(self) -> None:
        """Leave new files, and edited ones of the same size, so that git compares what they hold."""
        for place in ("", "lib/", "inner/"):
            self.repo.write(f"{place}a.txt", "two\n")
            self.repo.write(f"{place}new.txt", "new\r\n")
            os.utime(self.repo.top / f"{place}run.sh")
        self.repo.write("text.txt", "b\r\n")


def _driver(name: str, attribute: str | None = None) -> Callable[[Trap], None]:
    def arm(trap: Trap) -> None:
        trap.set(
            f"filter.{name}.clean", f"filter.{name}.smudge", f"filter.{name}.process", f"filter.{name}.required=true"
        )
        trap.attribute(f"* filter={name if attribute is None else attribute}\n")

    return arm


def _keys(*pairs: str) -> Callable[[Trap], None]:
    return lambda trap: trap.set(*pairs)


def _hooks(trap: Trap) -> None:
    for folder in trap.folders:
        for name in ("post-index-change", "post-checkout", "pre-commit", "fsmonitor-watchman", "reference-transaction"):
            (folder / "hooks").mkdir(exist_ok=True)
            (folder / "hooks" / name).write_text(trap.program.read_text())
            (folder / "hooks" / name).chmod(0o755)


def _own_hooks(trap: Trap) -> None:
    _hooks(trap)
    trap.set(f"core.hooksPath={trap.folders[0] / 'hooks'}", "core.fsmonitor")


def _external_diff(trap: Trap) -> None:
    trap.set("diff.external", "diff.evil.command", "diff.evil.textconv", "merge.evil.driver")
    trap.attribute("* diff=evil merge=evil text=auto\n")


def _included(trap: Trap) -> None:
    trap.repo.write(".evil", f'[filter "evil"]\n\tclean = {trap.program}\n[core]\n\tfsmonitor = {trap.program}\n')
    trap.set(f"include.path={trap.repo.top / '.evil'}", f"includeIf.gitdir:/.path={trap.repo.top / '.evil'}")
    trap.attribute("* filter=evil\n")


def _worktree_config(trap: Trap) -> None:
    trap.set("core.repositoryformatversion=1", "extensions.worktreeConfig=true")
    for folder in trap.folders:
        (folder / "config.worktree").write_text(
            f'[filter "evil"]\n\tclean = {trap.program}\n\trequired = true\n[core]\n\tfsmonitor = {trap.program}\n'
        )
    trap.attribute("* filter=evil\n")


def _info_attributes(trap: Trap) -> None:
    trap.set("filter.evil.clean")
    for folder in trap.folders:
        (folder / "info").mkdir(exist_ok=True)
        (folder / "info/attributes").write_text("[attr]binary filter=evil\n*.txt binary\n")


def _promisor(trap: Trap) -> None:
    """Blobs are missing that git looks at for the sake of line ends, and would fetch."""
    trap.set(
        "core.repositoryformatversion=1",
        "extensions.partialClone=origin",
        f"remote.origin.url={trap.library.top}",
        "remote.origin.promisor=true",
        "remote.origin.uploadpack",
        "core.sshCommand",
        "core.gitProxy",
        "core.askPass",
        "credential.helper",
    )
    trap.attribute("* text=auto\n")
    for folder in trap.folders:
        for path in (folder / "objects").glob("[0-9a-f][0-9a-f]/*"):
            if b"blob" in git(folder, "cat-file", "-t", f"{path.parent.name}{path.name}", may_fail=True).encode():
                path.unlink()


TRAPS: dict[str, Callable[[Trap], None]] = {
    "a filter": _driver("evil"),
    "a filter with a dot in its name": _driver("e.v.i.l"),
    "a filter with a capital": _driver("EVIL"),
    "a filter with letters of another script": _driver("é漢"),
    "a filter whose name is not UTF-8": _driver("\udcff\udcfe"),
    "a filter without a name": _driver("", ""),
    "a filter called lfs": _driver("lfs"),
    "a filter in an included file": _included,
    "a filter in the config of a worktree": _worktree_config,
    "a filter by the attributes of the git folder": _info_attributes,
    "a monitor of the file system": _keys("core.fsmonitor"),
    "a monitor, its old hook": _keys("core.fsmonitor", "core.fsmonitorHookVersion=1", "core.useBuiltinFSMonitor=true"),
    "hooks": _hooks,
    "hooks elsewhere": _own_hooks,
    "an external diff": _external_diff,
    "a remote that promises": _promisor,
    "programs of all kinds": _keys(
        *(f"core.{name}" for name in ("pager", "editor", "sshCommand", "gitProxy", "askPass", "alternateRefsCommand")),
        *("credential.helper", "gpg.program", "sequence.editor", "pager.ls-files", "pager.config", "alias.ls-files"),
        *("alias.diff-files", "alias.config", "submodule.lib.update", "interactive.diffFilter", "tar.tar.command"),
        *("uploadpack.packObjectsHook", "trace2.normalTarget"),
    ),
}


@each_row("trap", TRAPS)
def test_a_repository_runs_nothing(trap: str, tmp_path: Path) -> None:
    armed = Trap(tmp_path)
    TRAPS[trap](armed)
    armed.change()
    armed.mark.unlink(missing_ok=True)
    before = fingerprint(str(armed.repo.top), ENV)
    armed.repo.write("lib/a.txt", "six\n")
    assert fingerprint(str(armed.repo.top), ENV).digest != before.digest
    assert not armed.mark.exists(), armed.mark.read_text()


def test_the_traps_are_traps(tmp_path: Path) -> None:
    trap = Trap(tmp_path)
    _driver("")(trap)
    trap.set("core.fsmonitor")
    trap.change()
    git(trap.repo.top, "status", may_fail=True)
    assert "program" in trap.mark.read_text()


def test_a_filter_that_cannot_be_switched_off_is_not_run(tmp_path: Path) -> None:
    trap = Trap(tmp_path)
    with (trap.repo.top / ".git/config").open("a") as file:
        file.write(f'[filter "e=vil"]\n\tclean = {trap.program}\n')
    trap.attribute("* filter=e=vil\n")
    trap.change()
    trap.mark.unlink(missing_ok=True)
    with pytest.raises(TreeFailure, match="names a filter with `=` in it"):
        fingerprint(str(trap.repo.top), ENV)
    assert not trap.mark.exists()


def test_the_variables_of_the_caller_do_not_reach_git(tmp_path: Path) -> None:
    trap, other = Trap(tmp_path), Repo(tmp_path / "other")
    trap.change()
    expected = fingerprint(str(trap.repo.top), ENV).digest
    env = ENV | dict.fromkeys(("GIT_OBJECT_DIRECTORY", "GIT_EXEC_PATH", "GIT_CEILING_DIRECTORIES"), str(tmp_path))
    env |= dict.fromkeys(("GIT_TRACE", "GIT_TRACE2"), str(trap.mark))
    env |= {
        "GIT_DIR": f"{other.top}/.git",
        "GIT_WORK_TREE": str(other.top),
        "GIT_INDEX_FILE": f"{other.top}/.git/index",
    }
    env |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": str(trap.program)}
    env |= {"GIT_CONFIG_PARAMETERS": f"'core.fsmonitor={trap.program}'", "GIT_PAGER": str(trap.program)}
    assert fingerprint(str(trap.repo.top), env).digest == expected
    assert not trap.mark.exists()


def test_a_work_tree_that_a_config_names_is_not_believed(tmp_path: Path) -> None:
    repo, other = Repo(tmp_path / "repo"), Repo(tmp_path / "other")
    repo.git("config", "core.worktree", str(other.top))
    before = fingerprint(str(repo.top), ENV)
    other.write("a.txt", "changed\n")
    assert fingerprint(str(repo.top), ENV).digest == before.digest
    repo.write("a.txt", "changed\n")
    assert fingerprint(str(repo.top), ENV).digest != before.digest


@pytest.mark.parametrize("path", [".", "bin", "{top}/bin"], ids=["here", "relative", "absolute"])
def test_a_git_that_lies_in_the_work_tree_is_not_run(path: str, tmp_path: Path) -> None:
    trap = Trap(tmp_path)
    for name in ("git", "bin/git"):
        trap.repo.write(name, trap.program.read_text()).chmod(0o755)
    expected = fingerprint(str(trap.repo.top), ENV).digest
    trap.mark.unlink(missing_ok=True)
    env = ENV | {"PATH": f"{path.format(top=trap.repo.top)}:{ENV['PATH']}"}
    assert fingerprint(str(trap.repo.top), env).digest == expected
    assert fingerprint(str(trap.repo.top / "src"), env).digest == expected
    assert not trap.mark.exists()


# --- who waits


def _pipe(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def _named_pipe(key: str) -> Callable[[Path], None]:
    def arm(top: Path) -> None:
        _pipe(top / "pipe")
        git(top, "config", key, str(top / "pipe"))

    return arm


def _attributes_pipe(name: str) -> Callable[[Path], None]:
    def arm(top: Path) -> None:
        (top / "a.txt").write_text("new")
        _pipe(top / name)

    return arm


PIPES: dict[str, Callable[[Path], object]] = {
    "what is ignored": lambda top: _pipe(top / ".gitignore"),
    "attributes": _attributes_pipe(".gitattributes"),
    "what a config excludes": _named_pipe("core.excludesFile"),
    "what a config includes": _named_pipe("include.path"),
    "the config": lambda top: _pipe(top / ".git/config"),
    "the index": lambda top: _pipe(top / ".git/index"),
    "what a submodule ignores": lambda top: _pipe(Repo(top / "inner").top / ".gitignore"),
}


def of_group(mark: str) -> list[str]:
    """The programs that run with a variable of this value."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes() and int(folder.name) != os.getpid():
                found.append((folder / "cmdline").read_text())
        except OSError:
            continue
    return found


@each_row("pipe", PIPES)
def test_a_pipe_keeps_nobody_waiting(pipe: str, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    PIPES[pipe](repo.top)
    began = time.monotonic()
    with pytest.raises(TreeFailure, match=r"could not be read within 0.5 s; try `git status` there"):
        fingerprint(str(repo.top), ENV | {"MARK": str(tmp_path)}, 0.5)
    assert time.monotonic() - began < 30
    assert of_group(str(tmp_path)) == []


# --- what is written


def _bytes(folder: Path) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()
    }


STORED: dict[str, Callable[[Repo], object]] = {
    "edited files": lambda repo: repo.write("a.txt", "two\n"),
    "touched files": lambda repo: [repo.write(name, (repo.top / name).read_bytes()) for name in ("a.txt", "run.sh")],
    "a split index": lambda repo: repo.git("update-index", "--split-index"),
    "a list of untracked files": lambda repo: repo.git("update-index", "--force-untracked-cache"),
    "a sparse index": lambda repo: repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "src"),
    "a stash": lambda repo: [repo.write("a.txt", "two\n"), repo.git("stash", "-q")],
    "large untracked files": lambda repo: repo.write("large", b"\r\n" * (5 << 20)),
    "attributes": lambda repo: [
        repo.write(".gitattributes", "* text=auto ident\n"),
        repo.write("a.txt", "$Id: 1 $\r\n"),
    ],
}


@each_row("state", STORED)
def test_nothing_is_written(state: str, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    STORED[state](repo)
    before = _bytes(tmp_path)
    stash, log = repo.git("stash", "list"), repo.git("reflog")
    fingerprint(str(repo.top), ENV)
    assert _bytes(tmp_path) == before
    assert (repo.git("stash", "list"), repo.git("reflog")) == (stash, log)
