"""Says what was not shared yet before it is deleted here; it stays, unless a person gives it up with `--force`."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from rcs_hooks.environment import real_environment
from rcs_hooks.errors import Refused
from rcs_hooks.files import sent
from rcs_hooks.runs.store import location_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.clients.installer import Host
    from rcs_hooks.runs.records import RunRecord
    from rcs_hooks.share.settings import ShareSettings

TODO = "to send first: rcs share run --once; to give it up: --force"


def runs(found: list[RunRecord]) -> list[RunRecord]:
    """Return those of the runs that are of a shared project, and are not known to be shared to their end."""
    here = real_environment()
    known, location = sent.load(here.home), location_of(here)
    settings = _settings(here.env)
    named = {each.path for each in settings.projects} if settings else set()
    return [
        run
        for run in found
        if (known.is_shared(run.project) or run.project in named)
        and known.upto(run.project, sent.RUNS, location) < run.last_event
    ]


def words(count: int) -> str:
    """Return the sentence about runs that stay."""
    stay = "1 run stays, for it is" if count == 1 else f"{count} runs stay, for they are"
    return f"rcs: {stay} not known to be shared; {TODO}"


def check_purge(host: Host) -> None:
    """Raise Refused if anything of the shared projects was not sent yet."""
    known = sent.load(host.home)
    settings = _settings(host.env)
    if settings is None or not (known.roots or settings.projects):
        return
    from rcs_hooks.share import health

    count = sum(each.behind.events for each in health.projects(settings, host.env, real_environment().cwd))
    if count:
        raise Refused(f"{count} events are not shared yet and would be lost, so nothing was removed; {TODO}")


def _settings(env: Mapping[str, str]) -> ShareSettings | None:
    from rcs_hooks.share import settings

    with suppress(Refused):
        return settings.load(env)
    return None
