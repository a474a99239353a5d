// One run: where it is, how long it took, the way it went, and what came of it.

import { get, path } from "../api.js";
import { artifacts, openArtifact } from "../artifacts.js";
import { detail } from "../detail.js";
import { h } from "../dom.js";
import { Drawing } from "../drawing.js";
import { Events } from "../events.js";
import { fact, problemNote, project } from "../pieces.js";
import { icon, status, statusOf } from "../status.js";
import { staysOf, whole } from "../stays.js";
import { ago, duration, lasting } from "../time.js";
import { timeline, withAgentsLeft } from "../timeline.js";

const OPEN = ["running", "waiting"];
const HAS_ENDED = ["completed", "skipped", "failed"];

export class Run {
  data = null;
  problem = null;
  drawing = new Drawing();
  #reader = null;

  constructor(frame, url, id) {
    this.frame = frame;
    this.url = url;
    this.id = id;
    this.list = new Events(id, frame);
  }

  get title() {
    return this.data ? `${this.data.workflow}: ${this.data.feature ?? this.id}` : "Run";
  }

  get chosen() {
    return this.url.searchParams.get("step");
  }

  async load() {
    const data = await get(path("runs", this.id), this.frame.signal);
    this.list.take(data);
    if (this.data && data.seq < this.data.seq) return;
    this.data = { ...data, timeline: withAgentsLeft(data.timeline) };
  }

  moved(url) {
    this.url = url;
  }

  events({ events, runs }) {
    const run = runs.find((each) => each.run_id === this.id);
    const mine = events.filter((event) => event.run_id === this.id);
    if (run && this.data && run.last_event > this.data.last_event) this.data = { ...this.data, ...run };
    if (!mine.length) return;
    this.list.add(mine);
    this.frame.redraw();
    this.frame.refresh();
  }

  runsChanged() {
    this.frame.refresh();
  }

  /** While it goes on, its bars grow. */
  tick() {
    if (this.data && OPEN.includes(this.data.status)) this.frame.redraw();
  }

  back() {
    if (this.chosen === null) return false;
    this.frame.go(this.#address({ step: null }));
    return true;
  }

  act(name, element) {
    const turns = {
      "events-older": () => this.list.older(),
      "events-newer": () => this.list.newer(),
      "events-newest": () => this.list.newest(),
    };
    if (turns[name]) turns[name]().catch((error) => error.name !== "AbortError" && this.frame.toast(error.message));
    else if (name === "pick") this.frame.go(this.#address({ step: element.dataset.state }));
    else if (name === "copy") this.#copy(element);
  }

  async #copy(button) {
    try {
      await navigator.clipboard.writeText(this.id);
      this.frame.toast("The id of the run is copied.");
    } catch {
      getSelection().selectAllChildren(button.previousElementSibling);
    }
  }

  #address(changed) {
    const next = new URL(this.url);
    for (const [name, value] of Object.entries(changed)) {
      if (value === null) next.searchParams.delete(name);
      else next.searchParams.set(name, value);
    }
    return next.pathname + next.search;
  }

  // --- what is seen

  view() {
    const { data } = this;
    const known = staysOf(data.visits);
    const stays = (step) => known.get(step.step) ?? whole(step);
    return [
      this.#head(data),
      problemNote(this.problem),
      h(
        "div",
        { class: "run", "data-key": "run" },
        h(
          "div",
          { class: "column" },
          h(
            "section",
            { class: "panel steps", "aria-labelledby": "steps-title", "data-key": "steps" },
            h("header", {}, h("h2", { id: "steps-title" }, "Timeline"), this.#sum(data)),
            timeline(data, stays, this.chosen, (step) => this.#address({ step })),
          ),
          this.#detail(data, stays),
          this.list.view(this.chosen),
        ),
        h(
          "div",
          { class: "column aside" },
          this.#drawing(data),
          artifacts(data.artifacts, (file) => this.#address({ artifact: file })),
        ),
      ),
    ];
  }

  #head(data) {
    return h(
      "header",
      { class: "run-head", "data-key": "head" },
      h(
        "p",
        { class: "crumbs" },
        h("a", { href: "/runs" }, "Runs"),
        " / ",
        h("a", { href: `/runs?${new URLSearchParams({ workflow: data.workflow })}` }, data.workflow),
      ),
      h(
        "div",
        { class: "heading" },
        h("h1", {}, data.feature ?? data.workflow),
        status(statusOf(data)),
        !HAS_ENDED.includes(data.status) &&
          h(
            "button",
            {
              type: "button",
              class: "button danger quiet",
              "data-do": "end-run",
              "data-run": data.run_id,
              "data-workflow": data.workflow,
              "data-at": data.current ?? "",
            },
            "End run…",
          ),
      ),
      h(
        "dl",
        { class: "facts line" },
        ...fact("Now at", h("span", { class: "step" }, data.current ?? "–")),
        ...fact("Lasted", lasting(data.seconds, OPEN.includes(data.status), this.#measured(data))),
        ...fact("Started", ago(data.started_at)),
        ...fact("Heard of", ago(data.last_at)),
        ...fact("Project", project(data.project)),
        ...fact(
          "Run",
          h("code", { class: "id" }, data.run_id),
          h(
            "button",
            { type: "button", class: "icon-button", "data-do": "copy", "aria-label": "Copy the id of the run" },
            icon("copy"),
          ),
        ),
      ),
    );
  }

  /** The moment at which the seconds of an answer were true. */
  #measured(data) {
    return Date.parse(data.started_at) + data.seconds * 1000;
  }

  #sum(data) {
    const spent = data.timeline.reduce((sum, step) => sum + (step.seconds ?? 0), 0);
    const isOpen = data.timeline.some((step) => OPEN.includes(step.status));
    return h(
      "p",
      { class: "dim" },
      "in its steps ",
      isOpen ? lasting(spent, true) : h("span", { class: "duration" }, duration(spent)),
    );
  }

  #detail(data, stays) {
    const step = data.timeline.find((each) => each.step === this.chosen);
    return step && detail(data, step, stays(step), (changed) => this.#address(changed));
  }

  #drawing(data) {
    return this.drawing.view(data.graph, data.workflow, this.chosen, "This workflow has no state machine.");
  }

  // --- the reader of an artifact stands while its address does

  drawn(main) {
    const file = this.url.searchParams.get("artifact");
    if (this.#reader && this.#reader.file !== file) {
      const open = this.#reader;
      this.#reader = null;
      open.close();
    }
    if (file && !this.#reader) {
      const opened = openArtifact(this.id, file, this.frame, () => {
        if (this.#reader?.close !== opened.close) return;
        this.#reader = null;
        this.frame.go(this.#address({ artifact: null }), { replace: false });
      });
      this.#reader = { file, close: opened.close };
    }
    this.drawing.centre(main.querySelector(".drawing .graph"), this.data?.current);
    const detail = main.querySelector("#detail");
    if (detail && this.seen !== this.chosen) detail.scrollIntoView({ block: "nearest" });
    this.seen = this.chosen;
  }

  gone() {
    const open = this.#reader;
    this.#reader = null;
    open?.close();
  }
}
