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

# Name, text, path, value, whole text after it.
PUT: list[tuple[str, str, jsonedit.Path, object, str]] = [
    ("two blanks", '{\n  "a": 1\n}\n', ("b",), [2], '{\n  "a": 1,\n  "b": [\n    2\n  ]\n}\n'),
    ("four blanks", '{\n    "a": 1\n}', ("b",), {"c": 2}, '{\n    "a": 1,\n    "b": {\n        "c": 2\n    }\n}'),
    ("tabs", '{\n\t"a": 1\n}\n', ("b", "c"), 2, '{\n\t"a": 1,\n\t"b": {\n\t\t"c": 2\n\t}\n}\n'),
    ("one line", '{"a": 1, "b": 2}', ("c",), {"d": [3]}, '{"a": 1, "b": 2, "c": {"d": [3]}}'),
    ("one member on one line", '{ "a": 1 }', ("b",), 2, '{ "a": 1, "b": 2 }'),
    ("minified", '{"a":1,"b":2}', ("c",), 3, '{"a":1,"b":2,"c": 3}'),
    ("CRLF", '{\r\n  "a": 1\r\n}\r\n', ("b",), [2], '{\r\n  "a": 1,\r\n  "b": [\r\n    2\r\n  ]\r\n}\r\n'),
    ("BOM", '\ufeff{\n  "a": 1\n}', ("b",), 2, '\ufeff{\n  "a": 1,\n  "b": 2\n}'),
    ("empty object", "{}", ("a",), 1, '{\n  "a": 1\n}'),
    (
        "empty object of the file's own indentation",
        '{\n   "x": {}\n}',
        ("x", "a"),
        1,
        '{\n   "x": {\n      "a": 1\n   }\n}',
    ),
    ("empty list", '{\n  "a": []\n}\n', ("a", 0), 1, '{\n  "a": [\n    1\n  ]\n}\n'),
    (
        "an object in an empty list",
        '{\n  "a": []\n}\n',
        ("a", 0),
        {"b": 1},
        '{\n  "a": [\n    {\n      "b": 1\n    }\n  ]\n}\n',
    ),
    (
        "list on one line in a file of many",
        '{\n  "a": [1, 2]\n}\n',
        ("a", 2),
        {"b": 3},
        '{\n  "a": [1, 2, {"b": 3}]\n}\n',
    ),
    ("list of many lines", "[\n  1,\n  2\n]", (2,), 3, "[\n  1,\n  2,\n  3\n]"),
    (
        "missing containers",
        '{\n  "a": 1\n}\n',
        ("hooks", "Stop", 0),
        "x",
        '{\n  "a": 1,\n  "hooks": {\n    "Stop": [\n      "x"\n    ]\n  }\n}\n',
    ),
    ("in place", '{\n  "a": {"b": 1},\n  "c": 2\n}\n', ("a", "b"), "x", '{\n  "a": {"b": "x"},\n  "c": 2\n}\n'),
    ("in place in a list", "[1, 2, 3]", (1,), "x", '[1, "x", 3]'),
    ("the whole", " 1 \n", (), 2, " 2 \n"),
    ("letters", '{"ü": "\\u00fc"}', ("日",), "é", '{"ü": "\\u00fc", "日": "é"}'),
    ("a key that is escaped", '{"\\u0061": 1}', ("a",), 2, '{"\\u0061": 2}'),
    ("escapes of others", '{"a": "\\/\\ud83d\\ude00\\n"}', ("b",), '"', '{"a": "\\/\\ud83d\\ude00\\n", "b": "\\""}'),
    (
        "numbers of others",
        '{"a": 1.0, "b": 1e5, "c": 123456789012345678901234567890, "d": -0.10}',
        ("e",),
        0,
        '{"a": 1.0, "b": 1e5, "c": 123456789012345678901234567890, "d": -0.10, "e": 0}',
    ),
    ("comma first", '{ "a": 1\n, "b": 2\n}', ("c",), 3, '{ "a": 1\n, "b": 2, "c": 3\n}'),
    ("a line break of another kind in a string", '{"a": "x\u2028   y"}', ("b",), {}, '{"a": "x\u2028   y", "b": {}}'),
    ("no newline at the end", '{\n  "a": 1\n}', ("a",), 2, '{\n  "a": 2\n}'),
]

TAKE: list[tuple[str, str, jsonedit.Path, str]] = [
    ("the first", '{\n  "a": 1,\n  "b": 2\n}\n', ("a",), '{\n  "b": 2\n}\n'),
    ("between", '{"a":1,"b":2,"c":3}', ("b",), '{"a":1,"c":3}'),
    ("the last", '{\r\n\t"a": 1,\r\n\t"b": 2\r\n}', ("b",), '{\r\n\t"a": 1\r\n}'),
    ("the only one", '{\n  "a": [ 1 ]\n}', ("a", 0), '{\n  "a": []\n}'),
    ("the only member", '\ufeff{\n  "a": 1\n}\n', ("a",), "\ufeff{}\n"),
    ("of a list", '[1.0, {"x": 1e5}, "\\u00fc"]', (1,), '[1.0, "\\u00fc"]'),
    ("deep", '{"a": {"b": [1, {"c": 2, "d": 3}]}}', ("a", "b", 1, "d"), '{"a": {"b": [1, {"c": 2}]}}'),
    ("blanks within", "[ 1 , 2 , 3 ]", (2,), "[ 1 , 2 ]"),
]

# Name, text, path, value, whole text after it; `take` gives the first text back.
WITH_COMMENTS: list[tuple[str, str, jsonedit.Path, object, str]] = [
    (
        "a remark on the last member stays beside it",
        '{\n  "a": 1 // one\n}\n',
        ("b",),
        2,
        '{\n  "a": 1, // one\n  "b": 2\n}\n',
    ),
    (
        "CRLF",
        '{\r\n  // mine\r\n  "a": 1 /* one */ // more\r\n}\r\n',
        ("b",),
        2,
        '{\r\n  // mine\r\n  "a": 1, /* one */ // more\r\n  "b": 2\r\n}\r\n',
    ),
    (
        "lines below the last member stay below",
        '{\n  "a": 1\n  // "b": 2\n  /* two\n     lines */\n}',
        ("b",),
        2,
        '{\n  "a": 1,\n  "b": 2\n  // "b": 2\n  /* two\n     lines */\n}',
    ),
    ("nothing but a comment", "{\n  // mine\n}\n", ("a",), 1, '{\n  // mine\n  "a": 1\n}\n'),
    ("a comment on one line", "{ /* mine */ }", ("a",), 1, '{ /* mine */\n  "a": 1 }'),
    ("comments around it all", "// x {\n\ufeff{}".replace("\ufeff", ""), ("a",), 1, '// x {\n{\n  "a": 1\n}'),
    ("a link is no comment", '{"a": "http://x/*"}', ("b",), "//", '{"a": "http://x/*", "b": "//"}'),
    ("a quote in a comment", '{"a": 1 /* "b": */}', ("c",), 2, '{ "a": 1, "c": 2 /* "b": */}'.replace("{ ", "{")),
    (
        "an indented comment has no say",
        '/*\n * x\n */\n{\n\t"a": 1\n}',
        ("b",),
        [],
        '/*\n * x\n */\n{\n\t"a": 1,\n\t"b": []\n}',
    ),
    ("a comment before the only member", '{\n  // a\n  "a": 1\n}', ("b",), 2, '{\n  // a\n  "a": 1,\n  "b": 2\n}'),
    (
        "a blank behind a comma",
        '{\n"a" : 1 , \n"b" : 2// two\n}',
        ("c",),
        3,
        '{\n"a" : 1 , \n"b" : 2,// two\n"c": 3\n}',
    ),
    ("a comment behind the comma", "[\n  1, // one\n  2  // two\n]", (2,), 3, "[\n  1, // one\n  2,  // two\n  3\n]"),
]

# Name, text, path, whole text without it.
TAKE_WITH_COMMENTS: list[tuple[str, str, jsonedit.Path, str]] = [
    ("the first", '{\n  "a": 1, // a\n  // b\n  "b": 2\n}', ("a",), '{\n  // a\n  // b\n  "b": 2\n}'),
    ("between", '{\n  "a": 1, // a\n  "b": 2,\n  "c": 3\n}', ("b",), '{\n  "a": 1, // a\n  "c": 3\n}'),
    ("the last, after a line of the person's", "[\n  1,\n  // mine\n  2\n]", (1,), "[\n  1\n  // mine\n]"),
    ("the last, with the end on its line", "[1, // one\n 2]", (1,), "[1 // one\n]"),
    ("the last, between two comments", "[1// one\n , 2// two\n]", (1,), "[1// one\n// two\n]"),
    ("the only one, with the end on its line", '{ // a\n "a": 1}', ("a",), "{ // a\n}"),
    ("the only one before a comment", '{"a": 1 /* a */}', ("a",), "{ /* a */}"),
    ("one whose value has comments", '{"a": {"x": 1 // x\n}, "b": 2}', ("a",), '{"b": 2}'),
]

REFUSED = [
    ("nothing", "", "it ends too early (line 1 column 1)"),
    ("blanks", " \n ", "it ends too early (line 2 column 2)"),
    ("cut in an object", '{"a": 1', "it ends too early (line 1 column 8)"),
    ("cut after a key", '{\n"a"', "it ends too early (line 2 column 4)"),
    ("cut after a colon", '{"a":', "it ends too early (line 1 column 6)"),
    ("cut in a list", "[1,", "it ends too early (line 1 column 4)"),
    ("cut in a string", '["a', "unterminated string starting at (line 1 column 2)"),
    ("cut in a key", '{"a', "unterminated string starting at (line 1 column 2)"),
    ("cut in a word", "tru", "expecting value (line 1 column 1)"),
    ("more after it", "{}\n{}", "there is more after its end (line 2 column 1)"),
    ("a key twice", '{"a": 1,\n "b": 2, "a": 3}', "the key 'a' is there twice (line 2 column 10)"),
    ("a key twice, written otherwise", '{"a": 1, "\\u0061": 3}', "the key 'a' is there twice (line 1 column 10)"),
    ("comment before", "// mine\n{}", "expecting value (line 1 column 1)"),
    ("comment in an object", '{ // mine\n "a": 1}', "expected a key in double quotes (line 1 column 3)"),
    ("comment behind a value", '{"a": 1 /* mine */}', "expected , or } (line 1 column 9)"),
    ("comma too many in an object", '{"a": 1,}', "expected a key in double quotes (line 1 column 9)"),
    ("comma too many in a list", "[1,]", "expecting value (line 1 column 4)"),
    ("no comma", "[1 2]", "expected , or ] (line 1 column 4)"),
    ("no colon", '{"a" 1}', "expected : (line 1 column 6)"),
    ("single quotes", "{'a': 1}", "expected a key in double quotes (line 1 column 2)"),
    ("NaN", '{"a": NaN}', "NaN is not JSON (line 1 column 7)"),
    ("infinity", "[-Infinity]", "-Infinity is not JSON (line 1 column 2)"),
    ("a zero in front", "[01]", "expected , or ] (line 1 column 3)"),
    ("a line break in a string", '["a\nb"]', "invalid control character at (line 1 column 4)"),
    ("an escape that is none", '["\\x"]', "invalid \\escape (line 1 column 3)"),
    ("too deep", "[" * 102 + "]" * 102, "it is nested too deep (line 1 column 102)"),
    ("far too deep", '{"a":' * 100_000, "it is nested too deep (line 1 column 506)"),
]


@each_row(("text", "path", "value", "expected"), [row[1:] for row in PUT], ids=[row[0] for row in PUT])
def test_put(text: str, path: jsonedit.Path, value: object, expected: str) -> None:
    assert jsonedit.put(text, path, value) == expected


@each_row(("text", "path", "expected"), [row[1:] for row in TAKE], ids=[row[0] for row in TAKE])
def test_take(text: str, path: jsonedit.Path, expected: str) -> None:
    assert jsonedit.take(text, path) == expected


@each_row(("text", "message"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_is_no_json_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(ValueError) as error:
        jsontree.parse_strict(text)
    assert str(error.value) == message


@each_row(
    ("text", "path", "value", "expected"), [row[1:] for row in WITH_COMMENTS], ids=[row[0] for row in WITH_COMMENTS]
)
def test_put_keeps_comments_and_take_undoes_it(text: str, path: jsonedit.Path, value: object, expected: str) -> None:
    assert jsonedit.put(text, path, value) == expected
    assert jsonedit.take(expected, path) == text


@each_row(
    ("text", "path", "expected"), [row[1:] for row in TAKE_WITH_COMMENTS], ids=[row[0] for row in TAKE_WITH_COMMENTS]
)
def test_take_keeps_comments(text: str, path: jsonedit.Path, expected: str) -> None:
    assert jsonedit.take(text, path) == expected


@each_row(
    ("text", "message"),
    [
        ('{"a": 1,} // x', "expected a key in double quotes (line 1 column 9)"),
        ("[1, /* x */]", "expecting value (line 1 column 12)"),
        ('{"a": 1 /* x', "expected , or } (line 1 column 9)"),
        ("{} / x", "there is more after its end (line 1 column 4)"),
        ("// {}", "it ends too early (line 1 column 6)"),
        ('{"a": "x // y\n}', "invalid control character at (line 1 column 14)"),
    ],
)
def test_what_no_client_reads_is_refused_with_comments_too(text: str, message: str) -> None:
    with pytest.raises(ValueError) as error:
        jsontree.parse(text)
    assert str(error.value) == message


def test_a_hundred_levels_are_read() -> None:
    text = "[" * 101 + "]" * 101
    assert jsontree.parse(text).value == json.loads(text)


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


@pytest.mark.slow
def test_thousands_of_keys_take_no_time_that_grows_with_their_square() -> None:
    many = json.dumps({f"key {number}": number for number in range(50_000)})
    assert jsontree.parse(many).value["key 49999"] == 49_999


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


@examples(300)
@given(st.data())
def test_take_keeps_every_comment_that_is_not_within_the_value(data: st.DataObject) -> None:
    text = data.draw(commented())
    plain = jsontree.without_comments(text)
    before = json.loads(plain)
    path = data.draw(paths(plain))
    if not is_there(before, path):
        return
    node = jsontree.parse(text)
    for key in path:
        member = next(member for member in node.members if member.key == key)
        node = member.node
    after = jsonedit.take(text, path)
    assert json.loads(jsontree.without_comments(after)) == without(before, path)
    assert comments_in(after) == comments_in(text[: member.start]) + comments_in(text[node.end :])


def comments_in(text: str) -> list[str]:
    found = re.findall(r'"(?:[^"\\]|\\.)*"|//[^\r\n]*|/\*[^*]*(?:\*[^/][^*]*)*\*/', text)
    return [each for each in found if not each.startswith('"')]


def is_there(value: Any, path: jsonedit.Path) -> bool:
    try:
        at(value, path)
    except (KeyError, IndexError):
        return False
    return True


def without(value: Any, path: jsonedit.Path) -> Any:
    del at(value, path[:-1])[path[-1]]
    return value


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
