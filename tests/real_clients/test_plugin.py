"""The checkout as a plugin of the real Claude Code: its hooks, its skills, and what it says where no Python will do."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.catalog import SKILL_FILES
from tests.real_clients.driver import Person
from tests.real_clients.test_turns import DETECTED, DONE, FINISH, PROMPT, REASON, WORKING, counts, ended_well
from tests.support import CHECKOUT, Workspace
from tests.test_plugin import linked

if TYPE_CHECKING:
    from pathlib import Path

    from tests.real_clients.driver import Outcome

pytestmark = pytest.mark.parametrize("client", ["claude"])

SKILLS = sorted(SKILL_FILES)
OFF = "rcs: the hooks are off"


def plug_in(person: Person, folder: Path) -> None:
    """Take the plugin from this folder."""
    person.options = (f"--plugin-dir={folder}",)


@pytest.fixture
def plugged(person: Person, tmp_path: Path) -> Person:
    """The plugin's folder has blanks and quotation marks in its path."""
    folder = tmp_path / 'it\'s a "plugin"'
    folder.symlink_to(CHECKOUT)
    plug_in(person, folder)
    person.env["RCS_PYTHON"] = sys.executable
    return person


def told(outcome: Outcome) -> list[str]:
    """What hooks said to the person: in its own lines, or in those of a session's start."""
    return [line for line in outcome.out.splitlines() if OFF in line]


def test_a_whole_turn(plugged: Person, workspace: Workspace) -> None:
    outcome = plugged.types(PROMPT, WORKING, FINISH, DONE)
    assert ended_well(outcome)
    assert counts(outcome, f"{DETECTED}$blueprint, $team, $forge") == [1, 1, 1]
    assert [count > 0 for count in counts(outcome, REASON)] == [False, True, True]
    assert workspace.active(outcome.session) == []
    assert workspace.read("blueprint", outcome.session)["lifecycle_outcome"] == "finished"
    assert told(outcome) == []


def test_its_skills_are_there_for_the_person_and_for_the_model(plugged: Person) -> None:
    outcome = plugged.types("Hi", DONE)
    assert ended_well(outcome)
    (init,) = [event for event in outcome.events if event.get("subtype") == "init"]
    assert "rcs" in [plugin["name"] for plugin in init["plugins"]]
    names = [f"rcs:{name}" for name in SKILLS]
    assert sorted(name for name in init["slash_commands"] if name.startswith("rcs:")) == names
    assert [min(counts(outcome, f"- {name}: ")) for name in names] == [1] * len(names)


def test_without_a_python_that_will_do_one_message_and_the_turn_goes_on(
    plugged: Person, workspace: Workspace, tmp_path: Path
) -> None:
    plug_in(plugged, linked(tmp_path / "bare"))
    plugged.env["RCS_PYTHON"] = "/nonexistent/python3"
    outcome = plugged.types("Hi", DONE)
    assert ended_well(outcome)
    assert len(outcome.requests) == 1
    assert not (workspace.root / ".rcs").exists()
    assert len(told(outcome)) == 1
    asked = plugged.types("$forge ship this fix", DONE, resume=outcome.session)
    assert ended_well(asked)
    assert len(asked.requests) == 1
    assert f"{OFF}, there is no Python" in asked.shown[-1]
