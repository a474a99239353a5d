"""What a sequence diagram says: tables of sources with the steps that they mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks.diagrams.flow_reader import LARGEST
from rcs_hooks.diagrams.sequence import (
    Activity,
    BlockEnd,
    BlockPart,
    BlockStart,
    SequenceDiagram,
    SequenceMessage,
    SequenceNote,
    Step,
)
from rcs_hooks.diagrams.sequence_reader import MOST_PARTICIPANTS, MOST_STEPS, read_sequence
from rcs_hooks.errors import MachineError
from tests.diagrams.samples import SEQUENCE
from tests.properties import examples
from tests.support import least, processor
from tests.table import each_row


def read(body: str) -> SequenceDiagram:
    return read_sequence(f"sequenceDiagram\n{body}", name="s")


MESSAGES = [
    ("A->B: x", SequenceMessage("A", "B", "x", False, "")),
    ("A-->B: x", SequenceMessage("A", "B", "x", True, "")),
    ("A->>B: x", SequenceMessage("A", "B", "x", False, "arrow")),
    ("A-->>B: x: y", SequenceMessage("A", "B", "x: y", True, "arrow")),
    ("A-xB: x", SequenceMessage("A", "B", "x", False, "cross")),
    ("A --x B", SequenceMessage("A", "B", "", True, "cross")),
    ("A-)B: x", SequenceMessage("A", "B", "x", False, "open")),
    ("A--)B: x", SequenceMessage("A", "B", "x", True, "open")),
    ("A<<->>B: x", SequenceMessage("A", "B", "x", False, "arrow", True)),
    ("A->>A: x", SequenceMessage("A", "A", "x", False, "arrow")),
    ("my box-x1->>The other: x", SequenceMessage("my box-x1", "The other", "x", False, "arrow")),
    ("A->>B: a #35; <b>c</b>", SequenceMessage("A", "B", "a # c", False, "arrow")),
]


@each_row(("source", "message"), MESSAGES)
def test_a_message_has_its_ends_its_text_and_its_arrow(source: str, message: SequenceMessage) -> None:
    assert read(source).steps == [message]


AB = SequenceMessage("A", "B", "x")
STEPS: list[tuple[str, list[Step]]] = [
    ("A->>+B: x", [AB, Activity("B", True)]),
    ("A->>-B: x", [AB, Activity("A", False)]),
    ("activate A\ndeactivate A", [Activity("A", True), Activity("A", False)]),
    ("Note over A,B: x", [SequenceNote("over", "A", "B", "x")]),
    ("note right of A: x", [SequenceNote("right of", "A", "A", "x")]),
    ("Note left of A: x", [SequenceNote("left of", "A", "A", "x")]),
    ("loop x y\nA->>B: x\nend", [BlockStart("loop", "x y"), AB, BlockEnd()]),
    ("alt a\nA->>B: x\nelse b\nA->>B: x\nend", [BlockStart("alt", "a"), AB, BlockPart("b"), AB, BlockEnd()]),
    ("par a\nand b\nend", [BlockStart("par", "a"), BlockPart("b"), BlockEnd()]),
    ("critical a\noption b\nend", [BlockStart("critical", "a"), BlockPart("b"), BlockEnd()]),
    ("opt a\nend\nbreak b\nend", [BlockStart("opt", "a"), BlockEnd(), BlockStart("break", "b"), BlockEnd()]),
    ("rect rgb(0, 1, 2)\nA->>B: x\nend", [AB]),
    ("box red Group\nparticipant A\nend\nA->>B: x", [AB]),
    ("%% x\nlink A: y @ http://x\nA->>B: x", [AB]),
]


@each_row(("source", "steps"), STEPS)
def test_each_step_is_read(source: str, steps: list[Step]) -> None:
    assert read(source).steps == steps


def test_participants_have_names_and_an_order() -> None:
    diagram = read("actor B as Bob\nparticipant A\nC->>A: x\ncreate participant D as Last\ntitle: All\nautonumber")
    found = [(each.ident, each.text, each.is_actor) for each in diagram.participants.values()]
    assert found == [("B", "Bob", True), ("A", "A", False), ("C", "C", False), ("D", "Last", False)]
    assert (diagram.title, diagram.is_numbered) == ("All", True)


TOO_MANY = "which are too many to be drawn"
SAYS_MESSAGE = "here should be a message such as `A->>B: words`, or a keyword such as `loop`"
WRONG = [
    ("A->>B: x\nhello", f"3: {SAYS_MESSAGE}"),
    ("A->>: x", "2: a message needs a participant at both ends of its arrow"),
    ("end", "2: this `end` closes nothing"),
    ("A->>B: x\nloop y", "3: this `loop` is never closed by `end`"),
    ("loop x\nelse y\nend", "3: this `else` is in no `alt`"),
    ("participant ", f"2: {SAYS_MESSAGE}"),
    ("loop\n" * 13, "14: more than 12 blocks inside each other are too many to be drawn"),
    ("A->>B: x\n" * (MOST_STEPS + 1), f"{MOST_STEPS + 2}: this diagram has more than {MOST_STEPS} steps, {TOO_MANY}"),
    (
        "".join(f"participant p{number}\n" for number in range(MOST_PARTICIPANTS + 1)),
        f"{MOST_PARTICIPANTS + 2}: this diagram has more than {MOST_PARTICIPANTS} participants, {TOO_MANY}",
    ),
]


@each_row(("source", "said"), WRONG)
def test_what_cannot_be_read_says_where(source: str, said: str) -> None:
    with pytest.raises(MachineError) as error:
        read(source)
    assert f"{error.value.line}: {error.value.problem}" == said


LINES = st.sampled_from(
    [
        "A->>B: x",
        "A-->>+B",
        "B-xA: y",
        "A-)-A:",
        "loop x",
        "alt",
        "else y",
        "par",
        "and z",
        "end",
        "Note over A,B: n",
        "Note left of B: n",
        "activate A",
        "deactivate A",
        "autonumber",
        "actor C as D<br/>E",
        "rect red",
        "title: t",
        "x",
        "",
    ]
)


@given(st.lists(LINES, max_size=30).map("\n".join) | st.text(max_size=80))
@examples(400)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        diagram = read(text)
    except MachineError:
        return
    messages = [step for step in diagram.steps if isinstance(step, SequenceMessage)]
    assert {each.source for each in messages} | {each.target for each in messages} <= set(diagram.participants)


@pytest.mark.slow
@pytest.mark.alone
def test_reading_takes_linear_time_whatever_the_text() -> None:
    def read_all() -> None:
        for letter in '->x)<:+ an"@{\n':
            for text in (
                letter * (LARGEST - 20),
                f"note over {letter * (LARGEST - 40)}",
                f"A{letter * (LARGEST - 40)}B",
            ):
                try:
                    read(text)
                except MachineError:
                    continue

    assert least(lambda: processor(read_all), 5) <= 5


def test_the_sample_is_read() -> None:
    assert len(read_sequence(SEQUENCE, name="").participants) == 3
