"""Runs of declared workflows: what agents report about them is checked, stored, and read again."""
