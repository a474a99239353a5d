"""Reads, writes and plays scenes: calls as text, and below each one what came of it.

    == A run that has no outcome is held

    file .rcs/state/team-state.json
    | {"active": true, "mode": "team"}
    hook
    | {"hook_event_name": "Stop", "session_id": "s1"}
      {"decision": "block", "reason": "…"}
      s1/history + event=held mode=team

A line at the margin is a call: a verb and its words. After `| ` comes its text, after two blanks what came of it; a
block below `  [claude, codex]` is what comes of it there instead. After `given` a call is made, and nothing shown. `#`
begins a comment. RCS_RECORD saves hook calls as scenes, and pytest plays them again (`pytest_plugin.py`).
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rcs_hooks import jsontext
from rcs_hooks.clients import call_variables
from rcs_hooks.environment import Environment
from rcs_hooks.errors import RcsError, reason_of
from rcs_hooks.files.paths import GIT, HOME, inside
from rcs_hooks.files.workspaces import find_root
from rcs_hooks.hook.call import parse
from rcs_hooks.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from typing import Any

SETTINGS = ("RCS_ROOT", "RCS_STOP_MAX_BLOCKS", *call_variables())
WORKSPACE = "/__workspace__"
STATE = "state/"
WIDTH = 110
LARGEST_FILE, MOST_FILES = 1 << 20, 500
BARE = re.compile(r"(?!(?:true|false|null)$)[A-Za-z_][\w./:-]*", re.ASCII)


class SceneError(RcsError):
    """Raised when a text is not a scene, or when a scene would reach out of its own folder."""


@dataclass
class SceneStep:
    """A call of a scene: `[verb] [words]`, a text, and what came of it by client; "" is every other client."""

    verb: str
    words: str = ""
    text: list[str] = field(default_factory=list)
    came: dict[str, list[str]] = field(default_factory=dict)
    before: list[str] = field(default_factory=list)
    """The comments and blank lines above the call."""

    def lines(self) -> Iterator[str]:
        yield from self.before
        yield f"{self.verb} {self.words}".rstrip()
        yield from (f"| {line}" if line else "|" for line in self.text)
        yield from (f"  {line}" for line in self.came.get("", []))
        blocks: dict[tuple[str, ...], list[str]] = {}
        for client, came in self.came.items():
            if client:
                blocks.setdefault(tuple(came), []).append(client)
        for block, clients in blocks.items():
            yield f"  [{', '.join(sorted(clients))}]"
            yield from (f"  {line}" for line in block)


@dataclass
class Scene:
    """What happens one after the other in one new workspace."""

    title: str
    line: int = 0
    steps: list[SceneStep] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    """The comments and blank lines below the last call."""

    @property
    def clients(self) -> list[str]:
        """Return the clients that the scene is played with, the one of the unmarked blocks first; [""] for any."""
        return next((step.words.split() for step in self.steps if step.verb == "clients"), [""])


def read(text: str) -> tuple[list[str], list[Scene]]:
    """Return the lines before the first scene, and the scenes. Raises SceneError, which names the line."""
    head: list[str] = []
    scenes: list[Scene] = []
    waiting, came = head, head
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        step = scenes[-1].steps[-1] if scenes and scenes[-1].steps else None
        if line.startswith("== "):
            scenes.append(Scene(line[3:].strip(), number))
            waiting = scenes[-1].after
        elif not scenes or not line or line.startswith("#"):
            waiting.append(line)
        elif line.startswith(("|", "  ")) and step is None:
            raise SceneError(f"line {number}: there is no call above")
        elif line.startswith("|") and step:
            step.text.append(line[2:])
        elif (marked := re.fullmatch(r"  \[([\w, -]+)\]", line)) and step:
            came = []
            step.came |= dict.fromkeys(marked[1].split(", "), came)
        elif line.startswith("  ") and step:
            came.append(line[2:])
        else:
            verb, _, words = line.partition(" ")
            came = []
            scenes[-1].steps.append(SceneStep(verb, words, came={"": came}, before=waiting))
            waiting = scenes[-1].after = []
    return head, scenes


def write(head: list[str], scenes: list[Scene]) -> str:
    """Return scenes as the text that `read` understands, with one blank line between two of them."""
    parts = ["\n".join(head).strip("\n")] if any(head) else []
    parts += ["\n".join([f"== {scene.title}", *(line for step in scene.steps for line in step.lines()), *scene.after])
              .rstrip("\n") for scene in scenes]  # fmt: skip
    return "\n\n".join(parts) + "\n"


class Stage:
    """An empty folder in which the calls of a scene are made, one after the other. Each verb is a method."""

    client = ""
    below = f"{HOME}/"
    """Where a file has to lie that a scene writes."""

    def __init__(self, folder: Path, client: str = "") -> None:
        folder.mkdir()
        self.root = folder
        self.client = client
        self.env: dict[str, str] = {}
        self.cwd = WORKSPACE
        self.now = 0.0
        self.called = "rcs"

    def play(self, step: SceneStep) -> list[str]:
        """Make a call and return what came of it, as the lines of a scene. Raises SceneError for an unknown one."""
        if step.verb == "given":
            verb, _, words = step.words.partition(" ")
            self.play(replace(step, verb=verb, words=words))
            return []
        do = getattr(self, f"do_{step.verb.partition('@')[0]}", None)
        if do is None:
            raise SceneError(f"there is no call {clean(step.verb, 40)!r}")
        before = self.files()
        said = do(step)
        return [] if said is None else [*map(self.portable, said), *changes(before, self.files())]

    def files(self) -> dict[str, bytes]:
        """Return the files whose changes are shown, as they are shown."""
        return {name: self.portable(data.decode(errors="surrogateescape")).encode(errors="surrogateescape")
                for name, data in tree(self.root).items()}  # fmt: skip

    def local(self, text: str) -> str:
        return text.replace(WORKSPACE, str(self.root))

    def portable(self, text: str) -> str:
        return portable(text, str(self.root), [self.called])

    # --- what a recording consists of; None: nothing came of it

    def do_clients(self, step: SceneStep) -> None:
        """Name the clients; nothing is done."""

    def do_at(self, step: SceneStep) -> None:
        """Set the clock."""
        self.now = float(step.words)

    def do_cwd(self, step: SceneStep) -> None:
        self.cwd = step.words

    def do_called(self, step: SceneStep) -> None:
        """Call `rcs` by a word of that length: messages leave out what does not fit."""
        self.called = "rcs".ljust(min(int(step.words), 4096), "_")

    def do_env(self, step: SceneStep) -> None:
        name, _, value = step.words.partition("=")
        if name not in SETTINGS:
            raise SceneError(f"{clean(name, 100)!r} is not a setting of a recording")
        self.env[name] = self.local(value)

    def do_git(self, step: SceneStep) -> None:
        """Make the folder a repository, as far as a workspace is known by it."""
        (self.root / GIT / "refs").mkdir(parents=True, exist_ok=True)

    def do_file(self, step: SceneStep) -> None:
        self.put(step.words, self.local("".join(f"{line}\n" for line in step.text)).encode())

    def do_base64(self, step: SceneStep) -> None:
        try:
            self.put(step.words, base64.b64decode("".join(step.text), validate=True))
        except binascii.Error as error:
            raise SceneError(f"{clean(step.words, 100)}: {error}") from None

    def put(self, name: str, data: bytes) -> None:
        path = self.root / name
        parts = name.split("/")
        if not name.startswith(self.below) or "\0" in name or parts[0] == "" or {".", ".."} & {*parts}:
            raise SceneError(f"{clean(name, 100)!r} is not a file of a scene")
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            path.write_bytes(data)
        except OSError as error:
            raise SceneError(f"{clean(name, 100)} cannot be written: {reason_of(error)}") from None

    def do_hook(self, step: SceneStep) -> list[str]:
        """Call the hook with the text as its input; `hook base64` with bytes that are no text."""
        text = "\n".join(step.text)
        return [self.respond(base64.b64decode(text) if step.words else self.local(text).encode())]

    def respond(self, raw: bytes) -> str:
        from rcs_hooks.hook.entry import respond

        environment = Environment(self.env, self.local(self.cwd), self.now, self.called)
        self._check_stays(raw, environment)
        return respond(raw, environment)

    def _check_stays(self, raw: bytes, environment: Environment) -> None:
        """Check that the call, and the log of its failure, would stay in this folder. Raises SceneError."""
        import os
        from contextlib import suppress

        folders = [environment.cwd]
        with suppress(RcsError):
            folders.append(os.path.join(environment.cwd, parse(raw, environment.env).cwd))
        for folder in folders:
            root = find_root(environment.env, folder)
            if not inside(os.path.realpath(root), os.path.realpath(self.root)):
                raise SceneError(f"the call would write outside its own folder, to {clean(root, 200)}")


def tree(root: Path) -> dict[str, bytes]:
    """Return the files below `.rcs`, by path. Links are not followed; a name that no line can hold is left out."""
    files: dict[str, bytes] = {}
    top = root / HOME
    for path in sorted(top.rglob("*")) if top.is_dir() else []:
        is_file = str(path.relative_to(top)).isprintable() and path.is_file() and not path.is_symlink()
        if is_file and path.stat().st_size <= LARGEST_FILE:
            files[str(path.relative_to(top))] = path.read_bytes()
        if len(files) >= MOST_FILES:
            break
    return files


def portable(text: str, root: str, called: list[str]) -> str:
    """Return a text without the path of this workspace, and without the words by which `rcs` is called here."""
    for form in (root, jsontext.dumps_line(root)[1:-1]):
        text = text.replace(form, WORKSPACE)
    for words in called:
        text = text.replace(jsontext.dumps_line(words)[1:-1], "rcs").replace(words, "rcs")
    return text


def changes(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> list[str]:
    """Return what changed, as lines: fields of JSON, and lines that were added to anything else."""
    lines: list[str] = []
    for name in sorted({*before, *after}):
        old, new = before.get(name), after.get(name)
        if old != new:
            lines += _change(name, old, new)
    return lines


def _short(name: str) -> str:
    return (
        name.removeprefix(STATE)
        .removeprefix("sessions/")
        .removesuffix(".jsonl")
        .removesuffix(".json")
        .removesuffix("-state")
    )


def _change(path: str, old: bytes | None, new: bytes | None) -> Iterator[str]:
    name = _short(path)
    if new is None:
        yield f"{name} gone"
        return
    was, now = json_object(old), json_object(new)
    if now is not None and path.endswith(".json"):
        fields = [f"{key}={shown(value)}" for key, value in now.items() if (was or {}).get(key, was) != value]
        gone = [f"-{key}" for key in was or {} if key not in now]
        yield from wrapped(f"{name} {'+' if was is None else '~'}", fields + gone)
        return
    text = new.decode(errors="backslashreplace")
    known = (old or b"").decode(errors="backslashreplace")
    sign, more = ("+", text.removeprefix(known)) if text.startswith(known) else ("=", text)
    for line in more.splitlines() or [""]:
        row = json_object(line.encode())
        fields = [line] if row is None else [f"{key}={shown(value)}" for key, value in row.items()]
        yield from wrapped(f"{name} {sign}", fields)


def json_object(data: bytes | None) -> dict[str, Any] | None:
    """Return an object that is written as JSON; None for anything else."""
    try:
        value = jsontext.loads((data or b"").decode())
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def shown(value: Any) -> str:
    """Return a value of JSON as a scene shows it: a plain word without quotes."""
    if isinstance(value, str) and BARE.fullmatch(value):
        return value
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {shown(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(shown, value)) + "]"
    return jsontext.dumps_line(value)


def wrapped(head: str, fields: list[str]) -> Iterator[str]:
    """Yield fields behind a word, in lines that are not too long."""
    line = head
    for each in fields:
        if len(line) + len(each) >= WIDTH and line != head:
            yield line
            line = "   "
        line += f" {each}"
    yield line.rstrip()
