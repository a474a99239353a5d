"""The one reader of files of unknown origin: bounded, never waiting, and through a link only where that is meant."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.files.bounded import open_regular, read_bytes, read_ends

if TYPE_CHECKING:
    from pathlib import Path

TEXT = b"0123456789"


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "file"
    path.write_bytes(TEXT)
    return str(path)


@pytest.mark.parametrize("most", [0, 1, 9, 10, 11, 1 << 30])
def test_no_more_is_read_than_was_asked_for(file: str, most: int) -> None:
    assert read_bytes(file, most) == TEXT[:most]


@pytest.mark.parametrize(
    ("head", "tail", "ends"),
    [
        pytest.param(3, 4, (b"012", b"6789"), id="both ends of a long file"),
        pytest.param(3, 9, (b"012", b"123456789"), id="one byte too long for the tail"),
        pytest.param(3, 10, (b"", TEXT), id="a file that fits into the tail"),
        pytest.param(0, 4, (b"", b"6789"), id="the tail alone"),
    ],
)
def test_the_ends_of_a_file(file: str, head: int, tail: int, ends: tuple[bytes, bytes]) -> None:
    assert read_ends(file, head, tail) == ends


def test_a_link_is_followed_only_where_the_caller_says_so(file: str, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(file)
    for read in (open_regular, lambda path: read_bytes(path, 5), lambda path: read_ends(path, 5, 5)):
        with pytest.raises(OSError, match="symbolic link"):
            read(str(link))
    assert read_bytes(str(link), 5, through_links=True) == TEXT[:5]


@pytest.mark.parametrize("kind", ["pipe", "folder", "device"])
def test_nothing_but_a_regular_file_is_read_or_waited_for(tmp_path: Path, kind: str) -> None:
    path = "/dev/zero" if kind == "device" else str(tmp_path / "it")
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        os.mkdir(path)
    before = len(os.listdir("/proc/self/fd"))
    assert open_regular(path) is None
    assert read_bytes(path, 5, through_links=True) is None
    assert read_ends(path, 5, 5) is None
    assert len(os.listdir("/proc/self/fd")) == before, "a descriptor was left open"
