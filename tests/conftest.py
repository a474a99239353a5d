from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.support import Workspace


@pytest.fixture(autouse=True)
def _no_real_home(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The real home, and the settings of the session that runs the tests, are out of reach."""
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
    for name in os.environ:
        if name.startswith(("RCS_", "CLAUDE", "CODEX_")):
            monkeypatch.delenv(name)


@pytest.fixture(autouse=True, scope="session")
def _an_interrupt_is_heard() -> None:
    """Behind a shell's `&` it is ignored, and so it would be in every program that the tests start."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "workspace"
    root.mkdir()
    return Workspace(root)
