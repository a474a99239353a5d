"""All words that the hooks say. What is decided is decided elsewhere; here it is only said.

Rules of this file:
- Short: what is injected is paid for on every later turn. A line that does not fit is left out whole.
- Nothing from a state file is said unchecked: `clean` it first.
- Every command can be pasted.
"""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.workflow.replies import COMMAND, EARLY
from rcs_hooks.workflow.stop import BACKGROUND, ITERATIONS, LOST, OLD, QUESTION, SANDBOX, TOO_MANY, WORKSPACE
from rcs_hooks.workflow.text import clean, word
from rcs_hooks.workflow.transitions import NO_CHANGE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rcs_hooks.workflow.replies import Reply, StillOpen
    from rcs_hooks.workflow.skills import Token
    from rcs_hooks.workflow.stop import Decision, Member
    from rcs_hooks.workflow.transitions import Plan, Step

CONTEXT_LENGTH = 1_500
REASON_LENGTH = 1_200
MOST_COMMANDS = 2
SYSTEM_LENGTH = 600
QUESTION_LENGTH = 120
OPTIONS_LENGTH = 200
LONGEST_QUESTION = 4_000
ANSWER_LENGTH = 300

CANNOT_BE_READ = "cannot be read"
YOUR_QUESTION = "YOUR QUESTION"
PRESERVED = "planning preserved over simultaneous execution follow-up"
TEAM_HINT = "team runtime: lead the crew, give every worker its own files, merge and verify the results yourself."
GO_ON_OR_CANCEL = "Type `go on` to continue, `$cancel` to end it."
CANCEL_ENDS_IT = "Type `$cancel` to end it."
HANDOFF = "In the last message state Outcome, Evidence, Artifacts / state and Handoff, with no optional offer."


class Commands(NamedTuple):
    """How this program is called by the agent's shell, for this session."""

    rcs: str
    session: str
    root: str | None = None
    """Named where the agent's shell would find another workspace."""
    mcp: bool = False
    """Whether the agent has the tools of our MCP server."""

    def _with_scope(self, *words: str) -> str:
        scope = ["--session", self.session] if self.session else []
        place = ["--root", self.root] if self.root else []
        return " ".join([self.rcs, *(shlex.quote(each) for each in (*words, *scope, *place))])

    def write(self, mode: str, *options: str) -> str:
        return self._with_scope("state", "write", "--mode", mode, *options)

    def clear(self, mode: str) -> str:
        return self._with_scope("state", "clear", "--mode", mode)

    def state(self, action: str, mode: str) -> str:
        return self._with_scope("state", action, "--mode", mode)

    def ask(self, mode: str) -> str:
        return self._with_scope("question", "ask", "--mode", mode, "--text", YOUR_QUESTION)

    def ways_to_clear(self, mode: str) -> list[str]:
        return [self.clear(mode), *([self.mcp_clear(mode)] if self.mcp else [])]

    def mcp_clear(self, mode: str) -> str:
        session = f', session_id: "{self.session}"' if self.session else ""
        where = f", cwd: {json.dumps(self.root)}" if self.root else ""
        return f'rcs_state.state_clear({{ mode: "{mode}"{session}{where} }})'


class PromptNews(NamedTuple):
    """What happened on a prompt."""

    tokens: tuple[tuple[str, str], ...]
    """As typed, and the runtime name."""
    plan: Plan
    active: tuple[tuple[str, str], ...] = ()
    """Mode and phase of the final set."""
    path: str | None = None
    """Of the state that was initialized last."""
    resumed: tuple[tuple[str, str], ...] = ()
    transitions: tuple[str, ...] = ()
    answered: tuple[Reply, ...] = ()
    still_open: tuple[StillOpen, ...] = ()
    unanswered: tuple[tuple[str, str, str], ...] = ()
    """Path, reason, and the mode that clears it, of what kept an answer from being recorded; no mode for a question."""
    delivered: tuple[tuple[str, str, str], ...] = ()
    offered: tuple[str, ...] = ()
    offered_by: str = ""
    unreadable: tuple[tuple[str, str, str], ...] = ()
    """Path, reason, and the mode that clears it."""


def fit(lines: Sequence[str], limit: int) -> str:
    """The lines that fit, in order; the first always does."""
    kept: list[str] = []
    left = limit
    for line in lines:
        shown = line if kept else line[:limit]
        if len(shown) <= left:
            kept.append(shown)
            left -= len(shown) + 1
    return "\n".join(kept)


def prompt_context(news: PromptNews, commands: Commands) -> str:
    """The context that is injected after a prompt; empty where there is nothing to say."""
    if news.unanswered:
        lines = [unanswered(news)]
    elif news.plan.denied:
        lines = denial(news, news.plan.denied, commands)
    elif news.unreadable and news.plan.steps:
        lines = unreadable_denial(news, commands)
    else:
        lines = [*_what_happened(news, commands), *_how_to_go_on(news, commands)]
    # Told once, so they come before what can be left out.
    return fit([*lines[:1], *_questions(news, commands), *lines[1:]], CONTEXT_LENGTH)


def _names(tokens: Iterable[tuple[str, str]]) -> str:
    shown = (typed if typed[1:].lower() == mode else f"{clean(typed)} ({mode})" for typed, mode in tokens)
    return ", ".join(shown)


def _what_happened(news: PromptNews, commands: Commands) -> list[str]:
    plan, lines = news.plan, []
    if news.tokens:
        lines.append(f"[rcs] detected: {_names(news.tokens)}")
    if plan.cancels:
        ended = " + ".join(plan.before)
        lines.append(f"cancelled: {ended} (userinterlude)" if ended else "cancelled: nothing was active")
    lines += [unreadable(path, why, mode, commands) for path, why, mode in news.unreadable]
    if plan.deferred:
        lines.append(f"{PRESERVED}; deferred skills: {', '.join(plan.deferred)}")
    lines += [f"{text} (auto-completed)" for text in news.transitions]
    if plan.steps:
        lines.append(_state_line(news))
        if "team" in plan.after:
            lines.append(TEAM_HINT)
    if news.offered:
        by, typed = news.offered_by or "the planning", _dollars(news.offered)
        lines.append(f"[rcs] {by} has ended; deferred: {typed}. The user starts them by name.")
    return lines


def _state_line(news: PromptNews) -> str:
    after = dict(news.resumed)
    shown = (
        f"{mode} (phase {word(phase)}{f', taken up after {after[mode]}' if mode in after else ''})"
        for mode, phase in news.active
    )
    how = f"initialized: {news.path}" if news.path else "running already" if not after else "nothing started anew"
    return f"active: {' + '.join(shown)}; {how}"


def _how_to_go_on(news: PromptNews, commands: Commands) -> list[str]:
    if not news.plan.steps or not news.active or news.still_open:
        return []
    names = [mode for mode, _ in news.active]
    asked = news.plan.steps[-1].requested
    mode = asked if asked in names else names[-1]
    rest = [name for name in names if name != mode]
    others = f" (the same for {', '.join(rest)})" if rest else ""
    return [
        f"The run goes on until its outcome is recorded{others}: finished, blocked, failed or userinterlude:",
        commands.write(mode, "--outcome", "finished"),
        "In between, `--phase WORD` in place of --outcome records a new phase.",
        f"A blocking question to the user: {commands.ask(mode)}",
    ]


def _questions(news: PromptNews, commands: Commands) -> list[str]:
    lines = []
    for text, answer, path in news.delivered:
        shown = clean(answer, ANSWER_LENGTH)
        rest = f" (all of it: {path})" if shown.endswith("…") else ""
        lines.append(f'[rcs] answered elsewhere: "{clean(text, QUESTION_LENGTH)}" -> "{shown}"{rest}')
    active = [mode for mode, _ in news.active]
    lines += [_reply(reply, commands, goes_on=any(mode in active for mode in reply.modes)) for reply in news.answered]
    lines += [_still_open(question) for question in news.still_open]
    return lines


def _reply(reply: Reply, commands: Commands, *, goes_on: bool) -> str:
    modes = " + ".join(reply.modes)
    asked = f'\'s answer to "{clean(reply.question, QUESTION_LENGTH)}"' if clean(reply.question) else ""
    options = [f"{number} {clean(option)}" for number, option in enumerate(reply.options, 1)]
    choices = f" ({clean(' | '.join(options), OPTIONS_LENGTH)})" if options else ""
    first = f"[rcs] {modes} waited for the user{asked}{choices}. This prompt is the reply"
    go_on = " Go on with the run." if goes_on else ""
    if reply.chosen:
        number = reply.options.index(reply.chosen) + 1
        return f'{first}: option {number}, "{clean(reply.chosen)}".{go_on}'
    if not (asked and goes_on):
        return f"{first}.{go_on}"
    ask = commands.ask(reply.modes[0])
    return f"{first}. If it answers nothing, reply to it and ask again: {ask}. Else go on with the run."


def _still_open(question: StillOpen) -> str:
    wait = "waits" if len(question.modes) == 1 else "wait"
    asked = clean(question.question, QUESTION_LENGTH)
    first = f'[rcs] {" + ".join(question.modes)} still {wait} for the user\'s answer to "{asked}": this prompt'
    if question.why == EARLY:
        early = "was typed before the question could be seen, so it is not the answer"
        return f"{first} {early}. Reply to it, ask the question again and end the turn."
    if question.why == COMMAND:
        return f"{first} is a command of the client, so it is not the answer. Ask the question again and end the turn."
    return f"{first} only names a skill. Ask the question again and end the turn."


def cannot_activate(step: Step, active: Sequence[str]) -> str:
    """The contract's sentence, to the letter but for the names."""
    return (
        f"Cannot activate {step.requested} while {' + '.join(active)} is still active. Clear the incompatible "
        "state first via `rcs state ...` or the `rcs_state.*` MCP tools, then retry the transition."
    )


def _in_the_way(plan: Plan, step: Step) -> list[str]:
    """What really runs and is in the way; the prompt itself asked for the rest."""
    return [mode for mode in step.in_the_way if mode in plan.before and not plan.cancels]


def denial(news: PromptNews, step: Step, commands: Commands) -> list[str]:
    """A refusal for the agent, who must not clear a run that nobody gave up."""
    running = _in_the_way(news.plan, step)
    typed = _typed_for(news, step.requested)
    asked = f" {clean(typed)} is {step.requested}." if typed[1:].lower() not in ("", step.requested) else ""
    if not running:
        return [f"{_exclude_each_other(step)} No workflow was started or ended.{asked} Ask which one is meant."]
    first = cannot_activate(step, [mode for mode in step.before if mode in news.plan.before])
    if step.rollback:
        first += " First clear current state first and retry if this action is intended."
    it = "it" if len(running) == 1 else "them"
    lines = [
        f"{first} No workflow was started or ended.{asked}",
        f"Do not clear {it} by yourself: ask the user whether to finish {' + '.join(running)} first or to give {it} up."
        " Only if the user gives up:",
    ]
    for mode in running:
        lines += commands.ways_to_clear(mode)
    rest = [mode for mode in step.in_the_way if mode not in running]
    return [*lines, *(f"The prompt itself asks for {mode} too: name only one of the two." for mode in rest)]


def _exclude_each_other(step: Step) -> str:
    others = " + ".join(step.in_the_way)
    return f"Cannot activate {step.requested} beside {others}: this prompt asks for both, and they exclude each other."


def _typed_for(news: PromptNews, mode: str) -> str:
    return next((typed for typed, named in news.tokens if named == mode), "")


def unreadable(path: str, why: str, mode: str, commands: Commands) -> str:
    return f"{path} {CANNOT_BE_READ} ({clean(why, 80)}) and was left as it is. To clear it: {commands.clear(mode)}"


def unreadable_denial(news: PromptNews, commands: Commands) -> list[str]:
    wanted = " + ".join(step.requested for step in news.plan.steps)
    first = (
        f"Cannot activate {wanted}: a state file cannot be read, so what is active is not known."
        " No workflow was started or ended."
    )
    lines = [first]
    for path, why, mode in news.unreadable:
        lines += [unreadable(path, why, mode, commands), *commands.ways_to_clear(mode)[1:]]
    return lines


def unanswered(news: PromptNews) -> str:
    """A reply that could not be recorded, for the agent."""
    files = "; ".join(f"{path} {CANNOT_BE_READ} ({clean(why, 80)})" for path, why, _ in news.unanswered)
    return (
        f"[rcs] the user's reply to an open question could not be recorded: {files}. Nothing was changed and the "
        "question stays open: ask the user to send the reply again once the file can be read."
    )


def prompt_notice(news: PromptNews, commands: Commands) -> str:
    """What the person is told: one line about what the prompt has changed; empty where it has changed nothing."""
    if news.unanswered:
        said = _unanswered_notice(news, commands)
    elif news.plan.denied:
        said = [_denial_notice(news, news.plan.denied)]
    elif news.unreadable and news.plan.steps:
        wanted = " + ".join(step.requested for step in news.plan.steps)
        said = [f"nothing was started: {wanted} was asked for", *_broken(news, commands)]
    else:
        said = [*_moved(news), *_broken(news, commands)]
    said += [_question_notice(question) for question in news.still_open]
    return fit([f"rcs: {'; '.join(said)}"], SYSTEM_LENGTH) if said else ""


def _broken(news: PromptNews, commands: Commands) -> list[str]:
    return [unreadable(path, why, mode, commands) for path, why, mode in news.unreadable]


def _unanswered_notice(news: PromptNews, commands: Commands) -> list[str]:
    path, why, mode = news.unanswered[0]
    give_up = f"give the run up: {commands.clear(mode)}" if mode else "type `$cancel` to give the run up"
    return [
        f"your reply was not recorded and nothing was changed: {path} {CANNOT_BE_READ} ({clean(why, 80)})",
        f"send it again once the file can be read, or {give_up}",
    ]


def _denial_notice(news: PromptNews, step: Step) -> str:
    """Offers the person what the person can type."""
    running = _in_the_way(news.plan, step)
    if not running:
        return f"{_exclude_each_other(step)} Nothing was started: name only one of them."
    active = [mode for mode in step.before if mode in news.plan.before]
    typed = clean(_typed_for(news, step.requested)) or f"${step.requested}"
    return (
        f"Cannot activate {step.requested} while {' + '.join(active)} is still active. Nothing was started. Finish "
        f"{' + '.join(running)} first, or type `$cancel {typed}` to end all that runs here and start {step.requested}."
    )


def _moved(news: PromptNews) -> list[str]:
    """What a prompt has ended, handed over, started and put off, and what waits for the person to name it."""
    plan, taken_up, said = news.plan, dict(news.resumed), []
    if plan.cancels and plan.before:
        said.append(f"{' + '.join(plan.before)} cancelled ({_going_on(plan.before)})")
    for step in plan.steps:
        typed = _typed_for(news, step.requested)
        name = step.requested if typed[1:].lower() in ("", step.requested) else f"{step.requested} ({clean(typed)})"
        if step.requested in taken_up:
            name += f" taken up where it stopped ({taken_up[step.requested]})"
        if step.completes:
            said.append(f"{' + '.join(step.completes)} handed over to {name}")
        elif step.kind != NO_CHANGE:
            said.append(name if step.requested in taken_up else f"{name} started")
    if plan.deferred:
        said.append(f"{_dollars(plan.deferred)} can be typed once {plan.source} has ended")
    if news.offered:
        said.append(f"{news.offered_by or 'the planning'} has ended: type {_dollars(news.offered)} to go on")
    said += [f'your reply counts as "{clean(reply.chosen)}"' for reply in news.answered if reply.chosen]
    return said


def _going_on(modes: Sequence[str]) -> str:
    """How a run that was cancelled is taken up again."""
    return f"{_dollars(modes)} goes on where it stopped" if len(modes) == 1 else "each goes on, named again"


def _dollars(modes: Sequence[str]) -> str:
    return " ".join(f"${mode}" for mode in modes)


def _question_notice(question: StillOpen) -> str:
    wait = "waits" if len(question.modes) == 1 else "wait"
    asked = (
        f'{" + ".join(question.modes)} still {wait} for your answer to "{clean(question.question, QUESTION_LENGTH)}"'
    )
    return f"{asked} (this prompt was typed before it was asked)" if question.why == EARLY else asked


def asked_already(mode: str, question: str, name: str) -> str:
    """Why a second question of a mode is refused."""
    return (
        f'{mode} waits for the answer to "{clean(question, QUESTION_LENGTH)}" ({name}) already; nothing was recorded. '
        "End the turn: the next prompt is the answer, and then another question can be asked."
    )


def _member(member: Member) -> str:
    shown = f"phase {word(member.phase)}"
    if member.iteration is not None and member.max_iterations is not None:
        shown += f", iteration {member.iteration} of {member.max_iterations}"
    return f"{member.mode} ({shown})"


def stop_reason(decision: Decision, commands: Commands, softener: str | None, broken: Sequence[str] = ()) -> str:
    """Tell the agent why the run goes on."""
    if decision.why == QUESTION:
        return fit([_unrecorded_question(decision, commands), *broken], REASON_LENGTH)
    modes = [member.mode for member in decision.members]
    names = " + ".join(_member(member) for member in decision.members)
    is_are = "is" if len(modes) == 1 else "are"
    first = (
        f"[rcs] {names} {is_are} still running: no outcome is recorded. Go on with the work. When it is over, record it"
        " (finished, blocked, failed or userinterlude) and stop again:"
    )
    offer = f'Your last message offers "{clean(softener, 60)}": decide it yourself, or ask one blocking question.'
    rest = [*_way_out(decision, commands), HANDOFF, *([offer] if softener else [])]
    write = [commands.write(mode, "--outcome", "finished") for mode in modes]
    ask = f"If only the user can unblock it: {commands.ask(modes[0])}"
    # Where many modes have long names, what does not fit is left out from the end.
    lines = [first, *write, *rest, ask] if len(modes) <= MOST_COMMANDS else [first, *rest, *write, ask]
    return fit([*lines, *broken], REASON_LENGTH)


def _unrecorded_question(decision: Decision, commands: Commands) -> str:
    (member,) = decision.members
    return (
        f"[rcs] {_member(member)} still runs, and your message asks the user a question that is not recorded, so the"
        f" answer would reach no run. Record it, in the same words, and end the turn:\n{commands.ask(member.mode)}"
    )


def _way_out(decision: Decision, commands: Commands) -> list[str]:
    """What else the agent may do where it may rightly stop; it is told once."""
    if decision.why == BACKGROUND:
        return ["To wait for what runs in the background or for a set time, just end your turn: you are woken then."]
    if decision.why == SANDBOX:
        return _sandboxed(decision)
    if decision.why == WORKSPACE:
        mode = decision.members[0].mode
        return [
            "Its record is the workspace's and names no session: somebody else may have left it. If it is not the work"
            f" of this session, leave it, or ask the user to end it with `$cancel`, or: {commands.clear(mode)}"
        ]
    return []


def _sandboxed(decision: Decision) -> list[str]:
    (first, *_) = decision.members
    return [
        "Your commands run in a sandbox that may not write the state of this workspace. If this one fails, leave it:"
        f" tell the user that you cannot record how {first.mode} ended, and end your turn. They can type `$cancel`, or"
        " start Codex in the workspace's folder with `--sandbox workspace-write`."
    ]


def let_go(decision: Decision, broken: Sequence[str] = ()) -> str:
    """Tell the person why a running workflow was let stop all the same."""
    what_to_type = CANCEL_ENDS_IT if decision.why in (BACKGROUND, WORKSPACE) else GO_ON_OR_CANCEL
    first = f"rcs: {_names_of(decision)} {_why_let_go(decision)} {what_to_type}"
    return fit([first, *broken], SYSTEM_LENGTH)


def _names_of(decision: Decision) -> str:
    members = decision.members
    return " + ".join(_member(each) if len(members) <= MOST_COMMANDS else each.mode for each in members)


def _why_let_go(decision: Decision) -> str:
    count = decision.counted
    kept = "so the turn ends; its work is kept."
    if decision.why == OLD:
        return "is still open here, and nothing has touched it for a day, so the turn ends."
    if decision.why == BACKGROUND:
        return "waits for what runs in the background."
    if decision.why == SANDBOX:
        return (
            "cannot be ended by the agent, whose sandbox may not write the state here, so the turn ends;"
            " start Codex with `--sandbox workspace-write` in the workspace's folder to let it."
        )
    if decision.why == WORKSPACE:
        return "is recorded in this workspace for no session, so it holds no turn any longer."
    if decision.why == ITERATIONS:
        return f"has reached its last iteration without an outcome, {kept}"
    if decision.why == LOST:
        return f"was continued before, but how often is not known any more, {kept}"
    if decision.why == TOO_MANY and count.of_prompt:
        return f"was continued {_times(count.of_prompt)} for one prompt, which is the limit, {kept}"
    if count.in_a_row:
        return f"was continued {_times(count.in_a_row)} and recorded no progress, {kept}"
    return f"has no outcome yet, but the settings allow no continuation, {kept}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def failure(event: str, why: str) -> str:
    """A hook that could not do its work says so to the person, and lets everything pass."""
    passed = {
        "UserPromptSubmit": "the prompt went through and no workflow was changed",
        "Stop": "the turn may end",
    }
    return f"rcs: {clean(why, 400)}; {passed.get(event, 'nothing was done')}."


def no_session(tokens: Sequence[tuple[str, str]], session: str) -> str:
    shown = f'"{clean(session, 60)}"' if session else "missing"
    return (
        f"rcs: {_names(tokens)} started nothing: the session id is {shown}, and state is only kept for ids of letters,"
        " digits, - and _, 128 at most."
    )


def mentioned(tokens: Sequence[Token]) -> str:
    """What the person is told of tokens that start nothing."""
    first = tokens[0]
    if first.meant:
        begin = f"Begin a prompt with {first.meant} to start {first.meant[1:]}."
        return f"rcs: {clean(first.typed)} is no skill. Did you mean {first.meant}? {begin}"
    typed = list(dict.fromkeys(clean(token.typed) for token in tokens if not token.meant))[:3]
    names, them = ", ".join(typed), "it" if len(typed) == 1 else "them"
    was = "was" if len(typed) == 1 else "were"
    return (
        f"rcs: {names} {was} read as a mention ({first.passed_over}), so nothing was started."
        f" To start {them}, begin a prompt with {' '.join(typed)} and a blank."
    )


def question_to_say(text: str, options: Sequence[str]) -> str:
    """What the agent tells the person after it has recorded a blocking question."""
    numbered = [f"{number} {clean(option, LONGEST_QUESTION)}" for number, option in enumerate(options, 1)]
    choices = f" Options: {' | '.join(numbered)}." if options else ""
    shown = clean(text, LONGEST_QUESTION)
    return f'Ask the user now, in these words, and end the turn: "{shown}"{choices} The next prompt is the answer.'


def allow_commands(commands: Commands) -> str:
    """Tell the person how Claude Code comes to run our commands without asking."""
    rule = f"Bash({commands.rcs} state:*)"
    said = f"rcs: Claude Code asks you before each command that records state. To allow them: /permissions, add {rule}"
    return fit([f"{said}, and the same with question, emit and task."], SYSTEM_LENGTH)


def session_start(active: Sequence[tuple[str, object, bool]], commands: Commands) -> str:
    """What a session that starts or is taken up again has running: mode, phase, and whether it waits for the user."""
    shown = (
        f"{mode} (phase {word(phase)}{', waiting for the user' if waits else ''})" for mode, phase, waits in active
    )
    first = f"[rcs] active in this session: {' + '.join(shown)}."
    others = f" (the same for {', '.join(mode for mode, *_ in active[1:])})" if len(active) > 1 else ""
    return fit(
        [first, f"The outcome is recorded with{others}: {commands.write(active[0][0], '--outcome', 'finished')}"], 700
    )
