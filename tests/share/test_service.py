"""`rcs share start | stop`: the service that shares, with a manager that only writes down what it is asked."""

from __future__ import annotations

import json
import os
import plistlib
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.errors import Refused
from rcs_hooks.share import service
from tests.support import RCS_HOOK, clean_env, run_rcs

if TYPE_CHECKING:
    from tests.share.conftest import Database

MANAGER = """#!/bin/sh
echo "$*" >> "$CALLS"
env | sort > "$CALLS.env"
state=$CALLS.state
case "$*" in
  *"$FAILS"*) echo "it cannot be done: $FAILS" >&2; exit 1 ;;
  *is-active*) if [ -e "$state" ]; then echo active; else echo inactive; exit 3; fi ;;
  *"print gui/"*/*) if [ -e "$state" ]; then echo "	state = running"; else exit 113; fi ;;
  *enable\\ --now*|*bootstrap*) touch "$state" ;;
  *disable*|*bootout*) rm -f "$state" ;;
esac
"""
"""Both managers: what it is asked goes into a file, and another file says whether the service runs."""
NEVER = "no call has this in it"
START = ["--user show-environment", "--user daemon-reload", "--user enable --now rcs-share.service"]
linux = pytest.mark.skipif(sys.platform == "darwin", reason="`rcs share start` asks launchd on macOS, not systemd")


class Desk:
    """A person who shares a project, on a machine with a manager of services."""

    def __init__(self, folder: Path) -> None:
        self.home, self.project, programs = folder / "home", folder / "shop", folder / "bin"
        for path in (self.home / ".rcs", self.project / ".git/refs", programs):
            path.mkdir(parents=True)
        for name in ("systemctl", "launchctl"):
            (programs / name).write_text(MANAGER)
            (programs / name).chmod(0o755)
        self.calls_file = folder / "calls"
        self.env = clean_env(
            HOME=str(self.home), PATH=f"{programs}:/usr/bin:/bin", CALLS=str(self.calls_file), FAILS=NEVER
        )
        self.share_with("postgresql://ada@db.example.com/team")

    def share_with(self, url: str) -> None:
        """Name a database, and the one project."""
        (self.home / ".rcs/config.toml").write_text(
            f'[share]\nurl = "{url}"\n[[share.projects]]\npath = "{self.project}"\nname = "shop"\n'
        )

    @property
    def unit(self) -> Path:
        return self.home / ".config/systemd/user/rcs-share.service"

    @property
    def calls(self) -> list[str]:
        """What the manager was asked since the last look, but for the state of the service."""
        found = self.calls_file.read_text().splitlines() if self.calls_file.exists() else []
        self.calls_file.unlink(missing_ok=True)
        return [call for call in found if "is-active" not in call]

    def rcs(self, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        return run_rcs(*words, cwd=self.project, env=self.env | env)

    def said(self, *words: str, **env: str) -> str:
        done = self.rcs(*words, **env)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    def launchd(self) -> service.Manager:
        return service.manager(self.env, str(self.home), "darwin")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


# --- systemd


@linux
def test_start_shows_and_writes_a_unit_and_starts_it(desk: Desk) -> None:
    said = desk.said("share", "start")
    rcs = RCS_HOOK.with_name("rcs")
    text = desk.unit.read_text()
    assert text.splitlines()[0] == "# Written by `rcs share start`; `rcs share stop` removes it."
    assert f'ExecStart="{rcs}" share run\n' in text
    assert "WantedBy=default.target\n" in text
    assert all(f"+{line}\n" in said for line in text.splitlines())
    assert said.index("+ExecStart") < said.index(f"wrote {desk.unit}\n") < said.index("ran systemctl")
    assert "what is new is shared with team on db.example.com from now on; to look: rcs share status\n" in said
    assert desk.calls == START
    assert desk.unit.stat().st_mode & 0o022 == 0


@linux
def test_starting_again_changes_nothing_and_starts_what_does_not_run(desk: Desk) -> None:
    desk.said("share", "start")
    text, written = desk.unit.read_text(), desk.unit.stat().st_mtime_ns
    assert desk.calls == START
    assert desk.said("share", "start").startswith("nothing to change: the service runs\n")
    assert desk.calls == START[:1]
    desk.calls_file.with_name("calls.state").unlink()
    assert "ran systemctl --user enable --now rcs-share.service\n" in desk.said("share", "start")
    assert desk.calls == START
    assert (desk.unit.read_text(), desk.unit.stat().st_mtime_ns) == (text, written)


@linux
def test_a_unit_of_another_version_is_changed_and_the_service_restarted(desk: Desk) -> None:
    desk.said("share", "start")
    desk.unit.write_text(desk.unit.read_text().replace("Nice=10", "Nice=5"))
    assert desk.calls == START
    said = desk.said("share", "start")
    assert "-Nice=5\n+Nice=10\n" in said
    assert desk.calls == [*START, "--user restart rcs-share.service"]
    assert "Nice=10" in desk.unit.read_text()


@linux
def test_a_dry_run_changes_nothing(desk: Desk) -> None:
    said = desk.said("share", "start", "--dry-run")
    assert f"would write {desk.unit}\n" in said
    assert "would run systemctl --user enable --now rcs-share.service\n" in said
    assert not desk.unit.parent.exists()
    assert desk.calls == START[:1]
    desk.said("share", "start")
    assert f"would remove {desk.unit}\n" in desk.said("share", "stop", "--dry-run")
    assert desk.unit.exists()


@linux
def test_stop_removes_it_and_stopping_again_says_so(desk: Desk) -> None:
    desk.said("share", "start")
    assert desk.calls == START
    said = desk.said("share", "stop")
    assert f"removed {desk.unit}\n" in said
    assert "nothing more is sent; `rcs share start` goes on where it ended\n" in said
    assert desk.calls == [START[0], "--user disable --now rcs-share.service", "--user daemon-reload"]
    assert not desk.unit.exists()
    assert desk.said("share", "stop") == "there is no service of `rcs share start`\n"
    assert desk.calls == []


@linux
def test_the_folder_of_the_person_s_settings_is_the_one_that_they_name(desk: Desk, tmp_path: Path) -> None:
    config = tmp_path / "my config"
    desk.said("share", "start", XDG_CONFIG_HOME=str(config))
    assert (config / "systemd/user/rcs-share.service").exists()
    assert not (desk.home / ".config").exists()
    answer = json.loads(desk.said("share", "stop", "--json", XDG_CONFIG_HOME=str(config)))
    assert answer == {"ok": True, "path": str(config / "systemd/user/rcs-share.service"), "was_changed": True}


@linux
def test_a_file_of_somebody_else_stays(desk: Desk) -> None:
    desk.unit.parent.mkdir(parents=True)
    desk.unit.write_text("[Service]\nExecStart=/bin/true\n")
    for word, more in (("start", "; move it away first"), ("stop", "")):
        done = desk.rcs("share", word)
        why = f"{desk.unit} is not of `rcs share start`, so it was left unchanged{more}"
        assert (done.returncode, done.stdout, done.stderr) == (1, "", f"rcs: {why}\n")
    desk.rcs("uninstall", "--client", "all")
    assert desk.unit.read_text() == "[Service]\nExecStart=/bin/true\n"


@linux
def test_nothing_of_the_shell_is_written_down_and_what_a_service_does_not_see_is_said(desk: Desk) -> None:
    secrets = {"PGPASSWORD": "hunter2", "PGSERVICE": "planted-service"}
    said = desk.said("share", "start", RCS_SHARE="postgresql://eve@db.example.com/team", RCS_DB="/planted", **secrets)
    assert (
        "PGPASSWORD and PGSERVICE are set in this shell, which a service does not see, and nothing of it was written"
        " down: put the password into ~/.pgpass, or name a service in ~/.pg_service.conf.\n"
    ) in said
    assert "RCS_SHARE is set in this shell, which a service does not see" in said
    assert "RCS_DB is set in this shell, which a service does not see" in said
    for word in ("hunter2", "planted", "eve", "Environment"):
        assert word not in desk.unit.read_text() + said.replace("RCS_SHARE", "")


@linux
@pytest.mark.parametrize("is_missing", [True, False])
def test_without_a_manager_it_says_what_to_type_and_writes_nothing(
    desk: Desk, tmp_path: Path, is_missing: bool
) -> None:
    env = {"PATH": str(tmp_path)} if is_missing else {"FAILS": "show-environment"}
    done = desk.rcs("share", "start", **env)
    who = "systemctl is not on PATH" if is_missing else "systemd starts no services for you here"
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"rcs: {who}, so there is no service to start; `rcs share run` shares as long as it runs: start it in tmux, or"
        " by what starts other programs on this machine\n"
    )
    assert not desk.unit.parent.exists()


@linux
def test_a_service_is_removed_also_where_nobody_can_be_asked(desk: Desk) -> None:
    desk.said("share", "start")
    link = desk.unit.parent / "default.target.wants" / desk.unit.name
    link.parent.mkdir()
    link.symlink_to(desk.unit)
    desk.said("share", "stop", FAILS="--user")
    assert not desk.unit.exists()
    assert not link.is_symlink()


@linux
def test_a_manager_that_refuses_is_quoted(desk: Desk) -> None:
    done = desk.rcs("share", "start", FAILS="enable --now")
    assert (done.returncode, done.stderr) == (
        1, "rcs: `systemctl --user enable --now rcs-share.service` failed: it cannot be done: enable --now\n",
    )  # fmt: skip


@linux
def test_an_agent_starts_nothing(desk: Desk) -> None:
    done = desk.rcs("share", "start", CLAUDECODE="1")
    assert done.returncode == 1
    assert "this is an agent's shell" in done.stderr
    assert desk.calls == []


def test_without_a_database_nothing_is_started(desk: Desk) -> None:
    (desk.home / ".rcs/config.toml").unlink()
    done = desk.rcs("share", "start")
    assert (done.returncode, done.stderr) == (
        1, "rcs: no shared database is named; to name one: rcs share init postgresql://user@host/database\n",
    )  # fmt: skip
    assert desk.calls == []


@linux
@pytest.mark.parametrize("path", ["/home/a$b/bin/rcs", "/home/a\nb/rcs"])
def test_a_program_that_a_unit_cannot_name_is_refused(desk: Desk, path: str) -> None:
    with pytest.raises(Refused, match="install rcs-hooks in another folder"):
        service.manager(desk.env, str(desk.home), "linux").text(path)


def test_a_unit_quotes_the_path_of_the_program(desk: Desk) -> None:
    text = service.manager(desk.env, str(desk.home), "linux").text('/home/a b/100%/"x"\\y/rcs')
    assert 'ExecStart="/home/a b/100%%/\\"x\\"\\\\y/rcs" share run\n' in text


# --- launchd


def test_an_agent_of_launchd_is_loaded_renewed_and_removed(desk: Desk) -> None:
    launchd = desk.launchd()
    domain = f"gui/{os.getuid()}"
    path = str(desk.home / "Library/LaunchAgents/rcs-hooks.share.plist")
    assert launchd.path == path
    said = plistlib.loads(launchd.text("/opt/a b/rcs").encode())
    assert said["ProgramArguments"] == ["/opt/a b/rcs", "share", "run"]
    assert (said["Label"], said["RunAtLoad"], said["KeepAlive"]) == ("rcs-hooks.share", True, True)
    assert "EnvironmentVariables" not in said
    assert launchd.is_ours(launchd.text("/opt/rcs"))
    assert launchd.is_there()
    assert launchd.state() == service.ABSENT
    Path(path).parent.mkdir(parents=True)
    Path(path).write_text(launchd.text("/opt/rcs"))
    for was_changed, wanted in (
        (True, [f"bootstrap {domain} {path}"]),
        (False, []),
        (True, [f"bootout {domain}/rcs-hooks.share", f"bootstrap {domain} {path}"]),
    ):
        commands = launchd.commands(was_changed=was_changed)
        assert [" ".join(command[1:]) for command in commands] == wanted
        for command in commands:
            launchd.run(command)
        assert launchd.state() == service.RUNS
    for command in launchd.commands_to_stop():
        launchd.run(command)
    assert launchd.state() == service.STOPPED
    assert launchd.commands_to_stop() == []


# --- uninstall


@linux
def test_uninstall_removes_the_service_too(desk: Desk) -> None:
    desk.said("share", "start")
    assert desk.calls == START
    desk.said("uninstall", "--client", "claude")
    assert desk.unit.exists()
    line = f"{desk.unit}, the service of `rcs share start`\n"
    assert f"would remove {line}" in desk.said("uninstall", "--dry-run")
    assert desk.unit.exists()
    assert f"removed {line}" in desk.said("uninstall")
    assert not desk.unit.exists()
    assert "--user disable --now rcs-share.service" in desk.calls
    assert "service of" not in desk.said("uninstall")


@linux
def test_purge_says_what_of_sharing_lies_in_the_home(desk: Desk, database: Database) -> None:
    desk.share_with(database.url())
    (desk.home / ".rcs/share").mkdir()
    desk.said("share", "start")
    said = desk.said("uninstall", "--purge", "--yes")
    assert (
        "sharing: ~/.rcs has the id of this machine, what was sent, and which folders are shared (shop); what was sent"
        f" stays in {database.address.shown}, where `rcs share prune` removes it\n"
    ) in said
    assert not (desk.home / ".rcs").exists()
    assert not desk.unit.exists()


@linux
def test_a_purge_that_is_refused_leaves_the_service_as_it_was(desk: Desk) -> None:
    desk.share_with("postgresql://ada@127.0.0.1:1/team")
    desk.said("share", "start")
    assert desk.calls == START
    done = desk.rcs("uninstall", "--purge", "--yes")
    assert done.returncode == 1
    assert "so nothing was removed: no connection to team on 127.0.0.1:1" in done.stderr
    assert desk.unit.exists()
    assert desk.calls == []
