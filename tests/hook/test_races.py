"""Many hooks at once, and hooks that are killed: no update is lost, and every file parses at every moment."""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rcs_hooks.catalog import MODES
from rcs_hooks.workflow.lifecycle import is_active
from rcs_hooks.workflow.mode_record import ModeRecord
from tests.files.test_transaction import killed_at
from tests.support import RCS_HOOK, Answer, Workspace, clean_env

if TYPE_CHECKING:
    from types import TracebackType

Call = tuple[str, str, dict[str, Any]]
"""Event, session, and the rest of the payload."""

PROMPT, STOP = "UserPromptSubmit", "Stop"


class Reader:
    """A thread that parses every `*.json` under a workspace's `.rcs`, over and over."""

    def __init__(self, root: Path) -> None:
        self.home = root / ".rcs"
        self.broken: list[str] = []
        self.read = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work)

    def __enter__(self) -> Reader:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._over.is_set():
            for path in self.home.rglob("*.json"):
                self._parse(path)

    def _parse(self, path: Path) -> None:
        try:
            text = path.read_bytes()
        except FileNotFoundError:  # a commit was completed and its journal is gone
            return
        self.read += 1
        try:
            json.loads(text)
        except ValueError:
            self.broken.append(f"{path}: {text!r}")


def started(workspace: Workspace, call: Call | None = None) -> subprocess.Popen[bytes]:
    """A hook process that waits for the end of its stdin, which may have been written already."""
    env = clean_env(RCS_STOP_MAX_BLOCKS="100000")
    child = subprocess.Popen(
        [str(RCS_HOOK)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=workspace.root,
        env=env,
        start_new_session=True,
    )
    if call is not None:
        assert child.stdin is not None
        event, session, fields = call
        child.stdin.write(workspace.payload(event, session, **fields))
        child.stdin.flush()
    return child


def finished(child: subprocess.Popen[bytes], event: str, raw: bytes | None = None) -> Answer:
    said, errors = child.communicate(raw, timeout=60)
    assert (child.returncode, errors) == (0, b"")
    return Answer(event, said.decode().removesuffix("\n"))


def at_once(workspace: Workspace, calls: list[Call]) -> list[Answer]:
    """All calls in processes of their own, which wait for each other before they begin."""
    children = [started(workspace, call) for call in calls]
    for child in children:
        assert child.stdin is not None
        child.stdin.close()
        child.stdin = None
    return [finished(child, call[0]) for child, call in zip(children, calls, strict=True)]


def alone(workspace: Workspace, event: str, session: str = "s1", **fields: Any) -> Answer:
    return finished(started(workspace), event, workspace.payload(event, session, **fields))


def prompt(text: str, turn: str, session: str = "s1") -> Call:
    return PROMPT, session, {"prompt": text, "turn_id": turn}


def stop(turn: str, session: str = "s1", message: str = "Working.") -> Call:
    return STOP, session, {"turn_id": turn, "last_assistant_message": message}


def active_on_disk(workspace: Workspace, session: str = "s1") -> set[str]:
    """The modes whose own files say that they are active."""
    there = [mode for mode in MODES if workspace.mode_path(mode, session).exists()]
    return {mode for mode in there if is_active(ModeRecord.from_json(workspace.read(mode, session)))}


def assert_agrees(workspace: Workspace, session: str = "s1") -> None:
    """The inventory is what the mode files say."""
    assert sorted(workspace.active(session)) == sorted(active_on_disk(workspace, session))


def assert_nothing_failed(answers: list[Answer]) -> None:
    """The person is told of starts, of what is resumed after a `$cancel`, and which folder is the workspace."""
    said = (line for answer in answers for line in answer.notice.splitlines())
    notices = {line for line in said if " so it is the workspace itself; " not in line}
    told = ("started", "resumed after it was stopped by the user")
    assert notices <= {f"rcs: {mode} {what}" for mode in MODES for what in told}


def leftovers(workspace: Workspace) -> list[str]:
    return [path for path in workspace.snapshot() if path.endswith((".new", ".commit.json"))]


# --- at once


@pytest.mark.slow
def test_thirty_hooks_at_once_in_one_session_lose_no_update(workspace: Workspace) -> None:
    names = ["$team", "$forge", "$ultrawork"]
    prompts = [prompt(names[number % 3], f"t{number}") for number in range(15)]
    twice = [prompt(name, f"twice-{name}") for name in names for _ in range(3)]
    calls = [*prompts, *twice, *(stop(f"t{number}") for number in range(6))]
    random.Random(30).shuffle(calls)
    with Reader(workspace.root) as reader:
        answers = at_once(workspace, calls)
    assert len(calls) == 30
    assert_nothing_failed(answers)
    assert active_on_disk(workspace) == {"team", "forge", "ultrawork"}
    assert_agrees(workspace)
    assert (reader.broken, leftovers(workspace)) == ([], [])
    assert reader.read > 0


@pytest.mark.slow
def test_thirty_hooks_at_once_in_thirty_sessions_lose_no_update(workspace: Workspace) -> None:
    sessions = {f"s{number}": ("$team", "$forge", "$blueprint")[number % 3] for number in range(30)}
    with Reader(workspace.root) as reader:
        answers = at_once(workspace, [prompt(text, "t1", session) for session, text in sessions.items()])
    assert_nothing_failed(answers)
    for session, text in sessions.items():
        assert active_on_disk(workspace, session) == {text[1:]}
        assert_agrees(workspace, session)
    assert (reader.broken, leftovers(workspace)) == ([], [])


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.parametrize("count", [60, pytest.param(200, marks=pytest.mark.full)])
def test_many_hooks_at_once_all_start_what_they_were_asked_for(workspace: Workspace, count: int) -> None:
    """Nobody is sent away because many are before them; 200 need two quiet cores, for 7 s."""
    sessions = [f"s{number}" for number in range(count)]
    answers = at_once(workspace, [prompt("$team", "t1", session) for session in sessions])
    assert [answer.line for answer in answers if not answer.context] == []
    assert len(list(workspace.state.glob("sessions/*/team-state.json"))) == count
    assert [session for session in sessions if active_on_disk(workspace, session) != {"team"}] == []
    for session in sessions:
        assert_agrees(workspace, session)
    assert_nothing_failed(answers)
    assert leftovers(workspace) == []


def test_the_same_prompt_ten_times_at_once_starts_once(workspace: Workspace) -> None:
    answers = at_once(workspace, [prompt("$team $forge", "t1")] * 10)
    assert sorted(len(answer.context) > 0 for answer in answers) == [False] * 9 + [True]
    once = Workspace(workspace.root.parent / "once")
    once.root.mkdir()
    alone(once, PROMPT, prompt="$team $forge", turn_id="t1")
    assert set(workspace.snapshot()) == set(once.snapshot())
    assert_agrees(workspace)


@pytest.mark.slow
def test_the_same_handoff_ten_times_at_once_happens_once(workspace: Workspace) -> None:
    alone(workspace, PROMPT, prompt="$blueprint", turn_id="t1")
    answers = at_once(workspace, [prompt("$forge", "t2")] * 10)
    told = [answer for answer in answers if answer.line != "{}"]
    assert ["mode transiting: blueprint -> forge" in answer.context for answer in told] == [True]
    assert active_on_disk(workspace) == {"forge"}


@pytest.mark.slow
def test_every_stop_counts_even_at_once(workspace: Workspace) -> None:
    alone(workspace, PROMPT, prompt="$team", turn_id="t1")
    answers = at_once(workspace, [stop("t1", message=f"Step {number}.") for number in range(10)])
    assert all(answer.blocks for answer in answers)
    ledger = json.loads((workspace.folder("s1") / "hook-ledger.json").read_text())
    assert (ledger["stops"]["in_a_row"], ledger["stops"]["of_prompt"]) == (10, 10)


@pytest.mark.slow
def test_of_two_prompts_that_exclude_each_other_one_is_denied(workspace: Workspace) -> None:
    for number in range(5):
        session = f"s{number}"
        answers = at_once(workspace, [prompt("$team", "t1", session), prompt("$autopilot", "t2", session)])
        assert [answer.context.startswith("Cannot activate") for answer in answers].count(True) == 1
        assert len(active_on_disk(workspace, session)) == 1
        assert_agrees(workspace, session)


def test_two_sessions_interleaved_never_touch_each_others_files(workspace: Workspace) -> None:
    texts = ("$blueprint", "$forge", "more", "$team", "$autopilot", "$cancel", "$ultrawork $team", "$cancel")
    for text in texts:
        for session in ("s1", "s2"):
            before = files_of_others(workspace, session)
            workspace.prompt(text, session)
            workspace.stop(session)
            assert files_of_others(workspace, session) == before


def files_of_others(workspace: Workspace, session: str) -> dict[str, bytes]:
    """All state but this session's, and but the lock."""
    there = {path: data for path, data in workspace.snapshot().items() if path.startswith("state/")}
    own = (f"state/sessions/{session}/", "state/.lock")
    return {path: data for path, data in there.items() if not path.startswith(own)}


@pytest.mark.slow
def test_a_day_of_many_hooks_at_once_never_shows_a_file_that_does_not_parse(workspace: Workspace) -> None:
    dice = random.Random(7)
    texts = ("$team", "$forge", "$ultrawork", "$blueprint", "$cancel", "go on", "$ultraqa", "$autopilot $ultrawork")
    with Reader(workspace.root) as reader:
        for burst in range(12):
            calls = [
                prompt(dice.choice(texts), f"t{burst}-{number}", dice.choice(("s1", "s2", "s3")))
                for number in range(20)
            ]
            stops = [stop(f"t{burst}", session) for session in ("s1", "s2", "s3")]
            assert not [answer for answer in at_once(workspace, [*calls, *stops]) if "lock" in answer.notice]
            for session in ("s1", "s2", "s3"):
                assert_agrees(workspace, session)
    assert (reader.broken, leftovers(workspace)) == ([], [])


# --- killed at every step

TURNS = {
    "the first activation": ((), "$team"),
    "several activations": ((), "$team $forge $ultrawork"),
    "an overlap": (("$team",), "$forge"),
    "a handoff": (("$blueprint",), "$forge"),
    "a handoff with a survivor": (("$ultrawork", "$blueprint"), "$team"),
    "a deferral": ((), "$blueprint $team $ultrawork"),
    "a cancellation": (("$team $forge",), "$cancel"),
    "a cancellation and a start": (("$team $forge",), "$cancel $autopilot"),
}


def twin(workspace: Workspace, root: Path) -> Workspace:
    shutil.copytree(workspace.root, root)
    copy = Workspace(root, now=workspace.now)
    copy.turns = workspace.turns
    return copy


def workflow_state(workspace: Workspace) -> dict[str, bytes]:
    """The mode files and the inventories."""
    return {path: data for path, data in workspace.snapshot().items() if path.endswith("-state.json")}


@pytest.mark.slow
@pytest.mark.parametrize(("earlier", "text"), TURNS.values(), ids=TURNS.keys())
def test_a_prompt_killed_at_any_step_has_done_all_or_nothing_and_can_be_sent_again(
    workspace: Workspace, tmp_path: Path, earlier: tuple[str, ...], text: str
) -> None:
    for before in earlier:
        workspace.prompt(before)
    whole = twin(workspace, tmp_path / "whole")
    whole.prompt(text, turn_id="t1")
    for number in itertools.count(1):
        victim = twin(workspace, tmp_path / str(number))
        is_killed = killed_at(number, lambda victim=victim: victim.prompt(text, turn_id="t1"))  # type: ignore[misc]  # mypy infers no lambda with a default
        assert_parses(victim)
        assert victim.stop().blocks == bool(active_on_disk(victim))
        assert workflow_state(victim) in (workflow_state(workspace), workflow_state(whole)), f"killed at step {number}"
        assert_agrees(victim)
        victim.prompt(text, turn_id="t1")
        assert active_on_disk(victim) == active_on_disk(whole)
        if not is_killed:
            break


# --- kill -9

KILLS = 200
LATEST = 0.06


def next_text(workspace: Workspace) -> str:
    """Activates where nothing runs, then hands off, then adds, then cancels."""
    active = active_on_disk(workspace)
    if not active:
        return "$blueprint"
    if "blueprint" in active:
        return "$forge"
    return "$cancel" if "team" in active else "$team"


def kill(child: subprocess.Popen[bytes]) -> None:
    """Kills the shell that started Python, and Python."""
    os.killpg(child.pid, signal.SIGKILL)


def killed(workspace: Workspace, call: Call, delay: float) -> bool:
    """Whether the process was still at work after `delay`."""
    child = started(workspace, call)
    assert child.stdin is not None
    child.stdin.close()
    child.stdin = None
    time.sleep(delay)
    kill(child)
    child.communicate()  # the pipes end with the last of both, which may end after the shell
    return child.returncode == -signal.SIGKILL


def assert_parses(workspace: Workspace) -> None:
    for path, data in workspace.snapshot().items():
        assert not path.endswith(".json") or isinstance(json.loads(data), dict)


def assert_next_call_works(workspace: Workspace, number: int) -> float:
    """A Stop, or a prompt, whichever's turn it is: true to the files that it leaves. Returns how long it took."""
    start = time.monotonic()
    if number % 2:
        answer = alone(workspace, STOP, turn_id=f"n{number}", last_assistant_message="Working.")
        assert answer.blocks == bool(active_on_disk(workspace))
    else:
        answer = alone(workspace, PROMPT, turn_id=f"n{number}", prompt="$ultrawork")
        assert "ultrawork" in active_on_disk(workspace)
        assert alone(workspace, PROMPT, turn_id=f"m{number}", prompt="go on").line == "{}"
    taken = time.monotonic() - start
    assert_nothing_failed([answer])
    assert_agrees(workspace)
    return taken


def assert_quick(times: list[float]) -> None:
    """Nobody waits for the dead: of the calls after a kill a few may have met a busy machine, no more."""
    assert sorted(times)[len(times) * 9 // 10] < 3


@pytest.mark.slow
def test_hooks_killed_at_random_moments_leave_files_that_parse_and_a_workspace_that_works(workspace: Workspace) -> None:
    dice = random.Random(9)
    counts: Counter[str] = Counter()
    times = []
    for number in range(KILLS):
        before = workspace.snapshot()
        call = prompt(next_text(workspace), f"t{number}")
        in_flight = killed(workspace, call, dice.uniform(0, LATEST))
        counts["in flight"] += in_flight
        counts["in a commit"] += in_flight and workspace.snapshot() != before
        counts["after the journal"] += (workspace.state / ".commit.json").exists()
        assert_parses(workspace)
        times.append(assert_next_call_works(workspace, number))
    assert_quick(times)
    print(f"killed {KILLS} times: {dict(counts)}")
    assert counts["in flight"] >= KILLS // 10
    assert "cancelled: " in alone(workspace, PROMPT, turn_id="last", prompt="$cancel").context
    assert_only_what_belongs_there(workspace)


def assert_only_what_belongs_there(workspace: Workspace) -> None:
    """Each file that the hooks keep, and of each one staged text at most: nothing that grows."""
    session = "state/sessions/s1/"
    kept = {
        "hook-ledger.json",
        "skill-active-state.json",
        *(f"{mode}-state.json" for mode in MODES),
    }
    belongs = {
        ".gitignore",
        "state/.lock",
        "state/.commit.json.new",
        f"{session}history.jsonl",
    }
    belongs |= {f"{session}{name}" for name in kept} | {f"{session}{name}.new" for name in kept}
    assert set(workspace.snapshot()) <= belongs
    assert (workspace.root / ".rcs" / ".gitignore").read_text() == "*\n"


@pytest.mark.slow
def test_first_hooks_killed_at_random_moments_leave_a_workspace_that_works(tmp_path: Path) -> None:
    dice = random.Random(11)
    in_flight = 0
    times = []
    for number in range(60):
        root = tmp_path / str(number)
        root.mkdir()
        workspace = Workspace(root)
        in_flight += killed(workspace, prompt("$team", "t1"), dice.uniform(0, LATEST))
        assert_parses(workspace)
        times.append(assert_next_call_works(workspace, number))
        # A `.rcs` that holds nothing yet is nothing to git either: the next call that writes completes it.
        assert not workspace.state.exists() or (root / ".rcs" / ".gitignore").read_text() == "*\n"
    assert in_flight >= 6
    assert_quick(times)


@pytest.mark.slow
def test_hooks_killed_in_a_crowd_lose_nothing_that_others_wrote(workspace: Workspace) -> None:
    """Of thirty at once every third is killed; the others' work stands, and nobody waits for the dead."""
    dice = random.Random(13)
    for burst in range(6):
        sessions = [f"s{burst}-{number}" for number in range(30)]
        children = {session: started(workspace, prompt("$team", "t1", session)) for session in sessions}
        doomed = sessions[::3]
        for child in children.values():
            assert child.stdin is not None
            child.stdin.close()
            child.stdin = None
        time.sleep(dice.uniform(0, 0.3))
        for session in doomed:
            kill(children[session])
        for session, child in children.items():
            child.communicate(timeout=60)
            if session not in doomed:
                assert child.returncode == 0
                assert active_on_disk(workspace, session) == {"team"}
        alone(workspace, PROMPT, f"after-{burst}", turn_id="t2", prompt="$forge")
        assert_parses(workspace)
        for session in sessions:
            assert_agrees(workspace, session)
