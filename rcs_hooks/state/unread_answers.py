"""Tell which runs have been answered elsewhere than in their client, and wait for the prompt that brings the answer."""

from __future__ import annotations

from rcs_hooks.files import paths
from rcs_hooks.files.reading import Reader, Unreadable
from rcs_hooks.state import stop_notes
from rcs_hooks.state.session_notes import part
from rcs_hooks.workflow.lifecycle import outcome_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.state.session import ActiveMode, Session


def waits_for_prompt(view: Session, member: ActiveMode, notes: Mapping[str, object] | Unreadable) -> bool:
    """Tell whether a run was answered in a terminal or a browser, and its agent does not know it yet.

    The agent's turn has ended, so nothing happens before the next prompt. It has not ended where a Stop was held or the
    record was written since. `notes`: what the hooks remember of the session. Most records say that they have no such
    answer, so that no other file is read.
    """
    record = member.record
    answered_at = record.question_enforcement.get("satisfied_at")
    if not isinstance(answered_at, str) or answered_at != record.updated_at or outcome_of(record).word:
        return False
    from rcs_hooks.state import prompt_notes  # few calls come so far, and the status line is called often

    if isinstance(notes, Unreadable):
        notes = {}
    if prompt_notes.has_prompt_since(notes, answered_at) or _was_held_since(notes, answered_at):
        return False
    name, reader = record.question_id, Reader(view.folder)
    if not (isinstance(name, str) and paths.is_name(name)):
        return False
    found = (reader.read(paths.question_file(name, scope)) for scope in dict.fromkeys((member.session, view.session)))
    return any(
        isinstance(each, dict) and each.get("status") == "answered" and each.get("delivered_at", "told") is None
        for each in found
    )


def _was_held_since(notes: Mapping[str, object], moment: str) -> bool:
    at = part(notes, "stops").get("at")
    return isinstance(at, str) and at > moment and stop_notes.count_of(notes).of_prompt > 0
