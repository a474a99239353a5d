"""Whatever is typed and whichever files there are, no task leaves the table, and the transcript forgets nothing."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.contract import PHASES
from tests.properties import examples
from tests.tasks.paths import CODE, CODE_REVIEW, DECISION, DIFF, FILES, PLAN, PLAN_REVIEW, REPORT, REVERT
from tests.tasks.rows import CLEAN_REVIEW, PASSED, PATCH, WHOLE_PLAN
from tests.tasks.support import DRAWN, Record, Task

COMMANDS: list[tuple[str, ...]] = [
    ("plan",), ("review plan",), ("codegen",), ("review code",), ("test",), ("accept",), ("revert",),
    ("next",), ("next",), ("next",), ("redo",), ("status",), ("new",),
    *(("redo", "--phase", phase) for phase in PHASES),
    *(("next", "--override", "because", "--to", phase) for phase in PHASES),
    ("next", "--override", "because"), ("next", "--override", " "),
    *(("accept", "--decision", word, "--reason", "because")
      for word in ("accepted", "needs_changes", "unclear", "upstream_problem", "revert", "deferred")),
    ("revert", "--reason", "because"),
    *((f"review {what}", "--verdict", word, "--reason", "because")
      for what in ("plan", "code") for word in ("ok", "needs_changes", "blocked")),
]  # fmt: skip
CONTENTS: dict[str, list[object]] = {
    PLAN: [WHOLE_PLAN, WHOLE_PLAN | {"blocking_questions": ["?"]}, {"file_plan": [{"path": "src/b.py"}]}, "{", []],
    FILES: [{"files": ["src/a.py"]}, {"files": ["../x"]}, {"files": []}],
    PLAN_REVIEW: [{"ok": True, "blocked": False}, {"ok": False, "blocked": False}, {"ok": True, "blocked": True}, "["],
    DIFF: [PATCH, ""],
    CODE: ["x = 1\n"],
    "code/files/src/b.py": ["x = 2\n"],
    CODE_REVIEW: [CLEAN_REVIEW, CLEAN_REVIEW | {"decision": "needs_changes"}, CLEAN_REVIEW | {"issues": [{"id": "C",
     "severity": "blocking", "target": "plan", "message": "m"}]}, "null"],
    REPORT: [PASSED, PASSED | {"overall_pass": False}, PASSED | {"status": "failed"}, PASSED | {"status": "running"}],
    DECISION: [{"decision": "accepted"}, {"decision": "revert"}, {"decision": "deferred"}, {"decision": "maybe"}],
    REVERT: [{"reason": "r", "status": "completed"}, {"reason": "", "status": "completed"}],
}  # fmt: skip
puts = st.sampled_from(sorted(CONTENTS)).flatmap(
    lambda path: st.tuples(st.just(path), st.sampled_from([*CONTENTS[path], None]))
)
steps = st.lists(st.one_of(st.sampled_from(COMMANDS), puts.map(lambda put: ("put", *put))), min_size=5, max_size=25)


def check_step(task: Task, command: tuple[str, ...], before: Record, told: list[Record], status: int) -> None:
    """Checks that one command moved along the table or not at all, and that the transcript only grew."""
    after, now_told = task.state, task.transcript
    assert now_told[: len(told)] == told
    new = now_told[len(told) :]
    if status != 0 or command[0] in ("status", "new"):
        assert after == before
        assert all(line["kind"] in ("refused", "note") for line in new)
        return
    source, target = before["phase"], after["phase"]
    if after == before:
        assert [line for line in new if line["kind"] in ("transition", "override", "redo")] == []
        return
    (moved,) = (line for line in new if line["kind"] in ("transition", "override", "redo"))
    assert (moved["from"], moved["to"]) == (source, target)
    if moved["kind"] == "redo":
        assert source in (target, "done")
    else:
        assert target in DRAWN[source]
    for phase, actor in before["actors"].items():
        assert after["actors"][phase]["round"] >= actor["round"]


@examples(60)
@given(steps)
def test_no_sequence_leaves_the_table_or_loses_the_transcript(said: list[tuple[object, ...]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        task = Task(Path(folder))
        task.did("new")
        for each in said:
            if each[0] == "put":
                path, content = str(each[1]), each[2]
                if content is not None or task.there(path):
                    task.put(path, content)
                continue
            command = tuple(map(str, each))
            before, told = task.state, task.transcript
            check_step(task, command, before, told, task(*command).status)
