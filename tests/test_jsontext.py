"""JSON for the hot path is what the package `json` writes, without loading it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks import jsontext
from tests.properties import examples
from tests.table import each_row

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
    max_leaves=12,
)


@each_row(
    ("value", "line", "file"),
    [
        ({}, "{}", "{}\n"),
        ([], "[]", "[]\n"),
        (
            {"a": [1, {}], "b": "é\n"},
            '{"a":[1,{}],"b":"\\u00e9\\n"}',
            '{\n  "a": [\n    1,\n    {}\n  ],\n  "b": "é\\n"\n}\n',
        ),
        ({1: True, None: 1.5}, '{"1":true,"null":1.5}', '{\n  "1": true,\n  "null": 1.5\n}\n'),
        ({"half": "\ud83d"}, '{"half":"\\ud83d"}', '{\n  "half": "\\ud83d"\n}\n'),
    ],
    ids=["empty", "no entries", "nested", "keys of other types", "half of a surrogate pair"],
)
def test_what_is_written(value: Any, line: str, file: str) -> None:
    assert jsontext.dumps_line(value) == line
    assert jsontext.dumps_file(value) == file


@examples(100)
@given(VALUES)
def test_it_is_what_json_writes(value: Any) -> None:
    assert jsontext.dumps_line(value) == json.dumps(value, separators=(",", ":"))
    assert jsontext.dumps_file(value) == json.dumps(value, indent=2, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("value", [{"a": float("nan")}, [float("inf")]], ids=["NaN", "infinity"])
def test_a_number_that_is_no_json_is_not_kept(value: Any) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        jsontext.dumps_file(value)


def test_what_is_no_json_is_not_written() -> None:
    with pytest.raises(TypeError, match="set is not JSON serializable"):
        jsontext.dumps_line({"a": {1}})
