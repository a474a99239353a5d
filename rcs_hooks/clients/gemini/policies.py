"""Our rules in Gemini CLI's folder of policies: they let its agent run commands of `rcs` without asking. PURE.

A rule is for the beginning of a command: Gemini CLI checks each part of a line with `;`, `&&`, `|` or `$(…)` by itself,
and asks where a part writes to a file.
"""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING

from rcs_hooks.clients.rules import ALLOWED_COMMANDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rcs_hooks.clients.entries import Record

HEAD = "# Written by `rcs setup`; `rcs uninstall` removes it."
TABLE = "[[rule]]"
LAST = "priority = 100"


def rule(programs: Iterable[str]) -> str:
    """Return our rule as text. `programs`: the words for `rcs`."""
    prefixes = [f"{program} {command}" for program in programs for command in ALLOWED_COMMANDS]
    lines = [HEAD, TABLE, 'toolName = "run_shell_command"', "commandPrefix = ["]
    lines += [f"  {json.dumps(prefix, ensure_ascii=False)}," for prefix in prefixes]
    return "\n".join([*lines, "]", 'decision = "allow"', LAST, ""])


def with_rule(text: str, wanted: str) -> str:
    """Return the policies with our rule, and no other rule of ours."""
    if wanted in text and text.count(HEAD) == 1:
        return text
    text = without_rule(text)
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    return text + gap + wanted


def without_rule(text: str) -> str:
    """Return the policies without our rule."""
    return _parts(text)[0]


def rule_in(text: str) -> str:
    """Return our rule in a text; empty if it has none."""
    return _parts(text)[1]


def _parts(text: str) -> tuple[str, str]:
    """Return the policies without our rule, and our rule.

    It ends with its last line; if that is not there, at a table, a comment or a blank line.
    """
    lines, ours = text.splitlines(keepends=True), ""
    while starts := [number for number, line in enumerate(lines) if line.rstrip() == HEAD]:
        start = starts[-1]
        end = start + 2
        tables = (number for number in range(end, len(lines)) if lines[number].startswith(TABLE))
        until = next(tables, len(lines))
        if whole := next((number for number in range(end, until) if lines[number].rstrip() == LAST), 0):
            end = whole + 1
        while not whole and end < until and lines[end].strip() and not lines[end].startswith(("[", "#")):
            end += 1
        ours = "".join(lines[start:end])
        if start and not lines[start - 1].strip():
            start -= 1
        del lines[start:end]
    return "".join(lines), ours


def allowed(value: Record) -> set[str]:
    """Return the beginnings of commands that parsed policies allow."""
    rules = value.get("rule")
    found: set[str] = set()
    for each in rules if isinstance(rules, list) else []:
        if isinstance(each, dict) and each.get("decision") == "allow":
            prefix = each.get("commandPrefix")
            found.update(one for one in (prefix if isinstance(prefix, list) else [prefix]) if isinstance(one, str))
    return found


def parse(text: str) -> Record:
    """Parse policies. Raises ValueError."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
