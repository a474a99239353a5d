"""`rcs state read | write | clear | list-active | get-status | prune`: workflow state."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

from rcs_hooks import jsontext
from rcs_hooks.cli import options, output
from rcs_hooks.cli.switch import what_switches_on
from rcs_hooks.environment import TERMINAL, typed_by
from rcs_hooks.errors import Refused, UsageError
from rcs_hooks.files.paths import INVENTORY, STATE, session_folder
from rcs_hooks.interface import FIELDS, of_command, take_switch
from rcs_hooks.state import clearing, operations, prune, write_checks, writing
from rcs_hooks.state.mode_names import check_name
from rcs_hooks.state.validation import LONGEST_TEXT
from rcs_hooks.text import clean, word
from rcs_hooks.workflow.lifecycle import in_words

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence

    from rcs_hooks.state.results import ActiveResult, ClearResult, PruneResult, StatusResult, WriteResult

Record = dict[str, Any]

EXAMPLES = (
    "rcs state list-active --session S",
    "rcs state write --mode forge,team --session S --phase verifying",
    "rcs state write --mode forge --outcome blocked --reason 'no database'",
    "rcs state clear --mode team --session S",
    """rcs state clear --input '{"mode":"forge","all_sessions":true}' --json""",
    "rcs state prune --older-than 30d --dry-run",
)
ACTIONS = of_command("state")
KEYS = tuple(
    dict.fromkeys(each.name for name in ("read", "clear") for each in ACTIONS[name].arguments if not each.only)
)
"""The keys of `--input` that are not fields of a mode's record."""


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "state",
        "Read, write and clear workflow state. A write that would activate a mode asks the transition policy first; "
        "a phase has to be one that the mode's machine allows. Several modes are written at once, or none of them.",
        *EXAMPLES,
    )
    parser.set_defaults(mode=None, all_sessions=None, root_scope=None)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, action in ACTIONS.items():
        added = options.add_action(actions, name, action.help, *(each for each in EXAMPLES if f"state {name} " in each))
        options.add(added, *action.arguments)
        added.add_argument("--input", metavar="JSON", help="the arguments as one JSON object; implies --json")
        options.add_json(added)
    return parser


def run(argv: Sequence[str]) -> int:
    args = build().parse_args(argv)
    request = _input(args)
    mode = _one_of("mode", "--mode", args.mode, request.pop("mode", None))
    session = _one_of("session_id", "--session", args.session, request.pop("session_id", None))
    everywhere = take_switch(request, "all_sessions", default=args.all_sessions)
    root_scope = take_switch(request, "root_scope", default=args.root_scope)
    _refuse_others(args, request, mode=mode, everywhere=everywhere)
    if not mode and "mode" in ACTIONS[args.action].required:
        raise UsageError(f"state {args.action} needs --mode; see: rcs state {args.action} --help")
    scope = options.scope_of(args, session)
    if not session and (root_scope or args.action == "prune"):
        scope = scope.of(None)  # the client's variable names a session to its agent, for every command
    if args.action == "prune":
        pruned = prune.prune(scope, dry_run=bool(args.dry_run), older_than=_seconds(args.older_than))
        return _show(args, pruned, _prune_words)
    if args.action == "list-active":
        return _show(args, operations.list_active(scope), _active_words)
    if args.action == "get-status":
        status = operations.get_status(scope, check_name(scope, mode) if mode else None)
        return _show(args, status, partial(_status_words, root=scope.root))
    if args.action == "clear":
        name = INVENTORY if mode == INVENTORY else check_name(scope, mode)
        cleared = clearing.clear(scope, name, all_sessions=everywhere, root_scope=root_scope)
        return _show(args, cleared, _clear_words)
    if args.action == "write":
        wanted = _fields(args, request)
        names = write_checks.modes_to_write(scope, mode, wanted)
        for_person = not args.json and typed_by(os.environ, is_terminal=options.is_terminal()) == TERMINAL
        written = writing.write(scope, names, wanted, root_scope=root_scope, for_person=for_person)
        return _show(args, written, _write_words)
    return _show(args, operations.read(scope, check_name(scope, mode)), _record_words)


def _one_of(name: str, option: str, typed: Any, sent: Any) -> Any:
    """Return the value that an option (`typed`) or `--input` (`sent`) gives. Raises Refused if the two differ."""
    if typed and sent not in (None, typed):
        raise Refused(f"{name}: {option} {typed} and --input {sent!r} differ; name one")
    return typed or sent


def _refuse_others(args: argparse.Namespace, request: Record, *, mode: object, everywhere: bool) -> None:
    """Raise Refused or UsageError for an argument of another action: what was meant could be another thing."""
    if args.action == "prune" and mode is not None:
        raise UsageError("--mode: prune looks at every mode; leave it out")
    for name in request if args.action != "write" else ():
        raise Refused(f"{clean(name)}: {args.action} has no such argument; it takes {', '.join(KEYS)}")
    if everywhere and args.action != "clear":
        raise UsageError(f"--all-sessions: only clear takes it, not {args.action}")


def _seconds(older_than: str | None) -> float | None:
    if older_than is None:
        return None
    from rcs_hooks.runs.queries import milliseconds

    try:
        return milliseconds(older_than) / 1000
    except Refused as error:
        raise UsageError(f"--older-than: {error}") from None


def _input(args: argparse.Namespace) -> Record:
    """Return the object in `--input`; empty without it."""
    if args.input is None:
        return {}
    args.json = True
    try:
        value = jsontext.loads(args.input)
    except ValueError as error:
        raise Refused(f"--input is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise Refused('--input: expected a JSON object, like \'{"mode":"team"}\'')
    return value


def _fields(args: argparse.Namespace, request: Record) -> Record:
    """Return the fields to write, from the options and from `--input`."""
    named = {each.name: getattr(args, each.name) for each in FIELDS if each.option and each.name != "set"}
    fields = request | {name: value for name, value in named.items() if value is not None}
    for each in args.set:
        key, equals, text = each.partition("=")
        if not (key.removeprefix("state.") and equals) or key in KEYS:
            raise UsageError(f"--set {each!r}: expected KEY=VALUE, like --set state.owner=ann")
        place = fields
        if key.startswith("state."):
            key = key.removeprefix("state.")
            place = fields.setdefault("state", {})
            if not isinstance(place, dict):
                raise Refused(f"state: expected an object, got {place!r}; nothing was written")
        place[key] = _value(key, text)
    if not fields:
        raise UsageError("nothing to write; give --phase, --outcome, --active, --iteration, --set or another option")
    return fields


def _value(key: str, text: str) -> Any:
    """Return the value of `--set`: JSON, or else the words as they are. Raises Refused for JSON that is cut short."""
    try:
        return jsontext.loads(text)
    except ValueError:
        if text.lstrip()[:1] not in ("{", "[", '"') and len(text) <= LONGEST_TEXT:
            return text
        raise Refused(f"--set {key}: {clean(text)!r} is not JSON; such text needs quotes, as JSON") from None


UNREADABLE = "a state file cannot be read (see `rcs doctor`)"


def _show(args: argparse.Namespace, result: Mapping[str, object], words: Callable[..., str]) -> int:
    if args.json:
        output.result(dict(result))
    else:
        output.text(words(result))
    return output.OK


def _active_words(result: ActiveResult) -> str:
    here = f"session {result['session']}: " if result.get("session") else ""
    closed = dict.fromkeys(result.get("closed", ()), " (closed)")
    said = closed.get(result.get("session", ""), " (closed)" if closed and "sessions" not in result else "")
    title = _title(result.get("title", ""))
    lines = [here + " + ".join(result["active_modes"]) + said + title] if result["active_modes"] else []
    others = {
        session: modes for session, modes in result.get("sessions", {}).items() if session != result.get("session")
    }
    titles = {session: _title(title) for session, title in result.get("titles", {}).items()}
    lines += _unreadable_words(result, but=tuple(f"{STATE}/{session_folder(session)}" for session in others))
    if not lines:
        lines = ["nothing is active" + (" in root" if result.get("sessions") else "")]
    lines += [
        f"session {session}: {' + '.join(modes) or UNREADABLE}" + closed.get(session, "") + titles.get(session, "")
        for session, modes in others.items()
    ]
    return "\n".join(lines)


def _title(title: str) -> str:
    return f', "{title}"' if title else ""


def _unreadable_words(result: ActiveResult | StatusResult, *, but: tuple[str, ...] = ()) -> list[str]:
    """Return a line for each file that cannot be read. `but`: the folders of the sessions that get one line each."""
    return [
        output.plain(f"{each['path']} cannot be read ({clean(each['why'], 80)}). To clear it: {each['clear']}")
        for each in result.get("unreadable", ())
        if not each["path"].startswith(but)
    ]


def _status_words(result: StatusResult, root: str) -> str:
    active = "active, closed" if result.get("closed") else "active"
    lines = [
        f"{mode}: {active if status['active'] else 'not active'}, phase {word(status['phase'])}"
        + (f", {in_words(status['outcome'])}" if status["outcome"] else "")
        + (f", {status['verdict_says']}" if status["verdict_says"] else "")
        + _title(status["title"])
        for mode, status in result["statuses"].items()
    ]
    lines += _unreadable_words(result)
    lines = lines or ["no workflow state"]
    if off := result.get("off"):
        lines.append(output.plain(f"the hooks are off: {off} is set; to switch them on: {what_switches_on(off, root)}"))
    return "\n".join(lines)


def _record_words(result: Record) -> str:
    if result.get("exists") is False:
        return f"{result['mode']}: no state"
    return jsontext.dumps_shown(result)


def _clear_words(result: ClearResult) -> str:
    if not result["cleared"]:
        return f"{result['mode']}: there was nothing to clear"
    return f"cleared {result['mode']}: {', '.join(result.get('paths') or [result['path']])}"


def _prune_words(result: PruneResult) -> str:
    lines = []
    if result["removed"]:
        verb = "would remove" if result["dry_run"] else "removed"
        lines.append(f"{verb} {_number(result['removed'], 'question')}:")
    for entry in result["questions"]:
        where = f"session {entry['session_id']}" if entry["session_id"] else "root"
        lines.append(f"  {entry['question_id']}  {clean(entry['status'])}  {clean(entry['mode'])}  {where}")
    if result["outputs"]:
        verb = "would remove" if result["dry_run"] else "removed"
        lines.append(f"{verb} {_number(result['outputs'], 'output')} of earlier proofs")
    if result["sessions"]:
        verb = "would remove" if result["dry_run"] else "removed"
        lines.append(f"{verb} {_number(len(result['sessions']), 'old session')}")
    return "\n".join(lines) or "nothing to remove"


def _number(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _write_words(result: WriteResult) -> str:
    return result["says"]
