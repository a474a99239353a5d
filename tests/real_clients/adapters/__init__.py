"""The clients that the harness can drive: a module each, and a row here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.real_clients.adapters.claude import Claude
from tests.real_clients.adapters.codex import Codex
from tests.real_clients.adapters.copilot import Copilot
from tests.real_clients.adapters.gemini import Gemini
from tests.real_clients.adapters.qwen import Qwen

if TYPE_CHECKING:
    from tests.real_clients.adapters.adapter import Adapter

ADAPTERS: dict[str, Adapter] = {adapter.name: adapter for adapter in (Codex(), Claude(), Copilot(), Qwen(), Gemini())}
