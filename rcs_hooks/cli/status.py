"""`rcs status`: says in words what is running, one line for each mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.cli import options, output
from rcs_hooks.cli.hud import hud_and_session
from rcs_hooks.cli.switch import what_switches_on
from rcs_hooks.files.paths import STATE

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from rcs_hooks.hud import Hud, HudMode

CLOSED = "closed: its client has ended the session, and resuming it goes on"
STALLED = "stalled: nothing had changed; `go on` continues, `$cancel` ends it"


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "status",
        "Say in words what is running. Without a session: root, or the only session with an active mode.",
        "rcs status",
        "rcs status --session S",
    )
    options.add_scope(parser)
    options.add_json(parser)
    return parser


def run(argv: Sequence[str]) -> int:
    args = build().parse_args(argv)
    scope = options.scope_of(args)
    hud, session = hud_and_session(scope)
    if args.json:
        output.result(hud.as_json() | {"session": session})
    else:
        output.text("\n".join(map(output.plain, _lines(hud, session, scope.root))))
    return output.OK


def _lines(hud: Hud, session: str | None, root: str) -> Iterator[str]:
    if hud.elsewhere:
        yield f"{len(hud.elsewhere)} sessions are active; --session shows one: {', '.join(hud.elsewhere)}"
    elif not (hud.active or hud.unreadable):
        yield "nothing is active" + (f" in session {session}" if session else "")
    elif session:
        yield f"session {session}:"
    yield from map(_mode, hud.active)
    if hud.deferred:
        yield f"waits to be named: {' '.join(f'${mode}' for mode in hud.deferred)}"
    if hud.active and (hud.is_closed or hud.is_stalled):
        yield CLOSED if hud.is_closed else STALLED
    for path, command in zip(hud.unreadable, hud.to_clear, strict=True):
        yield f"{STATE}/{path} cannot be read. To clear it: {command}"
    if hud.off:
        yield f"the hooks are off: {hud.off} is set; to switch them on: {what_switches_on(hud.off, root)}"


def _mode(active: HudMode) -> str:
    parts = [f"phase {active.phase}"]
    if active.iteration is not None and active.max_iterations is not None:
        parts.append(f"iteration {active.iteration} of {active.max_iterations}")
    if active.scope == "root":
        parts.append("of the workspace")
    if active.waits:
        parts.append("waits for your answer")
    return f"{active.mode}: {', '.join(parts)}"
