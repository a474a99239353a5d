"""What a prompt and the start of a session tell the agent about a run: why it stopped, what counts, what to read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rcs_hooks.files.clock import iso
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


@each_row("text", ["Go on.", "continue"])
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


# --- the skill to read


@each_row("folder", [".claude", ".agents"])
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


# --- what an earlier life must not bring along


def test_a_fresh_autopilot_does_not_inherit_the_old_review(workspace: Workspace) -> None:
    workspace.prompt("$autopilot")
    workspace.edit("autopilot", return_to_blueprint_reason="two findings")
    workspace.prompt("$blueprint")
    workspace.prompt("$autopilot again")
    assert workspace.prompt("$blueprint back").context.startswith("Cannot activate blueprint while autopilot")


def test_each_mode_says_whether_it_was_taken_up(workspace: Workspace) -> None:
    workspace.write("team", active=False, run_outcome="failed", current_phase="verifying")
    context = workspace.prompt("$team $forge").context
    assert "active: team (phase verifying, resumed after failed) + forge (phase starting); initialized: " in context
    assert "initialized: .rcs/state/sessions/s1/forge-state.json" in context


def test_a_deferred_skill_that_was_started_is_not_offered(workspace: Workspace) -> None:
    workspace.prompt("$blueprint $ulw $forge")
    workspace.prompt("$ulw")
    for mode in ("blueprint", "ultrawork"):
        workspace.edit(mode, active=False, lifecycle_outcome="finished")
    assert workspace.prompt("ok").context == (
        "[rcs] blueprint has ended (finished); deferred: $forge. You cannot start it: if this prompt says to go on, ask"
        " the user to type `$forge`."
    )


# --- `go on` where nothing runs

DAY = 24 * 3600


@each_row(
    ("prompt", "outcome", "is_meant"),
    [
        ("Please go on now", "failed", True),
        ("please go on now then", "failed", False),
        ("go on with the login page", "failed", False),
        ("thanks", "failed", False),
        ("go on", "finished", False),
    ],
)
def test_a_prompt_of_at_most_four_words_may_mean_the_run_that_ended(
    prompt: str, outcome: str, is_meant: bool, workspace: Workspace
) -> None:
    workspace.write("forge", active=False, lifecycle_outcome=outcome, completed_at=iso(workspace.now))
    assert ("forge does not run: it ended failed" in workspace.prompt(prompt).context) is is_meant


@each_row(("seconds", "is_meant"), [(60, True), (DAY, True), (DAY + 1, False)])
def test_a_run_that_ended_within_a_day_may_be_meant(seconds: int, is_meant: bool, workspace: Workspace) -> None:
    ended = workspace.now
    workspace.write("forge", active=False, lifecycle_outcome="failed", completed_at=iso(ended))
    workspace.now = ended + seconds - 1  # the prompt takes the second that is left
    assert bool(workspace.prompt("go on").context) is is_meant
