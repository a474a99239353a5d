"""The sentences that an emit is refused with; each surface puts `Error: ` before them."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def invalid_start(target: str, starts: "Iterable[str]") -> str:
    return f"Invalid first step '{target}': a run begins with an initial state.\nValid next states: {', '.join(starts)}"


def other_workflow(run_id: str, workflow: str, asked: str) -> str:
    return (
        f'run "{run_id}" belongs to the workflow "{workflow}", not to "{asked}"; '
        f"give --workflow {workflow}, or a run id of its own"
    )


def not_checked(workflow: str) -> str:
    return f'no skill or agent is called "{workflow}", so nothing was checked; `rcs machine list` shows those that are'


def missing(option: str, example: str) -> str:
    return f"{option} is missing; give {option} {example}"


def not_one_of(option: str, found: str, known: "Iterable[str]") -> str:
    return f'{option} "{found}" is not known; it is one of {", ".join(known)}'


def not_a_name(option: str, found: str, rule: str) -> str:
    return f"{option} {found!r} cannot be used; {rule}"


def not_an_object(found: str) -> str:
    return f"""--data is not a JSON object ({found}); give one, like '{{"status": "running"}}'"""


def too_much_data(found: str, most: int) -> str:
    return f"--data: {found} found, {most} at most; write it into a file, and register that as an artifact"


def not_in_data(field: str, found: object, wanted: str) -> str:
    return f"--data: {field} is {_short(found)}; {wanted}"


def not_in_data_at_all(field: str, example: str) -> str:
    return f"--data has no {field}; give one, like '{example}'"


def no_project(path: str) -> str:
    return f"--project {path} is not a folder; give the folder of the project"


def no_file(path: str) -> str:
    return f"--file {path} is not a file; give the skill or agent whose diagram is meant"


def leads_out(path: str, project: str) -> str:
    return f"--data: path {path!r} is a link that leads out of {project}; only what lies in the project is registered"


def other_agent(step: str, agent: str) -> str:
    return f'step "{step}" names another agent than --agent {agent}; give one of them'


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:59]}…"
