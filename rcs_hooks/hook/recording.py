"""Records a hook call as one JSON file, a fixture, and replays it.

With `RCS_RECORD=<folder>` each call is saved: state before, stdin, the settings that matter, stdout, and state after.
The workspace's path is replaced; the rest of the environment is never read. `replay` runs a fixture in an empty folder,
with its clock, and returns what is different. A fixture may come from a stranger: only names that a recording has are
accepted, and a call that would write outside the folder is refused.
"""

from __future__ import annotations

import base64
import difflib
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import orjson
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from rcs_hooks import jsontext
from rcs_hooks.clients import CLIENTS, call_variables
from rcs_hooks.environment import Environment
from rcs_hooks.errors import RcsError, reason_of
from rcs_hooks.files.paths import GIT, HOME, inside
from rcs_hooks.files.workspaces import find_root, is_repository
from rcs_hooks.hook.call import parse
from rcs_hooks.hook.cli_command import rcs_words
from rcs_hooks.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Respond = Callable[[bytes, Environment], str]

SETTINGS = ("RCS_ROOT", "RCS_STOP_MAX_BLOCKS", *call_variables())
WORKSPACE = "/__workspace__"
RECORDED = ("state", "logs", ".gitignore")
MOST_FILES = 500
LARGEST_FILE = 1 << 20
LONGEST_NAME = 255
FRESH = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


class FixtureError(RcsError):
    """Raised when a file is not a fixture, or when a call cannot be recorded."""


def _file_name(name: str) -> str:
    """Return a path below `.rcs` if it may be in a recording.

    Raises ValueError if `tree` could not have returned it.
    """
    top, *inner = name.split("/")
    is_plain = all(0 < len(part) <= LONGEST_NAME and part not in (".", "..") for part in inner)
    if top not in RECORDED or not is_plain or "\0" in name or "\\" in name or (inner and top.startswith(".")):
        raise ValueError(f"{clean(name, 100)!r} is not a file of a recording")
    return name


def _setting(name: str) -> str:
    if name not in SETTINGS:
        raise ValueError(f"{clean(name, 100)!r} is not a setting of a recording")
    return name


FileName = Annotated[str, AfterValidator(_file_name)]
Setting = Annotated[str, AfterValidator(_setting)]


class Stored(BaseModel):
    """The content of one file: as JSON where it is written as we write JSON, else unchanged."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)
    json_: Any = Field(default=None, alias="json")
    text: str | None = None
    base64: str | None = None

    @classmethod
    def of(cls, data: bytes) -> Stored:
        """Return the content of a file in the form in which a fixture holds it."""
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return cls(base64=base64.b64encode(data).decode())
        with suppress(ValueError, TypeError):  # what orjson cannot hold, like a very large number, stays text
            value = jsontext.loads(text)
            if isinstance(value, dict) and jsontext.dumps_file(value) == text and orjson.dumps(value):
                return cls(json=value)
        return cls(text=text)

    def data(self) -> bytes:
        """Return the content as the bytes of the file."""
        if self.base64 is not None:
            return base64.b64decode(self.base64)
        return (self.text if self.text is not None else jsontext.dumps_file(self.json_)).encode()


MOST_CALLED = 4_096


class Fixture(BaseModel):
    """One hook call. `stdin` is stored like a file, because it may be anything."""

    model_config = ConfigDict(extra="forbid")
    version: Literal[1] = 1
    title: str = ""
    now: float
    cwd: str = WORKSPACE
    env: dict[Setting, str] = {}
    called_length: int = Field(default=len("rcs"), ge=len("rcs"), le=MOST_CALLED)
    """How long the words are that call `rcs` there: messages leave out what does not fit."""
    is_repository: bool = True
    """Whether the workspace was a git repository: elsewhere a first write says which folder it was."""
    stdin: Stored
    stdout: str
    before: dict[FileName, Stored] = {}
    after: dict[FileName, Stored] = {}

    def dump(self) -> bytes:
        """Return the fixture as JSON, as its file holds it."""
        options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
        return orjson.dumps({"version": 1} | self.model_dump(exclude_defaults=True, by_alias=True), option=options)


def load(path: Path) -> Fixture:
    """Return the fixture in a file. Raises FixtureError, which names the first fault."""
    try:
        return Fixture.model_validate_json(path.read_bytes())
    except ValidationError as error:
        fault = error.errors()[0]
        place = clean(".".join(str(part) for part in fault["loc"]), 200)
        raise FixtureError(f"{path} is not a fixture of a hook call: {place}: {fault['msg']}") from None


class Recorder:
    """The recording of one call, created before the call and saved after it. Raises whatever goes wrong."""

    def __init__(self, folder: str, raw: bytes, environment: Environment) -> None:
        self.folder, self.raw, self.environment = Path(folder), raw, environment
        self.cwd = self.root = environment.cwd
        self.words = rcs_words(environment)
        with suppress(RcsError):
            called = parse(raw, environment.env)
            self.words = rcs_words(environment, called.client)
            self.cwd = os.path.join(environment.cwd, called.cwd)
            self.root = find_root(environment.env, self.cwd, called.session)
        self.before = tree(Path(self.root))
        self.is_repository = is_repository(self.root)

    def save(self, line: str) -> Path:
        """Save the call with its answer `line`, and the state after it; return the file of the fixture."""
        environment = self.environment
        env = {name: environment.env[name] for name in SETTINGS if name in environment.env}
        texts = (self.raw, line.encode(), self.cwd.encode(), orjson.dumps(env))
        stdin, stdout, where, settings = (_portable(text, self.root, *_rcs_words(environment)) for text in texts)
        fixture = Fixture(
            now=environment.now,
            cwd=where.decode(),
            env=orjson.loads(settings),
            called_length=min(max(len(self.words), len("rcs")), MOST_CALLED),
            is_repository=self.is_repository,
            stdin=Stored.of(stdin),
            stdout=stdout.decode(),
            before=_stored(self.before, self.root, environment),
            after=_stored(tree(Path(self.root)), self.root, environment),
        )
        return save(self.folder, fixture, environment.now)


def save(folder: Path, fixture: Fixture, now: float) -> Path:
    """Write a fixture that only its owner can read, whatever the umask; return its file. It holds what was typed."""
    _make_private(folder)
    data = fixture.dump()
    for attempt in range(1000):
        path = folder / f"{int(now * 1000)}-{os.getpid()}-{attempt}.json"
        with suppress(FileExistsError), open(os.open(path, FRESH, 0o600), "wb") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(data)
            return path
    raise FixtureError(f"{folder} has no free name for one more call")


def _make_private(folder: Path) -> None:
    """Create a folder and those above it. An existing one keeps its mode."""
    if folder.is_dir():
        return
    _make_private(folder.parent)
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
        folder.chmod(0o700)


def _rcs_words(environment: Environment) -> list[str]:
    """List each way in which a message may call `rcs` here, the longest first, because one may contain another."""
    words = {rcs_words(environment), *(rcs_words(environment, client) for client in CLIENTS.values())}
    return sorted(words, key=len, reverse=True)


def _portable(data: bytes, root: str, *called: str) -> bytes:
    """Return the data without the path of this workspace and without `called`, the ways to call `rcs` here."""
    for path in {root, os.path.realpath(root)}:
        for form in (path, jsontext.dumps_line(path)[1:-1]):
            data = data.replace(form.encode("utf-8", "surrogateescape"), WORKSPACE.encode())
    for words in called:
        data = data.replace(jsontext.dumps_line(words)[1:-1].encode(), b"rcs")
    return data


def _stored(files: Mapping[str, bytes], root: str, environment: Environment) -> dict[str, Stored]:
    return {path: Stored.of(_portable(data, root, *_rcs_words(environment))) for path, data in files.items()}


def tree(root: Path) -> dict[str, bytes]:
    """Return the files under `.rcs` that a hook may change, by path. Links are not followed."""
    files: dict[str, bytes] = {}
    for name in RECORDED:
        top = root / HOME / name
        for path in [top, *sorted(top.rglob("*"))] if top.is_dir() else [top]:
            if path.is_file() and not path.is_symlink() and path.stat().st_size <= LARGEST_FILE:
                files[str(path.relative_to(root / HOME))] = path.read_bytes()
            if len(files) >= MOST_FILES:
                return files
    return files


def replay(fixture: Fixture, folder: Path, respond: Respond) -> list[str]:
    """Run a recorded call in an empty folder, and return the differences as lines of a diff; empty if there are none.

    `respond`: what answers the call.
    """
    here = str(folder)

    def local(data: bytes) -> bytes:
        return data.replace(WORKSPACE.encode(), here.encode())

    for name, stored in fixture.before.items():
        _write(folder, name, local(stored.data()))
    env = {name: local(value.encode()).decode() for name, value in fixture.env.items()}
    called = "rcs".ljust(fixture.called_length, "_")
    environment = Environment(env, local(fixture.cwd.encode()).decode(), fixture.now, called)
    raw = local(fixture.stdin.data())
    _check_stays(folder, raw, environment)
    if fixture.is_repository:
        (folder / GIT / "refs").mkdir(parents=True, exist_ok=True)
    line = respond(raw, environment)
    after = {name: Stored.of(_portable(data, here, called)) for name, data in tree(folder).items()}
    differences = _differences("stdout", fixture.stdout, _portable(line.encode(), here, called).decode())
    for name in sorted({*fixture.after, *after}):
        wanted, got = fixture.after.get(name), after.get(name)
        differences += _differences(name, _shown(wanted), _shown(got))
    return differences


def _write(folder: Path, name: str, data: bytes) -> None:
    path = folder / HOME / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_bytes(data)
    except OSError as error:
        raise FixtureError(f"{clean(name, 100)} cannot be written: {reason_of(error)}") from None


def _check_stays(folder: Path, raw: bytes, environment: Environment) -> None:
    """Check that the call, and the log of its failure, would stay in this folder. Raises FixtureError."""
    folders = [environment.cwd]
    with suppress(RcsError):
        folders.append(os.path.join(environment.cwd, parse(raw, environment.env).cwd))
    for cwd in folders:
        root = find_root(environment.env, cwd)
        if not inside(os.path.realpath(root), os.path.realpath(folder)):
            raise FixtureError(
                f"the call would write outside its own folder, to {clean(root, 200)}, so it is not replayed"
            )


def _shown(stored: Stored | None) -> str:
    return "(no such file)" if stored is None else stored.data().decode(errors="replace")


def _differences(name: str, wanted: str, got: str) -> list[str]:
    lines = (wanted.splitlines(), got.splitlines())
    return (
        [] if wanted == got else list(difflib.unified_diff(*lines, f"{name} as recorded", f"{name} now", lineterm=""))
    )
