"""What counts for sharing: the person's own file, and what a variable may add to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rcs_hooks.config.share_table import SharedProject
from rcs_hooks.errors import Refused
from rcs_hooks.share import own_file, settings
from rcs_hooks.share.identity import machine_id
from tests.support import clean_env, run_rcs
from tests.table import each_row

OWN = "postgresql://ada@db:6543/team?sslmode=require"
ELSEWHERE = "it counts only for the host and port of the url in ~/.rcs/config.toml; to write one: rcs share init URL"


def home_with(folder: Path, text: str) -> dict[str, str]:
    home = folder / "home"
    (home / ".rcs").mkdir(parents=True)
    (home / ".rcs/config.toml").write_text(text)
    return {"HOME": str(home)}


@each_row(("variable", "database", "user", "fault"), [
    ("", "team", "ada", None),
    ("postgresql://db:6543/other", "other", "ada", None),
    ("postgresql://bob@db:6543/other", "other", "bob", None),
    ("postgresql://bob@DB:6543/team?sslmode=require", "team", "bob", None),
    ("postgresql://evil:6543/team", "team", "ada", ELSEWHERE),
    ("postgresql://db:6543,evil:6543/team", "team", "ada", ELSEWHERE),
    ("postgresql://db:6543/team?hostaddr=10.0.0.1", "team", "ada",
     "it may name no options but those of the url in ~/.rcs/config.toml"),
    ("postgresql://bob:hunter2@db:6543/team", "team", "ada",
     "it counts for nothing: a password does not belong in the address; put it into ~/.pgpass, PGPASSWORD or a "
     "service file, and write postgresql://user@host/database"),
    ("nonsense", "team", "ada",
     "it counts for nothing: it is not the address of a PostgreSQL database; write postgresql://user@host/database"),
])  # fmt: skip
def test_a_variable_may_name_another_database_of_the_same_server_and_nothing_else(
    variable: str, database: str, user: str, fault: str | None, tmp_path: Path
) -> None:
    found = settings.load(home_with(tmp_path, f'[share]\nurl = "{OWN}"\n') | {"RCS_SHARE": variable})
    assert found.address is not None
    assert found.address == ((("db", 6543),), database, user, (("sslmode", "require"),))
    assert [each.sentence for each in found.faults] == ([f"RCS_SHARE: {fault}"] if fault else [])


def test_only_a_folder_that_was_named_is_shared_and_none_below_it() -> None:
    shop = SharedProject("/home/ada/shop", "shop")
    assert settings.project_of((shop,), "/home/ada/shop") == shop
    assert settings.project_of((shop,), "/home/ada/shop/below") is None
    assert settings.project_of((shop,), "/home/ada") is None


# --- what a workspace cannot say


def test_a_workspace_names_no_database_by_its_own_file(tmp_path: Path) -> None:
    env = clean_env(HOME=str(tmp_path))
    (tmp_path / "project").mkdir()
    (tmp_path / "project/rcs.toml").write_text('[share]\nurl = "postgresql://evil/team"\n')
    done = run_rcs("share", "prune", "--older-than", "1d", cwd=tmp_path / "project", env=env)
    assert done.returncode == 1
    assert done.stderr.startswith("rcs: no shared database is named; ")
    shown = run_rcs("config", cwd=tmp_path / "project", env=env)
    assert "[share] counts in ~/.rcs/config.toml alone" in shown.stderr


# --- the person's own file is edited


@each_row(("before", "after"), [
    ("", '[share]\nurl = "postgresql://db/team"\n'),
    ("# mine\n[proof]\ncommand = 'x' # y\n",
     "# mine\n[proof]\ncommand = 'x' # y\n\n[share]\nurl = \"postgresql://db/team\"\n"),
    ("[share]\nurl = 'postgresql://other/x' # old\nperson = 'Ada'\n",
     "[share]\nurl = \"postgresql://db/team\" # old\nperson = 'Ada'\n"),
    ("share.person = 'Ada'\n", "share.person = 'Ada'\nshare.url = \"postgresql://db/team\"\n"),
])  # fmt: skip
def test_a_url_is_written_and_all_else_stays(before: str, after: str, tmp_path: Path) -> None:
    home = home_with(tmp_path, before)["HOME"]
    path = Path(home, ".rcs/config.toml")
    assert own_file.set_url(home, "postgresql://db/team")
    assert path.read_text() == after
    assert path.stat().st_mode & 0o777 == 0o600
    assert not own_file.set_url(home, "postgresql://db/team")
    assert sorted(each.name for each in path.parent.iterdir()) == [".lock", "config.toml"]


def test_projects_come_change_and_go(tmp_path: Path) -> None:
    home = home_with(tmp_path, "# first\n[share]\nperson = 'Ada'\n\n[proof]\nrequired = true\n")["HOME"]
    env = {"HOME": home}
    shop, bank = SharedProject("/w/shop", "shop"), SharedProject("/w/bank", "b", True)
    assert own_file.add_project(home, shop)
    assert own_file.add_project(home, bank)
    assert not own_file.add_project(home, bank)
    assert own_file.add_project(home, shop._replace(texts=True, name="laden"))
    assert settings.load(env).projects == (SharedProject("/w/shop", "laden", True), bank)
    assert own_file.remove_project(home, "/w/shop")
    assert not own_file.remove_project(home, "/w/shop")
    assert settings.load(env).projects == (bank,)
    text = Path(home, ".rcs/config.toml").read_text()
    assert "# first\n[share]\nperson = 'Ada'\n" in text
    assert "[proof]\nrequired = true\n" in text


# --- the id of a machine


def test_an_id_is_made_once_and_belongs_to_the_machine(tmp_path: Path) -> None:
    home = str(tmp_path)
    first = machine_id(home, "machine one")
    assert first.version == 4
    assert machine_id(home, "machine one") == first != machine_id(str(tmp_path / "b"), "machine one")
    file = tmp_path / ".rcs/share/machine.json"
    assert file.stat().st_mode & 0o777 == 0o600
    assert "machine one" not in file.read_text()


@each_row(
    "text", ["", "{", "[]", "{}", '{"machines": []}', '{"machines": {"x": "y"}}', '{"machines": {"x": 1}}', "\xff"]
)
def test_a_file_that_is_not_understood_is_named_and_stays(text: str, tmp_path: Path) -> None:
    file = tmp_path / ".rcs/share/machine.json"
    file.parent.mkdir(parents=True)
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(Refused, match="remove it, and this machine is shared as a new one"):
        machine_id(str(tmp_path), "one")
    assert file.read_bytes() == text.encode("latin-1")
