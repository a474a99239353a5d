"""What `.ci/run` plays of the slow tests: some rows of each one that has any, and the same ones each time."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support import CHECKOUT, clean_env

SOME_IN_FULL = ["tests/drawing/test_svg.py", "tests/install/test_doctor.py"]
"""Files with tests many of whose rows are `full`."""


def chosen(**env: str) -> list[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "--collect-only", "-m", "slow and not full"]
    done = subprocess.run(
        [*command, *SOME_IN_FULL], cwd=CHECKOUT, env=clean_env(**env), capture_output=True, text=True, check=True
    )
    return [line for line in done.stdout.splitlines() if "::" in line]


@pytest.mark.slow
def test_the_sample_has_rows_of_each_test_whose_rows_are_not_all_left_to_the_full_run() -> None:
    every, sample = chosen(), chosen(SWEEP="sample")
    assert len(sample) < len(every)
    assert {name.partition("[")[0] for name in sample} == {name.partition("[")[0] for name in every}
    assert sample == chosen(SWEEP="sample")
