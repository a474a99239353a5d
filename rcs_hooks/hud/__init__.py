"""The HUD: one line about what is running in a session."""
