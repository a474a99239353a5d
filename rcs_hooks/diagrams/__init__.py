"""Reads the flowcharts and sequence diagrams of Mermaid: linear in the text, bounded, and never as markup."""
