// Everything in one list: what waits for the person, what runs, what has ended lately, the tasks, and what lies in closed
// sessions. Each thing is there once, and leads to its page. The filters are the address.

import { get, query } from "../api.js";
import { h } from "../dom.js";
import { coded, command, empty, filter, filtered, places, problemNote, project, question, sentence, idToCopy, copied, toType, whatIs } from "../pieces.js";
import { verdict } from "../proof.js";
import { isShared } from "../shared.js";
import { STOPPED, endWord, icon, kindOf, status } from "../status.js";
import { ago, since as sinceWhen } from "../time.js";
import { FilteredList } from "./filtered_list.js";

const GROUPS = [
  ["waiting", "Waits for you", "for you"],
  ["running", "Running", "running"],
  ["ended", "Ended in the last day", "ended"],
  ["tasks", "Tasks", "tasks"],
  ["closed", "In closed sessions", "closed"],
];
const KINDS = [
  ["", "all kinds"],
  ["mode", "modes"],
  ["run", "runs"],
  ["task", "tasks"],
];
const FILTERS = ["project", "kind", "show"];

export class Overview extends FilteredList {
  title = "Overview";

  get asked() {
    return Object.fromEntries(FILTERS.map((name) => [name, this.url.searchParams.get(name)]));
  }

  async load() {
    const { project: of } = this.asked;
    const found = await get(query("/api/overview", { project: of }), this.frame.signal);
    if (of === this.asked.project) this.data = found;
  }

  moved(url) {
    const isOther = url.searchParams.get("project") !== this.asked.project;
    this.url = url;
    if (isOther) this.frame.refresh();
  }

  events() {
    this.frame.refresh();
  }

  runsChanged() {
    this.frame.refresh();
  }

  view() {
    const { asked, data } = this;
    const of = (group) => data[group].filter((entry) => !asked.kind || entry.kind === asked.kind);
    const found = GROUPS.map(([group, title, words]) => {
      const entries = of(group);
      return { group, title, word: wordOf(group, words, entries), entries };
    });
    const shown = found.filter(({ group, entries }) => entries.length && (!asked.show || asked.show === group));
    const isFiltered = FILTERS.some((name) => asked[name]);
    return [
      h("div", { class: "heading", "data-key": "heading" }, h("h1", {}, "Overview"), this.#numbers(found)),
      this.#filters(asked, isFiltered),
      problemNote(this.problem),
      shown.length
        ? h("div", { class: "overview", "data-key": "list" }, ...shown.map((each) => this.#group(each)))
        : this.#nothing(isFiltered),
      data.more && h("p", { class: "dim", "data-key": "more" }, "Only the newest 300 of each kind are shown."),
    ];
  }

  #numbers(found) {
    return h(
      "ul",
      { class: "numbers", "aria-label": "In numbers" },
      ...found.map(({ group, word, entries }) => {
        const kind = { ended: "idle", tasks: "idle", closed: "inactive" }[group] ?? group;
        const shape = { tasks: "task", closed: "shut" }[group] ?? group;
        const inner = [icon(shape), h("strong", {}, String(entries.length)), " ", h("span", {}, word)];
        const looks = `figure is-${kind}${entries.length ? "" : " none"}`;
        const href = filtered(this.url, "show", group);
        return h("li", {}, entries.length ? h("a", { class: looks, href }, ...inner) : h("span", { class: looks }, ...inner));
      }),
    );
  }

  #filters(asked, isFiltered) {
    const groups = GROUPS.map(([group, title]) => [group, title.toLowerCase()]);
    return h(
      "form",
      { class: "filters", role: "search", "aria-label": "Which of them", "data-key": "filters" },
      places(asked.project, this.data.projects),
      filter("kind", "Kind", asked.kind, KINDS),
      filter("show", "Show", asked.show, [["", "everything"], ...groups]),
      h("a", { class: `reset${isFiltered ? "" : " off"}`, href: "/" }, "Show all"),
    );
  }

  #group({ group, title, entries }) {
    return h(
      "section",
      { class: "needs group", "data-key": group, "data-group": group, "aria-labelledby": `${group}-title` },
      h("h2", { id: `${group}-title` }, title, " ", h("span", { class: "count" }, String(entries.length))),
      h("ul", { class: "cards" }, ...entries.map((entry) => entryShown(entry, group))),
    );
  }

  #nothing(isFiltered) {
    if (isFiltered)
      return empty(
        "Nothing matches",
        h("p", {}, "Remove a filter, or ", h("a", { href: "/" }, "show everything"), "."),
      );
    return empty(
      "Nothing runs, and nothing waits",
      h("p", {}, "Anything a prompt starts appears here right away. Type in your client:"),
      command("$forge fix the failing test"),
      h("p", { class: "dim" }, "Other prompts: ", h("code", {}, "rcs modes")),
    );
  }
}

/** What a number counts: what is silent is among what runs, and is said. */
function wordOf(group, words, entries) {
  if (group === "tasks" && entries.length === 1) return "task";
  if (group !== "running") return words;
  const number = (quiet) => entries.filter((entry) => entry.quiet === quiet).length;
  const quiet = ["stalled", "inactive"].filter(number).map((each) => `${number(each)} of them ${each}`);
  return [words, ...quiet].join(", ");
}

/** The status that an entry is shown with, and its word. */
function statusOf(entry, group) {
  if (group === "ended") return status(entry.outcome, endWord(entry.outcome, entry.early));
  if (group === "tasks") return entry.phase === "done" ? status("completed", "done") : status("open", entry.phase?.replaceAll("_", " "));
  return status(entry.quiet ?? group);
}

function entryShown(entry, group) {
  const id = entry.kind === "mode" ? entry.session : entry.kind === "run" ? entry.id : null;
  const title = h("strong", { class: "title" }, entry.has_title || entry.kind === "task" ? entry.title : entry.name);
  return h(
    "li",
    {
      class: `card need entry is-${kindOf(group === "ended" ? entry.outcome : entry.quiet ?? group)}`,
      "data-key": entry.key,
      "data-entry": `${entry.kind} ${entry.name}`,
    },
    h(
      "div",
      { class: "need-head" },
      statusOf(entry, group),
      entry.page ? h("a", { class: "need-title", href: entry.page, "data-item": true }, title) : h("span", { class: "need-title" }, title),
      verdict(entry.verdict),
      h(
        "span",
        { class: "meta" },
        h("span", { class: "dim of" }, whatIs(entry.kind, entry.has_title && entry.name)),
        project(entry.project),
        entry.client && h("span", { class: "dim client" }, entry.client),
        id ? idToCopy(id, entry.short) : entry.kind === "mode" && h("code", { class: "id" }, "root"),
      ),
      entry.since && h("span", { class: "when" }, howLong(entry, group)),
    ),
    entry.question ? asks(entry) : said(entry),
  );
}

/** For how long it has waited, run or been silent; of the others when it was. */
function howLong({ since, last_at, quiet }, group) {
  if (!["waiting", "running"].includes(group)) return ago(since);
  return sinceWhen((quiet && last_at) ?? since);
}

/** What came of the newest proof of a run that goes on. */
const newest = ({ proof_says: words, proof }) => [" ", coded(words), proof.at && [" ", ago(proof.at)], "."];

function asks({ question: asked, name, project: root, session, resume }) {
  const { id: question_id, text, options } = asked;
  return question({ question_id, mode: name, question: text, options, created_at: null }, root, session, { dated: false, resume });
}

function said(entry) {
  if (!entry.detail || [entry.outcome, STOPPED, endWord(entry.outcome, entry.early)].includes(entry.detail)) return null;
  return [
    h("p", { class: "detail" }, entry.kind !== "run" && !entry.question ? coded(sentence(entry.detail)) : sentence(entry.detail), entry.proof_says && newest(entry)),
    entry.command && !(entry.kind === "run" && entry.page) && (entry.kind === "run" ? h("p", { class: "detail to-type" }, copied(entry.command)) : isShared ? toType(entry.project, entry.command) : h("p", { class: "detail to-type" }, copied(entry.command))),
  ];
}
