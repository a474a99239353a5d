"""Tells a prompt that a client made from one that a person typed.

Rules of this file:
- A prompt is machine-made only where nothing else is in it: one word beside an envelope makes it the person's.
- An element that is not in the list is a person's paste.
- A Stop's reason that comes back as a prompt is nobody's: it must not start the counts of Stops over. It is known by
  its whole text, which the hooks keep; its shape decides only where their notes are gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re

ENVELOPES = frozenset(
    {
        "task-notification",
        "local-command-stdout",
        "local-command-stderr",
        "local-command-caveat",
        "bash-input",
        "bash-stdout",
        "bash-stderr",
        "system-reminder",
        "command-name",
        "command-message",
        "command-args",
        "system_notification",
        "system_reminder",
        "hook_prompt",
    }
)
"""The elements in which Claude Code, Copilot CLI and Codex wrap what no person typed."""

TYPED = "command-args"
"""What a person typed behind a slash command: an envelope only while it is empty."""

OWN = "[rcs] "
FEEDBACK = "Stop hook feedback:"
COMMAND = " --session "


def is_envelopes(prompt: str) -> bool:
    """Tell whether the client made the whole prompt. Loads `re` only for what may be made so."""
    text = prompt.strip()
    return text.startswith("<") and _is_only_envelopes(text)


def reason_in(prompt: str) -> str:
    """Undo what clients put around a Stop's reason; empty where the prompt cannot be one of ours."""
    text = prompt.strip()
    if text.startswith(FEEDBACK):
        text = text.removeprefix(FEEDBACK).lstrip("- \r\n")
    if not text.startswith(OWN):
        return ""
    text = "\n".join(text.splitlines())
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def looks_like_reason(reason: str) -> bool:
    """Judge by the shape: ours have several lines or a command, and no blank line; a person's words behind one ask."""
    lines = reason.splitlines()
    if not (lines and (len(lines) > 1 or COMMAND in lines[0])):
        return False
    return all(line.strip() for line in lines) and not lines[-1].endswith("?")


def _is_only_envelopes(text: str) -> bool:
    at = 0
    while at < len(text):
        end = _envelope_end(text, at)
        if end is None:
            return False
        at = end
    return True


def _envelope_end(text: str, start: int) -> int | None:
    """Where the envelope at `start` ends, with the blanks behind it; None where no envelope begins there.

    Its text may hold its own tags: an agent's result can be about them. So it ends where its tags are balanced and
    the prompt ends, or another envelope begins.
    """
    name = _name_at(text, start)
    if name is None:
        return None
    depth, inside = 0, 0
    for tag in _tags(name).finditer(text, start):
        if not tag[0].startswith("</"):
            if depth == 0 and tag.start() != start:
                return None  # a person's words stand between this one and the last
            depth += 1
            inside = inside or tag.end()
            continue
        depth = max(0, depth - 1)
        end = _behind_blanks(text, tag.end())
        if end == len(text) or (depth == 0 and _name_at(text, end) is not None):
            return None if name == TYPED and text[inside : tag.start()].strip() else end
    return None


def _name_at(text: str, at: int) -> str | None:
    import re

    match = re.compile(r"<([a-z_-]{1,30})(?=[\s>])[^<>]*>").match(text, at)
    return match[1] if match and match[1] in ENVELOPES else None


def _tags(name: str) -> re.Pattern[str]:
    import re

    return re.compile(rf"</?{name}(?=[\s>])[^<>]*>")


def _behind_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at
