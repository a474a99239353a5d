// What needs me: who waits for an answer, what has failed, what is silent. What works is a number beside it.

import { get } from "../api.js";
import { count, h } from "../dom.js";
import { command, empty, problemNote, project, question, sentence, sessionLink, shortId } from "../pieces.js";
import { icon, mark } from "../status.js";
import { ago } from "../time.js";

const SECTIONS = [
  ["waiting", "Waiting for you"],
  ["failed", "Failed"],
  ["stalled", "Stalled"],
];
const MEANS = {
  waiting: "They go on when you answer, or prompt them.",
  failed: "Failed or blocked in the last seven days.",
  stalled: "Running, but silent for an hour or more.",
};

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

  view() {
    const needs = SECTIONS.filter(([kind]) => this.data[kind].length > 0);
    return [
      h("div", { class: "heading", "data-key": "heading" }, h("h1", {}, "Needs me"), this.#numbers()),
      problemNote(this.problem),
      needs.length
        ? h("div", { class: "board", "data-key": "board" }, ...needs.map(([kind, title]) => this.#section(kind, title)))
        : this.#nothing(),
    ];
  }

  #numbers() {
    const { working } = this.data;
    return h(
      "ul",
      { class: "numbers", "aria-label": "In numbers" },
      ...SECTIONS.map(([kind]) => this.#number(kind, kind, this.data[kind].length, `#${kind}`)),
      this.#number("running", "working", total(working), null, workingSaid(working)),
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
    return h(
      "section",
      { id: kind, class: "needs", "data-key": kind, "aria-labelledby": `${kind}-title` },
      h(
        "h2",
        { id: `${kind}-title` },
        title,
        " ",
        h("span", { class: "count" }, String(found.length)),
        h("small", {}, MEANS[kind]),
      ),
      h("ul", { class: "cards" }, ...found.map((need) => this.#need(kind, need))),
    );
  }

  #need(kind, need) {
    const address = target(need);
    return h(
      "li",
      {
        class: `card need is-${kind}`,
        "data-key": `${need.what} ${need.project} ${need.id} ${need.title} ${need.question?.question_id ?? ""}`,
      },
      h(
        "div",
        { class: "need-head" },
        mark(kind),
        h(
          "a",
          { class: "need-title", href: address, "data-item": true },
          h("strong", {}, need.title),
          " ",
          h("span", { class: "dim" }, need.what),
          need.about && [" ", h("span", { class: "about" }, need.about)],
        ),
        project(need.project),
        need.id ? shortId(need.id, need.short) : h("code", { class: "id" }, "root"),
        need.since && ago(need.since, { class: "when" }),
      ),
      need.question
        ? question(need.question, need.project, need.id || null, { dated: false })
        : h("p", { class: "detail" }, sentence(need.detail)),
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
          ? `${workingSaid(working)}; they do not need you now.`
          : "Nothing has failed, and nothing is silent. An agent that needs you asks like this, and stands here at once:",
      ),
      !busy &&
        command('rcs question ask --mode forge --session S --text "Which database?" --option Postgres --option SQLite'),
    );
  }
}

const total = ({ runs, sessions, tasks }) => runs + sessions + tasks;

function workingSaid({ runs, sessions, tasks }) {
  const found = [
    [runs, "run"],
    [sessions, "session"],
    [tasks, "task"],
  ].filter(([number]) => number > 0);
  return `${found.map(([number, one]) => count(number, one)).join(", ") || "nothing"} at work`;
}

function target(need) {
  if (need.what === "run") return `/runs/${encodeURIComponent(need.id)}`;
  if (need.what === "session") return sessionLink(need.project, need.id);
  return `/tasks?${new URLSearchParams({ project: need.project })}#${encodeURIComponent(need.id)}`;
}
