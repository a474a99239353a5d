"""The settings as a call uses them, and how a length of time is written."""

from __future__ import annotations

from rcs_hooks.fault import Fault
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_SECONDS = 1800.0
MOST_SECONDS = 86400.0
UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}


class ProofSettings(NamedTuple):
    """What proves that a run has finished."""

    command: str | None = None
    """The one command that proves it, as a shell reads it; None if any command does."""
    required: bool = False
    """Whether `finished` is refused without a proof."""
    seconds: float = DEFAULT_SECONDS
    """How long the command may run."""
    source: str = ""
    """The file or variable that names the command, or else the one that requires a proof; empty for neither."""
    required_by: str = ""
    """The file or variable that requires a proof; empty if none does."""
    in_doubt: str = ""
    """Why no command proves anything now: the project's file is not the one that the person trusted. Else empty."""


class Config(NamedTuple):
    """What counts in a workspace, what does not count yet, and what is not understood."""

    proof: ProofSettings
    untrusted: ProofSettings | None = None
    """What the project's file says and the person has not trusted; None if there is nothing of the kind."""
    faults: tuple[Fault, ...] = ()
    sources: Mapping[str, str] = {}
    """The file or variable that each setting of `proof` comes from, by the setting's key; without one, the default."""
    has_changed: bool = False
    """Whether the person has trusted this project's file, but not as it is now."""


def seconds_of(text: str) -> float | None:
    """Return a length of time in seconds: `90`, `90s`, `30m` or `2h`; None if it is none, or not from 1 s to a day."""
    number, unit = (text[:-1], UNITS[text[-1]]) if text[-1:] in UNITS else (text, 1.0)
    if not (number.isascii() and number.replace(".", "", 1).isdigit() and len(number) <= 12):
        return None
    seconds = float(number) * unit
    return seconds if 1.0 <= seconds <= MOST_SECONDS else None
