"""Checks the tables of tokens without pytest, with a Python that has only its standard library.

`/usr/bin/python3 -m tests.workflow.token_tables` prints the rows that differ, and fails where one does.
"""

from __future__ import annotations

import sys

from rcs_hooks.workflow.tokens.scan import Token, scan
from tests.workflow import corpus, deciding_corpus, directed_corpus, whose_corpus


def requested(prompt: str) -> tuple[Token, ...]:
    """Return the tokens that the prompt asks for."""
    return tuple(token for token in scan(prompt) if token.passed_over is None)


def rows() -> list[tuple[str, str]]:
    return [
        *((prompt, "") for _, prompt in corpus.MENTIONS),
        *((prompt, " ".join(skills)) for _, prompt, skills in corpus.ASKS),
        *(
            row
            for tables in (directed_corpus.ALL, whose_corpus.ALL, deciding_corpus.ALL)
            for table in tables.values()
            for row in table
        ),
    ]


def main() -> int:
    got = [
        (prompt, expected, " ".join(token.skill or "" for token in requested(prompt))) for prompt, expected in rows()
    ]
    wrong = [f"{prompt!r}: {found!r}, not {expected!r}" for prompt, expected, found in got if found != expected]
    print(*wrong, f"Python {sys.version.split()[0]}: {len(got)} rows, {len(wrong)} wrong", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
