"""Puts together what counts in a workspace: variables, the project's file if it is trusted, the person's own file."""

from __future__ import annotations

import os

from rcs_hooks.config import proof_table, reading, trust
from rcs_hooks.config.proof_table import TABLE, Said
from rcs_hooks.config.values import DEFAULT_SECONDS, Config, ProofSettings
from rcs_hooks.environment import is_of_agent
from rcs_hooks.fault import Fault
from rcs_hooks.files.paths import HOME
from rcs_hooks.files.workspaces import home_of, is_foreign
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rcs_hooks.config.reading import TomlFile

PROJECT_FILE = "rcs.toml"
HOME_FILE = "config.toml"
HOME_SHOWN = f"~/{HOME}/{HOME_FILE}"
SHARE = "share"
IN_DOUBT = f"{PROJECT_FILE} has changed since it was trusted"
MOST_FAULTS = 20
SHOWN = 40


def project_file(root: str) -> str:
    """Return the path of a project's own settings."""
    return os.path.join(root, PROJECT_FILE)


def load(env: Mapping[str, str], root: str) -> Config:
    """Return what counts in a workspace, and what is wrong with it. Never raises for the content of a file."""
    faults: list[Fault] = []
    home = _home(env, faults)
    said = _in_variables(env, faults)
    project = _in_project(home, root, faults)
    if project.is_trusted:
        said.append((PROJECT_FILE, project.said))
    if home is not None and (own := reading.read(os.path.join(home, HOME, HOME_FILE), through_links=True)):
        said.append((HOME_SHOWN, _in(own, (TABLE, SHARE), faults)))
    proof, sources = _settled(said)
    if project.has_changed and sources.get(proof_table.COMMAND) != proof_table.variable(proof_table.COMMAND):
        proof = proof._replace(in_doubt=IN_DOUBT)  # else whoever edits the file could choose what proves
    untrusted = _settled([(PROJECT_FILE, project.said)])[0] if project.has_table and not project.is_trusted else None
    return Config(proof, untrusted, tuple(faults[:MOST_FAULTS]), sources, project.has_changed)


def _home(env: Mapping[str, str], faults: list[Fault]) -> str | None:
    """Return the person's home; None if there is none, or another user owns its `.rcs`."""
    home = home_of(env)
    if home is None or not is_foreign(home):
        return home
    faults.append(Fault(os.path.join(home, HOME), 0, "it belongs to another user, so nothing in it counts"))
    return None


def _in_variables(env: Mapping[str, str], faults: list[Fault]) -> list[tuple[str, Said]]:
    """Return what each variable says. In an agent's shell they say nothing: the agent could set them for itself."""
    names = [proof_table.variable(key) for key in proof_table.KEYS]
    if is_of_agent(env):
        why = f"it counts for nothing in an agent's shell; write it into {HOME_SHOWN}"
        faults += [Fault(name, 0, why) for name in names if env.get(name, "").strip()]
        return []
    (command, required, seconds), wrong = proof_table.in_variables(env)
    faults += wrong
    return list(zip(names, (Said(command), Said(None, required), Said(None, None, seconds)), strict=True))


class _Project(NamedTuple):
    """What the project's file says of proofs, and what the person thinks of it."""

    said: Said
    has_table: bool
    is_trusted: bool
    has_changed: bool


def _in_project(home: str | None, root: str, faults: list[Fault]) -> _Project:
    file = project_file(root)
    source = reading.read(file)
    trusted, fault = trust.trusted_in(home) if home else ({}, None)
    said = _in(source, (TABLE,), faults) if source else Said()
    table = source.tables.get(TABLE) if source else None
    if fault and table is not None:
        faults.append(fault)
    known = trusted.get(os.path.realpath(file))
    is_trusted = isinstance(table, dict) and known == trust.digest_of(table)
    return _Project(said, isinstance(table, dict) and bool(table), is_trusted, known is not None and not is_trusted)


def _in(source: TomlFile, tables: Sequence[str], faults: list[Fault]) -> Said:
    """Return what a file says of proofs; add its faults. `tables`: those that it may have."""
    if source.fault:
        faults.append(source.fault)
        return Said()
    for name in source.tables:
        if name in tables:
            continue
        known = " and ".join(f"[{each}]" for each in tables)
        why = (
            f"[{SHARE}] counts in {HOME_SHOWN} alone"
            if name == SHARE
            else f"unknown key {name[:SHOWN]!r}; known: {known}"
        )
        faults.append(Fault(source.path, source.line(name), why))
    said, wrong = proof_table.in_file(source)
    faults += wrong
    if SHARE in tables and SHARE in source.tables:
        from rcs_hooks.config import share_table  # few people share, and it loads much

        faults += share_table.in_file(source)[1]
    return said


def _settled(said: Sequence[tuple[str, Said]]) -> tuple[ProofSettings, dict[str, str]]:
    """Return the settings, each from the first of these sources that says it, and where each comes from."""
    sources: dict[str, str] = {}
    values: dict[str, str | bool | float] = {}
    for name, each in said:
        for key, value in zip(proof_table.KEYS, each, strict=True):
            if value is not None and key not in values:
                values[key], sources[key] = value, name
    command, required, seconds = map(values.get, proof_table.KEYS)
    required_by = sources[proof_table.REQUIRED] if required else ""
    settings = ProofSettings(
        command if isinstance(command, str) else None,
        bool(required),
        seconds if isinstance(seconds, float) else DEFAULT_SECONDS,
        sources.get(proof_table.COMMAND, required_by),
        required_by,
    )
    return settings, sources
