"""The script of the pages in one file, put together from its modules, so that a page loads with few requests.

Rules of this file:
- A module becomes a function that is called once, in the order in which the modules need each other.
- So a module imports names alone (`import { a } from "./b.js"`), exports what it declares, and no two need each other.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache

ENTRY = "app.js"
IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";\n', re.M)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|const|class) (\w+))", re.M)
OTHER = re.compile(r"^(?:import|export)\b.*$", re.M)


class Unbundled(Exception):
    """Raised for a module that cannot be put together with the others; only a change of ours makes one."""


def bundle(folder: str) -> bytes:
    """Return the whole script, from the modules in a folder. Raises Unbundled and OSError."""
    return _bundled(folder, tuple(_times(folder)))


def _times(folder: str) -> list[tuple[str, int]]:
    found = []
    for place, _, names in os.walk(folder):
        paths = [os.path.join(place, name) for name in names if name.endswith(".js")]
        found += [(path, os.stat(path).st_mtime_ns) for path in paths]
    return sorted(found)


@lru_cache(maxsize=2)
def _bundled(folder: str, times: tuple[tuple[str, int], ...]) -> bytes:
    """Return the script as the files were at these times."""
    modules: dict[str, str] = {}
    _take(folder, ENTRY, modules, ())
    return "".join(modules.values()).encode()


def _take(folder: str, path: str, modules: dict[str, str], needed_by: tuple[str, ...]) -> str:
    """Add a module behind those that it needs, and return the name of its exports."""
    name = "$" + re.sub(r"\W", "_", path.removeprefix("js/").removesuffix(".js"))
    if path in needed_by:
        raise Unbundled(f"{path} needs itself, by {', '.join(needed_by)}")
    if path in modules:
        return name
    with open(os.path.join(folder, path), encoding="utf-8") as opened:
        text = opened.read()

    def taken(found: re.Match[str]) -> str:
        other = os.path.normpath(os.path.join(os.path.dirname(path), found[2]))
        return f"const {{{found[1].replace(' as ', ': ')}}} = {_take(folder, other, modules, (*needed_by, path))};\n"

    text = IMPORT.sub(taken, text)
    exports = ", ".join(found[1] for found in EXPORT.finditer(text))
    text = EXPORT.sub("", text)
    if left := OTHER.search(text):
        raise Unbundled(f"{path}: {left[0]!r} cannot be put together with other modules")
    modules[path] = f"const {name} = (() => {{\n{text}return {{ {exports} }};\n}})();\n"
    return name
