"""`rcs overlay` on real files: a refusal leaves the file as it was, and a change leaves the rest of it as it was."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

import pytest

from tests.support import Workspace, run_rcs
from tests.table import each_row

START = "<!-- RCS:RUNTIME:START -->"
END = "<!-- RCS:RUNTIME:END -->"
MADE = "<!-- RCS:RUNTIME:MADE this file -->"
TEXT = "# Agents\n\nUse make. é \U0001f600\n"


@pytest.fixture
def agents(workspace: Workspace) -> Path:
    """An AGENTS.md in a workspace where team and forge run in s1."""
    return agents_in(workspace)


def agents_in(workspace: Workspace) -> Path:
    workspace.now = time.time()
    workspace.prompt("$team $forge")
    path = workspace.root / "AGENTS.md"
    path.write_text(TEXT)
    return path


def rcs(workspace: Workspace, *words: str, session: str | None = "s1", umask: int = -1) -> tuple[int, str, str]:
    """Run `rcs overlay`, and return status, stdout and stderr."""
    scope = ["--session", session] if session else []
    done = run_rcs("overlay", *words, *scope, cwd=workspace.root, umask=umask)
    return done.returncode, done.stdout, done.stderr


def done(workspace: Workspace, *words: str, session: str | None = "s1", umask: int = -1) -> str:
    status, out, err = rcs(workspace, *words, session=session, umask=umask)
    assert (status, err) == (0, "")
    return out


def files(workspace: Workspace) -> set[str]:
    return {path.name for path in workspace.root.iterdir()}


# --- show


# --- apply and strip

RAW = (
    b"",
    b"# Agents",
    b"# Agents\r\n\r\nwords\r\n",
    b"a\r\nb\nc\r",
    b"\xef\xbb\xbf# Agents\n",
    "a\0é日本\u2028\U0001f600\n".encode(),
)


def look(path: Path) -> tuple[object, ...]:
    status = path.stat()
    return path.read_bytes(), status.st_mtime_ns, status.st_ino, stat.S_IMODE(status.st_mode)


@each_row("raw", RAW)
def test_what_is_applied_twice_is_written_once_and_stripped_to_the_byte(raw: bytes, workspace: Workspace) -> None:
    agents = agents_in(workspace)
    agents.write_bytes(raw)
    agents.chmod(0o755)
    assert done(workspace, "apply", "AGENTS.md") == "AGENTS.md: overlay written\n"
    once = look(agents)
    assert agents.read_bytes().startswith(raw)
    assert done(workspace, "apply", "AGENTS.md") == "AGENTS.md: nothing to change\n"
    assert look(agents) == once
    assert done(workspace, "strip", "AGENTS.md") == "AGENTS.md: overlay removed\n"
    stripped = look(agents)
    assert (stripped[0], stripped[-1]) == (raw, 0o755)
    assert done(workspace, "strip", "AGENTS.md") == "AGENTS.md: no overlay found\n"
    assert look(agents) == stripped
    assert files(workspace) == {".rcs", "AGENTS.md"}


# --- the file itself


@each_row("target", ["AGENTS.md", "later.md"])
def test_a_link_stays_a_link(target: str, workspace: Workspace) -> None:
    agents_in(workspace)
    link = workspace.root / "CLAUDE.md"
    link.symlink_to(target)
    done(workspace, "apply", "CLAUDE.md")
    assert START in (workspace.root / target).read_text()
    done(workspace, "strip", "CLAUDE.md")
    assert os.readlink(link) == target
    assert files(workspace) == {".rcs", "AGENTS.md", "CLAUDE.md"}


@each_row(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600)])
def test_a_file_that_apply_makes_heeds_the_umask_and_is_removed_by_strip(
    umask: int, mode: int, workspace: Workspace
) -> None:
    agents_in(workspace)
    new = workspace.root / "NEW.md"
    done(workspace, "apply", "NEW.md", umask=umask)
    assert new.read_text() == done(workspace, "show").replace(END, f"{MADE}\n{END}")
    assert stat.S_IMODE(new.stat().st_mode) == mode
    workspace.prompt("$cancel")
    done(workspace, "apply", "NEW.md")
    assert done(workspace, "strip", "NEW.md") == "NEW.md: overlay removed, and the file, which was made for it\n"
    assert not new.exists()


# --- refusals

BROKEN = "the markers are broken: "
NO_UTF8 = "it is not UTF-8, so it was left unchanged\n"
REFUSED: list[tuple[bytes, str]] = [
    (f"a\n{START}\nb\n".encode(), BROKEN),
    (f"{START}\na\n{END}\n{START}\nb\n{END}\n".encode(), BROKEN),
    (b"caf\xe9\n", NO_UTF8),
]


@each_row(("raw", "says"), REFUSED)
def test_a_file_that_cannot_be_changed_rightly_is_left_alone(raw: bytes, says: str, workspace: Workspace) -> None:
    agents = agents_in(workspace)
    agents.write_bytes(raw)
    before = look(agents)
    for action in ("apply", "strip"):
        status, out, err = rcs(workspace, action, "AGENTS.md")
        assert (status, out) == (1, "")
        assert err.startswith(f"rcs: AGENTS.md: {says}")
    assert (look(agents), files(workspace)) == (before, {".rcs", "AGENTS.md"})


@each_row(
    ("words", "said"),
    [("strip NONE.md", "NONE.md: no such file"), ("apply .", ".: it is a folder"), ("apply no/such/A.md", "no/such")],
)
def test_what_cannot_be_done_is_said_on_stderr(words: str, said: str, workspace: Workspace) -> None:
    status, out, err = rcs(workspace, *words.split())
    assert (status, out) == (1, "")
    assert err.startswith("rcs: ")
    assert said in err
