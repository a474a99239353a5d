"""Other tools' hooks beside ours in Copilot CLI: which of them takes the place of our context."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.clients.check import NOTE
from rcs_hooks.clients.copilot import company
from rcs_hooks.clients.installer import Host

if TYPE_CHECKING:
    from pathlib import Path

OURS = {"type": "command", "command": "/opt/rcs/bin/rcs-hook || exit 0"}
THEIRS = {"type": "command", "command": "house-style --context"}
USER, REPOSITORY, CLAUDE = (
    "home/.copilot/hooks/rcs-hooks.json",
    "project/.github/hooks/rcs-hooks.json",
    "project/.claude/settings.json",
)
BESIDE_USER, BESIDE_REPOSITORY = "home/.copilot/hooks/a.json", "project/.github/hooks/z.json"


def found(tmp_path: Path, files: dict[str, object], event: str = "UserPromptSubmit") -> list[str]:
    """The files that are named."""
    for name, hooks in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"hooks": {event: hooks}}))
    home = str(tmp_path / "home")
    host = Host({"HOME": home}, home, str(tmp_path / "project"))
    checks = list(company.checks(host, os.path.join(home, ".copilot")))
    assert {(check.what, check.status) for check in checks} <= {("Copilot CLI context", NOTE)}
    assert all("house-style --context" in check.found for check in checks)
    return [check.found.partition(" runs ")[0].removeprefix(f"{tmp_path}/") for check in checks]


@pytest.mark.parametrize(
    ("files", "named"),
    [
        ({USER: [OURS]}, []),
        ({USER: [OURS], REPOSITORY: [THEIRS]}, [REPOSITORY]),
        ({USER: [OURS], CLAUDE: [{"hooks": [THEIRS]}]}, [CLAUDE]),
        ({USER: [THEIRS], REPOSITORY: [OURS]}, []),
        ({CLAUDE: [{"hooks": [THEIRS]}, {"hooks": [OURS]}]}, []),
        ({CLAUDE: [{"hooks": [OURS, THEIRS]}]}, [CLAUDE]),
        ({REPOSITORY: [THEIRS, OURS]}, []),
        ({USER: [OURS], BESIDE_USER: [THEIRS]}, [BESIDE_USER]),
    ],
)
def test_a_hook_that_runs_after_ours_is_named(tmp_path: Path, files: dict[str, object], named: list[str]) -> None:
    assert found(tmp_path, files) == named


def test_a_hook_by_the_other_name_of_the_event_is_named(tmp_path: Path) -> None:
    found(tmp_path, {USER: [OURS]})
    assert found(tmp_path, {REPOSITORY: [THEIRS]}, "userPromptSubmitted") == [REPOSITORY]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"hooks": 5}', '{"hooks": {"UserPromptSubmit": [5, null]}}'])
def test_a_file_that_cannot_be_read_is_named_by_others(tmp_path: Path, text: str) -> None:
    path = tmp_path / REPOSITORY
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert found(tmp_path, {USER: [OURS]}) == []


def test_a_hook_for_another_event_takes_no_context_away(tmp_path: Path) -> None:
    assert found(tmp_path, {USER: [OURS], REPOSITORY: [THEIRS]}, "Stop") == []
