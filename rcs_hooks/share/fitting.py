"""Makes JSON that another machine has written fit a shape. Pure.

Rules of this file:
- What does not fit the shape is passed over. Keys that are not known are dropped, so that a newer writer keeps
  nobody from reading.
- Texts are bounded and without control characters, and moments are moments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from pydantic import ValidationError

from rcs_hooks.overview.records import moment
from rcs_hooks.share.shapes import Shape
from rcs_hooks.text import cut

if TYPE_CHECKING:
    from rcs_hooks.jsontext import JsonObject

DEEPEST, MOST_VALUES, LONGEST_TEXT = 6, 200, 4_000
LARGEST = 2**53


def fitted(model: type[Shape], record: JsonObject) -> JsonObject | None:
    """Return the part of a record that a shape knows, cleaned; None if that is not what it wants."""
    try:
        return model.model_validate(_known(model, cleaned(record))).model_dump()
    except (ValidationError, RecursionError):
        return None


def _known(model: type[Shape], value: object) -> object:
    if not isinstance(value, dict):
        return value
    return {name: _nested(field.annotation, value[name]) for name, field in model.model_fields.items() if name in value}


def _nested(annotation: object, value: object) -> object:
    """Return a value of a field without the keys that the models in its annotation do not know."""
    model = _model_in(annotation)
    if model is None:
        return "" if annotation is str and value is None else value  # a moment that is none, where a text is wanted
    return [_known(model, each) for each in value] if isinstance(value, list) else _known(model, value)


def _model_in(annotation: object) -> type[Shape] | None:
    if isinstance(annotation, type) and issubclass(annotation, Shape):
        return annotation
    return next((found for each in get_args(annotation) if (found := _model_in(each))), None)


def cleaned(value: object, deep: int = DEEPEST) -> object:
    """Return JSON with its texts cleaned and bounded, moments that are none as None, and nothing deeper than `deep`."""
    if isinstance(value, str):
        return cut("".join(char if char.isprintable() or char in "\n\t" else " " for char in value), LONGEST_TEXT)
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value if abs(value) < LARGEST else None
    if isinstance(value, float):
        return value if abs(value) < LARGEST else None
    if deep and isinstance(value, dict):
        pairs = list(value.items())[:MOST_VALUES]
        return {name: moment(each) if _is_moment(name, each) else cleaned(each, deep - 1) for name, each in pairs}
    if deep and isinstance(value, list):
        return [cleaned(each, deep - 1) for each in value[:MOST_VALUES]]
    return None


def _is_moment(name: str, value: object) -> bool:
    return isinstance(value, str) and (name in ("at", "since") or name.endswith("_at"))
