"""A look at all sessions costs by what is active; what is over is folded away, and nothing of it is lost."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any

import pytest

from rcs_hooks.files import paths, transaction
from rcs_hooks.state import folding, session_index
from rcs_hooks.state.folding import MANY
from rcs_hooks.state.operations import list_active, read
from rcs_hooks.state.scopes import busy_sessions
from rcs_hooks.state.session_index import FEW, INDEX, Budget, needing_attention, possibly_active
from tests.cli.test_state_commands import rcs
from tests.state.test_operations import at
from tests.state.test_prune import question
from tests.support import Record, Workspace
from tests.table import each_row

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rcs_hooks.state.results import PruneResult

LATER = time.time() + 6 * 3600
"""When all that these tests write has settled, however long the tests before them take."""
DAY = 86_400.0
IN_USE = folding.LOOK_SECONDS, folding.FOLD_SECONDS
ENDED: dict[str, Any] = {"active": False, "lifecycle_outcome": "finished"}


def session(workspace: Workspace, name: str, days: float = 0, **fields: object) -> None:
    """A session of forge that was last written so many days ago."""
    workspace.write("forge", name, **fields)
    workspace.write("skill-active", name)
    touch(workspace, name, days)


def touch(workspace: Workspace, name: str, days: float) -> None:
    moment = LATER - days * DAY
    for path in (*workspace.folder(name).iterdir(), workspace.folder(name)):
        os.utime(path, (moment, moment))


def refresh(workspace: Workspace, seconds: float = 60) -> None:
    folding.refresh(str(workspace.state), LATER, Budget(seconds))


def start(workspace: Workspace, name: str = "new") -> None:
    """The client starts a session in which nothing is active."""
    workspace.now = LATER
    assert workspace.call("SessionStart", name, source="startup").line == "{}"


@pytest.fixture(autouse=True)
def no_haste(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gives a start the time that it needs: on a busy machine its own few milliseconds may pass without a step."""
    monkeypatch.setattr(folding, "LOOK_SECONDS", 60.0)
    monkeypatch.setattr(folding, "FOLD_SECONDS", 60.0)


@pytest.fixture
def years(workspace: Workspace) -> Workspace:
    """Forty sessions that have ended, one that failed, and two that go on; the index is made."""
    for number in range(40):
        session(workspace, f"ended-{number}", **ENDED)
    session(workspace, "failed", active=False, lifecycle_outcome="failed")
    session(workspace, "runs")
    session(workspace, "waits", lifecycle_outcome="askuserQuestion")
    refresh(workspace)
    return workspace


# --- the index


def test_only_what_runs_or_waits_is_looked_at(years: Workspace) -> None:
    assert possibly_active(str(years.state)) == ["runs", "waits"]
    assert needing_attention(str(years.state)) == ["failed", "runs", "waits"]
    assert busy_sessions(at(years, None)) == {"runs": ["forge"], "waits": ["forge"]}


def rename(workspace: Workspace, name: str) -> None:
    path = workspace.mode_path("forge", name)
    staged = path.with_suffix(".tmp")
    staged.write_text(json.dumps({"active": True, "mode": "forge"}))
    staged.replace(path)


def in_place(workspace: Workspace, name: str) -> None:
    """As a tool writes that knows the inventory."""
    workspace.mode_path("forge", name).write_text(json.dumps({"active": True, "mode": "forge"}))
    workspace.mode_path("skill-active", name).write_text("{}")


@pytest.mark.parametrize("another_tool", [rename, in_place])
def test_what_another_tool_starts_is_seen_at_once(
    years: Workspace, another_tool: Callable[[Workspace, str], None]
) -> None:
    another_tool(years, "ended-7")
    assert list_active(at(years, None))["sessions"] == {"ended-7": ["forge"], "runs": ["forge"], "waits": ["forge"]}


def test_an_inventory_that_comes_is_seen_at_once(workspace: Workspace) -> None:
    """Until then there is none to be looked at."""
    for number in range(FEW):
        workspace.write("forge", f"ended-{number}", **ENDED)
    refresh(workspace)
    assert json.loads((workspace.state / INDEX).read_text())["foreign"] == []
    in_place(workspace, "ended-7")
    assert possibly_active(str(workspace.state)) == ["ended-7"]


def test_a_time_that_was_set_back_hides_nothing(years: Workspace) -> None:
    """As a copy from a backup has it."""
    rename(years, "ended-7")
    touch(years, "ended-7", 400)
    assert "ended-7" in possibly_active(str(years.state))


def test_a_new_session_is_seen_at_once(years: Workspace) -> None:
    years.prompt("$team", session="new")
    assert busy_sessions(at(years, None))["new"] == ["team"]


def test_what_has_ended_is_shown_no_more(years: Workspace) -> None:
    years.edit("forge", "runs", active=False, lifecycle_outcome="finished")
    assert busy_sessions(at(years, None)) == {"waits": ["forge"]}
    assert read(at(years, None), "forge")["lifecycle_outcome"] == "askuserQuestion"


@each_row(
    "record",
    [
        None,
        {},
        {"until": 10**30, "active": [], "failed": [], "closed": [], "foreign": []},
        {"until": 10**18, "active": 1, "failed": [], "closed": [], "foreign": []},
        {"until": "x", "active": [], "failed": [], "closed": [], "foreign": []},
        {"until": 1, "active": [], "failed": [], "closed": [], "foreign": []},
    ],
    ids=["missing", "empty", "from the future", "of no types", "of another type", "stale"],
)
def test_an_index_that_cannot_be_believed_hides_nothing(years: Workspace, record: Record | None) -> None:
    path = years.state / INDEX
    path.unlink() if record is None else path.write_text(json.dumps(record))
    assert len(possibly_active(str(years.state))) == 43


def test_an_index_that_is_no_json_hides_nothing(years: Workspace) -> None:
    (years.state / INDEX).write_text("{")
    assert len(possibly_active(str(years.state))) == 43


def test_what_cannot_be_read_or_has_a_question_open_stays_in_the_index(workspace: Workspace) -> None:
    for number in range(MANY):
        session(workspace, f"s{number}", **ENDED)
    workspace.mode_path("forge", "s3").write_text("{")
    question(workspace, "q-1", "s5", status="pending")
    question(workspace, "q-2", "s6", delivered_at=None)
    question(workspace, "q-3", "s7")
    refresh(workspace)
    assert possibly_active(str(workspace.state)) == ["s3", "s5", "s6"]


def test_the_index_is_made_a_part_at_a_time(workspace: Workspace) -> None:
    for number in range(3 * session_index.LEAST):
        session(workspace, f"s{number}", **ENDED)
    session(workspace, "runs")
    left = [len(possibly_active(str(workspace.state)))]
    for _ in range(3):
        refresh(workspace, seconds=-1)
        left.append(len(possibly_active(str(workspace.state))))
    assert left == sorted(set(left), reverse=True)
    assert "runs" in possibly_active(str(workspace.state))


def test_a_reader_makes_no_index_and_few_sessions_need_none(workspace: Workspace) -> None:
    for number in range(FEW - 1):
        session(workspace, f"s{number}", **ENDED)
    list_active(at(workspace, None))
    refresh(workspace)
    assert not (workspace.state / INDEX).exists()


def test_the_start_of_a_new_session_makes_it(workspace: Workspace) -> None:
    for number in range(MANY):
        session(workspace, f"s{number}", **ENDED)
    session(workspace, "runs")
    start(workspace)
    assert len(possibly_active(str(workspace.state))) < FEW
    assert not workspace.folder("new").exists()


# --- how much a start does


class Clock:
    """Goes on by so much whenever it is asked."""

    def __init__(self, step: float) -> None:
        self.now, self.step = 0.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


BUDGETS = [
    # what each step takes, how many sessions are looked at, how many are folded away
    pytest.param(1.0, 40, 40, id="late from the start"),
    pytest.param(0.0011, 40 + 12, 40 + 5, id="15 ms for the look, and 20 with the folding"),
    pytest.param(0.0, 200, 200, id="in no time"),
]


@pytest.fixture
def haste(monkeypatch: pytest.MonkeyPatch, no_haste: None) -> None:
    """Gives a start the time that it has in use."""
    monkeypatch.setattr(folding, "LOOK_SECONDS", IN_USE[0])
    monkeypatch.setattr(folding, "FOLD_SECONDS", IN_USE[1])


@pytest.mark.usefixtures("haste")
@pytest.mark.parametrize(("step", "looked_at", "folded_away"), BUDGETS)
def test_a_start_keeps_to_its_time(workspace: Workspace, step: float, looked_at: int, folded_away: int) -> None:
    for number in range(200):
        session(workspace, f"s{number}", 31, **ENDED)
    folding.fold_in_passing(str(workspace.state), "new", LATER, Clock(step))
    assert len(list((workspace.state / "folded").iterdir())) == folded_away
    assert len(possibly_active(str(workspace.state))) == 200 - looked_at


@pytest.mark.usefixtures("haste")
def test_a_start_folds_away_questions_a_part_at_a_time(workspace: Workspace) -> None:
    """Of 600 it asks for the age of 512, keeps the newest 32 of these, and is late from the start."""
    for number in range(600):
        question(workspace, f"q-{number:03}", "new")
    left = []
    for _ in range(20):
        folding.fold_in_passing(str(workspace.state), "new", LATER, Clock(1.0))
        left.append(len(list((workspace.folder("new") / "questions").glob("*.json"))))
    assert left == [*range(560, 32, -40), *[32] * 6]


def test_a_start_that_finds_nothing_to_do_looks_no_more_for_an_hour(years: Workspace) -> None:
    def looked(seconds: float) -> int:
        folding.fold_in_passing(str(years.state), "new", LATER + seconds)
        record: Record = json.loads((years.state / INDEX).read_text())
        return int(record["looked"] - int(LATER))

    assert [looked(at) for at in (10, 3_599, 3_600, 3_610)] == [0, 0, 3_600, 3_600]


def test_a_start_looks_at_once_where_many_sessions_are_new(years: Workspace) -> None:
    for number in range(FEW):
        session(years, f"new-{number}", **ENDED)
    start(years)
    assert possibly_active(str(years.state)) == ["runs", "waits"]


# --- folding away

FOLDS = [
    # days since it was written, whether the client closed it, what forge says, whether it is folded away
    pytest.param(31, False, ENDED, True, id="old"),
    pytest.param(29, False, ENDED, False, id="not old"),
    pytest.param(2, True, ENDED, True, id="closed"),
    pytest.param(0.5, True, ENDED, False, id="closed just now"),
    pytest.param(400, True, {"active": True}, False, id="active"),
    pytest.param(400, True, {"active": True, "lifecycle_outcome": "askuserQuestion"}, False, id="waits"),
    pytest.param(31, False, {"active": False, "lifecycle_outcome": "failed"}, True, id="failed"),
]


@each_row("by_itself", [True, False])
@each_row(("days", "closed", "fields", "folds"), FOLDS)
def test_which_sessions_are_folded_away(
    workspace: Workspace, days: float, closed: bool, fields: Record, folds: bool, by_itself: bool
) -> None:
    for number in range(MANY):
        session(workspace, f"s{number}", **ENDED)
    workspace.write("forge", "mine", **fields)
    workspace.mode_path("skill-active", "mine").write_text("{}")
    if closed:
        workspace.call("SessionEnd", "mine", reason="exit")
    touch(workspace, "mine", days)
    if by_itself:
        start(workspace)
    else:
        workspace_now(workspace)
    assert (workspace.state / "folded" / "mine").is_dir() is folds
    assert workspace.folder("mine").is_dir() is not folds
    assert read(at(workspace, "mine"), "forge")["active"] is fields["active"]


def test_the_index_names_no_session_that_was_folded_away(workspace: Workspace) -> None:
    for number in range(MANY):
        session(workspace, f"s{number}", 31, **ENDED)
    start(workspace)
    assert not any(workspace.folder("any").parent.iterdir())
    start(workspace)
    record = json.loads((workspace.state / INDEX).read_text())
    assert (record["foreign"], record["known"]) == ([], 0)


def workspace_now(workspace: Workspace, older_than: float = folding.OLD, *, dry_run: bool = False) -> PruneResult:
    from rcs_hooks.state.prune import prune

    return prune(at(workspace, None)._replace(now=LATER), dry_run=dry_run, older_than=older_than)


@pytest.fixture
def folded(workspace: Workspace) -> Workspace:
    """One session, with a finished forge that had come to iteration 7, folded away."""
    workspace.prompt("$forge", session="mine")
    workspace.edit("forge", "mine", active=False, lifecycle_outcome="blocked", iteration=7)
    touch(workspace, "mine", 31)
    assert workspace_now(workspace)["folded"] == ["mine"]
    return workspace


def test_a_reader_finds_what_was_folded_away_and_leaves_it_there(folded: Workspace) -> None:
    before = folded.snapshot()
    told = rcs(folded.root, "state", "read", "--mode", "forge", "--session", "mine", "--json")
    assert json.loads(told.out)["iteration"] == 7
    assert rcs(folded.root, "state", "read", "--mode", "team", "--session", "mine").out == "team: no state\n"
    assert folded.snapshot() == before


def test_a_resumed_session_goes_on_where_it_was(folded: Workspace) -> None:
    folded.prompt("$forge go on", session="mine")
    assert folded.read("forge", "mine")["iteration"] == 7
    assert folded.read("forge", "mine")["active"] is True
    assert not (folded.state / "folded" / "mine").exists()


def test_a_stop_brings_nothing_back(folded: Workspace) -> None:
    before = folded.snapshot()
    assert folded.stop("mine").line == "{}"
    assert folded.snapshot() == before


def test_a_session_that_another_tool_made_anew_is_the_one_that_counts(folded: Workspace) -> None:
    folded.write("team", "mine")
    assert [member.mode for member in at(folded, "mine").view().active_modes()] == ["team"]
    assert read(at(folded, "mine"), "forge") == {"exists": False, "mode": "forge"}
    folded.prompt("$cancel", session="mine")
    touch(folded, "mine", 31)
    assert workspace_now(folded)["folded"] == []
    assert folded.folder("mine").is_dir()
    assert (folded.state / "folded" / "mine" / "forge-state.json").exists()


def test_what_cannot_be_folded_away_is_not_looked_at_each_time(folded: Workspace) -> None:
    """It is there already, and stays where it is."""
    for number in range(FEW):
        session(folded, f"s{number}", **ENDED)
    session(folded, "mine", 31, **ENDED)
    start(folded)
    assert json.loads((folded.state / INDEX).read_text())["looked"] >= int(LATER)
    assert folded.folder("mine").is_dir()


def test_a_broken_file_of_a_folded_session_can_be_cleared(folded: Workspace) -> None:
    path = folded.state / "folded" / "mine" / "forge-state.json"
    path.write_text("{")
    assert folded.prompt("$team", session="mine").context.count("forge-state.json")
    assert rcs(folded.root, "state", "clear", "--mode", "forge", "--session", "mine").out.startswith("cleared forge")
    assert (folded.folder("mine") / "forge-state.json.unreadable").read_text() == "{"


@pytest.mark.parametrize("what", ["folded", "the session"])
def test_no_link_is_followed(folded: Workspace, tmp_path: Path, what: str) -> None:
    place = folded.state / "folded"
    away = tmp_path / "away"
    moved = place if what == "folded" else place / "mine"
    moved.rename(away)
    moved.symlink_to(away)
    assert read(at(folded, "mine"), "forge") == {"exists": False, "mode": "forge"}
    folded.prompt("$team", session="mine")
    assert not folded.folder("mine").is_symlink()
    assert [path.name for path in away.rglob("*-state.json")] != []


def test_a_link_keeps_everything_where_it_is(workspace: Workspace, tmp_path: Path) -> None:
    session(workspace, "mine", 31, **ENDED)
    (workspace.state / "folded").symlink_to(tmp_path)
    assert workspace_now(workspace)["folded"] == []
    assert workspace.folder("mine").is_dir()


def test_a_dry_run_changes_nothing_and_says_what_would_go(workspace: Workspace) -> None:
    for number in range(MANY + 3):
        session(workspace, f"s{number:02}", 31 if number < 3 else 0, **ENDED)
    before = workspace.snapshot()
    assert workspace_now(workspace, dry_run=True)["folded"] == ["s00", "s01", "s02"]
    assert workspace.snapshot() == before
    assert workspace_now(workspace)["folded"] == ["s00", "s01", "s02"]


def test_prune_says_what_it_did(workspace: Workspace) -> None:
    """Whole: the age is asked for, and what was written just now waits for the next time."""
    session(workspace, "mine", **ENDED)
    assert rcs(workspace.root, "state", "prune", "--older-than", "30d").out == "nothing to remove\n"


# --- questions


@pytest.fixture
def asked(workspace: Workspace) -> Workspace:
    """A forge that goes on, after two hundred answered questions; one is open, and one answer is still to be told."""
    workspace.prompt("$forge", session="s1")
    for number in range(200):
        question(workspace, f"q-{number:03}", status="aborted" if number % 2 else "answered")
    question(workspace, "q-000", status="pending")
    question(workspace, "q-001", delivered_at=None)
    for number, path in enumerate(sorted((workspace.folder("s1") / "questions").iterdir())):
        os.utime(path, (LATER + number, LATER + number))
    folding.fold_questions(str(workspace.state), "s1", Budget(60))
    return workspace


def test_closed_questions_but_the_newest_are_folded_away(asked: Workspace) -> None:
    there = {path.stem for path in (asked.folder("s1") / "questions").glob("*.json")}
    assert there == {"q-000", "q-001"} | {f"q-{number}" for number in range(200 - MANY, 200)}


def test_an_answer_from_elsewhere_is_still_told_once(asked: Workspace) -> None:
    assert "this" in asked.prompt("Go on.").context
    assert asked.prompt("Go on.").line == "{}"


def test_all_questions_can_be_listed_and_a_folded_one_is_known(asked: Workspace) -> None:
    assert len(json.loads(rcs(asked.root, "question", "list", "--all", "--json").out)["questions"]) == 200
    assert [q["question_id"] for q in json.loads(rcs(asked.root, "question", "list", "--json").out)["questions"]] == [
        "q-000"
    ]
    refused = rcs(asked.root, "question", "answer", "q-003", "x")
    assert refused.err == "rcs: q-003 is already aborted; nothing was changed\n"


def test_folded_questions_of_an_ended_run_are_removed_too(asked: Workspace) -> None:
    asked.edit("forge", active=False, lifecycle_outcome="finished", completed_at="2099-01-01T00:00:00.000Z")
    assert workspace_now(asked)["removed"] == 198
    assert {path.stem for path in (asked.folder("s1") / "questions").rglob("*.json")} == {"q-000", "q-001"}


def test_ask_folds_away_what_is_too_many(workspace: Workspace) -> None:
    workspace.prompt("$forge", session="s1")
    for number in range(2 * MANY):
        question(workspace, f"q-{number:03}")
    assert rcs(workspace.root, "question", "ask", "--mode", "forge", "--session", "s1", "--text", "Which?").status == 0
    assert len(list((workspace.folder("s1") / "questions").glob("*.json"))) == MANY


def test_a_commit_that_was_cut_short_reaches_a_folded_question(asked: Workspace) -> None:
    """Its removal is on record, and not done."""
    path = "sessions/s1/questions/folded/q-003.json"
    journal = {"version": 1, "files": [{"path": path, "remove": True}]}
    (asked.state / paths.JOURNAL).write_text(json.dumps(journal))
    transaction.recover(str(asked.state))
    assert not (asked.state / path).exists()
