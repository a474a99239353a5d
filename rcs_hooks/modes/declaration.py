"""Reads the mode that a SKILL.md declares: its metadata says what the mode is, and `## MODE` has its machine.

Rules of this file:
- A skill is a mode if its metadata has `rcs-kind`. Without any `rcs-` key and `## MODE` it is no mode.
- Every fault is reported with its line; a declaration with a fault declares nothing.
- A mode that ships may say more than an own mode, and is trusted to keep to the contract: a test compares the two.
"""

from __future__ import annotations

from rcs_hooks.catalog import CANCEL, MISNAMED, MODES, SKILLS, is_own_name, is_taken, meant_by
from rcs_hooks.fault import Fault
from rcs_hooks.mode_def import EXECUTION, MOST_ITERATIONS, MOST_NAMES, PLANNING, ModeDef
from rcs_hooks.modes import front_matter
from rcs_hooks.modes.diagram import DiagramReader
from rcs_hooks.tuples import NamedTuple
from rcs_hooks.workflow.transitions import STANDALONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from rcs_hooks.modes.front_matter import FrontMatter, Value

KIND, TOKENS, AFTER, BESIDE = "rcs-kind", "rcs-tokens", "rcs-after", "rcs-beside"
ITERATION, MAX_ITERATIONS = "rcs-iteration", "rcs-max-iterations"
MODE, MISNAMED_KEY, RETURNS_TO = "rcs-mode", "rcs-misnamed", "rcs-returns-to"
ADVICE, ASKS_IN_TEXT = "rcs-advice", "rcs-asks-in-text"

KEYS = (KIND, TOKENS, AFTER, BESIDE, ITERATION, MAX_ITERATIONS)
KEYS_OF_SHIPPED = (MODE, MISNAMED_KEY, RETURNS_TO, ADVICE, ASKS_IN_TEXT)
KINDS = {"planning": PLANNING, "execution": EXECUTION}
EVERY_MODE = "all"
MOST_FAULTS = 20
LONGEST_FAULT = 400


class Declaration(NamedTuple):
    """What was read of a SKILL.md: the mode, or the faults; neither for a skill that declares no mode."""

    mode: ModeDef | None
    faults: tuple[Fault, ...] = ()


def read(text: str, *, name: str, file: str, source: str = "") -> Declaration:
    """Read the mode that the text of a SKILL.md declares.

    `name`: that of the file's folder. `source`: whose file it is, `HOME` or `PROJECT`; "" for a mode that ships.
    """
    front = front_matter.read(text, file)
    machine = DiagramReader(text, file)
    if not front.metadata and not front.faults and not machine.is_there:
        return Declaration(None)
    reader = _MetadataReader(front, name.lower(), file, source)
    faults = [*front.faults, *reader.faults_of_keys()]
    arguments = reader.arguments()
    faults += reader.faults
    kind = front.metadata.get(KIND)
    machine.read(kind.line if kind else 0)
    faults += machine.faults
    if faults:
        return Declaration(None, _in_order(faults))
    return Declaration(
        ModeDef(
            arguments.name,
            arguments.kind,
            arguments.tokens,
            first_phase=machine.first,
            states=machine.states,
            edges=machine.edges,
            misnamed=arguments.misnamed,
            iteration=arguments.iteration,
            max_iterations=arguments.max_iterations,
            after=arguments.after,
            overlaps=arguments.overlaps,
            overlaps_all=arguments.overlaps_all,
            returns_to=arguments.returns_to,
            advice=arguments.advice,
            asks_in_text=arguments.asks_in_text,
            source=source,
            file=file if source else "",
        )
    )


def _in_order(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """Sort faults by line, those of the whole file last, and cut the list: a hostile file may have thousands."""
    first = sorted(set(faults), key=lambda fault: (not fault.line, fault.line))[:MOST_FAULTS]
    long = LONGEST_FAULT
    return tuple(
        each if len(each.problem) <= long else each._replace(problem=f"{each.problem[:long]}…") for each in first
    )


class _Arguments(NamedTuple):
    """What the metadata says, as a `ModeDef` takes it."""

    name: str
    kind: str
    tokens: tuple[str, ...]
    misnamed: dict[str, str]
    iteration: int | None
    max_iterations: int | None
    after: tuple[str, ...]
    overlaps: tuple[str, ...]
    overlaps_all: bool
    returns_to: tuple[str, ...]
    advice: str
    asks_in_text: bool


class _MetadataReader:
    """Reads the keys of one declaration and collects their faults."""

    def __init__(self, front: FrontMatter, folder: str, file: str, source: str) -> None:
        self.front = front
        self.folder = folder
        self.file = file
        self.is_own = bool(source)
        self.faults: list[Fault] = []
        self._kind = ""

    def fault(self, line: int, problem: str) -> None:
        self.faults.append(Fault(self.file, line, problem))

    def faults_of_keys(self) -> list[Fault]:
        """Return the faults of keys that are unknown, or that only a mode which ships may have."""
        allowed = KEYS if self.is_own else (*KEYS, *KEYS_OF_SHIPPED)
        found = []
        for key, value in self.front.metadata.items():
            if key in allowed:
                continue
            if key in KEYS_OF_SHIPPED:
                problem = f"`{key}` is only for the modes that ship; take it out"
            else:
                problem = f"`{key}` is unknown; the keys are {', '.join(allowed)}"
            found.append(Fault(self.file, value.line, problem))
        return found

    def arguments(self) -> _Arguments:
        name = self._name()
        self._kind = self._kind_of()
        tokens = self._tokens(name)
        iteration, most = self._count(ITERATION, 0), self._count(MAX_ITERATIONS, 1)
        if most is not None and iteration is None:
            iteration = 1
        if most is None and iteration is not None and ITERATION in self.front.metadata:
            self.fault(self.front.metadata[ITERATION].line, f"`{ITERATION}` is of no use without `{MAX_ITERATIONS}`")
        if most is not None and iteration is not None and iteration >= most:
            line = self.front.metadata[MAX_ITERATIONS].line
            self.fault(line, f"`{MAX_ITERATIONS}`: {most} leaves no second round, for the first is {iteration}")
        beside, after = self._modes(BESIDE), self._modes(AFTER)
        for each in after:
            if each in beside and self.is_own:
                line = self.front.metadata[BESIDE].line
                self.fault(line, f"`{BESIDE}`: {each} is in `{AFTER}` too; a mode runs beside another or after it")
        overlaps_all = EVERY_MODE in beside and not self.is_own
        return _Arguments(
            name,
            self._kind,
            tokens,
            self._misnamed(),
            iteration,
            most,
            self._checked_after(after),
            () if overlaps_all else self._checked_beside(beside),
            overlaps_all,
            self._modes(RETURNS_TO),
            self._text(ADVICE),
            self._text(ASKS_IN_TEXT) == "true",
        )

    # --- single keys

    def _text(self, key: str) -> str:
        value = self.front.metadata.get(key)
        return value.text if value else ""

    def _words(self, key: str) -> list[str]:
        return self._text(key).replace(",", " ").split()

    def _name(self) -> str:
        """Return the name of the mode: that of its folder, or what a mode that ships says."""
        named = self.front.name
        line = named.line if named else 0
        if not self.is_own:
            return self._text(MODE) or self.folder
        if named and named.text.lower() != self.folder:
            self.fault(line, f"the skill is called `{named.text}`, but its folder `{self.folder}`; name both alike")
        elif is_taken(self.folder):
            self.fault(line, f"the name `{self.folder}` is taken; choose another for the skill and its folder")
        elif not is_own_name(self.folder):
            problem = "begins with a letter a to z and has letters, digits and hyphens, 40 at most"
            self.fault(line, f"nobody can type `${self.folder}`: the name of a mode {problem}")
        return self.folder

    def _kind_of(self) -> str:
        value = self.front.metadata.get(KIND)
        if value is None and self.front.faults:
            return ""  # the line that cannot be read may well be the one that says it
        if value is None:
            line = next((each.line for each in self.front.metadata.values()), 0)
            self.fault(line, f"`{KIND}` is missing; write `{KIND}: planning` or `{KIND}: execution` below `metadata:`")
            return ""
        if value.text not in KINDS:
            self.fault(value.line, f"`{KIND}` is planning or execution, and not `{value.text}`")
        return KINDS.get(value.text, "")

    def _tokens(self, name: str) -> tuple[str, ...]:
        words = tuple(self._words(TOKENS))
        if not self.is_own:
            return words or (self.folder,)
        value = self.front.metadata.get(TOKENS)
        if value and [word.lower() for word in words] != [name]:
            self.fault(value.line, f"`{TOKENS}`: only `{name}` itself can be typed for this mode; take the key out")
        return (name,)

    def _misnamed(self) -> dict[str, str]:
        """Return what people type by mistake: a word alone means the skill, `word=token` that token."""
        first = self._words(TOKENS)[:1] or [self.folder]
        pairs = (word.partition("=") for word in self._words(MISNAMED_KEY))
        return {typed: token or first[0] for typed, _, token in pairs}

    def _count(self, key: str, least: int) -> int | None:
        value = self.front.metadata.get(key)
        if value is None:
            return None
        number = int(value.text) if value.text.isdecimal() and len(value.text) <= 9 else -1
        if not least <= number <= MOST_ITERATIONS:
            self.fault(value.line, f"`{key}` is a whole number from {least} to {MOST_ITERATIONS}, not `{value.text}`")
            return None
        return number

    # --- other modes

    def _modes(self, key: str) -> tuple[str, ...]:
        """Return the modes that a key names, by their runtime names, each once."""
        value = self.front.metadata.get(key)
        if value is None:
            return ()
        names = dict.fromkeys(self._words(key))
        if len(names) > MOST_NAMES:
            self.fault(value.line, f"`{key}` names {len(names)} modes; {MOST_NAMES} at most are read")
            return ()
        if not self.is_own:
            return tuple(names)
        resolved = (self._resolved(key, word, value) for word in names)
        return tuple(dict.fromkeys(name for name in resolved if name))

    def _resolved(self, key: str, word: str, value: Value) -> str:
        name = word.lower().removeprefix("$")
        if name == self.folder:
            self.fault(value.line, f"`{key}` names the mode itself; take `{word}` out")
        elif name in SKILLS and name != CANCEL:
            return SKILLS[name]
        elif meant := MISNAMED.get(name) or meant_by(name):
            self.fault(value.line, f"`{key}`: no mode is called `{word}`; write `{meant}`")
        elif name == EVERY_MODE:
            self.fault(value.line, f"`{key}: {EVERY_MODE}` is only for ultrawork; name the modes")
        elif is_own_name(name):
            return name
        else:
            self.fault(value.line, f"`{key}`: `{word}` is not the name of a mode")
        return ""

    def _checked_after(self, names: Iterable[str]) -> tuple[str, ...]:
        for name in names if self.is_own else ():
            if name in MODES and not MODES[name].is_planning:
                line = self.front.metadata[AFTER].line
                self.fault(line, f"`{AFTER}`: {name} is an execution mode; only a planning mode hands over to another")
        return tuple(names)

    def _checked_beside(self, names: Iterable[str]) -> tuple[str, ...]:
        for name in names if self.is_own else ():
            line = self.front.metadata[BESIDE].line
            if name in STANDALONE:
                self.fault(line, f"`{BESIDE}`: {name} runs beside ultrawork alone")
            elif self._kind and name in MODES and not MODES[name].overlaps_all and MODES[name].kind != self._kind:
                mine, theirs = ("planning", "execution") if self._kind == PLANNING else ("execution", "planning")
                self.fault(line, f"`{BESIDE}`: {name} is {theirs}, and this mode is {mine}; the two never run together")
        return tuple(names)
