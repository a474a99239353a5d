"""The JSON of the messages over the WebSocket, as models."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from rcs_hooks.dashboard.json_models import JsonModel
from rcs_hooks.dashboard.json_runs import EventJson, RunJson


class HelloJson(JsonModel):
    type: Literal["hello"]
    seq: int
    state: str


class NewEventsJson(JsonModel):
    type: Literal["events"]
    seq: int = Field(description="of the last one")
    events: list[EventJson]
    runs: list[RunJson]


class RunsChangedJson(JsonModel):
    type: Literal["runs"]


class StateChangedJson(JsonModel):
    type: Literal["state"]
    state: str
    roots: list[str]


class ResetJson(JsonModel):
    type: Literal["reset"]
    seq: int


MessageJson = Annotated[
    HelloJson | NewEventsJson | RunsChangedJson | StateChangedJson | ResetJson, Field(discriminator="type")
]
