"""The picture of a machine in a terminal: read back by its lines alone it is the machine, and it fits.

`python -m tests.drawing.test_terminal_picture` writes the files in `pictures/` anew; read the diff.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from functools import cache, partial
from itertools import groupby
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks.drawing.canvas import ASCII, JOINTS
from rcs_hooks.drawing.marks import Marks
from rcs_hooks.drawing.terminal_page import page
from rcs_hooks.drawing.terminal_picture import draw
from rcs_hooks.machine.graph import Machine
from rcs_hooks.machine.markdown import MODE_HEADING, machine_in
from rcs_hooks.machine.mermaid import SEPARATOR
from rcs_hooks.runs.workflow_files import SHIPPED
from rcs_hooks.terminal.style import MANY, PLAIN
from rcs_hooks.terminal.width import cells
from tests.drawing.following import Reading
from tests.drawing.test_svg import PICTURES, machine, of_size
from tests.properties import examples
from tests.support import processor
from tests.table import each_row

FOLDER = Path(__file__).parent / "pictures"
WIDTHS = (44, 80, 120, 200)
UNMARKED = Marks.of([], None)
LIFECYCLE = Path(SHIPPED).parent / "tasks" / "lifecycle.md"


def declared() -> dict[str, Machine]:
    """Every machine that ships: those of skills, those of modes, and that of tasks."""
    found = {"lifecycle": machine_in(LIFECYCLE.read_text(), name="lifecycle", file="lifecycle.md")}
    for path in sorted(Path(SHIPPED).glob("*/SKILL.md")):
        name, text = path.parent.name, path.read_text()
        found[name] = machine_in(text, name=name, file=f"{name}/SKILL.md")
        found[f"{name}, mode"] = machine_in(text, name=name, file=f"{name}/SKILL.md", heading=MODE_HEADING)
    return {name: each for name, each in found.items() if each}


SHIPPED_ONES = declared()
LONG = "prepare-" + "the-whole-thing-" * 2 + "again"
HOSTILE = {
    "two that call each other": machine("[*] --> a\na --> b : ask\nb --> a : answer\nb --> [*]"),
    "long names": machine(
        f"[*] --> {LONG}\n{LONG} --> b : a label that takes several lines\nb --> [*] : ok\nb --> {LONG}"
    ),
    "loops": machine("[*] --> a\na --> a : again\na --> b\nb --> b\nb --> a : back to where it began\nb --> [*]"),
    "wide letters": machine(
        "[*] --> 計画\n計画 --> 実行 : 次へ進む\n実行 --> 計画 : 戻る\n計画 : 計画を立てる\n実行 --> [*]"
    ),
    "short texts": machine("[*] --> a\na : Look first\na --> b\nb : Then leap\nb --> [*]"),
    "nothing leads there": machine("[*] --> a\na --> [*]\nx --> a : never\nisland"),
    "several starts": machine("[*] --> a\n[*] --> b\na --> c\nb --> c\nc --> [*]\na --> [*] : at once"),
    "a fan": machine("[*] --> hub\n" + "\n".join(f"hub --> w{n} : to_{n}\nw{n} --> end" for n in range(6))),
    "20 states in a line": machine(
        "[*] --> s0\n" + "\n".join(f"s{n} --> s{n + 1}" for n in range(19)) + "\ns19 --> [*]"
    ),
    "80 states": of_size(80, 120, 3),
    "a tangle": of_size(20, 70, 5),
}
RUNS: dict[str, tuple[str, Sequence[tuple[str, str]], str]] = {
    "a run that goes on": (
        "forge, mode",
        [
            ("[*]", "starting"),
            ("starting", "executing"),
            ("executing", "verifying"),
            ("verifying", "fixing"),
            ("fixing", "verifying"),
            ("verifying", "fixing"),
        ],
        "fixing",
    ),
    "a run that is over": ("blueprint", [("[*]", "detect"), ("detect", "prd"), ("prd", "[*]")], "prd"),
    "a run with loops": (
        "lifecycle",
        [("[*]", "planning"), ("planning", "planning"), ("planning", "planning"), ("planning", "plan_review")],
        "plan_review",
    ),
}
HEAD = "=== {} ===\n"


def edges_of(shown: Machine) -> set[tuple[str, str]]:
    found = {(one, other) for one, other, _ in shown.transitions}
    found |= {("[*]", state) for state in shown.initial}
    return found | {(state, "[*]") for state in shown.terminal}


def lines_of(shown: Machine, width: int | None, marks: Marks = UNMARKED) -> list[str] | str:
    picture = draw(shown, marks, width)
    return picture if isinstance(picture, str) else picture.canvas.lines(PLAIN)


@cache
def views() -> dict[str, dict[str, str]]:
    """The text of each file: by its name, each view of it."""
    files: dict[str, dict[str, str]] = {}
    for folder, table in (("shipped", SHIPPED_ONES), ("hostile", HOSTILE)):
        for name, each in table.items():
            file = f"{folder} {name}".replace(",", "").replace(" ", "-")
            shown = [(width, _shown(page(each, UNMARKED, width, PLAIN))) for width in WIDTHS]
            groups = [(text, list(group)) for text, group in groupby(shown, key=lambda pair: pair[1])]
            files[file] = {f"{', '.join(str(width) for width, _ in group)} columns": text for text, group in groups}
    for name, (which, path, current) in RUNS.items():
        each, marks = SHIPPED_ONES[which], Marks.of(path, current)
        files[name.replace(" ", "-")] = {
            "80 columns, NO_COLOR": _shown(page(each, marks, 80, PLAIN)),
            "80 columns, 256 colours": _shown(page(each, marks, 80, MANY)),
            "80 columns, ASCII": _shown(page(each, marks, 80, PLAIN, is_ascii=True)),
        }
    return files


def _shown(lines: list[str] | str) -> str:
    text = f"(not drawn: {lines})" if isinstance(lines, str) else "\n".join(lines)
    return re.sub(r"\x1b\[([0-9;]*)m", r"{\1}", text) + "\n"


def text_of(file: Mapping[str, str]) -> str:
    return "".join(HEAD.format(view) + text for view, text in file.items())


# --- against files


@each_row("name", views())
def test_a_machine_is_shown_as_its_file_says(name: str) -> None:
    assert text_of(views()[name]) == (FOLDER / f"{name}.txt").read_text()


def test_there_is_no_other_file() -> None:
    assert sorted(path.stem for path in FOLDER.iterdir()) == sorted(views())


# --- read back


@each_row("name", [*SHIPPED_ONES, *HOSTILE, *PICTURES])
def test_whoever_follows_the_lines_finds_the_machine(name: str) -> None:
    shown = (SHIPPED_ONES | HOSTILE | PICTURES)[name]
    for width in (*WIDTHS, None):
        lines = lines_of(shown, width)
        if isinstance(lines, list):
            assert Reading(lines, shown.states).edges() == edges_of(shown)
            assert width is None or max(map(cells, lines)) <= width


@st.composite
def machines(draw_: st.DrawFn) -> Machine:
    count = draw_(st.integers(1, 12))
    names = [f"{'step-' * (number % 3)}{number}" for number in range(count)]
    some = st.sampled_from(names)
    words = st.sampled_from(["", " : ok", " : check_fails", " : and so it goes on", f" : {'long ' * 30}"])
    pairs = draw_(st.lists(st.tuples(some, some, words), max_size=2 * count))
    lines = [f"[*] --> {name}" for name in draw_(st.lists(some, min_size=1, max_size=2))]
    lines += [f"{one} --> {other}{label}" for one, other, label in pairs]
    lines += [f"{name} --> [*]" for name in draw_(st.lists(some, max_size=3))]
    return machine("\n".join([*lines, *names]))


@given(machines(), st.integers(20, 200), st.data())
@examples(300)
def test_any_machine_can_be_read_back_with_and_without_a_run(shown: Machine, width: int, data: st.DataObject) -> None:
    path = data.draw(st.lists(st.sampled_from(sorted(edges_of(shown))), max_size=6))
    current = data.draw(st.sampled_from([None, *shown.states]))
    for marks in (UNMARKED, Marks.of(path, current)):
        lines = lines_of(shown, width, marks)
        if isinstance(lines, list):
            assert Reading(lines, shown.states).edges() == edges_of(shown)
            assert max(map(cells, lines)) <= width


@given(machines())
@examples(100)
def test_the_same_machine_gives_the_same_picture(shown: Machine) -> None:
    assert lines_of(shown, 120) == lines_of(shown, 120)


# --- what is written where


@each_row("name", SHIPPED_ONES)
def test_every_label_and_text_is_there_whole(name: str) -> None:
    shown = SHIPPED_ONES[name]
    for width in WIDTHS:
        lines = page(shown, UNMARKED, width, PLAIN)
        if isinstance(lines, str):
            continue
        words = " ".join(" ".join(lines).split())
        joined = [label for *_, label in shown.transitions] + list(shown.endings.values())
        labels = [label for each in joined if each for label in each.split(SEPARATOR)]
        assert [label for label in labels if label not in words] == []
        told = " ".join(word for text in shown.labels.values() for word in text.split())
        assert set(told.split()) <= set(words.split())


def test_numbers_are_given_where_labels_do_not_fit_and_nowhere_else() -> None:
    shown = SHIPPED_ONES["forge, mode"]
    wide, narrow = draw(shown, UNMARKED, 80), draw(shown, UNMARKED, 44)
    assert not isinstance(wide, str)
    assert not isinstance(narrow, str)
    assert wide.key == []
    assert narrow.key == [
        "checklist_is_run", "change_is_whole", "check_fails", "cause_is_repaired", "approach_is_wrong", "all_pass",
    ]  # fmt: skip


def test_a_label_with_control_characters_moves_no_cursor() -> None:
    shown = Machine(
        "m", "", ["a", "b"], {"a": "one\x1b[2J two\u202e"}, ["a"], ["b"], [("a", "b", "x\x1b]0;y\x07\u200b")]
    )
    lines = page(shown, UNMARKED, 80, PLAIN)
    assert isinstance(lines, list)
    assert all(line.isprintable() for line in lines)


def test_marks_change_no_place() -> None:
    shown = SHIPPED_ONES["build"]
    path = [("[*]", "requirements"), ("requirements", "design")]
    plain, marked = lines_of(shown, 80), lines_of(shown, 80, Marks.of(path, "design"))
    assert isinstance(plain, list)
    assert isinstance(marked, list)
    assert list(map(len, plain)) == list(map(len, marked))
    assert [re.findall(r"\w+", line) for line in plain] == [re.findall(r"\w+", line) for line in marked]


def test_in_ascii_no_other_character_is_left() -> None:
    for which, path, current in RUNS.values():
        lines = page(SHIPPED_ONES[which], Marks.of(path, current), 120, PLAIN, is_ascii=True)
        assert "\n".join(lines).isascii()
    assert all(
        char in ASCII or char in "┌┍┎┏┐┑┒┓└┕┖┗┘┙┚┛├┝┞┟┠┡┢┣┤┥┦┧┨┩┪┫┬┭┮┯┰┱┲┳┴┵┶┷┸┹┺┻┽┾╀╁╃╄╅╆╇╈╉╊ " for char in JOINTS
    )


# --- what is not drawn


@each_row(
    "shown, width, why",
    [
        (HOSTILE["80 states"], 200, "80 steps are too many for a picture"),
        (HOSTILE["a tangle"], 400, "too many lines would run side by side in a picture"),
        (HOSTILE["long names"], 44, "a picture of it is 49 columns wide"),
        (PICTURES["30 states"], 400, "its lines would cross 51 times in a picture"),
    ],
)
def test_what_nobody_could_follow_is_not_drawn(shown: Machine, width: int | None, why: str) -> None:
    assert draw(shown, UNMARKED, width) == why


def test_60_steps_are_drawn_and_no_more() -> None:
    def line(count: int) -> Machine:
        return machine("[*] --> s0\n" + "\n".join(f"s{n} --> s{n + 1}" for n in range(count - 1)))

    assert isinstance(lines_of(line(60), 44), list)
    assert lines_of(line(61), 44) == "61 steps are too many for a picture"


def test_a_machine_of_any_size_is_drawn_or_refused_at_once() -> None:
    dice = random.Random(7)
    dense = [f"s{one} --> s{other}" for one in range(60) for other in range(60) if dice.random() < 0.05]
    for shown in (of_size(60, 118, 9), machine("\n".join(["[*] --> s0", *dense])), of_size(400, 800, 4)):
        assert processor(partial(draw, shown, UNMARKED, 200)) < 5


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, file in views().items():
        (FOLDER / f"{name}.txt").write_text(text_of(file))
