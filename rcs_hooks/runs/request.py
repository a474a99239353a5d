"""The request of an emit, held to its form. Pure; whether the run may do so is decided by `rules`.

What every caller must give, and in which form, is Malformed; a step and a path that cannot be are refused as others.
The order of the checks is the order in which faults are reported: type, run id, workflow, data, step, payload.
"""

from rcs_hooks import jsontext
from rcs_hooks.errors import Malformed, Rejected
from rcs_hooks.jsontext import JsonObject
from rcs_hooks.runs import messages
from rcs_hooks.runs.records import STEP_STATUSES
from rcs_hooks.runs.rules import nearest
from rcs_hooks.text import is_printable
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

STATUS_CHANGE, ARTIFACT = "status_change", "artifact_registered"
TYPES = (STATUS_CHANGE, ARTIFACT)

RUN_ID_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-")
NAME_LENGTH = 128
LARGEST_DATA = 256 * 1024
DEEPEST_DATA = 100
"""The deepest nesting that is allowed, far below the depth at which JSON can be read but not written again."""
RUN_ID_RULE = "letters, digits and . _ : - behind a letter or digit, 128 at most; a UUID is best"
NAME_RULE = "letters, digits and . _ - (128 at most) make a name"
TEXT_RULE = "printable text is needed, 128 letters at most"
PATH_RULE = "a path relative to the project is needed, without .."


class EmitRequest(NamedTuple):
    """One report of an agent: a step that changed its status, or an artifact."""

    type: str
    run_id: str
    workflow: str
    data: str
    """The JSON object of `--data`, as text."""
    agent: str | None
    step: str | None
    """The name of the step, without the agent that it may belong to."""
    unit: str | None
    feature: str | None
    status: str | None = None
    """The new status; None for an artifact."""
    path: str | None = None
    """The artifact, relative to the project; None for a change of status."""
    kind: str | None = None
    subflow: bool = False

    @property
    def is_step_level(self) -> bool:
        """Tell whether a step of the workflow itself is reported, and neither a unit nor an agent."""
        return self.type == STATUS_CHANGE and self.unit is None and self.agent is None

    @property
    def stored_step(self) -> str | None:
        """Return the step as it is stored: AGENT:STEP if it belongs to an agent; None if no step is named."""
        return f"{self.agent}:{self.step}" if self.agent and self.step else self.step


def parse_request(options: "Mapping[str, object]") -> EmitRequest:
    """Build a request from the options of a caller, given by name. Raises Rejected for the first fault."""
    type_ = _type(options.get("type"))
    run_id = _run_id(options.get("run_id"))
    workflow = _workflow(options.get("workflow"))
    data, payload = _payload(options.get("data"))
    agent, unit = _text("--agent", options.get("agent")), _text("--unit", options.get("unit"))
    if agent and not is_name(agent):
        raise Malformed(messages.not_a_name("--agent", agent, NAME_RULE))
    owner, step = _step(options.get("step"), agent, type_)
    request = EmitRequest(type_, run_id, workflow, data, owner, step, unit or None, feature=None)
    if type_ == STATUS_CHANGE:
        request = request._replace(status=_status(payload))
    else:
        path, kind = _path(payload), _optional(payload, "type")
        request = request._replace(path=path, kind=kind, subflow=_subflow(payload))
    return request._replace(feature=_optional(payload, "feature"))


def is_name(value: str) -> bool:
    """Tell whether a name is safe as the name of a folder: letters, digits, `.`, `_` and `-`, at most NAME_LENGTH."""
    letters = value.replace("-", "").replace("_", "").replace(".", "")
    return 0 < len(value) <= NAME_LENGTH and value[0] not in ".-" and letters.isalnum()


def _type(value: object) -> str:
    name = _text("--type", value)
    if not name:
        raise Malformed(messages.missing("--type", " or ".join(TYPES)))
    if name not in TYPES:
        raise Malformed(messages.not_one_of("--type", name, TYPES), did_you_mean=nearest(name, TYPES))
    return name


def _run_id(value: object) -> str:
    name = _text("--run-id", value)
    if not name:
        raise Malformed(messages.missing("--run-id", "UUID"))
    if not is_run_id(name):
        raise Malformed(messages.not_a_name("--run-id", name, RUN_ID_RULE))
    return name


def is_run_id(name: str) -> bool:
    """Tell whether a name can be the id of a run, by RUN_ID_RULE."""
    return 0 < len(name) <= NAME_LENGTH and name[0] not in "._:-" and RUN_ID_LETTERS.issuperset(name)


def _workflow(value: object) -> str:
    name = _text("--workflow", value)
    if not name:
        raise Malformed(messages.missing("--workflow", "NAME"))
    if not is_name(name):
        raise Malformed(messages.not_a_name("--workflow", name, NAME_RULE))
    return name


def _payload(value: object) -> tuple[str, JsonObject]:
    """Return the data of a request as text to be stored, and as an object. Raises Rejected."""
    if value is None or value == "":
        raise Malformed(messages.missing("--data", """'{"status": "running"}'"""))
    try:
        text = value.strip() if isinstance(value, str) else jsontext.dumps_line(value)
        text.encode()
        payload = jsontext.loads(text, writable=True)
    except (ValueError, TypeError, RecursionError) as error:
        raise Malformed(messages.not_an_object(str(error))) from None
    if not isinstance(payload, dict):
        raise Malformed(messages.not_an_object(f"{text[:40]!r} found"))
    if len(text) > LARGEST_DATA:
        raise Malformed(messages.too_much_data(f"{len(text)} characters", LARGEST_DATA))
    if _is_deeper(payload, DEEPEST_DATA):
        raise Malformed(messages.too_much_data("a deeper nesting", DEEPEST_DATA))
    return text, payload


def _is_deeper(value: object, most: int) -> bool:
    layer: list[object] = [value]
    for _ in range(most):
        nested = [each for each in layer if isinstance(each, dict | list)]
        layer = [inner for each in nested for inner in (each.values() if isinstance(each, dict) else each)]
        if not layer:
            return False
    return True


def _step(value: object, agent: str, type_: str) -> tuple[str | None, str | None]:
    """Return the agent that a step belongs to, or None, and the step without the agent. Raises Rejected."""
    step = _text("--step", value)
    if not step:
        if type_ == STATUS_CHANGE:
            raise Malformed(messages.missing("--step", "STATE"))
        return agent or None, None
    before, colon, after = step.partition(":")
    if not colon:
        return agent or None, step
    if not (is_name(before) and after.strip()):
        raise Rejected(messages.not_a_name("--step", step, "an agent's step is written AGENT:STEP"))
    if agent and agent != before:
        raise Rejected(messages.other_agent(step, agent))
    return before, after


def _status(payload: JsonObject) -> str:
    if "status" not in payload:
        raise Malformed(messages.not_in_data_at_all("status", '{"status": "running"}'))
    status = payload["status"]
    if not isinstance(status, str) or status not in STEP_STATUSES:
        near = nearest(status, STEP_STATUSES) if isinstance(status, str) else None
        wanted = f"it is one of {', '.join(STEP_STATUSES)}"
        raise Malformed(messages.not_in_data("status", status, wanted), did_you_mean=near)
    return status


def _path(payload: JsonObject) -> str:
    if "path" not in payload:
        raise Malformed(messages.not_in_data_at_all("path", '{"path": "docs/design.md"}'))
    path = payload["path"]
    if not isinstance(path, str) or not path.isprintable() or not 0 < len(path) <= 4096:
        raise Rejected(messages.not_in_data("path", path, PATH_RULE))
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if path.startswith("/") or ".." in parts or "\\" in path or not parts:
        raise Rejected(messages.not_in_data("path", path, PATH_RULE))
    return "/".join(parts)


def _subflow(payload: JsonObject) -> bool:
    value = payload.get("subflow", False)
    if value in ("true", "false"):
        return bool(value == "true")
    if not isinstance(value, bool):
        raise Malformed(messages.not_in_data("subflow", value, "true or false is needed"))
    return value


def _optional(payload: JsonObject, field: str) -> str | None:
    value = payload.get(field)
    if value is None or value == "":
        return None
    if not isinstance(value, str) or not is_printable(value) or len(value) > NAME_LENGTH:
        raise Malformed(messages.not_in_data(field, value, TEXT_RULE))
    return value


def _text(option: str, value: object) -> str:
    """Return the text of an option; empty if the option is missing. Raises Rejected for text that is not printable.

    Printable text may have joined emoji. It contains no half of a surrogate pair, which no store could hold.
    """
    if value is None or value == "":
        return ""
    if not isinstance(value, str) or not is_printable(value) or len(value) > NAME_LENGTH or not value.strip():
        kind = Rejected if option == "--step" else Malformed
        raise kind(messages.not_a_name(option, _shortened(value), TEXT_RULE))
    return value


def _shortened(value: object) -> str:
    return value[:60] if isinstance(value, str) else repr(value)[:60]
