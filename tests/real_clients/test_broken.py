"""Our program gone, broken or silent behind the entries that `rcs setup` writes: a prompt goes through, a turn ends."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.clients.broken import BROKEN, SILENT, stand_in
from tests.real_clients.configure import RCS, configure
from tests.real_clients.model_server import run
from tests.real_clients.test_turns import WORKING, counts, ended_well

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.real_clients.driver import Outcome, Person

PYTHON = str(RCS.with_name("python3"))
PROMPT = "$forge ship this fix"
SECOND = {"timeout": 1, "timeoutSec": 1}


def files_of(person: Person) -> Iterator[Path]:
    """The files that setup has written in the project."""
    for path in sorted(person.workspace.glob(".*/**/*.json")):
        if PYTHON in path.read_text():
            yield path


def run_instead(person: Person, python: str, *, seconds: int | None = None) -> None:
    """Let every entry run this in place of our Python, as if setup had written it, and for so long at most."""
    changed = 0
    for file in files_of(person):
        settings = json.loads(file.read_text())
        for entry in entries_in(settings["hooks"]):
            ours = entry["command"]
            entry["command"] = ours.replace(shlex.quote(PYTHON), shlex.quote(python))
            changed += entry["command"] != ours
            for name in ("timeout", "timeoutSec"):
                if seconds and name in entry:
                    entry[name] = seconds * (1000 if entry[name] > 1000 else 1)
        file.write_text(json.dumps(settings))
    assert changed in (2, 4)  # over MCP only the start and the end of a session are commands


def entries_in(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict) and "command" in value:
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from entries_in(each)


def goes_through(person: Person) -> Outcome:
    """Type a prompt, and let the agent use a tool: after it, Qwen Code calls the prompt's hook again."""
    outcome = person.types(PROMPT, run("true"), WORKING)
    assert ended_well(outcome)
    assert counts(outcome, PROMPT) == [1, 1]
    assert counts(outcome, "[rcs]") == [0, 0]
    assert outcome.out.count(WORKING.text) >= 1
    assert not (person.workspace / ".rcs").exists()
    return outcome


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_hook_costs_nothing(person: Person, tmp_path: Path, what: str) -> None:
    configure(person.client, person.workspace, "command")
    run_instead(person, BROKEN[what](tmp_path))
    goes_through(person)


@pytest.mark.parametrize("what", SILENT)
def test_a_silent_hook_is_waited_for_until_its_time_out(person: Person, tmp_path: Path, what: str) -> None:
    """It would be silent for longer than the harness waits."""
    configure(person.client, person.workspace, "command")
    run_instead(person, stand_in(tmp_path, SILENT[what]), seconds=1)
    try:
        goes_through(person)
    finally:
        end(left_in(person.workspace))


def left_in(folder: Path) -> list[int]:
    """List the processes that work in this folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if entry.joinpath("cwd").readlink() == folder:
                found.append(int(entry.name))
        except OSError:  # it has ended meanwhile, or is somebody else's
            continue
    return found


def end(processes: list[int]) -> None:
    for process in processes:
        with contextlib.suppress(ProcessLookupError):  # it has ended with the one before
            os.kill(process, signal.SIGKILL)
