"""`rcs share status`, and what `rcs doctor` says of sharing: how far it is, and what is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.install.test_health import everything
from tests.share.support import Home, Sharing, wait_for
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
    with Sharing(home):
        wait_for(
            lambda: home.status().get("state") == "current" and status(home, 0)["projects"][0]["behind"]["events"] == 0
        )
        found = status(home, 0)
        said = run_rcs("share", "status", cwd=home.project, env=home.env)
        checks = of_doctor(home, unchanged=False)
    shown = database.address.shown
    assert found["server"] == {"name": shown, "schema": 1, "needed": 1, "error": None}
    assert found["run"]["is_at_work"] is True
    assert found["projects"] == [
        {"path": str(home.project), "name": "pay", "texts": False, "is_there": True,
         "behind": {"events": 0, "since": None}},
    ]  # fmt: skip
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
    with Sharing(home):
        wait_for(lambda: home.status().get("error"))
        found = status(home, 1)
    assert found["problems"] == [{"message": UNREACHABLE, "todo": ""}]
    assert found["error"]["kind"] == "unreachable"
    assert found["error"]["tries"] >= 1
    assert found["projects"][0]["behind"]["events"] == 7


def test_doctor_says_nothing_of_sharing_where_nothing_is_configured_and_loads_no_driver(tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    config = home.path / ".rcs" / "config.toml"
    code = "import sys; from rcs_hooks.cli.main import main; main(); print('psycopg' in sys.modules)"

    def loads_driver() -> bool:
        command = [sys.executable, "-EP", "-c", code, "doctor", "--json"]
        done = subprocess.run(command, cwd=home.project, env=home.env, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()[-1] == "True"

    assert loads_driver()
    config.unlink()
    assert of_doctor(home) == []
    assert not loads_driver()
    config.write_text(f'[share]\nurl = "{NOWHERE}"\n')
    assert not loads_driver()
    note = ("note", "nothing on 127.0.0.1:1 is named, and no folder is shared", "rcs share add .")
    assert of_doctor(home) == [note]
    config.write_text('[share]\nurl = "mysql://db/team"\n')
    assert of_doctor(home)[0][0] == "warn"
