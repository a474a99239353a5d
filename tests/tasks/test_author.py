"""A decision, a verdict and an override say whether an agent, a terminal or a script gave them."""

from __future__ import annotations

import json
import os
import pty
import pwd
import subprocess

from rcs_hooks.tasks.author import signature, words_of
from tests.support import run_rcs
from tests.table import each_row
from tests.tasks.paths import DECISION, PLAN, PLAN_REVIEW
from tests.tasks.rows import WHOLE_PLAN
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


def test_a_decision_that_a_person_types_says_so(task: Task) -> None:
    task.at("accept")
    in_a_terminal(task, *ACCEPT)
    record = task.read(DECISION)
    assert (task.phase, record["decided_by"], record["user"]) == ("done", "terminal", "ada")
    assert task.transcript[-1]["by"] == "terminal"


def test_without_a_name_in_the_environment_it_is_the_one_that_the_system_knows(task: Task) -> None:
    task.at("accept")
    env = {name: value for name, value in task.env().items() if name not in ("USER", "LOGNAME")}
    done = run_rcs(*ACCEPT, cwd=task.root, env=env)
    assert (done.returncode, task.read(DECISION)["user"]) == (0, pwd.getpwuid(os.getuid()).pw_name)


@each_row("env", AGENTS.values(), ids=AGENTS)
def test_a_decision_of_an_agent_is_never_one_of_a_person(task: Task, env: dict[str, str]) -> None:
    task.at("accept")
    in_a_terminal(task, *ACCEPT, **env)
    assert task.read(DECISION)["decided_by"] == "agent"


def test_without_a_terminal_it_is_a_script(task: Task) -> None:
    task.at("accept")
    task.did("accept", "--decision", "accepted")
    assert task.read(DECISION)["decided_by"] == "script"


def test_a_revert_and_an_override_say_it_too(task: Task) -> None:
    task.at("accept")
    task.program("revert", "--reason", "it broke the build", CLAUDECODE="1")
    assert task.read("revert/record.json")["by"] == "agent"
    task.at("plan_review")
    task.program("next", "--override", "no time", CLAUDECODE="1")
    assert (task.phase, task.transcript[-1]["kind"], task.transcript[-1]["by"]) == ("codegen", "override", "agent")


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


def test_status_says_who_decided(task: Task) -> None:
    task.at("accept")
    task.program("accept", "--decision", "accepted", "--reason", "so be it", CLAUDECODE="1")
    at = task.read(DECISION)["decided_at"]
    assert f"\n  decision: accepted: so be it ({at}, by an agent)\n" in task.did("status")
    assert task("status", "--json").json["decision"] == {
        "decision": "accepted", "reasons": ["so be it"], "decided_by": "agent", "decided_at": at
    }  # fmt: skip


def test_an_agent_that_signs_for_the_person_is_seen(task: Task) -> None:
    """It may write any file, but the program notes who has it count."""
    task.at("accept", {DECISION: {"decision": "accepted", "decided_by": "terminal"}})
    task.program("next", CLAUDECODE="1")
    assert task.phase == "done"
    assert "  decision: accepted (in a terminal; taken to done by an agent)\n" in task.did("status")


def test_who_took_an_earlier_round_to_done_is_not_named_in_the_next(task: Task) -> None:
    task.at("accept", {DECISION: {"decision": "accepted", "decided_by": "terminal"}}, done={"round": 1, "by": "agent"})
    assert "  decision: accepted (in a terminal)\n" in task.did("status")


def test_a_verdict_says_it_too(task: Task) -> None:
    task.at("plan_review", {PLAN: WHOLE_PLAN})
    task.program("review plan", "--verdict", "ok", CLAUDECODE="1")
    record = task.read(PLAN_REVIEW)
    assert (record["reviewed_by"], record["reviewers"][0]["id"]) == ("agent", "agent")


@each_row(("said", "words"), [
    ("terminal", "in a terminal"), ("agent", "by an agent"), ("script", "by a script"), (None, "unsigned"),
    (7, "unsigned"), ("Ada", "signed Ada"), ("in a terminal\x1b[2J", "signed in a terminal [2J"),
])  # fmt: skip
def test_what_a_file_says_of_its_author(said: object, words: str) -> None:
    assert words_of(said) == words


@each_row(("decided_by", "finished_by", "words"), [
    ("terminal", "terminal", "in a terminal"), ("terminal", "", "in a terminal"), ("agent", "agent", "by an agent"),
    ("terminal", "agent", "in a terminal; taken to done by an agent"),
    (None, "agent", "unsigned; taken to done by an agent"),
    ("agent", "terminal", "by an agent; taken to done in a terminal"),
])  # fmt: skip
def test_a_decision_and_the_move_with_it_may_have_two_authors(decided_by: object, finished_by: str, words: str) -> None:
    assert signature(decided_by, finished_by) == words
