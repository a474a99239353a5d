"""`rcs` as people and agents' shells call it: whole processes, pasted commands, statuses and streams."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from rcs_hooks.cli.main import COMMANDS, main
from tests.support import Record, Workspace, clean_env, error_json, hook_here, paste, run_rcs
from tests.table import each_row

BIN = Path(sys.executable).parent
RCS = BIN / "rcs"
ON_PATH = f"{BIN}{os.pathsep}{os.defpath}"


class Done(NamedTuple):
    status: int
    out: str
    err: str


def shell(command: str, cwd: Path, **env: str) -> Done:
    """Run a pasted line in a shell, as an agent does."""
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        capture_output=True,
        cwd=cwd,
        env=clean_env(**({"PATH": ON_PATH} | env)),
        timeout=60,
        check=False,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def pasted(command: str, cwd: Path, **env: str) -> Done:
    """Run a pasted line that is one call of `rcs`, without a process."""
    done = paste(command, cwd=cwd, env=clean_env(**({"PATH": ON_PATH} | env)))
    return Done(done.returncode, done.stdout, done.stderr)


def rcs(cwd: Path, *words: str, **env: str) -> Done:
    done = run_rcs(*words, cwd=cwd, env=clean_env(**({"PATH": ON_PATH} | env)))
    return Done(done.returncode, done.stdout, done.stderr)


def started(workspace: Workspace, prompt: str, session: str = "s1", cwd: Path | None = None, **env: str) -> Record:
    """Run the hook for a prompt, and return what it prints."""
    payload = {
        "session_id": session,
        "cwd": str(cwd or workspace.root),
        "hook_event_name": "UserPromptSubmit",
        "prompt": prompt,
    }
    return hooked(payload, cwd or workspace.root, **env)


def stopped(cwd: Path, session: str = "s1", **env: str) -> Record:
    payload = {"session_id": session, "cwd": str(cwd), "hook_event_name": "Stop", "turn_id": "t"}
    return hooked(payload, cwd, **env)


def hooked(payload: Record, cwd: Path, **env: str) -> Record:
    line, status = hook_here(json.dumps(payload).encode(), cwd=cwd, env=clean_env(**({"PATH": ON_PATH} | env)))
    assert status == 0
    output: Record = json.loads(line)
    return output


def context_of(output: Record) -> str:
    text: str = output["hookSpecificOutput"]["additionalContext"]
    return text


def commands_in(text: str) -> list[str]:
    """Return the commands to paste: each from the program's name to the end of its line."""
    words = ("rcs ", f"{shlex.quote(str(RCS))} ")
    found = []
    for line in text.split("\n"):
        starts = [line.find(f"{word}{command}") for word in words for command in ("state ", "question ", "prove ")]
        starts = [at for at in starts if at >= 0 and line[at - 1 : at] != "`"]
        found += [line[min(starts) :]] if starts else []
    return found


def in_process(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], cwd: Path, *words: str) -> Done:
    monkeypatch.chdir(cwd)
    try:
        status = main(words)
    except SystemExit as left:
        status = int(left.code or 0)
    out, err = capsys.readouterr()
    return Done(status, out, err)


# --- the contract's recovery commands, to the letter


def test_the_seed_s_command_clears_team_in_root(workspace: Workspace) -> None:
    workspace.write("team", None)
    workspace.write("forge", None)
    done = shell("""rcs state clear --input '{"mode":"team"}' --json""", workspace.root)
    assert (done.status, done.err) == (0, "")
    assert json.loads(done.out) == {"cleared": True, "mode": "team", "path": ".rcs/state/team-state.json"}
    assert workspace.read("forge", None)["active"] is True


def test_the_seed_s_command_clears_team_in_the_one_session_that_the_hook_has_started(workspace: Workspace) -> None:
    started(workspace, "$team $forge")
    done = shell("""rcs state clear --input '{"mode":"team"}' --json""", workspace.root)
    path = ".rcs/state/sessions/s1/team-state.json"
    assert json.loads(done.out) == {"cleared": True, "mode": "team", "path": path}
    assert workspace.active() == ["forge"]


def test_the_seed_s_command_clears_forge_in_all_sessions(workspace: Workspace) -> None:
    for session in ("s1", "s2"):
        started(workspace, "$team $forge", session)
    done = shell("""rcs state clear --input '{"mode":"forge","all_sessions":true}' --json""", workspace.root)
    assert (done.status, done.err, done.out.count("\n")) == (0, "", 1)
    assert json.loads(done.out) == {
        "cleared": True,
        "mode": "forge",
        "all_sessions": True,
        "removed": 2,
        "paths": [".rcs/state/sessions/s1/forge-state.json", ".rcs/state/sessions/s2/forge-state.json"],
    }
    assert (workspace.active("s1"), workspace.active("s2")) == (["team"], ["team"])


# --- options and --input agree

PAIRS: dict[str, tuple[list[str], Record]] = {
    "clear": (["clear", "--mode", "team", "--session", "s1"], {"mode": "team", "session_id": "s1"}),
    "clear all": (["clear", "--mode", "team", "--all-sessions"], {"mode": "team", "all_sessions": True}),
    "read": (["read", "--mode", "forge", "--session", "s1"], {"mode": "forge", "session_id": "s1"}),
    "list-active": (["list-active", "--session", "s1"], {"session_id": "s1"}),
    "get-status": (["get-status", "--session", "s1"], {"session_id": "s1"}),
    "get-status of one": (["get-status", "--mode", "crew", "--session", "s1"], {"mode": "team", "session_id": "s1"}),
    "write": (
        ["write", "--mode", "forge", "--session", "s1", "--phase", "executing", "--iteration", "2",
         "--set", "state.a={\"b\":1}", "--set", 'note="x"'],
        {"mode": "forge", "session_id": "s1", "current_phase": "executing", "iteration": 2,
         "state": {"a": {"b": 1}}, "note": "x"},
    ),
    "outcome": (
        ["write", "--mode", "forge", "--session", "s1", "--outcome", "finished"],
        {"mode": "forge", "session_id": "s1", "lifecycle_outcome": "finished"},
    ),
    "inactive": (
        ["write", "--mode", "forge", "--session", "s1", "--inactive"],
        {"mode": "forge", "session_id": "s1", "active": False},
    ),
    "active": (
        ["write", "--mode", "ultrawork", "--session", "s1", "--active"],
        {"mode": "ultrawork", "session_id": "s1", "active": True},
    ),
}  # fmt: skip


def without_times(workspace: Workspace) -> dict[str, object]:
    def kept(value: object) -> object:
        if isinstance(value, dict):
            return {key: kept(each) for key, each in value.items() if not (key.endswith("_at") or key == "run")}
        return [kept(each) for each in value] if isinstance(value, list) else value

    files = {path: text for path, text in workspace.snapshot().items() if path.endswith(".json")}
    return {path: kept(json.loads(text)) for path, text in files.items()}


@each_row("pair", PAIRS)
def test_options_and_input_do_the_same(
    pair: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options, given = PAIRS[pair]
    results = []
    for name, words in {
        "options": [*options, "--json"],
        "input": [options[0], "--input", json.dumps(given), "--json"],
    }.items():
        root = tmp_path / name
        root.mkdir()
        workspace = Workspace(root)
        workspace.prompt("$team $forge")
        done = in_process(monkeypatch, capsys, root, "state", *words)
        assert (done.status, done.err) == (0, "")
        results.append((without_times(workspace), strip_times(json.loads(done.out))))
    assert results[0] == results[1]


def strip_times(value: object) -> object:
    if isinstance(value, dict):
        return {key: strip_times(each) for key, each in value.items() if not (key.endswith("_at") or key == "run")}
    return [strip_times(each) for each in value] if isinstance(value, list) else value


CLASHES: dict[str, list[str]] = {
    "two modes": ["write", "--mode", "team", "--input", '{"mode":"forge","note":1}'],
    "a switch that is no boolean": ["clear", "--input", '{"mode":"team","all_sessions":"yes"}'],
    "state that is no object": ["write", "--mode", "team", "--input", '{"state":5}', "--set", "state.a=1"],
    "state set twice": ["write", "--mode", "team", "--set", "state=5", "--set", "state.a=1"],
    "a mode as a field": ["write", "--mode", "team", "--set", 'mode="forge"'],
    "infinity": ["write", "--mode", "team", "--set", "note=1e999"],
    "cut input": ["clear", "--input", '{"mode":'],
    "a list": ["clear", "--input", "[]"],
    "an empty input": ["clear", "--input", ""],
    "a number too long": ["write", "--mode", "team", "--set", f"note={'1' * 5000}"],
    "a hostile session": ["clear", "--input", '{"mode":"team","session_id":"../../x"}'],
    "a session that is a number": ["clear", "--input", '{"mode":"team","session_id":7}'],
    "set without a value": ["write", "--mode", "team", "--set", "note"],
    "set without json": ["write", "--mode", "team", "--set", "note={word"],
    "nothing to write": ["write", "--mode", "team"],
    "no mode": ["clear"],
    "no such mode": ["clear", "--mode", "nonsense"],
    "cancel is no mode": ["write", "--mode", "cancel", "--active"],
    "an unknown outcome": ["write", "--mode", "team", "--outcome", "nonsense"],
    "a negative iteration": ["write", "--mode", "team", "--iteration", "-1"],
}


WRONG_LINES = ("a mode as a field", "set without a value", "nothing to write", "no mode")


@each_row("name", CLASHES)
def test_what_makes_no_sense_is_refused_in_words_and_changes_no_byte(name: str, workspace: Workspace) -> None:
    workspace.prompt("$team")
    before = workspace.snapshot()
    done = rcs(workspace.root, "state", *CLASHES[name])
    assert "Traceback" not in done.err
    assert (done.status, done.out) == (2 if name in WRONG_LINES else 1, "")
    assert done.err.strip()
    assert workspace.snapshot() == before


SET = [
    ("note=word", "note", "word"),
    ("note=two words", "note", "two words"),
    ("note=1.2.3", "note", "1.2.3"),
    ("note=docs/plan.md", "note", "docs/plan.md"),
    ("note=7", "note", 7),
    ("note=true", "note", True),
    ("note=True", "note", "True"),
    ('note="true"', "note", "true"),
    ("note=null", "note", None),
    ("note=", "note", ""),
    ("note=a=b", "note", "a=b"),
    ('note=["a"]', "note", ["a"]),
    ("state.note=clean", "state", {"note": "clean"}),
]


@each_row(("typed", "field", "value"), SET)
def test_set_takes_json_or_a_bare_word(
    typed: str,
    field: str,
    value: object,
    workspace: Workspace,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    workspace.prompt("$team")
    done = in_process(monkeypatch, capsys, workspace.root, "state", "write", "--mode", "team", "--set", typed)
    assert (done.status, done.err) == (0, "")
    assert workspace.read("team")[field] == value


def test_the_options_of_a_run_have_names_of_their_own(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    (workspace.root / "plan.md").touch()
    more = ("--plan", "plan.md", "--brief", "gone.md", "--evidence", "pytest: 9 passed", "--reason", "it works")
    done = rcs(workspace.root, "state", "write", "--mode", "forge,ultrawork", "--active", *more)
    assert done.status == 0, done.err
    assert "brief: there is no file gone.md; it is recorded all the same" in done.out
    for mode in ("forge", "ultrawork"):
        record = workspace.read(mode)
        stored = {name: record[name] for name in ("plan", "brief", "evidence", "reason")}
        assert stored == {"plan": "plan.md", "brief": "gone.md", "evidence": "pytest: 9 passed", "reason": "it works"}
    done = rcs(workspace.root, "state", "write", "--mode", "forge", "--fresh")
    assert done.status == 0, done.err
    assert "evidence" not in workspace.read("forge")


# --- every command that a hook prints can be pasted


class Place(NamedTuple):
    """Where the agent works, and what the hook's environment says."""

    folder: str
    below: str = "."
    by_variable: str = ""
    path: str = ON_PATH


PLACES = {
    "plain": Place("work"),
    "rcs not on PATH": Place("work", path=os.defpath),
    "blanks": Place("my work space"),
    "a quote and a dollar": Place("it's $HOME `x`"),
    "from a subfolder": Place("my work", "sub/deeper one"),
    "RCS_ROOT": Place("my work", "sub", "RCS_ROOT"),
    "CLAUDE_PROJECT_DIR": Place("work", "sub", "CLAUDE_PROJECT_DIR"),
}
in_every_place = pytest.mark.parametrize(
    "place",
    [
        pytest.param(place, id=name, marks=[] if name in ("RCS_ROOT", next(iter(PLACES))) else pytest.mark.slow)
        for name, place in PLACES.items()
    ],
)


def set_up(place: Place, tmp_path: Path) -> tuple[Workspace, Path, dict[str, str]]:
    """Return the workspace, the folder of the agent's shell, and the hook's environment."""
    root = tmp_path / place.folder
    cwd = root / place.below
    cwd.mkdir(parents=True)
    env = {"PATH": place.path}
    if place.by_variable:  # without the variable, the agent's shell would find the subfolder
        (cwd / ".git").mkdir()
        env[place.by_variable] = str(root)
    else:
        (root / ".git").mkdir(exist_ok=True)
    return Workspace(root), cwd, env


@in_every_place
def test_the_commands_after_an_activation_can_be_pasted(place: Place, tmp_path: Path) -> None:
    workspace, cwd, env = set_up(place, tmp_path)
    commands = commands_in(context_of(started(workspace, "$forge", cwd=cwd, **env)))
    assert len(commands) == 2
    step, ask = commands
    done = pasted(step, cwd, PATH=place.path)
    assert (done.status, done.err) == (0, "")
    assert workspace.read("forge")["current_phase"] == "executing"
    done = pasted(ask.replace("YOUR QUESTION", "Which database?"), cwd, PATH=place.path)
    assert (done.status, done.err) == (0, "")
    assert workspace.read("forge")["lifecycle_outcome"] == "askuserQuestion"
    done = pasted(step.replace("--phase executing", "--outcome finished"), cwd, PATH=place.path)
    assert (done.status, done.err) == (0, "")
    assert workspace.read("forge")["lifecycle_outcome"] == "finished"
    assert workspace.active() == []


@in_every_place
def test_the_commands_of_a_stop_reason_can_be_pasted(place: Place, tmp_path: Path) -> None:
    workspace, cwd, env = set_up(place, tmp_path)
    started(workspace, "$team $forge", cwd=cwd, **env)
    for phase in ("executing", "verifying"):
        command = commands_in(stopped(cwd, **env)["reason"])[0]
        done = shell(command, cwd, PATH=place.path)
        assert (done.status, done.err) == (0, ""), command
        assert [workspace.read(mode)["current_phase"] for mode in ("team", "forge")] == [phase, phase]
    finish = next(each for each in commands_in(stopped(cwd, **env)["reason"]) if " prove --finish " in each)
    assert shell(finish.replace(" -- COMMAND", " -- true"), cwd, PATH=place.path).status == 0
    below = "" if cwd == workspace.root else f" in {cwd.relative_to(workspace.root)}"
    assert stopped(cwd, **env) == {"systemMessage": f"rcs: team + forge finished, proven by `true`{below}."}
    assert stopped(cwd, **env) == {}


@in_every_place
def test_the_command_of_a_denial_can_be_pasted_and_makes_room(place: Place, tmp_path: Path) -> None:
    workspace, cwd, env = set_up(place, tmp_path)
    started(workspace, "$team", cwd=cwd, **env)
    clear, start = commands_in(context_of(started(workspace, "$autopilot", cwd=cwd, **env)))
    for command in (clear, start):
        done = pasted(command, cwd, PATH=place.path)
        assert (done.status, done.err) == (0, "")
    assert "Cannot activate" not in context_of(started(workspace, "$autopilot", cwd=cwd, **env))
    assert workspace.active() == ["autopilot"]


@in_every_place
def test_the_command_for_an_unreadable_file_can_be_pasted_and_makes_room(place: Place, tmp_path: Path) -> None:
    workspace, cwd, env = set_up(place, tmp_path)
    started(workspace, "$team", cwd=cwd, **env)
    workspace.mode_path("team").write_text("{")
    (command,) = commands_in(context_of(started(workspace, "$forge", cwd=cwd, **env)))
    done = pasted(command, cwd, PATH=place.path)
    assert (done.status, done.err) == (0, "")
    started(workspace, "$forge", cwd=cwd, **env)
    assert workspace.active() == ["forge"]


def test_the_command_of_a_refused_write_can_be_pasted(workspace: Workspace) -> None:
    started(workspace, "$team")
    refused = rcs(workspace.root, "state", "write", "--mode", "autopilot", "--session", "s1", "--active")
    assert refused.status == 1
    assert [pasted(command, workspace.root).status for command in commands_in(refused.err)] == [0, 0]
    assert workspace.active() == ["autopilot"]


def test_the_commands_to_choose_a_session_by_can_be_pasted(workspace: Workspace) -> None:
    for session in ("s1", "s2"):
        started(workspace, "$team", session)
    refused = rcs(workspace.root, "state", "clear", "--mode", "team")
    assert (refused.status, refused.out) == (1, "")
    commands = [word for line in refused.err.split("\n") for word in commands_in(line)]
    assert len(commands) == 2
    assert [pasted(command, workspace.root).status for command in commands] == [0, 0]


def test_a_denied_write_says_what_the_hook_says_and_changes_no_byte(workspace: Workspace) -> None:
    started(workspace, "$team")
    before = workspace.snapshot()
    refused = rcs(workspace.root, "state", "write", "--mode", "autopilot", "--session", "s1", "--active")
    assert workspace.snapshot() == before
    assert refused.err == f"rcs: {context_of(started(workspace, '$autopilot'))}\n"


# --- statuses and streams


def test_done_is_0_refused_is_1_and_a_wrong_command_line_is_2(workspace: Workspace) -> None:
    assert rcs(workspace.root, "state", "list-active").status == 0
    assert rcs(workspace.root, "state", "read", "--mode", "nonsense").status == 1
    assert rcs(workspace.root, "state", "nonsense").status == 2


REFUSALS: dict[str, list[str]] = {
    "no such mode": ["state", "clear", "--mode", "nonsense"],
    "no such session": ["state", "list-active", "--session", "../x"],
    "no such question": ["question", "answer", "q-1", "Postgres"],
    "not active": ["question", "ask", "--mode", "forge", "--text", "Which?"],
    "not json": ["state", "write", "--mode", "forge", "--set", "note=x"],
    "no such workspace": ["state", "write", "--mode", "forge", "--active", "--root", "not/there"],
    "a bad session for try": ["try", "$forge", "--session", "../x"],
}


@each_row("name", REFUSALS)
def test_a_refusal_stands_on_stderr_with_nothing_on_stdout_and_makes_nothing(name: str, workspace: Workspace) -> None:
    done = rcs(workspace.root, *REFUSALS[name])
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith("rcs: ")
    assert "Traceback" not in done.err
    assert list(workspace.root.iterdir()) == []


@each_row("name", REFUSALS)
def test_a_refusal_with_json_is_one_object_with_an_error(name: str, workspace: Workspace) -> None:
    done = rcs(workspace.root, *REFUSALS[name], "--json")
    assert (done.status, done.out, done.err.count("\n")) == (1, "", 1)
    error = json.loads(done.err)
    assert error["message"]
    assert error == error_json("refused", error["message"])


def test_the_error_of_an_input_is_json_as_its_result_would_have_been(workspace: Workspace) -> None:
    done = rcs(workspace.root, "state", "clear", "--input", '{"mode":"nonsense"}')
    said = json.loads(done.err)
    assert said == error_json("refused", said["message"])


@pytest.mark.parametrize("words", [["nonsense"], ["state", "nonsense"], ["question", "answer"], ["emit", "--nonsense"]])
def test_a_wrong_command_line_with_json_is_one_object_too(words: list[str], workspace: Workspace) -> None:
    done = rcs(workspace.root, *words, "--json")
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    said = json.loads(done.err)
    assert said == error_json("usage", said["message"], **said["details"])
    assert said["details"].get("usage", "").startswith(f"usage: rcs {words[0]}" if words[0] != "nonsense" else "")


USAGE: dict[str, list[str]] = {
    "no command": [],
    "an unknown command": ["nonsense"],
    "no action": ["state"],
    "an unknown action": ["state", "nonsense"],
    "an unknown option": ["state", "clear", "--nonsense"],
    "active and inactive": ["state", "write", "--mode", "forge", "--active", "--inactive"],
    "an iteration in words": ["state", "write", "--mode", "forge", "--iteration", "two"],
    "a shortened option": ["state", "clear", "--mod", "forge"],
    "a question without a text": ["question", "ask", "--mode", "forge"],
    "an answer without an id": ["question", "answer"],
    "try without a prompt": ["try"],
}


@each_row("name", USAGE)
def test_a_wrong_command_line_is_status_2_with_words_on_stderr_only(name: str, workspace: Workspace) -> None:
    done = rcs(workspace.root, *USAGE[name])
    assert (done.status, done.out) == (2, "")
    assert done.err.strip()
    assert list(workspace.root.iterdir()) == []


def test_rcs_alone_shows_every_command(workspace: Workspace) -> None:
    done = rcs(workspace.root)
    assert done.status == 2
    for name, *_ in COMMANDS:
        assert f"  {name}" in done.out + done.err


NEAR = {"stat": "state", "questions": "question", "tri": "try", "overly": "overlay", "hdu": "hud"}


@each_row(("typed", "meant"), NEAR.items(), ids=NEAR)
def test_an_unknown_command_is_answered_with_the_nearest(
    typed: str, meant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done = in_process(monkeypatch, capsys, tmp_path, typed)
    assert (done.status, done.out) == (2, "")
    assert f"did you mean `rcs {meant}`?" in done.err


HELP = [[name] for name, *_ in COMMANDS] + [["question", action] for action in ("ask", "answer", "list")]


@each_row("words", HELP, ids=[" ".join(words) for words in HELP])
def test_the_help_of_every_command_has_an_example(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done = in_process(monkeypatch, capsys, tmp_path, *words, "--help")
    assert (done.status, done.err) == (0, "")
    assert f"rcs {' '.join(words)}" in done.out.partition("example")[2]


TASK = ["new", "status", "next", "plan", "review plan", "review code", "codegen", "test", "accept", "revert", "collect"]
SHOWN = [[], *HELP, *(["task", *each.split()] for each in [*TASK, "redo", "list", "schema", "repl"])]


@each_row("words", SHOWN, ids=[" ".join(words) for words in SHOWN])
def test_the_help_of_every_command_fits_a_terminal(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = in_process(monkeypatch, capsys, tmp_path, *words, "--help")
    assert [line for line in done.out.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("word", ["--help", "-h", "help", "--version"])
def test_what_is_asked_for_stands_on_stdout(word: str, workspace: Workspace) -> None:
    done = rcs(workspace.root, word)
    assert (done.status, done.err) == (0, "")
    assert done.out.strip()


# --- closed and full stdout

SHOWING = [
    "rcs state list-active",
    "rcs --help",
    "rcs try '$forge'",
    "rcs state get-status --json",
    "rcs question list",
]


@pytest.mark.slow
@pytest.mark.parametrize("command", SHOWING)
def test_a_reader_that_has_gone_is_no_error(command: str, workspace: Workspace) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            shlex.split(command),
            stdout=writing,
            stderr=subprocess.PIPE,
            cwd=workspace.root,
            env=clean_env(PATH=ON_PATH),
            timeout=60,
            check=False,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr.decode()) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("command", SHOWING)
def test_a_closed_stdout_gives_no_traceback(command: str, workspace: Workspace) -> None:
    assert "Traceback" not in shell(f"{command} >&-", workspace.root).err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_behind_stdout_is_a_failure_in_words(workspace: Workspace) -> None:
    done = shell("rcs state list-active >/dev/full", workspace.root)
    assert done.status == 1
    assert "Traceback" not in done.err
    assert done.err.startswith("rcs: ")


# --- which session, which workspace


@each_row(
    ("words", "env", "session"),
    [
        ([], {"RCS_SESSION_ID": "a"}, "a"),
        ([], {"CLAUDE_CODE_SESSION_ID": "b"}, "b"),
        ([], {"RCS_SESSION_ID": "a", "CLAUDE_CODE_SESSION_ID": "b"}, "a"),
        ([], {"RCS_SESSION_ID": "", "CLAUDE_CODE_SESSION_ID": "b"}, "b"),
        ([], {"CODEX_SESSION_ID": "b"}, "b"),
        (["--session", "c"], {"RCS_SESSION_ID": "a", "CLAUDE_CODE_SESSION_ID": "b"}, "c"),
        ([], {}, None),
    ],
    ids=[
        "RCS_SESSION_ID",
        "CLAUDE_CODE_SESSION_ID",
        "RCS first",
        "an empty one is none",
        "CODEX_SESSION_ID",
        "the option first",
        "none",
    ],
)
def test_the_session_is_the_option_else_a_variable_else_root(
    words: list[str], env: dict[str, str], session: str | None, workspace: Workspace
) -> None:
    scope = () if session else ("--root-scope",)
    done = rcs(workspace.root, "state", "write", "--mode", "forge", "--active", *scope, *words, **env)
    assert done.status == 0
    assert workspace.mode_path("forge", session).exists()


@pytest.mark.parametrize("name", ["RCS_SESSION_ID", "CLAUDE_CODE_SESSION_ID"])
def test_a_session_variable_that_names_no_session_is_refused(name: str, workspace: Workspace) -> None:
    done = rcs(workspace.root, "state", "write", "--mode", "forge", "--active", **{name: "../../x"})
    assert (done.status, done.out) == (1, "")
    assert list(workspace.root.iterdir()) == []


def test_the_workspace_is_found_from_below_by_option_and_by_variable(workspace: Workspace, tmp_path: Path) -> None:
    workspace.prompt("$forge")
    below = workspace.root / "sub" / "deeper"
    below.mkdir(parents=True)
    wanted = {"active_modes": ["forge"]}
    words = ("state", "list-active", "--session", "s1", "--json")
    assert json.loads(rcs(below, *words).out) == wanted
    assert json.loads(rcs(tmp_path, *words, "--root", "workspace").out) == wanted
    assert json.loads(rcs(tmp_path, *words, RCS_ROOT=str(workspace.root)).out) == wanted
    assert json.loads(rcs(tmp_path, *words, CLAUDE_PROJECT_DIR=str(workspace.root)).out) == wanted


@each_row("mode", ["crew", "TEAM", "swarm", "$team", "autoforge", "ulw", "brief", "rcs:team"])
def test_a_mode_may_be_named_by_any_of_its_names(mode: str, workspace: Workspace) -> None:
    runtime = {"autoforge": "autopilot", "ulw": "ultrawork", "brief": "deep-interview"}.get(mode, "team")
    done = rcs(workspace.root, "state", "write", "--mode", mode, "--session", "s1", "--active", "--json")
    assert json.loads(done.out or done.err).get("mode") == runtime
    assert workspace.read(runtime)["active"] is True


# --- rcs try


PROMPTS = {
    "a start": ([], "$forge fix it"),
    "a deferral": ([], "$blueprint $team $forge ship this fix"),
    "an overlap": (["$team"], "$forge"),
    "a handoff": (["$blueprint"], "$forge"),
    "a denial": (["$team"], "$autopilot"),
    "a rollback": (["$forge"], "$blueprint"),
    "already running": (["$forge"], "$forge"),
    "cancel": (["$team $forge"], "$cancel"),
    "cancel and start": (["$team"], "$cancel $autopilot"),
    "an offer": (["$blueprint $team", "$cancel"], "go on"),
    "an old name": ([], "$ulw and $crew"),
    "no token": (["$forge"], "hello"),
    "a negation": ([], "do not use $team"),
}


def tried(workspace: Workspace, prompt: str, *words: str, **env: str) -> Done:
    return rcs(workspace.root, "try", prompt, "--session", "s1", *words, **env)


@each_row("name", PROMPTS)
def test_try_shows_the_very_text_that_the_hook_injects_and_writes_nothing(name: str, workspace: Workspace) -> None:
    before, prompt = PROMPTS[name]
    for text in before:
        started(workspace, text)
    snapshot, there = workspace.snapshot(), sorted(workspace.root.rglob("*"))
    as_json, as_text = tried(workspace, prompt, "--json"), tried(workspace, prompt)
    assert (as_json.status, as_json.err, as_text.status, as_text.err) == (0, "", 0, "")
    assert workspace.snapshot() == snapshot
    assert sorted(workspace.root.rglob("*")) == there
    injected = started(workspace, prompt).get("hookSpecificOutput", {}).get("additionalContext", "")
    assert json.loads(as_json.out)["context"] == injected
    assert "\n".join(f"  {line}" for line in injected.split("\n") if line) in as_text.out


@pytest.mark.parametrize("prompt", ["Postgres", "$team Postgres"])
def test_try_shows_that_a_prompt_would_answer_a_question(prompt: str, workspace: Workspace) -> None:
    started(workspace, "$forge")
    rcs(workspace.root, "question", "ask", "--mode", "forge", "--session", "s1", "--text", "Which database?")
    before = workspace.snapshot()
    context = json.loads(tried(workspace, prompt, "--json").out)["context"]
    assert "Which database?" in context
    assert workspace.snapshot() == before
    assert context_of(started(workspace, prompt)) == context


def test_try_marks_every_token_where_it_stands_and_says_why(workspace: Workspace) -> None:
    shown = tried(workspace, "$forge and `$team`").out.split("\n")
    assert shown[0].strip() == "$forge and `$team`"
    line, marks = shown[0], shown[1]
    assert {line[at : at + 6] for at in [marks.index("^^^^^^")]} == {"$forge"}
    assert {line[at : at + 5] for at in [marks.index("-----")]} == {"$team"}
    assert marks.strip(" ^-") == ""
    assert any("$forge" in each and "asked for" in each for each in shown[2:4])
    assert any("$team" in each and "asked for" not in each and ":" in each for each in shown[2:4])


def test_try_names_the_plan_and_the_set(workspace: Workspace) -> None:
    started(workspace, "$blueprint")
    done = tried(workspace, "$forge", "--json")
    result = json.loads(done.out)
    assert result["allowed"] is True
    assert result["steps"] == [{"mode": "forge", "kind": "handoff", "completes": ["blueprint"]}]
    assert (result["before"], result["after"]) == (["blueprint"], ["forge"])
    assert "active afterwards: forge" in tried(workspace, "$forge").out


def test_try_of_a_denial_says_that_nothing_would_change(workspace: Workspace) -> None:
    started(workspace, "$team")
    result = json.loads(tried(workspace, "$autopilot", "--json").out)
    assert (result["allowed"], result["before"], result["after"]) == (False, ["team"], ["team"])
    shown = tried(workspace, "$autopilot").out
    assert "so nothing changes at all" in shown
    assert "active afterwards: team" in shown


def test_try_of_a_deferral_names_what_waits(workspace: Workspace) -> None:
    result = json.loads(tried(workspace, "$blueprint $team $forge", "--json").out)
    assert (result["deferred"], result["after"]) == (["team", "forge"], ["blueprint"])


@each_row("prompt", ["no skill at all", "", "do not use $team", "$PATH and $5", "`$forge`"])
def test_try_of_a_prompt_that_asks_for_nothing_says_so(prompt: str, workspace: Workspace) -> None:
    done = tried(workspace, prompt)
    assert (done.status, done.err) == (0, "")
    assert "nothing changes" in done.out
    assert "the model sees nothing" in done.out
    assert list(workspace.root.iterdir()) == []


def test_try_without_a_session_works_in_an_empty_folder_and_makes_nothing(workspace: Workspace) -> None:
    done = shell("rcs try '$blueprint $team ship this fix'", workspace.root)
    assert (done.status, done.err) == (0, "")
    assert "active afterwards: blueprint" in done.out
    assert list(workspace.root.iterdir()) == []


def test_try_without_a_session_says_that_it_looked_at_none(workspace: Workspace) -> None:
    """A person would paste a placeholder that looks like an id."""
    done = shell("rcs try '$forge'", workspace.root)
    assert "new-session" in done.out


def test_try_names_the_skill_to_read_as_the_hook_does(workspace: Workspace) -> None:
    skill = workspace.root / ".agents/skills/forge/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("# forge")
    context = json.loads(tried(workspace, "$forge mend it", "--json").out)["context"]
    assert "Read the skill `forge` (.agents/skills/forge/SKILL.md) first." in context.splitlines()
    assert context == started(workspace, "$forge mend it")["hookSpecificOutput"]["additionalContext"]


def test_try_reads_a_prompt_from_stdin(workspace: Workspace) -> None:
    done = shell("printf '%s\\n' 'fix it with' '$forge please' | rcs try - --json", workspace.root)
    assert json.loads(done.out)["after"] == ["forge"]


@pytest.mark.slow
@pytest.mark.parametrize("command", ["printf '\\377 $forge' | rcs try -", "rcs try \"$(printf '\\377') \\$forge\""],
                         ids=["stdin", "argument"])  # fmt: skip
@pytest.mark.parametrize(
    "env",
    [{"LANG": "C.UTF-8"}, {"LANG": "C"}, {"PYTHONIOENCODING": "utf-8:strict"}],
    ids=["C.UTF-8", "C", "as under en_US.UTF-8"],
)
def test_try_takes_bytes_that_are_no_utf_8(command: str, env: dict[str, str], workspace: Workspace) -> None:
    done = shell(command, workspace.root, **env)
    assert "Traceback" not in done.err
    assert (done.status, done.err) == (0, "")
    assert "forge" in done.out


# --- rcs question


def test_a_question_is_asked_listed_and_answered(workspace: Workspace) -> None:
    started(workspace, "$forge")
    asked = shell(
        "rcs question ask --mode forge --session s1 --text 'Which database?' --option Postgres --option SQLite --json",
        workspace.root,
    )
    assert (asked.status, asked.err) == (0, "")
    result = json.loads(asked.out)
    assert "Which database?" in result["say"]
    assert stopped(workspace.root) == {}
    listed = json.loads(rcs(workspace.root, "question", "list", "--json").out)["questions"]
    assert [(each["question_id"], each["session_id"], each["options"]) for each in listed] == [
        (result["question_id"], "s1", ["Postgres", "SQLite"])
    ]
    answered = rcs(workspace.root, "question", "answer", result["question_id"], "Postgres")
    assert (answered.status, answered.err) == (0, "")
    assert "decision" in stopped(workspace.root)
    assert "Postgres" in context_of(started(workspace, "hello"))
    assert rcs(workspace.root, "question", "list").out == "no open question\n"


def test_ask_prints_the_id_and_what_the_agent_should_say(workspace: Workspace) -> None:
    started(workspace, "$forge")
    done = shell("rcs question ask --mode forge --session s1 --text 'Which database?'", workspace.root)
    question = next((workspace.folder("s1") / "questions").iterdir()).stem
    assert question in done.out
    assert '"Which database?"' in done.out


@each_row(("typed", "goes_on"), [("$forge", "forge continues"), ("$forge $ulw", "forge + ultrawork continue")])
def test_an_answer_says_what_to_type_and_what_goes_on_then(typed: str, goes_on: str, workspace: Workspace) -> None:
    started(workspace, f"{typed} ship it")
    asked = rcs(workspace.root, "question", "ask", "--mode", "forge", "--text", "Which?", "--session", "s1", "--json")
    answered = rcs(workspace.root, "question", "answer", json.loads(asked.out)["question_id"], "Postgres")
    assert f' answered; type any prompt in that session, such as "go on", and {goes_on}\n' in answered.out


def test_a_question_is_answered_once(workspace: Workspace) -> None:
    started(workspace, "$forge")
    shell("rcs question ask --mode forge --session s1 --text 'Which database?'", workspace.root)
    question = next((workspace.folder("s1") / "questions").iterdir()).stem
    assert rcs(workspace.root, "question", "answer", question, "Postgres").status == 0
    again = rcs(workspace.root, "question", "answer", question, "SQLite")
    assert (again.status, again.out) == (1, "")
    assert "already answered" in again.err


@pytest.mark.slow
@pytest.mark.parametrize("text", ["-1", "--json", "-"], ids=str)
def test_an_answer_may_begin_with_a_hyphen(text: str, workspace: Workspace) -> None:
    started(workspace, "$forge")
    shell("rcs question ask --mode forge --session s1 --text 'How many?'", workspace.root)
    question = next((workspace.folder("s1") / "questions").iterdir())
    assert rcs(workspace.root, "question", "answer", question.stem, "--", text).status == 0
    assert json.loads(question.read_text())["answer"] == text
