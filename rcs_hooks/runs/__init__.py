"""Runs of declared workflows: what is reported about them is judged, stored, and read again."""
