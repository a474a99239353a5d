"""Decides which deferred skills are offered: those that were named together with planning, and wait for its end."""

from __future__ import annotations

from rcs_hooks.catalog import MODES
from rcs_hooks.state import inventory
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.state.draft import Draft
    from rcs_hooks.state.reconcile import Prompt
    from rcs_hooks.workflow.transitions import Plan


class Offer(NamedTuple):
    """The deferred skills that are offered now, and what the inventory says of those that go on waiting."""

    skills: tuple[str, ...]
    source: str
    """The mode whose end they waited for; empty if the inventory names none."""
    fields: JsonObject
    """The changed fields of the inventory; none if nothing changed."""
    gone: tuple[str, ...] = ()
    """The own modes that would be offered now, but whose files are gone or declare no mode any more."""


def offer(draft: Draft, plan: Plan, prompt: Prompt) -> Offer:
    """Decide which deferred skills are offered now, and what the inventory says of those that go on waiting.

    A prompt that names planning and execution at once starts the planning only. The other skills are deferred: they
    wait in the inventory (`deferred_skills`) for the end of the planning mode that they were named with
    (`deferred_source`), and the first prompt after it offers them once. Old inventories name no source; then they wait
    until no planning is active.

    Four cases keep a skill from being offered. `$cancel` forgets all that waits. A prompt that talks about one of them
    (`mentions`) is told how to start it, so all of them wait for the next prompt; so they do for a command of the
    client, and for a prompt without text. A skill that runs by now, or is deferred by this very prompt, is left out.
    An own mode whose file has gone is not offered; the person is told so.
    """
    stored = inventory.deferred_skills_in(draft.view.inventory)
    waiting = () if prompt.cancels else stored
    active = [member.mode for member in draft.active_modes()]
    source = _source(draft)
    is_offered = prompt.has_text and not (prompt.is_command or set(waiting) & set(prompt.mentions))
    is_time = is_offered and _has_ended(draft, source, active)
    offered = tuple(mode for mode in waiting if mode not in (*active, *plan.deferred)) if is_time else ()
    gone = tuple(mode for mode in offered if not _is_startable(mode, prompt))
    offered = tuple(mode for mode in offered if mode not in gone)
    still_waiting = () if is_time else tuple(mode for mode in waiting if mode not in active)
    deferred = tuple(dict.fromkeys((*still_waiting, *plan.deferred)))
    if deferred == stored:
        return Offer(offered, source, {}, gone)
    fields: JsonObject = {
        "deferred_skills": list(deferred) or None,
        inventory.DEFERRED_OWN: [mode for mode in deferred if mode not in MODES] or None,
        "deferred_source": (plan.source or source or None) if deferred else None,
    }
    return Offer(offered, source, fields, gone)


def waiting_after(draft: Draft) -> tuple[str, ...]:
    """Return the deferred skills that wait only for the person, because their planning has ended."""
    active = [member.mode for member in draft.active_modes()]
    waiting = inventory.deferred_skills_in(draft.view.inventory)
    return tuple(mode for mode in waiting if mode not in active) if _has_ended(draft, _source(draft), active) else ()


def _source(draft: Draft) -> str:
    source = draft.view.inventory.get("deferred_source")
    return source if isinstance(source, str) and source in draft.view.modes else ""


def _has_ended(draft: Draft, source: str, active: list[str]) -> bool:
    """Tell whether the planning that skills waited for has ended. `source`: its mode; empty if that is unknown."""
    return source not in active if source else not any(draft.view.modes[mode].is_planning for mode in active)


def _is_startable(mode: str, prompt: Prompt) -> bool:
    return mode in MODES or prompt.is_startable is None or prompt.is_startable(mode)
