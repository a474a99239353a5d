"""`rcs share status`, and what `rcs doctor` says of sharing: how far it is, and what is wrong."""

from __future__ import annotations

import json
import shlex
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rcs_hooks.files.clock import iso
from rcs_hooks.share import health, settings
from rcs_hooks.share.errors import ShareError
from tests.install.test_health import everything
from tests.share.support import Home, Sharing, wait_for
from tests.support import run_rcs

if TYPE_CHECKING:
    from tests.share.conftest import Database

NOWHERE = "postgresql://nobody@127.0.0.1:1/nothing"
NOT_AT_WORK = {"message": "no `rcs share run` is at work, so nothing is sent", "todo": "rcs share start"}
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


def test_what_to_type_for_a_folder_that_is_gone_can_be_typed_whatever_its_name(tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    home.configure([(tmp_path / "it's gone", "old", False)])
    (command,) = (each["todo"] for each in status(home, 1)["problems"] if "is not there" in each["message"])
    assert run_rcs(*shlex.split(command)[1:], cwd=home.project, env=home.env).returncode == 0
    assert settings.load(home.env).projects == ()


def test_for_a_while_after_all_was_sent_once_nothing_has_to_be_at_work(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    home.emit(3)
    home.share()
    home.emit(2)
    (found,) = status(home, 0)["projects"]
    assert found["behind"]["events"] == 2
    assert of_doctor(home) == [("ok", f"pay with {database.address.shown}", "")]
    path = home.path / ".rcs/share/status.json"
    said = home.status()
    since = "no `rcs share run` is at work, and nothing was sent since the last `--once`"
    for change, why in (
        ({"done_at": iso(time.time() - health.ONCE_LASTS - 1)}, since),
        ({"server": "another one"}, since),
        ({"projects": []}, since),
        ({"done_at": None}, NOT_AT_WORK["message"]),
    ):
        path.write_text(json.dumps(said | change))
        assert status(home, 1)["problems"] == [{"message": why, "todo": "rcs share start"}], change
    path.write_text(json.dumps(said | {"local_error": "it is damaged"}))
    why = "something on this machine cannot be read, and is not sent: it is damaged"
    assert status(home, 1)["problems"] == [{"message": why, "todo": ""}]


def test_what_was_stopped_or_has_failed_has_not_sent_everything_once(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    home.share()
    assert home.status()["done_at"]
    with Sharing(home):
        wait_for(lambda: home.status().get("state") == "current")
    assert status(home, 1)["problems"] == [NOT_AT_WORK]
    home.share()
    with database.connect() as sql:
        sql.execute("UPDATE rcs.schema SET version = 3, min_writer = 2")
    with pytest.raises(ShareError):
        home.share()
    assert status(home, 1)["problems"][-1] == NOT_AT_WORK


@pytest.mark.slow
def test_a_program_that_was_killed_is_not_at_work(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    home.emit(1)
    process = home.program()
    wait_for(lambda: home.status().get("state") == "current")
    assert status(home, 0)["run"]["pid"] == process.pid
    process.send_signal(signal.SIGKILL)
    process.communicate()
    why = f"`rcs share run` (process {process.pid}) has ended, so nothing is sent"
    assert status(home, 1)["problems"] == [{"message": why, "todo": "rcs share start"}]
    assert of_doctor(home) == [("warn", why, "rcs share start")]


def test_a_process_with_the_number_of_one_that_has_ended_is_not_taken_for_it(tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    folder = home.path / ".rcs" / "share"
    folder.mkdir()
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    (folder / "status.json").write_text(json.dumps({"v": 1, "pid": other.pid, "state": "current"}))
    assert status(home, 1)["run"]["is_at_work"] is False
    other.communicate(b"\n")


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


@pytest.mark.slow
def test_nobody_waits_long_for_a_server_that_answers_nothing(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        home = Home(tmp_path, f"postgresql://a@127.0.0.1:{port}/team")
        since = time.monotonic()
        checks = of_doctor(home)
        assert time.monotonic() - since < 60  # a driver alone would wait for ever
    assert checks == [
        ("warn", f"team on 127.0.0.1:{port} has not answered for 3 s", "rcs share status"),
        ("warn", NOT_AT_WORK["message"], "rcs share start"),
    ]


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


def test_a_schema_that_is_too_new_is_a_problem(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    with database.connect() as sql:
        sql.execute("UPDATE rcs.schema SET version = 3, min_writer = 2")
    (what, *_) = status(home, 1)["problems"]
    assert what["message"].endswith("and this one knows 1; update rcs-hooks here")


def test_a_service_that_does_not_go_on_has_another_hint(tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    for folder, name in (
        (".config/systemd/user", "rcs-share.service"),
        ("Library/LaunchAgents", "rcs-hooks.share.plist"),
    ):
        (home.path / folder).mkdir(parents=True)
        (home.path / folder / name).write_text("")
    assert of_doctor(home)[-1] == ("warn", NOT_AT_WORK["message"], "rcs share run --once")


def test_without_a_database_status_says_what_to_type(tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    (home.path / ".rcs" / "config.toml").unlink()
    done = run_rcs("share", "status", cwd=home.project, env=home.env)
    assert (done.returncode, done.stdout) == (1, "")
    assert "rcs share init postgresql://user@host/database" in done.stderr
