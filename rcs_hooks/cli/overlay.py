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
from rcs_hooks.state.paths import inside
from rcs_hooks.state.surface import busy_sessions, resolved
from rcs_hooks.workflow.lifecycle import outcome_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from rcs_hooks.state.surface import Scope


LARGEST = 4 * 1024 * 1024


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
    scope = options.scope_of(args)
    if args.action == "show":
        output.text(_block(scope))
        return output.OK
    if not args.file:
        parser.error(f"{args.action} needs a file, like: rcs overlay {args.action} AGENTS.md")
    old = _read(args.file, scope.root, must_exist=args.action == "strip")
    try:
        new = stripped(old) if args.action == "strip" else applied(old, _block(scope))
    except Refused as error:
        raise Refused(f"{args.file}: {error}") from None
    if new == old:
        output.text(f"{args.file}: {'there is no overlay' if not find(old) else 'nothing to change'}")
        return output.OK
    _replace(args.file, new)
    output.text(f"{args.file}: overlay {'taken out' if args.action == 'strip' else 'written'}")
    return output.OK


def _block(scope: Scope) -> str:
    scope = resolved(scope)
    view = scope.view()
    busy = [] if scope.session or view.members() else list(busy_sessions(scope))
    if busy:
        raise Refused(
            f"{len(busy)} sessions have something active; say which one: --session {' or --session '.join(busy)}"
        )
    members = view.members()
    active = [(m.mode, m.record.get("current_phase"), outcome_of(m.record).waits) for m in members]
    how = scope.commands.write(members[0].mode, "--outcome", "finished") if members else ""
    return block(active, how, [broken.path for broken in view.unreadable])


def _read(path: str, root: str, *, must_exist: bool) -> str:
    """A repository may bring this file too: only a regular one, of a size to look at. What a person names outside the
    workspace is theirs; what is named inside has to lie there."""
    real_root = os.path.realpath(root)
    named = os.path.join(os.path.realpath(os.getcwd()), path)
    if inside(os.path.normpath(named), real_root) and not inside(os.path.realpath(path), real_root):
        raise Refused(f"{path}: it is a link out of the workspace, so it was left as it is")
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        if must_exist:
            raise
        return ""
    if stat.S_ISDIR(os.fstat(fd).st_mode):
        os.close(fd)
        raise Refused(f"{path}: is a directory")
    with open(fd, "rb") as file:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
            raise Refused(f"{path}: it is no file of at most {LARGEST} bytes, so it was left as it is")
        data = file.read()
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Refused(f"{path}: it is not UTF-8, so it was left as it is") from None


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _replace(path: str, text: str) -> None:
    """Whole or not at all, through a link to where the file really is, with its own mode."""
    real = os.path.realpath(path)
    if not os.path.isdir(os.path.dirname(real)):
        raise Refused(f"{path}: there is no such folder")
    fd, temporary = tempfile.mkstemp(dir=os.path.dirname(real), prefix=".rcs-overlay-")
    try:
        with open(fd, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        mode = stat.S_IMODE(os.stat(real).st_mode) if os.path.exists(real) else 0o666 & ~_umask()
        os.chmod(temporary, mode)
        os.replace(temporary, real)
    except BaseException:  # an interrupt too must leave no temporary file behind; it is raised again
        with suppress(OSError):
            os.unlink(temporary)
        raise
