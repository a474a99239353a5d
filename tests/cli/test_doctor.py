"""`rcs doctor` as a whole program: its lines, its status, where it is asked, and that it changes nothing."""

from __future__ import annotations

import json
import os
import pty
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rcs_hooks import __version__
from tests.install.test_health import everything
from tests.support import RCS_HOOK, clean_env, few, run_rcs

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


def test_json_says_the_same(desk: Desk) -> None:
    answer = desk.answer()
    assert answer["root"] == str(desk.root)
    assert set(answer) == {"ok", "root", "checks", "says"}
    workspace = {"what": "workspace", "status": "ok", "found": str(desk.root), "todo": "", "client": ""}
    assert answer["checks"][1] == workspace
    assert answer["says"].startswith("Nothing is set up here yet. To do: install Codex or Claude Code")


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


@pytest.mark.parametrize("transport", few(["command", "mcp"], 1))
def test_hooks_that_are_set_up_are_run_and_nothing_is_changed(desk: Desk, transport: str) -> None:
    for scope in ("project", "user"):
        done = desk.rcs("setup", "--client", "all", "--scope", scope, "--transport", transport)
        assert (done.returncode, done.stderr) == (0, "")
    whats = [check["what"] for check in desk.answer()["checks"]]
    assert {"Codex hook", "Claude Code hook"} <= set(whats)
    assert ("Codex server" in whats) is (transport == "mcp")


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


def test_a_running_session_is_left_as_it_is(desk: Desk) -> None:
    call = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": str(desk.root), "prompt": "$forge go"}
    subprocess.run([RCS_HOOK], input=json.dumps(call).encode(), cwd=desk.root, env=desk.env, check=True)
    assert (desk.root / ".rcs/state/sessions/s1/forge-state.json").exists()
    found = [check["found"] for check in desk.answer()["checks"] if check["what"] == "state"]
    assert found == [
        f"{desk.root}/.rcs/state can be written",
        f"every file in {desk.root}/.rcs/state is valid",
    ]


# --- where it is asked


def workspace(answer: dict[str, Any]) -> tuple[str, str]:
    return next((check["status"], check["found"]) for check in answer["checks"] if check["what"] == "workspace")


def test_from_a_subfolder_a_worktree_and_by_name_it_is_the_repository(desk: Desk, tmp_path: Path) -> None:
    (desk.root / "a/b").mkdir(parents=True)
    (tmp_path / "tree/sub").mkdir(parents=True)
    (tmp_path / "tree/.git").write_text(f"gitdir: {desk.root}/.git/worktrees/tree\n")
    assert workspace(desk.answer(cwd=desk.root / "a/b")) == ("ok", str(desk.root))
    assert workspace(desk.answer(cwd=tmp_path / "tree/sub")) == ("ok", str(tmp_path / "tree"))
    assert workspace(desk.answer("--root", "../tree")) == ("ok", str(tmp_path / "tree"))


def test_outside_any_repository_it_says_so(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "bare").mkdir()
    assert workspace(desk.answer(cwd=tmp_path / "bare")) == (
        "note",
        f"{tmp_path}/bare, which is not a repository",
    )


def test_at_the_top_of_everything_nothing_is_made() -> None:
    before = sorted(os.listdir("/"))
    done = subprocess.run(
        [RCS, "doctor", "--json", "--root", "/"], cwd="/", env=clean_env(), capture_output=True, text=True, check=False
    )
    assert json.loads(done.stdout)["root"] == "/"
    assert done.stderr == ""
    assert sorted(os.listdir("/")) == before


@pytest.mark.parametrize("home", ["", "relative/home", " "])
def test_without_a_home_it_refuses_in_one_sentence(desk: Desk, home: str) -> None:
    done = desk.doctor(HOME=home)
    said = "rcs: HOME is not set, so your clients' files cannot be found; set HOME and run this command again\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)


def test_a_root_that_is_not_there_is_refused(desk: Desk) -> None:
    done = desk.doctor("--root", "nowhere")
    said = f"rcs: {desk.root}/nowhere does not exist; name the project with --root\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)


@pytest.mark.parametrize("path", ["", ":", "nowhere:/etc/passwd", "\udcff"])
def test_any_path_will_do(desk: Desk, path: str) -> None:
    whats = [check["what"] for check in desk.answer(PATH=path)["checks"]]
    assert whats == ["rcs-hooks", "workspace", "clients", "state", "state"]


# --- `rcs` for the agent


def rcs_line(desk: Desk, path: str) -> str:
    """What is said about Claude Code's agent, whose shell has the PATH of the person."""
    (desk.root / ".claude").mkdir(exist_ok=True)
    found = [check["found"] for check in desk.answer(PATH=path)["checks"] if check["what"] == "rcs"]
    line: str = next(each for each in found if each.startswith("Claude Code"))
    return line


def test_rcs_on_path_is_ours_or_another(desk: Desk, tmp_path: Path) -> None:
    assert rcs_line(desk, f"{HERE}:/usr/bin") == "Claude Code's agent calls `rcs`, which is this one"
    other = tmp_path / "gnu/rcs"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    assert rcs_line(desk, f"{other.parent}:{HERE}") == (
        f"Claude Code's agent calls `{TOLD}`, which works although the `rcs` on its PATH is {other}, another program"
    )


def test_another_program_called_rcs_that_comes_first_is_named_by_doctor_and_setup(desk: Desk, tmp_path: Path) -> None:
    other = tmp_path / "gnu/rcs"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    path = f"{other.parent}:/usr/bin:/bin"
    says = f"`rcs` runs {other} in your shell, which is another program (GNU RCS has one of that name)"
    todo = f"for this one type {TOLD}, or put its folder first: export PATH={shlex.quote(str(HERE))}:$PATH"
    (check,) = [each for each in desk.answer(PATH=path)["checks"] if each["what"] == "rcs on PATH"]
    assert (check["status"], check["found"], check["todo"]) == ("note", says, todo)
    assert f"note: {says}; {todo}\n" in desk.rcs("setup", "--client", "claude", "--dry-run", PATH=path).stdout


@pytest.mark.parametrize("path", [f"{HERE}:/usr/bin:/bin", "/nowhere"], ids=["ours comes first", "none is there"])
def test_nothing_is_said_of_a_name_that_means_this_program_or_none(path: str, desk: Desk) -> None:
    assert "rcs on PATH" not in [each["what"] for each in desk.answer(PATH=path)["checks"]]
    assert "note:" not in desk.rcs("setup", "--client", "claude", "--dry-run", PATH=path).stdout


# --- how it is shown


def on_a_terminal(desk: Desk, columns: int, **env: str) -> str:
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [RCS, "doctor"],
        cwd=desk.root,
        env=desk.env | {"TERM": "xterm", "COLUMNS": str(columns)} | env,
        stdin=slave,
        stdout=slave,
        stderr=slave,
    )
    os.close(slave)
    said = b""
    try:
        while chunk := os.read(master, 65536):
            said += chunk
    except OSError:  # Linux' word for the end
        pass
    finally:
        os.close(master)
        process.wait(60)
    return said.decode()


@pytest.mark.slow
def test_colours_are_for_terminals_whose_person_wants_them(desk: Desk) -> None:
    shown = on_a_terminal(desk, 1000)
    assert f"\x1b[32mok    \x1b[0m workspace: {desk.root}\r\n" in shown
    assert "\x1b[35munset \x1b[0m clients: " in shown
    assert "\x1b[35mNothing is set up here yet. To do: " in shown
    for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert "\x1b" not in on_a_terminal(desk, 20, **env)
    assert "\x1b" not in desk.doctor().stdout


@pytest.mark.parametrize("columns", [44, 80])
def test_no_line_is_wider_than_the_terminal_but_that_of_a_path_or_a_command(columns: int, desk: Desk) -> None:
    env = desk.env | {"NO_COLOR": "1", "COLUMNS": str(columns)}
    done = run_rcs("doctor", cwd=desk.root, env=env, is_terminal=True)
    wide = [line.strip() for line in done.stdout.splitlines() if len(line) > columns]
    assert [line for line in wide if " " in line and "rcs setup" not in line] == []
    assert " ".join(done.stdout.split()) == " ".join(desk.doctor().stdout.split())


def test_nobody_listening_is_no_error(desk: Desk) -> None:
    process = subprocess.Popen(
        [RCS, "doctor"], cwd=desk.root, env=desk.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == 0


@pytest.mark.slow
def test_two_at_once_say_the_same(desk: Desk) -> None:
    desk.rcs("setup", "--client", "claude")
    (desk.root / ".rcs/state").mkdir(parents=True)
    (desk.root / ".rcs/state/.lock").write_text("")
    both = [
        subprocess.Popen([RCS, "doctor"], cwd=desk.root, env=desk.env, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [process.communicate(timeout=60)[0] for process in both]
    first, second = (
        [line for line in text.splitlines() if not line.startswith(("ok     Claude Code hook:", "warn   Claude Code"))]
        for text in said
    )
    assert first == second
    assert first[-1].startswith("It would not work yet. To do in Claude Code: start `claude` in this folder once")
