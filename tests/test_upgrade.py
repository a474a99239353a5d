"""What version 0.1.0 left on disk is driven on by this program: nothing is lost, and nobody is locked out."""

from __future__ import annotations

import json
import re
import shlex
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from rcs_hooks import __version__
from rcs_hooks.clients import entries
from tests.mcp.support import Pipes
from tests.support import CHECKOUT, RCS_HOOK, Record, check_output, clean_env, hook_here, run_rcs
from tests.upgrade.make import BIN, COMMIT, HOME, MADE, PACKAGE, WORKSPACE, old_package

RCS = RCS_HOOK.with_name("rcs")
ROUNDS = 40
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


class Upgraded:
    """A workspace and a home that 0.1.0 has left a moment ago, and this program in them."""

    def __init__(self, folder: Path) -> None:
        self.root, self.home = folder / "workspace", folder / "home"
        self.made: Record = json.loads(MADE.read_text())
        self.later = time.time() - self.made["made_at"]
        (self.root / ".git").mkdir(parents=True)
        for part, top in (("workspace", self.root), ("home", self.home)):
            for name, text in self.made[part].items():
                path = top / name
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                path.write_text(self.here(text))
        for client in (".codex", ".claude"):
            (self.home / client).mkdir(parents=True, exist_ok=True)
        self.database = self.home / ".rcs" / "rcs.db"
        self.database.parent.mkdir(exist_ok=True, mode=0o700)
        opened = sqlite3.connect(self.database)
        opened.executescript(self.here(self.made["database"]))
        ms = round(self.later * 1000)
        opened.execute("UPDATE runs SET last_ms = last_ms + ?", (ms,))
        opened.execute("UPDATE steps SET open_ms = open_ms + ?", (ms,))
        opened.commit()
        opened.close()
        self.database.chmod(0o600)

    def here(self, text: str) -> str:
        """With the paths of this machine, and as if it had just been written."""
        names = {WORKSPACE: self.root, HOME: self.home, BIN: RCS.parent, PACKAGE: CHECKOUT}
        # What a shell reads was quoted, where the path has a blank.
        text = text.replace(f"Bash({BIN}/rcs ", f"Bash({shlex.quote(str(RCS))} ")
        hook = shlex.quote(str(RCS.with_name("rcs-hook")))
        text = re.sub(rf'"{BIN}/rcs-hook"(?=,\s+"timeout")', lambda _: f'"{hook}"', text)
        for name, path in names.items():
            text = text.replace(name, str(path))
        return MOMENT.sub(self._moved, text)

    def _moved(self, found: re.Match[str]) -> str:
        then = datetime.fromisoformat(found[0]) + timedelta(seconds=self.later)
        return then.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{then.microsecond // 1000:03}Z"

    def env(self, **more: str) -> dict[str, str]:
        return clean_env(HOME=str(self.home), **more)

    def rcs(self, *words: str, status: int = 0) -> str:
        done = run_rcs(*words, cwd=self.root, env=self.env())
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout

    def json(self, *words: str) -> Any:
        return json.loads(self.rcs(*words, "--json"))

    def hook(self, event: str, session: str, **more: object) -> Record:
        call = {"hook_event_name": event, "session_id": session, "cwd": str(self.root), "transcript_path": None}
        line, status = hook_here(json.dumps(call | more).encode(), cwd=self.root, env=self.env())
        assert status == 0
        return check_output(event, line)

    def prompt(self, session: str, text: str, turn: str = "t2") -> str:
        """Its context. No failure may be told."""
        output = self.hook("UserPromptSubmit", session, prompt=text, turn_id=turn)
        assert "could not" not in output.get("systemMessage", "")
        context: str = output.get("hookSpecificOutput", {}).get("additionalContext", "")
        return context

    def stop(self, session: str, turn: str = "t1") -> Record:
        return self.hook("Stop", session, turn_id=turn, stop_hook_active=False, last_assistant_message="Working.")

    def active(self, session: str) -> list[str]:
        found: list[str] = self.json("state", "list-active", "--session", session)["active_modes"]
        return found

    def record(self, session: str, name: str) -> Record:
        path = self.root / ".rcs" / "state" / "sessions" / session / name
        found: Record = json.loads(path.read_text())
        return found

    def question(self) -> Record:
        (path,) = (self.root / ".rcs/state/sessions/asks/questions").iterdir()
        found: Record = json.loads(path.read_text())
        return found


@pytest.fixture
def upgraded(tmp_path: Path) -> Upgraded:
    return Upgraded(tmp_path)


def test_all_that_ran_still_runs(upgraded: Upgraded) -> None:
    running = {session: upgraded.active(session) for session in ("asks", "works", "plans", "cut")}
    assert running == {"asks": ["forge"], "works": ["team"], "plans": ["blueprint"], "cut": ["ultrawork"]}
    assert upgraded.json("question", "list")["questions"][0]["question"] == "Which database?"
    assert "team" in upgraded.rcs("hud", "--session", "works")


def test_a_prompt_answers_the_question_that_was_open(upgraded: Upgraded) -> None:
    assert upgraded.stop("asks") == {}
    assert "Which database?" in upgraded.prompt("asks", "Postgres")
    assert (upgraded.question()["status"], upgraded.question()["answer"]) == ("answered", "Postgres")
    forge = upgraded.record("asks", "forge-state.json")
    assert (forge["active"], forge["current_phase"], forge["theirs"]) == (True, "executing", [1, 2])
    assert upgraded.stop("asks", "t2")["decision"] == "block"


def test_a_command_answers_the_question_that_was_open(upgraded: Upgraded) -> None:
    answered = upgraded.json("question", "answer", upgraded.question()["question_id"], "SQLite")
    assert answered["goes_on"] == ["forge"]
    assert "SQLite" in upgraded.prompt("asks", "go on")


def test_stops_go_on_being_counted(upgraded: Upgraded) -> None:
    """Two of the five that a run may hold in a row were counted before."""
    blocked = [upgraded.stop("works").get("decision") for _ in range(4)]
    assert blocked == ["block", "block", "block", None]
    assert upgraded.active("works") == ["team"]


def test_what_was_deferred_is_offered(upgraded: Upgraded) -> None:
    upgraded.rcs("state", "write", "--mode", "blueprint", "--session", "plans", "--outcome", "finished")
    context = upgraded.prompt("plans", "what now?")
    assert "$crew" in context
    assert "forge" in context


def test_a_handoff_starts_what_was_deferred(upgraded: Upgraded) -> None:
    upgraded.prompt("plans", "$team $forge")
    assert sorted(upgraded.active("plans")) == ["forge", "team"]
    assert upgraded.record("plans", "blueprint-state.json")["active"] is False


def test_a_commit_that_was_cut_short_is_completed(upgraded: Upgraded) -> None:
    state = upgraded.root / ".rcs" / "state"
    assert (state / ".commit.json").is_file()
    assert upgraded.stop("cut")["decision"] == "block"
    upgraded.rcs("state", "write", "--mode", "ultrawork", "--session", "cut", "--phase", "executing")
    assert upgraded.record("cut", "ultrawork-state.json")["current_phase"] == "executing"
    assert not [path for path in state.rglob("*") if path.suffix == ".new" or path.name == ".commit.json"]


def test_runs_of_0_1_0_have_a_history_from_now_on(upgraded: Upgraded) -> None:
    """0.1.0 kept none, and its journal, of a commit that was cut short, appends nothing."""
    assert not list(upgraded.root.rglob("history.jsonl"))
    assert upgraded.rcs("log") == "nothing has happened yet here\n"
    upgraded.stop("cut")
    upgraded.stop("works")
    upgraded.prompt("plans", "$team")
    told = [json.loads(line) for line in upgraded.rcs("log", "--json").splitlines()]
    of_session = {name: [each for each in told if each["session"] == name] for name in ("cut", "works", "plans")}
    assert len(told) == sum(map(len, of_session.values()))  # two sessions may do something in the same millisecond
    assert {
        name: [(each["mode"], each["event"], each["to"]) for each in events] for name, events in of_session.items()
    } == {
        "cut": [("ultrawork", "held", "planning")],
        "works": [("team", "held", "starting")],
        "plans": [("blueprint", "handoff", "team"), ("team", "started", "starting")],
    }


def test_0_1_0_passes_over_a_line_in_a_journal_of_this_program(upgraded: Upgraded, tmp_path: Path) -> None:
    """Where both work on one workspace, a kill of the newer one costs the line and never the state."""
    session = upgraded.root / ".rcs/state/sessions/works"
    record = upgraded.record("works", "team-state.json") | {"current_phase": "verifying"}
    (session / "team-state.json.new").write_text(json.dumps(record))
    line = '{"v":1,"n":1,"at":"","mode":"team","event":"phase","from":"","to":"verifying"}\n'
    journal = {
        "version": 1,
        "files": [
            {"path": "sessions/works/team-state.json", "remove": False},
            {"path": "sessions/works/history.jsonl", "size": 0, "append": line},
        ],
    }
    (upgraded.root / ".rcs/state/.commit.json").write_text(json.dumps(journal))
    old = old_package(tmp_path / "old")
    words = ["state", "write", "--mode", "team", "--session", "works", "--iteration", "3"]
    command = [sys.executable, "-m", "rcs_hooks", *words]
    env = upgraded.env(PYTHONPATH=str(old), PYTHONSAFEPATH="1")
    subprocess.run(command, cwd=upgraded.root, env=env, check=True, capture_output=True)
    team = upgraded.record("works", "team-state.json")
    assert (team["current_phase"], team["iteration"]) == ("verifying", 3)
    assert not (upgraded.root / ".rcs/state/.commit.json").exists()
    assert not (session / "history.jsonl").exists()


def test_a_state_write_and_a_cancel_keep_what_0_1_0_wrote(upgraded: Upgraded) -> None:
    upgraded.rcs("state", "write", "--mode", "forge", "--session", "asks", "--iteration", "7")
    upgraded.prompt("asks", "$cancel")
    forge = upgraded.record("asks", "forge-state.json")
    assert (forge["active"], forge["iteration"], forge["theirs"]) == (False, 7, [1, 2])
    assert upgraded.stop("asks", "t2") == {}
    upgraded.prompt("asks", "$forge", "t3")
    assert upgraded.record("asks", "forge-state.json")["theirs"] == [1, 2]


def test_runs_go_on(upgraded: Upgraded) -> None:
    listed = {run["run_id"]: run for run in upgraded.json("runs", "list")["runs"]}
    assert {name: (run["status"], run["current"]) for name, run in listed.items()} == {
        "r1": ("running", "design"), "login": ("running", "plan_review"),
    }  # fmt: skip
    assert {(run["session"], run["client"], run["workspace"]) for run in listed.values()} == {(None, None, None)}
    report = ("--workflow", "build", "--type", "status_change", "--run-id", "r1", "--data", '{"status": "running"}')
    upgraded.rcs("emit", *report, "--step", "tasks")
    refused = upgraded.rcs("emit", *report, "--step", "requirements", status=1)
    assert refused == ""
    assert "design" in upgraded.rcs("runs", "show", "r1")
    listed = {run["run_id"]: run for run in upgraded.json("runs", "list")["runs"]}
    assert listed["r1"]["current"] == "tasks"


def test_a_task_goes_on(upgraded: Upgraded) -> None:
    assert "plan_review" in upgraded.rcs("task", "status", "login")
    upgraded.rcs("task", "next", "login", status=1)
    review = upgraded.root / ".rcs/tasks/login/review/plan-review.json"
    review.parent.mkdir(exist_ok=True)
    reviewer = {"id": "RiskPlanner", "ok": True, "severity": "none", "decision": "ok", "blocking_issues": []}
    review.write_text(json.dumps({"ok": True, "blocked": False, "reviewers": [reviewer]}))
    upgraded.rcs("task", "next", "login")
    assert "codegen" in upgraded.rcs("task", "status", "login")
    lines = (upgraded.root / ".rcs/tasks/login/transcript.jsonl").read_text().splitlines()
    assert lines[:1] == upgraded.here(upgraded.made["workspace"][".rcs/tasks/login/transcript.jsonl"]).splitlines()[:1]


def test_doctor_finds_nothing_broken_in_what_0_1_0_left(upgraded: Upgraded) -> None:
    """Before any other command, and after a set-up by this program; what Codex trusts is the person's to say."""
    for _ in range(2):
        done = subprocess.run(
            [str(RCS), "doctor", "--json"], cwd=upgraded.root, env=upgraded.env(),
            capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
        checks = json.loads(done.stdout)["checks"]
        broken = {check["what"]: check["todo"] for check in checks if check["status"] == "broken"}
        assert [what for what, todo in broken.items() if not todo.startswith("start `codex`")] == []
        upgraded.rcs("setup", "--client", "all", "--skills", "--writable")


def test_setup_upgrades_and_uninstall_takes_everything_out(upgraded: Upgraded) -> None:
    settings = upgraded.root / ".claude" / "settings.json"
    mine = json.loads(settings.read_text()) | {"model": "mine"}
    settings.write_text(json.dumps(mine, indent=2) + "\n")
    setup = ("setup", "--client", "all", "--skills", "--writable")
    upgraded.rcs(*setup)
    once = everything(upgraded.root)
    for event in ("UserPromptSubmit", "Stop", "SessionStart"):
        for path in (settings, upgraded.root / ".codex" / "hooks.json"):
            ours = [place[0] for place, _ in entries.ours(json.loads(path.read_text()))]
            assert ours.count(event) == 1, (event, path)
    upgraded.rcs(*setup)
    assert everything(upgraded.root) == once
    upgraded.rcs("uninstall")
    assert json.loads(settings.read_text()) == {"model": "mine"}
    left = everything(upgraded.root) | everything(upgraded.home)
    assert not [name for name, data in left.items() if str(RCS).encode() in data and not name.endswith(".before-rcs")]
    assert not [name for name in left if name.endswith("SKILL.md")]
    assert upgraded.active("works") == ["team"]


def everything(folder: Path) -> dict[str, bytes]:
    """What is neither state nor the run database."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and ".rcs" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


# --- an old server that still runs


@pytest.fixture
def old_server(upgraded: Upgraded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pipes]:
    """`rcs mcp` of 0.1.0, as a client started it before the upgrade."""
    package = old_package(tmp_path / "old")
    monkeypatch.setattr("tests.mcp.support.COMMAND", [sys.executable, "-m", "rcs_hooks", "mcp"])
    server = Pipes(upgraded.root, PYTHONPATH=str(package), HOME=str(upgraded.home))
    yield server
    server.close()


@pytest.mark.slow
def test_an_old_server_and_this_program_work_on_one_workspace(upgraded: Upgraded, old_server: Pipes) -> None:
    """Each sees what the other has written, also while both write."""
    assert old_server.begin()["serverInfo"]["version"] == "0.1.0"
    assert upgraded.rcs("--version") == f"rcs {__version__}\n"
    assert __version__ != "0.1.0"
    mine = {"session_id": "works", "cwd": str(upgraded.root)}
    failed: list[object] = []

    def old_writes() -> None:
        for number in range(ROUNDS):
            written, is_error = old_server.call(
                f"w{number}", "state_write", mine | {"mode": "team", "state": {f"old{number}": number}}
            )
            if is_error:
                failed.append(written)

    thread = threading.Thread(target=old_writes)
    thread.start()
    for number in range(ROUNDS):
        upgraded.rcs("state", "write", "--mode", "team", "--session", "works", "--set", f"state.new{number}={number}")
    thread.join(120)
    assert failed == []
    kept = upgraded.record("works", "team-state.json")["state"]
    assert kept == {f"{who}{number}": number for who in ("old", "new") for number in range(ROUNDS)}

    assert old_server.call("s", "state_list_active", mine) == ({"active_modes": ["team"]}, False)
    upgraded.prompt("works", "$forge too")
    assert sorted(old_server.call("f", "state_list_active", mine)[0]["active_modes"]) == ["forge", "team"]
    assert old_server.call("h", "hook_stop", mine | {"turn_id": "t2"})[0]["decision"] == "block"
    assert upgraded.stop("works", "t2")["decision"] == "block"
    asked, _ = old_server.call("q", "question_ask", mine | {"mode": "forge", "text": "Which port?"})
    upgraded.rcs("question", "answer", asked["question_id"], "8080")
    old_server.call("c", "hook_user_prompt_submit", mine | {"turn_id": "t3", "prompt": "$cancel"})
    assert upgraded.active("works") == []
    assert upgraded.stop("works", "t3") == {}
    upgraded.prompt("new", "$team go")
    assert old_server.call("n", "state_list_active", mine | {"session_id": "new"})[0]["active_modes"] == ["team"]
    report = {"type": "status_change", "workflow": "build", "run_id": "r1", "step": "tasks", "project": mine["cwd"]}
    _, is_error = old_server.call("e", "emit", report | {"data": {"status": "running"}})
    assert not is_error
    assert upgraded.json("runs", "show", "r1")["current"] == "tasks"
    assert old_server.end() == 0


def test_the_commit_that_was_0_1_0_is_the_one_that_the_files_are_from() -> None:
    assert json.loads(MADE.read_text())["commit"] == COMMIT


def test_without_the_history_it_says_what_to_fetch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.upgrade.make.CHECKOUT", tmp_path)
    with pytest.raises(AssertionError, match=r"is not in the history of .*; fetch it: git fetch --unshallow"):
        old_package(tmp_path / "old")
