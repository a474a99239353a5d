"""Which prompts a client made, and which a person typed."""

from __future__ import annotations

import pytest

from rcs_hooks.workflow.origin import extract_reason, is_client_made, looks_like_reason
from tests.support import least, processor
from tests.table import each_row


def is_machine_made(prompt: str) -> bool:
    """Decide by the shape alone, as the hooks do without notes."""
    return is_client_made(prompt) or looks_like_reason(extract_reason(prompt))


NOTIFICATION = (
    "<task-notification>\n<task-id>bv5q1kpwl</task-id>\n<tool-use-id>toolu_20c8c6cdfed84d9fb6abc287</tool-use-id>\n"
    "<output-file>/tmp/claude-0/-workspace/session/tasks/bv5q1kpwl.output</output-file>\n<status>completed</status>\n"
    '<summary>Background command "bg" completed (exit code 0)</summary>\n</task-notification>'
)
REASON = (
    "[rcs] forge (phase starting, iteration 0 of 50) is still running: no outcome is recorded. Continue the work.\n"
    "rcs state write --mode forge --outcome finished --session s1\n"
    "If only the user can unblock it: rcs question ask --mode forge --text 'YOUR QUESTION' --session s1"
)
ESCAPED = REASON.replace("<", "&lt;").replace(">", "&gt;")

NOBODYS = {
    "a notification": NOTIFICATION,
    "a notification and a reminder": f"{NOTIFICATION}\n<system-reminder>Mind the tests.</system-reminder>",
    "a notification that quotes its closing tag": NOTIFICATION.replace("bg", "</task-notification>"),
    "a notification that quotes its opening tag": NOTIFICATION.replace("bg", "<task-notification>"),
    "a notification with a token": NOTIFICATION.replace("bg", "$cancel"),
    "a local command": "<local-command-stdout>Set model to opus</local-command-stdout>",
    "a reminder": "<system-reminder>\nYour todo list is empty.\n</system-reminder>",
    "a command without words": (
        "<command-message>init is running…</command-message>\n<command-name>/init</command-name>\n"
        "<command-args>  </command-args>"
    ),
    "Copilot's notification": (
        '<system_notification>\nShell command "d" (shellId: 0) has completed successfully.\n</system_notification>'
    ),
    "a turn of Codex that was aborted": "<turn_aborted>\nThe user interrupted the previous turn.\n</turn_aborted>",
    "a subagent of Codex": '<subagent_notification>{"agent_id":"a1","status":"done"}</subagent_notification>',
    "the surroundings of Codex": "<environment_context>\n  <cwd>/w</cwd>\n</environment_context>",
    "the instructions of Codex": "<user_instructions>\n\nBe brief.\n\n</user_instructions>",
    "a file that is open": "<ide_opened_file>The user opened the file /w/a.py in the IDE.</ide_opened_file>",
    "what a hook said": "<user-prompt-submit-hook>Success</user-prompt-submit-hook>",
    "an interruption": "[Request interrupted by user]",
    "an interrupted tool": " [Request interrupted by user for tool use]\n",
    "a reminder and an interruption": "<system-reminder>x</system-reminder>\n[Request interrupted by user]",
    "our reason": REASON,
    "our reason with line ends of Windows": REASON.replace("\n", "\r\n"),
    "our reason as Claude Code puts it": f"Stop hook feedback:\n{REASON}",
    "our reason as a list of Claude Code": f"Stop hook feedback:\n- {REASON}",
    "our reason as Codex puts it": f'<hook_prompt hook_run_id="stop:0">{ESCAPED}</hook_prompt>',
}

PERSONS = {
    "nothing": "",
    "words": "go on",
    "a token": "$forge ship this fix",
    "words before a notification": f"what is this?\n{NOTIFICATION}",
    "words behind a command": ("<command-name>/go</command-name><command-args>with Postgres, please</command-args>"),
    "an open file and words": "<ide_opened_file>a.py</ide_opened_file>\nfix it",
    "another interruption": "[Request interrupted by the proxy]",
    "a skill": "<skill>\n<name>mine</name>\n</skill>",
    "an element that only begins like one": "<task-notification-2>x</task-notification-2>",
    "an element in an element": f"<log>{NOTIFICATION}</log>",
    "an element that never closes": "<task-notification>\n<status>completed</status>",
    "a closing tag alone": "</task-notification>",
    "the context of a client and words": "<hook_context>START</hook_context>\n\none",
    "our reason and a question": f"{REASON}\n\nwhy do you say this",
    "our reason inside a prompt": f"You said:\n{REASON}",
    "a reply that begins as we do": "[rcs] is the prefix of our commits",
    "our name alone": "[rcs] ",
    "feedback of another hook": "Stop hook feedback:\nGo on: one test still fails.",
}


@each_row("prompt", NOBODYS.values(), ids=NOBODYS.keys())
def test_what_no_person_typed_is_machine_made(prompt: str) -> None:
    assert is_machine_made(prompt)


@each_row("prompt", PERSONS.values(), ids=PERSONS.keys())
def test_one_word_of_a_person_makes_a_prompt_theirs(prompt: str) -> None:
    assert not is_machine_made(prompt)


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.parametrize(
    "prompt",
    [
        "<task-notification>" * 50_000,
        "<task-notification></task-notification> " * 25_000 + "x",
        "<task-notification>" + "</task-notification> x" * 40_000,
        "<" * 1_000_000,
        "<bash-input " + " " * 1_000_000,
        "<bash-input>" + " " * 1_000_000 + "</bash-input>" + " " * 1_000_000 + "x",
        "[rcs] \n" * 150_000,
        "[Request interrupted by user]\n" * 40_000 + "x",
    ],
    ids=["openings", "pairs", "closings", "angles", "a tag that never ends", "blanks", "our lines", "interruptions"],
)
def test_a_megabyte_costs_less_than_a_second(prompt: str) -> None:
    assert least(lambda: processor(lambda: is_machine_made(prompt)), 1) <= 1
