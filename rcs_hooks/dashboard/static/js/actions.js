// The three things that a page may do. Each asks first.

import { asks } from "./dialog.js";

export const actions = { answer, option, "end-run": endRun, "clear-mode": clearMode };

/** An option puts its words where an answer is written; nothing is sent by it. */
function option(button) {
  const field = button.closest("form").elements.answer;
  field.value = button.dataset.words;
  field.focus();
}

async function answer(form, { post, toast, refresh }) {
  const field = form.elements.answer;
  const words = field.value.trim();
  if (!words) {
    field.focus();
    return;
  }
  const { root, session, question, text } = form.dataset;
  let said;
  const done = await asks({
    title: "Send this answer?",
    text: "The next prompt that you type in the session brings the agent the answer, and what waits for it goes on.",
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
  field.value = "";
  toast(`${said.says[0].toUpperCase()}${said.says.slice(1)}.`);
  refresh();
}

async function endRun(button, { post, toast, refresh }) {
  const { run, workflow, at } = button.dataset;
  let said;
  const done = await asks({
    title: "End this run?",
    text: "It is marked as ended, and no longer counts as working. An agent that still works on it is not stopped by that.",
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
    text: "Its record is taken out, and an open question of it is dropped. It holds up no Stop any more.",
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
