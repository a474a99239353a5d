"""`rcs question ask | answer | list`: blocking questions to the user."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rcs_hooks.cli import options, output
from rcs_hooks.interface import ROOT, Argument, of_command
from rcs_hooks.state import question_service
from rcs_hooks.state.mode_names import check_name
from rcs_hooks.text import clean

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from rcs_hooks.state.results import ListedQuestion
    from rcs_hooks.state.scopes import Scope


ASK = of_command("question")["ask"]
IN_ANY_SESSION = Argument("session", "only this session (default: root and every session)", "--session", "ID")
EXAMPLES = (
    'rcs question ask --mode forge --text "Which one?" --option blue --option red',
    'rcs question answer q-1f2e3d4c5b "Postgres"',
    "rcs question list",
)


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "question",
        "Ask the user a blocking question: the mode waits, the turn may end, and the next prompt is the answer.",
        *EXAMPLES,
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ask|answer|list")
    ask = _action(actions, "ask", "record a question of an active mode", EXAMPLES[0])
    options.add(ask, *ASK.arguments, required=ASK.required)
    answer = _action(actions, "answer", "answer a question from here", EXAMPLES[1])
    answer.add_argument("id", help="the question's id, as `rcs question list` shows it")
    answer.add_argument("answer", help="the answer")
    listing = _action(actions, "list", "list the open questions", EXAMPLES[2])
    listing.add_argument("--all", action="store_true", help="also those that are answered or aborted")
    for each in (answer, listing):
        options.add(each, IN_ANY_SESSION, ROOT)
    for each in (ask, answer, listing):
        options.add_json(each)
    return parser


def _action(actions: Any, name: str, purpose: str, example: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = actions.add_parser(
        name, help=purpose, description=purpose, epilog=f"example: {example}", allow_abbrev=False
    )
    return parser


def run(argv: Sequence[str]) -> int:
    args = build().parse_args(argv)
    if args.action == "ask":
        scope = options.scope_of(args)
        result = question_service.ask(scope, check_name(scope, args.mode), args.text, args.options)
        others = f"; {' + '.join(result['also_waiting'])} waits too" if result["also_waiting"] else ""
        return _show(args, result, f"{result['question_id']}: {result['mode']} waits{others}\n{result['say']}")
    if args.action == "answer":
        answered = question_service.answer(_scope(args), args.id, args.answer, source="cli")
        goes_on = ""
        if modes := answered["goes_on"]:
            goes_on = f"; {' + '.join(modes)} {'goes' if len(modes) == 1 else 'go'} on"
        return _show(
            args, answered, f"{answered['question_id']} answered{goes_on}; its session's next prompt passes it on"
        )
    listed = question_service.list_questions(_scope(args), every=args.all)
    return _show(args, listed, "\n".join(_line(each) for each in listed["questions"]) or "no open question")


def _scope(args: argparse.Namespace) -> Scope:
    """Return the scope of a command; without `--session` that of all sessions, because an id identifies a question."""
    scope = options.scope_of(args)
    return scope if args.session else scope.of(None)


def _line(question: ListedQuestion) -> str:
    place = f"session {question['session_id']}" if question["session_id"] else "root"
    place += f', "{question["title"]}"' if question["title"] else ""
    answer = f" -> {clean(question['answer'], 200)}" if question["answer"] else ""
    return (
        f"{question['question_id']}  {clean(question['status'])}  {clean(question['mode'])}  {place}\n"
        f"    {clean(question['question'], 300)}{answer}"
    )


def _show(args: argparse.Namespace, result: Mapping[str, object], words: str) -> int:
    if args.json:
        output.result(dict(result))
    else:
        output.text(words)
    return output.OK
