"""The last line of doctor, by what its checks have found."""

from __future__ import annotations

from rcs_hooks.clients.check import BROKEN, NOTE, OK, TODO, UNSET, WARN, Check
from rcs_hooks.install.verdict import verdict
from tests.table import each_row

CODEX, CLAUDE = "codex", "claude"
APPROVE = "start `codex` and approve them: /hooks"
TRUST = "start `claude` in this folder once, and say that you trust it"
NOTHING, WORKS = "Nothing is set up here yet. To do:", "It would work now in"
NOT_YET, BROKEN_NOW = "It would not work yet. To do in", "It would not work now as it should:"


def a(status: str, client: str = "", todo: str = "") -> Check:
    return Check("what", status, "found", todo, client)


NONE = a(UNSET, todo="install Codex or Claude Code")
OFF = "It would do nothing now, for it is switched off. To switch it on: rcs on"


@each_row(("checks", "switch_on", "status", "says"), [
    ([], "", UNSET, f"{NOTHING} rcs setup --skills"),
    ([NONE, a(OK)], "", UNSET, f"{NOTHING} install Codex or Claude Code"),
    ([a(UNSET, CODEX, "one"), a(OK, CODEX), a(UNSET, CLAUDE, "another")], "", UNSET, f"{NOTHING} rcs setup --skills"),
    ([a(OK, CLAUDE), a(NOTE, CLAUDE)], "", OK, f"{WORKS} Claude Code."),
    ([a(OK, CODEX), a(WARN, CLAUDE)], "", OK, f"{WORKS} Codex and Claude Code."),
    ([a(UNSET, CODEX, "one"), a(OK, CLAUDE)], "", OK, f"{WORKS} Claude Code."),
    ([a(TODO, CODEX, APPROVE), a(OK, CLAUDE)], "", OK, f"{WORKS} Claude Code. Not yet in Codex: {APPROVE}"),
    ([a(OK, CLAUDE), a(TODO, CLAUDE, TRUST)], "", TODO, f"{NOT_YET} Claude Code: {TRUST}"),
    ([a(TODO, CODEX, "trust it"), *[a(TODO, CODEX, APPROVE)] * 2], "", TODO,
     f"{NOT_YET} Codex: trust it, then {APPROVE}"),
    ([a(TODO, CODEX, APPROVE), a(TODO, CLAUDE, TRUST)], "", TODO,
     f"{NOT_YET} Codex: {APPROVE}; in Claude Code: {TRUST}"),
    ([a(BROKEN, CODEX), a(OK, CLAUDE)], "", BROKEN, f"{BROKEN_NOW} 1 thing above is broken."),
    ([a(BROKEN), a(BROKEN), a(OK, CLAUDE)], "rcs on", BROKEN, f"{BROKEN_NOW} 2 things above are broken."),
    ([a(OK, CLAUDE)], "rcs on", TODO, OFF),
])  # fmt: skip
def test_the_last_line_says_whether_it_would_work_now(
    checks: list[Check], switch_on: str, status: str, says: str
) -> None:
    found = verdict(checks, switch_on=switch_on)
    assert (found.status, found.says, found.works) == (status, says, status == OK)


def test_a_client_that_is_not_on_path_is_named() -> None:
    found = verdict([a(OK, CODEX), a(OK, CLAUDE)], absent=[CODEX])
    assert found.says == "It would work now in Codex (`codex` is not on PATH here) and Claude Code."
