"""The table `[share]`: what is read of it, and each way in which it can be wrong, with its line."""

from __future__ import annotations

from pathlib import Path

from rcs_hooks.config.reading import read
from rcs_hooks.config.share_table import SharedProject, Sharing, in_file
from tests.config.support import Files
from tests.table import each_row

SHOP = '[[share.projects]]\npath = "/home/ada/shop"\n'
NAME = "a text of at most 60 printable characters, without / @ \\ and double quotes"
NUMBER = "[[share.projects]] number"


def said(files: Files, text: str) -> tuple[Sharing, list[str]]:
    files.own(text)
    path = str(files.home / ".rcs/config.toml")
    source = read(path)
    assert source
    found, faults = in_file(source)
    return found, [fault.sentence.removeprefix(f"{path}:") for fault in faults]


def test_a_whole_table_is_read(files: Files) -> None:
    text = '[share]\nurl = "postgresql://ada@db/team"\nperson = "Ada L."\nmachine = "laptop"\n' + SHOP
    found, faults = said(files, text + 'name = "the shop"\ntexts = true\n')
    assert faults == []
    assert found.address is not None
    assert found.address.shown == "team on db"
    assert found[1:] == ("Ada L.", "laptop", (SharedProject("/home/ada/shop", "the shop", True),))


def test_a_project_is_called_as_its_folder_and_sends_no_texts_unless_it_says_so(files: Files) -> None:
    assert said(files, SHOP)[0].projects == (SharedProject("/home/ada/shop", "shop", False),)


@each_row(("text", "faults"), [
    ("share = 1\n", ["1: share must be a table: [share]"]),
    ("[share]\nURL = 'x'\n", ["2: [share] has no key 'URL'; it has url, person, machine, projects"]),
    ("[share]\n\nurl = 7\n",
     ["3: url counts for nothing: it is not the address of a PostgreSQL database; write postgresql://user@host/database"]),
    ("[share]\nperson = 7\n", [f"2: person must be {NAME}"]),
    ("[share]\nmachine = 'a/b'\n", [f"2: machine must be {NAME}"]),
    ("[share]\nmachine = '..'\n", [f"2: machine must be {NAME}"]),
    ("[share]\nmachine = ' a'\n", [f"2: machine must be {NAME}"]),
    ("[share]\nmachine = \"a\\u202eb\"\n", [f"2: machine must be {NAME}"]),
    (f"[share]\nmachine = '{'x' * 61}'\n", [f"2: machine must be {NAME}"]),
    ("[share]\nprojects = '/x'\n", ["2: projects must be tables: [[share.projects]]"]),
    ("[[share.projects]]\n", [f"1: {NUMBER} 1 needs a path: the whole path of a folder; so it is not shared"]),
    ("[[share.projects]]\npath = 'x'\n",
     [f"1: {NUMBER} 1 needs a path: the whole path of a folder; so it is not shared"]),
    ("[[share.projects]]\npath = '/'\n", [f"1: {NUMBER} 1 needs a name: {NAME}; so it is not shared"]),
    (SHOP + "name = 'a/b'\n", [f"1: {NUMBER} 1 needs a name: {NAME}; so it is not shared"]),
    (SHOP + "texts = 'yes'\n", [f"1: {NUMBER} 1 has texts, which must be true or false; so it is not shared"]),
    (SHOP + "text = true\n", [f"1: {NUMBER} 1 has no key 'text'; it has path, name, texts; so it is not shared"]),
    (SHOP + SHOP + "texts = true\n",
     [f"1: {NUMBER} 2 has the path or the name of one before it; so it is not shared"]),
    (SHOP + "[[share.projects]]\npath = '/other/shop'\n",
     [f"1: {NUMBER} 2 has the path or the name of one before it; so it is not shared"]),
])  # fmt: skip
def test_a_fault_is_named_with_its_line_and_counts_for_nothing(text: str, faults: list[str], tmp_path: Path) -> None:
    found, sentences = said(Files(tmp_path), text)
    assert sentences == faults
    assert all(project == SharedProject("/home/ada/shop", "shop") for project in found.projects)
    assert found[:3] == (None, "", "")


def test_a_password_in_the_url_is_in_no_fault(files: Files) -> None:
    found, (fault,) = said(files, '[share]\nurl = "postgresql://ada:hunter2@db/team"\n')
    assert found.address is None
    assert "~/.pgpass" in fault
    assert "hunter2" not in fault


def test_the_settings_name_these_faults_and_do_not_name_a_sound_table(files: Files) -> None:
    files.own('[share]\nurl = "postgresql://db/team"\n')
    assert files.faults() == []
    files.own('[share]\nurl = "x"\n')
    (fault,) = files.faults()
    assert fault.startswith("HOME/.rcs/config.toml:2: url counts for nothing: ")
