// How long the run stayed where: each stay at a step is one stretch of time, so that a loop shows as several.

import { get, path, query } from "./api.js";

const OPEN = new Set(["running", "waiting"]);
const PAGE = 1000;
const MOST_PAGES = 20;
const MOST = 300;

/** Out of the events of a run, from its first one on; a step by itself knows only when it began and ended. */
export class Stays {
  #of = new Map();
  #seq = 0;
  #asking = false;
  #isTooLong = false;

  constructor(run, frame) {
    this.run = run;
    this.frame = frame;
  }

  /** What is known of a step; nothing where not all that happened so far has been read. */
  of(step, event) {
    return this.#isTooLong || this.#seq < event ? undefined : this.#of.get(step);
  }

  /** Events in their order. Those that are missing before them are asked for. */
  take(events) {
    for (const event of events) {
      if (event.seq <= this.#seq) continue;
      if (event.seq > this.#seq + 1) {
        this.#catchUp();
        return;
      }
      this.#seq = event.seq;
      this.#add(event);
    }
  }

  async #catchUp() {
    if (this.#asking || this.#isTooLong) return;
    this.#asking = true;
    try {
      for (let page = 0, more = true; more; page += 1) {
        if (page === MOST_PAGES) this.#isTooLong = true;
        if (this.#isTooLong) return;
        const found = await get(
          query(path("runs", this.run, "events"), { after: this.#seq, limit: PAGE }),
          this.frame.signal,
        );
        for (const event of found.events) {
          this.#seq = event.seq;
          this.#add(event);
        }
        more = found.more && found.events.length > 0;
      }
      this.frame.redraw();
    } catch {
      // the bars show less; the next answer asks again
    } finally {
      this.#asking = false;
    }
  }

  #add(event) {
    if (event.type !== "status_change" || event.unit || !event.step || event.step.includes(":")) return;
    const of = this.#of.get(event.step) ?? [];
    this.#of.set(event.step, of);
    const at = Date.parse(event.at);
    const last = of.at(-1);
    const isOpen = last && last.to === null;
    if (OPEN.has(event.status)) {
      if (isOpen) last.status = event.status;
      else of.push({ from: at, to: null, status: event.status });
    } else if (isOpen) Object.assign(last, { to: at, status: event.status });
    else if (event.status !== "skipped" && event.status !== "not_started")
      of.push({ from: at, to: at, status: event.status });
    if (of.length > MOST) of.shift();
  }
}

/** One stretch, from the first time to the last: what is known of a step, a unit or an agent by itself. */
export function whole(each) {
  if (!each.started_at) return [];
  return [
    { from: Date.parse(each.started_at), to: each.ended_at ? Date.parse(each.ended_at) : null, status: each.status },
  ];
}
