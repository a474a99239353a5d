"""The JSON of the machines of a team, as models; what they share with others is in `json_models.py`."""

from __future__ import annotations

from pydantic import Field

from rcs_hooks.dashboard.json_models import JsonModel, Timestamp


class MachineProjectJson(JsonModel):
    project: str = Field(description="its address: //MACHINE/NAME")
    name: str
    texts: bool = Field(description="whether titles, reasons and ids as written have left the machine")


class MachineJson(JsonModel):
    name: str
    person: str
    program: str
    seen_at: Timestamp | None = Field(description="when it was heard of last, by the clock of the database")
    is_silent: bool = Field(description="it was not heard of for long: what is shown of it is as of then")
    clock_ms: int = Field(description="how far its clock is ahead of that of the database")
    projects: list[MachineProjectJson]


class MachinesJson(JsonModel):
    machines: list[MachineJson] = Field(description="the one that was heard of last first")
