"""NamedTuple without `typing` and `collections` behaves as theirs does."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from rcs_hooks.tuples import NamedTuple


class Pair(NamedTuple):
    """Two of them."""

    first: str
    second: int = 2
    """Said of a field."""

    @property
    def shown(self) -> str:
        return f"{self.first}{self.second}"


def test_it_is_made_and_compared_as_a_tuple() -> None:
    pair = Pair("a")
    assert pair == ("a", 2) == Pair(first="a", second=2)
    assert pair._replace(second=3).shown == "a3"
    assert (pair._asdict(), Pair._fields) == ({"first": "a", "second": 2}, ("first", "second"))
    assert (repr(pair), Pair.__doc__, Pair.__module__) == ("Pair(first='a', second=2)", "Two of them.", __name__)


def test_it_is_made_of_a_row() -> None:
    assert Pair._make(["a", 3]) == Pair("a", 3)


def test_it_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Pair("a").first = "b"  # type: ignore[misc]  # what is tested
    with pytest.raises(AttributeError):
        Pair("a").third = "b"  # type: ignore[attr-defined]  # what is tested


def test_a_field_without_a_default_is_asked_for() -> None:
    with pytest.raises(TypeError, match="first"):
        Pair()  # type: ignore[call-arg]  # what is tested


@pytest.mark.parametrize(
    ("values", "named", "why"),
    [(("a", 2, 3), {}, "takes first, second"), (("a",), {"first": "b"}, "takes"), (("a",), {"third": 3}, "takes")],
    ids=["too many", "one twice", "one that is not there"],
)
def test_a_value_without_a_field_is_refused(values: tuple[Any, ...], named: dict[str, Any], why: str) -> None:
    with pytest.raises(TypeError, match=why):
        Pair(*values, **named)


def test_no_field_is_replaced_that_is_not_there() -> None:
    with pytest.raises(TypeError, match="takes first, second"):
        Pair("a")._replace(third=3)  # type: ignore[call-arg]  # what is tested


def test_it_can_be_copied_pickled_and_matched() -> None:
    pair = Pair("a", 3)
    assert copy.deepcopy(pair) == pickle.loads(pickle.dumps(pair)) == pair
    match pair:
        case Pair(first, second):
            assert (first, second) == ("a", 3)
