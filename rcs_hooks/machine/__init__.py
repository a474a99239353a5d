"""Declared state machines: read out of Markdown, asked, drawn. Pure: no file, no clock, no environment."""
