"""Words that were decided and reached nobody: the same prompt, sent again, gets them; a copy of the hook does not."""

from __future__ import annotations

import fcntl
import itertools
import json
import os
import select
import signal
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.own_modes import put
from tests.support import NOW, Answer, Workspace, clean_env, few, run_hook

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PROGRAM = (sys.executable, "-EP", "-c", "from rcs_hooks.hook.entry import main; main()")
PROMPT = "UserPromptSubmit"
UNSENT_ANSWER = "hook-unheard"

PROMPTS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "a start": ((), "$forge go"),
    "a handoff": (("$blueprint",), "$forge go"),
    "a deferral": ((), "$blueprint $forge go"),
    "a cancellation": (("$team",), "$cancel"),
    "a cancellation and a start": (("$team",), "$cancel $forge"),
}


def said(workspace: Workspace, text: str, turn: str | None) -> Answer:
    """A whole process."""
    line, status = run_hook(_call(workspace, text, turn), cwd=workspace.root)
    assert status == 0
    return Answer(PROMPT, line)


def _call(workspace: Workspace, text: str, turn: str | None) -> bytes:
    return workspace.payload(PROMPT, prompt=text, **({"turn_id": turn} if turn else {"model": "m"}))


@contextmanager
def stuck(workspace: Workspace, text: str, turn: str | None) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A hook that has committed and cannot write its answer: the pipe is full. The process, and where to read."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with pytest.raises(BlockingIOError):
        for size in itertools.chain(itertools.repeat(4096, 10_000), itertools.repeat(1)):
            os.write(writing, b"-" * size)
    os.set_blocking(writing, True)
    before = workspace.snapshot()
    child = subprocess.Popen(
        PROGRAM, stdin=subprocess.PIPE, stdout=writing, cwd=workspace.root, env=clean_env(), start_new_session=True
    )
    os.close(writing)
    assert child.stdin is not None
    child.stdin.write(_call(workspace, text, turn))
    child.stdin.close()
    try:
        while is_at_work(child, workspace, before):
            select.select([], [], [], 0.02)
        yield child, reading
    finally:
        child.kill()
        child.wait()
        os.close(reading)


def is_at_work(child: subprocess.Popen[bytes], workspace: Workspace, before: Mapping[str, bytes]) -> bool:
    """Whether the commit is not done yet, or the lock is still held."""
    assert child.poll() is None
    try:
        after = workspace.snapshot()
    except FileNotFoundError:  # the commit has just moved what was staged
        return True
    key = "state/sessions/s1/hook-ledger.json"
    if after.get(key) == before.get(key) or "state/.commit.json" in after:
        return True
    with (workspace.state / ".lock").open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def kill_before_answer(workspace: Workspace, text: str, turn: str | None) -> None:
    with stuck(workspace, text, turn) as (child, _):
        child.send_signal(signal.SIGKILL)
        child.wait()


def twin(workspace: Workspace, name: str, earlier: tuple[str, ...]) -> Workspace:
    root = workspace.root.parent / name / "workspace"
    root.mkdir(parents=True)
    copy = Workspace(root, now=NOW).in_git()
    for number, text in enumerate(earlier):
        said(copy, text, f"earlier-{number}")
    return copy


def state(workspace: Workspace) -> dict[str, bytes]:
    """Every file, without the lock and what is told again."""
    return {path: data for path, data in workspace.snapshot().items() if not path.endswith((".lock", UNSENT_ANSWER))}


@pytest.mark.parametrize("name", few(PROMPTS, 2))
def test_a_prompt_whose_answer_was_killed_is_told_when_it_comes_again(workspace: Workspace, name: str) -> None:
    earlier, text = PROMPTS[name]
    heard, lost = twin(workspace, "heard", earlier), twin(workspace, "lost", earlier)
    wanted = said(heard, text, "t1")
    kill_before_answer(lost, text, "t1")
    before = state(lost)
    assert said(lost, text, "t1").line == wanted.line
    assert state(lost) == before
    assert said(lost, text, "t1").line == "{}"


@pytest.mark.parametrize("name", few(PROMPTS, 2))
def test_it_is_told_in_a_new_turn_too_where_nothing_has_happened_since(workspace: Workspace, name: str) -> None:
    earlier, text = PROMPTS[name]
    heard, lost = twin(workspace, "heard", earlier), twin(workspace, "lost", earlier)
    wanted = said(heard, text, "t1")
    kill_before_answer(lost, text, "t1")
    before = lost.workflow_state()
    assert said(lost, text, "t2").line == wanted.line
    after = lost.workflow_state()
    assert {path for path in after if not path.endswith(UNSENT_ANSWER)} == {
        p for p in before if not p.endswith(UNSENT_ANSWER)
    }
    assert all(after[path] == before[path] for path in after)
    assert said(lost, text, "t2").line == "{}"


def test_a_prompt_that_nobody_listened_to_is_told_when_it_comes_again(workspace: Workspace) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    subprocess.run(
        PROGRAM, input=_call(workspace, "$forge go", "t1"), stdout=writing, cwd=workspace.root, env=clean_env(),
        check=True, timeout=60,
    )  # fmt: skip
    os.close(writing)
    assert workspace.active() == ["forge"]
    assert "initialized: " in said(workspace, "$forge go", "t1").context
    assert said(workspace, "$forge go", "t1").line == "{}"


@pytest.mark.slow
def test_a_copy_says_nothing_while_the_first_still_writes_its_answer(workspace: Workspace) -> None:
    """However late it is: the first is alive, so its words are on their way."""
    with stuck(workspace, "$forge go", "t1") as (child, reading):
        assert said(workspace, "$forge go", "t1").line == "{}"
        told = b""
        while data := os.read(reading, 1 << 16):
            told += data
        assert child.wait(60) == 0
    assert b"initialized: " in told
    assert said(workspace, "$forge go", "t1").line == "{}"


def test_an_answer_that_was_written_leaves_nothing_behind(workspace: Workspace) -> None:
    said(workspace, "$forge go", "t1")
    assert set(workspace.snapshot()) == {
        ".gitignore",
        "state/.lock",
        "state/sessions/s1/forge-state.json",
        "state/sessions/s1/history.jsonl",
        "state/sessions/s1/hook-ledger.json",
        "state/sessions/s1/skill-active-state.json",
    }


def test_the_same_prompt_in_a_new_turn_is_a_new_one_where_the_first_was_heard(workspace: Workspace) -> None:
    said(workspace, "$forge go", "t1")
    assert "already running" in said(workspace, "$forge go", "t2").context


@pytest.mark.slow
def test_a_lost_answer_is_not_told_once_the_run_has_gone_on(workspace: Workspace) -> None:
    kill_before_answer(workspace, "$forge go", "t1")
    workspace.edit("forge", current_phase="verifying")
    assert said(workspace, "$forge go", "t1").line == "{}"
    assert "active: forge (phase verifying); already running" in said(workspace, "$forge go", "t2").context


def test_a_lost_answer_is_not_told_in_a_new_turn_once_a_stop_was_held(workspace: Workspace) -> None:
    """The agent has worked on it meanwhile: who types the same again means it anew, and the counts start over."""
    kill_before_answer(workspace, "$forge go", "t1")
    assert workspace.stop(turn_id="t1").blocks
    assert "already running" in said(workspace, "$forge go", "t2").context
    kept = json.loads((workspace.folder("s1") / "hook-ledger.json").read_text())
    assert "in_a_row" not in kept["stops"]


def test_a_held_stop_keeps_its_count_when_a_lost_prompt_comes_again(workspace: Workspace) -> None:
    kill_before_answer(workspace, "$forge go", "t1")
    assert workspace.stop(turn_id="t1").blocks
    ledger = workspace.folder("s1") / "hook-ledger.json"
    before = ledger.read_bytes()
    assert "initialized: " in said(workspace, "$forge go", "t1").context
    assert ledger.read_bytes() == before


def test_an_answer_to_a_question_that_was_lost_is_told_again(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    question = {"kind": "rcs.question/v1", "question_id": "q1", "status": "pending", "question": "Which?"}
    path = workspace.folder("s1") / "questions" / "q1.json"
    path.parent.mkdir()
    path.write_text(json.dumps(question | {"source": "forge"}))
    workspace.edit("forge", lifecycle_outcome="askuserQuestion", question_enforcement={
        "status": "pending", "question_id": "q1",
    })  # fmt: skip
    kill_before_answer(workspace, "the second", "t9")
    assert "Which?" in said(workspace, "the second", "t9").context


def test_an_answer_for_the_person_alone_is_sent_and_told_again_where_it_was_lost(workspace: Workspace) -> None:
    twins = [twin(workspace, name, ()) for name in ("heard", "lost")]
    for each in twins:
        put(each.root)
        said(each, "$blueprint $release go", "t1")
        each.edit("blueprint", lifecycle_outcome="finished", active=False)
        (each.root / ".claude/skills/release/SKILL.md").unlink()
    heard, lost = twins
    answer = said(heard, "and now?", "t2")
    assert answer.output.keys() == {"systemMessage"}
    assert answer.notice.startswith("rcs: release was deferred, but its file is gone")
    kill_before_answer(lost, "and now?", "t2")
    assert said(lost, "and now?", "t2").line == answer.line
    assert said(lost, "and now?", "t2").line == "{}"
    assert state(lost).keys() == state(heard).keys()


@pytest.mark.slow
def test_only_the_last_prompt_is_told_again(workspace: Workspace) -> None:
    kill_before_answer(workspace, "$forge go", "t1")
    said(workspace, "and now the tests", "t2")
    assert said(workspace, "$forge go", "t1").line == "{}"
    assert "already running" in said(workspace, "$forge go", "t3").context


FAILING = """
import sys
changed = False
def fail(event, words):
    global changed
    changed = changed or (event == "os.remove" and str(words[0]).endswith(".commit.json"))
    if {fails}
sys.addaudithook(fail)
from rcs_hooks.errors import Unavailable
from rcs_hooks.hook.entry import main
main()
"""
NO_NOTE = 'changed and event == "open" and str(words[0]).endswith(".commit.json"): raise OSError(5, "I/O error")'
NO_CODE = 'event == "import" and words[0] == "rcs_hooks.hook.notices": raise Unavailable("a file", "i/o error")'


def failing(workspace: Workspace, fails: str) -> Answer:
    """A first prompt beside a record that git tracks, and that meets this after its commit."""
    workspace.write("team", None, active=False)
    for words in (("init", "-q"), ("add", "-f", ".rcs")):
        subprocess.run(["git", *words], cwd=workspace.root, env=clean_env(), check=True)
    call, env = _call(workspace, "$forge go", "t1"), clean_env()
    code = FAILING.format(fails=fails)
    done = subprocess.run(
        (*PROGRAM[:3], code), input=call, stdout=subprocess.PIPE, cwd=workspace.root, env=env, check=True, timeout=60
    )
    assert workspace.active() == ["forge"]
    return Answer(PROMPT, done.stdout.decode().rstrip("\n"))


def test_a_note_that_cannot_be_made_after_the_commit_takes_no_words_away(workspace: Workspace) -> None:
    said = failing(workspace, NO_NOTE)
    assert "initialized: " in said.context
    assert "git tracks" in said.notice


def test_what_fails_after_the_commit_says_so_and_the_words_are_told_again(workspace: Workspace) -> None:
    workspace.in_git()
    assert failing(workspace, NO_CODE).output == {
        "systemMessage": "rcs: a file cannot be read for the moment (i/o error); the workflow had already changed."
        " Send the prompt again to see how."
    }
    assert "initialized: " in said(workspace, "$forge go", "t1").context


HOSTILE: Mapping[str, object] = {
    "no text": {"context": 7, "notice": ""},
    "too long": {"context": "x" * 20_000, "notice": ""},
    "control characters": {"context": "a\x1b[31mb", "notice": ""},
    "nothing": None,
}


@pytest.mark.slow
@pytest.mark.parametrize("words", HOSTILE.values(), ids=HOSTILE)
def test_what_somebody_else_wrote_there_is_not_told(workspace: Workspace, words: object) -> None:
    kill_before_answer(workspace, "$forge go", "t1")
    path = workspace.folder("s1") / UNSENT_ANSWER
    path.write_text(json.dumps(json.loads(path.read_text()) | (words or {"context": "", "notice": ""})))
    assert said(workspace, "$forge go", "t1").line == "{}"


@pytest.mark.slow
def test_a_link_in_its_place_leads_nowhere(workspace: Workspace) -> None:
    said(workspace, "$forge go", "t1")
    other = workspace.root / "other"
    other.write_text("mine")
    (workspace.folder("s1") / UNSENT_ANSWER).symlink_to(other)
    assert "mode transiting" not in said(workspace, "$team go", "t2").context
    assert other.read_text() == "mine"
    assert not (workspace.folder("s1") / UNSENT_ANSWER).is_symlink()
