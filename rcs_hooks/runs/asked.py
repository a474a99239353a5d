"""What an emit asks for, held to its form. Pure; whether the run may do so is judged elsewhere.

The order of the checks is the order in which their refusals come: type, run id, workflow, data, step, payload.
On the path of every emit: no `re`, no typing.
"""

from rcs_hooks import jsontext
from rcs_hooks.errors import Rejected
from rcs_hooks.runs import messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

STATUS_CHANGE, ARTIFACT = "status_change", "artifact_registered"
TYPES = (STATUS_CHANGE, ARTIFACT)
STATUSES = ("not_started", "running", "waiting", "completed", "failed", "skipped")
OPEN = ("running", "waiting")

RUN_ID_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-")
NAME_LENGTH = 128
LARGEST_DATA = 256 * 1024
DEEPEST_DATA = 100
"""Far from where JSON can be read but not written again."""
RUN_ID_RULE = "letters, digits and . _ : - behind a letter or digit, 128 at most; a UUID is best"
NAME_RULE = "letters, digits and . _ - (128 at most) make a name"
TEXT_RULE = "printable text is needed, 128 letters at most"
PATH_RULE = "a path relative to the project is needed, without .."


class Asked:
    """One emit, in good form."""

    __slots__ = (
        "agent",
        "data",
        "feature",
        "kind",
        "path",
        "run_id",
        "status",
        "step",
        "subflow",
        "type",
        "unit",
        "workflow",
    )

    def __init__(self, given: "Mapping[str, Any]") -> None:
        """Raises Rejected."""
        self.type = _type(given.get("type"))
        self.run_id = _run_id(given.get("run_id"))
        self.workflow = _workflow(given.get("workflow"))
        self.data, payload = _payload(given.get("data"))
        agent, unit = _text("--agent", given.get("agent")), _text("--unit", given.get("unit"))
        if agent and not is_name(agent):
            raise Rejected(messages.not_a_name("--agent", agent, NAME_RULE))
        self.unit = unit or None
        self.agent, self.step = _step(given.get("step"), agent, self.type)
        self.status: str | None = None
        self.path: str | None = None
        self.kind: str | None = None
        self.subflow = False
        if self.type == STATUS_CHANGE:
            self.status = _status(payload)
        else:
            self.path = _path(payload)
            self.kind = _optional(payload, "type")
            self.subflow = _subflow(payload)
        self.feature = _optional(payload, "feature")

    @property
    def is_step_level(self) -> bool:
        return self.type == STATUS_CHANGE and self.unit is None and self.agent is None


def is_name(value: str) -> bool:
    """Whether it may be looked for as a folder: nothing that leads elsewhere."""
    kept = value.replace("-", "").replace("_", "").replace(".", "")
    return 0 < len(value) <= NAME_LENGTH and value[0] not in ".-" and kept.isalnum()


def _type(value: object) -> str:
    name = _text("--type", value)
    if not name:
        raise Rejected(messages.missing("--type", " or ".join(TYPES)))
    if name not in TYPES:
        raise Rejected(messages.not_one_of("--type", name, TYPES), did_you_mean=nearest(name, TYPES))
    return name


def _run_id(value: object) -> str:
    name = _text("--run-id", value)
    if not name:
        raise Rejected(messages.missing("--run-id", "UUID"))
    if not is_run_id(name):
        raise Rejected(messages.not_a_name("--run-id", name, RUN_ID_RULE))
    return name


def is_run_id(name: str) -> bool:
    return 0 < len(name) <= NAME_LENGTH and name[0] not in "._:-" and RUN_ID_LETTERS.issuperset(name)


def _workflow(value: object) -> str:
    name = _text("--workflow", value)
    if not name:
        raise Rejected(messages.missing("--workflow", "NAME"))
    if not is_name(name):
        raise Rejected(messages.not_a_name("--workflow", name, NAME_RULE))
    return name


def _payload(value: object) -> "tuple[str, dict[str, Any]]":
    """As text to be kept, and as the object that it is."""
    if value is None or value == "":
        raise Rejected(messages.missing("--data", """'{"status": "running"}'"""))
    try:
        text = value.strip() if isinstance(value, str) else jsontext.dumps_line(value)
        text.encode()
        payload = jsontext.loads(text, writable=True)
    except (ValueError, TypeError, RecursionError) as error:
        raise Rejected(messages.not_an_object(str(error))) from None
    if not isinstance(payload, dict):
        raise Rejected(messages.not_an_object(f"{text[:40]!r} found"))
    if len(text) > LARGEST_DATA:
        raise Rejected(messages.too_much_data(f"{len(text)} characters", LARGEST_DATA))
    if _is_deeper(payload, DEEPEST_DATA):
        raise Rejected(messages.too_much_data("a deeper nesting", DEEPEST_DATA))
    return text, payload


def _is_deeper(value: "Any", most: int) -> bool:
    layer = [value]
    for _ in range(most):
        nested = [each for each in layer if isinstance(each, dict | list)]
        layer = [inner for each in nested for inner in (each.values() if isinstance(each, dict) else each)]
        if not layer:
            return False
    return True


def _step(value: object, agent: str, type_: str) -> tuple[str | None, str | None]:
    """The agent that a step belongs to, and the step without it."""
    step = _text("--step", value)
    if not step:
        if type_ == STATUS_CHANGE:
            raise Rejected(messages.missing("--step", "STATE"))
        return agent or None, None
    before, colon, after = step.partition(":")
    if not colon:
        return agent or None, step
    if not (is_name(before) and after.strip()):
        raise Rejected(messages.not_a_name("--step", step, "an agent's step is written AGENT:STEP"))
    if agent and agent != before:
        raise Rejected(messages.other_agent(step, agent))
    return before, after


def _status(payload: "dict[str, Any]") -> str:
    if "status" not in payload:
        raise Rejected(messages.not_in_data_at_all("status", '{"status": "running"}'))
    status = payload["status"]
    if not isinstance(status, str) or status not in STATUSES:
        near = nearest(status, STATUSES) if isinstance(status, str) else None
        wanted = f"it is one of {', '.join(STATUSES)}"
        raise Rejected(messages.not_in_data("status", status, wanted), did_you_mean=near)
    return status


def _path(payload: "dict[str, Any]") -> str:
    if "path" not in payload:
        raise Rejected(messages.not_in_data_at_all("path", '{"path": "docs/design.md"}'))
    path = payload["path"]
    if not isinstance(path, str) or not path.isprintable() or not 0 < len(path) <= 4096:
        raise Rejected(messages.not_in_data("path", path, PATH_RULE))
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if path.startswith("/") or ".." in parts or "\\" in path or not parts:
        raise Rejected(messages.not_in_data("path", path, PATH_RULE))
    return "/".join(parts)


def _subflow(payload: "dict[str, Any]") -> bool:
    value = payload.get("subflow", False)
    if value in ("true", "false"):
        return bool(value == "true")
    if not isinstance(value, bool):
        raise Rejected(messages.not_in_data("subflow", value, "true or false is needed"))
    return value


def _optional(payload: "dict[str, Any]", field: str) -> str | None:
    value = payload.get(field)
    if value is None or value == "":
        return None
    if not isinstance(value, str) or not value.isprintable() or len(value) > NAME_LENGTH:
        raise Rejected(messages.not_in_data(field, value, TEXT_RULE))
    return value


def _text(option: str, value: object) -> str:
    """Empty where it was not given. Printable text holds no half of a surrogate pair either."""
    if value is None or value == "":
        return ""
    if not isinstance(value, str) or not value.isprintable() or len(value) > NAME_LENGTH or not value.strip():
        raise Rejected(messages.not_a_name(option, _shortened(value), TEXT_RULE))
    return value


def _shortened(value: object) -> str:
    return value[:60] if isinstance(value, str) else repr(value)[:60]


def nearest(name: str, known: tuple[str, ...]) -> str | None:
    import difflib  # loads re, and only a refusal asks

    return next(iter(difflib.get_close_matches(name, known, 1)), None)
