"""`python -m rcs_hooks` is `rcs`, for where that is not installed."""

import sys

from rcs_hooks.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
