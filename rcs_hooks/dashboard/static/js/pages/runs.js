// The runs, that of the last activity first. The filters are the address; a page holds so many and no more.

import { get, query } from "../api.js";
import { count, h } from "../dom.js";
import { listEnd, MOST, PAGE, watchEnd } from "../endless.js";
import { command, empty, filter, filtered, placeOf, places, problemNote, project, shortId } from "../pieces.js";
import { status, statusOf } from "../status.js";
import { ago, lasting, now } from "../time.js";
import { FilteredList } from "./filtered_list.js";

const FILTERS = ["project", "workflow", "status", "since", "sort"];
const STATUSES = ["running", "waiting", "stalled", "failed", "completed", "skipped", "idle", "inactive"];
const TIMES = [
  ["", "any time"],
  ["1h", "the last hour"],
  ["24h", "24 hours"],
  ["7d", "7 days"],
  ["30d", "30 days"],
];
const SORTS = [
  ["", "last activity"],
  ["started", "started last"],
  ["lasted", "lasted longest"],
  ["events", "most events"],
  ["name", "by name"],
  ["status", "by status"],
];
const GOES_ON = ["running", "waiting", "stalled"];

export class Runs extends FilteredList {
  title = "Runs";
  #order = [];
  #limit = PAGE;

  get asked() {
    return Object.fromEntries([...FILTERS, "feature", "session", "before"].map((name) => [name, this.url.searchParams.get(name)]));
  }

  async load() {
    const { url } = this;
    const found = await get(query("/api/runs", { ...this.asked, limit: this.#limit }), this.frame.signal);
    if (url === this.url) this.data = found;
  }

  moved(url) {
    this.#order = [];
    this.#limit = PAGE;
    super.moved(url);
  }

  drawn(main) {
    watchEnd(main, () => {
      if (this.#limit >= MOST || this.data.runs.length < this.#limit) return;
      this.#limit += PAGE;
      this.frame.refresh();
    });
  }

  events({ runs }) {
    this.#take(runs);
    this.frame.refresh();
  }

  /** No run is in the state folders. */
  folders() {}

  runsChanged() {
    this.frame.refresh();
  }

  released() {
    this.frame.redraw();
  }

  tick() {
    this.frame.redraw();
  }

  /** What is in the list already is shown as it is now, before the list is asked for again. */
  #take(runs) {
    const newer = new Map(runs.map((run) => [run.run_id, run]));
    this.data &&= { ...this.data, runs: this.data.runs.map((run) => later(run, newer.get(run.run_id))) };
    this.frame.redraw();
  }

  view() {
    const { runs, next, last_runs: last } = this.data;
    const total = last && next ? Infinity : this.data.total;
    const { asked } = this;
    const isFiltered = FILTERS.concat("feature", "session").some((name) => asked[name]);
    return [
      h("div", { class: "heading", "data-key": "heading" }, h("h1", {}, "Runs"), this.#said()),
      this.#filters(asked, isFiltered),
      problemNote(this.problem),
      runs.length ? this.#list(this.#held(runs)) : this.#nothing(isFiltered),
      !asked.before && listEnd(runs.length, total),
      this.#pages(asked, runs.length >= MOST || asked.before ? next : null),
    ];
  }

  #said() {
    const { total, totals, last_runs: last } = this.data;
    if (!total) return null;
    const each = Object.entries(totals).map(([status, number]) => `${number.toLocaleString("en")} ${status}`);
    const counted = last ? `${total < last ? `${total.toLocaleString("en")} of the` : "The"} last ${count(last, "run")}` : count(total, "run");
    return h("p", { class: "dim figures" }, `${counted}: ${each.join(", ")}`);
  }

  #filters(asked, isFiltered) {
    const { projects, workflows } = this.data;
    return h(
      "form",
      { class: "filters", role: "search", "aria-label": "Which runs", "data-key": "filters" },
      places(asked.project, projects),
      filter("workflow", "Workflow", asked.workflow, [["", "all workflows"], ...workflows.map((each) => [each, each])]),
      filter("status", "Status", asked.status, [["", "any status"], ...STATUSES.map((each) => [each, each])]),
      filter("since", "Last activity", asked.since, TIMES),
      filter("sort", "Sort", asked.sort, SORTS),
      asked.feature &&
        h("a", { class: "chip", href: filtered(this.url, "feature", "") }, `feature: ${asked.feature} ×`),
      asked.session && h("a", { class: "chip", href: filtered(this.url, "session", "") }, "session: ", shortId(asked.session), " ×"),
      h("a", { class: `reset${isFiltered ? "" : " off"}`, href: "/runs" }, "Show all"),
    );
  }

  /** While somebody points at the list, or is in it, nothing in it changes its place. */
  #held(runs) {
    const list = document.querySelector(".runs");
    if (list?.matches(":hover, :focus-within") && this.#order.length) {
      const places = new Map(this.#order.map((id, number) => [id, number]));
      const place = (run) => places.get(run.run_id) ?? -1;
      runs = [...runs].sort((one, other) => place(one) - place(other));
    }
    this.#order = runs.map((run) => run.run_id);
    return runs;
  }

  #list(runs) {
    const names = ["Status", "Run", "Step", "Project", "Events", "Lasted", "Last activity"];
    return h(
      "div",
      { class: "runs", "data-key": "list" },
      h("div", { class: "row names", "aria-hidden": "true" }, ...names.map((name) => h("span", {}, name))),
      h("ul", { class: "rows", "aria-label": "Runs" }, ...runs.map(row)),
    );
  }

  #nothing(isFiltered) {
    if (isFiltered || this.asked.before) {
      return empty(
        "No run matches",
        h("p", {}, "Remove a filter, or ", h("a", { href: "/runs" }, "show all runs"), "."),
      );
    }
    return empty(
      "No run yet",
      h("p", {}, "A run appears here as soon as its first step is reported. Try it:"),
      command(
        `rcs emit --workflow build-fast --type status_change --run-id $(uuidgen) \\\n  --step plan --data '{"status": "running"}'`,
      ),
      h("p", { class: "dim" }, "Workflows with a state machine: ", h("code", {}, "rcs machine list")),
    );
  }

  #pages(asked, next) {
    const older = new URL(this.url);
    older.searchParams.set("before", next ?? "");
    if (!next && !asked.before) return null;
    return h(
      "nav",
      { class: "pages", "aria-label": "Pages of runs", "data-key": "pages" },
      asked.before && h("a", { class: "button", href: filtered(this.url, "before", "") }, "Newest"),
      next && h("a", { class: "button", href: older.pathname + older.search }, "Older"),
    );
  }
}

const later = (run, other) => (other && other.last_event > run.last_event ? other : run);

function row(run) {
  const goesOn = GOES_ON.includes(run.status);
  const seconds = (Date.parse(run.last_at) - Date.parse(run.started_at)) / 1000;
  return h(
    "li",
    { "data-key": run.run_id },
    h(
      "a",
      { class: "row", href: `/runs/${encodeURIComponent(run.run_id)}`, "data-item": true, "data-run": run.run_id },
      status(statusOf(run)),
      h(
        "span",
        { class: `workflow${run.feature ? " named" : ""}` },
        h("strong", { class: run.feature ? "feature" : null }, run.feature ?? run.workflow),
        run.feature && h("span", { class: "dim" }, run.workflow),
        shortId(run.run_id),
      ),
      h("span", { class: "step", title: run.current_steps.join(", ") }, placeOf(run) || "–"),
      project(run.project),
      h(
        "span",
        { class: "events" },
        run.event_count.toLocaleString("en"),
        h("span", { class: "unit" }, ` event${run.event_count === 1 ? "" : "s"}`),
      ),
      goesOn ? lasting((now() - Date.parse(run.started_at)) / 1000, true) : lasting(seconds, false),
      ago(run.last_at, { class: "when" }),
    ),
  );
}
