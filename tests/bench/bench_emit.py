"""Measure a whole `rcs emit`, and whether a large store matters: `python -m tests.bench.bench_emit [--smoke]`.

Whole processes, another order each round and a bare interpreter before each, as in `bench_hooks`. Each answer is
checked. The large store holds a million events in ten thousand runs, which all stem from one that was really walked.
Status 1 where a limit is broken. `--smoke` makes everything small, and compares not the median of the seconds but the
least that the processor had to do for each: that is nearly the same on a busy machine. While one is over its limit,
there are more rounds: what is less than all before is nearer to the truth.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.bench.bench_hooks import BARE
from tests.runs.support import RCS, Project
from tests.support import of_children

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Clock = Callable[[], float]
    Typical = Callable[[Sequence[float]], float]

TO_BARE = 3.0
TO_EMPTY = 1.5
EVENTS_OF_A_RUN = 100
COLUMNS_OF_A_RUN = "workflow, project, feature, file, status, current, events, artifacts, started_at, last_at, last_ms"
SERIES = "WITH RECURSIVE number (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < :runs - 1)"
COPIES = (
    f"{SERIES} INSERT INTO runs (id, run_id, {COLUMNS_OF_A_RUN}, last_event) SELECT i + 1, 'copy-' || i,"
    f" {COLUMNS_OF_A_RUN}, last_event + i * :events FROM number, runs WHERE runs.id = 1",
    f"{SERIES} INSERT INTO events SELECT id + i * :events, i + 1, seq, at, type, step, unit, status, data, automatic"
    " FROM number, events WHERE run = 1",
    f"{SERIES} INSERT INTO steps SELECT i + 1, step, unit, agent, parent, status, entered, last, visits, started_at,"
    " ended_at, open_ms, spent_ms FROM number, steps WHERE run = 1",
)


class Case(NamedTuple):
    name: str
    command: Callable[[int], list[str]]
    project: Project
    is_right: Callable[[str], bool]
    status: int = 0
    beside: str = ""
    """The case to compare with; the bare interpreter where it is empty."""
    limit: float = TO_BARE


def timed(command: list[str], project: Project, status: int, clock: Clock) -> tuple[float, str]:
    with tempfile.TemporaryFile() as said:
        start = clock()
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.DEVNULL,
            cwd=project.root, env=project.env(), check=False,
        )  # fmt: skip
        seconds = clock() - start
        said.seek(0)
        text = said.read().decode()
    if done.returncode != status:
        raise SystemExit(f"{command} ended with {done.returncode}: {text}")
    return seconds, text


def walked(folder: Path) -> Project:
    """Make a project with one run of EVENTS_OF_A_RUN events, whose current step is `verify`."""
    folder.mkdir()
    project = Project(folder)
    project.now = time.time() - 3600
    project.walk("requirements", "design", "tasks", "build", run="first")
    while project.emit("verify", run="first")["seq"] < EVENTS_OF_A_RUN - 3:
        project.emit("build", run="first")
    while project.emit("verify", run="first")["seq"] < EVENTS_OF_A_RUN:
        pass
    return project


def large(folder: Path, runs: int) -> Project:
    project = walked(folder)
    connection = sqlite3.connect(project.database)
    for copy in COPIES:
        connection.execute(copy, {"runs": runs, "events": EVENTS_OF_A_RUN})
    connection.commit()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    found = connection.execute("SELECT count(*) FROM events").fetchone()
    connection.close()
    if found != (runs * EVENTS_OF_A_RUN,):
        raise SystemExit(f"{found} events were made")
    return project


def cases(small: Project, big: Project) -> list[Case]:
    def emit(number: int) -> list[str]:
        return [*RCS, *small.command("requirements", run=f"n{number}")]

    def refused(number: int) -> list[str]:
        return [*RCS, *small.command("archive", run=f"never-{number}")]

    def again(_: int) -> list[str]:
        return [*RCS, *small.command("verify", run="first")]

    def listing(_: int) -> list[str]:
        return [*RCS, "runs", "list", "--limit", "20"]

    def is_new(said: str) -> bool:
        return said.endswith(": requirements; the run is running\n")

    def is_again(said: str) -> bool:
        return said.endswith(": verify; the run is running\n")

    def is_list(said: str) -> bool:
        return said.startswith("FEATURE") and "first" in said

    return [
        Case("emit, a new run", emit, small, is_new),
        Case(
            "emit --json", lambda number: [*emit(-number - 1), "--json"], small, lambda said: '"success":true' in said
        ),
        Case("emit that is refused", refused, small, lambda said: said == "", status=1, limit=5.0),
        Case("emit, the next of a run", again, small, is_again),
        Case("emit, the same among many", again, big, is_again, beside="emit, the next of a run", limit=TO_EMPTY),
        Case("runs list", listing, small, is_list, limit=10.0),
        Case("runs list among many", listing, big, is_list, beside="runs list", limit=TO_EMPTY),
    ]


def measure(
    rounds: int, small: Project, big: Project, clock: Clock, typical: Typical, more: int = 0
) -> tuple[list[str], bool]:
    """Return the lines of the table, and whether a limit is broken; `typical` takes one of the times of a case.

    `more`: how often as many rounds again are run while a limit is broken.
    """
    times: dict[str, list[float]] = {case.name: [] for case in cases(small, big)}
    bare: list[float] = []
    dice = random.Random(1)
    for turn in range(more + 1):
        run(range(turn * (rounds + 1), (turn + 1) * (rounds + 1)), small, big, clock, dice, times, bare)
        lines, is_broken = table(small, big, {name: typical(each) for name, each in times.items()}, typical(bare))
        if not is_broken:
            break
    return lines, is_broken


def run(
    numbers: range, small: Project, big: Project, clock: Clock, dice: random.Random,
    times: dict[str, list[float]], bare: list[float],
) -> None:  # fmt: skip
    """Run every case once for each number, and add what it took."""
    for number in numbers:
        for case in dice.sample(cases(small, big), len(times)):
            bare.append(timed(BARE, small, 0, clock)[0])
            seconds, said = timed(case.command(number), case.project, case.status, clock)
            if not case.is_right(said):
                raise SystemExit(f"{case.name} answered {said!r}")
            times[case.name].append(seconds)
        if number == 0:  # the first round fills the caches
            bare.clear()
            for each in times.values():
                each.clear()


def table(small: Project, big: Project, middle: dict[str, float], own: float) -> tuple[list[str], bool]:
    """Return its lines, and whether a limit is broken. `own`: what a bare interpreter takes."""
    lines, is_broken = [f"{'a bare interpreter':<30}{own * 1000:>7.1f} ms"], False
    for case in cases(small, big):
        ratio = middle[case.name] / (middle[case.beside] if case.beside else own)
        is_over = ratio > case.limit
        is_broken |= is_over
        to = "empty" if case.beside else "bare"
        shown = f"{middle[case.name] * 1000:>7.1f} ms{ratio:>7.2f} x {to:<6}{case.limit:>5.1f} x"
        lines.append(f"{case.name:<30}{shown}{'  OVER' if is_over else ''}")
    return lines, is_broken


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=40, help="how often each process is run (40)")
    parser.add_argument("--runs", type=int, default=10_000, help="how many runs the large store holds (10000)")
    parser.add_argument("--smoke", action="store_true", help="15 rounds, 200 runs, by the processor's time")
    args = parser.parse_args()
    rounds, runs = (15, 200) if args.smoke else (max(1, args.rounds), max(2, args.runs))
    with tempfile.TemporaryDirectory() as folder:
        small, big = walked(Path(folder) / "small"), large(Path(folder) / "big", runs)
        clock, typical = (of_children, min) if args.smoke else (time.perf_counter, statistics.median)
        lines, is_slow = measure(rounds, small, big, clock, typical, more=5 if args.smoke else 0)
        print("\n".join(lines))
    return int(is_slow)


if __name__ == "__main__":
    sys.exit(main())
