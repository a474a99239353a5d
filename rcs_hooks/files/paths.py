"""Names the files and folders of a workspace's state, and compares paths."""

import os

HOME = ".rcs"
STATE = os.path.join(HOME, "state")
OFF = "off"
"""The file under `.rcs` that switches the hooks off, in a workspace or, under the home folder, everywhere."""
GIT = ".git"
SESSIONS = "sessions"
MODE_SUFFIX = "-state.json"
NOTES = "hook-ledger.json"
HISTORY = "history.jsonl"
COMMIT = ".commit"
"""How the names of journals begin."""
JOURNAL = f"{COMMIT}.json"
"""The file that names the staged files of a commit."""
OTHER_JOURNAL = f"{COMMIT}-own.json"
"""The journal that is written where git tracks the one with the usual name."""
STAGED = ".new"
"""What is added to the name of a file that is staged."""
NAME_LENGTH = 128
LONGEST_PATH = 4095
NAME_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")


def is_name(value: object) -> bool:
    """Tell whether a session id (or the like) may become the name of a folder."""
    return (
        isinstance(value, str)
        and 0 < len(value) <= NAME_LENGTH
        and value[0] in NAME_LETTERS
        and NAME_LETTERS.issuperset(value.replace("-", "").replace("_", ""))
    )


def let_owner_in() -> None:
    """Let the owner read and write what this process creates, whatever the umask: else no later call could use it."""
    os.umask(os.umask(0o077) & 0o077)


def fault_of(path: str) -> str:
    """Return why a text cannot be a path; empty if it can."""
    if "\0" in path:
        return "it holds a NUL character"
    try:
        length = len(os.fsencode(path))
    except UnicodeEncodeError:
        return "it holds half of a surrogate pair"
    return f"it has {length} bytes, and {LONGEST_PATH} at most can be opened" if length > LONGEST_PATH else ""


def link_in(folder: str, path: str) -> str:
    """Return the first part of `path`, which is relative to a folder, that is a link; empty if none is."""
    for part in filter(None, path.split("/")):
        folder = f"{folder}/{part}"
        if os.path.islink(folder):
            return folder
    return ""


def inside(path: str, folder: str) -> bool:
    """Tell whether `path` is `folder` or lies in it; both must be resolved."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def session_folder(session: str | None) -> str:
    """Return the folder of a session with a slash, relative to the state folder; empty for the root scope."""
    return f"{SESSIONS}/{session}/" if session else ""


def mode_file(mode: str, session: str | None) -> str:
    return f"{session_folder(session)}{mode}{MODE_SUFFIX}"


def inventory_file(session: str | None) -> str:
    return f"{session_folder(session)}skill-active-state.json"


INVENTORY = "skill-active"
"""What `rcs state clear --mode` calls the inventory."""


def clear_name(path: str) -> str:
    """Return the name that `rcs state clear --mode` takes for a state file."""
    name = path.rpartition("/")[2]
    return name.removesuffix(MODE_SUFFIX)


def notes_file(session: str) -> str:
    return f"{session_folder(session)}{NOTES}"


def history_file(session: str) -> str:
    return f"{session_folder(session)}{HISTORY}"


def folder_from(root: str, folder: str) -> str:
    """Return a folder relative to another one; empty if both are the same."""
    relative = os.path.relpath(os.path.realpath(folder), os.path.realpath(root))
    return "" if relative == os.curdir else relative


def proofs_folder(session: str | None) -> str:
    """Return the folder with the outputs of the commands that proved something, relative to the state folder."""
    return f"{session_folder(session)}proofs"


def question_file(question: str, session: str | None) -> str:
    return f"{session_folder(session)}questions/{question}.json"
