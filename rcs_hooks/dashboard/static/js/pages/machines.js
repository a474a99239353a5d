// The machines of a team: whose each is, its last activity, what it shares.

import { get } from "../api.js";
import { count, h } from "../dom.js";
import { empty, command, problemNote } from "../pieces.js";
import { setMachines } from "../shared.js";
import { ago } from "../time.js";

export class Machines {
  title = "Machines";
  data = null;
  problem = null;

  constructor(frame) {
    this.frame = frame;
  }

  async load() {
    this.data = await get("/api/machines", this.frame.signal);
    setMachines(this.data.machines);
  }

  moved() {}

  folders() {
    this.frame.refresh();
  }

  events() {
    this.frame.refresh();
  }

  view() {
    const { machines } = this.data;
    const people = new Set(machines.map((each) => each.person)).size;
    return [
      h(
        "div",
        { class: "heading", "data-key": "heading" },
        h("h1", {}, "Machines"),
        machines.length > 0 && h("p", { class: "dim figures" }, `${count(machines.length, "machine")} of ${count(people, "person", "people")}`),
      ),
      problemNote(this.problem),
      machines.length ? h("ul", { class: "cards machines", "data-key": "list" }, ...machines.map(shown)) : nothing(),
    ];
  }
}

function shown(machine) {
  return h(
    "li",
    { class: `card machine-card${machine.is_silent ? " is-old" : ""}`, "data-key": machine.name },
    h(
      "div",
      { class: "card-head" },
      h("h2", {}, h("a", { href: `/?${new URLSearchParams({ project: `//${machine.name}` })}`, "data-item": true }, machine.name)),
      h("span", { class: "person" }, machine.person),
      h("span", { class: "turn" }),
      h("span", { class: "dim" }, `rcs ${machine.program}`),
      machine.seen_at ? h("span", { class: "when" }, machine.is_silent ? "silent; as of " : "last activity ", ago(machine.seen_at)) : h("span", { class: "when" }, "no activity yet"),
    ),
    h(
      "div",
      { class: "card-body" },
      machine.projects.length
        ? h("ul", { class: "shared-projects" }, ...machine.projects.map(project))
        : h("p", { class: "dim" }, "It shares no project."),
    ),
  );
}

const project = (each) =>
  h(
    "li",
    { "data-key": each.project },
    h("a", { href: `/?${new URLSearchParams({ project: each.project })}` }, each.name),
    h("span", { class: "dim" }, each.texts ? " with texts" : " without texts"),
  );

function nothing() {
  return empty(
    "No machine yet",
    h("p", {}, "A machine appears here once it shares a project. On each of them, type:"),
    command("rcs share init URL\nrcs share add .\nrcs share start"),
  );
}
