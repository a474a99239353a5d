"""What doctor says of Copilot CLI, Qwen Code and Gemini CLI: trust, switches, time-outs, rules, broken files."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from rcs_hooks.clients.check import BROKEN, OK, TODO, WARN, Check
from rcs_hooks.clients.installer import PROJECT, USER, Host
from tests.install.test_doctor import PYTHON, TITLES, checks, host, make_host, of, set_up, write
from tests.table import each_row

__all__ = ["host"]  # the fixture
CLIENTS = ("copilot", "qwen", "gemini")


def in_place(host: Host, client: str, scope: str = PROJECT) -> Path:
    """Set up, where the Python that the entries name is gone: nothing is started. Returns the file with the hooks."""
    path = Path(set_up(host, client, scope).hooks_file.path)
    path.write_text(path.read_text().replace(shlex.quote(PYTHON), "/gone/python3"))
    return path


def of_client(host: Host, client: str) -> dict[str, Check]:
    """The last check of each kind."""
    title = TITLES[client]
    return {check.what.removeprefix(f"{title} "): check for check in checks(host) if check.what.startswith(title)}


def change(host: Host, path: str, **more: Any) -> str:
    """Put more into a JSON file of the home, which may be missing."""
    whole = Path(host.home, path)
    value = json.loads(whole.read_text()) if whole.exists() else {}
    write(str(whole), value | more)
    return str(whole)


@pytest.mark.parametrize("client", CLIENTS)
def test_hooks_that_are_set_up_are_whole_and_answer_while_their_python_is_there(host: Host, client: str) -> None:
    place = set_up(host, client, USER)
    found = of_client(host, client)
    events = ", ".join(place.installer.format.events)
    assert found["hooks"][1:3] == (OK, f"{events} in {place.hooks_file.path} (command)")
    assert (found["hook"].status in (OK, WARN), " answers in " in found["hook"].found) == (True, True)
    in_place(host, client, USER)
    said = "/gone/python3 is not a program that can be run"
    assert of_client(host, client)["hook"][1:4] == (BROKEN, said, f"rcs setup --client {client} --scope user")


@each_row("client", CLIENTS)
def test_a_file_that_cannot_be_read_is_named(client: str, tmp_path: Path) -> None:
    host = make_host(tmp_path)
    path = in_place(host, client)
    path.write_text('{"hooks": {},}')
    broken = of_client(host, client)["file"]
    assert (broken.status, broken.todo) == (BROKEN, "fix the file by hand")
    assert broken.found.startswith(f"{path}: it is not JSON: ")


@each_row("client", ["qwen", "gemini"])
def test_comments_are_no_fault(client: str, tmp_path: Path) -> None:
    host = make_host(tmp_path)
    path = in_place(host, client)
    path.write_text(f"// mine\n{path.read_text()}/* end */\n")
    assert of_client(host, client)["hooks"].status == OK


# --- time-outs


@each_row(
    ("timeout", "status"),
    [(30, BROKEN), (0, BROKEN), (999, WARN), (600_001, WARN), ("9", WARN), (1000, OK), (600_000, OK)],
)
def test_seconds_in_place_of_milliseconds_are_told(timeout: object, status: str, tmp_path: Path) -> None:
    host = make_host(tmp_path)
    path = in_place(host, "gemini")
    value = json.loads(path.read_text())
    value["hooks"]["AfterAgent"][0]["hooks"][0]["timeout"] = timeout
    path.write_text(json.dumps(value))
    hooks = of_client(host, "gemini")["hooks"]
    assert hooks.status == status
    assert ("AfterAgent" in hooks.found and "from 1000 to 600000 milliseconds" in hooks.found) is (status != OK)
    in_place(host, "gemini")
    assert of_client(host, "gemini")["hooks"].status == OK


def test_hooks_that_were_copied_from_claude_code_are_told_and_replaced(host: Host) -> None:
    """As `gemini hooks migrate --from-claude` copies them."""
    theirs = json.loads(in_place(host, "claude").read_text())["hooks"]
    names = {"UserPromptSubmit": "BeforeAgent", "Stop": "AfterAgent"}
    write(
        f"{host.root}/.gemini/settings.json",
        {"hooks": {names.get(event, event): groups for event, groups in theirs.items()}},
    )
    found = of(checks(host), "Gemini CLI hooks")
    assert [check.status for check in found] == [WARN, BROKEN]
    assert "before it can answer" in found[1].found
    in_place(host, "gemini")
    assert of_client(host, "gemini")["hooks"].status == OK


# --- trust


def test_copilot_cli_runs_a_project_s_hooks_in_a_trusted_folder_only(host: Host) -> None:
    in_place(host, "copilot", USER)
    assert "project" not in of_client(host, "copilot")
    in_place(host, "copilot")
    project = of_client(host, "copilot")["project"]
    assert (project.status, project.found) == (TODO, f"{host.root} is not trusted yet, so its hooks do not run")
    assert "--trust-folder" in project.todo
    told = host._replace(env={**host.env, "COPILOT_ALLOW_ALL": "true"})
    assert of_client(told, "copilot")["project"].status == OK
    write(f"{host.home}/.copilot/config.json", f'// by copilot\n{{"trusted_folders": [{json.dumps(host.root)}]}}')
    assert of_client(host, "copilot")["project"].status == OK


def test_qwen_code_asks_for_trust_where_the_person_has_switched_that_on(host: Host) -> None:
    in_place(host, "qwen")
    assert "project" not in of_client(host, "qwen")
    change(host, ".qwen/settings.json", security={"folderTrust": {"enabled": True}})
    assert of_client(host, "qwen")["project"].status == TODO
    change(host, ".qwen/trustedFolders.json", **{host.root: "TRUST_FOLDER"})
    assert of_client(host, "qwen")["project"].status == OK


@pytest.mark.parametrize("scope", [PROJECT, USER])
def test_gemini_cli_runs_no_hook_in_a_folder_that_is_not_trusted(scope: str, host: Host) -> None:
    def status(host: Host) -> str:
        return of_client(host, "gemini")["project"].status

    in_place(host, "gemini", scope)
    assert status(host) == TODO
    change(host, ".gemini/trustedFolders.json", **{str(Path(host.root).parent): "TRUST_FOLDER"})
    assert status(host) == OK
    change(host, ".gemini/trustedFolders.json", **{host.root: "DO_NOT_TRUST"})
    assert status(host) == TODO
    assert status(host._replace(env={**host.env, "GEMINI_CLI_TRUST_WORKSPACE": "true"})) == OK
    change(host, ".gemini/settings.json", security={"folderTrust": {"enabled": False}})
    assert status(host) == OK


# --- switches


@each_row(
    ("client", "switch", "word"),
    [
        ("qwen", {"disableAllHooks": True}, "disableAllHooks"),
        ("qwen", {"disableAllHooks": False}, ""),
        ("gemini", {"hooksConfig": {"enabled": False}}, "hooksConfig.enabled"),
        ("gemini", {"hooksConfig": {"disabled": ["another", "rcs"]}}, "hooksConfig.disabled"),
        ("gemini", {"hooksConfig": {"enabled": True, "disabled": ["another"]}}, ""),
    ],
)
def test_a_switch_in_the_person_s_settings_is_named(
    client: str, switch: dict[str, Any], word: str, tmp_path: Path
) -> None:
    host = make_host(tmp_path)
    in_place(host, client)
    path = change(host, f".{client}/settings.json", **switch)
    off = [check for check in of(checks(host), f"{TITLES[client]} hooks") if check.status == BROKEN]
    assert [(each.found.startswith(path), word in each.found, bool(each.todo)) for each in off] == (
        [(True, True, True)] if word else []
    )


def test_the_switch_in_copilot_cli_s_own_file_counts_for_that_file(host: Host) -> None:
    path = in_place(host, "copilot", USER)
    change(host, ".copilot/settings.json", disableAllHooks=True)
    assert of_client(host, "copilot")["hooks"].status == OK
    change(host, ".copilot/hooks/rcs-hooks.json", disableAllHooks=True)
    off = Check("Copilot CLI hooks", BROKEN, f"{path} has disableAllHooks, so none of this file runs")
    assert off in [check._replace(todo="") for check in checks(host)]


# --- what the agent may run


def test_gemini_cli_s_agent_needs_a_policy_of_the_person(host: Host) -> None:
    in_place(host, "gemini")
    policies = of_client(host, "gemini")["policies"]
    assert (policies.status, policies.todo) == (WARN, "rcs setup --client gemini --scope user")
    place = set_up(host, "gemini", USER)
    assert of_client(host, "gemini")["policies"].status == OK
    Path(place.files[1].path).write_text("[[rule")
    assert of_client(host, "gemini")["policies"].status == WARN


@each_row(
    ("rules", "status"),
    [([], WARN), (["Bash(rcs state *)"], WARN), (["run_shell_command"], OK), (["Bash(*)"], OK), (None, OK)],
)
def test_qwen_code_s_agent_needs_rules(rules: list[str] | None, status: str, tmp_path: Path) -> None:
    host = make_host(tmp_path)
    path = in_place(host, "qwen")
    if rules is not None:
        path.write_text(json.dumps(json.loads(path.read_text()) | {"permissions": {"allow": rules}}))
    found = of_client(host, "qwen")["rules"]
    assert (found.status, found.todo) == (status, "" if status == OK else "rcs setup --client qwen --scope project")
