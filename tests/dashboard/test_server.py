"""`rcs dashboard` as a program: how it starts, what it says when it cannot, and how it ends."""

from __future__ import annotations

import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from rcs_hooks.errors import needs_extra
from tests.dashboard.support import KEY, PATIENCE, Listener, fetch, served
from tests.runs.support import Project
from tests.support import run_rcs


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.now = time.time()
    return made


@pytest.mark.slow
@pytest.mark.parametrize(("by", "ends"), [(signal.SIGINT, 0), (signal.SIGTERM, -signal.SIGTERM)])
def test_it_ends_quietly_with_pages_open(project: Project, by: signal.Signals, ends: int) -> None:
    with served(project) as server, Listener(server.url) as page:
        page.next()
        assert server.said == f"the dashboard is at http://127.0.0.1:{server.port}/ (Ctrl-C ends it)\n"
        assert server.ended(by) == (ends, "", "")


@pytest.mark.slow
def test_a_port_in_use_is_one_sentence(project: Project) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        words = f"rcs: port {port} of 127.0.0.1 is in use; end what uses it, or name another: rcs dashboard --port 0\n"
        done = run_rcs("dashboard", "--port", str(port), cwd=project.root, env=project.env())
        assert (done.returncode, done.stdout, done.stderr) == (1, "", words)


def test_without_the_packages_it_says_what_to_install(project: Project) -> None:
    code = (
        "import sys; sys.modules['uvicorn'] = None\n"
        "from rcs_hooks.cli.main import main; sys.exit(main(['dashboard', '--port', '0']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=project.env(), cwd=project.root, check=False
    )
    words = f"rcs: {needs_extra('uvicorn', 'the dashboard')}\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", words)


def test_a_server_for_every_address_asks_for_a_token_and_prints_it(project: Project) -> None:
    with served(project, "--host", "0.0.0.0") as server:
        token = server.said.partition("?token=")[2].partition(" ")[0]
        assert len(token) >= 32
        here = f"http://127.0.0.1:{server.port}"
        assert fetch(f"{here}/api/runs").status_code == 401
        with httpx.Client(timeout=PATIENCE) as client:
            assert client.get(f"{here}/", params={"token": token}).status_code == 200
            assert client.get(f"{here}/api/runs").status_code == 200


def browser_that_says(opened: Path) -> Path:
    """A browser that writes what it was started with into a pipe, and stays until that was read."""
    os.mkfifo(opened)
    browser = opened.with_name("browser")
    browser.write_text(f'#!/bin/sh\necho "$@" > {opened}\n')
    browser.chmod(0o755)
    return browser


@pytest.mark.slow
def test_open_shows_the_token_to_nobody_else(project: Project, tmp_path: Path) -> None:
    """Everybody on the machine sees what a browser is started with; what it opens is for the owner alone."""
    browser = browser_that_says(tmp_path / "opened")
    with served(
        project, "--open", "--token", BROWSER=str(browser), RCS_DASHBOARD_TOKEN=KEY, TMPDIR=str(tmp_path)
    ) as it:
        target = (tmp_path / "opened").read_text().strip()
        assert target.startswith(f"file://{tmp_path}/rcs-dashboard-")
        page = Path(target.removeprefix("file://"))
        assert (stat.S_IMODE(page.stat().st_mode), stat.S_IMODE(page.parent.stat().st_mode)) == (0o600, 0o700)
        (url,) = re.findall(r"url=(http://[^']+)'", page.read_text())
        command = Path(f"/proc/{it.process.pid}/cmdline").read_text()
        code = url.partition("token=")[2]
        assert len(code) >= 32
        assert not [secret for secret in (KEY, code) if secret in command + target + it.said]
        with httpx.Client(timeout=PATIENCE) as client:
            assert client.get(url).status_code == 200
            assert client.get(f"{it.url}api/runs").status_code == 200
        assert fetch(url).status_code == 401
        assert not page.parent.exists()


def test_the_page_and_its_files_are_served(project: Project) -> None:
    with served(project) as server:
        page = fetch(server.url)
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        assert fetch(f"{server.url}runs/r1").text == page.text
        again = fetch(server.url, headers={"If-None-Match": page.headers["etag"]})
        assert (again.status_code, again.text) == (304, "")
        for path in ("static/..%2fapp.py", "static/../app.py", "static/%2e%2e/app.py", "static/..%5capp.py",
                     "static/.hidden", "static//etc/passwd", "static/%00.js", "static/", "app.py"):  # fmt: skip
            answer = fetch(f"{server.url}{path}")
            assert answer.status_code == 404, path
            assert answer.headers["content-type"] == "application/json"
