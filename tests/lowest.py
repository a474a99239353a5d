"""Prints pip constraints to the lowest versions that pyproject.toml allows: `python -m tests.lowest [EXTRA ...]`.

Packages of other extras that are to be pinned too are named after `--`.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


def constraints(project: dict[str, Any], extras: list[str], packages: list[str]) -> list[str]:
    """Return `name==version` for what the package and the extras need; of two bounds for a name, the higher.

    `packages`: names that any other extra may need.
    """
    of_extras = project["optional-dependencies"]
    lowest = _bounds(project["dependencies"] + [each for extra in extras for each in of_extras[extra]])
    of_any = _bounds([each for needed in of_extras.values() for each in needed])
    for name in packages:
        lowest[name] = max(lowest.get(name, "0"), of_any[name], key=_parts)
    return [f"{name}=={version}" for name, version in sorted(lowest.items())]


def _bounds(requirements: list[str]) -> dict[str, str]:
    lowest: dict[str, str] = {}
    for requirement in requirements:
        if bound := re.match(r"([\w.-]+)(?:\[[^]]*\])?[>~]=([\d.]+)", requirement):
            name, version = bound.groups()
            lowest[name] = max(lowest.get(name, "0"), version, key=_parts)
    return lowest


def _parts(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


if __name__ == "__main__":
    words = [*sys.argv[1:], "--"]
    at = words.index("--")
    print("\n".join(constraints(tomllib.loads(PYPROJECT.read_text())["project"], words[:at], words[at + 1 : -1])))
