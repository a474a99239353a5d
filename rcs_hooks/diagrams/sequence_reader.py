"""Read a Mermaid sequence diagram, line by line."""

from __future__ import annotations

import re

from rcs_hooks.diagrams.flow_reader import LARGEST, TOO_LONG, TOO_MANY
from rcs_hooks.diagrams.sequence import (
    ARROW,
    CROSS,
    NONE,
    OPEN,
    OVER,
    Activity,
    BlockEnd,
    BlockPart,
    BlockStart,
    Participant,
    SequenceDiagram,
    SequenceMessage,
    SequenceNote,
)  # fmt: skip
from rcs_hooks.diagrams.wording import plain
from rcs_hooks.machine.mermaid import content_lines
from rcs_hooks.machine.source import Source, lines_of

MOST_PARTICIPANTS, MOST_STEPS, DEEPEST = 40, 600, 12
LONGEST_NAME = 200
FRAMES = {"loop", "alt", "opt", "par", "critical", "break"}
UNDRAWN = {"rect", "box"}
"""What only colours a part of a diagram: it is closed by `end`, and not drawn."""
PARTS = {"else": {"alt"}, "and": {"par"}, "option": {"critical"}}
PASSED_OVER = {"link", "links", "properties", "details", "destroy", "accTitle", "accDescr"}
ARROWS = (re.compile(r"<<-->>|<<->>|-->>|->>|--\)|-\)|-->|->"), re.compile(r"--x|-x"))
"""The arrows; those that end in a letter are looked for last, since a name may have it, too."""
NOTE = re.compile(r"(over|left of|right of)\s+([^:]+?)\s*:(.*)", re.IGNORECASE)
PARTICIPANT = re.compile(r"(?:create\s+)?(participant|actor)\s+(.*)")
PROPERTIES = re.compile(r"@\{[^{}]*\}")


def read_sequence(text: str, *, name: str) -> SequenceDiagram:
    """Read a Mermaid sequence diagram. Raises MachineError for the first fault."""
    source = Source(lines_of(text[: LARGEST + 1]), name)
    if len(text) > LARGEST:
        raise source.fault_of_line(len(source.lines) - 1, TOO_LONG)
    reader = _SequenceReader()
    is_first = True
    for number, line in content_lines(source):
        try:
            words = line.strip().rstrip(";")
            if is_first:
                words = words.removeprefix("sequenceDiagram").strip(" \t;")
                is_first = False
            if words:
                reader.line(words, number)
        except _WrongLine as why:
            raise source.fault_of_line(number, str(why)) from None
    if reader.open:
        kind, number = reader.open[-1]
        raise source.fault_of_line(number, f"this `{kind}` is never closed by `end`")
    return reader.diagram


class _WrongLine(Exception):
    """Raised for a line that cannot be read; says why."""


class _SequenceReader:
    def __init__(self) -> None:
        self.diagram = SequenceDiagram()
        self.open: list[tuple[str, int]] = []
        """The blocks that are open, and the lines that open them."""

    def line(self, words: str, number: int) -> None:
        first, _, rest = words.partition(" ")
        rest = rest.strip()
        if len(self.diagram.steps) >= MOST_STEPS:
            raise _WrongLine(TOO_MANY.format(MOST_STEPS, "steps"))
        if found := PARTICIPANT.match(words):
            self._introduce(found[2], is_actor=found[1] == "actor")
        elif first.rstrip(":") in PASSED_OVER:
            return
        elif first.lower() == "note" and (note := NOTE.match(rest)):
            self._note(note[1].lower(), note[2], note[3])
        elif first in FRAMES | UNDRAWN:
            self._open(first, rest, number)
        elif first in PARTS and self._is_arrowless(words):
            self._part(first, rest)
        elif words == "end":
            self._close()
        elif first in ("activate", "deactivate") and rest:
            self.diagram.steps.append(Activity(self._known(rest), first == "activate"))
        elif first == "autonumber":
            self.diagram.is_numbered = rest != "off"
        elif first.rstrip(":") == "title" and rest:
            self.diagram.title = plain(rest)
        else:
            self._message(words)

    @staticmethod
    def _is_arrowless(words: str) -> bool:
        return not ARROWS[0].search(words.partition(":")[0])

    def _known(self, name: str) -> str:
        name = name.strip()[:LONGEST_NAME]
        if name not in self.diagram.participants:
            if len(self.diagram.participants) >= MOST_PARTICIPANTS:
                raise _WrongLine(TOO_MANY.format(MOST_PARTICIPANTS, "participants"))
            self.diagram.participants[name] = Participant(name, plain(name))
        return name

    def _introduce(self, words: str, *, is_actor: bool) -> None:
        name, is_named, text = PROPERTIES.sub("", words).partition(" as ")
        if not name.strip():
            raise _WrongLine("here should be the name of a participant")
        participant = self.diagram.participants[self._known(name)]
        participant.is_actor = is_actor
        if is_named:
            participant.text = plain(text)

    def _note(self, side: str, names: str, text: str) -> None:
        known = [self._known(name) for name in names.split(",")[:2] if name.strip()]
        if not known:
            raise _WrongLine("here should be the name of a participant")
        first, last = (known[0], known[-1]) if side == OVER else (known[0], known[0])
        self.diagram.steps.append(SequenceNote(side, first, last, plain(text)))

    def _open(self, kind: str, text: str, number: int) -> None:
        if len(self.open) >= DEEPEST:
            raise _WrongLine(f"more than {DEEPEST} blocks inside each other are too many to be drawn")
        self.open.append((kind, number))
        if kind in FRAMES:
            self.diagram.steps.append(BlockStart(kind, plain(text)))

    def _part(self, word: str, text: str) -> None:
        kinds = [kind for kind, _ in self.open if kind in FRAMES]
        if not kinds or kinds[-1] not in PARTS[word] or self.open[-1][0] != kinds[-1]:
            raise _WrongLine(f"this `{word}` is in no `{min(PARTS[word])}`")
        self.diagram.steps.append(BlockPart(plain(text)))

    def _close(self) -> None:
        if not self.open:
            raise _WrongLine("this `end` closes nothing")
        kind, _ = self.open.pop()
        if kind in FRAMES:
            self.diagram.steps.append(BlockEnd())

    def _message(self, words: str) -> None:
        names, _, text = words.partition(":")
        arrow = ARROWS[0].search(names) or ARROWS[1].search(names)
        if not arrow:
            raise _WrongLine("here should be a message such as `A->>B: words`, or a keyword such as `loop`")
        source, target = names[: arrow.start()].strip(), names[arrow.end() :].strip()
        sign = target[:1] if target[:1] in ("+", "-") else ""
        target = target.removeprefix(sign).strip()
        if not source or not target:
            raise _WrongLine("a message needs a participant at both ends of its arrow")
        source, target = self._known(source), self._known(target)
        mark = arrow[0]
        head = ARROW if mark.endswith(">>") else CROSS if mark[-1] == "x" else OPEN if mark[-1] == ")" else NONE
        steps = self.diagram.steps
        steps.append(SequenceMessage(source, target, plain(text), "--" in mark, head, mark.startswith("<<")))
        if sign:
            steps.append(Activity(target if sign == "+" else source, sign == "+"))
