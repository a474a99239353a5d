"""JSON to and from text, for the hot path.

The package `json` imports `re`, which is 5 of the 12.7 ms that `python -c "import json"` takes, and
a hook mostly has nothing to say. So the C scanner and encoder that `json` itself uses are asked directly, and
`json` only where the scanner finds fault or they are not there.
"""

try:
    from _json import encode_basestring, encode_basestring_ascii, make_encoder, make_scanner
except ImportError:  # pragma: no cover - an interpreter other than CPython
    make_encoder = make_scanner = None  # type: ignore[assignment,misc]  # asked for before each use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

JsonObject = dict[str, object]
"""A JSON object as it was read: nothing is known of its values."""
BOM = b"\xef\xbb\xbf"
BLANKS = " \t\n\r"
WORDS = {None: "null", True: "true", False: "false"}


def _finite(text: str) -> float:
    """Read a number. Raises ValueError for one like 1e999, which would become infinity, and JSON has no infinity."""
    number = float(text)
    if number - number != 0.0:
        raise ValueError(f"{text[:20]} is too large a number")
    return number


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _writable_integer(text: str) -> int:
    """Read an integer. Raises ValueError for one with more digits than Python reads, some thousand."""
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"a number of {len(text):,} digits is too large") from None


def _integer(text: str) -> float:
    """Read an integer that is not written back; one that is too large for Python becomes infinity."""
    try:
        return int(text)
    except ValueError:
        return float(text)


class _Strict:
    """The settings of the scanner, by its own names; NaN and Infinity are refused, for we could not write them back."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = staticmethod(_no_constant)
    memo: dict[str, str] = {}  # noqa: RUF012 - the scanner's own protocol


class _Writable(_Strict):
    """The settings of the scanner for a value that is to be written back: no number may become infinity."""

    parse_float = staticmethod(_finite)  # type: ignore[assignment]  # `float` above is a class


if make_scanner is not None:
    _scan = make_scanner(_Strict)  # type: ignore[arg-type]  # typeshed wants a JSONDecoder
    _scan_writable = make_scanner(_Writable)  # type: ignore[arg-type]  # as above


def loads(text: str, *, writable: bool = False) -> "Any":
    """Return the one JSON value of a text. Raises ValueError if the text is anything else.

    `writable`: raise ValueError also for a number that could not be written back as JSON.
    """
    rules = _Writable if writable else _Strict
    if make_scanner is not None:
        start = len(text) - len(text.lstrip(BLANKS))
        try:
            value, end = (_scan_writable if writable else _scan)(text, start)
            if not text[end:].strip(BLANKS):
                return value
        except (StopIteration, ValueError, RecursionError, SystemError):
            # SystemError: the scanner takes its error class from json.decoder, which may not be loaded.
            pass
    import json  # it words what is wrong with the text

    try:
        return json.loads(
            text,
            parse_float=rules.parse_float,
            parse_int=_writable_integer if writable else _integer,
            parse_constant=_no_constant,
        )
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def dumps_line(value: object) -> str:
    """Return a value as JSON on one line, in ASCII only, so that no client can misread it."""
    if make_encoder is not None:
        return _written(value, encode_basestring_ascii, allow_nan=True)
    import json

    return json.dumps(value, separators=(",", ":"))


def dumps_file(value: object) -> str:
    """Return a value as the JSON of a state file: indented by two, with a newline at the end.

    Letters beyond ASCII are not escaped, unless UTF-8 cannot hold the text.
    """
    text = _dumps_file(value, ascii_only=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair: only the escaped form can hold it
        return _dumps_file(value, ascii_only=True)
    return text


def _dumps_file(value: object, *, ascii_only: bool) -> str:
    if make_encoder is not None:
        return _indented(value, encode_basestring_ascii if ascii_only else encode_basestring, "\n") + "\n"
    import json

    return json.dumps(value, indent=2, ensure_ascii=ascii_only, allow_nan=False) + "\n"


def _indented(value: object, quoted: "Callable[[str], str]", margin: str) -> str:
    """Return a value as JSON, as `json.dumps` does with `indent=2`, which is Python and not C there too.

    `quoted`: puts a string into quotes. `margin`: the line end and the blanks before `value`.
    """
    if type(value) is str:
        return quoted(value)
    inner = f"{margin}  "
    if isinstance(value, dict) and value:
        pairs = [f"{_key(key, quoted)}: {_indented(each, quoted, inner)}" for key, each in value.items()]
        return "{" + inner + f",{inner}".join(pairs) + margin + "}"
    if isinstance(value, list | tuple) and value:
        return "[" + inner + f",{inner}".join([_indented(each, quoted, inner) for each in value]) + margin + "]"
    return _scalar(value, quoted)


def _key(key: object, quoted: "Callable[[str], str]") -> str:
    """Return a key as JSON; a key that is not text, such as a number, becomes text."""
    return quoted(key if isinstance(key, str) else _scalar(key, quoted))


def _scalar(value: object, quoted: "Callable[[str], str]") -> str:
    """Return a value that is no filled dict or list as JSON; for most, no encoder need be made."""
    if type(value) is int:
        return repr(value)
    if value is None or value is True or value is False:
        return WORDS[value]
    return _written(value, quoted, allow_nan=False)


def _written(value: object, quoted: "Callable[[str], str]", *, allow_nan: bool) -> str:
    encode = make_encoder(None, _refuse, quoted, None, ":", ",", False, False, allow_nan)
    return "".join(encode(value, 0))


def _refuse(value: object) -> "Any":
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


def dumps_shown(value: object) -> str:
    """Return a value as JSON for a person: indented, with every unprintable character escaped, beyond ASCII too."""
    shown = dumps_file(value).rstrip("\n")
    return "".join(char if char.isprintable() or char == "\n" else f"\\u{ord(char):04x}" for char in shown)
