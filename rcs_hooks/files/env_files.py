"""Tells which settings a repository has brought: some clients load a `.env` of the workspace into themselves.

Such a setting could switch the hooks off, move the state, or have every call written to a file. Loaded only where one
of these variables is set.
"""

from __future__ import annotations

import errno
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
NOT_BLANK = re.compile(r"\S")
IN_DOUBT = re.compile("[\u2028\u2029]")
"""What ends a line in some places of a client's rules, and none in others."""
ESCAPE = b"\\u"
COMMENT = re.compile(r"\s*#")
ASSIGNMENT = re.compile(r"[ \t]*(?:export[ \t]+)?(\w+)[ \t]*([=:])(.*)")
PLAIN = re.compile(r"""(['"`]?)([^'"`$\\#\s\ufeff\ufffd\x00-\x1f\x7f]+|)\1(?:[ \t]+#.*)?""")
"""A value whose reading is certain: without a substitution, an escape, a blank, or an end on another line."""
OPERATOR = re.compile(r"""(?:[^!-~]|['"`\\\])}])*[-+?.]*[=:]""")
"""What follows a name that a reader may assign to: `=` or `:`, also behind blanks, line ends, quotes or a bracket."""
LATER_COMMENT = re.compile(r"""[^'"`#]*[ \t](#[ !#-&(-_a-~\t]*)""")
"""A line with a comment behind a value, up to a quote, for `#` may be within it, or what some reader ends a line at."""
QUOTE = re.compile(r"""[\s\ufeff]*['"`]""")


def brought(names: Iterable[str], env: Mapping[str, str], cwd: str) -> list[str]:
    """List those of the set variables that an environment file in `cwd` or above has set, for the client that runs.

    A variable that has another value there, or is only mentioned, is the person's own: clients let that one win. Files
    in the home are the person's, too. Where a file cannot be read, or a value not be told, the variable counts as
    brought.
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
    except (OSError, ValueError) as error:
        if not (isinstance(error, OSError) and error.errno == errno.ELOOP):  # a link to itself, which nobody can read
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
        yield from _assignments_in(text, line, at, mention)
        at += len(line) + 1


def _assignments_in(text: str, line: str, at: int, mention: re.Pattern[str]) -> Iterator[tuple[str, str | None]]:
    """Yield what the line of a text at `at` assigns."""
    is_doubtful = IN_DOUBT.search(line) is not None
    if COMMENT.match(line) and not is_doubtful:
        return
    whole = None if is_doubtful else ASSIGNMENT.fullmatch(line)
    comment = LATER_COMMENT.match(line)
    start, end = comment.span(1) if comment else (0, 0)
    for found in mention.finditer(line):
        if whole and whole.start(1) == found.start():
            value = whole[3].strip(" \t")
            # After `:` without a value, a client takes the next line; after `=`, what is quoted there.
            yield found[0], value if value or not _goes_on(whole[2], text, at + len(line) + 1) else None
        elif not start < found.start() < end and OPERATOR.match(text, at + found.end()):
            yield found[0], None


def _goes_on(sign: str, text: str, at: int) -> bool:
    """Tell whether a value may begin in the lines after its sign, which begin at `at`."""
    return NOT_BLANK.search(text, at) is not None if sign == ":" else QUOTE.match(text, at) is not None


def _may_set(name: str, value: str, assigned: str, text: str | None) -> bool:
    if not assigned:
        return True
    if name != assigned:
        return False
    plain = None if text is None else PLAIN.fullmatch(text)
    return plain is None or plain[2] == value.strip()
