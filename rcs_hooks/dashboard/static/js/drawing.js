// The panel with the state graph of a run, of a workflow or of a mode alike: the way that was taken, each state in the
// colour of its status, and where the run is now, which may be several states at once.

import { h } from "./dom.js";
import { large, picture } from "./graph.js";
import { icon, kindOf, statusIn, word } from "./status.js";

const OPEN = ["running", "waiting", "stalled", "inactive", "closed"];

export class Drawing {
  #drawn = { svg: null, node: null };
  #centred = null;
  #large = null;

  /** `chosen`: the step that is selected; `none`: what is said where there is no graph and no reason for that. */
  view({ svg, problem }, name, run, chosen, none) {
    if (svg !== this.#drawn.svg)
      this.#drawn = { svg, node: svg && picture(svg, `State graph of ${name}, the way that was taken marked`) };
    const { node } = this.#drawn;
    const statuses = new Map(run.timeline.map((step) => [step.step, statusIn(run, step.status)]));
    if (node) colour(node, statuses, chosen);
    this.#large = node && { node, name };
    return h(
      "section",
      { class: "panel drawing", "data-key": "drawing", "aria-labelledby": "drawing-title" },
      h(
        "header",
        {},
        h("h2", { id: "drawing-title" }, "State graph"),
        node && h("button", { type: "button", class: "button small", "data-do": "enlarge" }, icon("large"), "Large"),
      ),
      node
        ? h(
            "div",
            {
              class: "graph",
              "data-do": "enlarge",
              "data-hold": `${svg.length} ${hash(svg)} ${chosen ?? ""} ${JSON.stringify([...statuses])}`,
              tabindex: "0",
              role: "region",
              "aria-label": "Picture of the states",
            },
            node.cloneNode(true),
          )
        : h("p", { class: "dim" }, problem ?? none),
    );
  }

  /** The graph in a dialog, as large as there is room, but no smaller than can be read. */
  enlarge() {
    if (!this.#large) return;
    const { node, name } = this.#large;
    const copy = node.cloneNode(true);
    for (const state of copy.querySelectorAll("g.state")) delete state.dataset.do;
    large(copy, `State graph of ${name}`);
  }

  /** A picture that is larger than its place shows where the run is now. */
  centre(place, current) {
    const now = place?.querySelector(".state.current");
    if (!now || this.#centred === current) return;
    this.#centred = current;
    const [box, frame] = [now.getBoundingClientRect(), place.getBoundingClientRect()];
    place.scrollLeft += box.x + box.width / 2 - frame.x - frame.width / 2;
    place.scrollTop += box.y + box.height / 2 - frame.y - frame.height / 2;
  }
}

/** Each state in the colour of its status; several are current where branches run side by side. */
function colour(node, statuses, chosen) {
  const isAnyOpen = [...statuses.values()].some((status) => OPEN.includes(status));
  for (const state of node.querySelectorAll("g.state")) {
    const status = statuses.get(state.dataset.state) ?? null;
    state.dataset.do = "pick";
    for (const each of [...state.classList]) if (each.startsWith("is-")) state.classList.remove(each);
    if (status && status !== "not_started") state.classList.add(`is-${kindOf(status)}`);
    if (isAnyOpen) state.classList.toggle("current", OPEN.includes(status));
    state.classList.toggle("chosen", state.dataset.state === chosen);
    const title = state.querySelector("title");
    if (title) title.textContent = `${title.textContent.split(" · ")[0]} · ${word(status)}`;
  }
}

function hash(text) {
  let found = 0;
  for (let at = 0; at < text.length; at += 1) found = (found * 31 + text.charCodeAt(at)) | 0;
  return found;
}
