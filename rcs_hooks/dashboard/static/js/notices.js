// Notices of the desktop, for who has asked for them: of what waits for the person while nobody looks at the page.

import { capital } from "./pieces.js";

const WANTED = "rcs.notices";
const MOST = 3;

let known = null;
let opened = () => {};

/** `open()` shows what waits. */
export function startNotices(open) {
  opened = open;
}

export const canNotify = () => "Notification" in window && isSecureContext;

export const isNotified = () => canNotify() && Notification.permission === "granted" && stored() === "on";

/** Asks for the browser's consent; whether there are notices from now on. */
export async function askForNotices(wanted) {
  const consent = wanted ? await Notification.requestPermission() : "off";
  store(consent === "granted" ? "on" : "off");
  return isNotified();
}

export const keyOf = (need) =>
  [need.kind, need.what, need.project, need.id, need.title, need.question?.question_id ?? ""].join("\n");

/** What began to wait since the last look. Nothing is news at the first one. */
export function tell(waiting) {
  const before = known;
  known = new Set(waiting.map(keyOf));
  if (before === null || !isNotified() || (!document.hidden && document.hasFocus())) return;
  for (const need of waiting.filter((each) => !before.has(keyOf(each))).slice(0, MOST)) {
    const notice = new Notification(need.about ?? need.title, {
      body: need.question?.question ?? need.reason ?? capital(need.detail),
      tag: keyOf(need),
    });
    notice.addEventListener("click", () => {
      focus();
      opened();
      notice.close();
    });
  }
}

function stored() {
  try {
    return localStorage.getItem(WANTED);
  } catch {
    return null;
  }
}

function store(value) {
  try {
    localStorage.setItem(WANTED, value);
  } catch {
    // A browser that stores nothing for this page asks again the next time.
  }
}
