"""The word that was meant by a mistyped one, and never its opposite."""

from __future__ import annotations

import time

from rcs_hooks.cli.main import MODULES
from rcs_hooks.terminal.near import nearest
from tests.table import each_row

KNOWN = ("setup", "uninstall", "on", "off", "status", "state", "list-active", "--active", "--inactive", "trust", "new")


@each_row(("typed", "meant"), [
    ("stauts", "status"),
    ("lst", "list-active"),
    ("of", "off"),
    ("--activ", "--active"),
    ("--inactve", "--inactive"),
    ("install", None),
    ("instal", None),
    ("untrust", None),
    ("onf", None),
    ("--nactive", None),
    ("nonsense", None),
], ids=str)  # fmt: skip
def test_what_was_meant(typed: str, meant: str | None) -> None:
    assert nearest(typed, KNOWN) == meant


def test_a_word_of_any_length_is_judged_at_once() -> None:
    begun = time.process_time()
    assert nearest("state" * 20_000, MODULES) is None
    assert time.process_time() - begun < 1
