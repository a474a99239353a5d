// A small and safe part of Markdown. It makes nodes and never markup: HTML in the text is shown as text, a picture is
// named and not fetched, and a link leads only where http, https and mailto lead.

import { h } from "./dom.js";
import { large, picture } from "./graph.js";
import { coded, sentence } from "./pieces.js";
import { icon } from "./status.js";

const MOST_BLOCKS = 4000;
// No pattern of a line may look at it more than once from each place: a line may be a megabyte.
const FENCE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*)$/;
const RULE = /^ {0,3}([-*_])(\s*\1){2,}\s*$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const QUOTE = /^ {0,3}> ?(.*)$/;
const DELIMITERS = /^[ |:-]+$/; // that a "-" is in it is asked where it is used

/** `diagrams`: the state diagrams of the text in their order, as the server has drawn them. */
export function markdown(text, diagrams = []) {
  const budget = { left: MOST_BLOCKS, diagrams };
  const lines = text.replaceAll("\r\n", "\n").replaceAll("\t", "    ").split("\n");
  const start = frontMatter(lines);
  const shown = h("div", { class: "markdown" }, ...start.nodes, ...blocks(lines.slice(start.lines), budget, 0));
  if (budget.left <= 0) shown.append(h("p", { class: "note" }, "The rest is not shown here; open the file itself."));
  return shown;
}

function frontMatter(lines) {
  const end = lines[0] === "---" ? lines.indexOf("---", 1) : -1;
  if (end < 1) return { nodes: [], lines: 0 };
  return { nodes: [h("pre", { tabindex: "0" }, h("code", {}, lines.slice(1, end).join("\n")))], lines: end + 1 };
}

function* blocks(lines, budget, depth) {
  let at = 0;
  while (at < lines.length) {
    if (!lines[at].trim()) {
      at += 1;
      continue;
    }
    if (--budget.left <= 0) return;
    const [node, next] = block(lines, at, budget, depth);
    yield node;
    at = next;
  }
}

function block(lines, at, budget, depth) {
  const line = lines[at];
  let found = FENCE.exec(line);
  if (found) return fence(lines, at, found, budget);
  found = HEADING.exec(line);
  const words = found?.[2].trimEnd().replace(/(?<!#)#+$/, "").trimEnd();
  if (found) return [h(`h${Math.min(6, found[1].length + 2)}`, {}, ...inline(words)), at + 1];
  if (RULE.test(line)) return [h("hr"), at + 1];
  if (QUOTE.test(line) && depth < 6) return quote(lines, at, budget, depth);
  if (ITEM.test(line) && depth < 12) return list(lines, at, budget, depth);
  if (line.includes("|") && DELIMITERS.test(lines[at + 1] ?? "") && lines[at + 1].includes("-"))
    return table(lines, at);
  if (/^ {4}/.test(line)) return indented(lines, at);
  return paragraph(lines, at);
}

function fence(lines, at, [, indent, mark], budget) {
  const closing = new RegExp(`^ {0,3}\\${mark[0]}{${mark.length},}\\s*$`);
  let end = at + 1;
  while (end < lines.length && !closing.test(lines[end])) end += 1;
  const code = lines.slice(at + 1, end).map((each) => (each.startsWith(indent) ? each.slice(indent.length) : each));
  const shown = h("pre", { tabindex: "0" }, h("code", {}, code.join("\n")));
  const isMermaid = lines[at].trim().slice(mark.length).trim().toLowerCase() === "mermaid";
  return [isMermaid ? diagram(drawnOf(budget.diagrams, code), shown) : shown, end + 1];
}

const bare = (text) => text.replace(/^[ \t]+|[ \t]+$/gm, "");

const drawnOf = (diagrams, code) => diagrams.find((each) => bare(each.source) === bare(code.join("\n")));

/** A diagram, its text folded under it; where it cannot be drawn, its text and why. */
function diagram(drawn, text) {
  const made = drawn?.svg && picture(drawn.svg, "Diagram");
  const problem = drawn?.problem && h("p", { class: "note" }, ...coded(sentence(drawn.problem)));
  if (!made) return problem ? h("div", { class: "mermaid" }, text, problem) : text;
  const place = h("div", { class: "graph", tabindex: "0", role: "group", "aria-label": "Picture of the diagram" }, made);
  const button = h("button", { type: "button", class: "button small" }, icon("large"), "Large");
  for (const each of [place, button]) each.addEventListener("click", () => large(made.cloneNode(true), "Diagram"));
  return h(
    "div",
    { class: "mermaid" },
    place,
    h("div", { class: "under" }, h("details", {}, h("summary", {}, "As text"), text), button),
  );
}

function indented(lines, at) {
  let end = at;
  while (end < lines.length && (/^ {4}/.test(lines[end]) || !lines[end].trim())) end += 1;
  const code = lines.slice(at, end).map((each) => each.slice(4));
  return [h("pre", { tabindex: "0" }, h("code", {}, code.join("\n").trimEnd())), end];
}

function quote(lines, at, budget, depth) {
  let end = at;
  const inner = [];
  for (let found; end < lines.length && (found = QUOTE.exec(lines[end])); end += 1) inner.push(found[1]);
  return [h("blockquote", {}, ...blocks(inner, budget, depth + 1)), end];
}

/** What is indented further than its item's mark belongs to the item. */
function list(lines, at, budget, depth) {
  const [, indent, mark] = ITEM.exec(lines[at]);
  const ordered = /\d/.test(mark);
  const items = [];
  let end = at;
  while (end < lines.length) {
    const found = ITEM.exec(lines[end]);
    if (!found || found[1].length > indent.length + 1 || /\d/.test(found[2]) !== ordered || RULE.test(lines[end]))
      break;
    if (--budget.left <= 0) break;
    const column = lines[end].length - found[3].length;
    const inner = [found[3]];
    end += 1;
    while (end < lines.length && belongs(lines, end, found[1].length)) {
      inner.push(lines[end].slice(Math.min(column, lines[end].search(/\S|$/))));
      end += 1;
    }
    items.push(item(inner, budget, depth));
    while (end < lines.length && !lines[end].trim() && ITEM.test(lines[end + 1] ?? "")) end += 1;
  }
  const first = ordered ? Number.parseInt(mark, 10) : 1;
  return [h(ordered ? "ol" : "ul", { start: first === 1 ? null : first }, ...items), Math.max(end, at + 1)];
}

function belongs(lines, at, indent) {
  const line = lines[at];
  if (!line.trim()) return (lines[at + 1] ?? "").search(/\S/) > indent;
  if (line.search(/\S/) > indent) return true;
  return (
    !ITEM.test(line) && !HEADING.test(line) && !FENCE.test(line) && Boolean(lines[at - 1].trim()) && !RULE.test(line)
  );
}

function item(inner, budget, depth) {
  const task = /^\[([ xX])\]\s+(.*)$/.exec(inner[0]);
  if (task) inner[0] = task[2];
  const made = [...blocks(inner, budget, depth + 1)];
  if (made[0]?.nodeName === "P") made.splice(0, 1, ...made[0].childNodes);
  if (!task) return h("li", {}, ...made);
  const done = task[1] !== " ";
  return h(
    "li",
    { class: "task" },
    h("span", { class: "box", role: "img", "aria-label": done ? "done" : "open" }, done ? "☑" : "☐"),
    " ",
    ...made,
  );
}

const SIDES = { ":-": "to-left", "-:": "to-right", ":-:": "to-middle" };

function table(lines, at) {
  let end = at + 2;
  while (end < lines.length && lines[end].includes("|") && lines[end].trim()) end += 1;
  const sides = split(lines[at + 1]).map((each) => SIDES[`${each.startsWith(":") ? ":" : ""}-${each.endsWith(":") ? ":" : ""}`]);
  const cells = (line, tag) =>
    h("tr", {}, ...split(line).map((cell, number) => h(tag, { class: sides[number] ?? null }, ...inline(cell))));
  const made = h(
    "table",
    {},
    h("thead", {}, cells(lines[at], "th")),
    h("tbody", {}, ...lines.slice(at + 2, end).map((line) => cells(line, "td"))),
  );
  return [h("div", { class: "wide", tabindex: "0" }, made), end];
}

function split(line) {
  const inner = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.replaceAll("\\|", "|").trim());
}

function paragraph(lines, at) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() && !starts(lines[end])) end += 1;
  const words = lines.slice(at, end);
  return [h("p", {}, ...words.flatMap((line, number) => withBreak(line.trimStart(), number < words.length - 1))), end];
}

const starts = (line) =>
  FENCE.test(line) ||
  HEADING.test(line) ||
  RULE.test(line) ||
  QUOTE.test(line) ||
  /^ {0,3}([-*+]|1[.)])\s+\S/.test(line);

function withBreak(line, isMore) {
  const hard = line.endsWith("  ") || line.endsWith("\\");
  const words = inline(line.endsWith("\\") ? line.slice(0, -1) : line.trimEnd());
  return isMore ? [...words, hard ? h("br") : "\n"] : words;
}

// --- words: one pass from left to right; each pattern begins where it stands and ends on the same line

const INLINE =
  /\\([\\`*_{}[\]()#+\-.!|>~<])|(`{1,8})(.{1,500}?)(?<!`)\2(?!`)|!\[([^\]]{0,500})\]\(([^()\s]{0,2000})[^()]{0,300}\)|\[([^\]]{1,500})\]\(([^()\s]{0,2000}(?:\([^()\s]{0,500}\)[^()\s]{0,500})?)(?:\s[^()]{0,300})?\)|<((?:https?:\/\/|mailto:)[^<>\s]{1,2000})>|(https?:\/\/[^\s<>"'`)\]]{1,2000})|\*\*(?=\S)(.{0,500}?\S)\*\*|(?<!\w)__(?=\S)(.{0,500}?\S)__(?!\w)|\*(?=[^\s*])(.{0,500}?[^\s*])\*(?!\*)|(?<!\w)_(?=[^\s_])(.{0,500}?[^\s_])_(?!\w)|~~(?=\S)(.{0,500}?\S)~~/;
const LONGEST_LINE = 20_000;

function inline(text, depth = 0) {
  if (depth > 6 || text.length > LONGEST_LINE) return [text];
  const made = [];
  let rest = text;
  for (let found; rest && made.length < 2000 && (found = INLINE.exec(rest));) {
    if (found.index) made.push(rest.slice(0, found.index));
    made.push(...span(found, depth));
    rest = rest.slice(found.index + found[0].length);
  }
  if (rest) made.push(rest);
  return made;
}

function span(found, depth) {
  const [whole, escaped, , code, alt, source, words, target, angled, bare, strong, strong2, em, em2, gone] = found;
  if (escaped !== undefined) return [escaped];
  if (code !== undefined) return [h("code", {}, code.replace(/^ (.*\S.*) $/, "$1"))];
  if (source !== undefined) return [h("span", { class: "picture" }, `[picture: ${alt || source}]`)];
  if (words !== undefined) return link(target, inline(words, depth + 1), whole);
  if (angled !== undefined) return link(angled, [angled], whole);
  if (bare !== undefined) return plain(bare);
  const inner = (each) => inline(each, depth + 1);
  if (strong ?? strong2) return [h("strong", {}, ...inner(strong ?? strong2))];
  if (em ?? em2) return [h("em", {}, ...inner(em ?? em2))];
  if (gone !== undefined) return [h("del", {}, ...inner(gone))];
  return [whole];
}

function plain(address) {
  const end = /[.,;:!?]+$/.exec(address)?.[0] ?? "";
  const kept = address.slice(0, address.length - end.length);
  return [...link(kept, [kept], kept), end];
}

function link(target, words, whole) {
  let address;
  try {
    address = new URL(target);
  } catch {
    return [h("span", { class: "nolink", title: target }, ...words)];
  }
  if (!["http:", "https:", "mailto:"].includes(address.protocol)) return [whole];
  return [h("a", { href: address.href, rel: "noopener noreferrer nofollow", target: "_blank" }, ...words)];
}
