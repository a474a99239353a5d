"""Changes to files that belong to somebody else: a value in a JSON text, and a file as a whole."""
