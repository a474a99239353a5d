"""The errors of the house. Each carries the sentence that a person is shown."""


class RcsError(Exception):
    """Base of all errors that are answered in words."""


class PayloadError(RcsError):
    """Raised when what stands on stdin is not a hook call."""


class UnsafePath(RcsError):
    """Raised when state would lie outside its workspace, or in a folder that is not there."""


class Unavailable(RcsError):
    """Raised when a file cannot be read for the moment, so that what it holds is unknown; nothing was changed."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path} cannot be read for the moment ({why}), so nothing was changed; try again")


class LockTimeout(RcsError):
    """Raised when another process keeps the state lock for too long."""


class Uncounted(RcsError):
    """Raised when the blocks of a session cannot be counted, so that none may be spoken."""


class Refused(RcsError):
    """Raised when what was asked for is not done; says what was found and what to type next."""


class MachineError(RcsError):
    """Raised when a diagram cannot be read; shows file, line and a marker under the spot."""

    def __init__(self, text: str, *, problem: str = "", file: str = "", line: int = 0) -> None:
        super().__init__(text)
        self.problem = problem or text
        self.file = file
        self.line = line


class Rejected(RcsError):
    """Raised when an emit breaks a rule; carries what helps to say it right the next time."""

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


class StoreError(RcsError):
    """Raised when the database of runs cannot be used; says which file, and what to do about it."""
