"""`rcs overlay show | apply FILE | strip FILE`: the list of active modes in a file such as AGENTS.md."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rcs_hooks.cli import options, output
from rcs_hooks.editing import files
from rcs_hooks.errors import Refused
from rcs_hooks.files.paths import inside
from rcs_hooks.overlay import applied, block, find, stripped
from rcs_hooks.state.operations import is_closed
from rcs_hooks.state.scopes import resolve_among_sessions
from rcs_hooks.workflow.commands import COMMAND
from rcs_hooks.workflow.lifecycle import outcome_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from rcs_hooks.state.scopes import Scope
    from rcs_hooks.state.session import Session


EXAMPLES = (
    "rcs overlay show --session S",
    "rcs overlay apply AGENTS.md --session S",
    "rcs overlay strip AGENTS.md",
)
ACTIONS = {
    "show": "print the list of the active modes",
    "apply": "write it into a file",
    "strip": "remove it from a file",
}
LARGEST = 4 * 1024 * 1024


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "overlay",
        "List the active modes between markers in a file such as AGENTS.md. The rest of the file stays as it is.",
        *EXAMPLES,
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, purpose in ACTIONS.items():
        added = options.add_action(actions, name, purpose, *(each for each in EXAMPLES if f"overlay {name} " in each))
        if name != "show":
            added.add_argument("file", help="the file to change")
        options.add_scope(added)
    return parser


def run(argv: Sequence[str]) -> int:
    args = build().parse_args(argv)
    scope = options.scope_of(args)
    if args.action == "show":
        output.text(_block(scope))
        return output.OK
    old = _read(args.file, scope.root, must_exist=args.action == "strip")
    try:
        new = applied(old, _block(scope)) if args.action == "apply" else stripped(old or "")
    except Refused as error:
        raise Refused(f"{args.file}: {error}") from None
    if new is None:
        os.unlink(os.path.realpath(args.file))  # a link is the person's own
        output.text(f"{args.file}: overlay removed, and the file, which was made for it")
        return output.OK
    if new == old:
        output.text(f"{args.file}: {'nothing to change' if find(new) else 'no overlay found'}")
        return output.OK
    files.replace(args.file, new)
    output.text(f"{args.file}: overlay {'removed' if args.action == 'strip' else 'written'}")
    return output.OK


def _meant(scope: Scope) -> Scope:
    """Return the scope whose modes are listed. A session that its client has closed counts only if it is named.

    Raises Refused if several sessions are open with active modes.
    """
    meant, busy = resolve_among_sessions(scope)
    if not busy:
        return meant
    still_open = [session for session in busy if not is_closed(scope.folder, session)]
    known = [session for session in still_open if busy[session]] or still_open
    if len(known) > 1:
        raise Refused(f"{len(known)} sessions have active modes; name one: --session {' or --session '.join(known)}")
    return scope.of(known[0] if known else None)


def _block(scope: Scope) -> str:
    scope = _meant(scope)
    view = scope.view()
    members = view.active_modes()
    active = [(m.mode, m.record.phase, outcome_of(m.record).waits, m.record.proof_status) for m in members]
    modes = [member.mode for member in members]
    return block(active, _how_to_end(scope, view, modes), [broken.path for broken in view.unreadable])


def _how_to_end(scope: Scope, view: Session, modes: Sequence[str]) -> str:
    """Return the command that ends a run, with a proof if it is more than a plan; empty if nothing is active."""
    changes_code = next((mode for mode in modes if not view.modes[mode].is_planning), None)
    if changes_code:
        is_named = any(member.record.has_named_proof for member in view.active_modes())
        return scope.commands.prove(changes_code, "" if is_named else COMMAND)
    return scope.commands.write(modes[0], "--outcome", "finished") if modes else ""


def _read(path: str, root: str, *, must_exist: bool) -> str | None:
    """Return the text of a file; None if it is missing, unless it must exist.

    Raises Refused for a path inside the workspace that leads out of it. A file outside, which the person has chosen,
    may be a link to anywhere.
    """
    real_root = os.path.realpath(root)
    named = os.path.normpath(os.path.join(os.path.realpath(os.getcwd()), path))
    text = files.read(path, real_root if inside(named, real_root) else None, LARGEST)
    if text is None and must_exist:
        raise Refused(f"{path}: no such file or directory")
    return text
