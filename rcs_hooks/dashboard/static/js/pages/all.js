// Everything in one list, searched by words: each run, each passage of a mode in any session, and each task.

import { get, query } from "../api.js";
import { h } from "../dom.js";
import { listEnd, MOST, PAGE, watchEnd } from "../endless.js";
import { command, empty, filter, filtered, places, idToCopy, problemNote, project } from "../pieces.js";
import { verdict } from "../proof.js";
import { endWord, status, word } from "../status.js";
import { ago, lasting, now } from "../time.js";
import { FilteredList } from "./filtered_list.js";

const FILTERS = ["q", "kind", "project", "state", "sort"];
const KINDS = [
  ["", "all kinds"],
  ["mode", "modes"],
  ["run", "runs"],
  ["task", "tasks"],
];
const STATES = ["waiting", "running", "stalled", "failed", "completed", "skipped", "idle", "inactive", "closed", "open", "unknown"];
const SORTS = [
  ["", "last activity"],
  ["started", "started last"],
  ["lasted", "lasted longest"],
  ["title", "by title"],
  ["state", "by state"],
];

export class Everything extends FilteredList {
  title = "Everything";
  #limit = PAGE;
  #typing = 0;

  get asked() {
    return Object.fromEntries(FILTERS.map((name) => [name, this.url.searchParams.get(name)]));
  }

  async load() {
    const { url } = this;
    const found = await get(query("/api/all", { ...this.asked, limit: this.#limit }), this.frame.signal);
    if (url === this.url) this.data = found;
  }

  moved(url) {
    this.#limit = PAGE;
    super.moved(url);
  }

  events() {
    this.frame.refresh();
  }

  runsChanged() {
    this.frame.refresh();
  }

  gone() {
    clearTimeout(this.#typing);
  }

  /** What is typed is searched for once the fingers rest. */
  typed({ value }) {
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => {
      this.frame.go(filtered(this.url, "q", value.trim()), { replace: true });
    }, 200);
  }

  act() {
    // Enter in the field: it has been searched for already, or will be at once.
  }

  drawn(main) {
    watchEnd(main, () => {
      if (this.#limit >= MOST || this.data.entries.length < this.#limit) return;
      this.#limit += PAGE;
      this.frame.refresh();
    });
  }

  view() {
    const { asked, data } = this;
    const isFiltered = FILTERS.some((name) => asked[name]);
    return [
      h("div", { class: "heading", "data-key": "heading" }, h("h1", {}, "Everything"), this.#totals()),
      h(
        "form",
        { class: "filters", role: "search", "aria-label": "Search everything", "data-key": "filters", "data-do": "search" },
        h(
          "label",
          { class: "filter search" },
          h("span", {}, "Search"),
          h("input", { type: "search", name: "q", id: "search", value: asked.q ?? "", placeholder: "A title, an id, a step, a reason…", autocomplete: "off", "data-typed": true }),
        ),
        filter("kind", "Kind", asked.kind, KINDS),
        places(asked.project, data.projects),
        filter("state", "State", asked.state, [["", "any state"], ...STATES.map((each) => [each, word(each)])]),
        filter("sort", "Sort", asked.sort, SORTS),
        h("a", { class: `reset${isFiltered ? "" : " off"}`, href: "/all" }, "Show all"),
      ),
      problemNote(this.problem),
      data.entries.length
        ? list(data.entries)
        : nothing(isFiltered),
      listEnd(data.entries.length, data.total),
    ];
  }

  #totals() {
    const { total, totals, last_runs: last } = this.data;
    const { kind } = this.asked;
    const all = Object.values(totals).reduce((sum, number) => sum + number, 0);
    const isPart = last && (!kind || kind === "run");
    const whole = isPart ? ` among ${kind ? "" : "modes, tasks and "}the last ${last.toLocaleString("en")} runs` : total === all ? " in all" : "";
    const found = `${total.toLocaleString("en")}${total === all ? "" : ` of ${all.toLocaleString("en")}`}${whole}`;
    return h(
      "p",
      { class: "dim figures" },
      all ? `${found}: ${Object.entries(totals).map(([state, number]) => `${number.toLocaleString("en")} ${word(state)}`).join(", ")}` : "",
    );
  }
}

const nothing = (isFiltered) =>
  isFiltered
    ? empty("Nothing matches", h("p", {}, "Remove a word or a filter."))
    : empty(
        "Nothing yet",
        h("p", {}, "Here is each run of a mode, each run that an agent reports, and each task, also when it has ended. To start a mode, type in your client:"),
        command("$forge fix the failing test"),
      );

const NAMES = ["Status", "Title", "Kind and step", "Project", "Lasted", "Last activity"];

const list = (entries) =>
  h(
    "div",
    { class: "everything", "data-key": "list" },
    h("div", { class: "entry-names names", "aria-hidden": "true" }, ...NAMES.map((name) => h("span", {}, name))),
    h("ul", { class: "rows", "aria-label": "Everything" }, ...entries.map(row)),
  );

/** The word for what is, or for how it has ended, as the other lists have it. */
function said({ kind, state, outcome, early }) {
  if (outcome) return endWord(outcome, early);
  return kind === "task" && state === "completed" ? "done" : word(state);
}

const GOES_ON = ["waiting", "running", "stalled"];

function lasted({ kind, state, started_at: from, seconds }) {
  if (kind === "task" || !GOES_ON.includes(state)) return lasting(seconds, false);
  return from ? lasting((now() - Date.parse(from)) / 1000, true) : "";
}

function row(entry) {
  const title = entry.has_title ? entry.title : entry.name;
  const inner = [
    status(entry.state, said(entry)),
    h(
      "span",
      { class: "title" },
      h("span", {}, entry.page ? h("a", { href: entry.page, "data-item": true }, title) : title, " ", verdict(entry.verdict)),
      entry.says && h("span", { class: "says dim", title: entry.says }, entry.says),
    ),
    h("span", { class: "of" }, entry.has_title && entry.kind !== "task" ? entry.name : entry.kind, entry.phase && h("span", { class: "dim" }, ` ${entry.phase}`)),
    h("span", { class: "where dim" }, project(entry.project), entry.client && h("span", { class: "client" }, entry.client), entry.kind !== "task" && (entry.id ?? entry.session) && idToCopy(entry.id ?? entry.session, entry.short)),
    h("span", { class: "duration" }, lasted(entry)),
    ago(entry.last_at, { class: "when" }),
  ];
  return h("li", { class: "entry-row", "data-key": entry.key, "data-kind": entry.kind }, ...inner);
}
