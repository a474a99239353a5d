"""The way that each run took, out of its events: the edges along which it went, and its stays at each step. Pure."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rcs_hooks.machine.graph import Machine

Record = dict[str, Any]
Pairs = list[tuple[str, str]]

OUTSIDE = "[*]"
OPEN, ENDED = ("running", "waiting"), ("completed", "failed", "skipped")
ENTERS = ("running", "waiting", "completed", "failed")
MOST_STAYS = 500
KEPT = 64
"""Runs whose way is remembered."""


class Way:
    """Of one run; a branch goes out from the step that it branches off from."""

    def __init__(self, machine: Machine | None) -> None:
        self.machine = machine
        self.seen = 0
        """The sequence of the last event that is in it."""
        self.stays: deque[Record] = deque(maxlen=MOST_STAYS)
        self._open: dict[str, Record] = {}
        self._taken: Pairs = []
        self._entered: dict[str, int] = {}
        self._current: str | None = None

    def go_on(self, events: Iterable[Record]) -> None:
        for event in events:
            self.seen = event["seq"]
            step, status = event["step"] or "", event["status"]
            if event["type"] != "status_change" or event["unit"] or ":" in step:
                continue
            self._stay(step, status, event["at"])
            if not event["automatic"] and status in ENTERS and step != self._current:
                self._enter(step)

    def _stay(self, step: str, status: str, at: str) -> None:
        stay = self._open.get(step)
        if stay is None and status in ENTERS:
            stay = {"step": step, "status": status, "started_at": at, "ended_at": None}
            self.stays.append(stay)
        if stay is None:
            return
        stay["status"] = status
        if status in OPEN:
            self._open[step] = stay
        elif status in ENDED:
            stay["ended_at"] = at
            self._open.pop(step, None)

    def _enter(self, step: str) -> None:
        if self.machine is None or step not in self.machine.states:
            return
        source = self._source(self.machine, step)
        if source is None:
            if step in self._entered:  # a branch that still stands beside the current step
                return
            source = OUTSIDE
        self._taken.append((source, step))
        self._entered[step], self._current = self.seen, step

    def _source(self, machine: Machine, step: str) -> str | None:
        before = machine.predecessors(step)
        if self._current in before:
            return self._current
        since = self._entered.get(step, -1)
        known = [state for state in before if self._entered.get(state, -1) > since]
        return max(known, key=lambda state: self._entered[state], default=None)

    def pairs(self, *, is_over: bool) -> Pairs:
        if self.machine and self._current and is_over and self._current in self.machine.terminal:
            return [*self._taken, (self._current, OUTSIDE)]
        return self._taken


class Ways:
    """Of the runs that were last looked at: only what came since is read again."""

    def __init__(self) -> None:
        self._known: dict[str, Way] = {}

    def of(self, run: Record, machine: Machine | None, events_after: Callable[[int], Iterable[Record]]) -> Way:
        way = self._known.pop(run["run_id"], None)
        if way is None or way.machine is not machine or way.seen > run["events"]:
            way = Way(machine)
        way.go_on(events_after(way.seen))
        while len(self._known) >= KEPT:
            del self._known[next(iter(self._known))]
        self._known[run["run_id"]] = way
        return way

    def forget(self) -> None:
        self._known.clear()
