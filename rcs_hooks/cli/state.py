"""`rcs state read | write | clear | list-active | get-status | prune`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rcs_hooks import jsontext
from rcs_hooks.cli import options, output
from rcs_hooks.errors import Refused
from rcs_hooks.state import active, prune, running, surface
from rcs_hooks.state.fields import checked_mode
from rcs_hooks.state.paths import INVENTORY
from rcs_hooks.workflow.text import clean, word

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

Record = dict[str, Any]

ACTIONS = ("read", "write", "clear", "list-active", "get-status", "prune")
ARGUMENTS = ("mode", "session_id", "all_sessions", "root_scope")
WRITES = ("phase", "outcome", "active", "iteration", "sets", "root_scope")


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "state",
        "Workflow state. A write that would activate a mode asks the transition policy first.",
        "rcs state list-active --session S",
        "rcs state write --mode forge --session S --phase verifying --iteration 2",
        "rcs state write --mode forge --session S --outcome finished",
        "rcs state clear --mode team --session S",
        """rcs state clear --input '{"mode":"forge","all_sessions":true}' --json""",
        "rcs state prune --older-than 30d --dry-run",
    )
    parser.add_argument("action", choices=ACTIONS)
    parser.add_argument("--mode", help="a workflow mode, by any of its names")
    options.add_scope(parser)
    parser.add_argument("--phase", metavar="WORD", help="write: the current phase")
    parser.add_argument(
        "--outcome", metavar="WORD", help="write: finished, blocked, failed, userinterlude, askuserQuestion"
    )
    switch = parser.add_mutually_exclusive_group()
    switch.add_argument(
        "--active", action="store_true", default=None, help="write: start the mode, or take it up again"
    )
    switch.add_argument("--inactive", dest="active", action="store_false", help="write: switch the mode off")
    parser.add_argument("--iteration", type=int, metavar="N", help="write: the iteration that has begun")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=JSON", dest="sets",
                        help="write: any other field; state.KEY for one of the mode's own")  # fmt: skip
    parser.add_argument("--root-scope", action="store_true", default=None,
                        help="write: the workspace's own record, which belongs to no session")  # fmt: skip
    parser.add_argument("--all-sessions", action="store_true", help="clear: in root and in every session")
    parser.add_argument(
        "--dry-run", action="store_true", help="prune: only show what would go, and what would be folded away"
    )
    parser.add_argument(
        "--older-than", metavar="TIME", help="prune: fold away sessions untouched for 12h, 30d (the default) or 2w"
    )
    parser.add_argument("--input", metavar="JSON", help="the same as one JSON object")
    options.add_json(parser)
    return parser


def run(argv: Sequence[str]) -> int:
    args = build().parse_args(argv)
    given = _input(args)
    mode_given = given.pop("mode", args.mode)
    if args.mode and mode_given != args.mode:
        raise Refused(f"mode: --mode {args.mode} and {mode_given!r} in --input; name one")
    everywhere = given.pop("all_sessions", args.all_sessions)
    if not isinstance(everywhere, bool):
        raise Refused(f"all_sessions: {everywhere!r} found, true or false needed")
    root_scope = given.pop("root_scope", bool(args.root_scope))
    if not isinstance(root_scope, bool):
        raise Refused(f"root_scope: {root_scope!r} found, true or false needed")
    session = given.pop("session_id", None)
    if args.session and session not in (None, args.session):
        raise Refused(f"session_id: --session {args.session} and {session!r} in --input; name one")
    if args.action != "write":
        _refuse_fields(args, given)
    _refuse_options(args, mode_given, everywhere=everywhere)
    scope = options.scope_of(args, session)
    if args.action == "prune":
        meant = scope if args.session or session else scope.of(None)
        pruned = prune.prune(meant, dry_run=args.dry_run, older_than=_seconds(args.older_than))
        return _show(args, pruned, _prune_words)
    if args.action == "list-active":
        return _show(args, surface.list_active(scope), _active_words)
    if args.action == "get-status":
        return _show(args, surface.get_status(scope, checked_mode(mode_given) if mode_given else None), _status_words)
    if args.action == "clear" and mode_given == INVENTORY:
        return _show(args, surface.clear(scope, INVENTORY, all_sessions=everywhere), _clear_words)
    if args.action == "write":
        wanted = _fields(args, given)
        mode = running.mode_to_write(scope, mode_given, wanted)
        return _show(args, surface.write(scope, mode, wanted, root_scope=root_scope), _write_words)
    mode = checked_mode(mode_given)
    if args.action == "read":
        return _show(args, surface.read(scope, mode), _record_words)
    return _show(args, surface.clear(scope, mode, all_sessions=everywhere), _clear_words)


def _refuse_fields(args: argparse.Namespace, given: Record) -> None:
    """What only a write takes is not passed over where it could change what was meant."""
    for name in given:
        raise Refused(f"{clean(name)}: {args.action} knows no such argument; it takes {', '.join(ARGUMENTS)}")
    for name in WRITES:
        if getattr(args, name) not in (None, []):
            option = "set" if name == "sets" else name.replace("_", "-")
            raise Refused(f"--{option}: only write takes it, not {args.action}")


def _refuse_options(args: argparse.Namespace, mode: object, *, everywhere: bool) -> None:
    """Keeps `prune` from being asked for less than it does, and others from a dry run that they do not make."""
    if args.action == "prune" and mode is not None:
        raise Refused("--mode: prune takes none; it looks at every mode")
    if args.action == "prune" and everywhere:
        raise Refused("--all-sessions: only clear takes it, not prune")
    for option, value in (("--dry-run", args.dry_run), ("--older-than", args.older_than)):
        if args.action != "prune" and value:
            raise Refused(f"{option}: only prune takes it, not {args.action}")


def _seconds(older_than: str | None) -> float:
    if older_than is None:
        return active.OLD
    from rcs_hooks.runs.reading import milliseconds

    return milliseconds(older_than) / 1000


def _input(args: argparse.Namespace) -> Record:
    if args.input is None:
        return {}
    args.json = True
    try:
        value = jsontext.loads(args.input)
    except ValueError as error:
        raise Refused(f"--input is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise Refused('--input: a JSON object is needed, like \'{"mode":"team"}\'')
    return value


def _fields(args: argparse.Namespace, given: Record) -> Record:
    """The fields to write, from the options and the input alike."""
    fields = dict(given)
    named = {
        "current_phase": args.phase,
        "lifecycle_outcome": args.outcome,
        "active": args.active,
        "iteration": args.iteration,
    }
    fields |= {name: value for name, value in named.items() if value is not None}
    for each in args.sets:
        key, equals, text = each.partition("=")
        if not (key.removeprefix("state.") and equals) or key in ARGUMENTS:
            raise Refused(f"--set {each!r}: KEY=JSON is needed, like --set state.review_verdict='\"clean\"'")
        place = fields
        if key.startswith("state."):
            key = key.removeprefix("state.")
            place = fields.setdefault("state", {})
            if not isinstance(place, dict):
                raise Refused(f"state: {place!r} found, an object needed; nothing was written")
        try:
            place[key] = jsontext.loads(text)
        except ValueError:
            raise Refused(f"--set {key}: {clean(text)!r} is not JSON; text needs quotes: {key}='\"…\"'") from None
    if not fields:
        raise Refused("nothing to write; give --phase, --outcome, --active, --iteration, --set or --input")
    return fields


def _show(args: argparse.Namespace, result: Record, words: Any) -> int:
    if args.json:
        output.result(result)
    else:
        output.text(words(result))
    return output.OK


def _active_words(result: Record) -> str:
    here = f"session {result['session']}: " if result.get("session") else ""
    closed = dict.fromkeys(result.get("closed", ()), " (closed)")
    said = closed.get(result.get("session"), " (closed)" if closed and "sessions" not in result else "")
    lines = [here + " + ".join(result["active_modes"]) + said] if result["active_modes"] else []
    if not lines:
        lines = ["nothing is active" + (" in root" if result.get("sessions") else "")]
    lines += [
        f"session {session}: {' + '.join(active)}{closed.get(session, '')}"
        for session, active in result.get("sessions", {}).items()
        if session != result.get("session")
    ]
    return "\n".join(lines)


def _status_words(result: Record) -> str:
    active = "active, closed" if result.get("closed") else "active"
    lines = [
        f"{mode}: {active if status['active'] else 'not active'}, phase {word(status['phase'])}"
        + (f", {status['outcome']}" if status["outcome"] else "")
        for mode, status in result["statuses"].items()
    ]
    return "\n".join(lines) or "no workflow state"


def _record_words(result: Record) -> str:
    if result.get("exists") is False:
        return f"{result['mode']}: no state"
    return jsontext.dumps_shown(result)


def _clear_words(result: Record) -> str:
    if not result["cleared"]:
        return f"{result['mode']}: there was nothing to clear"
    return f"cleared {result['mode']}: {', '.join(result.get('paths') or [result['path']])}"


def _prune_words(result: Record) -> str:
    lines = []
    if result["removed"]:
        verb = "would remove" if result["dry_run"] else "removed"
        lines.append(f"{verb} {_number(result['removed'], 'question')}:")
    for entry in result["questions"]:
        where = f"session {entry['session_id']}" if entry["session_id"] else "root"
        lines.append(f"  {entry['question_id']}  {clean(entry['status'])}  {clean(entry['mode'])}  {where}")
    verb = "would fold away" if result["dry_run"] else "folded away"
    if result["folded_questions"]:
        lines.append(f"{verb} {_number(result['folded_questions'], 'closed question')}; see: rcs question list --all")
    if result["folded"]:
        lines.append(f"{verb} {_number(len(result['folded']), 'session')} in .rcs/state/folded; resumed, each is back")
    return "\n".join(lines) or "nothing to remove"


def _number(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _write_words(result: Record) -> str:
    moved = f" ({result['transition']})" if "transition" in result else ""
    return f"wrote {result['path']}{moved}"
