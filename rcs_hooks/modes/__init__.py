"""How a SKILL.md declares a mode, where such a file is looked for, and what may be wrong with it."""
