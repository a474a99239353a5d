"""Starts writers quickly for tests that kill many: `python -m tests.share.forker` forks one for each home on stdin.

It answers each line, a home and a working directory, with the id of the process, which shares until it is killed.
"""

from __future__ import annotations

import os
import signal
import sys

from rcs_hooks.share import loop
from tests.support import clean_env


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the killed ones leave nothing behind
    for line in sys.stdin:
        home, folder = line.rstrip("\n").split("\t")
        child = os.fork()
        if child == 0:
            try:
                os.chdir(folder)
                loop.run(clean_env(HOME=home), folder)
            finally:
                os._exit(1)
        print(child, flush=True)


if __name__ == "__main__":
    main()
