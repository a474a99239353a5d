"""`rcs overlay show | apply FILE | strip FILE`."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from typing import TYPE_CHECKING

from rcs_hooks.cli import options, output
from rcs_hooks.errors import Refused
from rcs_hooks.overlay.block import applied, block, find, stripped
from rcs_hooks.state.surface import busiest
from rcs_hooks.workflow.lifecycle import outcome_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from rcs_hooks.state.surface import Scope


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "overlay",
        "The active modes between markers in a file such as AGENTS.md; the rest of the file is kept to the byte.",
        "rcs overlay show --session S",
        "rcs overlay apply AGENTS.md --session S",
        "rcs overlay strip AGENTS.md",
    )
    parser.add_argument("action", choices=("show", "apply", "strip"))
    parser.add_argument("file", nargs="?", help="apply and strip: the file to change")
    options.add_scope(parser)
    return parser


def run(argv: Sequence[str]) -> int:
    parser = build()
    args = parser.parse_args(argv)
    if args.action == "show":
        output.text(_block(options.scope_of(args)))
        return output.OK
    if not args.file:
        parser.error(f"{args.action} needs a file, like: rcs overlay {args.action} AGENTS.md")
    old = _read(args.file, must_exist=args.action == "strip")
    try:
        new = stripped(old) if args.action == "strip" else applied(old, _block(options.scope_of(args)))
    except Refused as error:
        raise Refused(f"{args.file}: {error}") from None
    if new == old:
        output.text(f"{args.file}: {'there is no overlay' if not find(old) else 'nothing to change'}")
        return output.OK
    _replace(args.file, new)
    output.text(f"{args.file}: overlay {'taken out' if args.action == 'strip' else 'written'}")
    return output.OK


def _block(scope: Scope) -> str:
    scope = busiest(scope)
    view = scope.view()
    members = view.members()
    active = [(m.mode, m.record.get("current_phase"), outcome_of(m.record).waits) for m in members]
    how = scope.commands.write(members[0].mode, "--outcome", "finished") if members else ""
    return block(active, how, [broken.path for broken in view.unreadable])


def _read(path: str, *, must_exist: bool) -> str:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        if must_exist:
            raise
        return ""
    except UnicodeDecodeError:
        raise Refused(f"{path}: it is not UTF-8, so it was left as it is") from None


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _replace(path: str, text: str) -> None:
    """Whole or not at all, through a link to where the file really is, with its own mode."""
    real = os.path.realpath(path)
    fd, temporary = tempfile.mkstemp(dir=os.path.dirname(real), prefix=".rcs-overlay-")
    try:
        with open(fd, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        mode = stat.S_IMODE(os.stat(real).st_mode) if os.path.exists(real) else 0o666 & ~_umask()
        os.chmod(temporary, mode)
        os.replace(temporary, real)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
