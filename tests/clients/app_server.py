"""One turn through Codex' app server, as the Codex of an editor takes it: it tells what each hook was and said.

`codex exec` shows a person nothing of what a hook says to them, and nothing of hooks that it does not run. This
program is run as it stands, without the package: `app_server.py PROMPT CODEX ARGUMENTS...`. It prints every message of
the server as a line. The driver's time-out bounds it.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from typing import Any

Json = dict[str, Any]


class Server:
    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.numbers = itertools.count(1)

    def tell(self, **message: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def ask(self, method: str, **params: object) -> Json:
        number = next(self.numbers)
        self.tell(id=number, method=method, params=params)
        return self.wait_for("id", number)

    def wait_for(self, name: str, value: object) -> Json:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            print(line, end="", flush=True)
            message: Json = json.loads(line)
            if message.get(name) == value and ("result" in message or "error" in message or name == "method"):
                return message
        raise SystemExit("the app server has ended")


def main(prompt: str, command: list[str]) -> None:
    server = Server(command)
    server.ask("initialize", clientInfo={"name": "tests", "version": "0"})
    server.tell(method="initialized")
    server.ask("hooks/list", cwds=[os.getcwd()])
    thread = server.ask("thread/start", cwd=os.getcwd())["result"]["thread"]["id"]
    server.ask("turn/start", threadId=thread, input=[{"type": "text", "text": prompt}])
    server.wait_for("method", "turn/completed")
    assert server.process.stdin is not None
    server.process.stdin.close()
    server.process.wait()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
