"""A journal that somebody else wrote, and what cannot be read for the moment."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rcs_hooks.errors import Unavailable
from rcs_hooks.files import paths
from rcs_hooks.files.reading import Reader, Unreadable, read
from tests.table import each_row

if TYPE_CHECKING:
    from collections.abc import Callable
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
)

# --- a journal that somebody else wrote

STRANGE = [
    pytest.param({"files": [{"path": "../outside/victim.json"}]}, id="a way up"),
    pytest.param({"files": [{"path": "sessions/../../outside/victim.json"}]}, id="a way up in the middle"),
    pytest.param({"files": [{"path": "{outside}/victim.json"}]}, id="an absolute path"),
    pytest.param({"files": [{"path": "../outside/victim.json", "remove": True}]}, id="a way up, to be removed"),
    pytest.param({"files": [{"path": "{outside}/victim.json", "remove": True}]}, id="an absolute path, to be removed"),
    pytest.param({"files": [{"path": ".lock", "remove": True}]}, id="the lock"),
    pytest.param({"files": [{"path": "notes.txt", "remove": True}]}, id="no state file"),
    pytest.param(
        {"files": [{"path": "sessions//s1/./blueprint-state.json", "remove": True}]}, id="empty and dotted parts"
    ),
    pytest.param({"files": [{"path": "team-state.json\0x.json", "remove": True}]}, id="a zero byte"),
    pytest.param({"files": [{"path": "\ud800.json", "remove": True}]}, id="half a surrogate pair"),
    pytest.param({"files": [{"path": "x" * 300 + ".json", "remove": True}]}, id="a name that is too long"),
    pytest.param({"files": [{"path": ["team-state.json"], "remove": True}, 7, None, []]}, id="entries of other types"),
    pytest.param({"files": [{"path": "team-state.json", "remove": "yes"}]}, id="a flag of another type"),
    pytest.param({"files": {"path": "team-state.json", "remove": True}}, id="no list"),
    pytest.param({}, id="nothing"),
]


@pytest.mark.parametrize("journal", STRANGE)
def test_what_a_strange_journal_names_is_left_alone(folder: Path, journal: Record) -> None:
    outside = folder.parent / "outside"
    outside.mkdir()
    for place in (outside / "victim.json", outside / "victim.json.new", folder / "notes.txt"):
        place.write_text("{}")
    before = sorted(outside.iterdir())
    (folder / paths.JOURNAL).write_text(json.dumps(journal).replace("{outside}", str(outside)))
    recover_locked(folder)
    assert sorted(outside.iterdir()) == before
    assert (folder / "notes.txt").exists()
    assert (found_in(folder), leftovers(folder)) == (OLD, [])


@each_row("text", ["", "{", "[]", "7", '{"files": NaN}', "[" * 5000], ids=repr)
def test_a_journal_that_cannot_be_read_is_dropped(folder: Path, text: str) -> None:
    (folder / paths.JOURNAL).write_text(text)
    recover_locked(folder)
    assert (found_in(folder), leftovers(folder)) == (OLD, [])


def test_a_journal_that_leads_out_over_a_link_touches_nothing(folder: Path) -> None:
    outside = folder.parent / "outside"
    outside.mkdir()
    for name in ("victim.json", "victim.json.new"):
        (outside / name).write_text("{}")
    (folder / "exit").symlink_to(outside)
    for remove in (True, False):
        (folder / paths.JOURNAL).write_text(json.dumps({"files": [{"path": "exit/victim.json", "remove": remove}]}))
        recover_locked(folder)
    assert sorted(path.name for path in outside.iterdir()) == ["victim.json", "victim.json.new"]
    assert found_in(folder) == OLD


def test_a_journal_that_is_a_link_is_removed_and_not_followed(folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "journal.json"
    elsewhere.write_text(json.dumps({"files": [{"path": "team-state.json", "remove": True}]}))
    (folder / paths.JOURNAL).symlink_to(elsewhere)
    recover_locked(folder)
    assert elsewhere.exists()
    assert (found_in(folder), leftovers(folder)) == (OLD, [])


# --- what cannot be read for the moment


MOMENTARY = (errno.EMFILE, errno.ENFILE, errno.EIO, errno.EACCES, errno.ENOMEM)
each_moment = pytest.mark.parametrize(
    "refusal",
    [
        pytest.param(each, id=errno.errorcode[each], marks=() if each == errno.EMFILE else pytest.mark.slow)
        for each in MOMENTARY
    ],
)


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
@each_moment
def test_a_journal_that_cannot_be_read_for_the_moment_is_finished_by_the_next_holder(
    folder: Path, refusal: int
) -> None:
    crashed = crashed_after_its_journal(folder)
    with pytest.MonkeyPatch.context() as moment:
        refuse_open(moment, paths.JOURNAL, refusal)
        with pytest.raises(Unavailable, match=r"\.rcs/state/\.commit\.json cannot be read for the moment"):
            recover_locked(crashed)
    recover_locked(crashed)
    assert (found_in(crashed), leftovers(crashed)) == (after(SEVERAL), [])


@pytest.mark.slow
@each_moment
@pytest.mark.parametrize("name", [paths.JOURNAL, "forge-state.json.new"])
def test_half_a_commit_is_never_read_as_the_whole(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, refusal: int
) -> None:
    crashed = crashed_after_its_journal(folder)
    refuse_open(monkeypatch, name, refusal)
    with pytest.raises(Unavailable, match="for the moment"):
        Reader(str(crashed)).read(f"{HERE}/forge-state.json")


@each_moment
def test_a_file_that_cannot_be_read_for_the_moment_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch, refusal: int
) -> None:
    refuse_open(monkeypatch, "team-state.json", refusal)
    found = read(str(folder), "team-state.json")
    assert found == Unreadable("team-state.json", os.strerror(refusal).lower(), refusal)
    assert found.is_momentary


# --- reading


def broken_files() -> dict[str, tuple[Callable[[Path], object], str]]:
    return {
        "nothing": (lambda path: path.write_bytes(b""), "it is not JSON"),
        "cut JSON": (lambda path: path.write_bytes(b'{"active": tr'), "it is not JSON"),
        "not UTF-8": (lambda path: path.write_bytes(b'{"x": "\xff"}'), "it is not UTF-8"),
        "a list": (lambda path: path.write_bytes(b"[]"), "it is not a JSON object"),
        "NaN": (lambda path: path.write_bytes(b'{"x": NaN}'), "it is not JSON: NaN is not JSON"),
        "deep nesting": (lambda path: path.write_bytes(b"[" * 100_000), "it is not JSON: it is nested too deeply"),
        "a folder": (lambda path: path.mkdir(), "it is not a file"),
        "a pipe": (os.mkfifo, "it is not a file"),
        "a link": (lambda path: path.symlink_to("team-state.json"), "it is a symbolic link"),
        "a loop": (lambda path: path.symlink_to(path.name), "it is a symbolic link"),
        "a device": (lambda path: path.symlink_to("/dev/zero"), "it is a symbolic link"),
        "9 MB": (lambda path: path.write_bytes(b"{}" + b" " * 9_000_000), "it is too large"),
    }


@pytest.mark.parametrize(("make", "why"), broken_files().values(), ids=broken_files().keys())
def test_a_file_that_cannot_be_read_says_why_and_is_never_waited_for(
    folder: Path, make: Callable[[Path], object], why: str
) -> None:
    make(folder / "forge-state.json")
    found = read(str(folder), "forge-state.json")
    assert isinstance(found, Unreadable)
    assert found.path == "forge-state.json"
    assert found.why.startswith(why)
    assert not found.is_momentary


@pytest.mark.parametrize("path", ["forge-state.json", "gone/forge-state.json", "team-state.json/forge-state.json"])
def test_a_file_that_is_not_there_is_none(folder: Path, path: str) -> None:
    assert read(str(folder), path) is None


def test_a_byte_order_mark_is_no_fault(folder: Path) -> None:
    (folder / "forge-state.json").write_bytes(b'\xef\xbb\xbf{"active": true}')
    assert read(str(folder), "forge-state.json") == {"active": True}
