"""A state folder, for the tests of what is written into one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A state folder with state in it."""
    from tests.files.test_transaction import with_old_state

    return with_old_state(tmp_path / "workspace")
