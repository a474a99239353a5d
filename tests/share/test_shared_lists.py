"""`--shared` of `rcs status`, `log` and `runs`: as words with the machine, and as JSON; whole programs, as a reader."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.runs.support import RCS
from tests.share.machine_rows import Rows
from tests.support import CHECKOUT, clean_env

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.share.conftest import Database


def _run(words: tuple[str, ...], folder: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*RCS, *words], cwd=folder, env=env, capture_output=True, text=True, timeout=60, check=False)


class Team:
    def __init__(self, database: Database, folder: Path) -> None:
        self.home, self.root = folder / "home", folder / "work"
        self.root.mkdir()
        (self.home / ".rcs").mkdir(parents=True)
        self.sql = database.connect()
        self.laptop = Rows(self.sql, "laptop", "ann", "app")
        self.cloud = Rows(self.sql, "cloud", "bob", "site")
        reader = database.role("looks", "rcs_reader")
        (self.home / ".rcs" / "config.toml").write_text(f'[share]\nurl = "{database.url(reader)}"\n')

    def fill(self) -> None:
        self.laptop.fill()
        self.cloud.fill()

    @property
    def env(self) -> dict[str, str]:
        return clean_env(HOME=str(self.home), PYTHONPATH=str(CHECKOUT))

    def rcs(self, *words: str) -> tuple[int, str, str]:
        done = _run(words, self.root, self.env)
        return done.returncode, done.stdout, done.stderr

    def said(self, *words: str) -> str:
        status, out, errors = self.rcs(*words)
        assert (status, errors) == (0, "")
        return out


@pytest.fixture
def team(database: Database, tmp_path: Path) -> Iterator[Team]:
    made = Team(database, tmp_path)
    yield made
    made.sql.close()


@pytest.fixture
def full(team: Team) -> Team:
    team.fill()
    return team


def test_status_says_on_which_machine_and_what_to_type_there(full: Team) -> None:
    said = full.said("status", "--shared")
    assert "Waits for you (4)" in said
    assert "On laptop: rcs question answer q1 'YOUR ANSWER'" in said.replace("  ", " ")
    for words in ("laptop", "cloud", "app", "site", "fix the login", "login page"):
        assert words in said
    found = json.loads(full.said("status", "--shared", "--json"))
    assert sorted({entry["project"] for entry in found["waiting"]}) == ["//cloud/site", "//laptop/app"]


@pytest.mark.slow
def test_the_log_says_on_which_machine(full: Team) -> None:
    lines = full.said("log", "--shared").splitlines()
    assert [line.split()[2] for line in lines] == ["laptop", "cloud"] * 3
    assert "started: starting" in lines[0]
    found = [json.loads(line) for line in full.said("log", "--shared", "--json", "-n", "2").splitlines()]
    assert [(each["project"], each["person"], each["event"]) for each in found] == [
        ("//cloud/site", "bob", "phase"), ("//cloud/site", "bob", "started"),
    ]  # fmt: skip
    assert full.said("log", "--shared", "--mode", "blueprint").startswith("nothing has happened")


def test_where_the_database_is_away_it_is_one_sentence_without_the_address_of_a_secret(team: Team) -> None:
    (team.home / ".rcs" / "config.toml").write_text('[share]\nurl = "postgresql://x@127.0.0.1:9/none"\n')
    for words in (("status",), ("log",), ("runs", "list")):
        status, out, errors = team.rcs(*words, "--shared")
        assert (status, out) == (1, "")
        assert len(errors.splitlines()) == 1
        assert "127.0.0.1" in errors
