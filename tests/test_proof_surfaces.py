"""Whatever a record says of a proof, every surface says the same verdict, and shows no text of it unchecked."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from rcs_hooks.dashboard import mode_runs
from rcs_hooks.dashboard.sessions import list_sessions
from rcs_hooks.files.clock import iso
from rcs_hooks.hud import as_line, hud_of
from rcs_hooks.mcp import tools
from rcs_hooks.overview.collect import for_dashboard, overview
from rcs_hooks.state.operations import get_status
from tests.overview.test_proofs import PASSED
from tests.state.test_operations import at
from tests.table import each_row

if TYPE_CHECKING:
    from tests.support import Workspace

Record = dict[str, Any]


@pytest.fixture
def workspace(workspace: Workspace) -> Workspace:
    workspace.now = time.time()
    return workspace


RECORDS: dict[str, tuple[object, str, str]] = {
    "proven": (PASSED, "proven", "proven by `pytest -q`"),
    "stale": (PASSED | {"state": "stale"}, "stale", "stale: files have changed since `pytest -q` passed"),
    "failed": (PASSED | {"exit": 1}, "unproven", "unproven: `pytest -q` failed (exit 1)"),
    "a failure that claims to prove": (PASSED | {"exit": 1, "state": "proven"}, "unproven",
                                       "unproven: `pytest -q` failed (exit 1)"),
    "nobody judged it": (PASSED | {"state": "maybe"}, "unproven", "unproven"),
    "no fingerprint": (PASSED | {"tree": ""}, "unproven", "unproven"),
    "none": (None, "unproven", "unproven"),
}  # fmt: skip


@each_row(("proof", "verdict", "words"), [pytest.param(*row, id=name) for name, row in RECORDS.items()])
def test_every_surface_says_the_same_verdict(proof: object, verdict: str, words: str, workspace: Workspace) -> None:
    workspace.now = time.time()
    ended: Record = {"active": False, "lifecycle_outcome": "finished", "completed_at": iso(workspace.now - 60)}
    workspace.write("forge", **ended, current_phase="verifying", proof=proof)
    scope, root = at(workspace)._replace(now=workspace.now), str(workspace.root)
    (in_list,) = overview(workspace.env, root, workspace.now).ended
    assert in_list.proof
    page = mode_runs.show(root, "s1", "forge", workspace.now)["proof"]
    one_list: Any = for_dashboard({}, [root], workspace.now, None)
    sessions = list_sessions([root], workspace.now, limit=9, block_limit=5)[0]
    hud = hud_of(scope.view(), ())
    text, is_error = tools.call("state_get_status", {"session_id": "s1", "cwd": root}, workspace.env, root)
    assert not is_error
    found = {
        "get-status": get_status(scope)["statuses"]["forge"]["proof"]["state"],
        "MCP": json.loads(text)["statuses"]["forge"]["proof"]["state"],
        "rcs status": in_list.proof.to_json()["state"],
        "HUD": hud.finished[0].proof.state,
        "the line of the HUD": as_line(hud).split()[3],
        "the list": one_list["ended"][0]["verdict"],
        "the page": page["verdict"],
        "the sessions": sessions[0]["modes"][0]["verdict"],
    }
    assert found == dict.fromkeys(found, verdict)
    assert (in_list.says, page["says"]) == (f"finished, {words}", words)
