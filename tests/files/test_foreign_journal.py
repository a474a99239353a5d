"""A journal that somebody else wrote, and what cannot be read for the moment."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rcs_hooks.errors import Unavailable
from rcs_hooks.files import paths
from rcs_hooks.files.reading import Reader, Unreadable, read
from tests.files.test_transaction import (
    HERE,
    OLD,
    SEVERAL,
    Record,
    after,
    commit_locked,
    copies,
    found_in,
    killed_at,
    leftovers,
    recover_locked,
    with_old_state,
)
from tests.table import each_row

# --- a journal that somebody else wrote

REMOVE = {"remove": True}
# What leads out of the folder is tried by tests/test_hazards.py.
STRANGE: list[Record] = [
    {"files": [{"path": ".lock"} | REMOVE, {"path": "notes.txt"} | REMOVE]},
    {"files": [{"path": "sessions//s1/./blueprint-state.json"} | REMOVE]},
    {"files": [{"path": "team-state.json\0x.json"} | REMOVE, {"path": "\ud800.json"} | REMOVE]},
    {"files": [{"path": "x" * 300 + ".json"} | REMOVE]},
    {"files": [{"path": "team-state.json", "remove": "yes"}]},
    {"files": {"path": "team-state.json"} | REMOVE},
    {},
]


@each_row("journal", STRANGE)
def test_what_a_strange_journal_names_is_left_alone(tmp_path: Path, journal: Record) -> None:
    folder = with_old_state(tmp_path / "workspace")
    (folder / "notes.txt").touch()
    (folder / paths.JOURNAL).write_text(json.dumps(journal))
    recover_locked(folder)
    assert (folder / "notes.txt").exists()
    assert (found_in(folder), leftovers(folder)) == (OLD, [])


@each_row("text", ["", "[]", '{"files": NaN}', "[" * 5000], ids=repr)
def test_a_journal_that_cannot_be_read_is_dropped(folder: Path, text: str) -> None:
    (folder / paths.JOURNAL).write_text(text)
    recover_locked(folder)
    assert (found_in(folder), leftovers(folder)) == (OLD, [])


def test_a_journal_that_is_a_link_is_removed_and_not_followed(folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "journal.json"
    elsewhere.write_text(json.dumps({"files": [{"path": "team-state.json", "remove": True}]}))
    (folder / paths.JOURNAL).symlink_to(elsewhere)
    recover_locked(folder)
    assert elsewhere.exists()
    assert (found_in(folder), leftovers(folder)) == (OLD, [])


# --- what cannot be read for the moment


def refuse_open(monkeypatch: pytest.MonkeyPatch, name: str, refusal: int) -> None:
    """The system refuses to open a file of that name."""
    system = os.open

    def refusing(path: Any, *args: Any, **options: Any) -> int:
        if os.path.basename(path) == name:
            raise OSError(refusal, os.strerror(refusal), path)
        return system(path, *args, **options)

    monkeypatch.setattr(os, "open", refusing)


def crashed_after_its_journal(state: Path) -> Path:
    """A state folder in which a commit of SEVERAL is made, and hardly any of its files in place."""
    for number, crashed in copies(state):
        assert killed_at(number, lambda crashed=crashed: commit_locked(crashed, SEVERAL))  # type: ignore[misc]  # mypy infers no lambda with a default
        if (crashed / paths.JOURNAL).exists():
            return crashed
    raise AssertionError


@pytest.mark.slow
def test_half_a_commit_is_never_read_as_the_whole_and_is_finished_by_the_next_holder(folder: Path) -> None:
    crashed = crashed_after_its_journal(folder)
    for name in (paths.JOURNAL, "forge-state.json.new"):
        with pytest.MonkeyPatch.context() as moment:
            refuse_open(moment, name, errno.EMFILE)
            with pytest.raises(Unavailable, match="for the moment"):
                Reader(str(crashed)).read(f"{HERE}/forge-state.json")
            if name == paths.JOURNAL:
                with pytest.raises(Unavailable, match=r"\.rcs/state/\.commit\.json cannot be read for the moment"):
                    recover_locked(crashed)
    recover_locked(crashed)
    assert (found_in(crashed), leftovers(crashed)) == (after(SEVERAL), [])


@pytest.mark.parametrize("refusal", [errno.EMFILE, errno.ENFILE, errno.EIO, errno.EACCES, errno.ENOMEM])
def test_a_file_that_cannot_be_read_for_the_moment_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch, refusal: int
) -> None:
    refuse_open(monkeypatch, "team-state.json", refusal)
    found = read(str(folder), "team-state.json")
    assert found == Unreadable("team-state.json", os.strerror(refusal).lower(), refusal)
    assert found.is_momentary


# --- reading


BROKEN: list[tuple[Callable[[Path], object], str]] = [
    (lambda path: path.write_bytes(b""), "it is not JSON"),
    (lambda path: path.write_bytes(b'{"active": tr'), "it is not JSON"),
    (lambda path: path.write_bytes(b'{"x": "\xff"}'), "it is not UTF-8"),
    (lambda path: path.write_bytes(b"[]"), "it is not a JSON object"),
    (lambda path: path.write_bytes(b'{"x": NaN}'), "it is not JSON: NaN is not JSON"),
    (lambda path: path.write_bytes(b"[" * 100_000), "it is not JSON: it is nested too deeply"),
    (lambda path: path.mkdir(), "it is not a file"),
    (os.mkfifo, "it is not a file"),
    (lambda path: path.symlink_to("/dev/zero"), "it is a symbolic link"),
    (lambda path: path.write_bytes(b"{}" + b" " * 9_000_000), "it is too large"),
]


@each_row(("make", "why"), BROKEN)
def test_a_file_that_cannot_be_read_says_why_and_is_never_waited_for(
    tmp_path: Path, make: Callable[[Path], object], why: str
) -> None:
    make(tmp_path / "forge-state.json")
    found = read(str(tmp_path), "forge-state.json")
    assert isinstance(found, Unreadable)
    assert found.path == "forge-state.json"
    assert found.why.startswith(why)
    assert not found.is_momentary


def test_a_file_that_is_not_there_is_none(folder: Path) -> None:
    for path in ("forge-state.json", "gone/forge-state.json", "team-state.json/forge-state.json"):
        assert read(str(folder), path) is None


def test_a_byte_order_mark_is_no_fault(folder: Path) -> None:
    (folder / "forge-state.json").write_bytes(b'\xef\xbb\xbf{"active": true}')
    assert read(str(folder), "forge-state.json") == {"active": True}
