"""The last line of doctor, by what its checks have found."""

from __future__ import annotations

import pytest

from rcs_hooks.clients.check import BROKEN, NOTE, OK, TODO, UNSET, WARN, Check
from rcs_hooks.install.verdict import verdict

CODEX, CLAUDE = "codex", "claude"
APPROVE, TRUST = (
    "start `codex` and approve them: /hooks",
    "start `claude` in this folder once, and say that you trust it",
)
SETUP = "rcs setup --client codex --skills"
NONE = Check("clients", UNSET, "", "install Codex or Claude Code")


def a(status: str, client: str = "", todo: str = "") -> Check:
    return Check("what", status, "found", todo, client)


LINES = {
    "nothing was checked": ([], "", UNSET, "Nothing is set up here yet. To do: rcs setup --skills"),
    "no client": ([NONE, a(OK)], "", UNSET, "Nothing is set up here yet. To do: install Codex or Claude Code"),
    "none set up": (
        [a(UNSET, CODEX, SETUP), a(OK, CODEX), a(UNSET, CLAUDE, "another")],
        "",
        UNSET,
        "Nothing is set up here yet. To do: rcs setup --skills",
    ),
    "one works": ([a(OK, CLAUDE), a(NOTE, CLAUDE)], "", OK, "It would work now in Claude Code."),
    "both work": ([a(OK, CODEX), a(WARN, CLAUDE)], "", OK, "It would work now in Codex and Claude Code."),
    "the other is not wanted": ([a(UNSET, CODEX, SETUP), a(OK, CLAUDE)], "", OK, "It would work now in Claude Code."),
    "the other waits": (
        [a(TODO, CODEX, APPROVE), a(OK, CLAUDE)],
        "",
        OK,
        f"It would work now in Claude Code. Not yet in Codex: {APPROVE}",
    ),
    "it waits for a person": (
        [a(OK, CLAUDE), a(TODO, CLAUDE, TRUST)],
        "",
        TODO,
        f"It would not work yet. To do in Claude Code: {TRUST}",
    ),
    "two things are to do, one of them twice": (
        [a(TODO, CODEX, "trust it"), a(TODO, CODEX, APPROVE), a(TODO, CODEX, APPROVE)],
        "",
        TODO,
        f"It would not work yet. To do in Codex: trust it, then {APPROVE}",
    ),
    "both wait": (
        [a(TODO, CODEX, APPROVE), a(TODO, CLAUDE, TRUST)],
        "",
        TODO,
        f"It would not work yet. To do in Codex: {APPROVE}; in Claude Code: {TRUST}",
    ),
    "broken": (
        [a(BROKEN, CODEX), a(OK, CLAUDE)],
        "",
        BROKEN,
        "It would not work now as it should: 1 thing above is broken.",
    ),
    "broken for all, and switched off": (
        [a(BROKEN), a(BROKEN), a(OK, CLAUDE)],
        "rcs on",
        BROKEN,
        "It would not work now as it should: 2 things above are broken.",
    ),
    "switched off": (
        [a(OK, CLAUDE)],
        "rcs on",
        TODO,
        "It would do nothing now, for it is switched off. To switch it on: rcs on",
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_the_last_line_says_whether_it_would_work_now(name: str) -> None:
    checks, switch_on, status, says = LINES[name]
    found = verdict(checks, switch_on=switch_on)
    assert (found.status, found.says) == (status, says)
    assert found.works is (status == OK)


def test_a_client_that_is_not_on_path_is_named() -> None:
    found = verdict([a(OK, CODEX), a(OK, CLAUDE)], absent=[CODEX])
    assert found.says == "It would work now in Codex (`codex` is not on PATH here) and Claude Code."
