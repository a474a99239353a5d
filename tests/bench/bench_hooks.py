"""How long whole hook processes take, against a bare interpreter: `python -m tests.bench.bench_hooks [--rounds N]`.

Every round runs every row once, in another order each time and with a bare interpreter before each: a busy host,
or a row that leaves the caches cold, is as unkind to one as to the other. Each answer is checked; a row that is over
its limit is marked, and fails nothing. What is shown is the median; over the limit is what is so by its least time, and
by that of a bare interpreter, after more rounds: a busy host only adds.
"""

from __future__ import annotations

import argparse
import random
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks.clients.lines import hook_command
from tests.own_modes import put
from tests.support import RCS_HOOK, SCRIPTS, Answer, Workspace, clean_env

if TYPE_CHECKING:
    from collections.abc import Callable

BARE = [sys.executable, "-c", "pass"]
SHELL = ["/bin/sh", "-c", f"{shlex.quote(sys.executable)} -c pass || exit 0"]
"""As an entry is run, which a client gives to a shell."""
MORE = 6
"""How often the rounds are run at most."""
DOLLARS = "$forgery x" * 100_000 + "\n$team"
"""1 MB with 100,001 dollar signs; each of them looks like a skill at first, and only the last one is."""
PLAIN = "---\nname: skill\ndescription: Does something.\n---\n# A skill\n"


class Case(NamedTuple):
    name: str
    event: str
    fields: dict[str, Any]
    is_right: Callable[[Answer], bool]
    ratio: float | None = None
    seconds: float | None = None
    is_running: bool = False
    """Whether team runs in the session before the call."""
    skills: int = 0
    """How many skills of its own the project has, one of which declares the mode release."""
    like: str = ""
    """The case that this one may exceed by `EXTRA`."""


def says_nothing(answer: Answer) -> bool:
    return answer.line == "{}"


def has_started_team(answer: Answer) -> bool:
    return "initialized: .rcs/state/sessions/" in answer.context and "active: team" in answer.context


def has_started_release(answer: Answer) -> bool:
    return "active: release" in answer.context


def blocks(answer: Answer) -> bool:
    return answer.blocks


PROMPT, STOP = "UserPromptSubmit", "Stop"
LAST = {"stop_hook_active": False, "last_assistant_message": "The tests pass now; next is the parser."}
CASES = (
    Case("a prompt without work, no state", PROMPT, {"prompt": "How do I deploy this?"}, says_nothing, ratio=2.0),
    Case("a prompt with $PATH, no state", PROMPT, {"prompt": "What is in $PATH here?"}, says_nothing, ratio=2.0),
    Case("a Stop, no state", STOP, LAST, says_nothing, ratio=2.0),
    Case("a prompt that activates", PROMPT, {"prompt": "$team fix the parser"}, has_started_team, ratio=3.5),
    Case("a Stop that blocks", STOP, LAST, blocks, ratio=3.0, is_running=True),
    Case("1 MB with 100,000 dollar signs", PROMPT, {"prompt": DOLLARS}, has_started_team, seconds=1.0),
)
MANY, EXTRA = 200, 0.3
"""So many skills of a project's own, and by how much of a bare interpreter they may make a call slower."""
NAMES_NONE, STARTS_OWN = "a prompt with $items, no state", "a prompt that starts an own mode"
OF_SKILLS = (
    Case(NAMES_NONE, PROMPT, {"prompt": "What is in $items here?"}, says_nothing, ratio=2.0),
    Case(STARTS_OWN, PROMPT, {"prompt": "$release fix the parser"}, has_started_release, ratio=3.5, skills=1),
    Case(f"the same, {MANY} skills", PROMPT, {"prompt": "What is in $items here?"}, says_nothing, like=NAMES_NONE),
    Case(f"an own mode, {MANY} skills", PROMPT, {"prompt": "$release fix it"}, has_started_release, like=STARTS_OWN),
    *(
        case._replace(name=f"{case.name.partition(',')[0]}, {MANY} skills", ratio=None, like=case.name)
        for case in CASES
        if case.ratio is not None
    ),
)
WITH_SKILLS = tuple(case._replace(skills=MANY) if case.like else case for case in OF_SKILLS)


class Row:
    """One case for one program, in a workspace of its own."""

    def __init__(self, case: Case, program: str, command: list[str], root: Path) -> None:
        self.case = case
        self.program = program
        self.command = command
        self.workspace = Workspace(root, now=time.time())
        self.times: list[float] = []
        root.mkdir()
        for number in range(case.skills):
            name = f"skill-{number}" if number else "release"
            put(root, name, None if name == "release" else PLAIN)
        if case.is_running:
            self.workspace.prompt("$team")

    def run(self, number: int) -> None:
        """Another session each time, but for a Stop that needs the one that runs: there it is another turn."""
        session = "s1" if self.case.is_running else f"round-{number}"
        if self.case.is_running:
            self.workspace.prompt("Go on.")  # of one prompt no more than 50 Stops are held
        raw = self.workspace.payload(self.case.event, session, turn_id=f"turn-{number}", **self.case.fields)
        seconds, said = timed(self.command, raw, self.workspace.root)
        answer = Answer(self.case.event, said.removesuffix("\n"))
        if not self.case.is_right(answer):
            raise SystemExit(f"{self.case.name} ({self.program}) answered {answer}")
        self.times.append(seconds)

    def is_over(self, bare: list[float], like: Row | None) -> bool:
        least = min(self.times)
        if like is not None:
            return (least - min(like.times)) / min(bare) > EXTRA
        if self.case.ratio is not None:
            return least / min(bare) > self.case.ratio
        return self.case.seconds is not None and least > self.case.seconds

    def shown(self, bare: list[float], like: Row | None) -> str:
        median = statistics.median(self.times)
        ratio = median / statistics.median(bare)
        if like is not None:
            limit = f"{statistics.median(like.times) / statistics.median(bare) + EXTRA:.2f} x"
        elif self.case.ratio is not None:
            limit = f"{self.case.ratio:.1f} x"
        else:
            limit = f"{self.case.seconds:.1f} s"
        mark = "  OVER" if self.is_over(bare, like) else ""
        return f"{self.case.name:<36}{self.program:<10}{median * 1000:>9.1f} ms{ratio:>8.2f} x{limit:>9}{mark}"


def timed(command: list[str], raw: bytes, cwd: Path, *, check: bool = True) -> tuple[float, str]:
    """From the start of a process to its end, and its stdout. Over files: the cost of pipes would be our own.

    `check`: whether it has to succeed.
    """
    env = clean_env(RCS_STOP_MAX_BLOCKS="1000000")
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as said:
        asked.write(raw)
        asked.seek(0)
        start = time.perf_counter()
        subprocess.run(command, stdin=asked, stdout=said, cwd=cwd, env=env, check=check)
        seconds = time.perf_counter() - start
        said.seek(0)
        return seconds, said.read().decode()


def rows_in(folder: Path) -> list[Row]:
    entry = ["/bin/sh", "-c", hook_command(sys.executable)]
    rows = [
        Row(case, program, command, folder / f"{number}-{program}")
        for number, case in enumerate(CASES)
        for program, command in (
            ("entry", entry),
            ("rcs-hook", [str(RCS_HOOK)]),
            ("script", [sys.executable, str(SCRIPTS[case.event])]),
        )
    ]
    return rows + [Row(case, "entry", entry, folder / f"skills-{at}") for at, case in enumerate(WITH_SKILLS)]


def measure(rounds: int, folder: Path) -> list[str]:
    """The lines of the table. While a row is over its limit, as many rounds are run again, up to five times."""
    rows = rows_in(folder)
    named = {(row.case.name, row.program): row for row in rows}
    likes = [named.get((row.case.like, row.program)) for row in rows]
    bare: list[float] = []
    in_shell: list[float] = []
    dice = random.Random(1)
    for number in range(MORE * rounds + 1):
        has_run = number > rounds and number % rounds == 1 % rounds
        if has_run and not any(row.is_over(bare, like) for row, like in zip(rows, likes, strict=True)):
            break
        for row in dice.sample(rows, len(rows)):
            bare.append(timed(BARE, b"", folder)[0])
            if row.program == "entry":
                in_shell.append(timed(SHELL, b"", folder)[0])
            row.run(number)
        if number == 0:  # the first round fills the caches
            bare.clear()
            in_shell.clear()
            for row in rows:
                row.times.clear()
    head = f"{'case':<36}{'program':<10}{'median':>12}{'to bare':>10}{'limit':>9}"
    return [
        head,
        f"{'a bare interpreter':<46}{statistics.median(bare) * 1000:>9.1f} ms",
        f"{'the same, started by a shell':<46}{statistics.median(in_shell) * 1000:>9.1f} ms",
        *(row.shown(bare, like) for row, like in zip(rows, likes, strict=True)),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=40, help="how often each row is run (40)")
    rounds = max(1, parser.parse_args().rounds)
    with tempfile.TemporaryDirectory() as folder:
        print("\n".join(measure(rounds, Path(folder))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
