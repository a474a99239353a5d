"""What doctor says of settings: those that nobody has trusted, and those that are not understood."""

from __future__ import annotations

from pathlib import Path

from rcs_hooks.clients.check import NOTE, OK, WARN, Check
from rcs_hooks.clients.installer import Host
from rcs_hooks.config import reading, trust
from rcs_hooks.install import config_checks
from tests.install.test_doctor import host

__all__ = ["host"]  # the fixture
WHOLE = '[proof]\ncommand = "make check"\nrequired = true\n'


def said(host: Host, text: str) -> list[Check]:
    Path(host.root, "rcs.toml").write_text(text)
    return [check._replace(what="") for check in config_checks.checks(host)]


def test_settings_that_nobody_has_trusted_are_shown_with_what_to_type(host: Host) -> None:
    assert list(config_checks.checks(host)) == []
    look = f"look at it, then type in a terminal of your own: rcs config trust --root {host.root}"
    says = "counts for nothing; it says: a run needs a proof to be finished, by `make check`"
    assert said(host, WHOLE) == [Check("", NOTE, f"[proof] of rcs.toml is not trusted, so it {says}", look)]
    source = reading.read(f"{host.root}/rcs.toml")
    assert source
    trust.change(host.home, source.path, trust.digest_of(source.tables["proof"]))
    assert said(host, WHOLE) == [Check("", OK, "a run needs a proof to be finished, by `make check` (rcs.toml)")]
    found = "[proof] of rcs.toml has changed since you trusted it, so it counts for nothing, and nothing is proven;"
    changed = Check("", WARN, f"{found} it says: a run is proven by `make check`", look)
    assert said(host, WHOLE.replace("true", "false")) == [changed]
    says = "rcs.toml no longer has the [proof] that you trusted, so nothing of it counts, and nothing is proven"
    todo = f"if that is meant: rcs config trust --remove --root {host.root}"
    assert said(host, "") == [Check("", WARN, says, todo)]


def test_what_is_not_understood_is_named_with_its_line_and_of_many_only_some(host: Host) -> None:
    first, *_ = said(host, "[proof]\nrequired = 1\n")
    says = f"{host.root}/rcs.toml:2: required must be true or false"
    assert first == Check("", WARN, says, "correct it; `rcs config` shows what counts")
    found = said(host, "".join(f'"\\u001b{"x" * 900}{number}" = 1\n' for number in range(9)))
    assert (len(found), found[-1].found) == (5, "5 more of this kind")
    assert all(check.found.isprintable() and len(check.found) <= 400 for check in found)
