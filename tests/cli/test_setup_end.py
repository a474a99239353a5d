"""The last lines of `rcs setup`: what to type next, how to check it, how to undo it."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from rcs_hooks.cli import setup_end
from tests.cli.test_setup import BIN, RCS, Home

OURS = shlex.quote(str(RCS))
PROMPT = "$forge fix the failing login test"
CHECK = "# would it work now, and what is left to do"
WHY_SKILLS = "# the instructions that the agent reads for each of these words"


@pytest.fixture
def person(tmp_path: Path) -> Home:
    person = Home(tmp_path)
    person.env["PATH"] = f"{BIN}:/usr/bin:/bin"
    for client in (".codex", ".claude"):
        (person.home / client).mkdir()
    return person


def end(said: str) -> list[str]:
    return said.rpartition("\n\n")[2].splitlines()


ENDS = {
    "those on this machine": ("", "`codex` or `claude` in {root}", "rcs setup --skills", "rcs uninstall"),
    "one client": (
        "--client claude",
        "`claude` in {root}",
        "rcs setup --client claude --skills",
        "rcs uninstall --client claude",
    ),
    "for all that a person does": (
        "--scope user",
        "`codex` or `claude` in any project",
        "rcs setup --scope user --skills",
        "rcs uninstall --scope user",
    ),
    "for a person alone, where no client looks for skills": (
        "--client claude --scope local",
        "`claude` in {root}",
        "rcs setup --client claude --scope user --skills",
        "rcs uninstall --client claude --scope local",
    ),
}


@pytest.mark.parametrize(("options", "start", "skills", "undo"), ENDS.values(), ids=ENDS)
def test_setup_ends_with_what_to_type_next(options: str, start: str, skills: str, undo: str, person: Home) -> None:
    expected = [
        f"Next:   start {start.format(root=person.project)}, and type a prompt such as: {PROMPT}",
        f"Skills: {skills}   {WHY_SKILLS}",
        f"Check:  rcs doctor   {CHECK}",
        f"Undo:   {undo}",
    ]
    assert end(person.ok("setup", *options.split())) == expected
    assert end(person.ok("setup", *options.split())) == expected  # also where nothing is left to change


def test_the_commands_name_the_folder_that_was_named(person: Home) -> None:
    said = end(person.ok("setup", "--client", "claude", "--root", "../a project", cwd=person.elsewhere))
    assert said[0].startswith(f"Next:   start `claude` in {person.project}, and ")
    assert said[1:] == [
        f"Skills: rcs setup --client claude --root '../a project' --skills   {WHY_SKILLS}",
        f"Check:  rcs doctor --root '../a project'   {CHECK}",
        "Undo:   rcs uninstall --client claude --root '../a project'",
    ]


def test_a_folder_whose_name_could_move_the_cursor_is_shown_without(person: Home) -> None:
    folder = person.folder / "a\x1b[2J\u202e\nb"
    (folder / ".git").mkdir(parents=True)
    for words in ("setup --dry-run --skills", "setup --skills", "setup", "uninstall"):
        said = person.ok(*words.split(), cwd=folder)
        assert not [char for char in said if not (char.isprintable() or char in "\n\t")]
        if words == "setup":
            assert (
                end(said)[0]
                == f"Next:   start `codex` or `claude` in {person.folder}/a [2J  b, and type a prompt such as: {PROMPT}"
            )


def test_skills_that_are_there_are_not_proposed(person: Home) -> None:
    person.ok("setup", "--client", "claude", "--scope", "user", "--skills")
    assert not [line for line in end(person.ok("setup", "--client", "claude")) if line.startswith("Skills:")]


def test_a_command_runs_in_a_shell_that_does_not_know_rcs(person: Home) -> None:
    person.env["PATH"] = "/usr/bin:/bin"
    assert end(person.ok("setup", "--client", "claude"))[-1] == f"Undo:   {OURS} uninstall --client claude"


def test_its_undo_takes_out_what_it_has_put_in(person: Home) -> None:
    before = person.contents()
    undo = end(person.ok("setup", "--skills"))[-1].removeprefix("Undo:   rcs ")
    person.ok(*shlex.split(undo))
    assert person.contents() == before


def test_a_dry_run_has_nothing_to_check_or_undo(person: Home) -> None:
    said = person.ok("setup", "--dry-run")
    assert not [line for line in said.splitlines() if line.startswith(("Next:", "Check:", "Undo:"))]


def test_on_a_narrow_terminal_a_comment_is_below_its_command_and_a_prompt_is_whole() -> None:
    line = f"Next:   start `claude` in /a, and type a prompt such as: {PROMPT}"
    assert setup_end.fitted(line, 44) == [
        "Next:   start `claude` in /a, and type a",
        "        prompt such as:",
        f"        {PROMPT}",
    ]
    line = f"Skills: rcs setup --skills   {WHY_SKILLS}"
    assert setup_end.fitted(line, 44) == [
        "Skills: rcs setup --skills",
        "        # the instructions that the agent",
        "        reads for each of these words",
    ]
    assert [setup_end.fitted(line, columns) for columns in (None, 200)] == [[line], [line]]
    assert setup_end.fitted("", 20) == [""]
