"""Each list at 44, 80, 120 and 200 columns, in colours of both kinds, and through a pipe, against a file.

A colour is one number for dark and light terminals, so there is one picture for both: `test_style.py` holds that each
can be read on black and on white. The files are written by hand: what a person wants to see there, before the program
shows it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rcs_hooks.terminal.width import cells
from tests.support import NOW
from tests.table import each_row
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
PLAIN = {"NO_COLOR": "1", "TERM": "xterm-256color"}
VIEWS: dict[str, tuple[int | None, dict[str, str]]] = {
    "44 columns, NO_COLOR": (44, PLAIN),
    "80 columns, NO_COLOR": (80, PLAIN),
    "120 columns, NO_COLOR": (120, PLAIN),
    "200 columns, NO_COLOR": (200, PLAIN),
    "80 columns, 256 colours": (80, {"TERM": "xterm-256color"}),
    "80 columns, 16 colours": (80, {"TERM": "xterm"}),
    "piped": (None, {"TERM": "xterm-256color"}),
}
COLOUR = re.compile(r"\{[0-9]+\}")


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BusyDay]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        made = BusyDay(tmp_path_factory.mktemp("day"))
        patch.setattr(time, "time", lambda: NOW)
        yield made
    time.tzset()


def expected(name: str) -> dict[str, str]:
    """The views of a list in its file, by their names."""
    _, *parts = re.split(r"^=== (.*) ===\n", (FOLDER / f"{name}.txt").read_text(), flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


@pytest.mark.parametrize("name", LISTS)
def test_a_list_is_shown_as_its_file_says(name: str, day: BusyDay) -> None:
    views = expected(name)
    assert list(views) == list(VIEWS)
    for view, (columns, env) in VIEWS.items():
        assert day.shown(*LISTS[name], columns=columns, **env) == views[view], view


@pytest.mark.parametrize("name", LISTS)
def test_colours_change_no_word_and_no_place(name: str, day: BusyDay) -> None:
    for columns in (44, 80, 120, 200):
        plain = day.shown(*LISTS[name], columns=columns, **PLAIN)
        assert "{" not in plain
        for term in ("xterm", "xterm-256color"):
            coloured = day.shown(*LISTS[name], columns=columns, TERM=term)
            assert coloured != plain
            assert COLOUR.sub("", coloured) == plain
        assert day.shown(*LISTS[name], columns=columns, TERM="dumb") == plain


@each_row("name", LISTS)
def test_only_a_path_or_a_command_is_wider_than_the_terminal(name: str) -> None:
    for view, text in expected(name).items():
        columns = VIEWS[view][0] or 10**6
        for line in text.splitlines():
            is_whole = line.lstrip().startswith(("To ", "rcs ", "What it needs: ", "the project's: ", "yours: "))
            assert is_whole or cells(COLOUR.sub("", line)) <= columns, line


@each_row("name", LISTS)
def test_through_a_pipe_no_id_and_no_time_is_shortened(name: str) -> None:
    piped = expected(name)["piped"].replace("kept from stopping 11 min ago", "")  # an age that is a word of a sentence
    assert not re.search(r"\t|\{|yesterday| ago\b", piped)
    for start in {each[:8] for each in IDS}:
        assert piped.count(start) == sum(piped.count(each) for each in IDS if each.startswith(start))
