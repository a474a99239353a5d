"""Writes the skeleton of an own mode: a SKILL.md that can be used as it is, and edited from there."""

from __future__ import annotations

import os

from rcs_hooks.catalog import is_own_name, is_taken
from rcs_hooks.errors import Refused, reason_of
from rcs_hooks.files.paths import inside
from rcs_hooks.modes.lookup import FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

DESCRIPTION = (
    "{purpose}, in the RCS mode {name}. Used when the prompt names ${name} or /{name}, or when rcs hook context says"
    " that {name} is active; never picked for a task by itself."
)
HEAD = """\
---
name: {name}
description: {description}
metadata:
  rcs-kind: {kind}
  rcs-after: {after}
  rcs-max-iterations: {rounds}
---

# {name}

{first} Edit this file: what each phase asks, which phase follows which, and what ends the run.

## Does it run?

Only if the hook says `active: {name}`: do what it, and each reply, says is next. `deferred` or `Cannot activate`: tell
the person, clear nothing. Only the person can decide: `rcs question ask --mode {name} --text "..."`, end the turn.
Last message: **Outcome**, **Evidence**, **Artifacts / state**, **Handoff**, and no offer.

## Work

"""
EXECUTION_BODY = """\
`starting`
- Read the task, and the plan if the hook names one. Write a checklist: a line for each requirement, with the command
  that shows it.

`executing`
- Make the change whole, with tests for what is new. Hide no error.

`verifying`
- Run each command of the checklist and the whole suite. Read the whole diff: every hunk serves a line of it.
- No edit is left: the proof. COMMAND runs the checklist and the suite; if it passes, it ends the run.
```sh
rcs prove --finish --mode {name} -- COMMAND
```

`fixing`
- Name the cause in one sentence before you edit. The third time the same check fails, take another way, or end with
  `failed`.

## MODE

```mermaid
stateDiagram-v2
    %% A state is a phase, its text what the agent is told in it; `a --> b : event` is a way out, `[*]` the end.
    [*] --> starting
    starting --> executing : checklist_is_written
    executing --> verifying : change_is_whole
    verifying --> fixing : check_fails
    fixing --> verifying : cause_is_repaired
    verifying --> [*] : all_pass
    starting : Write the checklist, with one command for each requirement
    executing : Make the change that meets the checklist
    verifying : Run the whole checklist, read the whole diff, then prove it by one command
    fixing : Name the cause in one sentence, then repair it
```
"""
PLANNING_BODY = """\
`planning`
- Read the code that the task touches. Write the plan to `.rcs/plans/NAME.md`: goal, what stays out, steps with their
  files, and for each requirement the command that proves it. Change no code.

`reviewing`
- Give task and plan, but not your reasoning, to a fresh subagent: "Which step would you have to guess, what does no
  command prove?" Repair the plan; what stays open is written in it.

## MODE

```mermaid
stateDiagram-v2
    %% A state is a phase, its text what the agent is told in it; `a --> b : event` is a way out, `[*]` the end.
    [*] --> planning
    planning --> reviewing : plan_is_written
    reviewing --> planning : plan_is_rejected
    reviewing --> [*] : plan_is_approved
    planning : Write the plan, with the command that proves each requirement
    reviewing : Have a fresh subagent look for what the plan leaves open
```
"""
FIRST = {
    "execution": "Carry the task through, phase by phase, until every check passes.",
    "planning": "Write a plan that somebody else can carry out without asking.",
}
PURPOSE = {
    "execution": "Carries a task through to a checked result",
    "planning": "Plans a task before anybody changes code",
}
KINDS = tuple(FIRST)


def text(name: str, kind: str) -> str:
    """Return the SKILL.md of a new mode. `kind`: planning or execution."""
    is_planning = kind == "planning"
    head = HEAD.format(
        name=name,
        kind=kind,
        description=DESCRIPTION.format(purpose=PURPOSE[kind], name=name),
        first=FIRST[kind],
        after="deep-interview" if is_planning else "blueprint",
        rounds=3 if is_planning else 10,
    )
    return head + (PLANNING_BODY if is_planning else EXECUTION_BODY.format(name=name))


def check_name(name: str) -> None:
    """Raise Refused if an own mode cannot have this name."""
    if is_taken(name):
        raise Refused(f"the name {name!r} is taken by rcs; choose another")
    if not is_own_name(name):
        raise Refused(
            f"{name!r} cannot be the name of a mode: it begins with a letter a to z, and has small letters, digits and"
            " hyphens, 40 at most"
        )


def write(name: str, kind: str, folders: Sequence[str], boundary: str | None) -> list[str]:
    """Write a new mode to the first skill folder, and a link to it in the others; return the paths of the SKILL.md.

    `boundary`: the project, which no link in a folder may lead out of; None for the person's own folders.
    Raises Refused, and then nothing is written, if something of that name is there.
    """
    check_name(name)
    places = [os.path.join(folder, name) for folder in folders]
    for place in places:
        if os.path.lexists(place):
            raise Refused(f"{place} exists already; edit it, or choose another name")
        if boundary and not inside(os.path.realpath(place), os.path.realpath(boundary)):
            raise Refused(f"{place}: a link leads out of the project here; nothing was written")
    first, *others = places
    try:
        os.makedirs(first)
        _write_new(os.path.join(first, FILE), text(name, kind))
        for place in others:
            os.makedirs(os.path.dirname(place), exist_ok=True)
            # One text to edit, whichever client reads it.
            os.symlink(os.path.relpath(os.path.realpath(first), os.path.realpath(os.path.dirname(place))), place)
    except OSError as error:
        raise Refused(f"{error.filename or first}: {reason_of(error)}") from None
    return [os.path.join(place, FILE) for place in places]


def _write_new(path: str, content: str) -> None:
    with open(path, "x", encoding="utf-8") as file:
        file.write(content)
