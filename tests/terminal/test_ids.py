"""Short ids, and back from what a person typed to the whole id."""

from __future__ import annotations

import pytest

from rcs_hooks.errors import Refused
from rcs_hooks.terminal.ids import folder_names, resolve, short, telling_length
from tests.table import each_row

ONE, OTHER = "01890a5d-ac96-7000-8000-000000000001", "01890a5d-b123-7000-8000-000000000002"
KNOWN = (ONE, OTHER, "login", "login-page", "q-1f2e3d4c5b")


@each_row(("names", "length"), [
    ([], 8),
    (["0123456789"], 8),
    (["01234567-89", "89abcdef-01"], 8),
    ([ONE, OTHER, "f0000000-0000"], 10),
])  # fmt: skip
def test_so_many_letters_tell_ids_apart(names: list[str], length: int) -> None:
    assert telling_length(names) == length


def test_only_a_long_id_is_shortened() -> None:
    assert [short(ONE), short(ONE, 10), short("login-of-ada#12")] == ["01890a5d", "01890a5d-a", "login-of-ada#12"]
    assert short("login-of-ada#123") == "login-of"


@each_row(("typed", "meant"), [
    (ONE, ONE),
    ("01890a5d-a", ONE),
    ("login", "login"),
    ("login-", "login-page"),
    ("q-1", "q-1"),
    ("other", "other"),
])  # fmt: skip
def test_the_first_letters_mean_the_one_id_that_begins_with_them(typed: str, meant: str) -> None:
    assert resolve(typed, KNOWN) == meant


def test_of_very_many_candidates_five_are_named() -> None:
    with pytest.raises(Refused, match=r"^9 tasks begin with task; say which one:\n(task-\d\n){5}and 4 more$"):
        resolve("task", [f"task-{number}" for number in range(9)], "task")


@each_row(("paths", "names"), [
    (["/home/ada/ledger", "/home/ada/shop"], ["ledger", "shop"]),
    (["/home/ada/shop/api", "/home/ada/ledger/api", "/srv/web"], ["shop/api", "ledger/api", "web"]),
    (["/a/x", "/a"], ["x", "/a"]),
    (["/b/a", "/c/b/a"], ["/b/a", "/c/b/a"]),
    (["/"], ["/"]),
])  # fmt: skip
def test_a_folder_is_called_by_as_much_of_its_path_as_tells_it_from_others(paths: list[str], names: list[str]) -> None:
    assert list(folder_names(paths).values()) == names
