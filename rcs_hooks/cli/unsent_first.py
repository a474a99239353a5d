"""Shares what was not shared yet before it is deleted or folded here; what cannot be shared now stays, and is said."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.environment import real_environment
from rcs_hooks.errors import RcsError, Refused
from rcs_hooks.files import sent
from rcs_hooks.files.workspaces import home_of
from rcs_hooks.runs.store import location_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rcs_hooks.clients.installer import Host
    from rcs_hooks.environment import Environment
    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.runs.records import RunRecord

LONGEST_WAIT = 10.0
"""Seconds to wait for `rcs share run`, which notes every two seconds how far it is."""
PAUSE = 0.1


class Unsent(NamedTuple):
    """The runs that stay because they were not known to be shared, and why they are not."""

    runs: tuple[str, ...] = ()
    why: str = ""

    def __bool__(self) -> bool:
        return bool(self.runs)

    @property
    def says(self) -> str:
        stay = "1 run stays, for it is" if len(self.runs) == 1 else f"{len(self.runs)} runs stay, for they are"
        return f"rcs: {stay} not known to be shared: {self.why}"

    def as_json(self) -> JsonObject:
        return {"runs": list(self.runs), "why": self.why}


def sent_of(runs: list[RunRecord]) -> tuple[list[RunRecord], Unsent]:
    """Return those of the runs that may be deleted, and what stays; what was not shared is shared first if possible.

    Only the shared database says what it has: a note of this machine may be older or newer than the runs.
    """
    here = real_environment()
    if not any(map(_shared(here), runs)):
        return runs, Unsent()
    upto: dict[str, int] = {}

    def waiting() -> list[RunRecord]:
        is_shared = _shared(here)
        return [run for run in runs if is_shared(run) and upto.get(run.project, 0) < run.last_event]

    def is_enough() -> bool:
        from rcs_hooks.share import confirmed

        upto.update(confirmed.runs_upto(here.env, location_of(here)))
        return not waiting()

    why = _send(is_enough, here.env)
    stay = {run.id: run.run_id for run in waiting()}
    left = Unsent(tuple(stay.values()), why or "`rcs share status` says how far it is")
    return [run for run in runs if run.id not in stay], left


def _shared(here: Environment) -> Callable[[RunRecord], bool]:
    """Return what tells whether a run is of a shared project: by the person's settings, and by what was noted."""
    known, named = sent.load(here.home), _named(here.env)
    return lambda run: run.project in named or known.is_shared(run.project)


def _named(env: Mapping[str, str]) -> set[str]:
    """Return the projects that the person's own file names, though no note of them may be left."""
    from rcs_hooks.share import settings

    with suppress(Refused):
        return {each.path for each in settings.load(env).projects}
    return set()


def send_of(root: str) -> str:
    """Share what is new if a workspace is shared; return why that cannot be done now, empty if it was."""
    known = sent.load(home := home_of(os.environ))
    if known.is_shared(root) or os.path.realpath(root) in _named(os.environ):
        return _send_all(os.environ)
    if sent.may_name_more(home, known):
        from rcs_hooks.share import settings

        with suppress(RcsError, OSError):
            settings.load(os.environ).note()
    return ""


def send_before_purge(host: Host, folders: Sequence[str]) -> None:
    """Share what is new before these folders are removed for good. Raises Refused if that cannot be done now."""
    known = sent.load(host.home)
    if not (known.roots or not known.is_known or _named(host.env)):
        return
    for env in _removed_with(folders, host.env):
        if why := _send_all(env):
            raise Refused(
                f"what is not shared yet would be lost, so nothing was removed: {why}\n"
                "To give it up, end sharing first: rcs share remove FOLDER"
            )


def _removed_with(folders: Sequence[str], env: Mapping[str, str]) -> list[Mapping[str, str]]:
    """Return an environment for each database of runs that these folders may hold: the home's, and that of RCS_DB."""
    found: list[Mapping[str, str]] = [{name: value for name, value in env.items() if name != "RCS_DB"}]
    named = os.path.realpath(location_of(real_environment())) if env.get("RCS_DB") else ""
    if named.startswith(tuple(os.path.join(os.path.realpath(folder), "") for folder in folders)):
        found.append(env)
    return found


def _send_all(env: Mapping[str, str]) -> str:
    """Share everything that is new; return why that cannot be done now, empty if it was."""
    return _send(lambda: _is_current(env), env)


def _is_current(env: Mapping[str, str]) -> bool:
    """Tell whether `rcs share run` has sent everything that there is, and could see everything.

    What it says of itself is of a moment ago: only what it has noted as sent counts.
    """
    from rcs_hooks.share import health, progress, settings

    said = progress.read(home_of(env) or "") or {}
    if said.get("state") != progress.CURRENT or _unreadable():
        return False
    return not any(each.behind.events for each in health.projects(settings.load(env), env, real_environment().cwd))


def _unreadable() -> str:
    """Return what of this machine could not be read, and so was not sent; empty if everything was."""
    from rcs_hooks.share import progress

    return str((progress.read(home_of(os.environ) or "") or {}).get("local_error") or "")


def _send(is_enough: Callable[[], bool], env: Mapping[str, str]) -> str:
    """Share once; return why that cannot be done now. Where `rcs share run` is at work, wait a little for it."""
    from rcs_hooks.share.errors import AtWork

    try:
        from rcs_hooks.share import loop  # raises Refused where the driver is missing

        try:
            loop.run(env, real_environment().cwd, once=True)
        except AtWork as error:
            return "" if _becomes(is_enough) else str(error)
        is_enough()
        return _unreadable()
    except (RcsError, OSError) as error:
        return str(error)


def _becomes(is_enough: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + LONGEST_WAIT
    while not is_enough():
        if time.monotonic() > deadline:
            return False
        time.sleep(PAUSE)
    return True
