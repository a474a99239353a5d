"""Reads a prompt as the answer to a question that a run waits for, and as the title of a run that it starts."""

from __future__ import annotations

from rcs_hooks.catalog import skill_named
from rcs_hooks.text import clean
from rcs_hooks.tuples import NamedTuple
from rcs_hooks.workflow.mode_record import TITLE_LENGTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

AROUND = " \t\r\n.,;:!()[]#'\"`*"
"""Characters that people type around a short reply: `2.`, `(b)`, "yes!"."""

YES_OR_NO = frozenset(
    {
        "y",
        "yes",
        "yeah",
        "yep",
        "n",
        "no",
        "nope",
        "nah",
        "ok",
        "okay",
        "sure",
        "si",
        "sí",
        "oui",
        "non",
        "ja",
        "nein",
        "nee",
        "jo",
        "sim",
        "não",
        "nao",
        "da",
        "net",
        "да",
        "нет",
        "tak",
        "nie",
        "evet",
        "hayır",
        "はい",
        "いいえ",
        "是",
        "不",
        "不是",
        "好",
        "对",
        "네",
        "아니요",
        "예",
    }
)
"""Words for yes and no, which mean an option only if the option itself begins with such a word."""
NUMBERED = frozenset(["option", "number", "choice", "nr", "opción", "opzione", "opção", "opcja", "nummer", "numéro"])
COURTESY = frozenset(["please", "pls", "thanks", "bitte", "danke", "merci", "gracias"])
"""Words that may come after the number of an option: `2 please`."""
IF_YOU_PLEASE = frozenset(["s'il", "te", "vous"])
"""Words that are courtesy only as part of `s'il te plaît`."""

BEFORE_TITLE = " \t\r\n.,;:!-–—)]"
"""Characters that are left at the start of a prompt where its tokens were cut out."""
GO_ON_WORDS = 4
"""A prompt that begins with `go on` and has more words than this says something of the work too."""
SAYS_NOTHING = frozenset(
    (
        *("go", "on", "ahead", "continue", "proceed", "resume", "start", "begin", "run", "do", "again", "now", "then"),
        *("it", "this", "that", "the", "a", "with", "and", "yes", "ok", "okay", "plan", "brief", "work", "task"),
    )
)
"""Words of a prompt that only starts or continues a run: `go ahead with the plan`."""
MOST_READ = 1_000
"""Characters of a prompt in which its title is looked for."""

LONGEST_WORDS = 80
"""Characters of a prompt that are read for its first words."""

EARLY, ONLY_NAMES, COMMAND, NO_TEXT = "early", "only names", "command", "no text"
"""Why a prompt is no answer: it was typed before the question could be seen, it only names skills, it is a command of
the client, or it has no text."""


class AnsweredQuestion(NamedTuple):
    """A question that a prompt has answered. With an empty `question`, it is only known that the modes waited."""

    modes: tuple[str, ...]
    question: str = ""
    options: tuple[str, ...] = ()
    chosen: str = ""
    """The option that the prompt chose; empty for an answer in other words."""


class OpenQuestion(NamedTuple):
    """A question that a prompt does not answer; `why` is `EARLY`, `ONLY_NAMES`, `COMMAND` or `NO_TEXT`."""

    modes: tuple[str, ...]
    question: str
    why: str
    typed: str = ""
    """The first word of a prompt that looks like a command; empty for any other prompt."""


def match_option(options: Sequence[str], words: str) -> str | None:
    """Return the option that a reply names: in full, by its number, or by first letters that no other option has.

    None if the reply names none, or may mean several.
    """
    wanted = _folded(words)
    if not wanted:
        return None
    whole = [option for option in options if _folded(option) == wanted]
    if whole:
        return whole[0]
    wanted = _number_in(wanted)
    meant = [option for option in options if _folded(option).startswith(wanted)]
    if wanted in YES_OR_NO:
        meant = [option for option in meant if _first_word(_folded(option)) in YES_OR_NO]
    if wanted.isascii() and wanted.isdigit() and len(wanted) <= 2 and 1 <= int(wanted) <= len(options):
        meant.append(options[int(wanted) - 1])
    return meant[0] if len(set(meant)) == 1 else None


def is_only_courtesy(words: str) -> bool:
    """Tell whether a prompt without its tokens (`words`) is nothing but courtesy, as in `$forge, please`.

    A yes or no is more than courtesy.
    """
    if not any(char.isalnum() for char in words):
        return True
    from rcs_hooks.workflow.tokens.lexicon import POLITE, TAIL

    rest = {word for each in words.casefold().replace("\u2019", "'").split() if (word := each.strip(AROUND))}
    return rest <= (POLITE | TAIL | IF_YOU_PLEASE) - YES_OR_NO


def is_command(prompt: str) -> bool:
    """Tell whether a prompt looks like a command of the client: `/init now`, but not `/etc/hosts is fine`.

    The first word does not tell whether it was a command: Claude Code passes on its commands that are prompts (`/init`)
    and words that are none of its commands (`/users`), and runs its other commands itself (`/login`).
    """
    first = prompt.split(maxsplit=1)[0] if prompt.startswith("/") else ""
    return len(first) > 1 and all(char.isalnum() or char in "-_:" for char in first[1:])


def says_go_on(prompt: str) -> bool:
    """Tell whether a prompt begins with `go on`, which the person is offered, or `continue`, perhaps after `please`."""
    words = [word.strip(AROUND) for word in prompt.lstrip()[:LONGEST_WORDS].casefold().split()[:3]]
    words = words[1:] if words[:1] == ["please"] else words
    return words[:2] == ["go", "on"] or words[:1] == ["continue"]


def title_of(words: str) -> str:
    """Return the title of a run that a prompt starts: its first words without names of skills, cleaned and bounded.

    `words`: the prompt without its tokens. Empty for a prompt that says nothing of the work: `please`, `go on`.
    """
    text = " ".join(_without_names(words.lstrip()[:MOST_READ].split())).lstrip(BEFORE_TITLE)
    rest = " ".join(word for word in text.split() if word.strip(AROUND).lower() not in SAYS_NOTHING)
    if is_only_courtesy(rest) or (says_go_on(text) and len(text.split()) <= GO_ON_WORDS):
        return ""
    return clean(text, TITLE_LENGTH)


def _without_names(words: list[str]) -> list[str]:
    """Return words without names of skills, and without the links of those at the start and the end: `and $forge`."""
    kept = [not (word.startswith("$") and skill_named(word[1:].rstrip(AROUND))) for word in words]
    if all(kept):
        return words
    from rcs_hooks.workflow.tokens.lexicon import LINKS

    says = [
        kept[at] and bool(bare := word.strip(AROUND).lower()) and bare not in LINKS for at, word in enumerate(words)
    ]
    if not any(says):
        return []
    start, end = says.index(True), len(words) - says[::-1].index(True)
    before = [at for at in range(start) if not kept[at]]
    start = before[-1] + 1 if before else 0
    end = end if not all(kept[end:]) else len(words)
    return [words[at] for at in range(start, end) if kept[at]]


def _number_in(folded: str) -> str:
    """Return a reply without what people put around a number; a reply that is no number is returned unchanged."""
    words = [word.strip(AROUND) for word in folded.split()]
    rest = words[1:] if words[0] in NUMBERED else words
    rest = rest[:-1] if len(rest) > 1 and rest[-1] in COURTESY else rest
    return rest[0] if len(rest) == 1 and rest[0].isascii() and rest[0].isdigit() else folded


def _first_word(folded: str) -> str:
    return folded.split(maxsplit=1)[0].strip(AROUND) if folded else ""


def _folded(text: str) -> str:
    return " ".join(text.strip(AROUND).casefold().split())
