// The timeline of a run: a row for each step with its real times, and under it the units and agents that belong to it.

import { h } from "./dom.js";
import { whole } from "./stays.js";
import { kindOf, mark, word } from "./status.js";
import { absolute, duration, lasting, now } from "./time.js";

const OPEN = new Set(["running", "waiting"]);
const MOST_CHILDREN = 12;

/** `stays(step)`: its stretches of time; `address(step)` selects it. */
export function timeline(run, stays, chosen, address) {
  const span = spanOf(run);
  return h(
    "ol",
    { class: "timeline", "aria-label": "Steps" },
    ...run.timeline.map((step) => stepShown(step, stays(step), span, chosen, address)),
  );
}

function spanOf(run) {
  const from = Date.parse(run.started_at);
  const open = OPEN.has(run.status);
  return { from, to: Math.max(open ? now() : Date.parse(run.last_at), from + 1000) };
}

function stepShown(step, stays, span, chosen, address) {
  const isChosen = chosen === step.step;
  const name = step.step || "before the first step";
  return h(
    "li",
    { "data-key": `step ${step.step}`, class: step.status ? "" : "to-come" },
    h(
      "a",
      {
        class: "bar-row step",
        href: address(isChosen ? null : step.step),
        "data-item": true,
        "data-step": step.step,
        "aria-current": isChosen ? "true" : null,
        title: step.label && step.label !== step.step ? step.step : null,
      },
      mark(step.status),
      h("span", { class: "name" }, h("span", { class: "label" }, step.label || name), times(step.visits)),
      bars(stays, span),
      h("span", { class: "time" }, step.status ? time(step) : ""),
    ),
    children(step, span),
  );
}

const times = (visits) =>
  visits > 1 ? h("span", { class: "visits", title: `entered ${visits} times` }, ` × ${visits}`) : null;

const time = (each) => lasting(each.seconds, OPEN.has(each.status));

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
    mark(unit.status),
    h("span", { class: "name" }, h("span", { class: "label" }, unit.unit), times(unit.visits)),
    bars(whole(unit), span),
    h("span", { class: "time" }, time(unit)),
  );
}

/** An agent is where it was last: what it reported before that is over, also where nobody said so. */
function left(agents) {
  return agents.map((agent) => {
    const others = agents.filter((each) => each !== agent && each.agent === agent.agent && each.unit === agent.unit);
    const elsewhere = others.flatMap((each) => each.steps);
    const steps = agent.steps.map((step) => {
      const after = (step.step === agent.step ? elsewhere : [...agent.steps, ...elsewhere])
        .map((each) => each.started_at)
        .filter((at) => at && step.started_at && at > step.started_at)
        .sort()[0];
      if (step.ended_at || !after || !OPEN.has(step.status)) return step;
      return {
        ...step,
        status: "completed",
        ended_at: after,
        seconds: (Date.parse(after) - Date.parse(step.started_at)) / 1000,
      };
    });
    const last = steps.find((step) => step.step === agent.step) ?? steps.at(-1);
    return { ...agent, steps, status: last?.status ?? agent.status, ended_at: last?.ended_at ?? agent.ended_at };
  });
}

/** The steps of the run, their agents seen like that. */
export function withAgentsLeft(steps) {
  const all = left(steps.flatMap((step) => step.agents));
  let at = 0;
  return steps.map((step) => ({ ...step, agents: all.slice(at, (at += step.agents.length)) }));
}

function agentShown(agent, span) {
  const at = agent.step.slice(agent.step.indexOf(":") + 1);
  const seconds = agent.steps.reduce((sum, step) => sum + (step.seconds ?? 0), 0);
  return h(
    "li",
    { class: "bar-row", "data-key": `agent ${agent.agent} ${agent.unit ?? ""}` },
    mark(agent.status),
    h(
      "span",
      { class: "name", title: [agent.agent, agent.unit].filter(Boolean).join(" · ") },
      h("span", { class: "label" }, agent.agent, agent.unit && h("b", { class: "of-unit" }, agent.unit)),
      h(
        "span",
        { class: "agent-at", title: agent.steps.map((step) => `${step.step}: ${word(step.status)}`).join("\n") },
        at,
      ),
    ),
    bars(agent.steps.flatMap(whole), span),
    h("span", { class: "time" }, lasting(seconds, OPEN.has(agent.status))),
  );
}

function bars(stays, span) {
  return h("span", { class: "track", "aria-hidden": "true" }, ...stays.map((stay) => bar(stay, span)));
}

function bar(stay, span) {
  const length = span.to - span.from;
  const share = (at) => Math.min(100, Math.max(0, ((at - span.from) / length) * 100));
  const from = share(stay.from);
  const to = share(stay.to ?? span.to);
  const until = stay.to === null ? "now" : absolute(stay.to);
  return h("span", {
    class: `bar is-${kindOf(stay.status)}`,
    title: `${absolute(stay.from)} – ${until}: ${duration(((stay.to ?? now()) - stay.from) / 1000)}, ${word(stay.status)}`,
    vars: { left: `${from.toFixed(2)}%`, width: `${(to - from).toFixed(2)}%` },
  });
}
