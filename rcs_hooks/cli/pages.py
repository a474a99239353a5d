"""Finds the pages about topics that come with the package, and lays one out for a terminal.

A page is Markdown: `docs/NAME.md`. Its first paragraph begins with the sentence that says which question it answers.
"""

from __future__ import annotations

import os
import re
import textwrap
from typing import TYPE_CHECKING

from rcs_hooks.terminal import style as styles
from rcs_hooks.terminal.prose import pieces_of_code
from rcs_hooks.terminal.style import PLAIN
from rcs_hooks.terminal.table import Column, Row, render
from rcs_hooks.terminal.width import cells, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rcs_hooks.terminal.style import Style

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs")
SUFFIX = ".md"
LONGEST_PURPOSE = 100
CODE = "    "
LEAST_NAME, LEAST = 16, 12
"""To how many cells the first column of a table may shrink, and each other one."""
MOST_WITHOUT_LABELS = 2
"""Of how many columns each cell explains itself where a table is too narrow for its titles."""
ITEM = re.compile(r"( *)([-*]|\d+\.) +(.*)")
HEADING = re.compile(r"#+ +(.*?) *#*")
FENCE = re.compile(r" *(`{3,}|~{3,})")
RULE = re.compile(r"\|?[ :|-]+\|[ :|-]*")
TAG = re.compile(r" *<(?!https?:)[^>]*>.*|<!--.*")
PAGE = re.compile(r"\[([^\]]*)\]\((?:[^)#:]*/)?([\w-]+)\.md(?:#[^)]*)?\)")
SPAN = re.compile(r"`[^`]+`")
HELD = "\ue000"
"""Stands for a blank where no line may end: in a command."""
INLINE = (
    (re.compile(r"\[!\[[^\]]*\]\([^)]*\)\]\([^)]*\)|!\[[^\]]*\]\([^)]*\)"), ""),
    (re.compile(r"\[([^\]]*)\]\((https?://[^)]*)\)"), r"\1 (\2)"),
    (re.compile(r"\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"\*\*([^*]+)\*\*"), r"\1"),
)


# --- which pages there are


def topics() -> list[str]:
    """List the topics that have a page, by name; empty if the package came without pages."""
    try:
        names = os.listdir(FOLDER)
    except OSError:
        return []
    return sorted(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX) and not name.startswith("."))


def topic_called(word: str) -> str | None:
    """Return the topic that a word names, in any case, also with `.md`; None for none."""
    wanted = word.lower().removesuffix(SUFFIX)
    return next((name for name in topics() if name.lower() == wanted), None)


def text_of(topic: str) -> str:
    """Return the text of a topic's page."""
    with open(os.path.join(FOLDER, topic + SUFFIX), encoding="utf-8") as file:
        return file.read()


def purpose(topic: str) -> str:
    """Return the first sentence of a topic's page, in one line; empty if it has no paragraph."""
    paragraph: list[str] = []
    for line in text_of(topic).splitlines():
        is_text = bool(line.strip()) and not (HEADING.fullmatch(line) or TAG.fullmatch(line) or _plain(line) == "")
        if paragraph and not is_text:
            break
        if is_text:
            paragraph.append(line.strip())
    sentence = re.split(r"(?<=[.?:]) ", _plain(" ".join(paragraph)), maxsplit=1)[0]
    return textwrap.shorten(sentence.rstrip(".:"), LONGEST_PURPOSE, placeholder=" …")


# --- a page in a terminal


def shown(text: str, width: int, style: Style = PLAIN) -> list[str]:
    """Return the lines of a page for a terminal of this width: wrapped, without marks; code stays as it is."""
    lines: list[str] = []
    for block in _blocks(text.splitlines()):
        found = _block(block, width, style)
        if found:
            lines += [*([""] if lines else []), *found]
    return lines


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    """Yield the parts of a page: what a blank line, a heading or a fence of code divides."""
    block: list[str] = []
    fence = ""
    for line in lines:
        mark = FENCE.match(line)
        if fence:
            block.append(line)
            if mark and line.strip() == fence:
                yield block
                block, fence = [], ""
        elif mark:
            yield block
            block, fence = [line], mark[1]
        elif not line.strip() or HEADING.fullmatch(line):
            yield block
            block = []
            if line.strip():
                yield [line]
        else:
            block.append(line)
    yield block


def _block(lines: list[str], width: int, style: Style) -> list[str]:
    if not lines:
        return []
    if FENCE.match(lines[0]):
        body = lines[1:-1] if FENCE.match(lines[-1]) and len(lines) > 1 else lines[1:]
        return _code(textwrap.dedent("\n".join(body)).splitlines(), width)
    if heading := HEADING.fullmatch(lines[0]):
        return [style.paint(_plain(heading[1]), styles.STRONG)]
    if lines[0].lstrip().startswith("|"):
        return _table(lines, width, style)
    return _paragraphs([line for line in lines if not TAG.fullmatch(line)], width)


def _code(lines: list[str], width: int) -> list[str]:
    """Return lines of code, which are never wrapped; where one has no room for the comment behind it, all are above."""
    parts = [(code.rstrip(), comment) for code, _, comment in (line.partition("  # ") for line in lines)]
    if all(cells(CODE + line) <= width for line, (code, comment) in zip(lines, parts, strict=True) if code and comment):
        return [(CODE + line).rstrip() for line in lines]
    found = []
    for code, comment in parts:
        start = CODE + code[: len(code) - len(code.lstrip())] + "# "
        found += [start + each for each in wrapped(comment, width - len(start))]
        found += [(CODE + code).rstrip()] if code or not comment else []
    return found


def _paragraphs(lines: list[str], width: int) -> list[str]:
    """Return a paragraph, or the items of a list, wrapped to the width; an item's further lines are indented."""
    items: list[tuple[str, str, list[str]]] = []
    for line in lines:
        found = ITEM.fullmatch(line)
        if found:
            items.append((found[1] + found[2] + " ", " " * (len(found[1] + found[2]) + 1), [found[3]]))
        elif items:
            items[-1][2].append(line.strip().removeprefix("> "))
        else:
            items.append(("", "", [line.strip().removeprefix("> ")]))
    laid_out: list[str] = []
    for first, further, words in items:
        laid_out += textwrap.wrap(
            _held(_plain(" ".join(words)), width - len(further)),
            width,
            initial_indent=first,
            subsequent_indent=further,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return [line.replace(HELD, " ") for line in laid_out]


def _held(text: str, width: int) -> str:
    """Return a text in which the blanks of each piece of code are held together, if it fits on one line."""
    return SPAN.sub(lambda found: found[0].replace(" ", HELD) if len(found[0]) <= width else found[0], text)


def _table(lines: list[str], width: int, style: Style) -> list[str]:
    rows = [_cells(line) for line in lines if not RULE.fullmatch(line.strip())]
    titles, *others = rows
    count = len(titles)
    texts = [list(column) for column in zip(*((*row, *[""] * count)[:count] for row in rows), strict=True)]
    columns = [
        Column(
            title,
            is_flexible=True,
            least=_least(texts[at], LEAST if at else LEAST_NAME, width),
            label=f"{title.replace('{}', '')}: {{}}" if at and count > MOST_WITHOUT_LABELS else "{}",
        )
        for at, title in enumerate(titles)
    ]
    return render([Row((*row, *[""] * count)[:count]) for row in others], columns, width, style)


def _least(texts: list[str], least: int, width: int) -> int:
    """Return to how many cells a column may shrink: a command in it stays whole, if it fits on a line."""
    commands = [cells(piece) for text in texts for piece in pieces_of_code(text)]
    return max([least, *(each for each in commands if each <= width - len(CODE))])


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [_plain(cell.replace(r"\|", "|").strip()) for cell in re.split(r"(?<!\\)\|", inner)]


def _plain(text: str) -> str:
    """Return a line of Markdown without the marks of pictures, links and bold words. Code keeps its backticks."""
    text = PAGE.sub(_link, text)
    for pattern, words in INLINE:
        text = pattern.sub(words, text)
    return text.strip()


def _link(found: re.Match[str]) -> str:
    """Return the words of a link to another page, with what to type for it if it is one of the topics."""
    words, name = found.groups()
    return f"{words} (`rcs help {name}`)" if name in topics() else words
