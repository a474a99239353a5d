"""What the tests of the task lifecycle share: a task in a temporary folder, the smallest artifacts that open each
edge, and the program in it. All goes through the command line and the files.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

from rcs_hooks.cli.main import main
from tests.support import RCS_HOOK, clean_env

RCS = [str(RCS_HOOK.with_name("rcs"))]
Record = dict[str, Any]

PLAN = "planning/planning.ai.json"
FILES = "planning/plan.files.json"
PLAN_REVIEW = "review/plan-review.json"
DIFF = "code/diff.patch"
CODE = "code/files/src/a.py"
CODE_REVIEW = "review/code-review.json"
REPORT = "eval/eval-report.json"
DECISION = "accept/decision.json"
REVERT = "revert/record.json"

PHASES = ("planning", "plan_review", "codegen", "review", "test", "accept", "revert", "done")
ENTER = {
    "planning": "plan",
    "plan_review": "review plan",
    "codegen": "codegen",
    "review": "review code",
    "test": "test",
    "accept": "accept",
    "revert": "revert",
}
"""What a person types to go to each phase; there is no word for done."""

DRAWN = {
    "planning": ("plan_review", "planning"),
    "plan_review": ("codegen", "planning"),
    "codegen": ("review", "planning", "plan_review", "codegen"),
    "review": ("test", "codegen", "planning"),
    "test": ("accept", "codegen"),
    "accept": ("done", "codegen", "review", "planning", "revert"),
    "revert": ("done",),
    "done": (),
}
"""The contract's diagram, by hand: where an edge leads from each phase, in the order drawn."""

WHOLE_PLAN: Record = {
    "meta": {"title": "Add a greeting"},
    "file_plan": [{"path": "src/a.py"}],
    "acceptance_criteria": ["it greets"],
}
PATCH = "--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-pass\n+print('hello')\n"


class Done(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def json(self) -> Record:
        """One line of JSON, on whichever stream it stands."""
        (line,) = (self.out + self.err).splitlines()
        found: Record = json.loads(line)
        return found


def in_process(root: Path, *words: str) -> Done:
    """The command line in this process; its streams are caught without a fixture, so that hypothesis may use it."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with contextlib.chdir(root), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(words)
    return Done(status, *(stream.buffer.getvalue().decode() for stream in (out, err)))


class Task:
    """A task in the workspace `root`. Put files in place, say a command, look at what became of it."""

    def __init__(self, root: Path, name: str = "t1") -> None:
        self.root = root
        self.name = name
        (root / ".git").mkdir(exist_ok=True)  # so that no folder further up is taken for the workspace

    @property
    def folder(self) -> Path:
        return self.root / ".rcs" / "tasks" / self.name

    # --- the program

    def __call__(self, command: str, *options: str) -> Done:
        """`task("review plan", "--json")` is `rcs task review plan t1 --json`, in this process."""
        return in_process(self.root, *self.words(command, *options))

    def words(self, command: str, *options: str) -> list[str]:
        return ["task", *command.split(), self.name, *options]

    def did(self, command: str, *options: str) -> str:
        """What was said where it must go well."""
        done = self(command, *options)
        assert (done.status, done.err) == (0, ""), done
        return done.out

    def program(self, command: str, *options: str, **env: str) -> Done:
        """The same as a whole process."""
        return self.rcs(*self.words(command, *options), **env)

    def rcs(self, *words: str, stdin: str = "", **env: str) -> Done:
        done = subprocess.run(
            [*RCS, *words], input=stdin, capture_output=True, text=True, cwd=self.root, env=self.env(**env),
            timeout=60, check=False,
        )  # fmt: skip
        return Done(done.returncode, done.stdout, done.stderr)

    def env(self, **extra: str) -> dict[str, str]:
        return clean_env(**({"HOME": os.environ["HOME"], "RCS_DB": os.environ["RCS_DB"]} | extra))

    # --- its files

    def put(self, path: str, content: object) -> None:
        """A string as it is, anything else as JSON; None takes the file away."""
        target = self.folder / path
        if content is None:
            target.unlink()
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content if isinstance(content, str) else json.dumps(content))

    def read(self, path: str) -> Any:
        return json.loads((self.folder / path).read_text())

    def there(self, path: str) -> bool:
        return (self.folder / path).is_file()

    def at(self, phase: str, artifacts: Record | None = None, **actors: Record) -> Task:
        """Stands in a phase, as another program might have written it, having been in those before."""
        visited = PHASES[: PHASES.index(phase) + 1]
        rounds = {each: {"round": 1, "status": None} for each in visited if each != "done"}
        rounds |= {name: rounds.get(name, {}) | actor for name, actor in actors.items()}
        at = "2026-01-02T03:04:05.000Z"
        state = {"task_id": self.name, "phase": phase, "actors": rounds, "created_at": at, "updated_at": at}
        self.put("state.json", state)
        for path, content in (artifacts or {}).items():
            if content is not None:
                self.put(path, content)
        return self

    # --- what became of it

    @property
    def state(self) -> Record:
        found: Record = self.read("state.json")
        return found

    @property
    def phase(self) -> str:
        return str(self.state["phase"])

    def round(self, phase: str) -> int:
        return int(self.state["actors"][phase]["round"])

    @property
    def state_bytes(self) -> bytes:
        return (self.folder / "state.json").read_bytes()

    @property
    def transcript(self) -> list[Record]:
        path = self.folder / "transcript.jsonl"
        text = path.read_text() if path.exists() else ""
        assert text == "" or text.endswith("\n")
        return [json.loads(line) for line in text.splitlines()]

    @property
    def story(self) -> list[tuple[str, str | None, str | None]]:
        """Of each line of the transcript: its kind, from where, to where."""
        return [(line["kind"], line["from"], line["to"]) for line in self.transcript]

    def tree(self, *without: str) -> dict[str, bytes]:
        """Every file of the task to the byte, but for locks and what `without` names."""
        return {
            name: path.read_bytes()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and (name := str(path.relative_to(self.folder))) not in (".lock", *without)
        }


# --- the smallest artifacts that open each edge: the phase, where it leads, what lies there

CODE_FILES: Record = {DIFF: PATCH, CODE: "print('hello')\n"}
CLEAN_REVIEW: Record = {"ok": True, "decision": "accepted", "issues": []}
PASSED: Record = {"status": "completed", "overall_pass": True, "suites": []}


class Row(NamedTuple):
    source: str
    target: str
    artifacts: Record
    command: str = ""

    def on(self, task: Task, **changed: Any) -> Task:
        return task.at(self.source, self.artifacts | changed)


ROWS = {
    "T1": Row("planning", "plan_review", {PLAN: {"draft_files": ["src/a.py"]}}, "review plan"),
    "T2": Row("planning", "planning", {}, "redo"),
    "T3": Row("plan_review", "codegen", {PLAN_REVIEW: {"ok": True, "blocked": False}}, "codegen"),
    "T4": Row("plan_review", "planning", {PLAN: WHOLE_PLAN, PLAN_REVIEW: {"ok": False, "blocked": False}}, "plan"),
    "T5": Row("plan_review", "planning", {PLAN: WHOLE_PLAN, PLAN_REVIEW: {"ok": False, "blocked": True}}, "plan"),
    "T6": Row("codegen", "review", {PLAN: WHOLE_PLAN, **CODE_FILES}, "review code"),
    "T7": Row("codegen", "planning", {PLAN: WHOLE_PLAN, **CODE_FILES, "code/files/b.py": "x = 1\n"}, "plan"),
    "T8": Row(
        "codegen",
        "plan_review",
        {PLAN: WHOLE_PLAN | {"file_plan": [{"path": "src/a.py"}, {"path": "src/b.py"}]}, **CODE_FILES},
        "review plan",
    ),
    "T9": Row("codegen", "codegen", {}, "redo"),
    "T10": Row("review", "test", {CODE_REVIEW: CLEAN_REVIEW}, "test"),
    "T11": Row("review", "codegen", {CODE_REVIEW: CLEAN_REVIEW | {"decision": "needs_changes"}}, "codegen"),
    "T12": Row(
        "review",
        "planning",
        {CODE_REVIEW: CLEAN_REVIEW | {"issues": [{"id": "C1", "severity": "major", "target": "plan"}]}},
        "plan",
    ),
    "T13": Row("test", "accept", {REPORT: PASSED}, "accept"),
    "T14": Row("test", "codegen", {REPORT: PASSED | {"overall_pass": False}}, "codegen"),
    "T15": Row("accept", "done", {DECISION: {"decision": "accepted"}}, "next"),
    "T16": Row("accept", "codegen", {DECISION: {"decision": "needs_changes"}}, "codegen"),
    "T17": Row("accept", "review", {DECISION: {"decision": "unclear"}}, "review code"),
    "T18": Row("accept", "planning", {DECISION: {"decision": "upstream_problem"}}, "plan"),
    "T19": Row("accept", "revert", {DECISION: {"decision": "revert"}}, "revert"),
    "T20": Row("revert", "done", {REVERT: {"reason": "it broke the build", "status": "completed"}}, "next"),
}
