"""`rcs help`: of each command and each of its actions, and the pages about topics, whichever there are."""

from __future__ import annotations

import argparse
import os
import pty
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

PURPOSES = {
    "try": "Show the skills that a prompt asks for, the plan, and what the model would see.",
    "setup": "Put the hooks into the clients' own files.",
    "doctor": "Check that the clients would run the hooks here, that the hooks answer,",
    "off": "Switch the hooks off: until `rcs on` they answer nothing and change nothing.",
    "on": "Switch the hooks on again after `rcs off`.",
    "uninstall": "Remove our hooks, servers, rules, status line and unchanged skills from the clients' own files;",
    "status": "Say what waits for you, what runs, what ended in the last day, and where the tasks are:",
    "log": "Show what happened to the modes, oldest first:",
    "modes": "List the modes that may be typed here, where each is declared and what may run together;",
    "modes list": "List the modes, as `rcs modes` alone does.",
    "modes new": "Write a SKILL.md that declares a mode, to be edited.",
    "config": "Show the settings that count here, and where each comes from:",
    "config trust": "Let [proof] of the project's rcs.toml count, as it is now.",
    "watch": "Print what happens in the workspace from now on, until Ctrl-C:",
    "state": "Read, write and clear workflow state.",
    "state read": "Read the state of a workflow mode.",
    "state write": "Write fields into the state of a workflow mode;",
    "state clear": "Clear a workflow mode of a session, or of all sessions.",
    "state list-active": "List the active workflow modes.",
    "state get-status": "Phase and outcome of each workflow mode;",
    "state prune": "Remove the questions of runs that have ended, outputs of old proofs and, if asked, old sessions.",
    "prove": "Run a command, and record what came of it as the proof of the modes that run in the session:",
    "question": "Ask the user a blocking question:",
    "question ask": "Record a question of an active mode.",
    "question answer": "Answer a question from here.",
    "question list": "List the open questions.",
    "overlay": "List the active modes between markers in a file such as AGENTS.md.",
    "overlay show": "Print the list of the active modes.",
    "overlay apply": "Write it into a file.",
    "overlay strip": "Remove it from a file.",
    "emit": "Report a step or an artifact of a run.",
    "machine": "Check, list and show the state machines that skills and agents declare:",
    "machine check": "Check files; made for a pre-commit hook.",
    "machine list": "List skills and agents, and what each declares.",
    "machine show": "Show one machine:",
    "runs": "List, show, end, prune and export the runs that were reported with `rcs emit`,",
    "runs list": "List the runs, the one with the newest event first.",
    "runs show": "Show one run: its steps, artifacts and events.",
    "runs end": "End a run that nobody continues.",
    "runs prune": "Delete runs for good.",
    "runs export": "Print every event as a line of JSON.",
    "task": "Lead a task through planning, plan_review, codegen, review, test, accept, revert and done.",
    "task new": "Begin a task.",
    "task status": "Show where a task is, and which phases it can go to.",
    "task next": "Go to the first phase that is open.",
    "task plan": "Go to planning.",
    "task review": "Go to plan_review or review.",
    "task review plan": "Go to plan_review; with a verdict:",
    "task review code": "Go to review; with a verdict:",
    "task codegen": "Go to codegen.",
    "task test": "Go to test",
    "task accept": "Go to accept;",
    "task revert": "Go to revert;",
    "task collect": "Take the diff of the work and its files from git.",
    "task redo": "Do a phase again; re-open a done task.",
    "task list": "List the tasks of this workspace.",
    "task schema": "Show the JSON Schema of an artifact.",
    "task repl": "Read the same commands with a slash, line after line.",
    "share": "Share what runs on this machine with a team, in a PostgreSQL database of its own.",
    "share init": "Write which database is shared, and make or update the schema in it.",
    "share add": "Let what runs in a folder leave the machine.",
    "share remove": "Send nothing more of a folder.",
    "share run": "Send what is new on this machine, until you stop it.",
    "share start": "Let a service of yours run `rcs share run`, now and at each login;",
    "share stop": "Stop and remove that service.",
    "share status": "Say how far behind each folder is, and what is wrong;",
    "share prune": "Delete what is old from the shared database, for good.",
    "dashboard": "Serve a page with the runs, sessions and tasks, live, until Ctrl-C.",
    "mcp": "Run the MCP server, on stdin and stdout.",
    "completion": "Print the completion script of a shell.",
    "help": "Show the help of a command or of one of its actions, or a page about a topic.",
}
"""What the help of each command and action begins with."""


def commands() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Every command and action, with the parser that shows its help."""
    waiting = [(name, main.functions_of(name)[0]()) for name in main.MODULES]
    while waiting:
        words, parser = waiting.pop(0)
        yield words, parser
        if isinstance(parser, Parser):
            waiting += [(f"{words} {name}", each) for name, each in parser.actions().items()]


def test_every_command_and_action_says_what_it_does(tmp_path: Path) -> None:
    left = [words for words, _ in commands() if words not in PURPOSES and words.split()[0] != "hud"]
    assert left == []


@each_row("words", PURPOSES, ids=str)
def test_the_help_of_a_command_or_action_is_its_own(words: str, tmp_path: Path) -> None:
    done = run_rcs(*words.split(), "--help", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"usage: rcs {words} ")
    assert PURPOSES[words] in " ".join(done.stdout.split())
    assert [line for line in done.stdout.splitlines() if len(line) > 80] == []
    assert run_rcs("help", *words.split(), cwd=tmp_path).stdout == done.stdout
    assert list(tmp_path.iterdir()) == []


@each_row("words", ["state read", "overlay apply", "runs list", "machine list"])
def test_the_help_of_an_action_has_only_its_own_options(words: str, tmp_path: Path) -> None:
    shown = run_rcs("help", *words.split(), cwd=tmp_path).stdout
    assert not [option for option in ("--older-than", "--outcome", "--all-sessions", "--svg") if option in shown]


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
    assert run_rcs("--help", cwd=tmp_path).stdout == done.stdout


@each_row("words", [("guide",), ("guide.md",), ("GUIDE",)])
def test_a_page_is_piped_as_it_is(words: tuple[str, ...], folder: Path, tmp_path: Path) -> None:
    done = run_rcs("help", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, PAGE, "")


@each_row("words", ["prove -- -- touch made", "prove touch made", "watch -- --exec ./none", "watch -- -- ./none"])
def test_help_runs_no_program(words: str, tmp_path: Path) -> None:
    Workspace(tmp_path).in_git().prompt("$forge fix it")
    done = run_rcs("help", *words.split(), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"usage: rcs {words.split(maxsplit=1)[0]} ")
    assert not (tmp_path / "made").exists()


@each_row("words", ["--help", "help install", "status --help", "task --help", "task new --help", "try $forge", "hud"])
def test_the_narrowest_terminal_is_no_error(words: str, tmp_path: Path) -> None:
    for is_terminal in (False, True):
        done = run_rcs(*words.split(), cwd=tmp_path, env=clean_env(COLUMNS="1", PAGER=""), is_terminal=is_terminal)
        assert (done.returncode, done.stderr) == (0, "")


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


def test_a_mistyped_topic_is_answered_with_the_one_that_was_meant(folder: Path, tmp_path: Path) -> None:
    done = run_rcs("help", "giude", cwd=tmp_path)
    said = "rcs: there is no command or topic 'giude'; did you mean `rcs help guide`?\n"
    assert (done.returncode, done.stderr) == (2, said)


def test_without_pages_help_lists_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "FOLDER", str(tmp_path / "gone"))
    done = run_rcs("help", cwd=tmp_path)
    assert done.returncode == 0
    assert "topics" not in done.stdout
