"""The harness itself: what it promises about the clients' surroundings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.real_clients.adapters import ADAPTERS
from tests.real_clients.configure import ALL_CLIENTS
from tests.real_clients.driver import isolation
from tests.real_clients.install import Unavailable, installed
from tests.real_clients.model_server import run, run_found, say

if TYPE_CHECKING:
    from pathlib import Path

    from tests.real_clients.driver import Person

pytestmark = pytest.mark.slow


def test_a_client_has_no_network_but_loopback(person: Person) -> None:
    if not isolation():
        pytest.skip("this machine lets nobody make a network namespace (unshare --user --net)")
    outcome = person.types("Hi", run("sed -n 's/^ *\\([a-z0-9]*\\):.*/net:\\1/p' /proc/net/dev"), say("Bye."))
    found = [line for text in outcome.requests[-1].texts() for line in text.splitlines() if line.startswith("net:")]
    assert set(found) == {"net:lo"}


def test_the_person_of_a_test_is_nobody_else(person: Person) -> None:
    outcome = person.types("Hi", run("echo home:$HOME key:$ANTHROPIC_API_KEY$MOCK_API_KEY"), say("Bye."))
    assert outcome.requests[-1].count(f"home:{person.home} key:dummy") >= 1


def test_a_script_that_finds_nothing_to_run_says_so(person: Person) -> None:
    outcome = person.types("Hi", run_found("no such words"))
    assert outcome.missed == ["no such words"]


@pytest.mark.parametrize("client", ALL_CLIENTS)
def test_a_client_that_cannot_be_fetched_is_told_with_the_reason(
    client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unavailable, match="there is no npm on PATH"):
        installed(ADAPTERS[client].package, tmp_path / "cache")
