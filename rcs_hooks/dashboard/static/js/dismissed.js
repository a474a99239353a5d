// What a person has put aside in this browser: a failure or something stalled, until there is more to say of it.

import { keyOf } from "./notices.js";

const NAME = "rcs.dismissed";
const MOST = 300;

let held = null;

function all() {
  if (held) return held;
  try {
    held = new Map(JSON.parse(localStorage.getItem(NAME) ?? "[]"));
  } catch {
    held = new Map();
  }
  return held;
}

export const isDismissed = (need) => all().get(keyOf(need)) === (need.since ?? "");

export function dismiss(need, isAside = true) {
  const found = all();
  found.delete(keyOf(need));
  if (isAside) found.set(keyOf(need), need.since ?? "");
  try {
    localStorage.setItem(NAME, JSON.stringify([...found].slice(-MOST)));
  } catch {
    // A browser that stores nothing keeps it for as long as the page is open.
  }
}
