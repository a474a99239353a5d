"""Names the modes: what a person may type after the `$`, and which mode that is.

The modes themselves, `MODES`, are read from `shipped_modes.py` when somebody first asks for them. What is below `made
from the skills` repeats the names of the declarations in `rcs_hooks/skills/*/SKILL.md`: `python -m tests.make_modes`
writes it. Imported on every prompt that holds a `$`, so this imports nothing.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rcs_hooks import mode_def

    ModeDef = mode_def.ModeDef
    MODES: dict[str, ModeDef]
    """The modes that ship, by name."""
else:

    def __getattr__(name):
        """Return what needs the definitions of the modes, which most prompts do without; it is read once."""
        if name not in ("MODES", "ModeDef"):
            raise AttributeError(f"module 'rcs_hooks.catalog' has no attribute {name!r}")
        from rcs_hooks import mode_def

        globals().update(ModeDef=mode_def.ModeDef, MODES=mode_def.shipped())
        return globals()[name]


CANCEL = "cancel"
"""A skill that is no mode: it ends what is active."""
NAMESPACE = "rcs:"

# --- made from the skills
SKILLS = {
    "brief": "deep-interview",
    "deep-interview": "deep-interview",
    "blueprint": "blueprint",
    "autoresearch": "autoresearch",
    "crew": "team",
    "team": "team",
    "swarm": "team",
    "forge": "forge",
    "autoforge": "autopilot",
    "autopilot": "autopilot",
    "ultrawork": "ultrawork",
    "ulw": "ultrawork",
    "ultraqa": "ultraqa",
    "cancel": "cancel",
}
"""What a person may type after the `$`, in lower case, and the mode (or `cancel`) that it names."""
MISNAMED = {
    "interview": "brief",
    "deepinterview": "deep-interview",
    "ralplan": "blueprint",
    "plan": "blueprint",
    "auto-research": "autoresearch",
    "ralph": "forge",
    "auto-forge": "autoforge",
    "auto-pilot": "autopilot",
    "ultra-work": "ultrawork",
    "ultra-qa": "ultraqa",
}
"""What people type by mistake, and the token that they mean."""
SKILL_FILES = (
    "brief",
    "blueprint",
    "autoresearch",
    "crew",
    "forge",
    "autoforge",
    "ultrawork",
    "ultraqa",
    "cancel",
    "task",
)
"""The skills whose `SKILL.md` ships."""
# --- end of what is made

LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
NAME_LETTERS = LETTERS | frozenset("0123456789-")
RESERVED = frozenset({"all", "none", "rcs", "root", "skill-active"})
"""Words that mean something else where the name of a mode may stand, or a state file of another kind."""
LONGEST_NAME = 40


def is_own_name(name: str) -> bool:
    """Tell whether a mode that does not ship may have this name: such as can be typed, in lower case, and not taken."""
    return (
        0 < len(name) <= LONGEST_NAME
        and name[0] in LETTERS
        and NAME_LETTERS.issuperset(name)
        and name[-1] != "-"
        and not is_taken(name)
    )


def is_taken(name: str) -> bool:
    """Tell whether a name belongs to a mode or a skill that ships, or means something else."""
    return name in SKILLS or name in SKILL_FILES or name in RESERVED


def skill_named(token: str) -> str | None:
    """Return the mode (or `cancel`) that a token without its `$` names, in any case; None if it names none of ours."""
    return SKILLS.get(token.lower().removeprefix(NAMESPACE))


def is_planning(mode: str) -> bool:
    """Tell whether a name is that of a planning mode that ships; False for any other name."""
    from rcs_hooks.catalog import MODES  # through the door above, which reads them

    return mode in MODES and MODES[mode].is_planning


ORDINARY = frozenset({"force", "forte", "fore", "forage", "brie", "swam", "autopilots", "cancer"})
"""Words and variables that happen to be one letter away from a name."""
LONG = 9
"""In a name of this length or more, two letters may be wrong."""
MOST_CANDIDATES = 50
LONGEST_CANDIDATE = 20


def meant_by(typed: str) -> str | None:
    """Return the token that a name misspells, both without the `$`; None if it is right or resembles none of ours.

    `$FORG` is a shell variable, and `$teams`, `$forged`, `$plan_id` are words of their own: they misspell nothing.
    """
    name = typed.lower().removeprefix(NAMESPACE)
    if name in SKILLS or name in ORDINARY or typed.isupper() or len(name) > LONGEST_CANDIDATE:
        return None
    return MISNAMED.get(name) or next((skill for skill in SKILLS if _is_near(name, skill)), None)


def _is_near(name: str, skill: str) -> bool:
    """Tell whether a name differs from a skill by at most one wrong, missing, doubled or swapped letter.

    For a long skill two letters may differ; for a short one only a doubled or swapped letter is allowed.
    """
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
    """Return the Damerau-Levenshtein distance: how many letters to insert, delete, change or swap with a neighbour."""
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
    """Tell whether a prompt may hold a token of ours, or begins its tokens with a misspelled one.

    Far cheaper than loading the tokenizer.
    """
    folded = prompt.lower()
    if any(f"${token}" in folded or f"${NAMESPACE}{token}" in folded for token in SKILLS):
        return True
    words = map(_word_of, prompt.split("$", MOST_CANDIDATES)[1:])
    return meant_by(next((word for word in words if word[:1].isalpha()), "")) is not None


def _word_of(piece: str) -> str:
    word = piece[: LONGEST_CANDIDATE + 1]
    end = next(
        (at for at, char in enumerate(word) if not (char.isascii() and (char.isalnum() or char in "-:"))), len(word)
    )
    return word[:end].rstrip("-:")


MOST_OWN_CANDIDATES = 24
"""So many `$` are looked at from each end of a prompt: what a person asks for is where the prompt begins or ends."""
GLUE = frozenset("_([{</=\\$@#%&|~^+")
"""What follows a variable or a path, and no name of a mode."""


def possible_own_names(prompt: str) -> tuple[str, ...]:
    """Return the names after a `$` that may be those of modes that do not ship, as typed, without `rcs:`.

    A word in capitals is a variable of a shell, and an amount has no letter: neither costs a look at a file.
    """
    pieces = (*prompt.split("$", MOST_OWN_CANDIDATES)[1:], *prompt.rsplit("$", MOST_OWN_CANDIDATES)[1:])
    return tuple(dict.fromkeys(filter(None, map(_own_name_of, pieces))))


def _own_name_of(piece: str) -> str:
    """Return the name with which the text after a `$` begins, as typed; empty if no own mode may have it."""
    word = piece[: LONGEST_NAME + len(NAMESPACE) + 1]
    end = next(
        (at for at, char in enumerate(word) if not (char.isascii() and (char.isalnum() or char in "-:"))), len(word)
    )
    typed = word[:end].rstrip(":")
    name = typed[len(NAMESPACE) :] if typed.lower().startswith(NAMESPACE) else typed
    is_name = is_own_name(name.lower()) and not typed.isupper()
    return name if is_name and word[end : end + 1] not in GLUE else ""
