"""Several prompts typed into one process of a client in a terminal, as a person types them: by tmux.

Hooks are then called as they are for a person, and the screen can be read. This program is run as it stands, without
the package: `terminal.py CLIENT PLAN COMMAND...`. It prints a line of JSON for the session's id, for each screen that
the person saw before they typed again, and for the last one.

The plan is a JSON object: `session`, the id; `record`, the file of the model's requests; `typed`, a list of objects;
and `screen`, the patterns by which this client's screen says that it is `ready` for the first prompt, or `busy`, and
the words that `quit` it, and the keys that `stop` the agent. What is typed has `prompt`, or in its place `stops`, or
`keys` to press; `when`, a file, and `shows`, a pattern on the screen, both of which have to be there before; `idle`,
whether the client has to be so before; `turns`, how many turns end before the next one is typed; `typed`, a file that
is made once the client has it; and `rests`, seconds for which the person then does nothing.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

Json = dict[str, Any]

WIDTH, HEIGHT = "200", "120"
LOOK = 0.05
"""Seconds between two looks at the screen."""
STEADY = 10
"""In so many looks one after the other a client has to be idle: between two hooks it looks so for one or two."""
SEEN = 5
"""In so many looks what was typed has to be seen: an Enter that comes at once is taken for part of something pasted."""
TO_QUIT = 5
"""Seconds that a client has to quit before a person presses Enter again."""
PATIENCE = 60
"""Seconds that a person waits for what has to come."""


class Terminal:
    """A client in a terminal of its own, and the person's eyes on it."""

    def __init__(self, plan: Json, command: list[str]) -> None:
        self.screen, self.record = plan["screen"], Path(plan["record"])
        self.socket = str(Path(os.environ["TMPDIR"]) / "tmux")
        # No daemon: the server is then killed with this program.
        self.server = subprocess.Popen(self.words("-D"))
        while subprocess.run(self.words("-N", "list-sessions"), capture_output=True, check=False).returncode:
            time.sleep(LOOK)
        started = ["new-session", "-d", "-x", WIDTH, "-y", HEIGHT, "sh", "-c", 'exec "$@"', "sh", *command]
        self.tmux(*started, ";", "set", "remain-on-exit", "on")
        self.seen = 0

    def tmux(self, *words: str) -> str:
        return subprocess.run(self.words(*words), stdout=subprocess.PIPE, text=True, check=True).stdout

    def words(self, *words: str) -> list[str]:
        return ["tmux", "-S", self.socket, "-f", os.devnull, *words]

    def look(self) -> str:
        return self.tmux("capture-pane", "-p")

    def shows(self, pattern: str) -> bool:
        return re.search(pattern, self.look()) is not None

    @property
    def status(self) -> int | None:
        """The client's exit status; None while it runs."""
        said = self.tmux("display-message", "-p", "#{pane_dead} #{pane_dead_status}").split()
        return int([*said, "0"][1]) if said[0] == "1" else None

    def wait(self, what: str, is_there: Callable[[], bool], times: int = 1) -> None:
        """Return once this is there in so many looks."""
        ends, row = time.monotonic() + PATIENCE, 0
        while row < times:
            row = row + 1 if is_there() else 0
            if time.monotonic() > ends or self.status is not None:
                self.tell()
                raise SystemExit(f"the person waited in vain for {what}; the client's status is {self.status}")
            time.sleep(LOOK)

    def start(self) -> None:
        self.wait("the client to be ready", lambda: self.shows(self.screen["ready"]) and not self.is_busy(), STEADY)
        self.expect_work()

    def is_busy(self) -> bool:
        return self.shows(self.screen["busy"])

    def expect_work(self) -> None:
        """What the client does from now on is a turn of its own."""
        self.seen = self.requests()

    def requests(self) -> int:
        return self.record.read_bytes().count(b"\n") if self.record.exists() else 0

    def works(self) -> bool:
        return self.is_busy() or self.requests() > self.seen

    def wait_for_turn(self) -> None:
        self.wait("the agent to work", self.works)
        self.wait("the turn to end", lambda: not self.is_busy(), STEADY)
        self.expect_work()

    def type(self, prompt: str) -> None:
        """Type it, and press Enter once all of it can be seen."""
        before = self.count(prompt)
        self.tmux("send-keys", "-l", "--", prompt)
        self.wait(f"the prompt to be seen: {prompt}", lambda: self.count(prompt) > before, SEEN)
        self.press("Enter")

    def stop(self) -> None:
        """Stop the agent at its work, and clear what the client then offers to be typed again."""
        self.wait("the agent to work", lambda: self.is_busy() and self.requests() > self.seen)
        for key in self.screen["stop"]:
            self.press(key)
        self.wait("the agent to stop", lambda: not self.is_busy(), STEADY)
        self.tmux("send-keys", "C-u")
        self.expect_work()

    def count(self, prompt: str) -> int:
        """How often it can be seen, wrapped or not."""
        return plain(self.look()).count(plain(prompt)[-40:])

    def press(self, key: str) -> None:
        before = self.look()
        self.tmux("send-keys", key)
        self.wait(f"{key} to change something", lambda: self.look() != before)

    def tell(self) -> None:
        print(json.dumps({"type": "screen", "text": self.look()}), flush=True)

    def end(self) -> int:
        """Quit as a person does, so that the session's end is one."""
        self.tmux("send-keys", "-l", self.screen["quit"])
        self.wait("the words to be seen", lambda: self.count(self.screen["quit"]) > 0, SEEN)
        ends = time.monotonic() + PATIENCE
        while (status := self.status) is None:
            # The first Enter may only take what the client offers to complete the words with.
            self.tmux("send-keys", "Enter")
            again = time.monotonic() + TO_QUIT
            while self.status is None and time.monotonic() < again:
                time.sleep(LOOK)
            if time.monotonic() > ends:
                self.tell()
                raise SystemExit("the client does not quit")
        return status


def plain(text: str) -> str:
    return re.sub(r"[^\w$/@.,:;!?-]", "", text)


def main(plan: Json, command: list[str]) -> int:
    terminal = Terminal(plan, command)
    try:
        print(json.dumps({"type": "session", "session_id": plan["session"]}), flush=True)
        terminal.start()
        for typed in plan["typed"]:
            follow(terminal, typed)
            terminal.tell()
        return terminal.end()
    finally:
        terminal.tmux("kill-server")
        terminal.server.wait()


def follow(terminal: Terminal, typed: Json) -> None:
    """Wait for what has to be there, type, and wait for the turns."""
    if typed["when"]:
        terminal.wait(typed["when"], lambda: Path(typed["when"]).exists())
    if typed["shows"]:
        terminal.wait(f"the screen to show {typed['shows']}", lambda: terminal.shows(typed["shows"]))
    if typed["idle"]:
        terminal.wait("the agent to rest", lambda: not terminal.is_busy(), STEADY)
        terminal.expect_work()
    if typed["stops"]:
        terminal.stop()
    for key in typed["keys"]:
        terminal.press(key)
    if typed["prompt"]:
        terminal.type(typed["prompt"])
    if typed["typed"]:
        Path(typed["typed"]).touch()
    for _ in range(typed["turns"]):
        terminal.wait_for_turn()
    time.sleep(typed["rests"])


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[2]), sys.argv[3:]))
