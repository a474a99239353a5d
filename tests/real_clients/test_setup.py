"""What `rcs setup` and `rcs uninstall` write and `rcs doctor` says, held against what the clients then do."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.catalog import SKILL_FILES
from tests.real_clients.configure import (
    AT_A_TERMINAL,
    RCS,
    TRANSPORTS,
    configure,
    hooks_file,
    our_hooks_file,
    rcs,
    write_settings,
)
from tests.real_clients.driver import Typed
from tests.real_clients.test_turns import DETECTED, DONE, FINISH, WORKING, counts, ended_well

if TYPE_CHECKING:
    from pathlib import Path

    from tests.real_clients.adapters.adapter import Adapter
    from tests.real_clients.configure import Json, Transport
    from tests.real_clients.driver import Outcome, Person

SKILLS = sorted(SKILL_FILES)


def doctor(person: Person) -> list[Json]:
    """Its checks, asked where the person sits."""
    done = rcs(person.workspace, person.home, "doctor", "--json", PATH=f"{person.program.path.parent}:/usr/bin:/bin")
    answer = json.loads(done.stdout)
    assert done.returncode == (0 if answer["ok"] else 1), done.stderr
    checks: list[Json] = answer["checks"]
    return checks


def statuses(checks: list[Json], what: str) -> list[str]:
    return [check["status"] for check in checks if check["what"] == what]


def found(checks: list[Json], what: str) -> str:
    return "\n".join(check["found"] for check in checks if check["what"] == what)


# --- doctor


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("client", ["codex"])
def test_doctor_says_of_trust_what_codex_does(person: Person, transport: Transport) -> None:
    person.bypass = False
    configure("codex", person.workspace, transport)
    assert "UserPromptSubmit, Stop, SessionStart, SessionEnd: untrusted" in found(doctor(person), "Codex trust")
    assert counts(person.types("$forge go", WORKING), "[rcs]") == [0]

    person.trusts(person.workspace, approved=person.workspace)
    checks = doctor(person)
    assert [check for check in checks if check["status"] == "broken"] == []
    assert statuses(checks, "Codex trust") == statuses(checks, "Codex project") == ["ok"]
    assert ended_well(outcome := person.types("$forge go", WORKING, FINISH, DONE))
    assert counts(outcome, DETECTED) == [1, 1, 1]

    file = hooks_file("codex", person.workspace)
    file.write_text(file.read_text().replace('"timeout": 10', '"timeout": 11').replace('"timeout": 3', '"timeout": 2'))
    assert "UserPromptSubmit, Stop, SessionStart, SessionEnd: modified" in found(doctor(person), "Codex trust")
    assert counts(person.types("$forge go", WORKING), "[rcs]") == [0]


@pytest.mark.parametrize("client", ["codex"])
def test_doctor_says_that_codex_drops_a_file_with_an_unknown_key(person: Person) -> None:
    configure("codex", person.workspace, "command")
    file = hooks_file("codex", person.workspace)
    write_settings(file, {"surprise": 1} | json.loads(file.read_text()))
    person.trusts(person.workspace, approved=person.workspace)
    assert "has the key 'surprise'" in found(doctor(person), "Codex hooks")
    assert counts(person.types("$forge go", WORKING), "[rcs]") == [0]


@pytest.mark.parametrize("client", ["claude"])
def test_doctor_says_that_claude_code_runs_no_hooks(person: Person) -> None:
    configure("claude", person.workspace, "command")
    assert "broken" not in [check["status"] for check in doctor(person)]
    write_settings(hooks_file("claude", person.home), {"disableAllHooks": True})
    assert "has disableAllHooks, so none runs" in found(doctor(person), "Claude Code hooks")
    assert counts(person.types("$forge go", WORKING), "[rcs]") == [0]


@pytest.mark.parametrize("client", AT_A_TERMINAL)
def test_doctor_says_that_all_is_well_where_the_client_runs_our_hooks(person: Person) -> None:
    configure(person.client, person.workspace, "command")
    assert {check["status"] for check in doctor(person)} <= {"ok", "warn"}
    assert ended_well(outcome := person.types("$forge go", WORKING, FINISH, DONE))
    assert counts(outcome, DETECTED) == [1, 1, 1]


NOT_TRUSTED = "is not trusted yet"
SWITCHED_OFF: tuple[tuple[str, str, Json, str, str], ...] = (
    ("copilot", "", {}, "Copilot CLI project", NOT_TRUSTED),
    ("copilot", ".github/hooks/rcs-hooks.json", {"disableAllHooks": True}, "Copilot CLI hooks", "disableAllHooks"),
    ("qwen", "~/.qwen/settings.json", {"disableAllHooks": True}, "Qwen Code hooks", "disableAllHooks"),
    (
        "qwen",
        "~/.qwen/settings.json",
        {"security": {"folderTrust": {"enabled": True}}},
        "Qwen Code project",
        NOT_TRUSTED,
    ),
    ("gemini", "", {}, "Gemini CLI project", NOT_TRUSTED),
    ("gemini", ".gemini/settings.json", {"hooksConfig": {"enabled": False}}, "Gemini CLI hooks", "so none runs"),
    ("gemini", ".gemini/settings.json", {"hooksConfig": {"disabled": ["rcs"]}}, "Gemini CLI hooks", "do not run"),
)
"""A client, what switches its hooks off (a setting in a file; nothing: that nobody trusts the folder), and a check."""


@pytest.mark.parametrize(
    ("client", "file", "setting", "what", "words"),
    SWITCHED_OFF,
)
def test_doctor_says_that_a_client_runs_no_hooks(
    person: Person, file: str, setting: Json, what: str, words: str
) -> None:
    configure(person.client, person.workspace, "command")
    assert words not in found(doctor(person), what)
    if file:
        path = person.home / file[2:] if file.startswith("~/") else person.workspace / file
        write_settings(path, (json.loads(path.read_text()) if path.exists() else {}) | setting)
    else:
        person.trusts()
    assert words in found(doctor(person), what)
    assert sum(counts(person.types("$forge go", WORKING), "[rcs]")) == 0


# --- the end of a session


def break_it(person: Person, interpreter: str) -> None:
    """As if the Python that setup named had become another program."""
    file = our_hooks_file(person.client, person.workspace)
    ours = json.dumps(str(RCS.with_name("python3")))[1:-1]
    assert ours in file.read_text()
    file.write_text(file.read_text().replace(ours, interpreter))


def test_the_end_of_a_session_is_told_to_our_program(person: Person) -> None:
    """Every client takes an entry for it, and calls it, though not each where it takes one prompt."""
    configure(person.client, person.workspace, "command")
    program, calls = person.workspace.parent / "python3", person.workspace.parent / "calls"
    program.write_text(f"#!/bin/sh\ncat >> {calls}; echo >> {calls}; echo '{{}}'\n")
    program.chmod(0o755)
    break_it(person, str(program))
    is_at_terminal = person.client in AT_A_TERMINAL
    assert ended_well(person.talks(Typed("Hi"), script=(DONE,)) if is_at_terminal else person.types("Hi", DONE))
    called = (json.loads(line)["hook_event_name"] for line in calls.read_text().splitlines() if line)
    events = list(dict.fromkeys(called))  # Gemini CLI tells the end three times in a terminal
    wanted = [person.adapter.event(name) for name in ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd")]
    assert (sorted(events), events[2:]) == (sorted(wanted), wanted[2:])  # Copilot CLI calls the first two at one time


# --- uninstall

OWN_CONTEXT = "Our house style is plain words."
SCRIPT = """#!/bin/sh
cat > /dev/null
grep -qx {event} '{calls}' && answer='{{}}' || answer='{answer}'
echo {event} >> '{calls}'
echo "$answer"
"""
"""Answers its first call alone: some clients call for prompts that nobody typed."""


def add_own_hooks(adapter: Adapter, file: Path, folder: Path) -> Path:
    """Into this settings file: hooks that note each of their calls; returns the file that they note them in."""
    folder.mkdir(exist_ok=True)
    calls = folder / "calls"
    calls.touch()
    for event, answer in (("UserPromptSubmit", adapter.with_context(OWN_CONTEXT)), ("Stop", {})):
        script = folder / f"{event}.sh"
        script.write_text(SCRIPT.format(event=event, calls=calls, answer=json.dumps(answer)))
        script.chmod(0o755)
        adapter.add_hook(file, adapter.event(event), f"'{script}'")
    return calls


def hears_both(person: Person, outcome: Outcome) -> bool:
    """The model knows our context and that of the other hook, or of one of them where the client gives it one alone."""
    heard = list(zip(counts(outcome, DETECTED), counts(outcome, OWN_CONTEXT), strict=True))
    return heard == [(1, 1)] * 3 if person.adapter.joins_contexts else heard in ([(1, 0)] * 3, [(0, 1)] * 3)


def test_after_uninstall_the_users_own_hooks_run_as_before(person: Person) -> None:
    file = hooks_file(person.client, person.workspace)
    calls = add_own_hooks(person.adapter, file, person.workspace.parent / "own")
    if person.adapter.has_comments:
        file.write_text(f"// The house's own.\n{file.read_text().rstrip()} // and that is all")
    if person.adapter.edits_settings:
        assert ended_well(person.types("Hi", DONE))
        calls.write_text("")
    before = {
        path: path.read_bytes() for path in person.workspace.rglob("*") if path.is_file() and ".git" not in path.parts
    }
    configure(person.client, person.workspace, "command", "--skills")
    assert hears_both(person, person.types("$forge go", WORKING, FINISH, DONE))
    done = rcs(person.workspace, person.home, "uninstall", "--client", person.client)
    assert (done.returncode, done.stderr) == (0, "")
    after = {
        path: path.read_bytes()
        for path in person.workspace.rglob("*")
        if path.is_file() and not {".git", ".rcs"} & set(path.parts)
    }
    assert after == before
    calls.write_text("")
    outcome = person.types("$forge go", WORKING)
    assert counts(outcome, OWN_CONTEXT) == [1]
    assert counts(outcome, "[rcs]") == [0]
    assert calls.read_text().split().count("Stop") == 1


# --- what setup offers besides


@pytest.mark.parametrize("client", AT_A_TERMINAL)
def test_the_model_is_offered_each_skill_once(person: Person) -> None:
    configure(person.client, person.workspace, "command", "--skills")
    outcome = person.types("Hi", DONE)
    body = json.dumps(outcome.requests[0].body).replace("\\n", "")
    assert [len(re.findall(rf"<name>\s*{name}\s*</name>", body)) for name in SKILLS] == [1] * len(SKILLS)
