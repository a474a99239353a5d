"""`rcs setup --scope local`, `--statusline` and `--skills`, and `rcs uninstall --purge`, as whole programs."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_setup import ALL, CLAUDE_SETTINGS, RCS, SKILLS, Home, files
from tests.table import each_row

CLAUDE = ("--client", "claude")
LOCAL = (*CLAUDE, "--scope", "local")
NO_LOCAL = (
    "Codex, Copilot CLI, Qwen Code and Gemini CLI cannot keep settings of yours alone in a project, so --scope local is"
    " for Claude Code"
)
STATUS_LINE = {"type": "command", "command": f"{shlex.quote(str(RCS))} hud --statusline"}


@pytest.fixture
def person(tmp_path: Path) -> Home:
    return Home(tmp_path)


def settings(person: Home, name: str = "settings.json") -> dict[str, Any]:
    value: dict[str, Any] = json.loads((person.project / ".claude" / name).read_text())
    return value


# --- the transport

KEPT = "the entries ask the MCP server, and that stays; --transport command runs a process for each call instead."


def test_without_a_transport_each_client_keeps_its_own_in_its_scope(person: Home) -> None:
    person.ok("setup", *CLAUDE, "--scope", "user", "--transport", "mcp")
    over_mcp = person.contents()
    for said in (person.ok("setup", *ALL, "--scope", "user", "--dry-run"), person.ok("setup", *ALL, "--scope", "user")):
        assert f"Claude Code: {KEPT}\n" in said
        assert f"Codex: {KEPT}" not in said
    after = person.contents()
    assert {name: after[name] for name in over_mcp} == over_mcp
    assert "rcs_state" not in "".join(str(after[name]) for name in after.keys() - over_mcp.keys())
    assert KEPT not in person.ok("setup", *CLAUDE)
    assert KEPT not in person.ok("setup", *CLAUDE, "--scope", "user", "--transport", "command")
    assert "mcp_tool" not in "".join(map(str, person.contents().values()))


# --- the person's own settings in one project


def test_the_local_scope_comes_back_to_the_byte(person: Home) -> None:
    person.write(".claude/settings.local.json", CLAUDE_SETTINGS)
    person.write(".claude.json", '{"projects": {"/other": {}}, "n": 1e5}', at=person.home)
    before = person.contents()
    for transport in ("command", "mcp"):
        said = person.ok("setup", *LOCAL, "--transport", transport, "--statusline")
        assert "settings.local.json is yours alone: keep it out of commits." in said
        assert settings(person, "settings.local.json")["statusLine"] == STATUS_LINE
        assert not (person.project / ".claude/settings.json").exists()
        assert not (person.project / ".mcp.json").exists()
    person.ok("uninstall", "--scope", "local")
    assert person.contents() == before


def test_codex_has_no_local_scope_and_that_is_said(person: Home) -> None:
    expected = f"{NO_LOCAL}; use --scope user or --scope project"
    assert person.refused("setup", "--client", "codex", "--scope", "local") == expected
    assert f"{NO_LOCAL}.\n" in person.ok("setup", *ALL, "--scope", "local")
    assert set(files(person)) == {"a project/.claude/settings.local.json"}


@each_row(
    ("options", "other"),
    [
        ("--client codex", "--client codex --scope user"),
        ("--client claude", "--client claude --scope local"),
        ("--client claude --transport mcp", "--client claude --scope local --transport mcp"),
    ],
)
def test_the_project_scope_warns_of_paths_in_files_that_a_team_shares(options: str, other: str, tmp_path: Path) -> None:
    person, client = Home(tmp_path), " ".join(options.split()[:2])
    said = person.ok("setup", *options.split())
    assert "are of this machine: keep them out of commits, or move to your own files: " in said
    assert f"rcs uninstall {client}, then rcs setup {other}.\n" in said
    assert "keep them out of commits" not in person.ok("setup", *client.split(), "--scope", "user")


def test_skills_have_no_local_scope(person: Home) -> None:
    said = person.refused("setup", *LOCAL, "--skills")
    assert said.startswith("no client looks for skills of yours alone in a project; add --skills to --scope user")


# --- the status line


@each_row("scope", ["project", "local", "user"])
def test_the_status_line_is_put_in_and_taken_out(scope: str, tmp_path: Path) -> None:
    person, where = Home(tmp_path), (*CLAUDE, "--scope", scope)
    name = ".claude/settings.local.json" if scope == "local" else ".claude/settings.json"
    path = person.write(name, '{"model": "x"}', at=person.home if scope == "user" else None)
    person.ok("setup", *where, "--statusline")
    assert json.loads(path.read_text())["statusLine"] == STATUS_LINE
    once = person.state()
    person.ok("setup", *where)  # what is there stays
    person.ok("setup", *where, "--statusline")
    assert person.state() == once
    person.ok("uninstall", *where)
    assert path.read_text() == '{"model": "x"}'


def test_a_status_line_of_the_person_s_own_stays(person: Home) -> None:
    path = person.write(".claude/settings.json", '{"statusLine": {"type": "command", "command": "my-line"}}')
    expected = (
        f"{path}: it has a statusLine of your own, which stays: let that run `{STATUS_LINE['command']}` too,"
        " or remove it and run this command again; nothing was changed"
    )
    assert person.refused("setup", *ALL, "--statusline") == expected
    before = path.read_bytes()
    person.ok("setup", *ALL)
    assert settings(person)["statusLine"]["command"] == "my-line"
    person.ok("uninstall")
    assert path.read_bytes() == before


# --- the commands in installed skills


def commands_in(text: str) -> list[str]:
    lines = (line.strip("`") for line in text.splitlines())
    return [line for line in lines if " --session SESSION" in line or line.endswith((" --active", " task list"))]


def skill(person: Home, client: str, name: str) -> Path:
    folder = {"codex": ".agents", "claude": ".claude"}[client]
    return person.project / folder / "skills" / name / "SKILL.md"


def test_the_commands_in_a_skill_run_where_rcs_is_not_on_path(person: Home) -> None:
    person.ok("setup", *ALL, "--skills")
    for client, name in ((client, name) for client in ("codex", "claude") for name in SKILLS):
        text = skill(person, client, name).read_text()
        assert commands_in(text)
        assert all(line.startswith(f"{shlex.quote(str(RCS))} ") for line in commands_in(text))
        assert "`rcs " not in text
    (line,) = commands_in(skill(person, "claude", "forge").read_text())
    env = {"PATH": os.defpath, "RCS_SESSION_ID": "s1"}
    done = subprocess.run(["/bin/sh", "-c", line], cwd=person.project, env=env, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


# --- everything goes


def used(person: Home) -> None:
    """State in the workspace and in the home, and a link out of it."""
    person.ok("setup", *ALL, "--transport", "mcp", "--writable", "--skills", "--statusline")
    person.write(".rcs/state/sessions/s1/forge-state.json", '{"mode": "forge"}')
    person.write(".rcs/rcs.db", "x", at=person.home)
    person.write("mine", "mine", at=person.elsewhere)
    (person.project / ".rcs/out").symlink_to(person.elsewhere)


def test_everything_that_was_ever_written_goes_once_yes_is_said(person: Home) -> None:
    fresh = set(person.state())
    used(person)
    before = person.state()
    no_terminal = "--purge removes state for good, and there is no terminal to ask on; add --yes if you mean it"
    assert person.refused("uninstall", "--purge", stdin=subprocess.DEVNULL) == no_terminal
    removed = f"removed {person.project}/.rcs (1 file: out, state)\n"
    assert removed.replace("removed", "would remove") in person.ok("uninstall", "--purge", "--dry-run")
    assert person.state() == before
    assert removed in person.ok("uninstall", "--purge", "--yes")
    assert set(person.state()) == {*fresh, "elsewhere/mine"}
    assert person.run("uninstall", "--yes").returncode == 2


@each_row("where", ["project", "home"])
def test_a_link_in_place_of_the_folder_is_left(where: str, tmp_path: Path) -> None:
    person = Home(tmp_path)
    person.write("mine", "mine", at=person.elsewhere)
    link = (person.project if where == "project" else person.home) / ".rcs"
    link.symlink_to(person.elsewhere)
    expected = f"{link} is a link or a file, not a folder, so nothing was removed; remove it yourself"
    assert person.refused("uninstall", "--purge", "--yes") == expected
