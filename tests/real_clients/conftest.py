from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.real_clients.adapters import ADAPTERS
from tests.real_clients.configure import SAMPLED
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


@pytest.fixture(params=SAMPLED)
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


IN_EACH_RUN = (
    "a_plain_turn_asks_the_model_once",
    "a_stop_is_blocked_until",
    "records_nothing_is_let_go",
    "a_question_ends_the_turn",
    "after_uninstall_the_users_own_hooks",
    "the_prompt_of_a_subagent",
    "a_broken_hook_costs_nothing[exit 2",
    "a_project_set_up_for_claude_code",
    "hooks_for_the_person_and_in_the_project_speak_once",
    "what_a_repository_sets_changes_nothing",
    "a_repositorys_variables_change_nothing",
    "a_prompt_that_steers_the_agent",
    "many_tools_start_no_count_over",
    "after_esc_nothing_is_held_and_the_run_goes_on_with_the_next_prompt[in the middle",
    "the_reasons_of_two_hooks_are_joined",
    "the_policies_allow",
    "without_a_python_that_will_do",
)
"""What `.ci/run` plays of the clients that came last: each of their turns takes seconds."""
SLOW_CLIENTS = ("copilot", "qwen", "gemini")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the rest of what the slow clients play to `.ci/run full`."""
    for item in items:
        is_slow = "/real_clients/" in str(item.path) and any(name in item.name for name in SLOW_CLIENTS)
        if is_slow and not any(name in item.name for name in IN_EACH_RUN):
            item.add_marker(pytest.mark.full)
