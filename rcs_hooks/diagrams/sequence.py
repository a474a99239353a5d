"""A sequence diagram: who takes part, and what happens, from top to bottom."""

from __future__ import annotations

from dataclasses import dataclass, field

OVER, LEFT_OF, RIGHT_OF = "over", "left of", "right of"
ARROW, CROSS, OPEN, NONE = "arrow", "cross", "open", ""


@dataclass
class Participant:
    """Somebody who takes part: a box, or a figure where it is an actor."""

    ident: str
    text: str
    is_actor: bool = False


@dataclass(frozen=True)
class SequenceMessage:
    """An arrow from one participant to another, or to itself."""

    source: str
    target: str
    text: str = ""
    is_dashed: bool = False
    head: str = ARROW
    has_tail: bool = False
    """Whether there is a head at its beginning, too."""


@dataclass(frozen=True)
class SequenceNote:
    """A note over one participant or two, or beside one."""

    side: str
    first: str
    last: str
    text: str


@dataclass(frozen=True)
class BlockStart:
    """The beginning of a frame such as `loop`; its text says when what is in it happens."""

    kind: str
    text: str


@dataclass(frozen=True)
class BlockPart:
    """The line in a frame where another part of it begins, such as `else`."""

    text: str


@dataclass(frozen=True)
class BlockEnd:
    """The end of the frame that was opened last."""


@dataclass(frozen=True)
class Activity:
    """The begin or the end of the time in which a participant is active."""

    who: str
    is_begin: bool


Step = SequenceMessage | SequenceNote | BlockStart | BlockPart | BlockEnd | Activity


@dataclass
class SequenceDiagram:
    """Everything that a sequence diagram says, in its order."""

    participants: dict[str, Participant] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    title: str = ""
    is_numbered: bool = False
