"""The word that was meant by a mistyped one, and never its opposite."""

from __future__ import annotations

import itertools
import time

from rcs_hooks.cli.main import MODULES
from rcs_hooks.terminal.near import OPPOSITES, nearest
from tests.table import each_row

KNOWN = ("setup", "uninstall", "on", "off", "status", "state", "list-active", "--active", "--inactive", "trust", "new")


@each_row(("typed", "meant"), [
    ("stauts", "status"),
    ("STATUS", "status"),
    ("stat", "state"),
    ("lst", "list-active"),
    ("active", "list-active"),
    ("of", "off"),
    ("nwe", "new"),
    ("--activ", "--active"),
    ("--inactve", "--inactive"),
    ("uninstal", "uninstall"),
    ("install", None),
    ("instal", None),
    ("unsetup", None),
    ("untrust", None),
    ("distrust", None),
    ("onf", None),
    ("o", None),
    ("", None),
    ("--nactive", None),
    ("nonsense", None),
], ids=str)  # fmt: skip
def test_what_was_meant(typed: str, meant: str | None) -> None:
    assert nearest(typed, KNOWN) == meant


def test_a_word_of_any_length_is_judged_at_once() -> None:
    begun = time.process_time()
    assert nearest("state" * 20_000, MODULES) is None
    assert time.process_time() - begun < 1


def mistyped(word: str) -> set[str]:
    """Every word that one slip makes of a word: a letter left out, doubled, or taken for the one behind it."""
    places = range(len(word))
    swapped = {word[:at] + word[at : at + 2][::-1] + word[at + 2 :] for at in places}
    return {word[:at] + word[at + 1 :] for at in places} | {word[:at] + word[at] + word[at:] for at in places} | swapped


def test_no_slip_in_a_word_leads_to_the_opposite() -> None:
    words = {"install": "setup", "enable": "on", "disable": "off"} | {name: name for pair in OPPOSITES for name in pair}
    known = {*MODULES, *itertools.chain.from_iterable(OPPOSITES)}
    opposite = {one: two for pair in OPPOSITES for one, two in (pair, pair[::-1])}
    for word, means in words.items():
        for typed in mistyped(word) - set(words) - {""}:
            assert nearest(typed, known) != opposite[means], (typed, word)
