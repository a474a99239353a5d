"""The errors as JSON: each class has a code of its own, and what is known beyond the sentence goes into `details`."""

from __future__ import annotations

import pytest

from rcs_hooks import errors
from tests.support import error_json

CLASSES = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, errors.RcsError)]
MADE: dict[str, tuple[errors.RcsError, dict[str, object]]] = {
    "a refusal": (errors.Refused("no"), error_json("refused", "no")),
    "the lock": (
        errors.LockTimeout("x"),
        error_json("lock_timeout", "could not lock x: another rcs process is using it"),
    ),
    "a wrong command line": (errors.UsageError("what?", usage="usage: rcs"),
                             error_json("usage", "what?", usage="usage: rcs")),
    "an unknown command": (errors.UsageError("what?"), error_json("usage", "what?")),
    "the system": (errors.SystemFailure(PermissionError(13, "Permission denied", "/x/y")),
                   error_json("system", "/x/y: permission denied", path="/x/y")),
    "the system, without a file": (errors.SystemFailure(OSError(28, "No space left on device")),
                                   error_json("system", "no space left on device")),
    "the system, a path without end": (errors.SystemFailure(PermissionError(13, "Permission denied", "x" * 5_000)),
                                       error_json("system", f"{'x' * 200}: permission denied", path="x" * 200)),
    "no working directory": (errors.SystemFailure(FileNotFoundError(2, "No such file or directory")),
                             error_json("system", errors.NO_WORKING_DIRECTORY)),
    "a diagram": (errors.MachineError("a.md:3: no", problem="no", file="a.md", line=3),
                  error_json("machine", "a.md:3: no", problem="no", file="a.md", line=3)),
    "an emit": (
        errors.Rejected("no", valid_states=("a", "b"), current="a", valid_next=("b",), did_you_mean="b"),
        error_json("rejected", "no", valid_states=["a", "b"], current="a", valid_next=["b"], did_you_mean="b"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MADE)
def test_an_error_is_one_object(name: str) -> None:
    error, expected = MADE[name]
    assert errors.as_json(error) == expected


def test_each_class_has_a_code_of_its_own() -> None:
    codes = [each.code for each in CLASSES]
    assert len(codes) == len(set(codes)) >= 13
    assert all(code.replace("_", "").isalpha() and code.islower() for code in codes)


def test_suppress_ignores_the_named_errors_and_their_subclasses() -> None:
    with errors.suppress(KeyError, OSError):
        raise FileNotFoundError
    with errors.suppress(OSError):
        pass


def test_suppress_lets_other_errors_through() -> None:
    with pytest.raises(KeyError), errors.suppress(OSError):
        raise KeyError
