"""Stop where state cannot be read, or a repository has brought it."""

from __future__ import annotations

import pytest

from tests.hook.test_stop import (
    GO_ON_OR_CANCEL,
    LONGEST_ID,
    MODES,
    UUID,
    asks_for_handoff,
    commands,
    proofs,
)
from tests.support import Workspace
from tests.table import each_row

# --- text that a repository brought


@each_row("phase", ["executing", "x" * 40, "\u202e" * 10 + "🙂" * 10**4], ids=["word", "long", "hostile"])
@each_row("session", [UUID, LONGEST_ID], ids=["uuid", "longest-id"])
def test_eight_modes_and_a_long_session_id_fit_into_the_reason(session: str, phase: str, workspace: Workspace) -> None:
    for mode in MODES:
        workspace.write(mode, session, current_phase=phase, iteration=7, max_iterations=50)
    reason = workspace.stop(session, message="If you want, I can go on.").reason
    assert len(reason) <= 1_200
    assert [mode for mode in MODES if f"{mode} goes on: " not in reason] == []
    assert asks_for_handoff(reason)
    assert commands(reason, "write", session) + proofs(reason, session) != []


@pytest.mark.parametrize("session", [UUID, LONGEST_ID], ids=["uuid", "longest-id"])
def test_eight_modes_and_a_long_session_id_fit_into_the_notice(session: str, workspace: Workspace) -> None:
    workspace.env["RCS_STOP_MAX_BLOCKS"] = "0"
    for mode in MODES:
        workspace.write(mode, session)
    notice = workspace.stop(session).notice
    assert [mode for mode in MODES if mode not in notice] == []
    assert notice.endswith(GO_ON_OR_CANCEL)
    assert "\n" not in notice
    assert session not in notice
