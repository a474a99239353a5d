"""Decides what a prompt means that says `go on`, or names a mode which runs already. Loaded only for such a prompt."""

from __future__ import annotations

from rcs_hooks.files.clock import iso
from rcs_hooks.state import mode_changes
from rcs_hooks.state.session import STALE_SECONDS, is_old
from rcs_hooks.workflow.lifecycle import outcome_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from rcs_hooks.state.draft import Draft

MOST_WORDS_TO_GO_ON = 4
"""A prompt with more words than these says more than `go on`."""


def renew(draft: Draft, skills: Collection[str]) -> set[str]:
    """Renew each run that the person says goes on, by its name or, without any name, by `go on`; return their modes.

    A run that nothing has touched for a day is touched, and a count of iterations at its end starts over; other runs
    need no change. `skills`: the modes that the prompt names.
    """
    renewed = set()
    for member in draft.active_modes():
        if (skills and member.mode not in skills) or outcome_of(member.record).waits:
            continue
        if member.record.is_exhausted or is_old(draft.view, member, None, draft.now):
            draft.stage_member(member, mode_changes.continued(draft.modes[member.mode], member.record, now=draft.now))
            renewed.add(member.mode)
    return renewed


def meant_run(draft: Draft, text: str) -> tuple[str, ...]:
    """Return the mode whose run ended last, if the prompt only says `go on`, nothing runs, and the run can be resumed.

    Only its name would resume it, and a person who was told to type `go on` before may not know that.
    """
    if len(text.split()) > MOST_WORDS_TO_GO_ON:
        return ()
    since = iso(draft.view.now - STALE_SECONDS)
    ended = {mode: record for mode, record in draft.own.items() if outcome_of(record).ends}
    last = max(ended, key=lambda mode: ended[mode].completed_at, default="")
    is_meant = last and not draft.active_modes() and ended[last].completed_at >= since
    return (last,) if is_meant and outcome_of(ended[last]).resumes and not ended[last].is_tombstone else ()
