"""`rcs share start | stop`: the service that shares, with a manager that only writes down what it is asked."""

from __future__ import annotations

import os
import plistlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.share import service
from tests.support import RCS_HOOK, clean_env, run_rcs

if TYPE_CHECKING:
    import subprocess


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
        (self.home / ".rcs/config.toml").write_text(
            '[share]\nurl = "postgresql://ada@db.example.com/team"\n'
            f'[[share.projects]]\npath = "{self.project}"\nname = "shop"\n'
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
def test_start_writes_a_unit_and_starts_it_and_stop_removes_it(desk: Desk) -> None:
    said = desk.said("share", "start")
    text = desk.unit.read_text()
    assert text.splitlines()[0] == "# Written by `rcs share start`; `rcs share stop` removes it."
    assert f'ExecStart="{RCS_HOOK.with_name("rcs")}" share run\n' in text
    assert "WantedBy=default.target\n" in text
    assert all(f"+{line}\n" in said for line in text.splitlines())
    assert said.index("+ExecStart") < said.index(f"wrote {desk.unit}\n") < said.index("ran systemctl")
    assert "what is new is shared with team on db.example.com from now on; to look: rcs share status\n" in said
    assert desk.calls == START
    assert desk.unit.stat().st_mode & 0o022 == 0
    assert "nothing more is sent; `rcs share start` goes on where it ended\n" in desk.said("share", "stop")
    assert desk.calls == [START[0], "--user disable --now rcs-share.service", "--user daemon-reload"]
    assert not desk.unit.exists()
    assert desk.said("share", "stop") == "there is no service of `rcs share start`\n"
    assert desk.calls == []


@linux
def test_an_agent_starts_nothing(desk: Desk) -> None:
    done = desk.rcs("share", "start", CLAUDECODE="1")
    assert done.returncode == 1
    assert "this is an agent's shell" in done.stderr
    assert desk.calls == []


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
