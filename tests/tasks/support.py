"""A task in a temporary folder, for the tests of the task lifecycle: everything goes through commands and files."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from tests.contract import EDGES, PHASES
from tests.support import RCS_HOOK, clean_env, run_rcs

RCS = [str(RCS_HOOK.with_name("rcs"))]
Record = dict[str, Any]

DRAWN = {phase: tuple(dict.fromkeys(target for source, target, _ in EDGES if source == phase)) for phase in PHASES}
"""Where the edges of each phase lead, in the order drawn."""


class Done(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def json(self) -> Record:
        """The one line of JSON that was printed, on either stream."""
        (line,) = (self.out + self.err).splitlines()
        found: Record = json.loads(line)
        return found


def in_process(root: Path, *words: str) -> Done:
    """Runs `rcs` in this process, in this environment."""
    done = run_rcs(*words, cwd=root, env=dict(os.environ))
    return Done(done.returncode, done.stdout, done.stderr)


class Task:
    """A task in the workspace `root`: put files, run a command, look at the result."""

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
        """What a command prints that must succeed."""
        done = self(command, *options)
        assert (done.status, done.err) == (0, ""), done
        return done.out

    def program(self, command: str, *options: str, **env: str) -> Done:
        """The same command with an environment of its own."""
        done = run_rcs(*self.words(command, *options), cwd=self.root, env=self.env(**env))
        return Done(done.returncode, done.stdout, done.stderr)

    def rcs(self, *words: str, stdin: str = "") -> Done:
        done = run_rcs(*words, cwd=self.root, env=self.env(), stdin=stdin.encode())
        return Done(done.returncode, done.stdout, done.stderr)

    def env(self, **extra: str) -> dict[str, str]:
        return clean_env(**({"HOME": os.environ["HOME"], "RCS_DB": os.environ["RCS_DB"]} | extra))

    # --- its files

    def put(self, path: str, content: object) -> None:
        """Writes a string as it is, anything else as JSON; None removes the file. Code goes to the work tree too."""
        target = self.folder / path
        if path.startswith("code/files/") and content is not None:
            self.change(path.removeprefix("code/files/"), content)
        if content is None:
            target.unlink()
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content if isinstance(content, str) else json.dumps(content))

    def change(self, path: str, content: object = "x = 1\n") -> None:
        """Writes a file of the work tree."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(str(content))

    def read(self, path: str) -> Any:
        return json.loads((self.folder / path).read_text())

    def there(self, path: str) -> bool:
        return (self.folder / path).is_file()

    def at(self, phase: str, artifacts: Record | None = None, **actors: Record) -> Task:
        """Puts the task in a phase, as if another program had written the state; earlier phases were visited."""
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
        """The kind, source and target of each line of the transcript."""
        return [(line["kind"], line["from"], line["to"]) for line in self.transcript]

    def tree(self, *without: str) -> dict[str, bytes]:
        """Every file of the task with its bytes, without locks and what `without` names."""
        return {
            name: path.read_bytes()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and (name := str(path.relative_to(self.folder))) not in (".lock", *without)
        }
