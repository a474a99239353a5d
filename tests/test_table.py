"""What `tests.table.each_row` promises: every row is tried, by itself, and those that fail are named."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.table import each_row


@pytest.fixture
def folders(tmp_path: Path) -> Iterator[Path]:
    return (tmp_path / str(number) for number in itertools.count())


def test_rows_that_fail_are_named_and_the_others_are_tried(folders: Iterator[Path]) -> None:
    tried = []

    @each_row("number", [1, 2, pytest.param(3, id="three"), 4])
    def check(number: int) -> None:
        tried.append(number)
        assert number % 2 == 0

    with pytest.raises(ExceptionGroup, match="2 of 4 rows fail: 1; three") as caught:
        check(_folders=folders)
    assert tried == [1, 2, 3, 4]
    assert [error.__notes__ for error in caught.value.exceptions] == [["row: 1"], ["row: three"]]


def test_a_row_that_ought_to_raise_and_does_not_fails(folders: Iterator[Path]) -> None:
    @each_row(("text", "base"), [("x", 10), ("7", 10)], ids=["a letter", "a digit"])
    def check(text: str, base: int) -> None:
        with pytest.raises(ValueError, match="invalid literal"):
            int(text, base)

    with pytest.raises(BaseExceptionGroup, match="1 of 2 rows fail: a digit"):
        check(_folders=folders)


def test_each_row_has_a_folder_a_home_and_patches_of_its_own(folders: Iterator[Path]) -> None:
    homes = []

    @each_row("row", "ab", ids=str.upper)
    def check(row: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        assert not any(tmp_path.iterdir())
        assert "ROW" not in os.environ
        (tmp_path / row).touch()
        monkeypatch.setenv("ROW", row)
        homes.append(os.environ["HOME"])

    before = dict(os.environ)
    check(_folders=folders)
    assert os.environ == before
    assert len(set(homes)) == 2


@each_row("first", [1, 2])
@each_row("second", [10, 20])
@pytest.mark.parametrize("third", [100])
def test_tables_multiply_and_know_pytests_own(first: int, second: int, third: int) -> None:
    assert first < second < third
