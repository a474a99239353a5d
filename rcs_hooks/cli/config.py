"""The command `rcs config | trust`: what is configured here and where it comes from; trust in a project's file."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from rcs_hooks import config
from rcs_hooks.cli import options, output
from rcs_hooks.config import loading, proof_table, reading, trust
from rcs_hooks.config.proof_table import Said
from rcs_hooks.environment import AGENT, typed_by
from rcs_hooks.errors import Refused
from rcs_hooks.files.workspaces import find_root, home_of
from rcs_hooks.terminal.table import Column, Row
from rcs_hooks.text import clean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rcs_hooks.config import Config, ProofSettings

LONGEST = 400
DEFAULT = "default"
COLUMNS = (Column("SETTING"), Column("VALUE"), Column("FROM"))
TRUST = "rcs config trust"


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "config",
        "Show the settings that count here, and where each comes from: the variables RCS_PROOF_*, rcs.toml of the"
        " project once you trust it, ~/.rcs/config.toml of yours.",
        "rcs config",
        "rcs config --json",
        "rcs config trust",
    )
    parser.add_argument("--root", metavar="FOLDER", help="the workspace (default: that of this folder)")
    options.add_json(parser)
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    purpose = "let [proof] of the project's rcs.toml count, as it is now"
    trusting = options.add_action(actions, "trust", purpose, "rcs config trust", "rcs config trust --remove")
    trusting.add_argument("--remove", action="store_true", help="let it count no longer")
    trusting.add_argument("--root", metavar="FOLDER", default=argparse.SUPPRESS, help="the workspace")
    trusting.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print one line of JSON")
    return parser


def run(argv: Sequence[str]) -> int:
    args = build().parse_args(argv)
    root = os.path.abspath(args.root) if args.root else find_root(os.environ, os.getcwd())
    if args.action == "trust":
        return _trust(root, remove=args.remove, as_json=args.json)
    return _show(root, as_json=args.json)


# --- show


def _show(root: str, *, as_json: bool) -> int:
    found = config.load(os.environ, root)
    if as_json:
        output.result(_as_json(root, found))
        return output.OK
    rows = [
        Row((f"proof.{key}", _shown(value), found.sources.get(key, DEFAULT)))
        for key, value in _raw(found.proof).items()
    ]
    output.table(rows, COLUMNS, has_titles=False)
    doubt = ", and nothing is proven" if found.proof.in_doubt else ""
    if found.untrusted:
        what = "has changed since you trusted it" if found.has_changed else "is not trusted"
        output.text(f"\n[proof] of {loading.PROJECT_FILE} {what}, so it counts for nothing{doubt}:")
        _print(_raw(found.untrusted))
        is_faulty = any(os.path.basename(fault.file) == loading.PROJECT_FILE for fault in found.faults)
        first = "correct what is named below, then " if is_faulty else ""
        output.text(f"To let it count, {first}type in a terminal of your own: {TRUST}")
    elif found.has_changed:
        output.text(
            f"\n{loading.PROJECT_FILE} no longer has the [proof] that you trusted, so nothing of it counts{doubt}."
        )
    for fault in found.faults:
        output.refused(clean(fault.sentence, LONGEST))
    return output.OK


def _as_json(root: str, found: Config) -> dict[str, object]:
    proof = {
        key: {"value": value, "source": found.sources.get(key, DEFAULT)} for key, value in _raw(found.proof).items()
    }
    return {
        "ok": True,
        "root": root,
        "proof": proof,
        "untrusted": _raw(found.untrusted) if found.untrusted else None,
        "changed": found.has_changed,
        "faults": [
            {"file": fault.file, "line": fault.line, "text": clean(fault.problem, LONGEST)} for fault in found.faults
        ],
    }


def _raw(settings: ProofSettings) -> dict[str, object]:
    """Return the settings by their keys; the timeout in seconds."""
    return dict(zip(proof_table.KEYS, settings[:3], strict=True))


def _shown(value: object) -> str:
    """Return a value as it may be written in a file; `-` for none. Numbers are seconds."""
    if value is None or isinstance(value, str):
        return value or "-"
    if isinstance(value, bool):
        return "true" if value else "false"
    seconds = value if isinstance(value, float) else 0.0
    return f"{seconds:g}s" if seconds % 60 else f"{seconds / 60:g}m"


def _print(values: Mapping[str, object]) -> None:
    for key, value in values.items():
        if value is not None:
            output.text(output.plain(f"  {key:<9} {_shown(value)}"))


# --- trust


def _trust(root: str, *, remove: bool, as_json: bool) -> int:
    if typed_by(os.environ, is_terminal=options.is_terminal()) == AGENT:
        words = f"{TRUST} --remove" if remove else TRUST
        raise Refused(f"this is an agent's shell, and trust is for a person to give: type it in a terminal: {words}")
    home = home_of(os.environ)
    if home is None:
        raise Refused("HOME is not set, so there is nowhere to keep what you trust; set HOME and try again")
    file = loading.project_file(root)
    said, digest = (Said(), None) if remove else _sound(file)
    was_changed = trust.change(home, file, digest)
    if as_json:
        output.result(_as_json(root, config.load(os.environ, root)) | {"was_changed": was_changed})
    elif remove:
        output.text(output.plain(f"{file} {'is no longer' if was_changed else 'was not'} trusted"))
    else:
        output.text(output.plain(f"{file} is trusted{'' if was_changed else ' already'}, as it is now:"))
        _print(dict(zip(proof_table.KEYS, said, strict=True)))
        output.text(f"Once [proof] changes, it counts for nothing until you type again: {TRUST}")
    return output.OK


def _sound(file: str) -> tuple[Said, str]:
    """Return what a file says of proofs, and the digest to trust. Raises Refused if it says nothing, or is faulty."""
    source = reading.read(file)
    if source is None:
        example = 'a line [proof], and below it one such as command = "pytest -q"'
        raise Refused(f"there is no {file}, so there is nothing to trust; to make one, write into it {example}")
    said, faults = proof_table.in_file(source)
    if fault := source.fault or next(iter(faults), None):
        raise Refused(f"{clean(fault.sentence, LONGEST)}; correct that, and type again: {TRUST}")
    table = source.tables.get(proof_table.TABLE)
    if table is None:
        raise Refused(f"{file} has no table [proof], so there is nothing to trust")
    if said == Said():
        raise Refused(f"[proof] of {file} names no command and nothing else, so there is nothing to trust")
    return said, trust.digest_of(table)
