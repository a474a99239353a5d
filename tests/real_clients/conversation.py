"""Several prompts typed into one process of a client, as a person types them who keeps it open.

Codex is spoken to through its app server, as the Codex of an editor is: `codex exec` takes one prompt, shows a person
nothing of what a hook says to them, and nothing of hooks that it does not run. Claude Code is given its prompts as
JSON lines. This program is run as it stands, without the package: `conversation.py CLIENT PLAN COMMAND...`. It prints
every line of the client. The driver's time-out bounds it.

The plan is a JSON object: `resume`, the session that goes on, and `typed`, a list of objects. Each has `prompt`;
`when`, a file that has to be there before it is typed; `turns`, how many turns end before the next one is typed; and
`typed`, a file that is made once the client has it. A prompt that is typed while the agent works steers its turn.

After each turn it prints how long that took, in seconds: `since_typed`, and `since_start` of the client's process.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

Json = dict[str, Any]


class Client:
    """The process, and the lines that it prints."""

    def __init__(self, command: list[str]) -> None:
        self.started = time.monotonic()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def start(self, resume: str) -> None:
        """What comes before the first prompt."""

    def type(self, prompt: str, *, steers: bool) -> None:
        raise NotImplementedError

    def answer(self, message: Json) -> None:
        """Say yes to what the client asks the person."""

    def tell(self, message: Json) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def ends_turn(self, message: Json) -> bool:
        raise NotImplementedError

    def wait_for(self, is_wanted: Callable[[Json], bool]) -> Json:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            print(line, end="", flush=True)
            message: Json = json.loads(line)
            self.answer(message)
            if is_wanted(message):
                return message
        raise SystemExit("the client has ended")

    def end(self) -> int:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        for line in self.process.stdout:
            print(line, end="", flush=True)
        return self.process.wait()


class Codex(Client):
    numbers = itertools.count(1)
    thread = turn = ""

    def ask(self, method: str, **params: object) -> Json:
        number = next(self.numbers)
        self.tell({"id": number, "method": method, "params": params})
        answer = self.wait_for(lambda message: message.get("id") == number and "method" not in message)
        if "error" in answer:
            raise SystemExit(f"{method}: {answer['error']}")
        result: Json = answer["result"]
        return result

    def start(self, resume: str) -> None:
        self.ask("initialize", clientInfo={"name": "tests", "version": "0"})
        self.tell({"method": "initialized"})
        self.ask("hooks/list", cwds=[os.getcwd()])
        if resume:
            answer = self.ask("thread/resume", threadId=resume, cwd=os.getcwd())
        else:
            answer = self.ask("thread/start", cwd=os.getcwd())
        self.thread = answer["thread"]["id"]

    def ends_turn(self, message: Json) -> bool:
        """Of this thread: a subagent's has turns of its own."""
        return message.get("method") == "turn/completed" and bool(message["params"]["threadId"] == self.thread)

    def type(self, prompt: str, *, steers: bool) -> None:
        said = [{"type": "text", "text": prompt}]
        if steers:
            self.ask("turn/steer", threadId=self.thread, input=said, expectedTurnId=self.turn)
        else:
            self.turn = self.ask("turn/start", threadId=self.thread, input=said)["turn"]["id"]


class Claude(Client):
    def ends_turn(self, message: Json) -> bool:
        return bool(message.get("type") == "result")

    def answer(self, message: Json) -> None:
        asked = message.get("request", {})
        if asked.get("subtype") == "can_use_tool":
            yes = {"behavior": "allow", "updatedInput": asked["input"]}
            response = {"subtype": "success", "request_id": message["request_id"], "response": yes}
            self.tell({"type": "control_response", "response": response})

    def type(self, prompt: str, *, steers: bool) -> None:
        said = [{"type": "text", "text": prompt}]
        self.tell({"type": "user", "message": {"role": "user", "content": said}})


def main(name: str, plan: Json, command: list[str]) -> int:
    client = {"codex": Codex, "claude": Claude}[name](command)
    client.start(plan["resume"])
    is_working = False
    for typed in plan["typed"]:
        while typed["when"] and not Path(typed["when"]).exists():
            time.sleep(0.02)
        began = time.monotonic()
        client.type(typed["prompt"], steers=is_working)
        if typed["typed"]:
            Path(typed["typed"]).touch()
        for _ in range(typed["turns"]):
            client.wait_for(client.ends_turn)
            ended = time.monotonic()
            print(json.dumps({"since_typed": ended - began, "since_start": ended - client.started}), flush=True)
        is_working = not typed["turns"]
    return client.end()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], json.loads(sys.argv[2]), sys.argv[3:]))
