"""What the pages show in the tests: runs, sessions and files of a project, made by the same functions as always."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from rcs_hooks.config import ProofSettings
from rcs_hooks.files.clock import iso
from rcs_hooks.state import proving, question_service, scopes, writing
from rcs_hooks.workflow.commands import Commands
from rcs_hooks.workflow.proof import Proof
from tests.own_modes import put
from tests.runs.support import Project
from tests.support import Workspace

if TYPE_CHECKING:
    from pathlib import Path

HOUR, DAY = 3600, 86_400
DESIGN = """---
status: draft
---
# Login with a second factor

A short **design**, with `code`, a [link](https://example.org/rfc?x=1), and what must stay *text*:
<script>document.title = "broken"</script> and <img src=x onerror="document.title='broken'">.

## Steps

1. Ask for the code
   - by mail
   - by an app
2. Check it, *at most* 3 times

- [x] plan
- [ ] build

> A session without the second factor sees nothing.

| what | how long | note |
|---|---|---|
| code | 5 min | `TTL` |
| session | 12 h | sliding |

```python
def check(code: str) -> bool:
    return hmac.compare_digest(code, expected)  # <b>not bold</b>
```

[run me](javascript:document.title='broken') ![a picture](https://elsewhere.example/pixel.png)
"""
PATCH = """diff --git a/login.py b/login.py
index 3f1c2aa..8d0e9b1 100644
--- a/login.py
+++ b/login.py
@@ -1,7 +1,9 @@ def login(name, password):
 def login(name, password):
     user = find(name)
-    if user.password == password:
-        return Session(user)
+    if not hmac.compare_digest(user.hash, hashed(password)):
+        raise Refused("<script>document.title = 'broken'</script>")
+    send_code(user)
+    return Pending(user)
     raise Refused(name)
     # no return
 def logout(session):
diff --git a/mail.py b/mail.py
new file mode 100644
--- /dev/null
+++ b/mail.py
@@ -0,0 +1,3 @@
+def send_code(user):
+    code = secrets.randbelow(10**6)
+    mail(user.address, f"{code:06d}")
"""
SCRIPT = "<script>document.title='broken'</script>"


def running(**data: str) -> dict[str, Any]:
    return {"data": {"status": "running"} | data}


FORGE = "01998f40-7c11-7d52-9a53-8f8d5e6c1b2a"
"""The session of a run of forge, as long as those of clients are."""
LONG_RUN = "5f0c2b1e-8a44-4f0e-9d0a-3b7f1c2d4e5f"
Row = tuple[float, str, str, dict[str, Any]]
"""Seconds ago, run, step, and what else is given; a path makes it an artifact."""
LONG: list[Row] = [
    (ago, LONG_RUN, step, given)
    for ago, step, given in (
        (5400, "requirements", running(feature="second-factor")),
        (4900, "design", {}),
        (4200, "design", {"path": "docs/design.md", "type": "design"}),
        (4000, "tasks", {}),
        (3500, "build", {}),
        (3400, "building", {"unit": "T1"}),
        (3300, "building", {"unit": "T2"}),
        (2900, "completed", {"unit": "T1", "status": "completed"}),
        (2700, "completed", {"unit": "T2", "status": "completed"}),
        (2600, "verify", {}),
        (2500, "task-reviewer:reviewing", {}),
        (2300, "task-reviewer:failed", {"status": "failed"}),
        (2200, "build", running(message="test_login fails: the code never arrives")),
        (2100, "building", {"unit": "T3"}),
        (1500, "build", {"path": "docs/change.diff", "type": "patch"}),
        (1450, "completed", {"unit": "T3", "status": "completed"}),
        (1400, "verify", {}),
        (1000, "build", running(message="one more case: the code is older than 5 minutes")),
        (900, "building", {"unit": "T4"}),
        (400, "building", {"unit": "T5"}),
        (300, "build", {"path": "docs/report.json"}),
        (290, "build", {"path": "docs/gone.md"}),
        (60, "completed", {"unit": "T4", "status": "completed"}),
        (12, "building", {"unit": "T6"}),
    )
]
OTHERS: list[Row] = [
    (3.0 * DAY, "archived-1", "requirements", running(feature="billing")),
    (2.9 * DAY, "archived-1", "design", {}),
    (2.8 * DAY, "archived-1", "tasks", {}),
    (2.7 * DAY, "archived-1", "build", {}),
    (2.2 * DAY, "archived-1", "verify", {}),
    (2.1 * DAY, "archived-1", "archive", {}),
    (2.0 * DAY, "archived-1", "archive", {"status": "completed"}),
    (1700, "blueprint-7", "detect", {"workflow": "blueprint"}),
    (1200, "blueprint-7", "charter", {"workflow": "blueprint"} | running(feature=SCRIPT)),
    (1100, "blueprint-7", "charter", {"workflow": "blueprint", "status": "waiting"}),
    (9000, "fork-3", "a", {"workflow": "fork"}),
    (8000, "fork-3", "b", {"workflow": "fork"}),
    (7000, "fork-3", "b", {"workflow": "fork", "status": "failed"}),
    (9 * HOUR, "quiet-1", "requirements", {}),
    (8 * HOUR, "quiet-1", "design", {}),
    (5 * DAY, "forgotten-1", "requirements", {}),
    (600, "fresh-1", "requirements", running(feature="a-feature-with-a-rather-long-name-that-has-to-be-cut")),
]


class Scene:
    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.project = Project(folder)
        self.project.now = time.time()
        self.workspace = Workspace(self.project.root, now=time.time())

    # --- runs

    def at(self, seconds_ago: float) -> Project:
        """The project, so long ago."""
        self.project.now = time.time() - seconds_ago
        return self.project

    def fill(self) -> None:
        self._files()
        for ago, run, step, given in sorted((*LONG, *OTHERS), key=lambda row: -row[0]):
            project, more = self.at(ago), dict(given)
            if path := more.pop("path", None):
                project.artifact(path, step=step, run=run, **more)
            else:
                project.emit(step, more.pop("status", "running"), run=run, **more)
        self._sessions()

    def _files(self) -> None:
        docs = self.project.root / "docs"
        docs.mkdir()
        (docs / "design.md").write_text(DESIGN)
        (docs / "change.diff").write_text(PATCH)
        (docs / "report.json").write_text('{"passed": 41, "failed": 1, "slowest": ["test_login", 2.13]}')

    # --- sessions

    def scope(self, session: str) -> scopes.Scope:
        return scopes.Scope(str(self.project.root), session, time.time(), Commands("rcs", session))

    def ask(self, session: str, mode: str, text: str, *options: str) -> str:
        asked = question_service.ask(self.scope(session), mode, text, options)
        return str(asked["question_id"])

    def prompt(self, text: str, session: str, ago: float = 0) -> None:
        """Type a prompt in a session, so many seconds ago."""
        self.workspace.now = time.time() - ago
        self.workspace.prompt(text, session)

    def write(self, session: str, mode: str, ago: float = 0, **fields: Any) -> None:
        """Write to the record of a mode, so many seconds ago."""
        scope = self.scope(session)._replace(now=time.time() - ago)
        writing.write(scope, mode, fields)

    def prove(
        self, session: str, mode: str, ago: float = 0, *, output: bytes = b"", finish: bool = False, **fields: Any
    ) -> None:
        """Record a proof of a run, so many seconds ago: of a command that passed unless `fields` differ."""
        now = time.time() - ago
        scope = self.scope(session)._replace(now=now)
        proof = Proof("pytest -q", 0, 12.3, iso(now), f"git:{'a' * 64}")._replace(**fields)
        chosen = proving.choose(scope, [mode])
        proving.keep(scope, chosen, proof, output, finish=finish, settings=ProofSettings())

    def make_stale(self, session: str, mode: str) -> None:
        """Let the record of a run say that files had changed when it finished."""
        proof: Any = self.workspace.read(mode, session)["proof"]
        self.workspace.edit(mode, session, proof=proof | {"state": "stale"})

    def answer(self, session: str, question: str, text: str) -> None:
        question_service.answer(self.scope(session), question, text, source="dashboard")

    def own_mode(self, name: str = "release") -> None:
        """Let the project declare a mode."""
        put(self.project.root, name)

    def run_of_forge(self) -> None:
        """Play a run of forge that goes round twice, asks, and goes on with the answer."""
        self.prompt(f"$forge Log in with a second factor {SCRIPT}", FORGE, 4000)
        for ago, phase in (
            (3900, "executing"), (2600, "verifying"), (2000, "fixing"), (1500, "verifying"), (900, "fixing"),
        ):  # fmt: skip
            self.write(FORGE, "forge", ago, current_phase=phase)
        asked = self.ask(FORGE, "forge", "Which mail server may it use?", "smtp.example", "none")
        self.answer(FORGE, asked, "none")
        self.prompt("go on", FORGE)

    def _sessions(self) -> None:
        workspace = self.workspace
        for ago, prompt, session in (
            (2600, "$forge finish the login", "01998f2c-forge"),
            (1300, "$crew split the report", "01998f31-crew"),
            (400, "$ultrawork and $forge ship it", "01998f3a-ultra"),
            (5000, "$blueprint the billing", "01998e77-done"),
        ):
            workspace.now = time.time() - ago
            workspace.prompt(prompt, session)
        for step in (
            {"current_phase": "executing"},
            {"current_phase": "verifying", "iteration": 3, "max_iterations": 10},
        ):
            writing.write(self.scope("01998f2c-forge"), "forge", step)
        for _ in range(2):
            workspace.stop("01998f3a-ultra")
        self.ask(
            "01998f31-crew",
            "team",
            "The report needs one source of truth. Which database shall the team build it on?",
            "Postgres",
            "SQLite",
            "None, keep the files",
        )
        writing.write(
            self.scope("01998e77-done"),
            "blueprint",
            {"active": False, "lifecycle_outcome": "finished", "current_phase": "done"},
        )


def page_of(scene: Scene, session: str, mode: str, **more: str) -> str:
    return f"/modes/{mode}?{urlencode({'project': str(scene.project.root), 'session': session} | more)}"
