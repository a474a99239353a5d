// What a page may do. Whatever changes something asks first.

import { asks, says } from "./dialog.js";
import { h } from "./dom.js";
import { capital, resumed } from "./pieces.js";

export const actions = { answer, option, copy, "end-run": endRun, "clear-mode": clearMode };

async function copy(button, { toast }) {
  const { copy: text, what } = button.dataset;
  try {
    await navigator.clipboard.writeText(text);
    toast(`Copied ${what}.`);
  } catch {
    getSelection().selectAllChildren(button.previousElementSibling);
  }
}

/** An option is an answer: what is left to do is to confirm it. */
function option(button, frame) {
  return send(button.closest("form"), button.dataset.words, frame);
}

function answer(form, frame) {
  const field = form.elements.answer;
  const words = field.value.trim();
  if (words) return send(form, words, frame, () => (field.value = ""));
  field.focus();
}

async function send(form, words, { post, refresh }, sent = () => {}) {
  const { root, session, question, text, resume } = form.dataset;
  let said;
  const done = await asks({
    title: "Send this answer?",
    text: "Your answer will be recorded. Nothing continues on its own: your next prompt in the session delivers it.",
    facts: [
      ["Question", text],
      ["Answer", words],
    ],
    yes: "Send the answer",
    work: async () => {
      said = await post(`/api/questions/${encodeURIComponent(question)}/answer`, {
        root,
        session: session || null,
        answer: words,
      });
    },
  });
  if (!done) return;
  sent();
  refresh();
  const commands = JSON.parse(resume || "[]");
  says({
    title: "Answered",
    nodes: [h("p", {}, `${capital(said.says)}.`), resumed(commands)],
  });
}

async function endRun(button, { post, toast, refresh }) {
  const { run, workflow, at } = button.dataset;
  let said;
  const done = await asks({
    title: "End this run?",
    text: "It will be marked as ended, and will no longer count as running. An agent that still works on it is not stopped by that.",
    facts: [
      ["Workflow", workflow],
      ["Run", run],
      ["At", at || "no step yet"],
    ],
    choice: { name: "status", label: "End it as", options: ["skipped", "completed", "failed"] },
    yes: "End the run",
    danger: true,
    work: async (status) => {
      said = await post(`/api/runs/${encodeURIComponent(run)}/end`, { status });
    },
  });
  if (!done) return;
  toast(said.ended ? `The run is ${said.status}.` : `It had ended already: ${said.status}.`);
  refresh();
}

async function clearMode(button, { post, toast, refresh }) {
  const { root, session, mode } = button.dataset;
  let said;
  const done = await asks({
    title: `Clear ${mode}?`,
    text: "Its record will be removed, and any open question will be dropped. It will no longer block a Stop.",
    facts: [
      ["Mode", mode],
      ["Session", session || "none (root)"],
      ["Project", root],
    ],
    yes: "Clear the mode",
    danger: true,
    work: async () => {
      said = await post("/api/modes/clear", { root, session: session || null, mode });
    },
  });
  if (!done) return;
  toast(said.cleared ? `${mode} is cleared.` : `There was nothing to clear: ${mode} was gone already.`);
  refresh();
}
