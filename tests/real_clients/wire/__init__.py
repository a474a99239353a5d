"""The forms in which the clients speak to a model: which request is which, and what an answer looks like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.real_clients.wire.chat import Chat
from tests.real_clients.wire.form import Answer, Form
from tests.real_clients.wire.gemini import Gemini
from tests.real_clients.wire.messages import Messages
from tests.real_clients.wire.responses import Responses

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["FORMS", "Answer", "Form", "form_of"]

FORMS: Sequence[Form] = (Responses(), Messages(), Chat(), Gemini())


def form_of(path: str) -> Form | None:
    """Find the form whose requests go to this path; None for a list of models, say."""
    return next((form for form in FORMS if form.answers(path.partition("?")[0])), None)
