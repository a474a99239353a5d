"""Sharing: what runs on this machine, replicated into a team's PostgreSQL, and read from there.

Only `rcs_hooks.cli` imports this room, and only for the commands that share: no hook loads it.
"""
