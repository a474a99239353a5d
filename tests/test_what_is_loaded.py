"""What is loaded by a call that somebody waits for: a module costs a part of a millisecond, and some cost many.

The budgets are what is loaded today. Where less is loaded, the smaller number belongs here.
"""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.own_modes import put
from tests.support import Workspace, clean_env

if TYPE_CHECKING:
    from pathlib import Path

CODE = """
import sys
before = set(sys.modules)
if sys.argv[1:]:
    from rcs_hooks.cli.main import main
    main(sys.argv[1:])
else:
    from rcs_hooks.hook.entry import main
    main()
print(*(set(sys.modules) - before))
"""
NEVER = {"typing", "dataclasses", "json", "pydantic", "subprocess", "sqlite3", "pathlib", "datetime", "logging", "math",
         "argparse", "asyncio", "shlex", "tomllib", "re", "enum"}  # fmt: skip
PATTERNS = "re enum"
"""They cost a third of a call."""
NOT_IN_A_HOOK = ("rcs_hooks.config", "rcs_hooks.proof")
"""A hook can neither read the settings of a project nor run its command."""
PROMPT, STOP, START = "UserPromptSubmit", "Stop", "SessionStart"


class Row(NamedTuple):
    name: str
    event: str
    """Or the words of a command."""
    fields: dict[str, str]
    says: str
    """How the answer begins."""
    others: int
    """How many modules of Python are loaded at most; then, how many of ours."""
    ours: int
    before: str = ""
    """What is there before: a run, a question, a mode of one's own, a skill that is no mode."""
    may: str = ""
    """What may be loaded all the same."""


EMIT = 'emit --run-id r --type status_change --workflow build --step requirements --data {"status":"running"}'
NOTIFICATION = "<task-notification>$team is next</task-notification>"
CONTEXT, BLOCK = '{"hookSpecificOutput"', '{"decision":"block"'
ROWS = (
    Row("a prompt without work", PROMPT, {"prompt": "What is in it?"}, "{}", 2, 9),
    Row("a variable", PROMPT, {"prompt": "echo $my_items ${HOME} $(pwd) for $5"}, "{}", 2, 10),
    Row("an unknown name", PROMPT, {"prompt": "What is in $items?"}, "{}", 2, 14),
    Row("a skill that is no mode", PROMPT, {"prompt": "$pdf read it"}, "{}", 4, 28, "skill"),
    Row("a Stop without state", STOP, {"last_assistant_message": "Done."}, "{}", 2, 9),
    Row("a start without state", START, {"source": "startup"}, "{}", 2, 9),
    Row("an activation", PROMPT, {"prompt": "Fix the parser.\nThen test with $team, please"}, CONTEXT, 8, 79),
    Row("an activation beside code", PROMPT, {"prompt": "$team fix the `parser`"}, CONTEXT, 26, 79, may=PATTERNS),
    Row("an activation of one's own", PROMPT, {"prompt": "$release ship it"}, CONTEXT, 8, 90, "own"),
    Row("a prompt while a run is on", PROMPT, {"prompt": "go on"}, "{}", 7, 49, "run"),
    Row("an answer", PROMPT, {"prompt": "Take the second one", "turn_id": "t9"}, CONTEXT, 7, 65, "question"),
    Row("a notification", PROMPT, {"prompt": NOTIFICATION}, "{}", 24, 47, "run", PATTERNS),
    Row("a held Stop", STOP, {"last_assistant_message": "The tests pass now."}, BLOCK, 8, 54, "run"),
    Row("a held Stop of one's own", STOP, {"last_assistant_message": "The tests pass now."}, BLOCK, 8, 54, "own run"),
    Row("a softener", STOP, {"last_assistant_message": "Should I continue?"}, BLOCK, 24, 59, "run", PATTERNS),
    Row("a start while a run is on", START, {"source": "startup"}, CONTEXT, 17, 59, "run"),
    Row("the end of a session", "SessionEnd", {"reason": "other"}, "{}", 7, 25, "run"),
    Row("a status line without state", "hud --statusline", {}, "\n", 17, 17),
    Row("a status line while a run is on", "hud --statusline", {}, "rcs: team", 22, 44, "run", "datetime math"),
    Row("a report", EMIT, {}, "r 1: requirements", 18, 38),
)


def prepare(workspace: Workspace, before: str) -> None:
    """Make what is there before."""
    if before == "skill":
        put(workspace.root, "pdf", "---\nname: pdf\ndescription: Reads PDF.\n---\n")
    if before.startswith("own"):
        put(workspace.root)
    if before in {"run", "question"}:
        workspace.prompt("$team fix the parser")
    if before == "question":
        workspace.write("team", lifecycle_outcome="askuserQuestion")
    if before == "own run":
        workspace.prompt("$release ship it")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_call_loads_no_more_than_its_budget(tmp_path: Path, row: Row) -> None:
    workspace = Workspace(tmp_path, now=time.time()).in_git()
    prepare(workspace, row.before)
    words = row.event.split() if row.event[0].islower() else []
    env = clean_env(HOME=str(tmp_path / "home"), NO_COLOR="1")
    done = subprocess.run(
        [sys.executable, "-c", CODE, *words],
        input=workspace.payload(row.event, **row.fields),
        capture_output=True,
        cwd=workspace.root,
        env={name: value for name, value in env.items() if not name.startswith("COV")},
        check=True,
    )
    *_, last = done.stdout.decode().splitlines()
    ours = {name for name in last.split() if name.partition(".")[0] == "rcs_hooks"}
    others = {*last.split()} - ours
    assert done.stdout.decode().startswith(row.says)
    assert not others & (NEVER - {*row.may.split()})
    assert words or not [name for name in ours if name.startswith(NOT_IN_A_HOOK)]
    assert len(others) <= row.others, sorted(others)
    assert len(ours) <= row.ours, sorted(ours)
