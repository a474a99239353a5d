"""What may have become of the Python that an entry of ours runs: a table of programs that stand in for it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

Break = Callable[[Path], str]
"""Makes what is there now in a folder of its own, and returns its path."""

FALSE_START = "Traceback (most recent call last):\\n  broken\\n"
"""As printf takes it."""


def stand_in(folder: Path, text: str) -> str:
    """Write a program in place of Python, which does as the text says."""
    path = folder / "bin of mine" / "python3"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def gone(folder: Path) -> str:
    return str(folder / "gone" / "python3")


def not_executable(folder: Path) -> str:
    path = stand_in(folder, "exit 0")
    Path(path).chmod(0o644)
    return path


def dangling(folder: Path) -> str:
    """What is left of a virtual environment when its Python has been removed."""
    path = folder / "python3"
    path.symlink_to(folder / "gone")
    return str(path)


def a_folder(folder: Path) -> str:
    (folder / "python3").mkdir()
    return str(folder / "python3")


def without_interpreter(folder: Path) -> str:
    path = stand_in(folder, "")
    Path(path).write_text("#!/gone/interpreter\n")
    return path


def an_empty_file(folder: Path) -> str:
    path = stand_in(folder, "")
    Path(path).write_text("")
    return path


def without_package(folder: Path) -> str:
    """Write a Python that runs and does not find the package: it was uninstalled."""
    return stand_in(folder, f'exec {shlex.quote(str(Path(sys.executable).resolve()))} -I -S "$@"')


def with_half_a_package(folder: Path) -> str:
    """Write a Python that finds a package of which a file was cut short."""
    package = folder / "rcs_hooks" / "hook"
    package.mkdir(parents=True)
    for path in (package.parent, package):
        (path / "__init__.py").touch()
    (package / "entry.py").write_text("def main() -> int:\n    return (\n")
    plain = shlex.quote(str(Path(sys.executable).resolve()))
    return stand_in(folder, f'cd {shlex.quote(str(folder))} || exit 1\nexec {plain} -c "$3"')


def doing(text: str) -> Break:
    """Write a program that does this, whatever it is called with."""
    return lambda folder: stand_in(folder, text)


def ending_with(status: int) -> Break:
    return doing(f"printf '{FALSE_START}' >&2; exit {status}")


def saying(status: int) -> Break:
    """The same, but on stdout."""
    return doing(f"printf '{FALSE_START}'; exit {status}")


STATUSES = (0, 1, 2, 3, 126, 127)
WITHOUT_A_WORD: dict[str, Break] = {
    "Python is gone": gone,
    "a dangling link": dangling,
    "not executable": not_executable,
    "a folder": a_folder,
    "an empty file": an_empty_file,
    "its interpreter is gone": without_interpreter,
    "the package is gone": without_package,
    "the package is broken": with_half_a_package,
    **{f"exit {status}": ending_with(status) for status in STATUSES},
}
"""Nothing of it is on stdout."""
WITH_WORDS: dict[str, Break] = {f"exit {status} with text on stdout": saying(status) for status in STATUSES if status}
KILLED: dict[str, Break] = {
    "killed": doing("kill -KILL $$"),
    "a fault of memory": doing("kill -SEGV $$"),
    "killed in the middle of its answer": doing('printf \'{"decision": "blo\'; kill -KILL $$'),
}
GARBAGE: dict[str, Break] = {
    "no JSON": doing("echo 'Warning: a new version is there'"),
    "half of a JSON text": doing('printf \'{"decision": "block", "rea\''),
    "a line before the JSON": doing("echo 'Warning: a new version is there'; echo '{}'"),
    "a list": doing("echo '[]'"),
    "bytes that are no UTF-8": doing("printf '\\377\\376{}\\200\\n'"),
    "ten megabytes": doing("head -c 10000000 /dev/zero | tr '\\0' x"),
    "nothing at all": doing("exit 0"),
}
BROKEN = {**WITHOUT_A_WORD, **WITH_WORDS, **KILLED, **GARBAGE}
"""Everything that ends by itself."""
SILENT = {
    "silent": "exec sleep 600",
    "silent by a child": "sleep 600; exit 0",
    "deaf and silent": "trap '' TERM INT HUP; sleep 600; sleep 600",
    "half an answer, then silent": 'printf \'{"decision": "block", \'; exec sleep 600',
}
"""What the client's time-out alone ends: what a stand-in does."""
