"""Finds the id that `git add` would give to a file on disk, where attributes or settings make git convert it.

Rules of this file:
- What git converts by itself (line ends, `$Id$`, encodings) git converts here too: `hash-object` runs nothing.
- A filter driver is a program of the repository's: it is never run. What Git LFS would store is known without it; a
  file with any other driver is known by its bytes on disk.
- git leaves the line ends of a file alone whose blob in the index has CRLF already; `hash-object` does not look there.
  So such a file is known by its bytes. (Not one that has an encoding or a keyword too: staging it makes a proof stale.)
"""

from __future__ import annotations

import os

from rcs_hooks.proof.git import Git, GitCall, GitFailure
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

NAMES = ("text", "crlf", "eol", "ident", "filter", "working-tree-encoding")
UNSPECIFIED, SET, UNSET, AUTO = b"unspecified", b"set", b"unset", b"auto"
LFS = b"lfs"
CONVERTED_WORDS = 64 << 10
"""How many bytes of paths one command line takes."""


class Attributes(NamedTuple):
    """What decides how git would convert one file."""

    text: bytes = UNSPECIFIED
    crlf: bytes = UNSPECIFIED
    eol: bytes = UNSPECIFIED
    ident: bytes = UNSPECIFIED
    filter: bytes = UNSPECIFIED
    encoding: bytes = UNSPECIFIED

    @property
    def has_encoding(self) -> bool:
        return self.encoding not in (UNSPECIFIED, SET, UNSET)

    @property
    def has_keywords(self) -> bool:
        return self.ident not in (UNSPECIFIED, UNSET)

    def may_change_ends(self, autocrlf: bool) -> bool:
        """Tell whether git may convert CRLF to LF."""
        text = self.crlf if self.text == UNSPECIFIED else self.text
        return text != UNSET and (autocrlf or (text, self.eol) != (UNSPECIFIED, UNSPECIFIED))

    def looks_at_index(self) -> bool:
        """Tell whether git converts line ends only where the blob in the index has no CRLF."""
        text = self.crlf if self.text == UNSPECIFIED else self.text
        return text == AUTO or (text == UNSPECIFIED and self.eol == UNSPECIFIED)


def attributes_of(git: Git, paths: Collection[bytes]) -> dict[bytes, Attributes]:
    """Return the attributes of files."""
    if not paths:
        return {}
    values, count = _values(git, paths, NAMES), len(NAMES)
    known: dict[tuple[bytes, ...], Attributes] = {}  # most files have the same ones
    found: dict[bytes, Attributes] = {}
    for at, path in enumerate(paths):
        row = tuple(values[at * count : (at + 1) * count])
        found[path] = known[row] if row in known else known.setdefault(row, Attributes(*row))
    return found


def filtered(git: Git, paths: Sequence[bytes], drivers: frozenset[bytes]) -> set[bytes]:
    """Return those of these files that have one of these filter drivers."""
    values = _values(git, paths, ("filter",))
    return {path for path, value in zip(paths, values, strict=True) if value in drivers}


def _values(git: Git, paths: Collection[bytes], names: Sequence[str]) -> list[bytes]:
    """Return the values of these attributes for each of these files, one file after the other."""
    (out,) = git.output(GitCall(("check-attr", "-z", "--stdin", *names), b"".join(path + b"\0" for path in paths)))
    values = out.split(b"\0")[2::3]
    if len(values) == len(paths) * len(names):
        return values
    raise GitFailure("git does not tell the attributes of all files")


def converted_ids(git: Git, paths: Sequence[bytes], id_length: int, *options: str) -> dict[bytes, bytes]:
    """Return the ids that git gives to these files after its own conversions, but for those that it cannot read.

    `options`: options of `git hash-object`.
    """
    found: dict[bytes, bytes] = {}
    left = list(paths)
    while left:
        call = GitCall(("hash-object", *options, "--stdin-paths"), b"".join(_quoted(path) + b"\n" for path in left))
        (said,) = git.run(call)
        ids = [line for line in said.out.split(b"\n") if len(line) == id_length]
        found.update(zip(left, ids, strict=False))
        left = left[len(ids) + 1 :]  # git ends at the first file that it cannot read
    return found


def _quoted(path: bytes) -> bytes:
    """Return a path as a line of stdin: in the quotation of C, where it would not be read as it is."""
    if not path.startswith(b'"') and not any(byte < 32 for byte in path):
        return path
    plain = (byte >= 32 and byte not in b'"\\' for byte in path)
    return (
        b'"' + b"".join(b"%c" % byte if ok else b"\\%03o" % byte for byte, ok in zip(path, plain, strict=True)) + b'"'
    )


def with_returns(git: Git, paths: Sequence[bytes]) -> set[bytes]:
    """Return those of these tracked files whose blob in the index has lines that end in CRLF."""
    found: set[bytes] = set()
    for some in _parts(paths):
        words = ("ls-files", "--eol", "-z", "--", *(f":(literal){os.fsdecode(path)}" for path in some))
        (said,) = git.run(GitCall(words))  # ends early at a blob that a partial clone lacks
        for line in said.out.split(b"\0"):
            kinds, _, path = line.partition(b"\t")
            if kinds.startswith((b"i/crlf", b"i/mixed")):
                found.add(path)
    return found


def _parts(paths: Sequence[bytes]) -> Iterator[list[bytes]]:
    some: list[bytes] = []
    size = 0
    for path in paths:
        some.append(path)
        size += len(path) + 1
        if size > CONVERTED_WORDS:
            yield some
            some, size = [], 0
    if some:
        yield some


def drivers_of(config: Mapping[str, str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the filter drivers that a config names, and those of them that run when a file is added."""
    named = {key[len("filter.") :].rpartition(".")[0] for key in config if key.startswith("filter.")}
    active = {name for name in named if config.get(f"filter.{name}.clean") or config.get(f"filter.{name}.process")}
    return frozenset(named), frozenset(active)
