"""What a call takes from outside its arguments."""

import os
import time

from rcs_hooks.state.paths import working_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Around:
    __slots__ = ("cwd", "env", "home", "now")

    def __init__(self, env: "Mapping[str, str]", home: str | None, cwd: str, now: float) -> None:
        self.env = env
        self.home = home
        self.cwd = cwd
        self.now = now


def real() -> Around:
    return Around(os.environ, os.environ.get("HOME") or None, working_folder(), time.time())
