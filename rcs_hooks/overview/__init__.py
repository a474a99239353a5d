"""A workspace at a glance: what waits for the person, what runs, what ended lately, tasks, closed sessions."""
