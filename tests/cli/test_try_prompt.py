"""What `rcs try` says of a prompt, in words: a client's command, and modes by the word that was typed."""

from __future__ import annotations

from pathlib import Path

from tests.modes.declarations import skill
from tests.support import clean_env, run_rcs
from tests.table import each_row


def tried(folder: Path, prompt: str) -> list[str]:
    done = run_rcs("try", prompt, cwd=folder, env=clean_env(HOME=str(folder)))
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@each_row(
    ("prompt", "name"),
    [
        ("/forge fix x", "forge"),
        (" /rcs:Crew fix x", "rcs:Crew"),
        ("/release now", "release"),
        ("/forge/x is a path", ""),
    ],
)
def test_a_command_of_the_client_is_answered_with_the_token(prompt: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / ".claude" / "skills" / "release" / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(skill(name="release"))
    hint = "(in double quotes the shell replaces $words before rcs sees them; use single quotes)"
    if name:
        hint = f"(`/{name}` is a command of the client's own, which starts no run; type `${name}`)"
    assert tried(tmp_path, prompt)[:2] == [f"no $skill token in: {prompt.strip()}", hint]


def test_a_plan_names_the_word_that_was_typed(tmp_path: Path) -> None:
    said = tried(tmp_path, "$blueprint $crew $forge ship it")
    at = said.index("plan:")
    assert said[at + 1 : at + 5] == [
        "  blueprint: start",
        "  team ($crew): deferred until blueprint has ended",
        "  forge: deferred until blueprint has ended",
        "active afterwards: blueprint",
    ]
    assert "  autopilot ($autoforge): start" in tried(tmp_path, "$autoforge ship it")
