// The panel with the state graph of a run, of a workflow or of a mode alike: the way that was taken, and where it is now.

import { h } from "./dom.js";
import { picture } from "./graph.js";

export class Drawing {
  #drawn = { svg: null, node: null };
  #centred = null;

  /** `chosen`: the step that is selected; `none`: what is said where there is no graph and no reason for that. */
  view({ svg, problem }, name, chosen, none) {
    if (svg !== this.#drawn.svg)
      this.#drawn = { svg, node: svg && picture(svg, `State graph of ${name}, the way that was taken marked`) };
    const { node } = this.#drawn;
    for (const state of node?.querySelectorAll("g.state") ?? []) {
      state.dataset.do = "pick";
      state.classList.toggle("chosen", state.dataset.state === chosen);
    }
    return h(
      "section",
      { class: "panel drawing", "data-key": "drawing", "aria-labelledby": "drawing-title" },
      h("header", {}, h("h2", { id: "drawing-title" }, "State graph")),
      node
        ? h(
            "div",
            {
              class: "graph",
              "data-hold": String(svg.length) + hash(svg) + (chosen ?? ""),
              tabindex: "0",
              role: "region",
              "aria-label": "State graph",
            },
            node.cloneNode(true),
          )
        : h("p", { class: "dim" }, problem ?? none),
    );
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

function hash(text) {
  let found = 0;
  for (let at = 0; at < text.length; at += 1) found = (found * 31 + text.charCodeAt(at)) | 0;
  return found;
}
