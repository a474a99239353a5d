"""Declared state machines: read from Markdown, checked and queried. Pure: no file, no clock, no environment."""
