"""A file's machine, from its text."""

from rcs_hooks.machine import markdown, mermaid
from rcs_hooks.machine.graph import Machine


def machine_in(text: str, *, name: str, file: str) -> Machine | None:
    """None where the file has no `## STATE-MACHINE` section. Raises MachineError where that cannot be read."""
    found = markdown.section(text, file)
    if found is None:
        return None
    diagram, first_line = found
    return mermaid.read(diagram, name=name, file=file, first_line=first_line)
