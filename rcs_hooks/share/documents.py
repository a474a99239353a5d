"""Reads what the dashboard of this machine shows of one project now, as documents that may leave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rcs_hooks.dashboard import passages, sessions, tasks
from rcs_hooks.overview import collect
from rcs_hooks.overview.entries import RUN
from rcs_hooks.share.leaving_documents import Document, LeavingDocuments
from rcs_hooks.workflow.stop import limits

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rcs_hooks.share.leaving import Leaving

Record = dict[str, Any]

MOST_SESSIONS, MOST_TASKS, MOST_PASSAGES = 300, 200, 2_000
"""How many of each, the newest, a project has in the shared database."""


class ProjectDocuments:
    """The documents of one project, and the histories that were read for them."""

    def __init__(self, root: str, env: Mapping[str, str], leaving: Leaving) -> None:
        self._root = root
        self._env = env
        self._leaving = LeavingDocuments(leaving)
        self._histories = passages.Histories()

    def read(self, now: float) -> dict[tuple[str, str], Document]:
        """Return all documents by kind and key. `now`: seconds since 1970."""
        found = [*self._sessions(now), *self._tasks(now), *self._entries(now), *self._passages()]
        return {(each.kind, each.key): each for each in reversed(found)}  # of two with one key, the newer one

    def _sessions(self, now: float) -> Iterator[Document]:
        limit = limits(self._env.get("RCS_STOP_MAX_BLOCKS")).in_a_row
        shown, _ = sessions.list_sessions([self._root], now, limit=MOST_SESSIONS, block_limit=limit)
        return map(self._leaving.session, shown)

    def _tasks(self, now: float) -> Iterator[Document]:
        return map(self._leaving.task, tasks.list_tasks([self._root], now)[:MOST_TASKS])

    def _entries(self, now: float) -> Iterator[Document]:
        groups = collect.for_dashboard(self._env, [self._root], now, None)
        for group, entries in groups.items():
            for entry in entries if isinstance(entries, list) else ():
                if entry["kind"] != RUN:
                    yield self._leaving.entry(entry, group)

    def _passages(self) -> Iterator[Document]:
        found: list[tuple[str, Document]] = []
        for session, told, client, is_last in passages.of_root(self._root, self._histories):
            found.append((told["last_at"] or "", self._leaving.passage(told, session, client, is_last=is_last)))
        found.sort(key=lambda each: each[0], reverse=True)
        yield from (document for _, document in found[:MOST_PASSAGES])
