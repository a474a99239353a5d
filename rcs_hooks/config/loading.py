"""Puts together what counts in a workspace: variables, the project's file if it is trusted, the person's own file."""

from __future__ import annotations

import os

from rcs_hooks.config import proof_table, reading, trust
from rcs_hooks.config.proof_table import COMMAND, REQUIRED, TIMEOUT, Said
from rcs_hooks.config.values import DEFAULT_SECONDS, Config, ConfigFault, ProofSettings
from rcs_hooks.environment import is_of_agent
from rcs_hooks.files.paths import HOME
from rcs_hooks.files.workspaces import home_of, is_foreign

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rcs_hooks.config.reading import SettingsFile

PROJECT_FILE = "rcs.toml"
HOME_FILE = "config.toml"
HOME_SHOWN = f"~/{HOME}/{HOME_FILE}"
SHARE = "share"
MOST_FAULTS = 20
SHOWN = 40


def project_file(root: str) -> str:
    """Return the path of a project's own settings."""
    return os.path.join(root, PROJECT_FILE)


def load(env: Mapping[str, str], root: str) -> Config:
    """Return what counts in a workspace, and what is wrong with it. Never raises for the content of a file."""
    home = home_of(env)
    if home is not None and is_foreign(home):
        foreign = ConfigFault(os.path.join(home, HOME), 0, "it belongs to another user, so nothing in it counts")
        home = None
    else:
        foreign = None
    faults = [foreign] if foreign else []
    said: list[tuple[str, Said]] = _in_variables(env, faults)
    project, has_changed, untrusted = _in_project(home, root, faults)
    if project is not None and untrusted is None:
        said.append((PROJECT_FILE, project))
    if home is not None and (own := reading.read(os.path.join(home, HOME, HOME_FILE), through_links=True)):
        said.append((HOME_SHOWN, _in(own, (proof_table.TABLE, SHARE), faults)))
    proof, sources = _settled(said)
    return Config(proof, untrusted, tuple(faults[:MOST_FAULTS]), sources, has_changed)


def _in_variables(env: Mapping[str, str], faults: list[ConfigFault]) -> list[tuple[str, Said]]:
    """Return what each variable says. In an agent's shell they say nothing: the agent could set them for itself."""
    names = [proof_table.variable(key) for key in proof_table.KEYS]
    if is_of_agent(env):
        why = f"it counts for nothing in an agent's shell; write it into {HOME_SHOWN}"
        faults += [ConfigFault(name, 0, why) for name in names if env.get(name, "").strip()]
        return []
    said, wrong = proof_table.in_variables(env)
    faults += wrong
    return [
        (names[0], Said(command=said.command)),
        (names[1], Said(required=said.required)),
        (names[2], Said(seconds=said.seconds)),
    ]


def _in_project(
    home: str | None, root: str, faults: list[ConfigFault]
) -> tuple[Said | None, bool, ProofSettings | None]:
    """Return what the project's file says, whether it has changed since it was trusted, and all that is not trusted."""
    file = project_file(root)
    source = reading.read(file)
    entries, fault = trust.entries_in(home) if home else ({}, None)
    if source is None:
        return None, trust.status_of(entries, file, None) == trust.CHANGED, None
    said = _in(source, (proof_table.TABLE,), faults)
    table = source.tables.get(proof_table.TABLE)
    status = trust.status_of(entries, file, table)
    if fault and table is not None:
        faults.append(fault)
    has_changed = status == trust.CHANGED
    if status == trust.TRUST or not isinstance(table, dict):
        return said, has_changed, None
    return said, has_changed, _settled([(PROJECT_FILE, said)])[0]


def _in(source: SettingsFile, tables: Sequence[str], faults: list[ConfigFault]) -> Said:
    """Return what a file says of proofs; add its faults. `tables`: those that it may have."""
    if source.fault:
        faults.append(source.fault)
        return Said()
    for name in source.tables:
        if name == SHARE and name not in tables:
            faults.append(ConfigFault(source.path, source.line(name), f"[share] counts in {HOME_SHOWN} alone"))
        elif name not in tables:
            known = " and ".join(f"[{each}]" for each in tables)
            faults.append(
                ConfigFault(source.path, source.line(name), f"there is no table {name[:SHOWN]!r}; known: {known}")
            )
    said, wrong = proof_table.in_file(source)
    faults += wrong
    return said


def _settled(said: Sequence[tuple[str, Said]]) -> tuple[ProofSettings, dict[str, str]]:
    """Return the settings, each from the first of these sources that says it, and where each comes from."""
    sources: dict[str, str] = {}
    command = required = seconds = None
    for name, each in said:
        if command is None and each.command is not None:
            command, sources[COMMAND] = each.command, name
        if required is None and each.required is not None:
            required, sources[REQUIRED] = each.required, name
        if seconds is None and each.seconds is not None:
            seconds, sources[TIMEOUT] = each.seconds, name
    required_by = sources.get(REQUIRED, "") if required else ""
    source = sources.get(COMMAND) or required_by
    return ProofSettings(command, bool(required), seconds or DEFAULT_SECONDS, source, required_by), sources
