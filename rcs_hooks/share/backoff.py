"""How long to wait before the next try: longer after each failure, bounded, and not the same on every machine."""

from __future__ import annotations

import random

FIRST, LONGEST = 0.5, 60.0


class Backoff:
    """The pauses between tries, from 0.5 s to a minute, each shortened by chance by up to a half."""

    def __init__(self) -> None:
        self._tries = 0

    def next(self) -> float:
        """Return how many seconds to wait after one more failure."""
        pause = min(LONGEST, FIRST * 2.0 ** min(self._tries, 16))
        self._tries += 1
        return pause * random.uniform(0.5, 1.0)  # noqa: S311 - it hides no secret

    def reset(self) -> None:
        """Begin with the shortest pause again."""
        self._tries = 0
