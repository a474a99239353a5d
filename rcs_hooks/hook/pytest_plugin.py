"""A pytest plugin: `--rcs-fixtures PATH` replays the recorded hook calls below PATH, each as one test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OPTION = "--rcs-fixtures"
ROOTS = pytest.StashKey[list["Path"]]()


class Mismatch(Exception):
    """Raised when a replayed call answers otherwise, or leaves other state, than was recorded."""


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
    roots = [_found(config, path) for path in config.getoption(OPTION)]
    config.stash[ROOTS] = roots
    for root in roots:
        if str(root) not in config.args:
            config.args.append(str(root))


def _found(config: pytest.Config, path: str) -> Path:
    """From where pytest was called, else from where its settings lie."""
    for base in (config.invocation_params.dir, config.rootpath):
        if (base / path).exists():
            return (base / path).resolve()
    raise pytest.UsageError(f"{OPTION} {path}: there is no such file or folder")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> FixtureFile | None:
    roots = parent.config.stash[ROOTS]
    if file_path.suffix == ".json" and any(file_path.is_relative_to(root) for root in roots):
        return FixtureFile.from_parent(parent, path=file_path)
    return None


class FixtureFile(pytest.File):
    def collect(self) -> Iterator[pytest.Item]:
        yield Replay.from_parent(self, name="replay")


class Replay(pytest.Item):
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
