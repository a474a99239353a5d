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


def may_name_a_skill(prompt: str) -> bool:
    """Whether a look at the tokens can pay at all: far cheaper than to load the tokenizer."""
    folded = prompt.lower()
    return any(f"${token}" in folded or f"${NAMESPACE}{token}" in folded for token in SKILLS)
