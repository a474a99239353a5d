"""The proof of a run: a command that `rcs prove` ran and what came of it; whether it still holds; what people read.

Rules of this file:
- A record may come with a repository, and any field of it may hold anything. Reading never fails, and everything that
  is read is bounded. A record that claims more than its own proof shows counts as unproven.
- The verdict is decided when `finished` is written, or the proof itself; everyone else reads the stored one.
- Only execution-like modes are proven. For others no word says so: `words_for` and `is_judged` know it.
"""

from __future__ import annotations

from rcs_hooks.text import LOST, clean
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.catalog import ModeDef
    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.workflow.mode_record import ModeRecord

PROVEN, STALE, UNPROVEN = "proven", "stale", "unproven"
VERDICTS = (PROVEN, STALE, UNPROVEN)
PASSED, NOTHING = "passed", "proved nothing"
FIELD = "proof"
"""The field of a record that holds its proof and the verdict."""
COMMAND_LENGTH = 2_000
COMMAND_SHOWN = 80
WHY_LENGTH = 160
NAME_LENGTH = 200
MOST_CHANGED = 20
MOST_SECONDS = 10.0**8
LARGEST_EXIT = 255
TIME_LENGTH = 40
TREE_LENGTH = 80
TREE_KINDS = ("git:", "files:")
OUTPUT_SUFFIX = ".txt"
OUTPUT_LENGTH = 80
FOLDER_LENGTH = 200


class Proof(NamedTuple):
    """A command that was run to prove a run, and what came of it."""

    command: str
    """The command as a shell reads it, perhaps on several lines; whoever shows it has to clean it."""
    exit: int
    seconds: float
    at: str
    """When the command ended."""
    tree: str
    """The fingerprint of the work tree after it; empty if there is none."""
    changed: tuple[str, ...] = ()
    """The tracked files that the command changed; not cleaned."""
    output: str = ""
    """The name of the file in `proofs/` that has the end of its output; empty if there is none."""
    timed_out: bool = False
    folder: str = ""
    """The folder in which it ran, relative to the workspace, empty for the workspace itself; not cleaned."""

    @property
    def passed(self) -> bool:
        """Tell whether the command ended well and changed no tracked file."""
        return self.exit == 0 and not self.timed_out and not self.changed

    @property
    def result(self) -> str:
        """Return what came of the command, as it goes on from it: `passed`, `failed (exit 1)`, `timed out`."""
        return result_of(self.exit, self.changed, timed_out=self.timed_out)

    @property
    def where(self) -> str:
        """Return ` in FOLDER` as it goes on from the command; empty where it ran in the workspace itself."""
        return _where(self.folder)

    @classmethod
    def from_json(cls, value: object) -> Proof | None:
        """Return the proof in a record's field of any content, bounded; None if there is no proof in it."""
        found = value if isinstance(value, dict) else {}
        command, code = _command(found.get("command")), found.get("exit")
        if not command or not isinstance(code, int) or isinstance(code, bool) or not 0 <= code <= LARGEST_EXIT:
            return None
        changed = found.get("changed")
        names = changed if isinstance(changed, list) else []
        return cls(
            command,
            code,
            _seconds(found.get("seconds")),
            clean(found.get("at"), TIME_LENGTH),
            _tree(found.get("tree")),
            tuple(name[:NAME_LENGTH] for name in names[:MOST_CHANGED] if isinstance(name, str)),
            output_name(found.get("output")),
            found.get("timed_out") is True,
            _folder(found.get("folder")),
        )

    def to_json(self) -> JsonObject:
        """Return the fields of a record's `proof`, without the verdict."""
        fields: JsonObject = {
            "command": _command(self.command),
            "exit": self.exit,
            "seconds": round(self.seconds, 3),
            "at": self.at,
            "tree": self.tree,
            "changed": [name[:NAME_LENGTH] for name in self.changed[:MOST_CHANGED]],
            "output": self.output,
            "timed_out": self.timed_out,
        }
        return {**fields, "folder": _folder(self.folder)} if self.folder else fields


class ProofStatus(NamedTuple):
    """The stored verdict on a run, and the proof on which it rests. All texts but `line` are cleaned."""

    state: str
    command: str = ""
    """The command of the newest proof, cleaned and at most 80 characters long; empty if there is none."""
    exit: int | None = None
    at: str = ""
    """When the command ended; empty if there is no proof."""
    judged_at: str = ""
    """When the verdict was decided; empty if none was."""
    why: str = ""
    """Why the run is unproven, such as `failed (exit 1)`: it goes on from the command. Empty otherwise."""
    line: str = ""
    """The command as a shell reads it, for whoever offers it again; not cleaned."""
    folder: str = ""
    """The folder in which it ran, where that is not the workspace itself."""

    @property
    def ran(self) -> str:
        """Return the command as words show it: `pytest -q`, between backticks, with the folder in which it ran."""
        return f"`{self.command}`{_where(self.folder)}"

    @property
    def result(self) -> str:
        """Return what came of the command, whatever has changed since; `proved nothing` if nobody has judged it."""
        return self.why or (NOTHING if self.state == UNPROVEN else PASSED)

    def to_json(self) -> JsonObject:
        """Return the four keys that other programs rely on."""
        return {"state": self.state, "command": self.command, "exit": self.exit, "at": self.at}


def result_of(code: int | None, changed: Sequence[str] = (), *, timed_out: bool = False) -> str:
    """Return what came of a command, for every surface. `code`: its exit status; None if it is unknown and failed."""
    if timed_out:
        return "timed out"
    if code is None:
        return "failed" if not changed else _changed(changed)
    if code:
        return f"failed (exit {code})"
    return _changed(changed) if changed else PASSED


def _changed(names: Sequence[str]) -> str:
    others = len(names) - 1
    return f"changed {clean(names[0], COMMAND_SHOWN)}{f' and {others} more' if others else ''}"


def verdict(proof: Proof | None, tree: str | None) -> str:
    """Return whether a proof holds for a work tree: PROVEN, STALE or UNPROVEN.

    `proof`: the newest one of the run; None if it has none. `tree`: the fingerprint of the work tree as it is; None if
    it could not be taken.
    """
    if proof is None or not proof.passed or not proof.tree or not tree:
        return UNPROVEN
    return PROVEN if proof.tree == tree else STALE


def judged(proof: Proof | None, state: str, *, at: str, why: str = "") -> JsonObject:
    """Return the field `proof` of a record for a proof and the verdict on it.

    `why`: why a proof that passed does not count, as it goes on from the command: `is not the command that rcs.toml
    names`.
    """
    fields = {**(proof.to_json() if proof else {}), "state": state, "judged_at": at}
    return {**fields, "why": clean(why, WHY_LENGTH)} if why else fields


def status_of(record: ModeRecord) -> ProofStatus:
    """Return the stored verdict on a run: what every surface shows."""
    found = record.get(FIELD)
    fields = found if isinstance(found, dict) else {}
    proof = Proof.from_json(fields)
    judged_at = clean(fields.get("judged_at"), TIME_LENGTH)
    if proof is None:
        return ProofStatus(UNPROVEN, judged_at=judged_at)
    stored = fields.get("state")
    state = stored if proof.passed and proof.tree and stored in (PROVEN, STALE) else UNPROVEN
    why = clean(fields.get("why"), WHY_LENGTH) if proof.passed else proof.result
    why = why if state == UNPROVEN else ""
    folder = _folder_shown(proof.folder)
    return ProofStatus(str(state), _shown(proof.command), proof.exit, proof.at, judged_at, why, proof.command, folder)


def words_of(status: ProofStatus) -> str:
    """Return the verdict in words, without the outcome: `proven by …`, `stale: …`, `unproven`. One line, cleaned.

    The short form is `status.state`.
    """
    if status.state == PROVEN:
        return f"{PROVEN} by {status.ran}"
    if status.state == STALE:
        return f"{STALE}: files have changed since {status.ran} passed"
    return f"{UNPROVEN}: {status.ran} {status.why}" if status.command and status.why else UNPROVEN


def is_judged(mode: ModeDef, record: ModeRecord) -> bool:
    """Tell whether words about a proof are due for a run: it has finished its work, which is more than a plan."""
    from rcs_hooks.workflow.lifecycle import FINISHED, outcome_of

    has_handed_over = isinstance(record.get("transition_target_mode"), str)
    return not mode.is_planning and outcome_of(record).word == FINISHED and not has_handed_over


def words_for(mode: ModeDef, record: ModeRecord) -> str:
    """Return the verdict on a finished run in words; empty where none is due, as for a planning mode."""
    return words_of(status_of(record)) if is_judged(mode, record) else ""


def _command(value: object) -> str:
    """Return a command as it was typed, bounded; empty if it is none. `LOST` is in place of control characters.

    A line break stays, as it may end a command: without it, the text would be another command.
    """
    text = value.strip()[:COMMAND_LENGTH] if isinstance(value, str) else ""
    return "".join(char if char.isprintable() or char in "\n\t" else LOST for char in text).strip()


def _folder(value: object) -> str:
    text = value[:FOLDER_LENGTH] if isinstance(value, str) else ""
    return "".join(char if char.isprintable() else LOST for char in text)


def _where(folder: str) -> str:
    return f" in {_folder_shown(folder)}" if folder else ""


def _folder_shown(folder: str) -> str:
    return clean(folder).replace("`", "'")


def _shown(command: str) -> str:
    return clean(command, COMMAND_SHOWN).replace("`", "'")


def _seconds(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return 0.0
    return float(value) if 0 <= value <= MOST_SECONDS else 0.0


def _tree(value: object) -> str:
    is_tree = isinstance(value, str) and len(value) <= TREE_LENGTH and value.startswith(TREE_KINDS)
    return str(value) if is_tree and str(value).isascii() and str(value).isprintable() else ""


def output_name(value: object) -> str:
    """Return the name of a file of ours in `proofs/`; empty for anything else, such as a path."""
    name = value if isinstance(value, str) and len(value) <= OUTPUT_LENGTH else ""
    stem = name.removesuffix(OUTPUT_SUFFIX)
    is_ours = name != stem and stem.isascii() and stem.replace("-", "").isalnum()
    return name if is_ours else ""
