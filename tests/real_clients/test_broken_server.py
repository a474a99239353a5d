"""Our MCP server gone, broken, silent or killed behind the entries that `rcs setup` writes: the turn goes on."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.clients.broken import GARBAGE, KILLED, SILENT, WITH_WORDS, WITHOUT_A_WORD, stand_in
from tests.real_clients import fake_server
from tests.real_clients.configure import RCS, configure, hooks_file
from tests.real_clients.model_server import run
from tests.real_clients.test_broken import PROMPT, end, goes_through, left_in, run_instead
from tests.real_clients.test_turns import DETECTED, DONE, FINISH, WORKING, counts, ended_well

if TYPE_CHECKING:
    from tests.real_clients.driver import Person
    from tests.support import Workspace

pytestmark = [pytest.mark.slow]

BROKEN = WITHOUT_A_WORD | WITH_WORDS | KILLED | GARBAGE
SAMPLE = ("Python is gone", "no JSON", "silence", "garbage")
ANSWERS = ("garbage", "half", "error", "noise", "silence", "end")
CONFIGS = (".mcp.json", ".codex/config.toml")


def few_of(rows: object) -> list[object]:
    assert isinstance(rows, dict | tuple)
    return [row if row in SAMPLE else pytest.param(row, marks=pytest.mark.full) for row in rows]


def serve_instead(person: Person, program: str) -> None:
    """Let the client start this in place of our server."""
    (file,) = (person.workspace / name for name in CONFIGS if (person.workspace / name).exists())
    text = file.read_text()
    ours = json.dumps(str(RCS))
    assert text.count(ours) == 1
    file.write_text(text.replace(ours, json.dumps(program)))


def set_up(person: Person, seconds: int = 10) -> None:
    """Let hooks be tools of our server, which the client waits for so long."""
    configure(person.client, person.workspace, "mcp")
    file = hooks_file(person.client, person.workspace)
    file.write_text(file.read_text().replace('"timeout": 10', f'"timeout": {seconds}'))


def program(folder: Path, text: str) -> str:
    path = folder / "a server"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize("what", few_of(BROKEN))
def test_a_server_that_does_not_start(person: Person, tmp_path: Path, what: str) -> None:
    """Its commands are broken in the same way: those for the start and the end of a session."""
    set_up(person)
    python = BROKEN[what](tmp_path)
    run_instead(person, python)
    serve_instead(person, python)
    goes_through(person)


@pytest.mark.parametrize("what", [pytest.param(name, marks=pytest.mark.full) for name in SILENT])
def test_a_server_that_never_answers(person: Person, tmp_path: Path, what: str) -> None:
    set_up(person, 1)
    serve_instead(person, stand_in(tmp_path, SILENT[what]))
    person.env["MCP_TIMEOUT"] = "1000"
    wait_one_second_for_the_server(person)
    try:
        goes_through(person)
    finally:
        end(left_in(person.workspace))


@pytest.mark.parametrize("way", few_of(ANSWERS))
def test_a_server_that_answers_a_hook_with(person: Person, tmp_path: Path, way: str) -> None:
    set_up(person, 1)
    command = shlex.join([sys.executable, "-I", str(Path(fake_server.__file__)), way])
    serve_instead(person, program(tmp_path, f"exec {command}"))
    goes_through(person)


def test_a_server_that_is_killed_in_mid_turn(person: Person, workspace: Workspace, tmp_path: Path) -> None:
    """Claude Code starts it again, and the turn is held; Codex does not, and holds the next one. The run is whole."""
    set_up(person)
    go, gone = person.workspace / "go", person.workspace / "gone"
    real = f'{shlex.quote(str(RCS))} "$@"'
    waits = f"until [ -e {go} ]; do sleep 0.05; done; kill -KILL $!; wait $!; touch {gone}"
    serve_instead(person, program(tmp_path, f"[ ! -e {gone} ] || exec {real}\nexec 3<&0\n{real} <&3 &\n{waits}"))
    kills = run(f"touch {go}; until [ -e {gone} ]; do sleep 0.05; done")
    first = person.types(PROMPT, kills, WORKING)
    assert ended_well(first)
    assert counts(first, DETECTED) == [1] * {"codex": 2, "claude": 2 + 5}[person.client]
    assert workspace.active(first.session) == ["forge"]

    second = person.types("go on", WORKING, FINISH, DONE, resume=first.session)
    assert ended_well(second)
    assert len(second.requests) == 3
    assert workspace.active(first.session) == []


def wait_one_second_for_the_server(person: Person) -> None:
    """Codex waits for a server by what its own entry says."""
    file = person.workspace / ".codex/config.toml"
    if file.exists():
        head = "[mcp_servers.rcs_state]\n"
        text = file.read_text()
        assert head in text
        file.write_text(text.replace(head, f"{head}startup_timeout_sec = 1\n"))
