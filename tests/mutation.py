"""Measures how much of the rooms that decide the default test suite holds: breaks them one small change at a time.

    python -m tests.mutation [--sample N] [--seed S] [--whole] [ROOM ...]

Each change (a mutant) is made in a private copy of the checkout, and the tests of its room are run there, in a process
that is forked from one that has loaded pytest; with
`--whole`, the whole default suite is run for a mutant that survives them.
"""

from __future__ import annotations

import argparse
import ast
import copy
import functools
import json
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
import venv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

CHECKOUT = Path(__file__).resolve().parent.parent

STOP = tuple(
    f"tests/hook/test_{name}.py"
    for name in ("stop", "stop_limits", "stop_questions", "stop_softeners", "stop_strange_state")
)
ROOMS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    # room: (modules that are broken, tests that are run first: the quickest that ought to see it)
    "tokens": (
        tuple(
            f"workflow/tokens/{name}.py"
            for name in [
                "scan",
                "neighbours",
                "parts",
                "directed",
                "phrasing",
                "cancel",
                "clause",
                "mentions",
                "predicates",
            ]
        ),
        ("tests/workflow/test_tokens.py", "tests/hook/test_mentions.py"),
    ),
    "proof": (
        ("workflow/proof.py", "workflow/messages/proof.py", "state/judging.py", "state/proving.py"),
        (
            *("tests/workflow/test_proof.py", "tests/workflow/test_reply_of_proof.py"),
            *("tests/state/test_proving.py", "tests/state/test_named_proof.py"),
        ),
    ),
    "terminal": (
        tuple(f"terminal/{name}.py" for name in ("ids", "style", "table", "when", "width")),
        ("tests/terminal",),
    ),
    "transitions": (
        ("workflow/transitions.py",),
        (
            *("tests/workflow/test_transitions.py", "tests/workflow/test_own_modes.py"),
            "tests/hook/test_transitions_on_disk.py",
        ),
    ),
    "modes": (
        (
            *(f"modes/{name}.py" for name in ("front_matter", "declaration", "diagram", "lookup", "lint")),
            "mode_def.py",
        ),
        ("tests/modes", "tests/cli/test_modes.py"),
    ),
    "lifecycle": (("workflow/lifecycle.py",), ("tests/workflow/test_lifecycle.py", *STOP)),
    "stop": (
        ("workflow/stop.py", "workflow/last_message.py", "hook/stop.py"),
        (
            "tests/workflow/test_last_message.py",
            *(f"tests/hook/test_{name}.py" for name in ("stop_rightly", "stop_sandbox", "question_turn", "runs_again")),
            "tests/hook/test_counts_of_a_run.py",
            *STOP,
        ),
    ),
    "reconcile": (
        (
            "state/reconcile.py",
            "state/renewal.py",
            "state/answers.py",
            "state/deferral.py",
            "state/draft.py",
            "state/mode_changes.py",
        ),
        (
            *("tests/state/test_mode_changes.py", "tests/hook/test_transitions_on_disk.py", *STOP),
            *(
                f"tests/hook/test_{name}.py"
                for name in ("whose_prompt", "question_turn", "question_in_root", "runs_again")
            ),
            "tests/state",
        ),
    ),
    "phases": (
        ("workflow/phases.py", "state/handover.py", "state/run_details.py", "state/writing.py"),
        (
            *("tests/workflow/test_phases.py", "tests/state/test_writing.py", "tests/state/test_handover.py"),
            *("tests/state/test_operations.py", "tests/state/test_write_checks.py", "tests/state/test_clear.py"),
            *("tests/state/test_write_merging.py", "tests/state/test_write_outcomes.py"),
        ),
    ),
    "next step": (
        ("workflow/next_step.py", "hook/finished.py", "state/mode_events.py"),
        (
            *("tests/workflow/test_next_steps.py", "tests/workflow/test_proof_commands.py"),
            *("tests/hook/test_finished.py", "tests/state/test_mode_events.py", "tests/hook/test_guidance.py"),
        ),
    ),
    "guards": (
        tuple(f"tasks/guards/{name}.py" for name in ("plan", "code", "acceptance", "edge")),
        ("tests/tasks/test_guards.py", "tests/tasks/test_opens.py", "tests/tasks"),
    ),
    "verdicts": (
        ("tasks/verdicts.py", "tasks/guards/findings.py"),
        ("tests/tasks/test_verdict.py", "tests/tasks/test_to_do.py", "tests/tasks"),
    ),
    "flow": (("tasks/flow.py",), ("tests/tasks/test_pairs.py", "tests/tasks")),
    "rules": (("runs/rules.py",), ("tests/runs",)),
    "dashboard": (("dashboard/guard.py",), ("tests/dashboard/test_guard.py", "tests/dashboard")),
    "entries": (
        ("clients/entries.py", "clients/handlers.py"),
        ("tests/clients/test_entries.py", "tests/clients/test_handlers.py", "tests/install", "tests/cli/test_setup.py"),
    ),
    "settings": (
        (
            *(f"config/{name}.py" for name in ("loading", "reading", "proof_table", "trust", "commands", "values")),
            "clients/claude/settings.py",
        ),
        ("tests/config", "tests/clients/test_entries.py", "tests/cli/test_config.py", "tests/install/test_doctor.py"),
    ),
    "fingerprint": (
        tuple(
            f"proof/{name}.py" for name in ("tree", "work_tree", "attributes", "content", "repository", "walk", "git")
        ),
        (
            *("tests/proof/test_tree.py", "tests/proof/test_repositories.py", "tests/proof/test_ways_of_change.py"),
            *("tests/proof/test_git_add.py", "tests/proof/test_hostile.py"),
        ),
    ),
    "jsonedit": (
        ("editing/jsonedit.py", "editing/jsontree.py"),
        ("tests/editing/test_jsonedit.py", "tests/clients/test_entries.py"),
    ),
}
SECONDS = 120
"""How long the tests of one mutant may take; one that hangs is dead."""
MEMORY = 4 << 30
"""How many bytes of address space the tests of one mutant may have."""
PRELOADED = f"""
import json, os, pytest, resource, sys
from importlib import import_module
from _pytest.config import default_plugins
for name in default_plugins:
    import_module("_pytest." + name)
for line in sys.stdin:
    child = os.fork()
    if not child:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))
        resource.setrlimit(resource.RLIMIT_CPU, ({SECONDS}, {SECONDS}))
        null = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(null, stream)
        os._exit(pytest.main(json.loads(line)))
    print(child, flush=True)
    print(os.waitpid(child, 0)[1], flush=True)
"""
"""Runs pytest with the words of each line in a child; writes the id of the child, and then how it ended.

A mutant may allocate without end, and outlive a runner that is killed: the kernel ends it then.
"""

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


class TargetError(Exception):
    """A room, a module or a test that is named and does not exist, or tests that fail without any mutant."""


@dataclass(frozen=True)
class Mutant:
    """One change to a file: the bytes from `start` to `end` become `new`."""

    line: int
    start: int
    end: int
    old: str
    new: str

    def applied(self, source: bytes) -> bytes:
        return source[: self.start] + self.new.encode() + source[self.end :]

    def __str__(self) -> str:
        old, new = (" ".join(text.split()) for text in (self.old, self.new))
        return f"{old[:70]} -> {new[:70]}"


def mutants(source: bytes) -> list[Mutant]:
    """Every change that the runner knows to make to a module, in the order of its lines."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for node, new in _changes(ast.parse(source)):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        old = source[start:end].decode()
        found.append(Mutant(node.lineno, start, end, old, new))
    return sorted(set(found), key=lambda mutant: (mutant.start, mutant.end, mutant.new))


def _changes(tree: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Pairs of a node and the text that takes its place."""
    for node in _code(tree):
        if isinstance(node, ast.expr):
            yield from ((node, f"({ast.unparse(new)})") for new in _other_expressions(node))
        if isinstance(node, ast.If | ast.While | ast.IfExp):
            yield node.test, f"(not ({ast.unparse(node.test)}))"
        if isinstance(node, ast.Return) and node.value and ast.unparse(node.value) not in ("None", "False"):
            yield node, "return None"
        removable = isinstance(node, ast.Raise | ast.AugAssign | ast.Delete | ast.Continue | ast.Break)
        if removable or (isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant)):
            assert isinstance(node, ast.stmt)
            yield node, "pass"


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run: no docstring, no annotation, no part of an f-string (Python 3.11 gives it a wrong place)."""
    yield node
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns") or isinstance(node, ast.JoinedStr):
            continue
        for child in value if isinstance(value, list) else [value]:
            is_docstring = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            is_for_types = isinstance(child, ast.If | ast.Assign) and _names_type_checking(child)
            if isinstance(child, ast.AST) and not is_docstring and not is_for_types:
                yield from _code(child)


def _names_type_checking(node: ast.If | ast.Assign) -> bool:
    name = node.test if isinstance(node, ast.If) else node.targets[0]
    return isinstance(name, ast.Name) and name.id == "TYPE_CHECKING"


def _other_expressions(node: ast.expr) -> Iterator[ast.expr]:
    """The expressions that take the place of one.

    The operands of `and` and `or` are never swapped. A test that notices such a swap notices `or` for `and`, too: where
    both operands are true, or both false, the two changes have the same value, and where the left operand protects the
    right one from an exception, both raise it. Without an exception, most swaps change nothing at all.
    """
    match node:
        case ast.Compare(ops=[op]) if type(op) in COMPARISONS:
            new = copy.deepcopy(node)
            new.ops = [COMPARISONS[type(op)]()]
            yield new
        case ast.BoolOp(op=op, values=values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.BinOp(op=ast.Add()):
            yield ast.BinOp(node.left, ast.Sub(), node.right)
        case ast.BinOp(op=ast.Sub()):
            yield ast.BinOp(node.left, ast.Add(), node.right)
        case ast.Constant(value=bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(value=int() as value):
            yield ast.Constant(value + 1)
            yield ast.Constant(value - 1)
        case ast.Constant(value=str() as text):
            yield ast.Constant(text + "?" if text else "?")


def private_copy(folder: Path) -> Path:
    """A checkout below `folder` with an environment whose programs, too, run what lies there; returns the checkout."""
    root = folder / "checkout"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=CHECKOUT, capture_output=True, check=True
    )
    for name in listed.stdout.decode().split("\0"):
        if name and (CHECKOUT / name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(CHECKOUT / name, root / name)
    venv.create(root / ".venv", symlinks=True)
    (site,) = (root / ".venv" / "lib").glob("python*/site-packages")
    (site / "checkout.pth").write_text(f"{root}\n{sysconfig.get_path('purelib')}\n")
    for program in ("rcs", "rcs-hook"):
        shutil.copy(Path(sys.executable).parent / program, root / ".venv" / "bin" / program)
    return root


class Runner:
    """A process in a private copy that has loaded pytest, and runs the tests of each mutant in a child that it forks.

    It has loaded nothing of the copy itself, so that a child reads every module as it then lies on disk.
    """

    def __init__(self, root: Path) -> None:
        env = {name: value for name, value in os.environ.items() if not name.startswith("RCS_")}
        env |= {"TABLES_STOP": "1"}
        self.root = root
        self._process = subprocess.Popen(
            [str(root / ".venv" / "bin" / "python"), "-c", PRELOADED],
            cwd=root, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0,
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stdin and self._process.stdin.close()
        self._process.wait()
        self._process.stdout and self._process.stdout.close()

    def passes(self, tests: Sequence[str]) -> bool:
        """Whether tests succeed in the copy within the time that one mutant has; without names, the default suite."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin and stdout
        stdin.write(json.dumps(["-x", "-q", "-n", "0", "-p", "no:cacheprovider", *tests]).encode() + b"\n")
        stdin.flush()
        child = int(stdout.readline())
        in_time, _, _ = select.select([stdout], [], [], SECONDS)
        if not in_time:
            os.killpg(child, signal.SIGKILL)
        return int(stdout.readline()) == 0


def survivors(root: Path, path: str, sample: list[Mutant], passes: Callable[[], bool]) -> Iterator[Mutant]:
    """The mutants of one file with which the tests still pass, as they are found.

    Each has a time of its own, or one of the same length and second would meet the bytecode of the last.
    """
    source = (root / path).read_bytes()
    now = int(time.time())
    try:
        for number, mutant in enumerate(sample, 1):
            (root / path).write_bytes(mutant.applied(source))
            os.utime(root / path, (now - number, now - number))
            if passes():
                yield mutant
    finally:
        (root / path).write_bytes(source)


def check_targets(rooms: list[str]) -> None:
    unknown = [room for room in rooms if room not in ROOMS]
    if unknown:
        raise TargetError(f"there is no room {', '.join(unknown)}; there are {', '.join(ROOMS)}")
    for room in rooms:
        modules, tests = ROOMS[room]
        for name in [*(f"rcs_hooks/{module}" for module in modules), *tests]:
            if not (CHECKOUT / name).exists():
                raise TargetError(f"{name} does not exist: correct the entry {room!r} of ROOMS in tests/mutation.py")


def _survives(runner: Runner, tests: Sequence[str], *, whole: bool) -> bool:
    return runner.passes(tests) and (not whole or runner.passes([]))


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__.splitlines()[0])
    parser.add_argument("rooms", nargs="*", metavar="ROOM", default=list(ROOMS), help=", ".join(ROOMS))
    parser.add_argument("--sample", type=int, default=40, metavar="N", help="mutants a file (40); 0: all")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="which ones (1)")
    parser.add_argument("--whole", action="store_true", help="survivors meet the whole default suite, too")
    options = parser.parse_args(words)
    try:
        check_targets(options.rooms)
        with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
            return _run(private_copy(Path(folder).resolve()), options)
    except TargetError as error:
        print(error, file=sys.stderr)
        return 2


def _run(root: Path, options: argparse.Namespace) -> int:
    table = []
    with Runner(root) as runner:
        for room in options.rooms:
            modules, tests = ROOMS[room]
            if not runner.passes(tests):
                raise TargetError(f"{room}: {' '.join(tests)} fails, or takes more than {SECONDS} s, without a mutant")
            for path in (f"rcs_hooks/{module}" for module in modules):
                every = mutants((root / path).read_bytes())
                count = min(options.sample or len(every), len(every))
                sample = random.Random(f"{options.seed} {path}").sample(every, count)
                passes = functools.partial(_survives, runner, tests, whole=options.whole)
                dead = count
                for mutant in survivors(root, path, sample, passes):
                    dead -= 1
                    print(f"survives: {path}:{mutant.line}: {mutant}", flush=True)
                table.append((path, dead, count))
                print(f"{path}: {dead} of {count} dead", flush=True)
    print()
    for path, dead, sampled in [*table, ("in all", sum(row[1] for row in table), sum(row[2] for row in table))]:
        print(f"{path:<40} {dead:4}/{sampled:<4} {100 * dead // max(sampled, 1):3} %")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
