"""What a hook loads: each package costs milliseconds that somebody waits for."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tests.own_modes import put
from tests.support import Workspace, clean_env

if TYPE_CHECKING:
    from pathlib import Path

CODE = """
import sys
before = set(sys.modules)
from rcs_hooks.hook.entry import main
main()
print(*(set(sys.modules) - before))
"""
NEVER = {"typing", "contextlib", "json", "shlex", "math", "logging", "pathlib", "subprocess", "datetime"}
PATTERNS = {"re", "enum", "collections", "functools"}
"""`re`, and what only it loads."""
OF_STOPS = {"rcs_hooks.workflow.stop", "rcs_hooks.state.stop_notes"}
OF_QUESTIONS = {"rcs_hooks.state.answers", "rcs_hooks.state.deferral"}
OF_PROMPTS = {"rcs_hooks.state.prompt_notes", "rcs_hooks.state.inventory", "rcs_hooks.state.questions"}
UNUSED = {
    "bisect",
    "rcs_hooks.workflow.tokens.cancel",
    "rcs_hooks.workflow.tokens.cjk",
    "rcs_hooks.workflow.tokens.reports",
    "rcs_hooks.workflow.tokens.code_lines",
    "rcs_hooks.workflow.tokens.log_lines",
    "rcs_hooks.workflow.tokens.misread",
    "rcs_hooks.hook.notices",
}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """At the time that it is: what is old has dates that must be read. In a repository, as most are."""
    return Workspace(tmp_path, now=time.time()).in_git()


def loaded(workspace: Workspace, event: str, **fields: object) -> tuple[str, set[str]]:
    """The answer of a whole process, and the modules that it has loaded."""
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        input=workspace.payload(event, "s1", **fields),
        capture_output=True,
        cwd=workspace.root,
        env=clean_env(),
        check=True,
    )
    answer, _, names = done.stdout.decode().partition("\n")
    return answer, set(names.split())


@pytest.mark.parametrize(
    ("prompt", "loads_patterns"),
    [
        ("$team fix the parser", False),
        ("Please don't wait, fix src/parser.py with $team", False),
        ("Fix the parser.\nThen re-run the tests with $team, please", False),
        ("Fix the parser. Use $team.", False),
        ("$team fix the `parser`", True),
    ],
)
def test_an_activation_loads_nothing_that_it_can_do_without(
    workspace: Workspace, prompt: str, loads_patterns: bool
) -> None:
    """Patterns only where the prompt has more than plain words, for they cost a third of the call."""
    answer, names = loaded(workspace, "UserPromptSubmit", prompt=prompt)
    assert "active: team" in answer
    assert not names & (NEVER | UNUSED - {"bisect"} | OF_STOPS | OF_QUESTIONS)
    assert bool(names & PATTERNS) is loads_patterns


@pytest.mark.parametrize("event", ["UserPromptSubmit", "Stop", "SessionStart", "SessionEnd"])
def test_no_hook_reads_settings_or_can_run_a_command(workspace: Workspace, event: str) -> None:
    (workspace.root / "rcs.toml").write_text('[proof]\ncommand = "touch ran"\nrequired = true\n')
    workspace.prompt("$forge fix the parser")
    workspace.stop()
    proof = {"command": "make", "exit": 0, "tree": "git:0", "at": "2026-01-01T00:00:00Z", "state": "stale"}
    workspace.edit("forge", proof=proof)
    _, names = loaded(workspace, event, prompt="go on")
    assert not {name for name in names if name.startswith(("rcs_hooks.config", "rcs_hooks.proof"))}
    assert not names & {"tomllib", "subprocess", "_posixsubprocess"}
    assert not (workspace.root / "ran").exists()


def test_a_prompt_that_a_client_made_loads_no_tokenizer(workspace: Workspace) -> None:
    answer, names = loaded(workspace, "UserPromptSubmit", prompt="<task-notification>$team is next</task-notification>")
    assert answer == "{}"
    assert not {name for name in names if name.startswith("rcs_hooks.workflow.tokens")}
    assert not names & (NEVER | UNUSED)


def test_an_answer_to_a_question_loads_no_tokenizer(workspace: Workspace) -> None:
    workspace.prompt("$team fix the parser")
    workspace.write("team", lifecycle_outcome="askuserQuestion")
    answer, names = loaded(workspace, "UserPromptSubmit", prompt="Take the second one", turn_id="t9")
    assert "additionalContext" in answer
    assert not {name for name in names if name.startswith("rcs_hooks.workflow.tokens")}
    assert not names & (NEVER | UNUSED | PATTERNS)


@pytest.mark.parametrize(
    ("message", "loads_patterns"),
    [("The tests pass now; next is the parser.", False), ("Done. Should I continue?", True)],
    ids=["a plain message", "one with a softener"],
)
def test_a_held_stop_loads_patterns_only_for_a_softener(
    workspace: Workspace, message: str, loads_patterns: bool
) -> None:
    workspace.prompt("$team")
    answer, names = loaded(workspace, "Stop", last_assistant_message=message)
    assert '"decision":"block"' in answer
    assert not names & (NEVER | UNUSED | OF_PROMPTS)
    assert names & PATTERNS == (PATTERNS if loads_patterns else set())
    assert ("Should I continue" in answer) is loads_patterns


@pytest.mark.parametrize("prompt", ["What is in $PATH?", "It costs $5.", "echo $my_items ${HOME} $(pwd)"])
def test_a_variable_or_an_amount_looks_for_no_mode(prompt: str, workspace: Workspace) -> None:
    answer, names = loaded(workspace, "UserPromptSubmit", prompt=prompt)
    assert answer == "{}"
    assert not {name for name in names if name.startswith(("rcs_hooks.modes", "rcs_hooks.hook.own_modes"))}


def test_a_name_that_no_skill_has_loads_neither_tokenizer_nor_state(workspace: Workspace) -> None:
    answer, names = loaded(workspace, "UserPromptSubmit", prompt="What is in $items?")
    assert answer == "{}"
    _, without = loaded(workspace, "UserPromptSubmit", prompt="What is in it?")
    lookup = {"catalog", "client_names", "mode_def", "modes", "modes.lookup"}
    assert names - without == {f"rcs_hooks.{name}" for name in lookup}
    assert not names & (NEVER | PATTERNS)


def test_a_skill_that_declares_no_mode_is_not_parsed(workspace: Workspace) -> None:
    put(workspace.root, "pdf", "---\nname: pdf\ndescription: Reads PDF.\n---\n")
    answer, names = loaded(workspace, "UserPromptSubmit", prompt="$pdf read it")
    assert answer == "{}"
    assert "rcs_hooks.modes.declaration" not in names


def test_the_start_of_an_own_mode_loads_nothing_that_it_can_do_without(workspace: Workspace) -> None:
    put(workspace.root)
    answer, names = loaded(workspace, "UserPromptSubmit", prompt="$release ship it")
    assert "active: release" in answer
    assert not names & (NEVER | (UNUSED - {"rcs_hooks.hook.notices"}) | OF_STOPS | OF_QUESTIONS)


def test_the_stop_of_an_own_mode_reads_no_file_of_it(workspace: Workspace) -> None:
    put(workspace.root)
    workspace.prompt("$release ship it")
    answer, names = loaded(workspace, "Stop", stop_hook_active=False, last_assistant_message="Working.")
    assert '"block"' in answer
    assert not {name for name in names if name.startswith("rcs_hooks.modes")}
