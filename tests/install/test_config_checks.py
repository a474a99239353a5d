"""What doctor says of settings: those that nobody has trusted, and those that are not understood."""

from __future__ import annotations

from pathlib import Path

import pytest

from rcs_hooks.clients.check import NOTE, OK, WARN, Check
from rcs_hooks.clients.installer import Host
from rcs_hooks.config import reading, trust
from rcs_hooks.install import config_checks

WHOLE = '[proof]\ncommand = "make check"\nrequired = true\n'


@pytest.fixture
def host(tmp_path: Path) -> Host:
    (tmp_path / "home").mkdir()
    (tmp_path / "project").mkdir()
    return Host({"HOME": str(tmp_path / "home")}, str(tmp_path / "home"), str(tmp_path / "project"))


def say(host: Host, text: str) -> str:
    path = f"{host.root}/rcs.toml"
    Path(path).write_text(text)
    return path


def test_without_settings_nothing_is_said(host: Host) -> None:
    assert list(config_checks.checks(host)) == []


def test_settings_that_nobody_has_trusted_are_shown_with_what_to_type(host: Host) -> None:
    path = say(host, WHOLE)
    said = "counts for nothing; it says: a run needs a proof to be finished, by `make check`"
    look = f"look at it, then type in a terminal of your own: rcs config trust --root {host.root}"
    assert list(config_checks.checks(host)) == [
        Check("config", NOTE, f"[proof] of rcs.toml is not trusted, so it {said}", look)
    ]
    source = reading.read(path)
    assert source
    trust.change(host.home, path, trust.digest_of(source.tables["proof"]))
    assert list(config_checks.checks(host)) == [
        Check("config", OK, "a run needs a proof to be finished, by `make check` (rcs.toml)")
    ]
    say(host, WHOLE.replace("true", "false"))
    found = "[proof] of rcs.toml has changed since you trusted it, so it counts for nothing, and nothing is proven;"
    assert list(config_checks.checks(host)) == [
        Check("config", WARN, f"{found} it says: a run is proven by `make check`", look)
    ]
    say(host, "")
    said = "rcs.toml no longer has the [proof] that you trusted, so nothing of it counts, and nothing is proven"
    todo = f"if that is meant: rcs config trust --remove --root {host.root}"
    assert list(config_checks.checks(host)) == [Check("config", WARN, said, todo)]


def test_what_is_not_understood_is_named_with_its_line_and_of_many_only_some(host: Host) -> None:
    path = say(host, "[proof]\nrequired = 1\n")
    first, *_ = config_checks.checks(host)
    assert first == Check(
        "config", WARN, f"{path}:2: required must be true or false", "correct it; `rcs config` shows what counts"
    )
    say(host, "".join(f'"\\u001b{"x" * 900}{number}" = 1\n' for number in range(9)))
    found = list(config_checks.checks(host))
    assert (len(found), found[-1].found) == (5, "5 more of this kind")
    assert all(check.found.isprintable() and len(check.found) <= 400 for check in found)
