"""A newcomer: an installer of their own, a path with a blank, setup, doctor, a prompt, and uninstall."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.install.test_installed import INSTALLERS, in_shell, network_env
from tests.real_clients import configure
from tests.real_clients.model_server import run
from tests.real_clients.test_places import git
from tests.real_clients.test_turns import DETECTED, DONE, WORKING, counts, ended_well
from tests.support import CHECKOUT, Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from tests.real_clients.driver import Person

pytestmark = pytest.mark.slow

FINISH = run(r"\1--outcome finished\2", r"(?<=: )(.*rcs'? state write --mode forge )--phase executing(.*)$")
"""The command that is to be pasted, with the outcome in place of the phase; a path with a blank is quoted."""


@pytest.fixture(scope="session")
def programs_of(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """`rcs` as each installer brings it, in a folder with a blank."""
    tools = tmp_path_factory.mktemp("tools")
    subprocess.run([sys.executable, "-m", "venv", str(tools / "env")], check=True, timeout=120)
    subprocess.run([tools / "env/bin/pip", "install", "-q", "uv", "pipx"], check=True, timeout=300)
    found = {}
    for installer, line in INSTALLERS.items():
        (folder := tools / f"my own {installer}").mkdir()
        env = network_env(tools / "env/bin", tools)
        in_shell(line, str(folder), str(CHECKOUT), sys.executable, cwd=tools, env=env)
        found[installer] = folder / "bin/rcs"
    return found


@pytest.mark.parametrize("installer", INSTALLERS)
def test_the_first_day_of_a_newcomer(
    installer: str,
    programs_of: dict[str, Path],
    person: Person,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(configure, "RCS", programs_of[installer])
    person.workspace = tmp_path / "my project"
    person.workspace.mkdir()
    git(person.workspace, "init", "-q")
    before = sorted(os.listdir(person.workspace))

    configure.configure(person.client, person.workspace, "command", "--skills")
    said = configure.rcs(person.workspace, person.workspace, "doctor")
    assert f"/my own {installer}/" in said.stdout.splitlines()[0]
    person.trusts(person.workspace)
    outcome = person.types("$forge ship this fix", WORKING, FINISH, DONE)
    assert ended_well(outcome)
    assert counts(outcome, DETECTED) == [1, 1, 1]
    assert Workspace(person.workspace).read("forge", outcome.session)["lifecycle_outcome"] == "finished"

    done = configure.rcs(person.workspace, person.workspace, "uninstall", "--client", person.client, "--purge", "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(os.listdir(person.workspace)) == before
