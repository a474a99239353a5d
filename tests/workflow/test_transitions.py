"""The transition policy without a disk. Every expectation is written by hand from the contract."""

from __future__ import annotations

from itertools import combinations, permutations, product
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks.workflow.transitions import Step, decide, plan, policy
from tests.contract import MODES, POLICY
from tests.properties import examples
from tests.table import each_row

KINDS = {"=": "no change", "+": "overlap", ">": "handoff", "x": "denied", "r": "rollback"}


class Cell(NamedTuple):
    active: str
    requested: str
    kind: str
    review_open: bool = False

    @property
    def id(self) -> str:
        return f"{self.active} to {self.requested}: {self.kind}"


REVIEW_LOOP = [
    Cell("autopilot", "blueprint", "handoff", review_open=True),
    Cell("autopilot", "blueprint", "rollback", review_open=False),
]
FIXED_CELLS = [
    Cell(active, requested, KINDS[sign])
    for active, row in POLICY.items()
    for requested, sign in zip(POLICY, row.split(), strict=True)
    if sign in KINDS
]
CELLS = [*FIXED_CELLS, *REVIEW_LOOP]


def names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def outcome(step: Step) -> tuple[str, tuple[str, ...], tuple[str, ...], tuple[str, ...], bool]:
    return step.kind, step.after, step.completes, step.in_the_way, step.rollback


# --- one active mode


def test_the_declarations_make_the_table_of_the_contract() -> None:
    written = {
        (active, requested): cell
        for active, row in POLICY.items()
        for requested, cell in zip(POLICY, row.split(), strict=True)
    }
    assert policy() == written


def test_the_table_has_every_cell_once() -> None:
    written = [(cell.active, cell.requested) for cell in (*FIXED_CELLS, REVIEW_LOOP[0])]
    assert sorted(written) == sorted(product(MODES, MODES))


def expected_of(cell: Cell) -> tuple[str, tuple[str, ...], tuple[str, ...], tuple[str, ...], bool]:
    active, requested = cell.active, cell.requested
    return {
        "no change": ("no change", (active,), (), (), False),
        "overlap": ("overlap", (active, requested), (), (), False),
        "handoff": ("handoff", (requested,), (active,), (), False),
        "denied": ("denied", (active,), (), (active,), False),
        "rollback": ("denied", (active,), (), (active,), True),
    }[cell.kind]


@each_row("cell", CELLS, ids=[cell.id for cell in CELLS])
def test_a_cell_is_what_the_seed_says(cell: Cell) -> None:
    assert outcome(decide([cell.active], cell.requested, review_open=cell.review_open)) == expected_of(cell)


@each_row("cell", FIXED_CELLS, ids=[cell.id for cell in FIXED_CELLS])
def test_an_open_review_opens_nothing_but_the_way_back_to_the_blueprint(cell: Cell) -> None:
    assert outcome(decide([cell.active], cell.requested, review_open=True)) == expected_of(cell)


@each_row("mode", MODES)
def test_any_mode_starts_from_nothing(mode: str) -> None:
    assert outcome(decide([], mode)) == ("start", (mode,), (), (), False)


# --- several active modes

APPROVED_PAIRS = (
    "team forge",
    "ultrawork deep-interview",
    "ultrawork blueprint",
    "ultrawork autoresearch",
    "ultrawork team",
    "ultrawork forge",
    "ultrawork autopilot",
    "ultrawork ultraqa",
)
APPROVED_TRIPLE = "team forge ultrawork"
APPROVED_SETS = (*APPROVED_PAIRS, APPROVED_TRIPLE)

OVERLAPS = [
    ("team forge", "ultrawork", "team forge ultrawork"),
    ("forge team", "ultrawork", "forge team ultrawork"),
    ("ultrawork team", "forge", "ultrawork team forge"),
    ("team ultrawork", "forge", "team ultrawork forge"),
    ("ultrawork forge", "team", "ultrawork forge team"),
    ("forge ultrawork", "team", "forge ultrawork team"),
]
HANDOFFS = [
    ("ultrawork deep-interview", "blueprint", "ultrawork blueprint", "deep-interview"),
    ("deep-interview ultrawork", "blueprint", "ultrawork blueprint", "deep-interview"),
    ("ultrawork blueprint", "team", "ultrawork team", "blueprint"),
    ("ultrawork blueprint", "forge", "ultrawork forge", "blueprint"),
    ("blueprint ultrawork", "forge", "ultrawork forge", "blueprint"),
    ("ultrawork blueprint", "autopilot", "ultrawork autopilot", "blueprint"),
    # as another tool may have left it
    ("blueprint team", "forge", "team forge", "blueprint"),
    ("forge blueprint ultrawork", "team", "forge ultrawork team", "blueprint"),
]
PLANNING = "deep-interview blueprint autoresearch"
# Active, requested one by one, in the way, whether it is a rollback.
DENIALS = [
    ("ultrawork deep-interview", "autoresearch team forge autopilot ultraqa", "deep-interview", False),
    ("ultrawork blueprint", "deep-interview autoresearch ultraqa", "blueprint", False),
    ("ultrawork autoresearch", "deep-interview blueprint", "autoresearch", False),
    ("ultrawork autoresearch", "team forge autopilot ultraqa", "autoresearch", False),
    ("ultrawork team", PLANNING, "team", True),
    ("ultrawork team", "autopilot ultraqa", "team", False),
    ("ultrawork forge", PLANNING, "forge", True),
    ("ultrawork forge", "autopilot ultraqa", "forge", False),
    ("ultrawork autopilot", PLANNING, "autopilot", True),
    ("ultrawork autopilot", "team forge ultraqa", "autopilot", False),
    ("ultrawork ultraqa", PLANNING, "ultraqa", True),
    ("ultrawork ultraqa", "team forge autopilot", "ultraqa", False),
    ("team forge", PLANNING, "team forge", True),
    ("team forge", "autopilot ultraqa", "team forge", False),
    ("team forge ultrawork", PLANNING, "team forge", True),
    ("team forge ultrawork", "autopilot ultraqa", "team forge", False),
    # as another tool may have left it
    ("deep-interview blueprint", "team forge autopilot", "deep-interview", False),
    ("blueprint ultraqa", "team forge autopilot", "ultraqa", False),
    ("blueprint autoresearch ultrawork", "team forge autopilot", "autoresearch", False),
    ("deep-interview team", "blueprint", "team", True),
    ("autoresearch team", "blueprint", "autoresearch team", True),
]
EACH_DENIAL = [
    (active, requested, in_the_way, rollback)
    for active, several, in_the_way, rollback in DENIALS
    for requested in several.split()
]


def test_the_tables_leave_out_no_approved_set() -> None:
    rows = [row[:2] for row in OVERLAPS] + [row[:2] for row in HANDOFFS] + [row[:2] for row in EACH_DENIAL]
    asked = {(frozenset(names(active)), requested) for active, requested in rows}
    for approved in APPROVED_SETS:
        others = set(MODES) - set(names(approved))
        assert {(frozenset(names(approved)), requested) for requested in others} <= asked


@each_row("active", APPROVED_SETS)
def test_a_member_asked_for_again_changes_nothing(active: str) -> None:
    for mode in names(active):
        assert outcome(decide(names(active), mode)) == ("no change", names(active), (), (), False)


@each_row(("active", "requested", "result"), OVERLAPS)
def test_an_overlap_completes_nobody(active: str, requested: str, result: str) -> None:
    assert outcome(decide(names(active), requested)) == ("overlap", names(result), (), (), False)


@each_row(("active", "requested", "result", "completed"), HANDOFFS)
def test_a_handoff_keeps_who_may_stand_beside_the_destination(
    active: str, requested: str, result: str, completed: str
) -> None:
    step = decide(names(active), requested)
    assert outcome(step) == ("handoff", names(result), names(completed), (), False)


@pytest.mark.parametrize("active", ["autopilot ultrawork", "ultrawork autopilot"])
def test_an_open_review_goes_back_beside_ultrawork(active: str) -> None:
    step = decide(names(active), "blueprint", review_open=True)
    assert outcome(step) == ("handoff", ("ultrawork", "blueprint"), ("autopilot",), (), False)


@each_row(("active", "requested", "in_the_way", "rollback"), EACH_DENIAL)
def test_a_denial_names_only_those_in_the_way(active: str, requested: str, in_the_way: str, rollback: bool) -> None:
    step = decide(names(active), requested)
    assert outcome(step) == ("denied", names(active), (), names(in_the_way), rollback)


@pytest.mark.parametrize("active", ["deep-interview autoresearch", "team autopilot", "blueprint forge"])
def test_ultrawork_does_not_join_a_set_that_is_not_approved_itself(active: str) -> None:
    """A set is allowed if each of its pairs is, so a forbidden pair of another tool blocks a third mode."""
    step = decide(names(active), "ultrawork")
    assert (step.kind, step.after) == ("denied", names(active))


# --- whole prompts


@each_row(
    ("active", "requested", "source", "deferred"),
    [
        ("", "blueprint team forge", "blueprint", "team forge"),
        ("", "team blueprint forge", "blueprint", "team forge"),
        ("", "forge team blueprint", "blueprint", "forge team"),
        ("", "ultraqa autopilot autoresearch forge", "autoresearch", "ultraqa autopilot forge"),
        ("", "ultrawork blueprint", "blueprint", "ultrawork"),
        ("", "deep-interview ultrawork", "deep-interview", "ultrawork"),
        ("", "deep-interview blueprint", "deep-interview", "blueprint"),
        ("", "blueprint deep-interview", "blueprint", "deep-interview"),
        ("", "team autoresearch blueprint forge", "autoresearch", "team blueprint forge"),
        ("deep-interview", "forge blueprint", "blueprint", "forge"),
        ("blueprint", "blueprint forge", "blueprint", "forge"),
    ],
)
def test_a_planning_skill_defers_all_others_in_their_order(
    active: str, requested: str, source: str, deferred: str
) -> None:
    decided = plan(names(active), names(requested))
    assert (decided.after, decided.source, decided.deferred) == ((source,), source, names(deferred))
    assert decided.denied is None


@pytest.mark.parametrize("requested", ["blueprint", "blueprint blueprint", "cancel blueprint", "team forge"])
def test_nothing_is_deferred_unless_a_planning_skill_stands_beside_others(requested: str) -> None:
    assert plan([], names(requested)).deferred == ()


def test_a_survivor_stays_beside_the_planning_source() -> None:
    decided = plan(["ultrawork"], ["team", "blueprint"])
    assert (decided.after, decided.deferred) == (("ultrawork", "blueprint"), ("team",))


@each_row(
    ("active", "requested", "result", "kinds"),
    [
        ("", "team forge", "team forge", ("start", "overlap")),
        ("", "forge team team", "forge team", ("start", "overlap")),
        ("", "team forge ultrawork", "team forge ultrawork", ("start", "overlap", "overlap")),
        ("", "ultrawork ultraqa", "ultrawork ultraqa", ("start", "overlap")),
        ("team", "team forge", "team forge", ("no change", "overlap")),
        ("blueprint", "team forge", "team forge", ("handoff", "overlap")),
        ("blueprint", "forge ultrawork", "forge ultrawork", ("handoff", "overlap")),
        ("blueprint", "ultrawork forge", "ultrawork forge", ("overlap", "handoff")),
        ("ultrawork blueprint", "forge team", "ultrawork forge team", ("handoff", "overlap")),
    ],
)
def test_execution_skills_apply_in_order(active: str, requested: str, result: str, kinds: tuple[str, ...]) -> None:
    decided = plan(names(active), names(requested))
    assert decided.after == names(result)
    assert tuple(step.kind for step in decided.steps) == kinds


@each_row(
    ("active", "requested", "denied", "in_the_way"),
    [
        ("", "team autopilot", "autopilot", "team"),
        ("", "autopilot forge", "forge", "autopilot"),
        ("", "team forge autopilot", "autopilot", "team forge"),
        ("", "ultrawork autopilot ultraqa", "ultraqa", "autopilot"),
        ("team", "forge ultraqa", "ultraqa", "team forge"),
        ("blueprint", "team autopilot", "autopilot", "team"),
        ("blueprint", "autopilot team", "team", "autopilot"),
        ("autoresearch", "ultrawork forge", "forge", "autoresearch"),
        ("forge", "team blueprint", "blueprint", "forge"),
        ("forge", "cancel team autopilot", "autopilot", "team"),
        ("forge", "team autopilot cancel", "autopilot", "team"),
    ],
)
def test_a_denied_step_takes_the_whole_prompt_with_it(
    active: str, requested: str, denied: str, in_the_way: str
) -> None:
    decided = plan(names(active), names(requested))
    assert (decided.before, decided.after, decided.deferred) == (names(active), names(active), ())
    assert decided.denied is not None
    assert (decided.denied.requested, decided.denied.in_the_way) == (denied, names(in_the_way))


@each_row(
    ("active", "requested", "result"),
    [
        ("", "cancel", ""),
        ("forge", "cancel", ""),
        ("team forge ultrawork", "cancel", ""),
        ("forge", "cancel blueprint", "blueprint"),
        ("forge", "blueprint cancel", "blueprint"),
        ("autopilot", "cancel team forge", "team forge"),
        ("autopilot", "team cancel forge", "team forge"),
        ("autopilot", "team forge cancel", "team forge"),
        ("autopilot", "forge cancel", "forge"),
        ("forge", "cancel forge", "forge"),
        ("forge", "cancel team blueprint", "blueprint"),
    ],
)
def test_cancel_empties_the_set_before_all_else_is_planned(active: str, requested: str, result: str) -> None:
    decided = plan(names(active), names(requested))
    assert decided.cancels
    assert (decided.before, decided.after) == (names(active), names(result))
    assert not decided.steps or (decided.steps[0].before, decided.steps[0].kind) == ((), "start")


@pytest.mark.parametrize("pair", ["team forge", "team ultrawork", "forge ultrawork"])
def test_peers_join_in_either_order(pair: str) -> None:
    for first, second in permutations(names(pair)):
        assert plan([first], [second]).after == (first, second)
        assert plan([], [first, second]).after == (first, second)


# --- whatever is asked of whatever is allowed to run

ALLOWED = {frozenset(names(pair)) for pair in APPROVED_PAIRS}
SETS = [names(text) for text in ("", *MODES, *APPROVED_SETS)]
active_sets = st.sampled_from(SETS).flatmap(st.permutations).map(tuple)
prompts = st.lists(st.sampled_from((*MODES, "cancel")), max_size=5)


@examples(100)
@given(active_sets, prompts, st.booleans())
def test_a_denied_plan_leaves_the_set_as_it_was(
    active: tuple[str, ...], requested: list[str], review_open: bool
) -> None:
    decided = plan(active, requested, review_open=review_open)
    assert decided.denied is None or decided.after == decided.before == active


@examples(100)
@given(active_sets, prompts, st.booleans())
def test_every_resulting_set_is_allowed_pair_by_pair(
    active: tuple[str, ...], requested: list[str], review_open: bool
) -> None:
    after = plan(active, requested, review_open=review_open).after
    assert set(after) <= set(MODES)
    assert all(frozenset(pair) in ALLOWED for pair in combinations(after, 2))


@examples(100)
@given(active_sets, prompts)
def test_what_is_asked_for_runs_or_is_deferred_unless_denied(active: tuple[str, ...], requested: list[str]) -> None:
    decided = plan(active, requested)
    if decided.denied is None:
        assert {*requested} - {"cancel"} <= {*decided.after, *decided.deferred}


@examples(100)
@given(active_sets, prompts, st.booleans())
def test_only_a_handoff_or_a_cancel_takes_a_mode_out(
    active: tuple[str, ...], requested: list[str], review_open: bool
) -> None:
    decided = plan(active, requested, review_open=review_open)
    completed = {mode for step in decided.steps for mode in step.completes}
    assert decided.cancels or set(active) - set(decided.after) <= completed
