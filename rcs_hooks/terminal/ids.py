"""Short ids: so many letters as tell an id from others; and back, from what a person typed to the whole id."""

from __future__ import annotations

import itertools

from rcs_hooks.errors import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

SHORT_ID = 8
LONG_ID = 16
"""An id of this length or more is shown by its first letters."""
LEAST_TYPED = 4
"""So many letters at least are taken for the beginning of an id."""
MOST_NAMED = 5
"""How many candidates a refusal names."""


def telling_length(names: Iterable[str]) -> int:
    """Return how many letters, at least 8, tell these ids apart. Ids of Codex that are of one minute begin alike."""
    ordered = sorted(set(names))
    length = SHORT_ID
    for one, other in itertools.pairwise(ordered):
        alike = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
        length = max(length, len(list(alike)) + 1)
    return length


def short(identifier: str, length: int = SHORT_ID) -> str:
    """Return an id as people read it: a long one by its first letters, so many as tell it from those beside it."""
    return identifier[:length] if len(identifier) >= LONG_ID else identifier


def folder_names(paths: Iterable[str]) -> dict[str, str]:
    """Return what to call each of these folders: its own name, and those above that tell it from others."""
    whole = dict.fromkeys(paths)
    found = {}
    for path in whole:
        parts = [part for part in path.split("/") if part]
        others = [[part for part in other.split("/") if part] for other in whole if other != path]
        count = next((n for n in range(1, len(parts)) if all(parts[-n:] != other[-n:] for other in others)), len(parts))
        found[path] = "/".join(parts[-count:]) if count < len(parts) else path
    return found


def too_short(typed: str, noun: str) -> Refused:
    """Return the refusal of what would name something, if so few letters of an id were taken for it."""
    return Refused(f"{typed} is too short for a {noun}; type at least {LEAST_TYPED} letters of its id")


def resolve(prefix: str, known: Iterable[str], noun: str = "id", *, option: str = "") -> str:
    """Return the one known id that is meant by its first letters, at least 4; `prefix` itself if none begins with it.

    An id that is known as a whole is never taken for the beginning of another. `noun`: what the ids are of, as in
    `2 runs begin with`. `option`: what goes before an id on the command line. Raises Refused, with the candidates, if
    several begin so.
    """
    found = sorted({name for name in known if name.startswith(prefix)})
    if prefix in found or len(prefix) < LEAST_TYPED or not found:
        return prefix
    if len(found) == 1:
        return found[0]
    lines = [f"{len(found)} {noun}s begin with {prefix}; say which one:"]
    lines += [f"{option} {name}".strip() for name in found[:MOST_NAMED]]
    more = len(found) - MOST_NAMED
    raise Refused("\n".join([*lines, *([f"and {more} more"] if more > 0 else [])]))
