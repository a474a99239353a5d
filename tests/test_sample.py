"""What `.ci/run` plays of the slow tests: some of each file that has any, and the same ones each time."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support import CHECKOUT, clean_env

FILES = ["tests/proof/test_command.py", "tests/install/test_doctor.py"]


def chosen(**env: str) -> list[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "--collect-only", "-m", "slow and not full", *FILES]
    done = subprocess.run(command, cwd=CHECKOUT, env=clean_env(**env), capture_output=True, text=True, check=True)
    return [line for line in done.stdout.splitlines() if "::" in line]


@pytest.mark.slow
def test_the_sample_has_a_few_tests_of_each_file() -> None:
    every, sample = chosen(), chosen(SWEEP="sample")
    assert set(sample) < set(every)
    assert {name.partition("::")[0] for name in sample} == {*FILES}
    assert sample == chosen(SWEEP="sample")
