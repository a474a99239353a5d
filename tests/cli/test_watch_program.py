"""The program that `rcs watch` calls: what it gets, that it is bounded, and that its failures end nothing."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from rcs_hooks.cli.watch_program import MOST, SECONDS, SHOWN, WatchProgram, variables
from rcs_hooks.overview.entries import AskedQuestion, Entry
from rcs_hooks.overview.events import WatchedEvent
from tests.proof.programs import LONG, is_alive, wait_for
from tests.table import each_row

SESSION = "11111111-aaaa-4bbb-8ccc-000000000001"
AT = 1_700_000_000.0
QUESTION = AskedQuestion("question-1", "Which?", ())
ASKED = WatchedEvent("waiting", Entry("mode", "forge", "fix it", "waiting", SESSION, question=QUESTION, project="/p"))
HOSTILE = "$(touch gone) `touch gone`; touch gone #"


class Called:
    """A program that is called in a folder, and what was said of it."""

    def __init__(self, folder: Path, script: str, *, seconds: float = LONG) -> None:
        self.folder = folder
        self.said: list[str] = []
        env = {"PATH": os.environ["PATH"], "F": str(folder), "RCS_TASK": "of another call"}
        self.program = WatchProgram(["sh", "-c", script, HOSTILE, "-n"], env, self.said.append, seconds=seconds)

    def on(self, *events: WatchedEvent) -> list[str]:
        """Let it be called for events, and return what was said until all calls were over."""
        self.said.clear()
        self.program.add(events, AT)
        self.wait()
        return self.said

    def wait(self) -> None:
        end = time.monotonic() + LONG
        while self.program.is_busy:
            self.program.work(time.monotonic() + 0.05)
            assert time.monotonic() < end

    def read(self, name: str) -> str:
        return (self.folder / name).read_text()


def test_it_gets_the_event_on_stdin_ids_in_its_environment_and_its_own_words(tmp_path: Path) -> None:
    script = 'cat > "$F/event"; env > "$F/env"; printf "%s\\n" "$0" "$@" > "$F/words"'
    called = Called(tmp_path, script)
    assert called.on(ASKED) == []
    assert json.loads(called.read("event")) == ASKED.as_json(AT)
    assert called.read("event").endswith("}\n")
    assert called.read("words") == f"{HOSTILE}\n-n\n"
    ours = {line for line in called.read("env").splitlines() if line.startswith("RCS_")}
    assert ours == {"RCS_EVENT=waiting", f"RCS_SESSION={SESSION}", "RCS_QUESTION=question-1"}


RUN = Entry("run", "scan", HOSTILE, "ended", id="r-1#2", outcome="failed")


IDS: list[tuple[Entry, dict[str, str]]] = [
    (RUN, {"RCS_RUN": "r-1#2"}),
    (Entry("task", "login", "login", "tasks", id="login"), {"RCS_TASK": "login"}),
    (Entry("mode", "forge", "forge", "ended"), {}),
    *[(RUN._replace(id=id_), {}) for id_ in (HOSTILE, "a\nb", "--help", "é", "a" * 129)],
]


@each_row(("entry", "ids"), IDS)
def test_only_plain_ids_are_in_the_environment(entry: Entry, ids: dict[str, str]) -> None:
    assert variables(WatchedEvent("failed", entry)) == {"RCS_EVENT": "failed", **ids}


SAYS: list[tuple[str, list[str]]] = [
    ("cat >/dev/null", []),
    ("exec <&- >&- 2>&-; exit 0", []),
    ("echo no bus >&2; exit 3", ["no bus", "rcs: `sh` failed (exit 3); watching goes on"]),
    ("kill -9 $$", ["rcs: `sh` was ended by SIGKILL; watching goes on"]),
    ("echo one; echo two >&2", ["one\ntwo"]),
    ("yes | head -c 1000000", [("y\n" * SHOWN)[:SHOWN].strip() + " …"]),
]


@each_row(("script", "says"), SAYS)
def test_what_is_said_of_a_call(script: str, says: list[str], tmp_path: Path) -> None:
    assert Called(tmp_path, script).on(ASKED) == says


def test_one_that_takes_too_long_is_ended_with_all_that_it_has_started(tmp_path: Path) -> None:
    assert SECONDS == 10
    script = 'sleep 600 & echo $! $$ > "$F/new"; mv "$F/new" "$F/pids"; sleep 600; sleep 600'
    for seconds in (0.2, 2, 20):  # in which a busy machine has started it
        called = Called(tmp_path, script, seconds=seconds)
        assert called.on(ASKED) == [f"rcs: `sh` took longer than {seconds} s and was ended; watching goes on"]
        if (tmp_path / "pids").exists():
            break
    wait_for(lambda: not any(is_alive(int(pid)) for pid in called.read("pids").split()), "their end")


def test_the_end_of_the_watching_ends_the_program(tmp_path: Path) -> None:
    called = Called(tmp_path, 'echo $$ > "$F/new"; mv "$F/new" "$F/pid"; sleep 600')
    called.program.add([ASKED, ASKED], AT)
    called.program.work(time.monotonic())
    wait_for((tmp_path / "pid").exists, "its start")
    called.program.close()
    assert not is_alive(int(called.read("pid")))


def test_failures_are_said_once_until_it_works_again(tmp_path: Path) -> None:
    called = Called(tmp_path, '[ -e "$F/works" ]')
    assert called.on(ASKED, ASKED, ASKED) == ["rcs: `sh` failed (exit 1); watching goes on"]
    assert called.on(ASKED) == []
    (tmp_path / "works").touch()
    assert called.on(ASKED, ASKED) == ["rcs: `sh` works again"]
    (tmp_path / "works").unlink()
    assert called.on(ASKED) == ["rcs: `sh` failed (exit 1); watching goes on"]


def test_of_too_many_events_the_oldest_are_dropped_and_one_that_cannot_be_started_is_said(tmp_path: Path) -> None:
    said: list[str] = []
    program = WatchProgram([str(tmp_path / "none")], {}, said.append)
    program.add([ASKED] * (MOST + 3), AT)
    assert said.pop().startswith(f"rcs: 3 events were dropped, as more than {MOST} waited for ")
    program.work(time.monotonic())
    assert said[0].endswith("cannot be run: no such file or directory; watching goes on")
