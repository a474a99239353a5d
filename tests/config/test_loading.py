"""What counts in a workspace: variables, the project's file where it is trusted, the person's own file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rcs_hooks import config
from rcs_hooks.config import Config, ProofSettings, trust
from rcs_hooks.config.loading import project_file
from rcs_hooks.errors import Refused
from tests.config.support import CHECK, OWN, WHOLE, Files
from tests.table import each_row

# --- what goes before what


def test_without_a_file_any_command_proves_and_none_is_required(files: Files) -> None:
    assert files.load() == Config(ProofSettings(None, False, 1800.0, "", ""))


def test_an_untrusted_file_of_the_project_counts_for_nothing_and_is_shown(files: Files) -> None:
    files.project(WHOLE)
    assert files.load() == Config(ProofSettings(), CHECK)


def test_a_trusted_file_of_the_project_counts(files: Files) -> None:
    files.project(WHOLE, trusted=True)
    sources = dict.fromkeys(("command", "required", "timeout"), "rcs.toml")
    assert files.load() == Config(CHECK, None, (), sources)


def test_the_persons_own_file_counts_without_trust_and_after_a_trusted_one(files: Files) -> None:
    files.own('[proof]\ncommand = "pytest -q"\ntimeout = 90\n[share]\nperson = "Ada"\n')
    files.project("[proof]\nrequired = true\n")
    assert files.load().proof == ProofSettings("pytest -q", False, 90.0, OWN)
    files.trust()
    assert files.load().proof == ProofSettings("pytest -q", True, 90.0, OWN, "rcs.toml")
    files.project(WHOLE, trusted=True)
    assert files.load().proof == CHECK
    assert files.load().faults == ()


@each_row(
    ("variables", "proof"),
    [
        ({"RCS_PROOF_COMMAND": "tox"}, ProofSettings("tox", True, 600.0, "RCS_PROOF_COMMAND", "rcs.toml")),
        ({"RCS_PROOF_REQUIRED": "0"}, ProofSettings("make check", False, 600.0, "rcs.toml")),
        ({"RCS_PROOF_REQUIRED": "Yes"}, CHECK._replace(required_by="RCS_PROOF_REQUIRED")),
        ({"RCS_PROOF_TIMEOUT": "2h"}, CHECK._replace(seconds=7200.0)),
        ({"RCS_PROOF_COMMAND": " ", "RCS_PROOF_TIMEOUT": ""}, CHECK),
    ],
)
def test_a_variable_goes_before_both_files(tmp_path: Path, variables: dict[str, str], proof: ProofSettings) -> None:
    files = Files(tmp_path)
    files.project(WHOLE, trusted=True)
    files.own('[proof]\ncommand = "pytest -q"\n')
    assert files.load(**variables).proof == proof


def test_in_an_agents_shell_no_variable_counts_for_the_agent_could_set_it(files: Files) -> None:
    files.project(WHOLE, trusted=True)
    variables = {"RCS_PROOF_COMMAND": "true", "RCS_PROOF_REQUIRED": "0", "CLAUDECODE": "1"}
    assert files.load(**variables).proof == CHECK
    why = f"it counts for nothing in an agent's shell; write it into {OWN}"
    assert files.faults(**variables) == [f"RCS_PROOF_COMMAND: {why}", f"RCS_PROOF_REQUIRED: {why}"]


# --- trust


@each_row(
    ("text", "is_trusted"),
    [
        (WHOLE.replace("\n", "  # a comment\n\n"), True),
        ('[proof]\ntimeout = "10m"\nrequired = true\ncommand = "make check"\n', True),
        (WHOLE.replace("make check", "make checks"), False),
        (WHOLE.replace("true", "false"), False),
        (WHOLE.replace('"10m"', "600"), False),
        (f"{WHOLE}later = 1\n", False),
        ('[proof]\ncommand = "make check"\n', False),
        ("", False),
        ("[proof", False),
    ],
)
def test_a_table_that_has_changed_is_not_trusted_any_more(tmp_path: Path, text: str, is_trusted: bool) -> None:
    files = Files(tmp_path)
    files.project(WHOLE, trusted=True)
    files.project(text)
    found = files.load()
    assert (found.proof == CHECK, found.has_changed) == (is_trusted, not is_trusted)
    assert config.proves(found.proof, ["make", "check"]) is is_trusted
    assert config.proves_text(found.proof, "make check") is is_trusted
    files.project(WHOLE)
    assert files.load().proof == CHECK


def test_whoever_edits_a_trusted_file_does_not_choose_what_proves(files: Files) -> None:
    files.project(WHOLE, trusted=True)
    files.own('[proof]\ncommand = "true"\n')
    (files.root / "rcs.toml").unlink()
    found = files.load()
    assert found.proof == ProofSettings("true", source=OWN, in_doubt="rcs.toml has changed since it was trusted")
    assert not config.proves(found.proof, ["true"])
    assert config.proves(files.load(RCS_PROOF_COMMAND="false").proof, ["false"])


def test_trust_is_for_one_file_by_its_real_path(files: Files, tmp_path: Path) -> None:
    files.project(WHOLE, trusted=True)
    (tmp_path / "link").symlink_to(files.root)
    assert config.load(files.env, str(tmp_path / "link")).proof == CHECK
    (copy := tmp_path / "copy").mkdir()
    (copy / "rcs.toml").write_text(WHOLE)
    assert config.load(files.env, str(copy)) == Config(ProofSettings(), CHECK)
    files.root.rename(tmp_path / "moved")
    assert config.load(files.env, str(tmp_path / "moved")).untrusted == CHECK


def test_trust_that_is_taken_back_leaves_that_of_others(files: Files, tmp_path: Path) -> None:
    files.project(WHOLE, trusted=True)
    other, digest = str(tmp_path / "other/rcs.toml"), "0" * 64
    assert trust.change(str(files.home), other, digest) is True
    assert trust.change(str(files.home), other, digest) is False
    assert trust.change(str(files.home), project_file(str(files.root)), None) is True
    assert trust.change(str(files.home), project_file(str(files.root)), None) is False
    assert trust.trusted_in(str(files.home)) == ({other: digest}, None)
    assert files.load().untrusted == CHECK
    path = files.home / ".rcs/trusted.json"
    assert path.stat().st_mode & 0o777 == 0o600
    assert sorted(each.name for each in path.parent.iterdir()) == [".lock", "trusted.json"]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"trusted": 1}', '{"trusted": []}', "[" * 100_000, "\xff", "x" * 5_000_000]
)
def test_a_list_of_trust_that_cannot_be_understood_trusts_nothing_and_is_not_written_over(
    files: Files, text: str
) -> None:
    files.project(WHOLE, trusted=True)
    path = files.home / ".rcs/trusted.json"
    path.write_text(text, encoding="latin-1")
    assert files.load().untrusted == CHECK
    assert files.faults() == [
        "HOME/.rcs/trusted.json: it is not a list of trusted files, so none is trusted; remove it"
    ]
    with pytest.raises(Refused, match=r"remove it$"):
        files.trust()
    assert path.read_text(encoding="latin-1") == text


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to somebody else")
def test_a_home_whose_rcs_belongs_to_another_user_counts_for_nothing(files: Files) -> None:
    files.project(WHOLE, trusted=True)
    files.own('[proof]\ncommand = "pytest -q"\n')
    os.chown(files.home / ".rcs", 12345, 12345)
    assert (files.load().proof, files.load().untrusted) == (ProofSettings(), CHECK)
    assert files.faults() == ["HOME/.rcs: it belongs to another user, so nothing in it counts"]


def test_without_a_home_nothing_is_trusted(files: Files) -> None:
    files.project(WHOLE, trusted=True)
    for home in ({}, {"HOME": ""}, {"HOME": "relative"}, {"HOME": "/nonexistent"}):
        assert config.load(home, str(files.root)).untrusted == CHECK
