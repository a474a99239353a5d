from __future__ import annotations

from pathlib import Path

import pytest

from tests.tasks.support import Task


@pytest.fixture(autouse=True)
def _runs_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RCS_DB", str(tmp_path / "runs.db"))


@pytest.fixture
def task(tmp_path: Path) -> Task:
    root = tmp_path / "project"
    root.mkdir()
    return Task(root)
