"""The errors of SQLite and of the system as errors of this package: one sentence, with what to do about it."""

from rcs_hooks.errors import Refused, StoreError, reason_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

BUSY, LOCKED, READONLY, IOERR, CORRUPT, FULL, CANNOT_OPEN, NOT_A_DATABASE = 5, 6, 8, 10, 11, 13, 14, 26
LARGEST_NUMBER = 2**63 - 1
SANDBOX = "from a sandbox, use the tool `emit` of `rcs mcp`; or set RCS_DB to a file that can be written"


class translate_errors:  # noqa: N801 - a context manager is called like a function
    """A context that turns errors of SQLite and the system into StoreError, and those of bad values into Refused."""

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: "type[BaseException] | None", error: "BaseException | None", trace: "TracebackType | None"
    ) -> None:
        if isinstance(error, OSError):
            raise StoreError(unusable(error.filename or self.path, reason_of(error))) from None
        if isinstance(error, UnicodeEncodeError):
            raise Refused(f"{error.object!r} is not UTF-8, so it can neither be stored nor looked for") from None
        if isinstance(error, OverflowError):
            raise Refused(f"a number is too large; {LARGEST_NUMBER} is the last") from None
        if error is not None and type(error).__module__ == "sqlite3":  # not all have the code of one
            raise StoreError(_words(self.path, error)) from None


def _words(path: str, error: BaseException) -> str:
    code = _code(error)
    if code in (BUSY, LOCKED):
        return f"{path} was locked by another process for more than 5 s; try again"
    if code in (CORRUPT, NOT_A_DATABASE):
        return f"{path} is damaged ({error}); move it aside with its -wal and -shm, and the next emit begins a new one"
    if code == FULL:
        return f"{path} cannot grow, for the disk is full; nothing was changed"
    if code == IOERR:
        return f"{path} cannot be read or written ({error}); see whether its disk is full"
    if is_closed_to_writing(error):
        return unusable(path, str(error))
    return f"{path}: {error}"


def unusable(path: str, why: str) -> str:
    return f"{path} cannot be used ({why}); {SANDBOX}"


def no_file(path: str) -> str:
    return f"{path} is not a file; set RCS_DB to the file that is to hold the runs"


def newer(path: str, found: int, known: int) -> str:
    return (
        f"{path} was made by a newer version of rcs (its schema is {found}, this one knows {known}); "
        "install that version, or set RCS_DB to another file"
    )


def another(path: str) -> str:
    return f"{path} is a database of another program, so nothing is stored there; set RCS_DB to another file"


def is_busy(error: BaseException) -> bool:
    return _code(error) in (BUSY, LOCKED)


def is_closed_to_writing(error: BaseException) -> bool:
    """Tell whether SQLite could not create the files next to the database that even a reader needs."""
    return _code(error) in (READONLY, CANNOT_OPEN)


def _code(error: BaseException) -> int:
    """Return the primary SQLite result code of an error, without the details in its higher bits; 0 if it has none."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
