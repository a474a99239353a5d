"""Tells a prompt that a client made from one that a person typed.

Rules of this file:
- Clients wrap their own text in XML elements, called envelopes here. A prompt is client-made only if it is nothing but
  envelopes; one word outside makes it the person's.
- An element that is not in `ENVELOPES` was pasted by the person.
- The reason of a Stop that comes back as a prompt is no person's: it must not reset the counts of blocks. It is
  recognized by its whole text, which the hooks record; by its shape only if that record is lost.
"""

from __future__ import annotations

TYPE_CHECKING = False
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
        "user-prompt-submit-hook",
        "ide_opened_file",
        "ide_selection",
        "environment_context",
        "user_instructions",
        "user_shell_command",
        "turn_aborted",
        "subagent_notification",
    }
)
"""The elements in which Claude Code, Copilot CLI and Codex wrap what no person typed."""

INTERRUPTED = ("[Request interrupted by user]", "[Request interrupted by user for tool use]")
"""What Claude Code writes instead of a prompt."""

TYPED = "command-args"
"""The element that holds what a person typed after a slash command, so it is an envelope only if it is empty."""

OWN = "[rcs] "
FEEDBACK = "Stop hook feedback:"
COMMAND = " --session "
ESCAPES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#x27;", "'"), ("&#39;", "'"), ("&amp;", "&"))


def is_client_made(prompt: str) -> bool:
    """Tell whether the client made the whole prompt, so that no word of it is a person's."""
    text = prompt.strip()
    return text.startswith(("<", *INTERRUPTED)) and _is_only_envelopes(text)


def extract_reason(prompt: str) -> str:
    """Return the reason of a Stop without what clients put around it; empty if the prompt cannot be one."""
    text = strip_client_prefix(prompt)
    if not text.startswith(OWN):
        return ""
    text = "\n".join(text.strip().splitlines())
    for escape, char in ESCAPES:
        text = text.replace(escape, char)
    return text


def strip_client_prefix(text: str) -> str:
    """Return a text without what a client puts before a reason: a heading, a list marker, and the hook's command."""
    text = text.lstrip().removeprefix(FEEDBACK).lstrip("- \r\n")
    command, ends, reason = text.partition(f"]: {OWN}")
    is_command = ends and command.startswith("[") and "\n" not in command and OWN not in command
    return OWN + reason if is_command else text


def looks_like_reason(reason: str) -> bool:
    """Tell by its shape whether a text is a Stop reason of ours, with nothing of a person after it.

    Our reasons have several lines or a command, no blank line, and do not end in a question.
    """
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
    """Return the end of the envelope at `start`, including blanks after it; None if no envelope begins there.

    An envelope may contain its own tags, for an agent's result can be about them. So it ends where its tags are
    balanced and either the prompt ends or another envelope begins.
    """
    if line := _interrupted_at(text, start):
        return _skip_blanks(text, start + len(line))
    name = _name_at(text, start)
    if name is None:
        return None
    depth, inside = 0, 0
    for tag in _tags(name).finditer(text, start):
        if not tag[0].startswith("</"):
            if depth == 0 and tag.start() != start:
                return None  # there are a person's words between this one and the last
            depth += 1
            inside = inside or tag.end()
            continue
        depth = max(0, depth - 1)
        end = _skip_blanks(text, tag.end())
        if end == len(text) or (depth == 0 and (_name_at(text, end) or _interrupted_at(text, end))):
            return None if name == TYPED and text[inside : tag.start()].strip() else end
    return None


def _name_at(text: str, at: int) -> str | None:
    import re

    match = re.compile(r"<([a-z_-]{1,30})(?=[\s>])[^<>]*>").match(text, at)
    return match[1] if match and match[1] in ENVELOPES else None


def _interrupted_at(text: str, at: int) -> str | None:
    return next((line for line in INTERRUPTED if text.startswith(line, at)), None)


def _tags(name: str) -> re.Pattern[str]:
    import re

    return re.compile(rf"</?{name}(?=[\s>])[^<>]*>")


def _skip_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at
