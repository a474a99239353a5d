// The keyboard: j and k, or the arrows, go through a list; digits go to the pages; ? says so.

import { h } from "./dom.js";
import { reader } from "./dialog.js";

const HELP = [
  ["1 – 5", "Overview, Needs me, Runs, Sessions, Tasks"],
  ["j, ↓", "next entry of the list"],
  ["k, ↑", "previous entry"],
  ["Enter", "open it"],
  ["/", "search everything"],
  ["Esc", "close; back out of a step"],
  ["?", "this list"],
];

export function startKeys(goTo, search, backOut) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (document.querySelector("dialog[open]") || typing(event.target)) return;
    const arrow = event.key === "ArrowDown" || event.key === "ArrowUp";
    if (arrow && !event.target.closest?.("[data-item]")) return;
    const done = act(event.key, goTo, search, backOut);
    if (done) event.preventDefault();
  });
}

const typing = (element) => element.closest?.("input, textarea, select, [contenteditable]") !== null;

function act(key, goTo, search, backOut) {
  if ("12345".includes(key)) return goTo(Number(key) - 1);
  if (key === "j" || key === "ArrowDown") return move(1);
  if (key === "k" || key === "ArrowUp") return move(-1);
  if (key === "/") return search();
  if (key === "Escape") return backOut();
  if (key === "?") return help();
  return false;
}

function move(by) {
  const items = [...document.querySelectorAll("main [data-item]")].filter((each) => each.offsetParent !== null);
  if (!items.length) return false;
  const at = items.indexOf(document.activeElement.closest?.("[data-item]"));
  const next = at < 0 ? (by > 0 ? 0 : items.length - 1) : Math.min(items.length - 1, Math.max(0, at + by));
  return focus(items[next]);
}

function focus(element) {
  element?.focus();
  element?.scrollIntoView({ block: "nearest" });
  return Boolean(element);
}

function help() {
  const rows = HELP.flatMap(([key, means]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, means)]);
  reader({ title: "Keys", className: "small", body: h("dl", { class: "facts keys" }, ...rows) });
  return true;
}
