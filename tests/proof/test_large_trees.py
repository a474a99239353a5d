"""How long the fingerprint of a large work tree takes, next to `git status`."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from rcs_hooks.proof.tree import fingerprint
from tests.proof.repositories import ENV, Repo
from tests.support import clock, least

FILES = 30_000
LONGEST = 3.0
"""Times `git status`; of 100,000 files with 2 GB it is 1.3, and what does not depend on the files weighs less."""


def _large(folder: Path) -> Repo:
    repo = Repo(folder / "repo")
    data = random.Random(1).randbytes(1 << 16)
    for number in range(FILES):
        if number < 600:
            (repo.top / f"folder{number % 600}").mkdir()
        start = number % (1 << 15)
        path = repo.top / f"folder{number % 600}/file{number}"
        path.write_bytes(b"%d\n" % number + data[start : start + 2_000])
    repo.git("config", "core.looseCompression", "0")
    repo.git("config", "gc.auto", "0")
    repo.commit()
    repo.git("status")
    return repo


@pytest.mark.slow
@pytest.mark.alone
def test_a_large_tree_takes_little_longer_than_git_status(tmp_path: Path) -> None:
    repo = _large(tmp_path)
    top = str(repo.top)

    def compare() -> float:
        status = min(clock(lambda: repo.git("status", "--porcelain")) for _ in range(3))
        return min(clock(lambda: fingerprint(top, ENV)) for _ in range(3)) / status

    assert least(compare, LONGEST, tries=8) <= LONGEST
