"""Prints pip constraints to the lowest versions that pyproject.toml allows: `python -m tests.lowest [EXTRA ...]`.

The extras after `--` are installed beside those at whatever versions pip takes: of what is needed already, theirs may
be the higher bound.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


def constraints(project: dict[str, Any], extras: list[str], beside: list[str]) -> list[str]:
    """Return `name==version` for what the package and the extras need; of two bounds for a name, the higher.

    `beside`: the extras that add no name, but whose bounds count too.
    """
    of_extras = project["optional-dependencies"]
    lowest = _bounds(project["dependencies"] + [each for extra in extras for each in of_extras[extra]])
    for name, version in _bounds([each for extra in beside for each in of_extras[extra]]).items():
        if name in lowest:
            lowest[name] = max(lowest[name], version, key=_parts)
    return [f"{name}=={version}" for name, version in sorted(lowest.items())]


def _bounds(requirements: list[str]) -> dict[str, str]:
    lowest: dict[str, str] = {}
    for requirement in requirements:
        if bound := re.match(r"([\w.-]+)[>~]=([\d.]+)", requirement):
            name, version = bound.groups()
            lowest[name] = max(lowest.get(name, "0"), version, key=_parts)
    return lowest


def _parts(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


if __name__ == "__main__":
    named = [*sys.argv[1:], "--"]
    wanted, besides = named[: named.index("--")], [word for word in named[named.index("--") :] if word != "--"]
    print("\n".join(constraints(tomllib.loads(PYPROJECT.read_text())["project"], wanted, besides)))
