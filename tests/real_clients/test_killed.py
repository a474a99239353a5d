"""A hook that is killed at a Stop in the middle of a run, by hand or by the client's time-out: the state is whole."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.files.paths import JOURNAL, STAGED
from tests.clients.broken import stand_in
from tests.real_clients.configure import ALL_CLIENTS, configure
from tests.real_clients.test_broken import PROMPT, PYTHON, end, left_in, run_instead
from tests.real_clients.test_turns import DETECTED, REASON, WORKING, counts, ended_well
from tests.sweep import strace

if TYPE_CHECKING:
    from pathlib import Path

    from tests.real_clients.driver import Person
    from tests.support import Workspace

pytestmark = [pytest.mark.slow, pytest.mark.parametrize("client", ALL_CLIENTS)]

HOOK = f'{shlex.quote(PYTHON)} "$@"'
RENAMES = "rename,renameat,renameat2"
KILLED = f"strace -qq -f -o /dev/null -e trace={RENAMES} -e inject={RENAMES}:signal=KILL {HOOK}"
"""At its first commit."""
SILENT = f"answer=$({HOOK}); sleep 600"
"""It has committed, and the client hears nothing of it."""
AT_A_STOP = """call=$(cat)
case $call in
*'"Stop"'* | *'"AfterAgent"'*) [ -e {cured} ] || {{ touch {struck}; printf %s "$call" | {{ {instead}; }}; exit; }} ;;
esac
printf %s "$call" | {hook}"""


@pytest.mark.parametrize(
    "instead", [pytest.param(KILLED, id="killed"), pytest.param(SILENT, id="timed out", marks=pytest.mark.full)]
)
def test_after_a_hook_that_was_killed(person: Person, workspace: Workspace, tmp_path: Path, instead: str) -> None:
    if instead == KILLED and (why := strace.why_not()):
        pytest.skip(why)
    cured, struck = tmp_path / "cured", tmp_path / "struck"
    configure(person.client, person.workspace, "command")
    run_instead(person, stand_in(tmp_path, AT_A_STOP.format(cured=cured, struck=struck, instead=instead, hook=HOOK)))
    try:
        first = person.types(PROMPT, WORKING)
    finally:
        end(left_in(person.workspace))
    assert ended_well(first)
    assert struck.exists()
    assert counts(first, DETECTED) == [1]
    assert workspace.active(first.session) == ["forge"]

    cured.touch()
    second = person.types("go on", WORKING, resume=first.session)
    assert ended_well(second)
    assert [count > 0 for count in counts(second, REASON)] == [False] + [True] * 5
    assert workspace.active(first.session) == ["forge"]
    assert [path.name for path in workspace.root.rglob("*") if path.name.endswith((JOURNAL, STAGED))] == []
