"""Rules in a client's JSON settings that let its agent run commands of `rcs` without asking the person. PURE."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks.clients.entries import may_name, part, take_whole
from rcs_hooks.editing import jsonedit, jsontree

if TYPE_CHECKING:
    from collections.abc import Iterable

TASK_ACTIONS = ("new", "list", "status", "schema", "next", "plan", "codegen", "review", "collect", "redo")
"""What an agent may do with a task unasked: it runs no command and undoes no work. No rule can tell `next --override`
from `next`: an override into done, which would accept the work, is refused in an agent's shell, and any other is shown
as an agent's."""
ALLOWED_COMMANDS = ("state", "question", "emit", *(f"task {action}" for action in TASK_ACTIONS))
"""The commands of `rcs` that an agent is told to run, without those that carry another command."""
ALLOW = ("permissions", "allow")


class RuleForm(NamedTuple):
    """The way in which a client writes that any command which begins with these words is allowed."""

    before: str
    after: str
    others: frozenset[str] = frozenset()
    """Rules of ours of another kind."""

    def allows(self, programs: Iterable[str]) -> list[str]:
        """Return the rules that let the agent run `rcs` unasked. `programs`: the words for `rcs`."""
        return [f"{self.before}{program} {command}{self.after}" for program in programs for command in ALLOWED_COMMANDS]

    def is_ours(self, rule: object) -> bool:
        """Tell whether setup may have written this rule."""
        if not isinstance(rule, str):
            return False
        if rule in self.others:
            return True
        inner = rule.removeprefix(self.before).removesuffix(self.after)
        if rule != f"{self.before}{inner}{self.after}" or not may_name("rcs", inner):
            return False
        try:
            words = shlex.split(inner)
        except ValueError:
            return False
        return words[0].rpartition("/")[2] == "rcs" and " ".join(words[1:]) in ALLOWED_COMMANDS

    def put(self, text: str, wanted: Iterable[str]) -> str:
        """Return the settings with these rules and no other rules of ours; unchanged if none is wanted."""
        wanted = list(wanted)
        present = rules_in(text)
        stale = [number for number, rule in enumerate(present) if self.is_ours(rule) and rule not in wanted]
        if wanted and stale:
            text = jsonedit.take_members(text, ALLOW, stale)
        for rule in wanted:
            if rule not in rules_in(text):
                text = jsonedit.put(text, (*ALLOW, len(rules_in(text))), rule)
        return text

    def take(self, text: str) -> str:
        """Return the settings without our rules."""
        rules = rules_in(text)
        ours = [number for number, rule in enumerate(rules) if self.is_ours(rule)]
        if len(ours) < len(rules):
            return jsonedit.take_members(text, ALLOW, ours) if ours else text
        return take_whole(jsonedit.take_members(text, ALLOW, ours[1:]), (*ALLOW, 0)) if ours else text

    def copy(self, other: str, text: str) -> str:
        """Return the settings `text` with our rules of the settings `other`."""
        return self.put(text, [rule for rule in rules_in(other) if self.is_ours(rule)])


def rules_in(text: str) -> list[Any]:
    """Return what the settings allow, unchecked. Raises Refused if it is not a list."""
    permissions = part(jsontree.parse(text).value, ALLOW[0], dict)
    rules: list[Any] = part(permissions, ALLOW[1], list, ALLOW[0])
    return rules
