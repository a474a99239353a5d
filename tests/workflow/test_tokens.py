from __future__ import annotations

import re

import pytest

from rcs_hooks.catalog import may_name_a_skill
from rcs_hooks.workflow import last_message
from rcs_hooks.workflow.tokens import (
    cjk,
    clause,
    code_lines,
    directed,
    inline_spans,
    lexicon,
    log_lines,
    neighbours,
    pasted_lines,
    quoted_spans,
    reports,
)
from rcs_hooks.workflow.tokens import scan as scanner
from rcs_hooks.workflow.tokens.patterns import LazyPattern
from rcs_hooks.workflow.tokens.scan import noteworthy, scan
from tests.support import Workspace, least, processor
from tests.table import each_row
from tests.workflow import deciding_corpus, directed_corpus, whose_corpus
from tests.workflow.corpus import ASKS, MENTIONS
from tests.workflow.token_tables import requested

ROWS = [
    pytest.param(prompt, skills, id=f"{name}-{at}")
    for name, rows in (directed_corpus.ALL | whose_corpus.ALL | deciding_corpus.ALL).items()
    for at, (prompt, skills) in enumerate(rows)
]


@each_row(("prompt", "skills"), ROWS)
def test_a_token_counts_where_it_is_directed(prompt: str, skills: str) -> None:
    assert " ".join(token.skill or "" for token in requested(prompt)) == skills


@each_row(("prompt", "skills"), [pytest.param(prompt, skills, id=name) for name, prompt, skills in ASKS])
def test_a_prompt_that_asks_is_understood(prompt: str, skills: tuple[str, ...]) -> None:
    assert tuple(token.skill for token in requested(prompt)) == skills
    assert may_name_a_skill(prompt)


PASSED_OVER = [
    ("`$team`", "inside inline code"),
    ("```\n$team\n```", "inside fenced code"),
    ("so\n\n    $team", "inside indented code"),
    ("> $team", "inside a block quote"),
    ("say “$team” now", "inside quotation marks"),
    ("<b>$team</b>", "inside markup"),
    ("f($team)", "inside code"),
    ("$ $team", "inside pasted output"),
    ("$PATH", "no skill of that name"),
    ("never $team", "negated in its clause"),
    ("what does $team do?", "its sentence asks about it"),
    ("I typed $team yesterday", "its sentence tells of the past"),
    ("- $team: the workflow for wide work", "defined there"),
    ("fix $team", "nothing there asks for it"),
    ("$team = 3", "glued to other characters"),
    ("update my $team", "named as a thing"),
    ("the $team variable", "named as a variable"),
    ("$teamи go", "glued to other characters"),
    ("# $team", "inside a heading"),
    ("[rcs] $team", "inside a line of rcs"),
    ("User: $team", "inside a transcript"),
    ("@@ -1 +1 @@\n+$team", "inside a diff"),
    ("$team -> on\na -> b", "inside a table"),
    ("proofread this: say $team", "inside a text to work on"),
    ("INFO use $team", "inside pasted output"),
    ("$forg it", "no skill of that name; did you mean $forge?"),
]


@each_row(("prompt", "why"), PASSED_OVER, ids=[why for _, why in PASSED_OVER])
def test_a_token_that_is_passed_over_says_why(prompt: str, why: str) -> None:
    assert [token.passed_over for token in scan(prompt)] == [why]


def test_later_blocks_and_repeated_names_say_why() -> None:
    reasons = [(token.typed, token.passed_over) for token in scan("$team $CREW then $forge")]
    assert reasons == [
        ("$team", None),
        ("$CREW", "named before"),
        ("$forge", "asked for, but another block came first"),
    ]
    assert scan("$team it, $forge failed")[1].passed_over == "another block came first"


@each_row(
    "prompt",
    [
        *(
            f"let's use $team {joiner} $forge for this"
            for joiner in ("and", "and then", "+", "&", "und", "et", "y", "и")
        ),
        "用 $team 和 $forge",
    ],
)
def test_a_later_block_that_is_joined_to_the_request_is_asked_for_too_late(prompt: str) -> None:
    assert [token.passed_over for token in scan(prompt)] == [None, "asked for, but another block came first"]


@each_row(
    "accent",
    list("\u0300\u036f\u0483\u0489\u0591\u05c7\u064b\u065f\u1ab0\u1dc0\u1dff\u20d0\u20f0\ufe00\ufe2f\u3099\u309a"),
)
def test_an_accent_behind_a_token_glues_it(accent: str) -> None:
    assert scan(f"$team{accent} go")[0].passed_over == "glued to a character that cannot be seen"


@each_row(
    ("prompt", "skills"),
    [
        ("do not use $team, $forge or $blueprint", ()),
        ("not $team, $forge this", ("forge",)),
        ("why not $team", ("team",)),
        ("not only $team", ("team",)),
        ("the tests don't pass $forge fix them", ("forge",)),
        ("instead of $team use $forge", ("forge",)),
        ("$forge do not touch the tests", ("forge",)),
        ("$forge must not be used here", ()),
        ("you said \"it's $team\" once", ()),
        ("the 5\" screen is dark, $team fix it and the 6\" one", ("team",)),
    ],
)  # fmt: skip
def test_negation_reaches_its_own_clause_and_no_further(prompt: str, skills: tuple[str, ...]) -> None:
    assert tuple(token.skill for token in requested(prompt)) == skills


def test_no_more_than_500_mentions_before_a_request_are_looked_at() -> None:
    mention = "what is $forge?\n"
    assert [token.skill for token in requested(mention * 499 + "$team fix it")] == ["team"]
    assert scan(mention * 500 + "$team fix it")[-1].passed_over == "too many mentions before it"
    assert [token.skill for token in requested("echo=$forge\n" * 600 + "$team fix it")] == ["team"]


def test_three_later_blocks_are_looked_at() -> None:
    reasons = [token.passed_over for token in scan("Use $team. Use $forge. Use $ulw. Use $autopilot. Use $ultraqa.")]
    assert reasons == [None, *["asked for, but another block came first"] * 3, "another block came first"]


@each_row(
    ("prompt", "reason"),
    [
        ("use $team, what is $forge?", "another block came first"),
        ("use $team, then $team again", "another block came first"),
        ("use $team, then use $forge", "asked for, but another block came first"),
        ("let's use $team, and $forge for this", "asked for, but another block came first"),
        ("use $team, then print $user", "no skill of that name"),
    ],
)
def test_a_later_block_says_whether_it_was_asked_for(prompt: str, reason: str) -> None:
    assert scan(prompt)[-1].passed_over == reason


@each_row(
    ("char", "expected"),
    [
        *((char, True) for char in "ぁヿ㐀\u9fff가\ud7af"),
        *((char, False) for char in "\u303f\u3100㏿ꀀ\uabff\ud7b0é"),
    ],
)
def test_the_letters_of_chinese_japanese_and_korean_are_known(char: str, expected: bool) -> None:
    assert clause.is_cjk(char) is expected


MISSPELLED = {
    "$forg fix it": "$forge",
    "$froge fix it": "$forge",
    "$forrge fix it": "$forge",
    "$ralph fix it": "$forge",
    "$plan the shop": "$blueprint",
    "$teamm go": "$team",
    "$taem go": "$team",
    "$bleuprint": "$blueprint",
    "$cancle": "$cancel",
    "$autopliot go": "$autopilot",
    "$ultra-work it": "$ultrawork",
    "please use $forg": "$forge",
    "$rcs:forg go": "$forge",
}
NOT_OURS = [
    "$PATH",
    "$foo fix it",
    "$plan_id",
    "$FORG fix it",
    "$force it",
    "$teams go",
    "$forged",
    "$tem",
    "$term fix it",
    "$5 plan",
    "echo $plan",
    "the $plan variable is unset",
    "what is $plan?",
    "$plan = 3;",
    "`$plan`",
    "is $plan an array here?",
    "$env:PLAN",
    "$swam",
    "$forget it",
    "foreach ($plan as $step)",
]


@each_row("prompt", MISSPELLED)
def test_a_misspelled_token_is_guessed_where_it_would_have_started_something(prompt: str) -> None:
    assert [token.meant for token in noteworthy(prompt)] == [MISSPELLED[prompt]]
    assert may_name_a_skill(prompt)


@each_row("prompt", NOT_OURS)
def test_variables_and_other_words_are_no_misspellings(prompt: str) -> None:
    assert noteworthy(prompt) == ()


def test_no_pattern_has_what_python_3_11_2_matches_wrongly() -> None:
    """Possessive quantifiers and atomic groups."""
    seen = 0
    for module in (
        cjk,
        clause,
        code_lines,
        directed,
        quoted_spans,
        inline_spans,
        log_lines,
        neighbours,
        pasted_lines,
        scanner,
        last_message,
    ):
        for value in vars(module).values():
            for pattern in value.values() if isinstance(value, dict) else [value]:
                if isinstance(pattern, (re.Pattern, LazyPattern)):
                    seen += 1
                    parsed = str(re._parser.parse(pattern.pattern, pattern.flags))  # type: ignore[attr-defined]  # private to `re`
                    assert "POSSESSIVE" not in parsed and "ATOMIC" not in parsed, pattern.pattern
    assert seen > 50


FLOODS = {
    "known tokens": "$team " * 100_000 + "x" * 400_000,
    "unknown tokens": "$ab " * 100_000 + "x" * 600_000 + " $team",
    "glued tokens": "$team" * 200_000,
    "negated": "do not use $team. " * 55_000,
    "a negated block": "do not use " + "$team " * 165_000,
    "a list of negations": "- do not use $team, $forge or $ulw\n" * 28_000,
    "blanks after a negation": "do not use $team" + " " * 900_000 + "x",
    "open quotes": "'a " * 333_000 + "$team",
    "backticks": "` `` ``` " * 110_000 + "$team",
    "open tags": "<a>" * 333_000 + "$team",
    "open links": "[a](" * 250_000 + "$team",
    "open braces": "{" * 1_000_000 + "$team",
    "lines of a log": "ERROR run $team\n" * 62_500,
    "rows of a table": "$team -> a\n" * 90_000,
    "a chat": "tom: $team, a\n" * 70_000,
    "announcements": "add docs " * 110_000 + ": $team",
    "glued to marks": "a!$team it " * 90_000,
    "reports": "$forge borró x. " * 62_500,
    "reports in Chinese": "$forge 把" + "了" * 300_000 + "吧\n$forge 把了\n" * 5_000,
    "fences": "```\n" * 250_000 + "$team",
}


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.parametrize("flood", FLOODS)
def test_the_scan_is_linear(flood: str) -> None:
    """A quadratic scan of a megabyte takes minutes of the processor."""
    assert least(lambda: processor(lambda: scan(FLOODS[flood])), 25, tries=3) <= 25


def test_only_the_first_token_of_a_prompt_is_taken_for_a_misspelled_one() -> None:
    assert [token.meant for token in scan("$forg it\n$forg it")] == ["$forge", None]
    assert noteworthy("look at $name, then use $forg") == ()
    assert not may_name_a_skill("look at $name, then use $forg")
    assert may_name_a_skill("for 5$ use $forg")


@each_row("prompt", [pytest.param(prompt, id=name) for name, prompt in MENTIONS])
def test_a_prompt_that_only_names_a_skill_writes_nothing(prompt: str, workspace: Workspace) -> None:
    assert workspace.prompt(prompt).context == ""
    assert list(workspace.root.iterdir()) == []


def words_of_the_rules() -> list[str]:
    """Every word that a rule knows, the signs between words, and a few that no rule knows."""
    lists = [
        value
        for name, value in (vars(lexicon) | vars(reports)).items()
        if name.isupper() and not isinstance(value, str)
    ]
    known = {word for each in lists for item in each for word in ([item] if isinstance(item, str) else item)}
    return [*sorted(known), *',.:?!-()"\n', "$forge", "$cancel", "I", "the", "login", "x"]


@pytest.mark.slow
def test_no_word_that_the_rules_know_breaks_them_wherever_it_stands() -> None:
    for word in words_of_the_rules():
        for prompt in (f"$forge {word}", f"{word} $cancel", f"{word} $forge {word}", f"fix it with $forge {word} x"):
            noteworthy(prompt)


# --- the text around a block


def test_each_character_of_a_plain_text_stands_where_it_stood() -> None:
    assert "so… “no”—«yes» • it’s، is it؟".translate(clause.PLAIN) == 'so. “no"\x1e«yes" \x95 it\'s, is it?'


BEFORE = [
    ("Use it instead of ", "use it instead of", ""),
    ("Use crew instead ", "", "use crew instead"),
    ("Do not use cf now. ", "", ""),
    ("Do not use it, cf. ", "", "do not use it cf"),
]
"""A line before a block; the words of the block's own clause; the words before that clause in the sentence."""


@each_row(("line", "words", "prior"), BEFORE)
def test_the_clause_before_a_block(line: str, words: str, prior: str) -> None:
    parsed, _ = clause.parse_clause(line, "", "")
    assert (" ".join(parsed.words), " ".join(parsed.prior)) == (words, prior)


def test_three_hundred_characters_on_either_side_are_read() -> None:
    assert clause.line_before("x" * 301 + "$forge", 301) == ("x" * 300, "")
    assert clause.clause_after("$forge" + "x" * 301, 6).after == ["x" * 300]


AFTER_A_REFUSAL = [
    ("not $team, $forge", "forge"),
    ("please not $team, $forge", "forge"),
    ("no, not $team, $forge", "forge"),
    ("do not $team, $forge", ""),
    ("it is not $team, $forge", ""),
    (f"Do not use $team {'x' * 294} or $forge", ""),
    (f"Do not use $team {'x' * 295} or $forge", "forge"),
]
"""A prompt, and what it asks for. In the last two, 299 and 300 characters lie between the names: 300 are too far."""


@each_row(("prompt", "skills"), AFTER_A_REFUSAL)
def test_what_follows_a_refused_name_is_asked_for_where_only_the_first_is_ruled_out(prompt: str, skills: str) -> None:
    assert " ".join(token.skill or "" for token in requested(prompt)) == skills
