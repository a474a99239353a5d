"""Parts that several messages share: length limits, names of modes, an unreadable file, a failed hook."""

from __future__ import annotations

from rcs_hooks.catalog import MODES
from rcs_hooks.text import clean
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rcs_hooks.workflow.commands import Commands

CONTEXT_LENGTH = 1_500
REASON_LENGTH = 1_200
SYSTEM_LENGTH = 600
QUESTION_LENGTH = 120

HANDOFF = "In the last message state Outcome, Evidence, Artifacts / state and Handoff, with no optional offer."


class BrokenFile(NamedTuple):
    """A state file that cannot be read."""

    path: str
    """The path as a person finds it."""
    why: str
    mode: str
    """The name of the mode by which a command clears the file; empty if no command does."""

    @property
    def what_is_wrong(self) -> str:
        """Return the beginning of a sentence: the path, and why the file cannot be read."""
        return f"{self.path} cannot be read ({clean(self.why, 80)})"


class SkillFile(NamedTuple):
    """A skill that the agent is to read, and where its file lies."""

    name: str
    path: str
    is_of_project: bool = False
    """Whether the project declares the mode."""

    @property
    def named(self) -> str:
        """Return the name as a message shows it, marked if the project has declared the skill."""
        return f"`{self.name}` of this project" if self.is_of_project else f"`{self.name}`"

    @property
    def located(self) -> str:
        """Return the name and the path as a message shows them."""
        return f"{self.named} ({self.path})"


def fit(lines: Sequence[str], limit: int) -> str:
    """Join the lines that fit into `limit` characters, in order, and drop the others. A first line too long is cut."""
    fitting: list[str] = []
    left = limit
    for line in lines:
        shown = line if fitting else line[:limit]
        if len(shown) <= left:
            fitting.append(shown)
            left -= len(shown) + 1
    return "\n".join(fitting)


def names_of(tokens: Iterable[tuple[str, str]]) -> str:
    """List tokens as typed, each followed by its mode where the mode has another name."""
    shown = (typed if typed[1:].lower() == mode else f"{clean(typed)} ({mode})" for typed, mode in tokens)
    return ", ".join(shown)


def dollars(modes: Sequence[str]) -> str:
    """List modes as a person types them: `$forge $crew`."""
    return " ".join(f"${MODES[mode].tokens[0] if mode in MODES else mode}" for mode in modes)


def unreadable(file: BrokenFile, commands: Commands) -> str:
    """Return the line that says that a state file cannot be read, and how to clear it."""
    return f"{file.what_is_wrong} and was left as it is. To clear it: {commands.clear(file.mode)}"


def failure(
    event: str, why: str, *, has_changed: bool = False, is_locked: bool = False, is_answer: bool = False
) -> str:
    """Return the line that tells the person that the hook of an event failed and let everything pass.

    `has_changed`: it failed after a commit. `is_locked`: another process kept the state locked.
    `is_answer`: the prompt was the answer to an open question.
    """
    if has_changed:
        return f"rcs: {clean(why, 400)}; the workflow had already changed. Send the prompt again to see how."
    if is_answer:
        lost = "no workflow was changed and your answer to the open question was not recorded"
        return f"rcs: {clean(why, 400)}; the prompt went through, but {lost}. Send the prompt again."
    passed = {
        "UserPromptSubmit": "the prompt went through and no workflow was changed",
        "Stop": "the turn may end",
    }
    again = " Send the prompt again." if event == "UserPromptSubmit" and is_locked else ""
    return f"rcs: {clean(why, 400)}; {passed.get(event, 'nothing was done')}.{again}"
