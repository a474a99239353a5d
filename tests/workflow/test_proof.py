"""The proof in a record of any content: whether it passed, whether it holds, and the words for it.

The expected values are written by hand.
"""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks.catalog import MODES
from rcs_hooks.workflow import proof as proofs
from rcs_hooks.workflow.mode_record import ModeRecord
from rcs_hooks.workflow.proof import PROVEN, STALE, UNPROVEN, Proof, ProofStatus, judged, status_of, verdict, words_of
from tests.table import each_row

TREE, OTHER = "git:" + "a" * 64, "git:" + "b" * 64
AT, LATER = "2026-03-01T10:00:00.000Z", "2026-03-01T10:05:00.000Z"
GOOD = Proof("pytest -q", 0, 12.5, AT, TREE, (), "20260301-100000-ab12.txt", False)
KEPT: dict[str, Any] = {
    "command": "pytest -q",
    "exit": 0,
    "seconds": 12.5,
    "at": AT,
    "tree": TREE,
    "changed": [],
    "output": "20260301-100000-ab12.txt",
    "timed_out": False,
}
DONE = {"lifecycle_outcome": "finished"}


def test_a_proof_is_read_as_it_was_written() -> None:
    assert GOOD.to_json() == KEPT
    assert Proof.from_json(KEPT) == GOOD
    assert Proof.from_json(judged(GOOD, PROVEN, at=LATER)) == GOOD
    assert ModeRecord({"proof": KEPT}).proof == GOOD
    assert ModeRecord({}).proof is None
    assert "proof" not in ModeRecord({"proof": KEPT}).extra


@each_row(
    ("folder", "kept"),
    [("sub", "sub"), (" a b ", " a b "), ("a\nb", "a\ufffdb"), ("x" * 201, "x" * 200), (7, ""), ([], ""), (None, "")],
)
def test_the_folder_of_a_command_is_kept_with_it(folder: Any, kept: str) -> None:
    read = Proof.from_json({**KEPT, "folder": folder})
    assert read == GOOD._replace(folder=kept)
    assert GOOD._replace(folder=kept).to_json() == KEPT | ({"folder": kept} if kept else {})


# the proof, whether it passed
PASSES = [
    (GOOD, True),
    (GOOD._replace(exit=1), False),
    (GOOD._replace(timed_out=True), False),
    (GOOD._replace(changed=("src/a.py",)), False),
    (GOOD._replace(seconds=0.0, output=""), True),
]


@each_row("proof, passed", PASSES)
def test_a_proof_passes_by_its_exit_alone_and_only_if_it_changed_no_tracked_file(proof: Proof, passed: bool) -> None:
    assert proof.passed is passed


# the newest proof, the fingerprint of the work tree now, the verdict
VERDICTS: list[tuple[Proof | None, str | None, str]] = [
    (None, TREE, UNPROVEN),
    (GOOD, TREE, PROVEN),
    (GOOD, OTHER, STALE),
    (GOOD, None, UNPROVEN),
    (GOOD, "files:" + "a" * 64, STALE),
    (GOOD._replace(exit=1), TREE, UNPROVEN),
    (GOOD._replace(timed_out=True), TREE, UNPROVEN),
    (GOOD._replace(changed=("a",)), TREE, UNPROVEN),
    (GOOD._replace(tree=""), "", UNPROVEN),
]


@each_row("proof, tree, expected", VERDICTS)
def test_a_run_is_proven_on_the_tree_of_its_newest_proof_alone(
    proof: Proof | None, tree: str | None, expected: str
) -> None:
    assert verdict(proof, tree) == expected


# what the field `proof` of the record holds, the state, the words
STATUSES: list[tuple[Any, str, str]] = [
    (None, UNPROVEN, "unproven"),
    (judged(None, UNPROVEN, at=LATER), UNPROVEN, "unproven"),
    (judged(GOOD, PROVEN, at=LATER), PROVEN, "proven by `pytest -q`"),
    (judged(GOOD, STALE, at=LATER), STALE, "stale: files have changed since `pytest -q` passed"),
    (judged(GOOD, UNPROVEN, at=LATER), UNPROVEN, "unproven"),
    (judged(GOOD._replace(folder="a b"), PROVEN, at=LATER), PROVEN, "proven by `pytest -q` in a b"),
    (
        judged(GOOD._replace(folder="../`\n" + "x" * 100), STALE, at=LATER),
        STALE,
        f"stale: files have changed since `pytest -q` in ../' {'x' * 34}… passed",
    ),
    (
        judged(GOOD._replace(folder="s", exit=1), UNPROVEN, at=LATER),
        UNPROVEN,
        "unproven: `pytest -q` in s failed (exit 1)",
    ),
    (
        judged(GOOD, UNPROVEN, at=LATER, why="is not the command that rcs.toml names"),
        UNPROVEN,
        "unproven: `pytest -q` is not the command that rcs.toml names",
    ),
    (KEPT, UNPROVEN, "unproven"),
    (judged(GOOD._replace(exit=1), UNPROVEN, at=LATER), UNPROVEN, "unproven: `pytest -q` failed (exit 1)"),
    (
        judged(GOOD._replace(exit=124, timed_out=True), UNPROVEN, at=LATER),
        UNPROVEN,
        "unproven: `pytest -q` timed out",
    ),
    (
        judged(GOOD._replace(changed=("a.py", "b.py", "c.py")), UNPROVEN, at=LATER),
        UNPROVEN,
        "unproven: `pytest -q` changed a.py and 2 more",
    ),
    # a verdict without the proof that it needs
    ({"state": "proven"}, UNPROVEN, "unproven"),
    ({**KEPT, "exit": 1, "state": "proven"}, UNPROVEN, "unproven: `pytest -q` failed (exit 1)"),
    ({**KEPT, "exit": "0", "state": "proven"}, UNPROVEN, "unproven"),
    ({**KEPT, "tree": "", "state": "proven"}, UNPROVEN, "unproven"),
    ({**KEPT, "tree": "svn:1", "state": "stale"}, UNPROVEN, "unproven"),
    ({**KEPT, "state": "PROVEN"}, UNPROVEN, "unproven"),
    # others' text
    ({**KEPT, "command": "a`b\nc\x1b[31m\u202e", "state": "proven"}, PROVEN, "proven by `a'b c [31m`"),
    ({**KEPT, "command": "x" * 5_000, "state": "proven"}, PROVEN, f"proven by `{'x' * 79}…`"),
    ({**KEPT, "command": "\n\t", "state": "proven"}, UNPROVEN, "unproven"),
    ("proven", UNPROVEN, "unproven"),
]


@each_row("field, state, words", STATUSES)
def test_a_status_has_the_stored_verdict_as_far_as_its_own_proof_bears_it(field: Any, state: str, words: str) -> None:
    record = ModeRecord({} if field is None else {"proof": field})
    assert record.proof_status.state == state
    assert words_of(record.proof_status) == words


def test_a_status_says_when_the_command_ended_and_when_the_verdict_was_decided() -> None:
    assert status_of(ModeRecord({"proof": judged(GOOD, STALE, at=LATER)})) == ProofStatus(
        STALE, "pytest -q", 0, AT, LATER, line="pytest -q"
    )
    assert status_of(ModeRecord({"proof": judged(None, UNPROVEN, at=LATER)})) == ProofStatus(UNPROVEN, judged_at=LATER)
    assert status_of(ModeRecord({})).to_json() == {"state": "unproven", "command": "", "exit": None, "at": ""}


# the mode, its record, the words that are due
DUE: list[tuple[str, dict[str, Any], str]] = [
    ("forge", DONE, "unproven"),
    ("forge", {**DONE, "proof": judged(GOOD, PROVEN, at=LATER)}, "proven by `pytest -q`"),
    ("forge", {"lifecycle_outcome": "failed"}, ""),
    ("forge", {"active": True, "proof": judged(GOOD, PROVEN, at=LATER)}, ""),
    ("forge", {}, ""),
    ("autopilot", {**DONE, "transition_target_mode": "blueprint"}, ""),
    ("ultrawork", DONE, "unproven"),
    ("blueprint", DONE, ""),
    ("deep-interview", DONE, ""),
    ("autoresearch", {**DONE, "proof": judged(GOOD, PROVEN, at=LATER)}, ""),
]


@each_row("mode, fields, words", DUE)
def test_words_are_due_for_an_execution_that_has_finished_and_for_no_plan(
    mode: str, fields: dict[str, Any], words: str
) -> None:
    assert proofs.words_for(MODES[mode], ModeRecord(fields)) == words


# what a stranger's record names as the file of the output, and what is read
OUTPUTS = [
    ("20260301-100000-ab12.txt", "20260301-100000-ab12.txt"),
    ("../forge-state.json", ""),
    (".txt", ""),
    ("ä.txt", ""),
    ("a.sh", ""),
    ("a\0.txt", ""),
    ("a" * 90 + ".txt", ""),
    (7, ""),
]


@each_row("stored, name", OUTPUTS)
def test_the_output_is_a_plain_file_name_or_none(stored: object, name: str) -> None:
    proof = Proof.from_json({**KEPT, "output": stored})
    assert proof is not None
    assert proof.output == name


# a field of the proof at its bound, and what is read; None: there is no proof
BOUNDS: list[tuple[str, Any, Any]] = [
    ("exit", -1, None),
    ("exit", 255, 255),
    ("exit", 256, None),
    ("changed", [str(number) for number in range(21)], tuple(str(number) for number in range(20))),
    ("changed", ["x" * 201, 7], ("x" * 200,)),
    ("at", "1" * 40, "1" * 40),
    ("at", "1" * 41, "1" * 39 + "…"),
    ("command", "x" * 2_001, "x" * 2_000),
    ("command", "sh -c 'cd a\n\tpytest'\n", "sh -c 'cd a\n\tpytest'"),
    ("command", "a\x1b[2J\udcff\rb", "a\ufffd[2J\ufffd\ufffdb"),
    ("command", " \n\u202e", "\ufffd"),
    ("seconds", 10**8, 10.0**8),
    ("seconds", 10**8 + 1, 0.0),
    ("seconds", -0.5, 0.0),
    ("tree", "git:" + "a" * 76, "git:" + "a" * 76),
    ("tree", "git:" + "a" * 77, ""),
    ("tree", "git:ä", ""),
    ("timed_out", 1, False),
]


@each_row("name, stored, read", BOUNDS)
def test_each_field_is_bounded(name: str, stored: object, read: object) -> None:
    proof = Proof.from_json({**KEPT, name: stored})
    assert (proof and getattr(proof, name)) == read


VALUES: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from([*KEPT, "state", "judged_at", "why"]), VALUES) | VALUES)
def test_a_field_of_any_content_is_read_and_bounded(field: Any) -> None:
    proof, status = Proof.from_json(field), status_of(ModeRecord({"proof": field}))
    if proof is not None:
        assert Proof.from_json(proof.to_json()) == proof
        assert len(repr(proof)) < 30_000
        assert all(char.isprintable() or char in "\n\t" for char in proof.command)
    said = words_of(status)
    assert said.isprintable()
    assert len(said) < 300
    assert status.state in proofs.VERDICTS
