"""The errors of the house. Each carries the sentence that a person is shown."""


class RcsError(Exception):
    """Base of all errors that are answered in words."""


class PayloadError(RcsError):
    """Raised when what stands on stdin is not a hook call."""


class UnsafePath(RcsError):
    """Raised when state would lie outside its workspace, or in a folder that is not there."""


class LockTimeout(RcsError):
    """Raised when another process keeps the state lock for too long."""


class Uncounted(RcsError):
    """Raised when the blocks of a session cannot be counted, so that none may be spoken."""


class Refused(RcsError):
    """Raised when what was asked for is not done; says what was found and what to type next."""
