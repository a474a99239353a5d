"""Words about a blocking question: how the agent asks it, why it may not ask a second one, what an answer leads to."""

from __future__ import annotations

from rcs_hooks.text import clean
from rcs_hooks.workflow.messages.shared import QUESTION_LENGTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST_QUESTION = 4_000


def asked_already(mode: str, question: str, name: str) -> str:
    """Return the refusal of a second question: the mode waits for the answer to `question`, whose id is `name`."""
    return (
        f'{mode} already waits for the answer to "{clean(question, QUESTION_LENGTH)}" ({name}); nothing was recorded. '
        "End the turn: the next prompt is the answer, and then you can ask another question."
    )


def question_to_say(text: str, options: Sequence[str]) -> str:
    """Return the line that tells the agent how to ask the user the blocking question that it has recorded."""
    numbered = [f"{number} {clean(option, LONGEST_QUESTION)}" for number, option in enumerate(options, 1)]
    choices = f" Options: {' | '.join(numbered)}." if options else ""
    shown = clean(text, LONGEST_QUESTION)
    return f'Ask the user now, in these words, and end the turn: "{shown}"{choices} The next prompt is the answer.'


def answered_elsewhere(modes: Sequence[str], session: str | None) -> str:
    """Return what a person reads who has answered in a terminal or a browser: nothing goes on before the next prompt.

    `modes`: those that go on then; may be empty. `session`: the session that asks; None for the workspace.
    """
    where = "that session" if session else "a session of this workspace"
    then = f"and {' + '.join(modes)} {'continues' if len(modes) == 1 else 'continue'}" if modes else "to pass it on"
    return f'answered; type any prompt in {where}, such as "go on", {then}'
