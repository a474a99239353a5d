"""JSON to and from text, for the hot path.

The package `json` imports `re`, which is 5 of the 12.7 ms that `python -c "import json"` takes, and
a hook mostly has nothing to say. So the C scanner that `json` itself uses is asked directly, and
`json` only where that finds fault or is not there.
"""

try:
    from _json import make_scanner
except ImportError:  # pragma: no cover - an interpreter other than CPython
    make_scanner = None  # type: ignore[assignment,misc]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

BOM = b"\xef\xbb\xbf"
BLANKS = " \t\n\r"


def _finite(text: str) -> float:
    """1e999 would be read as infinity, which is not JSON either."""
    number = float(text)
    if number - number != 0.0:
        raise ValueError(f"{text[:20]} is too large a number")
    return number


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _writable_integer(text: str) -> int:
    """Python reads no integer of more than some thousand digits."""
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"a number of {len(text):,} digits is too large") from None


def _integer(text: str) -> float:
    """For what is only read: infinity stands for an integer that is too large."""
    try:
        return int(text)
    except ValueError:
        return float(text)


class _Strict:
    """What the scanner wants to be told; NaN and Infinity are refused, for we could not write them back."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = staticmethod(_no_constant)
    memo: dict[str, str] = {}  # noqa: RUF012 - the scanner's own protocol


class _Writable(_Strict):
    """For what is to be written back: no number that would become infinity."""

    parse_float = staticmethod(_finite)  # type: ignore[assignment]


def loads(text: str, *, writable: bool = False) -> "Any":
    """Raises ValueError for anything that is not one JSON value; `writable`: that JSON can hold again."""
    rules = _Writable if writable else _Strict
    if make_scanner is not None:
        start = len(text) - len(text.lstrip(BLANKS))
        try:
            value, end = make_scanner(rules)(text, start)  # type: ignore[arg-type]
            if not text[end:].strip(BLANKS):
                return value
        except (StopIteration, ValueError, RecursionError, SystemError):
            # SystemError: the scanner takes its error class from json.decoder, which may not be loaded.
            pass
    import json  # for what is no JSON it has the words

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
    """One line, ASCII only: no client can trip over it."""
    if value == {}:
        return "{}"
    import json

    return json.dumps(value, separators=(",", ":"))


def dumps_file(value: object) -> str:
    """As a state file is kept: two spaces, a newline at the end, people's own letters where they can be."""
    import json

    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair: only the escaped form can hold it
        return json.dumps(value, indent=2, allow_nan=False) + "\n"
    return text


def dumps_shown(value: object) -> str:
    """For a person to read: indented, and with control characters escaped, the newer ones too."""
    shown = dumps_file(value).rstrip("\n")
    return "".join(char if char.isprintable() or char == "\n" else f"\\u{ord(char):04x}" for char in shown)
