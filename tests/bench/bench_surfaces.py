"""How long the surfaces take beside the command hook: `python -m tests.bench.bench_surfaces [--rounds N] [--calls N]`.

Whole processes as in `bench_hooks`: another order each round, a bare interpreter before each. Then one MCP server over
a pipe, asked the same by JSON-RPC written by hand. Each answer is checked; what is over its limit is marked, and
fails nothing.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks.state.session import NATIVE_HOOK
from tests.bench.bench_hooks import BARE, timed
from tests.support import RCS_HOOK, Workspace, clean_env

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

RCS = [str(RCS_HOOK.with_name("rcs"))]
LIMIT = 0.1
"""A warm MCP call takes at most a tenth of the cold hook."""
WARM_UP = 200


class Case(NamedTuple):
    name: str
    command: list[str]
    stdin: Callable[[Workspace, int], bytes]
    is_right: Callable[[str], bool]
    is_running: bool = True
    """Whether team runs in the session before the call."""
    sessions: int = 0
    """How many other sessions there are, all of which have ended, and are in the index."""


def nothing(_: Workspace, __: int) -> bytes:
    return b""


def a_stop(workspace: Workspace, number: int) -> bytes:
    """Of a prompt of its own: of one prompt no more than 50 Stops are held."""
    workspace.prompt("Go on.", turn_id=f"prompt-{number}")
    return workspace.payload("Stop", turn_id=f"turn-{number}", last_assistant_message="The tests pass now.")


def a_prompt(workspace: Workspace, number: int) -> bytes:
    return workspace.payload("UserPromptSubmit", turn_id=f"turn-{number}", prompt="How do I deploy this?")


def a_status(workspace: Workspace, _: int) -> bytes:
    root = str(workspace.root)
    return json.dumps({"session_id": "s1", "cwd": root, "workspace": {"project_dir": root}}).encode()


def is_block(said: str) -> bool:
    return '"decision":"block"' in said


def is_silent(said: str) -> bool:
    return said == "{}\n"


def is_line(said: str) -> bool:
    return "team" in said and said.count("\n") == 1


def is_overview(said: str) -> bool:
    return said.startswith("Runs (1)\n  team, session s1 ")


SESSION = ["--session", "s1"]
MANY = 2_000
CASES = (
    Case("rcs-hook, a prompt, no state", [str(RCS_HOOK)], a_prompt, is_silent, is_running=False),
    Case("rcs-hook, a prompt, team runs", [str(RCS_HOOK)], a_prompt, is_silent),
    Case("rcs-hook, a Stop that blocks", [str(RCS_HOOK)], a_stop, is_block),
    Case("rcs hud --statusline, no state", [*RCS, "hud", "--statusline"], a_status, str.isspace, is_running=False),
    Case("rcs hud --statusline, team runs", [*RCS, "hud", "--statusline"], a_status, is_line),
    Case("rcs hud", [*RCS, "hud", *SESSION], nothing, is_line),
    Case("rcs status", [*RCS, "status"], nothing, is_overview),
    Case(f"rcs status, {MANY} sessions", [*RCS, "status"], nothing, is_overview, sessions=MANY),
    Case("rcs state list-active", [*RCS, "state", "list-active", *SESSION], nothing, is_line),
    Case(
        "rcs state write",
        [*RCS, "state", "write", "--mode", "team", *SESSION, "--phase", "executing"],
        nothing,
        lambda said: said.startswith("team: executing"),
    ),
)


def cold(rounds: int, folder: Path) -> tuple[float, dict[str, list[float]]]:
    """The median of a bare interpreter, and the seconds of every case."""
    times: dict[str, list[float]] = {case.name: [] for case in CASES}
    places = {case.name: Workspace(folder / str(number), now=time.time()) for number, case in enumerate(CASES)}
    for case in CASES:
        places[case.name].root.mkdir()
        if case.is_running:
            places[case.name].prompt("$team")
        with_ended_sessions(places[case.name], case.sessions)
    bare: list[float] = []
    dice = random.Random(1)
    for number in range(rounds + 1):
        for case in dice.sample(CASES, len(CASES)):
            workspace = places[case.name]
            bare.append(timed(BARE, b"", folder)[0])
            seconds, said = timed(case.command, case.stdin(workspace, number), workspace.root)
            if not case.is_right(said):
                raise SystemExit(f"{case.name} answered {said!r}")
            times[case.name].append(seconds)
        if number == 0:  # the first round fills the caches
            bare.clear()
            for each in times.values():
                each.clear()
    return statistics.median(bare), times


def with_ended_sessions(workspace: Workspace, number: int) -> None:
    """Add so many sessions in which forge has finished."""
    for each in range(number):
        workspace.write("forge", f"ended-{each}", active=False, lifecycle_outcome="finished")
        workspace.write("skill-active", f"ended-{each}", active=False, source=NATIVE_HOOK)


# --- warm


def a_stop_call(root: Path, number: int) -> dict[str, Any]:
    """As Claude Code's placeholders make it, and of a prompt of its own."""
    Workspace(root, now=time.time()).prompt("Go on.", turn_id=f"prompt-{number}")
    fields = {"session_id": "s1", "cwd": str(root), "prompt_id": f"turn-{number}", "stop_hook_active": "false"}
    return {"name": "hook_stop", "arguments": fields | {"last_assistant_message": "The tests pass now."}}


def a_prompt_call(root: Path, number: int) -> dict[str, Any]:
    fields = {"session_id": "s1", "cwd": str(root), "turn_id": f"turn-{number}", "prompt": "How do I deploy this?"}
    return {"name": "hook_user_prompt_submit", "arguments": fields}


WARM: tuple[tuple[str, str, Callable[[Path, int], dict[str, Any]], Callable[[str], bool], bool], ...] = (
    ("MCP, a prompt, no state", "rcs-hook, a prompt, no state", a_prompt_call, lambda said: said == "{}", False),
    ("MCP, a prompt, team runs", "rcs-hook, a prompt, team runs", a_prompt_call, lambda said: said == "{}", True),
    ("MCP, a Stop that blocks", "rcs-hook, a Stop that blocks", a_stop_call, is_block, True),
)
"""Name, the cold case beside it, the call, what is right, and whether team runs."""


def on_the_clock(_: int) -> float:
    """Seconds that have passed, whatever a process has done."""
    return time.perf_counter()


def of_the_processor(pid: int) -> float:
    """Seconds of the processor that a running process has taken so far. Linux numbers these clocks by the process."""
    return time.clock_gettime(~pid << 3 | 2)


def served(
    calls: int,
    root: Path,
    make: Callable[[Path, int], dict[str, Any]],
    rcs: str = RCS[0],
    seconds_of: Callable[[int], float] = on_the_clock,
) -> Generator[tuple[float, str], None, None]:
    """Seconds and text of each call, from the write of its line to the read of its answer, after a warm-up.

    `seconds_of`: the clock, by the id of the server's process.
    """
    env = clean_env(RCS_STOP_MAX_BLOCKS="1000000", CLAUDE_CODE_STOP_HOOK_BLOCK_CAP="0")
    server = subprocess.Popen([rcs, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root, env=env, bufsize=0)
    assert server.stdin
    assert server.stdout
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "0"}}
    with server, open(server.stdout.fileno(), "rb", closefd=False) as answers:
        server.stdin.write(line({"id": "hello", "method": "initialize", "params": hello}))
        answers.readline()
        server.stdin.write(line({"method": "notifications/initialized"}))
        for number in range(WARM_UP + calls):
            asked = line({"id": number, "method": "tools/call", "params": make(root, number)})
            start = seconds_of(server.pid)
            server.stdin.write(asked)
            answer = answers.readline()
            seconds = seconds_of(server.pid) - start
            if number >= WARM_UP:
                yield seconds, json.loads(answer)["result"]["content"][0]["text"]
        server.stdin.close()


def line(message: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0"} | message).encode() + b"\n"


def measure(rounds: int, calls: int, folder: Path) -> list[str]:
    """The lines of the table."""
    bare, times = cold(rounds, folder)
    lines = [f"{'cold, whole processes':<36}{'p50':>9}{'p99':>12}{'to bare':>12}"]
    lines.append(f"{'a bare interpreter':<36}{bare * 1000:>6.1f} ms")
    for name, each in times.items():
        middle = statistics.median(each)
        lines.append(f"{name:<36}{middle * 1000:>6.1f} ms{_last(each) * 1000:>9.1f} ms{middle / bare:>10.2f} x")
    lines += ["", f"{f'warm, {calls} calls each':<36}{'p50':>9}{'p99':>12}{'to cold':>12}{'limit':>9}"]
    for number, (name, beside, make, is_right, is_running) in enumerate(WARM):
        root = folder / f"warm-{number}"
        root.mkdir()
        if is_running:
            Workspace(root, now=time.time()).prompt("$team")
        taken = []
        for seconds, said in served(calls, root, make):
            if not is_right(said):
                raise SystemExit(f"{name} answered {said!r}")
            taken.append(seconds)
        middle, ratio = statistics.median(taken), statistics.median(taken) / statistics.median(times[beside])
        mark = "  OVER" if ratio > LIMIT else ""
        shown = f"{middle * 1000:>6.2f} ms{_last(taken) * 1000:>9.2f} ms{ratio:>10.3f} x{LIMIT:>7.1f} x"
        lines.append(f"{name:<36}{shown}{mark}")
    return lines


def _last(times: list[float]) -> float:
    """The 99th of a hundred."""
    return sorted(times)[min(len(times) - 1, len(times) * 99 // 100)]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=40, help="how often each process is run (40)")
    parser.add_argument("--calls", type=int, default=5_000, help="how many calls the server gets of each kind (5000)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print("\n".join(measure(max(1, args.rounds), max(1, args.calls), Path(folder))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
