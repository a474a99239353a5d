// Whatever changes something asks first, in a <dialog>: Esc and the first button leave everything as it is.

import { h } from "./dom.js";

/** Whether the person said yes. `work` is done while the dialog stands; its failure is shown there. */
export function asks({ title, text, facts = [], choice = null, yes, danger = false, work }) {
  return new Promise((resolve) => {
    const problem = h("p", { class: "problem", role: "alert", hidden: true });
    const no = h("button", { type: "button", class: "button" }, "Leave as it is");
    const go = h("button", { type: "submit", class: `button ${danger ? "danger" : "primary"}` }, yes);
    const form = h(
      "form",
      { method: "dialog" },
      h("h2", { id: "ask-title" }, title),
      h("p", {}, text),
      facts.length > 0 &&
        h("dl", { class: "facts" }, ...facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
      choice && radios(choice),
      problem,
      h("div", { class: "buttons" }, no, go),
    );
    const dialog = h("dialog", { class: "ask", "aria-labelledby": "ask-title" }, form);
    let done = false;
    no.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(done);
    });
    dialog.addEventListener("cancel", (event) => go.disabled && event.preventDefault());
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (go.disabled) return;
      go.disabled = no.disabled = true;
      problem.hidden = true;
      try {
        await work(choice && new FormData(form).get(choice.name));
        done = true;
        dialog.close();
      } catch (error) {
        problem.textContent = error.message;
        problem.hidden = false;
        go.disabled = no.disabled = false;
      }
    });
    document.body.append(dialog);
    dialog.showModal();
    (danger ? no : go).focus();
  });
}

/** Says what has come of something; any way out closes it. */
export function says({ title, nodes }) {
  const close = h("button", { type: "submit", class: "button primary" }, "Done");
  const form = h("form", { method: "dialog" }, h("h2", { id: "said-title" }, title), ...nodes, h("div", { class: "buttons" }, close));
  const dialog = h("dialog", { class: "ask said-so", "aria-labelledby": "said-title" }, form);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  close.focus();
}

function radios({ name, label, options }) {
  const each = options.map((value, number) =>
    h("label", {}, h("input", { type: "radio", name, value, checked: number === 0 }), " ", value),
  );
  return h("fieldset", { class: "choice" }, h("legend", {}, label), ...each);
}

/** Something to read; closed by Esc, its button, or a click beside it. */
export function reader({ title, note = "", className = "", tools = [], body, closed }) {
  const close = h("button", { type: "button", class: "button", autofocus: true }, "Close");
  const id = `reader-title-${document.querySelectorAll("dialog").length}`; // one reader may open another
  const inner = h("div", { class: "reader-body", tabindex: "0", role: "region", "aria-label": title }, body);
  const head = h(
    "div",
    { class: "reader-head" },
    h("div", { class: "reader-title" }, h("h2", { id }, title), note),
    h("div", { class: "buttons" }, ...tools, close),
  );
  const dialog = h("dialog", { class: `reader ${className}`, "aria-labelledby": id }, head, inner);
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => {
    dialog.remove();
    closed?.();
  });
  document.body.append(dialog);
  dialog.showModal();
  close.focus();
  return { close: () => dialog.open && dialog.close(), show: (...nodes) => inner.replaceChildren(...nodes) };
}
