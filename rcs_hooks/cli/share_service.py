"""`rcs share start` and `rcs share stop`: the service that runs `rcs share run` for this person."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from rcs_hooks.cli import output
from rcs_hooks.clients import handlers
from rcs_hooks.editing import files
from rcs_hooks.errors import Refused
from rcs_hooks.files.paths import HOME
from rcs_hooks.share import health, identity, service, settings
from rcs_hooks.text import clean

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from rcs_hooks.clients.installer import Host
    from rcs_hooks.share.service import Manager
    from rcs_hooks.share.settings import ShareSettings

LONGEST = 400
BY_HAND = (
    "`rcs share run` shares as long as it runs: start it in tmux, or by what starts other programs on this machine"
)
PASSWORDS = ("PGPASSWORD", "PGPASSFILE", "PGSERVICE", "PGSERVICEFILE")


def start(args: argparse.Namespace) -> int:
    """Install and start the service, and say what was changed. Raises Refused where there is no service manager."""
    found = settings.load(os.environ)
    address = found.needed_address()
    from rcs_hooks.share import connecting  # noqa: F401 - raises Refused where the driver is missing

    manager = service.manager(os.environ, found.home)
    if not manager.is_there():
        raise Refused(f"{_nobody(manager)}, so there is no service to start; {BY_HAND}")
    change = _planned(manager, manager.text(handlers.program("rcs")))
    was_at_work = health.program(found.home).is_at_work and manager.state() != service.RUNS
    commands = manager.commands(was_changed=change is not None) if change or manager.state() != service.RUNS else []
    if not args.dry_run:
        if change:
            files.refuse_unwritable(change.path)
            files.write(change, None)
        for command in commands:
            manager.run(command)
    if args.json:
        output.result({"ok": True, "path": manager.path, "was_changed": bool(change or commands)})
        return output.OK
    _say_changes(change, commands, dry_run=args.dry_run)
    if not change and not commands:
        output.text("nothing to change: the service runs")
    elif not args.dry_run:
        output.prose(f"what is new is shared with {address.shown} from now on; to look: rcs share status")
    for line in _notes(manager, found, os.environ):
        output.prose(line)
    if was_at_work:
        output.prose("A `rcs share run` is at work already; the service takes its place within a minute of its end.")
    return output.OK


def _nobody(manager: Manager) -> str:
    if not manager.ask(manager.program, "--version") and manager.program == service.Systemd.program:
        return f"{manager.program} is not on PATH"
    return f"{manager.name} starts no services for you here"


def _planned(manager: Manager, text: str) -> files.Change | None:
    """Return the change of the service's file; None if it says that already. Raises Refused if it is not ours."""
    old = files.read(manager.path)
    if old is not None and not manager.is_ours(old):
        raise Refused(f"{manager.path} is not of `rcs share start`, so it was left unchanged; move it away first")
    return None if old == text else files.Change(manager.path, old, text)


def _say_changes(change: files.Change | None, commands: list[list[str]], *, dry_run: bool) -> None:
    if change:
        verb = "remove" if change.new is None else "change" if change.old is not None else "write"
        done = {"remove": "removed", "change": "changed", "write": "wrote"}[verb]
        output.safe(files.diff(change))
        output.safe(f"{f'would {verb}' if dry_run else done} {change.path}\n")
    for command in commands:
        output.safe(f"{'would run' if dry_run else 'ran'} {' '.join(command)}")


def _notes(manager: Manager, found: ShareSettings, env: Mapping[str, str]) -> Iterator[str]:
    """Yield what the person has to know of a service: what it does not see, and when it ends."""
    unseen = [name for name in PASSWORDS if env.get(name)]
    if unseen:
        names = " and ".join(unseen)
        many = "are" if len(unseen) > 1 else "is"
        yield (
            f"{names} {many} set in this shell, which a service does not see, and nothing of it was written down: put"
            " the password into ~/.pgpass, or name a service in ~/.pg_service.conf."
        )
    if env.get(settings.VARIABLE):
        why = "which a service does not see: it shares with the url of your own file."
        yield f"{settings.VARIABLE} is set in this shell, {why}"
    if env.get("RCS_DB"):
        yield "RCS_DB is set in this shell, which a service does not see: it shares the runs of ~/.rcs/rcs.db."
    if manager.name == service.Systemd.name and not os.path.exists(f"/var/lib/systemd/linger/{_user()}"):
        yield "It runs while you are logged in; to let it go on after that: loginctl enable-linger"
    if not found.projects:
        yield "Nothing leaves this machine yet; to share a folder: rcs share add ."


def _user() -> str:
    import pwd

    with suppress(KeyError):  # a user without a name
        return pwd.getpwuid(os.getuid()).pw_name
    return ""


def stop(args: argparse.Namespace) -> int:
    """Stop and remove the service, and say what was changed. Raises Refused for a file that is not ours."""
    home = settings.home_in(os.environ)
    manager = service.manager(os.environ, home)
    change, commands = removal(manager)
    if change and not args.dry_run:
        remove(manager, change, commands)
    if args.json:
        output.result({"ok": True, "path": manager.path, "was_changed": change is not None})
        return output.OK
    if change is None:
        output.text("there is no service of `rcs share start`")
    else:
        _say_changes(change, commands, dry_run=args.dry_run)
        if not args.dry_run:
            output.prose("nothing more is sent; `rcs share start` goes on where it ended")
    left = health.program(home)
    if left.is_at_work and not (args.dry_run and change):
        output.prose(
            f"A `rcs share run` (process {left.pid}) is still at work; it ends with Ctrl-C, or: kill {left.pid}"
        )
    return output.OK


def removal(manager: Manager) -> tuple[files.Change | None, list[list[str]]]:
    """Return the removal of the service's file and what to run around it; None if there is none.

    Raises Refused for a file that is not ours.
    """
    old = files.read(manager.path)
    if old is None:
        return None, []
    if not manager.is_ours(old):
        raise Refused(f"{manager.path} is not of `rcs share start`, so it was left unchanged")
    commands = [*manager.commands_to_stop(), *manager.commands_after()] if manager.is_there() else []
    return files.Change(manager.path, old, None), commands


def remove(manager: Manager, change: files.Change, commands: list[list[str]]) -> None:
    """Stop the service, and remove its file. Raises Refused if the manager does not do it."""
    after = manager.commands_after()
    for command in commands:
        if command not in after:
            manager.run(command)
    files.write(change, None)
    if isinstance(manager, service.Systemd) and os.path.islink(manager.link):
        os.unlink(manager.link)  # by which it would be looked for at the next login, where nobody could be asked
    for command in commands:
        if command in after:
            manager.run(command)


def of_uninstall(host: Host, *, dry_run: bool, purges: bool) -> Iterator[str]:
    """Remove the service for `rcs uninstall`, if there is one of ours, and yield what to say of it.

    `purges`: whether what sharing keeps in the home is removed too, of which this tells.
    """
    manager = service.manager(host.env, host.home)
    try:
        change, commands = removal(manager)
    except Refused:  # somebody else's
        change = None
    if change:
        if not dry_run:
            remove(manager, change, commands)
        yield files.diff(change)
        done = "would remove" if dry_run else "removed"
        yield f"{done} {clean(change.path, LONGEST)}, the service of `rcs share start`"
    if purges and os.path.isdir(os.path.join(host.home, HOME, identity.FOLDER)):
        found = settings.load(host.env)
        names = ", ".join(each.name for each in found.projects) or "none"
        where = found.address.shown if found.address else "the shared database"
        yield clean(
            f"sharing: ~/.rcs has the id of this machine, what was sent, and which folders are shared ({names}); what"
            f" was sent stays in {where}, where `rcs share prune` removes it",
            LONGEST * 2,
        )
