"""The AGENTS overlay: the active modes of a session, between two markers in a file that belongs to somebody else."""
