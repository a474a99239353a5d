// A status is a shape and a word; its colour comes last.

import { h, s } from "./dom.js";
import { now } from "./time.js";

const ICONS = new URL("../icons.svg", import.meta.url).href;

/** What people read for a run that they ended, in all lists. */
export const STOPPED = "stopped by the user";
const WORDS = { not_started: "not started", askuserQuestion: "waits for an answer", userinterlude: STOPPED, let_go: "let go" };
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
]);
const LIKE = {
  finished: "completed",
  done: "completed",
  blocked: "failed",
  askuserQuestion: "waiting",
  userinterlude: "skipped",
  blocked_on_user: "waiting",
  active: "running",
  ended: "completed",
  aborted: "skipped",
  pending: "waiting",
  closed: "inactive",
  let_go: "stalled",
};

export const word = (status) => WORDS[status] ?? String(status ?? "not_started").replaceAll("_", " ");

export function kindOf(status) {
  const name = status ?? "not_started";
  return SHAPES.has(name) ? name : (LIKE[name] ?? "idle");
}

const QUIET_AFTER = 3_600_000;

/** A run whose status is running, but without an event for an hour, is not shown as working. */
export function statusOf(run) {
  return run.status === "running" && now() - Date.parse(run.last_at) >= QUIET_AFTER ? "stalled" : run.status;
}

export function icon(name, title) {
  const said = title ? { role: "img", "aria-label": title } : { "aria-hidden": "true" };
  return s("svg", { class: "icon", ...said }, s("use", { href: `${ICONS}#${name}` }));
}

/** The shape with its word. */
export function status(name, said = word(name)) {
  return h("span", { class: `status is-${kindOf(name)}` }, icon(kindOf(name)), h("span", {}, said));
}

/** The shape alone, its word for those who hear it and on hover. */
export function mark(name) {
  return h("span", { class: `status mark is-${kindOf(name)}`, title: word(name) }, icon(kindOf(name), word(name)));
}
