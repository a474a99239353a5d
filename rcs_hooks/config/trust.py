"""Which projects' settings the person has trusted: `~/.rcs/trusted.json`, by path and content of the table.

A table that has changed in any value is not the one that was trusted; its comments and blanks may change.
"""

from __future__ import annotations

import hashlib
import json
import os

from rcs_hooks import jsontext
from rcs_hooks.errors import Refused, reason_of
from rcs_hooks.fault import Fault
from rcs_hooks.files.bounded import read_bytes
from rcs_hooks.files.lock import Lock
from rcs_hooks.files.paths import HOME
from rcs_hooks.files.replacing import replace

FILE = "trusted.json"
TRUSTED = "trusted"
LARGEST = 4 * 1024 * 1024


def path_in(home: str) -> str:
    """Return the path of the file that says what is trusted."""
    return os.path.join(home, HOME, FILE)


def digest_of(table: object) -> str:
    """Return the SHA-256 of a table's values, whatever their order."""
    text = json.dumps(table, sort_keys=True, default=repr)
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def trusted_in(home: str) -> tuple[dict[str, str], Fault | None]:
    """Return the digest of each trusted file by its real path; nothing, and a fault, if that cannot be read."""
    path = path_in(home)
    try:
        data = read_bytes(path, LARGEST + 1, through_links=True)
    except (FileNotFoundError, NotADirectoryError):
        return {}, None
    except OSError as error:
        return {}, Fault(path, 0, f"{reason_of(error)}, so no project is trusted")
    try:
        if data is None or len(data) > LARGEST:
            raise ValueError
        return {str(key): str(value) for key, value in jsontext.loads(data.decode())[TRUSTED].items()}, None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}, Fault(path, 0, "it is not a list of trusted files, so none is trusted; remove it")


def change(home: str, file: str, digest: str | None) -> bool:
    """Trust the table with this digest in a file, or with None no table of it; return whether that changed anything.

    Raises Refused if what is trusted so far cannot be read, LockTimeout, OSError.
    """
    path = path_in(home)
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    with Lock(folder):
        trusted, fault = trusted_in(home)
        if fault:
            raise Refused(fault.sentence)
        before = dict(trusted)
        trusted.pop(real := os.path.realpath(file), None)
        if digest is not None:
            trusted[real] = digest
        if trusted == before:
            return False
        replace(os.path.realpath(path), json.dumps({TRUSTED: trusted}, indent=2) + "\n")
    return True
