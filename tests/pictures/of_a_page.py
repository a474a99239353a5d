"""Draws a page of the dashboard as SVG: the boxes, icons and words that a real browser has laid out.

Rules of this file:
- The browser measures; nothing here knows what the page is about.
- No script and no other file gets into the picture. Its letters are the ones that the reader's machine has, so every
  piece of text also says how wide it was.
"""

from __future__ import annotations

import re
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from tests.support import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page

Part = dict[str, Any]
SANS = "ui-sans-serif, system-ui, 'Segoe UI', Helvetica, Arial, sans-serif"
MONO = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace"
CLEAR = "rgba(0, 0, 0, 0)"

MEASURE = """() => {
  const parts = []
  const shown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
  const box = (element) => {
    const style = getComputedStyle(element), at = element.getBoundingClientRect()
    if (at.width < 1 || at.height < 1) return
    parts.push({
      kind: 'box', x: at.x, y: at.y, width: at.width, height: at.height, fill: style.backgroundColor,
      round: parseFloat(style.borderTopLeftRadius) || 0,
      sides: ['Top', 'Right', 'Bottom', 'Left'].map((side) => ({
        width: style['border' + side + 'Style'] === 'none' ? 0 : parseFloat(style['border' + side + 'Width']),
        ink: style['border' + side + 'Color'],
      })),
    })
  }
  const words = (node) => {
    const style = getComputedStyle(node.parentElement), range = document.createRange()
    const text = node.data, lines = []
    for (const found of text.matchAll(/\\S+/g)) {
      range.setStart(node, found.index)
      range.setEnd(node, found.index + found[0].length)
      const at = range.getClientRects()[0]
      if (!at || at.width < 1) continue
      const last = lines.at(-1)
      if (last && Math.abs(last.y - at.y) < 2) {
        last.text += ' ' + found[0]
        last.width = at.right - last.x
      } else {
        lines.push({ text: found[0], x: at.x, y: at.y, width: at.width, height: at.height })
      }
    }
    for (const line of lines) {
      parts.push({
        kind: 'words', ...line, ink: style.color, size: parseFloat(style.fontSize), weight: style.fontWeight,
        mono: style.fontFamily.includes('mono') && !style.fontFamily.includes('sans-serif'),
        upper: style.textTransform === 'uppercase',
      })
    }
  }
  const icon = (element) => {
    const used = element.querySelector('use'), at = element.getBoundingClientRect()
    if (!used || at.width < 1) return
    const name = used.getAttribute('href').split(':')[1], ink = getComputedStyle(element).color
    parts.push({ kind: 'icon', name, ink, x: at.x, y: at.y, width: at.width, height: at.height })
  }
  const field = (element) => {
    const text = element.selectedOptions?.[0]?.label || element.value || element.placeholder
    if (!text) return
    const style = getComputedStyle(element), at = element.getBoundingClientRect()
    const pen = new OffscreenCanvas(1, 1).getContext('2d')
    pen.font = `${style.fontSize} ${style.fontFamily}`
    parts.push({
      kind: 'words', text, x: at.x + parseFloat(style.paddingLeft) + 2, y: at.y, width: pen.measureText(text).width,
      height: at.height, size: parseFloat(style.fontSize), weight: '400', mono: false, upper: false,
      ink: element.value ? style.color : 'rgb(117, 117, 117)',
    })
  }
  const walk = (element) => {
    if (!shown(element)) return
    if (element instanceof SVGElement) return icon(element)
    box(element)
    if (element.matches('select, input, textarea')) return field(element)
    for (const child of element.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) words(child)
      else if (child.nodeType === Node.ELEMENT_NODE) walk(child)
    }
  }
  walk(document.body)
  const bottom = Math.max(...parts.filter((each) => each.kind === 'words').map((each) => each.y + each.height))
  return { parts, width: innerWidth, height: bottom + 24, ground: getComputedStyle(document.body).backgroundColor }
}"""
ICONS = CHECKOUT / "rcs_hooks/dashboard/static/index.html"
SYMBOL = re.compile(r'<symbol id="icon:(\w+)" viewBox="([^"]+)">(.*)</symbol>')


def picture(page: Page, title: str) -> str:
    """Return what a page shows as the text of an SVG file."""
    found = page.evaluate(MEASURE)
    width, height = found["width"], found["height"]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{_n(width)}" height="{_n(height)}" '
        f'viewBox="0 0 {_n(width)} {_n(height)}" font-family="{SANS}">',
        f"<title>{escape(title)}</title>",
        f'<rect width="100%" height="100%" rx="8" fill="{found["ground"]}"/>',
    ]
    draw = {"box": _box, "words": _words, "icon": _icon}
    for part in found["parts"]:
        if part["y"] < height:
            lines += draw[part["kind"]](part, height)
    return "\n".join([*lines, "</svg>", ""])


def _box(part: Part, bottom: float) -> Iterator[str]:
    x, y, width, height = part["x"], part["y"], part["width"], min(part["height"], bottom - part["y"])
    sides = part["sides"]
    is_round = part["round"] > 0 and len({(side["width"], side["ink"]) for side in sides}) == 1
    top = sides[0]
    line = f' stroke="{top["ink"]}" stroke-width="{_n(top["width"])}"' if is_round and top["width"] else ""
    if part["fill"] != CLEAR or line:
        fill = "none" if part["fill"] == CLEAR else part["fill"]
        inset = top["width"] / 2 if line else 0
        yield (
            f'<rect x="{_n(x + inset)}" y="{_n(y + inset)}" width="{_n(width - 2 * inset)}" '
            f'height="{_n(height - 2 * inset)}" rx="{_n(min(part["round"], height / 2))}" fill="{fill}"{line}/>'
        )
    if line:
        return
    edges = ((x, y, x + width, y), (x + width, y, x + width, y + height),
             (x, y + height, x + width, y + height), (x, y, x, y + height))  # fmt: skip
    for side, (x1, y1, x2, y2) in zip(sides, edges, strict=True):
        if side["width"] and side["ink"] != CLEAR:
            yield (
                f'<path d="M{_n(x1)} {_n(y1)}L{_n(x2)} {_n(y2)}" stroke="{side["ink"]}" '
                f'stroke-width="{_n(side["width"])}"/>'
            )


def _words(part: Part, _: float) -> Iterator[str]:
    text = part["text"].upper() if part["upper"] else part["text"]
    weight = f' font-weight="{part["weight"]}"' if part["weight"] != "400" else ""
    family = f' font-family="{MONO}"' if part["mono"] else ""
    baseline = part["y"] + part["height"] / 2 + part["size"] * 0.35
    yield (
        f'<text x="{_n(part["x"])}" y="{_n(baseline)}" font-size="{_n(part["size"])}" fill="{part["ink"]}"{weight}'
        f'{family} textLength="{_n(part["width"])}" lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
    )


def _icon(part: Part, _: float) -> Iterator[str]:
    view, drawn = _symbols()[part["name"]]
    yield (
        f'<svg x="{_n(part["x"])}" y="{_n(part["y"])}" width="{_n(part["width"])}" height="{_n(part["height"])}" '
        f'viewBox="{view}" color="{part["ink"]}">{drawn}</svg>'
    )


@cache
def _symbols() -> dict[str, tuple[str, str]]:
    """Return the view box and the inside of each icon, by its name."""
    found = SYMBOL.findall(ICONS.read_text(encoding="utf-8"))
    return {name: (view, drawn.replace("var(--icon-cut, #fff)", "#fff")) for name, view, drawn in found}


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
