"""`rcs config` and `rcs config trust`: what counts here, from where, and who may trust a project's settings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import Record, clean_env, run_rcs
from tests.table import each_row

WHOLE = '[proof]\ncommand = "make check"\nrequired = true\n'
UNTRUSTED = """\
proof.command   -      default
proof.required  false  default
proof.timeout   30m    default

[proof] of rcs.toml is not trusted, so it counts for nothing:
  command   make check
  required  true
  timeout   30m
To let it count, type in a terminal of your own: rcs config trust
"""


class Shell:
    """A shell in a project."""

    def __init__(self, folder: Path) -> None:
        self.root, self.home = folder / "project", folder / "home"
        (self.root / ".git").mkdir(parents=True)
        (self.root / ".git/HEAD").touch()
        self.home.mkdir()
        self.file = self.root / "rcs.toml"

    def rcs(self, *words: str, **variables: str) -> tuple[int, str, str]:
        """The status of `rcs config WORDS`, and what it prints."""
        done = run_rcs("config", *words, cwd=self.root, env=clean_env(HOME=str(self.home)) | variables)
        return done.returncode, done.stdout, done.stderr

    def json(self, *words: str, **variables: str) -> Record:
        status, out, err = self.rcs(*words, "--json", **variables)
        assert (status, err) == (0, "")
        found: Record = json.loads(out)
        return found


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_without_files_all_is_the_default(shell: Shell) -> None:
    status, out, err = shell.rcs()
    assert (status, out, err) == (0, UNTRUSTED.partition("\n\n")[0] + "\n", "")
    assert shell.json() == {
        "ok": True,
        "root": str(shell.root),
        "proof": {
            "command": {"value": None, "source": "default"},
            "required": {"value": False, "source": "default"},
            "timeout": {"value": 1800.0, "source": "default"},
        },
        "untrusted": None,
        "changed": False,
        "faults": [],
    }
    assert list(shell.home.iterdir()) == []


def test_what_is_not_trusted_is_shown_and_trust_lets_it_count(shell: Shell) -> None:
    shell.file.write_text(WHOLE + 'timeout = "90s"\n')
    assert shell.rcs() == (0, UNTRUSTED.replace("  timeout   30m", "  timeout   90s"), "")
    assert shell.json()["untrusted"] == {"command": "make check", "required": True, "timeout": 90.0}
    status, out, err = shell.rcs("trust")
    assert (status, err) == (0, "")
    assert out == (
        f"{shell.file} is trusted, as it is now:\n"
        "  command   make check\n"
        "  required  true\n"
        "  timeout   90s\n"
        "Once [proof] changes, it counts for nothing until you type again: rcs config trust\n"
    )
    assert shell.rcs("trust")[1].startswith(f"{shell.file} is trusted already, as it is now:\n")
    assert shell.rcs()[1] == (
        "proof.command   make check  rcs.toml\n"
        "proof.required  true        rcs.toml\n"
        "proof.timeout   90s         rcs.toml\n"
    )


def test_a_change_ends_the_trust_and_so_does_remove(shell: Shell) -> None:
    shell.file.write_text("[proof]\nx = 1\n" + WHOLE.partition("\n")[2])
    assert shell.rcs()[2].startswith(f"{shell.file}:2: [proof] has no key 'x'")
    shell.file.write_text(WHOLE)
    assert shell.json("trust")["was_changed"] is True
    shell.file.write_text(WHOLE.replace("make check", "true"))
    assert (
        "[proof] of rcs.toml has changed since you trusted it, so it counts for nothing, and nothing is proven:\n"
        in shell.rcs()[1]
    )
    assert shell.json()["changed"] is True
    for leave in (lambda: shell.file.write_text("[proof]\n"), shell.file.unlink):
        leave()
        assert shell.rcs()[1].endswith(
            "\nrcs.toml no longer has the [proof] that you trusted, so nothing of it counts, and nothing is proven.\n"
        )
    shell.file.write_text(WHOLE)
    assert shell.json()["proof"]["required"] == {"value": True, "source": "rcs.toml"}
    assert shell.rcs("trust", "--remove") == (0, f"{shell.file} is no longer trusted\n", "")
    assert shell.rcs("trust", "--remove") == (0, f"{shell.file} was not trusted\n", "")
    assert shell.rcs() == (0, UNTRUSTED, "")


@each_row("words", [(), ("--remove",), ("--json",)])
def test_an_agent_may_not_trust_anything(words: tuple[str, ...], tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.file.write_text(WHOLE)
    status, out, err = shell.rcs("trust", *words, CLAUDECODE="1")
    assert (status, out) == (1, "")
    assert "this is an agent's shell, and trust is for a person to give: type it in a terminal: rcs config trust" in err
    assert list(shell.home.iterdir()) == []


@each_row(
    ("text", "why"),
    [
        (None, "there is no {file}, so there is nothing to trust; to make one, write into it a line [proof]"),
        ("[proof]\n", "[proof] of {file} names no command and nothing else, so there is nothing to trust"),
        ("[prof]\n", "{file} has no table [proof], so there is nothing to trust"),
        ("[proof", "{file}: it is not TOML: expected ']' at the end of a table declaration; correct that, and type"),
        ("[proof]\nx = 1\n", "{file}:2: [proof] has no key 'x'; it has command, required, timeout; correct that"),
    ],
)
def test_what_nobody_could_rely_on_is_not_trusted(text: str | None, why: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    if text is not None:
        shell.file.write_text(text)
    status, out, err = shell.rcs("trust")
    assert (status, out) == (1, "")
    assert err.startswith(f"rcs: {why.format(file=shell.file)}")
    assert list(shell.home.iterdir()) == []
