"""`rcs question ask | answer | list`: blocking questions to the user."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rcs_hooks.cli import options, output, whole_ids
from rcs_hooks.errors import Refused, UsageError
from rcs_hooks.files.clock import seconds
from rcs_hooks.interface import ROOT, Argument, of_command
from rcs_hooks.state import question_service
from rcs_hooks.state.mode_names import check_name
from rcs_hooks.state.questions import OPEN, options_of
from rcs_hooks.terminal import when
from rcs_hooks.terminal.ids import LONG_ID, short, telling_length
from rcs_hooks.terminal.style import QUIET, STRONG, kind_of
from rcs_hooks.terminal.table import Cell, Column, Row
from rcs_hooks.text import clean, quoted

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
    'rcs question answer "Postgres"          where one question is open',
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
ID_BEGINS = "q-"
MOST_NAMED = 5
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
    answer = options.add_action(actions, "answer", "answer a question from here", *EXAMPLES[1:3])
    answer.usage = "rcs question answer [ID] TEXT [--session ID] [--root FOLDER] [--json]"
    answer.add_argument(
        "id", nargs="?", metavar="ID", help="the question, or the first letters of its id; default: the only open one"
    )
    answer.add_argument("answer", metavar="TEXT", help="the answer")
    listing = options.add_action(actions, "list", "list the open questions", EXAMPLES[3])
    listing.add_argument("--all", action="store_true", help="also those that are answered or aborted")
    for each in (answer, listing):
        options.add(each, IN_ANY_SESSION, ROOT)
    for each in (ask, answer, listing):
        options.add_json(each)
    return parser


def run(argv: Sequence[str]) -> int:
    parser = build()
    args, further = parser.parse_known_args(argv)
    if further and (args.action != "answer" or any(each.startswith("-") and len(each) > 1 for each in further)):
        parser.error(f"unrecognized arguments: {' '.join(further)}")
    if args.action == "ask":
        scope = options.scope_of(args)
        result = question_service.ask(scope, check_name(scope, args.mode), args.text, args.options)
        others = f"; {' + '.join(result['also_waiting'])} waits too" if result["also_waiting"] else ""
        return _show(args, result, f"{result['question_id']}: {result['mode']} waits{others}\n{result['say']}")
    if args.action == "answer":
        scope = _scope(args)
        words = [each for each in (args.id, args.answer, *further) if each is not None]
        question, text = _question_and_text(scope, words)
        answered = question_service.answer(scope, question, text, source="cli")
        return _show(args, answered, f"{answered['question_id']} {answered['says']}")
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


def _question_and_text(scope: Scope, words: Sequence[str]) -> tuple[str, str]:
    """Return the id of the question that is answered, and the answer. Raises UsageError, Refused.

    `words`: an id and an answer, or an answer alone, where one question is open.
    """
    first, is_id = words[0], words[0].startswith(ID_BEGINS)
    if len(words) == 2 and (is_id or not _looks_unquoted(scope, words)):
        return whole_ids.question(scope, first), words[1]
    if len(words) > 1:
        said = " ".join(" ".join(words[1:] if is_id else words).split())
        raise UsageError(f"put the answer in quotes: rcs question answer {f'{first} ' if is_id else ''}{quoted(said)}")
    waiting = question_service.list_questions(scope)["questions"]
    if any(each["question_id"] == whole_ids.question(scope, first) for each in waiting):
        raise UsageError(f"question answer needs the answer too: rcs question answer {first} TEXT")
    if len(waiting) == 1:
        return waiting[0]["question_id"], first
    if not waiting:
        raise Refused("no question is open, so there is nothing to answer; see: rcs question list --all")
    each = [f"rcs question answer {one['question_id']} {quoted(first)}" for one in waiting[:MOST_NAMED]]
    raise Refused("\n".join([f"{len(waiting)} questions are open; say which one:", *each]))


def _looks_unquoted(scope: Scope, words: Sequence[str]) -> bool:
    """Tell whether two words are an answer without its quotes: the first is no question's, and one question is open."""
    known = question_service.list_questions(scope, every=True)["questions"]
    is_open = [each for each in known if each["status"] in OPEN]
    return len(is_open) == 1 and not any(each["question_id"].startswith(words[0]) for each in known)


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
