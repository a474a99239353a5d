"""Setting up the hooks in the clients' files, removing them again, and checking that they would run.

What belongs in which file is known to `rcs_hooks/clients`; this room is the same for every client.
"""
