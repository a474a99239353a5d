"""The service of a user that runs `rcs share run`: a unit of systemd, or an agent of launchd.

It is written for the person alone, and holds no variable and no password: what the person's own file names counts.
"""

from __future__ import annotations

import os
import plistlib
import subprocess
import sys
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from rcs_hooks.errors import Refused
from rcs_hooks.text import clean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

UNIT = "rcs-share.service"
LABEL = "rcs-hooks.share"
MARK = "Written by `rcs share start`; `rcs share stop` removes it."
"""By this a file of that name is known as ours."""
RUNS, STOPPED, ABSENT = "runs", "stopped", "absent"
PAUSE = 60
"""Seconds until a program that has ended is started again."""
LONGEST_WAIT = 30
LONGEST_ERROR = 300
WORDS = ("share", "run")
SYSTEMD = f"""# {MARK}
[Unit]
Description=Shares what runs on this machine with a team (rcs share run)

[Service]
ExecStart=%s share run
WorkingDirectory=~
Restart=always
RestartSec={PAUSE}
Nice=10
UMask=0077
NoNewPrivileges=yes

[Install]
WantedBy=default.target
"""


class Manager(ABC):
    """What starts a person's services on this machine."""

    name: str
    program: str
    """What talks to it."""

    def __init__(self, env: Mapping[str, str], home: str) -> None:
        self.env = env
        self.home = home

    @property
    @abstractmethod
    def path(self) -> str:
        """Return the path of the file that declares the service."""

    @abstractmethod
    def text(self, program: str) -> str:
        """Return what the file says. `program`: the absolute path of `rcs`. Raises Refused if it cannot be named."""

    @abstractmethod
    def commands(self, *, was_changed: bool) -> list[list[str]]:
        """Return what starts the service, now and whenever the person is logged in. `was_changed`: the file was."""

    @abstractmethod
    def commands_to_stop(self) -> list[list[str]]:
        """Return what stops the service, before its file is removed."""

    @abstractmethod
    def commands_after(self) -> list[list[str]]:
        """Return what makes the manager forget the service, after its file was removed."""

    @abstractmethod
    def is_there(self) -> bool:
        """Tell whether services of this person can be started now."""

    @abstractmethod
    def state(self) -> str:
        """Return RUNS, STOPPED, or the manager's own word, such as `failed`; ABSENT where there is no service."""

    def is_ours(self, text: str) -> bool:
        """Tell whether a file says that we wrote it."""
        return MARK in text

    def run(self, command: Sequence[str]) -> None:
        """Run one of these commands. Raises Refused if it fails."""
        done = self.ask(*command)
        if done is None or done.returncode:
            said = (done.stderr or done.stdout) if done else "it did not end in time, or cannot be started"
            raise Refused(f"`{' '.join(command)}` failed: {clean(' '.join(said.split()), LONGEST_ERROR)}")

    def ask(self, *command: str) -> subprocess.CompletedProcess[str] | None:
        """Run a command of the manager; return what came of it, or None if it cannot be run or does not end."""
        try:
            return subprocess.run(
                command, env=dict(self.env), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                errors="replace", timeout=LONGEST_WAIT, check=False,
            )  # fmt: skip
        except (OSError, subprocess.SubprocessError):
            return None

    def succeeds(self, *command: str) -> bool:
        """Tell whether a command of the manager can be run, and ends with status 0."""
        done = self.ask(*command)
        return done is not None and done.returncode == 0


class Systemd(Manager):
    """The manager of most Linux systems."""

    name = "systemd"
    program = "systemctl"

    @property
    def _folder(self) -> str:
        config = self.env.get("XDG_CONFIG_HOME", "")
        config = config if os.path.isabs(config) else os.path.join(self.home, ".config")
        return os.path.join(config, "systemd", "user")

    @property
    def path(self) -> str:
        return os.path.join(self._folder, UNIT)

    def text(self, program: str) -> str:
        if not program.isprintable() or "$" in program:  # no quoting of systemd's takes a $ from the first word
            raise Refused(f"systemd cannot start {clean(program, LONGEST_ERROR)}; install rcs-hooks in another folder")
        quoted = program.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
        return SYSTEMD % f'"{quoted}"'

    def commands(self, *, was_changed: bool) -> list[list[str]]:
        found = [self._call("daemon-reload"), self._call("enable", "--now", UNIT)]
        return [*found, self._call("restart", UNIT)] if was_changed and self.state() == RUNS else found

    def commands_to_stop(self) -> list[list[str]]:
        return [self._call("disable", "--now", UNIT)]

    def commands_after(self) -> list[list[str]]:
        return [self._call("daemon-reload")]

    def is_there(self) -> bool:
        return self.succeeds(*self._call("show-environment"))

    def state(self) -> str:
        if not os.path.lexists(self.path):
            return ABSENT
        done = self.ask(*self._call("is-active", UNIT))
        said = clean(done.stdout.strip(), 20) if done else ""
        return {"active": RUNS, "inactive": STOPPED, "": STOPPED}.get(said, said)

    @property
    def link(self) -> str:
        """Return the path of the link by which systemd starts the service at each login."""
        return os.path.join(self._folder, "default.target.wants", UNIT)

    def _call(self, *words: str) -> list[str]:
        return [self.program, "--user", *words]


class Launchd(Manager):
    """The manager of macOS."""

    name = "launchd"
    program = "launchctl"

    @property
    def path(self) -> str:
        return os.path.join(self.home, "Library", "LaunchAgents", f"{LABEL}.plist")

    def text(self, program: str) -> str:
        if not program.isprintable():
            raise Refused(f"launchd cannot start {clean(program, LONGEST_ERROR)}; install rcs-hooks in another folder")
        said = plistlib.dumps(
            {
                "Label": LABEL,
                "ProgramArguments": [program, *WORDS],
                "WorkingDirectory": self.home,
                "RunAtLoad": True,
                "KeepAlive": True,
                "ThrottleInterval": PAUSE,
                "ProcessType": "Background",
                "Umask": 0o077,
            },
            sort_keys=False,
        ).decode()
        return said.replace("<plist ", f"<!-- {MARK} -->\n<plist ", 1)

    def commands(self, *, was_changed: bool) -> list[list[str]]:
        load = [self.program, "bootstrap", self._domain, self.path]
        if not self.succeeds(self.program, "print", self._service):
            return [load]
        return [*self.commands_to_stop(), load] if was_changed else []

    def commands_to_stop(self) -> list[list[str]]:
        return [[self.program, "bootout", self._service]] if self.succeeds(self.program, "print", self._service) else []

    def commands_after(self) -> list[list[str]]:
        return []

    def is_there(self) -> bool:
        return self.succeeds(self.program, "print", self._domain)

    def state(self) -> str:
        if not os.path.lexists(self.path):
            return ABSENT
        done = self.ask(self.program, "print", self._service)
        return RUNS if done and done.returncode == 0 and "state = running" in done.stdout else STOPPED

    @property
    def _domain(self) -> str:
        return f"gui/{os.getuid()}"

    @property
    def _service(self) -> str:
        return f"{self._domain}/{LABEL}"


def manager(env: Mapping[str, str], home: str, platform: str = sys.platform) -> Manager:
    """Return what starts services on this kind of system; whether it is there, it says itself."""
    return Launchd(env, home) if platform == "darwin" else Systemd(env, home)
