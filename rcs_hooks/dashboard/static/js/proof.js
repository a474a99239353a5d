// What proves a run: its verdict as a shape and a word, and the panel with the command, what came of it, and its output.

import { count, h } from "./dom.js";
import { coded, command, fact, remark, sentence } from "./pieces.js";
import { icon, status } from "./status.js";
import { ago, lasting } from "./time.js";

/** The verdict on a run that has finished; nothing for one that has none. */
export function verdict(name, words) {
  return name && h("span", { class: `status verdict is-${name}`, title: words ?? WHAT[name] }, icon(name), h("span", {}, name));
}

const WHAT = {
  proven: "A command passed on the files as they were when the run finished.",
  stale: "Files have changed between the proof and the moment when the run finished.",
  unproven: "No command has passed for this run.",
};

/** The newest proof of a run. */
export function proof(data) {
  const { proof: found } = data;
  if (!found) return null;
  return h(
    "section",
    { class: "panel proof", "data-key": "proof", "aria-labelledby": "proof-title" },
    h("header", {}, h("h2", { id: "proof-title" }, "Proof"), verdict(found.verdict)),
    found.verdict && found.command !== null && h("p", { class: "says" }, ...coded(sentence(found.says))),
    found.command === null ? toProve(data) : ran(found),
  );
}

/** How to prove a run: by the command that the settings name, which needs no other words, or by any. */
function toProve({ mode, session, proof: { is_named: isNamed } }) {
  const words = `rcs prove --mode ${mode}${session === null ? "" : ` --session ${session}`}`;
  const which = isNamed ? "the one that the settings name" : "one";
  return [
    h("p", { class: "dim" }, `No command was run to prove it. To run ${which}, type in the project:`),
    command(isNamed ? words : `${words} -- COMMAND`),
  ];
}

function ran(found) {
  return [
    h("pre", { class: "command", tabindex: "0" }, h("code", {}, found.command)),
    h(
      "dl",
      { class: "facts line" },
      ...fact("Result", status(found.passed ? "completed" : "failed", result(found))),
      ...(found.at ? fact("Ran", ago(found.at)) : []),
      ...fact("Took", lasting(found.seconds)),
      ...(found.judged_at && found.verdict && found.judged_at !== found.at ? fact("Files compared", ago(found.judged_at)) : []),
    ),
    found.changed.length > 0 && changed(found.changed),
    output(found),
  ];
}

function result({ passed, exit, timed_out: late, changed: files }) {
  if (passed) return "passed";
  if (late) return "timed out";
  return exit === 0 && files.length ? "changed files" : `failed (exit ${exit})`;
}

const MOST_CHANGED = 20;

const changed = (files) => [
  remark(
    "failed",
    `It changed ${count(files.length, "tracked file")}${files.length >= MOST_CHANGED ? " or more" : ""}, so it proves nothing:`,
  ),
  h("ul", { class: "changed", tabindex: "0", "aria-label": "The files that it changed" }, ...files.map((name) => h("li", {}, h("code", {}, name)))),
];

function output({ output: text, output_is_cut: isCut, output_problem: problem }) {
  if (problem) return h("p", { class: "dim" }, `Its output is not shown: ${problem}.`);
  if (text === null) return null;
  if (!text) return h("p", { class: "dim" }, "It printed nothing.");
  return [
    h("p", { class: "dim output-title", id: "output-title" }, isCut ? "The last 4 kB of its output" : "Its output"),
    h("pre", { class: "output", tabindex: "0", role: "region", "aria-labelledby": "output-title" }, text),
  ];
}
