"""`rcs share init | add | remove | prune`, as a person types them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.share import settings
from tests.share.rows import fill, owned
from tests.support import Record, clean_env, run_rcs
from tests.table import each_row

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from tests.share.conftest import Database

SECRET = "hunter2"
LEAVES = "What leaves: modes, phases, outcomes, the kinds and times of events, and questions"
STAYS = "What was sent stays in the shared database until it is pruned there.\n"


class Person:
    """A person with a home, a project, and nothing shared yet."""

    def __init__(self, folder: Path) -> None:
        self.home, self.project = folder / "home", folder / "shop"
        self.home.mkdir()
        (self.project / ".git/refs").mkdir(parents=True)
        self.env = clean_env(HOME=str(self.home))

    @property
    def config(self) -> Path:
        return self.home / ".rcs/config.toml"

    def rcs(
        self, *words: str, cwd: Path | None = None, env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return run_rcs("share", *words, cwd=cwd or self.project, env=self.env | (env or {}))

    def said(self, *words: str, cwd: Path | None = None) -> str:
        done = self.rcs(*words, cwd=cwd)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    def refused(self, *words: str, env: dict[str, str] | None = None) -> str:
        done = self.rcs(*words, env=env)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("rcs: ")
        assert done.stderr.count("\n") == 1
        return done.stderr.removeprefix("rcs: ").rstrip("\n")

    def as_json(self, *words: str) -> Record:
        found: Record = json.loads(self.said(*words, "--json"))
        return found

    def settings(self) -> settings.ShareSettings:
        return settings.load(self.env)


@pytest.fixture
def ada(tmp_path: Path) -> Person:
    return Person(tmp_path)


# --- init


def test_init_makes_the_schema_and_names_the_database_once(ada: Person, empty_database: Database) -> None:
    shown, url = empty_database.address.shown, empty_database.url()
    assert ada.said("init", url) == (
        f"{shown} has got version 1 of the schema\n~/.rcs/config.toml names it\n"
        "Nothing leaves this machine yet; to share a folder: rcs share add .\n"
    )
    assert ada.config.read_text() == f'[share]\nurl = "{url}"\n'
    assert ada.config.stat().st_mode & 0o777 == 0o600
    ada.said("add")
    before = ada.config.read_text()
    assert ada.said("init", url) == ada.said("init") == f"{shown} has version 1 of the schema\n"
    assert ada.said("init", "--roles") == (
        f"{shown} has version 1 of the schema\n"
        "the roles rcs_writer and rcs_reader may use it; to give one to a user: GRANT rcs_writer TO NAME\n"
    )
    assert ada.config.read_text() == before
    wanted = {"ok": True, "before": 1, "version": 1, "roles": True, "was_changed": False}
    assert ada.as_json("init") == wanted


# --- the password


@each_row("url", [
    "postgresql://ada:hunter2@db/team", "postgresql://ada:hunter2@db/team?user=ada",
    "postgresql://db/team?password=hunter2",
])  # fmt: skip
def test_a_password_on_the_command_line_is_refused_and_goes_nowhere(url: str, tmp_path: Path) -> None:
    ada = Person(tmp_path)
    for words in (["init", url], ["init", "--json", url]):
        done = ada.rcs(*words)
        assert (done.returncode, done.stdout) == (1, "")
        assert SECRET not in done.stderr
        for place in ("~/.pgpass", "PGPASSWORD", "a service file"):
            assert place in done.stderr
    assert list(ada.home.iterdir()) == []


# --- add, remove


def test_add_names_what_leaves_and_by_which_name(ada: Person) -> None:
    assert ada.said("add", ".") == (
        f"{ada.project} is shared, as shop\n{LEAVES}. Never prompts, outputs and answers.\n"
        "No shared database is named yet; to name one: rcs share init postgresql://user@host/database\n"
    )
    assert ada.settings().projects == ((str(ada.project), "shop", False),)
    assert ada.said("add").startswith(f"{ada.project} is shared already, as shop\n")


def test_texts_leave_only_when_they_are_asked_for_and_can_be_called_back(ada: Person) -> None:
    texts = "with titles, reasons, messages, commands, paths and the data of `rcs emit`. Never prompts, outputs and"
    assert f"{LEAVES}, {texts} answers.\n" in ada.said("add", "--texts", "--name", "The shop")
    assert ada.settings().projects == ((str(ada.project), "The shop", True),)
    assert f"Titles and other texts no longer leave. {STAYS}" in ada.said("add")
    assert ada.settings().projects == ((str(ada.project), "The shop", False),)


def test_remove_sends_nothing_more_and_says_what_stays(ada: Person) -> None:
    ada.said("add")
    assert ada.said("remove", ".") == f"{ada.project} is no longer shared\n{STAYS}"
    assert ada.said("remove") == f"{ada.project} was not shared\n"
    assert "projects" not in ada.config.read_text()


def test_an_agent_does_not_say_what_leaves_the_machine(ada: Person, empty_database: Database) -> None:
    agent = {"CLAUDECODE": "1"}
    assert ada.refused("add", "--texts", env=agent) == (
        "this is an agent's shell, and what leaves the machine is for a person to say: type it in a terminal: "
        "rcs share add ."
    )
    assert ada.refused("init", empty_database.url(), env=agent).startswith(
        "this is an agent's shell, and where to share"
    )
    assert not ada.config.exists()
    ada.said("add")
    assert ada.rcs("remove", env=agent).returncode == 0


# --- prune


def test_prune_counts_and_deletes_what_is_old(ada: Person, database: Database) -> None:
    ada.said("init", database.url())
    with database.connect() as owner:
        fill(owner, owned(owner, "laptop"))
        assert ada.said("prune", "--older-than", "90d", "--dry-run") == (
            "1 run, 2 events, 1 move and 0 documents would be deleted\n"
        )
        assert owner.execute("SELECT count(*) FROM rcs.runs").fetchall() == [(1,)]
        wanted = {"ok": True, "dry_run": False, "runs": 1, "events": 2, "moves": 1, "documents": 0}
        assert ada.as_json("prune", "--older-than", "90d") == wanted
        assert owner.execute("SELECT count(*) FROM rcs.runs").fetchall() == [(0,)]
    assert ada.said("prune", "--older-than", "1d") == "0 runs, 0 events, 0 moves and 0 documents deleted\n"


def test_a_writer_who_prunes_is_told_who_may(ada: Person, database: Database) -> None:
    ada.said("init", database.url(database.role("ada", "rcs_writer")))
    sentence = ada.refused("prune", "--older-than", "1d")
    assert sentence.startswith(
        "only the owner of the shared schema may prune it, which is the database's user postgres;"
    )
