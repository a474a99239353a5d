"""Records hook calls as scenes: with `RCS_RECORD=<folder>` each call is saved, with the state before it and after it.

The workspace's path is replaced, and of the environment only the settings that matter are read.
"""

from __future__ import annotations

import base64
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from rcs_hooks.clients import CLIENTS
from rcs_hooks.errors import RcsError
from rcs_hooks.files.paths import HOME
from rcs_hooks.files.workspaces import find_root, is_repository
from rcs_hooks.hook.call import parse
from rcs_hooks.hook.cli_command import rcs_words
from rcs_hooks.hook.scenes import SETTINGS, Scene, SceneError, SceneStep, changes, portable, tree, write

if TYPE_CHECKING:
    from rcs_hooks.environment import Environment

FRESH = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


class Recorder:
    """The recording of one call, created before the call and saved after it. Raises whatever goes wrong."""

    def __init__(self, folder: str, raw: bytes, environment: Environment) -> None:
        self.folder, self.raw, self.environment = Path(folder), raw, environment
        self.cwd = self.root = environment.cwd
        self.called = rcs_words(environment)
        with suppress(RcsError):
            called = parse(raw, environment.env)
            self.called = rcs_words(environment, called.client)
            self.cwd = os.path.join(environment.cwd, called.cwd)
            self.root = find_root(environment.env, self.cwd, called.session)
        self.before = tree(Path(self.root))
        self.is_repository = is_repository(self.root)

    def save(self, line: str) -> Path:
        """Save the call with its answer `line`, and what it changed; return the file of the scene."""
        env = self.environment.env
        came = [line, *changes(self.before, tree(Path(self.root)))]
        steps = [
            SceneStep("at", str(self.environment.now)),
            *([SceneStep("git")] if self.is_repository else []),
            *([SceneStep("called", str(len(self.called)))] if self.called != "rcs" else []),
            SceneStep("cwd", self._portable(self.cwd)),
            *(SceneStep("env", f"{name}={self._portable(env[name])}") for name in SETTINGS if name in env),
            *(self._file(f"{HOME}/{name}", data) for name, data in self.before.items()),
            self._call([self._portable(each) for each in came]),
        ]
        return save(self.folder, write([], [Scene("A recorded call", steps=steps)]), self.environment.now)

    def _portable(self, text: str) -> str:
        ways = {self.called, *(rcs_words(self.environment, client) for client in CLIENTS.values())}
        text = portable(text, os.path.realpath(self.root), [])
        return portable(text, self.root, sorted(ways, key=len, reverse=True))

    def _call(self, came: list[str]) -> SceneStep:
        try:
            text = self.raw.decode().removesuffix("\n")
        except UnicodeDecodeError:
            return SceneStep("hook", "base64", [base64.b64encode(self.raw).decode()], {"": came})
        return SceneStep("hook", text=self._portable(text).split("\n"), came={"": came})

    def _file(self, name: str, data: bytes) -> SceneStep:
        text = data.decode(errors="replace")
        if text.encode() != data or (text and not text.endswith("\n")):
            return SceneStep("base64", name, [base64.b64encode(data).decode()])
        return SceneStep("file", name, self._portable(text).split("\n")[:-1])


def save(folder: Path, scene: str, now: float) -> Path:
    """Write a scene that only its owner can read, whatever the umask; return its file. It holds what was typed."""
    data = scene.encode()
    _make_private(folder)
    for attempt in range(1000):
        path = folder / f"{int(now * 1000)}-{os.getpid()}-{attempt}.scene"
        with suppress(FileExistsError), open(os.open(path, FRESH, 0o600), "wb") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(data)
            return path
    raise SceneError(f"{folder} has no free name for one more call")


def _make_private(folder: Path) -> None:
    """Create a folder and those above it. An existing one keeps its mode."""
    if folder.is_dir():
        return
    _make_private(folder.parent)
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
        folder.chmod(0o700)
