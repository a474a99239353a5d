"""A workspace on a busy day, for the lists: several sessions, runs of two projects, tasks, modes, one thing of each."""

from __future__ import annotations

import os
import re
import sqlite3
from pathlib import Path

from rcs_hooks.files.clock import iso
from rcs_hooks.runs.workflow_files import SHIPPED
from rcs_hooks.state.question_service import answer, ask
from tests.modes.declarations import skill
from tests.runs.support import Project
from tests.state.test_operations import at
from tests.support import NOW, RCS_HOOK, Workspace, run_rcs
from tests.tasks.support import Task

WAITING, RUNNING, ENDED = (
    "3f2a9c01-1111-4222-8333-444455556666",
    "01890a5d-ac96-7000-8000-000000000001",
    "01890a5d-b123-7000-8000-000000000002",
)
RUNS = (
    "c0ffee00-2222-4333-8444-555566667777",
    "01890b11-5e0c-7000-8000-00000000000a",
    "01890b1f-7a41-7000-8000-00000000000b",
)
IDS = (WAITING, RUNNING, ENDED, *RUNS)
"""The ids that are long, so that a terminal shows their first letters."""
HOME, OURS = "/home/ada", "/opt/rcs/skills"
MINUTE, HOUR, DAY = 60, 3_600, 86_400
ESCAPE = re.compile("\x1b\\[([0-9;]*)m")


class BusyDay:
    """The workspace; it is 22:13 on 14 November 2023, in UTC."""

    def __init__(self, folder: Path) -> None:
        self.project = Project(folder)
        self.workspace = Workspace(self.project.root, env={"HOME": str(self.project.home)})
        self.questions: list[str] = []
        """The ids of the questions, which are new each time."""
        self._sessions()
        self._runs()
        self._tasks()
        self._modes()
        self._machines()

    def _sessions(self) -> None:
        workspace = self.workspace
        workspace.now = NOW - 2 * DAY
        workspace.prompt("$blueprint plan how the nightly export is split", "s1")
        workspace.now = NOW - 26 * HOUR
        workspace.prompt("$cancel", "s1")
        workspace.now = NOW - 3 * HOUR
        workspace.prompt("$forge make the parser accept tabs", ENDED)
        workspace.edit("forge", ENDED, current_phase="verifying", iteration=1)
        at = iso(NOW - 2 * HOUR)
        proof = {"state": "proven", "command": "pytest -q", "exit": 0, "seconds": 12.0, "at": at, "tree": "git:1",
                 "passed": True, "judged_at": at}  # fmt: skip
        workspace.edit("forge", ENDED, active=False, lifecycle_outcome="finished", completed_at=at, proof=proof)
        workspace.now = NOW - 2 * HOUR
        workspace.prompt("$crew write 漢字 documentation for the café and its guests", RUNNING)
        self._ask(RUNNING, NOW - 100 * MINUTE, "Which tone?", ("formal", "plain"), reply="formal")
        workspace.now = NOW - 50 * MINUTE
        workspace.prompt("$forge fix the ledger so that no transfer overdraws the account of its sender", WAITING)
        workspace.edit("forge", WAITING, current_phase="verifying", iteration=2)
        text = "May a transfer overdraw the account of its sender, if the limit of the account allows it?"
        workspace.now = NOW - 12 * MINUTE
        workspace.stop(RUNNING)
        self._ask(WAITING, NOW - 5 * MINUTE, text, ("yes, up to the limit", "no"))

    def _ask(self, session: str, now: float, text: str, options: tuple[str, ...], reply: str = "") -> None:
        scope = at(self.workspace, session)._replace(now=now)
        mode = "team" if session == RUNNING else "forge"
        asked = ask(scope, mode, text, options)["question_id"]
        self.questions.append(asked)
        if reply:
            answer(scope, asked, reply, source="cli")

    def _runs(self) -> None:
        project = self.project
        for age, run, step, status, feature in (
            (2 * DAY, RUNS[0], "requirements", "failed", ""),
            (26 * HOUR, "nightly-2", "design", "running", "nightly"),
            (3 * HOUR, RUNS[1], "design", "running", "billing by the hour"),
            (MINUTE, RUNS[2], "design", "waiting",
             "invoices that are sent to every customer at the end of a month, in their own language"),
        ):  # fmt: skip
            project.now = NOW - age - 2
            data = {"status": "running"} | ({"feature": feature} if feature else {})
            project.emit("requirements", run=run, data=data)
            project.emit(step, status, run=run)
        connection = sqlite3.connect(project.database)
        connection.execute("UPDATE runs SET project = '/home/ada/work/billing' WHERE feature LIKE '%i%l%'")
        connection.execute("UPDATE runs SET project = '/home/ada/work/ledger' WHERE run_id LIKE 'c0ffee%'")
        connection.commit()
        connection.close()

    def _tasks(self) -> None:
        for name, phase, age in (("login", "codegen", 5 * MINUTE), ("payment-reminders", "accept", 26 * HOUR)):
            task = Task(self.project.root, name).at(phase)
            state = task.state | {"updated_at": iso(NOW - age)}
            task.put("state.json", state)
        folder = Task(self.project.root, "broken").folder
        folder.mkdir()
        (folder / "state.json").write_text("{")

    def _modes(self) -> None:
        path = self.project.root / ".claude" / "skills" / "release" / "SKILL.md"
        path.parent.mkdir(parents=True)
        path.write_text(skill("rcs-kind: execution\nrcs-after: blueprint\nrcs-beside: team forge", name="release"))

    def _machines(self) -> None:
        """Write a skill in place of one of ours, a copy in the home, and an agent whose machine cannot be read."""
        machine = "## STATE-MACHINE\n```mermaid\nstateDiagram-v2\n[*] --> sum\nsum {} [*]\n```\n"
        for folder, file, text in (
            (self.project.root, "skills/build/SKILL.md", "# Build our way\n"),
            (self.project.root, "skills/month-end-closing/SKILL.md", machine.format("-->")),
            (self.project.home, "skills/month-end-closing/SKILL.md", machine.format("-->")),
            (self.project.root, "agents/ledger-checker.md", machine.format("->")),
        ):
            path = folder / ".claude" / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    # --- what is shown

    def shown(self, *words: str, columns: int | None = None, **env: str) -> str:
        """What a command prints on a terminal of so many columns, or through a pipe.

        Colours are shown as `{number}`, and the questions and the folder have the same names each time.
        """
        path = f"{RCS_HOOK.parent}:{os.environ['PATH']}"
        env = self.project.env(PATH=path, **env) | ({"COLUMNS": str(columns)} if columns else {})
        done = run_rcs(*words, cwd=self.project.root, env=env, is_terminal=columns is not None)
        assert (done.returncode, done.stderr) == (0, "")
        text = ESCAPE.sub(lambda found: "{" + found[1].removeprefix("38;5;") + "}", done.stdout)
        for number, name in enumerate(self.questions):
            text = text.replace(name, f"q-{number:010d}")
        for real, name in ((self.project.root, "/home/ada/work/shop"), (self.project.home, HOME), (SHIPPED, OURS)):
            text = text.replace(str(real), name)
        return text
