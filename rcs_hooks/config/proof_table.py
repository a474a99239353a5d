"""Reads the settings of a proof: the table `[proof]` of a file, or the variables `RCS_PROOF_*`."""

from __future__ import annotations

from rcs_hooks.config.values import MOST_SECONDS, seconds_of
from rcs_hooks.fault import Fault
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rcs_hooks.config.reading import TomlFile

TABLE = "proof"
COMMAND, REQUIRED, TIMEOUT = "command", "required", "timeout"
KEYS = (COMMAND, REQUIRED, TIMEOUT)
LONGEST_COMMAND = 1000
SHOWN = 40
SWITCHES = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}

BAD_COMMAND = f'command must be a text of one line, with at most {LONGEST_COMMAND:,} characters: "pytest -q"'
BAD_REQUIRED = "required must be true or false"
BAD_TIMEOUT = f'timeout must be seconds or a text such as "30m", from 1 s to {MOST_SECONDS / 3600:.0f}h'


class Said(NamedTuple):
    """What one file or variable says of proofs; None for what it does not say."""

    command: str | None = None
    required: bool | None = None
    seconds: float | None = None


def in_file(source: TomlFile) -> tuple[Said, list[Fault]]:
    """Return what a file says, and its faults."""
    table = source.tables.get(TABLE)
    if table is None:
        return Said(), []
    if not isinstance(table, dict):
        return Said(), [Fault(source.path, source.line(TABLE), "proof must be a table: [proof]")]
    faults = []

    def add(key: str, text: str) -> None:
        faults.append(Fault(source.path, source.line(TABLE, key), text))

    for key in table:
        if key not in KEYS:
            add(key, f"[proof] has no key {key[:SHOWN]!r}; it has {', '.join(KEYS)}")
    return _said(table, add), faults


def _said(table: Mapping[str, object], add: Callable[[str, str], None]) -> Said:
    command, required, timeout = (table.get(key) for key in KEYS)
    if command is not None and not _is_command(command):
        add(COMMAND, BAD_COMMAND)
        command = None
    if required is not None and not isinstance(required, bool):
        add(REQUIRED, BAD_REQUIRED)
    seconds = _seconds(timeout)
    if timeout is not None and seconds is None:
        add(TIMEOUT, BAD_TIMEOUT)
    return Said(
        command.strip() if isinstance(command, str) else None, required if isinstance(required, bool) else None, seconds
    )


def _is_command(value: object) -> bool:
    """Tell whether a value is a command that can be shown whole: else a person would trust what they cannot see."""
    return isinstance(value, str) and 0 < len(value.strip()) <= LONGEST_COMMAND and value.isprintable()


def _seconds(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    return seconds_of(value if isinstance(value, str) else f"{value:.3f}" if isinstance(value, float) else f"{value}")


def variable(key: str) -> str:
    """Return the name of the variable for a key."""
    return f"RCS_PROOF_{key.upper()}"


def in_variables(env: Mapping[str, str]) -> tuple[Said, list[Fault]]:
    """Return what the variables say, and their faults."""
    texts = {key: env.get(variable(key), "").strip() for key in KEYS}
    faults: list[Fault] = []
    table: dict[str, object] = {key: text for key, text in texts.items() if text}
    if REQUIRED in table:
        table[REQUIRED] = SWITCHES.get(texts[REQUIRED].lower(), texts[REQUIRED])
    said = _said(table, lambda key, text: faults.append(Fault(variable(key), 0, text)))
    return said, faults
