"""`rcs try "<prompt>"`: what a prompt would do, and the very text that would be injected. Writes nothing."""

from __future__ import annotations

import shutil
import sys
import textwrap
from typing import TYPE_CHECKING, Any

from rcs_hooks.cli import options, output
from rcs_hooks.hook import prompt_submit
from rcs_hooks.state.files import check_workspace
from rcs_hooks.state.surface import resolved
from rcs_hooks.workflow import messages, transitions
from rcs_hooks.workflow.skills import Token, noteworthy, scan
from rcs_hooks.workflow.text import clean

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from rcs_hooks.state.reconcile import Reconciled

NEW_SESSION = "new-session"
"""Stands for a session that has no state yet."""
WIDTH = 76
NOBODYS = "a client makes such a prompt, no person types it"
CODEX_ENTER = "In Codex, Enter sends a prompt that ends in a $skill only after a blank behind it, or Esc."
"""Its composer holds the list of mentions open."""


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "try",
        "Shows the skills that a prompt asks for, the plan, and what the model would be told. Nothing is written.",
        "rcs try '$blueprint $team $forge ship this fix'",
        "rcs try 'do not use $team' --session S",
        "git log -1 --format=%B | rcs try -",
    )
    parser.add_argument("prompt", help="the prompt, in single quotes; - reads it from stdin")
    options.add_scope(parser)
    options.add_json(parser)
    return parser


def run(argv: Sequence[str]) -> int:
    args = build().parse_args(argv)
    prompt = options.stdin().decode(errors="replace") if args.prompt == "-" else args.prompt
    scope = resolved(options.scope_of(args))
    session = scope.session or NEW_SESSION
    check_workspace(scope.root)
    tokens = scan(prompt)
    is_nobodys = prompt_submit.is_machine_made(scope.root, session, prompt)
    if is_nobodys:
        tokens = tuple(token._replace(passed_over=token.passed_over or NOBODYS) for token in tokens)
    asked = tuple(token for token in tokens if token.passed_over is None)
    result = prompt_submit.preview(scope.root, session, prompt, asked, scope.now)
    said = prompt_submit.said(result, asked, scope.of(session).commands) if result else {}
    unheard = () if asked or is_nobodys else noteworthy(prompt)
    if unheard:
        said = {"systemMessage": messages.mentioned(unheard)} | said
    context = said.get("hookSpecificOutput", {}).get("additionalContext", "")
    if args.json:
        output.result(_as_json(tokens, result, context))
    else:
        output.text(_shown(prompt, tokens, result, context, said.get("systemMessage", ""), is_nobodys=is_nobodys))
    return output.OK


def _as_json(tokens: tuple[Token, ...], result: Reconciled | None, context: str) -> dict[str, Any]:
    plan = result.plan if result else transitions.Plan((), ())
    return {
        "tokens": [token._asdict() for token in tokens],
        "allowed": result.stands if result else True,
        "steps": [
            {"mode": step.requested, "kind": step.kind, "completes": list(step.completes)} for step in plan.steps
        ],
        "deferred": list(plan.deferred),
        "before": list(plan.before),
        "after": list(plan.after),
        "context": context,
    }


def _shown(
    prompt: str, tokens: tuple[Token, ...], result: Reconciled | None, context: str, notice: str, *, is_nobodys: bool
) -> str:
    ends_with_one = tokens and tokens[-1].end == len(prompt)
    parts = [f"({CODEX_ENTER})" if ends_with_one else "", _marked(prompt, tokens), _plan(result, is_nobodys=is_nobodys)]
    if notice:
        parts.append(f"you are told:\n{_indented(notice)}")
    parts.append(
        f"the model is told ({len(context)} characters):\n{_indented(context)}"
        if context
        else "the model is told nothing"
    )
    return "\n\n".join(part for part in parts if part)


def _marked(prompt: str, tokens: tuple[Token, ...]) -> str:
    """The lines of the prompt that hold a token, with a mark under each: ^ counts, - is passed over."""
    if not tokens:
        return (
            f"no $skill token in: {clean(prompt, WIDTH)}\n"
            "(in double quotes the shell replaces $words before rcs sees them; use single quotes)"
        )
    lines, at = [], 0
    for line in prompt.split("\n"):
        here = [token for token in tokens if at <= token.start < at + len(line) + 1]
        if here:
            lines += _marked_line(line, at, here)
        at += len(line) + 1
    return "\n".join(lines)


def _marked_line(line: str, at: int, here: list[Token]) -> list[str]:
    width = min(WIDTH, shutil.get_terminal_size().columns - 3)
    start = max(0, min(here[0].start - at - 8, len(line) - width))
    window = line[start : start + width]
    marks = [" "] * len(window)
    for token in here:
        for place in range(token.start - at - start, token.end - at - start):
            if 0 <= place < len(marks):
                marks[place] = "-" if token.passed_over else "^"
    reasons = [f"  {clean(token.typed)}: {token.passed_over or f'asked for ({token.skill})'}" for token in here]
    shown = "".join(char if char.isprintable() else " " for char in window)
    return [f"  {shown}", f"  {''.join(marks)}".rstrip(), *reasons]


def _plan(result: Reconciled | None, *, is_nobodys: bool) -> str:
    if is_nobodys:
        return f"plan: nothing changes ({NOBODYS})"
    if result is None or not (result.plan.steps or result.plan.cancels or result.plan.denied):
        return "plan: nothing changes"
    plan = result.plan
    lines = ["plan:"]
    if plan.cancels:
        lines.append(f"  cancel: {' + '.join(plan.before) or 'nothing is active'}")
    for step in plan.steps:
        ends = f" (completes {' + '.join(step.completes)})" if step.completes else ""
        lines.append(f"  {step.requested}: {step.kind}{ends}")
    lines += [f"  {mode}: deferred until {plan.source} has ended" for mode in plan.deferred]
    if not result.stands:
        lines.append("  so nothing at all is changed")
    after = " + ".join(plan.after if result.stands else plan.before)
    return _indented("\n".join([*lines, f"active afterwards: {after or 'nothing'}"]), "")


def _indented(text: str, indent: str = "  ") -> str:
    """Wrapped on a terminal, but for a command: that is to be pasted."""
    width = shutil.get_terminal_size().columns if sys.stdout is not None and sys.stdout.isatty() else 0
    lines = []
    for line in text.split("\n"):
        if width and " --session " not in line:
            lines += textwrap.wrap(line, width, initial_indent=indent, subsequent_indent=f"{indent}  ")
        else:
            lines.append(f"{indent}{line}")
    return "\n".join(lines)
