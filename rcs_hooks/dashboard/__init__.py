"""The dashboard: a page over the runs, sessions and tasks, served from one process."""
