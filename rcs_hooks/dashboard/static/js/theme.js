// The switch between the system's theme, light and dark; `/static/theme.js` sets the choice before the first drawing.

import { icon } from "./status.js";

const NAME = "rcs.theme";
const THEMES = ["auto", "light", "dark"];
const SAID = { auto: "as the system", light: "light", dark: "dark" };

const current = () => document.documentElement.dataset.theme ?? "auto";

export function startTheme(button) {
  const theme = current();
  button.replaceChildren(icon(theme));
  button.title = button.ariaLabel = `Theme: ${SAID[theme]}`;
}

export function nextTheme(button) {
  const next = THEMES[(THEMES.indexOf(current()) + 1) % THEMES.length];
  if (next === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  try {
    localStorage.setItem(NAME, next);
  } catch {
    // A browser that stores nothing has the choice for as long as the page is open.
  }
  startTheme(button);
}
