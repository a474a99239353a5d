"""Writes `rcs_hooks/shipped_modes.py` and the names in `rcs_hooks/catalog.py` from the SKILL.md files that ship.

`python -m tests.make_modes` after a change of a declaration; a test says where that was forgotten. Tables of README and
the like follow with `python -m tests.make_tables`.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from rcs_hooks.mode_def import ModeDef
from rcs_hooks.modes import declaration

CHECKOUT = Path(__file__).parent.parent
SKILLS = CHECKOUT / "rcs_hooks" / "skills"
MODULE = CHECKOUT / "rcs_hooks" / "shipped_modes.py"
CATALOG = CHECKOUT / "rcs_hooks" / "catalog.py"
ORDER = ("brief", "blueprint", "autoresearch", "crew", "forge", "autoforge", "ultrawork", "ultraqa")
"""The skills that are modes, in the order of every table and list."""
OTHERS = ("cancel", "task")
"""The skills that setup installs too."""
LEFT_OUT = ("source", "file")
FIELDS = (
    "name",
    "kind",
    "tokens",
    *(each for each in ModeDef.__slots__ if each not in ("name", "kind", "tokens", *LEFT_OUT)),
)
HEAD = '''"""Holds the modes that ship, as their SKILL.md files declare them. Written by `python -m tests.make_modes`.

Only constants, so that a hook loads them in no time; `rcs_hooks/mode_def.py` makes `ModeDef` objects of them.
"""

'''
PART = re.compile(r"(?<=# --- made from the skills\n).*(?=# --- end of what is made\n)", re.DOTALL)


def declared() -> list[ModeDef]:
    """Return the modes that the files declare. A file with a fault ends the program."""
    modes = []
    for name in ORDER:
        path = SKILLS / name / "SKILL.md"
        found = declaration.read(path.read_text(encoding="utf-8"), name=name, file=str(path.relative_to(CHECKOUT)))
        if found.mode is None:
            sys.exit("\n".join(fault.sentence for fault in found.faults) or f"{path} declares no mode")
        modes.append(found.mode)
    return modes


def rows(modes: list[ModeDef]) -> tuple[tuple[object, ...], ...]:
    """Return the values of each mode in the order of `FIELDS`, mappings as pairs."""
    return tuple(tuple(_constant(getattr(mode, field)) for field in FIELDS) for mode in modes)


def _constant(value: object) -> object:
    return tuple(value.items()) if isinstance(value, dict) else value


def module(modes: list[ModeDef]) -> str:
    return _formatted(f"{HEAD}FIELDS = {FIELDS!r}\n\nMODES = {rows(modes)!r}\n")


def names(modes: list[ModeDef]) -> tuple[dict[str, str], dict[str, str], tuple[str, ...]]:
    """Return what the catalog repeats: tokens, misspelled tokens, and the skills that setup installs."""
    tokens = {token: mode.name for mode in modes for token in mode.tokens} | {"cancel": "cancel"}
    misnamed = {typed: token for mode in modes for typed, token in mode.misnamed.items()}
    return tokens, misnamed, (*(mode.skill for mode in modes), *OTHERS)


def part_of_catalog(modes: list[ModeDef]) -> str:
    tokens, misnamed, files = names(modes)
    return _formatted(
        f'SKILLS = {tokens!r}\n"""What a person may type after the `$`, in lower case, and the mode (or `cancel`) that'
        f' it names."""\nMISNAMED = {misnamed!r}\n"""What people type by mistake, and the token that they mean."""\n'
        f'SKILL_FILES = {files!r}\n"""The skills whose `SKILL.md` ships."""\n'
    )


def _formatted(text: str) -> str:
    command = [sys.executable, "-m", "ruff", "format", "-", "--stdin-filename", str(MODULE)]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True, cwd=CHECKOUT).stdout


def main() -> None:
    modes = declared()
    catalog = CATALOG.read_text()
    CATALOG.write_text(PART.sub(lambda _: part_of_catalog(modes), catalog))
    MODULE.write_text(module(modes))


if __name__ == "__main__":
    main()
