"""Each list at 80 columns in colours against a file; without colours, at another width and piped it has the same words.

A file has each colour as `{number}`. `test_style.py` holds that each can be read on black and on white.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rcs_hooks.overview.words import TO_END
from rcs_hooks.terminal.width import cells
from tests.support import NOW
from tests.terminal.samples import IDS, BusyDay

FOLDER = Path(__file__).parent / "lists"
LISTS = {
    "runs": ("runs", "list"),
    "tasks": ("task", "list"),
    "status": ("status",),
    "questions": ("question", "list", "--all"),
    "modes": ("modes",),
    "log": ("log",),
    "hud": ("hud",),
    "machines": ("machine", "list"),
}
COLOUR = re.compile(r"\{[0-9]+\}")
TIME = r"(?:\d{4}-\d\d-\d\d|\d\d? [A-Z][a-z]{2}|yesterday)? ?\d\d:\d\d(?::\d\d)?"
AGE = r"(?:for )?\d+ (?:s|min|h|d)(?: ago)?"


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BusyDay]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        made = BusyDay(tmp_path_factory.mktemp("day"))
        patch.setattr(time, "time", lambda: NOW)
        yield made
    time.tzset()


@pytest.mark.parametrize("name", LISTS)
def test_a_list_is_shown_as_its_file_says(name: str, day: BusyDay) -> None:
    expected = (FOLDER / f"{name}.txt").read_text()
    assert day.shown(*LISTS[name], columns=80, TERM="xterm-256color") == expected
    plain = COLOUR.sub("", expected)
    assert day.shown(*LISTS[name], columns=80, NO_COLOR="1") == plain
    assert day.shown(*LISTS[name], columns=80, TERM="dumb") == plain
    few = day.shown(*LISTS[name], columns=80, TERM="xterm")
    assert (few != plain, COLOUR.sub("", few)) == (True, plain)


BY_LETTERS = {each[:8]: each for each in IDS}
NOT_COMPARED = {"session", "since", "round"} | {word.strip("()`:,") for word in TO_END.split()}
"""Words that stand for a column, or in a line that is for a terminal alone."""


def words(text: str) -> set[str]:
    """The words of a list: an id by its first letters, a path from the project on, no time and no heading."""
    text = re.sub(rf"{TIME}|{AGE}|/home/ada/work/(?:shop/)?", " ", text)
    found = {word.strip("()`:,") for word in text.split()}
    return {BY_LETTERS.get(word[:8], word) for word in found if not word.isupper()} - NOT_COMPARED


@pytest.mark.parametrize("name", [name for name in LISTS if name != "hud"])
def test_the_width_changes_no_word_and_a_pipe_gets_whole_ids_and_times(name: str, day: BusyDay) -> None:
    at_80 = words(day.shown(*LISTS[name], columns=80, NO_COLOR="1"))
    for columns in (44, 120):
        shown = day.shown(*LISTS[name], columns=columns, NO_COLOR="1")
        assert words(shown) == at_80
        is_whole = ("To ", "rcs ", "What it needs: ", "the project's: ", "yours: ")
        wide = [line for line in shown.splitlines() if cells(line) > columns]
        assert [line for line in wide if not line.lstrip().startswith(is_whole)] == []
    piped = day.shown(*LISTS[name], TERM="xterm-256color")
    assert words(piped) == at_80
    piped = piped.replace("kept from stopping 11 min ago", "")  # an age that is a word of a sentence
    assert not re.search(r"\t|\{|yesterday| ago\b", piped)
    for start, whole in BY_LETTERS.items():
        assert piped.count(start) == sum(piped.count(each) for each in IDS if each.startswith(start)), whole


def test_the_line_of_the_hud_is_cut_where_the_terminal_ends(day: BusyDay) -> None:
    assert day.shown("hud", columns=44, NO_COLOR="1") == "rcs: 2 wait for you · 1 working · 1 unread…\n"
