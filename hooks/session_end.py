"""Answers one hook call from a checkout: stdin to stdout.

In a client's file: `python3 /a/checkout/hooks/session_end.py || exit 0`.
Python exits with 2 if it cannot open a script, and 2 is a block.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # pathlib would cost 4 ms

from rcs_hooks.hook.entry import main

if __name__ == "__main__":
    sys.exit(main())
