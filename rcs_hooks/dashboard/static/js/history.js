// What the history of a session tells of a mode's run: its rounds, its questions, its events, and the runs around it.

import { h } from "./dom.js";
import { coded, modeLink } from "./pieces.js";
import { endWord, mark, status, word } from "./status.js";
import { absolute, ago, needsDay, lasting, moment, now, timeIn } from "./time.js";

const MARKS = { started: "running", resumed: "running", phase: "completed", question: "waiting", answer: "running" };
const WORDS = { held: "Stop held", let_go: "stalled: Stop let go", handoff: "handed over", outcome: "ended" };

const panel = (name, title, count, ...body) =>
  h(
    "section",
    { class: `panel ${name}`, "data-key": name, "aria-labelledby": `${name}-title` },
    h("header", {}, h("h2", { id: `${name}-title` }, title, " ", count !== null && h("span", { class: "count" }, String(count)))),
    ...body,
  );

export function rounds({ rounds: found }) {
  if (found.length < 2) return null;
  const rows = found.map((round) => {
    const from = Date.parse(round.started_at ?? "");
    const to = round.ended_at ? Date.parse(round.ended_at) : now();
    return h(
      "tr",
      { "data-key": `round ${round.iteration} ${round.started_at}` },
      h("td", {}, round.iteration ? String(round.iteration) : "–"),
      h("td", {}, Number.isNaN(from) ? "–" : moment(from)),
      h("td", {}, Number.isNaN(from) ? "" : lasting((to - from) / 1000, round.ended_at === null)),
      h("td", { class: "way" }, round.phases.join(" → ")),
    );
  });
  const heads = ["Round", "From", "Lasted", "Phases"].map((name) => h("th", { scope: "col" }, name));
  return panel(
    "rounds",
    "Rounds",
    null,
    h(
      "div",
      { class: "wide", tabindex: "0", role: "region", "aria-label": "Table of rounds" },
      h("table", { class: "plain" }, h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...rows)),
    ),
  );
}

/** What was asked before, and what the person answered. */
export function questionsOf({ asked }) {
  if (!asked.length) return null;
  const rows = asked.map((each) => [
    h("dt", {}, each.question ?? "It waited for your next prompt.", " ", each.asked_at && ago(each.asked_at, { class: "dim" })),
    h("dd", {}, each.answered_at === null ? h("span", { class: "dim" }, "no answer yet") : (each.answer ?? "answered")),
  ]);
  return panel("asked-before", "Questions and answers", asked.length, h("dl", { class: "questions" }, ...rows));
}

export function runsOf({ runs, run, mode, project, session }) {
  if (runs.length < 2) return null;
  const rows = runs.map((each, number) =>
    h(
      "li",
      { "data-key": each.n },
      status(each.outcome ?? each.status, endWord(each.outcome ?? each.status, each.early)),
      h(
        "a",
        { href: modeLink(project, session, mode, number ? each.n : null), "aria-current": each.n === run ? "true" : null },
        each.title ?? mode,
      ),
      ago(each.started_at, { class: "when dim" }),
    ),
  );
  return panel("mode-runs", `Runs of ${mode} in this session`, runs.length, h("ul", { class: "run-lines" }, ...rows));
}

/** The events, the newest first. */
export function history({ events, event_count: all, session }, chosen) {
  const [from, to] = [events[0], events.at(-1)].map((event) => Date.parse(event?.at ?? ""));
  const withDay = needsDay(from, to);
  const left = all - events.length;
  return panel(
    "events",
    "History",
    all.toLocaleString("en"),
    events.length
      ? h(
          "div",
          { class: "scroll", tabindex: "0", role: "region", "aria-label": "History, the newest first" },
          h("ol", { class: `event-rows${withDay ? " with-day" : ""}`, reversed: true }, ...[...events].reverse().map((event) => shown(event, chosen, withDay))),
        )
      : h("p", { class: "dim" }, session === null ? "A run without a session has no history." : "This run has no history."),
    left > 0 && h("p", { class: "dim note" }, `${left.toLocaleString("en")} earlier events are not shown.`),
  );
}

function shown(event, chosen, withDay) {
  const at = Date.parse(event.at ?? "");
  const ended = event.event === "outcome" ? event.after : event.event === "handoff" ? "finished" : null;
  const after = ended === null ? event.after : word(event.after ?? ended);
  const way = [event.before, event.after === event.before ? null : after].filter(Boolean).join(" → ") || "–";
  return h(
    "li",
    {
      "data-key": event.n,
      "data-n": event.n,
      class: chosen && [event.before, event.after].includes(chosen) ? "of-chosen" : "",
    },
    h(
      "div",
      { class: "event" },
      h("span", { class: "seq" }, String(event.n)),
      Number.isNaN(at) ? h("span") : h("time", { datetime: event.at, title: absolute(at) }, timeIn(at, withDay)),
      mark(ended ?? (event.event === "proof" ? (event.passed ? "completed" : "failed") : MARKS[event.event]) ?? "idle"),
      h("span", { class: "place", title: way }, way),
      h("span", { class: "what" }, WORDS[event.event] ?? event.event, event.early && " early"),
      note(event),
    ),
  );
}

function note({ event, verdict, note: words, iteration }) {
  const told = [verdict, words].filter(Boolean).join("; ") || null;
  const round = iteration ? `round ${iteration}` : "";
  return h("span", { class: "note", title: told }, told === null ? round : event === "proof" ? coded(told) : told);
}
