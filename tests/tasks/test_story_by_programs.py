"""One task from plan to done: only plan and verdicts are written, programs make the rest, and cheats are refused."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.proof.repositories import Repo
from tests.tasks.paths import CODE_REVIEW, DECISION, DIFF, PLAN, PLAN_REVIEW, REPORT
from tests.tasks.support import RCS, Done, Record, Task

GREET = "def greet(name):\n    return 'Hello, ' + name\n"
TEST = "from src.greet import greet\nassert greet('Ada') == 'Hello, Ada', greet('Ada')\n"
CHECK = ("python3", "-B", "check.py")
PLAN_TEXT: Record = {
    "id": "greeting",
    "title": "Greet whoever calls",
    "brief": "greet() returns a greeting",
    "file_plan": [{"path": "src/greet.py", "intent": "create"}, {"path": "check.py", "intent": "create"}],
    "acceptance_criteria": ["greet('Ada') returns 'Hello, Ada'"],
}


TASK = ".rcs/tasks/greeting"


class Person:
    """Somebody with a repository and a task, at a shell."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.repo = Repo(root)
        self.task = Task(root, "greeting")

    def types(self, *words: str, **env: str) -> Done:
        """Runs `rcs task WORDS`; `--` and what follows come last."""
        done = subprocess.run(
            [*RCS, "task", *words], cwd=self.root, env=self.task.env(**env), stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        return Done(done.returncode, done.stdout, done.stderr)

    def goes(self, phase: str, *words: str) -> str:
        done = self.types(*words)
        assert (done.status, self.task.phase) == (0, phase), done
        return done.out

    def is_refused(self, why: str, *words: str) -> str:
        before, tree = self.task.state_bytes, self.task.tree("transcript.jsonl")
        done = self.types(*words)
        assert (done.status, done.out) == (1, ""), done
        assert why in done.err, done.err
        assert (self.task.state_bytes, self.task.tree("transcript.jsonl")) == (before, tree)
        return done.err

    def writes(self, path: str, text: str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def accepts_in_a_terminal(self, *reasons: str) -> None:
        leader, follower = pty.openpty()
        words = ["task", "accept", "greeting", "--decision", "accepted"]
        words += [word for reason in reasons for word in ("--reason", reason)]
        try:
            subprocess.run([*RCS, *words], stdin=follower, cwd=self.root, env=self.task.env(), check=True, timeout=120)
        finally:
            os.close(leader)
            os.close(follower)


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    yield Person(tmp_path / "project")


def to_codegen(person: Person) -> None:
    """A plan that was sent back once, then reviewed; the plan and the verdicts are all that is written."""
    person.goes("planning", "new", "greeting")
    person.task.put(PLAN, PLAN_TEXT | {"brief": "greet() says hello"})
    person.goes("plan_review", "next")
    shown = person.goes("planning", "review", "plan", "--verdict", "blocked", "--reason", "hello to whom?")
    assert "    - script: hello to whom?\n" in shown
    person.task.put(PLAN, PLAN_TEXT)
    person.goes("plan_review", "next")
    person.goes("codegen", "review", "plan", "--verdict", "ok")


def collects(person: Person) -> None:
    done = person.types("collect")
    assert (done.status, done.err) == (0, ""), done


def to_test(person: Person) -> None:
    """The work with a bug, which only the test finds; its first diff was sent back by the review."""
    # Cheat: a diff of files that never existed.
    person.writes(f"{TASK}/{DIFF}", "--- /dev/null\n+++ b/src/greet.py\n@@ -0,0 +1 @@\n+pass\n")
    for path in ("src/greet.py", "check.py"):
        person.writes(f"{TASK}/code/files/{path}", "pass\n")
    refused = person.is_refused("not in code/diff.patch: check.py", "review", "code")
    assert "not in the work tree: check.py, src/greet.py" in refused

    # The work, with a bug; git knows what was changed.
    person.writes("src/greet.py", GREET.replace("Hello, ", "Hello "))
    person.writes("check.py", TEST)
    collects(person)
    assert "+    return 'Hello ' + name" in (person.task.folder / DIFF).read_text()
    person.goes("review", "next")
    person.is_refused("review/code-review.json: missing", "next")

    # The reviewer sends it back. Cheat: the same diff again.
    shown = person.goes(
        "codegen", "review", "code", "--verdict", "needs_changes", "--reason", "no test for an empty name"
    )
    assert "    - script-1: no test for an empty name\n" in shown
    collects(person)
    person.is_refused(f"the same changes were sent back by history/3/{CODE_REVIEW}", "next")
    person.writes("check.py", TEST + "assert greet('') == 'Hello, '\n")
    collects(person)
    person.goes("review", "next")
    person.goes("test", "review", "code", "--verdict", "ok")


@pytest.mark.slow
def test_from_plan_to_done(person: Person) -> None:
    to_codegen(person)
    to_test(person)

    # Cheat: a report without suites. Then a run that fails, whose status is the command's own.
    person.task.put(REPORT, {"status": "completed", "overall_pass": True, "suites": []})
    person.is_refused("eval/eval-report.json: suites: empty, need at least one", "next")
    failed = person.types("test", "--", *CHECK)
    assert failed.status == 1, failed
    assert "AssertionError: Hello Ada" in failed.err
    shown = person.goes("codegen", "next")
    assert "check.py: failed (exit 1)\n" in shown

    # Corrected, reviewed, tested on this very tree.
    person.writes("src/greet.py", GREET)
    collects(person)
    person.goes("review", "next")
    person.goes("test", "review", "code", "--verdict", "ok")
    assert person.types("test", "--", *CHECK).status == 0
    (suite,) = person.task.read(REPORT)["suites"]
    assert (suite["overall_pass"], suite["exit"], suite["kind"]) == (True, 0, "test")
    person.goes("accept", "next")

    # Cheats: a decision that is none, and the line that a refusal offers.
    person.task.put(DECISION, {"decision": "approved"})
    person.is_refused("decision: approved, need accepted, needs_changes,", "next")
    person.task.put(DECISION, None)
    refused = person.is_refused("accept/decision.json: missing", "next")
    assert "--decision accepted" not in refused
    assert "--decision accepted" not in person.types("status").out

    # The person decides, in a terminal.
    person.accepts_in_a_terminal("it greets Ada")
    assert person.task.phase == "done"
    decision = person.task.read(DECISION)
    assert (decision["decision"], decision["decided_by"]) == ("accepted", "terminal")
    shown = person.types("status").out
    assert ", in a terminal)\n" in shown
    assert "  proof: proven by `" in shown

    # All of it came from the verdicts and from programs, and the index is as it was.
    assert person.repo.git("diff", "--cached", "--name-only") == ""
    verdict = person.task.read(PLAN_REVIEW)
    assert (verdict["ok"], verdict["reviewed_by"]) == (True, "script")
    moves = [(line["from"], line["to"]) for line in person.task.transcript if line["kind"] == "transition"]
    assert moves[-3:] == [("review", "test"), ("test", "accept"), ("accept", "done")]


@pytest.mark.slow
def test_an_agent_that_accepts_is_seen(person: Person) -> None:
    to_codegen(person)
    person.writes("src/greet.py", GREET)
    person.writes("check.py", TEST)
    collects(person)
    person.goes("review", "next")
    person.goes("test", "review", "code", "--verdict", "ok")
    assert person.types("test", "--", *CHECK).status == 0
    person.goes("accept", "next")
    person.writes("src/greet.py", GREET + "\n\n")
    done = person.types("accept", "--decision", "accepted", "--reason", "fine", CLAUDECODE="1")
    assert (done.status, person.task.phase) == (0, "done")
    shown = person.types("status").out
    assert ", by an agent)\n" in shown
    assert "stale: files have changed since `" in shown
    told = json.loads(person.types("status", "--json").out)
    assert (told["decision"]["decided_by"], told["proof"]["state"]) == ("agent", "stale")
