"""Writes what other files repeat of the catalog: README's two tables, the launcher's names, the manifest's skills.

`python -m tests.make_tables` after `python -m tests.make_modes`; a test says where that was forgotten.
"""

from __future__ import annotations

import re
from pathlib import Path

from rcs_hooks.catalog import MODES, SKILL_FILES, SKILLS
from rcs_hooks.workflow.transitions import POLICY

CHECKOUT = Path(__file__).parent.parent
SHORT = {"deep-interview": "interview", "autoresearch": "research"}
"""The heads of the columns, where the name of the mode is too wide."""


def skills_table() -> str:
    rows = ["| type | runtime mode | what it is | first phase |", "|---|---|---|---|"]
    for mode in MODES.values():
        first, *others = (f"`${token}`" for token in mode.tokens)
        typed = f"{first} ({', '.join(others)})" if others else first
        kind = "planning" if mode.is_planning else "execution"
        rows.append(f"| {typed} | {mode.name} | {kind} | {mode.first_phase} |")
    return "\n".join([*rows, "| `$cancel` | | ends all that is active in this session | |"]) + "\n"


def policy_table() -> str:
    rows = [["", *(SHORT.get(mode, mode) for mode in MODES)], ["---"] * (len(MODES) + 1)]
    rows += [[active, *(POLICY[active, requested] for requested in MODES)] for active in MODES]
    head, line, *rest = rows
    lines = [f"| | {' | '.join(head[1:])} |", f"|{'|'.join(line)}|", *(f"| {' | '.join(row)} |" for row in rest)]
    return "\n".join(lines) + "\n"


def skills_of_manifest() -> str:
    return ",\n".join(f'    "./rcs_hooks/skills/{name}"' for name in SKILL_FILES) + "\n"


REPEATED = {
    "README.md, skills": ("README.md", r"(?<=\n)\| type \|.*\n(?:\|.*\n)+", skills_table),
    "README.md, policy": ("README.md", r"(?<=\n)\| \| interview \|.*\n(?:\|.*\n)+", policy_table),
    "hooks/plugin": ("hooks/plugin", r"(?<=\n)NAMES='.*'\n", lambda: f"NAMES='{'|'.join(SKILLS)}'\n"),
    "plugin.json": (".claude-plugin/plugin.json", r'(?<="skills": \[\n)(?: +".*\n)+', skills_of_manifest),
}
"""What is written where: a file, the pattern of the part, and what makes it."""


def present(name: str) -> str:
    """Return the part as the file has it."""
    path, pattern, _ = REPEATED[name]
    (found,) = re.findall(pattern, (CHECKOUT / path).read_text())
    return str(found)


def main() -> None:
    for name, (path, _, make) in REPEATED.items():
        file = CHECKOUT / path
        file.write_text(file.read_text().replace(present(name), make()))


if __name__ == "__main__":
    main()
