"""`rcs doctor` as a whole program: its lines, its status, where it is asked, and that it changes nothing."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rcs_hooks import __version__
from tests.install.test_health import everything
from tests.support import RCS_HOOK, clean_env, run_rcs

RCS = RCS_HOOK.parent / "rcs"
HERE = RCS_HOOK.parent
TOLD = shlex.quote(str(RCS))


class Desk:
    """A person with a home of their own, and a repository."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home, self.root = folder / "home", folder / "project"
        for path in (self.home, self.root / ".git/refs"):
            path.mkdir(parents=True)
        self.env = clean_env(HOME=str(self.home), PATH="/usr/bin:/bin")

    def rcs(self, *words: str, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        return run_rcs(*words, cwd=cwd or self.root, env=self.env | env)

    def doctor(self, *words: str, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        """With every file and time stamp of home and project compared."""
        before = everything(self.folder)
        done = self.rcs("doctor", *words, cwd=cwd, **env)
        assert everything(self.folder) == before
        return done

    def answer(self, *words: str, cwd: Path | None = None, **env: str) -> dict[str, Any]:
        done = self.doctor("--json", *words, cwd=cwd, **env)
        assert done.stderr == ""
        assert done.stdout.count("\n") == 1
        answer: dict[str, Any] = json.loads(done.stdout)
        assert done.returncode == (0 if answer["ok"] else 1)
        assert not (answer["ok"] and "broken" in [check["status"] for check in answer["checks"]])
        return answer


INSTALL = "install Codex or Claude Code or Copilot CLI or Qwen Code or Gemini CLI, then type: rcs setup --skills"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_every_line_of_a_folder_without_anything(desk: Desk) -> None:
    done = desk.doctor()
    python = sys.version.split()[0]
    assert done.stdout == (
        f"ok     rcs-hooks: {__version__}, Python {python}, {HERE}\n"
        f"ok     workspace: {desk.root}\n"
        "unset  clients: none of codex, claude, copilot, qwen, gemini is on PATH, and none has a folder in your home\n"
        f"       -> {INSTALL}\n"
        f"ok     state: {desk.root} can be written\n"
        f"ok     state: {desk.root} has none yet\n"
        "\n"
        f"Nothing is set up here yet. To do: {INSTALL}\n"
    )
    assert (done.returncode, done.stderr) == (1, "")


def test_what_is_broken_is_counted_and_is_the_status(desk: Desk) -> None:
    (desk.root / ".rcs").write_text("")
    (desk.root / ".claude").mkdir()
    (desk.root / ".claude/settings.json").write_text("{")
    done = desk.doctor()
    assert done.returncode == 1
    assert done.stdout.endswith("\n\nIt would not work now as it should: 2 things above are broken.\n")
    assert (
        f"broken state: .rcs of {desk.root} is not a folder, so no state is kept; move it away, or set RCS_ROOT\n"
        in done.stdout
    )
    assert f"\nbroken Claude Code file: {desk.root}/.claude/settings.json: it is not JSON: " in done.stdout
    assert "\n       -> fix the file by hand\n" in done.stdout


def test_its_last_line_follows_what_the_person_does(desk: Desk) -> None:
    """From nothing to a client that would run the hooks, and back by the switch."""

    def says() -> tuple[bool, str]:
        answer = desk.answer()
        lines = desk.doctor().stdout.splitlines()
        assert lines[-1] == answer["says"]
        return answer["ok"], answer["says"]

    (desk.home / ".claude").mkdir()
    assert says() == (False, "Nothing is set up here yet. To do: rcs setup --skills")
    assert desk.rcs("setup", "--client", "claude").returncode == 0
    todo = "start `claude` in this folder once, and say that you trust it"
    assert says() == (False, f"It would not work yet. To do in Claude Code: {todo}")
    trusted = {"projects": {str(desk.root): {"hasTrustDialogAccepted": True}}}
    (desk.home / ".claude.json").write_text(json.dumps(trusted))
    assert says() == (True, "It would work now in Claude Code (`claude` is not on PATH here).")
    assert desk.rcs("setup", "--client", "codex").returncode == 0
    ok, line = says()
    assert ok
    assert line.startswith("It would work now in Claude Code (`claude` is not on PATH here). Not yet in Codex: start")
    assert desk.rcs("off").returncode == 0
    assert says() == (False, "It would do nothing now, for it is switched off. To switch it on: rcs on")


# --- where it is asked


def workspace(answer: dict[str, Any]) -> tuple[str, str]:
    return next((check["status"], check["found"]) for check in answer["checks"] if check["what"] == "workspace")


def test_from_a_subfolder_a_worktree_and_by_name_it_is_the_repository(desk: Desk, tmp_path: Path) -> None:
    for folder in ("project/a/b", "tree/sub", "bare"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "tree/.git").write_text(f"gitdir: {desk.root}/.git/worktrees/tree\n")
    assert workspace(desk.answer(cwd=desk.root / "a/b")) == ("ok", str(desk.root))
    assert workspace(desk.answer(cwd=tmp_path / "tree/sub")) == ("ok", str(tmp_path / "tree"))
    assert workspace(desk.answer("--root", "../tree")) == ("ok", str(tmp_path / "tree"))
    assert workspace(desk.answer(cwd=tmp_path / "bare")) == ("note", f"{tmp_path}/bare, which is not a repository")


def test_without_a_home_or_a_root_it_refuses_in_one_sentence(desk: Desk) -> None:
    for home in ("", "relative/home"):
        done = desk.doctor(HOME=home)
        said = "rcs: HOME is not set, so your clients' files cannot be found; set HOME and run this command again\n"
        assert (done.returncode, done.stdout, done.stderr) == (1, "", said)
    done = desk.doctor("--root", "nowhere")
    said = f"rcs: {desk.root}/nowhere does not exist; name the project with --root\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)


# --- `rcs` for the agent


def rcs_line(desk: Desk, path: str) -> str:
    """What is said about Claude Code's agent, whose shell has the PATH of the person."""
    (desk.root / ".claude").mkdir(exist_ok=True)
    found = [check["found"] for check in desk.answer(PATH=path)["checks"] if check["what"] == "rcs"]
    line: str = next(each for each in found if each.startswith("Claude Code"))
    return line


def test_rcs_on_path_is_ours_or_another_which_doctor_and_setup_name(desk: Desk, tmp_path: Path) -> None:
    assert rcs_line(desk, f"{HERE}:/usr/bin") == "Claude Code's agent calls `rcs`, which is this one"
    other = tmp_path / "gnu/rcs"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    assert rcs_line(desk, f"{other.parent}:{HERE}") == (
        f"Claude Code's agent calls `{TOLD}`, which works although the `rcs` on its PATH is {other}, another program"
    )
    says = f"`rcs` runs {other} in your shell, which is another program (GNU RCS has one of that name)"
    todo = f"for this one type {TOLD}, or put its folder first: export PATH={shlex.quote(str(HERE))}:$PATH"
    for path, is_told in ((f"{other.parent}:/usr/bin", True), (f"{HERE}:/usr/bin", False), ("/nowhere", False)):
        checks = [each for each in desk.answer(PATH=path)["checks"] if each["what"] == "rcs on PATH"]
        assert [(each["status"], each["found"], each["todo"]) for each in checks] == [("note", says, todo)] * is_told
        setup = desk.rcs("setup", "--client", "claude", "--dry-run", PATH=path).stdout
        assert (f"note: {says}; {todo}\n" in setup) is is_told
