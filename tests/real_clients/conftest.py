from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.real_clients.adapters import ADAPTERS
from tests.real_clients.configure import ALL_CLIENTS
from tests.real_clients.driver import PATH, Person
from tests.real_clients.install import Installed, Unavailable, installed
from tests.real_clients.model_server import run, say
from tests.support import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from tests.real_clients.configure import Client

Ready = tuple[Installed, str]
"""A client, and the sandbox in which its agent can run a command here."""
Programs = Callable[["Client"], "Ready | str"]


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    """Try a client when it is first asked for: does it finish a plain turn on this machine? Else, why not."""
    return cache(lambda client: _ready(client, tmp_path_factory))


def _ready(client: Client, folders: pytest.TempPathFactory) -> Ready | str:
    why_not = ""
    for program in ADAPTERS[client].needs:
        if shutil.which(program, path=PATH) is None:
            return f"{client} is not tried: there is no {program} in {PATH}"
    try:
        found = installed(ADAPTERS[client].package)
        for sandbox in ADAPTERS[client].sandboxes:
            why_not = _why_not(client, found, sandbox, folders.mktemp(client))
            if not why_not:
                return found, sandbox
    except Unavailable as why:
        return str(why)
    return why_not


def _why_not(client: Client, program: Installed, sandbox: str, folder: Path) -> str:
    """Why the client finishes no plain turn in which its agent runs a command; empty where it does."""
    person = Person(client, program, folder / "home", folder, sandbox=sandbox)
    person.trusts(folder)
    outcome = person.types("Hi", run("printf '%s%s\\n' 4 2"), say("Bye."))
    heard = outcome.requests[-1].texts() if outcome.requests else []
    if outcome.status == 0 and any("42" in text.split() for text in heard):
        return ""
    said = " ".join([*heard[-1:], outcome.err])
    return f"{client} {program.version} finishes no plain turn here: {' '.join(said.split())[-400:]}"


@pytest.fixture(params=ALL_CLIENTS)
def client(request: pytest.FixtureRequest) -> Client:
    name: Client = request.param
    return name


@pytest.fixture
def person(client: Client, programs: Programs, tmp_path: Path) -> Person:
    """At the client, in a repository of their own, which the client trusts."""
    ready = programs(client)
    if isinstance(ready, str):
        pytest.skip(ready)
    program, sandbox = ready
    workspace = tmp_path / "workspace"
    subprocess.run(["git", "init", "-q", str(workspace)], check=True)
    person = Person(client, program, tmp_path / "home", workspace, sandbox=sandbox)
    person.home.mkdir()
    person.trusts(workspace)
    return person


@pytest.fixture
def workspace(person: Person) -> Workspace:
    """The state in the person's folder."""
    return Workspace(person.workspace)


IN_EACH_RUN = "test_a_stop_is_blocked_until_the_pasted_command_has_recorded_an_outcome"
"""One turn of each client, from setup to the outcome. The others are for `.ci/run full`: they take minutes."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "/real_clients/" in str(item.path):
            item.add_marker(pytest.mark.slow)
            if not item.name.startswith(IN_EACH_RUN):
                item.add_marker(pytest.mark.full)
