"""Checks the declaration of a mode for `rcs machine check`: its faults, and warnings about likely mistakes."""

from __future__ import annotations

import os

from rcs_hooks.catalog import MODES
from rcs_hooks.machine.lint import LintWarning, lint_warnings
from rcs_hooks.machine.markdown import MODE_HEADING, machine_in, section
from rcs_hooks.machine.mermaid import statements
from rcs_hooks.machine.source import Source, lines_of
from rcs_hooks.machine.statement import EDGE, EDGE_OF_ALL, STATE
from rcs_hooks.mode_def import LONGEST_TEXT, PROJECT
from rcs_hooks.modes import declaration, lookup
from rcs_hooks.text import clean
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rcs_hooks.catalog import ModeDef
    from rcs_hooks.fault import Fault
    from rcs_hooks.machine.graph import Machine

SHIPPED = {mode.skill: mode for mode in MODES.values()}
"""The modes that ship, by the name of their skill."""


class Report(NamedTuple):
    """What was found in one file: the mode or its faults, and the warnings; nothing of it for an ordinary skill."""

    mode: ModeDef | None
    faults: tuple[Fault, ...]
    warnings: tuple[LintWarning, ...]


def check(text: str, path: str) -> Report:
    """Check the text of a file. Only a file named SKILL.md can declare a mode; any other one is passed over."""
    folder, file = os.path.split(os.path.abspath(path))
    name = os.path.basename(folder)
    if file != lookup.FILE:
        return Report(None, (), ())
    ours = SHIPPED.get(name)
    mode, faults = declaration.read(text, name=name, file=path, source="" if ours else PROJECT)
    if mode is None:
        return Report(None, faults, ())
    if ours:
        return Report(mode, (), tuple(_of_copy(mode, ours)))
    machine = machine_in(text, name=name, file=path, heading=MODE_HEADING)
    warnings = [*_of_name(name), *_of_diagram(text, path), *lint_warnings(text, machine, path, MODE_HEADING)]
    if machine:
        warnings += _of_ways(machine)
    return Report(mode, (), tuple(sorted(dict.fromkeys(warnings), key=lambda each: (not each.line, each.line))))


def unknown_modes(mode: ModeDef, env: Mapping[str, str], root: str) -> list[LintWarning]:
    """Return a warning for each mode that a declaration names and that neither ships nor is declared here."""
    names = (name for name in (*mode.after, *mode.overlaps) if name not in MODES)
    missing = [name for name in names if lookup.find(name, env, root) is None]
    told = "no mode is called `{}` here, so what is declared about it has no effect"
    return [LintWarning(0, told.format(name)) for name in missing]


def _of_copy(mode: ModeDef, ours: ModeDef) -> Iterator[LintWarning]:
    if mode != ours:
        yield LintWarning(0, f"{ours.name} ships with rcs, which goes by its own file: what this copy says is ignored")


def _of_name(name: str) -> Iterator[LintWarning]:
    if name != name.lower():
        yield LintWarning(0, f"name the folder `{name.lower()}`; another spelling is only found if it is typed so")


def _of_diagram(text: str, path: str) -> Iterator[LintWarning]:
    """Yield the warnings about what the agent is told: texts that are missing, or that are cut."""
    diagram = section(text, path, MODE_HEADING)
    if diagram is None:
        return
    source = Source(lines_of(diagram[0]), path, diagram[1])
    first: dict[str, int] = {}
    has_text = set()
    for number, (kind, one, other, label) in statements(source):
        line = source.first_line + number
        for state in (one, other) if kind == EDGE else (one,) if kind == STATE else ():
            first.setdefault(state, line)
        if kind == STATE and label:
            has_text.add(one)
        if kind == EDGE and one != EDGE_OF_ALL and not label:
            to = "the end" if other == EDGE_OF_ALL else f"`{other}`"
            yield LintWarning(line, f"the way from `{one}` to {to} has no event; write when it is taken: `: all_pass`")
        if label and len(clean(label, len(label) + 1)) > LONGEST_TEXT:
            yield LintWarning(line, f"only the first {LONGEST_TEXT} characters of this text are shown to the agent")
        if kind == EDGE and one == other:
            yield LintWarning(line, f"`{one}` leads to itself; the same phase again is no step")
    for state, line in first.items():
        if state not in has_text and state != EDGE_OF_ALL:
            yield LintWarning(line, f"`{state}` has no text; write what the agent has to do in it: `{state} : ...`")


def _of_ways(machine: Machine) -> Iterator[LintWarning]:
    """Yield a warning for each state from which the mode can never finish."""
    finishing = {state for end in machine.terminal for state in (end, *machine.origins(end))}
    for state in machine.states:
        if state not in finishing and machine.successors(state):
            yield LintWarning(0, f"no way leads from `{state}` to `[*]`, so a run that is there can never finish")
