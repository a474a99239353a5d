// One run: where it is, how long it took, the way it went, and what came of it.

import { get, path } from "../api.js";
import { artifacts, openArtifact } from "../artifacts.js";
import { detail } from "../detail.js";
import { h } from "../dom.js";
import { Events } from "../events.js";
import { copyButton, fact, placeOf, problemNote, project, shortId, toType } from "../pieces.js";
import { hasTexts, isShared, quoted, runOf } from "../shared.js";
import { status, statusOf } from "../status.js";
import { absolute, ago, duration, lasting } from "../time.js";
import { banner, goesOn, measured, OneRun, OPEN, staysIn } from "./one_run.js";

/** Why it waits or has failed, or that it is silent. */
function whyOf(data) {
  const found = statusOf(data);
  const at = data.current ? ` at ${placeOf(data)}` : "";
  if (found === "failed") return banner("failed", data.reason ?? `It failed${at}; no reason was given.`);
  if (found === "waiting") return banner("waiting", data.reason ?? `It waits${at}; no reason was given.`);
  if (found === "stalled" || found === "inactive")
    return banner("stalled", `No activity since ${absolute(Date.parse(data.last_at))}.`, h("p", {}, "Its agent may have ended without reporting it. End the run if so."));
  return null;
}

/** The session whose agent reported it last; one that has no state here is not linked. */
const session = ({ session: id, session_page: page, client }) => [
  client && h("span", { class: "client" }, client, " "),
  page ? h("a", { href: page }, shortId(id)) : shortId(id),
  copyButton(id, "the id of the session"),
];

/** Where its id as written has not left its machine, a list there has it. */
const toEnd = ({ run_id: id, project: at }) => toType(at, hasTexts(at) ? `rcs runs end ${quoted(runOf(id).id)}` : "rcs runs list");

const HAS_ENDED = ["completed", "skipped", "failed"];

export class Run extends OneRun {
  #reader = null;

  constructor(frame, url, id) {
    super(frame, url);
    this.id = id;
    this.list = new Events(id, frame);
  }

  get title() {
    return this.data ? `${this.data.workflow}: ${this.data.feature ?? this.id}` : "Run";
  }

  async load() {
    const data = await get(path("runs", this.id), this.frame.signal);
    this.list.take(data);
    if (this.data && data.seq < this.data.seq) return;
    this.data = data;
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

  act(name, element) {
    const turns = {
      "events-older": () => this.list.older(),
      "events-newer": () => this.list.newer(),
      "events-newest": () => this.list.newest(),
    };
    if (turns[name]) turns[name]().catch((error) => error.name !== "AbortError" && this.frame.toast(error.message));
    else super.act(name, element);
  }

  // --- what is seen

  view() {
    const { data } = this;
    const stays = staysIn(data);
    const step = data.timeline.find((each) => each.step === this.chosen);
    return [
      this.#head(data),
      whyOf(data),
      problemNote(this.problem),
      this.columns(data, stays, {
        sum: this.#sum(data),
        below: [step && detail(data, step, stays(step), (changed) => this.address(changed)), this.list.view(this.chosen, [Date.parse(data.started_at), Date.parse(data.last_at)])],
        aside: [
          this.drawing.view(data.graph, data.workflow, data, this.chosen, "This workflow has no state machine."),
          artifacts(data.artifacts, (file) => this.address({ artifact: file })),
        ],
      }),
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
        h("div", { class: "titled" }, h("h1", {}, data.feature ?? data.workflow), status(statusOf(data))),
        !isShared &&
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
      isShared && !HAS_ENDED.includes(data.status) && toEnd(data),
      h(
        "dl",
        { class: "facts line" },
        ...fact(goesOn(data) ? "Now at" : "Last at", h("span", { class: "step" }, data.current_steps.join(", ") || "–")),
        ...fact("Lasted", lasting(data.seconds, goesOn(data), measured(data))),
        ...fact("Started", ago(data.started_at)),
        ...fact("Last activity", ago(data.last_at)),
        ...fact("Project", project(data.project)),
        ...fact(
          "Run",
          h("code", { class: "id" }, data.run_id),
          copyButton(data.run_id, "the id of the run"),
        ),
        ...(data.session ? fact("Session", ...session(data)) : []),
        ...(data.mode ? fact("Mode", h("a", { href: data.mode.page, title: data.mode.title }, data.mode.mode)) : []),
      ),
    );
  }

  #sum(data) {
    const spent = data.timeline.reduce((sum, step) => sum + (step.seconds ?? 0), 0);
    const isOpen = goesOn(data) && data.timeline.some((step) => OPEN.includes(step.status));
    return h(
      "p",
      { class: "dim" },
      "time in steps ",
      isOpen ? lasting(spent, true) : h("span", { class: "duration" }, duration(spent)),
    );
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
        this.frame.go(this.address({ artifact: null }), { replace: false });
      });
      this.#reader = { file, close: opened.close };
    }
    this.showChosen(main, this.data?.current);
  }

  gone() {
    const open = this.#reader;
    this.#reader = null;
    open?.close();
  }
}
