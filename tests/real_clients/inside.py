"""Runs in the network namespace: brings loopback up, starts the model, runs one turn of a client against it.

The turn stands in the JSON file that is named on the command line; what came of it is printed as one JSON object.
`{url}` in the client's arguments and environment is the address of the model, `{tmp}` a temporary folder of the turn:
one with a short name, because the clients put sockets there.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from tests.real_clients.model_server import ModelServer, Turn

URL, TMP = "{url}", "{tmp}"
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 47, 4


def main(file: str) -> None:
    turn = json.loads(Path(file).read_text())
    if turn["isolated"]:
        loopback_up()
        hand_on_no_capabilities()
    script, subagents = ([Turn(**said) for said in turn[name]] for name in ("script", "subagents"))
    server = ModelServer(script, Path(turn["record"]), turn["first"], subagents)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="rcs-", ignore_cleanup_errors=True) as tmp:
        print(json.dumps(finished(turn, {URL: server.url, TMP: tmp})))


def loopback_up() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        asked = struct.pack("16sh", b"lo", 0)
        (flags,) = struct.unpack_from("h", fcntl.ioctl(sock, SIOCGIFFLAGS, asked.ljust(40, b"\0")), 16)
        fcntl.ioctl(sock, SIOCSIFFLAGS, struct.pack("16sh", b"lo", flags | IFF_UP).ljust(40, b"\0"))


def hand_on_no_capabilities() -> None:
    """What this user may do in the namespace, to bring loopback up, is not for the client: its sandbox wants none."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    if prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "the ambient capabilities cannot be dropped")


def filled(text: str, places: dict[str, str]) -> str:
    for name, value in places.items():
        text = text.replace(name, value)
    return text


def finished(turn: dict[str, Any], places: dict[str, str]) -> dict[str, Any]:
    """The client's status and what it printed; a client that takes too long is killed with all that it started."""
    command = [filled(word, places) for word in turn["command"]]
    env = {name: filled(value, places) for name, value in turn["env"].items()}
    client = subprocess.Popen(
        command,
        cwd=turn["cwd"],
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        out, err = client.communicate(timeout=turn["seconds"])
    except subprocess.TimeoutExpired:
        os.killpg(client.pid, signal.SIGKILL)
        out, err = client.communicate()
        return {"status": None, "out": out, "err": err}
    return {"status": client.returncode, "out": out, "err": err}


if __name__ == "__main__":
    main(sys.argv[1])
