"""Tables at each width: what wraps, what never does, and what a pipe gets. The expected lines are written by hand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks.terminal.style import BAD, FEW, STRONG
from rcs_hooks.terminal.table import Cell, Column, Heading, Row, render
from tests.table import each_row

COLUMNS = (
    Column("TITLE", is_flexible=True, least=12),
    Column("STATUS"),
    Column("ROUND", is_number=True, label="round {}"),
    Column("ID"),
)
ROWS = (
    Row(("fix the ledger of the bank", "waiting", "2", Cell("3f2a9c01", full="3f2a9c01-1111-4222"))),
    Row(
        ("write", "running", "12", "r2"),
        ("it asks: which one of the two?",),
        (("To see it", "rcs runs show r2 --project /home/a"),),
    ),
)

PIPED = """\
TITLE                       STATUS   ROUND  ID
fix the ledger of the bank  waiting      2  3f2a9c01-1111-4222
write                       running     12  r2
  it asks: which one of the two?
  To see it: rcs runs show r2 --project /home/a
"""
AT_50 = """\
TITLE                  STATUS   ROUND  ID
fix the ledger of the  waiting      2  3f2a9c01
bank
write                  running     12  r2
  it asks: which one of the two?
  To see it: rcs runs show r2 --project /home/a
"""
AT_38 = """\
TITLE      STATUS   ROUND  ID
fix the    waiting      2  3f2a9c01
ledger of
the bank
write      running     12  r2
  it asks: which one of the two?
  To see it:
  rcs runs show r2 --project /home/a
"""
AT_37 = """\
fix the ledger of the bank
  waiting  round 2   3f2a9c01
write
  running  round 12  r2
  it asks: which one of the two?
  To see it:
  rcs runs show r2 --project /home/a
"""


def shown(width: int | None, *rows: Row | Heading, columns: tuple[Column, ...] = COLUMNS) -> str:
    return "".join(f"{line}\n" for line in render(rows, columns, width))


@each_row(("width", "expected"), [
    (None, PIPED), (60, PIPED.replace("-1111-4222", "")), (50, AT_50), (38, AT_38), (37, AT_37),
])  # fmt: skip
def test_a_table(width: int | None, expected: str) -> None:
    assert shown(width, *ROWS) == expected


def test_a_word_that_is_wider_than_its_column_stays_whole_and_the_others_keep_theirs() -> None:
    rows = (ROWS[0], Row(("see /home/ada/ledger/parser.py", "failed", "3", "r3")))
    assert shown(50, *rows) == (
        "TITLE                  STATUS   ROUND  ID\n"
        "fix the ledger of the  waiting      2  3f2a9c01\n"
        "bank\n"
        "see /home/ada/ledger/parser.py\n"
        "                       failed       3  r3\n"
    )


ID = "3f2a9c01-1111-4222-8333"
PATH = "/home/ada/my own ledger"
ODD: list[tuple[int, tuple[str, ...], str]] = [
    # the width, the cells, what is shown
    (80, ("fix", "waiting", "", "r1"), "TITLE  STATUS   ID\nfix    waiting  r1\n"),
    (80, ("漢字の題", "waiting", "1", "r1"), "TITLE     STATUS   ROUND  ID\n漢字の題  waiting      1  r1\n"),
    (80, ("a\x1bb\x07", "", "", ""), "TITLE\na b\n"),
    (20, ("fix", "waiting", "2", ID), f"fix\n  waiting  round 2\n  {ID}\n"),
    (20, ("fix", "waiting", "2", PATH), f"fix\n  waiting  round 2\n  {PATH}\n"),
]


@each_row(("width", "row", "expected"), ODD)
def test_an_odd_row(width: int, row: tuple[str, ...], expected: str) -> None:
    assert shown(width, Row(row)) == expected
    assert shown(width) == ""


def test_headings_share_one_table_and_indent_it() -> None:
    rows = (Heading("Runs (1)"), ROWS[0], Heading("Tasks (1)"), Row(("login", "codegen", "", "")))
    assert shown(80, *rows, columns=tuple(column._replace(title="") for column in COLUMNS)) == (
        "Runs (1)\n"
        "  fix the ledger of the bank  waiting  2  3f2a9c01\n"
        "\n"
        "Tasks (1)\n"
        "  login                       codegen\n"
    )


def test_colours_go_round_the_words_alone() -> None:
    row = Row((Cell("fix the ledger of the bank", STRONG), Cell("failed", BAD), "2", "3f2a9c01"))
    assert render([row], COLUMNS, 48, FEW)[1:] == [
        "\x1b[1mfix the ledger of the\x1b[0m  \x1b[31mfailed\x1b[0m      2  3f2a9c01",
        "\x1b[1mbank\x1b[0m",
    ]


WORDS = st.text("ab漢é ", max_size=60)


@given(st.lists(st.tuples(WORDS, WORDS, WORDS, WORDS), max_size=6), st.integers(20, 120))
def test_at_every_width_each_word_is_there_once_and_whole(rows: list[tuple[str, ...]], width: int) -> None:
    lines = render([Row(row) for row in rows], COLUMNS, width)
    found = "".join(lines).replace("round", "").replace(" ", "")
    for column in COLUMNS:
        found = found.replace(column.title, "")
    assert sorted(found) == sorted("".join("".join(row) for row in rows).replace(" ", ""))
    assert all(line == line.rstrip() for line in lines)
