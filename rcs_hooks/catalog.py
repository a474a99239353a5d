"""Defines every mode by one `ModeDef`, and tells which names a person may type.

Everything else that is known about a mode is derived from its entry: the transition policy, the first record, the
completion of shells, the skills that setup installs. README, the plugin's launcher and its manifest repeat a part of
it: `python -m tests.make_tables` writes those. Imported on every prompt that holds a `$`, so this imports nothing.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PLANNING = "planning-like"
EXECUTION = "execution-like"

CANCEL = "cancel"
"""A skill that is no mode: it ends what is active."""
NAMESPACE = "rcs:"


class ModeDef:
    """The definition of one mode.

    `kind`: `PLANNING` or `EXECUTION`. `first_phase`, `iteration`, `max_iterations`: what a new record begins with.
    `tokens`: what a person may type after the `$`, separated by blanks; the first is the name of the mode's skill.
    `misnamed`: what people type by mistake, each with the token that they mean.
    `after`: the modes that are completed when this mode starts.
    `overlaps`: the modes that may run at the same time as this mode; `overlaps_all`: every mode may.
    `returns_to`: the modes that this mode hands back to while its review is not clean.
    `first_fields`: returns the fields of a new record that only this mode has.
    `advice`: a line for the agent that runs this mode; empty if there is none.
    `asks_in_text`: the agent may ask this mode's questions in its message, so a Stop after one is blocked only once.
    `has_skill_file`: a `SKILL.md` for this mode ships, and setup installs it.
    """

    __slots__ = (
        "advice",
        "after",
        "asks_in_text",
        "first_fields",
        "first_phase",
        "has_skill_file",
        "iteration",
        "kind",
        "max_iterations",
        "misnamed",
        "name",
        "overlaps",
        "overlaps_all",
        "returns_to",
        "tokens",
    )

    def __init__(
        self,
        name: str,
        kind: str,
        *,
        tokens: str,
        first_phase: str,
        misnamed: "Mapping[str, str] | None" = None,
        iteration: int | None = None,
        max_iterations: int | None = None,
        after: tuple[str, ...] = (),
        overlaps: tuple[str, ...] = (),
        overlaps_all: bool = False,
        returns_to: tuple[str, ...] = (),
        first_fields: "Callable[[], dict[str, object]]" = dict,
        advice: str = "",
        asks_in_text: bool = False,
        has_skill_file: bool = False,
    ) -> None:
        self.name = name
        self.kind = kind
        self.tokens = tuple(tokens.split())
        self.first_phase = first_phase
        self.misnamed = misnamed or {}
        self.iteration = iteration
        self.max_iterations = max_iterations
        self.after = after
        self.overlaps = overlaps
        self.overlaps_all = overlaps_all
        self.returns_to = returns_to
        self.first_fields = first_fields
        self.advice = advice
        self.asks_in_text = asks_in_text
        self.has_skill_file = has_skill_file

    @property
    def is_planning(self) -> bool:
        return self.kind == PLANNING


MODES = {
    mode.name: mode
    for mode in (
        ModeDef(
            "deep-interview",
            PLANNING,
            tokens="brief deep-interview",
            misnamed={"interview": "brief", "deepinterview": "deep-interview"},
            first_phase="intent-first",
            asks_in_text=True,
            has_skill_file=True,
        ),
        ModeDef(
            "blueprint",
            PLANNING,
            tokens="blueprint",
            misnamed={"ralplan": "blueprint", "plan": "blueprint"},
            first_phase="planning",
            after=("deep-interview",),
            has_skill_file=True,
        ),
        ModeDef(
            "autoresearch",
            PLANNING,
            tokens="autoresearch",
            misnamed={"auto-research": "autoresearch"},
            first_phase="executing",
        ),
        ModeDef(
            "team",
            EXECUTION,
            tokens="crew team swarm",
            first_phase="starting",
            after=("blueprint",),
            overlaps=("forge",),
            advice="team runtime: lead the crew, give every worker its own files, merge and verify the results"
            " yourself.",
            has_skill_file=True,
        ),
        ModeDef(
            "forge",
            EXECUTION,
            tokens="forge",
            misnamed={"ralph": "forge"},
            first_phase="starting",
            iteration=0,
            max_iterations=50,
            after=("blueprint",),
            overlaps=("team",),
            has_skill_file=True,
        ),
        ModeDef(
            "autopilot",
            EXECUTION,
            tokens="autoforge autopilot",
            misnamed={"auto-forge": "autoforge", "auto-pilot": "autopilot"},
            first_phase="blueprint",
            iteration=1,
            max_iterations=10,
            after=("blueprint",),
            returns_to=("blueprint",),
            first_fields=lambda: {
                "review_cycle": 0,
                "state": {
                    "phase_cycle": ["blueprint", "forge", "code-review"],
                    "handoff_artifacts": {"blueprint": None, "forge": None, "code_review": None},
                    "review_verdict": None,
                    "return_to_blueprint_reason": None,
                },
            },
            has_skill_file=True,
        ),
        ModeDef(
            "ultrawork",
            EXECUTION,
            tokens="ultrawork ulw",
            misnamed={"ultra-work": "ultrawork"},
            first_phase="planning",
            overlaps_all=True,
        ),
        ModeDef(
            "ultraqa",
            EXECUTION,
            tokens="ultraqa",
            misnamed={"ultra-qa": "ultraqa"},
            first_phase="planning",
        ),
    )
}

SKILLS = {token: mode.name for mode in MODES.values() for token in mode.tokens} | {CANCEL: CANCEL}
"""What a person may type after the `$`, in lower case, and the mode (or `cancel`) that it names."""

SKILL_FILES = (*(mode.tokens[0] for mode in MODES.values() if mode.has_skill_file), CANCEL, "task")
"""The skills whose `SKILL.md` ships."""

MISNAMED = {typed: token for mode in MODES.values() for typed, token in mode.misnamed.items()}


def skill_named(token: str) -> str | None:
    """Return the mode (or `cancel`) that a token without its `$` names, in any case; None if it names none of ours."""
    return SKILLS.get(token.lower().removeprefix(NAMESPACE))


def is_planning(mode: str) -> bool:
    """Tell whether a name is that of a planning mode; False for a name that is no mode."""
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
    """Tell whether a prompt may hold a token of ours, perhaps misspelled. Far cheaper than loading the tokenizer."""
    folded = prompt.lower()
    if any(f"${token}" in folded or f"${NAMESPACE}{token}" in folded for token in SKILLS):
        return True
    return any(meant_by(_word_of(piece)) for piece in prompt.split("$", MOST_CANDIDATES)[1:])


def _word_of(piece: str) -> str:
    word = piece[: LONGEST_CANDIDATE + 1]
    end = next(
        (at for at, char in enumerate(word) if not (char.isascii() and (char.isalnum() or char in "-:"))), len(word)
    )
    return word[:end].rstrip("-:")
