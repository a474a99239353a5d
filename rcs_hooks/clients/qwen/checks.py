"""Whether Qwen Code would run our hooks: a switch in its settings, its trust in the folder, and its rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.clients import folder_trust, status_line
from rcs_hooks.clients.check import BROKEN, OK, TODO, WARN, Check
from rcs_hooks.clients.installer import USER, setup_command
from rcs_hooks.clients.qwen import QWEN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from rcs_hooks.clients.entries import Record
    from rcs_hooks.clients.installer import Host
    from rcs_hooks.clients.reading import Settings

WHOLE_SHELL = frozenset({"run_shell_command", "run_shell_command(*)", "Bash", "Bash(*)", "Shell", "Shell(*)"})
"""Rules that allow every command."""


def checks(host: Host, settings: Sequence[Settings], trusted: Record, names: Sequence[str]) -> Iterator[Check]:
    """Yield checks of what would keep Qwen Code from running our hooks, or make it ask the person each time.

    `trusted`: the file of trusted folders. `names`: the words by which the agent may call `rcs`.
    """
    for each in settings:
        if each.value.get("disableAllHooks") is True:
            found = f"{each.path} has disableAllHooks, so none runs, of no file"
            yield Check("Qwen Code hooks", BROKEN, found, "remove disableAllHooks")
    with_ours = [each for each in settings if each.ours]
    if any(each.target.scope != USER for each in with_ours):
        yield from _folder_trusted(host, settings, trusted)
    yield _rules_allow(host, settings, with_ours)
    for each in settings:
        yield from status_line.checks(QWEN, each, names, ("ui", "statusLine"))


def _folder_trusted(host: Host, settings: Sequence[Settings], trusted: Record) -> Iterator[Check]:
    """Yield a check of the project's trust, where the person has switched that on: it is off by default."""
    person = [each.value for each in settings if each.target.scope == USER]
    if not any(folder_trust.switch(value) for value in person):
        return
    if folder_trust.is_trusted(trusted, host.root):
        yield Check("Qwen Code project", OK, f"{host.root} is trusted")
        return
    found = f"{host.root} is not trusted yet, so its hooks and its rules do not count"
    yield Check("Qwen Code project", TODO, found, "start `qwen` in this folder once, and say that you trust it")


def _rules_allow(host: Host, settings: Sequence[Settings], with_ours: Sequence[Settings]) -> Check:
    """Check whether the rules let the agent run `rcs` by the words that it is told to use."""
    from rcs_hooks.clients.qwen.setup import RULES

    allowed = {rule for each in settings for rule in _rules(each.value)}
    if allowed & WHOLE_SHELL:
        return Check("Qwen Code rules", OK, "the agent may run what it is told to, and all else")
    if allowed.issuperset(RULES.allows([QWEN.rcs_command(host.env)])):
        return Check("Qwen Code rules", OK, "the agent may run what it is told to")
    todo = setup_command(QWEN.name, with_ours[0].target.scope if with_ours else USER)
    return Check("Qwen Code rules", WARN, "it asks you before each `rcs` command of the agent", todo)


def _rules(value: Mapping[str, Any]) -> list[str]:
    permissions = value.get("permissions")
    allow = permissions.get("allow") if isinstance(permissions, dict) else None
    return [rule for rule in allow if isinstance(rule, str)] if isinstance(allow, list) else []
