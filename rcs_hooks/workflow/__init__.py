"""The rules, and nothing else: no file, clock, environment or printing in this folder."""
