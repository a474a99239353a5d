"""Whether Codex would run our hooks: it wants the project trusted, and each hook approved as it stands."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rcs_hooks.errors import Refused
from rcs_hooks.install import clients, merge, tomledit, trust
from rcs_hooks.install.check import BROKEN, OK, WARN, Check
from rcs_hooks.install.clients import CODEX, PROJECT, USER
from rcs_hooks.install.settings import server
from rcs_hooks.state.paths import inside
from rcs_hooks.workflow.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rcs_hooks.install.clients import Machine
    from rcs_hooks.install.settings import Settings

KNOWN_KEYS = frozenset({"description", "hooks"})
KNOWN_TYPES = frozenset({"command", "prompt", "agent", "mcp_tool"})
LINK_LENGTH = 4096


def checks(machine: Machine, found: Sequence[Settings]) -> Iterator[Check]:
    having = [each for each in found if each.ours]
    configs = {each.place.scope: each for each in found if each.path == each.place.config_file}
    person = configs[USER].value if USER in configs else {}
    for each in configs.values():
        if isinstance(features := each.value.get("features"), dict) and features.get("hooks") is False:
            yield Check("Codex hooks", BROKEN, f"{each.path} switches them off", "take out features.hooks = false")
    for each in having:
        yield from _taken(each)
    if any(each.place.scope == PROJECT for each in having):
        yield _project(machine, person)
    for each in having:
        yield from _approved(each, person)
    yield from _tools_approved(machine, found)
    yield _sandbox(machine, found, configs)


def _taken(settings: Settings) -> Iterator[Check]:
    """Codex drops a hooks.json in which it does not know everything."""
    if settings.path != settings.place.hooks_file:
        return
    if unknown := sorted(set(settings.value) - KNOWN_KEYS):
        found = f"{settings.path} has the key '{clean(unknown[0])}', so Codex takes none of it"
        yield Check("Codex hooks", BROKEN, found, "take that key out")
    kinds = [h.get("type") if isinstance(h, dict) else None for _, h in merge.handlers(settings.value)]
    if any(not isinstance(kind, str) or kind not in KNOWN_TYPES for kind in kinds):
        found = f"{settings.path} has a hook of a type that Codex does not know, so it takes none of it"
        yield Check("Codex hooks", BROKEN, found, "take that hook out")


def _project(machine: Machine, person: Mapping[str, Any]) -> Check:
    folders = projects(machine.root)
    if trust.of_project(person, folders):
        return Check("Codex project", OK, f"{machine.root} is trusted")
    todo = "start `codex` in it once, and say that you trust it"
    return Check("Codex project", BROKEN, f"{machine.root} is not trusted, so its hooks do not run", todo)


def _approved(settings: Settings, person: Mapping[str, Any]) -> Iterator[Check]:
    folder, name = os.path.split(settings.path)
    path = os.path.join(os.path.realpath(folder), name)
    by_state: dict[str, list[str]] = {}
    for spot, handler in settings.ours:
        matcher = settings.value["hooks"][spot[0]][spot[1]].get("matcher")
        by_state.setdefault(trust.of_hook(person, path, spot, handler, matcher), []).append(spot[0])
    for state, events in by_state.items():
        named = clean(", ".join(dict.fromkeys(events)), 80)
        if state == trust.TRUSTED:
            yield Check("Codex trust", OK, f"{named}: approved as they stand")
        else:
            again = " again" if state == trust.MODIFIED else ""
            todo = f"start `codex` and approve them{again}: /hooks"
            yield Check("Codex trust", BROKEN, f"{named}: {state}, so Codex passes them over", todo)


def _tools_approved(machine: Machine, found: Sequence[Settings]) -> Iterator[Check]:
    """Codex asks the person before a tool that may change something; where nobody can be asked, the call fails."""
    there = server(machine, CODEX, found)
    if there is None or not any(each.ours for each in found):
        return
    if there.entry.get(merge.APPROVAL) == merge.APPROVED:
        yield Check("Codex tools", OK, f"the agent may call the tools of {merge.SERVER}")
        return
    todo = (
        f'set {merge.APPROVAL} = "{merge.APPROVED}" in [mcp_servers.{merge.SERVER}], as rcs setup --transport mcp does'
    )
    yield Check("Codex tools", WARN, f"it asks you before the agent calls a tool of {merge.SERVER}", todo)


def projects(root: str) -> list[str]:
    """The names under which a project may be trusted: its folder, the repository it is in, a worktree's main one."""
    top = root
    while not os.path.lexists(os.path.join(top, ".git")) and top != os.path.dirname(top):
        top = os.path.dirname(top)
    names = [root, os.path.realpath(root)]
    link = os.path.join(top, ".git")
    if os.path.lexists(link):
        names += [top, os.path.realpath(top)]
    if os.path.isfile(link):
        main, found, _ = os.path.join(top, _gitdir(link)).partition(f"{os.sep}.git{os.sep}worktrees{os.sep}")
        names += [os.path.realpath(main)] if found and "\0" not in main else []
    return list(dict.fromkeys(names))


def _gitdir(link: str) -> str:
    try:
        with open(link, "rb") as file:
            return os.fsdecode(file.read(LINK_LENGTH)).removeprefix("gitdir:").strip()
    except OSError:
        return ""


def _sandbox(machine: Machine, found: Sequence[Settings], configs: Mapping[str, Settings]) -> Check:
    """The project's own config counts for more than the person's."""
    values = [configs[scope].value for scope in (PROJECT, USER) if scope in configs]
    mode = next((value["sandbox_mode"] for value in values if "sandbox_mode" in value), "workspace-write")
    if mode == "danger-full-access":
        return Check("Codex sandbox", OK, "an agent may write everywhere")
    there = server(machine, CODEX, found)
    if mode == "read-only" and there is not None and there.entry.get(merge.APPROVAL) == merge.APPROVED:
        return Check("Codex sandbox", OK, f"sandbox_mode is read-only: an agent records through {merge.SERVER}")
    if mode == "read-only":
        said = "sandbox_mode is read-only: an agent cannot record an outcome, so each run is held once, then let go"
        return Check("Codex sandbox", WARN, said, "use workspace-write, or rcs setup --client codex --transport mcp")
    store = os.path.dirname(machine.env.get("RCS_DB", "")) or clients.writable(machine)[0]
    try:
        roots = [machine.root, *(root for value in values for root in tomledit.writable_roots(value))]
    except Refused as error:
        return Check("Codex sandbox", BROKEN, str(error), "mend config.toml by hand")
    if any(inside(os.path.realpath(store), os.path.realpath(root)) for root in roots if "\0" not in root):
        return Check("Codex sandbox", OK, f"an agent may write the run store in {store}")
    if there is not None:
        return Check("Codex sandbox", OK, f"an agent reaches the run store in {store} through {merge.SERVER}")
    scope = next((each.place.scope for each in found if each.ours), USER)
    todo = f"rcs setup --client codex --scope {scope} --writable"
    return Check("Codex sandbox", WARN, f"an agent may not write the run store in {store}", todo)
