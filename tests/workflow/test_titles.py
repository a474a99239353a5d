"""What a prompt says of the work that it starts: the title of the run."""

from __future__ import annotations

from rcs_hooks.workflow.mode_record import TITLE_LENGTH
from rcs_hooks.workflow.replies import title_of
from tests.table import each_row

TITLES = [
    ("fix the ledger, please", "fix the ledger, please"),
    (", fix it", "fix it"),
    (": - fix it", "fix it"),
    ("$rcs:forge fix it and $CREW.", "fix it"),
    # A word that joined names of skills goes with them; what is left of the first prompt is that of the second line.
    (", and then $forge ship it", "ship it"),
    (" plus $forge or $team ship it", "ship it"),
    (" und $forge bau es", "bau es"),
    (" et $forge livre-le", "livre-le"),
    (" y $forge entrega", "entrega"),
    (" и $forge почини", "почини"),
    (" 和 $forge 修复账本", "修复账本"),
    (" と $forge 直して", "直して"),
    ("and ship it", "and ship it"),
    ("y axis labels overlap", "y axis labels overlap"),
    (" o login $forge quebrou", "o login quebrou"),
    ("fix it and $team merges", "fix it and merges"),
    ("fix it, then $team", "fix it,"),
    (" and $forge", ""),
    (" and $forge" * 500_000, ""),
    ("fix $PATH and $plan_id", "fix $PATH and $plan_id"),
    ('say "hello" \x1b[31m', "say 'hello' [31m"),
    ("continue the ledger migration of Ann", "continue the ledger migration of Ann"),
    ("x" * 80, "x" * 80),
    ("x" * 81, "x" * 79 + "…"),
    ("word " * 500, ("word " * 16)[:79].rstrip() + "…"),
    ("é" * 1_000_000, "é" * 79 + "…"),
    # What says nothing of the work.
    ("", ""),
    ("go on", ""),
    ("Go on!", ""),
    ("please continue", ""),
    ("go ahead with the plan, please", ""),
    ("go", ""),
    ("...", ""),
    ("\u202e\u200b", ""),
]


@each_row(("words", "title"), TITLES)
def test_the_first_words_of_a_prompt_are_the_title(words: str, title: str) -> None:
    assert title_of(words) == title
    assert len(title) <= TITLE_LENGTH
