// The sessions of every workspace: which modes are active, what they wait for, how often a Stop was held.

import { get } from "../api.js";
import { count, h } from "../dom.js";
import { listEnd, MOST, PAGE, watchEnd } from "../endless.js";
import { coded, command, empty, filter, filtered, places, idToCopy, modeLink, problemNote, project, question, remark, resumed, sentence } from "../pieces.js";
import { verdict } from "../proof.js";
import { isShared } from "../shared.js";
import { endWord, isQuiet, kindOf, status, word } from "../status.js";
import { ago } from "../time.js";
import { FilteredList } from "./filtered_list.js";

const FILTERS = ["project", "active", "session"];
const COUNTED = ["waiting", "running", "stalled", "inactive", "closed", "unreadable", "failed", "blocked", "finished"];

export class Sessions extends FilteredList {
  title = "Sessions";
  #limit = PAGE;

  async load() {
    const { url } = this;
    const asked = new URLSearchParams({ limit: this.#limit });
    for (const name of FILTERS) if (url.searchParams.has(name)) asked.set(name, url.searchParams.get(name)); // `session=` is the root's
    const found = await get(`/api/sessions?${asked}`, this.frame.signal);
    if (url === this.url) this.data = found;
  }

  view() {
    const only = this.url.searchParams.get("session");
    const all = this.data.sessions;
    return [
      h("div", { class: "heading", "data-key": "heading" }, h("h1", {}, "Sessions"), this.#said(all)),
      this.#filters(only),
      problemNote(this.problem),
      all.length ? h("ul", { class: "cards sessions", "data-key": "list" }, ...all.map(session)) : this.#nothing(),
      listEnd(all.length, this.data.more ? Infinity : all.length),
    ];
  }

  moved(url) {
    this.#limit = PAGE;
    super.moved(url);
  }

  drawn(main) {
    watchEnd(main, () => {
      if (this.#limit >= MOST || !this.data.more || this.data.sessions.length < this.#limit) return;
      this.#limit += PAGE;
      this.frame.refresh();
    });
  }

  #said(all) {
    if (!all.length) return null;
    const number = (name) => all.filter((each) => each.status === name).length;
    const others = all.map((each) => each.status).filter((each) => !COUNTED.includes(each));
    const found = [...COUNTED, ...new Set(others)].filter(number).map((name) => `${number(name)} ${word(name)}`);
    const said = `${count(all.length, "session")}${this.data.more ? " and more" : ""}`;
    return h("p", { class: "dim figures" }, [said, found.join(", ")].filter(Boolean).join(": "));
  }

  #filters(only) {
    const { searchParams } = this.url;
    const isFiltered = FILTERS.some((name) => searchParams.get(name) !== null);
    return h(
      "form",
      { class: "filters", role: "search", "aria-label": "Which sessions", "data-key": "filters" },
      places(searchParams.get("project"), this.data.projects),
      filter("active", "Status", searchParams.get("active"), [
        ["", "all sessions"],
        ["true", "with an active mode"],
      ]),
      only !== null &&
        h("a", { class: "chip", href: filtered(this.url, "session", "") }, `${only ? `session ${only}` : "root"} ×`),
      h("a", { class: `reset${isFiltered ? "" : " off"}`, href: "/sessions" }, "Show all"),
    );
  }

  #nothing() {
    if (this.url.search)
      return empty(
        "No session matches",
        h("p", {}, "Remove a filter, or ", h("a", { href: "/sessions" }, "show all sessions"), "."),
      );
    return empty(
      "No session yet",
      h("p", {}, "A session appears here once a prompt in it has named a skill. Type in your client:"),
      command("$blueprint plan the next change"),
      h(
        "p",
        { class: "dim" },
        "Not set up? ",
        h("code", {}, "rcs setup"),
        ", then ",
        h("code", {}, "rcs doctor"),
        " says whether it works.",
      ),
    );
  }
}

function session(each) {
  return h(
    "li",
    {
      class: `card session is-${kindOf(each.status)}`,
      "data-key": `${each.root}\n${each.session ?? ""}`,
    },
    h(
      "div",
      { class: "card-head" },
      status(each.status, endWord(each.status, each.early)),
      heading(each),
      project(each.root),
      each.client && h("span", { class: "dim client" }, each.client),
      each.session !== null && h("a", { href: `/all?${new URLSearchParams({ q: each.session })}` }, "its runs"),
      each.runs > 0 && h("a", { class: "reported", href: `/runs?${new URLSearchParams({ session: each.session })}` }, `${each.runs} reported`),
      blocks(each.blocks),
      each.updated_at && ago(each.updated_at, { class: "when" }),
    ),
    h("div", { class: "card-body" }, sessionBody(each)),
  );
}

/** What the person asked for, where a mode knows it; the id stands beside it. */
function heading({ session, modes }) {
  const title = modes.find((mode) => mode.title)?.title;
  const id = session === null ? "root" : idToCopy(session);
  const turn = h("span", { class: "turn" });
  return title ? [h("h2", {}, title), turn, id] : [h("h2", {}, session === null ? "root" : "Session"), turn, session === null ? null : id];
}

function sessionBody(each) {
  return [
    each.deferred.length > 0 && h("p", { class: "detail alone" }, ...coded(sentence(deferredSaid(each)))),
    each.questions.map((asked) => question(asked, each.root, each.session, { resume: each.resume })),
    each.modes.length > 0 && h("ul", { class: "modes" }, ...each.modes.map((mode) => modeShown(mode, each))),
    ["waiting", "stalled", "inactive", "closed"].includes(each.status) && !each.questions.length && resumed(each.resume),
    each.unreadable.map((broken) =>
      h(
        "div",
        { class: "broken", "data-key": broken.path },
        remark("unreadable", h("code", {}, broken.path), " ", broken.why),
        clear(each.root, each.session, broken.clear_as, "Move it aside…"),
      ),
    ),
  ];
}

const deferredSaid = ({ deferred, deferred_source: source }) =>
  `${source ?? "planning"} has ended; type \`${deferred.map((mode) => `$${mode}`).join(" ")}\` to go on`;

function blocks({ in_a_row: row, of_prompt: prompt, limit }) {
  if (!prompt && !row) return null;
  const said = count(prompt, "Stop blocked", "Stops blocked");
  const title = `Stops that were blocked: ${prompt} for this prompt, ${row} of at most ${limit} in a row without a change`;
  return h(
    "span",
    { class: "blocks", title },
    said,
    row > 0 && h("span", { class: "dim" }, ` (${row} of ${limit} in a row)`),
  );
}

function modeShown(mode, of) {
  const open = isQuiet(of.status) || of.status === "closed" ? of.status : "running";
  const state = mode.waiting ? "waiting" : mode.active ? open : (mode.outcome ?? "idle");
  return h(
    "li",
    { class: mode.active ? "mode" : "mode ended", "data-key": `${mode.mode} ${mode.session ?? ""}` },
    status(state, endWord(state, mode.early)),
    h(
      "strong",
      { class: "mode-name" },
      h("a", { href: modeLink(of.root, mode.session, mode.mode), "data-item": true, title: mode.title }, mode.mode),
      mode.session === null &&
        of.session !== null &&
        h("span", { class: "dim", title: "the root's record stands in for the session's" }, " (root)"),
    ),
    h("span", { class: "phase", title: "phase" }, mode.verdict ? verdict(mode.verdict) : (mode.phase ?? "–")),
    h(
      "span",
      { class: "round" },
      mode.iteration > 0 &&
        `round ${mode.iteration}${mode.max_iterations !== null ? ` of ${mode.max_iterations}` : ""}`,
    ),
    mode.updated_at ? ago(mode.updated_at, { class: "when" }) : h("span", { class: "when" }),
    clear(of.root, mode.session, mode.mode, "Clear…"),
    mode.reason && remark(kindOf(mode.outcome) === "failed" ? "failed" : "notice", mode.reason),
  );
}

const clear = (root, session, mode, words) =>
  !isShared &&
  h(
    "button",
    {
      type: "button",
      class: "button small quiet",
      "data-do": "clear-mode",
      "data-root": root,
      "data-session": session ?? "",
      "data-mode": mode,
      "aria-label": `${words.replace("…", "")} ${mode}`,
    },
    words,
  );
