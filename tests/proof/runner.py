"""Runs a command by `rcs_hooks.proof.command` in a process of its own: `python -m tests.proof.runner COMMAND…`.

LIMIT: how many seconds the command may take. TO_STDERR: whether all output goes there. RESULT: the file for what came
of it, as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from rcs_hooks.errors import Refused
from rcs_hooks.proof.command import run


def main() -> int:
    env = dict(os.environ)
    limit, to_stderr, result = (env.pop(name, "") for name in ("LIMIT", "TO_STDERR", "RESULT"))
    try:
        ran = run(
            sys.argv[1:], cwd=os.getcwd(), env=env, seconds=float(limit) if limit else None, to_stderr=bool(to_stderr)
        )
    except Refused as error:
        Path(result).write_text(json.dumps({"refused": type(error).__name__, "says": str(error)}))
        return 1
    Path(result).write_text(json.dumps(ran._asdict() | {"tail": ran.tail.decode("latin-1")}))
    return ran.exit


if __name__ == "__main__":
    sys.exit(main())
