"""The operations that the command line and the MCP server share, with their arguments, each declared once.

The options of `rcs state`, `rcs question` and `rcs emit` (`cli/options.py`), the keys of `--input`, the JSON Schemas of
the MCP tools (`mcp/tools.py`) and what a shell completes all follow from `OPERATIONS`. `rcs emit` imports this at every
step of every agent, so it imports nothing at the top.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

TEXT, SWITCH, COUNT, OBJECT, LIST = "string", "boolean", "integer", "object", "array"
ID = "id"
"""The type of a value that is text, or a whole number that stands for text."""
CLI, MCP = "cli", "mcp"


class Argument:
    """One argument of an operation.

    `name`: its key in JSON.
    `type`: its type in JSON. A tool takes text for any type, because Claude Code makes every argument of a hook text.
    `help`: its description, for `--help` and for the schema.
    `option`, `metavar`: its option on the command line, and the word for the option's value; empty if it has no option.
    `negative`: the option that sets a switch to false, and the help for that option.
    `only`: the one surface that has the argument, `CLI` or `MCP`; empty if both have it.
    `values`: returns the values that a shell completes; they describe the argument where `help` is empty.
    """

    __slots__ = ("help", "metavar", "name", "negative", "only", "option", "type", "values")

    def __init__(
        self,
        name: str,
        help: str = "",
        option: str = "",
        metavar: str | None = None,
        *,
        type: str = TEXT,
        negative: tuple[str, str] | None = None,
        only: str = "",
        values: "Callable[[], tuple[str, ...]] | None" = None,
    ) -> None:
        self.name = name
        self.help = help
        self.option = option
        self.metavar = metavar
        self.type = type
        self.negative = negative
        self.only = only
        self.values = values

    @property
    def description(self) -> str:
        """Return the help for the argument; where it has none, its possible values: `finished, blocked or failed`."""
        if self.help or not self.values:
            return self.help
        from rcs_hooks.workflow.lifecycle import any_of

        return any_of(self.values())

    @property
    def schema(self) -> "dict[str, Any]":
        """Return the JSON Schema of the argument's value."""
        types = {TEXT: TEXT, ID: [TEXT, COUNT]}
        rule: dict[str, Any] = {"type": types.get(self.type) or [self.type, TEXT]}
        if self.type == LIST:
            rule["items"] = {"type": TEXT}
        purpose = self.description
        if self.type == SWITCH:
            purpose = f"true: {purpose}" + (f"; false: {self.negative[1]}" if self.negative else "")
        return rule | ({"description": purpose} if purpose else {})


class Operation:
    """An operation on the state, the questions or the runs.

    `command`: its words on the command line. `tool`: its name as an MCP tool; empty if it is none.
    `required`: the arguments that a call of the tool must have.
    """

    __slots__ = ("arguments", "command", "help", "required", "tool")

    def __init__(
        self,
        command: str,
        help: str,
        *arguments: Argument,
        tool: str = "",
        required: tuple[str, ...] = (),
    ) -> None:
        self.command = command
        self.help = help
        self.arguments = arguments
        self.tool = tool
        self.required = required

    @property
    def schema(self) -> "dict[str, Any]":
        """Return the JSON Schema of the tool's arguments. Arguments that the schema does not name are allowed too."""
        properties = {each.name: each.schema for each in self.arguments if each.only != CLI}
        return {"type": OBJECT, "properties": properties, "required": list(self.required)}


def _modes() -> tuple[str, ...]:
    from rcs_hooks.catalog import MODES

    return tuple(MODES)


def _outcomes() -> tuple[str, ...]:
    from rcs_hooks.workflow.lifecycle import PUBLIC

    return tuple(PUBLIC)


MODE = Argument("mode", "a workflow mode, by any of its names", "--mode", values=_modes)
SESSION = Argument(
    "session",
    "the session (default: RCS_SESSION_ID, then the one that the client names to its agent)",
    "--session",
    "ID",
    only=CLI,
)
ROOT = Argument(
    "root",
    "the workspace (default: RCS_ROOT, then the nearest folder with .rcs/state or .git)",
    "--root",
    "FOLDER",
    only=CLI,
)
SCOPE = (
    SESSION,
    ROOT,
    Argument("session_id", "the session; without it the root scope"),
    Argument("cwd", "a folder of the workspace; without it the server's own", only=MCP),
)
ROOT_SCOPE = Argument(
    "root_scope", "the workspace's own record, which belongs to no session", "--root-scope", type=SWITCH
)
FIELDS = (
    Argument("current_phase", "the phase that begins; the mode's machine has to allow it", "--phase", "WORD"),
    Argument("lifecycle_outcome", "", "--outcome", "WORD", values=_outcomes),
    Argument(
        "active",
        "start the mode, or take it up again",
        "--active",
        type=SWITCH,
        negative=("--inactive", "switch the mode off"),
    ),
    Argument("fresh", "begin the run anew, with nothing of the one before", "--fresh", type=SWITCH),
    Argument("iteration", "the round that has begun", "--iteration", "N", type=COUNT),
    Argument("reason", "why the run ends so; with --verdict, what the review found", "--reason", "TEXT"),
    Argument("evidence", "what shows that the work is done: the command, and its result", "--evidence", "TEXT"),
    Argument("verdict", "what autopilot's review says: clean, or not clean", "--verdict", "WORDS"),
    Argument("plan", "where the plan lies", "--plan", "FILE"),
    Argument("brief", "where the brief lies", "--brief", "FILE"),
    Argument("run_outcome"),
    Argument("max_iterations", type=COUNT),
    Argument("started_at"),
    Argument("completed_at"),
    Argument("error"),
    Argument("state", "merged key by key into the mode's own state", type=OBJECT),
    Argument("fields", "any other fields", type=OBJECT, only=MCP),
    Argument(
        "set",
        "any other field, as JSON or as a bare word; state.KEY for one of the mode's own",
        "--set",
        "KEY=VALUE",
        type=LIST,
        only=CLI,
    ),
)
OF_EMIT = (
    Argument("type", "status_change or artifact_registered", "--type", "TYPE"),
    Argument("workflow", "the workflow that the run belongs to", "--workflow", "NAME"),
    Argument("run_id", "the run; a UUID, made when the workflow starts", "--run-id", "ID"),
    Argument("step", "a state of the workflow, or AGENT:STATE; artifacts may go without", "--step", "STATE"),
    Argument("unit", "the task, where each has a state of its own", "--unit", "ID", type=ID),
    Argument(
        "data",
        'status_change: {"status": "running"}, or not_started, waiting, completed, failed, skipped; '
        'artifact_registered: {"path": "docs/design.md"}; and "feature"',
        "--data",
        "JSON",
        type=OBJECT,
    ),
    Argument("project", "the project's folder (default: the workspace)", "--project", "FOLDER"),
    Argument("agent", "the agent whose state the step is", "--agent", "NAME"),
    Argument("file", "the file with the diagram (default: the one found by the workflow's name)", "--file", "PATH"),
)
EMIT = Operation(
    "emit",
    "Report a step or an artifact of a workflow run, as `rcs emit` does; it reaches the store from a sandbox too. "
    "A step that the workflow's state diagram does not allow is refused, with the steps that may come next.",
    *OF_EMIT,
    tool="emit",
    required=("type", "workflow", "run_id", "data"),
)
OPERATIONS = (
    Operation("state read", "Read the state of a workflow mode.", MODE, *SCOPE, tool="state_read", required=("mode",)),
    Operation(
        "state write",
        "Write fields into the state of a workflow mode; of several, as forge,team, into all or none. "
        "A phase that the mode's machine does not allow is refused, with those that may come next. "
        "To set active true asks the policy, and can be denied.",
        *(MODE, *FIELDS, ROOT_SCOPE, *SCOPE),
        tool="state_write",
        required=("mode",),
    ),
    Operation(
        "state clear",
        "Clear a workflow mode of a session, or of all sessions.",
        MODE,
        Argument("all_sessions", "in root and in every session", "--all-sessions", type=SWITCH),
        *(ROOT_SCOPE, *SCOPE),
        tool="state_clear",
        required=("mode",),
    ),
    Operation(
        "state list-active",
        "List the active workflow modes.",
        Argument(
            "overview",
            "also what waits for the user, runs and ended lately, over all sessions, runs and tasks",
            type=SWITCH,
            only=MCP,
        ),
        *SCOPE,
        tool="state_list_active",
    ),
    Operation(
        "state get-status",
        "Phase and outcome of each workflow mode; what switches the hooks off.",
        MODE,
        *SCOPE,
        tool="state_get_status",
    ),
    Operation(
        "state prune",
        "Remove the questions of runs that have ended, outputs of old proofs and, if asked, old sessions.",
        Argument("dry_run", "only show what would go", "--dry-run", type=SWITCH, only=CLI),
        Argument(
            "older_than",
            "also remove whole sessions in which nothing is active, untouched for this long, such as 30d or 2w",
            "--older-than",
            "TIME",
            only=CLI,
        ),
        *SCOPE,
    ),
    Operation(
        "question ask",
        "Record one blocking question to the user for an active mode; the next prompt is the answer.",
        MODE,
        Argument("text", "one concrete question", "--text"),
        Argument("options", "an answer to choose from; may be repeated", "--option", "TEXT", type=LIST),
        *SCOPE,
        tool="question_ask",
        required=("mode", "text"),
    ),
    EMIT,
)
TOOLS = {each.tool: each for each in OPERATIONS if each.tool}


def of_command(name: str) -> "dict[str, Operation]":
    """Return the operations of a command, such as `state`, each by its action, such as `read`."""
    return {each.command.removeprefix(f"{name} "): each for each in OPERATIONS if each.command.startswith(f"{name} ")}


def take_switch(arguments: "dict[str, Any]", name: str, *, default: bool | None = False) -> bool:
    """Remove a switch from the arguments, and return its value, or `default` if it is not there.

    Raises Refused if the value is not a boolean.
    """
    value = arguments.pop(name, bool(default))
    if not isinstance(value, bool):
        from rcs_hooks.errors import Refused

        raise Refused(f"{name}: expected true or false, got {value!r}")
    return value
