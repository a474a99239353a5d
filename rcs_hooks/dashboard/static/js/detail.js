// One step of a run: each visit, who worked in it, and what was made there.

import { h } from "./dom.js";
import { sentence } from "./pieces.js";
import { icon, kindOf, mark, status, statusIn, word, workerIn } from "./status.js";
import { duration, lasting, moment, now } from "./time.js";

const MOST_VISITS = 50;
const MOST_WORKERS = 12;

/** A step of a workflow, or a phase of a mode, which `asks` something. `stretches`: its visits; `address(changed)`: the page with another step or artifact. */
export function detail(data, step, stretches, address) {
  const made = data.artifacts.filter((each) => each.step === step.step || each.step?.startsWith(`${step.step}:`));
  return h(
    "section",
    { class: "panel detail", "data-key": `detail ${step.step}`, "aria-labelledby": "detail-title", id: "detail" },
    h(
      "header",
      {},
      h("h2", { id: "detail-title" }, step.label || step.step || "Before the first step"),
      status(statusIn(data, step.status)),
      h("a", { class: "icon-button", href: address({ step: null }), "aria-label": "Close the detail" }, icon("close")),
    ),
    step.label && step.label !== step.step && h("p", { class: "dim" }, h("code", {}, step.step)),
    step.asks && h("p", { class: "asks" }, sentence(step.asks)),
    stretches.length
      ? visitTable(data, stretches)
      : h("p", { class: "dim" }, step.status ? "No time was taken of it." : "The run has not come to it."),
    (step.units.length > 0 || step.agents.length > 0) && workers(data, step),
    made.length > 0 &&
      h(
        "p",
        { class: "made" },
        "Made here: ",
        ...made.flatMap((each, number) => [
          number ? ", " : "",
          each.missing ? h("span", { class: "missing", title: "The file is missing" }, each.path) : h("a", { href: address({ artifact: each.path }) }, each.path),
        ]),
      ),
  );
}

function visitTable(run, stretches) {
  const rows = stretches
    .slice(-MOST_VISITS)
    .map((stay, number) =>
      h(
        "tr",
        {},
        h("td", {}, String(Math.max(0, stretches.length - MOST_VISITS) + number + 1)),
        h("td", {}, moment(stay.from)),
        h("td", {}, stay.to === null ? "–" : moment(stay.to)),
        h(
          "td",
          { class: "number" },
          stay.to === null ? lasting((now() - stay.from) / 1000, true) : duration((stay.to - stay.from) / 1000),
        ),
        h("td", {}, inWords(statusIn(run, stay.status))),
      ),
    );
  const heads = ["Visit", "From", "To", "Lasted", "Status"].map((name) => h("th", { scope: "col" }, name));
  return h(
    "div",
    { class: "wide", tabindex: "0", role: "region", "aria-label": "Visits" },
    h("table", { class: "plain" }, h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...rows)),
  );
}

const inWords = (name) => h("span", { class: `status is-${kindOf(name)}` }, word(name));

function workers(run, step) {
  const units = step.units.map((unit) => [unit.unit, [unit]]);
  const agents = step.agents.map((agent) => [[agent.agent, agent.unit].filter(Boolean).join(" · "), agent.steps]);
  const shown = [...units, ...agents].map((each) => worker(run, each));
  const more = shown.splice(shown.length > MOST_WORKERS ? MOST_WORKERS - 1 : shown.length);
  return [
    h("ul", { class: "workers" }, ...shown),
    more.length > 0 &&
      h("details", { class: "more" }, h("summary", {}, `${more.length} more`), h("ul", { class: "workers" }, ...more)),
  ];
}

const stateOf = ({ step }) => step.slice(step.indexOf(":") + 1);

function worker(run, [name, reported]) {
  const steps = reported.map((each) => ({ ...each, status: workerIn(run, each) }));
  const states = new Set(steps.map(stateOf));
  const ended = (each) => (states.has(word(each.status)) ? "" : `${word(each.status)} `);
  const step = (each) =>
    h(
      "li",
      {},
      mark(each.status),
      " ",
      stateOf(each),
      stateOf(each) !== word(each.status) && h("span", { class: "dim" }, " ", ended(each), duration(each.seconds)),
    );
  return h("li", {}, h("strong", { title: name }, name), h("ol", {}, ...steps.map(step)));
}
