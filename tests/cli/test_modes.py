"""`rcs modes` as a whole program: the list, and a new mode from an empty project."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from rcs_hooks.catalog import MODES, ModeDef
from rcs_hooks.modes import lookup
from rcs_hooks.modes.lint import check
from rcs_hooks.modes.skeleton import KINDS
from tests.modes.declarations import skill
from tests.support import clean_env, run_rcs
from tests.table import each_row

CANCEL = "$cancel ends every run of the session"


class Person:
    """A home and an empty project; Claude Code and Codex are on the machine, unless `clients` says otherwise."""

    def __init__(self, folder: Path, clients: tuple[str, ...] = (".claude", ".codex")) -> None:
        self.home = folder / "home"
        self.root = folder / "project"
        (self.root / ".git").mkdir(parents=True)
        for client in clients:
            (self.home / client).mkdir(parents=True)
        self.home.mkdir(exist_ok=True)

    def rcs(self, *words: str) -> tuple[int, list[str], str]:
        env = clean_env(HOME=str(self.home), PATH="/nowhere")
        done = run_rcs(*words, cwd=self.root, env=env)
        return done.returncode, done.stdout.splitlines(), done.stderr

    def write(self, base: Path, name: str, text: str | None = None) -> Path:
        path = base / ".claude" / "skills" / name / "SKILL.md"
        path.parent.mkdir(parents=True)
        path.write_text(text or skill(name=name))
        return path

    def find(self, name: str) -> ModeDef:
        found = lookup.find(name, {"HOME": str(self.home)}, str(self.root))
        assert isinstance(found, ModeDef)
        return found


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path)


# --- the list


def test_the_modes_that_ship_are_listed_and_a_broken_one_is_told(person: Person) -> None:
    status, lines, err = person.rcs("modes")
    assert (status, len(lines), lines[-1], err) == (0, 2 + len(MODES), CANCEL, "")
    assert person.rcs("modes", "list") == (0, lines, "")
    path = person.write(person.root, "release", skill("rcs-kind: both"))
    told = f"broken: {path}:5: `rcs-kind` is planning or execution, and not `both`\n"
    assert person.rcs("modes") == (0, lines, told)
    path.write_text(skill(name="release"))
    moved = path.parent.rename(path.parent.with_name("Release")) / path.name
    told = f"broken: {moved}: `$release` does not find it, for its folder has capitals; call it `release`\n"
    assert person.rcs("modes")[2] == ("" if path.exists() else told)


def test_as_json_a_mode_has_the_keys_that_others_rely_on(person: Person) -> None:
    path = person.write(person.root, "release", skill("rcs-kind: execution\nrcs-after: blueprint\nrcs-beside: team"))
    _, (line,), _ = person.rcs("modes", "--json")
    listed = {each["name"]: each for each in json.loads(line)}
    assert list(listed) == [*MODES, "release"]
    assert listed["release"] == {
        "name": "release",
        "kind": "execution",
        "tokens": ["release"],
        "file": str(path),
        "after": ["blueprint"],
        "beside": ["team", "ultrawork"],
        "states": {"starting": "Do it", "checking": "Check it"},
        "first": "starting",
        "ships": False,
        "source": "project",
        "max_iterations": None,
    }
    team = listed["team"]
    assert (team["tokens"], team["ships"], team["source"]) == (["crew", "team", "swarm"], True, "ships")
    assert team["beside"] == ["forge", "ultrawork", "release"]
    assert os.path.isfile(team["file"])


# --- a new mode


@each_row("kind", KINDS)
def test_a_new_mode_can_be_used_as_it_is(kind: str, tmp_path: Path) -> None:
    person = Person(tmp_path)
    status, lines, err = person.rcs("modes", "new", "release", "--kind", kind)
    path = person.root / ".claude" / "skills" / "release" / "SKILL.md"
    link = person.root / ".agents" / "skills" / "release"
    assert (status, err) == (0, "")
    assert lines == [
        f"wrote {path}",
        f"linked {link} to it",
        f"Edit it, then: rcs machine check {path}",
        "Start it in a prompt: $release WHAT IS TO BE DONE",
    ]
    report = check(path.read_text(), str(path))
    assert (report.faults, report.warnings) == ((), ())
    mode = person.find("release")
    assert (mode.is_planning, mode.source, mode.file) == (kind == "planning", "project", str(path))
    assert os.readlink(link) == "../../.claude/skills/release"
    assert person.rcs("machine", "check", str(path))[0] == 0
    assert len(path.read_text()) < 3_200


WHERE: list[tuple[tuple[str, ...], str, list[str]]] = [
    # the clients on the machine, the option, the folders that are written
    ((".claude",), "", [".claude"]),
    ((".codex",), "", [".agents"]),
    ((".copilot", ".qwen", ".gemini"), "", [".agents"]),
    ((), "", [".agents", ".claude"]),
    ((".claude", ".codex"), "--client codex", [".agents"]),
    ((".claude",), "--client all", [".agents", ".claude"]),
]


@each_row(("clients", "words", "folders"), WHERE)
def test_a_new_mode_is_written_where_the_clients_look(
    clients: tuple[str, ...], words: str, folders: list[str], tmp_path: Path
) -> None:
    person = Person(tmp_path, clients)
    assert person.rcs("modes", "new", "release", *words.split())[0] == 0
    assert sorted(path.name for path in person.root.iterdir()) == [*folders, ".git"]
    assert all((person.root / folder / "skills" / "release" / "SKILL.md").is_file() for folder in folders)


LETTERS = "it begins with a letter a to z, and has small letters, digits and hyphens, 40 at most"


@each_row(
    ("name", "says"),
    [
        ("forge", "the name 'forge' is taken by rcs; choose another"),
        ("cancel", "the name 'cancel' is taken by rcs; choose another"),
        ("build", "the name 'build' is taken by a workflow that ships with rcs; choose another"),
        ("../x", f"'../x' cannot be the name of a mode: {LETTERS}"),
        ("Release", f"'Release' cannot be the name of a mode: {LETTERS}"),
        ("release", "{home}/.claude/skills/release exists already and goes before a mode of the project; choose"),
        ("design", "{root}/.agents/skills/design exists already; edit it, or choose another name"),
    ],
)
def test_a_name_that_cannot_be_is_refused_and_nothing_is_written(name: str, says: str, tmp_path: Path) -> None:
    person = Person(tmp_path)
    person.write(person.home, "release")
    (person.root / ".agents/skills/design").mkdir(parents=True)
    status, lines, err = person.rcs("modes", "new", name)
    assert (status, lines) == (1, [])
    assert err.startswith(f"rcs: {says.format(home=person.home, root=person.root)}")
    assert not (person.root / ".claude").exists()


def test_nothing_is_written_through_a_link_or_a_file(person: Person, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (person.root / ".claude").symlink_to(tmp_path / "elsewhere")
    status, _, err = person.rcs("modes", "new", "release")
    assert (status, "a link leads out of the project" in err) == (1, True)
    assert list((tmp_path / "elsewhere").iterdir()) == []
