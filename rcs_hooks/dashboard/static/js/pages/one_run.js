// What the page of a run and the page of a mode's run do alike: the chosen step in the address, the timeline, the drawing.

import { h } from "../dom.js";
import { Drawing } from "../drawing.js";
import { icon } from "../status.js";
import { staysOf, whole } from "../stays.js";
import { timeline } from "../timeline.js";

export const OPEN = ["running", "waiting"];
const GOES_ON = [...OPEN, "stalled"];

/** Whether its time counts on: it has not ended, however long it was silent. */
export const goesOn = (data) => GOES_ON.includes(data.status);

export class OneRun {
  data = null;
  problem = null;
  drawing = new Drawing();

  constructor(frame, url) {
    this.frame = frame;
    this.url = url;
  }

  get chosen() {
    return this.url.searchParams.get("step");
  }

  /** While it goes on, its bars grow. */
  tick() {
    if (this.data && goesOn(this.data)) this.frame.redraw();
  }

  back() {
    if (this.chosen === null) return false;
    this.frame.go(this.address({ step: null }));
    return true;
  }

  act(name, element) {
    if (name === "pick") this.frame.go(this.address({ step: element.dataset.state }));
    else if (name === "enlarge") this.drawing.enlarge();
  }

  address(changed) {
    const next = new URL(this.url);
    for (const [name, value] of Object.entries(changed)) {
      if (value === null) next.searchParams.delete(name);
      else next.searchParams.set(name, value);
    }
    return next.pathname + next.search;
  }

  /** The step that is now, `at`, is in the middle of the drawing; the chosen one's panel is seen. */
  showChosen(main, at) {
    this.drawing.centre(main.querySelector(".drawing .graph"), at);
    const panel = main.querySelector("#detail");
    if (panel && this.seen !== this.chosen) panel.scrollIntoView({ block: "nearest" });
    this.seen = this.chosen;
  }

  /** The timeline, and what comes below it and beside it. */
  columns(data, stays, { sum, below, aside }) {
    return h(
      "div",
      { class: "run", "data-key": "run" },
      h(
        "div",
        { class: "column" },
        h(
          "section",
          { class: "panel steps", "aria-labelledby": "steps-title", "data-key": "steps" },
          h("header", {}, h("h2", { id: "steps-title" }, "Timeline"), sum),
          timeline(data, stays, this.chosen, (changed) => this.address(changed)),
        ),
        ...below,
      ),
      h("div", { class: "column aside" }, ...aside),
    );
  }
}

/** Of a step, the stretches of time that the run was there. */
export function staysIn(data) {
  const known = staysOf(data.visits);
  return (step) => known.get(step.step) ?? whole(step);
}

/** Why it waits, failed or is silent, before anything else. */
export function banner(kind, words, ...more) {
  if (!words) return null;
  return h(
    "div",
    { class: `banner is-${kind}`, role: "note", "data-key": "banner" },
    icon(kind),
    h("div", {}, h("p", {}, h("strong", {}, words)), ...more),
  );
}

/** The moment at which the seconds of an answer were true. */
export function measured(data) {
  return Date.parse(data.started_at) + data.seconds * 1000;
}
