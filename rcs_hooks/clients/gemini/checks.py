"""Whether Gemini CLI would run our hooks: its switches, its trust in the folder, and the policies of the person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.clients import folder_trust
from rcs_hooks.clients.check import BROKEN, OK, TODO, WARN, Check
from rcs_hooks.clients.gemini import GEMINI, policies
from rcs_hooks.clients.installer import USER, setup_command
from rcs_hooks.clients.reading import value_at
from rcs_hooks.clients.rules import ALLOWED_COMMANDS
from rcs_hooks.errors import Refused
from rcs_hooks.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from rcs_hooks.clients.client_file import ClientFile
    from rcs_hooks.clients.entries import Record
    from rcs_hooks.clients.installer import Host
    from rcs_hooks.clients.reading import Settings

TRUST = "GEMINI_CLI_TRUST_WORKSPACE"


def checks(host: Host, settings: Sequence[Settings], trusted: Record, own: ClientFile) -> Iterator[Check]:
    """Yield checks of what would keep Gemini CLI from running our hooks, or make it ask the person each time.

    `trusted`: the file of trusted folders. `own`: the file with our rule among the person's policies.
    """
    yield from _switches(settings)
    yield _folder_trusted(host, settings, trusted)
    yield _policies_allow(host, own)


def _switches(settings: Sequence[Settings]) -> Iterator[Check]:
    title = "Gemini CLI hooks"
    configs = [(each.path, config) for each in settings if isinstance(config := each.value.get("hooksConfig"), dict)]
    path, first = next(((p, c) for p, c in configs if isinstance(c.get("enabled"), bool)), ("", {}))
    if first.get("enabled") is False:
        todo = "remove hooksConfig.enabled = false"
        yield Check(title, BROKEN, f"{path} has hooksConfig.enabled = false, so none runs", todo)
    names = {name for each in settings for _, hook in each.ours for name in (hook.get("name"), hook.get("command"))}
    for path, config in configs:
        disabled = config.get("disabled")
        for name in names & {each for each in disabled if isinstance(each, str)} if isinstance(disabled, list) else ():
            found = f"{path} lists {clean(str(name), 80)} in hooksConfig.disabled, so ours do not run"
            yield Check(title, BROKEN, found, "start `gemini`, then /hooks enable-all; or remove it there")


def _folder_trusted(host: Host, settings: Sequence[Settings], trusted: Mapping[str, Any]) -> Check:
    """Check whether the folder is trusted: in one that is not, neither its hooks nor the person's run."""
    title = "Gemini CLI project"
    person = [each.value for each in settings if each.target.scope == USER]
    is_off = any(folder_trust.switch(value) is False for value in person)
    if is_off or host.env.get(TRUST) == "true" or folder_trust.is_trusted(trusted, host.root):
        return Check(title, OK, f"{host.root} is trusted")
    found = f"{host.root} is not trusted yet, so no hook runs in it, of yours neither"
    return Check(title, TODO, found, "start `gemini` in this folder once, and say that you trust it")


def _policies_allow(host: Host, own: ClientFile) -> Check:
    """Check whether our rule lets the agent run `rcs` by the words that it is told to use."""
    title = "Gemini CLI policies"
    try:
        value = value_at(own.path, own.boundary, own.load, own.kind) or {}
    except Refused as error:
        return Check(title, WARN, f"{own.path}: {error}", "fix the file by hand, or remove it")
    rcs = GEMINI.rcs_command(host.env)
    if policies.allowed(value).issuperset(f"{rcs} {command}" for command in ALLOWED_COMMANDS):
        return Check(title, OK, "the agent may run what it is told to")
    found = "it asks you before each `rcs` command of the agent, and with -p the agent has no shell"
    return Check(title, WARN, found, setup_command(GEMINI.name, USER))
