"""The stage of our own scenes: what each client sends, `rcs` and the MCP tools, with ids and times as names.

A scene holds state, decisions, exit statuses and the seeds' own sentences; other words are held elsewhere.

    clients all                 play it as each client; the first one's lines count for all that have none of their own
    prompt TEXT, stop TEXT      what the person types, what the agent says last; `\\n`: a new line; `@s2`: in s2
    with {…}                    further fields of the next call of a hook
    start                       a session that is resumed        unasked, handed_back   a prompt that nobody typed
    again                       the same call once more          wait 30h               the clock goes on
    record s1/forge {…}         what another tool writes into a record; `root/forge` without a session
    question {…}                a question as another tool asks it
    rcs …, mcp TOOL {…}         a command, a tool; the text below is its input
    words hud …                 a command, and its words as people read them
    show s1/forge               the whole of a record, or `s1/history`; `show AGENTS.md`: of any other file
"""

from __future__ import annotations

import json
import re
import shlex
import time
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any
from unittest import mock

from rcs_hooks.environment import Environment
from rcs_hooks.files.clock import iso
from rcs_hooks.hook.entry import respond
from rcs_hooks.hook.scenes import SceneStep, Stage, json_object, shown, wrapped
from rcs_hooks.mcp import tools
from tests import contract
from tests.support import NOW, RCS_HOOK, Workspace, check_output, clean_env, run_rcs
from tests.wire import Wire, wires

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
SECONDS = 60
"""What passes between two calls."""
MODE_NAMES = re.compile(rf"(?<![\w-])({'|'.join(sorted(contract.NAMES, key=len, reverse=True))})(?![\w-])")
MOMENT = re.compile(r"2023-11-1\d\w\d\d:\d\d:\d\d\.\d{3}Z")
WORDS = (
    "message",
    "error",
    "details",
    "hint",
    "summary",
    "next",
    "reply",
    "verdict_says",
    "say",
    "says",
    "data",
    "fix",
    "to_do",
    "timeline",
    "machine",
    "project",
    "session",
    "client",
    "workspace",
    "edges",
    "started_at",
    "last_at",
)
"""Keys of JSON that hold words, or all of a record again."""
PRIVATE = (".lock", "hook-ledger.json", ".gitignore", "rcs.db", "rcs.db-wal", "rcs.db-shm")
EVERYWHERE = (
    "session_id",
    "user",
    "turn_id",
    "version",
    "v",
    "n",
    "at",
    "activated_at",
    "updated_at",
    "initialized_state_path",
)
RANDOM = re.compile(r"\bq-[0-9a-f]{10}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")


class HouseStage(Stage):
    below = ""

    def __init__(self, folder: Path, client: str = "") -> None:
        super().__init__(folder, client)
        self.now = NOW
        self.called = shlex.quote(str(RCS_HOOK.with_name("rcs")))
        self.home = folder.parent / "home"
        self.home.mkdir()
        self.wire: Wire = wires()[client or "codex"]
        self.env = dict(self.wire.env)
        self.turns = 0
        self.more: dict[str, Any] = {}
        self.names = {self.wire.session: "s1"}
        self.last: tuple[str, bytes] = ("", b"")
        self.reason = ""
        (folder / ".git" / "refs").mkdir(parents=True)

    def play(self, step: SceneStep) -> list[str]:
        with mock.patch.object(time, "time", lambda: self.now):
            came = super().play(step)
        now = re.compile(rf"\bt{(self.now - NOW) / SECONDS:g}\b")
        return [now.sub("now", line) for lines in came for line in lines.split("\n")]

    def portable(self, text: str) -> str:
        """Return a text with names in place of what is different each time."""
        text = super().portable(text)
        for found in RANDOM.findall(text):
            kind = "q" if found.startswith("q-") else "id"
            count = sum(name.startswith(kind) for name in self.names.values())
            self.names.setdefault(found, f"{kind}{count + 1}")
        for value in sorted(self.names, key=len, reverse=True):
            text = text.replace(value, self.names[value])
        return MOMENT.sub(self._moment, text)

    def _moment(self, found: re.Match[str]) -> str:
        return f"t{(datetime.fromisoformat(found[0]).timestamp() - NOW) / SECONDS:g}"

    def files(self) -> dict[str, bytes]:
        """Return the files without what is no workflow state, and their JSON without what is the same everywhere."""
        return {
            self.portable(name): reduced(data) for name, data in super().files().items() if not name.endswith(PRIVATE)
        }

    def _known(self, text: str) -> str:
        """Return what a scene says with the values that its names have."""
        for value, name in self.names.items():
            text = re.sub(rf"\b{name}\b", value, text)
        return text

    # --- calls of the hooks

    def session(self, step: SceneStep) -> str:
        return self._whose(step.verb.partition("@")[2]) or ""

    def _whose(self, name: str) -> str | None:
        """Return the id of a session, by its name in the scene; None for root."""
        return None if name == "root" else self.wire.session if name in ("", "s1") else name

    def do_with(self, step: SceneStep) -> None:
        self.more = json.loads(step.words)

    def do_prompt(self, step: SceneStep) -> list[str]:
        self._next_turn()
        return self._say(step, self.wire.prompt("\n".join([step.words.replace("\\n", "\n"), *step.text])))

    def do_unasked(self, step: SceneStep) -> list[str]:
        if self.wire.unasked:
            self._next_turn()
        return self._say(step, self.wire.unasked_prompt())

    def _next_turn(self) -> None:
        self.turns += 1
        if self.wire.turn:
            self.names[self.wire.turn_of(self.turns)] = f"turn{self.turns}"

    def do_same(self, step: SceneStep) -> list[str]:
        """A prompt that was typed while the turn went on."""
        return self._say(step, self.wire.prompt(step.words))

    def do_handed_back(self, step: SceneStep) -> list[str]:
        """The prompt by which a client goes on after a Stop that was held."""
        return self._say(step, self.wire.handed_back(self.reason))

    def _say(self, step: SceneStep, fields: dict[str, Any]) -> list[str]:
        return self._call("UserPromptSubmit", step, fields)

    def do_stop(self, step: SceneStep) -> list[str]:
        return self._call("Stop", step, self.wire.stop(step.words.replace("\\n", "\n") or None))

    def do_start(self, step: SceneStep) -> list[str]:
        call = self.wire.started(str(self.root), self.now + SECONDS) | {"session_id": self.session(step)}
        return self._send("SessionStart", json.dumps(call | self._extra()).encode())

    def do_again(self, step: SceneStep) -> list[str]:
        return self._send(*self.last, seconds=float(step.words or 0))

    def _call(self, event: str, step: SceneStep, fields: dict[str, Any]) -> list[str]:
        call = self.wire.call(event, str(self.root), self.turns, self.now + SECONDS)
        call |= {"session_id": self.session(step)} | fields | self._extra()
        return self._send(event, json.dumps(call, ensure_ascii=False).encode())

    def _extra(self) -> dict[str, Any]:
        more, self.more = self.more, {}
        return more

    def do_hook(self, step: SceneStep) -> list[str]:
        """Call the hook with the text as its input, whatever that is."""
        return self._send("UserPromptSubmit", self.local("\n".join(step.text)).encode())

    def _send(self, event: str, raw: bytes, seconds: float = SECONDS) -> list[str]:
        self.now += seconds
        self.last = (event, raw)
        output = json.loads(respond(raw, Environment(self._environment(), str(self.root), self.now, "rcs")))
        output = check_output(event, json.dumps(self.wire.in_common_form(output)))
        self.reason = output.get("reason", "")
        context = output.get("hookSpecificOutput", {}).get("additionalContext", "")
        said = [("block", self.reason), ("context", context), ("notice", output.get("systemMessage", ""))]
        lines = [f"{kind}: {names}".removesuffix(": ") for kind, text in said if text for names in [modes_in(text)]]
        sentences = [sentence for text in (self.reason, context) for sentence in sentences_of(text)]
        return (lines or ["{}"]) + sentences

    def _environment(self) -> dict[str, str]:
        return {"PATH": "/usr/bin:/bin", "HOME": str(self.home)} | self.env

    # --- what else happens

    def do_env(self, step: SceneStep) -> None:
        name, _, value = step.words.partition("=")
        self.env[name] = self.local(value)

    def do_wait(self, step: SceneStep) -> None:
        self.now += float(step.words[:-1]) * UNITS[step.words[-1]]

    def do_file(self, step: SceneStep) -> None:
        super().do_file(replace(step, words=self._known(step.words)))

    def do_record(self, step: SceneStep) -> None:
        name, _, fields = step.words.partition(" ")
        session, _, mode = name.rpartition("/")
        place = Workspace(self.root, now=self.now)
        whose = self._whose(session)
        write = place.edit if place.mode_path(mode, whose).exists() else place.write
        write(mode, whose, **json.loads(fields or "{}"))

    def do_question(self, step: SceneStep) -> None:
        record = {
            "kind": "rcs.question/v1", "question_id": "q1", "session_id": self.wire.session, "source": "forge",
            "status": "pending", "created_at": iso(self.now), "question": "Which database?",
        } | json.loads(step.words or "{}")  # fmt: skip
        path = Workspace(self.root).folder(self.wire.session) / "questions" / "q1.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(record, indent=2) + "\n")

    def do_rcs(self, step: SceneStep) -> list[str]:
        status, texts = self._run(step)
        return status + [line for text in texts for line in said_in(text)]

    def do_words(self, step: SceneStep) -> list[str]:
        status, texts = self._run(step)
        return status + [line.rstrip() for text in texts for line in text.splitlines() if line.strip()]

    def _run(self, step: SceneStep) -> tuple[list[str], list[str]]:
        """Run a command; return its exit status, where it is not 0, and its two outputs."""
        self.now += SECONDS
        words = shlex.split(self._known(self.local(step.words)))
        env = clean_env(**self._environment())
        done = run_rcs(*words, cwd=self.root, env=env, stdin="\n".join(step.text).encode())
        status = [f"exit {done.returncode}"] if done.returncode else []
        return status, [self.portable(done.stdout), self.portable(done.stderr)]

    def do_show(self, step: SceneStep) -> list[str]:
        """Show the whole of a record, of the history of a session, or of a file of the project."""
        session, _, name = step.words.partition("/")
        file = "history.jsonl" if name == "history" else f"{name}-state.json"
        record = Workspace(self.root).folder(self._whose(session)) / file
        path = self.root / step.words if "." in step.words else record
        return [line for line in self.portable(path.read_text()).splitlines() if line.strip()]

    def do_mcp(self, step: SceneStep) -> list[str]:
        self.now += SECONDS
        tool, _, arguments = step.words.partition(" ")
        given = json.loads(self._known(self.local(arguments or "{}")))
        line, is_error = tools.call(tool, given, clean_env(**self._environment()), str(self.root))
        return [*(["error"] if is_error else []), *said_in(self.portable(line))]


def reduced(data: bytes) -> bytes:
    """Return JSON without what is the same everywhere; a line of a history as its words."""
    lines = data.decode(errors="backslashreplace").splitlines()
    value = json_object(data)
    if value is None or "event" in value:
        return "".join(f"{reduced_line(line)}\n" for line in lines).encode()
    for key in EVERYWHERE:
        value.pop(key, None)
    if "active_skills" in value:
        value["active_skills"] = [f"{each['skill']}:{each.get('phase')}" for each in value["active_skills"]]
    return json.dumps(value).encode()


def reduced_line(line: str) -> str:
    row = json_object(line.encode())
    if row is None or "event" not in row:
        return line
    more = [f"{key}={shown(row[key])}" for key in ("iteration", "data") if row.get(key)]
    return " ".join([row["mode"], row["event"], f"{row['from'] or '·'} -> {row['to'] or '·'}", *more])


def said_in(text: str) -> list[str]:
    """Return what a scene holds of an answer: its JSON without the words, and the seeds' sentences."""
    value = json_object(text.encode())
    fields = [f"{key}={shown(brief(key, each))}" for key, each in (value or {}).items() if key not in WORDS]
    return [*(wrapped("json", fields) if fields else ()), *sentences_of(text)]


def brief(key: str, value: Any) -> Any:
    """Return a value without words; an event or a step of a run in a few of its own."""
    if key == "events":
        return [f"{each['step']} {each['status']}{' by itself' if each['automatic'] else ''}" for each in value]
    if key == "steps" and isinstance(value, list):
        return [
            " ".join(filter(None, [each["unit"], each["step"], each["status"], f"x{each['visits']}"])) for each in value
        ]
    if isinstance(value, dict):
        return {name: brief(name, each) for name, each in value.items() if name not in WORDS}
    return [brief("", each) for each in value] if isinstance(value, list) else value


def modes_in(text: str) -> str:
    """Return the modes that a text names, each once, in its order."""
    return ", ".join(dict.fromkeys(contract.NAMES[found] for found in MODE_NAMES.findall(text)))


def sentences_of(text: str) -> list[str]:
    """Return the seeds' own sentences in a text."""
    found = [f"“{found[0]}”" for pattern in contract.SENTENCES for found in re.finditer(pattern, text)]
    return list(dict.fromkeys(found))
