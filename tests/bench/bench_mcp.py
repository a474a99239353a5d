"""What hooks over MCP cost at the pipe of the server: `python -m tests.bench.bench_mcp [--rounds N] [--calls N]`.

From its start to its first answers, and a warm call. What is shown are medians.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.bench.warm import RCS, WARM, line, served
from tests.support import Workspace, clean_env

ASKED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "b", "version": "0"}}),
    ("tools/list", {}),
    ("tools/call", {"name": "hook_user_prompt_submit", "arguments": {"session_id": "s1", "prompt": "Hi"}}),
)
"""The requests of a client from its start to its first prompt."""


def first_answers(root: Path) -> list[float]:
    """Seconds from the start of the server to each of its first answers, asked one after the other as clients do."""
    start = time.perf_counter()
    server = subprocess.Popen(
        [*RCS, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root, env=clean_env(), bufsize=0
    )
    assert server.stdin
    assert server.stdout
    taken = []
    with server, open(server.stdout.fileno(), "rb", closefd=False) as answers:
        for number, (method, params) in enumerate(ASKED):
            server.stdin.write(line({"id": number, "method": method, "params": params}))
            if "result" not in json.loads(answers.readline()):
                raise SystemExit(f"rcs mcp did not answer {method}")
            taken.append(time.perf_counter() - start)
            if number == 0:
                server.stdin.write(line({"method": "notifications/initialized"}))
        server.stdin.close()
    return taken


def started(rounds: int, folder: Path) -> list[str]:
    taken = [first_answers(folder) for _ in range(rounds + 1)][1:]  # the first round fills the caches
    medians = [statistics.median(seconds) for seconds in zip(*taken, strict=True)]
    names = [params.get("name", method) for method, params in ASKED]
    return [
        f"{'to the answer of ' + name:<40}{each * 1000:>9.1f} ms" for name, each in zip(names, medians, strict=True)
    ]


def warm(calls: int, folder: Path) -> list[str]:
    lines = []
    for number, (title, make, is_right, is_running) in enumerate(WARM):
        root = folder / f"warm-{number}"
        root.mkdir()
        if is_running:
            Workspace(root, now=time.time()).prompt("$team")
        spent = []
        for seconds, said in served(calls, root, make):
            if not is_right(said):
                raise SystemExit(f"{title}: {said!r}")
            spent.append(seconds)
        lines.append(f"{title:<40}{statistics.median(spent) * 1000:>9.3f} ms")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=10, help="how often the server is started (10)")
    parser.add_argument("--calls", type=int, default=2_000, help="how many warm calls of each kind (2000)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        print("\n".join([*started(args.rounds, Path(name)), *warm(args.calls, Path(name))]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
