"""`rcs try "<prompt>"`: shows what a prompt would do, and the text that the model would see. Writes nothing."""

from __future__ import annotations

import re
import sys
import textwrap
from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks.catalog import possible_own_names, skill_named
from rcs_hooks.cli import options, output
from rcs_hooks.cli.switch import what_switches_on
from rcs_hooks.clients import CLIENTS
from rcs_hooks.environment import Environment
from rcs_hooks.errors import Refused
from rcs_hooks.files.preparation import check_workspace
from rcs_hooks.files.tracked import refuse_tracked
from rcs_hooks.files.workspaces import off_by, state_folder
from rcs_hooks.hook import notices, own_modes, prompt_submit, prompt_words
from rcs_hooks.hook.call import PROMPT
from rcs_hooks.state.scopes import resolve_scope
from rcs_hooks.terminal.width import of_help as width_of_help
from rcs_hooks.text import clean
from rcs_hooks.workflow import transitions
from rcs_hooks.workflow.messages.prompt_notice import mentioned
from rcs_hooks.workflow.messages.shared import failure
from rcs_hooks.workflow.tokens.scan import Token, noteworthy, scan

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from rcs_hooks.mode_def import ModeDef
    from rcs_hooks.state.reconcile import Reconciled
    from rcs_hooks.state.scopes import Scope

NEW_SESSION = "new-session"
"""The id that stands for a session without state."""
WIDTH = 76
COMMAND = re.compile(r"\s*/((?:rcs:)?[A-Za-z][A-Za-z0-9-]{0,39})(?=\s|$)")
"""A prompt that a client takes for a command, with its name."""
FAULTY = "a declaration has a fault"
MADE_BY_CLIENT = "a client sends such a prompt, no person types it"


class Trial(NamedTuple):
    """The effects that a prompt would have: its tokens, the changes, and the hook's answer."""

    prompt: str
    tokens: tuple[Token, ...]
    result: Reconciled | None
    output: dict[str, Any]
    """What the hook would print."""
    refused: str = ""
    """Why nothing could be written; empty if something could."""
    is_made_by_client: bool = False
    command: str = ""
    """The name that follows a `/` at the beginning, where `$` with it would name a mode; empty if none does."""

    @property
    def context(self) -> str:
        """The text that the hook would add for the model; empty if there is none."""
        text: str = self.output.get("hookSpecificOutput", {}).get("additionalContext", "")
        return text


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "try",
        "Show the skills that a prompt asks for, the plan, and what the model would see. Nothing is written.",
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
    scope = resolve_scope(options.scope_of(args))
    check_workspace(scope.root)
    trial = _tried(prompt, scope)
    if args.json:
        output.result(_as_json(trial))
    else:
        output.text(_in_words(trial))
        if off := off_by(scope.env, scope.root):
            on = what_switches_on(off, scope.root)
            text = f"the hooks are off, so none of this happens: {off} is set; to switch them on: {on}"
            output.text(f"\n{output.plain(text)}")
    return output.OK


def _tried(prompt: str, scope: Scope) -> Trial:
    """Return what a prompt would do: what the hook would decide, in the same order."""
    session = scope.session or NEW_SESSION
    own = own_modes.find_all(possible_own_names(prompt), scope.root, session, scope.env)
    names, declared = frozenset(own), own_modes.definitions(own)
    tokens = scan(prompt, names)
    is_made_by_client = prompt_submit.is_machine_made(scope.root, session, prompt)
    if is_made_by_client:
        tokens = tuple(token._replace(passed_over=token.passed_over or MADE_BY_CLIENT) for token in tokens)
    asked = tuple(token for token in tokens if token.passed_over is None)
    if fault := own_modes.why_none(asked, own):
        asked, tokens = (), tuple(token._replace(passed_over=token.passed_over or FAULTY) for token in tokens)
    result = None if is_made_by_client else _decided(prompt, asked, scope, session, declared)
    commands, environment = scope.of(session).commands, Environment(scope.env, scope.cwd, scope.now)
    said = prompt_words.worded(result, tokens, commands, scope.root, environment) if result else {}
    for line in own_modes.lines_for_person(result, declared, scope.root) if result else ():
        said = notices.with_line(said, line)
    refused = _refused(scope.root, result)
    if refused:
        said = {"systemMessage": failure(PROMPT, refused)}
    mentions = () if asked or is_made_by_client else noteworthy(prompt, names)
    if fault:
        said, mentions = notices.with_line(said, fault), ()
    if mentions:
        said = {"systemMessage": mentioned(mentions)} | said
    if not refused and notices.is_tracked_line_due(scope.root, session):
        said = notices.add_tracked_line(said, scope.root)
    return Trial(prompt, tokens, result, said, refused, is_made_by_client, _command(prompt, scope, session))


def _decided(
    prompt: str, asked: tuple[Token, ...], scope: Scope, session: str, declared: Mapping[str, ModeDef]
) -> Reconciled | None:
    """Return what a prompt would do; None where it would do and say nothing. `asked`: the tokens that it asks for."""
    made = prompt_submit.prompt_of(prompt, asked, None, scope.now)
    made = prompt_submit.with_modes(made, declared, scope.root, session, scope.env)
    result = prompt_submit.decide(state_folder(scope.root), session, made, scope.now).result
    return result if result and (asked or result.has_news) else None


def _command(prompt: str, scope: Scope, session: str) -> str:
    """Return the mode that a prompt names as a client's command, as `/forge` does; empty if it names none so."""
    found = COMMAND.match(prompt)
    if not found:
        return ""
    name = found[1]
    own = own_modes.find_all(possible_own_names(f"${name}"), scope.root, session, scope.env)
    return name if skill_named(name) or own else ""


def _refused(root: str, result: Reconciled | None) -> str:
    """Return why the files that the prompt changes cannot be written; empty if they can."""
    try:
        refuse_tracked(root, [write.path for write in result.writes if not write.append] if result else ())
    except Refused as error:
        return str(error)
    return ""


def _as_json(trial: Trial) -> dict[str, Any]:
    plan = trial.result.plan if trial.result else transitions.Plan((), ())
    is_allowed = trial.result.is_allowed if trial.result else True
    return {
        "tokens": [token._asdict() for token in trial.tokens],
        "allowed": is_allowed and not trial.refused,
        "steps": [
            {"mode": step.requested, "kind": step.kind, "completes": list(step.completes)} for step in plan.steps
        ],
        "deferred": list(plan.deferred),
        "before": list(plan.before),
        "after": list(plan.before if trial.refused else plan.after),
        "context": trial.context,
    }


def _in_words(trial: Trial) -> str:
    ends_with_token = trial.tokens and trial.tokens[-1].end == len(trial.prompt)
    hints = [f"(In {each.title}, {each.typing_hint})" for each in CLIENTS.values() if each.typing_hint]
    why = MADE_BY_CLIENT if trial.is_made_by_client else trial.refused
    notice, context = trial.output.get("systemMessage", ""), trial.context
    parts = [
        *(hints if ends_with_token else []),
        _marked(trial),
        f"plan: nothing changes ({why})" if why else _plan(trial),
        f"you see:\n{_indented(notice)}" if notice else "",
        f"the model sees ({len(context)} characters):\n{_indented(context)}" if context else "the model sees nothing",
    ]
    return "\n\n".join(part for part in parts if part)


def _marked(trial: Trial) -> str:
    """Return the lines of a prompt that hold tokens, with marks below: ^ where a token counts, - where it does not."""
    prompt, tokens = trial.prompt, trial.tokens
    if not tokens:
        hint = "in double quotes the shell replaces $words before rcs sees them; use single quotes"
        if trial.command:
            hint = f"`/{trial.command}` is a command of the client's own, which starts no run; type `${trial.command}`"
        return f"no $skill token in: {clean(prompt, WIDTH)}\n({hint})"
    lines, at = [], 0
    for line in prompt.split("\n"):
        here = [token for token in tokens if at <= token.start < at + len(line) + 1]
        if here:
            lines += _marked_line(line, at, here)
        at += len(line) + 1
    return "\n".join(lines)


def _marked_line(line: str, at: int, here: list[Token]) -> list[str]:
    width = min(WIDTH, width_of_help() - 3)
    start = max(0, min(here[0].start - at - 8, len(line) - width))
    window = line[start : start + width]
    marks = [" "] * len(window)
    for token in here:
        for column in range(token.start - at - start, token.end - at - start):
            if 0 <= column < len(marks):
                marks[column] = "-" if token.passed_over else "^"
    reasons = [f"  {clean(token.typed)}: {token.passed_over or f'asked for ({token.skill})'}" for token in here]
    shown = "".join(char if char.isprintable() else " " for char in window)
    return [f"  {shown}", f"  {''.join(marks)}".rstrip(), *reasons]


def _plan(trial: Trial) -> str:
    result = trial.result
    if result is None or not (result.plan.steps or result.plan.cancels or result.plan.denied):
        return "plan: nothing changes"
    plan, lines = result.plan, ["plan:"]
    typed = {token.skill: clean(token.typed) for token in reversed(trial.tokens) if token.passed_over is None}

    def named(mode: str) -> str:
        word = typed.get(mode, "")
        return mode if word.lower() in ("", f"${mode}") else f"{mode} ({word})"

    if plan.cancels:
        lines.append(f"  cancel: {' + '.join(plan.before) or 'nothing is active'}")
    for step in plan.steps:
        ends = f" (completes {' + '.join(step.completes)})" if step.completes else ""
        lines.append(f"  {named(step.requested)}: {step.kind}{ends}")
    lines += [f"  {named(mode)}: deferred until {plan.source} has ended" for mode in plan.deferred]
    if not result.is_allowed:
        lines.append("  so nothing changes at all")
    after = " + ".join(plan.after if result.is_allowed else plan.before)
    return _indented("\n".join([*lines, f"active afterwards: {after or 'nothing'}"]), "")


def _indented(text: str, indent: str = "  ") -> str:
    """Return a text indented, and wrapped on a terminal; a line with a command stays whole for pasting."""
    width = width_of_help() if sys.stdout is not None and sys.stdout.isatty() else 0
    lines = []
    for line in text.split("\n"):
        if width and not (" --session " in line or " --root-scope" in line):
            lines += textwrap.wrap(line, width, initial_indent=indent, subsequent_indent=f"{indent}  ")
        else:
            lines.append(f"{indent}{line}")
    return "\n".join(lines)
