// Pages are trees made anew from what the server says, and laid over what is shown: nodes stay, so focus, typed words,
// opened details and the place on the page stay too. Nothing here, or anywhere, reads markup out of content.

import { at } from "./shared.js";

/** An element. Children are nodes or text; null, undefined and false are nothing, arrays are laid flat. */
export function h(tag, attributes, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

const SVG = "http://www.w3.org/2000/svg";

export function s(tag, attributes, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) throw new Error(`${name}: pages listen in one place, by data-do`);
    if (name === "style") throw new Error("style: the policy of the page forbids it; use a class, or `vars`");
    if (name === "href") element.setAttribute(name, at(value));
    else if (name === "vars") for (const [key, each] of Object.entries(value)) element.style.setProperty(key, each);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...flat(children));
  return element;
}

function flat(children) {
  return children.flat(Infinity).filter((each) => each !== null && each !== undefined && each !== false);
}

export const fragment = (...children) => {
  const made = document.createDocumentFragment();
  made.append(...flat(children));
  return made;
};

/** Makes the children of `shown` what those of `wanted` are. Siblings with `data-key` are known by it. */
export function morph(shown, wanted) {
  const focused = document.activeElement;
  children(shown, wanted);
  if (focused && focused !== document.activeElement && focused.isConnected && shown.contains(focused)) {
    focused.focus({ preventScroll: true });
  }
}

function children(shown, wanted) {
  const known = new Map();
  for (const child of shown.children) if (child.dataset.key !== undefined) known.set(child.dataset.key, child);
  let at = shown.firstChild;
  for (const next of [...wanted.childNodes]) {
    const key = next.dataset?.key;
    const found = key === undefined ? unkeyed(at) : known.get(key);
    if (!found || !alike(found, next)) {
      shown.insertBefore(next, at);
      continue;
    }
    known.delete(key);
    if (found === at) at = at.nextSibling;
    else shown.insertBefore(found, at);
    update(found, next);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

const unkeyed = (node) => (node && node.dataset?.key === undefined ? node : null);
const alike = (one, other) => one.nodeType === other.nodeType && one.nodeName === other.nodeName;

function update(shown, wanted) {
  if (shown.nodeType !== Node.ELEMENT_NODE) {
    if (shown.data !== wanted.data) shown.data = wanted.data;
    return;
  }
  if (wanted.hasAttribute("data-hold") && shown.getAttribute("data-hold") === wanted.getAttribute("data-hold")) return;
  attributes(shown, wanted);
  children(shown, wanted);
  if (shown instanceof HTMLSelectElement && shown.value !== chosen(shown)) shown.value = chosen(shown);
  if (shown.type === "search" && shown !== document.activeElement && shown.value !== wanted.value) shown.value = wanted.value;
}

function chosen(select) {
  return [...select.options].find((option) => option.hasAttribute("selected"))?.value ?? select.options[0]?.value;
}

/** `open` belongs to the person; `style` holds the variables. */
function attributes(shown, wanted) {
  for (const { name } of [...shown.attributes]) {
    if (!wanted.hasAttribute(name) && name !== "open" && name !== "style") shown.removeAttribute(name);
  }
  for (const { name, value } of wanted.attributes) {
    if (name !== "style" && name !== "open" && shown.getAttribute(name) !== value) shown.setAttribute(name, value);
  }
  if (shown.style.cssText !== wanted.style.cssText) shown.style.cssText = wanted.style.cssText;
}

/** Words for a list of things: `1 run`, `3 runs`, `1,204 events`. */
export function count(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** Long text in one line, cut where people see letters end. */
export function cut(text, length) {
  const letters = [...text];
  return letters.length > length ? `${letters.slice(0, length - 1).join("")}…` : text;
}
