// What more than one page shows.

import { h } from "./dom.js";
import { addressed, choices, isShared, quoted } from "./shared.js";
import { icon } from "./status.js";
import { ago } from "./time.js";

const MOST_STEPS = 2;

/** Where a run is: several steps where branches run side by side, the first ones by name. */
export function placeOf({ current_steps: steps }) {
  const more = steps.length - MOST_STEPS;
  return steps.slice(0, MOST_STEPS).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** The last part of a folder's path, all of it on hover; of another machine also which one it is, and whose. */
export function project(path) {
  if (isShared) return place(path);
  return h("span", { class: "project", title: path }, path.split("/").filter(Boolean).at(-1) ?? path);
}

/** What an entry of a list is; `name`: the mode's, or the run's workflow, where its title is another. */
export function whatIs(kind, name) {
  if (kind === "task" || !name) return kind;
  return kind === "run" ? `run of ${name}` : `mode ${name}`;
}

function place(address) {
  const { name, project: its, person, machine } = addressed(address);
  return h(
    "span",
    { class: `project place${machine?.is_silent ? " is-old" : ""}`, title: `${its} on ${name}${person ? `, of ${person}` : ""}` },
    h("span", {}, its),
    h("span", { class: "machine dim" }, name),
    person && h("span", { class: "person dim" }, person),
    machine?.is_silent && h("span", { class: "as-of" }, "as of ", machine.seen_at ? ago(machine.seen_at) : "long ago"),
  );
}

/** What to type on the machine of a project. */
export const toType = (address, text) =>
  h("p", { class: "detail to-type" }, h("span", { class: "dim" }, `On ${addressed(address).name}, type: `), copied(text));

/** A command to copy, behind the machine to type it on where that is not this one. */
export const typed = (address, text) => (isShared ? toType(address, text) : h("p", { class: "detail" }, copied(text)));

/** The filters by project; of all machines, by person, machine and project. */
export const places = (value, projects) =>
  isShared
    ? choices(value).map(([label, chosen, known]) => filter("project", label, chosen, known))
    : filter("project", "Project", value, [["", "all projects"], ...folders(projects)]);

export function empty(title, ...words) {
  return h("section", { class: "empty" }, h("h2", {}, title), ...words);
}

/** The arguments of a command: a line breaks between them, and inside one only where it is longer than the line. */
const args = (text) => text.split(/(\s+)/).map((part, number) => (number % 2 ? part : part && h("span", { class: "arg" }, part)));

/** A command as it is typed. */
export const command = (text) => h("pre", { class: "command", tabindex: "0" }, h("code", {}, args(text)));

/** A button that copies a text; `what` says which. */
export const copyButton = (text, what) =>
  h("button", { type: "button", class: "icon-button copy", "data-do": "copy", "data-copy": text, "data-what": what, "aria-label": `Copy ${what}` }, icon("copy"));

/** A command to copy. */
export const copied = (text) =>
  h("span", { class: "to-copy" }, h("code", { tabindex: "0" }, args(text)), copyButton(text, "the command"));

/** The commands that resume a session: one where its client is known, else those of the likely clients. */
export function resumed(found) {
  if (!found.length) return null;
  const isSure = found.length === 1;
  const where = isShared ? "On its machine, to" : "To";
  return h(
    "div",
    { class: "resume" },
    h("p", { class: "dim" }, isSure ? `${where} go on in ${found[0].client}:` : `${where} go on in the session, in the client that it belongs to:`),
    ...found.map((each) => h("p", {}, !isSure && h("span", { class: "dim" }, `${each.client} `), copied(each.command))),
  );
}

/** That the server is away is said in the head already, and nothing has to move for it. */
export function problemNote(problem) {
  return problem?.status > 0 && h("p", { class: "problem", role: "alert", "data-key": "problem" }, problem.message);
}

const at = (root, session, id) => `${root}\n${session ?? ""}\n${id}`;

/** A question with its form: an option is an answer, and so is what is typed, which stays when the page is drawn again. */
export function question(asked, root, session, { dated = true, resume = [] } = {}) {
  if (isShared) return askedElsewhere(asked, root, session, dated);
  const id = `answer-${asked.question_id}`;
  return h(
    "form",
    {
      class: "question",
      "data-do": "answer",
      "data-key": at(root, session, asked.question_id),
      "data-root": root,
      "data-session": session ?? "",
      "data-question": asked.question_id,
      "data-text": asked.question,
      "data-resume": JSON.stringify(resume),
    },
    h(
      "p",
      { class: "asked" },
      h("span", { class: "words" }, asked.question),
      " ",
      dated && asked.created_at && ago(asked.created_at, { class: "dim" }),
    ),
    asked.options.length > 0 &&
      h(
        "div",
        { class: "options", role: "group", "aria-label": "Answers to choose from" },
        ...asked.options.map((each) =>
          h("button", { type: "button", class: "chip", "data-do": "option", "data-words": each }, each),
        ),
      ),
    h("label", { class: "field", for: id }, h("span", { class: "hidden" }, `Answer to: ${asked.question}`)),
    h(
      "div",
      { class: "reply" },
      h("textarea", { id, name: "answer", rows: "2", maxlength: "4000", required: true, placeholder: asked.options.length ? "Or in your own words" : "Your answer" }),
      h("button", { type: "submit", class: "button primary" }, "Answer…"),
    ),
  );
}

function askedElsewhere(asked, root, session, dated) {
  return h(
    "div",
    { class: "question elsewhere", "data-key": at(root, session, asked.question_id) },
    h("p", { class: "asked" }, h("span", { class: "words" }, asked.question), " ", dated && asked.created_at && ago(asked.created_at, { class: "dim" })),
    asked.options.length > 0 && h("ul", { class: "options", "aria-label": "Answers to choose from" }, ...asked.options.map((each) => h("li", { class: "chip" }, each))),
    toType(root, `rcs question answer ${quoted(asked.question_id)} 'YOUR ANSWER'`),
  );
}

export const sessionLink = (root, session) =>
  `/sessions?${new URLSearchParams({ project: root, session: session ?? "" })}`;

/** The page of a mode's run; `run`: the event that began or ended it, where others have followed. */
export const modeLink = (root, session, mode, run = null) =>
  `/modes/${encodeURIComponent(mode)}?${new URLSearchParams({ project: root, session: session ?? "", ...(run === null ? {} : { run }) })}`;

/** An id as people read it: a long one by its first letters, all of it on hover. `short`: those that tell it apart. */
export const shortId = (id, short = id.length >= 16 ? id.slice(0, 8) : id) => h("code", { class: "id", title: id }, short);

/** The same, with a button that copies all of it. */
export const idToCopy = (id, short) => h("span", { class: "id-copy" }, shortId(id, short), copyButton(id, "the id"));

export const fact = (name, ...value) => [h("div", { class: "fact" }, h("dt", {}, name), h("dd", {}, ...value))];

export function remark(name, ...words) {
  return h("p", { class: `remark is-${name}` }, icon(name), h("span", {}, ...words));
}

/** A choice in the line of filters. `choices` are [value, word]. */
export function filter(name, label, value, choices) {
  const known = choices.some(([each]) => each === value) || !value ? choices : [...choices, [value, value]];
  return h(
    "label",
    { class: "filter" },
    h("span", {}, label),
    h(
      "select",
      { name, "data-filter": name },
      ...known.map(([each, word]) => h("option", { value: each, selected: each === (value ?? "") }, word)),
    ),
  );
}

/** The address with one filter changed; a page that was turned to is left. */
export function filtered(url, name, value) {
  const next = new URL(url);
  if (value) next.searchParams.set(name, value);
  else next.searchParams.delete(name);
  next.searchParams.delete("before");
  return next.pathname + next.search;
}

export const folders = (paths) => {
  const short = (path) => path.split("/").filter(Boolean).at(-1) ?? path;
  const names = paths.map(short);
  return paths.map((path, number) => [
    path,
    names.filter((name) => name === names[number]).length > 1 ? path : names[number],
  ]);
};

/** Words in which a command stands between backticks, as the server writes it. */
export const coded = (words) =>
  words.split(/`([^`]*)`/).map((part, number) => (number % 2 ? h("code", {}, part) : part));

const WORD = /^[a-z]+(?=[\s,;:!?]|$)/;

/** With a capital, where it begins with a word: a name of a file, a command or a variable stays as it is. */
export const capital = (words) => (WORD.test(words) ? `${words.charAt(0).toUpperCase()}${words.slice(1)}` : words);

/** What the server says in a line of its own, as a sentence by itself. */
export const sentence = (words) => `${capital(words)}${/[.!?…。？！]$/.test(words) ? "" : "."}`;
