"""A workspace where the commands of a skill are typed into a shell, as the agent of a client types them."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from tests.support import RCS_HOOK, Answer, Workspace, clean_env, hook_here, paste

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

SESSION = "s1"


class Desk(Workspace):
    """A workspace with the real clock, and a shell in which the client names the session."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        path = os.pathsep.join((str(RCS_HOOK.parent), os.environ["PATH"]))
        self.shell = clean_env(PATH=path, RCS_DB=str(root / "runs.db"), CLAUDE_CODE_SESSION_ID=SESSION)

    def call(self, event: str, session: str = SESSION, **fields: object) -> Answer:
        line, status = hook_here(self.payload(event, session, **fields), cwd=self.root, env=self.shell)
        assert status == 0
        return Answer(event, line)

    def paste(self, command: str) -> subprocess.CompletedProcess[str]:
        filled_in = command.replace("SESSION", SESSION).replace(" -- COMMAND", " -- true")
        return paste(filled_in, cwd=self.root, env=self.shell)

    def works(self, command: str) -> str:
        done = self.paste(command)
        own, said = (done.stdout, done.stderr) if command.startswith("rcs prove ") else (done.stderr, done.stdout)
        assert (done.returncode, own) == (0, ""), f"{command}: {done.stderr}"  # a proof leaves stdout to its command
        return said

    def active_now(self) -> list[str]:
        """Return the active modes that `rcs state list-active` names."""
        answer = json.loads(self.works(f"rcs state list-active --session {SESSION} --json"))
        return list(answer["active_modes"])

    def enter(self, mode: str, *phases: str) -> None:
        for phase in phases:
            self.works(f"rcs state write --mode {mode} --session SESSION --phase {phase}")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    (tmp_path / ".git").mkdir()
    return Desk(tmp_path)
