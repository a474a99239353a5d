"""`rcs emit`: an agent reports a step or an artifact of a run.

Called at every step of every agent, so its plain command line is read without argparse, which alone is three
quarters of a bare interpreter; argparse has the words for every other.
"""

from rcs_hooks import jsontext
from rcs_hooks.cli import output
from rcs_hooks.errors import RcsError
from rcs_hooks.runs import around
from rcs_hooks.runs.emit import Receipt, emit
from rcs_hooks.runs.report import error_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Any

OPTIONS = {
    "--type": ("type", "TYPE", "status_change or artifact_registered"),
    "--workflow": ("workflow", "NAME", "the workflow that the run belongs to"),
    "--run-id": ("run_id", "ID", "the run; a UUID, made when the workflow starts"),
    "--step": ("step", "STATE", "a state of the workflow, or AGENT:STATE"),
    "--unit": ("unit", "ID", "the task, where each has a state of its own"),
    "--data": ("data", "JSON", """an object, like '{"status": "running"}'"""),
    "--project": ("project", "FOLDER", "the project; else the workspace of this folder"),
    "--agent": ("agent", "NAME", "the agent whose state --step is"),
    "--file": ("file", "PATH", "the file with the diagram; else it is looked for by name"),
}


def build() -> "argparse.ArgumentParser":
    from rcs_hooks.cli import options

    parser = options.parser(
        "emit",
        "Reports a step or an artifact of a run. A step is checked against the workflow's own state diagram; what is "
        "refused is not stored.",
        """rcs emit --type status_change --workflow build --run-id ID --step requirements \\
      --data '{"status": "running"}'""",
        """rcs emit --type status_change --workflow build --run-id ID --step building --unit T1 \\
      --data '{"status": "running"}'""",
        """rcs emit --type artifact_registered --workflow build --run-id ID --step design \\
      --data '{"path": "docs/design.md"}'""",
    )
    for option, (name, shown, purpose) in OPTIONS.items():
        parser.add_argument(option, dest=name, metavar=shown, help=purpose)
    options.add_json(parser)
    return parser


def run(argv: "Sequence[str]") -> int:
    given = _plain(argv) or vars(build().parse_args(argv))
    as_json = bool(given.pop("json", False))
    try:
        receipt = emit(given, around.real())
    except RcsError as error:
        return _refused(error, given, as_json=as_json)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _refused(RcsError(f"{where}{(error.strerror or str(error)).lower()}"), given, as_json=as_json)
    if receipt.note:
        output.refused(f"rcs: {receipt.note}")
    output.text(jsontext.dumps_line(receipt.as_json) if as_json else _words(receipt, given))
    return output.OK


def _plain(argv: "Sequence[str]") -> "dict[str, Any] | None":
    """None for what argparse is to see: help, options that are not ours, a value that is missing."""
    given: dict[str, Any] = {}
    words = iter(argv)
    for word in words:
        option, equals, value = word.partition("=")
        if word == "--json":
            given["json"] = True
            continue
        if option not in OPTIONS:
            return None
        value = value if equals else next(words, "-")
        if not equals and value.startswith("-"):
            return None
        given[OPTIONS[option][0]] = value
    return given


def _refused(error: RcsError, given: "dict[str, Any]", *, as_json: bool) -> int:
    found = error_of(error, given)
    return output.refused(jsontext.dumps_line(found) if as_json else found["message"])


def _words(receipt: Receipt, given: "dict[str, Any]") -> str:
    said = receipt.as_json
    what = said["step"] or given["type"]
    done = f"; completed {', '.join(said['completed_predecessors'])}" if said["completed_predecessors"] else ""
    return f"{said['run_id']} {said['seq']}: {what}{done}; the run is {said['run_status']}"
