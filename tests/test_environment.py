"""Which variables count where a client loads the `.env` of a workspace."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

from tests.support import RCS_HOOK, clean_env
from tests.table import each_row

if TYPE_CHECKING:
    from pathlib import Path


@each_row(
    ("client", "name", "counts"),
    [
        ("GEMINI_SESSION_ID", "RCS_ROOT", False),
        ("GEMINI_SESSION_ID", "CLAUDE_PROJECT_DIR", False),
        ("QWEN_CODE", "RCS_ROOT", False),
        ("GEMINI_SESSION_ID", "RCS_DISABLE", True),
        ("CODEX_THREAD_ID", "RCS_ROOT", True),
    ],
)
def test_our_variables_count_for_nothing_where_a_repository_may_set_them(
    client: str, name: str, counts: bool, tmp_path: Path
) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    (project / ".git" / "refs").mkdir(parents=True)
    elsewhere.mkdir()
    call = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": str(project), "prompt": "$forge go"}
    env = clean_env() | {client: "s1", name: str(elsewhere)}
    subprocess.run([RCS_HOOK], input=json.dumps(call).encode(), cwd=project, env=env, capture_output=True, check=True)
    assert (project / ".rcs").exists() is not counts
