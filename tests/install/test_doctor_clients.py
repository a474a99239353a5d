"""What doctor says of Copilot CLI, Qwen Code and Gemini CLI: trust, switches, time-outs, rules, broken files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rcs_hooks.clients.check import BROKEN, OK, TODO, UNSET, WARN, Check
from rcs_hooks.clients.entries import words_of
from rcs_hooks.clients.installer import PROJECT, USER, Host
from rcs_hooks.clients.lines import interpreter_of
from tests.install.test_doctor import checks, host, of, set_up, write
from tests.table import each_row

__all__ = ["host"]  # the fixture
CLIENTS = {"copilot": "Copilot CLI", "qwen": "Qwen Code", "gemini": "Gemini CLI"}


def of_client(found: list[Check], client: str) -> dict[str, Check]:
    """The last check of each kind."""
    title = CLIENTS[client]
    return {check.what.removeprefix(f"{title} "): check for check in found if check.what.startswith(f"{title} ")}


def change(host: Host, path: str, **more: Any) -> str:
    """Put more into a JSON file of the home, which may be missing."""
    whole = Path(host.home, path)
    value = json.loads(whole.read_text()) if whole.exists() else {}
    write(str(whole), value | more)
    return str(whole)


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("scope", [PROJECT, USER])
def test_hooks_that_are_set_up_are_whole_and_answer(host: Host, client: str, scope: str) -> None:
    place = set_up(host, client, scope)
    found = checks(host)
    assert [check for check in found if check.status == BROKEN] == []
    hooks = of_client(found, client)["hooks"]
    events = ", ".join(place.installer.format.events)
    assert hooks == Check(hooks.what, OK, f"{events} in {place.hooks_file.path} (command)")
    answer = of_client(found, client)["hook"]
    assert (answer.status, " answers in " in answer.found) in ((OK, True), (WARN, True))


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_without_our_hooks_is_told_how_to_have_them(host: Host, client: str) -> None:
    Path(host.home, f".{client}").mkdir()
    hooks = of_client(checks(host), client)["hooks"]
    assert (hooks.status, hooks.todo) == (UNSET, f"rcs setup --client {client} --skills")


@pytest.mark.parametrize("client", CLIENTS)
def test_a_python_that_is_gone_is_named(host: Host, client: str) -> None:
    place = set_up(host, client, USER)
    path = Path(place.hooks_file.path)
    line = json.loads(path.read_text())["hooks"]["SessionEnd"][0]
    line = line.get("hooks", [line])[0]["command"]
    python = interpreter_of(words_of({"command": line})) or ""
    path.write_text(path.read_text().replace(python, "/gone/python3"))
    hook = of_client(checks(host), client)["hook"]
    again = f"rcs setup --client {client} --scope user"
    assert hook == Check(hook.what, BROKEN, "/gone/python3 is not a program that can be run", again)


@pytest.mark.parametrize("client", CLIENTS)
def test_a_file_that_cannot_be_read_is_named(host: Host, client: str) -> None:
    place = set_up(host, client)
    Path(place.hooks_file.path).write_text('{"hooks": {},}')
    broken = of_client(checks(host), client)["file"]
    assert (broken.status, broken.todo) == (BROKEN, "fix the file by hand")
    assert broken.found.startswith(f"{place.hooks_file.path}: it is not JSON: ")


@pytest.mark.parametrize("client", ["qwen", "gemini"])
def test_comments_are_no_fault(host: Host, client: str) -> None:
    place = set_up(host, client)
    path = Path(place.hooks_file.path)
    path.write_text(f"// mine\n{path.read_text()}/* end */\n")
    assert of_client(checks(host), client)["hooks"].status == OK


# --- time-outs


@each_row(
    ("timeout", "status"),
    [(30, BROKEN), (10, BROKEN), (0, BROKEN), (999, WARN), (600_001, WARN), ("9", WARN), (1000, OK), (10_000, OK)],
)
def test_seconds_in_place_of_milliseconds_are_told(timeout: object, status: str, host: Host) -> None:
    place = set_up(host, "gemini")
    path = Path(place.hooks_file.path)
    value = json.loads(path.read_text())
    value["hooks"]["AfterAgent"][0]["hooks"][0]["timeout"] = timeout
    path.write_text(json.dumps(value))
    hooks = of_client(checks(host), "gemini")["hooks"]
    assert hooks.status == status
    if status != OK:
        assert "AfterAgent" in hooks.found
        assert "from 1000 to 600000 milliseconds" in hooks.found
        assert hooks.todo == "rcs setup --client gemini --scope project"
        set_up(host, "gemini")
        assert of_client(checks(host), "gemini")["hooks"].status == OK


def test_hooks_that_were_copied_from_claude_code_are_told_and_replaced(host: Host) -> None:
    """As `gemini hooks migrate --from-claude` copies them."""
    theirs = json.loads(Path(set_up(host, "claude").hooks_file.path).read_text())["hooks"]
    names = {"UserPromptSubmit": "BeforeAgent", "Stop": "AfterAgent"}
    path = f"{host.root}/.gemini/settings.json"
    write(path, {"hooks": {names.get(event, event): groups for event, groups in theirs.items()}})
    found = [check for check in checks(host) if check.what == "Gemini CLI hooks"]
    assert [check.status for check in found] == [WARN, BROKEN]
    assert "before it can answer" in found[1].found
    set_up(host, "gemini")
    assert of_client(checks(host), "gemini")["hooks"].status == OK


# --- trust


def test_copilot_cli_runs_a_project_s_hooks_in_a_trusted_folder_only(host: Host) -> None:
    set_up(host, "copilot", USER)
    assert "project" not in of_client(checks(host), "copilot")
    set_up(host, "copilot")
    project = of_client(checks(host), "copilot")["project"]
    assert (project.status, project.found) == (TODO, f"{host.root} is not trusted yet, so its hooks do not run")
    assert "--trust-folder" in project.todo
    write(f"{host.home}/.copilot/config.json", f'// by copilot\n{{"trusted_folders": [{json.dumps(host.root)}]}}')
    assert of_client(checks(host), "copilot")["project"].status == OK


def test_copilot_cli_trusts_every_folder_if_told_so(host: Host) -> None:
    set_up(host, "copilot")
    told = host._replace(env={**host.env, "COPILOT_ALLOW_ALL": "true"})
    assert of_client(checks(told), "copilot")["project"].status == OK


def test_qwen_code_asks_for_trust_where_the_person_has_switched_that_on(host: Host) -> None:
    set_up(host, "qwen")
    assert "project" not in of_client(checks(host), "qwen")
    change(host, ".qwen/settings.json", security={"folderTrust": {"enabled": True}})
    assert of_client(checks(host), "qwen")["project"].status == TODO
    change(host, ".qwen/trustedFolders.json", **{host.root: "TRUST_FOLDER"})
    assert of_client(checks(host), "qwen")["project"].status == OK


@pytest.mark.parametrize("scope", [PROJECT, USER])
def test_gemini_cli_runs_no_hook_in_a_folder_that_is_not_trusted(scope: str, host: Host) -> None:
    set_up(host, "gemini", scope)
    assert of_client(checks(host), "gemini")["project"].status == TODO
    change(host, ".gemini/trustedFolders.json", **{str(Path(host.root).parent): "TRUST_FOLDER"})
    assert of_client(checks(host), "gemini")["project"].status == OK
    change(host, ".gemini/trustedFolders.json", **{host.root: "DO_NOT_TRUST"})
    assert of_client(checks(host), "gemini")["project"].status == TODO
    told = host._replace(env={**host.env, "GEMINI_CLI_TRUST_WORKSPACE": "true"})
    assert of_client(checks(told), "gemini")["project"].status == OK
    change(host, ".gemini/settings.json", security={"folderTrust": {"enabled": False}})
    assert of_client(checks(host), "gemini")["project"].status == OK


# --- switches

SWITCHES: list[tuple[str, dict[str, Any], str]] = [
    ("qwen", {"disableAllHooks": True}, "disableAllHooks"),
    ("gemini", {"hooksConfig": {"enabled": False}}, "hooksConfig.enabled"),
    ("gemini", {"hooksConfig": {"disabled": ["another", "rcs"]}}, "hooksConfig.disabled"),
]


@each_row(("client", "switch", "word"), SWITCHES)
def test_a_switch_in_the_person_s_settings_is_named(client: str, switch: dict[str, Any], word: str, host: Host) -> None:
    set_up(host, client)
    path = change(host, f".{client}/settings.json", **switch)
    (off,) = [check for check in of(checks(host), f"{CLIENTS[client]} hooks") if check.status == BROKEN]
    assert off.found.startswith(path)
    assert word in off.found
    assert off.todo


@each_row(
    ("client", "switch"),
    [("qwen", {"disableAllHooks": False}), ("gemini", {"hooksConfig": {"enabled": True, "disabled": ["another"]}})],
)
def test_a_switch_that_is_on_is_no_fault(client: str, switch: dict[str, Any], host: Host) -> None:
    set_up(host, client)
    change(host, f".{client}/settings.json", **switch)
    assert [check for check in checks(host) if check.status == BROKEN] == []


def test_the_switch_in_copilot_cli_s_own_file_counts_for_that_file(host: Host) -> None:
    place = set_up(host, "copilot", USER)
    change(host, ".copilot/settings.json", disableAllHooks=True)
    assert [check for check in checks(host) if check.status == BROKEN] == []
    change(host, ".copilot/hooks/rcs-hooks.json", disableAllHooks=True)
    (off,) = [check for check in checks(host) if check.status == BROKEN]
    assert off.found == f"{place.hooks_file.path} has disableAllHooks, so none of this file runs"


# --- what the agent may run


def test_gemini_cli_s_agent_needs_a_policy_of_the_person(host: Host) -> None:
    set_up(host, "gemini")
    policies = of_client(checks(host), "gemini")["policies"]
    assert (policies.status, policies.todo) == (WARN, "rcs setup --client gemini --scope user")
    place = set_up(host, "gemini", USER)
    assert of_client(checks(host), "gemini")["policies"].status == OK
    Path(place.files[1].path).write_text("[[rule")
    assert of_client(checks(host), "gemini")["policies"].status == WARN


@each_row(
    ("rules", "status"),
    [([], WARN), (["Bash(rcs state *)"], WARN), (["run_shell_command"], OK), (["Bash(*)"], OK), (None, OK)],
)
def test_qwen_code_s_agent_needs_rules(rules: list[str] | None, status: str, host: Host) -> None:
    path = Path(set_up(host, "qwen").hooks_file.path)
    if rules is not None:
        path.write_text(json.dumps(json.loads(path.read_text()) | {"permissions": {"allow": rules}}))
    found = of_client(checks(host), "qwen")["rules"]
    assert (found.status, found.todo) == (status, "" if status == OK else "rcs setup --client qwen --scope project")


# --- what a repository brings


@pytest.mark.parametrize("client", ["qwen", "gemini"])
def test_a_server_under_our_name_is_named(client: str, host: Host) -> None:
    write(f"{host.root}/.{client}/settings.json", {"mcpServers": {"rcs_state": {"command": "/evil"}}})
    server = of_client(checks(host), client)["server"]
    assert (server.status, "/evil" in server.found) == (WARN, True)
    assert "rcs uninstall" not in server.todo


def test_a_variable_of_ours_in_qwen_code_s_settings_is_named(host: Host) -> None:
    write(f"{host.root}/.qwen/settings.json", {"env": {"RCS_DISABLE": "1"}})
    env = of_client(checks(host), "qwen")["env"]
    assert (env.status, "RCS_DISABLE=1" in env.found) == (BROKEN, True)
