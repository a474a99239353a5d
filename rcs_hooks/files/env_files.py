"""Tells which settings a repository has brought: some clients load a `.env` of the workspace into themselves.

Such a setting could switch the hooks off, move the state, or have every call written to a file. Loaded only where one
of these variables is set.
"""

from __future__ import annotations

import os
import re

from rcs_hooks.client_names import ENV_FILES
from rcs_hooks.files.bounded import read_bytes
from rcs_hooks.files.workspaces import home_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

LARGEST = 256 * 1024
LINE_ENDS = re.compile(r"\r\n?")
"""Where a line ends for a client, beside a newline."""
IN_DOUBT = re.compile("[\u2028\u2029]")
"""What ends a line in some places of a client's rules, and none in others."""
ESCAPE = b"\\u"
COMMENT = re.compile(r"\s*#")
ASSIGNMENT = re.compile(r"[ \t]*(?:export[ \t]+)?(\w+)[ \t]*([=:])[ \t]*(.*?)[ \t]*")
PLAIN = re.compile(r"""(['"`]?)([^'"`$\\#\s\ufeff\ufffd\x00-\x1f\x7f]+|)\1(?:[ \t]+#.*)?""")
"""A value whose reading is certain: without a substitution, an escape, a blank, or an end on another line."""
QUOTE = re.compile(r"""[\s\ufeff]*['"`]""")


def brought(names: Iterable[str], env: Mapping[str, str], cwd: str) -> list[str]:
    """List those of the set variables that an environment file in `cwd` or above has set, for the client that runs.

    A variable that has another value there is the person's own: clients let that one win. Files in the home are the
    person's, too. Where a file cannot be read, or a value not be told, the variable counts as brought.
    """
    names = list(names)
    mention = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)")
    files = tuple(dict.fromkeys(file for mark, files in ENV_FILES.items() if env.get(mark) for file in files))
    paths = [os.path.join(folder, file) for folder in _folders(cwd, home_of(env)) for file in files]
    said = [pair for path in paths for pair in _assignments(path, mention)]
    return [name for name in names if any(_may_set(name, env[name], *pair) for pair in said)]


def _folders(cwd: str, home: str | None) -> Iterator[str]:
    folder, home = os.path.realpath(cwd), home and os.path.realpath(home)
    while folder != home:
        yield folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent


def _assignments(path: str, mention: re.Pattern[str]) -> Iterator[tuple[str, str | None]]:
    """Yield what a file assigns to the variables that `mention` finds: None for a value that cannot be told.

    An empty name stands for all of them, where the file cannot be read.
    """
    try:
        data = read_bytes(path, LARGEST + 1, through_links=True)
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, ValueError):
        yield "", None
        return
    if data and (len(data) > LARGEST or (path.endswith(".json") and ESCAPE in data)):  # which may spell any name
        yield "", None
        return
    text = LINE_ENDS.sub("\n", (data or b"").decode(errors="replace"))
    if path.endswith(".json"):  # no rule of lines holds there, also for comments
        yield from ((found[0], None) for found in mention.finditer(text))
        return
    at = 0
    for line in text.split("\n") if mention.search(text) else ():
        at += len(line) + 1
        yield from _assignments_in(line, text[at:], mention)


def _assignments_in(line: str, rest: str, mention: re.Pattern[str]) -> Iterator[tuple[str, str | None]]:
    """Yield what a line assigns. `rest`: the text after it, where a quoted value may begin."""
    is_doubtful = IN_DOUBT.search(line) is not None
    if COMMENT.match(line) and not is_doubtful:
        return
    whole = None if is_doubtful else ASSIGNMENT.fullmatch(line)
    for found in mention.finditer(line):
        is_whole = whole is not None and whole.start(1) == found.start()
        # After `:` without a value, a client takes the next line; after `=`, what is quoted there.
        yield found[0], whole[3] if whole and is_whole and (whole[3] or not _goes_on(whole[2], rest)) else None


def _goes_on(sign: str, rest: str) -> bool:
    """Tell whether a value may begin in the lines after its sign."""
    return bool(rest.strip()) if sign == ":" else QUOTE.match(rest) is not None


def _may_set(name: str, value: str, assigned: str, text: str | None) -> bool:
    if not assigned:
        return True
    if name != assigned:
        return False
    plain = None if text is None else PLAIN.fullmatch(text)
    return plain is None or plain[2] == value.strip()
