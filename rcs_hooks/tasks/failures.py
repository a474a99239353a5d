"""Describe a condition that does not hold, and the fixes that several guards offer. Pure."""

from __future__ import annotations

from typing import NamedTuple

from rcs_hooks.tasks.phases import COMMANDS, SCHEMA_NAMES, folder_of

MISSING = "missing"
REMOVE_IT = "remove it"


class GuardFailure(NamedTuple):
    """A condition of a guard that does not hold: where, what was found, what is needed, and how to fix it."""

    artifact: str
    field: str
    found: str
    needed: str
    fix: str

    @property
    def words(self) -> str:
        """Return `<artifact>[: <field>]: <found>, need <needed>`.

        `need` is left out for a missing artifact and for a sentence that says it all. A sentence that begins with a
        quoted value follows its field without a colon.
        """
        where = f"{self.artifact}: {self.field}" if self.field else self.artifact
        joint = " " if self.field and not self.needed and self.found.startswith('"') else ": "
        need = f", need {self.needed}" if self.needed and self.found != MISSING else ""
        return f"{where}{joint}{self.found}{need}"

    @property
    def as_json(self) -> dict[str, str]:
        return self._asdict()


Failures = tuple[GuardFailure, ...]


def fails(artifact: str, found: str, fix: str, *, field: str = "", needed: str = "") -> Failures:
    """Return one failure as `Failures`, for a guard that checks one thing."""
    return (GuardFailure(artifact, field, found, needed, fix),)


# --- what to do about a failure


def path_of(task: str, artifact: str) -> str:
    """Return the path of an artifact, relative to the workspace, as messages show it."""
    return f"{folder_of(task)}/{artifact}"


def write(task: str, artifact: str) -> str:
    """Return the fix that tells a person to write an artifact."""
    return f"write {path_of(task, artifact)}{_schema(artifact)}"


def correct(task: str, artifact: str) -> str:
    """Return the fix that tells a person to correct an artifact."""
    return f"correct {path_of(task, artifact)}{_schema(artifact)}"


def _schema(artifact: str) -> str:
    return f"; its schema: rcs task schema {SCHEMA_NAMES[artifact]}" if artifact in SCHEMA_NAMES else ""


def enter(task: str, target: str) -> str:
    """Return the command that enters the phase `target`."""
    return f"rcs task {COMMANDS[target]} {task}"


def write_and_collect(task: str) -> str:
    """Return the fix that tells a person to write the code, and names the command that takes the artifacts from git."""
    return f"write the code in the work tree, then: rcs task collect {task}"


def give_verdict(task: str, what: str) -> str:
    """Return the fix that names the command for the verdict of a review, `plan` or `code`, but no verdict."""
    command = f"rcs task review {what}"
    return f'review the {what}: {command} {task} --verdict WORD --reason "..."; the words: {command} --help'


def run_tests(task: str, command: str = "COMMAND") -> str:
    """Return the command that runs a command and writes the report of it."""
    return f"rcs task test {task} -- {command}"


def override(task: str, target: str | None = None, why: str = "reason") -> str:
    """Return the command that waives a guard; `why` stands for the reason that a person has to give."""
    to = f" --to {target}" if target else ""
    return f'rcs task next {task} --override "<{why}>"{to}'
