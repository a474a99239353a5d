"""Read one line of a diagram as a statement.

Rules of this file:
- One statement a line. A state id is letters, digits, `_`, `.` and `-` between them; the arrow is `-->`.
- A label is all that follows the first colon, to the end of the line.
- A construct that no run could be checked against is refused by name; one that changes no edge is ignored.
- A keyword that an arrow or a colon follows is a state of that name.
"""

from rcs_hooks.machine.source import LineError

EDGE, STATE, PASSED = "edge", "state", "passed over"
Statement = tuple[str, str, str, str | None]
"""EDGE: source, target, label. STATE: id, "", label. PASSED: the ignored word, "", None."""

EDGE_OF_ALL = "[*]"
NO_WAY = "[*] --> [*]"
ARROW = "-->"
WRONG_ARROWS = ("--->", "<-->", "<--", "<-", "===>", "==>", "=>", "-.->", "--", "->", "→", "⟶", ">")

FORK = "fork and join (<<fork>>, <<join>>) are not supported; draw one transition for each branch"
NESTED = "nested states ({ … }) are not supported; draw the inner states next to the others"
CONCURRENT = "concurrent regions (--) are not supported; draw one transition for each branch"
NOTE = "notes are not supported; write a comment on a line of its own: %% …"
SECOND_HEADER = "a second diagram begins here; a section holds one stateDiagram-v2, so take the others out"


def read_statement(line: str) -> Statement:
    """Read one line of a diagram. Raises LineError."""
    start = _blanks(line, 0)
    if line.startswith("#", start):
        return PASSED, "#", "", None
    if line.startswith("--", start) and not line.strip("- \t"):
        raise LineError(CONCURRENT, start, len(line.rstrip()))
    word = line[start : _word_end(line, start)]
    if word.lower() in KEYWORDS and not _is_name(line, start + len(word)):
        statement = KEYWORDS[word.lower()](line, start, start + len(word))
        if statement:
            return statement
    if word in ("stateDiagram", "stateDiagram-v2"):
        raise LineError(SECOND_HEADER, start, start + len(word))
    if word.lower() in ("acctitle", "accdescr") and line.startswith((":", "{"), _blanks(line, start + len(word))):
        return PASSED, word, "", None
    return _edge_or_state(line, start)


def _edge_or_state(line: str, start: int) -> Statement:
    if line.startswith(ARROW, start):
        raise LineError("this arrow comes from nowhere; write `a --> b`, or `[*] --> a` for a start", start, start + 3)
    source, at = _end(line, start)
    if not line.startswith(ARROW, at):
        label = _label(line, at)
        return (PASSED, source, "", None) if source == EDGE_OF_ALL else (STATE, source, "", label)
    behind = _blanks(line, at + len(ARROW))
    if behind == len(line) or line.startswith((":", ARROW), behind):
        raise LineError("this arrow leads nowhere; write `a --> b`, or `a --> [*]` for an end", at, at + len(ARROW))
    target, after = _end(line, behind)
    if line.startswith(ARROW, after):
        raise LineError(f"one transition a line; write `{target} --> …` on the next", after, after + len(ARROW))
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
    """Tell whether a character may be part of a state id; `isidentifier` allows what joins letters in some scripts."""
    return char.isalnum() or char in "_.-" or (char > "\x7f" and f"a{char}".isidentifier())


def _is_name(line: str, end: int) -> bool:
    """Tell whether the word before column `end` is the name of a state and no keyword: an arrow or a colon follows."""
    return line.startswith((ARROW, ":"), _blanks(line, end))


def _end(line: str, at: int) -> tuple[str, int]:
    """Return the `[*]` or state id at a column, and the column of what follows; a `:::class` after it is skipped."""
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
            raise LineError("`:::` names no class; write `a:::class`, or take it out", end, end + 3)
        end = _blanks(line, after)
    return name, end


def _check_id(line: str, start: int, end: int) -> None:
    if start == end:
        raise _unexpected(line, start)
    if line[start] == "-":
        raise LineError("a state id does not begin with `-`; the arrow is written `-->`", start, end)
    if line[end - 1] == "-":
        first = end - len(line[start:end]) + len(line[start:end].rstrip("-"))
        raise LineError("a state id does not end with `-`; the arrow is written `-->`", first, _arrow_end(line, end))


def _arrow_end(line: str, at: int) -> int:
    while at < len(line) and line[at] in "-=>":
        at += 1
    return at


def _label(line: str, at: int) -> str | None:
    """Return the label after a colon; None if the line ends before it or the label is empty. Raises LineError."""
    if at == len(line):
        return None
    if line[at] != ":":
        raise _unexpected(line, at)
    return line[at + 1 :].strip() or None


def _unexpected(line: str, at: int) -> LineError:
    """Return the error for a column where a state, a colon or the end of the line was expected."""
    if line.startswith("%%", at):
        return LineError("a comment stands on a line of its own", at, len(line.rstrip()))
    if line.startswith(("<<", "[["), at):
        return LineError(FORK, at, len(line.rstrip()))
    if line[at] in "{}":
        return LineError(NESTED, at, at + 1)
    for arrow in WRONG_ARROWS:
        if line.startswith(arrow, at):
            return LineError("a transition is written with the arrow `-->`", at, at + len(arrow))
    if line[at] == "[":
        return LineError("the start and the end are both written `[*]`", at, at + 1)
    if line[at] == '"':
        return LineError('a label in quotation marks is written `state "Label" as id`', at, at + 1)
    end = _word_end(line, at)
    if end > at:
        return LineError("one statement a line, and a label follows a colon: `a --> b : label`", at, end)
    char = line[at]
    name = f"`{char}`" if char.isprintable() else f"U+{ord(char):04X}"
    return LineError(f"{name} cannot stand in a state id (letters, digits, `_`, `.`, `-`)", at, at + 1)


# --- what begins with a keyword


def _state(line: str, start: int, end: int) -> Statement:
    at = _blanks(line, end)
    if at == len(line):
        raise LineError("`state` names no state; write `state id : Label`", start, end)
    if line[at] == '"':
        return _quoted(line, at)
    if line.startswith(EDGE_OF_ALL, at):
        raise LineError("`[*]` is not declared; write `[*] --> a` for a start, `a --> [*]` for an end", at, at + 3)
    name, after = _end(line, at)
    if line[after : after + 2] in ("<<", "[["):
        return _stereotype(line, name, after)
    if line.startswith(ARROW, after):
        raise LineError("`state` only declares a state; take it out before a transition", start, end)
    if line[after : after + 3].lower() in ("as ", "as\t"):
        raise LineError('a label comes before its state: `state "Label" as id`', after, after + 2)
    return STATE, name, "", _label(line, after)


def _quoted(line: str, at: int) -> Statement:
    """Read `state "Label" as id`."""
    close = line.find('"', at + 1)
    if close < 0:
        raise LineError("this quotation mark is never closed on its line", at, at + 1)
    behind = _blanks(line, close + 1)
    if line[behind : behind + 2].lower() != "as" or not line[behind + 2 : behind + 3].isspace():
        raise LineError('after the label comes the state: `state "Label" as id`', at, close + 1)
    start = _blanks(line, behind + 2)
    if start == len(line):
        raise LineError('after the label comes the state: `state "Label" as id`', at, close + 1)
    name, after = _end(line, start)
    if name == EDGE_OF_ALL:
        raise LineError("`[*]` has no label", start, start + 3)
    return STATE, name, "", _label(line, after) or line[at + 1 : close].strip() or None


def _stereotype(line: str, name: str, at: int) -> Statement:
    """Read `<<choice>>`, which changes no edge. Raises LineError for fork and join, which change edges, and others."""
    written = line[at:].strip().lower()
    if written in ("<<choice>>", "[[choice]]"):
        return STATE, name, "<<choice>>", None
    if written in ("<<fork>>", "<<join>>", "[[fork]]", "[[join]]"):
        raise LineError(FORK, at, at + len(written))
    raise LineError(f"{written} is not supported; only <<choice>> is read, and drawn as a state", at, at + len(written))


def _note(line: str, start: int, end: int) -> Statement:
    raise LineError(NOTE, start, end)


def _end_note(line: str, start: int, end: int) -> Statement | None:
    at = _blanks(line, end)
    if line[at : at + 4].lower() == "note":
        raise LineError(NOTE, start, at + 4)
    return None


def _passed(line: str, start: int, end: int) -> Statement | None:
    """Return an ignored statement for a line with a keyword such as `direction`; None if it is a state of that name.

    `start`, `end`: the columns of the keyword. A keyword alone on its line is the name of a state.
    """
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
