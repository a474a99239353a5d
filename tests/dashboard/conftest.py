from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.dashboard.support import Board


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    """One that the tests of a file only look at."""
    made = Board(Path(tmp_path_factory.mktemp("shown")))
    yield made
    made.close()


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Board]:
    made = Board(tmp_path)
    yield made
    made.close()
