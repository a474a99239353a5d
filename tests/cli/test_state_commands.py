"""`rcs state`, `try` and `question` as people and agents' shells call them: pasted commands, statuses and streams."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.contract import CANCEL, NAMES
from tests.modes.declarations import skill as declaration
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


def without_times(value: object) -> object:
    if isinstance(value, dict):
        return {key: without_times(each) for key, each in value.items() if not (key.endswith("_at") or key == "run")}
    return [without_times(each) for each in value] if isinstance(value, list) else value


# --- the contract's recovery commands, to the letter


def test_the_seed_s_commands_clear_in_root_in_the_one_session_and_in_all(workspace: Workspace) -> None:
    workspace.write("team", None)
    cleared = shell("""rcs state clear --input '{"mode":"team"}' --json""", workspace.root)
    assert json.loads(cleared.out) == {"cleared": True, "mode": "team", "path": ".rcs/state/team-state.json"}
    started(workspace, "$team $forge")
    cleared = pasted("""rcs state clear --input '{"mode":"team"}' --json""", workspace.root)
    path = ".rcs/state/sessions/s1/team-state.json"
    assert json.loads(cleared.out) == {"cleared": True, "mode": "team", "path": path}
    started(workspace, "$team $forge", "s2")
    cleared = pasted("""rcs state clear --input '{"mode":"forge","all_sessions":true}' --json""", workspace.root)
    assert (cleared.status, cleared.err, json.loads(cleared.out)["removed"]) == (0, "", 2)
    assert (workspace.active("s1"), workspace.active("s2")) == ([], ["team"])


# --- options and --input agree

PAIRS: list[tuple[str, Record]] = [
    ("clear --mode team --session s1", {"mode": "team", "session_id": "s1"}),
    ("clear --mode team --all-sessions", {"mode": "team", "all_sessions": True}),
    ("get-status --mode crew --session s1", {"mode": "team", "session_id": "s1"}),
    (
        'write --mode forge --session s1 --phase executing --iteration 2 --set state.a={"b":1} --set note="x"',
        {"mode": "forge", "session_id": "s1", "current_phase": "executing", "iteration": 2,
         "state": {"a": {"b": 1}}, "note": "x"},
    ),
    ("write --mode forge --session s1 --inactive", {"mode": "forge", "session_id": "s1", "active": False}),
    ("write --mode ultrawork --session s1 --active", {"mode": "ultrawork", "session_id": "s1", "active": True}),
]  # fmt: skip


@each_row(("options", "given"), PAIRS)
def test_options_and_input_do_the_same(options: str, given: Record, tmp_path: Path) -> None:
    words = options.split()
    results = []
    for name, typed in {"options": words, "input": [words[0], "--input", json.dumps(given)]}.items():
        (tmp_path / name).mkdir()
        workspace = Workspace(tmp_path / name)
        workspace.prompt("$team $forge")
        done = rcs(workspace.root, "state", *typed, "--json")
        assert (done.status, done.err) == (0, "")
        files = {path: json.loads(text) for path, text in workspace.snapshot().items() if path.endswith(".json")}
        results.append(without_times([files, json.loads(done.out)]))
    assert results[0] == results[1]


CLASHES: list[tuple[int, list[str]]] = [
    (1, ["write", "--mode", "team", "--input", '{"mode":"forge","note":1}']),
    (1, ["clear", "--input", '{"mode":"team","all_sessions":"yes"}']),
    (1, ["clear", "--input", '{"mode":"forge","all_session":true}']),
    (1, ["write", "--mode", "team", "--input", '{"state":5}', "--set", "state.a=1"]),
    (2, ["write", "--mode", "team", "--set", 'mode="forge"']),
    (2, ["write", "--mode", "team", "--set", "state.=1"]),
    (2, ["write", "--mode", "team", "--set", "note"]),
    (1, ["write", "--mode", "team", "--set", "note={word"]),
    (1, ["write", "--mode", "team", "--set", f"note={'1' * 5000}"]),
    (1, ["write", "--mode", "team", "--set", "question_enforcement=5"]),
    (1, ["clear", "--input", '{"mode":']),
    (1, ["clear", "--input", ""]),
    (1, ["clear", "--input", '{"mode":"team","session_id":"../../x"}']),
    (1, ["write", "--mode", "cancel", "--active"]),
    (1, ["write", "--mode", "team", "--iteration", "-1"]),
    (2, ["write", "--mode", "team", "--iteration", "two"]),
    (2, ["clear", "--mod", "team"]),
]


@each_row(("status", "words"), CLASHES)
def test_what_makes_no_sense_is_refused_in_words_and_changes_no_byte(
    status: int, words: list[str], workspace: Workspace
) -> None:
    workspace.prompt("$team")
    before = workspace.snapshot()
    done = rcs(workspace.root, "state", *words)
    assert (done.status, done.out) == (status, "")
    assert done.err.startswith(("rcs: ", '{"ok":false'))
    assert workspace.snapshot() == before


SET = [
    ("note=two words", "note", "two words"),
    ("note=7", "note", 7),
    ("note=True", "note", "True"),
    ('note="true"', "note", "true"),
    ("note=a=b", "note", "a=b"),
    ('note=["a"]', "note", ["a"]),
    ("state.note=clean", "state", {"note": "clean"}),
]


@each_row(("typed", "field", "value"), SET)
def test_set_takes_json_or_a_bare_word(typed: str, field: str, value: object, workspace: Workspace) -> None:
    workspace.prompt("$team")
    done = rcs(workspace.root, "state", "write", "--mode", "team", "--set", typed)
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

    def set_up(self, tmp_path: Path) -> tuple[Workspace, Path, dict[str, str]]:
        """Return the workspace, the folder of the agent's shell, and the hook's environment."""
        root = tmp_path / self.folder
        cwd = root / self.below
        cwd.mkdir(parents=True)
        env = {"PATH": self.path}
        if self.by_variable:  # without the variable, the agent's shell would find the subfolder
            (cwd / ".git").mkdir()
            env[self.by_variable] = str(root)
        else:
            (root / ".git").mkdir(exist_ok=True)
        return Workspace(root), cwd, env


PLACES = (
    Place("work", path=os.defpath),
    Place("it's $HOME `x`"),
    Place("my work", "sub/deeper one"),
    Place("my work", "sub", "RCS_ROOT"),
    Place("work", "sub", "CLAUDE_PROJECT_DIR"),
)


def works(command: str, cwd: Path, place: Place) -> None:
    done = pasted(command, cwd, PATH=place.path)
    assert (done.status, done.err) == (0, ""), command


@each_row("place", PLACES)
def test_the_commands_after_an_activation_can_be_pasted(place: Place, tmp_path: Path) -> None:
    workspace, cwd, env = place.set_up(tmp_path)
    step, ask = commands_in(context_of(started(workspace, "$forge", cwd=cwd, **env)))
    works(step, cwd, place)
    assert workspace.read("forge")["current_phase"] == "executing"
    works(ask.replace("YOUR QUESTION", "Which database?"), cwd, place)
    assert workspace.read("forge")["lifecycle_outcome"] == "askuserQuestion"
    works(step.replace("--phase executing", "--outcome finished"), cwd, place)
    assert workspace.read("forge")["lifecycle_outcome"] == "finished"
    assert workspace.active() == []


@each_row("place", PLACES)
def test_the_commands_of_a_stop_reason_can_be_pasted(place: Place, tmp_path: Path) -> None:
    workspace, cwd, env = place.set_up(tmp_path)
    started(workspace, "$team $forge", cwd=cwd, **env)
    for phase in ("executing", "verifying"):
        works(commands_in(stopped(cwd, **env)["reason"])[0], cwd, place)
        assert [workspace.read(mode)["current_phase"] for mode in ("team", "forge")] == [phase, phase]
    finish = next(each for each in commands_in(stopped(cwd, **env)["reason"]) if " prove --finish " in each)
    assert pasted(finish.replace(" -- COMMAND", " -- true"), cwd, PATH=place.path).status == 0
    below = "" if cwd == workspace.root else f" in {cwd.relative_to(workspace.root)}"
    assert stopped(cwd, **env) == {"systemMessage": f"rcs: team + forge finished, proven by `true`{below}."}
    assert stopped(cwd, **env) == {}


@each_row("place", PLACES)
def test_the_commands_of_a_denial_can_be_pasted_and_make_room(place: Place, tmp_path: Path) -> None:
    workspace, cwd, env = place.set_up(tmp_path)
    started(workspace, "$team", cwd=cwd, **env)
    for command in commands_in(context_of(started(workspace, "$autopilot", cwd=cwd, **env))):
        works(command, cwd, place)
    assert "Cannot activate" not in context_of(started(workspace, "$autopilot", cwd=cwd, **env))
    assert workspace.active() == ["autopilot"]
    workspace.mode_path("autopilot").write_text("{")
    (command,) = commands_in(context_of(started(workspace, "$forge", cwd=cwd, **env)))
    works(command, cwd, place)
    started(workspace, "$forge", cwd=cwd, **env)
    assert workspace.active() == ["forge"]


def test_a_denied_write_says_what_the_hook_says(workspace: Workspace) -> None:
    started(workspace, "$team")
    refused = rcs(workspace.root, "state", "write", "--mode", "autopilot", "--session", "s1", "--active")
    assert (refused.status, refused.err) == (1, f"rcs: {context_of(started(workspace, '$autopilot'))}\n")


def test_the_commands_to_choose_a_session_by_can_be_pasted(workspace: Workspace) -> None:
    for session in ("s1", "s2"):
        started(workspace, "$team", session)
    refused = rcs(workspace.root, "state", "clear", "--mode", "team")
    assert (refused.status, refused.out) == (1, "")
    commands = [word for line in refused.err.split("\n") for word in commands_in(line)]
    assert [pasted(command, workspace.root).status for command in commands] == [0, 0]


# --- statuses and streams

REFUSALS: list[list[str]] = [
    ["question", "ask", "--mode", "forge", "--text", "Which?"],
    ["state", "write", "--mode", "forge", "--set", "note=x"],
    ["state", "write", "--mode", "forge", "--active", "--root", "not/there"],
    ["try", "$forge", "--session", "../x"],
]


@each_row("words", REFUSALS)
def test_a_refusal_stands_on_stderr_also_as_json_and_makes_nothing(words: list[str], workspace: Workspace) -> None:
    done = rcs(workspace.root, *words)
    assert (done.status, done.out, done.err[:5]) == (1, "", "rcs: ")
    done = rcs(workspace.root, *words, "--json")
    error = json.loads(done.err)
    assert (done.status, done.out, error) == (1, "", error_json("refused", error["message"]))
    assert list(workspace.root.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_behind_stdout_is_a_failure_in_words(workspace: Workspace) -> None:
    done = shell("rcs state list-active >/dev/full", workspace.root)
    assert (done.status, done.err[:5], "Traceback" in done.err) == (1, "rcs: ", False)


# --- which session, which workspace


@each_row(
    ("words", "env", "session"),
    [
        ([], {"CLAUDE_CODE_SESSION_ID": "b"}, "b"),
        ([], {"RCS_SESSION_ID": "a", "CLAUDE_CODE_SESSION_ID": "b"}, "a"),
        ([], {"RCS_SESSION_ID": "", "CLAUDE_CODE_SESSION_ID": "b"}, "b"),
        ([], {"CODEX_SESSION_ID": "b"}, "b"),
        (["--session", "c"], {"RCS_SESSION_ID": "a", "CLAUDE_CODE_SESSION_ID": "b"}, "c"),
        (["--root-scope"], {}, None),
    ],
)
def test_the_session_is_the_option_else_a_variable_else_root(
    words: list[str], env: dict[str, str], session: str | None, workspace: Workspace
) -> None:
    assert rcs(workspace.root, "state", "write", "--mode", "forge", "--active", *words, **env).status == 0
    assert workspace.mode_path("forge", session).exists()


def test_the_workspace_is_found_from_below_by_option_and_by_variable(workspace: Workspace, tmp_path: Path) -> None:
    workspace.prompt("$forge")
    below = workspace.root / "sub" / "deeper"
    below.mkdir(parents=True)
    words = ("state", "list-active", "--session", "s1", "--json")
    root = str(workspace.root)
    for done in (
        rcs(below, *words),
        rcs(tmp_path, *words, "--root", "workspace"),
        rcs(tmp_path, *words, RCS_ROOT=root),
        rcs(tmp_path, *words, CLAUDE_PROJECT_DIR=root),
    ):
        assert json.loads(done.out) == {"active_modes": ["forge"]}


def test_a_mode_may_be_named_by_any_of_its_names(workspace: Workspace) -> None:
    meant = {name: mode for name, mode in NAMES.items() if mode != CANCEL}
    for name, mode in (meant | {"TEAM": "team", "$team": "team", "rcs:team": "team"}).items():
        done = rcs(workspace.root, "state", "read", "--mode", name, "--session", "s1", "--json")
        assert json.loads(done.out)["mode"] == mode


# --- rcs try

PROMPTS: list[tuple[list[str], str]] = [
    ([], "$blueprint $team $forge ship this fix"),
    (["$blueprint"], "$forge"),
    (["$team"], "$autopilot"),
    (["$forge"], "$forge"),
    (["$team"], "$cancel $autopilot"),
    (["$blueprint $team", "$cancel"], "go on"),
]


def tried(workspace: Workspace, prompt: str, *words: str) -> Done:
    return rcs(workspace.root, "try", prompt, "--session", "s1", *words)


@each_row(("before", "prompt"), PROMPTS)
def test_try_shows_the_very_text_that_the_hook_injects_and_writes_nothing(
    before: list[str], prompt: str, workspace: Workspace
) -> None:
    for text in before:
        started(workspace, text)
    snapshot, there = workspace.snapshot(), sorted(workspace.root.rglob("*"))
    as_json, as_text = tried(workspace, prompt, "--json"), tried(workspace, prompt)
    assert (as_json.status, as_json.err, as_text.status, as_text.err) == (0, "", 0, "")
    assert (workspace.snapshot(), sorted(workspace.root.rglob("*"))) == (snapshot, there)
    injected = started(workspace, prompt).get("hookSpecificOutput", {}).get("additionalContext", "")
    assert json.loads(as_json.out)["context"] == injected
    assert "\n".join(f"  {line}" for line in injected.split("\n") if line) in as_text.out


def test_try_marks_every_token_where_it_stands_and_says_why(workspace: Workspace) -> None:
    line, marks, *why = tried(workspace, "$forge and `$team`").out.split("\n")
    assert line[marks.index("^^^^^^") :][:6] == "$forge"
    assert line[marks.index("-----") :][:5] == "$team"
    assert marks.strip(" ^-") == ""
    assert any("$forge" in each and "asked for" in each for each in why[:2])
    assert any("$team" in each and "asked for" not in each and ":" in each for each in why[:2])


def test_try_names_the_plan_and_the_set(workspace: Workspace) -> None:
    result = json.loads(tried(workspace, "$blueprint $team $forge", "--json").out)
    assert (result["deferred"], result["after"]) == (["team", "forge"], ["blueprint"])
    started(workspace, "$blueprint")
    result = json.loads(tried(workspace, "$forge", "--json").out)
    assert result["allowed"] is True
    assert result["steps"] == [{"mode": "forge", "kind": "handoff", "completes": ["blueprint"]}]
    assert (result["before"], result["after"]) == (["blueprint"], ["forge"])
    result = json.loads(tried(workspace, "$ultraqa", "--json").out)
    assert (result["allowed"], result["before"], result["after"]) == (False, ["blueprint"], ["blueprint"])
    shown = tried(workspace, "$ultraqa").out
    assert "so nothing changes at all" in shown
    assert "active afterwards: blueprint" in shown


@each_row("prompt", ["", "do not use $team", "$PATH and $5", "`$forge`"])
def test_try_of_a_prompt_that_asks_for_nothing_says_so(prompt: str, workspace: Workspace) -> None:
    done = tried(workspace, prompt)
    assert (done.status, done.err) == (0, "")
    assert "nothing changes" in done.out
    assert "the model sees nothing" in done.out
    assert list(workspace.root.iterdir()) == []


def test_try_reads_a_prompt_from_stdin_whatever_its_bytes(workspace: Workspace) -> None:
    done = shell("printf '\\377 fix it with\\n%s\\n' '$forge please' | rcs try -", workspace.root, LANG="C")
    assert (done.status, done.err) == (0, "")
    assert "forge" in done.out


@each_row("name", ["forge", "rcs:Crew", "release", ""])
def test_a_command_of_the_client_is_answered_with_the_token(name: str, workspace: Workspace) -> None:
    path = workspace.root / ".claude/skills/release/SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(declaration(name="release"))
    hint = "(in double quotes the shell replaces $words before rcs sees them; use single quotes)"
    if name:
        hint = f"(`/{name}` is a command of the client's own, which starts no run; type `${name}`)"
    said = tried(workspace, f"/{name or 'forge/x'} fix x").out.splitlines()
    assert said[:2] == [f"no $skill token in: /{name or 'forge/x'} fix x", hint]


# --- rcs question


@each_row(("typed", "goes_on"), [("$forge", "forge continues"), ("$forge $ulw", "forge + ultrawork continue")])
def test_an_answer_says_what_to_type_and_what_goes_on_then(typed: str, goes_on: str, workspace: Workspace) -> None:
    started(workspace, f"{typed} ship it")
    asked = rcs(workspace.root, "question", "ask", "--mode", "forge", "--text", "Which?", "--session", "s1", "--json")
    answered = rcs(workspace.root, "question", "answer", json.loads(asked.out)["question_id"], "--", "-1")
    assert f' answered; type any prompt in that session, such as "go on", and {goes_on}\n' in answered.out
    assert json.loads(next((workspace.folder("s1") / "questions").iterdir()).read_text())["answer"] == "-1"
