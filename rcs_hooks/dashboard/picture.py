"""The state graph of a run, with the path that it took. No file but the machine's own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rcs_hooks.errors import MachineError
from rcs_hooks.machine import drawing
from rcs_hooks.machine.mermaid import read as read_diagram
from rcs_hooks.machine.read import machine_in
from rcs_hooks.runs import places
from rcs_hooks.workflow.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rcs_hooks.machine.graph import Machine

Record = dict[str, Any]
Pairs = list[tuple[str, str]]

OUTSIDE = "[*]"
STYLE = f"<style>{drawing.STYLE}</style>\n"
"""A page that forbids styles of its own would complain of it; what it says, the page says too."""
ENTERS = ("running", "waiting", "completed", "failed")
MOST_STATES = 400
KEPT = 64


class Machines:
    """As they were read, until their file changes."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, Machine | None, str | None]] = {}

    def of(self, run: Record) -> tuple[Machine | None, str | None]:
        """The machine, or one sentence on why there is none."""
        file = run["file"]
        if not file:
            return None, "this workflow has no state machine"
        try:
            touched = os.stat(file).st_mtime_ns
            if file not in self._known or self._known[file][0] != touched:
                if len(self._known) >= KEPT:
                    self._known.clear()
                machine = places.machine_of(places.Found(run["workflow"], places.SKILL, file))
                why = None if machine else f"{file} has no state machine any more"
                self._known[file] = (touched, machine, why)
        except OSError as error:
            return None, f"{file} cannot be read: {(error.strerror or str(error)).lower()}"
        except MachineError as error:
            return None, f"{error.file or file}: {clean(error.problem, 200)}"
        return self._known[file][1:]


class Way:
    """The edges that a run went along, in their order; a branch goes out from the step that it branches off from."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.seen = 0
        """The sequence of the last event that is in it."""
        self._taken: Pairs = []
        self._entered: dict[str, int] = {}
        self._current: str | None = None

    def go_on(self, events: Iterable[Record]) -> None:
        for event in events:
            self.seen = event["seq"]
            if (
                event["type"] == "status_change"
                and not event["automatic"]
                and not event["unit"]
                and event["status"] in ENTERS
                and event["step"] in self.machine.states
                and event["step"] != self._current
            ):
                self._enter(event["step"])

    def _enter(self, step: str) -> None:
        source = self._source(step)
        if source is None:
            if step in self._entered:  # a branch that still stands beside the current step
                return
            source = OUTSIDE
        self._taken.append((source, step))
        self._entered[step], self._current = self.seen, step

    def _source(self, step: str) -> str | None:
        before = self.machine.predecessors(step)
        if self._current in before:
            return self._current
        since = self._entered.get(step, -1)
        known = [state for state in before if self._entered.get(state, -1) > since]
        return max(known, key=lambda state: self._entered[state], default=None)

    def pairs(self, *, is_over: bool) -> Pairs:
        if self._current and is_over and self._current in self.machine.terminal:
            return [*self._taken, (self._current, OUTSIDE)]
        return self._taken


class Ways:
    """Of the runs that were last looked at: only what came since is read again."""

    def __init__(self) -> None:
        self._known: dict[str, Way] = {}

    def of(self, run: Record, machine: Machine, events_after: Callable[[int], Iterable[Record]]) -> Pairs:
        way = self._known.pop(run["run_id"], None)
        if way is None or way.machine is not machine or way.seen > run["events"]:
            way = Way(machine)
        way.go_on(events_after(way.seen))
        while len(self._known) >= KEPT:
            del self._known[next(iter(self._known))]
        self._known[run["run_id"]] = way
        return way.pairs(is_over=run["status"] == "completed")

    def forget(self) -> None:
        self._known.clear()


def drawn(machine: Machine, path: Pairs = (), current: str | None = None) -> Record:  # type: ignore[assignment]
    if len(machine.states) > MOST_STATES:
        return {"svg": None, "problem": f"{len(machine.states)} states are too many to be drawn"}
    return {"svg": drawing.svg(machine, path=path, current=current).replace(STYLE, ""), "problem": None}


def diagram_in(text: str, name: str) -> Record:
    """Of a text that promises one: in its section, else in its first Mermaid fence, else the text itself."""
    try:
        machine = machine_in(text, name=name, file=name)
        if machine is None:
            machine = read_diagram(_fenced(text), name=name, file=name)
    except MachineError as error:
        return {"svg": None, "problem": f"line {error.line}: {clean(error.problem, 200)}"}
    return drawn(machine)


def _fenced(text: str) -> str:
    _, fence, rest = text.partition("```mermaid\n")
    return rest.partition("\n```")[0] if fence else text
