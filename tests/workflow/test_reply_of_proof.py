"""The reply to a write says what came of a proof, whether a run that has finished is proven, and what to type next."""

from __future__ import annotations

from rcs_hooks.catalog import MODES
from rcs_hooks.workflow.commands import Commands
from rcs_hooks.workflow.messages.proof import refused_unproven
from rcs_hooks.workflow.messages.write_reply import Written, write_reply
from rcs_hooks.workflow.mode_record import ModeRecord
from rcs_hooks.workflow.proof import Proof, judged
from tests.table import each_row

COMMANDS = Commands("rcs", "s1")


def reply(before: dict[str, object], after: dict[str, object]) -> list[str]:
    first, last = (ModeRecord({"active": True} | fields) for fields in (before, after))
    return write_reply([Written(MODES["forge"], first, last, COMMANDS)]).splitlines()


PROVEN = judged(Proof("pytest -q", 0, 1.0, "2026-03-01T10:00:00Z", "git:" + "a" * 64), "proven", at="2026-03-01")
STALE = PROVEN | {"state": "stale"}
FAILED = PROVEN | {"exit": 1, "state": "unproven"}
DONE = {"active": False, "lifecycle_outcome": "finished", "current_phase": "verifying"}
TO_PROVE = "To prove it: rcs prove --mode forge --session s1 -- "


@each_row(
    ("fields", "first", "second"),
    [
        (DONE, "forge: finished, unproven.", TO_PROVE + "COMMAND"),
        (DONE | {"proof": PROVEN}, "forge: finished, proven by `pytest -q`.", "In the last message"),
        (
            DONE | {"proof": STALE},
            "forge: finished, stale: files have changed since `pytest -q` passed.",
            TO_PROVE + "pytest -q",
        ),
        (
            DONE | {"proof": PROVEN, "early": True, "current_phase": "fixing"},
            "forge: finished, proven by `pytest -q`; early: in phase fixing.",
            "In the last message",
        ),
        (DONE | {"proof_named": True}, "forge: finished, unproven.", TO_PROVE.removesuffix(" -- ")),
        (
            DONE | {"proof": STALE | {"folder": "sub"}},
            "forge: finished, stale: files have changed since `pytest -q` in sub passed.",
            "To prove it (in sub/): rcs prove --mode forge --session s1 -- pytest -q",
        ),
    ],
)
def test_an_end_says_whether_it_is_proven_and_how_to_prove_it(
    fields: dict[str, object], first: str, second: str
) -> None:
    lines = reply({"current_phase": "verifying"}, fields)
    assert (lines[0], lines[1][: len(second)]) == (first, second)


GOES_ON = "forge: verifying, round 1."
WAYS = (
    "check fails: rcs state write --mode forge --phase fixing --session s1",
    "all pass: rcs prove --finish --mode forge --session s1 -- pytest -q",
)
PASSED = "forge: `pytest -q` passed; it proves the run as long as no file changes."


@each_row(
    ("phase", "proof", "lines"),
    [
        (
            "verifying",
            PROVEN,
            [GOES_ON, PASSED, "To finish: rcs state write --mode forge --outcome finished --session s1"],
        ),
        ("verifying", FAILED, [GOES_ON, "forge: unproven: `pytest -q` failed (exit 1).", *WAYS]),
    ],
)
def test_the_reply_to_a_proof_of_a_run_that_goes_on(phase: str, proof: dict[str, object], lines: list[str]) -> None:
    before: dict[str, object] = {"current_phase": phase, "iteration": 1}
    assert reply(before, before | {"proof": proof}) == lines
    assert reply(before | {"proof": proof}, before | {"proof": proof}) == lines[:1]


@each_row(
    ("proof", "came"),
    [(PROVEN, PASSED), (FAILED, "forge: unproven: `pytest -q` failed (exit 1).")],
)
def test_a_proof_of_a_run_that_waits_for_the_user_says_what_came_of_it(proof: dict[str, object], came: str) -> None:
    before: dict[str, object] = {"current_phase": "verifying", "lifecycle_outcome": "askuserQuestion"}
    waits = "forge waits for the user: end the turn."
    assert reply(before, before | {"proof": proof}) == [came, waits]
    assert reply(before | {"proof": proof}, before | {"proof": proof}) == [waits]


def test_runs_that_one_proof_lets_finish_are_finished_by_one_command() -> None:
    before: dict[str, object] = {"active": True, "current_phase": "verifying", "iteration": 1}
    fixing = before | {"current_phase": "fixing"}
    records = (("team", before), ("forge", before), ("ultraqa", fixing))
    written = [
        Written(MODES[mode], ModeRecord(fields), ModeRecord(fields | {"proof": PROVEN}), COMMANDS)
        for mode, fields in records
    ]
    assert write_reply(written).splitlines()[-2:] == [
        "To finish: rcs state write --mode team,forge --outcome finished --session s1",
        "cause is repaired: rcs state write --mode ultraqa --phase running --session s1",
    ]


GIVE_UP = "to give up: rcs state write --mode forge --outcome failed --reason WHY --session s1"


@each_row(
    ("verdict", "command", "lines"),
    [
        (
            "",
            "",
            [
                "forge: finished is refused, for rcs.toml requires a proof: "
                "rcs prove --finish --mode forge --session s1 -- COMMAND",
                GIVE_UP,
            ],
        ),
        (
            "stale: files have changed since `make check` passed",
            "make check",
            [
                "forge: finished is refused, for rcs.toml requires a proof: "
                "rcs prove --finish --mode forge --session s1",
                "the newest proof: stale: files have changed since `make check` passed",
                GIVE_UP,
            ],
        ),
    ],
)
def test_the_refusal_of_an_unproven_end_has_the_command_that_proves_it(
    verdict: str, command: str, lines: list[str]
) -> None:
    said = refused_unproven("forge", ["forge"], verdict, required_by="rcs.toml", command=command, commands=COMMANDS)
    assert said.splitlines() == lines
