// The timeline of a run: a row for each step with its real times, under it the units and agents that belong to it and
// the files that were made there, and an axis of time.

import { h } from "./dom.js";
import { whole } from "./stays.js";
import { icon, kindOf, mark, statusIn, word, workerIn } from "./status.js";
import { absolute, duration, lasting, now, tick as tickWords } from "./time.js";

const OPEN = new Set(["running", "waiting"]);
const GOES_ON = new Set([...OPEN, "stalled"]);
const MOST_CHILDREN = 12;
const MOST_FILES = 4;
const [MOST_TICKS, MOST_DATES] = [5, 3];
const SECOND = 1000;
const [MINUTE, HOUR, DAY] = [60 * SECOND, 3600 * SECOND, 86_400 * SECOND];
const STEPS = [
  SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 30 * SECOND,
  MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE,
  HOUR, 2 * HOUR, 6 * HOUR, 12 * HOUR,
  DAY, 2 * DAY, 7 * DAY, 28 * DAY, 91 * DAY, 364 * DAY,
];

/** `stays(step)`: its stretches of time; `address(changed)`: the page with another step or artifact. */
export function timeline(run, stays, chosen, address) {
  const span = spanOf(run);
  return [
    h(
      "ol",
      { class: "timeline", "aria-label": "Steps" },
      ...run.timeline.map((step) => stepShown(step, stays(step), filesOf(run, step), span, chosen, address)),
    ),
    axis(span),
  ];
}

function spanOf(run) {
  const from = Date.parse(run.started_at);
  const isOpen = GOES_ON.has(run.status);
  return { from, to: Math.max(isOpen ? now() : Date.parse(run.last_at), from + 1000), isOpen, status: run.status };
}

function axis(span) {
  if (Number.isNaN(span.from)) return null;
  const length = span.to - span.from;
  const most = (each) => (length >= DAY && each < DAY ? MOST_DATES : MOST_TICKS);
  const step = STEPS.find((each) => length / each <= most(each)) ?? STEPS.at(-1) * Math.ceil(length / STEPS.at(-1) / MOST_TICKS);
  const zone = new Date(span.from).getTimezoneOffset() * MINUTE;
  const first = Math.ceil((span.from - zone) / step) * step + zone;
  const ticks = [];
  for (let at = first; at <= span.to && ticks.length <= MOST_TICKS; at += step) ticks.push(at);
  const shown = ticks.map((at) => {
    const share = ((at - span.from) / length) * 100;
    return h(
      "span",
      { class: `tick ${edge(share)}`, vars: { left: `${share.toFixed(2)}%` } },
      h("span", { title: absolute(at) }, tickWords(at, step, length)),
    );
  });
  return h("div", { class: "bar-row axis", "aria-hidden": "true", "data-key": "axis" }, h("span", { class: "track" }, ...shown));
}

/** The words of a tick are in the middle under it, unless they would leave the axis. */
const edge = (share) => (share < 8 ? "at-start" : share > 92 ? "at-end" : "");

const filesOf = (run, step) =>
  (run.artifacts ?? []).filter((each) => each.step === step.step || each.step?.startsWith(`${step.step}:`));

function stepShown(step, stays, files, span, chosen, address) {
  const isChosen = chosen === step.step;
  const name = step.step || "before the first step";
  return h(
    "li",
    { "data-key": `step ${step.step}`, class: step.status ? "" : "to-come" },
    h(
      "a",
      {
        class: "bar-row step",
        href: address({ step: isChosen ? null : step.step }),
        "data-item": true,
        "data-step": step.step,
        "aria-current": isChosen ? "true" : null,
        title: step.label && step.label !== step.step ? step.step : null,
      },
      mark(statusIn(span, step.status)),
      h("span", { class: "name" }, h("span", { class: "label" }, step.label || name), times(step.visits)),
      bars(stays, span),
      h("span", { class: "time" }, step.status ? time(step, span) : ""),
    ),
    made(files, address),
    children(step, span),
  );
}

/** What was made in a step, beside it. */
function made(files, address) {
  if (!files.length) return null;
  const more = files.length - MOST_FILES;
  return h(
    "ul",
    { class: "step-files", "aria-label": "Made here" },
    ...files
      .slice(-MOST_FILES)
      .map((each) =>
        h(
          "li",
          {},
          icon("file"),
          each.missing
            ? h("span", { class: "missing", title: `${each.path} is missing` }, nameOf(each.path))
            : h("a", { href: address({ artifact: each.path }), title: each.path }, nameOf(each.path)),
        ),
      ),
    more > 0 && h("li", { class: "dim" }, `and ${more} more`),
  );
}

const nameOf = (path) => path.slice(path.lastIndexOf("/") + 1);

const times = (visits) =>
  visits > 1 ? h("span", { class: "visits", title: `entered ${visits} times` }, ` × ${visits}`) : null;

const time = (each, span) => lasting(each.seconds, span.isOpen && OPEN.has(each.status) && !each.ended_at);

function children(step, span) {
  const rows = [
    ...step.units.map((unit) => unitShown(unit, span)),
    ...step.agents.map((agent) => agentShown(agent, span)),
  ];
  if (!rows.length) return null;
  if (rows.length <= MOST_CHILDREN) return h("ul", { class: "nested" }, ...rows);
  const more = rows.splice(MOST_CHILDREN - 1);
  return [
    h("ul", { class: "nested" }, ...rows),
    h("details", { class: "more" }, h("summary", {}, `${more.length} more`), h("ul", { class: "nested" }, ...more)),
  ];
}

function unitShown(unit, span) {
  return h(
    "li",
    { class: "bar-row", "data-key": `unit ${unit.unit}` },
    mark(workerIn(span, unit)),
    h("span", { class: "name" }, h("span", { class: "label", title: unit.unit }, unit.unit), times(unit.visits)),
    bars(whole(unit), span, true),
    h("span", { class: "time" }, time(unit, span)),
  );
}

function agentShown(agent, span) {
  const at = agent.step.slice(agent.step.indexOf(":") + 1);
  const seconds = agent.steps.reduce((sum, step) => sum + (step.seconds ?? 0), 0);
  return h(
    "li",
    { class: "bar-row", "data-key": `agent ${agent.agent} ${agent.unit ?? ""}` },
    mark(workerIn(span, agent)),
    h(
      "span",
      { class: "name", title: [agent.agent, agent.unit].filter(Boolean).join(" · ") },
      h("span", { class: "label" }, agent.agent, agent.unit && h("b", { class: "of-unit" }, agent.unit)),
      h(
        "span",
        { class: "agent-at", title: agent.steps.map((step) => `${step.step}: ${word(workerIn(span, step))}`).join("\n") },
        at,
      ),
    ),
    bars(agent.steps.flatMap(whole), span, true),
    h("span", { class: "time" }, time({ ...agent, seconds }, span)),
  );
}

function bars(stays, span, ofWorker = false) {
  return h("span", { class: "track", "aria-hidden": "true" }, ...stays.map((stay) => bar(stay, span, ofWorker)));
}

function bar(stay, span, ofWorker) {
  const length = span.to - span.from;
  const share = (at) => Math.min(100, Math.max(0, ((at - span.from) / length) * 100));
  const from = share(stay.from);
  const to = share(stay.to ?? span.to);
  const until = stay.to === null ? "now" : absolute(stay.to);
  const state = ofWorker ? workerIn(span, { ...stay, ended_at: stay.to }) : statusIn(span, stay.status);
  const kind = stay.to !== null && OPEN.has(stay.status) ? "idle" : kindOf(state);
  return h("span", {
    class: `bar is-${kind}`,
    title: `${absolute(stay.from)} – ${until}: ${duration(((stay.to ?? span.to) - stay.from) / 1000)}, ${word(state)}`,
    vars: { left: `${from.toFixed(2)}%`, width: `${(to - from).toFixed(2)}%` },
  });
}
