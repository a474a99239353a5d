"""The id of this machine in the shared database: random, kept in the home, and tied to the machine's own id.

A home that lies on several machines, or that was copied to another one with its disk, gives each its own id.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import subprocess
import sys
from contextlib import suppress
from uuid import UUID, uuid4

from rcs_hooks.errors import Refused
from rcs_hooks.files.bounded import read_bytes
from rcs_hooks.files.lock import Lock
from rcs_hooks.files.paths import HOME
from rcs_hooks.files.replacing import replace

FOLDER = "share"
FILE = "machine.json"
MACHINES = "machines"
LARGEST = 256 * 1024
SYSTEM_FILES = ("/etc/machine-id", "/var/lib/dbus/machine-id")


def folder_in(home: str) -> str:
    """Return the folder of what sharing keeps in a home; make it, for the person alone."""
    folder = os.path.join(home, HOME, FOLDER)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    return folder


def machine_id(home: str, system: str | None = None) -> UUID:
    """Return the id of this machine; make it where it has none. Raises Refused if the file cannot be understood.

    `system`: the machine's own id, as `system_id` returns it.
    """
    folder = folder_in(home)
    tie = hashlib.sha256(f"rcs share\0{system_id() if system is None else system}".encode()).hexdigest()
    with Lock(folder):
        path = os.path.join(folder, FILE)
        known = _known(path)
        if tie not in known:
            known[tie] = str(uuid4())
            replace(path, json.dumps({MACHINES: known}, indent=2) + "\n")
    return UUID(known[tie])


def system_id() -> str:
    """Return what tells this machine from others: its own id, or else the name of the host."""
    for path in SYSTEM_FILES:
        with suppress(OSError):
            if text := (read_bytes(path, 200, through_links=True) or b"").decode("ascii", "replace").strip():
                return text
    return (_platform_uuid() if sys.platform == "darwin" else "") or socket.gethostname()


def _platform_uuid() -> str:
    with suppress(OSError, subprocess.SubprocessError):
        command = ["/usr/sbin/ioreg", "-rd1", "-c", "IOPlatformExpertDevice"]
        said = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout
        line = next((each for each in said.splitlines() if "IOPlatformUUID" in each), "")
        return line.rpartition("=")[2].strip(' "')
    return ""


def _known(path: str) -> dict[str, str]:
    try:
        data = read_bytes(path, LARGEST + 1)
    except FileNotFoundError:
        return {}
    try:
        if data is None or len(data) > LARGEST:
            raise ValueError
        return {str(tie): str(UUID(each)) for tie, each in json.loads(data)[MACHINES].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        why = "it does not hold the ids of machines; remove it, and this machine is shared as a new one"
        raise Refused(f"{path}: {why}") from None
