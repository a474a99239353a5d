"""Our program gone, broken or silent behind the entries that `rcs setup` writes: a prompt goes through, a turn ends."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.real_clients.configure import CLIENTS, RCS, TRANSPORTS, configure
from tests.real_clients.test_turns import WORKING, counts, ended_well

if TYPE_CHECKING:
    from tests.real_clients.configure import Transport
    from tests.real_clients.driver import Person

pytestmark = [
    pytest.mark.slow,
    pytest.mark.parametrize("client", CLIENTS),
    pytest.mark.parametrize("transport", TRANSPORTS),
]

PROGRAMS = ("python3", "rcs", "rcs-hook")
BREAKS = {
    "not a program": "",
    "its interpreter is gone": "#!/nonexistent/python3\n",
    "exit 1": "#!/bin/sh\necho broken >&2\nexit 1\n",
    "exit 2": "#!/bin/sh\necho broken >&2\nexit 2\n",
    "exit 127": "#!/bin/sh\nexit 127\n",
    "killed": "#!/bin/sh\nkill -9 $$\n",
    "garbage": "#!/bin/sh\necho 'Warning: {\"decision\": '\n",
    "the package is gone": f'#!/bin/sh\nexec {Path(sys.executable).resolve()} -I "$@"\n',
}
SAMPLE = ("exit 2", "garbage")
SILENT = "#!/bin/sh\nexec sleep 600\n"


def break_program(person: Person, folder: Path, text: str | None, *, seconds: int | None = None) -> None:
    """Puts this in the place of our programs in every file of the client's; None: nothing is there."""
    if text is not None:
        folder.mkdir()
        for name in PROGRAMS:
            (folder / name).write_text(text)
            (folder / name).chmod(0o755 if text else 0o644)
    for file in (*person.workspace.glob(".c*/*"), person.workspace / ".mcp.json"):
        if file.is_file():
            changed = file.read_text().replace(str(RCS.parent), str(folder))
            changed = changed.replace('"timeout": 10', f'"timeout": {seconds}') if seconds else changed
            file.write_text(changed)


def goes_through(person: Person) -> bool:
    outcome = person.types("$forge ship this fix", WORKING)
    assert ended_well(outcome)
    assert counts(outcome, "$forge ship this fix") == [1]
    assert counts(outcome, "[rcs]") == [0]
    assert outcome.out.count(WORKING.text) >= 1
    return True


def test_gone(person: Person, transport: Transport, tmp_path: Path) -> None:
    configure(person.client, person.workspace, transport)
    break_program(person, tmp_path / "gone", None)
    assert goes_through(person)


@pytest.mark.parametrize("way", [way if way in SAMPLE else pytest.param(way, marks=pytest.mark.full) for way in BREAKS])
def test_broken(person: Person, transport: Transport, tmp_path: Path, way: str) -> None:
    configure(person.client, person.workspace, transport)
    break_program(person, tmp_path / "broken", BREAKS[way])
    assert goes_through(person)


def test_silent_until_the_client_has_no_more_patience(person: Person, transport: Transport, tmp_path: Path) -> None:
    configure(person.client, person.workspace, transport)
    break_program(person, tmp_path / "silent", SILENT, seconds=1)
    if transport == "mcp":
        person.env["MCP_TIMEOUT"] = "1000"
        wait_one_second_for_the_server(person)
    assert goes_through(person)


def wait_one_second_for_the_server(person: Person) -> None:
    """Codex waits for a server by what its own entry says."""
    file = person.workspace / ".codex/config.toml"
    if file.exists():
        head = "[mcp_servers.rcs_state]\n"
        text = file.read_text()
        assert head in text
        file.write_text(text.replace(head, f"{head}startup_timeout_sec = 1\n"))
