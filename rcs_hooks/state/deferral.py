"""Decides which deferred skills are offered: those that were named together with planning, and wait for its end."""

from __future__ import annotations

from rcs_hooks.state import inventory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.state.draft import Draft
    from rcs_hooks.state.reconcile import Prompt
    from rcs_hooks.workflow.transitions import Plan


def offer(draft: Draft, plan: Plan, prompt: Prompt) -> tuple[tuple[str, ...], str, JsonObject]:
    """Decide which deferred skills are offered now, and what the inventory says of those that go on waiting.

    A prompt that names planning and execution at once starts the planning only. The other skills are deferred: they
    wait in the inventory (`deferred_skills`) for the end of the planning mode that they were named with
    (`deferred_source`), and the first prompt after it offers them once. Old inventories name no source; then they wait
    until no planning is active.

    Four cases keep a skill from being offered. `$cancel` forgets all that waits. A prompt that talks about one of them
    (`mentions`) is told how to start it, so all of them wait for the next prompt; so they do for a command of the
    client, and for a prompt without text. A skill that runs by now, or is deferred by this very prompt, is left out.

    Returns the offered skills, the mode that has ended, and the changed fields of the inventory (none if nothing
    changed).
    """
    stored = inventory.deferred_skills_in(draft.view.inventory)
    waiting = () if prompt.cancels else stored
    active = [member.mode for member in draft.active_modes()]
    source = draft.view.inventory.get("deferred_source")
    source = source if isinstance(source, str) and source in draft.view.modes else ""
    has_ended = source not in active if source else not any(draft.view.modes[mode].is_planning for mode in active)
    is_time = has_ended and prompt.has_text and not (prompt.is_command or set(waiting) & set(prompt.mentions))
    offered = tuple(mode for mode in waiting if mode not in (*active, *plan.deferred)) if is_time else ()
    still_waiting = () if is_time else tuple(mode for mode in waiting if mode not in active)
    deferred = tuple(dict.fromkeys((*still_waiting, *plan.deferred)))
    if deferred == stored:
        return offered, source, {}
    fields: JsonObject = {
        "deferred_skills": list(deferred) or None,
        "deferred_source": (plan.source or source or None) if deferred else None,
    }
    return offered, source, fields
