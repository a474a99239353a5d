from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest

from rcs_hooks.clients import CLIENTS
from rcs_hooks.hook.entry import respond
from rcs_hooks.hook.recording import WORKSPACE, Fixture, FixtureError, load, replay
from tests.make_fixtures import SCENES, make
from tests.support import CHECKOUT, RCS_HOOK, Workspace, clean_env, few, hook_here, run_hook
from tests.table import each_row

FIXTURES = CHECKOUT / "fixtures"


def record(workspace: Workspace, prompt: str, folder: Path, **env: str) -> Path:
    raw = workspace.payload("UserPromptSubmit", prompt=prompt, turn_id="t1")
    hook_here(raw, cwd=workspace.root, env=clean_env(RCS_RECORD=str(folder), **env))
    (path,) = folder.iterdir()
    return path


@pytest.mark.parametrize("path", [os.defpath, f"{RCS_HOOK.parent}{os.pathsep}{os.defpath}"], ids=["not on", "on"])
def test_a_recorded_call_replays_as_it_was_with_rcs_on_path_or_not(
    workspace: Workspace, tmp_path: Path, path: str
) -> None:
    """Codex' login shell has a PATH of its own, so that messages may name `rcs` by its path all the same."""
    recorded = record(workspace, "$blueprint $team go", tmp_path / "recorded", PATH=path)
    empty = tmp_path / "empty"
    empty.mkdir()
    assert replay(load(recorded), empty, respond) == []


def test_a_recording_holds_neither_the_environment_nor_a_path_of_this_machine(
    workspace: Workspace, tmp_path: Path
) -> None:
    secrets = {"OPENAI_API_KEY": "sk-hidden-1", "RCS_TOKEN": "hidden-2", "RCS_STOP_MAX_BLOCKS": "7"}
    text = record(workspace, f"$team look at {workspace.root}/x", tmp_path / "recorded", **secrets).read_text()
    assert "hidden" not in text
    assert str(workspace.root) not in text
    assert json.loads(text)["env"] == {"RCS_STOP_MAX_BLOCKS": "7"}


@pytest.mark.slow
def test_recording_changes_neither_answer_nor_state(workspace: Workspace, tmp_path: Path) -> None:
    other = Workspace(tmp_path / "other")
    raw = workspace.in_git().payload("UserPromptSubmit", prompt="$team go")
    plain, _ = run_hook(raw, cwd=workspace.root)
    recorded, _ = run_hook(other.in_git().payload("UserPromptSubmit", prompt="$team go"), cwd=other.root,
                           env=clean_env(RCS_RECORD=str(tmp_path / "recorded")))  # fmt: skip
    assert recorded == plain
    assert workspace.snapshot().keys() == other.snapshot().keys()


@pytest.mark.parametrize("raw", few([b"\xff\xfe", b"", b'{"cut', b'{"hook_event_name":"Stop"}'], 1))
def test_any_call_can_be_recorded(raw: bytes, tmp_path: Path) -> None:
    line, status = run_hook(raw, cwd=tmp_path, env=clean_env(RCS_RECORD=str(tmp_path / "recorded")))
    (path,) = (tmp_path / "recorded").iterdir()
    assert status == 0
    assert load(path).stdin.data() == raw
    assert load(path).stdout == line


def test_a_call_that_cannot_be_recorded_is_answered_all_the_same(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    env = clean_env(RCS_RECORD=str(tmp_path / "file" / "folder"))
    line, _ = run_hook(workspace.payload("UserPromptSubmit", prompt="$team go"), cwd=workspace.root, env=env)
    assert "[rcs] detected: $team" in line


@pytest.mark.parametrize("text", ['{\n  "n": 1180591620717411303424\n}\n', '{\n  "s": "\\ud800"\n}\n'])
def test_state_that_no_fixture_holds_as_json_is_kept_as_text(text: str, workspace: Workspace, tmp_path: Path) -> None:
    workspace.now = time.time()
    workspace.write("forge")
    (workspace.folder("s1") / "other.json").write_text(text)
    env = clean_env(RCS_RECORD=str(tmp_path / "recorded"))
    line, _ = run_hook(workspace.payload("Stop", prompt="x"), cwd=workspace.root, env=env)
    (path,) = (tmp_path / "recorded").iterdir()
    assert '"decision":"block"' in line
    assert load(path).before["state/sessions/s1/other.json"].data().decode() == text


def test_a_file_that_is_no_fixture_is_refused_with_its_fault(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text('{"version": 1, "now": "soon"}')
    with pytest.raises(FixtureError, match=r"bad\.json is not a fixture of a hook call: now: "):
        load(path)


# --- a recording of a stranger

TOKEN_CALL = '{"hook_event_name":"UserPromptSubmit","session_id":"s1","turn_id":"t","prompt":"$team go","cwd":"CWD"}'
ELSEWHERE = "/__elsewhere__"
NAMES = [
    "../../x", "../x", "..", ".", "", "/etc/x", "//x", "state/../../x", "state/..", "state//x", "state/./x", "state/",
    ".git/hooks/pre-commit", "x", "statex", "state\0x", "state\\..\\x", "logs/../x", ".gitignore/x", "../.git/config",
    "state/" + "x" * 300, "tasks/x", "AGENTS.md",
]  # fmt: skip
OUTSIDE = [
    # what of the recording leads elsewhere
    pytest.param({"cwd": ELSEWHERE}, WORKSPACE, id="its folder"),
    pytest.param({"cwd": f"{WORKSPACE}/.."}, "", id="its folder, upwards"),
    pytest.param({}, ELSEWHERE, id="the call's folder"),
    pytest.param({}, "..", id="the call's folder, upwards"),
    pytest.param({"env": {"RCS_ROOT": ELSEWHERE}}, WORKSPACE, id="RCS_ROOT"),
    pytest.param({"env": {"CLAUDE_PROJECT_DIR": "../elsewhere"}}, WORKSPACE, id="CLAUDE_PROJECT_DIR"),
]


def hostile(tmp_path: Path, call: str = WORKSPACE, **fields: Any) -> Path:
    """A fixture of a call that would start a workflow."""
    call = TOKEN_CALL.replace("CWD", call)
    text = json.dumps({"version": 1, "now": 1.7e9, "stdin": {"text": call}, "stdout": "{}"} | fields)
    path = tmp_path / "hostile.json"
    path.write_text(text.replace(ELSEWHERE, str(tmp_path / "elsewhere")))
    return path


def everything(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@each_row("part", ["before", "after"])
@each_row("name", NAMES)
def test_a_name_that_no_recording_holds_is_refused(name: str, part: str, tmp_path: Path) -> None:
    files: Any = {part: {name: {"text": "#!/bin/sh"}}}
    path = hostile(tmp_path, **files)
    with pytest.raises(FixtureError, match="is not a file of a recording"):
        load(path)


@each_row("name", [".gitignore", "state", "state/.lock", "state/sessions/s1/forge-state.json",
                                  "state/sessions/s1/forge-state.json.unreadable", "logs/x.jsonl"])  # fmt: skip
def test_a_name_that_a_recording_holds_is_taken(name: str, tmp_path: Path) -> None:
    assert load(hostile(tmp_path, before={name: {"text": "x"}})).before[name].text == "x"


@pytest.mark.parametrize("name", ["HOME", "PATH", "RCS_RECORD", "PYTHONPATH"])
def test_a_setting_that_no_recording_holds_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(FixtureError, match="is not a setting of a recording"):
        load(hostile(tmp_path, env={name: "/x"}))


@each_row(("fields", "call"), OUTSIDE)
def test_a_replay_writes_nowhere_but_in_its_own_folder(fields: dict[str, Any], call: str, tmp_path: Path) -> None:
    (tmp_path / "elsewhere" / ".rcs" / "state").mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    path = hostile(tmp_path, call, **fields)
    own = tmp_path / "own"
    own.mkdir()
    before = everything(tmp_path)
    with pytest.raises(FixtureError, match="would write outside its own folder"):
        replay(load(path), own, respond)
    assert everything(tmp_path) == before


def test_a_replay_below_a_repository_stays_in_its_own_folder(tmp_path: Path) -> None:
    """A temporary folder may lie in somebody's workspace."""
    (tmp_path / ".rcs" / "state").mkdir(parents=True)
    own = tmp_path / "own"
    own.mkdir()
    with pytest.raises(FixtureError, match="would write outside its own folder"):
        replay(load(hostile(tmp_path)), own, respond)
    assert list((tmp_path / ".rcs" / "state").iterdir()) == []


def test_files_that_exclude_each_other_are_one_sentence(tmp_path: Path) -> None:
    path = hostile(tmp_path, before={"state": {"text": "x"}, "state/y": {"text": "x"}})
    own = tmp_path / "own"
    own.mkdir()
    with pytest.raises(FixtureError, match="state/y cannot be written"):
        replay(load(path), own, respond)


@pytest.mark.slow
def test_the_plugin_refuses_a_hostile_recording(tmp_path: Path) -> None:
    (tmp_path / "recorded").mkdir()
    hostile(tmp_path / "recorded", before={"../../../x": {"text": "x"}})
    done = run_pytest(tmp_path, "--rcs-fixtures", "recorded")
    assert done.returncode == 1
    assert "is not a file of a recording" in done.stdout


# --- for the owner alone


@pytest.mark.parametrize("umask", few([0o000, 0o022, 0o277], 1))
def test_a_recording_is_for_the_owner_alone(workspace: Workspace, tmp_path: Path, umask: int) -> None:
    folder = tmp_path / "a" / "b"
    before = os.umask(umask)
    try:
        env = clean_env(RCS_RECORD=str(folder))
        run_hook(workspace.payload("Stop"), cwd=workspace.root, env=env)
    finally:
        os.umask(before)
    (path,) = folder.iterdir()
    modes = [stat.S_IMODE(each.stat().st_mode) for each in (path, folder, folder.parent)]
    assert modes == [0o600, 0o700, 0o700]


def test_the_mode_of_a_folder_that_was_there_stays(workspace: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "there"
    folder.mkdir()
    folder.chmod(0o755)
    path = record(workspace, "hello", folder)
    assert [stat.S_IMODE(each.stat().st_mode) for each in (path, folder)] == [0o600, 0o755]


def run_pytest(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    plugins = ["-p", "no:cacheprovider", "-p", "rcs_hooks.hook.pytest_plugin"]
    command = [sys.executable, "-m", "pytest", "-q", *plugins, "--rootdir", str(folder), *args]
    env = clean_env(PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", PATH=os.defpath)
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.slow
def test_the_plugin_replays_a_folder(workspace: Workspace, tmp_path: Path) -> None:
    record(workspace, "$team go", tmp_path / "recorded")
    done = run_pytest(tmp_path, "--rcs-fixtures", "recorded")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


def test_no_other_pytest_of_the_environment_loads_the_plugin() -> None:
    assert "entry-points" not in tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]


@pytest.mark.slow
def test_the_plugin_shows_what_came_out_differently(workspace: Workspace, tmp_path: Path) -> None:
    path = record(workspace, "$team go", tmp_path / "recorded")
    path.write_text(path.read_text().replace('"current_phase": "starting"', '"current_phase": "elsewhere"'))
    done = run_pytest(tmp_path, "--rcs-fixtures", "recorded")
    assert done.returncode == 1
    assert '-  "current_phase": "elsewhere"' in done.stdout
    assert '+  "current_phase": "starting"' in done.stdout


@pytest.mark.slow
def test_the_plugin_names_a_folder_that_is_not_there(tmp_path: Path) -> None:
    done = run_pytest(tmp_path, "--rcs-fixtures", "nowhere")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--rcs-fixtures nowhere: no such file or folder" in done.stdout + done.stderr


@pytest.mark.parametrize("client", CLIENTS)
def test_the_fixtures_are_what_the_scenes_make(client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a scene cannot change without its fixture, nor a fixture by hand."""
    monkeypatch.setattr("tests.make_fixtures.FIXTURES", tmp_path)
    names = [name for name, (*_, has_it) in SCENES.items() if has_it(client)]
    for name in names:
        made = make(client, name)
        assert Fixture.model_validate_json(made.read_bytes()) == load(FIXTURES / client / f"{name}.json")
    assert {path.stem for path in (FIXTURES / client).iterdir()} == set(names)
