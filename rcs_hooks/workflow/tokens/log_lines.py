"""The patterns of a line of a log or a chat, and of words that announce a text to work on.

They take a millisecond to compile, so they have a file of their own, which few prompts load.
"""

from __future__ import annotations

from rcs_hooks.workflow.tokens.patterns import pattern

LOGGED = pattern(
    r"""(?x)[ \t]*(?:
        \[?\d\d?:\d\d:\d\d\]?[ ] | \d\d?:\d\d[ ][\w.-]+:[ ]              # a time, or one with a name,
      | [A-Z][a-z]{2}[ ]+\d\d?[ ]\d\d:\d\d:\d\d[ ]\S+[ ]\S+:[ ]           # a system's log,
      | [A-Z]\d{4}[ ]\d\d:\d\d:\d\d\S*[ ] | level=\w+[ ] | [A-Z]/\w+:[ ]
      | \[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|FAIL|PASS)\]?:?[ ]+(?:\[[\w.-]+\][ ])?
      | npm[ ](?:ERR!|WARN|warn|error|notice)[ ]
      | (?:fatal[ ])?(?:[\w.]*[Ee]rror(?:[ ]\w+)?|warning|fatal|stderr|stdout):[ ]
      | <[\w.-]+>[ ] | @(?!claude|codex)[\w.-]+:[ ] | [\w.-]+>[ ]         # who says it in a chat,
      | [\w.-]+[ ]*\|[ ] | Step[ ]\d+/\d+[ ]:[ ] | \#\d+[ ]               # what a container prints,
      | [✓✗✔✘×][ ] | (?:-{2,}|={2,})>[ ] | \+\+[ ] | (?<=[ ])at[ ]
    )(?P<clause>[^.,;!?\n]*)"""
)
"""The beginning of a line that a program wrote. The rest of the line may be a person's."""

TEXT = pattern(
    r"""(?x)(?i:\b(?:proofread|translate|rephrase|reword|paraphrase|spell-?check|übersetze?|traduis|relis|traduce|переведи)
          \b[^\n.!?:]{0,60}:(?![ \t]*\S*\$)[ \t]*
      | (?:^|[ ])(?:add|write|put|insert|append)\b(?:[^\n.!?:]|\.(?=\w)){0,60}
          \b(?:readme|docs?|changelog|wiki|[\w-]+\.(?:md|txt|rst)):[ ]+(?=[^$\s]))"""
)
"""What announces a text that is worked on."""
