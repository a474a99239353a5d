"""What a project and its person have configured: `rcs.toml`, `~/.rcs/config.toml`, and the variables `RCS_PROOF_*`.

No hook imports this room: only commands that a person or an agent types read TOML.
"""

from __future__ import annotations

from rcs_hooks.config.commands import TO_TRUST, proves, proves_text, why_no_proof
from rcs_hooks.config.loading import load
from rcs_hooks.config.values import Config, ProofSettings, seconds_of

__all__ = [
    "TO_TRUST",
    "Config",
    "ProofSettings",
    "load",
    "proves",
    "proves_text",
    "seconds_of",
    "why_no_proof",
]
