"""Runs the command that proves a run, and takes the fingerprint of the work tree. No hook imports this room."""
