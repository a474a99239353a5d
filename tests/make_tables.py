"""Writes what other files repeat: tables of README and of a page, the launcher's names, the manifest's skills.

`python -m tests.make_tables` after `python -m tests.make_modes`; a test says where that was forgotten.
"""

from __future__ import annotations

import re
from pathlib import Path

from rcs_hooks.catalog import MODES, SKILL_FILES, SKILLS
from rcs_hooks.workflow.transitions import policy

CHECKOUT = Path(__file__).parent.parent
SKILLS_PAGE = "rcs_hooks/docs/skills.md"
SHORT = {"autoresearch": "research", "ultrawork": "ulw"}
"""The heads of the columns, where the name is too wide for a terminal of 80 columns."""
ENDS = " ✓"
"""What a phase has behind it in which a run may finish."""


def words_table() -> str:
    rows = [f"| `${mode.tokens[0]}` | {purpose(mode.skill)} |" for mode in MODES.values()]
    rows.append("| `$cancel` | ends every run of this conversation |")
    return "\n".join(["| type | what it does |", "|---|---|", *rows]) + "\n"


def skills_table() -> str:
    rows = ["| type | what it does | phases | rounds | runtime mode |", "|---|---|---|---|---|"]
    for mode in MODES.values():
        first, *others = (f"`${token}`" for token in mode.tokens)
        typed = f"{first} ({', '.join(others)})" if others else first
        phases = ", ".join(f"{phase}{ENDS}" if mode.can_finish(phase) else phase for phase in mode.states)
        rows.append(f"| {typed} | {purpose(mode.skill)} | {phases} | {mode.max_iterations or ''} | {mode.name} |")
    return "\n".join([*rows, f"| `$cancel` | {purpose('cancel')} | | | |"]) + "\n"


def purpose(skill: str) -> str:
    """Return what a skill does, as its description begins."""
    text = (CHECKOUT / "rcs_hooks" / "skills" / skill / "SKILL.md").read_text(encoding="utf-8")
    (found,) = re.findall(r"^description: (.*?)(?:,? in the RCS mode .*)?\. Used when ", text, re.MULTILINE)
    return str(found[0].lower() + found[1:])


def policy_table() -> str:
    names = {mode: MODES[mode].tokens[0] for mode in MODES}
    rows = [["", *(SHORT.get(name, name) for name in names.values())], ["---"] * (len(MODES) + 1)]
    cells = policy()
    rows += [[names[active], *(cells[active, requested] for requested in MODES)] for active in MODES]
    head, line, *rest = rows
    lines = [f"| | {' | '.join(head[1:])} |", f"|{'|'.join(line)}|", *(f"| {' | '.join(row)} |" for row in rest)]
    return "\n".join(lines) + "\n"


def skills_of_manifest() -> str:
    return ",\n".join(f'    "./rcs_hooks/skills/{name}"' for name in SKILL_FILES) + "\n"


REPEATED = {
    "README.md, words": ("README.md", r"(?<=\n)\| type \|.*\n(?:\|.*\n)+", words_table),
    "docs/skills.md, skills": (SKILLS_PAGE, r"(?<=\n)\| type \|.*\n(?:\|.*\n)+", skills_table),
    "docs/skills.md, policy": (SKILLS_PAGE, r"(?<=\n)\| \| brief \|.*\n(?:\|.*\n)+", policy_table),
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
