"""A workspace in which a run goes on, for the tests of the hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support import Workspace


@pytest.fixture
def forge(workspace: Workspace) -> Workspace:
    """Forge runs since the last prompt."""
    workspace.prompt("$forge fix the build")
    return workspace
