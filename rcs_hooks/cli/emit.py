"""`rcs emit`: an agent reports a step or an artifact of a run.

Called at every step of every agent, so a plain command line is read without argparse, whose import alone costs three
quarters of starting Python; argparse explains every other command line.
"""

from rcs_hooks import jsontext
from rcs_hooks.cli import output
from rcs_hooks.environment import real_environment
from rcs_hooks.errors import Malformed, RcsError, SystemFailure, UsageError
from rcs_hooks.interface import EMIT
from rcs_hooks.runs.emit import Receipt, emit, error_as_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Any

    Record = dict[str, Any]

NAMES = {each.option: each.name for each in EMIT.arguments}


def build() -> "argparse.ArgumentParser":
    from rcs_hooks.cli import options

    parser = options.parser(
        "emit",
        "Report a step or an artifact of a run. A step is checked against the workflow's own state diagram; what is "
        "refused is not stored.",
        """rcs emit --type status_change --workflow build --run-id ID \\
      --step requirements --data '{"status": "running"}'""",
        """rcs emit --type status_change --workflow build --run-id ID \\
      --step building --unit T1 --data '{"status": "running"}'""",
        """rcs emit --type artifact_registered --workflow build --run-id ID \\
      --step design --data '{"path": "docs/design.md"}'""",
    )
    options.add(parser, *EMIT.arguments)
    options.add_json(parser)
    return parser


def run(argv: "Sequence[str]") -> int:
    request = _plain(argv) or vars(build().parse_args(argv))
    as_json = bool(request.pop("json", False))
    try:
        receipt = emit(request, real_environment())
    except RcsError as error:
        return _refused(error, request, as_json=as_json)
    except OSError as error:
        return _refused(SystemFailure(error), request, as_json=as_json)
    if receipt.note:
        output.refused(f"rcs: {receipt.note}")
    output.text(jsontext.dumps_line(receipt.as_json) if as_json else _words(receipt, request))
    return output.OK


def _plain(argv: "Sequence[str]") -> "Record | None":
    """Return the options of a plain command line; None if argparse must read it, for help or an error."""
    request: Record = {}
    words = iter(argv)
    for word in words:
        option, equals, value = word.partition("=")
        if word == "--json":
            request["json"] = True
            continue
        if option not in NAMES:
            return None
        value = value if equals else next(words, "-")
        if not equals and value.startswith("-"):
            return None
        request[NAMES[option]] = value
    return request


def _refused(error: RcsError, request: "Record", *, as_json: bool) -> int:
    refusal: Record = error_as_json(error, request)
    if isinstance(error, Malformed):
        meant = f"; did you mean {error.did_you_mean}?" if error.did_you_mean else ""
        refusal |= {"code": UsageError.code, "message": f"{error}{meant}"}
        output.refused(jsontext.dumps_line(refusal) if as_json else f"rcs: {error}{meant}")
        return output.USAGE
    return output.refused(jsontext.dumps_line(refusal) if as_json else refusal["message"])


def _words(receipt: Receipt, request: "Record") -> str:
    stored: Record = receipt.as_json
    what = stored["step"] or request["type"]
    before = stored["completed_predecessors"]
    done = f"; completed {', '.join(before)}" if before else ""
    return f"{stored['run_id']} {stored['seq']}: {what}{done}; the run is {stored['run_status']}"
