"""What the product promises, written by hand: modes, names, policy, outcomes, phases, tasks. Nothing here is computed.

Every test that repeats one of these facts imports it from here, and the product's own tables are held against them.
"""

from __future__ import annotations

from typing import NamedTuple

# --- modes


class Mode(NamedTuple):
    """A mode: its public name, other spellings, kind, and its machine: `a>b` is an edge, `a>` an end."""

    public: str
    spellings: str
    kind: str
    edges: str
    iteration: int | None = None
    most: int | None = None

    @property
    def first(self) -> str:
        return self.edges.partition(">")[0]

    @property
    def phases(self) -> list[str]:
        return list(dict.fromkeys(end for edge in self.edges.split() for end in edge.split(">") if end))


MODES = {
    "deep-interview": Mode(
        "brief", "", "planning",
        "intent-first>boundaries intent-first>closing boundaries>closing closing>boundaries closing>",
    ),
    "blueprint": Mode("blueprint", "", "planning", "planning>reviewing reviewing>planning reviewing>", 1, 3),
    "autoresearch": Mode("autoresearch", "", "planning", "executing>checking checking>executing checking>", 1, 10),
    "team": Mode(
        "crew", "swarm", "execution",
        "starting>executing executing>verifying verifying>fixing fixing>verifying verifying>",
    ),
    "forge": Mode(
        "forge", "", "execution",
        "starting>executing executing>verifying verifying>fixing fixing>verifying fixing>executing verifying>", 0, 50,
    ),
    "autopilot": Mode(
        "autoforge", "", "execution",
        "blueprint>forge forge>code-review code-review>blueprint code-review>", 1, 10,
    ),
    "ultrawork": Mode(
        "ultrawork", "ulw", "execution",
        "planning>executing executing>verifying verifying>executing verifying>",
    ),
    "ultraqa": Mode("ultraqa", "", "execution", "planning>running running>fixing fixing>running running>", 1, 5),
}  # fmt: skip
CANCEL = "cancel"
NAMES = {
    name: mode for mode, said in MODES.items() for name in (mode, said.public, *said.spellings.split())
} | {CANCEL: CANCEL}  # fmt: skip
"""What a person may type after the `$`, and what it means."""

# --- the policy. Rows: active. Columns: requested, in the order of the rows.
#   =  already active          +  both run             >  the active one completes, the requested one starts
#   x  denied                  r  denied, because execution does not roll back to planning
#   ?  a handoff while the review is not clean, else a rollback
POLICY = {
    #                  D B A T F P W Q
    "deep-interview": "= > x x x x + x",
    "blueprint":      "x = x > > > + x",
    "autoresearch":   "x x = x x x + x",
    "team":           "r r r = + x + x",
    "forge":          "r r r + = x + x",
    "autopilot":      "r ? r x x = + x",
    "ultrawork":      "+ + + + + + = +",
    "ultraqa":        "r r r x x x + =",
}  # fmt: skip
CLEAN = ("clean", "approve", "approved", "pass", "passed", {"clean": True})
"""The verdicts of a review after which nothing leads back to planning."""

# --- outcomes


class Outcome(NamedTuple):
    """What people read (None: nothing, the run goes on), what becomes of the run, and how it is spelled."""

    public: str | None
    ends: bool
    waits: bool
    spellings: str
    legacy: str = ""
    """The word of `run_outcome` that is written beside it."""


OUTCOMES = {
    "finished": Outcome("finished", True, False, "finish finished complete completed done", "finish"),
    "failed": Outcome("failed", True, False, "fail failed error", "failed"),
    "blocked": Outcome("blocked", True, False, "blocked", "blocked"),
    "userinterlude": Outcome(
        "userinterlude", True, False, "userinterlude user-interlude interrupt interrupted", "cancelled"
    ),
    "askuserQuestion": Outcome(
        "askuserQuestion", False, True, "askuserquestion ask-user-question askuser question", "blocked_on_user"
    ),
    "cancelled": Outcome("userinterlude", True, False, "cancelled canceled cancel aborted abort"),
    "blocked_on_user": Outcome("userinterlude", False, True, "blocked_on_user blocked-on-user"),
    "progress": Outcome(None, False, False, "progress continue continued"),
}
"""By the word that is meant. `blocked_on_user` and `progress` are a question where one of the mode is pending."""

# --- tasks

PHASES = ("planning", "plan_review", "codegen", "review", "test", "accept", "revert", "done")
ENTER = {
    "planning": "plan", "plan_review": "review plan", "codegen": "codegen", "review": "review code",
    "test": "test", "accept": "accept", "revert": "revert",
}  # fmt: skip
"""What a person types to enter each phase; no command enters done."""
EDGES = (
    ("planning", "plan_review", "planning succeeded"),
    ("planning", "planning", "re-plan (redo)"),
    ("plan_review", "codegen", "review ok"),
    ("plan_review", "planning", "review needs changes"),
    ("plan_review", "planning", "review blocked"),
    ("codegen", "review", "codegen completed"),
    ("codegen", "planning", "scope mismatch"),
    ("codegen", "plan_review", "plan unclear"),
    ("codegen", "codegen", "re-run codegen"),
    ("review", "test", "review passes"),
    ("review", "codegen", "needs code changes"),
    ("review", "planning", "plan flawed"),
    ("test", "accept", "tests complete"),
    ("test", "codegen", "test failures"),
    ("accept", "done", "accepted"),
    ("accept", "codegen", "requires further changes"),
    ("accept", "review", "unclear / needs review"),
    ("accept", "planning", "upstream problem"),
    ("accept", "revert", "revert requested"),
    ("revert", "done", None),
)
"""The twenty edges of a task as the seed draws them: from, to, label."""
TRIED = {
    "planning": ("plan_review",),
    "plan_review": ("planning", "planning", "codegen"),
    "codegen": ("planning", "plan_review", "review"),
    "review": ("planning", "codegen", "test"),
    "test": ("codegen", "accept"),
    "accept": ("revert", "planning", "review", "codegen", "done"),
    "revert": ("done",),
    "done": (),
}
"""In which order `rcs task next` asks: what sends a task back before what moves it on."""

# --- the seeds' own sentences, as patterns; wherever one is said, a scene holds it to the letter

SENTENCES = (
    r"planning preserved over simultaneous execution follow-up; deferred skills: [\w, -]+",
    r"Cannot activate [^`]*? is still active\. Clear the incompatible state first via `rcs state \.\.\.` or the"
    r" `rcs_state\.\*` MCP tools, then retry the transition",
    r"[Ff]irst clear current state first and retry if this action is intended",
    r"if this action is intended(?=\.)",
    r"mode transiting: [\w-]+ -> [\w-]+",
    r"team runtime",
    r"(?m)^Error: .*(?:\nValid next states: .*)?",
    r"task \S+: cannot move \w+ -> \w+",
    r"\w+ -> \w+ is not a transition[^\n\"]*",
    r"(?i)if you want, i can|would you like me to continue|if you'd like, i can",
    r"task \S+ is done\. Re-open it[^\n\"]*",
)
