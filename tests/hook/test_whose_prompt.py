"""A workflow moves by what the person means: prompts of a client, of a subagent, and what is an answer."""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rcs_hooks.catalog import MODES
from rcs_hooks.environment import Environment
from rcs_hooks.files import transaction
from rcs_hooks.files.clock import iso
from rcs_hooks.hook.entry import respond
from rcs_hooks.hook.prompt_submit import is_machine_made
from rcs_hooks.mcp import tools
from rcs_hooks.state.question_service import ask
from rcs_hooks.state.results import AskResult
from rcs_hooks.workflow.origin import is_client_made
from tests.hook.test_runs_again import question
from tests.state.test_operations import at
from tests.support import Answer, Record, Workspace, check_output
from tests.table import each_row
from tests.workflow.test_origin import NOBODYS, PERSONS

LEDGER = "state/sessions/s1/hook-ledger.json"


def waiting(workspace: Workspace, *options: str, turn: str = "t1") -> AskResult:
    """Forge runs by a prompt of this turn, and waits for an answer; returns what `ask` gave."""
    workspace.prompt("$forge", turn_id=turn)
    return ask(at(workspace), "forge", "Which database?", list(options))


def record_of(workspace: Workspace, asked: AskResult) -> Record:
    record: Record = json.loads((workspace.root / asked["path"]).read_text())
    return record


# --- prompts that a client made


ENVELOPES = {name: prompt for name, prompt in NOBODYS.items() if is_client_made(prompt)}


def but_for_the_turn(workspace: Workspace) -> dict[str, bytes | Record]:
    """Every file, and the hooks' notes without the turn in which the agent works."""
    ledger = json.loads((workspace.root / ".rcs" / LEDGER).read_text())
    ledger.pop("turn", None)
    return {**workspace.workflow_state(), LEDGER: ledger}


@each_row("prompt", ENVELOPES.values(), ids=ENVELOPES.keys())
def test_a_prompt_that_nobody_typed_answers_delivers_and_resets_nothing(prompt: str, workspace: Workspace) -> None:
    workspace.prompt("$blueprint $team")
    question(workspace, "q1", status="answered", answer="Postgres", delivered_at=None)
    workspace.edit("blueprint", active=False, lifecycle_outcome="finished")
    workspace.write("forge")
    assert workspace.stop().blocks
    ask(at(workspace), "forge", "Which version?")
    before = but_for_the_turn(workspace)
    assert workspace.prompt(prompt).line == "{}"
    assert but_for_the_turn(workspace) == before
    context = workspace.prompt("16").context
    assert "Which version?" in context
    assert '-> "Postgres"' in context
    assert "deferred: $crew" in context


@pytest.mark.parametrize("name", ["an unknown element", "words behind a notification", "words behind a command"])
def test_what_a_person_pasted_may_answer(name: str, workspace: Workspace) -> None:
    asked = waiting(workspace)
    workspace.prompt(PERSONS[name])
    assert record_of(workspace, asked)["answer"] == PERSONS[name]


def test_a_prompt_that_nobody_typed_starts_nothing_where_there_is_no_state(workspace: Workspace) -> None:
    assert workspace.prompt("[rcs] forge is still running.\n$forge").line == "{}"
    assert list(workspace.root.iterdir()) == []


def copilot(workspace: Workspace, event: str, **fields: object) -> Answer:
    """As Copilot CLI calls what setup wrote for Claude Code: no turn, and no last message."""
    workspace.now += 1
    call = {"hook_event_name": event, "session_id": "s1", "timestamp": iso(workspace.now)}
    raw = json.dumps(call | {"cwd": str(workspace.root)} | fields).encode()
    env = workspace.env | {"COPILOT_CLI": "1"}
    line = respond(raw, Environment(env, str(workspace.root), workspace.now, "rcs"))
    output = json.loads(line)
    top = output.pop("additionalContext", "")
    answer = Answer(event, json.dumps(output))
    assert answer.context == top
    return answer


COPILOT_STOP = {"transcript_path": "/home/user/.copilot/session-state/e1/events.jsonl", "stop_reason": "end_turn"}


@pytest.mark.parametrize("wrapped", ["{}", "Stop hook feedback:\n{}", "<hook_prompt id='1'>{}</hook_prompt>"])
def test_a_reason_that_comes_back_as_a_prompt_starts_no_new_count(wrapped: str, workspace: Workspace) -> None:
    started = copilot(workspace, "UserPromptSubmit", prompt="$forge ship this fix")
    assert "active: forge" in started.context
    held = 0
    for number in range(12):
        stopped = copilot(workspace, "Stop", **COPILOT_STOP, stop_hook_active=number > 0)
        if not stopped.blocks:
            break
        held += 1
        assert copilot(workspace, "UserPromptSubmit", prompt=wrapped.format(stopped.reason)).line == "{}"
    assert held == 5
    assert copilot(workspace, "UserPromptSubmit", prompt="go on").line == "{}"
    assert copilot(workspace, "Stop", **COPILOT_STOP, stop_hook_active=True).blocks


def test_a_subagent_of_copilot_does_nothing(workspace: Workspace) -> None:
    who = {"session_id": "a127", "agent_id": "a127", "agent_type": "general-purpose", "parent_agent_id": "s1"}
    copilot(workspace, "UserPromptSubmit", prompt="$forge")
    before = workspace.snapshot()
    assert copilot(workspace, "UserPromptSubmit", prompt="$cancel $team", **who).line == "{}"
    assert copilot(workspace, "Stop", **COPILOT_STOP, **who).line == "{}"
    assert workspace.snapshot() == before


@pytest.mark.parametrize("fields", [{"turn_id": "t1", "model": "m"}, {"prompt_id": "p1"}], ids=["Codex", "Claude Code"])
def test_another_client_in_a_shell_of_copilot_gets_no_field_that_it_does_not_know(
    fields: Record, workspace: Workspace
) -> None:
    workspace.env["COPILOT_CLI"] = "1"
    assert workspace.call("UserPromptSubmit", prompt="$forge", **fields).context


RUNS: dict[str, Callable[[Workspace], object]] = {
    "one mode": lambda workspace: workspace.prompt("$forge"),
    "two modes": lambda workspace: workspace.prompt("$team $forge"),
    "all that may run together": lambda workspace: workspace.prompt("$team $forge $ultrawork"),
    "an interview": lambda workspace: workspace.prompt("$brief"),
    "a root record": lambda workspace: workspace.write("forge", None),
    "a file that cannot be read": lambda workspace: (
        workspace.prompt("$forge"),
        workspace.mode_path("team").write_text("{"),
    ),
}


@each_row("session", ["s1", "dca95343-d73e-4c6d-b62b-f65dbe80d5a5", "s" * 128])
@each_row("run", RUNS.values(), ids=RUNS.keys())
def test_whatever_reason_is_given_it_is_known_again(
    run: Callable[[Workspace], object], session: str, workspace: Workspace
) -> None:
    run(workspace)
    if (workspace.state / "sessions").exists() and session != "s1":
        os.rename(workspace.folder("s1"), workspace.folder(session))
    softener = "Which one? Would you like me to continue?"
    reasons = [workspace.stop(session, message=softener).reason for _ in range(6)]
    assert any(reasons)
    assert all(is_machine_made(str(workspace.root), session, reason) for reason in reasons if reason)


def test_an_empty_prompt_between_two_tool_calls_is_nobodys(workspace: Workspace) -> None:
    asked = waiting(workspace, turn="t1")
    before = workspace.snapshot()
    assert workspace.prompt("", turn_id="t1").line == "{}"
    assert workspace.snapshot() == before
    assert "this prompt has no text" in workspace.prompt("", turn_id="t2").context
    assert record_of(workspace, asked)["status"] == "pending"


# --- a subagent


OWN = "01a1edd5-d041-7843-9e62-3e218ca1fb5f"
OTHER = "02b2fee6-e152-8954-af73-4f329db20c60"
META = '{"timestamp":"2026-11-18T18:30:44.941Z","type":"session_meta","payload":{"id":"%s","thread_source":"%s"%s}}\n'


def line_of(source: str, extra: str = "") -> Callable[[Path], object]:
    return lambda path: path.write_text(META % (OTHER, source, extra) + '{"thread_source":"user"}\n')


def pipe(path: Path) -> None:
    os.mkfifo(path)


TRANSCRIPTS: list[tuple[str, str, Callable[[Path], object], bool]] = [
    ("its own thread", OWN, line_of("user"), False),
    ("its own thread, whatever it says", OWN, line_of("subagent"), False),
    ("a subagent's", OTHER, line_of("subagent"), True),
    ("a subagent's in upper case", OTHER.upper(), line_of("subagent"), True),
    ("a person's in another thread", OTHER, line_of("user"), False),
    ("another thread, not there yet", OTHER, lambda _: None, True),
    ("another thread that says nothing", OTHER, lambda path: path.write_text("{}\n"), True),
    ("another thread, said too late", OTHER, line_of("user", ""), False),
    ("another thread behind a pipe", OTHER, pipe, True),
    ("another thread behind a folder", OTHER, lambda path: path.mkdir(), True),
    ("another thread behind a loop", OTHER, lambda path: path.symlink_to(path), True),
    ("words that only quote a source", OTHER, line_of("subagent", ',"cwd":"\\"thread_source\\":\\"user\\""'), True),
    ("a name without an id", "session", lambda _: None, False),
]
SUBAGENT = pytest.mark.parametrize(
    ("thread", "make", "is_subagent"), [row[1:] for row in TRANSCRIPTS], ids=[row[0] for row in TRANSCRIPTS]
)


@SUBAGENT
@each_row("transport", ["command", "mcp"])
def test_a_subagent_of_codex_is_told_by_its_transcript(
    transport: str, thread: str, make: Callable[[Path], object], is_subagent: bool, workspace: Workspace
) -> None:
    path = workspace.root.parent / f"rollout-2026-11-18T18-30-44-{thread}.jsonl"
    make(path)
    workspace.prompt("$forge", OWN)
    fields = {"turn_id": "t9", "model": "mock-model", "transcript_path": str(path)}
    start = time.process_time()
    stopped = codex(workspace, transport, "Stop", last_assistant_message="Done.", **fields)
    prompted = codex(workspace, transport, "UserPromptSubmit", prompt="Reply with ok $team $cancel", **fields)
    assert time.process_time() - start < 1
    assert (stopped == {}, prompted == {}) == (is_subagent, is_subagent)
    assert (workspace.read("forge", OWN)["active"] is True) is is_subagent


def codex(workspace: Workspace, transport: str, event: str, **fields: Any) -> Record:
    if transport == "command":
        return workspace.call(event, OWN, **fields).output
    tool = {"UserPromptSubmit": "hook_user_prompt_submit", "Stop": "hook_stop"}[event]
    given = {key: value for key, value in fields.items() if key != "model"}
    arguments = {"session_id": OWN, "cwd": str(workspace.root)} | given
    line, is_error = tools.call(tool, arguments, workspace.env, str(workspace.root))
    assert not is_error
    return check_output(event, line)


def test_no_more_than_the_start_of_a_transcript_is_read(workspace: Workspace) -> None:
    path = workspace.root.parent / f"rollout-{OTHER}.jsonl"
    path.write_text('{"base_instructions":"' + "x" * 5_000 + '","thread_source":"user"}\n')
    workspace.prompt("$forge", OWN)
    fields = {"turn_id": "t9", "transcript_path": str(path), "prompt": "$cancel"}
    assert workspace.call("UserPromptSubmit", OWN, **fields).line == "{}"


def test_claude_code_is_asked_for_its_agents_and_not_for_its_transcript(workspace: Workspace) -> None:
    """A session that was resumed may go on in another file."""
    fields = {"prompt_id": "p1", "transcript_path": f"/home/user/.claude/projects/-workspace/{OTHER}.jsonl"}
    assert "active: forge" in workspace.call("UserPromptSubmit", OWN, prompt="$forge", **fields).context


# --- typed before the question was seen


@pytest.mark.parametrize("key", ["turn_id", "prompt_id"])
def test_what_was_typed_in_the_turn_of_the_question_is_no_answer(key: str, workspace: Workspace) -> None:
    workspace.call("UserPromptSubmit", prompt="$forge", **{key: "t1"})
    workspace.call("UserPromptSubmit", prompt="and mind the tests", **{key: "t2"})
    asked = ask(at(workspace), "forge", "Which database?")
    assert record_of(workspace, asked)["asked_in_turn"] == "t2"
    early = workspace.call("UserPromptSubmit", prompt="and the docs", **{key: "t2"})
    assert early.context == (
        '[rcs] forge still waits for the user\'s answer to "Which database?": this prompt was typed before the '
        "question could be seen, so it is not the answer. Reply to it, ask the question again and end the turn."
    )
    assert early.notice == (
        'rcs: forge still waits for your answer to "Which database?" (you typed this prompt before it was asked)'
    )
    assert record_of(workspace, asked)["status"] == "pending"
    assert not workspace.stop().blocks
    workspace.call("UserPromptSubmit", prompt="Postgres", **{key: "t3"})
    assert record_of(workspace, asked)["answer"] == "Postgres"


def test_without_turns_the_next_prompt_is_the_answer(workspace: Workspace) -> None:
    workspace.call("UserPromptSubmit", prompt="$forge")
    asked = ask(at(workspace), "forge", "Which database?")
    assert record_of(workspace, asked)["asked_in_turn"] is None
    workspace.call("UserPromptSubmit", prompt="Postgres")
    assert record_of(workspace, asked)["answer"] == "Postgres"


@pytest.mark.parametrize("started_by", ["a prompt", "another tool", "the agent"])
def test_each_prompt_of_a_session_with_a_run_is_noted(started_by: str, workspace: Workspace) -> None:
    if started_by == "a prompt":
        workspace.prompt("$forge")
    else:
        workspace.write("forge")
    workspace.prompt("and mind the tests", turn_id="t7")
    kept = json.loads(workspace.snapshot()[LEDGER])
    assert kept["prompts"][-1]["turn_id"] == "t7"


def test_a_prompt_keeps_what_else_the_hooks_have_noted(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    workspace.stop()
    path = workspace.root / ".rcs" / LEDGER
    kept = json.loads(path.read_text())
    kept["stops"]["stalled"] = "12-abc"
    path.write_text(json.dumps(kept | {"noticed": ["$forg"]}))
    workspace.prompt("go on")
    kept = json.loads(path.read_text())
    assert (kept["stops"].keys(), kept["noticed"]) == ({"stalled", "said"}, ["$forg"])


def test_a_prompt_beside_a_root_record_alone_makes_no_file(workspace: Workspace) -> None:
    workspace.write("forge", None)
    before = workspace.snapshot()
    assert workspace.prompt("hello").line == "{}"
    assert workspace.prompt("$autopilot").context.startswith("Cannot activate autopilot")
    assert workspace.snapshot() == before


# --- what is an answer


ONLY_A_NAME = ["$forge", "$forge!", "$ultrawork", " $rcs:forge, $ulw.\n", "$autopilot"]
POLITELY = ["$forge please", "Please, $forge!", "$forge now, please.", "bitte $forge", "$forge, s'il te plaît"]


@each_row("text", [*ONLY_A_NAME, *POLITELY])
def test_a_prompt_that_only_names_a_skill_answers_nothing(text: str, workspace: Workspace) -> None:
    asked = waiting(workspace)
    answer = workspace.prompt(text)
    assert record_of(workspace, asked)["status"] == "pending"
    assert 'forge still waits for the user\'s answer to "Which database?"' in answer.context
    assert "only names a skill. Ask the question again and end the turn." in answer.context
    assert 'forge still waits for your answer to "Which database?"' in answer.notice
    workspace.prompt("Postgres")
    assert record_of(workspace, asked)["answer"] == "Postgres"


@pytest.mark.parametrize(("typed", "answer"), [("$ultrawork now", "now"), ("$ultrawork ok", "$ultrawork ok")])
def test_a_word_of_courtesy_that_answers_is_the_answer(typed: str, answer: str, workspace: Workspace) -> None:
    asked = waiting(workspace, "now", "later")
    workspace.prompt(typed)
    assert record_of(workspace, asked)["answer"] == answer


def test_cancel_alone_answers_nothing(workspace: Workspace) -> None:
    asked = waiting(workspace)
    assert "Which database?" not in workspace.prompt("$cancel").context
    assert (record_of(workspace, asked)["status"], record_of(workspace, asked)["answer"]) == ("aborted", None)


def test_a_handoff_that_answers_nothing_drops_the_question(workspace: Workspace) -> None:
    workspace.prompt("$blueprint")
    asked = ask(at(workspace), "blueprint", "May the old login go?")
    answer = workspace.prompt("$forge")
    assert "May the old login go?" not in answer.context + answer.notice
    assert record_of(workspace, asked)["status"] == "aborted"
    assert workspace.stop().blocks


def test_a_skill_beside_an_answer_is_both(workspace: Workspace) -> None:
    asked = waiting(workspace, "Postgres", "SQLite")
    answer = workspace.prompt("$ultrawork 2")
    assert record_of(workspace, asked) | {"answer": "SQLite", "answer_typed": "$ultrawork 2"} == record_of(
        workspace, asked
    )
    assert answer.notice == 'rcs: ultrawork started; your reply counts as "SQLite"'
    assert workspace.active() == ["forge", "ultrawork"]


@pytest.mark.parametrize("typed", ["2", "sql", "SQLite."])
def test_a_reply_that_names_an_option_is_recorded_as_that_option(typed: str, workspace: Workspace) -> None:
    asked = waiting(workspace, "Postgres", "SQLite")
    answer = workspace.prompt(typed)
    record = record_of(workspace, asked)
    assert (record["answer"], record["answer_typed"]) == ("SQLite", typed)
    assert answer.context == (
        '[rcs] forge waited for the user\'s answer to "Which database?" (1 Postgres | 2 SQLite). This prompt is the '
        f'reply: option 2, "SQLite". Continue the run.\nNow: {MODES["forge"].states["starting"]}'
    )
    assert answer.notice == 'rcs: your reply counts as "SQLite"'


def test_an_answer_in_other_words_is_the_agents_to_judge(workspace: Workspace) -> None:
    asked = waiting(workspace, "Postgres", "SQLite")
    answer = workspace.prompt("what would you take?")
    record = record_of(workspace, asked)
    assert record["answer"] == "what would you take?"
    assert "answer_typed" not in record
    assert answer.context == (
        '[rcs] forge waited for the user\'s answer to "Which database?" (1 Postgres | 2 SQLite). This prompt is the '
        "reply. If it answers, continue the run. If it does not, reply to it and ask again: rcs question ask --mode "
        f"forge --text 'YOUR QUESTION' --session s1\nNow: {MODES['forge'].states['starting']}"
    )
    assert answer.notice == ""


@each_row("text", ["", "  \n"])
def test_a_prompt_without_text_answers_nothing(text: str, workspace: Workspace) -> None:
    """A picture alone: the agent sees it, and asks again."""
    asked = waiting(workspace)
    answer = workspace.prompt(text)
    assert 'forge still waits for the user\'s answer to "Which database?": this prompt has no text' in answer.context
    assert answer.notice == 'rcs: forge still waits for your answer to "Which database?" (this prompt has no text)'
    assert record_of(workspace, asked)["status"] == "pending"
    assert not workspace.stop().blocks
    workspace.prompt("Postgres")
    assert record_of(workspace, asked)["answer"] == "Postgres"


def test_a_prompt_without_text_lifts_no_wait(workspace: Workspace) -> None:
    workspace.write("forge", lifecycle_outcome="askuserQuestion")
    assert workspace.prompt("").line == "{}"
    assert workspace.read("forge")["lifecycle_outcome"] == "askuserQuestion"


@each_row("text", ["/clear", "/init now", ""])
def test_a_command_and_a_prompt_without_text_use_up_no_offer(text: str, workspace: Workspace) -> None:
    finished_planning(workspace)
    assert workspace.call("UserPromptSubmit", prompt=text, prompt_id="p1").line == "{}"
    offered = workspace.call("UserPromptSubmit", prompt="ok", prompt_id="p2")
    assert offered.notice.startswith("rcs: blueprint has ended: type $crew $forge")


# --- words for the person


def finished_planning(workspace: Workspace) -> None:
    workspace.prompt("$blueprint $crew $forge ship it")
    workspace.edit("blueprint", active=False, lifecycle_outcome="finished")


def failed_forge(workspace: Workspace) -> None:
    workspace.write("forge", active=False, lifecycle_outcome="failed")


NOTICES: list[tuple[str, Callable[[Workspace], object], str, str]] = [
    ("nothing", lambda _: None, "hello", ""),
    ("a prompt beside a run", lambda each: each.prompt("$forge"), "and mind the tests", ""),
    ("a skill that runs", lambda each: each.prompt("$forge"), "$forge go on", ""),
    ("a start", lambda _: None, "$forge go", "rcs: forge started"),
    ("a start by a public name", lambda _: None, "$crew go", "rcs: team ($crew) started"),
    ("two starts", lambda _: None, "$team $forge go", "rcs: team started; forge started"),
    ("a handoff", lambda each: each.prompt("$brief"), "$blueprint", "rcs: deep-interview handed over to blueprint"),
    ("a run taken up", failed_forge, "$forge", "rcs: forge resumed after failed"),
    (
        "a cancel",
        lambda each: each.prompt("$forge"),
        "$cancel",
        "rcs: forge cancelled ($forge resumes it)",
    ),
    (
        "a cancel of a run that the same prompt names again",
        lambda each: each.prompt("$forge"),
        "$cancel $forge",
        "rcs: forge was ended and is taken up again where it was"
        " (to begin anew: rcs state write --mode forge --fresh --session s1)",
    ),
    (
        "a cancel of two runs, one of which is named again",
        lambda each: each.prompt("$forge $ulw"),
        "$cancel $forge",
        "rcs: ultrawork cancelled ($ultrawork resumes it); forge was ended and is taken up again where it was"
        " (to begin anew: rcs state write --mode forge --fresh --session s1)",
    ),
    ("a cancel of nothing", lambda each: each.write("forge", active=False), "$cancel", ""),
    (
        "a deferral",
        lambda _: None,
        "$blueprint $forge ship it",
        "rcs: blueprint started; type $forge once blueprint has ended",
    ),
    ("the end of a planning", finished_planning, "ok", "rcs: blueprint has ended: type $crew $forge to continue"),
]  # fmt: skip


@each_row(("before", "text", "notice"), [row[1:] for row in NOTICES], ids=[row[0] for row in NOTICES])
def test_the_person_is_told_in_one_line_what_a_prompt_has_changed(
    before: Callable[[Workspace], object], text: str, notice: str, workspace: Workspace
) -> None:
    before(workspace.in_git())
    assert workspace.prompt(text).notice == notice


# --- a denial over MCP


@pytest.mark.parametrize("over_mcp", [False, True], ids=["command", "mcp"])
def test_a_denial_names_the_tool_only_to_an_agent_that_has_it(over_mcp: bool, workspace: Workspace) -> None:
    workspace.prompt("$forge", OWN)
    output = codex(workspace, "mcp" if over_mcp else "command", "UserPromptSubmit", prompt="$autopilot", turn_id="t9")
    context = output["hookSpecificOutput"]["additionalContext"]
    assert f"state clear --mode forge --session {OWN}" in context
    assert ("rcs_state.state_clear({" in context) is over_mcp


# --- an answer is never lost in silence


@pytest.mark.parametrize("name", ["the question", "the mode file"])
@pytest.mark.parametrize("extra", ["", "$ultrawork "])
def test_an_answer_that_cannot_be_recorded_is_told_and_can_be_sent_again(
    name: str, extra: str, workspace: Workspace
) -> None:
    asked = waiting(workspace)
    path = workspace.root / asked["path"] if name == "the question" else workspace.mode_path("forge")
    whole = path.read_bytes()
    path.write_bytes(whole[:20])
    before = workspace.snapshot()
    answer = workspace.prompt(f"{extra}Postgres", turn_id="t2")
    assert workspace.snapshot() == before
    shown = str(path.relative_to(workspace.root))
    assert answer.notice.startswith(f"rcs: your reply was not recorded and nothing was changed: {shown} cannot be read")
    assert "send it again once the file can be read" in answer.notice
    assert "the question stays open" in answer.context
    path.write_bytes(whole)
    workspace.prompt(f"{extra}Postgres", turn_id="t2")
    assert record_of(workspace, asked)["status"] == "answered"
    assert workspace.active() == (["forge", "ultrawork"] if extra else ["forge"])


def test_a_cancel_is_not_kept_back_by_a_question_that_cannot_be_read(workspace: Workspace) -> None:
    asked = waiting(workspace)
    (workspace.root / asked["path"]).write_text("{")
    workspace.prompt("$cancel")
    assert workspace.active() == []


# --- what is said is what was done


def test_words_that_cannot_be_made_leave_everything_as_it_was(workspace: Workspace) -> None:
    workspace.prompt("$blueprint")
    before = workspace.workflow_state()
    raw = workspace.payload("UserPromptSubmit", prompt_id="p2", prompt="$forge")
    line = respond(raw, Environment({"PATH": "/bin/\0"}, str(workspace.root), workspace.now))
    answer = Answer("UserPromptSubmit", line)
    assert "no workflow was changed" in answer.notice
    after = workspace.workflow_state()
    assert {path: after[path] for path in before} == before
    assert workspace.active() == ["blueprint"]
    assert not workspace.mode_path("forge").exists()


@each_row("refusal", [errno.ENOSPC, errno.EROFS], ids=["full", "read-only"])
def test_an_answer_that_could_not_be_written_is_named_and_can_be_sent_again(refusal: int, workspace: Workspace) -> None:
    asked = waiting(workspace)
    with pytest.MonkeyPatch.context() as disk:
        disk.setattr(transaction, "commit", refuse_to_write(refusal))
        answer = workspace.prompt("Postgres", turn_id="t2")
    assert answer.notice == (
        f"rcs: state could not be read or written: {os.strerror(refusal).lower()}; the prompt went through, but no "
        "workflow was changed and your answer to the open question was not recorded. Send the prompt again."
    )
    assert record_of(workspace, asked)["status"] == "pending"
    workspace.prompt("Postgres", turn_id="t2")
    assert record_of(workspace, asked)["answer"] == "Postgres"


def test_a_prompt_that_answers_nothing_is_not_told_of_an_answer(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    with pytest.MonkeyPatch.context() as disk:
        disk.setattr(transaction, "commit", refuse_to_write(errno.ENOSPC))
        notice = workspace.prompt("$team").notice
    assert notice.endswith("the prompt went through and no workflow was changed.")


def refuse_to_write(refusal: int) -> Callable[..., None]:
    def refusing(*_: object, **__: object) -> None:
        raise OSError(refusal, os.strerror(refusal))

    return refusing
