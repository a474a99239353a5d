"""Any file of a task may be broken: the message is clear, nothing is changed, and nobody waits."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.table import each_row
from tests.tasks.paths import CODE_REVIEW, DECISION, PLAN, PLAN_REVIEW, REPORT, REVERT
from tests.tasks.rows import CLEAN_REVIEW, CODE_FILES, ROWS, WHOLE_PLAN
from tests.tasks.support import ENTER, Record, Task, in_process

COMMANDS = [
    ("status", ()),
    ("next", ()),
    ("review plan", ()),
    ("plan", ()),
    ("redo", ()),
    ("accept", ("--decision", "accepted")),
    ("next", ("--override", "I accept the risk")),
    ("new", ()),
]
COMMAND_IDS = ["status", "next", "review plan", "plan", "redo", "accept", "override", "new"]

Breaks = Callable[[Path], None]


def link(path: Path) -> None:
    other = path.with_name("elsewhere.json")
    path.rename(other)
    path.symlink_to(other)


def fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def text(content: str | bytes) -> Breaks:
    def put(path: Path) -> None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    return put


def state(**changed: object) -> Breaks:
    """Writes the state with other values; `...` removes a key."""

    def put(path: Path) -> None:
        record = json.loads(path.read_text()) | changed
        path.write_text(json.dumps({key: value for key, value in record.items() if value is not ...}))

    return put


BROKEN: dict[str, tuple[Breaks, str]] = {
    "unknown phase": (
        state(phase="testing"),
        'state.json: phase "testing" is not one of planning, plan_review, codegen, review, test, accept, revert, done; '
        "fix the file by hand (nothing was changed)",
    ),
    "not JSON": (
        text('{\n  "phase": "planning"\n"x": 1}'),
        "state.json: not JSON (line 3 column 1); nothing was changed",
    ),
    "empty": (text(""), "state.json: not JSON (line 1 column 1); nothing was changed"),
    "not an object": (text("[]"), "state.json: "),
    "not UTF-8": (text(b'{"phase": "planning\xff"}'), "state.json: "),
    "too deep": (text('{"phase": "planning", "x": ' + "[" * 100_000 + "]" * 100_000 + "}"), "state.json: "),
    "huge": (text('{"phase": "planning", "x": "' + "x" * 5_000_000 + '"}'), "state.json: "),
    "a link": (link, "state.json: "),
    "a pipe": (fifo, "state.json: "),
    "a folder": (folder, "state.json: "),
    "no phase": (state(phase=...), "state.json: "),
    "phase null": (state(phase=None), "state.json: "),
    "phase a list": (state(phase=["planning"]), "state.json: "),
    "phase in capitals": (state(phase="Planning"), 'state.json: phase "Planning" is not one of '),
    "phase with blanks": (state(phase=" planning"), 'state.json: phase " planning" is not one of '),
    "phase that would colour": (state(phase="\x1b[31m\nplanning"), "state.json: "),
    "actors a list": (state(actors=[]), "state.json: "),
    "an actor a string": (state(actors={"planning": "busy"}), "state.json: "),
    "round a string": (state(actors={"planning": {"round": "two"}}), "state.json: "),
    "round a truth": (state(actors={"planning": {"round": True}}), "state.json: "),
    "round below zero": (state(actors={"planning": {"round": -1}}), "state.json: "),
    "round half": (state(actors={"planning": {"round": 1.5}}), "state.json: "),
    "status a number": (state(actors={"planning": {"round": 1, "status": 7}}), "state.json: "),
}


def look(task: Task) -> dict[str, object]:
    """Every entry of the folder, without opening a pipe or following a link."""
    found: dict[str, object] = {}
    for path in sorted(task.folder.rglob("*")):
        if path.name != ".lock":
            info = path.lstat()
            found[str(path.relative_to(task.folder))] = (
                path.read_bytes() if path.is_file() and not path.is_symlink() else (info.st_mode, info.st_ino)
            )
    return found


@each_row("name", BROKEN)
@each_row(("command", "options"), COMMANDS, ids=COMMAND_IDS)
def test_a_broken_state_is_told_and_left(task: Task, name: str, command: str, options: tuple[str, ...]) -> None:
    task.at("planning", {PLAN: WHOLE_PLAN})
    breaks, words = BROKEN[name]
    breaks(task.folder / "state.json")
    before = look(task)
    done = task(command, *options)
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith(f"rcs: {words}" if command != "new" else "")
    assert "state.json" in done.err
    assert "nothing was changed" in done.err
    assert "\x1b" not in done.err
    assert len(done.err) < 500
    assert look(task) == before


@pytest.mark.parametrize("name", ["unknown phase", "not JSON", "not an object", "no phase"])
def test_the_words_are_json_where_json_is_asked_for(task: Task, name: str) -> None:
    task.at("planning")
    BROKEN[name][0](task.folder / "state.json")
    done = task("status", "--json")
    assert done.status == 1
    assert "nothing was changed" in done.json["error"]


@each_row(
    "without",
    [("actors",), ("task_id",), ("created_at",), ("updated_at",), ("actors", "task_id", "created_at")],
    ids="+".join,
)
def test_a_state_that_says_no_more_than_the_phase_is_enough(task: Task, without: tuple[str, ...]) -> None:
    task.at("planning", {PLAN: WHOLE_PLAN})
    task.put("state.json", {key: value for key, value in task.state.items() if key not in without})
    task.did("status")
    task.did("next")
    assert (task.phase, task.round("plan_review")) == ("plan_review", 1)


def test_the_contract_s_own_state_is_read_and_moved(task: Task) -> None:
    actors = {
        "planning": {"round": 3, "status": "workshop"},
        "codegen": {"status": "pending"},
        "review": {"status": None},
        "test": {"status": None},
    }
    task.put("state.json", {"phase": "codegen", "actors": actors})
    for path, content in (CODE_FILES | {PLAN: WHOLE_PLAN}).items():
        task.put(path, content)
    task.did("review code")
    assert (task.phase, task.state["actors"]["planning"]) == ("review", {"round": 3, "status": "workshop"})


def test_keys_that_nobody_knows_survive(task: Task) -> None:
    task.at("planning", {PLAN: WHOLE_PLAN}, planning={"round": 4, "mood": "good"}, stranger={"of": "mine"})
    task.put("state.json", task.state | {"priority": [1, {"deep": None}], "über": "ß"})
    task.did("next")
    task.did("next", "--override", "on")
    task.did("redo")
    state = task.state
    assert (state["priority"], state["über"]) == ([1, {"deep": None}], "ß")
    assert state["actors"]["stranger"] == {"of": "mine"}
    assert (state["actors"]["planning"]["mood"], state["actors"]["planning"]["round"]) == ("good", 4)


def test_rounds_never_decrease(task: Task) -> None:
    task.at("plan_review", {PLAN: {}}, planning={"round": 7}, plan_review={"round": 3})
    task.did("plan")
    assert task.round("planning") == 8
    task.did("next", "--override", "on")
    assert task.round("plan_review") >= 3


# --- artifacts


ROW_FILES = [(name, path) for name, path in [
    ("T1", PLAN), ("T3", PLAN_REVIEW), ("T10", CODE_REVIEW), ("T13", REPORT), ("T15", DECISION), ("T20", REVERT)
]]  # fmt: skip
BREAKS: dict[str, Breaks] = {
    "a link": link,
    "a pipe": fifo,
    "a folder": folder,
    "huge": text('{"x": "' + "x" * 5_000_000 + '"}'),
    "not UTF-8": text(b"{\xff}"),
    "too deep": text("[" * 100_000 + "]" * 100_000),
    "not JSON": text("{"),
    "not an object": text("[]"),
    "null": text("null"),
    "NaN": text('{"x": NaN}'),
}


@each_row("how", BREAKS)
@each_row(("name", "path"), ROW_FILES, ids=[name for name, _ in ROW_FILES])
def test_an_artifact_that_cannot_be_read_opens_nothing(task: Task, name: str, path: str, how: str) -> None:
    row = ROWS[name]
    row.on(task)
    BREAKS[how](task.folder / path)
    before = task.state_bytes
    done = task(row.command)
    assert (done.status, done.out) == (1, "")
    assert f"  - {path}: " in done.err
    assert len(done.err) < 1500
    assert task.state_bytes == before
    assert task("status").status == 0


@pytest.mark.parametrize("which", ["a link out of the project", "a loop", "a pipe"])
def test_generated_files_that_are_none_are_not_followed(task: Task, tmp_path: Path, which: str) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    task.at("codegen", CODE_FILES | {PLAN: WHOLE_PLAN})
    odd = task.folder / "code/files/odd"
    if which == "a pipe":
        os.mkfifo(odd)
    else:
        odd.symlink_to(secret if which == "a link out of the project" else task.folder / "code")
    done = task("redo")
    assert done.status in (0, 1)
    assert not [path for path in task.folder.rglob("history/**/*") if path.is_file() and path.read_bytes() == b"secret"]
    assert secret.read_text() == "secret"
    assert task.folder.joinpath("state.json").is_file()


@pytest.mark.parametrize("place", ["accept", "history", "revert"])
def test_no_link_is_written_through(task: Task, tmp_path: Path, place: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    task.at("accept", {REPORT: {"status": "completed", "overall_pass": True, "suites": []}})
    task.folder.joinpath(place).symlink_to(outside)
    command = {
        "accept": ("accept", "--decision", "accepted"),
        "history": ("accept", "--decision", "unclear"),
        "revert": ("revert", "--reason", "it broke"),
    }
    if place == "history":
        task.put(CODE_REVIEW, CLEAN_REVIEW)
    before = task.state_bytes
    done = task(*command[place])
    assert list(outside.iterdir()) == []
    assert (done.status, done.out) == (1, "")
    assert task.state_bytes == before


def test_tasks_that_lie_behind_a_link_out_of_the_workspace_are_not_touched(task: Task, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (task.root / ".rcs").mkdir()
    (task.root / ".rcs/tasks").symlink_to(outside)
    done = task("new")
    assert (done.status, done.out) == (1, "")
    assert list(outside.iterdir()) == []


@each_row("breaks", [link, fifo, folder], ids=lambda each: each.__name__)
@each_row("override", [(), ("--override", "I accept the risk")], ids=["next", "override"])
def test_what_cannot_be_put_on_record_is_not_done(task: Task, breaks: Breaks, override: tuple[str, ...]) -> None:
    task.at("planning", {PLAN: WHOLE_PLAN, "transcript.jsonl": ""})
    breaks(task.folder / "transcript.jsonl")
    before = look(task)
    done = task("next", *override)
    assert (done.status, done.out) == (1, "")
    assert "transcript.jsonl" in done.err
    assert look(task) == before


def test_going_back_that_cannot_be_put_on_record_moves_nothing(task: Task) -> None:
    row = ROWS["T14"]
    row.on(task, **{"transcript.jsonl": "", CODE_REVIEW: CLEAN_REVIEW})
    folder(task.folder / "transcript.jsonl")
    before = task.tree()
    assert task("codegen").status == 1
    assert task.tree() == before


def test_a_line_that_was_cut_short_spoils_no_other(task: Task) -> None:
    task.at("planning", {PLAN: WHOLE_PLAN, "transcript.jsonl": '{"kind": "tran'})
    task.did("next")
    first, second = (task.folder / "transcript.jsonl").read_text().splitlines()
    assert first == '{"kind": "tran'
    assert json.loads(second)["to"] == "plan_review"


# --- names


@each_row("name", ["..", "../x", "a/b", "", ".hidden", "x" * 129, "a b", "ä", "a\n", "-x"], ids=ascii)
def test_a_name_that_cannot_be_a_folder_is_refused(task: Task, name: str) -> None:
    done = in_process(task.root, "task", "new", "--", name)
    assert done.status == 1
    assert done.out == ""
    assert not (task.root / ".rcs").exists()


@each_row("command", ["status", "next", "redo", *ENTER.values()])
def test_a_task_that_is_not_there_is_not_made(task: Task, command: str) -> None:
    done = task(command)
    assert (done.status, done.out) == (1, "")
    assert "t1" in done.err
    assert "rcs task new" in done.err
    assert not (task.root / ".rcs").exists()


def test_a_broken_task_hides_no_other_from_the_list(task: Task) -> None:
    task.at("planning")
    Task(task.root, "t2").at("review")
    for name in ("t0", "t3", "t4"):
        broken = Task(task.root, name).at("planning")
        {"t0": text("{"), "t3": fifo, "t4": state(phase="testing")}[name](broken.folder / "state.json")
    (task.root / ".rcs/tasks/note.txt").write_text("mine")
    (task.root / ".rcs/tasks/empty").mkdir()
    done = in_process(task.root, "task", "list")
    assert done.status == 0
    lines = done.out.splitlines()
    assert any("t1" in line and "planning" in line for line in lines)
    assert any("t2" in line and "review" in line for line in lines)
    assert all(any(name in line for line in lines) for name in ("t0", "t3", "t4"))
    found: Record = in_process(task.root, "task", "list", "--json").json
    assert {"t0", "t1", "t2", "t3", "t4"} == {each["task"] for each in found["tasks"]}
