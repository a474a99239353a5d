"""Record and replay: one hook call as one JSON file that can be looked at, sent along, and run again.

With `RCS_RECORD=<folder>` each call is saved: state before, stdin, the settings that mattered, stdout, state
after. The workspace's own path is replaced, the rest of the environment is never looked at. `replay` runs a
fixture in an empty folder with its clock, and says what came out differently. A fixture may come from a stranger:
its names are held to those that a recording has, and a call that would leave the folder is refused.
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
from rcs_hooks.errors import RcsError
from rcs_hooks.hook.call import Surroundings, parse
from rcs_hooks.hook.place import rcs_words
from rcs_hooks.state.paths import HOME, find_root, inside
from rcs_hooks.workflow.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Respond = Callable[[bytes, Surroundings], str]

SETTINGS = ("RCS_ROOT", "RCS_STOP_MAX_BLOCKS", "CLAUDE_PROJECT_DIR", "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", "COPILOT_CLI")
WORKSPACE = "/__workspace__"
RECORDED = ("state", "logs", ".gitignore")
MOST_FILES = 500
LARGEST_FILE = 1 << 20
LONGEST_NAME = 255
FRESH = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


class FixtureError(RcsError):
    """Raised when a file is no fixture, or when a call cannot be recorded."""


def _file_name(name: str) -> str:
    """Raises ValueError for a path under `.rcs` that `tree` would not have found there."""
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
    """The content of one file: as JSON where it is written as we write it, else to the letter."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)
    json_: Any = Field(default=None, alias="json")
    text: str | None = None
    base64: str | None = None

    @classmethod
    def of(cls, data: bytes) -> Stored:
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
        if self.base64 is not None:
            return base64.b64decode(self.base64)
        return (self.text if self.text is not None else jsontext.dumps_file(self.json_)).encode()


class Fixture(BaseModel):
    """One hook call. `stdin` is stored like a file, for it may be anything."""

    model_config = ConfigDict(extra="forbid")
    version: Literal[1] = 1
    title: str = ""
    now: float
    cwd: str = WORKSPACE
    env: dict[Setting, str] = {}
    stdin: Stored
    stdout: str
    before: dict[FileName, Stored] = {}
    after: dict[FileName, Stored] = {}

    def dump(self) -> bytes:
        options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
        return orjson.dumps({"version": 1} | self.model_dump(exclude_defaults=True, by_alias=True), option=options)


def load(path: Path) -> Fixture:
    """Raises FixtureError with the place of the first fault."""
    try:
        return Fixture.model_validate_json(path.read_bytes())
    except ValidationError as error:
        fault = error.errors()[0]
        place = clean(".".join(str(part) for part in fault["loc"]), 200)
        raise FixtureError(f"{path} is no fixture of a hook call: {place}: {fault['msg']}") from None


class Recorder:
    """Made before a call, asked to save it after. Raises whatever goes wrong: the caller decides what that is worth."""

    def __init__(self, folder: str, raw: bytes, around: Surroundings) -> None:
        self.folder, self.raw, self.around = Path(folder), raw, around
        self.cwd = self.root = around.cwd
        with suppress(RcsError):
            called = parse(raw)
            self.cwd = os.path.join(around.cwd, called.cwd)
            self.root = find_root(around.env, self.cwd, called.session)
        self.before = tree(Path(self.root))

    def save(self, line: str) -> Path:
        around = self.around
        env = {name: around.env[name] for name in SETTINGS if name in around.env}
        texts = (self.raw, line.encode(), self.cwd.encode(), orjson.dumps(env))
        stdin, stdout, where, settings = (_portable(text, self.root, *_called(around)) for text in texts)
        fixture = Fixture(
            now=around.now,
            cwd=where.decode(),
            env=orjson.loads(settings),
            stdin=Stored.of(stdin),
            stdout=stdout.decode(),
            before=_stored(self.before, self.root, around),
            after=_stored(tree(Path(self.root)), self.root, around),
        )
        return save(self.folder, fixture, around.now)


def save(folder: Path, fixture: Fixture, now: float) -> Path:
    """For the owner alone, whatever the umask: a recording holds what was typed."""
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
    """Makes a folder and those above it that are missing; the mode of one that is there stays."""
    if folder.is_dir():
        return
    _make_private(folder.parent)
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
        folder.chmod(0o700)


def _called(around: Surroundings) -> list[str]:
    """Each way in which a message may call `rcs` here; the longest first, for one may hold another."""
    return sorted({rcs_words(around), rcs_words(around, login_shell=True)}, key=len, reverse=True)


def _portable(data: bytes, root: str, *called: str) -> bytes:
    """Without the path of this workspace, and with `rcs` for however it is called here."""
    for path in {root, os.path.realpath(root)}:
        for form in (path, jsontext.dumps_line(path)[1:-1]):
            data = data.replace(form.encode("utf-8", "surrogateescape"), WORKSPACE.encode())
    for words in called:
        data = data.replace(jsontext.dumps_line(words)[1:-1].encode(), b"rcs")
    return data


def _stored(files: Mapping[str, bytes], root: str, around: Surroundings) -> dict[str, Stored]:
    return {path: Stored.of(_portable(data, root, *_called(around))) for path, data in files.items()}


def tree(root: Path) -> dict[str, bytes]:
    """The files under `.rcs` that a hook may touch, to the byte; links are not followed."""
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
    """Runs the call in `folder`, an empty one; the differences as lines of a diff, none where all is as recorded."""
    here = str(folder)

    def local(data: bytes) -> bytes:
        return data.replace(WORKSPACE.encode(), here.encode())

    for name, stored in fixture.before.items():
        _write(folder, name, local(stored.data()))
    env = {name: local(value.encode()).decode() for name, value in fixture.env.items()}
    around = Surroundings(env, local(fixture.cwd.encode()).decode(), fixture.now, "rcs")
    raw = local(fixture.stdin.data())
    _check_stays(folder, raw, around)
    line = respond(raw, around)
    found = {name: Stored.of(_portable(data, here, "rcs")) for name, data in tree(folder).items()}
    differences = _differences("stdout", fixture.stdout, _portable(line.encode(), here, "rcs").decode())
    for name in sorted({*fixture.after, *found}):
        wanted, got = fixture.after.get(name), found.get(name)
        differences += _differences(name, _shown(wanted), _shown(got))
    return differences


def _write(folder: Path, name: str, data: bytes) -> None:
    path = folder / HOME / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_bytes(data)
    except OSError as error:
        raise FixtureError(f"{clean(name, 100)} cannot be written: {(error.strerror or str(error)).lower()}") from None


def _check_stays(folder: Path, raw: bytes, around: Surroundings) -> None:
    """Raises FixtureError where the call, or the log of its failure, would belong to another workspace."""
    folders = [around.cwd]
    with suppress(RcsError):
        folders.append(os.path.join(around.cwd, parse(raw).cwd))
    for cwd in folders:
        root = find_root(around.env, cwd)
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
