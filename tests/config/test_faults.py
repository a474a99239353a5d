"""What a file of settings says that nobody understands, and what a stranger may put in its place."""

from __future__ import annotations

from pathlib import Path

from rcs_hooks.config import ProofSettings
from tests.config.support import OWN, Files
from tests.table import each_row

BAD_COMMAND = 'command must be a text of one line, with at most 1,000 characters: "pytest -q"'
BAD_TIMEOUT = 'timeout must be seconds or a text such as "30m", from 1 s to 24h'


@each_row(
    ("text", "faults"),
    [
        ("", []),
        ("\ufeff[proof]\n", []),
        ("[prof]\n", ["1: unknown key 'prof'; known: [proof]"]),
        ("a = 1\nb.c = 2\n", ["1: unknown key 'a'; known: [proof]", "2: unknown key 'b'; known: [proof]"]),
        ("\n[share]\nurl = 'x'\n", [f"2: [share] counts in {OWN} alone"]),
        ("proof = 1\n", ["1: proof must be a table: [proof]"]),
        ("[proof]\nx = 1\n", ["2: [proof] has no key 'x'; it has command, required, timeout"]),
        ("proof.required = 1\n", ["1: required must be true or false"]),
        ("proof = { required = 'yes' }\n", ["1: required must be true or false"]),
        ("[proof]\ncommand = 1\n", [f"2: {BAD_COMMAND}"]),
        ("[proof]\ncommand = '''a\nb'''\n", [f"2: {BAD_COMMAND}"]),
        ('[proof]\ncommand = "a\\u001b[2J"\n', [f"2: {BAD_COMMAND}"]),
        ('[proof]\ncommand = "a\\u202eb"\n', [f"2: {BAD_COMMAND}"]),
        (f"[proof]\ncommand = '{'x' * 1001}'\n", [f"2: {BAD_COMMAND}"]),
        (f"[proof]\ncommand = '{'x' * 1000}'\n", []),
        *(
            (f"[proof]\ntimeout = {value}\n", [f"2: {BAD_TIMEOUT}"])
            for value in ("0", "-1", "0.5", "86401", "nan", "inf", "true", "[]", "'m'", "'1d'", "'1.2.3s'", "'²'")
        ),
        *((f"[proof]\ntimeout = {value}\n", []) for value in ("1", "86400", "1.5", "'1.5h'", "'90'", "'24h'")),
        ("[proof]\n\ncommand = x\n", ["3: it is not TOML: invalid value"]),
        ("[proof]\ncommand = 'a'\ncommand = 'b'\n", ["3: it is not TOML: cannot overwrite a value"]),
        ("[proof", [" it is not TOML: expected ']' at the end of a table declaration"]),
        (f"a = {'9' * 1900}\nb = {'[' * 1900}\n", None),
    ],
)
def test_what_is_not_understood_is_named_with_its_line_and_counts_for_nothing(
    tmp_path: Path, text: str, faults: list[str] | None
) -> None:
    files = Files(tmp_path)
    files.project(text)
    if faults is not None:
        assert [fault.removeprefix("PROJECT/rcs.toml:") for fault in files.faults()] == faults
    assert files.load().proof == ProofSettings()


def test_a_value_that_is_not_understood_leaves_the_others(files: Files) -> None:
    files.own('[proof]\ncommand = "pytest -q"\nrequired = "yes"\ntimeout = "never"\n')
    assert files.load().proof == ProofSettings("pytest -q", source=OWN)
    assert [fault[: len("HOME/.rcs/config.toml:N")] for fault in files.faults()] == [
        "HOME/.rcs/config.toml:3",
        "HOME/.rcs/config.toml:4",
    ]


def test_a_variable_that_is_not_understood_is_named(files: Files) -> None:
    assert files.faults(RCS_PROOF_REQUIRED="maybe", RCS_PROOF_TIMEOUT="soon") == [
        "RCS_PROOF_REQUIRED: required must be true or false",
        f"RCS_PROOF_TIMEOUT: {BAD_TIMEOUT}",
    ]


def test_of_many_faults_twenty_are_named(files: Files) -> None:
    files.project("".join(f"key{number} = 1\n" for number in range(500)))
    assert len(files.load().faults) == 20


def test_the_persons_own_file_may_be_kept_elsewhere_and_the_projects_may_not(files: Files, tmp_path: Path) -> None:
    (tmp_path / "dotfiles.toml").write_text('[proof]\ncommand = "pytest -q"\n')
    (files.home / ".rcs/config.toml").symlink_to(tmp_path / "dotfiles.toml")
    (files.root / "rcs.toml").symlink_to(tmp_path / "dotfiles.toml")
    assert files.load().proof.command == "pytest -q"
    assert files.load().untrusted is None
    assert files.faults() == ["PROJECT/rcs.toml: it is a symbolic link, which is not followed"]
