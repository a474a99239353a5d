"""A decision, a verdict and an override say whether an agent, a terminal or a script gave them."""

from __future__ import annotations

import json
import os
import pty
import subprocess

from tests.table import each_row
from tests.tasks.paths import DECISION
from tests.tasks.support import RCS, Record, Task

AGENTS = {"Claude Code": {"CLAUDECODE": "1"}, "a session of ours": {"RCS_SESSION_ID": "s1"}}
ACCEPT = ("task", "accept", "t1", "--decision", "accepted", "--reason", "it is what I wanted")


def in_a_terminal(task: Task, *words: str, **env: str) -> Record:
    """What `rcs` prints as JSON where its stdin is a terminal."""
    leader, follower = pty.openpty()
    try:
        done = subprocess.run(
            [*RCS, *words, "--json"], stdin=follower, capture_output=True, cwd=task.root,
            env=task.env(USER="ada", **env), timeout=60, check=True,
        )  # fmt: skip
    finally:
        os.close(leader)
        os.close(follower)
    found: Record = json.loads(done.stdout)
    return found


@each_row("env", AGENTS.values(), ids=AGENTS)
def test_a_decision_of_an_agent_is_never_one_of_a_person(task: Task, env: dict[str, str]) -> None:
    task.at("accept")
    in_a_terminal(task, *ACCEPT, **env)
    assert task.read(DECISION)["decided_by"] == "agent"


ASKED = (
    'task t1: an override into done was asked for, "ship it", and nothing was changed: the acceptance is the person\'s.'
)
IN_A_TERMINAL = "or the person types the override in a terminal of their own"


@each_row(("source", "options", "fix"), [
    ("accept", (), 'rcs task accept t1 --decision WORD --reason "...", which the client asks the person about'),
    ("accept", ("--to", "done"),
     'rcs task accept t1 --decision WORD --reason "...", which the client asks the person about'),
    ("revert", (), "rcs task status t1, which says what the end of the revert still needs"),
])  # fmt: skip
@each_row("env", AGENTS.values(), ids=AGENTS)
def test_an_agent_cannot_override_the_acceptance(
    task: Task, source: str, options: tuple[str, ...], fix: str, env: dict[str, str]
) -> None:
    task.at(source)
    before = task.tree("transcript.jsonl")
    status, out, err = task.program("next", "--override", "ship it", *options, **env)
    assert (status, out, err) == (1, "", f"rcs: {ASKED}\n  fix: {fix}; {IN_A_TERMINAL}\n")
    assert task.tree("transcript.jsonl") == before
    assert (task.phase, task.transcript[-1]["kind"]) == (source, "refused")


def test_a_person_can_and_an_agent_may_override_what_is_no_acceptance(task: Task) -> None:
    task.at("accept")
    task.program("next", "--override", "once more", "--to", "codegen", CLAUDECODE="1")
    assert (task.phase, task.transcript[-1]["kind"]) == ("codegen", "override")
    task.at("accept")
    in_a_terminal(task, "task", "next", "t1", "--override", "I have seen it")
    assert (task.phase, task.transcript[-1]["by"]) == ("done", "terminal")


@each_row(("said", "options", "words"), [
    ("terminal", {}, "in a terminal"),
    ("agent", {}, "by an agent"),
    (None, {}, "unsigned"),
    ("in a terminal\x1b[2J", {}, "signed in a terminal [2J"),
    ("terminal", {"CLAUDECODE": "1"}, "in a terminal; taken to done by an agent"),
])  # fmt: skip
def test_status_says_who_decided_and_who_had_it_count(
    task: Task, said: str | None, options: dict[str, str], words: str
) -> None:
    """An agent may write any file, but the program notes who has it count."""
    task.at("accept", {DECISION: {"decision": "accepted", "reasons": ["so be it"], "decided_by": said}})
    if options:
        task.program("next", **options)
        assert task.phase == "done"
    assert f"  decision: accepted: so be it ({words})\n" in task.did("status")
    assert task("status", "--json").json["decision"]["reasons"] == ["so be it"]
