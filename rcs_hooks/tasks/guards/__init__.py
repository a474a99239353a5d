"""The guards of the edges in `lifecycle.md`: what each edge requires, what a refusal says, and how to fix it.

A guard is named after what has to hold (`check_tests_failed`), and returns each condition that does not, with its fix.
Where it returns none, its edge is open.
"""
