"""Read what a plan says: its files, its open questions, and what is wrong with it as a plan. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.tasks import messages
from rcs_hooks.tasks.failures import Failures, GuardFailure, correct, fails, write
from rcs_hooks.tasks.phases import PLAN, PLAN_FILES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.tasks.forms import PlanForm, PlannedFile
    from rcs_hooks.tasks.snapshot import Snapshot

DELETE = "delete"
MOST_FAILURES = 10
MOST_FLAWS = 5
NOT_INFERABLE = "missing, and planning.ai.json has no file_plan to infer it from"


class PlannedFiles(NamedTuple):
    """The files that the work may touch, each with its intent, and what is wrong with their list."""

    intents: dict[str, str | None]
    failures: Failures = ()


def planned(snap: Snapshot) -> PlannedFiles:
    """Return the files of plan.files.json; if it does not exist, those that planning.ai.json names."""
    listed, plan = snap.read(PLAN_FILES), snap.read(PLAN).value
    if not listed.is_missing:
        if listed.value is None:
            return PlannedFiles({}, listed.failures)
        return _checked(snap, listed.value.files, PLAN_FILES, "files", unique=True)
    if plan is None:
        return PlannedFiles({})
    if not plan.file_plan:
        return PlannedFiles({}, fails(PLAN_FILES, NOT_INFERABLE, write(snap.task, PLAN_FILES)))
    return _checked(snap, plan.file_plan, PLAN, "file_plan", unique=False)


def _checked(
    snap: Snapshot, entries: Sequence[str | PlannedFile], artifact: str, field: str, *, unique: bool
) -> PlannedFiles:
    intents: dict[str, str | None] = {}
    failures: list[GuardFailure] = []
    for number, entry in enumerate(entries):
        path, intent = (entry, None) if isinstance(entry, str) else (entry.path, entry.intent)
        name = normal(path)
        fault = fault_of(path, name) or ("is named twice" if unique and name in intents else None)
        if fault:
            found = f'"{messages.short_path(path)}" {fault}'
            failures += fails(artifact, found, correct(snap.task, artifact), field=f"{field}[{number}]")
        intents[name] = intent
    return PlannedFiles(intents, tuple(failures[:MOST_FAILURES]))


def normal(path: str) -> str:
    """Return a path without its empty parts and its `.` parts, so that all spellings of a path become equal."""
    return "/".join(part for part in path.split("/") if part not in ("", "."))


def fault_of(path: str, name: str) -> str | None:
    """Return what is wrong with a planned path whose normal form is `name`; None if nothing is."""
    if path.startswith("/") or ".." in path.split("/"):
        return "leaves the repository"
    return None if name and "\0" not in path else "names no file"


def file_failures(snap: Snapshot) -> Failures:
    """Return what is wrong with planning.ai.json and plan.files.json as files."""
    return (*snap.read(PLAN).failures, *planned(snap).failures)


def is_unreadable(snap: Snapshot) -> bool:
    """Tell whether planning.ai.json or plan.files.json exists but cannot be read."""
    both = (snap.read(PLAN), snap.read(PLAN_FILES))
    return any(read.value is None and not read.is_missing for read in both)


def open_questions(plan: PlanForm) -> list[str]:
    """Return a short name for each question that still blocks the plan."""
    names = []
    for number, each in enumerate(plan.blocking_questions, 1):
        if isinstance(each, str):
            names.append(messages.short(each) or f"question {number}")
        elif each.status is None or each.status == "open":
            name = each.id if each.id is not None else each.text or each.question
            names.append(messages.short(str(name)) if name is not None else f"question {number}")
    return list(dict.fromkeys(names))


# --- flaws


def flaws(snap: Snapshot) -> list[str]:
    """Return the reasons why the plan must be written again, whatever its reviewers say; empty if there are none."""
    plan = snap.read(PLAN).value
    broken = [failure.words for failure in file_failures(snap)]
    return broken if plan is None else [*broken, *_unnamed(plan), *_named_twice(plan)]


def _unnamed(plan: PlanForm) -> list[str]:
    values = {"id": plan.id, "title": plan.title, "brief": plan.brief}
    lacks = [name for name, value in values.items() if not str(value or "").strip()]
    return [f"the plan has no {', no '.join(lacks)}"] if lacks else []


def _named_twice(plan: PlanForm) -> list[str]:
    paths = [normal(each.path) for each in plan.file_plan]
    twice = [path for path in dict.fromkeys(paths) if paths.count(path) > 1]
    return [f"file_plan names {messages.short_path(path)} twice" for path in twice[:MOST_FLAWS]]


def lacking_essentials(snap: Snapshot) -> list[str]:
    """Return what the plan lacks before code can be written: planned files, acceptance criteria; empty if nothing."""
    plan = snap.read(PLAN).value
    lacks = [] if planned(snap).intents else ["no file is planned"]
    return lacks if plan is not None and plan.acceptance_criteria else [*lacks, "there are no acceptance criteria"]
