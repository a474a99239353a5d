// A status is a shape and a word; its colour comes last.

import { h, s } from "./dom.js";
import { now } from "./time.js";

/** What people read for a run that they ended, in all lists. */
export const STOPPED = "stopped by the user";
const WORDS = { not_started: "not started", askuserQuestion: "waits for an answer", userinterlude: STOPPED };
const SHAPES = new Set([
  "running",
  "waiting",
  "failed",
  "stalled",
  "completed",
  "skipped",
  "idle",
  "inactive",
  "not_started",
  "unreadable",
  "left",
  "open",
]);
/** The icons of states that look like another one otherwise. */
const ICONS = { closed: "shut", open: "task" };
const LIKE = {
  finished: "completed",
  done: "completed",
  blocked: "failed",
  askuserQuestion: "waiting",
  userinterlude: "skipped",
  blocked_on_user: "waiting",
  active: "running",
  aborted: "skipped",
  pending: "waiting",
  closed: "inactive",
  unknown: "idle",
};

export const word = (status) => WORDS[status] ?? String(status ?? "not_started").replaceAll("_", " ");

export function kindOf(status) {
  const name = status ?? "not_started";
  return SHAPES.has(name) ? name : (LIKE[name] ?? "idle");
}

const iconOf = (name) => ICONS[name] ?? kindOf(name);

const HOUR = 3_600_000;

/** The server says so of a run that was silent when it was asked (`workflow/silence.py`); here of one since then. */
export function statusOf(run) {
  const silent = now() - Date.parse(run.last_at);
  if (["running", "waiting", "stalled", "idle"].includes(run.status) && silent >= 24 * HOUR) return "inactive";
  return run.status === "running" && silent >= HOUR ? "stalled" : run.status;
}

/** What has not ended and was silent for long. */
export const isQuiet = (state) => ["stalled", "inactive"].includes(state);

/** Whether what ran is over without an end of its own: an agent that was left, or whose run ended. */
const isLeft = (each) => ["running", "waiting"].includes(each.status) && Boolean(each.ended_at);

const SILENT = ["stalled", "inactive", "closed"];
const ENDED = ["completed", "failed", "skipped", "unknown"];

/** The status of a step in its run: nothing goes on in a run that is silent or closed, or has ended. */
export function statusIn(run, status) {
  if (!["running", "waiting"].includes(status)) return status;
  if (SILENT.includes(run.status)) return run.status;
  return ENDED.includes(run.status) ? "left" : status;
}

/** The status of a unit or an agent in its run: what was left while it ran is past, though nobody said how it ended. */
export const workerIn = (run, each) => (isLeft(each) ? "left" : statusIn(run, each.status));

/** An icon of those in the page itself, which are there while the server is away; no section has a colon in its id. */
export function icon(name, title) {
  const said = title ? { role: "img", "aria-label": title } : { "aria-hidden": "true" };
  return s("svg", { class: "icon", ...said }, s("use", { href: `#icon:${name}` }));
}

/** The shape with its word. */
export function status(name, said = word(name), shape = iconOf(name)) {
  return h("span", { class: `status is-${kindOf(name)}` }, icon(shape), h("span", {}, said));
}

/** The word for how a run has ended, in every list: one that finished too soon says so. */
export const endWord = (outcome, isEarly) => (outcome === "finished" && isEarly ? "finished early" : word(outcome));

/** The shape alone, its word for those who hear it and on hover. */
export function mark(name) {
  return h("span", { class: `status mark is-${kindOf(name)}`, title: word(name) }, icon(iconOf(name), word(name)));
}
