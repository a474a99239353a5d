// The events of a run: a window of so many of them, which follows the newest until somebody turns back.

import { get, path, query } from "./api.js";
import { cut, h } from "./dom.js";
import { mark, word } from "./status.js";
import { absolute, needsDay, timeIn } from "./time.js";

const WINDOW = 200;
const TYPES = { artifact_registered: "artifact", run_ended: "run ended" };

export class Events {
  rows = [];
  last = 0;
  /** The sequence of the newest event that is known, shown or not. */
  follows = true;

  constructor(run, frame) {
    this.run = run;
    this.frame = frame;
  }

  /** An answer about the run has come: its events are the newest ones. */
  take(detail) {
    const newest = detail.events.at(-1)?.seq ?? 0;
    if (newest < this.last) return;
    this.last = newest;
    if (this.follows) this.rows = detail.events.slice(-WINDOW);
  }

  /** Live ones. Where some are missing before them, the next answer about the run has them. */
  add(events) {
    for (const event of events) {
      if (event.seq <= this.last) continue;
      if (event.seq > this.last + 1) break;
      this.last = event.seq;
      if (this.follows) this.rows.push(event);
    }
    if (this.rows.length > WINDOW) this.rows = this.rows.slice(-WINDOW);
  }

  async older() {
    const first = this.rows[0]?.seq ?? 1;
    await this.#turn(Math.max(0, first - 1 - WINDOW), first - 1);
  }

  async newer() {
    await this.#turn(this.rows.at(-1)?.seq ?? 0, Infinity);
  }

  async newest() {
    await this.#turn(Math.max(0, this.last - WINDOW), Infinity);
  }

  async #turn(after, until) {
    const found = await get(query(path("runs", this.run, "events"), { after, limit: WINDOW }), this.frame.signal);
    if (!found.events.length) return;
    this.rows = found.events.filter((event) => event.seq <= until);
    this.last = Math.max(this.last, this.rows.at(-1).seq);
    this.follows = this.rows.at(-1).seq >= this.last;
    this.frame.redraw();
  }

  #turns(first, unseen) {
    const button = (name, disabled, words) =>
      h("button", { type: "button", class: "button small", "data-do": name, disabled }, words);
    return h(
      "div",
      { class: "buttons" },
      button("events-older", first <= 1, "Older"),
      button("events-newer", unseen <= 0, "Newer"),
      button("events-newest", this.follows, this.follows ? "Following" : `Newest (${unseen.toLocaleString("en")})`),
    );
  }

  /** `span`: the times of the first event of the run and of the last one. */
  view(chosen, [from, to]) {
    const withDay = needsDay(from, to);
    const first = this.rows[0]?.seq ?? 0;
    const last = this.rows.at(-1)?.seq ?? 0;
    const unseen = this.last - last;
    return h(
      "section",
      { class: "panel events", "data-key": "events", "aria-labelledby": "events-title" },
      h(
        "header",
        {},
        h(
          "h2",
          { id: "events-title" },
          "Events ",
          h("span", { class: "count", id: "event-count" }, this.last.toLocaleString("en")),
        ),
        (first > 1 || !this.follows) && this.#turns(first, unseen),
      ),
      this.rows.length
        ? h(
            "div",
            {
              class: "scroll",
              tabindex: "0",
              role: "region",
              "aria-label": `Events ${first} to ${last}, the newest first`,
            },
            h(
              "ol",
              { class: `event-rows${withDay ? " with-day" : ""}`, reversed: true, start: last },
              ...[...this.rows].reverse().map((event) => shown(event, chosen, withDay)),
            ),
          )
        : h("p", { class: "dim" }, "No event yet."),
    );
  }
}

function shown(event, chosen, withDay) {
  const said = note(event);
  const place = [event.step, event.unit].filter(Boolean).join(" · ") || "–";
  const what =
    event.type === "status_change" ? word(event.status) : (TYPES[event.type] ?? event.type.replaceAll("_", " "));
  const head = [
    h("span", { class: "seq" }, String(event.seq)),
    h("time", { datetime: event.at, title: absolute(Date.parse(event.at)) }, timeIn(Date.parse(event.at), withDay)),
    event.type === "status_change" ? mark(event.status) : h("span", { class: "status mark" }),
    h("span", { class: "place", title: place }, place),
    h(
      "span",
      { class: "what" },
      what,
      event.automatic &&
        h("span", { class: "auto", title: "not reported, but a consequence of another event" }, "auto"),
    ),
    h("span", { class: "note" }, cut(said, 160)),
  ];
  const attributes = {
    "data-key": event.seq,
    "data-seq": event.seq,
    class: chosen && event.step === chosen ? "of-chosen" : "",
  };
  if (!said) return h("li", attributes, h("div", { class: "event" }, ...head));
  return h(
    "li",
    attributes,
    h(
      "details",
      {},
      h("summary", { class: "event" }, ...head),
      h("pre", { tabindex: "0" }, JSON.stringify(event.data, null, 2)),
    ),
  );
}

/** What an event says besides its status. */
function note({ data }) {
  if (data === null || typeof data !== "object") return "";
  const { status: _, ...rest } = data;
  const names = Object.keys(rest);
  if (names.length === 0) return "";
  if (typeof rest.message === "string") return rest.message;
  if (typeof rest.path === "string") return rest.path;
  return names
    .map((name) => `${name}: ${typeof rest[name] === "string" ? rest[name] : JSON.stringify(rest[name])}`)
    .join(", ");
}
