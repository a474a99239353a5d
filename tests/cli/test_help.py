"""`rcs help`: of each command and each of its actions, and the pages about topics, whichever there are."""

from __future__ import annotations

import argparse
import os
import pty
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import pytest

from rcs_hooks.cli import main, pages
from rcs_hooks.cli.options import Parser
from tests.support import RCS_HOOK, Workspace, clean_env, run_rcs
from tests.table import each_row


def commands() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Every command and action, with the parser that shows its help."""
    waiting = [(name, main.functions_of(name)[0]()) for name in main.MODULES]
    while waiting:
        words, parser = waiting.pop(0)
        yield words, parser
        if isinstance(parser, Parser):
            waiting += [(f"{words} {name}", each) for name, each in parser.actions().items()]


def test_the_help_of_each_command_and_action_is_its_own_and_has_an_example(tmp_path: Path) -> None:
    for words, _ in commands():
        done = run_rcs(*words.split(), "--help", cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        usage, _, rest = done.stdout.partition("\n\n")
        assert usage.startswith(f"usage: rcs {words} "), words
        assert re.match(r"[A-Z][^.:;]+[.:;]", rest), words
        assert " " in words or f"rcs {words}" in rest.partition("example")[2], words
        assert [line for line in done.stdout.splitlines() if len(line) > 80] == []
        assert run_rcs("help", *words.split(), cwd=tmp_path).stdout == done.stdout
    assert list(tmp_path.iterdir()) == []


@each_row("words", ["prove -- -- touch made", "watch -- --exec ./none"])
def test_help_runs_no_program(words: str, workspace: Workspace) -> None:
    workspace.prompt("$forge fix it")
    done = run_rcs("help", *words.split(), cwd=workspace.root)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"usage: rcs {words.split(maxsplit=1)[0]} ")
    assert not (workspace.root / "made").exists()


# --- pages

PAGE = "# The guide\n\nWhat you may change.\n\n```sh\nrcs config\n```\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the pages: two about topics, and a picture."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "guide.md").write_text(PAGE)
    (docs / "words.md").write_text("# Words\n\nWhich words there are.\n")
    (docs / "picture.svg").write_text("<svg/>")
    monkeypatch.setattr(pages, "FOLDER", str(docs))
    return docs


def test_help_lists_the_commands_and_the_topics(folder: Path, tmp_path: Path) -> None:
    done = run_rcs("help", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    for name, _, purpose, _ in main.COMMANDS:
        assert f"\n  {name:<12}{purpose}\n" in done.stdout
    assert "\ntopics (rcs help TOPIC):\n  guide       What you may change\n" in done.stdout
    assert "\n  words       Which words there are\n" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert run_rcs("--help", cwd=tmp_path).stdout == done.stdout
    alone = run_rcs(cwd=tmp_path)
    assert (alone.returncode, alone.stdout + alone.stderr) == (2, done.stdout)
    for word in ("guide", "GUIDE.md"):
        assert run_rcs("help", word, cwd=tmp_path).stdout == PAGE
    assert "topics" not in _without_pages(folder, tmp_path)


def _without_pages(folder: Path, tmp_path: Path) -> str:
    shutil.rmtree(folder)
    return run_rcs("help", cwd=tmp_path).stdout


@each_row(("pager", "before"), [("sed 's/^/> /'", "> "), ("", ""), ("/nowhere/pager 2>&-", "")])
def test_on_a_terminal_a_page_goes_through_the_pager(pager: str, before: str) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen([RCS_HOOK.with_name("rcs"), "help", "words"], stdout=theirs, env=clean_env(PAGER=pager)):
        os.close(theirs)
        with open(ours, encoding="utf-8", newline="") as terminal:
            shown = list(_until_it_closes(terminal))
    assert shown == [f"{before}{line}\r\n" for line in pages.text_of("words").splitlines()]


def _until_it_closes(terminal: TextIO) -> Iterator[str]:
    with suppress(OSError):
        yield from terminal
