"""`rcs question ask | answer | list`: blocking questions to the user."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rcs_hooks.cli import options, output
from rcs_hooks.files.clock import seconds
from rcs_hooks.interface import ROOT, Argument, of_command
from rcs_hooks.state import question_service
from rcs_hooks.state.mode_names import check_name
from rcs_hooks.state.questions import OPEN, options_of
from rcs_hooks.terminal import when
from rcs_hooks.terminal.ids import LONG_ID, short, telling_length
from rcs_hooks.terminal.style import QUIET, STRONG, kind_of
from rcs_hooks.terminal.table import Cell, Column, Row
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

COLUMNS = (
    Column("QUESTION", is_flexible=True, least=30),
    Column("STATUS"),
    Column("MODE"),
    Column("ASKED"),
    Column("SESSION"),
    Column("ID"),
)
LONGEST_QUESTION, LONGEST_ANSWER, LONGEST_TITLE, LONGEST_OPTION = 300, 200, 80, 60


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "question",
        "Ask the user a blocking question: the mode waits, the turn may end, and the next prompt is the answer.",
        *EXAMPLES,
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ask|answer|list")
    ask = options.add_action(actions, "ask", "record a question of an active mode", EXAMPLES[0])
    options.add(ask, *ASK.arguments, required=ASK.required)
    answer = options.add_action(actions, "answer", "answer a question from here", EXAMPLES[1])
    answer.add_argument("id", help="the question's id, as `rcs question list` shows it")
    answer.add_argument("answer", help="the answer")
    listing = options.add_action(actions, "list", "list the open questions", EXAMPLES[2])
    listing.add_argument("--all", action="store_true", help="also those that are answered or aborted")
    for each in (answer, listing):
        options.add(each, IN_ANY_SESSION, ROOT)
    for each in (ask, answer, listing):
        options.add_json(each)
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
    if args.json:
        output.result(dict(listed))
    elif listed["questions"]:
        _print(listed["questions"], time.time(), every=args.all)
    else:
        output.text("no open question")
    return output.OK


def _scope(args: argparse.Namespace) -> Scope:
    """Return the scope of a command; without `--session` that of all sessions, because an id identifies a question."""
    scope = options.scope_of(args)
    return scope if args.session else scope.of(None)


def _print(questions: Sequence[ListedQuestion], now: float, *, every: bool) -> None:
    """Print questions as a table, and below it how to answer."""
    sessions = (name for each in questions if len(name := each["session_id"] or "") >= LONG_ID)
    length = telling_length(sessions)
    rows = [_row(each, now, length, has_status=every) for each in questions]
    if waiting := [each["question_id"] for each in questions if each["status"] in OPEN]:
        command = f"rcs question answer {waiting[0] if len(waiting) == 1 else 'ID'} 'YOUR ANSWER'"
        rows.append(Row((), commands=(("To answer", command),)))
    output.table(rows, COLUMNS)


def _row(question: ListedQuestion, now: float, length: int, *, has_status: bool) -> Row:
    """Return the row of a question; below it the title of its run, and its options or its answer.

    `length`: how many letters of a session's id are shown.
    """
    status, session, at = clean(question["status"]), question["session_id"], seconds(question["created_at"])
    is_open = status in OPEN
    cells = (
        Cell(clean(question["question"], LONGEST_QUESTION), STRONG if is_open else ""),
        Cell(status if has_status else "", kind_of(status)),
        Cell(clean(question["mode"])),
        Cell(when.ago(at, now), QUIET, when.full(at)),
        Cell(short(session, length) if session else "workspace", full=session or ""),
        Cell(question["question_id"]),
    )
    options = [clean(each, LONGEST_OPTION) for each in options_of({"options": question["options"]})]
    choice = f"Options: {' | '.join(options)}" if options and is_open else ""
    answer = f"Answer: {clean(question['answer'], LONGEST_ANSWER)}" if question["answer"] else ""
    run = f"Run: {title}" if (title := clean(question["title"], LONGEST_TITLE)) else ""
    return Row(cells, (Cell(run, QUIET), choice, answer))


def _show(args: argparse.Namespace, result: Mapping[str, object], words: str) -> int:
    if args.json:
        output.result(dict(result))
    else:
        output.text(words)
    return output.OK
