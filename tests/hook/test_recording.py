"""A user's own recordings: what RCS_RECORD saves, and what pytest plays again. Our own scenes are in `fixtures/`."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from rcs_hooks.hook import scenes
from tests.support import RCS_HOOK, Workspace, clean_env, hook_here
from tests.table import each_row

CALL = '{"hook_event_name":"UserPromptSubmit","session_id":"s1","turn_id":"t","prompt":"$team go","cwd":"CWD"}'


def record(workspace: Workspace, raw: bytes, folder: Path, **env: str) -> Path:
    hook_here(raw, cwd=workspace.root, env=clean_env(RCS_RECORD=str(folder), **env))
    *_, path = sorted(folder.iterdir())
    return path


def play(text: str, folder: Path) -> list[tuple[list[str], list[str]]]:
    """Play the scenes of a text; return, for each call, what the text says and what came."""
    (scene,) = scenes.read(text)[1]
    stage = scenes.Stage(folder)
    return [(step.came.get("", []), stage.play(step)) for step in scene.steps]


@pytest.mark.parametrize("path", [os.defpath, f"{RCS_HOOK.parent}{os.pathsep}{os.defpath}"], ids=["not on", "on"])
def test_recorded_calls_play_again_with_rcs_on_path_or_not(workspace: Workspace, tmp_path: Path, path: str) -> None:
    workspace.in_git()
    calls = [workspace.payload("UserPromptSubmit", prompt="$blueprint $team go é", turn_id="t1"),
             workspace.payload("UserPromptSubmit", prompt="plain"), b'{"cut', b"\xff"]  # fmt: skip
    for number, raw in enumerate(calls):
        text = record(workspace, raw, tmp_path / "recorded", PATH=path).read_text()
        assert [(said, came) for said, came in play(text, tmp_path / f"stage{number}") if said != came] == []


def test_a_recording_holds_neither_the_environment_nor_a_path_of_this_machine(
    workspace: Workspace, tmp_path: Path
) -> None:
    secrets = {"OPENAI_API_KEY": "sk-hidden-1", "RCS_TOKEN": "hidden-2", "RCS_STOP_MAX_BLOCKS": "7"}
    raw = workspace.payload("UserPromptSubmit", prompt=f"$team look at {workspace.root}/x")
    text = record(workspace, raw, tmp_path / "recorded", **secrets).read_text()
    assert "hidden" not in text
    assert str(workspace.root) not in text
    assert [line for line in text.splitlines() if line.startswith("env ")] == ["env RCS_STOP_MAX_BLOCKS=7"]


def test_a_call_that_cannot_be_recorded_is_answered_all_the_same(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    raw = workspace.payload("UserPromptSubmit", prompt="$team go")
    line, _ = hook_here(raw, cwd=workspace.root, env=clean_env(RCS_RECORD=str(tmp_path / "file" / "folder")))
    assert "additionalContext" in line


@pytest.mark.parametrize("umask", [0o000, 0o277])
def test_a_recording_is_for_the_owner_alone(workspace: Workspace, tmp_path: Path, umask: int) -> None:
    folder = tmp_path / "a" / "b"
    before = os.umask(umask)
    try:
        path = record(workspace, workspace.payload("Stop"), folder)
    finally:
        os.umask(before)
    assert [stat.S_IMODE(each.stat().st_mode) for each in (path, folder, folder.parent)] == [0o600, 0o700, 0o700]


HOSTILE = {
    "a file outside": ("file ../x\n| x", "is not a file of a scene"),
    "a file of git": ("file .git/hooks/pre-commit\n| x", "is not a file of a scene"),
    "a file by way of .rcs": ("file .rcs/../x\n| x", "is not a file of a scene"),
    "files that exclude each other": ("file .rcs/state\n| x\nfile .rcs/state/y\n| x", "state/y cannot be written"),
    "a setting": ("env PATH=/x", "is not a setting of a recording"),
    "its folder": ("cwd /nowhere\nhook\n| " + CALL, "would write outside its own folder"),
    "its folder, upwards": (f"cwd {scenes.WORKSPACE}/..\nhook\n| " + CALL, "would write outside its own folder"),
    "the folder of the call": ("hook\n| " + CALL.replace("CWD", "/nowhere"), "would write outside its own folder"),
    "RCS_ROOT": ("env RCS_ROOT=/nowhere\nhook\n| " + CALL, "would write outside its own folder"),
    "an unknown call": ("rcs setup", "there is no call 'rcs'"),
    "not base64": ("base64 .rcs/state/x\n| ?", "base64"),
}


@each_row("name", HOSTILE)
def test_a_scene_of_a_stranger_stays_in_its_own_folder(name: str, tmp_path: Path) -> None:
    text, why = HOSTILE[name]
    before = sorted(tmp_path.rglob("*"))
    own = tmp_path / "own"
    with pytest.raises(scenes.SceneError, match=why):
        play(f"== hostile\n{text}\n", own)
    assert [path for path in sorted(tmp_path.rglob("*")) if own not in (path, *path.parents)] == before


def test_a_scene_is_written_as_it_was_read() -> None:
    one = "== One\nclients a b c\ngiven hook\n# why\nhook\n| {\n|\n| }\n  out\n  [b, c]\n  other\n"
    text = f"# head\n\n{one}# below\n\n# of Two\n\n== Two\ngit\n\n# end\n"
    assert scenes.write(*scenes.read(text)) == text


def run_pytest(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    plugins = ["-p", "no:cacheprovider", "-p", "rcs_hooks.hook.pytest_plugin"]
    command = [sys.executable, "-m", "pytest", "-q", *plugins, "--rootdir", str(folder), *args]
    env = clean_env(PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", PATH=os.defpath)
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=60, check=False)


def test_the_plugin_plays_shows_and_updates(workspace: Workspace, tmp_path: Path) -> None:
    path = record(workspace.in_git(), workspace.payload("UserPromptSubmit", prompt="$team go"), tmp_path / "recorded")
    text = path.read_text()
    path.write_text(text.replace("current_phase=starting", "current_phase=elsewhere"))
    failed = run_pytest(tmp_path, "--rcs-fixtures", "recorded")
    assert failed.returncode == 1
    assert "current_phase=elsewhere" in failed.stdout
    assert run_pytest(tmp_path, "--rcs-fixtures", "recorded", "--update").returncode == 0
    assert path.read_text() == text
    assert "1 passed" in run_pytest(tmp_path, "--rcs-fixtures", "recorded").stdout
    nowhere = run_pytest(tmp_path, "--rcs-fixtures", "nowhere")
    assert nowhere.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--rcs-fixtures nowhere: no such file or folder" in nowhere.stdout + nowhere.stderr


def test_what_no_line_can_hold_is_left_out(workspace: Workspace, tmp_path: Path) -> None:
    workspace.state.mkdir(parents=True)
    for name in (b"a", b"a\nhook", b"\xff"):
        Path(os.fsdecode(os.path.join(bytes(workspace.state), name))).write_text("x\n")
    path = record(workspace, workspace.payload("UserPromptSubmit", prompt="$team go"), tmp_path / "recorded")
    assert [(said, came) for said, came in play(path.read_text(), tmp_path / "stage") if said != came] == []
