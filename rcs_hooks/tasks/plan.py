"""What a plan says: its files, what is still open, and what is wrong with it as a plan. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks.tasks import fixes, messages, phases
from rcs_hooks.tasks.failure import Failure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.tasks.snapshot import Snapshot

DELETE = "delete"
MOST_FLAWS = 5


class Planned(NamedTuple):
    """The files that the work may touch."""

    intents: dict[str, str | None]
    failures: tuple[Failure, ...] = ()


def planned(snap: Snapshot) -> Planned:
    """Those of plan.files.json; else inferred from the plan."""
    listed, plan = snap.read(phases.PLAN_FILES), snap.read(phases.PLAN).value
    if not listed.is_missing:
        if listed.value is None:
            return Planned({}, listed.failures)
        return _of(snap, listed.value.files, phases.PLAN_FILES, "files", unique=True)
    if plan is None:
        return Planned({})
    field = "file_plan" if plan.file_plan else "draft_files"
    entries = plan.file_plan or plan.draft_files
    if not entries:
        said = messages.NOT_INFERABLE
        return Planned({}, (Failure(phases.PLAN_FILES, "", said, "", fixes.write(snap.task, phases.PLAN_FILES)),))
    return _of(snap, entries, phases.PLAN, field, unique=False)


def _of(snap: Snapshot, entries: Sequence[Any], artifact: str, field: str, *, unique: bool) -> Planned:
    intents: dict[str, str | None] = {}
    failures = []
    for number, entry in enumerate(entries):
        path, intent = (entry, None) if isinstance(entry, str) else (entry.path, entry.intent)
        name = normal(path)
        wrong = fault_of(path, name) or ("is named twice" if unique and name in intents else None)
        if wrong:
            fix = fixes.mend(snap.task, artifact)
            failures.append(Failure(artifact, f"{field}[{number}]", f'"{messages.path(path)}" {wrong}', "", fix))
        intents[name] = intent
    return Planned(intents, tuple(failures[:10]))


def normal(path: str) -> str:
    return "/".join(part for part in path.split("/") if part not in ("", "."))


def fault_of(path: str, name: str) -> str | None:
    if path.startswith("/") or ".." in path.split("/"):
        return "leaves the repository"
    return None if name and "\0" not in path else "names no file"


def file_failures(snap: Snapshot) -> tuple[Failure, ...]:
    """Of planning.ai.json and of plan.files.json."""
    return (*snap.read(phases.PLAN).failures, *planned(snap).failures)


def is_unreadable(snap: Snapshot) -> bool:
    """Whether one of them is there and cannot be read."""
    both = (snap.read(phases.PLAN), snap.read(phases.PLAN_FILES))
    return any(read.value is None and not read.is_missing for read in both)


def open_questions(plan: Any) -> list[str]:
    found = []
    for number, each in enumerate((*plan.blocking_questions, *plan.blocking_open_questions), 1):
        if isinstance(each, str):
            found.append(messages.short(each) or f"question {number}")
        elif each.status is None or each.status == "open":
            name = each.id if each.id is not None else each.text or each.question
            found.append(messages.short(str(name)) if name is not None else f"question {number}")
    return list(dict.fromkeys(found))


def flaws(snap: Snapshot) -> list[str]:
    """Why a plan must be written anew, whatever its reviewers say."""
    plan = snap.read(phases.PLAN).value
    broken = [failure.words for failure in file_failures(snap)]
    return broken if plan is None else [*broken, *_unnamed(plan), *_twice(plan), *_dangling(plan)]


def _unnamed(plan: Any) -> list[str]:
    if plan.meta is not None and is_said(plan.meta.title):
        return []
    lacks = [name for name in ("id", "title", "brief") if not is_said(str(getattr(plan, name) or ""))]
    return [messages.unnamed(lacks)] if lacks else []


def is_said(text: str | None) -> bool:
    return bool(text and text.strip())


def _twice(plan: Any) -> list[str]:
    paths = [normal(each.path) for each in plan.file_plan]
    return [messages.twice(path) for path in dict.fromkeys(paths) if paths.count(path) > 1][:MOST_FLAWS]


def _dangling(plan: Any) -> list[str]:
    """Tasks that a milestone names, and that are not there."""
    if plan.work is None:
        return []
    known = {each.id for each in plan.work.tasks}
    named = dict.fromkeys(task for milestone in plan.work.milestones for task in milestone.tasks)
    return [messages.dangling(str(task)) for task in named if task not in known][:MOST_FLAWS]


def lacking_essentials(snap: Snapshot) -> list[str]:
    """A plan without a planned file, or with nothing to accept by."""
    plan = snap.read(phases.PLAN).value
    lacks = [] if planned(snap).intents else ["no file is planned"]
    has_criteria = plan is not None and (plan.acceptance_criteria or plan.acceptance)
    return lacks if has_criteria else [*lacks, "there are no acceptance criteria"]
