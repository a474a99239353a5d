"""How many examples a property is tried with."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hypothesis import settings

FEW = 6
SHARE = 4
"""A sample of the slow tests has a part of the examples, one in so many."""
in_full = False
"""Set by conftest where `-m` selects the slow tests."""
is_sample = False
"""Set by conftest where these are a sample, which is the same each time."""


def examples(count: int) -> settings:
    """Under `-m slow` that many, drawn anew each time; in a sample of it, and by default, fewer and always the same."""
    from hypothesis import HealthCheck, settings

    few = min(count, FEW)
    return settings(
        max_examples=few if not in_full else max(few, count // SHARE) if is_sample else count,
        derandomize=is_sample or not in_full,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
