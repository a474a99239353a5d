"""Tables at each width: what wraps, what never does, and what a pipe gets. The expected lines are written by hand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks.terminal.style import BAD, FEW, STRONG
from rcs_hooks.terminal.table import Cell, Column, Heading, Row, render
from rcs_hooks.terminal.width import cells
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
AT_60 = """\
TITLE                       STATUS   ROUND  ID
fix the ledger of the bank  waiting      2  3f2a9c01
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
AT_40 = """\
TITLE           STATUS   ROUND  ID
fix the ledger  waiting      2  3f2a9c01
of the bank
write           running     12  r2
  it asks: which one of the two?
  To see it:
  rcs runs show r2 --project /home/a
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
AT_24 = """\
fix the ledger of the
bank
  waiting  round 2
  3f2a9c01
write
  running  round 12  r2
  it asks: which one of
  the two?
  To see it:
rcs runs show r2 --project /home/a
"""


def shown(width: int | None, *rows: Row | Heading, columns: tuple[Column, ...] = COLUMNS) -> str:
    return "".join(f"{line}\n" for line in render(rows, columns, width))


@each_row(("width", "expected"), [
    (None, PIPED), (200, AT_60), (60, AT_60), (50, AT_50), (40, AT_40), (38, AT_38),
    (37, AT_37), (24, AT_24),
])  # fmt: skip
def test_a_table(width: int | None, expected: str) -> None:
    assert shown(width, *ROWS) == expected


def test_a_column_without_text_is_left_out() -> None:
    assert shown(80, Row(("fix", "waiting", "", "r1"))) == "TITLE  STATUS   ID\nfix    waiting  r1\n"


def test_without_rows_there_is_nothing() -> None:
    assert shown(80) == ""


def test_a_word_that_is_wider_than_its_column_stays_whole_and_the_others_keep_theirs() -> None:
    rows = (ROWS[0], Row(("see /home/ada/ledger/parser.py", "failed", "3", "r3")))
    assert shown(50, *rows) == (
        "TITLE                  STATUS   ROUND  ID\n"
        "fix the ledger of the  waiting      2  3f2a9c01\n"
        "bank\n"
        "see /home/ada/ledger/parser.py\n"
        "                       failed       3  r3\n"
    )


def test_headings_share_one_table_and_indent_it() -> None:
    rows = (Heading("Runs (1)"), ROWS[0], Heading("Tasks (1)"), Row(("login", "codegen", "", "")))
    assert shown(80, *rows, columns=tuple(column._replace(title="") for column in COLUMNS)) == (
        "Runs (1)\n"
        "  fix the ledger of the bank  waiting  2  3f2a9c01\n"
        "\n"
        "Tasks (1)\n"
        "  login                       codegen\n"
    )


def test_columns_that_lead_stay_on_the_first_line() -> None:
    columns = (Column("WHEN", leads=True), Column("MODE", leads=True), Column("WHAT", is_flexible=True, least=30))
    row = Row(("14:02", "forge", "asked which database it may use for the tests"))
    assert shown(43, row, columns=columns) == ("14:02  forge\n  asked which database it may use for the\n  tests\n")


def test_wide_letters_keep_the_columns_straight() -> None:
    rows = (Row(("漢字の題", "waiting", "1", "r1")), Row(("cafe\u0301 x", "failed", "2", "r2")))
    assert shown(80, *rows) == (
        "TITLE     STATUS   ROUND  ID\n漢字の題  waiting      1  r1\ncafe\u0301 x    failed       2  r2\n"
    )


def test_colours_go_round_the_words_alone() -> None:
    row = Row((Cell("fix the ledger of the bank", STRONG), Cell("failed", BAD), "2", "3f2a9c01"))
    assert render([row], COLUMNS, 48, FEW)[1:] == [
        "\x1b[1mfix the ledger of the\x1b[0m  \x1b[31mfailed\x1b[0m      2  3f2a9c01",
        "\x1b[1mbank\x1b[0m",
    ]


def test_a_cell_that_fills_the_second_line_alone_wraps_there() -> None:
    columns = (Column("TITLE"), Column("RULES", is_flexible=True, least=60), Column("ID"))
    row = Row(("$release", "after blueprint; beside team, forge", "r1"))
    assert shown(24, row, columns=columns) == "$release\n  after blueprint;\n  beside team, forge\n  r1\n"


def test_an_id_that_is_wider_than_the_terminal_stays_whole() -> None:
    row = Row(("fix", "waiting", "2", "3f2a9c01-1111-4222-8333"))
    assert shown(20, row) == "fix\n  waiting  round 2\n  3f2a9c01-1111-4222-8333\n"


def test_a_path_with_blanks_stays_whole() -> None:
    row = Row(("fix", "waiting", "2", "/home/ada/my own ledger"))
    assert shown(20, row) == "fix\n  waiting  round 2\n  /home/ada/my own ledger\n"


def test_a_control_character_is_one_blank() -> None:
    assert shown(80, Row(("a\x1bb\x07", "", "", ""))) == "TITLE\na b\n"


def test_no_control_character_of_a_stranger_comes_through() -> None:
    hostile = "a\x1b[31m\x07\n\tb\u202e\x9b1m"
    rows = (Heading(hostile), Row((hostile, hostile, hostile, hostile), (hostile,), ((hostile, hostile),)))
    for width in (None, 20, 80):
        assert all(line.isprintable() for line in render(rows, COLUMNS, width))


WORDS = st.text("ab漢é ", max_size=60)


@given(st.lists(st.tuples(WORDS, WORDS, WORDS, WORDS), max_size=6), st.integers(20, 120))
def test_at_every_width_each_word_is_there_once_and_whole(rows: list[tuple[str, ...]], width: int) -> None:
    lines = render([Row(row) for row in rows], COLUMNS, width)
    found = "".join(lines).replace("round", "").replace(" ", "")
    for column in COLUMNS:
        found = found.replace(column.title, "")
    assert sorted(found) == sorted("".join("".join(row) for row in rows).replace(" ", ""))
    assert all(line == line.rstrip() for line in lines)


@given(st.lists(st.text("ab ", max_size=80), min_size=1, max_size=6), st.integers(44, 120))
def test_where_words_are_short_no_line_is_wider_than_the_terminal(titles: list[str], width: int) -> None:
    rows = [Row((title.replace("aaaa", " ").replace("bbbb", " "), "waiting", "2", "3f2a9c01")) for title in titles]
    most = max(len(word) for row in rows for word in (*str(row.cells[0]).split(), ""))
    assert all(cells(line) <= max(width, most) for line in render(rows, COLUMNS, width))
