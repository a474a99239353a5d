"""`rcs overlay` on real files: a refusal leaves the file as it was, and a change leaves the rest of it as it was."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

import pytest

from rcs_hooks.catalog import MODES
from tests.support import RCS_HOOK, Workspace, run_rcs
from tests.table import each_row

RCS = [str(RCS_HOOK.with_name("rcs"))]
START = "<!-- RCS:RUNTIME:START -->"
END = "<!-- RCS:RUNTIME:END -->"
MADE = "<!-- RCS:RUNTIME:MADE this file -->"
TEXT = "# Agents\n\nUse make. é \U0001f600\n"


@pytest.fixture
def workspace(workspace: Workspace) -> Workspace:
    """A workspace with the real time, because these tests run whole programs."""
    workspace.now = time.time()
    return workspace


@pytest.fixture
def agents(workspace: Workspace) -> Path:
    """An AGENTS.md in a workspace where team and forge run in s1."""
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


def test_show_prints_every_active_member_between_the_markers(workspace: Workspace, agents: Path) -> None:
    workspace.edit("forge", current_phase="verifying", lifecycle_outcome="askuserQuestion")
    lines = done(workspace, "show").splitlines()
    assert lines[:5] == [
        START,
        "## Active workflows",
        "",
        "- team: phase starting",
        "- forge: phase verifying, waits for the user",
    ]
    assert lines[-1] == END
    assert "prove --finish --mode team --session s1 -- COMMAND" in lines[-2]
    assert agents.read_text() == TEXT


def test_show_without_state_says_none_and_makes_nothing(workspace: Workspace) -> None:
    assert done(workspace, "show") == f"{START}\n## Active workflows\n\nNone.\n{END}\n"
    assert files(workspace) == set()


def test_show_is_bounded_whatever_the_state_says(workspace: Workspace) -> None:
    for mode in MODES:
        workspace.write(mode, current_phase=f"{END}\n" + "x" * 100_000)
    shown = done(workspace, "show", session="s1")
    assert len(shown) <= 3_501
    assert (shown.count(START), shown.count(END)) == (1, 1)
    assert [mode for mode in MODES if f"- {mode}: " in shown] == list(MODES)


def test_without_a_session_the_one_that_has_something_active_is_shown(workspace: Workspace, agents: Path) -> None:
    """README: a call without a session is about root, or else about the only session with an active mode."""
    assert done(workspace, "show", session=None) == done(workspace, "show", session="s1")


def test_a_closed_session_counts_only_where_it_is_named(workspace: Workspace) -> None:
    for session in ("s1", "s2", "s3"):
        workspace.prompt("$forge fix it", session)
    status, _, err = rcs(workspace, "show", session=None)
    assert (status, err) == (
        1, "rcs: 3 sessions have active modes; name one: --session s1 or --session s2 or --session s3\n"
    )  # fmt: skip
    workspace.call("SessionEnd", "s1", reason="exit")
    workspace.call("SessionEnd", "s2", reason="exit")
    assert "--session s3" in done(workspace, "show", session=None)
    workspace.call("SessionEnd", "s3", reason="exit")
    assert done(workspace, "show", session=None) == f"{START}\n## Active workflows\n\nNone.\n{END}\n"
    assert "- forge: phase starting" in done(workspace, "show", session="s2")


# --- apply and strip


def test_apply_then_strip_gives_the_file_back_to_the_byte(workspace: Workspace, agents: Path) -> None:
    assert done(workspace, "apply", "AGENTS.md") == "AGENTS.md: overlay written\n"
    assert agents.read_text() == f"{TEXT}\n{done(workspace, 'show')}"
    assert done(workspace, "strip", "AGENTS.md") == "AGENTS.md: overlay removed\n"
    assert agents.read_text() == TEXT
    assert files(workspace) == {".rcs", "AGENTS.md"}


def test_apply_twice_touches_the_file_once(workspace: Workspace, agents: Path) -> None:
    done(workspace, "apply", "AGENTS.md")
    before = (agents.read_bytes(), agents.stat().st_mtime_ns, agents.stat().st_ino)
    assert done(workspace, "apply", "AGENTS.md") == "AGENTS.md: nothing to change\n"
    assert (agents.read_bytes(), agents.stat().st_mtime_ns, agents.stat().st_ino) == before


def test_apply_follows_the_state(workspace: Workspace, agents: Path) -> None:
    done(workspace, "apply", "AGENTS.md")
    workspace.prompt("$cancel")
    done(workspace, "apply", "AGENTS.md")
    assert agents.read_text() == f"{TEXT}\n{START}\n## Active workflows\n\nNone.\n{END}\n"


RAW: dict[str, bytes] = {
    "empty": b"",
    "no newline at the end": b"# Agents",
    "CRLF": b"# Agents\r\n\r\nwords\r\n",
    "CR": b"# Agents\rwords\r",
    "mixed newlines": b"a\r\nb\nc\r",
    "BOM": b"\xef\xbb\xbf# Agents\n",
    "null bytes": b"a\x00b\n",
    "unicode": "é日本\u2028\U0001f600\n".encode(),
}


@each_row("raw", [pytest.param(raw, id=name) for name, raw in RAW.items()])
def test_every_kind_of_file_comes_back_to_the_byte(workspace: Workspace, agents: Path, raw: bytes) -> None:
    agents.write_bytes(raw)
    done(workspace, "apply", "AGENTS.md")
    once = agents.read_bytes()
    assert once.startswith(raw)
    done(workspace, "apply", "AGENTS.md")
    assert agents.read_bytes() == once
    done(workspace, "strip", "AGENTS.md")
    assert agents.read_bytes() == raw


def test_strip_without_an_overlay_touches_nothing(workspace: Workspace, agents: Path) -> None:
    before, words = agents.stat(), agents.read_bytes()
    assert done(workspace, "strip", "AGENTS.md") == "AGENTS.md: no overlay found\n"
    after = agents.stat()
    assert (after.st_ino, after.st_mtime_ns, agents.read_bytes()) == (before.st_ino, before.st_mtime_ns, words)


def test_strip_needs_no_state_and_makes_none(workspace: Workspace) -> None:
    path = workspace.root / "AGENTS.md"
    path.write_text(f"a\n\n{START}\nold words\n{END}\n")
    done(workspace, "strip", "AGENTS.md", session=None)
    assert path.read_text() == "a\n"
    assert files(workspace) == {"AGENTS.md"}


# --- the file itself


@each_row("mode", [0o600, 0o644, 0o664, 0o755])
@each_row("action", ["apply", "strip"])
def test_the_files_mode_is_kept(workspace: Workspace, agents: Path, mode: int, action: str) -> None:
    if action == "strip":
        done(workspace, "apply", "AGENTS.md")
    agents.chmod(mode)
    done(workspace, action, "AGENTS.md")
    assert stat.S_IMODE(agents.stat().st_mode) == mode


def test_a_linked_file_stays_a_link(workspace: Workspace, agents: Path) -> None:
    link = workspace.root / "CLAUDE.md"
    link.symlink_to("AGENTS.md")
    done(workspace, "apply", "CLAUDE.md")
    assert link.is_symlink()
    assert os.readlink(link) == "AGENTS.md"
    assert START in agents.read_text()
    done(workspace, "strip", "CLAUDE.md")
    assert link.is_symlink()
    assert agents.read_text() == TEXT


def test_a_link_to_no_file_makes_the_file_that_it_names(workspace: Workspace, agents: Path) -> None:
    link = workspace.root / "CLAUDE.md"
    link.symlink_to("later.md")
    done(workspace, "apply", "CLAUDE.md")
    assert link.is_symlink()
    assert (workspace.root / "later.md").read_text().startswith(START)


def test_a_new_file_is_made_with_the_block_alone(workspace: Workspace, agents: Path) -> None:
    done(workspace, "apply", "NEW.md", umask=0o022)
    new = workspace.root / "NEW.md"
    assert new.read_text() == done(workspace, "show").replace(END, f"{MADE}\n{END}")
    assert stat.S_IMODE(new.stat().st_mode) == 0o644


def test_strip_removes_the_file_that_apply_made(workspace: Workspace, agents: Path) -> None:
    new = workspace.root / "NEW.md"
    done(workspace, "apply", "NEW.md")
    workspace.prompt("$cancel")
    done(workspace, "apply", "NEW.md")
    assert done(workspace, "apply", "NEW.md") == "NEW.md: nothing to change\n"
    assert done(workspace, "strip", "NEW.md") == "NEW.md: overlay removed, and the file, which was made for it\n"
    assert not new.exists()


def test_strip_leaves_a_file_that_apply_made_and_somebody_wrote_in(workspace: Workspace, agents: Path) -> None:
    new = workspace.root / "NEW.md"
    done(workspace, "apply", "NEW.md")
    new.write_text(new.read_text() + "Use make.\n")
    assert done(workspace, "strip", "NEW.md") == "NEW.md: overlay removed\n"
    assert new.read_text() == "Use make.\n"


def test_strip_leaves_a_file_that_was_empty(workspace: Workspace, agents: Path) -> None:
    agents.write_text("")
    done(workspace, "apply", "AGENTS.md")
    assert MADE not in agents.read_text()
    assert done(workspace, "strip", "AGENTS.md") == "AGENTS.md: overlay removed\n"
    assert agents.read_text() == ""


def test_strip_leaves_the_link_to_a_file_that_apply_made(workspace: Workspace, agents: Path) -> None:
    link = workspace.root / "CLAUDE.md"
    link.symlink_to("later.md")
    done(workspace, "apply", "CLAUDE.md")
    done(workspace, "strip", "CLAUDE.md")
    assert link.is_symlink()
    assert not (workspace.root / "later.md").exists()


def test_a_new_file_heeds_the_umask(workspace: Workspace, agents: Path) -> None:
    done(workspace, "apply", "NEW.md", umask=0o077)
    assert stat.S_IMODE((workspace.root / "NEW.md").stat().st_mode) == 0o600


# --- refusals

BROKEN: dict[str, str] = {
    "no end": f"a\n{START}\nb\n",
    "no start": f"a\n{END}\nb\n",
    "end before start": f"{END}\na\n{START}\n",
    "two starts": f"{START}\n{START}\n{END}\n",
    "two ends": f"{START}\n{END}\n{END}\n",
    "two blocks": f"{START}\na\n{END}\n{START}\nb\n{END}\n",
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in BROKEN.items()])
@pytest.mark.parametrize("action", ["apply", "strip"])
def test_a_file_with_broken_markers_is_refused_and_left_alone(
    workspace: Workspace, agents: Path, text: str, action: str
) -> None:
    agents.write_text(text)
    before = agents.stat()
    status, out, err = rcs(workspace, action, "AGENTS.md")
    assert (status, out) == (1, "")
    assert err.startswith("rcs: AGENTS.md: the markers are broken: ")
    assert agents.read_text() == text
    assert agents.stat().st_mtime_ns == before.st_mtime_ns
    assert files(workspace) == {".rcs", "AGENTS.md"}


@pytest.mark.parametrize("action", ["apply", "strip"])
@pytest.mark.parametrize("raw", [b"caf\xe9\n", "AGENTS\n".encode("utf-16")], ids=["latin-1", "utf-16"])
def test_a_file_that_is_not_utf_8_is_refused_and_left_alone(
    workspace: Workspace, agents: Path, action: str, raw: bytes
) -> None:
    agents.write_bytes(raw)
    assert rcs(workspace, action, "AGENTS.md") == (1, "", "rcs: AGENTS.md: it is not UTF-8, so it was left unchanged\n")
    assert agents.read_bytes() == raw


@pytest.mark.parametrize(
    ("words", "status", "named"),
    [
        pytest.param(["strip", "NONE.md"], 1, "NONE.md: no such file", id="strip of no file"),
        pytest.param(["apply", "."], 1, ".: it is a folder", id="a folder"),
        pytest.param(["apply", "no/such/AGENTS.md"], 1, "no/such", id="a folder that is not there"),
        pytest.param(["apply"], 2, "apply needs FILE; see: rcs overlay apply --help", id="no file"),
        pytest.param(
            ["paint", "AGENTS.md"],
            2,
            "rcs: overlay has no action 'paint'; there is show, apply and strip",
            id="no such action",
        ),
        pytest.param([], 2, "action", id="no action"),
    ],
)
def test_what_cannot_be_done_is_said_on_stderr(
    workspace: Workspace, agents: Path, words: list[str], status: int, named: str
) -> None:
    found, out, err = rcs(workspace, *words)
    assert (found, out) == (status, "")
    assert named in err
    assert "Traceback" not in err
    assert files(workspace) == {".rcs", "AGENTS.md"}
    assert agents.read_text() == TEXT
