// The state graph that the server has drawn. Only the shapes and words of such a picture are taken over, one by one:
// no style, no script, no reference to anything else.

const SHAPES = {
  svg: ["class", "role", "width", "height", "viewBox", "font-family"],
  title: [],
  desc: [],
  g: ["class", "transform", "fill", "stroke", "data-from", "data-to", "data-state"],
  path: ["d", "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray"],
  rect: ["x", "y", "width", "height", "rx", "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray"],
  circle: ["class", "cx", "cy", "r", "fill", "stroke", "stroke-width"],
  text: ["class", "x", "y", "font-size", "font-family", "font-weight", "text-anchor", "fill", "fill-opacity", "stroke"],
};
const SMALLEST = 0.75; // of its own size; smaller, and its words cannot be read
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
