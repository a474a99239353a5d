"""`rcs question ask | answer | list`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rcs_hooks.cli import options, output
from rcs_hooks.state import asking
from rcs_hooks.state.fields import checked_mode
from rcs_hooks.workflow.text import clean

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence


EXAMPLES = (
    'rcs question ask --mode forge --session S --text "Which database?" --option Postgres --option SQLite',
    'rcs question answer q-1f2e3d4c5b "Postgres"',
    "rcs question list",
)


def _action(actions: Any, name: str, purpose: str, example: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = actions.add_parser(
        name, help=purpose, description=purpose, epilog=f"example: {example}", allow_abbrev=False
    )
    return parser


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "question",
        "A blocking question: the mode waits, the turn may end, and the next prompt is the answer.",
        *EXAMPLES,
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ask|answer|list")
    ask = _action(actions, "ask", "record a question of an active mode", EXAMPLES[0])
    ask.add_argument("--mode", required=True, help="the mode that waits")
    ask.add_argument("--text", required=True, help="one concrete question")
    ask.add_argument("--option", action="append", default=[], help="one of the answers to choose from; may be repeated")
    answer = _action(actions, "answer", "answer a question from here", EXAMPLES[1])
    answer.add_argument("id")
    answer.add_argument("answer")
    listing = _action(actions, "list", "the open questions", EXAMPLES[2])
    listing.add_argument("--all", action="store_true", help="the answered and aborted ones too")
    options.add_scope(ask)
    for each in (answer, listing):
        options.add_scope(each, "only this session; without it every session and root")
    for each in (ask, answer, listing):
        options.add_json(each)
    return parser


def run(argv: Sequence[str]) -> int:
    args = build().parse_args(argv)
    if args.action == "ask":
        result = asking.ask(options.scope_of(args), checked_mode(args.mode), args.text, args.option)
        others = f"; {' + '.join(result['also_waiting'])} waits too" if result["also_waiting"] else ""
        return _show(args, result, f"{result['question_id']}: {result['mode']} waits{others}\n{result['say']}")
    if args.action == "answer":
        result = asking.answer(_scope(args), args.id, args.answer, source="cli")
        goes_on = f"; {' + '.join(result['goes_on'])} goes on" if result["goes_on"] else ""
        return _show(args, result, f"{result['question_id']} answered{goes_on}; the next prompt of its session is told")
    result = asking.listed(_scope(args), every=args.all)
    return _show(args, result, "\n".join(_line(each) for each in result["questions"]) or "no open question")


def _scope(args: argparse.Namespace) -> Any:
    """A question is known by its id: without `--session` every scope is looked at."""
    scope = options.scope_of(args)
    return scope if args.session else scope.of(None)


def _line(question: dict[str, Any]) -> str:
    place = f"session {question['session_id']}" if question["session_id"] else "root"
    answer = f" -> {clean(question['answer'], 200)}" if question["answer"] else ""
    return (
        f"{question['question_id']}  {clean(question['status'])}  {clean(question['mode'])}  {place}\n"
        f"    {clean(question['question'], 300)}{answer}"
    )


def _show(args: argparse.Namespace, result: dict[str, Any], words: str) -> int:
    if args.json:
        output.result(result)
    else:
        output.text(words)
    return output.OK
