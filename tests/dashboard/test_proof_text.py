"""The end of a proof's output: what a command has printed is text, and no name in a record leads elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rcs_hooks.dashboard.proof_text import GONE, ProofText, read, text_of
from rcs_hooks.state.proof_output import LONGEST
from tests.hook.test_tracked_state import tracked_here
from tests.table import each_row

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support import Workspace

NAME = "20260101-000000000-ab12cd34.txt"

TEXTS: dict[str, tuple[bytes, str]] = {
    "line ends of Windows": (b"a\r\nb\r\n", "a\nb"),
    "colours": (b"\x1b[1;31mFAILED\x1b[0m a::b\n", "FAILED a::b"),
    "moves of the cursor": (b"\x1b[2K\x1b[1Gdone\x1b[?25h", "done"),
    "the title of the window": (b"\x1b]0;owned\x07after", "after"),
    "a link": (b"\x1b]8;;https://x.example\x1b\\text\x1b]8;;\x1b\\", "text"),
    "a title that no line ends": (b"\x1b]0;owned\nnext", "next"),
    "escapes of 8 bits": ("\x9b31mred\x9d0;t\x07".encode(), "red"),
    "a progress bar": (b" 10%\r 50%\r100%\ndone\n", "100%\ndone"),
    "a bell, a backspace and a NUL": (b"a\x07\x08\x00b", "ab"),
    "letters that turn the line around": ("a\u202eb\u2066c".encode(), "abc"),
    "no UTF-8": (b"caf\xe9!", "caf\ufffd!"),
}


@each_row(("data", "text"), [pytest.param(*row, id=name) for name, row in TEXTS.items()])
def test_what_was_printed_is_text(data: bytes, text: str) -> None:
    assert text_of(data) == text


def proofs(workspace: Workspace) -> Path:
    folder = workspace.folder("s1") / "proofs"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def found(workspace: Workspace, name: str = NAME, session: str | None = "s1") -> ProofText:
    return read(str(workspace.state), session, name)


def test_an_output_that_fills_the_file_had_more_before_it(workspace: Workspace) -> None:
    (proofs(workspace) / NAME).write_bytes(b"x" * LONGEST)
    assert found(workspace) == ProofText("x" * LONGEST, is_cut=True)
    (proofs(workspace) / NAME).write_bytes(b"x" * 10 * LONGEST)
    assert found(workspace) == ProofText("x" * LONGEST, is_cut=True)


@each_row("name", (".txt", "x", "../x.txt", "/etc/passwd", "a/b.txt", "x\0.txt", "a" * 200 + ".txt"), ids=ascii)
def test_a_name_that_is_no_plain_one_is_not_opened(name: str, workspace: Workspace) -> None:
    (proofs(workspace).parent / "x.txt").write_text("secret")
    assert found(workspace, name) == ProofText(problem=GONE)


def test_what_came_with_the_repository_is_not_shown(workspace: Workspace) -> None:
    (proofs(workspace) / NAME).write_text("tracked")
    tracked_here(workspace.root, f".rcs/state/sessions/s1/proofs/{NAME}")
    assert found(workspace) == ProofText(problem=GONE)
