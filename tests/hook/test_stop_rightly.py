"""A Stop that is not held, or held once: the agent rightly waits, the run is old, or nobody knows whose it is."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rcs_hooks.environment import Environment
from rcs_hooks.files import tracked
from rcs_hooks.hook.entry import answer as recorded_answer
from rcs_hooks.workflow.last_message import asks_question
from tests.hook.test_stop import GO_ON_OR_CANCEL, Claude, blocks, commands
from tests.support import HOOKS, Answer, Record, Workspace, clean_env, few, run_hook
from tests.table import each_row

DAY = 24 * 3600

SUBAGENT = {"id": "a1", "type": "subagent", "status": "running", "description": "look", "command": ""}
SHELL = {"id": "b1", "type": "shell", "status": "running", "description": "bg", "command": "sleep 4; echo hi"}
CRON = {"id": "c1", "schedule": "*/5 * * * *", "prompt": "look again"}


def stops(workspace: Workspace, count: int, **fields: Any) -> list[bool]:
    return [workspace.stop(**fields).blocks for _ in range(count)]


# --- the agent rightly waits

FORMS: list[Any] = [pytest.param(lambda value: value, id="json"), pytest.param(json.dumps, id="text")]


@pytest.mark.parametrize("form", FORMS)
def test_a_running_subagent_lets_the_turn_end_and_is_not_counted(form: Callable[[Any], Any], forge: Workspace) -> None:
    before = forge.snapshot()
    fields = {"background_tasks": form([SHELL, SUBAGENT]), "session_crons": form([])}
    assert {forge.stop(**fields).line for _ in range(7)} == {"{}"}
    assert forge.snapshot() == before
    assert blocks(forge, 7) == 5


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "fields",
    [{"background_tasks": [SHELL]}, {"background_tasks": [], "session_crons": [CRON]}, {"session_crons": ["daily"]}],
    ids=["shell", "cron", "cron-of-another-shape"],
)
def test_a_shell_or_a_set_time_is_held_once_for_a_fingerprint(
    fields: Record, form: Callable[[Any], Any], forge: Workspace
) -> None:
    given = {name: form(value) for name, value in fields.items()}
    first = forge.stop(**given)
    assert first.blocks
    assert "just end your turn" in first.reason
    assert commands(first.reason, "write") == ["forge"]
    assert forge.stop(**given).notice == (
        "rcs: forge (phase starting) waits for background work. Type `$cancel` to end it."
    )
    assert [forge.stop(**given).line for _ in range(3)] == ["{}"] * 3
    forge.edit("forge", iteration=1)
    assert stops(forge, 3, **given) == [True, False, False]


def test_when_the_background_is_done_the_run_is_held_again(forge: Workspace) -> None:
    assert stops(forge, 2, background_tasks=[SHELL]) == [True, False]
    assert stops(forge, 6) == [True] * 4 + [False] * 2


@pytest.mark.parametrize(
    "value",
    [
        None, "", "[]", "{", "null", 7, True, {}, {"type": "subagent"}, [7, None, "subagent", []], [{}], "[" * 100_000,
        [SUBAGENT | {"status": "completed"}], [SHELL | {"status": "failed"}], [SUBAGENT | {"status": ["running"]}],
        json.dumps([SUBAGENT]) + " " * (1 << 20),
    ],
    ids=lambda value: repr(value)[:40],
)  # fmt: skip
def test_what_says_nothing_of_the_background_holds_as_ever(value: object, forge: Workspace) -> None:
    assert stops(forge, 7, background_tasks=value) == [True] * 5 + [False] * 2


def test_the_stop_that_the_client_really_sent_is_held_once(workspace: Workspace) -> None:
    claude = Claude(workspace.root)
    claude.prompt("$forge fix")
    fields: Record = {
        "permission_mode": "default", "effort": {"level": "medium"}, "stop_hook_active": False,
        "last_assistant_message": "waiting for it", "session_crons": [],
        "background_tasks": [{"id": "bv5q1kpwl", "type": "shell", "status": "running", "description": "bg",
                              "command": "sleep 4; echo hi"}],
    }  # fmt: skip
    assert [claude.stop(**fields).blocks for _ in range(4)] == [True, False, False, False]


# --- plain-text questions of an interview


@each_row(
    ("message", "is_question"),
    [
        ("Which database?", True),
        ("データベースは何ですか？", True),
        ("ما هي قاعدة البيانات؟", True),
        ("**Which database?**", True),
        ("I ask: “Which database?”\n\n", True),
        ("_Which `database?`_  ", True),
        ("(Which database?)", True),
        *((f"Which database? I {word} Postgres.", False) for word in ("take", "took", "use", "used", "picked")),
        *((f"Which database? I {word} Postgres.", False) for word in ("choose", "chose")),
        ("Which database? I need to know.", True),
        ("Postgres it is.", False),
        ("", False),
        ("?" + "x" * 300, False),
    ],
)
def test_a_message_asks_where_it_ends_in_a_question_mark(message: str, is_question: bool) -> None:
    assert asks_question(message) is is_question


def test_a_question_of_an_interview_that_is_not_recorded_is_held_once(workspace: Workspace) -> None:
    workspace.prompt("$brief a shop")
    answer = workspace.stop(message="Which database?")
    command = "rcs question ask --mode deep-interview --text 'YOUR QUESTION' --session s1"
    assert [line for line in answer.reason.splitlines() if line.startswith("rcs ")] == [command]
    assert [workspace.stop(message="Which database?").line for _ in range(3)] == ["{}"] * 3
    workspace.prompt("Postgres.")
    assert workspace.stop(message="And which port?").line == "{}"
    workspace.edit("deep-interview", current_phase="details")
    assert workspace.stop(message="And which host?").blocks


@pytest.mark.parametrize(("mode", "message"), [("forge", "Which database?"), ("brief", "I read the code.")])
def test_another_mode_or_no_question_is_held_as_ever(mode: str, message: str, workspace: Workspace) -> None:
    workspace.prompt(f"${mode} a shop")
    assert sum(workspace.stop(message=message).blocks for _ in range(7)) == 5


# --- old runs


def resume(workspace: Workspace, days: float = 3, prompt: str = "What was this about?") -> None:
    workspace.now += days * DAY
    workspace.call("SessionStart", source="resume")
    if prompt:
        workspace.prompt(prompt)


def test_an_old_run_is_not_held_at_the_first_stop_of_a_resumed_session(forge: Workspace) -> None:
    resume(forge)
    answer = forge.stop()
    assert answer.notice == (
        "rcs: forge (phase starting) is still open, but nothing has changed it for a day, so"
        f" the turn ends. {GO_ON_OR_CANCEL}"
    )
    assert blocks(forge, 7) == 5
    forge.prompt("go on")
    assert forge.stop().blocks
    resume(forge)
    assert "is still open, but" in forge.stop().notice


def test_a_run_that_was_touched_within_a_day_is_held_in_a_resumed_session(forge: Workspace) -> None:
    resume(forge, 0.9)
    assert forge.stop().blocks


def test_a_turn_longer_than_a_day_is_no_resumed_session(forge: Workspace) -> None:
    forge.now += 3 * DAY
    assert forge.stop().blocks


@each_row("prompt", ["$forge continue with the login", "go on", "Please go on.", "Continue with the login"])
def test_a_prompt_about_an_old_run_takes_it_up(prompt: str, forge: Workspace) -> None:
    resume(forge, prompt=prompt)
    assert forge.stop().blocks
    assert forge.read("forge")["updated_at"] == forge.read("skill-active")["active_skills"][0]["updated_at"]


def test_a_session_left_open_for_days_is_no_resumed_one(forge: Workspace) -> None:
    forge.stop()
    forge.now += 3 * DAY
    forge.prompt("Fix the login page, too.")
    assert forge.stop().blocks


@each_row("source", ["compact", "clear"])
def test_a_conversation_made_shorter_is_no_resumed_session(source: str, forge: Workspace) -> None:
    forge.now += 3 * DAY
    forge.call("SessionStart", source=source)
    assert forge.stop().blocks


def test_the_first_stop_of_a_resumed_session_needs_no_prompt(forge: Workspace) -> None:
    resume(forge, prompt="")
    assert "is still open" in forge.stop().notice


def test_a_fresh_run_is_held_beside_an_old_one(forge: Workspace) -> None:
    resume(forge)
    forge.prompt("$ultrawork fix it all")
    assert commands(forge.stop().reason, "write") == ["ultrawork"]


# --- the workspace's own records


def test_a_root_record_that_names_no_session_is_held_once_for_a_fingerprint(workspace: Workspace) -> None:
    workspace.write("forge", None)
    first = workspace.stop()
    assert "names no session" in first.reason
    assert "rcs state clear --mode forge --root-scope" in first.reason
    assert stops(workspace, 3) == [False] * 3
    workspace.prompt("Fix a typo.")
    assert [workspace.stop().line for _ in range(3)] == ["{}"] * 3
    workspace.edit("forge", None, iteration=2)
    assert stops(workspace, 3) == [True, False, False]


def test_a_root_record_that_names_the_session_is_held_as_its_own(workspace: Workspace) -> None:
    workspace.write("forge", None, session_id="s1")
    assert blocks(workspace, 7) == 5


def git(root: Path, *words: str) -> str:
    env = clean_env(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1")
    command = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@b", *words]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout


def test_a_file_is_tracked_where_git_says_so(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    team, other = ".rcs/state/team-state.json", ".rcs/state/forge-state.json"
    names = [other, ".a", ".rcs-x", "a", f"deep/{team}", "deep/er/b", ".rcs/tasks/t", "z"]
    for name in [*names, ".rcs/off", team]:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("{}")
    git(root.parent, "init", "-q", "repo")
    git(root, "add", "-f", *names)
    assert tracked.tracked_names(str(root)) == {other}
    assert tracked.tracked_names(str(root / "deep")) == {team}
    assert tracked.tracked_names(str(root / "deep" / "er")) == frozenset()
    assert not tracked.is_off_tracked(str(root))
    git(root, "add", "-fN", ".rcs/off")
    assert tracked.is_off_tracked(str(root))
    git(root, "rm", "-rfq", "--cached", ".rcs")
    assert tracked.tracked_names(str(root)) == frozenset()


@pytest.mark.parametrize("link", [".rcs", ".rcs/state", ".rcs/state/sessions"])
def test_what_lies_behind_a_tracked_link_is_tracked(link: str, tmp_path: Path) -> None:
    (tmp_path / link).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / link).symlink_to("elsewhere")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-f", link)
    assert tracked.has_tracked_session(str(tmp_path), "s1")


def test_a_linked_work_tree_has_an_index_of_its_own(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    (root / ".rcs").mkdir()
    (root / ".rcs" / "off").touch()
    git(root, "init", "-q")
    git(root, "add", "-f", ".rcs")
    git(root, "commit", "-qm", "a")
    git(root, "worktree", "add", "-q", "../linked")
    assert tracked.tracked_names(str(tmp_path / "linked")) == {".rcs/off"}


@each_row("text", ["", "gitdir: ", "gitdir: /nonexistent", "gitdir: .", "gitdir: \0", "x" * 9_999])
def test_a_git_file_that_leads_nowhere_tracks_nothing(text: str, tmp_path: Path) -> None:
    (tmp_path / ".git").write_text(text)
    assert not tracked.tracked_names(str(tmp_path))


@pytest.fixture
def brought(workspace: Workspace) -> Workspace:
    """Forge runs by a record that came with the repository; the repository has a program for git to run."""
    workspace.write("forge", None)
    git(workspace.root, "init", "-q")
    git(workspace.root, "add", "-f", ".rcs/state/forge-state.json")
    git(workspace.root, "config", "core.fsmonitor", f"touch {workspace.root}/ran; false")
    return workspace


def test_a_root_record_that_came_with_the_repository_holds_nothing(brought: Workspace) -> None:
    assert [brought.stop().line for _ in range(3)] == ["{}"] * 3
    assert not (brought.root / "ran").exists()


def test_a_root_record_that_came_with_the_repository_denies_nothing(brought: Workspace) -> None:
    answer = brought.prompt("$blueprint a shop")
    assert "Cannot activate" not in answer.context
    assert brought.active() == ["blueprint"]
    assert not (brought.root / "ran").exists()


def test_a_root_record_that_git_does_not_track_still_denies(workspace: Workspace) -> None:
    git(workspace.root, "init", "-q")
    workspace.write("forge", None)
    assert "Cannot activate blueprint while forge" in workspace.prompt("$blueprint a shop").context


def test_an_own_run_is_held_beside_one_that_came_with_the_repository(brought: Workspace) -> None:
    brought.write("team")
    assert commands(brought.stop().reason, "write") == ["team"]


# --- limits do not depend on what a client calls its turns


@pytest.mark.parametrize("kind", few([Claude, Workspace], 1), ids=["claude", "codex"])
def test_a_new_turn_id_on_every_stop_starts_no_new_count(kind: type[Workspace], tmp_path: Path) -> None:
    workspace = kind(tmp_path)
    workspace.prompt("$forge fix")
    blocked = 0
    for number in range(400):
        workspace.edit("forge", iteration=number, max_iterations=10_000)
        blocked += workspace.stop(turn_id=f"t{number}", stop_hook_active=bool(number % 2)).blocks
    assert blocked == (7 if kind is Claude else 50)


# --- one count


def test_the_same_stop_within_two_seconds_gets_the_same_answer_and_counts_once(forge: Workspace) -> None:
    held = []
    for _ in range(6):
        first = forge.stop()
        forge.now -= 2
        second = forge.stop()
        assert second.line == (first.line if first.blocks else "{}")
        held.append(first.blocks)
    assert held == [True] * 5 + [False]


def test_after_a_change_the_same_words_are_another_stop_however_soon(forge: Workspace) -> None:
    assert "--phase executing" in forge.stop().reason
    forge.edit("forge", current_phase="executing")
    forge.now -= 3
    assert "--phase verifying" in forge.stop().reason


def test_other_words_are_another_stop_however_soon(forge: Workspace) -> None:
    held = []
    for number in range(6):
        held.append(forge.stop(message=f"Step {number}.").blocks)
        forge.now -= 3
    assert held == [True] * 5 + [False]


# --- the end of a session

ENDS = {
    "codex": '{"session_id":"s1","transcript_path":"/home/user/.codex/sessions/rollout.jsonl","cwd":"/workspace"'
    ',"hook_event_name":"SessionEnd","reason":"other"}',
    "claude": '{"session_id":"s1","transcript_path":"/home/user/.claude/projects/-workspace/session.jsonl"'
    ',"cwd":"/workspace","prompt_id":"9fa00d51-bde4-4053-acf3-43b4fb104290","hook_event_name":"SessionEnd"'
    ',"reason":"other"}\n',
}
SESSION_END = [pytest.param(None, id="rcs-hook"), pytest.param(HOOKS / "session_end.py", id="script")]


def closed(workspace: Workspace) -> bool:
    return "closed_at" in json.loads((workspace.folder("s1") / "hook-ledger.json").read_text())


@pytest.mark.parametrize("client", ENDS)
@pytest.mark.parametrize("script", SESSION_END)
def test_the_end_of_a_session_is_noted_and_ends_nothing(client: str, script: Path | None, forge: Workspace) -> None:
    before = forge.read("forge")
    raw = ENDS[client].replace("/workspace", str(forge.root)).encode()
    assert run_hook(raw, cwd=forge.root, script=script) == ("{}", 0)
    assert closed(forge)
    assert (forge.read("forge"), forge.active()) == (before, ["forge"])


@pytest.mark.parametrize("script", SESSION_END)
def test_the_end_of_a_session_without_state_makes_nothing(script: Path | None, workspace: Workspace) -> None:
    assert run_hook(workspace.payload("SessionEnd", reason="other"), cwd=workspace.root, script=script) == ("{}", 0)
    assert list(workspace.root.iterdir()) == []


OPENS: list[Any] = [
    pytest.param(lambda each: each.call("SessionStart", source="resume"), id="SessionStart"),
    pytest.param(lambda each: each.prompt("Go on."), id="prompt"),
    pytest.param(lambda each: each.prompt("$forge go on"), id="prompt-with-a-token"),
    pytest.param(lambda each: each.stop(), id="Stop"),
]


@pytest.mark.parametrize("opens", OPENS)
def test_a_session_that_goes_on_is_open_again(opens: Callable[[Workspace], Answer], forge: Workspace) -> None:
    forge.call("SessionEnd", reason="other")
    assert closed(forge)
    opens(forge)
    assert not closed(forge)


def test_an_end_keeps_what_was_counted(forge: Workspace) -> None:
    assert blocks(forge, 3) == 3
    forge.call("SessionEnd", reason="other")
    forge.call("SessionStart", source="resume")
    assert blocks(forge, 5) == 2


# --- the switch

CALLS: dict[str, Record] = {
    "UserPromptSubmit": {"prompt": "$team go", "turn_id": "t9"},
    "Stop": {"turn_id": "t9", "last_assistant_message": "Working."},
    "SessionStart": {"source": "resume"},
    "SessionEnd": {"reason": "other"},
}


@pytest.mark.parametrize("event", CALLS)
@pytest.mark.parametrize(
    ("value", "is_off"), [("1", True), ("true", True), ("no", True), ("0", False), ("", False), (" ", False)]
)
def test_rcs_disable_answers_nothing_at_once(value: str, is_off: bool, event: str, forge: Workspace) -> None:
    before = forge.snapshot()
    environment = Environment({"RCS_DISABLE": value}, str(forge.root), forge.now, "rcs")
    line = recorded_answer(forge.payload(event, **CALLS[event]), environment)
    assert (line == "{}" and forge.snapshot() == before) is is_off


@pytest.mark.parametrize("event", CALLS)
@pytest.mark.parametrize("where", ["workspace", "home"])
def test_an_off_file_answers_nothing(where: str, event: str, forge: Workspace, tmp_path: Path) -> None:
    home = tmp_path / "home"
    off = (forge.root if where == "workspace" else home) / ".rcs" / "off"
    off.parent.mkdir(parents=True, exist_ok=True)
    off.write_text("")
    forge.env["HOME"] = str(home)
    before = forge.snapshot()
    assert forge.call(event, **CALLS[event]).line == "{}"
    assert forge.snapshot() == before
    off.unlink()
    forge.call(event, **CALLS[event])
    assert forge.snapshot() != before or event == "SessionStart"
