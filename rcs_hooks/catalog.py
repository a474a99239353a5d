"""The one table of modes: names, kind, first phase, and what a person may type for each.

Everything else about names is derived from it. Imported on every prompt that holds a `$`, so it
imports nothing itself.
"""

PLANNING = "planning-like"
EXECUTION = "execution-like"


class Mode:
    """A tracked workflow mode. The first of `tokens` is the name that people are shown."""

    __slots__ = ("first_phase", "iteration", "kind", "max_iterations", "name", "tokens")

    def __init__(
        self,
        name: str,
        kind: str,
        first_phase: str,
        *tokens: str,
        iteration: int | None = None,
        max_iterations: int | None = None,
    ) -> None:
        self.name = name
        self.kind = kind
        self.first_phase = first_phase
        self.tokens = tokens
        self.iteration = iteration
        self.max_iterations = max_iterations


MODES = {
    mode.name: mode
    for mode in (
        Mode("deep-interview", PLANNING, "intent-first", "brief", "deep-interview"),
        Mode("blueprint", PLANNING, "planning", "blueprint"),
        Mode("autoresearch", PLANNING, "executing", "autoresearch"),
        Mode("team", EXECUTION, "starting", "crew", "team", "swarm"),
        Mode("forge", EXECUTION, "starting", "forge", iteration=0, max_iterations=50),
        Mode("autopilot", EXECUTION, "blueprint", "autoforge", "autopilot", iteration=1, max_iterations=10),
        Mode("ultrawork", EXECUTION, "planning", "ultrawork", "ulw"),
        Mode("ultraqa", EXECUTION, "planning", "ultraqa"),
    )
}

CANCEL = "cancel"
"""A skill, never a mode: it ends what is active."""

NAMESPACE = "rcs:"

SKILLS = {token: mode.name for mode in MODES.values() for token in mode.tokens} | {CANCEL: CANCEL}
"""What a person may type after the `$`, in lower case, and the mode (or `cancel`) that it names."""


def skill_named(token: str) -> str | None:
    """The mode (or `cancel`) that a token without its `$` names, in any case; None if none of ours."""
    return SKILLS.get(token.lower().removeprefix(NAMESPACE))


def is_planning(mode: str) -> bool:
    return mode in MODES and MODES[mode].kind == PLANNING


OTHER_NAMES = {
    "ralph": "forge",
    "ralplan": "blueprint",
    "plan": "blueprint",
    "interview": "brief",
    "deepinterview": "deep-interview",
    "ultra-work": "ultrawork",
    "ultra-qa": "ultraqa",
    "auto-forge": "autoforge",
    "auto-pilot": "autopilot",
    "auto-research": "autoresearch",
}
"""What other tools call these skills, and how they are written apart or together."""
ORDINARY = frozenset({"force", "forte", "fore", "forage", "brie", "swam", "autopilots", "cancer"})
"""Words and variables that happen to be one letter away from a name."""
LONG = 9
"""From so many letters on, two of them may be wrong."""
MOST_LOOKED_AT = 50
LONGEST_LOOKED_AT = 20


def meant_by(typed: str) -> str | None:
    """The name that a token without its `$` misspells; None where it is one, or is none of ours.

    `$FORG` is a variable of the shell, and `$teams`, `$forged`, `$plan_id` are words of their own.
    """
    name = typed.lower().removeprefix(NAMESPACE)
    if name in SKILLS or name in ORDINARY or typed.isupper() or len(name) > LONGEST_LOOKED_AT:
        return None
    return OTHER_NAMES.get(name) or next((skill for skill in SKILLS if _is_near(name, skill)), None)


def _is_near(name: str, skill: str) -> bool:
    """One wrong, missing, doubled or swapped letter; in a short name only doubled or swapped ones."""
    if name[:1] != skill[:1] or abs(len(name) - len(skill)) > 1:
        return False
    if len(skill) < 5:
        return _once_each(name) == skill or (name[-1:] == skill[-1:] and sorted(name) == sorted(skill))
    if name.startswith(skill):
        return name == skill + skill[-1]
    return _distance(name, skill) <= (2 if len(skill) >= LONG else 1)


def _once_each(name: str) -> str:
    return "".join(char for at, char in enumerate(name) if name[at - 1 : at] != char)


def _distance(one: str, other: str) -> int:
    """Damerau's: letters to be put in, taken out, changed, or swapped with their neighbour."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, char in enumerate(one, 1):
        last, before, row = before, row, [at]
        for i, letter in enumerate(other, 1):
            cost = min(before[i] + 1, row[i - 1] + 1, before[i - 1] + (char != letter))
            if at > 1 and i > 1 and char == other[i - 2] and one[at - 2] == letter:
                cost = min(cost, last[i - 2] + 1)
            row.append(cost)
    return row[-1]


def may_name_a_skill(prompt: str) -> bool:
    """Whether a look at the tokens can pay at all: far cheaper than to load the tokenizer."""
    folded = prompt.lower()
    if any(f"${token}" in folded or f"${NAMESPACE}{token}" in folded for token in SKILLS):
        return True
    return any(meant_by(_word_of(piece)) for piece in prompt.split("$", MOST_LOOKED_AT)[1:])


def _word_of(piece: str) -> str:
    word = piece[: LONGEST_LOOKED_AT + 1]
    end = next(
        (at for at, char in enumerate(word) if not (char.isascii() and (char.isalnum() or char in "-:"))), len(word)
    )
    return word[:end].rstrip("-:")
