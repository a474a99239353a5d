"""The package's errors: each carries a sentence for the person, and a `code` for a program that reads it as JSON."""

LONGEST_PATH = 200
NO_WORKING_DIRECTORY = "the working directory no longer exists; change to another folder and try again"


class suppress:  # noqa: N801 - named as its model is
    """A block in which these errors are ignored: `contextlib.suppress`, without what `contextlib` imports."""

    __slots__ = ("_errors",)

    def __init__(self, *errors: type[BaseException]) -> None:
        self._errors = errors

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        return kind is not None and issubclass(kind, self._errors)


def reason_of(error: OSError) -> str:
    """Return the system's reason for an error in lower case, as a part of a sentence: `permission denied`."""
    return (error.strerror or str(error)).lower()


def needs_extra(package: str | None, what: str, extra: str = "server") -> str:
    """Return the sentence that a package is missing, and where it is said how to get it for each way to install."""
    return f"{package} is not installed, which {what} needs; `rcs help install` says how to add the extra `{extra}`"


class RcsError(Exception):
    """Base of all errors that are answered in words."""

    code = "error"

    @property
    def details(self) -> dict[str, object]:
        """Return facts beyond the message of this error, for the `details` of its JSON; empty if it has none."""
        return {}


def error_json(code: str, message: str, details: dict[str, object] | None = None, **more: object) -> dict[str, object]:
    """Return an error as the JSON object that every surface answers; `more` are the keys that only one surface has."""
    return {"ok": False, "code": code, "message": message, "details": details or {}} | more


def as_json(error: RcsError) -> dict[str, object]:
    """Return an error as the command line, the MCP tools and the dashboard answer it.

    `error` is an older key for the same text as `message`.
    """
    return error_json(error.code, str(error), error.details, error=str(error))


class PayloadError(RcsError):
    """Raised when stdin holds no hook call."""

    code = "payload"


class UnsafePath(RcsError):
    """Raised when state would lie outside its workspace, or in a folder that does not exist."""

    code = "unsafe_path"


class Unavailable(RcsError):
    """Raised when a file cannot be read for the moment, so that its content is unknown; nothing was changed."""

    code = "unavailable"

    def __init__(self, path: str, why: str) -> None:
        self.fault = f"{path} cannot be read for the moment ({why})"
        super().__init__(f"{self.fault}, so nothing was changed; try again")


class LockTimeout(RcsError):
    """Raised when another process holds the state lock for too long."""

    code = "lock_timeout"

    def __init__(self, path: str) -> None:
        super().__init__(f"could not lock {path}: another rcs process is using it")


class Uncounted(RcsError):
    """Raised when the blocks of a session cannot be counted, so that Stop must not be blocked."""

    code = "uncounted"


class Refused(RcsError):
    """Raised when a request is not carried out; says why, and what to type next."""

    code = "refused"

    def add(self, line: str) -> None:
        """Add a line to the message."""
        self.args = (f"{self}\n{line}",)


class PhaseRefused(Refused):
    """Raised when the machine of a mode does not allow a phase; carries the phases that may come next."""

    code = "phase"

    def __init__(self, text: str, *, valid_states: tuple[str, ...], current: str, valid_next: tuple[str, ...]) -> None:
        super().__init__(text)
        self._details = {"valid_states": list(valid_states), "current": current, "valid_next": list(valid_next)}

    @property
    def details(self) -> dict[str, object]:
        return dict(self._details)


class UsageError(RcsError):
    """Raised when a command line is wrong."""

    code = "usage"

    def __init__(self, message: str, *, usage: str = "") -> None:
        super().__init__(message)
        self.usage = usage

    @property
    def details(self) -> dict[str, object]:
        return {"usage": self.usage} if self.usage else {}


class SystemFailure(RcsError):
    """An OSError as an error of ours, with its path and reason in words."""

    code = "system"

    def __init__(self, error: OSError) -> None:
        self.path = " ".join(str(error.filename)[:LONGEST_PATH].splitlines()) if error.filename else ""
        why = reason_of(error)
        if isinstance(error, FileNotFoundError) and not self.path:  # raised by os.getcwd
            why = NO_WORKING_DIRECTORY
        super().__init__(f"{self.path}: {why}" if self.path else why)

    @property
    def details(self) -> dict[str, object]:
        return {"path": self.path} if self.path else {}


class MachineError(RcsError):
    """Raised when a diagram cannot be read; shows file, line and a marker under the fault."""

    code = "machine"

    def __init__(self, text: str, *, problem: str = "", file: str = "", line: int = 0) -> None:
        super().__init__(text)
        self.problem = problem or text
        self.file = file
        self.line = line

    @property
    def details(self) -> dict[str, object]:
        return {"problem": self.problem, "file": self.file, "line": self.line}


class Rejected(RcsError):
    """Raised when a report by `rcs emit` breaks a rule; carries what helps to correct the report."""

    code = "rejected"

    def __init__(
        self,
        text: str,
        *,
        valid_states: tuple[str, ...] = (),
        current: str | None = None,
        valid_next: tuple[str, ...] = (),
        did_you_mean: str | None = None,
    ) -> None:
        super().__init__(text)
        self.valid_states = valid_states
        self.current = current
        self.valid_next = valid_next
        self.did_you_mean = did_you_mean

    @property
    def details(self) -> dict[str, object]:
        return {
            "valid_states": list(self.valid_states),
            "current": self.current,
            "valid_next": list(self.valid_next),
            "did_you_mean": self.did_you_mean,
        }


class Malformed(Rejected):
    """Raised when a report lacks what every report needs, or has a form that no run accepts."""

    code = "malformed"


class StoreError(RcsError):
    """Raised when the database of runs cannot be used; says which file, and what to do about it."""

    code = "store"
