"""Judge the proof of a task as it comes to acceptance: the command that passed, and the work tree as it is now."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from rcs_hooks.errors import RcsError
from rcs_hooks.tasks import task_files
from rcs_hooks.tasks.phases import ACCEPT, DONE, REPORT, TEST
from rcs_hooks.tasks.state import REQUIRED_BY, REQUIRED_COMMAND
from rcs_hooks.text import clean
from rcs_hooks.workflow.commands import COMMAND, as_words

if TYPE_CHECKING:
    from rcs_hooks.config import ProofSettings
    from rcs_hooks.environment import Environment
    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.tasks.store import TaskStore

JUDGED = {TEST: ACCEPT, ACCEPT: DONE}
"""The moves at which a proof is judged: into acceptance, and out of it as accepted."""


def judge(store: TaskStore, target: str | None, environment: Environment) -> JsonObject | None:
    """Return the verdict for state.json; None where the task does not come to acceptance by going to `target`.

    `target`: None for wherever the task may go. Without a lock, as it takes its time in a large work tree.
    """
    try:
        phase = store.state().phase
        report = task_files.read_json(store.folder, REPORT)
    except (RcsError, OSError):  # who moves the task says what is wrong with it
        return None
    if phase not in JUDGED or target not in (None, JUDGED[phase]):
        return None
    return verdict_on(report if isinstance(report, dict) else {}, store, environment)


def verdict_on(report: JsonObject, store: TaskStore, environment: Environment, tree: str | None = None) -> JsonObject:
    """Return the verdict on a report for state.json. `tree`: the fingerprint of the work tree, if it was just taken."""
    from rcs_hooks import config
    from rcs_hooks.tasks import eval_report

    settings = config.load(environment.env, store.root).proof
    found = eval_report.proof_in(report, settings)
    why = ""
    if found.may_hold and tree is None:
        tree, why = _tree(store.root, environment)
    verdict = found.judged(tree, store.at, why)
    if settings.required:
        verdict |= {REQUIRED_BY: settings.required_by, REQUIRED_COMMAND: to_run(settings)}
    return verdict


def to_run(settings: ProofSettings) -> str:
    """Return the command of the settings as it follows `--`, in words that prove, whole; COMMAND if they name none."""
    from rcs_hooks import config

    if settings.command is None:
        return COMMAND
    try:
        is_words = config.proves(settings, shlex.split(settings.command))
    except ValueError:
        is_words = False
    return as_words(settings.command, is_words=is_words)


def _tree(root: str, environment: Environment) -> tuple[str | None, str]:
    from rcs_hooks.proof.tree import TreeFailure, fingerprint

    try:
        return fingerprint(root, environment.env).digest, ""
    except TreeFailure as failure:
        return None, f"cannot be compared: {clean(str(failure), 120)}"
