"""Where the file of an own mode is looked for, and what a clone may bring there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rcs_hooks.catalog import ModeDef
from rcs_hooks.fault import Fault
from rcs_hooks.mode_def import HOME, PROJECT
from rcs_hooks.modes import lookup
from tests.modes.declarations import skill
from tests.table import each_row

FOLDERS = (".claude", ".codex", ".agents", ".copilot", ".github", ".gemini", ".qwen")


class Places:
    """A home and a project, with skills in them."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.root = folder / "home" / "work"
        self.root.mkdir(parents=True)
        self.env = {"HOME": str(self.home)}

    def write(self, base: Path, client: str = ".claude", name: str = "release", text: str | None = None) -> Path:
        path = base / client / "skills" / name / "SKILL.md"
        path.parent.mkdir(parents=True)
        path.write_text(skill(name=name) if text is None else text)
        return path

    def find(self, name: str = "release") -> ModeDef | Fault | None:
        return lookup.find(name, self.env, str(self.root))

    def mode(self, name: str = "release") -> tuple[str, str]:
        found = self.find(name)
        assert isinstance(found, ModeDef)
        return found.source, found.file

    def problem(self, name: str = "release") -> str:
        found = self.find(name)
        assert isinstance(found, Fault)
        return found.problem


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path)


def test_a_name_is_there_where_any_folder_has_a_skill_of_it(places: Places) -> None:
    places.write(places.root, client=".agents", name="review")
    broken = places.home / ".codex" / "skills" / "Plain"
    broken.mkdir(parents=True)
    (broken / "SKILL.md").symlink_to("SKILL.md")
    names = ("release", "Review", "Plain", "plain")
    assert lookup.names_there(names, places.env, str(places.root)) == ("Review", "Plain")


@pytest.mark.parametrize("whose", ["root", "home"])
def test_of_two_clients_folders_the_first_counts(whose: str, places: Places) -> None:
    base = getattr(places, whose)
    for client in reversed(FOLDERS):
        path = places.write(base, client)
        assert places.mode()[1] == str(path)


def test_the_name_may_be_typed_in_any_case(places: Places) -> None:
    path = places.write(places.root)
    assert places.mode("Release") == (PROJECT, str(path))
    path = places.write(places.root, ".agents", "Ship")
    assert places.mode("Ship") == (PROJECT, str(path))


@pytest.mark.parametrize("is_folder", [True, False])
def test_a_link_in_the_home_that_leads_nowhere_keeps_its_name(is_folder: bool, places: Places) -> None:
    """What it led to may be on a disk that is not there; a clone must not take its place."""
    places.write(places.root)
    path = places.home / ".claude" / "skills" / "release" / "SKILL.md"
    link = path.parent if is_folder else path
    link.parent.mkdir(parents=True)
    link.symlink_to("/nowhere/at/all")
    assert places.find() == Fault(str(path), 0, "a link leads nowhere here, so nothing can be read")


@pytest.mark.parametrize("variable", ["CLAUDE_CONFIG_DIR", "CODEX_HOME"])
def test_a_variable_moves_the_folder_of_the_home(variable: str, places: Places, tmp_path: Path) -> None:
    places.env[variable] = str(tmp_path / "moved")
    path = tmp_path / "moved" / "skills" / "release" / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(skill())
    assert places.mode() == (HOME, str(path))


def test_a_variable_makes_nothing_of_the_project_the_persons(places: Places) -> None:
    path = places.write(places.root)
    places.env["CLAUDE_CONFIG_DIR"] = str(places.root / ".claude")
    assert places.mode() == (PROJECT, str(path))


def test_a_broken_mode_of_the_person_is_not_replaced_either(places: Places) -> None:
    places.write(places.home, text=skill("rcs-kind: mode"))
    places.write(places.root)
    assert places.problem() == "`rcs-kind` is planning or execution, and not `mode`"


def test_without_a_home_only_the_project_counts(places: Places) -> None:
    places.write(places.home)
    path = places.write(places.root)
    places.env = {}
    assert places.mode() == (PROJECT, str(path))


@each_row("name", ["forge", "crew", "cancel", "task", "all", "../release", "a/b", "", ".", "re lease", "a" * 41, "é"])
def test_a_name_that_no_own_mode_may_have_is_not_looked_for(name: str, tmp_path: Path) -> None:
    places = Places(tmp_path)
    assert places.find(name) is None


# --- what a clone may bring


def test_a_link_out_of_the_project_is_not_read(places: Places, tmp_path: Path) -> None:
    elsewhere = places.write(tmp_path / "elsewhere")
    (places.root / ".claude" / "skills").mkdir(parents=True)
    (places.root / ".claude" / "skills" / "release").symlink_to(elsewhere.parent)
    assert places.problem() == "a link leads out of the project here, so it is not read"


def test_a_link_in_the_home_is_followed(places: Places, tmp_path: Path) -> None:
    elsewhere = places.write(tmp_path / "dotfiles")
    (places.home / ".claude").mkdir()
    (places.home / ".claude" / "skills").symlink_to(elsewhere.parent.parent)
    assert places.mode()[0] == HOME


def test_no_folder_is_listed(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(200):
        places.write(places.root, name=f"other{number}")
    path = places.write(places.root)

    def never(*_: object) -> None:
        raise AssertionError("a folder was listed")

    monkeypatch.setattr(os, "listdir", never)
    monkeypatch.setattr(os, "scandir", never)
    assert places.mode() == (PROJECT, str(path))
