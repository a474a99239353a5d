"""The policy for modes that do not ship, without a disk: what they declare counts within the contract."""

from __future__ import annotations

from rcs_hooks.catalog import MODES
from rcs_hooks.mode_def import EXECUTION, HOME, PLANNING, PROJECT, ModeDef
from rcs_hooks.workflow.transitions import cell, plan
from tests.table import each_row


def own(
    name: str,
    kind: str = EXECUTION,
    *,
    after: tuple[str, ...] = (),
    beside: tuple[str, ...] = (),
    source: str = PROJECT,
) -> ModeDef:
    """Make a definition without the checks of a declaration, as a record of others may hold one."""
    return ModeDef(
        name, kind, (name,), first_phase="a", states={"a": ""}, edges=[("a", "", "")], after=after, overlaps=beside,
        source=source,
    )  # fmt: skip


EVERYTHING = tuple(MODES)
OWN = {
    "release": own("release", after=("blueprint",), beside=("team",)),
    "check": own("check", source=HOME),
    "design": own("design", PLANNING, after=("deep-interview",), beside=("blueprint",)),
    "deploy": own("deploy", after=("design",), beside=("release",)),
    "greedy": own("greedy", after=EVERYTHING, beside=EVERYTHING),
    "sly": own("sly", PLANNING, after=EVERYTHING, beside=EVERYTHING),
}
"""The last two declare what no declaration may."""

# As the table of the contract: =, +, >, x and r. Own modes are active, those that ship are requested.
ACTIVE = {
    #          D B A T F P W Q
    "release": "r r r + x x + x",
    "check":   "r r r x x x + x",
    "design":  "x + x x x x + x",
    "deploy":  "r r r x x x + x",
    "greedy":  "r r r + + x + +",
    "sly":     "+ + x x x x + x",
}  # fmt: skip
# Own modes are requested, those that ship are active.
REQUESTED = {
    #          D B A T F P W Q
    "release": "x > x + x x + x",
    "check":   "x x x x x x + x",
    "design":  "> + x r r r + r",
    "deploy":  "x x x x x x + x",
    "greedy":  "> > > + + x + +",
    "sly":     "+ + > r r r + r",
}  # fmt: skip
# Own modes with each other. Rows: active. Columns: requested, in the order of the rows.
AMONG = {
    "release": "= x r + x r",
    "check":   "x = r x x r",
    "design":  "x x = > x x",
    "deploy":  "+ x r = x r",
    "greedy":  "x x r x = r",
    "sly":     "x x x x x =",
}  # fmt: skip


@each_row("name", OWN)
def test_an_own_mode_and_those_that_ship(name: str) -> None:
    assert [cell(OWN[name], each) for each in MODES.values()] == ACTIVE[name].split()
    assert [cell(each, OWN[name]) for each in MODES.values()] == REQUESTED[name].split()


@each_row("name", OWN)
def test_own_modes_and_each_other(name: str) -> None:
    expected = AMONG[name].split()
    found = [cell(OWN[name], other) for other in OWN.values()]
    assert found == expected


def test_a_prompt_with_own_modes() -> None:
    modes = MODES | OWN
    assert plan(["blueprint"], ["release"], modes=modes).after == ("release",)
    assert plan(["team"], ["release", "ultrawork"], modes=modes).after == ("team", "release", "ultrawork")
    assert plan(["team", "forge"], ["release"], modes=modes).denied
    assert plan([], ["release", "forge"], modes=modes).denied
    waiting = plan([], ["release", "design"], modes=modes)
    assert (waiting.after, waiting.deferred, waiting.source) == (("design",), ("release",), "design")
    assert plan([], ["release"]).after == ()
