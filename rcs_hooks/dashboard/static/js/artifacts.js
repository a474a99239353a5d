// The artifacts of a run, and a reader for one of them.

import { get, path, query } from "./api.js";
import { h } from "./dom.js";
import { diff } from "./diff.js";
import { reader } from "./dialog.js";
import { picture } from "./graph.js";
import { markdown } from "./markdown.js";
import { coded, copyButton, sentence } from "./pieces.js";
import { icon } from "./status.js";
import { ago } from "./time.js";

export function artifacts(found, address) {
  if (!found.length) return null;
  return h(
    "section",
    { class: "panel artifacts", "data-key": "artifacts", "aria-labelledby": "artifacts-title" },
    h(
      "header",
      {},
      h("h2", { id: "artifacts-title" }, "Artifacts ", h("span", { class: "count" }, String(found.length))),
    ),
    h("ul", { class: "files" }, ...found.map((each) => row(each, address))),
  );
}

function row(each, address) {
  const cut = each.path.lastIndexOf("/") + 1;
  const name = h("span", { class: "path" }, h("span", { class: "dim" }, each.path.slice(0, cut)), each.path.slice(cut));
  const more = h(
    "span",
    { class: "dim about" },
    [each.missing && "missing", each.type, each.step].filter(Boolean).join(" · "),
  );
  const inner = [icon("file"), name, more, ago(each.at, { class: "when dim" })];
  return h(
    "li",
    { "data-key": each.path },
    each.missing
      ? h("span", { class: "file missing", title: "The file is not there any more, or not yet" }, ...inner)
      : h("a", { class: "file", href: address(each.path), "data-item": true }, ...inner),
    copyButton(each.path, "the path"),
  );
}

/** Opens the reader, and fills it when the text is there. */
export function openArtifact(run, file, frame, closed) {
  const place = h("p", { class: "dim" }, "Reading…");
  const about = h("span", { class: "dim about" });
  const plain = h("button", { type: "button", class: "button", "aria-pressed": "false", hidden: true }, "As text");
  const address = (asked) => query(path("runs", run, "file"), { path: file, ...asked });
  const download = h("a", { class: "button", href: address({ download: true }), download: file.slice(file.lastIndexOf("/") + 1) }, icon("download"), "Download");
  const tools = [copyButton(file, "the path"), plain, download];
  const opened = reader({ title: file, note: about, tools, body: place, closed });
  get(query(path("runs", run, "artifact"), { path: file }), frame.signal)
    .then((found) => {
      about.append(size(found.bytes), ", changed ", ago(found.modified_at));
      const [nice, bare] = [
        () => nicely(found),
        () => [cutNote(found), h("pre", { class: "text" }, found.text)].filter(Boolean),
      ];
      if (["picture", "binary"].includes(found.kind)) return opened.show(...unread(found, address({})));
      opened.show(...nice());
      if (found.kind === "text") return;
      plain.hidden = false;
      plain.addEventListener("click", () => {
        const isPlain = plain.getAttribute("aria-pressed") === "true";
        plain.setAttribute("aria-pressed", String(!isPlain));
        opened.show(...(isPlain ? nice() : bare()));
      });
    })
    .catch((error) => {
      if (error.name === "AbortError") return;
      download.hidden = error.status > 0;
      opened.show(h("p", { class: "problem", role: "alert" }, ...coded(sentence(error.message))));
    });
  return opened;
}

/** What is no text: a picture is shown, anything else can be stored. */
function unread(found, address) {
  if (found.kind === "binary") return [h("p", {}, "This is not text, so it is not shown here. It can be downloaded.")];
  return [h("img", { class: "shown-picture", src: address, alt: found.path })];
}

function nicely(found) {
  const made = [cutNote(found), ...diagram(found.diagram)];
  if (found.kind === "markdown") made.push(markdown(found.text, found.diagrams));
  else if (found.kind === "diff") made.push(diff(found.text));
  else made.push(h("pre", { class: "text" }, found.kind === "json" ? indented(found.text) : found.text));
  return made.filter(Boolean);
}

const cutNote = (found) =>
  found.truncated && h("p", { class: "note" }, `Only the beginning of ${size(found.bytes)} is shown.`);

function diagram(graph) {
  if (!graph) return [];
  if (graph.problem) return [h("p", { class: "problem" }, ...coded(sentence(graph.problem)))];
  const drawn = graph.svg && picture(graph.svg, "Diagram of the subflow");
  return drawn ? [h("div", { class: "graph" }, drawn)] : [];
}

function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function size(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
