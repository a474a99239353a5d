"""Plays scenes, each as one test: `pytest -p rcs_hooks.hook.pytest_plugin --rcs-fixtures PATH`.

With `--update` each scene is written again with what comes of it now.
"""

from __future__ import annotations

import difflib
import importlib
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rcs_hooks.hook.scenes import Scene, SceneStep, Stage

OPTION = "--rcs-fixtures"
ROOTS = pytest.StashKey[list["Path"]]()


class Mismatch(Exception):
    """Raised when something else comes of a call than the scene says."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("rcs-hooks")
    group.addoption(OPTION, action="append", default=[], metavar="PATH", help="play the scenes below PATH")
    parser.addini("rcs_stage", "MODULE:CLASS, a stage with further calls", default="rcs_hooks.hook.scenes:Stage")
    group.addoption("--update", action="store_true", help="write each scene again with what comes of it now")


def pytest_configure(config: pytest.Config) -> None:
    roots = [_resolved(config, path) for path in config.getoption(OPTION)]
    config.stash[ROOTS] = roots
    if config.args_source != pytest.Config.ArgsSource.ARGS:  # who names tests wants those alone
        config.args += [str(root) for root in roots if str(root) not in config.args]


def _resolved(config: pytest.Config, path: str) -> Path:
    """Resolve a path from where pytest was called, or else from the folder of its settings."""
    for base in (config.invocation_params.dir, config.rootpath):
        if (base / path).exists():
            return (base / path).resolve()
    raise pytest.UsageError(f"{OPTION} {path}: no such file or folder")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> SceneFile | None:
    roots = parent.config.stash[ROOTS]
    if file_path.suffix == ".scene" and any(file_path.is_relative_to(root) for root in roots):
        return SceneFile.from_parent(parent, path=file_path)
    return None


class SceneFile(pytest.File):
    """A file of scenes."""

    def collect(self) -> Iterator[pytest.Item]:
        from rcs_hooks.hook import scenes

        try:
            self.head, self.scenes = scenes.read(self.path.read_bytes().decode())
        except (scenes.SceneError, UnicodeDecodeError) as error:
            raise self.CollectError(f"{self.path}: {error}") from None
        for scene in self.scenes:
            yield Play.from_parent(self, name=scene.title, scene=scene, file=self)

    def update(self) -> None:
        from rcs_hooks.hook import scenes

        self.path.write_bytes(scenes.write(self.head, self.scenes).encode())


class Play(pytest.Item):
    """A scene, as a test."""

    def __init__(self, *, scene: Scene, file: SceneFile, **rest: object) -> None:
        super().__init__(**rest)  # type: ignore[arg-type]  # what pytest hands to each item
        self.scene, self.file = scene, file

    def runtest(self) -> None:
        first, *others = self.scene.clients
        differences = [*self._play(first), *(line for client in others for line in self._play(client))]
        if self.config.getoption("--update"):
            self.file.update()
        elif differences:
            raise Mismatch("\n".join(differences))

    def _play(self, client: str) -> Iterator[str]:
        """Play the scene as one client; yield how each call that differs does so, or write it down."""
        import tempfile
        from pathlib import Path

        module, _, name = self.config.getini("rcs_stage").partition(":")
        stage_of: type[Stage] = getattr(importlib.import_module(module), name)
        with tempfile.TemporaryDirectory() as folder:
            stage = stage_of(Path(folder).resolve() / "workspace", client)
            for step in self.scene.steps:
                came = stage.play(step)
                if self.config.getoption("--update"):
                    self._note(step, came, client)
                else:
                    yield from _difference(step, came, client)

    def _note(self, step: SceneStep, came: list[str], client: str) -> None:
        if client == self.scene.clients[0]:
            step.came = {"": came}
        elif came != step.came[""]:
            step.came[client] = came

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        from rcs_hooks.errors import RcsError

        if isinstance(excinfo.value, Mismatch | RcsError):
            return f"{self.path}:{self.scene.line}: {self.scene.title}\n{excinfo.value}"
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.scene.line - 1, self.scene.title


def _difference(step: SceneStep, came: list[str], client: str) -> list[str]:
    wanted = step.came.get(client, step.came.get("", []))
    if wanted == came:
        return []
    call = f"{client or 'any client'}: {step.verb} {step.words}".rstrip()
    return [call, *list(difflib.unified_diff(wanted, came, "scene", "now", lineterm="", n=2))[2:]]
