"""Checks the settings of the project and the person: what is not understood, and what nobody has trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks import config
from rcs_hooks.clients.check import NOTE, OK, WARN, Check
from rcs_hooks.install.check import at_most
from rcs_hooks.text import clean, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rcs_hooks.clients.installer import Host
    from rcs_hooks.config import ProofSettings

TITLE = "config"
MOST = 4
"""The most faults that are shown."""
LONGEST = 400


def checks(host: Host) -> Iterator[Check]:
    """Yield checks of rcs.toml, ~/.rcs/config.toml and the variables RCS_PROOF_*; none if they say nothing."""
    found = config.load(host.env, host.root)
    faults = [
        Check(TITLE, WARN, clean(fault.sentence, LONGEST), "correct it; `rcs config` shows what counts")
        for fault in found.faults
    ]
    yield from at_most(MOST, faults)
    look = f"look at it, then type in a terminal of your own: rcs config trust --root {quoted(host.root)}"
    doubt = ", and nothing is proven" if found.proof.in_doubt else ""
    if found.untrusted:
        why = "has changed since you trusted it" if found.has_changed else "is not trusted"
        said = f"[proof] of rcs.toml {why}, so it counts for nothing{doubt}; it says: {_words(found.untrusted)}"
        yield Check(TITLE, WARN if found.has_changed else NOTE, clean(said, LONGEST), look)
    elif found.has_changed:
        said = f"rcs.toml no longer has the [proof] that you trusted, so nothing of it counts{doubt}"
        yield Check(TITLE, WARN, said, f"if that is meant: rcs config trust --remove --root {quoted(host.root)}")
    if found.proof.source:
        yield Check(TITLE, OK, clean(f"{_words(found.proof)} ({found.proof.source})", LONGEST))


def _words(settings: ProofSettings) -> str:
    command = f"`{settings.command}`" if settings.command else "any command"
    required = "a run needs a proof to be finished, by" if settings.required else "a run is proven by"
    return f"{required} {command}"
