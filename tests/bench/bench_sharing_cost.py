"""Measure what sharing costs hooks, emits and state writes: `python -m tests.bench.bench_sharing_cost [--rounds N]`.

Whole programs, in turns and in another order each round: with nothing shared, and with `rcs share run` beside them
whose server is there, is gone, or takes a connection and answers nothing. What each costs is compared with the first,
by the median of the processor's seconds, or by the least time: status 1 where both are above the limit.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.share import schema
from tests.runs.support import RCS, Project
from tests.share.conftest import binaries, running
from tests.share.support import wait_for
from tests.support import RCS_HOOK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LIMIT = 1.05
ROUNDS = 60
OFF, THERE, GONE, SILENT = "nothing shared", "server there", "server gone", "server silent"
PROGRAMS = ("prompt", "state write", "emit", "Stop")
WARM_UP = 3


class Cost(NamedTuple):
    """What one call took. `processor`: of the program alone; `clock`: from its start to its end."""

    processor: float
    clock: float


class Desk:
    """A person at work, whose project is shared or not."""

    def __init__(self, folder: Path, url: str = "") -> None:
        self.project = Project(folder)
        self.env = self.project.env()
        self._steps = 0
        if url:
            home = self.project.home / ".rcs"
            home.mkdir()
            (home / "config.toml").write_text(
                f'[share]\nurl = "{url}"\n[[share.projects]]\npath = "{self.project.root}"\nname = "app"\n'
            )
        self.run("prompt", prompt="$forge fix the login")

    def run(self, program: str, prompt: str = "go on with the next part") -> Cost:
        """Run one program as its caller does, and return what it took."""
        if program == "emit":
            return self._called([*RCS, *self.project.command("requirements", run=f"run-{self._next()}")])
        if program == "state write":
            words = ["state", "write", "--mode", "forge", "--session", "s1", "--set", f"n={self._next()}"]
            return self._called([*RCS, *words])
        event, field = ("Stop", "last_assistant_message") if program == "Stop" else ("UserPromptSubmit", "prompt")
        asked = {"hook_event_name": event, "session_id": "s1", "cwd": str(self.project.root), field: prompt}
        return self._called([str(RCS_HOOK)], json.dumps(asked).encode())

    def _next(self) -> int:
        self._steps += 1
        return self._steps

    def _called(self, command: list[str], stdin: bytes = b"") -> Cost:
        begun = time.monotonic()
        process = subprocess.Popen(
            command, cwd=self.project.root, env=self.env, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
        )
        assert process.stdin
        process.stdin.write(stdin)
        process.stdin.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, command
        return Cost(usage.ru_utime + usage.ru_stime, time.monotonic() - begun)

    @contextlib.contextmanager
    def sharing(self) -> Iterator[None]:
        """Run `rcs share run` beside the block, and wait until it has tried."""
        status = self.project.home / ".rcs" / "share" / "status.json"
        with subprocess.Popen(
            [*RCS, "share", "run"], cwd=self.project.root, env=self.env, stdout=subprocess.DEVNULL
        ) as process:
            try:
                wait_for(lambda: status.exists() or (self.project.home / ".rcs/share/run/.lock").exists())
                yield
                assert process.poll() is None
            finally:
                process.terminate()
                process.wait(60)


@contextlib.contextmanager
def desks(folder: Path) -> Iterator[dict[str, Desk]]:
    """Make a desk for each way in which a server may be, each with its program at work."""
    programs = binaries()
    assert programs, "no PostgreSQL is installed"
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(running(programs))
        database = server.make()
        schema.init(database.address, roles=True)
        silent = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        urls = {
            OFF: "",
            THERE: database.url(),
            GONE: "postgresql://nobody@127.0.0.1:1/gone",
            SILENT: f"postgresql://nobody@127.0.0.1:{silent.getsockname()[1]}/mute",
        }
        found = {name: Desk(folder / f"desk-{number}", url) for number, (name, url) in enumerate(urls.items())}
        for name, desk in found.items():
            if name != OFF:
                stack.enter_context(desk.sharing())
        yield found


Costs = dict[tuple[str, str], list[Cost]]


def measured(rounds: int, folder: Path, is_enough: Callable[[Costs], bool] | None = None) -> Costs:
    """Return what each program took beside each server, in every round but the first few: in no more than is enough."""
    costs: Costs = {}
    order = random.Random(1)
    with desks(folder) as found:
        names = list(found)
        for turn in range(WARM_UP + rounds):
            for program in PROGRAMS:
                order.shuffle(names)
                for name in names:
                    cost = found[name].run(program)
                    if turn >= WARM_UP:
                        costs.setdefault((program, name), []).append(cost)
            if is_enough and costs and is_enough(costs):
                break
    return costs


def ratios(costs: Costs, program: str, name: str) -> tuple[float, float]:
    """Return how much more a program took than with nothing shared: the median processor time, and the least time."""
    mine, plain = costs[program, name], costs[program, OFF]
    processor = statistics.median(cost.processor for cost in mine) / statistics.median(cost.processor for cost in plain)
    return processor, min(cost.clock for cost in mine) / min(cost.clock for cost in plain)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        costs = measured(rounds, Path(folder))
    is_over = False
    for program in PROGRAMS:
        plain = costs[program, OFF]
        median = statistics.median(cost.processor for cost in plain) * 1000
        print(
            f"{program:<12} {OFF}: {median:.1f} ms of a processor, {min(c.clock for c in plain) * 1000:.1f} ms at best"
        )
        for name in (THERE, GONE, SILENT):
            processor, clock = ratios(costs, program, name)
            over = min(processor, clock) > LIMIT
            is_over = is_over or over
            print(f"{'':<12} {name:<14} x{processor:.3f} of processor, x{clock:.3f} at best{'  OVER' if over else ''}")
    return int(is_over)


if __name__ == "__main__":
    sys.exit(main())
