"""What sharing costs those who work: nothing, whatever becomes of the server. The bench of it has narrower bounds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench import bench_sharing_cost as bench
from tests.share.conftest import binaries

WIDER = 1.15
ROUNDS, MOST_ROUNDS = 10, 25
"""More than the first are tried while one costs too much: what else the machine does only adds."""


@pytest.mark.slow
@pytest.mark.alone
def test_a_hook_an_emit_and_a_state_write_cost_as_much_as_without_sharing(tmp_path: Path) -> None:
    if binaries() is None:
        pytest.skip("no PostgreSQL server is installed: neither initdb on PATH nor /usr/lib/postgresql/*/bin")

    def over(costs: bench.Costs) -> dict[tuple[str, str], tuple[float, float]]:
        found = {
            (program, name): bench.ratios(costs, program, name)
            for program in bench.PROGRAMS
            for name in (bench.THERE, bench.GONE, bench.SILENT)
        }
        return {each: both for each, both in found.items() if min(both) > WIDER}

    def is_enough(costs: bench.Costs) -> bool:
        rounds = min(map(len, costs.values()))
        return rounds >= ROUNDS and not over(costs)

    assert over(bench.measured(MOST_ROUNDS, tmp_path, is_enough)) == {}
