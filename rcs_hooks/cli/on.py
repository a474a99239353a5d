"""`rcs on`: the hooks answer again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rcs_hooks.cli import off, options, output

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence


def build() -> argparse.ArgumentParser:
    parser = options.parser("on", "Switches the hooks on again after `rcs off`.", "rcs on", "rcs on --everywhere")
    off.add_where(parser)
    return parser


def run(argv: Sequence[str]) -> int:
    args = build().parse_args(argv)
    path = off.switch_of(args)
    try:
        os.unlink(path)
        done = f"removed {path}"
    except FileNotFoundError:
        done = f"there was no {path}"
    output.text(output.plain(f"{done}; {off.still_off(args) or 'the hooks are on'}"))
    return output.OK
