"""What a prompt and the start of a session tell the agent about a run: why it stopped, what counts, what to read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.next_steps import SESSION, commands_in
from tests.support import RCS_HOOK, Workspace, clean_env, paste
from tests.table import each_row

if TYPE_CHECKING:
    from pathlib import Path


def ended(workspace: Workspace, mode: str, outcome: str, **fields: str) -> None:
    workspace.write(
        mode,
        "s1",
        active=False,
        lifecycle_outcome=outcome,
        completed_at="2023-11-14T22:13:25.000Z",
        started_at="2023-11-14T22:13:00.000Z",
        **fields,
    )


def pasted(workspace: Workspace, command: str) -> None:
    done = paste(command, cwd=workspace.root, env=clean_env(PATH=f"{RCS_HOOK.parent}:/usr/bin:/bin"))
    assert (done.returncode, done.stderr) == (0, ""), command


# --- `go on`


@each_row("text", ["go on", "Go on.", "please go on", "continue"])
@each_row(("outcome", "how"), [
    ("blocked", "ended blocked"), ("failed", "ended failed"), ("userinterlude", "was stopped by the user"),
])  # fmt: skip
def test_go_on_after_a_run_that_has_ended_says_what_to_type(
    text: str, outcome: str, how: str, workspace: Workspace
) -> None:
    ended(workspace, "team", outcome, reason="no key\nfor the shop")
    answer = workspace.prompt(text)
    assert answer.context == (
        f"[rcs] team does not run: it ended {outcome}: no key for the shop. You cannot take it up: if the user"
        " means that run, ask them to type `$crew`."
    )
    assert answer.notice == f"rcs: team {how} (no key for the shop) and does not run: type `$crew` to take it up"
    assert not workspace.stop().blocks


@each_row(
    ("mode", "outcome", "text"),
    [
        ("team", "finished", "go on"),
        ("team", "blocked", "go on with the other thing that we spoke of"),
        ("team", "blocked", "what is left?"),
    ],
)
def test_other_prompts_and_other_ends_say_nothing(mode: str, outcome: str, text: str, workspace: Workspace) -> None:
    ended(workspace, mode, outcome)
    assert workspace.prompt(text).line == "{}"


def test_go_on_after_a_run_of_last_week_says_nothing(workspace: Workspace) -> None:
    ended(workspace, "team", "blocked")
    workspace.now += 7 * 86400
    assert workspace.prompt("go on").line == "{}"


def test_go_on_beside_a_run_means_that_run(forge: Workspace) -> None:
    ended(forge, "ultraqa", "blocked")
    assert forge.prompt("go on").line == "{}"


def test_go_on_after_the_last_round_says_that_the_count_starts_over(forge: Workspace) -> None:
    forge.edit("forge", iteration=50, current_phase="fixing")
    forge.stop()
    answer = forge.prompt("go on")
    first, second = answer.context.splitlines()
    assert first == "[rcs] forge had used its last round and goes on: the count of rounds starts over."
    assert second.startswith("Now: ")
    assert answer.notice == "rcs: forge goes on: the count of rounds starts over"


# --- a run that is taken up


def test_a_run_that_is_taken_up_says_why_it_had_stopped_its_round_and_how_to_begin_anew(workspace: Workspace) -> None:
    workspace.prompt("$forge fix the rounding")
    workspace.edit("forge", current_phase="fixing", iteration=4, visited=["verifying", "fixing"])
    pasted(workspace, "rcs state write --mode forge --session s1 --outcome blocked --reason 'the database is away'")
    answer = workspace.prompt("$forge")
    assert (
        "active: forge (phase fixing, round 4, resumed after blocked: the database is away); no new run"
        in answer.context.splitlines()
    )
    (fresh,) = [each for each in commands_in(answer.context) if "--fresh" in each]
    assert f'Task: "fix the rounding". Another one? Begin anew: {fresh}' in answer.context.splitlines()
    pasted(workspace, fresh)
    assert workspace.read("forge")["current_phase"] == "starting"


def test_what_starts_after_planning_is_told_where_the_plan_lies(workspace: Workspace) -> None:
    workspace.prompt("$blueprint the shop")
    workspace.edit("blueprint", plan=".rcs/plans/shop.md")
    answer = workspace.prompt("$forge")
    assert "Plan that stands: .rcs/plans/shop.md" in answer.context.splitlines()


def test_planning_after_a_review_is_told_what_the_review_found(workspace: Workspace) -> None:
    workspace.prompt("$autoforge the shop")
    verdict = {"review_verdict": "not clean", "return_to_blueprint_reason": "two writers race"}
    workspace.edit("autopilot", current_phase="code-review", state=verdict)
    assert "The review found: two writers race" in workspace.prompt("$blueprint").context.splitlines()
    assert "The review found: two writers race" in workspace.call("SessionStart", source="compact").context.splitlines()


def test_each_review_has_a_verdict_of_its_own(workspace: Workspace) -> None:
    workspace.prompt("$autoforge the shop")
    back = "rcs state write --mode autopilot --phase blueprint --verdict 'not clean' --reason WHY --session s1"
    again = back.replace("WHY", "'no tests'")
    for command in (
        "rcs state write --mode autopilot --phase forge --session s1",
        "rcs state write --mode autopilot --phase code-review --session s1",
        back.replace("WHY", "'two writers race'"),
        "rcs state write --mode autopilot --phase forge --session s1",
        "rcs state write --mode autopilot --phase code-review --session s1",
    ):
        pasted(workspace, command)
    reason = workspace.stop().reason
    assert back in commands_in(reason)
    assert "The last review was not clean: two writers race" in reason
    refused = "rcs state write --mode autopilot --outcome finished --session s1"
    env = clean_env(PATH=f"{RCS_HOOK.parent}:/usr/bin:/bin")
    assert "not clean (two writers race)" in paste(refused, cwd=workspace.root, env=env).stderr
    pasted(workspace, again)
    assert "The last review was not clean: no tests" in workspace.stop().reason
    rounds = [json.loads(line) for line in (workspace.folder("s1") / "history.jsonl").read_text().splitlines()]
    assert [each["data"]["reason"] for each in rounds if "reason" in each["data"]] == ["two writers race", "no tests"]


def test_a_run_that_has_come_to_another_review_can_still_hand_back(workspace: Workspace) -> None:
    workspace.prompt("$autoforge the shop")
    verdict = {"review_verdict": "not clean", "return_to_blueprint_reason": "two writers race"}
    workspace.edit("autopilot", current_phase="forge", iteration=2, state=verdict)
    pasted(workspace, "rcs state write --mode autopilot --phase code-review --session s1")
    assert "The review found: two writers race" in workspace.prompt("$blueprint").context.splitlines()
    assert workspace.active() == ["blueprint"]


# --- deferral, offer, denial


def test_a_deferral_names_the_skill_as_it_is_typed(workspace: Workspace) -> None:
    lines = workspace.prompt("$blueprint $team the shop").context.splitlines()
    assert "planning preserved over simultaneous execution follow-up; deferred skills: team" in lines
    assert (
        "Only blueprint runs: plan, change no code; the user starts `$crew` by name when it has ended, you cannot."
        in lines
    )


def test_an_offer_says_how_planning_ended_and_where_the_plan_lies(workspace: Workspace) -> None:
    workspace.prompt("$blueprint $team the shop")
    workspace.edit("blueprint", active=False, lifecycle_outcome="failed", reason="no time", plan="p.md")
    assert workspace.prompt("and now?").context == (
        "[rcs] blueprint has ended (failed: no time; plan p.md); deferred: $crew. You cannot start it: if this prompt"
        " says to go on, ask the user to type `$crew`."
    )


def test_a_denial_asks_the_user_first_and_has_the_two_commands(workspace: Workspace) -> None:
    workspace.prompt("$crew build the shop")
    sentence, ask, clear, start = workspace.prompt("$blueprint").context.splitlines()
    assert sentence.startswith(
        "Cannot activate blueprint while team is still active. Clear the incompatible state first"
    )
    assert ask.startswith("Do not clear it yourself: ask the user whether to finish team first or give it up.")
    assert clear == "rcs state clear --mode team --session s1"
    assert start == "Then start it: rcs state write --mode blueprint --active --session s1"


# --- the skill to read


@pytest.mark.parametrize("folder", [".claude", ".agents"])
def test_the_skill_is_named_with_its_path_where_it_is_installed(
    folder: str, workspace: Workspace, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    workspace.env["HOME"] = str(home)
    assert "Read the skill" not in workspace.prompt("$crew build it", "s2").context
    for base in (workspace.root, home):
        skill = base / folder / "skills" / "crew" / "SKILL.md"
        skill.parent.mkdir(parents=True)
        skill.write_text("# crew")
        where = "~/" if base == home else ""
        session = f"s-{base.name}"
        context = workspace.prompt("$crew build it", session).context
        assert f"Read the skill `crew` ({where}{folder}/skills/crew/SKILL.md) first." in context.splitlines()


@each_row(("fields", "folder"), [({"turn_id": "t1"}, ".agents"), ({"prompt_id": "p1"}, ".claude")])
def test_of_two_copies_of_a_skill_the_one_of_the_client_is_named(
    fields: dict[str, str], folder: str, workspace: Workspace
) -> None:
    for name in (".agents", ".claude"):
        skill = workspace.root / name / "skills" / "crew" / "SKILL.md"
        skill.parent.mkdir(parents=True)
        skill.write_text("# crew")
    context = workspace.call("UserPromptSubmit", prompt="$crew build it", **fields).context
    assert f"Read the skill `crew` ({folder}/skills/crew/SKILL.md) first." in context.splitlines()


# --- the start of a session


def test_a_session_that_starts_again_is_told_what_its_context_has_lost(workspace: Workspace) -> None:
    skill = workspace.root / ".claude" / "skills" / "autoforge" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("# autoforge")
    workspace.prompt("$autoforge fix the rounding of the totals", SESSION)
    verdict = {"review_verdict": "not clean", "return_to_blueprint_reason": "two writers race"}
    workspace.edit(
        "autopilot", SESSION, current_phase="blueprint", iteration=2, visited=["blueprint"], plan="p.md", state=verdict
    )
    context = workspace.call("SessionStart", SESSION, source="compact").context
    lines = context.splitlines()
    assert lines[0].startswith("[rcs] active in this session: autopilot (phase blueprint, round 2, since ")
    assert 'Task: "fix the rounding of the totals"' in lines
    assert "Plan: p.md" in lines
    assert any("`autoforge` (.claude/skills/autoforge/SKILL.md)" in line for line in lines)
    assert any(line.startswith("Now: ") and line.endswith("not clean: two writers race") for line in lines)
    assert [command for command in commands_in(context) if "--phase forge" in command]
    assert len(context) <= 900


def test_a_session_that_starts_again_is_told_the_open_question_and_what_is_deferred(workspace: Workspace) -> None:
    workspace.prompt("$blueprint $crew the shop")
    ask = "rcs question ask --mode blueprint --session s1 --text 'Which database?' --option Postgres --option SQLite"
    pasted(workspace, ask)
    lines = workspace.call("SessionStart", source="resume").context.splitlines()
    assert 'blueprint waits for the user\'s answer to "Which database?" (1 Postgres | 2 SQLite).' in lines
    assert "Deferred until planning ends: $crew." in lines
    assert not any("--outcome finished" in line for line in lines)
