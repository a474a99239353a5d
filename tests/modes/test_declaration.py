"""What a SKILL.md declares, and every way in which a declaration can be wrong: one sentence with file and line."""

from __future__ import annotations

from rcs_hooks.mode_def import EXECUTION, PROJECT
from rcs_hooks.modes import declaration
from tests.modes.declarations import DIAGRAM, MACHINE, drawn, skill
from tests.support import CHECKOUT
from tests.table import each_row

FILE = "release/SKILL.md"
KIND = "rcs-kind: execution"


def read(text: str, name: str = "release", source: str = PROJECT) -> declaration.Declaration:
    return declaration.read(text, name=name, file=FILE, source=source)


def test_all_that_a_declaration_can_say() -> None:
    text = skill(
        "author: somebody\nrcs-kind: execution\nrcs-tokens: release\nrcs-after: blueprint, design\nrcs-beside: crew\n"
        "rcs-iteration: 0\nrcs-max-iterations: '10'"
    )
    mode = read(text).mode
    assert mode
    assert (mode.name, mode.kind, mode.tokens) == ("release", EXECUTION, ("release",))
    assert (mode.after, mode.overlaps, mode.overlaps_all) == (("blueprint", "design"), ("team",), False)
    assert (mode.first_phase, mode.iteration, mode.max_iterations) == ("starting", 0, 10)
    assert mode.states == {"starting": "Do it", "checking": "Check it"}
    assert mode.edges == (
        ("starting", "checking", "ready"),
        ("checking", "starting", "failed_check"),
        ("checking", "", "all_pass"),
    )
    assert (mode.source, mode.file, mode.is_own) == (PROJECT, FILE, True)
    assert mode.first_fields() == {}


def test_the_example_of_the_page_can_be_copied_as_it_is() -> None:
    page = (CHECKOUT / "rcs_hooks/docs/own-modes.md").read_text()
    example = page.split("````markdown\n")[1].split("````\n")[0]
    mode = read(example).mode
    assert mode
    assert (mode.kind, mode.after, mode.overlaps, mode.max_iterations) == (EXECUTION, ("blueprint",), ("team",), 10)
    assert mode.states == {
        "starting": "Write the checklist, with a command for each line",
        "checking": "Run every line of the checklist",
    }


NO_MODE = {
    "no front matter": "# release\n\nWords.\n",
    "metadata of others": "---\nname: release\nmetadata:\n  author: x\n  tags: [a, b]\n  more:\n    deep: 1\n---\n",
    "metadata of others on one line": "---\nname: release\nmetadata: {author: x}\n---\n",
    "a machine of a run": f"---\nname: release\n---\n## STATE-MACHINE\n\n```mermaid\n{DIAGRAM}```\n",
    "prose below the heading": "---\nname: release\n---\n## MODE\n\nFast or slow.\n",
    "the heading in a fence": "---\nname: release\n---\n```md\n## MODE\n```\n",
    "a key in the description": "---\nname: release\ndescription: |\n  write\n  rcs-kind: execution\n---\n",
    "nothing": "",
}  # fmt: skip


@each_row("case", NO_MODE)
def test_an_ordinary_skill_is_no_mode_and_no_fault(case: str) -> None:
    assert read(NO_MODE[case]) == (None, ())


FAULTS: dict[str, tuple[str, str]] = {
    # --- the form of the front matter; the metadata begins in line 5
    "metadata twice": ("---\nmetadata:\n  rcs-kind: execution\nmetadata:\n  a: b\n---\n" + MACHINE,
     "4: `metadata:` was there before, in line 2; write one"),
    "front matter that is never closed": ("---\nmetadata:\n  rcs-kind: execution\n\n" + MACHINE,
     "1: the front matter that begins here is never closed by a line `---`"),
    "a key twice": (skill(f"{KIND}\n{KIND}"), "6: `rcs-kind` was there before, in line 5; write it once"),
    # --- the keys
    "no kind": (skill("rcs-after: blueprint"),
     "5: `rcs-kind` is missing; write `rcs-kind: planning` or `rcs-kind: execution` below `metadata:`"),
    "no kind, only a machine": ("---\nname: release\n---\n" + MACHINE,
     "`rcs-kind` is missing; write `rcs-kind: planning` or `rcs-kind: execution` below `metadata:`"),
    "another kind": (skill("rcs-kind: mode"), "5: `rcs-kind` is planning or execution, and not `mode`"),
    "an unknown key": (skill(f"{KIND}\nrcs-besides: team"),
     "6: `rcs-besides` is unknown; the keys are rcs-kind, rcs-tokens, rcs-after, rcs-beside, rcs-iteration,"
     " rcs-max-iterations"),
    "a key of those that ship": (skill(f"{KIND}\nrcs-mode: team"),
     "6: `rcs-mode` is only for the modes that ship; take it out"),
    "a token of another name": (skill(f"{KIND}\nrcs-tokens: release ship"),
     "6: `rcs-tokens`: only `release` itself can be typed for this mode; take the key out"),
    "rounds in words": (skill(f"{KIND}\nrcs-max-iterations: ten"),
     "6: `rcs-max-iterations` is a whole number from 1 to 10000, not `ten`"),
    "too many rounds": (skill(f"{KIND}\nrcs-max-iterations: 10001"),
     "6: `rcs-max-iterations` is a whole number from 1 to 10000, not `10001`"),
    "a negative first round": (skill(f"{KIND}\nrcs-iteration: -1\nrcs-max-iterations: 3"),
     "6: `rcs-iteration` is a whole number from 0 to 10000, not `-1`"),
    "a first round without a last one": (skill(f"{KIND}\nrcs-iteration: 1"),
     "6: `rcs-iteration` is of no use without `rcs-max-iterations`"),
    "one round": (skill(f"{KIND}\nrcs-max-iterations: 1"),
     "6: `rcs-max-iterations`: 1 leaves no second round, for the first is 1"),
    # --- other modes
    "after itself": (skill(f"{KIND}\nrcs-after: release"), "6: `rcs-after` names the mode itself; take `release` out"),
    "after an execution mode": (skill(f"{KIND}\nrcs-after: crew"),
     "6: `rcs-after`: team is an execution mode; only a planning mode hands over to another"),
    "after a mode that is misspelled": (skill(f"{KIND}\nrcs-after: bluprint"),
     "6: `rcs-after`: no mode is called `bluprint`; write `blueprint`"),
    "beside autopilot": (skill(f"{KIND}\nrcs-beside: autoforge"),
     "6: `rcs-beside`: autopilot runs beside ultrawork alone"),
    "execution beside planning": (skill(f"{KIND}\nrcs-beside: blueprint"),
     "6: `rcs-beside`: blueprint is planning, and this mode is execution; the two never run together"),
    "beside all": (skill(f"{KIND}\nrcs-beside: all"), "6: `rcs-beside: all` is only for ultrawork; name the modes"),
    "beside and after": (skill("rcs-kind: planning\nrcs-beside: blueprint\nrcs-after: blueprint"),
     "6: `rcs-beside`: blueprint is in `rcs-after` too; a mode runs beside another or after it"),
    "too many modes": (skill(f"{KIND}\nrcs-beside: {' '.join(f'm{number}' for number in range(21))}"),
     "6: `rcs-beside` names 21 modes; 20 at most are read"),
    # --- the machine; its heading is in line 10
    "a kind that is not read": (skill("rcs-kind: [execution]"),
     "5: this line is not read; write `rcs-KEY: VALUE`, on one line and indented, below `metadata:`"),
    "another heading": (skill(body=MACHINE.replace("## MODE", "### Mode")),
     "10: this heading begins no machine; write `## MODE`"),
    "no diagram": (skill(body="## MODE\n\nWords.\n"),
     "10: this section has no ```mermaid fence with a stateDiagram-v2 diagram; write one, or take the section out"),
    "no machine": (skill(body="Words.\n"),
     "5: a mode needs its phases: write a section `## MODE` with a stateDiagram-v2"),
    "two starts": (skill(body=drawn("[*] --> a", "[*] --> b", "a --> [*]", "b --> [*]")),
     "15: a second start; a mode begins in one phase, and that is `a`"),
    "no end": (skill(body=drawn("[*] --> a", "a --> b")),
     "13: no state leads to `[*]`, so the mode could never finish; add `state --> [*]`"),
    "an outcome for a state": (skill(body=drawn("[*] --> a", "a --> Completed", "Completed --> [*]")),
     "15: `Completed` is the outcome finished and no phase; lead to `[*]` in its place"),
    "one spelling for two states": (skill(body=drawn("[*] --> code-review", "code-review --> Code_Review",
     "Code_Review --> [*]")), "15: `Code_Review` and `code-review` are one spelling; a phase has one name"),
    "a long state": (skill(body=drawn(f"[*] --> {'a' * 41}", f"{'a' * 41} --> [*]")),
     f"14: the state `{'a' * 40}…` is longer than 40 letters"),
    "too many states": (skill(body=drawn("[*] --> s0", *(f"s{n} --> s{n + 1}" for n in range(40)), "s40 --> [*]")),
     "13: a mode has at most 40 states and 200 transitions"),
}  # fmt: skip
"""What is written, and the place and the sentence of the only fault."""


@each_row("case", FAULTS)
def test_a_fault_is_one_sentence_with_its_line(case: str) -> None:
    text, expected = FAULTS[case]
    found = read(text)
    assert found.mode is None
    sentences = [fault.sentence for fault in found.faults]
    assert sentences == [f"{FILE}:{expected}" if expected[0].isdigit() else f"{FILE}: {expected}"]


TAKEN = "is taken; choose another for the skill and its folder"
LETTERS = "the name of a mode begins with a letter a to z and has letters, digits and hyphens, 40 at most"
NAMES = {
    "another folder": ("deploy", "release", "the skill is called `release`, but its folder `deploy`; name both alike"),
    "a mode that ships": ("forge", "forge", f"the name `forge` {TAKEN}"),
    "cancel": ("cancel", "cancel", f"the name `cancel` {TAKEN}"),
    "a skill that is no mode": ("task", "task", f"the name `task` {TAKEN}"),
    "another letter": ("a_b", "a_b", f"nobody can type `$a_b`: {LETTERS}"),
    "too long": ("a" * 41, "a" * 41, f"nobody can type `${'a' * 41}`: {LETTERS}"),
}  # fmt: skip
"""The folder, the name in the file, and the fault."""


@each_row("case", NAMES)
def test_a_name_that_an_own_mode_cannot_have(case: str) -> None:
    folder, name, expected = NAMES[case]
    (fault,) = read(skill(name=name), folder).faults
    assert fault.sentence == f"{FILE}:2: {expected}"


WITHOUT_A_LINE = {
    "a name that only the folder gives": ("forge", f"---\nmetadata:\n  {KIND}\n---\n\n{MACHINE}",
     f"the name `forge` {TAKEN}"),
    "no kind and no machine": ("release", "---\nname: release\nmetadata:\n  rcs-tokens: release\n---\n",
     "a mode needs its phases: write a section `## MODE` with a stateDiagram-v2"),
}  # fmt: skip
"""The folder, the text, and the fault, which no line of the text has."""


@each_row("case", WITHOUT_A_LINE)
def test_a_fault_that_no_line_has_names_the_file_alone(case: str) -> None:
    folder, text, expected = WITHOUT_A_LINE[case]
    assert f"{FILE}: {expected}" in [fault.sentence for fault in read(text, folder).faults]


def test_all_faults_are_reported_in_the_order_of_their_lines() -> None:
    text = skill("rcs-kind: mode\nrcs-max-iterations: ten\nrcs-beside: autoforge", body=drawn("[*] --> failed"))
    assert [fault.line for fault in read(text).faults] == [5, 6, 7, 15, 16]


def test_texts_are_cleaned_and_cut() -> None:
    body = drawn("[*] --> a", f"a --> [*] : {'e' * 200}", f'a : Do\x1b[31m \u202e it "now" {"x" * 200}')
    mode = read(skill(body=body)).mode
    assert mode
    assert mode.states["a"].startswith("Do [31m it 'now' xxx")
    assert len(mode.states["a"]) == len(mode.event("a", "")) == 120


def test_what_is_told_of_a_file_that_was_made_to_be_wrong_is_bounded() -> None:
    states = [f"{'a' * 41}{number} --> [*]" for number in range(4_000)]
    many = read(skill(body=drawn("[*] --> a", *states))).faults
    assert (len(many), many[0].line) == (20, 13)
    (long,) = read(skill(f"rcs-kind: {'x' * 100_000}")).faults
    assert len(long.problem) == 401
