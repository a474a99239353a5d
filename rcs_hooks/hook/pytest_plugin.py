"""Replays recorded hook calls, each as one test: `pytest -p rcs_hooks.hook.pytest_plugin --rcs-fixtures PATH`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OPTION = "--rcs-fixtures"
ROOTS = pytest.StashKey[list["Path"]]()


class Mismatch(Exception):
    """Raised when the answer to a replayed call, or the state after it, differs from the recording."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("rcs-hooks")
    group.addoption(
        OPTION,
        action="append",
        default=[],
        metavar="PATH",
        help="replay the hook calls that are recorded below PATH",
    )


def pytest_configure(config: pytest.Config) -> None:
    roots = [_resolved(config, path) for path in config.getoption(OPTION)]
    config.stash[ROOTS] = roots
    for root in roots:
        if str(root) not in config.args:
            config.args.append(str(root))


def _resolved(config: pytest.Config, path: str) -> Path:
    """Resolve a path from where pytest was called, or else from the folder of its settings."""
    for base in (config.invocation_params.dir, config.rootpath):
        if (base / path).exists():
            return (base / path).resolve()
    raise pytest.UsageError(f"{OPTION} {path}: no such file or folder")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> FixtureFile | None:
    roots = parent.config.stash[ROOTS]
    if file_path.suffix == ".json" and any(file_path.is_relative_to(root) for root in roots):
        return FixtureFile.from_parent(parent, path=file_path)
    return None


class FixtureFile(pytest.File):
    """The file of a recorded call."""

    def collect(self) -> Iterator[pytest.Item]:
        yield Replay.from_parent(self, name="replay")


class Replay(pytest.Item):
    """The replay of a recorded call, as a test."""

    def runtest(self) -> None:
        import tempfile
        from pathlib import Path

        from rcs_hooks.hook.entry import respond
        from rcs_hooks.hook.recording import load, replay

        with tempfile.TemporaryDirectory() as folder:
            differences = replay(load(self.path), Path(folder).resolve(), respond)
        if differences:
            raise Mismatch("\n".join(differences))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        from rcs_hooks.errors import RcsError

        if isinstance(excinfo.value, Mismatch | RcsError):
            return f"{self.path}\n{excinfo.value}"
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"replay of {self.path.parent.name}/{self.path.stem}"
