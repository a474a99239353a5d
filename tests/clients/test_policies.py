"""Our rule among the policies of Gemini CLI: what it allows, and that the person's own text stays."""

from __future__ import annotations

import tomllib

import pytest

from rcs_hooks.clients.gemini import policies
from rcs_hooks.clients.rules import ALLOWED_COMMANDS
from tests.table import each_row

OURS = policies.rule(["rcs", "'/a b/rcs'"])
OLDER = policies.rule(["/gone/rcs"])
THEIRS = '# mine\n[[rule]]\ntoolName = "glob"\ndecision = "deny" # always\n'


def test_it_allows_the_commands_that_an_agent_is_told_and_no_other() -> None:
    (rule,) = tomllib.loads(OURS)["rule"]
    prefixes = rule.pop("commandPrefix")
    assert rule == {"toolName": "run_shell_command", "decision": "allow", "priority": 100}
    assert prefixes == [f"{rcs} {command}" for rcs in ("rcs", "'/a b/rcs'") for command in ALLOWED_COMMANDS]
    assert not {"rcs", "rcs prove", "rcs task", "rcs watch"} & set(prefixes)
    assert policies.allowed(tomllib.loads(OURS)) == set(prefixes)


@each_row(
    ("before", "after"),
    [
        ("", OURS),
        (OURS, OURS),
        (OLDER, OURS),
        (THEIRS, f"{THEIRS}\n{OURS}"),
        (THEIRS.rstrip("\n"), f"{THEIRS}\n{OURS}"),
        (f"{THEIRS}\n{OLDER}", f"{THEIRS}\n{OURS}"),
        (f"{OLDER}\n{THEIRS}", f"\n{THEIRS}\n{OURS}"),
    ],
)
def test_one_rule_of_ours_goes_behind_the_persons_own(before: str, after: str) -> None:
    assert policies.with_rule(before, OURS) == after
    assert policies.with_rule(after, OURS) == after


@each_row(
    ("text", "without"),
    [(OURS, ""), (f"{THEIRS}\n{OURS}", THEIRS), (f"{OURS}{THEIRS}", THEIRS), (THEIRS, THEIRS), (f"{OURS}{OLDER}", "")],
)
def test_it_is_taken_out_again(text: str, without: str) -> None:
    assert policies.without_rule(text) == without
    assert policies.rule_in(text) in ("", OURS)


@pytest.mark.parametrize("value", [{}, {"rule": 1}, {"rule": [1, {"decision": "deny", "commandPrefix": "rcs state"}]}])
def test_what_is_no_rule_allows_nothing(value: dict[str, object]) -> None:
    assert policies.allowed(value) == set()


def test_a_remark_inside_our_rule_goes_with_it() -> None:
    inside = OURS.replace("commandPrefix = [\n", "commandPrefix = [\n# why so many?\n")
    assert policies.without_rule(f"{inside}\n{THEIRS}") == f"\n{THEIRS}"
    assert policies.without_rule(f"{THEIRS}\n{inside}") == THEIRS
