"""Measures what the default tests hold: breaks the package one change at a time, and says which tests notice.

    python -m tests.mutation RESULTS [ROOM ...] [--sample N] [--seed S] [--all] [--defects FOLDER]
    python -m tests.mutation --cover RESULTS

RESULTS is a folder. Which test runs which line is measured first, and kept there; only the tests that run a changed
line are run for it, in a private copy of the checkout. Each result is a line of JSON in `mutants.jsonl`, and is not
tried again. A room is the first folder below `rcs_hooks`, or `base`. A change outside functions is not tried: the tests
have been collected before it is made.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import difflib
import functools
import itertools
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import coverage

from tests.mutation_worker import COVERED, Job, Results, replacements

CHECKOUT = Path(__file__).resolve().parent.parent
MEMORY = "/dev/shm"
PATIENCE = 20
"""How many seconds a test has besides those of the slowest of its job; one that hangs has noticed."""
SETTINGS = "[run]\ndata_file = {notes}/data\ninclude = {root}/rcs_hooks/*\npatch = _exit\n"
COVERED_PROGRAM = """
import atexit, coverage
found = coverage.Coverage(config_file="{notes}/settings", context=open("{notes}/test").read(), data_suffix=True)
found.start()
atexit.register(lambda: (found.stop(), found.save()))
"""
"""Measures a program that a test starts, whatever its environment."""
START = "import os; os.path.exists('{notes}/test') and __import__('covered_program')\n"
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
    (site / "checkout.pth").write_text(f"{root}\n{Path(coverage.__file__).parent.parent}\n")
    for program in ("rcs", "rcs-hook"):
        shutil.copy(Path(sys.executable).parent / program, root / ".venv" / "bin" / program)
    return root


@dataclass(frozen=True)
class Change:
    """A mutant, or a defect of the past that is made again (in no line): the new text of each file that it changes."""

    room: str
    name: str
    line: int
    old: str
    new: str
    files: dict[str, bytes]


def room_of(path: str) -> str:
    parts = path.split("/")
    return parts[1] if len(parts) > 2 else "base"


def sampled(root: Path, rooms: list[str], count: int, seed: int) -> list[Change]:
    """Some mutants of each room, at most one in ten; those of all rooms in turn."""
    every: dict[str, list[tuple[str, Mutant]]] = defaultdict(list)
    for file in sorted(root.glob("rcs_hooks/**/*.py")):
        path = str(file.relative_to(root))
        if not rooms or room_of(path) in rooms:
            every[room_of(path)] += [(path, each) for each in mutants(file.read_bytes())]
    rows = []
    for room, found in sorted(every.items()):
        sample = random.Random(f"{seed} {room}").sample(found, min(count, math.ceil(len(found) / 10)))
        rows.append([_change(root, room, path, each) for path, each in sample])
    return [each for turn in itertools.zip_longest(*rows) for each in turn if each]


def _change(root: Path, room: str, path: str, mutant: Mutant) -> Change:
    return Change(room, path, mutant.line, mutant.old, mutant.new, {path: mutant.applied((root / path).read_bytes())})


def defects(root: Path, folder: Path, rooms: list[str]) -> Iterator[Change]:
    """The patches of a folder that apply; each says in its first line what it makes again."""
    for patch in sorted(folder.glob("*.patch")):
        apply = ["git", "apply", str(patch.resolve())]
        if subprocess.run(apply, cwd=root, stderr=subprocess.DEVNULL, check=False).returncode:
            print(f"{patch.name} does not apply", flush=True)
            continue
        listed = subprocess.run([*apply, "--numstat"], cwd=root, capture_output=True, text=True, check=True).stdout
        new = {name: (root / name).read_bytes() for name in listed.split()[2::3]}
        subprocess.run([*apply, "-R"], cwd=root, check=True)
        room = room_of(next(iter(new)))
        if not rooms or room in rooms:
            yield Change(room, patch.stem, 0, patch.read_text().partition("\n")[0], "", new)


def touched(old: bytes, new: bytes) -> set[int]:
    """The lines of a text that another one changes, or adds something beside; and where their statements begin."""
    found = set[int]()
    matcher = difflib.SequenceMatcher(a=old.splitlines(), b=new.splitlines(), autojunk=False)
    for kind, start, end, _, _ in matcher.get_opcodes():
        if kind != "equal":
            found |= set(range(start + 1, end + 1)) or {start, start + 1}
    statements = [each for each in ast.walk(ast.parse(old)) if isinstance(each, ast.stmt)]
    around = ([each.lineno for each in statements if each.lineno <= line <= (each.end_lineno or 0)] for line in found)
    return found | {max(starts) for starts in around if starts}


class Tests:
    """Which tests run which lines, and how long each takes."""

    def __init__(self, results: Path) -> None:
        self._data = coverage.CoverageData(str(results / "coverage"))
        self._data.read()
        self._files = {f"rcs_hooks/{name.rpartition('/rcs_hooks/')[2]}": name for name in self._data.measured_files()}
        self.seconds: dict[str, float] = json.loads((results / "tests.json").read_text())

    def of(self, change: Change, root: Path) -> list[str] | None:
        """The tests that run what a change changes, the quickest first; None if it is outside functions."""
        found = set[str]()
        for path, new in change.files.items():
            old, by_line = (root / path).read_bytes(), self._of_lines(path)
            for line in touched(old, new):
                found.update(by_line.get(line, ()))
            if replacements(*(compile(text, path, "exec", 0, True) for text in (old, new))) is None:
                return None
        # "" is what runs while tests are collected
        return None if "" in found else sorted(found & self.seconds.keys(), key=self.seconds.__getitem__)

    @functools.cache  # noqa: B019 - there is one
    def _of_lines(self, path: str) -> dict[int, list[str]]:
        return self._data.contexts_by_lineno(self._files[path]) if path in self._files else {}


class Worker:
    """A process in a private copy that has collected the tests, and runs those of each job in a child."""

    def __init__(self, root: Path, kind: str = "collected") -> None:
        self._temporary = root.parent / "tmp"
        self._temporary.mkdir(exist_ok=True)
        self._temporary.chmod(0o1777)  # the PostgreSQL of the tests runs as another user
        env = {name: value for name, value in os.environ.items() if not name.startswith("RCS_")}
        env |= {"TABLES_STOP": "1", "TMPDIR": str(self._temporary)}
        (jobs, to), (back, answers) = os.pipe(), os.pipe()
        self._jobs, self._answers = os.fdopen(to, "w", buffering=1), os.fdopen(back)
        command = [str(root / ".venv/bin/python"), "-m", "tests.mutation_worker", kind, str(jobs), str(answers)]
        command += ["-q", "-p", "no:cacheprovider", f"--basetemp={self._temporary}/base", "-n", "0"]
        with (root.parent / f"{kind}.txt").open("wb") as said:
            self._process = subprocess.Popen(
                command, cwd=root, env=env, stdin=subprocess.DEVNULL, stdout=said, stderr=said, pass_fds=(jobs, answers)
            )
        os.close(jobs)
        os.close(answers)

    def results(self, job: Job) -> Results:
        """Whether each test that was run failed, and in how many seconds."""
        self._jobs.write(json.dumps(job) + "\n")
        found: Results = json.loads(self._answers.readline())
        for each in self._temporary.iterdir():
            shutil.rmtree(each) if each.is_dir() else each.unlink()
        return found

    def close(self) -> None:
        self._jobs.close()
        self._process.wait()
        self._answers.close()


def measure(root: Path, results: Path) -> None:
    """Note which test runs which line, and how long each takes that passes with nothing changed."""
    notes = root / COVERED
    notes.mkdir()
    (notes / "settings").write_text(SETTINGS.format(notes=notes, root=root))
    (site,) = (root / ".venv" / "lib").glob("python*/site-packages")
    (site / "covered_program.py").write_text(COVERED_PROGRAM.format(notes=notes))
    (site / "covered_program.pth").write_text(START.format(notes=notes))
    Worker(root, "covered").close()
    combine = [sys.executable, "-m", "coverage", "combine", "-q", f"--rcfile={notes}/settings", str(notes)]
    subprocess.run(combine, check=True)
    names = json.loads((notes / "tests").read_text())
    worker = Worker(root)
    found = worker.results({"files": [], "tests": names, "seconds": 7200, "stop": False, "patience": 120})
    worker.close()
    passing = {name: found[name][1] for name in names if name in found and not found[name][0]}
    print(f"these fail, and do not count: {' '.join(name for name in names if name not in passing)}", flush=True)
    shutil.copy(notes / "data", results / "coverage")
    (results / "tests.json").write_text(json.dumps(passing, indent=0))


class Bench:
    """A private copy in which one change after the other is tried."""

    def __init__(self, root: Path, tests: Tests, options: argparse.Namespace) -> None:
        self._root, self._tests, self._options = root, tests, options
        self._worker = Worker(root)
        self._worker.results({"files": [], "tests": [], "seconds": 0})  # which waits until it has collected them
        self._times = itertools.count(int(time.time()) - 10_000_000)

    def tried(self, change: Change, tests: list[str]) -> dict[str, object]:
        """What became of a change, as a row of the results."""
        start, seconds = time.monotonic(), self._options.limit
        patience = PATIENCE + 5 * max(map(self._tests.seconds.__getitem__, tests), default=0)
        job = {"files": [*change.files], "tests": tests, "stop": not self._options.all}
        with self._made(change):
            found = self._worker.results(job | {"seconds": seconds, "patience": patience})
        killers = [test for test, (failed, _) in found.items() if failed]
        outcome = "survived" if found.keys() >= {*tests} else "late"
        row: dict[str, object] = {key: value for key, value in vars(change).items() if key != "files"}
        row |= {"outcome": "dead" if killers else outcome if tests else "no test", "killers": killers}
        row |= {"tests": len(tests), "run": len(found), "all": self._options.all}
        return row | {"seconds": round(time.monotonic() - start, 2)}

    @contextlib.contextmanager
    def _made(self, change: Change) -> Iterator[None]:
        """Write a change, at a time that no other had, or one of the same length would meet its bytecode."""
        old = [(self._root / name, (self._root / name).read_bytes()) for name in change.files]
        new = [(self._root / name, text) for name, text in change.files.items()]
        try:
            _write(new, next(self._times))
            yield
        finally:
            _write(old, next(self._times))

    def close(self) -> None:
        self._worker.close()


def _write(files: list[tuple[Path, bytes]], moment: int) -> None:
    for path, text in files:
        path.write_bytes(text)
        os.utime(path, (moment, moment))


def summary(rows: list[dict[str, Any]]) -> Iterator[str]:
    """A line for each change that no test noticed; then for each room, and in all, how many became what."""
    for row in (row for row in rows if row["outcome"] in ("survived", "no test")):
        old, new = (" ".join(row[key].split())[:70] for key in ("old", "new"))
        yield f"{row['name']}:{row['line']}: {old} -> {new}"
    outcomes = ("dead", "survived", "no test", "late")
    yield f"{'':12}" + "".join(f"{title:>9}" for title in ("mutants", *outcomes, "defects", *outcomes))
    for room in [*sorted({row["room"] for row in rows}), "in all"]:
        count = Counter((bool(row["line"]), row["outcome"]) for row in rows if room in (row["room"], "in all"))
        parts = [[count[kind, each] for each in outcomes] for kind in (True, False)]
        yield f"{room:12}" + "".join(f"{number:>9}" for part in parts for number in (sum(part), *part))


def alone(rows: list[dict[str, Any]]) -> Iterator[str]:
    """A line for each test file: how many changes no other file notices, of how many that it does."""
    noticed, only = Counter[str](), Counter[str]()
    for row in rows:
        files = {test.partition("::")[0] for test in row["killers"]}
        noticed.update(files)
        only.update(files if len(files) == 1 else ())
    for file, count in sorted(noticed.items(), key=lambda each: (only[each[0]], each[1])):
        yield f"{only[file]:5} of {count:<5} {file}"


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path, metavar="RESULTS", help="a folder; what it has is not done again")
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help="all, unless some are named")
    parser.add_argument("--sample", type=int, default=60, metavar="N", help="mutants a room, at most one in ten (60)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="which ones (1)")
    parser.add_argument("--all", action="store_true", help="find every test that notices, not the first alone")
    parser.add_argument("--limit", type=float, default=120, metavar="S", help="seconds for the tests of a change (120)")
    parser.add_argument("--defects", type=Path, metavar="FOLDER", help="patches that are tried before the mutants")
    parser.add_argument("--cover", action="store_true", help="show what each test file notices alone, and do no more")
    options = parser.parse_args(words)
    if not options.cover:
        options.results.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="mutation-", dir=MEMORY if os.path.isdir(MEMORY) else None) as name:
            os.chmod(name, 0o755)
            _run(private_copy(Path(name).resolve()), options)
    rows = [row for row in _rows(options.results) if row["all"] == (options.all or options.cover)]
    print("\n".join((alone if options.cover else summary)(rows)))
    return 0


def _rows(results: Path) -> list[dict[str, Any]]:
    file = results / "mutants.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def _run(root: Path, options: argparse.Namespace) -> None:
    if not (options.results / "tests.json").exists():
        measure(root, options.results)
    changes = [*defects(root, options.defects, options.rooms)] if options.defects else []
    changes += sampled(root, options.rooms, options.sample, options.seed)
    done = {(row["name"], row["line"], row["old"], row["new"], row["all"]) for row in _rows(options.results)}
    tests = Tests(options.results)
    with contextlib.closing(Bench(root, tests, options)) as bench:
        for change in changes:
            chosen = tests.of(change, root)
            if chosen is None:
                print(f"{change.name}:{change.line} is outside functions, and is not tried", flush=True)
            elif (change.name, change.line, change.old, change.new, options.all) not in done:
                row = json.dumps(bench.tried(change, chosen)) + "\n"
                with (options.results / "mutants.jsonl").open("a") as out:
                    out.write(row)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
