"""The last lines of `rcs setup`: what to type next, how to check it, how to undo it."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.cli.test_setup import BIN, RCS, Home
from tests.table import each_row

OURS = shlex.quote(str(RCS))
PROMPT = "$forge fix the failing login test"
CHECK = "# would it work now, and what is left to do"
WHY_SKILLS = "# the instructions that the agent reads for each of these words"


@pytest.fixture
def person(tmp_path: Path) -> Home:
    return at_home(tmp_path)


def at_home(tmp_path: Path) -> Home:
    person = Home(tmp_path)
    person.env["PATH"] = f"{BIN}:/usr/bin:/bin"
    for client in (".codex", ".claude"):
        (person.home / client).mkdir()
        (person.home / client / "of the client").touch()
    return person


def end(said: str) -> list[str]:
    return said.rpartition("\n\n")[2].splitlines()


ENDS: list[tuple[str, str, str]] = [
    ("", "`codex` or `claude` in {root}", "rcs setup --skills"),
    ("--client claude", "`claude` in {root}", "rcs setup --client claude --skills"),
    ("--scope user", "`codex` or `claude` in any project", "rcs setup --scope user --skills"),
    ("--client claude --scope local", "`claude` in {root}", "rcs setup --client claude --scope user --skills"),
]


@each_row(("options", "start", "skills"), ENDS)
def test_setup_ends_with_what_to_type_next(options: str, start: str, skills: str, tmp_path: Path) -> None:
    person = at_home(tmp_path)
    expected = [
        f"Next:   start {start.format(root=person.project)}, and type a prompt such as: {PROMPT}",
        f"Skills: {skills}   {WHY_SKILLS}",
        f"Check:  rcs doctor   {CHECK}",
        f"Undo:   rcs uninstall {options}".rstrip(),
    ]
    before = person.contents()
    assert end(person.ok("setup", *options.split())) == expected
    assert end(person.ok("setup", *options.split())) == expected  # also where nothing is left to change
    person.ok(*expected[-1].split()[2:])
    assert person.contents() == before


def test_the_commands_name_the_folder_that_was_named(person: Home) -> None:
    said = end(person.ok("setup", "--client", "claude", "--root", "../a project", cwd=person.elsewhere))
    assert said[0].startswith(f"Next:   start `claude` in {person.project}, and ")
    assert said[1:] == [
        f"Skills: rcs setup --client claude --root '../a project' --skills   {WHY_SKILLS}",
        f"Check:  rcs doctor --root '../a project'   {CHECK}",
        "Undo:   rcs uninstall --client claude --root '../a project'",
    ]


def test_a_dry_run_has_nothing_to_check_or_undo(person: Home) -> None:
    said = person.ok("setup", "--dry-run")
    assert not [line for line in said.splitlines() if line.startswith(("Next:", "Check:", "Undo:"))]


def test_the_commands_fit_what_is_there_and_a_shell_that_does_not_know_rcs(person: Home) -> None:
    person.ok("setup", "--client", "claude", "--scope", "user", "--skills")
    assert not [line for line in end(person.ok("setup", "--client", "claude")) if line.startswith("Skills:")]
    person.env["PATH"] = "/usr/bin:/bin"
    assert end(person.ok("setup", "--client", "claude"))[-1] == f"Undo:   {OURS} uninstall --client claude"
