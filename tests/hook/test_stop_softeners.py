"""An offer in the last message of a run that goes on is named; nothing is decided by it."""

from __future__ import annotations

import ast

import pytest

from rcs_hooks.files.clock import iso
from tests.hook.test_stop import DAY
from tests.support import CHECKOUT, NOW, Workspace

SOFTENERS = [
    ("If you want, I can also update the docs.", "If you want, I can"),
    ("If you'd like, I can continue.", "If you'd like, I can"),
    ("If you’d like, I can continue.", "If you’d like, I can"),
    ("Would you like me to continue?", "Would you like me to"),
    ("would you like me to run the tests?", "would you like me to"),
    ("IF YOU WANT, I CAN GO ON.", "IF YOU WANT, I CAN"),
    ("If you like, I can add a test.", "If you like, I can"),
    ("If you wish, I could add a test.", "If you wish, I could"),
    ("If you want, I'll do the rest.", "If you want, I'll"),
    ("Do you want me to go on?", "Do you want me to"),
    ("Should I continue with the rest?", "Should I continue"),
    ("Shall I proceed?", "Shall I proceed"),
    ("Let me know if you'd like more tests.", "Let me know if you'd like"),
    ("I can also write the docs if you want.", "I can also"),
    ("I'm happy to go on if you like.", "happy to"),
    ("The tests are green.\n\nIf you want, I can go on.", "If you want, I can"),
    ("- The tests are green.\n- If you want, I can go on.", "If you want, I can"),
    ("**If you want, I can** go on.", "If you want, I can"),
    ("x" * 100_000 + "\n\nWould you like me to continue?", "Would you like me to"),
    ("If you want,  I can go on.", "If you want, I can"),
    ("If you want,\nI can go on.", "If you want, I can"),
    ("If you want,\u00a0I can go on.", "If you want, I can"),
    ("```\n" + "x = 1\n" * 5_000 + "```\n\nWould you like me to continue?", "Would you like me to"),
]


@pytest.mark.parametrize(("message", "named"), SOFTENERS, ids=[repr(message[-40:]) for message, _ in SOFTENERS])
def test_a_softener_in_the_last_message_is_named_in_the_reason(message: str, named: str, forge: Workspace) -> None:
    assert named in forge.stop(message=message).reason


NO_SOFTENERS = [
    'The rules forbid "If you want, I can go on".',
    "The rules forbid “If you want, I can go on”.",
    "The rules forbid 'Would you like me to continue?' now.",
    "The rules forbid `If you want, I can` now.",
    "Removed:\n```\nWould you like me to continue?\n```\n",
    "Removed:\n~~~text\nIf you'd like, I can go on.\n~~~\n",
    "Removed:\n```\nWould you like me to continue?",
    "Removed:\n\n    Would you like me to continue?\n",
    "> Would you like me to continue?\n\nNo such words any more.",
    "If you want a faster build, set JOBS.",
    "I go on with the next test.",
    "The user said what they would like.",
]


@pytest.mark.parametrize("message", NO_SOFTENERS, ids=repr)
def test_quoted_softeners_and_other_words_are_not_named(message: str, forge: Workspace) -> None:
    assert "last message offers" not in forge.stop(message=message).reason
    assert "last message offers" in forge.stop(message="Shall I proceed?").reason


@pytest.mark.parametrize("completed_at", [None, "yesterday", iso(NOW - DAY)], ids=repr)
def test_an_end_of_long_ago_is_neither_noted_nor_written_down_again(
    completed_at: str | None, workspace: Workspace
) -> None:
    workspace.write("forge", active=False, run_outcome="finish", completed_at=completed_at)
    workspace.prompt("$team build it")
    workspace.prompt("$cancel")
    workspace.prompt("Thanks.")
    before = workspace.snapshot()
    workspace.prompt("And now for something else.")
    assert workspace.stop(message="If you want, I can go on.").line == "{}"
    assert workspace.snapshot() == before


OFFERS = (
    "if you want",
    "if you'd like",
    "if you like",
    "if you wish",
    "if you prefer",
    "would you like",
    "do you want",
    "want me to",
    "like me to",
    "shall i",
    "should i",
    "let me know",
    "happy to",
    "feel free",
)


def our_texts() -> list[str]:
    """Every text in our sources that is no docstring, but for what is only held against the words of others."""
    texts = []
    for path in sorted((CHECKOUT / "rcs_hooks").rglob("*.py")):
        tree = ast.parse(path.read_text())
        bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        strings = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
        texts += [
            str(node.value)
            for node in strings
            if id(node) not in bare and path.name not in ("last_message.py", "lexicon.py")
        ]
    return texts


@pytest.mark.slow
def test_no_text_of_ours_holds_a_softener() -> None:
    texts = our_texts()
    assert any("goes on: " in text for text in texts)
    assert [text for text in texts if any(offer in text.lower().replace("’", "'") for offer in OFFERS)] == []
