"""Whether the last message of an interview asks the person something."""

from __future__ import annotations

import pytest

from rcs_hooks.workflow.stop import asks

MESSAGES = {
    "Which one?": True,
    "What is it?!": True,
    "Which one?\n\n1. a\n2. b": True,
    "Is it A or B? (default: A)": True,
    "What? \U0001f600": True,
    "**Which one?**": True,
    "Is it done? Yes, it is done.": False,
    "Which one? I took a.\n\nAll is written.": False,
    "I work.": False,
    "": False,
}


@pytest.mark.parametrize(("message", "expected"), MESSAGES.items(), ids=repr)
def test_a_message_asks(message: str, *, expected: bool) -> None:
    assert asks(message) is expected
