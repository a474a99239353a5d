"""Which settings of ours count as the repository's: those that a `.env` of the workspace may have set."""

from __future__ import annotations

import json
import os
import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.files.env_files import brought
from tests.own_modes import put
from tests.support import RCS_HOOK, clean_env, least, processor
from tests.table import each_row

if TYPE_CHECKING:
    from pathlib import Path

QWEN, GEMINI = {"QWEN_CODE_SESSION_ID": "s1"}, {"GEMINI_CLI": "1"}
ASSIGNMENTS: list[tuple[str, str, bool]] = [
    ("RCS_ROOT=/elsewhere", "/elsewhere", True),
    ("export RCS_ROOT=/elsewhere", "/elsewhere", True),
    ("  RCS_ROOT = /elsewhere  ", "/elsewhere", True),
    ("RCS_ROOT: /elsewhere", "/elsewhere", True),
    ('RCS_ROOT="/elsewhere"', "/elsewhere", True),
    ("RCS_ROOT='/elsewhere' # a comment", "/elsewhere", True),
    ("RCS_ROOT=`/elsewhere`", "/elsewhere", True),
    ("A=1\r\nRCS_ROOT=/elsewhere\r\n", "/elsewhere", True),
    ("A=1\rRCS_ROOT=/elsewhere", "/elsewhere", True),
    ("RCS_ROOT=$HOME/x", "/home/me/x", True),
    ('RCS_ROOT="a\\nb"', "a\nb", True),
    ('RCS_ROOT="a\nb"', "a\nb", True),
    ("RCS_ROOT=", "", True),
    ("RCS_ROOT\n= /elsewhere", "/elsewhere", True),
    ("export\nRCS_ROOT=/elsewhere", "/elsewhere", True),
    ("RCS_ROOT=\n\n  '/elsewhere'", "/elsewhere", True),
    ('RCS_ROOT=\n"/elsewhere"', "/elsewhere", True),
    ("RCS_ROOT=\n/elsewhere", "/elsewhere", False),
    ("\ufeffRCS_ROOT=/elsewhere", "/elsewhere", True),
    ("\xa0RCS_ROOT=/elsewhere", "/elsewhere", True),
    ("export\xa0RCS_ROOT=/elsewhere", "/elsewhere", True),
    ("\x0cRCS_ROOT\x0b=/elsewhere", "/elsewhere", True),
    ("RCS_ROOT=/elsewhere\ufeff", "/elsewhere", True),
    ("RCS_ROOT=/elsewhere\0x", "/elsewhere", True),
    ("# a\u2028RCS_ROOT=/elsewhere", "/elsewhere", True),
    ("# a\rRCS_ROOT=/elsewhere", "/elsewhere", True),
    ("A='1' RCS_ROOT=/elsewhere", "/elsewhere", True),
    ("RCS_ROOT:\n/elsewhere", "/elsewhere", True),
    ("RCS_ROOT:\r\n/elsewhere", "/elsewhere", True),
    ("RCS_ROOT:\r/elsewhere", "/elsewhere", True),
    ("RCS_ROOT:\u2028/elsewhere", "/elsewhere", True),
    ("RCS_ROOT=\u2028/elsewhere", "/elsewhere", True),
    ("RCS_ROOT=/elsewhere\u2029x", "/elsewhere\u2029x", True),
    ("# x\u2028RCS_ROOT=/elsewhere", "/elsewhere", True),
    ("RCS_ROOT=\n\ufeff'/elsewhere'", "/elsewhere", True),
    ("RCS_ROOT=\nOTHER=1", "/elsewhere", False),
    ("RCS_ROOT=/another", "/elsewhere", False),
    ("RCS_ROOT=", "/elsewhere", False),
    ("# RCS_ROOT=/elsewhere", "/elsewhere", False),
    ("MY_RCS_ROOT=/elsewhere", "/elsewhere", False),
    ("RCS_ROOT_X=/elsewhere", "/elsewhere", False),
    ("rcs_root=/elsewhere", "/elsewhere", False),
    ("", "/elsewhere", False),
    ("A=RCS_ROOT", "/elsewhere", False),
    ("A=see RCS_ROOT, which is mine", "/elsewhere", False),
    ("A='RCS_ROOT'\nB=1", "/elsewhere", False),
    ("A=$RCS_ROOT/x", "/elsewhere", False),
    ("A=${RCS_ROOT}/x", "/elsewhere", False),
    ("A=/x/RCS_ROOT/y", "/elsewhere", False),
    ("A=1 # set RCS_ROOT in your shell", "/elsewhere", False),
    ("A=1 # RCS_ROOT=/elsewhere", "/elsewhere", False),
    ("A=1\t# RCS_ROOT: /elsewhere", "/elsewhere", False),
    ("export RCS_ROOT", "/elsewhere", False),
    ("RCS_ROOT\nB=1", "/elsewhere", False),
    ("# a\u2028RCS_ROOT", "/elsewhere", False),
    # What some reader may take for an assignment, or for its end, counts as one.
    ("A=1#RCS_ROOT=/elsewhere", "/elsewhere", True),
    ("A='1' # RCS_ROOT=/elsewhere", "/elsewhere", True),
    ('A="\nB=1 # " RCS_ROOT=/elsewhere', "/elsewhere", True),
    ("A=1 # x\x0cRCS_ROOT=/elsewhere", "/elsewhere", True),
    ("A=1 # x\x85RCS_ROOT=/elsewhere", "/elsewhere", True),
    ("A=1 # x\u2028RCS_ROOT=/elsewhere", "/elsewhere", True),
    ("A=1 # x\rRCS_ROOT=/elsewhere", "/elsewhere", True),
    ("A=1 RCS_ROOT\n=/elsewhere", "/elsewhere", True),
    ("RCS_ROOT\u200b=/elsewhere", "/elsewhere", True),
    ("'RCS_ROOT'=/elsewhere", "/elsewhere", True),
    ('{"RCS_ROOT": "/elsewhere"}', "/elsewhere", True),
    ("RCS_ROOT+=/elsewhere", "/elsewhere", True),
    ("RCS_ROOT\\\n=/elsewhere", "/elsewhere", True),
    ("A='RCS_ROOT=/elsewhere'", "/elsewhere", True),
]


@each_row(("text", "value", "is_brought"), ASSIGNMENTS)
def test_a_variable_with_the_value_of_the_file_is_brought(
    text: str, value: str, is_brought: bool, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_bytes(text.encode())
    env = QWEN | {"RCS_ROOT": value, "RCS_DB": "mine", "HOME": "/nowhere"}
    assert brought(["RCS_ROOT", "RCS_DB"], env, str(tmp_path)) == (["RCS_ROOT"] if is_brought else [])


@each_row(
    ("env", "file", "is_read"),
    [
        (QWEN, ".env", True),
        (QWEN, ".qwen/.env", True),
        (QWEN, ".gemini/.env", False),
        (GEMINI, ".env", True),
        (GEMINI, ".gemini/.env", True),
        (GEMINI, ".qwen/.env", False),
        (GEMINI | QWEN, ".qwen/.env", True),
        ({}, ".env", False),
        ({"CLAUDECODE": "1"}, ".env", False),
        ({"CODEX_THREAD_ID": "1", "COPILOT_CLI": "1"}, ".env", False),
    ],
)
def test_each_client_has_files_of_its_own(env: dict[str, str], file: str, is_read: bool, tmp_path: Path) -> None:
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text("RCS_DISABLE=1\n")
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    for cwd in (tmp_path, below):
        assert brought(["RCS_DISABLE"], env | {"RCS_DISABLE": "1"}, str(cwd)) == (["RCS_DISABLE"] if is_read else [])


@each_row(
    ("text", "is_brought"),
    [
        ('{"env": {"RCS_DISABLE": "1"}}', True),
        ('{"env": {"RCS_\\u0044ISABLE": "1"}}', True),
        ('{ /*\n# */ "env": {"RCS_DISABLE": "1"}}', True),
        ('{"hooks": {}}', False),
    ],
)
def test_qwen_codes_settings_in_a_project_can_set_variables_too(text: str, is_brought: bool, tmp_path: Path) -> None:
    path = tmp_path / ".qwen" / "settings.json"
    path.parent.mkdir()
    path.write_text(text)
    assert brought(["RCS_DISABLE"], QWEN | {"RCS_DISABLE": "1"}, str(tmp_path)) == ["RCS_DISABLE"] * is_brought


@pytest.mark.parametrize("variable", ["QWEN_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR"])
def test_a_repository_is_not_the_home_of_a_clients_skills(variable: str, tmp_path: Path) -> None:
    project = tmp_path / "project"
    put(project)
    (project / ".claude").rename(project / ".evil")
    (project / ".git" / "refs").mkdir(parents=True)
    (project / ".env").write_text(f"{variable}=/proc/self/cwd/.evil\n")
    call = {"hook_event_name": "BeforeAgent", "session_id": "s1", "cwd": str(project), "prompt": "$release it"}
    env = clean_env() | {"GEMINI_SESSION_ID": "s1", variable: "/proc/self/cwd/.evil"}
    done = subprocess.run(
        [RCS_HOOK], input=json.dumps(call).encode(), cwd=project, env=env, capture_output=True, check=True
    )
    assert done.stdout == b"{}\n"


def test_the_file_in_the_home_is_the_persons_own(tmp_path: Path) -> None:
    project = tmp_path / "home" / "project"
    project.mkdir(parents=True)
    (tmp_path / "home" / ".env").write_text("RCS_DISABLE=1\n")
    env = GEMINI | {"RCS_DISABLE": "1", "HOME": str(tmp_path / "home")}
    assert brought(["RCS_DISABLE"], env, str(project)) == []


OF_LINE = ("", "A=1 ", "A='x' ", "export ", "\ufeff", "A=$B;", "\t", "A=1\n", "A=1\r", "# a\u2028", "A='\n'\n")
AROUND = ("", " ", "\t", "\n", "\r\n", "\xa0", "\u2028", "\x0c", "\x85", "\0", "\ufeff", "'", '"', "\\\n")


def test_whatever_is_around_an_operator_after_a_name_it_may_assign(tmp_path: Path) -> None:
    env = QWEN | {"RCS_ROOT": "/elsewhere", "HOME": "/nowhere"}
    forms = [f"{a}RCS_ROOT{b}{c}{b}/elsewhere" for a in OF_LINE for b in AROUND for c in "=:"]
    assert len(forms) > 300
    passed = []
    for form in forms:
        (tmp_path / ".env").write_bytes(form.encode())
        passed += [] if brought(["RCS_ROOT"], env, str(tmp_path)) else [form]
    # Nothing else takes what follows `=` on the next line for its value, if it is not quoted there.
    assert [form for form in passed if not re.search(r"^\s*(export )?RCS_ROOT\s*=\r?\n/elsewhere", form, re.M)] == []


def test_without_an_operator_after_it_a_name_assigns_nothing(tmp_path: Path) -> None:
    env = QWEN | {"RCS_ROOT": "/elsewhere", "HOME": "/nowhere"}
    forms = [f"{a}RCS_ROOT{b}/elsewhere" for a in OF_LINE for b in (*AROUND, "/", ", ", ". ", "}", ")/", "#", " and ")]
    for form in forms:
        (tmp_path / ".env").write_bytes(form.encode())
        assert brought(["RCS_ROOT"], env, str(tmp_path)) == [], form


@each_row(
    "text",
    [
        "A=x" + " " * 200_000 + "x RCS_ROOT=1",
        "RCS_ROOT=x" + " " * 200_000 + "x",
        "\n" * 200_000 + "RCS_ROOT=1",
        "A=1 # RCS_ROOT=1" * 12_000,
        "RCS_ROOT " * 25_000,
        "A=1 RCS_ROOT\n" * 18_000,
        "RCS_ROOT:\n" * 20_000,
        "'\"`" * 60_000 + "RCS_ROOT=1",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_a_file_that_a_repository_made_long_is_read_in_time(text: str, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(text)
    env = QWEN | {"RCS_ROOT": "/elsewhere", "HOME": "/nowhere"}
    assert least(lambda: processor(lambda: brought(["RCS_ROOT"], env, str(tmp_path))), 1) <= 1


def test_a_link_to_itself_brings_nothing_for_no_client_can_read_it(tmp_path: Path) -> None:
    (tmp_path / ".env").symlink_to(".env")
    (tmp_path / ".gemini").symlink_to(".gemini")
    assert brought(["RCS_DISABLE", "RCS_DB"], GEMINI | {"RCS_DISABLE": "1", "RCS_DB": "x"}, str(tmp_path)) == []


def test_a_file_that_cannot_be_read_may_have_brought_all(tmp_path: Path) -> None:
    (tmp_path / ".env").symlink_to("x" * 300)
    assert brought(["RCS_DISABLE", "RCS_DB"], GEMINI | {"RCS_DISABLE": "1", "RCS_DB": "x"}, str(tmp_path)) == [
        "RCS_DISABLE",
        "RCS_DB",
    ]


def test_a_file_that_is_too_long_may_have_brought_all(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("#" * 300_000)
    assert brought(["RCS_DISABLE"], GEMINI | {"RCS_DISABLE": "1"}, str(tmp_path)) == ["RCS_DISABLE"]


@each_row(("text", "expected"), [("RCS_DISABLE=1", ["RCS_DISABLE"]), ("A=1", []), (None, [])])
def test_a_link_is_followed_as_clients_do(text: str | None, expected: list[str], tmp_path: Path) -> None:
    link, file = tmp_path / ".env", tmp_path / "settings"
    link.unlink(missing_ok=True)
    file.unlink(missing_ok=True)
    if text is not None:
        file.write_text(text)
    link.symlink_to(file)
    assert brought(["RCS_DISABLE"], GEMINI | {"RCS_DISABLE": "1"}, str(tmp_path)) == expected


def test_a_pipe_in_its_place_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".env")
    assert brought(["RCS_DISABLE"], GEMINI | {"RCS_DISABLE": "1"}, str(tmp_path)) == []


@pytest.mark.parametrize("name", ["RCS_DISABLE", "RCS_ROOT", "RCS_RECORD", "CLAUDE_PROJECT_DIR"])
@pytest.mark.parametrize("is_brought", [True, False])
def test_a_whole_hook_call_obeys_the_person_and_not_the_repository(name: str, is_brought: bool, tmp_path: Path) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    (project / ".git" / "refs").mkdir(parents=True)
    elsewhere.mkdir()
    value = "1" if name == "RCS_DISABLE" else str(elsewhere)
    (project / ".env").write_text(f"{name}={value if is_brought else 'another'}\n")
    call = {"hook_event_name": "BeforeAgent", "session_id": "s1", "cwd": str(project), "prompt": "$forge go"}
    env = clean_env() | {"GEMINI_SESSION_ID": "s1", name: value}
    done = subprocess.run(
        [RCS_HOOK], input=json.dumps(call).encode(), cwd=project, env=env, capture_output=True, check=True
    )
    assert b"detected: $forge" in done.stdout or name == "RCS_DISABLE"
    runs_here = (project / ".rcs" / "state").exists()
    assert (runs_here, bool(list(elsewhere.iterdir()))) == {
        "RCS_DISABLE": (is_brought, False),
        "RCS_ROOT": (is_brought, not is_brought),
        "CLAUDE_PROJECT_DIR": (is_brought, not is_brought),
        "RCS_RECORD": (True, not is_brought),
    }[name]


@pytest.mark.parametrize("name", ["CLAUDE_PROJECT_DIR", "CLAUDE_CODE_SESSION_ID"])
@pytest.mark.parametrize("is_brought", [True, False])
def test_in_the_agents_shell_a_repository_names_neither_the_workspace_nor_the_session(
    name: str, is_brought: bool, tmp_path: Path
) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    (project / ".git" / "refs").mkdir(parents=True)
    elsewhere.mkdir()
    value = str(elsewhere) if name == "CLAUDE_PROJECT_DIR" else "s2"
    (project / ".env").write_text(f"{name}={value if is_brought else 'another'}\n")
    for session in ("s1", "s2"):
        call = {"hook_event_name": "BeforeAgent", "session_id": session, "cwd": str(project), "prompt": "$forge go"}
        env = clean_env() | {"GEMINI_SESSION_ID": session}
        given = json.dumps(call).encode()
        subprocess.run([RCS_HOOK], input=given, cwd=project, env=env, capture_output=True, check=True)

    command = [str(RCS_HOOK.parent / "rcs"), "state", "write", "--mode", "forge", "--outcome", "finished"]
    command += ["--session", "s1"] if name == "CLAUDE_PROJECT_DIR" else []
    shell = clean_env() | {"GEMINI_CLI": "1", name: value}
    done = subprocess.run(command, cwd=project, env=shell, capture_output=True, check=False)
    works = is_brought if name == "CLAUDE_PROJECT_DIR" else not is_brought
    assert (done.returncode == 0) == works, done.stderr
