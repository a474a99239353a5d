from __future__ import annotations

import time

import pytest

from rcs_hooks.catalog import may_name_a_skill
from rcs_hooks.workflow.skills import requested, scan
from tests.support import Workspace
from tests.workflow.corpus import ASKS, MENTIONS


@pytest.mark.parametrize("prompt", [pytest.param(prompt, id=name) for name, prompt in MENTIONS])
def test_a_prompt_that_only_names_a_skill_writes_nothing(prompt: str, workspace: Workspace) -> None:
    assert workspace.prompt(prompt).line == "{}"
    assert list(workspace.root.iterdir()) == []


@pytest.mark.parametrize(("prompt", "skills"), [pytest.param(prompt, skills, id=name) for name, prompt, skills in ASKS])
def test_a_prompt_that_asks_is_understood(prompt: str, skills: tuple[str, ...]) -> None:
    assert tuple(token.skill for token in requested(prompt)) == skills
    assert may_name_a_skill(prompt)


def test_the_corpora_are_as_large_as_they_claim() -> None:
    assert len(MENTIONS) >= 150
    assert len(ASKS) >= 60


PASSED_OVER = [
    ("`$team`", "inside inline code"),
    ("```\n$team\n```", "inside fenced code"),
    ("so\n\n    $team", "inside indented code"),
    ("> $team", "inside a block quote"),
    ("say “$team” now", "inside quotation marks"),
    ("see [$team](x)", "inside a link"),
    ("<b>$team</b>", "inside markup"),
    ("f($team)", "inside code"),
    ("$ $team", "inside pasted output"),
    ("a=$team", "glued to other characters"),
    ("$PATH", "no skill of that name"),
    ("never $team", "negated in its clause"),
]


@pytest.mark.parametrize(("prompt", "why"), PASSED_OVER, ids=[why for _, why in PASSED_OVER])
def test_a_token_that_is_passed_over_says_why(prompt: str, why: str) -> None:
    assert [token.passed_over for token in scan(prompt)] == [why]


def test_later_blocks_and_repeated_names_say_why() -> None:
    reasons = [(token.typed, token.passed_over) for token in scan("$team $CREW then $forge")]
    assert reasons == [("$team", None), ("$CREW", "named before"), ("$forge", "another block came first")]


@pytest.mark.parametrize(
    ("prompt", "skills"),
    [
        ("do not use $team, $forge or $blueprint", ()),
        ("do not use $team, $forge.", ()),
        ("not $team, $forge this", ("forge",)),
        ("why not $team", ("team",)),
        ("why don't we use $team", ("team",)),
        ("never forget to use $team", ("team",)),
        ("not only $team", ("team",)),
        ("the tests don't pass $forge fix them", ("forge",)),
        ("I can't log in $forge fix it", ("forge",)),
        ("instead of $team use $forge", ("forge",)),
        ("stop using $team", ()),
        ("nicht $team", ()),
        ("$forge do not touch the tests", ("forge",)),
        ("$team does not work", ()),
        ("$forge must not be used here", ()),
        ("you said \"it's $team\" once", ()),
        ("the 5\" screen and $team on the 6\" one", ("team",)),
    ],
)  # fmt: skip
def test_negation_reaches_its_own_clause_and_no_further(prompt: str, skills: tuple[str, ...]) -> None:
    assert tuple(token.skill for token in requested(prompt)) == skills


FLOODS = {
    "known tokens": "$team " * 100_000 + "x" * 400_000,
    "unknown tokens": "$ab " * 100_000 + "x" * 600_000 + " $team",
    "glued tokens": "$team" * 200_000,
    "negated": "do not use $team. " * 55_000,
    "a negated block": "do not use " + "$team " * 165_000,
    "open quotes": "'a " * 333_000 + "$team",
    "backticks": "` `` ``` " * 110_000 + "$team",
    "open tags": "<a>" * 333_000 + "$team",
    "open links": "[a](" * 250_000 + "$team",
    "open braces": "{" * 1_000_000 + "$team",
    "open comments": "<!--" * 250_000 + "$team",
    "paragraphs": "'a\n\n" * 250_000 + "$team",
    "stars": "*" * 1_000_000 + "$team",
    "fences": "```\n" * 250_000 + "$team",
}


@pytest.mark.slow
@pytest.mark.parametrize("flood", FLOODS)
def test_the_scan_is_linear(flood: str) -> None:
    """A quadratic scan of a megabyte takes minutes; the bound leaves room for a loaded machine."""
    start = time.perf_counter()
    scan(FLOODS[flood])
    assert time.perf_counter() - start < 5
