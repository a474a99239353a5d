"""The words in a diagram as they are shown: quotation marks, formatting and entities of Mermaid resolved."""

from __future__ import annotations

import html
import re

LONGEST = 400
ENTITY = re.compile(r"#(#?\w{1,12});")
FORMATTING = re.compile(r"</?(?:b|i|u|em|strong|small|sub|sup|code|span|center)>", re.IGNORECASE)
ICON = re.compile(r"\bfa[bsrld]?:fa-[\w-]{1,60}")


def plain(text: str) -> str:
    """Return the text of a node or an edge as it is shown; line breaks stay as they are written."""
    text = text[: LONGEST * 4].strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1].strip()
    if len(text) > 1 and text[0] == text[-1] == "`":
        text = text[1:-1].replace("**", "").replace("__", "").strip()
    text = ICON.sub("", FORMATTING.sub("", text))
    return html.unescape(ENTITY.sub(_entity, text)).strip()[:LONGEST]


def _entity(found: re.Match[str]) -> str:
    name = found[1]
    return f"&#{name};" if name.isdigit() else f"&{name};"
