"""`rcs share status`, and what `rcs doctor` says of sharing: how far it is, and what is wrong."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from rcs_hooks.share import schema
from tests.install.test_health import everything
from tests.share.support import Home, shared_events, sharing, table, wait_for
from tests.support import run_rcs

if TYPE_CHECKING:
    from pathlib import Path

    from tests.share.conftest import Database

NOWHERE = "postgresql://nobody@127.0.0.1:1/nothing"
UNREACHABLE = "no connection to nothing on 127.0.0.1:1: no server answers there"


def status(home: Home, code: int) -> dict[str, Any]:
    done = run_rcs("share", "status", "--json", cwd=home.project, env=home.env)
    assert (done.returncode, done.stderr) == (code, "")
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["ok"] is (code == 0)
    return found


def of_doctor(home: Home, *, unchanged: bool = True) -> list[tuple[str, str, str]]:
    before = everything(home.path) if unchanged else None
    done = run_rcs("doctor", "--json", cwd=home.project, env=home.env)
    assert not unchanged or everything(home.path) == before
    return [
        (each["status"], each["found"], each["todo"])
        for each in json.loads(done.stdout)["checks"]
        if each["what"] == "sharing"
    ]


@pytest.mark.slow
def test_all_is_well_while_a_program_shares(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    home.emit(5)
    with sharing(home):
        wait_for(
            lambda: home.status().get("state") == "current" and status(home, 0)["projects"][0]["behind"]["events"] == 0
        )
        found = status(home, 0)
        said = run_rcs("share", "status", cwd=home.project, env=home.env)
        checks = of_doctor(home, unchanged=False)
    shown = database.address.shown
    assert found["server"] == {"name": shown, "schema": 1, "needed": 1, "error": None}
    assert found["run"]["is_at_work"] is True
    assert (found["machine"], found["person"], found["problems"]) == ("laptop", "mia", [])
    lines = said.stdout.splitlines()
    assert said.returncode == 0
    assert lines[0] == f"shared database  {shown}, version 1 of the schema"
    assert lines[1] == "this machine     laptop, of mia"
    assert lines[-1].split() == ["pay", "no", "texts", "nothing"]
    assert checks == [("ok", f"pay with {shown}", "")]


def test_each_project_says_what_of_it_was_not_sent(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    other = tmp_path / "shop"
    other.mkdir()
    home.configure([(home.project, "pay", False), (other, "shop", True), (tmp_path / "gone", "old", False)])
    home.emit(3)
    home.share()
    home.emit(4)
    home.log("s-1", {}, {})
    home.emit(2, project=other)
    before = home.local_bytes()
    found = status(home, 1)
    assert home.local_bytes() == before
    behind = {each["name"]: each["behind"]["events"] for each in found["projects"]}
    assert behind == {"pay": 6, "shop": 2, "old": 0}
    assert found["projects"][0]["behind"]["since"].startswith("20")
    gone = {"message": f"{tmp_path}/gone is not there any more", "todo": f"rcs share remove {tmp_path}/gone"}
    unread = f"cannot be read, and is not sent: {tmp_path}/gone is not there, so no session and task of it is shared"
    assert found["problems"] == [gone, {"message": f"something on this machine {unread}", "todo": ""}]
    said = run_rcs("share", "status", cwd=home.project, env=home.env).stdout
    assert "6 records, the first of " in said
    assert "its folder is gone" in said


def test_a_server_that_is_away_is_named_with_how_long_nothing_was_sent(tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    home.emit(7)
    with sharing(home):
        wait_for(lambda: home.status().get("error"))
        found = status(home, 1)
    assert found["problems"] == [{"message": UNREACHABLE, "todo": ""}]
    assert found["error"]["kind"] == "unreachable"
    assert found["error"]["tries"] >= 1
    assert found["projects"][0]["behind"]["events"] == 7


def test_doctor_says_nothing_of_sharing_where_nothing_is_configured(tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    config = home.path / ".rcs" / "config.toml"
    config.unlink()
    assert of_doctor(home) == []
    config.write_text(f'[share]\nurl = "{NOWHERE}"\n')
    note = ("note", "nothing on 127.0.0.1:1 is named, and no folder is shared", "rcs share add .")
    assert of_doctor(home) == [note]
    config.write_text('[share]\nurl = "mysql://db/team"\n')
    assert of_doctor(home)[0][0] == "warn"


# --- what was not sent, where something goes


PRUNE = ("runs", "prune", "--older-than", "1d")


def test_runs_that_were_not_shared_stay_unless_forced(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    home.emit(5, runs=2)
    said = run_rcs(*PRUNE, cwd=home.project, env=home.env)
    assert (said.returncode, said.stdout) == (0, "0 deleted\n")
    assert said.stderr.startswith("rcs: 2 runs stay, for they are not known to be shared yet; to share: rcs share run")
    home.share()
    home.emit(5, runs=3)
    said = run_rcs(*PRUNE, "--json", cwd=home.project, env=home.env)
    assert sorted(json.loads(said.stdout)["unsent"]) == ["run-3", "run-4", "run-5"]
    assert run_rcs(*PRUNE, "--force", cwd=home.project, env=home.env).stdout == "3 deleted\n"
    home.emit(5)
    home.configure([])
    assert run_rcs(*PRUNE, cwd=home.project, env=home.env).stdout == "1 deleted\n"


def test_a_purge_says_how_much_was_not_shared(tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    home.emit(5)
    said = run_rcs("uninstall", "--purge", "--yes", cwd=home.project, env=home.env)
    assert (said.returncode, home.database.exists()) == (0, False)
    assert said.stderr.startswith("rcs: 5 records of shared folders are not shared yet; to share: rcs share run --once")


def test_what_was_sent_to_one_database_is_sent_to_the_next_one_too(
    database: Database, empty_database: Database, tmp_path: Path
) -> None:
    home = Home(tmp_path, database.url())
    home.emit(5)
    home.log("s-1", *[{}] * 5)
    schema.init(empty_database.address)
    with sharing(home):
        wait_for(lambda: shared_events(database) == home.event_ids())
        wait_for(lambda: table(database, "SELECT count(*) FROM rcs.mode_events") == [(5,)])
        home.url = empty_database.url()
        home.configure([(home.project, "pay", False)])
        wait_for(lambda: shared_events(empty_database) == home.event_ids())
        wait_for(lambda: table(empty_database, "SELECT count(*) FROM rcs.mode_events") == [(5,)])
