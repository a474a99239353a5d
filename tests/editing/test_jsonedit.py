"""A value is changed in a JSON text and every other byte stays."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks.editing import jsonedit, jsontree
from rcs_hooks.errors import Refused
from tests.properties import examples
from tests.support import least, processor
from tests.table import each_row

# Text, path, value, whole text after it.
PUT: list[tuple[str, jsonedit.Path, object, str]] = [
    ('{\n    "a": 1\n}', ("b",), {"c": 2}, '{\n    "a": 1,\n    "b": {\n        "c": 2\n    }\n}'),
    ('{\n\t"a": 1\n}\n', ("b", "c"), 2, '{\n\t"a": 1,\n\t"b": {\n\t\t"c": 2\n\t}\n}\n'),
    ('{"a": 1, "b": 2}', ("c",), {"d": [3]}, '{"a": 1, "b": 2, "c": {"d": [3]}}'),
    ('{ "a": 1 }', ("b",), 2, '{ "a": 1, "b": 2 }'),
    ('{"a":1,"b":2}', ("c",), 3, '{"a":1,"b":2,"c": 3}'),
    ('{\r\n  "a": 1\r\n}\r\n', ("b",), [2], '{\r\n  "a": 1,\r\n  "b": [\r\n    2\r\n  ]\r\n}\r\n'),
    ('\ufeff{\n  "a": 1\n}', ("b",), 2, '\ufeff{\n  "a": 1,\n  "b": 2\n}'),
    ("{}", ("a",), 1, '{\n  "a": 1\n}'),
    ('{\n   "x": {}\n}', ("x", "a"), 1, '{\n   "x": {\n      "a": 1\n   }\n}'),
    ('{\n  "a": []\n}\n', ("a", 0), {"b": 1}, '{\n  "a": [\n    {\n      "b": 1\n    }\n  ]\n}\n'),
    ('{\n  "a": [1, 2]\n}\n', ("a", 2), {"b": 3}, '{\n  "a": [1, 2, {"b": 3}]\n}\n'),
    ('{\n  "a": 1\n}\n', ("hooks", "Stop", 0), "x",
     '{\n  "a": 1,\n  "hooks": {\n    "Stop": [\n      "x"\n    ]\n  }\n}\n'),
    ("[1, 2, 3]", (1,), "x", '[1, "x", 3]'),
    (" 1 \n", (), 2, " 2 \n"),
    ('{"\\u0061": 1}', ("a",), 2, '{"\\u0061": 2}'),
    ('{"a": "\\/\\ud83d\\ude00\\n"}', ("b",), '"', '{"a": "\\/\\ud83d\\ude00\\n", "b": "\\""}'),
    ('{"a": 1.0, "b": 1e5, "d": -0.10}', ("e",), 0, '{"a": 1.0, "b": 1e5, "d": -0.10, "e": 0}'),
    ('{ "a": 1\n, "b": 2\n}', ("c",), 3, '{ "a": 1\n, "b": 2, "c": 3\n}'),
]  # fmt: skip

# Text, path, whole text without it.
TAKE: list[tuple[str, jsonedit.Path, str]] = [
    ('{\n  "a": 1,\n  "b": 2\n}\n', ("a",), '{\n  "b": 2\n}\n'),
    ('{"a":1,"b":2,"c":3}', ("b",), '{"a":1,"c":3}'),
    ('{\r\n\t"a": 1,\r\n\t"b": 2\r\n}', ("b",), '{\r\n\t"a": 1\r\n}'),
    ('{\n  "a": [ 1 ]\n}', ("a", 0), '{\n  "a": []\n}'),
    ('\ufeff{\n  "a": 1\n}\n', ("a",), "\ufeff{}\n"),
    ('{"a": {"b": [1, {"c": 2, "d": 3}]}}', ("a", "b", 1, "d"), '{"a": {"b": [1, {"c": 2}]}}'),
]

# Text, path, value, whole text after it; `take` gives the first text back.
WITH_COMMENTS: list[tuple[str, jsonedit.Path, object, str]] = [
    ('{\n  "a": 1 // one\n}\n', ("b",), 2, '{\n  "a": 1, // one\n  "b": 2\n}\n'),
    ('{\r\n  // x\r\n  "a": 1 /* one */ // more\r\n}\r\n', ("b",), 2,
     '{\r\n  // x\r\n  "a": 1, /* one */ // more\r\n  "b": 2\r\n}\r\n'),
    ('{\n  "a": 1\n  // "b": 2\n  /* two */\n}', ("b",), 2, '{\n  "a": 1,\n  "b": 2\n  // "b": 2\n  /* two */\n}'),
    ("{\n  // mine\n}\n", ("a",), 1, '{\n  // mine\n  "a": 1\n}\n'),
    ("{ /* mine */ }", ("a",), 1, '{ /* mine */\n  "a": 1 }'),
    ('{"a": "http://x/*"}', ("b",), "//", '{"a": "http://x/*", "b": "//"}'),
    ("[\n  1, // one\n  2  // two\n]", (2,), 3, "[\n  1, // one\n  2,  // two\n  3\n]"),
]  # fmt: skip

REFUSED = [
    ("blanks", " \n ", "it ends too early (line 2 column 2)"),
    ("cut after a key", '{\n"a"', "it ends too early (line 2 column 4)"),
    ("cut in a string", '["a', "unterminated string starting at (line 1 column 2)"),
    ("cut in a word", "tru", "expecting value (line 1 column 1)"),
    ("more after it", "{}\n{}", "there is more after its end (line 2 column 1)"),
    ("a key twice", '{"a": 1,\n "b": 2, "a": 3}', "the key 'a' is there twice (line 2 column 10)"),
    ("a key twice, written otherwise", '{"a": 1, "\\u0061": 3}', "the key 'a' is there twice (line 1 column 10)"),
    ("comment before", "// mine\n{}", "expecting value (line 1 column 1)"),
    ("comment in an object", '{ // mine\n "a": 1}', "expected a key in double quotes (line 1 column 3)"),
    ("comment behind a value", '{"a": 1 /* mine */}', "expected , or } (line 1 column 9)"),
    ("comma too many in an object", '{"a": 1,}', "expected a key in double quotes (line 1 column 9)"),
    ("no colon", '{"a" 1}', "expected : (line 1 column 6)"),
    ("no comma", "[1 2]", "expected , or ] (line 1 column 4)"),
    ("single quotes", "{'a': 1}", "expected a key in double quotes (line 1 column 2)"),
    ("NaN", '{"a": NaN}', "NaN is not JSON (line 1 column 7)"),
    ("a line break in a string", '["a\nb"]', "invalid control character at (line 1 column 4)"),
    ("an escape that is none", '["\\x"]', "invalid \\escape (line 1 column 3)"),
    ("too deep", "[" * 102 + "]" * 102, "it is nested too deep (line 1 column 102)"),
]


@each_row(("text", "path", "value", "expected"), PUT)
def test_put(text: str, path: jsonedit.Path, value: object, expected: str) -> None:
    assert jsonedit.put(text, path, value) == expected


@each_row(("text", "path", "expected"), TAKE)
def test_take(text: str, path: jsonedit.Path, expected: str) -> None:
    assert jsonedit.take(text, path) == expected


@each_row(("text", "message"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_is_no_json_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(ValueError) as error:
        jsontree.parse_strict(text)
    assert str(error.value) == message


@each_row(("text", "path", "value", "expected"), WITH_COMMENTS)
def test_put_keeps_comments_and_take_undoes_it(text: str, path: jsonedit.Path, value: object, expected: str) -> None:
    assert jsonedit.put(text, path, value) == expected
    assert jsonedit.take(expected, path) == text


@each_row(
    ("text", "path", "message"),
    [
        ("[]", ("a",), "the file is not an object"),
        ("{}", (0,), "the file is not a list"),
        ('{"hooks": []}', ("hooks", "Stop", 0), "hooks is not an object"),
        ('{"hooks": {"Stop": null}}', ("hooks", "Stop", 0), "hooks.Stop is not a list"),
        ('{"a": [{"b": "x"}]}', ("a", 0, "b", "c"), "a.0.b is not an object"),
    ],
)
def test_what_is_no_container_is_not_replaced(text: str, path: jsonedit.Path, message: str) -> None:
    with pytest.raises(Refused) as error:
        jsonedit.put(text, path, 1)
    assert str(error.value) == message


@pytest.mark.parametrize("path", [("b",), ("a", 2)])
def test_what_is_not_there_cannot_be_taken(path: jsonedit.Path) -> None:
    with pytest.raises(KeyError):
        jsonedit.take('{"a": [1]}', path)


def test_many_members_are_taken_as_one_after_the_other_from_the_last_on() -> None:
    text = "[1, // one\n 2, /* two */ 3,\n 4 // four\n, 5, 6]"
    for count in range(1, 7):
        for gone in combinations(range(6), count):
            each = text
            for number in reversed(gone):
                each = jsonedit.take(each, (number,))
            assert jsonedit.take_members(text, (), gone) == each


def test_changing_one_key_does_not_look_at_the_items_of_another() -> None:
    seconds = least(lambda: processor(lambda: changed(100_000)), 1)
    assert seconds < 1, f"ten changes beside 100,000 items took {seconds:.2f} s"


def changed(items: int) -> None:
    text = json.dumps({"x": list(range(items)), "hooks": {}})
    for number in range(10):
        text = jsonedit.put(text, ("hooks", str(number)), [])


# --- any settings, any layout

keys = st.sampled_from(["a", "b", "hooks", "ü", 'say "x"', ""])
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)
layouts: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"indent": st.sampled_from([None, 0, 1, 2, 4, "\t"]), "ensure_ascii": st.booleans()},
    optional={"separators": st.sampled_from([(",", ":"), (" , ", " : ")])},
)
ends = st.sampled_from(["", "\n", " \n\n"])


@st.composite
def texts(draw: st.DrawFn) -> str:
    text = json.dumps(draw(st.dictionaries(keys, values, max_size=4)), **draw(layouts)) + draw(ends)
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@st.composite
def paths(draw: st.DrawFn, text: str) -> jsonedit.Path:
    """Down into the value as far as wanted; then one that is there, or the next."""
    path: list[str | int] = []
    value = json.loads(text)
    while isinstance(value, dict | list):
        new: Any = draw(keys) if isinstance(value, dict) else draw(st.integers(0, len(value)))
        path.append(new)
        value = dict(enumerate(value)).get(new) if isinstance(value, list) else value.get(new)
        if draw(st.booleans()):
            break
    return tuple(path)


def at(value: Any, path: jsonedit.Path) -> Any:
    for key in path:
        value = value[key]
    return value


def with_value(value: Any, path: jsonedit.Path, new: object) -> Any:
    """The same by other means."""
    holder = at(value, path[:-1])
    if isinstance(holder, list) and path[-1] == len(holder):
        holder.append(new)
    else:
        holder[path[-1]] = new
    return value


@examples(150)
@given(st.data())
def test_put_changes_the_value_at_its_path_and_no_other(data: st.DataObject) -> None:
    text = data.draw(texts())
    path, value = data.draw(paths(text)), data.draw(values)
    after = jsonedit.put(text, path, value)
    assert json.loads(after) == with_value(json.loads(text), path, value) == jsontree.parse(after).value
    assert jsonedit.put(after, path, value) == after or isinstance(value, dict | list)


@examples(150)
@given(st.data())
def test_take_undoes_an_addition_to_the_byte(data: st.DataObject) -> None:
    text = data.draw(texts())
    path = data.draw(paths(text))
    before = json.loads(text)
    with suppress(KeyError, IndexError):
        at(before, path)
        return  # it is there: nothing is added
    after = jsonedit.take(jsonedit.put(text, path, data.draw(values)), path)
    assert json.loads(after) == before
    if at(before, path[:-1]):
        assert after == text


remarks = st.sampled_from(["// x, y: {\n", '/* x, "y */', "/* x\n  * y */", "//\n", "// http://x \n"])


@st.composite
def commented(draw: st.DrawFn) -> str:
    """A text with comments where blanks may be: before, behind and between all that it consists of."""
    text, newline = draw(texts()), draw(st.sampled_from(["\n", "\r\n"]))
    parts = re.findall(r'"(?:[^"\\]|\\.)*"|\s+|[{}\[\],:]|[^\s{}\[\],:"]+', text)
    wanted = draw(st.lists(st.integers(0, len(parts)), max_size=5))
    for place in sorted(wanted, reverse=True):
        parts.insert(place, draw(remarks).replace("\n", newline))
    return "".join(parts)


@examples(300)
@given(st.data())
def test_comments_are_kept_to_the_byte(data: st.DataObject) -> None:
    text = data.draw(commented())
    plain = jsontree.without_comments(text)
    before = json.loads(plain)
    path, value = data.draw(paths(plain)), data.draw(values)
    after = jsonedit.put(text, path, value)
    assert json.loads(jsontree.without_comments(after)) == with_value(json.loads(plain), path, value)
    with suppress(KeyError, IndexError):
        at(before, path)
        return  # it is there: it was replaced
    again = jsonedit.take(after, path)
    assert json.loads(jsontree.without_comments(again)) == before
    if at(before, path[:-1]):
        assert again == text


almost = st.text(alphabet='{}[]",:\\ \n\t\r0123456789.-+eEtrufalsn/*NI\ud800\u00a0ü', max_size=30)


@examples(500)
@given(almost | st.text(max_size=30) | texts().flatmap(lambda text: st.integers(0, len(text)).map(lambda n: text[:n])))
def test_any_text_is_read_as_others_read_it_or_refused(text: str) -> None:
    try:
        node = jsontree.parse_strict(text)
    except ValueError:
        with suppress(ValueError):
            json.loads(text, object_pairs_hook=once, parse_constant=no_number)
            pytest.fail(f"JSON that is refused: {text!r}")
        return
    assert node.value == json.loads(text.removeprefix("\ufeff"))


def no_number(name: str) -> None:
    raise ValueError(name)


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("twice")
    return dict(pairs)
