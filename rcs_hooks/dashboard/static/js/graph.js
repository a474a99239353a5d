// The state graph that the server has drawn. Only the shapes and words of such a picture are taken over, one by one:
// no style, no script, no reference to anything else.

import { reader } from "./dialog.js";
import { h } from "./dom.js";

const SHAPES = {
  svg: ["class", "role", "width", "height", "viewBox", "font-family"],
  title: [],
  desc: [],
  g: ["class", "transform", "fill", "stroke", "data-from", "data-to", "data-state"],
  path: ["d", "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity"],
  rect: ["x", "y", "width", "height", "rx", "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray"],
  circle: ["class", "cx", "cy", "r", "fill", "stroke", "stroke-width"],
  text: ["class", "x", "y", "font-size", "font-family", "font-weight", "text-anchor", "fill", "fill-opacity", "stroke"],
};
const SMALLEST = 0.75; // of its own size; smaller, and its words cannot be read
const MOST_ENLARGED = 2;
const ROOM = { height: "100dvh - 130px", width: "100vw - var(--beside)" };
const SVG = "http://www.w3.org/2000/svg";

/** The picture, or null where the text is none. */
export function picture(text, label) {
  const read = new DOMParser().parseFromString(withoutStyle(text), "image/svg+xml").documentElement;
  const made = taken(read);
  if (made?.nodeName !== "svg") return null;
  made.setAttribute("aria-label", label);
  made.style.minWidth = `${Number(made.getAttribute("width")) * SMALLEST || 0}px`;
  made.style.minHeight = `${Number(made.getAttribute("height")) * SMALLEST || 0}px`;
  return made;
}

/** Shows a picture in a dialog, as large as there is room, but no smaller than can be read. */
export function large(drawn, title) {
  const [width, height] = ["width", "height"].map((name) => Number(drawn.getAttribute(name)) || 1);
  const room = `min(${MOST_ENLARGED * height}px, ${ROOM.height}, (${ROOM.width}) * ${height / width})`;
  drawn.style.height = `max(${height * SMALLEST}px, ${room})`;
  reader({ title, className: "large-graph", body: h("div", { class: "graph whole" }, drawn) });
}

/** Its style is for where it stands alone; here the page's own sheet speaks. */
function withoutStyle(text) {
  const [start, end] = [text.indexOf("<style>"), text.indexOf("</style>")];
  return start >= 0 && end > start ? text.slice(0, start) + text.slice(end + "</style>".length) : text;
}

function taken(node) {
  const names = node.namespaceURI === SVG ? SHAPES[node.localName] : undefined;
  if (!names) return null;
  const made = document.createElementNS(SVG, node.localName);
  for (const name of names) if (node.hasAttribute(name)) made.setAttribute(name, node.getAttribute(name));
  for (const child of node.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) made.append(child.data);
    else if (child.nodeType === Node.ELEMENT_NODE) made.append(taken(child) ?? "");
  }
  return made;
}
