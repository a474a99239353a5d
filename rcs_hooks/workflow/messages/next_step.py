"""Words the next step of a run: what the phase asks, and each way out with its command."""

from __future__ import annotations

from rcs_hooks.text import quoted
from rcs_hooks.tuples import NamedTuple
from rcs_hooks.workflow.commands import ASK, BY_NAME, Proving
from rcs_hooks.workflow.messages.lines import FIRST, KEEP, LAST, LATE, LATER, SOONER, Line
from rcs_hooks.workflow.next_step import GIVE_UP, OUT_OF_ROUNDS, RECORD_PHASE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.workflow.commands import Commands
    from rcs_hooks.workflow.next_step import NextStep

MOST_ASKING = 2
"""Of more runs than these, what some ask may be left out."""
MOST_WAYS = 4
"""More ways than these are shown without their commands: only a machine of one's own has so many."""


BY_SETTINGS = " (the settings name the command)"
"""Why the command of a proof has nothing after `--`, for an agent that has read in a skill that it has."""


class SharedWay(NamedTuple):
    """A way out that one write takes for one mode, or for several at once."""

    modes: tuple[str, ...]
    event: str
    options: tuple[str, ...]
    commands: Commands
    phase: str
    """The phase that it leads out of."""
    leads_on: bool
    proof: Proving | None
    """The command whose pass takes it; None if a write does."""

    @property
    def command(self) -> str:
        modes = ",".join(self.modes)
        if self.proof:
            return self.commands.prove(modes, self.proof.command)
        return self.commands.write(modes, *self.options)

    def differs_by(self, other: SharedWay) -> str:
        """Return the options by which the command differs from that of another way."""
        mode = [] if self.modes == other.modes else ["--mode", ",".join(self.modes)]
        return " ".join(map(quoted, (*mode, *self.options)))


def position(step: NextStep, *, of_most: bool = False) -> str:
    """Return where a run is, and why it is there again: `verifying, round 2, since cause is repaired`.

    `of_most`: with the number of rounds that the run may have.
    """
    shown = step.phase
    if step.round:
        most = f" of {step.most_rounds}" if of_most and step.most_rounds else ""
        shown += f", round {step.round}{most}{' (the last)' if step.is_last_round else ''}"
    return f"{shown}, since {_event(step, step.because)}" if step.because else shown


def asks(steps: Sequence[NextStep]) -> list[Line]:
    """Return what the phases ask, in a line for each run that asks something."""
    shorter = ("",) if len(steps) > MOST_ASKING else ()
    alone = len(steps) == 1
    return [
        Line.of(f"{_whose(step, alone=alone)}{text}", *shorter, when=LAST if shorter else KEEP)
        for step in steps
        if (text := asked(step))
    ]


def asked(step: NextStep) -> str:
    """Return what the phase of a run asks, with the verdict that stands against it; empty if it asks nothing."""
    if not step.knows_phase:
        known = ", ".join(step.phases)
        return f"That is not a phase of {step.mode} ({known}); record the one that you are in." if known else ""
    text = f'the project\'s skill says "{step.asks}"' if step.is_of_project and step.asks else step.asks
    if step.verdict and not step.verdict_is_old:
        proof = "; prove it now, and review again after any edit" if step.can_finish else ""
        return f"The verdict of this review is {step.verdict}{proof}"
    return f"{text}. The last review was {step.verdict}" if text and step.verdict else text


def _event(step: NextStep, event: str) -> str:
    """Return an event as it is shown: in quotation marks where it is a project's word, and not ours or the person's."""
    return f'"{event}"' if event and step.is_of_project and event not in (OUT_OF_ROUNDS, RECORD_PHASE) else event


def _whose(step: NextStep, *, alone: bool) -> str:
    return "Now: " if alone else f"{step.mode}: "


def ways(steps: Sequence[NextStep]) -> Line:
    """Return the ways out, each with its command.

    In the shorter forms fewer writes have theirs. Each proof has it, in the shortest form with a placeholder.
    """
    found = shared_ways(steps)
    if not found:
        return Line.of("")
    proofs, writes = [[way for way in found if bool(way.proof) is is_proof] for is_proof in (True, False)]
    counts = range(min(len(writes), MOST_WAYS), 0, -1) if writes else [0]
    forms = [_form(writes[:count], writes[count:], proofs) for count in counts]
    if proofs:
        forms.append(_after_proofs(proofs, writes))
        proofs = [way._replace(proof=way.proof if way.proof == BY_NAME else Proving()) for way in proofs]
        forms.append(_after_proofs(proofs, writes))
        forms.append(_after_proofs(proofs, [way for way in writes if way.event != RECORD_PHASE]))
    return Line.of(*dict.fromkeys(forms), when=LAST)


def _form(whole: Sequence[SharedWay], rest: Sequence[SharedWay], proofs: Sequence[SharedWay]) -> str:
    """Return the ways in lines, those in `rest` by what tells their command from the last one in `whole`."""
    shown = "; ".join(f"{_when(way)}: {way.differs_by(whole[-1])}" for way in rest)
    return "\n".join(
        [
            *(f"{_when(way)}: {way.command}" for way in whole),
            *([f"The same with other options: {shown}"] if rest else []),
            *(f"{_when(way)}: {way.command}" for way in proofs),
        ]
    )


def _after_proofs(proofs: Sequence[SharedWay], writes: Sequence[SharedWay]) -> str:
    """Return the ways in lines, the writes by what is not in the command of the last proof."""
    lines = [f"{_when(way)}: {way.command}" for way in proofs]
    lines += [f"{_when(way)}: state write {way.differs_by(proofs[-1])}, rest as above" for way in writes]
    return "\n".join(lines)


def shared_ways(steps: Sequence[NextStep]) -> list[SharedWay]:
    """Return the ways out of all runs; a way that several runs in one phase have is one, which one write takes.

    Ways back are one only if the same event leads back: forward, both events must have happened, back either is enough.
    The settings are those of the workspace: where one run is known to be proven by the command that they name, all are.
    """
    found: list[SharedWay] = []
    by_name = BY_NAME if any(way.proof == BY_NAME for step in steps for way in step.ways) else None
    for step in steps:
        for way in step.ways:
            proof = way.proof and (by_name or way.proof)
            one = SharedWay(
                (step.mode,), _event(step, way.event), way.options, step.commands, step.phase, way.leads_on, proof
            )
            at = next((at for at, each in enumerate(found) if _is_same(each, one)), None)
            if at is None:
                found.append(one)
            else:
                same = found[at]
                event = " and ".join(dict.fromkeys(filter(None, (same.event, one.event))))
                found[at] = same._replace(modes=(*same.modes, step.mode), event=event)
    return found


def _is_same(one: SharedWay, other: SharedWay) -> bool:
    """Tell whether two runs go the same way by one write: out of the same phase, and for reasons that go together."""
    goes_together = one.event == other.event or (one.leads_on and other.leads_on)
    return goes_together and _command_of(one) == _command_of(other)


def _command_of(way: SharedWay) -> tuple[object, ...]:
    return way.phase, way.options, way.proof, way.commands


def _when(way: SharedWay) -> str:
    if way.proof:
        note = BY_SETTINGS if way.proof == BY_NAME else way.proof.where
        return f"{way.event or 'done'}{note}"
    return way.event or ("done" if way.options[0] == "--outcome" else "then")


def other_ends(steps: Sequence[NextStep]) -> Line:
    """Return the line about the outcomes that every phase allows, by the options of a write that is shown above it.

    It has a command of its own, and never falls away, where only proofs are shown.
    """
    found = shared_ways(steps)
    writes = [way for way in found if not way.proof]
    if found and not writes:
        give_up = found[0]._replace(options=GIVE_UP, proof=None)
        return Line.of(
            f"Or --outcome failed or blocked, or userinterlude if the user stopped it: {give_up.command}",
            f"Or, with any outcome: {give_up.command}",
            when=FIRST,
        )
    full, short = ("Or, with state write:",) * 2 if len(writes) < len(found) else ("Or, in place of these:", "Or")
    return Line.of(
        f"{full} --outcome blocked or failed with --reason WHY; userinterlude if the user stopped it.",
        f"{short} --outcome blocked, failed (--reason WHY), userinterlude.",
        when=FIRST,
    )


def outcomes(steps: Sequence[NextStep]) -> Line:
    """Return the line about how the runs end, whatever their phases."""
    planning, executing = [[step for step in steps if step.is_planning is is_planning] for is_planning in (True, False)]
    named = bool(planning and executing)
    finished = f"finished{_from(planning, named=named)}, " if planning else ""
    proof = f"`prove --finish`{_from(executing, named=named)}" if executing else ""
    full = f"{proof}, or by an outcome" if proof else "an outcome"
    short = f"{proof}, or --outcome" if proof else "--outcome"
    forms = (
        f"A run ends by {full} in place of --phase: --outcome {finished}blocked or failed with --reason WHY,"
        " userinterlude if the user stopped it.",
        f"It ends by {short} {finished}blocked or failed (--reason WHY), userinterlude (the user stopped it).",
        f"It ends by {short} {finished}blocked, failed or userinterlude.",
    )
    is_said_by_ways = all(step.phase in step.finishes_from or step.is_interview for step in steps)
    return Line.of(*forms, *([""] if is_said_by_ways else []), when=SOONER)


def _from(steps: Sequence[NextStep], *, named: bool) -> str:
    """Return from which phases runs finish, and if `named` which runs; empty if nothing names the phases."""
    modes = [step.mode for step in steps] if named else []
    phases = dict.fromkeys(phase for step in steps for phase in step.finishes_from)
    shown = [*modes, f"from {', '.join(phases)}"] if phases else modes
    return f" ({', '.join(shown)})" if shown else ""


def question(step: NextStep, *, again: bool = False) -> Line:
    """Return the line with the command that asks the user a blocking question.

    The shorter form leaves out what other commands show. It never falls away, unless the agent is told it `again`.
    """
    is_due = step.is_interview and step.phase not in step.finishes_from
    when = "Ask the user" if is_due else "Only the user can decide"
    full, short = f"{when}: {step.commands.ask(step.mode)}", f"To ask the user: {ASK}, rest as above"
    may_go = again and not is_due
    return Line.of(full, short, *([""] if may_go else []), when=LATER if may_go else LATE)
