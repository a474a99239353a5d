"""The folders that a commit writes into: made, exchanged for a link, or not there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rcs_hooks.errors import UnsafePath
from rcs_hooks.files.preparation import prepare
from rcs_hooks.files.transaction import Write, commit

if TYPE_CHECKING:
    from collections.abc import Callable
from tests.files.test_transaction import SEVERAL

# --- folders


def test_a_workspace_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(UnsafePath, match="is not there"):
        prepare(str(tmp_path / "gone"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("left", "then"), [(None, "*\n"), ("", "*\n"), ("state\n", "state\n")])
def test_a_gitignore_that_was_lost_is_made_again_and_another_is_left_alone(
    folder: Path, left: str | None, then: str
) -> None:
    ignore = folder.parent / ".gitignore"
    ignore.unlink()
    if left is not None:
        ignore.write_text(left)
    prepare(str(folder.parent.parent))
    assert ignore.read_text() == then


def flushed(action: Callable[[], object]) -> list[str]:
    """The renames, the new folders, and what is brought to the disk, in order; names, and folders with a slash."""
    seen: list[str] = []
    replace, mkdir, fsync = os.replace, os.mkdir, os.fsync

    def replaced(source: Any, target: Any, **options: Any) -> None:
        replace(source, target, **options)
        seen.append(f"rename {os.path.basename(target)}")

    def made(path: Any, *args: Any, **options: Any) -> None:
        mkdir(path, *args, **options)
        seen.append(f"mkdir {os.path.basename(path)}")

    def synced(fd: int) -> None:
        fsync(fd)
        path = Path(os.readlink(f"/proc/self/fd/{fd}"))
        seen.append(f"{path.name}/" if path.is_dir() else path.name)

    with pytest.MonkeyPatch.context() as watched:
        watched.setattr(os, "replace", replaced)
        watched.setattr(os, "mkdir", made)
        watched.setattr(os, "fsync", synced)
        action()
    return seen


def test_every_name_is_on_the_disk_before_a_commit_is_told(tmp_path: Path) -> None:
    root = tmp_path / "workspace"
    root.mkdir()
    assert flushed(lambda: prepare(str(root))) == [
        "mkdir .rcs", "workspace/", ".gitignore", ".rcs/", "mkdir state", ".rcs/",
    ]  # fmt: skip
    state = root / ".rcs/state"
    writes = (Write("sessions/s1/a-state.json", {}), Write("sessions/s1/hook-ledger.json", {}, durable=False))
    assert flushed(lambda: commit(str(state), writes)) == [
        "mkdir sessions", "state/", "mkdir s1", "sessions/",
        "a-state.json.new", "s1/", ".commit.json.new", "rename .commit.json", "state/",
        "rename a-state.json", "rename hook-ledger.json", "s1/",
    ]  # fmt: skip
    assert flushed(lambda: commit(str(state), writes[:1])) == ["a-state.json.new", "rename a-state.json", "s1/"]
    assert flushed(lambda: commit(str(state), (Write("sessions/s1/a-state.json", None),))) == ["s1/"]
    assert flushed(lambda: commit(str(state), writes[1:])) == ["rename hook-ledger.json"]


@pytest.mark.parametrize("linked", [".rcs", ".rcs/state", ".rcs/state/sessions", ".rcs/state/sessions/s1"])
def test_no_folder_is_made_through_a_link(tmp_path: Path, linked: str) -> None:
    root, outside = tmp_path / "workspace", tmp_path / "outside"
    outside.mkdir()
    (root / linked).parent.mkdir(parents=True)
    (root / linked).symlink_to(outside)
    with pytest.raises(UnsafePath, match=f"{linked} is a link, so it is not used; remove it"):
        commit(prepare(str(root)), SEVERAL)
    assert list(outside.iterdir()) == []
