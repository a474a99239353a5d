"""README is short, every page says what it answers and can be reached, and each link, command and picture is there."""

from __future__ import annotations

import re
import shlex
from concurrent.futures import ThreadPoolExecutor
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from rcs_hooks.cli import main, pages
from rcs_hooks.tasks.phases import PHASES
from tests import make_pictures
from tests.support import CHECKOUT
from tests.table import each_row

if TYPE_CHECKING:
    from collections.abc import Iterator

README = CHECKOUT / "README.md"
DOCS = CHECKOUT / "rcs_hooks" / "docs"
DOCUMENTS = [README, *sorted(DOCS.glob("*.md"))]
PICTURES = sorted(DOCS.glob("*.svg"))
LINK = re.compile(r"!?\[[^\]\n]*\]\(([^)\s]+)\)")
MOST_WORDS = 1200
LONGEST_PURPOSE = 65
"""So that each line of `rcs help` fits a terminal of 80 columns."""
QUESTIONS = {
    "what, and for whom": ("", "is for people who"),
    "how do I try it": ("Try it, and install it", "rcs try"),
    "on Windows": ("Try it, and install it", "WSL"),
    "how do I start": ("Your first `$forge`", "$forge fix the failing login test"),
    "is it on": ("When something is wrong", "rcs doctor"),
    "what happened": ("Your first `$forge`", "rcs log"),
    "what can I type": ("What you can type", "$blueprint"),
    "what changes": ("What changes on my machine", ".claude/settings.json"),
    "how do I undo it": ("Undo it", "rcs uninstall"),
    "what if it breaks or hangs": ("When something is wrong", "$cancel"),
    "how do I switch it off": ("When something is wrong", "RCS_DISABLE=1"),
    "a mode of my own": ("A mode of your own", "rcs modes new"),
    "in a team": ("In a team", "rcs.toml"),
}
"""What a stranger asks: the heading of README that it is found under, and a part of the answer."""


def words_of(text: str) -> list[str]:
    return text.split()


def sections(text: str) -> dict[str, str]:
    """Return what follows each heading of the second level; what comes before the first has no name."""
    parts = re.split(r"^## (.*)$", text, flags=re.MULTILINE)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def blocks(text: str, language: str) -> list[str]:
    """Return the inside of each block of code in a language."""
    return re.findall(rf"^ *```{language}\n(.*?)^ *```$", text, flags=re.MULTILINE | re.DOTALL)


def commands(path: Path) -> Iterator[list[str]]:
    """Yield the words of every line of a document that calls `rcs`, up to what another program gets."""
    for block in blocks(path.read_text(), "sh"):
        for line in block.splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] == ["rcs"]:
                yield list(takewhile(lambda word: word not in (">", ">>", "|", "--"), words[1:]))


def test_the_readme_is_short() -> None:
    assert len(words_of(README.read_text())) <= MOST_WORDS


@each_row(("section", "answer"), QUESTIONS.values(), ids=QUESTIONS)
def test_a_question_of_a_stranger_is_answered_under_a_heading_of_its_own(section: str, answer: str) -> None:
    assert answer in sections(README.read_text())[section]


def test_what_it_is_takes_four_sentences() -> None:
    paragraph = README.read_text().split("\n\n")[1]
    assert len(re.findall(r"[.] ?(?=[A-Z\n]|$)", paragraph.replace("\n", " "))) == 4


def test_the_readme_links_every_page() -> None:
    linked = {Path(link).stem for link in LINK.findall(README.read_text()) if link.startswith("rcs_hooks/docs/")}
    assert {*pages.topics(), *(path.stem for path in PICTURES)} == linked


@each_row("path", DOCUMENTS, ids=[path.name for path in DOCUMENTS])
def test_every_link_leads_to_a_file(path: Path) -> None:
    links = [link for link in LINK.findall(path.read_text()) if "://" not in link]
    assert [link for link in links if not (path.parent / link.partition("#")[0]).is_file()] == []


@each_row("topic", pages.topics(), ids=pages.topics())
def test_a_page_begins_with_a_title_and_a_sentence_that_says_what_it_answers(topic: str) -> None:
    title, _, sentence, after, *_ = pages.text_of(topic).splitlines()
    assert title == f"# {topic.replace('-', ' ').capitalize()}"
    assert re.match(r"(What|Which|How) ", sentence)
    assert (sentence[-1], after) == (".", "")
    assert len(pages.purpose(topic)) <= LONGEST_PURPOSE


def test_no_page_hides_behind_a_command() -> None:
    assert set(pages.topics()) & set(main.MODULES) == set()


@each_row("path", DOCUMENTS, ids=[path.name for path in DOCUMENTS])
def test_every_command_that_is_shown_is_one(path: Path) -> None:
    for words in commands(path):
        name, *rest = words
        parser = main.functions_of(name)[0]()
        known, others = parser.parse_known_args(rest)
        assert known
        assert others == [], words


@each_row("path", PICTURES, ids=[path.name for path in PICTURES])
def test_a_picture_is_one_file_without_a_script(path: Path) -> None:
    root = ElementTree.fromstring(path.read_text())
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags <= {"svg", "title", "rect", "circle", "text", "path"}
    assert not re.search(r"href|url\(|\bon\w+=", path.read_text())


def test_the_pictures_of_a_terminal_show_what_is_printed_now() -> None:
    """Else: python -m tests.make_pictures."""
    for name, picture in make_pictures.printed().items():
        assert without_ages(picture) == without_ages((DOCS / name).read_text())


@pytest.mark.slow
def test_the_picture_of_the_dashboard_shows_the_words_of_now() -> None:
    """Else: python -m tests.make_pictures."""
    pytest.importorskip("playwright", reason="Playwright is not installed: pip install playwright")
    from tests.browser.live import Unavailable

    try:
        with ThreadPoolExecutor(1) as apart:  # another browser may have the event loop of this thread
            now = apart.submit(make_pictures.page).result()
    except Unavailable as why:
        pytest.skip(str(why))
    kept = (DOCS / make_pictures.PAGE).read_text()
    assert shown_in(without_ages(now)) == shown_in(without_ages(kept))


def without_ages(picture: str) -> str:
    """Return a picture without the minutes in it, which are more on a machine that is slow."""
    return re.sub(r"\b\d+ (?=min\b|m ago)", "", picture)


def shown_in(picture: str) -> list[str]:
    """Return the words of a picture, in their order, however wide this machine's letters are."""
    return re.findall(r">([^<>\n]+)</text>", picture)


# --- a page that lists things lists all of them


def test_the_page_of_commands_names_every_command() -> None:
    named = set(re.findall(r"`rcs ([a-z]+)", pages.text_of("commands")))
    assert set(main.MODULES) - named == set()


def test_the_page_of_settings_names_every_variable() -> None:
    package = [*(CHECKOUT / "rcs_hooks").rglob("*.py"), CHECKOUT / "hooks" / "plugin"]
    read = {name for path in package for name in re.findall(r"\bRCS_[A-Z_]*[A-Z]\b", path.read_text())}
    assert read - set(re.findall(r"RCS_[A-Z_]+", pages.text_of("settings"))) == set()


def test_the_page_of_tasks_names_every_phase_in_its_order() -> None:
    assert ", ".join(PHASES) in " ".join(pages.text_of("tasks").split())


def test_the_page_of_skills_says_what_each_cell_of_its_table_means() -> None:
    text = pages.text_of("skills")
    cells = {
        cell for line in text.splitlines() if line.startswith("| ") for cell in line.split(" | ") if len(cell) == 1
    }
    assert cells - {"|"} <= set(re.findall(r"^- `(.)`: ", text, re.MULTILINE)) | set("0123456789")
