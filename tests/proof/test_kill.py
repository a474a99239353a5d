"""A repository before and after proofs that are killed at any moment: nothing of it changes, and nothing is left."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import subprocess
import time
from pathlib import Path

import pytest

from tests.proof.programs import LONG, is_alive, wait_for
from tests.proof.repositories import Repo, git
from tests.support import RCS_HOOK, clean_env

RCS = str(RCS_HOOK.with_name("rcs"))
TIMES = int(os.environ.get("RCS_PROOFS", "60"))
"""How many proofs are killed; 1,000 take about three minutes."""
SEED = 14
MARK = "RCS_TEST_MARK"


def repository(root: Path) -> None:
    """Make a repository with everything that a proof could disturb: stash, reflog, staged and dirty files."""
    repo = Repo(root)
    for number in range(300):
        repo.write(f"folder{number % 7}/file{number}.txt", f"{number}\n" * (number + 1))
    repo.commit()
    repo.write("folder1/file1.txt", "stashed\n")
    repo.git("stash")
    repo.git("checkout", "-qb", "other")
    repo.write("folder2/file2.txt", "second\n")
    repo.commit()
    repo.write("folder3/file3.txt", "staged\n")
    repo.git("add", "-A")
    repo.write("folder4/file4.txt", "dirty\n")
    repo.write("new.txt", "untracked\n")
    repo.write("x.log", "ignored\n")


def everything(root: Path) -> dict[str, str]:
    """Return each file but those of `.rcs`, with its time and a hash of its content: all of `.git` is among them."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if not name.startswith(".rcs") and path.is_file():
            stat = path.stat()
            found[name] = f"{stat.st_mode:o} {stat.st_mtime_ns} {hashlib.sha256(path.read_bytes()).hexdigest()}"
    return found


def said_by_git(root: Path) -> list[str]:
    return [
        git(root, *words, env={"GIT_OPTIONAL_LOCKS": "0"})
        for words in (("fsck", "--full"), ("stash", "list"), ("reflog",), ("status", "-s"))
    ]


def still_running(mark: str) -> list[str]:
    """Return the command lines of processes that a proof of this test has started."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"{MARK}={mark}".encode() in (folder / "environ").read_bytes() and is_alive(int(folder.name)):
                found.append((folder / "cmdline").read_text().replace("\0", " "))
    return found


@pytest.mark.slow
def test_a_repository_is_the_same_after_proofs_that_are_killed(tmp_path: Path) -> None:
    root, home, temporary = tmp_path / "work", tmp_path / "home", tmp_path / "tmp"
    repository(root)
    home.mkdir()
    temporary.mkdir()
    env = clean_env(HOME=str(home), TMPDIR=str(temporary), RCS_SESSION_ID="s1", **{MARK: str(tmp_path)})
    subprocess.run([RCS, "state", "write", "--mode", "forge", "--active"], cwd=root, env=env, check=True, timeout=LONG)
    argv = [RCS, "prove", "--", "sh", "-c", "sleep 0.1 & sleep 0.05; echo out"]
    before, said = everything(root), said_by_git(root)
    whole = _seconds_of(argv, root, env)
    chance = random.Random(SEED)
    ended = 0
    for number in range(TIMES):
        program = subprocess.Popen(
            argv, cwd=root, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        if number % 10 == 9:  # however busy the machine is, some end by themselves
            program.wait(LONG)
        else:
            time.sleep(chance.uniform(0, whole * 1.2))
        program.kill()
        ended += program.wait(LONG) == 0
    wait_for(lambda: not still_running(str(tmp_path)), "the end of all that was started")
    assert everything(root) == before
    assert said_by_git(root) == said
    assert list(temporary.iterdir()) == []
    print(f"{TIMES} proofs: {TIMES - ended} killed, {ended} had ended; {len(before)} files compared")
    assert 0 < ended < TIMES  # some were killed, and some had ended
    # The next proof finds nothing in its way, and completes what the last kill left.
    done = subprocess.run([*argv[:2], "--json", *argv[2:]], cwd=root, env=env, capture_output=True, check=True)
    assert json.loads(done.stdout)["proof"] == "proven"
    assert everything(root) == before
    left = sorted(path.name for path in (root / ".rcs").rglob("*") if path.is_file())
    proofs = sorted((root / ".rcs/state/sessions/s1/proofs").iterdir())
    assert len(proofs) <= 20
    others = set(left) - {path.name for path in proofs}
    assert others == {
        ".gitignore",
        ".lock",
        "forge-state.json",
        "history.jsonl",
        "skill-active-state.json",
    }


def _seconds_of(argv: list[str], root: Path, env: dict[str, str]) -> float:
    began = time.monotonic()
    subprocess.run(argv, cwd=root, env=env, check=True, capture_output=True, timeout=LONG)
    return time.monotonic() - began
