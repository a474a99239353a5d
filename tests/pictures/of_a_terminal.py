"""Draws what a command prints in a terminal as SVG: its letters on a grid, in the colours that it asked for.

Rules of this file:
- The picture has a ground of its own, so that it reads alike on a light and on a dark page.
- Each piece of text says how wide it is, so that boxes meet whatever font the reader's machine has.
"""

from __future__ import annotations

import os
import pty
import re
import subprocess
from html import escape
from typing import TYPE_CHECKING

from rcs_hooks.terminal import width as widths
from tests.support import CHECKOUT, RCS_HOOK, clean_env

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

COLUMNS = 88
CELL, LINE, SIZE, MARGIN, TOP = 8.4, 20, 14, 22, 46
GROUND, INK, PROMPT = "#16181d", "#d8dae0", "#7f858f"
MONO = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace"
LOOKS = {
    "1": 'font-weight="700" fill="#ffffff"',
    "2": 'fill="#8f949e"',
    "38;5;244": 'fill="#8f949e"',
    "38;5;166": 'fill="#f0a35e"',
    "38;5;32": 'fill="#6cb6ff"',
    "38;5;28": 'fill="#74cf94"',
    "38;5;196": 'fill="#ff8a80"',
}
CODE = re.compile(r"\x1b\[([\d;]*)m")
RESET = ("", "0")


def printed(words: Sequence[str], folder: Path, home: Path) -> str:
    """Return what `rcs` prints on a terminal of COLUMNS columns that knows 256 colours."""
    env = clean_env(HOME=str(home), PYTHONPATH=str(CHECKOUT), TERM="xterm-256color", COLUMNS=str(COLUMNS), TZ="UTC")
    env["PATH"] = os.pathsep.join([str(RCS_HOOK.parent), env.get("PATH", os.defpath)])  # so that it calls itself `rcs`
    ours, theirs = pty.openpty()
    program = subprocess.Popen(
        [RCS_HOOK.with_name("rcs"), *words], cwd=folder, env=env, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    pieces = []
    try:
        while piece := os.read(ours, 65536):
            pieces.append(piece)
    except OSError:  # how Linux says that the other end was closed
        pass
    os.close(ours)
    assert program.wait(60) == 0, b"".join(pieces)
    return b"".join(pieces).decode().replace("\r\n", "\n")


def picture(commands: Sequence[tuple[str, str]], title: str) -> str:
    """Return a terminal as the text of an SVG file: each command behind its prompt, and below it what it printed."""
    lines: list[str] = []
    for typed, output in commands:
        lines += [*([""] if lines else []), f"\x1b[prompt]$ \x1b[m{typed}", *output.rstrip("\n").split("\n")]
    wide, high = 2 * MARGIN + COLUMNS * CELL, TOP + len(lines) * LINE + MARGIN - 4
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{_n(wide)}" height="{_n(high)}" '
        f'viewBox="0 0 {_n(wide)} {_n(high)}" font-family="{MONO}" font-size="{SIZE}" fill="{INK}">',
        f"<title>{escape(title)}</title>",
        f'<rect width="100%" height="100%" rx="10" fill="{GROUND}"/>',
        *(f'<circle cx="{24 + 20 * at}" cy="22" r="6" fill="#3a3e46"/>' for at in range(3)),
    ]
    for number, line in enumerate(lines):
        parts += _line(line, TOP + number * LINE + SIZE)
    return "\n".join([*parts, "</svg>", ""])


def _line(line: str, y: float) -> Iterator[str]:
    column = 0
    for look, text in _pieces(line):
        for found in re.finditer(r"\S+(?: \S+)*", text):
            at = column + widths.cells(text[: found.start()])
            cells = widths.cells(found[0])
            yield (
                f'<text x="{_n(MARGIN + at * CELL)}" y="{_n(y)}" textLength="{_n(cells * CELL)}" '
                f'lengthAdjust="spacingAndGlyphs"{" " if look else ""}{look}>{escape(found[0])}</text>'
            )
        column += widths.cells(text)


def _pieces(line: str) -> Iterator[tuple[str, str]]:
    """Yield the pieces of a line, each with what it looks like."""
    if line.startswith("\x1b[prompt]"):
        before, _, line = line.removeprefix("\x1b[prompt]").partition("\x1b[m")
        yield f'fill="{PROMPT}"', before
    at, look = 0, ""
    for code in CODE.finditer(line):
        yield look, line[at : code.start()]
        look = "" if code[1] in RESET else LOOKS[code[1]]
        at = code.end()
    yield look, line[at:]


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
