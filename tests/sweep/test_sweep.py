"""A fault at any call on the way loses nothing that was said to be done, leaves nothing half, and a retry goes through.

All of it takes long: a sample of a fixed seed is the default, `SWEEP=full` runs every case.
"""

from __future__ import annotations

import os
import random
import shutil
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from rcs_hooks.files.paths import JOURNAL, STAGED
from tests.support import Workspace
from tests.sweep import strace
from tests.sweep.scenes import NOTHING_DONE, SCENES, Scene
from tests.sweep.strace import KILL, Case

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(strace.why_not()), reason=f"no sweep: {strace.why_not()}")]
SAMPLE = 14
"""Cases of a scene."""
SEED = 2
LEFT = (JOURNAL, STAGED)
MISSED = "another call had that number this time"
IS_FULL = os.environ.get("SWEEP") == "full"


class Set(NamedTuple):
    """A scene on the disk, and what a reader sees before it, after it, and after it was done twice."""

    scene: Scene
    prepared: Path
    before: Any
    after: Any
    again: Any


@pytest.mark.parametrize("name", SCENES)
def test_no_fault_loses_or_halves_anything(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stage, every = set_up(SCENES[name], tmp_path)
    chosen = every if IS_FULL else sample(every)
    with ThreadPoolExecutor(2) as pool:
        wrong = list(pool.map(lambda each: verdict(stage, each[1], tmp_path / str(each[0])), enumerate(chosen)))
    missed = wrong.count(MISSED)
    failed = [(case, why) for case, why in zip(chosen, wrong, strict=True) if why and why != MISSED]
    by_kind = dict(Counter(f"{case.call} {case.fault}" for case, _ in failed))
    with capsys.disabled():
        print(
            f"\nsweep: {name}: {len(chosen)} of {len(every)} cases, {missed} missed, {len(failed)} failed",
            by_kind or "",
        )
        for case, why in failed:
            print(f"  {case}: {why}")
    assert failed == []
    assert missed <= len(chosen) / 10


def sample(every: list[Case]) -> list[Case]:
    """Some of the cases, among them one of every system call: most are of the one that opens files."""
    mixed = random.Random(SEED).sample(every, len(every))
    of_each = list({case.call: case for case in mixed}.values())
    return [*of_each, *(case for case in mixed if case not in of_each)][: max(SAMPLE, len(of_each))]


def set_up(scene: Scene, folder: Path) -> tuple[Set, list[Case]]:
    prepared = folder / "prepared"
    prepared.mkdir()
    scene.prepare(Workspace(prepared, now=time.time() - 60))
    call(scene, twin(prepared, folder / "warm"))  # what was compiled now is only read from now on
    root = twin(prepared, folder / "counted")
    every = list(strace.cases(scene.command, scene.stdin(Workspace(root)), root, scene.env(root), folder / "log"))
    after = scene.look(root)
    call(scene, root)
    stage = Set(scene, prepared, scene.look(twin(prepared, folder / "before")), after, scene.look(root))
    assert stage.before != stage.after
    assert len(every) > SAMPLE
    return stage, every


def twin(root: Path, other: Path) -> Path:
    return shutil.copytree(root, other)


def call(scene: Scene, root: Path) -> strace.Done:
    return strace.run(scene.command, scene.stdin(Workspace(root)), root, scene.env(root))


def verdict(stage: Set, case: Case, root: Path) -> str:
    """What is wrong with a case; empty where nothing is."""
    twin(stage.prepared, root)
    try:
        return _verdict(stage, case, root)
    except Exception as error:  # noqa: BLE001 - one case must not hide the others
        return f"{type(error).__name__}: {error}"[:600]
    finally:
        shutil.rmtree(root)


def _verdict(stage: Set, case: Case, root: Path) -> str:
    scene = stage.scene
    stdin, log = scene.stdin(Workspace(root)), root.with_suffix(".log")
    done, is_struck = strace.with_fault(case, scene.command, stdin, root, scene.env(root), log)
    if not is_struck:
        return MISSED
    is_killed = case.fault == KILL
    if not is_killed and (why := scene.misbehaves(done)):
        return why

    def look() -> Any:
        return scene.look(root) if is_killed else scene.kept(scene.look(root))

    stages = (stage.before, stage.after, stage.again)
    before, after, again = stages if is_killed else map(scene.kept, stages)
    seen = look()
    if seen not in (before, after):
        return f"half: {seen}; said {done}"
    if scene.says_so(done) and seen != after:
        return f"said to be done, and is not: {seen}; said {done}"
    if seen != before and NOTHING_DONE[0] in done.out:
        return f"said that nothing was changed: {seen}"
    retried = call(scene, root)
    if why := scene.misbehaves(retried):
        return f"the retry: {why}"
    wanted = after if seen == before else again
    if look() != wanted:
        return f"after the retry: {look()}; said {done}, then {retried}"
    if seen == before and not scene.says_so(retried):
        return f"the retry said {retried}"
    if seen != before:
        return ""  # a retry that has nothing to do takes no lock, and may leave a journal to the next
    left = [path.name for path in root.rglob("*") if path.name.endswith(LEFT)]
    return f"left behind: {left}" if left else ""
