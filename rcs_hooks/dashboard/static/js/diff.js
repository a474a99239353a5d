// A unified diff as rows: the number in the old file, the number in the new one, the sign, the line.

import { h, count } from "./dom.js";

const MOST_LINES = 3000;
const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/;

export function diff(text) {
  const lines = text.replaceAll("\r\n", "\n").replace(/\n$/, "").split("\n");
  const files = filesOf(lines.slice(0, MOST_LINES));
  const more = lines.length - MOST_LINES;
  return h(
    "div",
    { class: "diff" },
    ...files.map(fileShown),
    more > 0 && h("p", { class: "note" }, `${count(more, "more line")}, not shown here; open the file itself.`),
  );
}

function filesOf(lines) {
  const files = [];
  let file = null;
  let hunk = { old: 0, new: 0, oldLeft: 0, newLeft: 0 };
  const begin = () => {
    file = { name: "", added: 0, removed: 0, rows: [] };
    hunk = { old: 0, new: 0, oldLeft: 0, newLeft: 0 };
    files.push(file);
  };
  for (const line of lines) {
    const inside = hunk.oldLeft > 0 || hunk.newLeft > 0;
    if (!inside && (line.startsWith("diff --git ") || (line.startsWith("--- ") && (!file || file.rows.some(isHunk)))))
      begin();
    if (!file) begin();
    const found = HUNK.exec(line);
    if (found && !inside) {
      hunk = {
        old: Number(found[1]),
        new: Number(found[3]),
        oldLeft: Number(found[2] ?? 1),
        newLeft: Number(found[4] ?? 1),
      };
      file.rows.push({ kind: "hunk", text: line });
    } else if (inside) within(file, hunk, line);
    else outside(file, line);
  }
  return files;
}

const isHunk = (row) => row.kind === "hunk";

function within(file, hunk, line) {
  const sign = line[0];
  if (sign === "\\") file.rows.push({ kind: "note", text: line });
  else if (sign === "+") {
    file.rows.push({ kind: "added", new: hunk.new++, text: line.slice(1) });
    file.added += 1;
    hunk.newLeft -= 1;
  } else if (sign === "-") {
    file.rows.push({ kind: "removed", old: hunk.old++, text: line.slice(1) });
    file.removed += 1;
    hunk.oldLeft -= 1;
  } else {
    file.rows.push({ kind: "same", old: hunk.old++, new: hunk.new++, text: line.slice(1) });
    hunk.oldLeft -= 1;
    hunk.newLeft -= 1;
  }
}

function outside(file, line) {
  const named = /^(?:\+\+\+|---) (?:[ab]\/)?(.*?)(?:\t.*)?$/.exec(line);
  if (named && named[1] !== "/dev/null") file.name = named[1];
  const both = /^diff --git a\/(.*) b\/(.*)$/.exec(line);
  if (both) file.name = both[2];
  if (line && !/^(diff --git |index |--- |\+\+\+ )/.test(line)) file.rows.push({ kind: "note", text: line });
}

const SIGNS = { added: "+", removed: "−", same: "", hunk: "", note: "" };

function fileShown(file) {
  const rows = file.rows.map((row) =>
    h(
      "tr",
      { class: row.kind },
      h("td", { class: "number", "data-line": row.old ?? "" }),
      h("td", { class: "number", "data-line": row.new ?? "" }),
      h(
        "td",
        { class: "sign" },
        row.kind === "added" ? h("ins", {}, "+") : row.kind === "removed" ? h("del", {}, "−") : SIGNS[row.kind],
      ),
      h("td", { class: "line" }, row.text || " "),
    ),
  );
  return h(
    "details",
    { open: true },
    h(
      "summary",
      {},
      h("span", { class: "path" }, file.name || "changes"),
      h("span", { class: "added" }, `+${file.added}`),
      h("span", { class: "removed" }, `−${file.removed}`),
    ),
    h(
      "div",
      { class: "wide", tabindex: "0", role: "region", "aria-label": `Changes in ${file.name || "the file"}` },
      h("table", {}, h("tbody", {}, ...rows)),
    ),
  );
}
