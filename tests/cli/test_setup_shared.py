"""Clients that share: Copilot CLI runs Claude Code's hooks of a project, and one folder of skills serves several."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_setup import ALL, COPILOT, COPILOT_BESIDE_TOOLS, RCS, SKILLS, Home, files
from tests.table import each_row

CLAUDE, COPILOT_ = ("--client", "claude"), ("--client", "copilot")
OWN = "a project/.github/hooks/rcs-hooks.json"
USED = ".claude/settings.json"


@pytest.fixture
def person(tmp_path: Path) -> Home:
    person = Home(tmp_path)
    (person.home / ".copilot").mkdir()
    return person


def doctor(person: Home, what: str) -> list[dict[str, Any]]:
    done = person.run("doctor", "--json")
    return [check for check in json.loads(done.stdout)["checks"] if check["what"] == what]


# --- hooks that two clients run


@each_row("scope", ["project", "local"])
def test_where_claude_code_has_hooks_copilot_cli_gets_none_of_its_own(scope: str, tmp_path: Path) -> None:
    person = Home(tmp_path)
    (person.home / ".copilot").mkdir()
    person.ok("setup", *CLAUDE, "--scope", scope)
    before = person.state()
    path = person.project / (USED if scope == "project" else ".claude/settings.local.json")
    said = person.ok("setup", *COPILOT_)
    events = "UserPromptSubmit, Stop, SessionStart, SessionEnd"
    assert f"Copilot CLI: it runs the hooks in {path} too, so none of its own is written for {events}\n" in said
    assert "Copilot CLI: nothing to change\n" in said
    assert person.state() == before
    (hooks,) = doctor(person, "Copilot CLI hooks")
    assert (hooks["status"], hooks["found"]) == ("ok", f"{events} in {path}, which is Claude Code's and runs here too")
    (project,) = doctor(person, "Copilot CLI project")
    assert project["status"] == "to do"


def test_where_claude_code_asks_a_server_copilot_cli_gets_what_is_left(person: Home) -> None:
    said = person.ok("setup", *ALL, "--transport", "mcp")
    assert f"only `copilot --allow-tool {shlex.quote(f'shell({shlex.quote(str(RCS))}:*)')} --add-dir" in said
    assert files(person)[OWN] == COPILOT_BESIDE_TOOLS
    assert [check["status"] for check in doctor(person, "Copilot CLI hooks")] == ["ok", "ok"]
    person.ok("setup", *ALL, "--transport", "command")
    assert OWN not in files(person)
    assert not (person.project / ".github").exists()


def test_hooks_that_would_run_twice_are_named(person: Home) -> None:
    person.ok("setup", *COPILOT_)
    assert files(person)[OWN] == COPILOT
    said = person.ok("setup", *CLAUDE)
    todo = "rcs uninstall --client copilot --scope project"
    path = person.folder / OWN
    assert f"Claude Code: Copilot CLI runs these hooks too, and has its own in {path}: {todo}\n" in said
    twice = [check for check in doctor(person, "Copilot CLI hooks") if check["status"] == "warn"]
    assert [check["todo"] for check in twice] == [todo]
    person.ok("setup", *COPILOT_)
    assert OWN not in files(person)
    assert [check["status"] for check in doctor(person, "Copilot CLI hooks")] == ["ok"]


# --- transports and scopes that a client has not


def test_hooks_over_mcp_are_refused_where_the_client_has_none(person: Home) -> None:
    expected = "Gemini CLI cannot ask an MCP server in place of a hook; use --transport command"
    assert person.refused("setup", "--client", "gemini", "--transport", "mcp") == expected
    why = "Copilot CLI, Qwen Code and Gemini CLI cannot ask an MCP server in place of a hook"
    assert f"{why}: a process answers each call.\n" in person.ok("setup", *ALL, "--transport", "mcp")


def test_a_status_line_goes_where_the_client_looks_for_it(person: Home) -> None:
    why = "Copilot CLI reads a status line from --scope user alone; nothing was changed"
    assert person.refused("setup", *COPILOT_, "--statusline") == why
    own = person.write(".copilot/settings.json", "// mine\n{}\n", at=person.home)
    person.ok("setup", *COPILOT_, "--scope", "user", "--statusline")
    person.ok("setup", "--client", "qwen", "--statusline")
    line = json.loads(own.read_text().partition("\n")[2])["statusLine"]
    assert shlex.split(line["command"])[0].endswith("/rcs")
    assert line["command"].endswith(" hud --statusline")
    assert json.loads(files(person)["a project/.qwen/settings.json"])["ui"] == {"statusLine": line}
    person.ok("uninstall", *COPILOT_, "--scope", "user")
    person.ok("uninstall", "--client", "qwen")
    assert own.read_text() == "// mine\n{}\n"
    assert not (person.project / ".qwen").exists()


# --- one folder of skills


def skills(person: Home, folder: str = ".agents") -> set[str]:
    return {path.parent.name for path in (person.project / folder / "skills").glob("*/SKILL.md")}


def test_one_copy_serves_all_and_stays_until_the_last_has_gone(person: Home) -> None:
    clients = ["codex", "copilot", "qwen", "gemini"]
    for each in clients:
        person.ok("setup", "--client", each, "--skills")
        copies = [path.parent.name for path in person.project.rglob("SKILL.md")]
        assert sorted(copies) == sorted(SKILLS)
    for each in clients[:-1]:
        assert "the skills stay, for " in person.ok("uninstall", "--client", each)
        assert skills(person) == set(SKILLS)
    person.ok("uninstall", "--client", clients[-1])
    assert skills(person) == set()
