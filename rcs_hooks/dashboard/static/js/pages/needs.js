// What needs me: what waits for me, with what is asked; what has failed, and why; what is silent. What runs is a number.

import { get } from "../api.js";
import { count, h } from "../dom.js";
import { askForNotices, canNotify, isNotified, keyOf } from "../notices.js";
import { coded, command, empty, idToCopy, problemNote, project, question, resumed, sentence, typed, whatIs } from "../pieces.js";
import { icon, mark } from "../status.js";
import { ago, since as sinceWhen } from "../time.js";

const SECTIONS = [
  ["waiting", "Waiting for you"],
  ["failed", "Failed"],
  ["stalled", "Stalled"],
  ["inactive", "Inactive"],
];
const MEANS = {
  waiting: "None of these can continue without you.",
  failed: "Failed or blocked in the last seven days.",
  stalled: "No activity for an hour or more, or allowed to stop.",
  inactive: "No activity for one to seven days.",
};
const SHOWN = 5;

export class NeedsMe {
  title = "Needs me";
  data = null;
  problem = null;

  constructor(frame) {
    this.frame = frame;
  }

  async load() {
    this.data = await get("/api/attention", this.frame.signal);
  }

  attentionChanged() {
    if (!this.frame.attention.data || this.frame.attention.problem) return;
    this.data = this.frame.attention.data;
    this.frame.redraw();
  }

  moved() {}

  act(name) {
    if (name === "notices") askForNotices(!isNotified()).then(this.frame.redraw, this.frame.redraw);
    this.frame.redraw();
  }

  view() {
    const needs = SECTIONS.filter(([kind]) => this.data[kind].length > 0);
    return [
      h(
        "div",
        { class: "heading", "data-key": "heading" },
        h("h1", {}, "Needs me"),
        canNotify() && notices(),
        this.#numbers(),
      ),
      problemNote(this.problem),
      needs.length > 0 && h("div", { class: "board", "data-key": "board" }, ...needs.map(([kind, title]) => this.#section(kind, title))),
      !needs.length && this.#nothing(),
    ];
  }

  #numbers() {
    const { working } = this.data;
    return h(
      "ul",
      { class: "numbers", "aria-label": "In numbers" },
      ...SECTIONS.map(([kind]) => this.#number(kind, kind, this.data[kind].length, `#${kind}`)),
      this.#number("running", "running", working.runs + working.sessions, null, runningSaid(working)),
    );
  }

  #number(kind, word, number, href, title) {
    const inner = [icon(kind), h("strong", {}, String(number)), " ", h("span", {}, word)];
    const looks = `figure is-${kind}${number ? "" : " none"}`;
    return h(
      "li",
      {},
      href && number ? h("a", { class: looks, href }, ...inner) : h("span", { class: looks, title }, ...inner),
    );
  }

  #section(kind, title) {
    const found = this.data[kind];
    const first = found.slice(0, kind === "waiting" ? found.length : SHOWN);
    const more = found.slice(first.length);
    return h(
      "section",
      { id: kind, class: "needs", "data-key": kind, "aria-label": title },
      h("h2", {}, title, " ", h("span", { class: "count" }, String(found.length)), h("small", {}, MEANS[kind])),
      h("ul", { class: "cards" }, ...first.map((need) => this.#need(kind, need))),
      more.length > 0 &&
        h(
          "details",
          { class: "more-needs", "data-key": "more" },
          h("summary", {}, `${more.length} more`),
          h("ul", { class: "cards" }, ...more.map((need) => this.#need(kind, need))),
        ),
    );
  }

  #need(kind, need) {
    const { about, title } = need;
    return h(
      "li",
      { class: `card need is-${kind}`, "data-key": keyOf(need) },
      h(
        "div",
        { class: "need-head" },
        mark(need.state),
        h("a", { class: "need-title", href: need.page, "data-item": true }, h("strong", {}, about ?? title)),
        h("span", { class: "when" }, since(kind, need)),
      ),
      h(
        "p",
        { class: "need-of dim" },
        h("span", {}, whatIs(need.what === "session" ? "mode" : need.what, need.about && need.title)),
        project(need.project),
        need.client && h("span", { class: "client" }, need.client),
        need.what === "task" ? null : need.id ? idToCopy(need.id, need.short) : h("code", { class: "id" }, "root"),
      ),
      need.question
        ? question(need.question, need.project, need.id || null, { dated: false, resume: need.resume })
        : said(need),
    );
  }

  #nothing() {
    const { working } = this.data;
    const busy = total(working);
    return empty(
      "Nothing waits for you",
      h(
        "p",
        {},
        busy
          ? `${runningSaid(working)}; nothing of it needs you now.`
          : "Nothing has failed, and nothing is silent. An agent that needs you asks like this; the question appears here right away:",
      ),
      !busy &&
        command('rcs question ask --mode forge --session S --text "Which database?" --option Postgres --option SQLite'),
    );
  }
}

function notices() {
  const isOn = isNotified();
  const isRefused = Notification.permission === "denied";
  return h(
    "button",
    {
      type: "button",
      class: "button small quiet notices",
      "data-do": "notices",
      "aria-pressed": String(isOn),
      disabled: isRefused,
      title: isRefused ? "The browser refuses notifications of this page" : "A desktop notification when something begins to wait for you",
    },
    icon("bell"),
    isOn ? "Notifications on" : "Notify me",
  );
}

/** How long it has waited or been silent, or when it failed. */
function since(kind, need) {
  if (!need.since) return null;
  return kind === "failed" ? ago(need.since) : sinceWhen(need.since);
}

function said(need) {
  const isLong = need.reason && need.detail;
  return [
    need.reason && h("p", { class: "reason" }, need.reason),
    h("p", { class: isLong ? "detail" : "detail alone" }, ...coded(sentence(need.detail))),
    need.command && typed(need.project, need.command),
    need.kind === "waiting" && need.what === "session" && resumed(need.resume),
  ];
}

const total = ({ runs, sessions, tasks }) => runs + sessions + tasks;

function runningSaid({ runs, sessions, tasks }) {
  const found = [
    [runs, "run"],
    [sessions, "session"],
  ].filter(([number]) => number > 0);
  const running = found.length > 0 && `${found.map(([number, one]) => count(number, one)).join(", ")} going on`;
  return [running, tasks > 0 && `${count(tasks, "task")} open`].filter(Boolean).join("; ") || "nothing going on";
}
