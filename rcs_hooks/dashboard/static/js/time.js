// Times: relative to the server's clock, absolute on hover. One timer for the whole page.

import { h } from "./dom.js";

let ahead = 0;

/** The server says what time it is there, in whole seconds; a smaller difference is none. */
export function setClock(date) {
  const server = Date.parse(date ?? "");
  if (Number.isNaN(server)) return;
  const found = server + 500 - Date.now();
  ahead = Math.abs(found) < 3000 ? 0 : found;
}

export const now = () => Date.now() + ahead;

const STEPS = [
  [60, 1, "s"],
  [3600, 60, "m"],
  [86400, 3600, "h"],
  [86400 * 14, 86400, "d"],
  [86400 * 365, 86400 * 7, "w"],
  [Infinity, 86400 * 365, "y"],
];

function relative(at) {
  const seconds = Math.round((now() - at) / 1000);
  if (seconds < 0) return seconds < -5 ? `in ${duration(-seconds)}` : "now";
  if (seconds < 5) return "now";
  const [, unit, letter] = STEPS.find(([below]) => seconds < below);
  return `${Math.floor(seconds / unit)} ${letter} ago`;
}

/** `0 s`, `0.4 s`, `12 s`, `3 m 05 s`, `2 h 07 m`, `4 d 03 h`. */
export function duration(seconds) {
  if (seconds === null || seconds === undefined || Number.isNaN(seconds)) return "";
  if (seconds < 0.05) return "0 s";
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} m ${two(whole % 60)} s`;
  if (whole < 86400) return `${Math.floor(whole / 3600)} h ${two(Math.floor((whole % 3600) / 60))} m`;
  return `${Math.floor(whole / 86400)} d ${two(Math.floor((whole % 86400) / 3600))} h`;
}

const two = (number) => String(number).padStart(2, "0");

const FULL = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });
const DAY = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});
const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

const DATE = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const DATE_CLOCK = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const HOURS = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

const A_DAY = 86_400_000;

/** The words of a tick of an axis: as much as tells it from the next one, `step` milliseconds later. */
export function tick(at, step, length) {
  if (step >= A_DAY) return DATE.format(at);
  if (step < 60_000) return CLOCK.format(at);
  return length >= A_DAY ? DATE_CLOCK.format(at) : HOURS.format(at);
}

/** The time of day of an event; with its day where that is not clear. */
export const timeIn = (at, withDay) => (withDay ? DAY.format(at) : CLOCK.format(at));

/** Whether there is more than a day between two moments, or midnight. */
const isLong = (from, to) => to - from >= A_DAY || new Date(from).toDateString() !== new Date(to).toDateString();

/** Whether times between two moments need their day: there is more than one, or it is not today. */
export const needsDay = (from, to) => isLong(from, to) || !isToday(to);

const isToday = (at) => new Date(at).toDateString() === new Date(now()).toDateString();

export const absolute = (at) => FULL.format(at);
export const clock = (at) => CLOCK.format(at);

/** The time of day, with the day where it is not today. */
export function moment(at) {
  return h("time", { datetime: new Date(at).toISOString(), title: absolute(at) }, isToday(at) ? clock(at) : DAY.format(at));
}

/** `3 m ago`, kept true by the timer. */
export function ago(iso, attributes = {}) {
  const at = Date.parse(iso ?? "");
  if (Number.isNaN(at)) return h("span", { class: "dim" }, "–");
  return h("time", { datetime: iso, title: absolute(at), "data-ago": at, ...attributes }, relative(at));
}

/** For how long something has been so: `12 m`, kept true by the timer. */
export function since(iso) {
  const at = Date.parse(iso ?? "");
  if (Number.isNaN(at)) return null;
  return h("time", { class: "since", datetime: iso, title: absolute(at), "data-for": at }, lengthSince(at));
}

function lengthSince(at) {
  const words = relative(at);
  return words === "now" ? "just now" : `for ${words.replace(" ago", "")}`;
}

/** A length of time; one that still runs was `seconds` long at the time `at` and goes on. */
export function lasting(seconds, isOpen, at = now()) {
  if (seconds === null || seconds === undefined) return h("span", { class: "duration" }, "");
  const running = isOpen ? { "data-since": at - seconds * 1000 } : {};
  return h("span", { class: "duration", ...running }, duration(seconds));
}

function count() {
  if (document.hidden) return;
  for (const each of document.querySelectorAll("[data-ago]")) put(each, relative(Number(each.dataset.ago)));
  for (const each of document.querySelectorAll("[data-for]")) put(each, lengthSince(Number(each.dataset.for)));
  if (document.body.classList.contains("is-away")) return; // nobody knows whether it goes on
  for (const each of document.querySelectorAll("[data-since]")) {
    put(each, duration(Math.max(0, now() - Number(each.dataset.since)) / 1000));
  }
}

function put(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

export function startClock() {
  setInterval(count, 1000);
  document.addEventListener("visibilitychange", count);
}
