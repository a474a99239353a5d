"""`rcs setup --scope local`, `--statusline` and `--skills`, and `rcs uninstall --purge`, as whole programs."""

from __future__ import annotations

import json
import os
import pty
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rcs_hooks.install import skills
from tests.cli.test_setup import ALL, CLAUDE_SETTINGS, RCS, SKILLS, Home, files, shown

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


def checks(person: Home, what: str) -> list[dict[str, str]]:
    found = json.loads(person.run("doctor", "--json").stdout)["checks"]
    return [check for check in found if check["what"] == what]


def settings(person: Home, name: str = "settings.json") -> dict[str, Any]:
    value: dict[str, Any] = json.loads((person.project / ".claude" / name).read_text())
    return value


# --- the transport

KEPT = "the entries ask the MCP server, and that stays; --transport command runs a process for each call instead."


@pytest.mark.parametrize("scope", ["project", "user"])
def test_without_a_transport_each_client_keeps_its_own(scope: str, person: Home) -> None:
    person.ok("setup", *CLAUDE, "--scope", scope, "--transport", "mcp")
    over_mcp = person.contents()
    dry = person.ok("setup", *ALL, "--scope", scope, "--dry-run")
    said = person.ok("setup", *ALL, "--scope", scope)
    for text in (dry, said):
        assert f"Claude Code: {KEPT}\n" in text
        assert f"Codex: {KEPT}" not in text
    after = person.contents()
    assert {name: after[name] for name in over_mcp} == over_mcp
    assert "rcs_state" not in "".join(str(after[name]) for name in after.keys() - over_mcp.keys())
    again = person.ok("setup", *CLAUDE, "--scope", scope, "--transport", "command")
    assert KEPT not in again
    assert KEPT not in person.ok("setup", *CLAUDE, "--scope", scope)
    by_command = person.contents()
    assert "mcp_tool" not in "".join(map(str, by_command.values()))


@pytest.mark.parametrize("transport", ["command", "mcp"])
def test_the_command_that_moves_the_entries_keeps_their_transport(transport: str, person: Home) -> None:
    over = " --transport mcp" if transport == "mcp" else ""
    said = person.ok("setup", *CLAUDE, "--transport", transport)
    assert f"rcs uninstall --client claude, then rcs setup --client claude --scope local{over}.\n" in said


def test_the_transport_of_one_scope_says_nothing_of_another(person: Home) -> None:
    person.ok("setup", *CLAUDE, "--scope", "user", "--transport", "mcp")
    assert KEPT not in person.ok("setup", *CLAUDE)
    assert "mcp_tool" not in json.dumps(settings(person))


@pytest.mark.parametrize(("client", "name"), [("claude", ".claude/settings.json"), ("codex", ".codex/hooks.json")])
def test_hooks_of_a_shape_that_no_client_reads_are_refused_with_their_file(
    client: str, name: str, person: Home
) -> None:
    person.write(name, '{"hooks": {"UserPromptSubmit": 4}}')
    wrong = "hooks.UserPromptSubmit is not a list; fix it by hand; nothing was changed"
    assert person.refused("setup", "--client", client) == f"{person.project / name}: {wrong}"


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


@pytest.mark.slow
def test_doctor_knows_the_local_scope(person: Home) -> None:
    person.ok("setup", *LOCAL, "--transport", "mcp")
    (found,) = checks(person, "Claude Code hooks")
    path = person.project / ".claude/settings.local.json"
    events = "UserPromptSubmit, Stop, SessionStart, SessionEnd"
    assert (found["status"], found["found"]) == ("ok", f"{events} in {path} (MCP server)")
    assert [check["status"] for check in checks(person, "Claude Code server")] == ["ok"]
    person.ok("setup", *CLAUDE)
    twice = next(check for check in checks(person, "Claude Code hooks") if "count twice" in check["found"])
    assert twice["todo"] == "rcs uninstall --client claude --scope local"


def test_codex_has_no_local_scope_and_that_is_said(person: Home) -> None:
    expected = f"{NO_LOCAL}; use --scope user or --scope project"
    assert person.refused("setup", "--client", "codex", "--scope", "local") == expected
    assert f"{NO_LOCAL}.\n" in person.ok("setup", *ALL, "--scope", "local")
    assert set(files(person)) == {"a project/.claude/settings.local.json"}


def test_skills_have_no_local_scope(person: Home) -> None:
    said = person.refused("setup", *LOCAL, "--skills")
    assert said.startswith("no client looks for skills of yours alone in a project; add --skills to --scope user")


@pytest.mark.parametrize(("client", "other"), [("codex", "user"), ("claude", "local")])
def test_the_project_scope_warns_of_paths_in_files_that_a_team_shares(client: str, other: str, person: Home) -> None:
    said = person.ok("setup", "--client", client)
    assert "are of this machine: keep them out of commits, or move to your own files: " in said
    assert f"rcs uninstall --client {client}, then rcs setup --client {client} --scope {other}.\n" in said
    assert "keep them out of commits" not in person.ok("setup", "--client", client, "--scope", "user")


# --- the status line


@pytest.mark.slow
@pytest.mark.parametrize("scope", ["project", "local", "user"])
def test_the_status_line_is_put_in_and_taken_out(scope: str, person: Home) -> None:
    where = (*CLAUDE, "--scope", scope)
    folder = person.home if scope == "user" else person.project
    path = folder / ".claude" / ("settings.local.json" if scope == "local" else "settings.json")
    person.write(str(path), '{"model": "x"}')
    person.ok("setup", *where, "--statusline")
    assert json.loads(path.read_text())["statusLine"] == STATUS_LINE
    (found,) = checks(person, "Claude Code statusLine")
    assert (found["status"], found["found"]) == ("ok", f"{path} has it show what runs")
    asked = json.dumps({"session_id": "s1", "cwd": str(person.project)})
    done = subprocess.run(
        ["/bin/sh", "-c", STATUS_LINE["command"]], input=asked, capture_output=True, text=True, env={}, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "\n", "")
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


def test_a_status_line_of_ours_from_another_place_is_replaced(person: Home) -> None:
    person.write(
        ".claude/settings.json", shown({"statusLine": STATUS_LINE | {"command": "/gone/rcs hud --statusline"}})
    )
    person.ok("setup", *CLAUDE)
    assert settings(person)["statusLine"] == STATUS_LINE


def test_codex_has_no_status_line_and_that_is_said(person: Home) -> None:
    why = (
        "Codex and Gemini CLI cannot run a command in the status line, so --statusline is for Claude Code, Copilot CLI"
        " and Qwen Code"
    )
    assert person.refused("setup", "--client", "codex", "--statusline") == f"{why}; nothing was changed"
    assert f"{why}.\n" in person.ok("setup", *ALL, "--statusline")


# --- Codex' approval of the server's tools


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "status"), [("prompt", "warn"), ("approve", "ok")])
def test_an_approval_that_the_person_has_set_stays_and_doctor_tells_it(mode: str, status: str, person: Home) -> None:
    text = f'[mcp_servers.rcs_state]\ncommand = "{RCS}"\nargs = ["mcp"]\ndefault_tools_approval_mode = "{mode}"\n'
    path = person.write(".codex/config.toml", text)
    person.ok("setup", "--client", "codex", "--transport", "mcp")
    assert path.read_text() == text
    assert [check["status"] for check in checks(person, "Codex tools")] == [status]


# --- the commands in installed skills


def commands_in(text: str) -> list[str]:
    lines = (line.strip("`") for line in text.splitlines())
    return [line for line in lines if " --session SESSION" in line or line.endswith((" --active", " task list"))]


def skill(person: Home, client: str, name: str) -> Path:
    folder = {"codex": ".agents", "claude": ".claude"}[client]
    return person.project / folder / "skills" / name / "SKILL.md"


@pytest.mark.slow
@pytest.mark.parametrize("client", ["codex", "claude"])
def test_the_commands_in_a_skill_run_where_rcs_is_not_on_path(client: str, person: Home) -> None:
    person.ok("setup", *ALL, "--skills")
    words = shlex.quote(str(RCS))
    for name in SKILLS:
        text = skill(person, client, name).read_text()
        lines = commands_in(text)
        assert lines
        assert all(line.startswith(f"{words} ") for line in lines)
        assert "`rcs " not in text
    (line,) = commands_in(skill(person, client, "forge").read_text())
    env = {"PATH": os.defpath, "RCS_SESSION_ID": "s1"}
    done = subprocess.run(["/bin/sh", "-c", line], cwd=person.project, env=env, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    (found,) = checks(person, f"{'Codex' if client == 'codex' else 'Claude Code'} skills")
    assert found["status"] == "ok"
    assert found["found"].endswith(f": they call `{words}`, which runs")
    once = person.state()
    person.ok("setup", *ALL, "--skills")
    assert person.state() == once


def test_claude_code_is_told_rcs_where_that_is_this_program_and_codex_login_shell_its_path(person: Home) -> None:
    (local := person.folder / "local bin").mkdir()
    (local / "rcs").symlink_to(RCS)
    person.env["PATH"] = f"{local}{os.pathsep}{os.defpath}"
    person.ok("setup", *ALL, "--skills")
    assert all(line.startswith("rcs ") for line in commands_in(skill(person, "claude", "forge").read_text()))
    codex = commands_in(skill(person, "codex", "forge").read_text())
    assert all(line.startswith(f"{shlex.quote(str(RCS))} ") for line in codex)


def test_a_program_in_a_path_with_a_blank_is_quoted_in_a_skill(person: Home) -> None:
    (place := person.folder / "an env").mkdir()
    text = skills.shipped("task", shlex.quote(f"{place}/rcs"))
    assert f"\n'{place}/rcs' task list\n" in text
    assert f"`'{place}/rcs' task status`" in text


@pytest.mark.slow
def test_skills_of_another_place_are_named_and_brought_up_to_date(person: Home) -> None:
    person.ok("setup", *ALL, "--skills")
    path = skill(person, "claude", "forge")
    new = path.read_text()
    path.write_text(skills.shipped("forge", "/gone/rcs"))
    edited = skill(person, "claude", "crew")
    words = shlex.quote(str(RCS))
    edited.write_text(edited.read_text().replace(f"{words} ", "/gone/rcs "))
    older, astray, _ = checks(person, "Claude Code skills")
    assert (older["status"], older["todo"]) == ("warn", "rcs setup --client claude --scope project --skills")
    assert "forge is of another version, or call another `rcs`" in older["found"]
    assert (astray["status"], astray["todo"]) == (
        "warn",
        f"write `{shlex.quote(str(RCS))}` in place of the command there",
    )
    assert f"left: {edited} (it is not as setup wrote it)" in person.ok("setup", *CLAUDE, "--skills")
    assert path.read_text() == new
    person.ok("uninstall")
    assert not path.exists()
    assert edited.exists()


# --- everything goes


def used(person: Home) -> None:
    """State in the workspace and in the home, and a link out of it."""
    person.ok("setup", *ALL, "--transport", "mcp", "--writable", "--skills", "--statusline")
    person.write(".rcs/state/sessions/s1/forge-state.json", '{"mode": "forge"}')
    person.write(".rcs/rcs.db", "x", at=person.home)
    person.write("mine", "mine", at=person.elsewhere)
    (person.project / ".rcs/out").symlink_to(person.elsewhere)


def test_everything_that_was_ever_written_goes(person: Home) -> None:
    before = set(person.state())
    used(person)
    said = person.ok("uninstall", "--purge", "--yes")
    assert set(person.state()) == {*before, "elsewhere/mine"}
    assert f"removed {person.project}/.rcs (1 file: out, state)\n" in said
    assert f"removed {person.home}/.rcs (1 file: rcs.db)\n" in said


def test_a_purge_that_is_only_looked_at_removes_nothing(person: Home) -> None:
    used(person)
    before = person.state()
    assert f"would remove {person.project}/.rcs (1 file: out, state)\n" in person.ok(
        "uninstall", "--purge", "--dry-run"
    )
    assert person.state() == before


def test_without_a_terminal_and_without_yes_nothing_is_purged(person: Home) -> None:
    used(person)
    expected = "--purge removes state for good, and there is no terminal to ask on; add --yes if you mean it"
    assert person.refused("uninstall", "--purge", stdin=subprocess.DEVNULL) == expected
    done = person.run("uninstall", "--yes")
    assert (done.returncode, "--yes goes with --purge" in done.stderr) == (2, True)


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "goes"), [(b"y\n", True), (b"\n", False), (b"no\n", False), (b"\x04", False)])
def test_a_purge_asks_and_takes_only_a_yes(answer: bytes, goes: bool, person: Home) -> None:
    used(person)
    before = person.state()
    ours, theirs = pty.openpty()
    try:
        os.write(ours, answer)
        done = person.run("uninstall", "--purge", stdin=theirs)
    finally:
        os.close(ours)
        os.close(theirs)
    assert f"to be removed: {person.home}/.rcs (1 file: rcs.db)\n" in done.stdout
    assert done.returncode == (0 if goes else 1)
    assert (person.project / ".rcs").exists() is not goes
    assert (person.state() == before) is not goes


@pytest.mark.parametrize("where", ["project", "home"])
def test_a_link_in_place_of_the_folder_is_left(where: str, person: Home) -> None:
    person.write("mine", "mine", at=person.elsewhere)
    link = (person.project if where == "project" else person.home) / ".rcs"
    link.symlink_to(person.elsewhere)
    expected = f"{link} is a link or a file, not a folder, so nothing was removed; remove it yourself"
    assert person.refused("uninstall", "--purge", "--yes") == expected
