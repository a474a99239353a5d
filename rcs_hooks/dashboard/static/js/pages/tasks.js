// The tasks: the phase that each is in, and the ways out of it, open or closed, with the reason.

import { get, query } from "../api.js";
import { count, h } from "../dom.js";
import { coded, command, copied, empty, filter, places, problemNote, project, remark, sentence, toType } from "../pieces.js";
import { verdict } from "../proof.js";
import { hasTexts, isShared } from "../shared.js";
import { icon, status } from "../status.js";
import { ago } from "../time.js";
import { FilteredList } from "./filtered_list.js";

export class Tasks extends FilteredList {
  title = "Tasks";
  #projects = new Set();

  async load() {
    const { url } = this;
    const found = await get(query("/api/tasks", { project: url.searchParams.get("project") }), this.frame.signal);
    if (url !== this.url) return;
    this.data = found;
    for (const task of found.tasks) this.#projects.add(task.root);
  }

  view() {
    const phase = this.url.searchParams.get("phase");
    const all = this.data.tasks;
    const found = all.filter((task) => !phase || (phase === "open" ? !task.done : task.phase === phase));
    const open = all.filter((task) => !task.done).length;
    return [
      h(
        "div",
        { class: "heading", "data-key": "heading" },
        h("h1", {}, "Tasks"),
        all.length > 0 && h("p", { class: "dim figures" }, `${count(all.length, "task")}: ${open} open`),
      ),
      this.#filters(phase),
      problemNote(this.problem),
      found.length ? h("ul", { class: "cards tasks", "data-key": "list" }, ...found.map((task) => taskShown(task, this.data.path))) : this.#nothing(),
    ];
  }

  #filters(phase) {
    const { searchParams } = this.url;
    const choices = [
      ["", "any phase"],
      ["open", "not done"],
      ...this.data.phases.map((each) => [each, each.replace("_", " ")]),
    ];
    return h(
      "form",
      { class: "filters", role: "search", "aria-label": "Which tasks", "data-key": "filters" },
      places(searchParams.get("project"), [...this.#projects]),
      filter("phase", "Phase", phase, choices),
      h("a", { class: `reset${this.url.search ? "" : " off"}`, href: "/tasks" }, "Show all"),
    );
  }

  #nothing() {
    if (this.url.search)
      return empty(
        "No task matches",
        h("p", {}, "Remove a filter, or ", h("a", { href: "/tasks" }, "show all tasks"), "."),
      );
    return empty(
      "No task yet",
      h("p", {}, "A task goes from planning to done, and each gate says why it is closed. Begin one:"),
      command("rcs task new login"),
    );
  }
}

function decide({ task_id: id, root }) {
  const command = `rcs task accept ${id} --decision WORD --reason "WHY"`;
  return isShared
    ? [h("p", { class: "said" }, "It waits for a decision."), toType(root, hasTexts(root) ? command : "rcs task list")]
    : h("p", { class: "said" }, "It waits for your decision: ", copied(command));
}

const goesOn = (task) => task.gates.some((gate) => gate.suggested);

const isToDecide = (task) => task.phase === "accept" && !goesOn(task);

function taskShown(task, path) {
  return h(
    "li",
    { class: "card task", id: task.task_id, "data-key": `${task.root}\n${task.task_id}` },
    h(
      "div",
      { class: "card-head" },
      task.problem
        ? status("unreadable")
        : task.done
          ? status("completed", "done")
          : goesOn(task)
            ? status("open", "can go on", "open")
            : isToDecide(task)
              ? status("waiting")
              : status("idle", "held", "closed"),
      h("h2", {}, task.task_id),
      h("span", { class: "turn" }),
      task.proof && verdict(task.proof.verdict, task.proof.says),
      project(task.root),
      task.phase && h("a", { class: "run-of-task", href: `/runs?${new URLSearchParams({ project: task.root, workflow: "task", feature: task.task_id })}` }, "Runs"),
      task.round > 1 && h("span", { class: "dim" }, `round ${task.round}`),
      task.updated_at && ago(task.updated_at, { class: "when" }),
    ),
    h(
      "div",
      { class: "card-body" },
      task.phase && phases(task.phase, path),
      task.problem && remark("unreadable", task.problem),
      task.proof && h("p", { class: "said" }, ...coded(sentence(task.proof.says))),
      isToDecide(task) && decide(task),
      task.decision && decisionShown(task.decision),
      task.why.length > 0 && reasonsShown(whyHere(task), task.why),
      task.gates.length > 0 && h("ul", { class: "gates" }, ...task.gates.map(gateShown)),
    ),
  );
}

/** What the reasons of a task are about: they send it back, have it undone, or waive its acceptance. */
function whyHere({ phase, done }) {
  if (done) return "done without a decision";
  return phase === "revert" ? "to be undone" : "sent back here";
}

/** What was decided, and who gave it: a decision of an agent must not look like one of the person. */
function decisionShown({ decision, by, at, reasons }) {
  const signed = h("span", { class: "dim" }, by, at && ", ", at && ago(at));
  return reasonsShown(decision.replace("_", " "), reasons, " ", signed);
}

function reasonsShown(title, reasons, ...rest) {
  return h(
    "div",
    { class: "said" },
    h("p", {}, h("strong", {}, title), ...rest),
    reasons.length > 0 && h("ul", {}, ...reasons.map((reason) => h("li", {}, reason))),
  );
}

function phases(phase, path) {
  const at = path.indexOf(phase);
  const names = at < 0 ? [...path, phase] : path;
  return h(
    "ol",
    { class: "phases", "aria-label": "Phases" },
    ...names.map((name, number) => {
      const place = name === phase ? "here" : number < at ? "past" : "ahead";
      const isEnd = name === "done" && place === "here"; // past as the others, and green as the word beside the title
      const words = isEnd ? h("span", { class: "status is-completed" }, name) : name.replace("_", " ");
      return h("li", { class: isEnd ? "past" : place, "aria-current": name === phase ? "step" : null }, words);
    }),
  );
}

function gateShown(gate) {
  const reasons = gate.reasons.filter((reason) => reason !== gate.label);
  return h(
    "li",
    { class: `gate ${gate.open ? "open" : "closed"}`, "data-key": `${gate.to} ${gate.label ?? ""}` },
    icon(gate.open ? "open" : "closed", gate.open ? "open" : "closed"),
    h(
      "div",
      {},
      h(
        "p",
        { class: "gate-to" },
        h("span", { class: "gate-word" }, gate.open ? "open" : "closed"),
        h("strong", {}, `→ ${gate.to.replace("_", " ")}`),
        gate.label && h("span", { class: "dim" }, gate.open ? gate.label : `when: ${gate.label}`),
        gate.suggested && h("span", { class: "tag" }, "next"),
      ),
      reasons.length > 0 && h("ul", { class: "reasons" }, ...reasons.map((reason) => h("li", {}, reason))),
    ),
  );
}
