"""One line of a diagram.

Rules of this file:
- One statement a line. A state id is letters, digits, `_`, `.` and `-` between them; the arrow is `-->`.
- A label is all that follows the first colon, to the end of the line.
- What cannot be held to is refused by its name; what changes no edge is passed over.
- A keyword that an arrow or a colon follows is a state of that name.
No `re`: every `rcs emit` loads this.
"""

from rcs_hooks.machine.faults import Spot

EDGE, STATE, PASSED = "edge", "state", "passed over"
Statement = tuple[str, str, str, str | None]
"""EDGE: source, target, label. STATE: id, "", label. PASSED: what it is, "", None."""

EDGE_OF_ALL = "[*]"
NO_WAY = "[*] --> [*]"
ARROW = "-->"
WRONG_ARROWS = ("--->", "<-->", "<--", "<-", "===>", "==>", "=>", "-.->", "--", "->", "→", "⟶", ">")

FORK = "fork and join (<<fork>>, <<join>>) are not supported; draw one transition for each branch"
NESTED = "nested states ({ … }) are not supported; draw the inner states beside the others"
CONCURRENT = "concurrent regions (--) are not supported; draw one transition for each branch"
NOTE = "notes are not supported; write a comment on a line of its own: %% …"
SECOND_HEADER = "a second diagram begins here; a section holds one stateDiagram-v2, so take the others out"


def read_statement(line: str) -> Statement:
    """Raises Spot."""
    start = _blanks(line, 0)
    if line.startswith("#", start):
        return PASSED, "#", "", None
    if line.startswith("--", start) and not line.strip("- \t"):
        raise Spot(CONCURRENT, start, len(line.rstrip()))
    word = line[start : _word_end(line, start)]
    if word.lower() in KEYWORDS and not _is_name(line, start + len(word)):
        statement = KEYWORDS[word.lower()](line, start, start + len(word))
        if statement:
            return statement
    if word in ("stateDiagram", "stateDiagram-v2"):
        raise Spot(SECOND_HEADER, start, start + len(word))
    if word.lower() in ("acctitle", "accdescr") and line.startswith((":", "{"), _blanks(line, start + len(word))):
        return PASSED, word, "", None
    return _edge_or_state(line, start)


def _edge_or_state(line: str, start: int) -> Statement:
    if line.startswith(ARROW, start):
        raise Spot("this arrow comes from nowhere; write `a --> b`, or `[*] --> a` for a start", start, start + 3)
    source, at = _end(line, start)
    if not line.startswith(ARROW, at):
        label = _label(line, at)
        return (PASSED, source, "", None) if source == EDGE_OF_ALL else (STATE, source, "", label)
    behind = _blanks(line, at + len(ARROW))
    if behind == len(line) or line.startswith((":", ARROW), behind):
        raise Spot("this arrow leads nowhere; write `a --> b`, or `a --> [*]` for an end", at, at + len(ARROW))
    target, after = _end(line, behind)
    if line.startswith(ARROW, after):
        raise Spot(f"one transition a line; write `{target} --> …` on the next", after, after + len(ARROW))
    label = _label(line, after)
    return (PASSED, NO_WAY, "", None) if source == target == EDGE_OF_ALL else (EDGE, source, target, label)


# --- the pieces of a line


def _blanks(line: str, at: int) -> int:
    while at < len(line) and line[at].isspace():
        at += 1
    return at


def _word_end(line: str, at: int) -> int:
    while at < len(line) and _is_of_id(line[at]) and not line.startswith(ARROW, at):
        at += 1
    return at


def _is_of_id(char: str) -> bool:
    """The last question lets through what joins letters of other scripts."""
    return char.isalnum() or char in "_.-" or (char > "\x7f" and f"a{char}".isidentifier())


def _is_name(line: str, end: int) -> bool:
    """Whether an arrow or a colon follows a word, so that it is no keyword but a state."""
    return line.startswith((ARROW, ":"), _blanks(line, end))


def _end(line: str, at: int) -> tuple[str, int]:
    """`[*]` or a state id, and where what follows it begins; a `:::class` behind it is passed over."""
    if line.startswith(EDGE_OF_ALL, at):
        name, end = EDGE_OF_ALL, at + len(EDGE_OF_ALL)
    else:
        end = _word_end(line, at)
        name = line[at:end]
        _check_id(line, at, end)
    end = _blanks(line, end)
    if line.startswith(":::", end):
        start = _blanks(line, end + 3)
        after = _word_end(line, start)
        if after == start:
            raise Spot("`:::` names no class; write `a:::class`, or take it out", end, end + 3)
        end = _blanks(line, after)
    return name, end


def _check_id(line: str, start: int, end: int) -> None:
    if start == end:
        raise _unexpected(line, start)
    if line[start] == "-":
        raise Spot("a state id does not begin with `-`; the arrow is written `-->`", start, end)
    if line[end - 1] == "-":
        first = end - len(line[start:end]) + len(line[start:end].rstrip("-"))
        raise Spot("a state id does not end with `-`; the arrow is written `-->`", first, _arrow_end(line, end))


def _arrow_end(line: str, at: int) -> int:
    while at < len(line) and line[at] in "-=>":
        at += 1
    return at


def _label(line: str, at: int) -> str | None:
    """What the rest of the line says: nothing, or a colon and a label."""
    if at == len(line):
        return None
    if line[at] != ":":
        raise _unexpected(line, at)
    return line[at + 1 :].strip() or None


def _unexpected(line: str, at: int) -> Spot:
    """Says what stands there, where a state, a colon or the end of the line was due."""
    if line.startswith("%%", at):
        return Spot("a comment stands on a line of its own", at, len(line.rstrip()))
    if line.startswith(("<<", "[["), at):
        return Spot(FORK, at, len(line.rstrip()))
    if line[at] in "{}":
        return Spot(NESTED, at, at + 1)
    for arrow in WRONG_ARROWS:
        if line.startswith(arrow, at):
            return Spot("a transition is written with the arrow `-->`", at, at + len(arrow))
    if line[at] == "[":
        return Spot("the start and the end are both written `[*]`", at, at + 1)
    if line[at] == '"':
        return Spot('a label in quotation marks is written `state "Label" as id`', at, at + 1)
    end = _word_end(line, at)
    if end > at:
        return Spot("one statement a line, and a label follows a colon: `a --> b : label`", at, end)
    char = line[at]
    name = f"`{char}`" if char.isprintable() else f"U+{ord(char):04X}"
    return Spot(f"{name} does not belong into a state id (letters, digits, `_`, `.`, `-`)", at, at + 1)


# --- what begins with a keyword


def _state(line: str, start: int, end: int) -> Statement:
    at = _blanks(line, end)
    if at == len(line):
        raise Spot("`state` names no state; write `state id : Label`", start, end)
    if line[at] == '"':
        return _quoted(line, at)
    if line.startswith(EDGE_OF_ALL, at):
        raise Spot("`[*]` is not declared; write `[*] --> a` for a start, `a --> [*]` for an end", at, at + 3)
    name, after = _end(line, at)
    if line[after : after + 2] in ("<<", "[["):
        return _stereotype(line, name, after)
    if line.startswith(ARROW, after):
        raise Spot("`state` only declares a state; take it out before a transition", start, end)
    if line[after : after + 3].lower() in ("as ", "as\t"):
        raise Spot('a label comes before its state: `state "Label" as id`', after, after + 2)
    return STATE, name, "", _label(line, after)


def _quoted(line: str, at: int) -> Statement:
    """`state "Label" as id`"""
    close = line.find('"', at + 1)
    if close < 0:
        raise Spot("this quotation mark is never closed on its line", at, at + 1)
    behind = _blanks(line, close + 1)
    if line[behind : behind + 2].lower() != "as" or not line[behind + 2 : behind + 3].isspace():
        raise Spot('after the label comes the state: `state "Label" as id`', at, close + 1)
    start = _blanks(line, behind + 2)
    if start == len(line):
        raise Spot('after the label comes the state: `state "Label" as id`', at, close + 1)
    name, after = _end(line, start)
    if name == EDGE_OF_ALL:
        raise Spot("`[*]` has no label", start, start + 3)
    return STATE, name, "", _label(line, after) or line[at + 1 : close].strip() or None


def _stereotype(line: str, name: str, at: int) -> Statement:
    """`<<choice>>` changes no edge; its kin cannot be held to."""
    written = line[at:].strip().lower()
    if written in ("<<choice>>", "[[choice]]"):
        return STATE, name, "<<choice>>", None
    if written in ("<<fork>>", "<<join>>", "[[fork]]", "[[join]]"):
        raise Spot(FORK, at, at + len(written))
    raise Spot(f"{written} is not supported; only <<choice>> is read, and drawn as a state", at, at + len(written))


def _note(line: str, start: int, end: int) -> Statement:
    raise Spot(NOTE, start, end)


def _end_note(line: str, start: int, end: int) -> Statement | None:
    at = _blanks(line, end)
    if line[at : at + 4].lower() == "note":
        raise Spot(NOTE, start, at + 4)
    return None


def _passed(line: str, start: int, end: int) -> Statement | None:
    """Alone on its line it is the name of a state."""
    return (PASSED, line[start:end], "", None) if line[end:].strip() else None


def _hide(line: str, start: int, end: int) -> Statement | None:
    is_known = line[end:].split() == ["empty", "description"]
    return _passed(line, start, end) if is_known else None


KEYWORDS = {
    "state": _state,
    "note": _note,
    "end": _end_note,
    "hide": _hide,
    "direction": _passed,
    "scale": _passed,
    "classdef": _passed,
    "class": _passed,
    "style": _passed,
    "click": _passed,
}
