from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rcs_hooks.hook.entry import respond
from rcs_hooks.hook.recording import Fixture, FixtureError, load, replay
from tests.make_fixtures import SCENES, make
from tests.support import CHECKOUT, RCS_HOOK, Workspace, clean_env, run_hook

FIXTURES = CHECKOUT / "fixtures"


def record(workspace: Workspace, prompt: str, folder: Path, **env: str) -> Path:
    raw = workspace.payload("UserPromptSubmit", prompt=prompt, turn_id="t1")
    run_hook(raw, cwd=workspace.root, env=clean_env(RCS_RECORD=str(folder), **env))
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


def test_recording_changes_neither_answer_nor_state(workspace: Workspace, tmp_path: Path) -> None:
    other = Workspace(tmp_path / "other")
    other.root.mkdir()
    raw = workspace.payload("UserPromptSubmit", prompt="$team go")
    plain, _ = run_hook(raw, cwd=workspace.root)
    recorded, _ = run_hook(other.payload("UserPromptSubmit", prompt="$team go"), cwd=other.root,
                           env=clean_env(RCS_RECORD=str(tmp_path / "recorded")))  # fmt: skip
    assert recorded == plain
    assert workspace.snapshot().keys() == other.snapshot().keys()


@pytest.mark.parametrize("raw", [b"", b"\xff\xfe", b'{"cut', b'{"hook_event_name":"Stop"}'])
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
    with pytest.raises(FixtureError, match=r"bad\.json is no fixture of a hook call: now: "):
        load(path)


def run_pytest(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), *args]
    env = clean_env(PYTEST_DISABLE_PLUGIN_AUTOLOAD="", PATH=os.defpath)
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=60, check=False)


def test_the_plugin_replays_a_folder(workspace: Workspace, tmp_path: Path) -> None:
    record(workspace, "$team go", tmp_path / "recorded")
    done = run_pytest(tmp_path, "--rcs-fixtures", "recorded")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


def test_the_plugin_shows_what_came_out_differently(workspace: Workspace, tmp_path: Path) -> None:
    path = record(workspace, "$team go", tmp_path / "recorded")
    path.write_text(path.read_text().replace('"current_phase": "starting"', '"current_phase": "elsewhere"'))
    done = run_pytest(tmp_path, "--rcs-fixtures", "recorded")
    assert done.returncode == 1
    assert '-  "current_phase": "elsewhere"' in done.stdout
    assert '+  "current_phase": "starting"' in done.stdout


def test_the_plugin_names_a_folder_that_is_not_there(tmp_path: Path) -> None:
    done = run_pytest(tmp_path, "--rcs-fixtures", "nowhere")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--rcs-fixtures nowhere: there is no such file or folder" in done.stdout + done.stderr


@pytest.mark.parametrize("client", ["codex", "claude"])
def test_the_fixtures_are_what_the_scenes_make(client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a scene cannot change without its fixture, nor a fixture by hand."""
    monkeypatch.setattr("tests.make_fixtures.FIXTURES", tmp_path)
    for name in SCENES:
        made = make(client, name)
        assert Fixture.model_validate_json(made.read_bytes()) == load(FIXTURES / client / f"{name}.json")
    assert {path.stem for path in (FIXTURES / client).iterdir()} == set(SCENES)
