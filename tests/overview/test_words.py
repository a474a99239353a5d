"""The words of the overview: grouped, bounded by the terminal, and with commands that can be pasted."""

from __future__ import annotations

import pytest

from rcs_hooks.overview.collect import grouped
from rcs_hooks.overview.entries import AskedQuestion, Entry, LastStop
from rcs_hooks.overview.words import MOST, NOTHING, lines
from rcs_hooks.terminal.style import FEW, PLAIN, Style
from rcs_hooks.workflow.proof import ProofStatus

NOW = 1_700_000_000.0
UUID = "3f2a9c01-1111-4222-8333-444455556666"
TEN_MINUTES_AGO = "2023-11-14T22:03:20.000Z"
TWO_HOURS_AGO = "2023-11-14T20:13:20.000Z"
COMMAND = f"rcs state clear --mode forge --session {UUID} --root /a/long/folder/in/which/the/workspace/is"
ENTRIES = (
    Entry(
        "mode", "forge", "fix the ledger", "waiting", UUID, since=TEN_MINUTES_AGO, phase="verifying",
        detail="asks: May a transfer overdraw the account of its sender, if the limit allows it? (yes | no)",
        to="To answer", command="rcs question answer q-1 'YOUR ANSWER'",
        question=AskedQuestion("q-1", "May it?", ("yes", "no")),
    ),
    Entry("mode", "team", "team s2", "waiting", "s2", detail="it cannot be read", to="To clear it", command=COMMAND,
          has_title=False, is_unreadable=True),
    Entry("mode", "ultrawork", "fix the flaky tests", "running", UUID, since=TEN_MINUTES_AGO,
          detail="phase executing, round 2 of 50", phase="executing", iteration=2, max_iterations=50,
          stop=LastStop(True, TEN_MINUTES_AGO), proof=ProofStatus("proven", "pytest -q", 0, TEN_MINUTES_AGO)),
    Entry("mode", "forge", "forge of the workspace", "running", since=TWO_HOURS_AGO, detail="phase starting",
          phase="starting", stop=LastStop(False, None), has_title=False),
    Entry("run", "scan", "audit of the parser", "running", id=UUID, since=TWO_HOURS_AGO, detail="running"),
    Entry("mode", "forge", "build it", "ended", "s3", since=TEN_MINUTES_AGO, outcome="finished", verdict="proven",
          detail="finished, proven by `pytest -q`"),
    Entry("mode", "forge", "forge s4", "ended", "s4", since=TWO_HOURS_AGO, outcome="finished", is_early=True,
          detail="finished early, in phase executing; unproven", verdict="unproven", has_title=False),
    Entry("run", "scan", "scan 3f2a9c01", "ended", id=UUID, since=TWO_HOURS_AGO, outcome="failed",
          detail="failed at read", has_title=False),
    Entry("task", "login", "login", "tasks", id="login", detail="phase codegen", phase="codegen", to="What it needs",
          command="rcs task status login", has_title=False),
    Entry("mode", "autopilot", "do it all", "closed", UUID, since=TWO_HOURS_AGO, phase="forge", iteration=1,
          max_iterations=10,
          detail="phase forge, round 1 of 10; its client has closed the session, and resuming it goes on"),
)  # fmt: skip

AT_80 = """\
Waits for you (1), unreadable (1)
  fix the ledger       forge      verifying       for 10 min  3f2a9c01
    asks: May a transfer overdraw the account of its sender, if the limit allows
    it? (yes | no)
    To answer: rcs question answer q-1 'YOUR ANSWER'
  team                            unreadable                  s2
    it cannot be read
    To clear it:
COMMAND

Runs (3)
  fix the flaky tests  ultrawork  executing 2/50  for 10 min  3f2a9c01
    kept from stopping 10 min ago; `pytest -q` passed 10 min ago
  forge                           starting        for 2 h     workspace
    Stop let it go, as nothing had changed: `go on` continues it, `$cancel` ends
    it
  audit of the parser  scan       running         for 2 h     3f2a9c01

Ended in the last day (3)
  build it             forge      finished        10 min ago  s3
    proven by `pytest -q`
  forge                           finished early  2 h ago     s4
    in phase executing; unproven
  scan                            failed          2 h ago     3f2a9c01
    at read

Tasks (1)
  login                           codegen
    What it needs: rcs task status login

In closed sessions (1)
  do it all            autopilot  forge 1/10      2 h ago     3f2a9c01
    its client has closed the session, and resuming it goes on
"""


def shown(width: int, *entries: Entry, style: Style = PLAIN) -> list[str]:
    return list(lines(grouped(entries), NOW, width=width, style=style))


def test_at_eighty_columns() -> None:
    expected = AT_80.replace("COMMAND", COMMAND).splitlines()
    assert shown(80, *ENTRIES) == expected


@pytest.mark.parametrize("width", [40, 44, 79, 120, 1000])
def test_no_line_but_a_command_is_wider_than_the_terminal(width: int) -> None:
    found = shown(width, *ENTRIES)
    assert all(len(line) <= width for line in found if "rcs " not in line)
    assert (f"    To clear it: {COMMAND}" in found) if width == 1000 else (COMMAND in found)


def test_nothing_is_one_friendly_line() -> None:
    assert " ".join(shown(80)) == NOTHING


def test_of_very_many_the_first_are_shown() -> None:
    found = shown(80, *(ENTRIES[2],) * (MOST + 5))
    assert found[-1] == "    and 5 more: rcs status --json"
    assert len(found) == 2 + 2 * MOST


def test_the_outcome_has_the_colour_of_its_verdict() -> None:
    proven, unproven = (shown(80, entry, style=FEW)[1] for entry in ENTRIES[5:7])
    assert "\x1b[32mfinished\x1b[0m" in proven
    assert "\x1b[35mfinished early\x1b[0m" in unproven
