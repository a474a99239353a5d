"""What a run begins with: the words of the prompt, and what an earlier run of its session hands over."""

from __future__ import annotations

from tests.support import Record, Workspace
from tests.table import each_row

GIVEN = ("title", "plan", "brief", "finding")
PLANNED = {"title": "fix the ledger", "plan": ".rcs/plans/x.md", "brief": "docs/brief.md"}
EARLY, LATE, LATER = (f"2023-11-14T22:{minute}:00.000Z" for minute in (10, 11, 12))


def ended(at: str, **fields: object) -> Record:
    return {"active": False, "lifecycle_outcome": "finished", "completed_at": at, "current_phase": "completed"} | fields


def given(workspace: Workspace, mode: str) -> Record:
    record = workspace.read(mode)
    return {name: record[name] for name in GIVEN if name in record}


FAILED = ended(LATE, title="old", plan="old.md") | {"lifecycle_outcome": "failed"}
KEPT = {"title": "old", "plan": "old.md"}
RACE = {"review_verdict": "not clean", "return_to_blueprint_reason": "two writers\nrace"}

# What is on disk, the prompt, the mode that starts, and what its record is given.
STARTS = [
    ({}, "$forge fix the ledger", "forge", {"title": "fix the ledger"}),
    ({}, "please $forge, go on", "forge", {}),
    ({}, "$team $forge split the ledger", "team", {"title": "split the ledger"}),
    ({}, "$team $forge split the ledger", "forge", {"title": "split the ledger"}),
    ({}, "$blueprint $forge the ledger of Ann", "blueprint", {"title": "the ledger of Ann"}),
    # a planning run hands over while it runs, and after its end
    ({"blueprint": {"active": True} | PLANNED}, "$forge", "forge", PLANNED),
    ({"blueprint": {"active": True} | PLANNED}, "$forge now this", "forge", PLANNED),
    ({"blueprint": {"active": True} | PLANNED}, "$forge build it", "forge", PLANNED | {"title": "build it"}),
    ({"blueprint": ended(EARLY, **PLANNED)}, "$forge", "forge", PLANNED),
    ({"blueprint": ended(EARLY, **PLANNED)}, "$ultraqa", "ultraqa", PLANNED),
    ({"deep-interview": ended(EARLY, brief="b.md")}, "$blueprint", "blueprint", {"brief": "b.md"}),
    ({"blueprint": ended(EARLY)}, "$forge", "forge", {}),
    # of two, the last one
    ({"blueprint": ended(EARLY, **PLANNED), "deep-interview": ended(LATE, brief="b.md")}, "$forge", "forge",
     {"brief": "b.md"}),
    # nothing of a run that did not finish, of another session, of itself, or that is used up
    ({"blueprint": ended(EARLY, **PLANNED) | {"lifecycle_outcome": "failed"}}, "$forge", "forge", {}),
    ({"blueprint": ended(EARLY, **PLANNED)}, "$blueprint", "blueprint", {}),
    ({"blueprint": ended(EARLY, **PLANNED), "team": ended(LATE)}, "$forge", "forge", {}),
    ({"blueprint": ended(LATE, **PLANNED), "team": ended(EARLY)}, "$forge", "forge", PLANNED),
    ({"blueprint": ended(EARLY, **PLANNED), "forge": ended(LATE)}, "$forge again", "forge", {}),
    # a run that is taken up keeps what it has, unless something was planned since
    ({"forge": FAILED}, "$forge another thing", "forge", KEPT),
    ({"blueprint": ended(EARLY, **PLANNED), "forge": FAILED}, "$forge", "forge", KEPT),
    ({"blueprint": ended(LATER, **PLANNED), "forge": FAILED}, "$forge", "forge", PLANNED | {"title": "old"}),
    # a review that is not clean
    ({"autopilot": {"active": True, "title": "ship", "plan": "p.md", "state": RACE}}, "$blueprint", "blueprint",
     {"title": "ship", "plan": "p.md", "finding": "two writers race"}),
    ({"autopilot": {"active": True, "state": {"review_verdict": "not clean"}}}, "$blueprint", "blueprint",
     {"finding": "not clean"}),
    ({"autopilot": {"active": True, "state": {"review_verdict": "clean"}, "review_verdict": "no tests"}}, "$blueprint",
     "blueprint", {"finding": "no tests"}),
    # beside a run: for the same work, unless the prompt says otherwise
    ({"forge": {"active": True} | PLANNED}, "$team", "team", PLANNED),
    ({"forge": {"active": True} | PLANNED}, "$ultrawork go on", "ultrawork", PLANNED),
    ({"forge": {"active": True} | PLANNED}, "$ultrawork lint the docs", "ultrawork", {"title": "lint the docs"}),
    # what others have written
    ({"blueprint": ended(EARLY, plan="a\nb", brief="x" * 1001, title="a\n" + "b" * 100)}, "$forge", "forge",
     {"title": "a " + "b" * 77 + "…"}),
    ({"blueprint": ended(EARLY, title=7, plan=["x"], brief=None)}, "$forge", "forge", {}),
]  # fmt: skip


@each_row(("there", "prompt", "mode", "expected"), STARTS)
def test_a_run_begins_with_the_words_of_the_prompt_and_what_was_planned(
    there: dict[str, Record], prompt: str, mode: str, expected: Record, workspace: Workspace
) -> None:
    workspace.write("blueprint", "s2", **ended(LATER, plan="theirs.md"))
    for name, fields in there.items():
        workspace.write(name, **fields)
    workspace.prompt(prompt)
    assert workspace.read(mode)["active"] is True
    assert given(workspace, mode) == expected


def test_a_run_that_is_taken_up_says_why_it_had_stopped_and_what_the_prompt_said(workspace: Workspace) -> None:
    workspace.write("forge", **ended(EARLY, reason="no access") | {"lifecycle_outcome": "blocked"})
    workspace.prompt("$forge rename the ledger")
    record = workspace.read("forge")
    assert "reason" not in record
    assert record["resumed_from"] == {
        "outcome": "blocked", "completed_at": EARLY, "error": None, "reason": "no access", "title": "rename the ledger",
    }  # fmt: skip
    assert record["title"] == "rename the ledger"
