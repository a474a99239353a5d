// One run of a mode in a session: its phases with their times, its machine with the way that it took, its rounds, what it
// asked and was answered, and how it ended.

import { get, path, query } from "../api.js";
import { detail } from "../detail.js";
import { h } from "../dom.js";
import { history, questionsOf, rounds, runsOf } from "../history.js";
import { copyButton, fact, modeLink, problemNote, project, question, remark, resumed, sentence, sessionLink, shortId, toType } from "../pieces.js";
import { proof, verdict } from "../proof.js";
import { isShared, quoted } from "../shared.js";
import { endWord, isQuiet, status } from "../status.js";
import { ago, lasting, since } from "../time.js";
import { banner, goesOn, measured, OneRun, staysIn } from "./one_run.js";

/** Why it has failed, was stopped or waits, and how it goes on. */
function whyOf(data) {
  if (data.status === "waiting") {
    if (data.questions.length) return null;
    return banner("waiting", sentence(data.reason ?? "it waits for your next prompt"), resumed(data.resume));
  }
  if (isQuiet(data.status)) return banner("stalled", whyQuiet(data), resumed(data.resume));
  if (data.status === "failed") return banner("failed", sentence(data.reason ?? `it is ${data.outcome}; no reason was given`));
  return data.reason ? banner(data.status === "completed" ? "completed" : "skipped", sentence(data.reason)) : null;
}

/** The server's words, whose length of time goes on while the page is open. */
const whyQuiet = (data) =>
  data.quiet_because?.startsWith("no activity for ") ? h("span", {}, "No activity ", since(data.last_at), ".") : sentence(data.quiet_because);

const OWN = { home: "your own mode", project: "the project's own mode" };

export class ModeRun extends OneRun {
  constructor(frame, url, mode) {
    super(frame, url);
    this.mode = mode;
  }

  get title() {
    return this.data ? `${this.mode}: ${this.data.title}` : this.mode;
  }

  get asked() {
    return Object.fromEntries(["project", "session", "run"].map((name) => [name, this.url.searchParams.get(name)]));
  }

  async load() {
    const { asked } = this;
    const found = await get(query(path("modes", this.mode), asked), this.frame.signal);
    if (JSON.stringify(asked) === JSON.stringify(this.asked)) this.data = found;
  }

  moved(url) {
    const before = JSON.stringify(this.asked);
    this.url = url;
    if (JSON.stringify(this.asked) !== before) this.frame.refresh();
  }

  folders({ state }) {
    if (state !== this.data?.state) this.frame.refresh();
  }

  drawn(main) {
    this.showChosen(main, this.data?.phase);
    this.#showEnd(main.querySelector(".output"));
  }

  /** The end of an output says most: it is what is seen of a new one. */
  #showEnd(output) {
    const text = output?.textContent ?? null;
    if (output && this.output !== text) output.scrollTop = output.scrollHeight;
    this.output = text;
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
      data.problem && remark("unreadable", sentence(data.problem)),
      this.#questions(data),
      this.columns(data, stays, {
        below: [
          step && detail({ ...data, artifacts: [] }, step, stays(step), (changed) => this.address(changed)),
          proof(data),
          rounds(data),
          history(data, this.chosen),
        ],
        aside: [
          this.drawing.view(data.graph, data.mode, data, this.chosen, "This mode is no longer declared."),
          questionsOf(data),
          runsOf(data),
        ],
      }),
    ];
  }

  #head(data) {
    const asked = data.asks && (data.source === "project" ? `The project says of this phase: ${data.asks}` : data.asks);
    return h(
      "header",
      { class: "run-head mode-head", "data-key": "head" },
      h(
        "p",
        { class: "crumbs" },
        h("a", { href: "/sessions" }, "Sessions"),
        " / ",
        h("a", { href: sessionLink(data.project, data.session) }, data.session === null ? "root" : shortId(data.session)),
        " / ",
        data.mode,
      ),
      h(
        "div",
        { class: "heading" },
        h(
          "div",
          { class: "titled" },
          h("h1", {}, data.title),
          h(
            "span",
            { class: "marks" },
            status(data.outcome ?? data.status, endWord(data.outcome ?? data.status, data.early)),
            verdict(data.proof?.verdict, data.proof?.says),
          ),
          data.source && h("span", { class: "tag own", title: data.file }, OWN[data.source]),
          !data.is_last && h("span", { class: "tag" }, "an earlier run"),
        ),
        !isShared && canClear(data) && clear(data),
      ),
      isShared && canClear(data) && toType(data.project, `rcs state clear --mode ${quoted(data.mode)}${data.session === null ? "" : ` --session ${quoted(data.session)}`}`),
      asked && h("p", { class: "asks" }, sentence(asked)),
      data.early &&
        remark("notice", `Reported finished early: ${data.early_because}.`),
      h("dl", { class: "facts line" }, ...this.#facts(data)),
    );
  }

  #facts(data) {
    const round = data.iteration && `${data.iteration}${data.max_iterations === null ? "" : ` of ${data.max_iterations}`}`;
    return [
      ...fact("Mode", h("strong", {}, data.mode), data.kind && h("span", { class: "dim" }, ` ${data.kind}`)),
      ...fact(goesOn(data) ? "Now at" : "Last at", h("span", { class: "step" }, data.phase ?? "–")),
      ...(round ? fact("Round", h("span", { class: "round" }, round)) : []),
      ...(data.seconds === null ? [] : fact("Lasted", lasting(data.seconds, goesOn(data), measured(data)))),
      ...(data.started_at ? fact("Started", ago(data.started_at)) : []),
      ...(data.last_at ? fact("Last activity", ago(data.last_at)) : []),
      ...(data.handed_over_to
        ? fact("Handed over to", h("a", { href: modeLink(data.project, data.session, data.handed_over_to) }, data.handed_over_to))
        : []),
      ...(data.client ? fact("Client", data.client) : []),
      ...["evidence", "plan", "brief", "file"].flatMap((name) =>
        data[name] ? fact(NAMES[name], h("span", { class: "words" }, data[name])) : [],
      ),
      ...fact("Project", project(data.project)),
      ...fact("Session", ...session(data)),
    ];
  }

  #questions(data) {
    if (!data.questions.length) return null;
    return h(
      "section",
      { class: "panel asking is-waiting", "data-key": "asking", "aria-labelledby": "asking-title" },
      h("header", {}, h("h2", { id: "asking-title" }, "Waits for your answer")),
      data.questions.map((each) => question(each, data.project, data.session, { resume: data.resume })),
    );
  }
}

const NAMES = { evidence: "Evidence", plan: "Plan", brief: "Brief", file: "Declared in" };

function session({ session: id }) {
  if (id === null) return [h("code", { class: "id" }, "root")];
  return [
    shortId(id),
    copyButton(id, "the id of the session"),
  ];
}

const canClear = (data) => data.is_last && (goesOn(data) || isQuiet(data.status) || data.status === "closed");

const clear = (data) =>
  h(
    "button",
    {
      type: "button",
      class: "button danger quiet",
      "data-do": "clear-mode",
      "data-root": data.project,
      "data-session": data.session ?? "",
      "data-mode": data.mode,
    },
    "Clear…",
  );
