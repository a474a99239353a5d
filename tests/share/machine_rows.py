"""A small writer of rows of the shared database, for tests of the readers: as a machine's writer writes them."""

from __future__ import annotations

import itertools
import json
import time
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import psycopg

from rcs_hooks.files.clock import iso
from rcs_hooks.runs.records import ArtifactRecord, NewEvent, RunRecord, StepRecord

COLUMNS = ("id", "run_id", "workflow", "feature", "file", "status", "current", "events", "artifacts", "started_at",
       "last_at", "last_ms", "last_event", "ended")  # fmt: skip

RUN = RunRecord(
    id=0, run_id="r1", workflow="build-fast", project="", feature="login page", file="rcs:build-fast",
    status="waiting", current="plan", events=0, artifacts=1, started_at=iso(time.time() - 90), last_at=iso(time.time()),
    last_ms=0, last_event=0, ended=None,
)  # fmt: skip


class Rows:
    """The rows of one machine and one project in it, through one connection."""

    def __init__(
        self, connection: psycopg.Connection, machine: str = "laptop", person: str = "ann", project: str = "app",
        *, texts: bool = True,
    ) -> None:  # fmt: skip
        self.sql = connection
        self.numbers = itertools.count(1)
        self.positions = itertools.count(1)
        (self.machine, self.name) = self.one(
            "SELECT id, name FROM rcs.register(%s::uuid, %s, %s, '0.0')", uuid4(), machine, person
        )
        self.project = self.made_project(project, texts=texts)
        self.source = self.made_source("runs", "")
        self.runs: dict[int, RunRecord] = {}
        self._histories: dict[str, tuple[int, itertools.count[int]]] = {}
        self._project_name = project

    @property
    def place(self) -> str:
        return f"//{self.name}/{self._project_name}"

    def one(self, statement: str, *values: Any) -> Any:
        return self.sql.execute(statement.encode(), values).fetchone()

    def do(self, statement: str, *values: Any) -> None:
        self.sql.execute(statement.encode(), values)

    def made_project(self, name: str, *, texts: bool = True) -> int:
        return int(
            self.one(
                "INSERT INTO rcs.projects (machine, key, name, texts) VALUES (%s, %s, %s, %s) RETURNING id",
                self.machine, uuid4(), name, texts,
            )[0]
        )  # fmt: skip

    def made_source(self, kind: str, name: str) -> int:
        return int(
            self.one(
                "INSERT INTO rcs.sources (machine, project, kind, key, name) VALUES (%s, %s, %s, %s, %s) RETURNING id",
                self.machine, self.project, kind, str(uuid4()), name,
            )[0]
        )  # fmt: skip

    def batch(self, source: int, after: int, upto: int) -> int:
        """Store the row of a batch, in the transaction of its rows, and wake the readers."""
        (number,) = self.one("SELECT rcs.next_batch()")
        self.do(
            "INSERT INTO rcs.batches (id, machine, source, after, upto) VALUES (%s, %s, %s, %s, %s)",
            number, self.machine, source, after, upto,
        )  # fmt: skip
        self.do("UPDATE rcs.projects SET changed = %s WHERE id = %s", number, self.project)
        self.do("UPDATE rcs.machines SET seen_at = now(), clock_ms = 0 WHERE id = %s", self.machine)
        self.do("SELECT pg_notify('rcs', '')")
        return int(number)

    # --- runs

    def run(self, run: RunRecord, *events: NewEvent, reason: str | None = None) -> RunRecord:
        """Store a run with events as one batch, and return it as a reader has to give it back."""
        number = run.id or next(self.numbers)
        with self.sql.transaction():
            positions = [next(self.positions) for _ in events]
            for position, event in zip(positions, events, strict=True):
                self.do(
                    "INSERT INTO rcs.run_events (machine, source, position, run, seq, at, type, step, unit, status,"
                    " data, automatic) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
                    self.machine, self.source, position, number, *event,
                )  # fmt: skip
            batch = self.batch(self.source, positions[0] - 1, positions[-1])
            stored = run._replace(
                id=number, events=max(run.events, events[-1].seq), last_event=batch * 10_000 + len(events)
            )
            fields = {name: getattr(stored, name) for name in COLUMNS}
            self.do(
                f"INSERT INTO rcs.runs (machine, source, project, local_last_event, reason, {', '.join(fields)})"
                f" VALUES ({', '.join(['%s'] * (len(fields) + 5))}) ON CONFLICT (source, id) DO UPDATE SET"
                f" {', '.join(f'{name} = excluded.{name}' for name in (*fields, 'reason'))}",
                self.machine, self.source, self.project, positions[-1], reason, *fields.values(),
            )  # fmt: skip
        given = stored._replace(id=self.source * 2**48 + number, run_id=f"{run.run_id}@{self.name}", project=self.place)
        self.runs[number] = given
        return given

    def step(self, run: RunRecord, step: StepRecord) -> None:
        values = (self.machine, self.source, run.id % 2**48, *step)
        self.do(
            f"INSERT INTO rcs.run_steps (machine, source, run, {', '.join(StepRecord._fields)})"
            f" VALUES ({', '.join(['%s'] * len(values))}) ON CONFLICT (source, run, step, unit) DO UPDATE SET"
            f" {', '.join(f'{name} = excluded.{name}' for name in StepRecord._fields)}",
            *values,
        )

    def artifact(self, run: RunRecord, artifact: ArtifactRecord) -> None:
        values = (self.machine, self.source, run.id % 2**48, *artifact)
        self.do(
            f"INSERT INTO rcs.run_artifacts (machine, source, run, {', '.join(ArtifactRecord._fields)})"
            f" VALUES ({', '.join(['%s'] * len(values))})",
            *values,
        )

    def fill(self) -> None:
        """Write something of each kind."""
        stored = self.run(
            RUN._replace(last_ms=round(time.time() * 1000)),
            NewEvent(1, now(90), "status_change", "plan", None, "running", "{}", automatic=False),
            NewEvent(2, now(), "status_change", "plan", "T1", "waiting", '{"message": "key?"}', automatic=False),
            reason="needs a key",
        )
        self.step(stored, StepRecord("plan", status="waiting", entered=1, last=2, visits=1, started_at=now(90)))
        self.artifact(stored, ArtifactRecord("plan.md", None, None, "plan", False, now(), 2))
        self.mode("s1", "forge", "started", "", "starting", title="fix the login", at=now(60))
        self.mode("s1", "forge", "phase", "starting", "executing", iteration=1, at=now(30))
        self.mode("s1", "own-mode", "started", "", "begin", at=now(20))
        question = {"question_id": "q1", "mode": "forge", "question": "Which?", "options": ["a", "b"],
                    "created_at": now(5)}  # fmt: skip
        self.document("session", "s1", session_record(questions=[question]))
        self.document("entry", "e1", entry_record())
        asked = {"id": "q1", "text": "Which?", "options": ["a", "b"]}
        self.document("entry", "e2", entry_record("blueprint", "waiting", session="s2", question=asked))
        self.document("task", "t1", task_record())
        self.document("passage", "s1:forge:1", passage_record())

    # --- modes and documents

    def mode(self, session: str, mode: str, event: str, before: str = "", after: str = "", **fields: Any) -> int:
        """Store one event of a mode as one batch, and return its position."""
        if session not in self._histories:
            self._histories[session] = (self.made_source("history", session), itertools.count(1))
        source, positions = self._histories[session]
        position = next(positions)
        with self.sql.transaction():
            self.do(
                "INSERT INTO rcs.mode_events (machine, source, position, at, mode, event, before, after, iteration,"
                " title, data) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
                self.machine, source, position, fields.get("at") or now(), mode, event, before, after,
                fields.get("iteration"), fields.get("title", ""), json.dumps(fields.get("data", {})),
            )  # fmt: skip
            self.batch(source, position - 1, position)
        return position

    def document(self, kind: str, key: str, record: object, at: str | None = None) -> None:
        """Store a document, which replaces one of that key."""
        with self.sql.transaction():
            self.do(
                "INSERT INTO rcs.present (machine, project, kind, key, at, record) VALUES (%s, %s, %s, %s, %s, %s)"
                " ON CONFLICT (project, kind, key) DO UPDATE SET at = excluded.at, record = excluded.record",
                self.machine, self.project, kind, key, at or now(),
                record if isinstance(record, str) else json.dumps(record),
            )  # fmt: skip
            self.batch(0, 0, 0)


def now(ago: float = 0.0) -> str:
    """A moment so many seconds ago, as a machine writes it."""
    return iso(datetime.now(UTC).timestamp() - ago)


def session_record(mode: str = "forge", **fields: Any) -> dict[str, Any]:
    """What a machine shows of a session with one active mode."""
    record = {
        "session": fields.pop("session", "s1"), "client": "Claude Code", "status": "running", "deferred": [],
        "deferred_source": None, "questions": [], "blocks": {"in_a_row": 0, "of_prompt": 0, "limit": 10},
        "unreadable": [], "updated_at": now(),
        "modes": [
            {
                "mode": mode, "title": "fix the login", "active": True, "waiting": False, "phase": "executing",
                "outcome": None, "verdict": None, "iteration": 1, "max_iterations": 10, "reason": None,
                "started_at": now(60), "updated_at": now(), "completed_at": None, "session": "s1",
            }
        ],
    }  # fmt: skip
    return record | fields


def entry_record(name: str = "forge", group: str = "running", **fields: Any) -> dict[str, Any]:
    """What a machine shows of a mode in its overview."""
    record = {
        "v": 1, "kind": "mode", "name": name, "title": "fix the login", "session": "s1", "id": None,
        "client": "Claude Code", "phase": "executing", "since": now(60), "says": "phase executing",
        "detail": "phase executing",
        "command": "", "has_title": True, "iteration": 1, "max_iterations": 10, "outcome": None, "early": False,
        "proof": None, "verdict": None, "proof_says": None, "event": None, "question": None, "stalled": False,
        "resume": [], "stop": None, "group": group,
    }  # fmt: skip
    return record | fields


def task_record(**fields: Any) -> dict[str, Any]:
    """What a machine shows of a task."""
    record = {
        "phase": "plan", "round": 1, "done": False, "created_at": now(600), "updated_at": now(30), "why": [],
        "proof": None, "decision": None, "problem": None,
        "gates": [{"to": "build", "label": "a plan", "open": False, "reasons": ["no plan"], "suggested": False}],
    }  # fmt: skip
    return record | fields


def passage_record(mode: str = "forge", **fields: Any) -> dict[str, Any]:
    """What a machine shows of a run of a mode that has ended."""
    record = {
        "mode": mode, "n": 1, "title": "an older thing", "outcome": "finished", "phase": "verify", "reason": "",
        "started_at": now(900), "last_at": now(800), "verdict": None, "session": "s1", "client": "Claude Code",
        "is_last": True,
    }  # fmt: skip
    return record | fields
