"""What hooks over MCP cost: `python -m tests.bench.bench_mcp [--rounds N] [--calls N] [--beside RCS] [--no-clients]`.

First at the pipe of the server: from its start to its first answers, and a warm call. Then in each real client, offline
and with a model on loopback: the first prompt of a session, from the start of the client's process to the end of the
turn, and each later prompt, with no hooks, with hooks as commands, and over MCP. Every round runs every row once, in
another order each time. `--beside` adds rows for the `rcs` of another installation. What is shown are medians.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.bench.warm import WARM, line, served
from tests.real_clients.adapters import ADAPTERS
from tests.real_clients.configure import CLIENTS, RCS
from tests.real_clients.driver import Person, Typed
from tests.real_clients.install import Unavailable, installed
from tests.real_clients.model_server import say
from tests.support import Workspace, clean_env

if TYPE_CHECKING:
    from tests.real_clients.configure import Client
    from tests.real_clients.install import Installed

TURNS = 6
"""Prompts in a session: the first one, and later ones."""
OURS, OTHER = "this", "other"
ASKED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "b", "version": "0"}}),
    ("tools/list", {}),
    ("tools/call", {"name": "hook_user_prompt_submit", "arguments": {"session_id": "s1", "prompt": "Hi"}}),
)
"""The requests of a client from its start to its first prompt."""


# --- at the pipe


def first_answers(rcs: str, root: Path) -> list[float]:
    """Seconds from the start of the server to each of its first answers, asked one after the other as clients do."""
    start = time.perf_counter()
    server = subprocess.Popen(
        [rcs, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root, env=clean_env(), bufsize=0
    )
    assert server.stdin
    assert server.stdout
    taken = []
    with server, open(server.stdout.fileno(), "rb", closefd=False) as answers:
        for number, (method, params) in enumerate(ASKED):
            server.stdin.write(line({"id": number, "method": method, "params": params}))
            if "result" not in json.loads(answers.readline()):
                raise SystemExit(f"{rcs} did not answer {method}")
            taken.append(time.perf_counter() - start)
            if number == 0:
                server.stdin.write(line({"method": "notifications/initialized"}))
        server.stdin.close()
    return taken


def at_the_pipe(programs: dict[str, str], rounds: int, calls: int, folder: Path) -> list[str]:
    dice = random.Random(1)
    started: dict[str, list[list[float]]] = {name: [] for name in programs}
    for number in range(rounds + 1):
        for name in dice.sample(sorted(programs), len(programs)):
            taken = first_answers(programs[name], folder)
            if number:  # the first round fills the caches
                started[name].append(taken)
    lines = [f"{'from the start of the server':<40}" + "".join(f"{name:>12}" for name in programs)]
    for at, (method, params) in enumerate(ASKED):
        medians = (statistics.median(each[at] for each in started[name]) for name in programs)
        shown = "".join(f"{median * 1000:>9.1f} ms" for median in medians)
        lines.append(f"{'to the answer of ' + params.get('name', method):<40}{shown}")
    lines.append("a warm call")
    for case, (title, make, is_right, is_running) in enumerate(WARM):
        servers = {}
        for name, rcs in programs.items():
            root = folder / f"warm-{name}-{case}"
            root.mkdir()
            if is_running:
                Workspace(root, now=time.time()).prompt("$team")
            servers[name] = served(calls, root, make, rcs)
        spent: dict[str, list[float]] = {name: [] for name in programs}
        for answers in zip(*servers.values(), strict=True):  # each in turn, as a busy machine slows all
            for name, (seconds, said) in zip(servers, answers, strict=True):
                if not is_right(said):
                    raise SystemExit(f"{title}: {said!r}")
                spent[name].append(seconds)
        shown = "".join(f"{statistics.median(spent[name]) * 1000:>9.3f} ms" for name in programs)
        lines.append(f"{title:<40}{shown}")
    return lines


# --- in the clients


class Row:
    """One client with one kind of hooks, and what its sessions have taken. `rcs`: sets it up; empty for no hooks."""

    def __init__(self, client: Client, program: Installed, title: str, rcs: str, transport: str, folder: Path) -> None:
        self.client, self.title = client, title
        self.first: list[float] = []
        self.later: list[float] = []
        workspace = folder / "workspace"
        subprocess.run(["git", "init", "-q", str(workspace)], check=True)
        if rcs:
            env = clean_env(HOME=str(folder / "nobody"))
            words = [rcs, "setup", "--client", client, "--scope", "project", "--transport", transport]
            subprocess.run(words, cwd=workspace, env=env, check=True, stdout=subprocess.DEVNULL)
        self.person = Person(client, program, folder / "home", workspace)
        self.person.home.mkdir()
        self.person.trusts(workspace, approved=workspace if client == "codex" and rcs else None)

    def run(self) -> None:
        typed = [Typed(f"Say {number}.") for number in range(TURNS)]
        outcome = self.person.talks(*typed, script=tuple(say(f"{number}.") for number in range(TURNS)))
        turns = [event for event in outcome.events if "since_start" in event]
        if outcome.status or len(turns) != TURNS:
            raise SystemExit(f"{self.client}, {self.title}: {outcome.status}, {len(turns)} turns; {outcome.err[-500:]}")
        self.first.append(turns[0]["since_start"])
        self.later.append(statistics.median(turn["since_typed"] for turn in turns[1:]))
        shutil.rmtree(self.person.home / f"turn-{self.person.turns}")


def in_the_client(client: Client, programs: dict[str, str], rounds: int, folder: Path) -> list[str]:
    try:
        program = installed(ADAPTERS[client].package)
    except Unavailable as why:
        return [f"{client}: not measured: {why}"]
    kinds = [("no hooks", "", ""), ("commands", programs[OURS], "command")]
    kinds += [(f"mcp, {name}" if len(programs) > 1 else "mcp", rcs, "mcp") for name, rcs in programs.items()]
    rows = []
    for at, (title, rcs, transport) in enumerate(kinds):
        place = folder / f"{client}-{at}"
        place.mkdir()
        rows.append(Row(client, program, title, rcs, transport, place))
    dice = random.Random(1)
    for number in range(rounds + 1):
        for row in dice.sample(rows, len(rows)):
            row.run()
            if number == 0:  # the first round fills the caches, and the client's home
                row.first.clear()
                row.later.clear()
    lines = [f"{f'{client} {program.version}':<28}{'first prompt':>14}{'more':>12}{'later prompt':>15}{'more':>12}"]
    for row in rows:
        first, later = statistics.median(row.first), statistics.median(row.later)
        more = first - statistics.median(rows[0].first), later - statistics.median(rows[0].later)
        shown = f"{first * 1000:>11.0f} ms{more[0] * 1000:>9.0f} ms{later * 1000:>12.1f} ms{more[1] * 1000:>9.1f} ms"
        lines.append(f"{row.title:<28}{shown}")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=10, help="how often each row is run (10)")
    parser.add_argument("--calls", type=int, default=2_000, help="how many warm calls of each kind (2000)")
    parser.add_argument("--beside", metavar="RCS", help="the program rcs of another installation")
    parser.add_argument("--no-clients", action="store_true", help="measure at the pipe only")
    args = parser.parse_args()
    programs = {OURS: str(RCS)} | ({OTHER: args.beside} if args.beside else {})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print("\n".join(at_the_pipe(programs, args.rounds, args.calls, folder)), flush=True)
        for client in () if args.no_clients else CLIENTS:
            print("\n".join(["", *in_the_client(client, programs, args.rounds, folder)]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
