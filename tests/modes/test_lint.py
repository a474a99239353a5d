"""What `rcs machine check` says about the declaration of a mode that can be read."""

from __future__ import annotations

from rcs_hooks.catalog import MODES
from rcs_hooks.install.skills import shipped
from rcs_hooks.machine.lint import LintWarning
from rcs_hooks.modes import lint
from tests.modes.declarations import drawn, skill
from tests.skills.reading import text_of
from tests.table import each_row

PATH = ".claude/skills/release/SKILL.md"
TEXTS = ("a : Do it", "b : Check it")


def warnings(*lines: str) -> list[LintWarning]:
    report = lint.check(skill(body=drawn(*lines)), PATH)
    assert report.mode, report.faults
    return list(report.warnings)


def test_a_good_declaration_has_no_warning() -> None:
    assert warnings("[*] --> a", "a --> b : done", "b --> a : fails", "b --> [*] : all_pass", *TEXTS) == []


WARNINGS = {
    "a way without an event": (("[*] --> a", "a --> b", "b --> [*] : all_pass", *TEXTS), (15,
     "the way from `a` to `b` has no event; write when it is taken: `: all_pass`")),
    "an end without an event": (("[*] --> a", "a --> b : done", "b --> [*]", *TEXTS), (16,
     "the way from `b` to the end has no event; write when it is taken: `: all_pass`")),
    "a state without a text": (("[*] --> a", "a --> b : done", "b --> [*] : all_pass", "a : Do it"), (15,
     "`b` has no text; write what the agent has to do in it: `b : ...`")),
    "a long text": (("[*] --> a", "a --> [*] : done", f"a : {'x' * 121}"), (16,
     "only the first 120 characters of this text are shown to the agent")),
    "a loop": (("[*] --> a", "a --> a : again", "a --> [*] : done", "a : Do it"), (15,
     "`a` leads to itself; the same phase again is no step")),
    "no way to the end": (("[*] --> a", "a --> [*] : done", "a --> b : x", "b --> c : y", "c --> b : z", *TEXTS,
     "c : Do it"), (0, "no way leads from `b` to `[*]`, so a run that is there can never finish")),
    "a state that is not reached": (("[*] --> a", "a --> [*] : done", "b --> a : x", *TEXTS), (0,
     "no start leads to `b`")),
    "a state that leads nowhere": (("[*] --> a", "a --> b : x", "a --> [*] : done", *TEXTS), (0,
     "`b` leads nowhere and is not an end; write `b --> [*]`")),
    "what Mermaid cannot draw": (("[*] --> code-review", "code-review --> [*] : done", "code-review : Do it"), (14,
     "Mermaid itself cannot draw a state called `code-review`; write `code_review`")),
}  # fmt: skip


@each_row("case", WARNINGS)
def test_a_likely_mistake_is_told_with_its_line(case: str) -> None:
    lines, expected = WARNINGS[case]
    assert LintWarning(*expected) in warnings(*lines)


def test_what_is_no_mode_is_not_checked() -> None:
    assert lint.check("# Words\n", PATH) == (None, (), ())
    assert lint.check(skill(), "docs/release.md") == (None, (), ())


@each_row("skill", [mode.skill for mode in MODES.values()])
def test_a_mode_that_ships_is_right_here_and_as_setup_copies_it(skill: str) -> None:
    for text in (text_of(skill), shipped(skill, "/opt/rcs")):
        report = lint.check(text, f"/home/me/.claude/skills/{skill}/SKILL.md")
        assert (report.mode is None, report.faults, report.warnings) == (False, (), ())


def test_a_copy_of_a_mode_that_ships_declares_nothing_of_its_own() -> None:
    text = text_of("forge").replace("rcs-beside: team", "rcs-beside: all")
    (told,) = lint.check(text, "forge/SKILL.md").warnings
    assert told == LintWarning(0, "forge ships with rcs, which goes by its own file: what this copy says is ignored")
