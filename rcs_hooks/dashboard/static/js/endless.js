// A list without pages: more of it is asked for when its end is seen.

import { h } from "./dom.js";

export const PAGE = 50;
export const MOST = 1000;

let watched = null;
const seen = new IntersectionObserver((found) => found.some((each) => each.isIntersecting) && watched?.more(), {
  rootMargin: "600px",
});

/** The end of a list of which there is more; none once all of it, or as much as is ever asked for, is there. */
export function listEnd(shown, total) {
  if (shown >= total) return null;
  if (total === Infinity) return end(shown, `${shown.toLocaleString("en")} and more`);
  return end(
    shown,
    shown < MOST
      ? `${shown.toLocaleString("en")} of ${total.toLocaleString("en")}`
      : `The first ${shown.toLocaleString("en")} of ${total.toLocaleString("en")}; a filter finds the others.`,
  );
}

const end = (shown, words) => h("p", { class: "list-end dim", "data-key": "end", "data-shown": shown }, words);

/** Watches the end of the list that a page has drawn; `more()` asks for more. */
export function watchEnd(main, more) {
  seen.disconnect();
  watched = { more };
  const end = main.querySelector(".list-end");
  if (end && Number(end.dataset.shown) < MOST) seen.observe(end);
}
