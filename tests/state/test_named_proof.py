"""The record of a run says whether the settings name the command that proves it, for hooks read no settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rcs_hooks.errors import Refused
from rcs_hooks.state import judging
from rcs_hooks.state.writing import write
from tests import own_modes
from tests.cli.test_state_commands import rcs
from tests.state.test_proving import ANY, NEEDED, at, proven
from tests.support import Record
from tests.table import each_row

if TYPE_CHECKING:
    from pathlib import Path

DONE = {"lifecycle_outcome": "finished"}
NAMED: Record = {"proof_named": True}
BY_NAME = "rcs prove --finish --mode forge --session s1"


class Desk(own_modes.Desk):
    """A workspace whose person has settings of their own."""

    def named(self, command: str = "make check") -> Desk:
        (self.home / ".rcs").mkdir(exist_ok=True)
        (self.home / ".rcs" / "config.toml").write_text(f'[proof]\ncommand = "{command}"\n' if command else "")
        return self

    def writes(self, mode: str = "forge", session: str | None = "s1", **fields: Any) -> Any:
        """Write as `rcs state write` does; return the answer."""
        scope = at(self, session, HOME=str(self.home))
        return write(scope, mode.split(","), fields, root_scope=session is None)

    def is_named(self, mode: str = "forge", session: str | None = "s1") -> object:
        return self.read(mode, session).get("proof_named")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


# the mode, its record, what is written, and what the record says then where the settings name a command
ROWS: list[tuple[str, Record, Record, bool | None]] = [
    # into a phase from which the machine can end, and out of it
    ("forge", {"current_phase": "executing"}, {"current_phase": "verifying"}, True),
    ("forge", {"current_phase": "executing"}, {"current_phase": "Verifying"}, True),
    ("forge", {"current_phase": "starting"}, {"current_phase": "executing"}, None),
    ("forge", {"current_phase": "verifying"} | NAMED, {"current_phase": "fixing"}, None),
    ("ultraqa", {"current_phase": "planning"}, {"current_phase": "running"}, True),
    ("autopilot", {"current_phase": "forge"}, {"current_phase": "code-review"}, True),
    # stated once more, or any other field
    ("forge", {"current_phase": "verifying"}, {"current_phase": "verifying"}, True),
    ("forge", {"current_phase": "verifying"}, {"evidence": "9 pass"}, True),
    ("forge", {"current_phase": "verifying"} | NAMED, {"state": {"a": 1}}, True),
    ("forge", {"current_phase": "a word of another tool"}, {"evidence": "9 pass"}, True),
    ("forge", {"current_phase": "executing"} | NAMED, {"evidence": "9 pass"}, None),
    # ends, after some of which a run is taken up where it was
    ("forge", {"current_phase": "verifying"}, DONE, True),
    ("forge", {"current_phase": "executing"}, DONE, True),
    ("forge", {"current_phase": "verifying"}, {"lifecycle_outcome": "blocked"}, True),
    ("forge", {"current_phase": "executing"} | NAMED, {"lifecycle_outcome": "failed"}, None),
    ("forge", {"current_phase": "verifying", "active": False} | DONE, {"evidence": "9 pass"}, True),
    ("forge", {"current_phase": "verifying"} | NAMED, {"fresh": True}, None),
    # a plan needs none
    ("blueprint", {"current_phase": "planning"}, {"current_phase": "reviewing"}, None),
    ("blueprint", {"current_phase": "reviewing"} | NAMED, DONE, None),
    # any type of another tool's
    ("forge", {"current_phase": "verifying", "proof_named": ["x"]}, {"evidence": "9 pass"}, True),
    ("forge", {"current_phase": "executing", "proof_named": 1}, {"evidence": "9 pass"}, None),
]


@each_row("command", ["make check", ""])
@each_row("mode, before, written, expected", ROWS)
def test_a_write_says_in_the_record_whether_the_settings_name_the_command(
    command: str, mode: str, before: Record, written: Record, expected: bool | None, tmp_path: Path
) -> None:
    desk = Desk(tmp_path).named(command)
    desk.write(mode, **before)
    desk.writes(mode, **written)
    assert desk.is_named(mode) is (expected if command else None)


def test_one_write_says_it_of_each_run_and_one_proof_is_told(desk: Desk) -> None:
    desk.named()
    for mode in ("forge", "team"):
        desk.write(mode, current_phase="executing")
    said = desk.writes("team,forge", current_phase="verifying")["says"]
    assert (desk.is_named("team"), desk.is_named("forge")) == (True, True)
    assert said.splitlines()[-1].endswith(": rcs prove --finish --mode team,forge --session s1")


def test_a_project_counts_once_it_is_trusted(desk: Desk) -> None:
    desk.named("")
    (desk.root / ".rcs").mkdir(parents=True)
    (desk.root / "rcs.toml").write_text('[proof]\ncommand = "make check"\n')
    desk.write("forge", current_phase="executing")
    desk.writes(current_phase="verifying")
    assert desk.is_named() is None
    home = {"HOME": str(desk.home)}
    assert rcs(desk.root, "config", "trust", **home).status == 0
    assert desk.writes(evidence="9 pass")
    assert desk.is_named() is True
    assert desk.stop().reason.count(BY_NAME + "\n") == 1
    assert rcs(desk.root, "config", "trust", "--remove", **home).status == 0
    desk.writes(current_phase="verifying")
    assert desk.is_named() is None


def test_a_proof_says_it_too_and_one_that_may_not_finish(desk: Desk) -> None:
    desk.write("forge", current_phase="verifying")
    proven(desk, settings=NEEDED, command="make check", exit=2)
    assert desk.is_named() is True
    proven(desk, settings=ANY)
    assert desk.is_named() is None
    desk.edit("forge", active=False)
    desk.write("autopilot", current_phase="code-review", state={"review_verdict": "not clean"})
    with pytest.raises(Refused):
        proven(desk, settings=NEEDED, command="make check", finish=True)
    assert desk.is_named("autopilot") is True


def test_a_run_that_comes_there_while_the_settings_are_not_read_says_it_all_the_same(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.named()
    desk.write("forge", current_phase="executing")
    seen: list[bool] = []
    judged = judging.needs_settings

    def meanwhile(mode: Any, record: Any) -> bool:
        needs = judged(mode, record)
        if not seen:  # another process moves the run after the first look
            desk.edit("forge", current_phase="verifying")
        seen.append(needs)
        return needs

    monkeypatch.setattr(judging, "needs_settings", meanwhile)
    desk.writes(evidence="9 pass")
    assert seen[0] is False
    assert desk.is_named() is True


def test_a_run_that_is_taken_up_is_told_the_same_and_a_new_one_is_not(desk: Desk) -> None:
    desk.named()
    desk.prompt("$forge fix the ledger")
    for phase in ("executing", "verifying"):
        desk.writes(current_phase=phase)
    assert f": {BY_NAME}\n" in desk.stop().reason
    desk.prompt("$cancel")
    assert f": {BY_NAME}\n" in desk.prompt("$forge").context
    assert f": {BY_NAME}\n" in desk.call("SessionStart", source="compact").context
    desk.writes(**DONE)
    assert desk.stop().notice == ("rcs: forge finished, unproven. To prove it: rcs prove --mode forge --session s1")
    desk.prompt("$forge another thing")
    assert "proof_named" not in desk.read("forge")


def test_a_refused_word_for_the_end_names_it(desk: Desk) -> None:
    desk.write("forge", current_phase="verifying")
    for expected in (f"{BY_NAME} -- COMMAND", BY_NAME):
        with pytest.raises(Refused) as refused:
            desk.writes(current_phase="done")
        assert str(refused.value).splitlines()[1] == f"to end the run: {expected}"
        desk.named().writes(evidence="9 pass")
