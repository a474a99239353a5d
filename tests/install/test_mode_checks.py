"""What doctor says of the declarations of modes."""

from __future__ import annotations

from pathlib import Path

from rcs_hooks.clients.check import OK, WARN, Check
from rcs_hooks.clients.installer import Host
from rcs_hooks.install import mode_checks
from rcs_hooks.install.skills import shipped
from tests.install.test_doctor import host
from tests.modes.declarations import skill

__all__ = ["host"]  # the fixture


def put(base: str, name: str, text: str) -> Path:
    path = Path(base) / ".claude" / "skills" / name / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path


def test_own_modes_are_named_with_whose_they_are(host: Host) -> None:
    put(host.home, "forge", shipped("forge", "rcs"))
    put(host.root, "plain", "# Words\n")
    assert list(mode_checks.checks(host)) == []
    put(host.home, "design", skill("rcs-kind: planning", name="design"))
    put(host.root, "release", skill())
    told = "declared besides ours: design (yours), release (of this project)"
    assert list(mode_checks.checks(host)) == [Check("modes", OK, told)]


def test_a_declaration_that_cannot_be_read_is_named_with_its_line_and_of_many_only_some(host: Host) -> None:
    path = put(host.root, "release", skill("rcs-kind: both"))
    told = f"{path}:5: `rcs-kind` is planning or execution, and not `both`"
    assert list(mode_checks.checks(host)) == [Check("modes", WARN, told, f"rcs machine check {path}")]
    for number in range(8):
        put(host.root, f"broken{number}", skill("rcs-kind: both", name=f"broken{number}"))
    found = list(mode_checks.checks(host))
    assert (len(found), found[-1].found) == (5, "5 more of this kind")


def test_a_copy_that_a_person_has_changed_is_named_where_it_declares_other_than_ours(host: Host) -> None:
    text = shipped("forge", "rcs")
    path = put(host.home, "forge", text.replace("## Work", "## My work"))
    assert list(mode_checks.checks(host)) == []
    path.write_text(text.replace("rcs-max-iterations: 50", "rcs-max-iterations: 5"))
    (check,) = mode_checks.checks(host)
    assert check[1:3] == (WARN, f"{path} declares forge otherwise than rcs, which goes by its own file")
