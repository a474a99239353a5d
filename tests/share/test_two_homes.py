"""Two machines with homes of their own, their writers as `rcs_writer`, and a third that looks as `rcs_reader`."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from tests.dashboard.support import PATIENCE, Record, Server, fetch
from tests.runs.support import RCS, Project
from tests.support import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.share.conftest import Database


class Machine:
    """One home with a shared project, and the writer of that machine."""

    def __init__(self, database: Database, folder: Path, name: str, person: str, *, texts: bool) -> None:
        self.project = Project(folder)
        self.workspace = Workspace(self.project.root)
        self.role = database.role(f"writes_{name}", "rcs_writer")
        config = self.project.home / ".rcs" / "config.toml"
        config.parent.mkdir(exist_ok=True)
        config.write_text(
            f'[share]\nurl = "{database.url(self.role)}"\nperson = "{person}"\nmachine = "{name}"\n'
            f'[[share.projects]]\npath = "{self.project.root}"\nname = "app"\ntexts = {str(texts).lower()}\n'
        )

    def rcs(self, *words: str, **options: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*RCS, *words], cwd=self.project.root, env=self.project.env(), capture_output=True, text=True,
            timeout=PATIENCE, check=True, **options,
        )  # fmt: skip

    def work(self) -> None:
        """A run, a mode of a session with a question, and a task."""
        self.project.walk("requirements", "design")
        self.workspace.prompt("$forge fix the login")
        self.rcs(
            "question", "ask", "--mode", "forge", "--session", "s1", "--text", "Which database?", "--option", "SQLite"
        )
        self.rcs("task", "new", "login")


class Team:
    def __init__(self, database: Database, folder: Path) -> None:
        self.laptop = Machine(database, folder / "laptop", "laptop", "ann", texts=True)
        self.cloud = Machine(database, folder / "cloud", "cloud", "bob", texts=False)
        self.desk = Project(folder / "desk")
        reader = database.role("looks", "rcs_reader")
        config = self.desk.home / ".rcs" / "config.toml"
        config.parent.mkdir()
        config.write_text(f'[share]\nurl = "{database.url(reader)}"\n')

    def sent(self) -> None:
        for machine in (self.laptop, self.cloud):
            machine.rcs("share", "run", "--once")


@pytest.fixture
def team(database: Database, tmp_path: Path) -> Team:
    return Team(database, tmp_path)


@pytest.fixture
def server_of_desk(team: Team) -> Iterator[Server]:
    made = Server(team.desk)
    yield made
    if made.process.poll() is None:
        made.process.kill()
    made.process.communicate(timeout=PATIENCE)


@pytest.mark.slow
def test_what_two_machines_have_sent_is_on_the_pages_of_a_third(team: Team, server_of_desk: Server) -> None:
    for machine in (team.laptop, team.cloud):
        machine.work()
    team.sent()

    def get(address: str, **query: str) -> Record:
        found: Record = fetch(f"{server_of_desk.url}shared/api{address}", params=query).json()
        return found

    runs = get("/runs", workflow="build")["runs"]
    assert sorted((run["run_id"], run["project"], run["feature"]) for run in runs) == [
        ("build-1@cloud", "//cloud/app", None), ("r1@laptop", "//laptop/app", None),
    ]  # fmt: skip
    assert get("/runs/r1@laptop")["current"] == "design"
    entries = get("/overview")
    waiting = {entry["project"]: entry for entry in entries["waiting"] if entry["question"]}
    assert sorted(waiting) == ["//cloud/app", "//laptop/app"]
    assert waiting["//laptop/app"]["title"] == "fix the login"
    assert waiting["//cloud/app"]["has_title"] is False
    sessions = get("/sessions")["sessions"]
    assert sorted(each["root"] for each in sessions) == ["//cloud/app", "//laptop/app"]
    assert len(get("/tasks")["tasks"]) == 2
    needs = get("/attention")["waiting"]
    assert {need["project"] for need in needs} >= {"//cloud/app", "//laptop/app"}
    for project in ("//laptop/app", "//cloud/app"):
        mode = get("/modes/forge", project=project, session=sessions[0]["session"])
        assert mode["status"] == "waiting"
        assert mode["graph"]["svg"]
        assert [each["question"] for each in mode["questions"]] == ["Which database?"]
    everything = get("/all")["entries"]
    assert {(entry["kind"], entry["project"]) for entry in everything} == {
        (kind, f"//{machine}/app") for kind in ("mode", "run", "task") for machine in ("laptop", "cloud")
    }
    machines = get("/machines")["machines"]
    assert sorted((each["name"], each["person"], each["is_silent"]) for each in machines) == [
        ("cloud", "bob", False), ("laptop", "ann", False),
    ]  # fmt: skip
