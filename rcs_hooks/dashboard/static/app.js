// The frame: which page is shown, what it is told, and where clicks go.

import { get, post } from "./js/api.js";
import { Attention } from "./js/attention.js";
import { fragment, h, morph } from "./js/dom.js";
import { startKeys } from "./js/keys.js";
import { startNotices } from "./js/notices.js";
import { nextTheme, startTheme } from "./js/theme.js";
import { Live } from "./js/live.js";
import { at, inside, isBoth, isShared, setMachines } from "./js/shared.js";
import { everyOther } from "./js/pace.js";
import { coded, sentence } from "./js/pieces.js";
import { absolute, now, startClock } from "./js/time.js";
import { Everything } from "./js/pages/all.js";
import { Machines } from "./js/pages/machines.js";
import { ModeRun } from "./js/pages/mode.js";
import { NeedsMe } from "./js/pages/needs.js";
import { Overview } from "./js/pages/overview.js";
import { Run } from "./js/pages/run.js";
import { Runs } from "./js/pages/runs.js";
import { Sessions } from "./js/pages/sessions.js";
import { Tasks } from "./js/pages/tasks.js";
import { actions } from "./js/actions.js";

const ROUTES = [
  [/^\/$/, Overview],
  [/^\/attention\/?$/, NeedsMe],
  [/^\/all\/?$/, Everything],
  [/^\/modes\/([^/]+)$/, ModeRun],
  [/^\/runs\/?$/, Runs],
  [/^\/runs\/([^/]+)$/, Run],
  [/^\/sessions\/?$/, Sessions],
  [/^\/tasks\/?$/, Tasks],
  ...(isShared ? [[/^\/machines\/?$/, Machines]] : []),
];
const SLOW = 250; // milliseconds after which a page that is not there yet is outlined
const NAV = ["/", "/attention", "/runs", "/sessions", "/tasks"];

const main = document.getElementById("main");
const live = new Live();
const attention = new Attention(() => {
  shown.page?.attentionChanged?.();
  head();
});
const shown = { page: null, path: null, arrived: false, dropped: null };

// --- navigation

function go(address, { replace = false } = {}) {
  const url = new URL(at(address), location.href);
  history.replaceState({ ...history.state, scroll: scrollY }, "");
  if (replace) history.replaceState(history.state, "", url);
  else if (url.href !== location.href) history.pushState({ scroll: null }, "", url);
  arrive();
}

function arrive({ scroll = null } = {}) {
  const { pathname } = location;
  const [pattern, Page] = ROUTES.find(([pattern]) => pattern.test(inside(pathname))) ?? [/(.*)/, Nowhere];
  if (shown.path === pathname && shown.page) {
    shown.page.moved(new URL(location.href));
    draw();
    return;
  }
  shown.page?.gone?.();
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
  shown.dropped?.abort();
  shown.dropped = new AbortController();
  shown.path = pathname;
  shown.arrived = false;
  main.setAttribute("aria-busy", "true");
  const frame = {
    go,
    redraw: redraw.soon,
    refresh: refresh.soon,
    attention,
    live,
    toast,
    signal: shown.dropped.signal,
  };
  shown.page = new Page(frame, new URL(location.href), decoded(pattern.exec(inside(pathname))?.[1]));
  markNav();
  setTimeout(skeleton, SLOW, shown.page);
  load(shown.page, scroll);
}

/** A page that takes long to come is an outline meanwhile, not the page before. */
function skeleton(page) {
  if (page !== shown.page || shown.arrived) return;
  const bones = ["title", "", "", ""].map((each) => h("span", { class: `bone ${each}` }));
  morph(main, fragment(h("h1", { class: "hidden" }, page.title || "Loading"), h("div", { class: "skeleton", "aria-hidden": "true" }, ...bones)));
}

function decoded(part) {
  try {
    return decodeURIComponent(part ?? "");
  } catch {
    return part;
  }
}

const elsewhere = () => [
  h("a", { class: "button", href: "/" }, "Overview"),
  h("a", { class: "button", href: "/all" }, "Search everything"),
];

class Nowhere {
  title = "Not found";
  constructor(frame, url) {
    this.path = url.pathname;
  }
  async load() {}
  moved() {}
  view() {
    return [
      h(
        "section",
        { class: "empty" },
        h("h1", {}, "Not found"),
        h("p", {}, "There is no page ", h("code", {}, this.path), "."),
        h("p", { class: "buttons" }, ...elsewhere()),
      ),
    ];
  }
}

// --- loading and drawing: what was asked for by a page that is gone is dropped

async function load(page, scroll = null) {
  try {
    await page.load();
    page.problem = null;
  } catch (error) {
    if (error.name === "AbortError" || page !== shown.page) return;
    page.problem = error;
  }
  if (page !== shown.page) return;
  draw(); // what waits may have drawn the page before: that is not yet its arrival
  if (!shown.arrived) arrived(scroll);
}

function arrived(scroll) {
  shown.arrived = true;
  main.removeAttribute("aria-busy");
  const named = scroll === null && location.hash && document.getElementById(decoded(location.hash.slice(1)));
  if (named) named.scrollIntoView();
  else scrollTo(0, scroll ?? 0);
  if (started) main.querySelector("h1")?.focus({ preventScroll: true });
  started = true;
}
let started = false;

function draw() {
  const { page } = shown;
  if (!page || (!page.data && !page.problem && !(page instanceof Nowhere))) return;
  const nodes = page.problem && !page.data ? [failure(page.problem)] : page.view();
  const made = fragment(...nodes);
  made.querySelector("h1")?.setAttribute("tabindex", "-1"); // before the morph: a heading that lost it would lose the focus
  morph(main, made);
  page.drawn?.(main);
  head();
}

function failure(problem) {
  return h(
    "section",
    { class: "empty" },
    h("h1", {}, problem.status === 404 ? "Not found" : "Not available now"),
    h("p", {}, ...coded(sentence(problem.message))),
    h("p", { class: "buttons" }, h("button", { class: "button", "data-do": "again" }, "Try again"), ...elsewhere()),
  );
}

const redraw = everyOther(80, draw);
const refresh = everyOther(500, () => shown.page && load(shown.page));

function head() {
  const number = attention.needy;
  const badge = document.getElementById("needs");
  badge.hidden = !number;
  if (badge.textContent !== String(number)) badge.textContent = number;
  badge.setAttribute("aria-label", `${number} need you`);
  const title = `${number ? `(${number}) ` : ""}${shown.page?.title ?? ""} · rcs`;
  if (document.title !== title) document.title = title;
}

function markNav() {
  for (const link of document.querySelectorAll("#nav a")) {
    const path = inside(link.getAttribute("href"));
    const pathname = inside(location.pathname);
    const shows = pathname.startsWith("/modes/") ? "/sessions" : pathname;
    const here = path === "/" ? shows === "/" : shows.startsWith(path);
    if (here) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

// --- what the server tells

live.addEventListener("state", ({ detail: state }) => {
  const place = document.getElementById("connection");
  place.dataset.state = state;
  document.getElementById("connection-word").textContent = state === "reconnecting" ? "Reconnecting…" : "";
  place.title = state === "live" ? "Live: what happens is shown as it happens" : "Not connected; it is tried again by itself";
  away(state === "reconnecting");
});

/** What is shown while the server is away is old, and says as of when. */
function away(isAway) {
  const note = document.getElementById("away");
  if (isAway && note.hidden) note.textContent = `Not connected. What is shown is as of ${absolute(lastHeard)}.`;
  note.hidden = !isAway;
  document.body.classList.toggle("is-away", isAway);
}
let lastHeard = now();
for (const name of ["sync", "events", "folders"]) live.addEventListener(name, () => (lastHeard = now()));
live.addEventListener("lost", () => (lastHeard = now()));

live.addEventListener("sync", () => {
  attention.refresh();
  refresh.soon();
});
live.addEventListener("reset", () => {
  attention.refresh();
  shown.path = null;
  arrive();
});
live.addEventListener("events", ({ detail }) => {
  attention.refresh();
  shown.page?.events?.(detail);
});
live.addEventListener("runs", () => {
  attention.refresh();
  shown.page?.runsChanged?.();
});
live.addEventListener("folders", ({ detail }) => {
  attention.refresh();
  shown.page?.folders?.(detail);
});

// --- clicks, forms, keys

document.addEventListener("click", (event) => {
  const doer = event.target.closest("[data-do]");
  if (doer && !(doer instanceof HTMLFormElement)) {
    event.preventDefault();
    perform(doer.dataset.do, doer, event);
    return;
  }
  const link = event.target.closest("a[href]");
  if (
    !link ||
    event.defaultPrevented ||
    event.button ||
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey ||
    event.altKey
  )
    return;
  if (link.target || link.hasAttribute("download") || link.origin !== location.origin || link.getAttribute("href").startsWith("#")) return;
  if (link.closest(".switch")) return;
  event.preventDefault();
  go(link.href);
});
document.addEventListener("submit", (event) => {
  if (!event.target.dataset.do) return;
  event.preventDefault();
  perform(event.target.dataset.do, event.target, event);
});
document.addEventListener("change", (event) => shown.page?.changed?.(event.target));
document.addEventListener("input", (event) => event.target.dataset.typed !== undefined && shown.page?.typed?.(event.target));
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.target.closest("form[data-do]")?.requestSubmit();
});
main.addEventListener("pointerleave", () => shown.page?.released?.());
addEventListener("popstate", (event) => arrive({ scroll: event.state?.scroll ?? null }));
history.scrollRestoration = "manual";

function perform(name, element, event) {
  if (name === "again") return refresh.soon();
  if (name === "theme") return nextTheme(element);
  const known = actions[name];
  if (known) return known(element, { post, toast, refresh: () => (attention.refresh(), refresh.soon()) });
  return shown.page?.act?.(name, element, event);
}

function toast(text) {
  const made = h("p", { class: "toast" }, text);
  document.getElementById("toasts").append(made);
  setTimeout(() => made.remove(), 6000);
}

startKeys(
  (number) => (go(NAV[number]), true),
  () => (inside(location.pathname) === "/all" || go("/all"), search()),
  () => shown.page?.back?.() ?? false,
);
/** The field of the search, as soon as it is there. */
function search(tries = 50) {
  const field = document.getElementById("search");
  if (field && !main.hasAttribute("aria-busy")) field.select();
  else if (tries) setTimeout(search, 50, tries - 1);
  return true;
}

// --- this machine alone, or all machines

const NOTES_EVERY = 2000;

/** What the machines are called, whose they are, and which are silent. */
const machines = everyOther(NOTES_EVERY, async () => {
  try {
    setMachines((await get("/api/machines")).machines);
  } catch {
    return; // the page itself says that the server is away
  }
  draw();
});

function startShared() {
  const nav = document.getElementById("nav");
  if (isBoth) nav.before(sources());
  if (!isShared) return;
  for (const link of document.querySelectorAll("a.brand, #nav a, a.search-link")) link.setAttribute("href", at(link.getAttribute("href")));
  nav.append(h("a", { href: "/machines" }, "Machines"));
  for (const name of ["sync", "folders"]) live.addEventListener(name, () => machines.soon());
  machines.soon();
}

/** The switch; what it leads to is another page. */
function sources() {
  const one = (address, word, isHere) => {
    const link = h("a", isHere ? { "aria-current": "true" } : {}, word);
    link.setAttribute("href", address);
    return link;
  };
  return h("nav", { class: "switch", "aria-label": "Which machines" }, one("/", "Local", !isShared), one("/shared/", "Shared", isShared));
}

startShared();
startTheme(document.getElementById("theme"));
startNotices(() => go("/attention"));
startClock();
setInterval(() => !document.hidden && live.state === "live" && shown.page?.tick?.(), 2000);
arrive();
live.start();
