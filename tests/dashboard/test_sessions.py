"""Sessions of every workspace, tasks, and what needs a person."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from rcs_hooks.files.clock import iso
from tests.dashboard.support import Board, Record
from tests.support import Workspace


def session(board: Board, name: str | None = "s1", **query: Any) -> Record:
    found: list[Record] = board.get("/api/sessions", **query)["sessions"]
    (one,) = [each for each in found if each["session"] == name]
    return one


def test_a_workspace_without_state_has_no_sessions_and_none_is_made(board: Board) -> None:
    found = board.get("/api/sessions")
    assert (found["sessions"], found["more"], found["projects"]) == ([], False, [board.root])
    assert not (board.project.root / ".rcs").exists()


def test_a_session_with_its_modes_phase_and_blocks(board: Board) -> None:
    board.workspace.prompt("$forge $ulw ship it")
    board.workspace.edit("forge", iteration=2, max_iterations=50, current_phase="verifying")
    for _ in range(3):
        assert board.workspace.stop().blocks
    found = session(board)
    assert (found["root"], found["status"], found["questions"], found["unreadable"]) == (board.root, "running", [], [])
    assert [(mode["mode"], mode["active"], mode["waiting"], mode["phase"]) for mode in found["modes"]] == [
        ("forge", True, False, "verifying"), ("ultrawork", True, False, "planning"),
    ]  # fmt: skip
    forge = found["modes"][0]
    assert (forge["outcome"], forge["iteration"], forge["max_iterations"], forge["session"]) == (None, 2, 50, "s1")
    assert found["blocks"] == {"in_a_row": 3, "of_prompt": 3, "limit": 5}


def test_the_active_ones_come_first_and_the_ended_ones_keep_their_outcome(board: Board) -> None:
    board.workspace.prompt("$forge $ulw ship it")
    board.workspace.edit("forge", active=False, lifecycle_outcome="failed", error="no\x1b[31m tests\nat all")
    found = session(board)
    assert [(mode["mode"], mode["active"], mode["outcome"], mode["reason"]) for mode in found["modes"]] == [
        ("ultrawork", True, None, None), ("forge", False, "failed", "no [31m tests at all"),
    ]  # fmt: skip


def test_a_closed_session_does_not_look_as_if_it_worked(board: Board) -> None:
    board.workspace.prompt("$forge ship it")
    board.workspace.call("SessionEnd", reason="other")
    assert session(board)["status"] == "closed"
    assert session(board, active="true")["status"] == "closed"
    board.workspace.prompt("Go on.")
    assert session(board)["status"] == "running"


def test_a_session_without_activity_for_an_hour_is_stalled(board: Board) -> None:
    board.workspace.prompt("$forge ship it")
    board.workspace.now += 3600
    assert session(board)["status"] == session(board, active="true")["status"] == "stalled"
    assert board.workspace.stop().blocks
    assert session(board)["status"] == "running"


def test_the_client_of_a_session_and_how_it_is_resumed(board: Board) -> None:
    board.workspace.prompt("$forge ship it")
    notes = board.workspace.folder("s1") / "hook-ledger.json"
    notes.write_text(
        json.dumps({name: each for name, each in json.loads(notes.read_text()).items() if name != "client"})
    )
    found = session(board)
    assert found["client"] is None
    assert [each["client"] for each in found["resume"]] == ["Codex", "Claude Code"]
    for name, title, command in (
        ("codex", "Codex", "codex resume s1"), ("gemini", "Gemini CLI", "gemini --resume s1"),
    ):  # fmt: skip
        notes.write_text(json.dumps(json.loads(notes.read_text()) | {"client": name}))
        found = session(board)
        assert found["client"] == title
        assert found["resume"] == [{"client": title, "command": f"cd {board.root} && {command}"}]
    notes.write_text(json.dumps(json.loads(notes.read_text()) | {"client": "of a stranger\x1b"}))
    assert (session(board)["client"], session(board)["resume"]) == (None, [])


def test_a_session_of_which_all_has_ended(board: Board) -> None:
    board.workspace.write("forge", active=False, lifecycle_outcome="finished")
    board.workspace.write("team", session="s2")
    assert (session(board)["status"], session(board)["early"]) == ("finished", False)
    board.workspace.write("forge", active=False, lifecycle_outcome="failed", error="no key", early=True)
    assert (session(board)["status"], session(board)["early"]) == ("failed", False)
    assert [each["session"] for each in board.get("/api/sessions", active="true")["sessions"]] == ["s2"]


def test_records_of_the_root_are_an_entry_of_their_own(board: Board) -> None:
    board.workspace.write("team", session=None)
    board.workspace.write("forge", session="s1")
    assert [mode["mode"] for mode in session(board, None)["modes"]] == ["team"]
    assert {mode["mode"]: mode["session"] for mode in session(board)["modes"]} == {"team": None, "forge": "s1"}


def test_a_mode_that_was_cleared_is_not_shown(board: Board) -> None:
    board.workspace.write("team", session=None)
    board.workspace.prompt("$forge go")
    body = {"root": board.root, "session": "s1", "mode": "team"}
    assert board.post("/api/modes/clear", body).json()["cleared"] is True
    assert [mode["mode"] for mode in session(board)["modes"]] == ["forge"]


def test_every_project_of_a_run_is_looked_at_while_it_is_there(board: Board, tmp_path: Path) -> None:
    roots = []
    for name in ("other", "gone", "plain"):
        root = tmp_path / name
        root.mkdir()
        other = Workspace(root, now=board.now)
        if name != "plain":
            other.write("team", session="x1")
        roots.append(root)
        board.project.emit("requirements", run=name, project=str(root), file=skill(board))
    (tmp_path / "gone").rename(tmp_path / "moved")
    found = board.get("/api/sessions")
    assert found["projects"] == [board.root, str(tmp_path / "other")]
    assert [(each["root"], each["session"]) for each in found["sessions"]] == [(str(tmp_path / "other"), "x1")]
    assert board.get("/api/sessions", project=board.root)["sessions"] == []
    assert board.get("/api/sessions", project="/etc")["projects"] == []


def skill(board: Board) -> str:
    return str(board.project.root / ".claude" / "skills" / "build" / "SKILL.md")


def test_sessions_that_changed_last_come_first_and_more_tells_of_the_rest(board: Board) -> None:
    for number, name in enumerate(("old", "new", "middle")):
        board.workspace.write("team", session=name)
        moment = 1_700_000_000 + (0, 20, 10)[number]
        os.utime(board.workspace.folder(name), (moment, moment))
    found = board.get("/api/sessions", limit=2)
    assert ([each["session"] for each in found["sessions"]], found["more"]) == (["new", "middle"], True)
    found = board.get("/api/sessions", limit=3)
    assert ([each["session"] for each in found["sessions"]], found["more"]) == (["new", "middle", "old"], False)


def test_one_session_is_found_however_many_are_newer(board: Board) -> None:
    for number, name in enumerate(("old", "new", "newer")):
        board.workspace.write("team", session=name)
        os.utime(board.workspace.folder(name), (1_700_000_000 + number,) * 2)
    board.workspace.write("team", session=None)

    def asked(**query: str) -> tuple[list[str | None], bool]:
        found = board.get("/api/sessions", limit=1, **query)
        return [each["session"] for each in found["sessions"]], found["more"]

    assert asked(session="old") == (["old"], False)
    assert asked(session="old", project=board.root, active="true") == (["old"], False)
    assert asked(session="old", project="/elsewhere") == asked(session="none") == ([], False)
    assert asked(session="") == ([None], False)


def test_what_waits_comes_first_then_what_runs_then_the_rest_and_a_longer_page_only_adds(board: Board) -> None:
    workspace, names = board.workspace, ["a-waits", "b-runs", "c-ended", "d-waits", "e-closed", "f-ended", "g-runs"]
    for number, name in enumerate(names):
        ended = {"active": False, "lifecycle_outcome": "failed"} if "ended" in name else {}
        asks = {"lifecycle_outcome": "askuserQuestion"} if "waits" in name else {}
        workspace.prompt("$forge ship it", name)
        workspace.edit("forge", name, **ended, **asks)
        if "closed" in name:
            workspace.call("SessionEnd", session=name, reason="other")
        moment = 1_700_000_000 + number
        os.utime(workspace.folder(name), (moment, moment))
    ordered = ["d-waits", "a-waits", "g-runs", "b-runs", "f-ended", "e-closed", "c-ended"]
    for limit in range(1, len(names) + 1):
        found = board.get("/api/sessions", limit=limit)
        assert [each["session"] for each in found["sessions"]] == ordered[:limit]
        assert found["more"] == (limit < len(names))
    active = [each["session"] for each in board.get("/api/sessions", active="true")["sessions"]]
    assert active == ["d-waits", "a-waits", "g-runs", "b-runs", "e-closed"]


def test_a_folder_of_state_that_leads_out_of_its_workspace_is_not_read(board: Board, tmp_path: Path) -> None:
    outside = Workspace(tmp_path / "outside", now=board.now)
    outside.write("team", session="x1")
    (board.project.root / ".rcs").symlink_to(tmp_path / "outside" / ".rcs")
    assert board.get("/api/sessions")["sessions"] == []


def test_what_a_repository_brings_is_bounded_and_only_text(board: Board) -> None:
    long = "<img src=x onerror=alert(1)>\x1b[2J\u202e" + "x" * 5000
    board.workspace.write("forge", current_phase=long, error=long, started_at=long, iteration=10**30,
                          max_iterations="many")  # fmt: skip
    folder = board.workspace.folder("s1") / "questions"
    folder.mkdir()
    question = {"kind": "rcs.question/v1", "status": "pending", "source": "forge", "question": "a\n\ud800b\x1b",
                "options": [{"label": "One", "value": 1}, "Two", None, ["x"]] + ["y"] * 30}  # fmt: skip
    (folder / "q-1.json").write_text(json.dumps(question))
    found = session(board)
    (mode,) = found["modes"]
    assert len(mode["phase"]) == 40
    assert len(mode["reason"]) == 500
    assert (mode["iteration"], mode["max_iterations"]) == (None, None)
    (asked,) = found["questions"]
    assert asked["question"] == "a\n b "
    assert asked["options"][:2] == ["Two", "y"]
    assert len(asked["options"]) == 12
    assert all(char.isprintable() for char in mode["phase"] + mode["reason"])


def test_the_version_changes_with_every_change_and_with_nothing_else(board: Board) -> None:
    def version() -> str:
        return str(board.get("/api/sessions")["state"])

    seen = [version()]
    board.workspace.prompt("$forge go")
    seen.append(version())
    board.workspace.stop()
    seen.append(version())
    board.workspace.edit("forge", current_phase="verifying")
    seen.append(version())
    assert len(set(seen)) == 4
    assert version() == seen[-1] == board.get("/api/tasks")["state"] == board.get("/api/attention")["state"]


def test_without_the_room_of_tasks_there_are_none(board: Board) -> None:
    assert board.get("/api/tasks")["tasks"] == []


# --- what needs a person


NO_NEEDS: dict[str, list[object]] = {"waiting": [], "failed": [], "stalled": [], "inactive": []}


def needs(board: Board) -> dict[str, list[tuple[str, str, str]]]:
    found = board.get("/api/attention")
    return {kind: [(need["what"], need["id"], need["detail"]) for need in found[kind]] for kind in NO_NEEDS}


def test_nothing_needs_anybody(board: Board) -> None:
    board.project.emit("requirements")
    board.workspace.prompt("$forge go")
    assert needs(board) == NO_NEEDS
    assert board.get("/api/attention")["working"] == {"runs": 1, "sessions": 1, "tasks": 0}


@pytest.fixture
def troubled(board: Board) -> Board:
    board.project.emit("requirements", "waiting", run="w")
    board.project.emit("requirements", "failed", run="f")
    board.project.emit("requirements", run="s")
    board.project.emit("x", "failed", run="plain", workflow="plain")
    return board


def test_runs_that_wait_failed_or_fell_silent(troubled: Board) -> None:
    assert needs(troubled) == {
        "waiting": [("run", "w", "it waits at requirements")],
        "failed": [("run", "f", "it failed at requirements")],
        "stalled": [],
        "inactive": [],
    }
    troubled.project.now += 3 * 3600
    assert needs(troubled)["stalled"] == [("run", "s", "no activity at requirements for 3 h")]
    troubled.project.now += 2 * 86_400
    assert troubled.get("/api/attention")["working"] == {"runs": 0, "sessions": 0, "tasks": 0}
    found = needs(troubled)
    assert [len(found[kind]) for kind in found] == [1, 1, 0, 1]
    assert [need["state"] for need in troubled.get("/api/attention")["waiting"]] == ["inactive"]
    troubled.project.now += 7 * 86_400
    assert needs(troubled) == NO_NEEDS


def test_a_question_is_shown_with_what_is_needed_to_answer_it(board: Board) -> None:
    from tests.dashboard.test_actions import asked

    board.workspace.prompt("$forge go")
    question = asked(board)
    (need,) = board.get("/api/attention")["waiting"]
    assert (need["what"], need["id"], need["project"], need["title"]) == ("session", "s1", board.root, "forge")
    assert (need["detail"], need["question"]["question_id"]) == ("forge asks a question", question)
    assert need["question"]["options"] == ["Postgres", "SQLite"]


def test_modes_that_wait_failed_are_blocked_or_broken(board: Board) -> None:
    board.workspace.write("forge", session="a", lifecycle_outcome="blocked_on_user")
    board.workspace.write("team", session="b", active=False, lifecycle_outcome="failed", error="no network")
    board.workspace.write("team", session="c", active=False, lifecycle_outcome="blocked")
    board.workspace.write("team", session="d", active=False, lifecycle_outcome="finished")
    board.workspace.write("team", session="e")
    board.workspace.mode_path("team", "e").write_text("{")
    found = needs(board)
    assert found["waiting"] == [("session", "a", "forge waits for your next prompt")]
    assert sorted(found["failed"])[:2] == [
        ("session", "b", "team failed at executing"), ("session", "c", "team blocked at executing"),
    ]  # fmt: skip
    (what, name, detail) = sorted(found["failed"])[2]
    assert (what, name) == ("session", "e")
    assert detail.startswith(".rcs/state/sessions/e/team-state.json cannot be read (it is not JSON")
    assert found["stalled"] == []


def test_a_mode_that_changed_nothing_or_fell_silent_is_stalled(board: Board) -> None:
    board.workspace.prompt("$forge go")
    for _ in range(5):
        assert board.workspace.stop().blocks
    assert needs(board)["stalled"] == []
    assert not board.workspace.stop().blocks
    assert needs(board)["stalled"] == [
        ("session", "s1", "forge is stalled at starting: nothing changed in several turns, so its Stop was let go")
    ]
    board.workspace.prompt("$forge go", session="s2")
    board.workspace.now += 2 * 3600
    found = {name: detail for _, name, detail in needs(board)["stalled"]}
    assert found["s2"] == "forge is stalled at starting: no activity for 2 h"


def test_a_silence_has_one_length_though_a_stop_came_after_the_last_write(board: Board) -> None:
    board.workspace.prompt("$forge ship the fix")
    board.workspace.now += 5 * 3600
    board.workspace.stop()
    stopped = iso(board.workspace.now)
    for passed, kind, length in ((4_000, "stalled", "1 h"), (6 * 86_400, "inactive", "6 d"), (86_400, "inactive", "")):
        board.workspace.now += passed
        found = [(need["since"], need["detail"]) for need in board.get("/api/attention")[kind]]
        said = f"forge is {kind} at starting: no activity for {length}"
        assert found == ([(stopped, said)] if length else [])
        assert session(board)["quiet_since"] == board.get("/api/overview")["running"][0]["last_at"] == stopped
        assert board.get("/api/modes/forge", session="s1")["last_at"] == stopped
    board.workspace.prompt("go on")
    assert session(board)["quiet_since"] is None


def test_a_failure_says_why_and_leads_to_its_page(board: Board) -> None:
    board.workspace.prompt("$forge ship the fix")
    board.workspace.edit("forge", active=False, lifecycle_outcome="failed", reason="the disk is full")
    data = {"status": "failed", "message": "no network"}
    board.project.emit("requirements", "failed", data=data)
    found = {need["what"]: need for need in board.get("/api/attention")["failed"]}
    assert (found["session"]["about"], found["session"]["reason"]) == ("ship the fix", "the disk is full")
    assert found["session"]["page"].startswith("/modes/forge?project=")
    assert (found["run"]["reason"], found["run"]["page"]) == ("no network", "/runs/r1")


def test_planning_that_has_ended_waits_for_the_person_with_what_was_named_beside_it(board: Board) -> None:
    board.workspace.prompt("$blueprint $forge split the export")
    assert needs(board)["waiting"] == []
    board.workspace.edit("blueprint", active=False, lifecycle_outcome="finished", completed_at=iso(board.now))
    assert session(board)["status"] == "waiting"
    (need,) = board.get("/api/attention")["waiting"]
    assert need["detail"] == "blueprint has ended; type $forge to go on, or any prompt to be asked"
    assert (need["title"], need["about"]) == ("forge", "split the export")
    board.workspace.prompt("$forge")
    assert needs(board)["waiting"] == []


def test_a_mode_of_the_root_is_listed_once(board: Board) -> None:
    board.workspace.write("team", session=None, lifecycle_outcome="blocked_on_user")
    for name in ("a", "b"):
        board.workspace.write("forge", session=name)
    assert needs(board)["waiting"] == [("session", "", "team waits for your next prompt")]


def test_what_was_silent_for_five_days_has_one_word_everywhere(board: Board) -> None:
    board.workspace.prompt("$forge ship the fix")
    board.project.emit("requirements")
    board.workspace.now = board.project.now = board.now + 5 * 86_400
    found = board.get("/api/attention")
    assert {(need["what"], need["state"]) for need in found["inactive"]} == {
        ("session", "inactive"), ("run", "inactive"),
    }  # fmt: skip
    assert (found["stalled"], found["waiting"]) == ([], [])
    page = board.get("/api/modes/forge", project=board.root, session="s1")
    assert (page["status"], page["quiet_because"]) == ("inactive", "no activity for 5 d")
    words = {
        "session": session(board)["status"],
        "run": board.get("/api/runs/r1")["status"],
        "runs": board.get("/api/runs")["runs"][0]["status"],
        "overview": board.get("/api/overview")["running"][0]["quiet"],
        **{f"all {entry['kind']}": entry["state"] for entry in board.get("/api/all")["entries"]},
    }
    assert set(words.values()) == {"inactive"}, words


# --- a run and the session that reported it


def test_a_run_leads_to_its_session_and_the_mode_in_it_and_back(board: Board) -> None:
    env = {"CODEX_SESSION_ID": "s1"}
    board.workspace.prompt("$forge ship the fix")
    board.project.emit("requirements", env=env)
    board.project.emit("scan", run="plain", workflow="plain", env=env)
    run = board.get("/api/runs/r1")
    where = f"project={quote(board.root, safe='')}&session=s1"
    assert (run["session"], run["client"], run["workspace"]) == ("s1", "Codex", board.root)
    assert run["session_page"] == f"/sessions?{where}"
    assert run["mode"] == {"mode": "forge", "title": "ship the fix", "page": f"/modes/forge?{where}"}
    assert session(board)["runs"] == 1
    assert [each["run_id"] for each in board.get("/api/runs", session="s1")["runs"]] == ["r1"]
    assert board.get("/api/runs", session="s2")["runs"] == []
    found = board.get("/api/all", q="s1")["entries"]
    assert {(each["kind"], each["client"], each["session"]) for each in found} == {
        ("mode", "Codex", "s1"), ("run", "Codex", "s1"),
    }  # fmt: skip
    board.workspace.edit("forge", active=False, lifecycle_outcome="finished", completed_at=iso(board.now))
    assert board.get("/api/runs/r1")["mode"]["mode"] == "forge"
    board.project.emit("design", env={"CLAUDE_CODE_SESSION_ID": "s2"})
    run = board.get("/api/runs/r1")
    assert (run["session"], run["client"], run["session_page"], run["mode"]) == ("s2", "Claude Code", None, None)
    assert session(board)["runs"] == 0


def test_a_run_that_no_session_reported_leads_to_none(board: Board) -> None:
    board.project.emit("requirements")
    run = board.get("/api/runs/r1")
    assert [run[name] for name in ("session", "client", "workspace", "session_page", "mode")] == [None] * 5


def test_the_lists_name_all_steps_where_a_run_is(board: Board) -> None:
    board.project.walk("a", "b", "c", workflow="fork")
    assert board.get("/api/runs")["runs"][0]["current_steps"] == ["b", "c"]
    (entry,) = board.get("/api/overview")["running"]
    assert entry["detail"] == "running at b, c"
    assert board.get("/api/all")["entries"][0]["phase"] == "b, c"
    board.project.emit("b", "completed", workflow="fork")
    assert board.get("/api/runs/r1")["current_steps"] == ["c"]
    board.project.emit("c", "waiting", workflow="fork")
    assert needs(board)["waiting"] == [("run", "r1", "it waits at c")]
