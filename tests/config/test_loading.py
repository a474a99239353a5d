"""What counts in a workspace: variables, the project's file where it is trusted, the person's own file."""

from __future__ import annotations

from pathlib import Path

from rcs_hooks import config
from rcs_hooks.config import ProofSettings


def test_an_untrusted_file_of_the_project_counts_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "rcs.toml").write_text('[proof]\ncommand = "pytest -q"\nrequired = true\ntimeout = "10m"\n')
    found = config.load({"HOME": str(tmp_path / "home")}, str(tmp_path))
    assert found.proof == ProofSettings()
    assert found.untrusted == ProofSettings("pytest -q", True, 600.0, "rcs.toml", "rcs.toml")
    assert found.faults == ()
