"""What is repeated of the catalog in other files is as the catalog says."""

from __future__ import annotations

import pytest

from rcs_hooks.catalog import SKILL_FILES
from tests.make_tables import CHECKOUT, REPEATED, present


@pytest.mark.parametrize("name", REPEATED)
def test_what_repeats_the_catalog_agrees_with_it(name: str) -> None:
    _, _, make = REPEATED[name]
    assert present(name) == make(), "run: python -m tests.make_tables"


def test_every_skill_that_setup_installs_has_its_file() -> None:
    assert set(SKILL_FILES) >= {"brief", "blueprint", "forge", "crew", "autoforge", "cancel", "task"}
    assert all((CHECKOUT / "rcs_hooks" / "skills" / name / "SKILL.md").is_file() for name in SKILL_FILES)
