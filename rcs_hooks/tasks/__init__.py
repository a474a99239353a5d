"""The lifecycle of a task: its phases, the artifacts that open the ways between them, and what a person may ask for."""
