"""Prints pip constraints to the lowest versions that pyproject.toml allows: `python -m tests.lowest [EXTRA ...]`."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


def constraints(project: dict[str, Any], extras: list[str]) -> list[str]:
    """Return `name==version` for what the package and the extras need; of two bounds for a name, the higher."""
    needed = list(project["dependencies"])
    for extra in extras:
        needed += project["optional-dependencies"][extra]
    lowest: dict[str, str] = {}
    for requirement in needed:
        if bound := re.match(r"([\w.-]+)[>~]=([\d.]+)", requirement):
            name, version = bound.groups()
            lowest[name] = max(lowest.get(name, "0"), version, key=_parts)
    return [f"{name}=={version}" for name, version in sorted(lowest.items())]


def _parts(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


if __name__ == "__main__":
    print("\n".join(constraints(tomllib.loads(PYPROJECT.read_text())["project"], sys.argv[1:])))
