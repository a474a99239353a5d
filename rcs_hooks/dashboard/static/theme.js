// The theme that a person has chosen, before anything is drawn. Without a choice the system's counts.
try {
  const chosen = localStorage.getItem("rcs.theme");
  if (["light", "dark"].includes(chosen)) document.documentElement.dataset.theme = chosen;
} catch {
  // A browser that stores nothing has the system's theme.
}
