"""The server that the tests of sharing start for themselves."""

from __future__ import annotations

import socket

import pytest

from tests.share import conftest


@pytest.mark.slow
def test_a_port_that_somebody_takes_first_is_left_to_them(monkeypatch: pytest.MonkeyPatch) -> None:
    programs = conftest.binaries()
    if programs is None:
        pytest.skip("no PostgreSQL server is installed: neither initdb on PATH nor /usr/lib/postgresql/*/bin")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ports = [conftest.free_port(), int(taken.getsockname()[1])]
        monkeypatch.setattr(conftest, "free_port", ports.pop)
        with conftest.running(programs) as server, server.connect() as connection:
            assert connection.execute("SELECT 1").fetchall() == [(1,)]
    assert ports == []
