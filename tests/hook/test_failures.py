"""A hook fails open: exit 0, one JSON object on one line, the person is told why, and no state is half written."""

from __future__ import annotations

import compileall
import fcntl
import importlib
import json
import os
import pkgutil
import resource
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks import clients, files, hook, modes, state, workflow
from rcs_hooks.environment import Environment
from rcs_hooks.files.lock import HOOK_SECONDS
from rcs_hooks.hook.entry import main, respond
from tests.properties import examples
from tests.support import CHECKOUT, RCS_HOOK, Answer, Workspace, clean_env, clock, hook_here, least, run_hook
from tests.table import each_row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

EVENTS = ("UserPromptSubmit", "Stop")
NOBODY = 65534
LOG = ".rcs/logs/hook-errors.jsonl"

each_event = pytest.mark.parametrize("event", EVENTS)


@pytest.fixture
def running(workspace: Workspace) -> Workspace:
    """Team runs in session s1."""
    workspace.prompt("$team")
    return workspace


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    return tmp_path / "outside"


def answer_to(workspace: Workspace, event: str, raw: bytes) -> Answer:
    """The answer to these very bytes, in this process."""
    environment = Environment(workspace.env, str(workspace.root), workspace.now, "rcs")
    return Answer(event, respond(raw, environment))


def process(workspace: Workspace, event: str, raw: bytes | None = None, **fields: Any) -> Answer:
    """The answer of a whole process, which exits with 0."""
    line, status = run_hook(workspace.payload(event, **fields) if raw is None else raw, cwd=workspace.root)
    assert status == 0
    return Answer(event, line)


def here(workspace: Workspace, event: str, raw: bytes | None = None, **fields: Any) -> Answer:
    """The same without a process."""
    line, status = hook_here(workspace.payload(event, **fields) if raw is None else raw, cwd=workspace.root)
    assert status == 0
    return Answer(event, line)


def any_call(workspace: Workspace, event: str, **fields: Any) -> bytes:
    """A call that would change state, whichever of the two events it is."""
    usual: dict[str, Any] = {
        "turn_id": "t1",
        "prompt": "$forge",
        "stop_hook_active": False,
        "last_assistant_message": "Working.",
    }
    return workspace.payload(event, **usual | fields)


def state_of(workspace: Workspace) -> dict[str, bytes]:
    """Every file under `.rcs` but the logs."""
    return {path: data for path, data in workspace.snapshot().items() if not path.startswith("logs/")}


def tree(folder: Path) -> dict[str, bytes | None]:
    """What lies in a folder, to the byte; links are not followed."""
    there = sorted(folder.rglob("*")) if folder.exists() else []
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in there}


def log_of(workspace: Workspace) -> list[dict[str, Any]]:
    path = workspace.root / LOG
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def claims(answer: Answer) -> list[str]:
    """The state files that an answer says it has started or gone on with."""
    marks = ("initialized: ", "taken up where it was: ")
    lines = [line for line in answer.context.splitlines() if line.startswith("active: ")]
    return [line.partition(mark)[2] for line in lines for mark in marks if mark in line]


def assert_lets_pass(answer: Answer) -> None:
    assert not answer.blocks
    assert answer.notice.startswith("rcs: ")
    assert claims(answer) == []


def assert_true(workspace: Workspace, answer: Answer) -> None:
    """What an answer says to be active is active on disk, and the inventory has it."""
    for path in claims(answer):
        record = json.loads((workspace.root / path).read_text())
        assert record["active"] is True
        assert record["mode"] in workspace.active()


# --- what stands on stdin

UNREADABLE_CALLS: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "nothing": (lambda call: b"", "the call is empty"),
    "blanks": (lambda call: b" \r\n\t \n", "the call is empty"),
    "only a byte order mark": (lambda call: b"\xef\xbb\xbf", "the call is empty"),
    "cut in the middle": (lambda call: call[: len(call) // 2], "not JSON"),
    "cut by one byte": (lambda call: call[:-1], "not JSON"),
    "two calls": (lambda call: call + call, "not JSON"),
    "a log line before it": (lambda call: b"starting\n" + call, "not JSON"),
    "zero bytes": (lambda call: b"\0" * 100, "not JSON"),
    "a bare control character": (lambda call: call.replace(b"$forge", b"$forge\x01"), "not JSON"),
    "a list": (lambda call: b"[" + call + b"]", "not a JSON object"),
    "a text": (lambda call: b'"Stop"', "not a JSON object"),
    "a number": (lambda call: b"5", "not a JSON object"),
    "null": (lambda call: b"null", "not a JSON object"),
    "Latin-1": (lambda call: call.replace(b"$forge", b"$forge \xe9"), "not UTF-8"),
    "UTF-16": (lambda call: call.decode().encode("utf-16"), "not UTF-8"),
    "NaN": (lambda call: call.replace(b'"t1"', b"NaN"), "NaN is not JSON"),
    "Infinity": (lambda call: call.replace(b'"t1"', b"-Infinity"), "Infinity is not JSON"),
    "deep nesting": (lambda call: b'{"x":' + b"[" * 200_000, "nested too deeply"),
    "deep and closed": (lambda call: b'{"x":' + b"[" * 200_000 + b"]" * 200_000 + b"}", "nested too deeply"),
    "no event": (lambda call: call.replace(b"hook_event_name", b"hook_event"), "no hook_event_name"),
    "an empty object": (lambda call: b"{}", "no hook_event_name"),
}
each_unreadable_call = pytest.mark.parametrize(("spoil", "why"), UNREADABLE_CALLS.values(), ids=UNREADABLE_CALLS.keys())


@each_event
@each_unreadable_call
def test_a_call_that_cannot_be_read_says_why_and_changes_nothing(
    running: Workspace, event: str, spoil: Callable[[bytes], bytes], why: str
) -> None:
    before = state_of(running)
    answer = here(running, event, spoil(any_call(running, event)))
    assert_lets_pass(answer)
    assert why in answer.notice
    assert state_of(running) == before


@pytest.mark.parametrize("raw", [b"", b'{"cwd": ', b"\xff", b'{"hook_event_name": 5}'], ids=repr)
def test_a_call_that_cannot_be_read_is_logged_in_the_workspace_of_the_process(running: Workspace, raw: bytes) -> None:
    notice = answer_to(running, "Stop", raw).notice
    assert [line["why"] in notice for line in log_of(running)] == [True]


@each_unreadable_call
def test_a_call_that_cannot_be_read_makes_nothing_in_an_unused_workspace(
    workspace: Workspace, spoil: Callable[[bytes], bytes], why: str
) -> None:
    assert why in answer_to(workspace, "Stop", spoil(any_call(workspace, "Stop"))).notice
    assert tree(workspace.root) == {}


READ_FIELDS = {
    "UserPromptSubmit": ("session_id", "cwd", "prompt", "hook_event_name"),
    "Stop": ("session_id", "cwd", "hook_event_name"),
}


@each_row("value", [5, True, 1.5, ["$team"], {"text": "$team"}], ids=repr)
@each_row(("event", "field"), [(event, field) for event in EVENTS for field in READ_FIELDS[event]])
def test_a_field_of_the_wrong_type_is_named(running: Workspace, event: str, field: str, value: object) -> None:
    before = state_of(running)
    answer = answer_to(running, event, any_call(running, event, **{field: value}))
    assert_lets_pass(answer)
    assert field in answer.notice
    assert state_of(running) == before


@pytest.mark.parametrize("fields", [{"prompt": None}, {}], ids=["null", "missing"])
def test_a_prompt_call_without_a_prompt_says_so(running: Workspace, fields: dict[str, Any]) -> None:
    answer = running.call("UserPromptSubmit", turn_id="t1", **fields)
    assert_lets_pass(answer)
    assert "no prompt" in answer.notice


NO_SESSION = [
    None,
    "",
    ".",
    "..",
    "../s1",
    "a/b",
    "-s",
    "_s",
    "s1.json",
    "a b",
    "a\nb",
    "a\0b",
    "ä",
    "\ud800",
    "s" * 129,
]


@each_row("session", NO_SESSION, ids=ascii)
def test_a_session_without_a_usable_id_gets_a_message_for_a_token_and_nothing_on_disk(
    workspace: Workspace, session: str | None
) -> None:
    asked = answer_to(workspace, "UserPromptSubmit", any_call(workspace, "UserPromptSubmit", session_id=session))
    assert_lets_pass(asked)
    assert "$forge started nothing" in asked.notice
    plain = any_call(workspace, "UserPromptSubmit", session_id=session, prompt="hello")
    assert answer_to(workspace, "UserPromptSubmit", plain).line == "{}"
    assert answer_to(workspace, "Stop", any_call(workspace, "Stop", session_id=session)).line == "{}"
    assert tree(workspace.root) == {}


def test_the_longest_session_id_is_one(workspace: Workspace) -> None:
    session = "S" + "-_9" * 42 + "x"
    workspace.prompt("$team", session)
    assert (len(session), workspace.active(session)) == (128, ["team"])


FORMS: dict[str, Callable[[bytes], bytes]] = {
    "a byte order mark": lambda call: b"\xef\xbb\xbf" + call,
    "a newline at the end": lambda call: call + b"\n",
    "Windows newlines": lambda call: b"\r\n" + call + b"\r\n",
    "fields that nobody knows": lambda call: call[:-1] + b',"effort":{"level":[1,null,"\\ud800"]},"n":1e400}',
    "a field twice": lambda call: b'{"prompt":"hello",' + call[1:],
    "no cwd": lambda call: call.replace(b'"cwd"', b'"cwd_of_old"'),
    "no turn": lambda call: call.replace(b'"turn_id"', b'"turn"'),
    "a turn that is null": lambda call: call.replace(b'"t1"', b"null"),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_an_unusual_form_of_a_call_works(running: Workspace, form: Callable[[bytes], bytes]) -> None:
    answer = here(running, "UserPromptSubmit", form(any_call(running, "UserPromptSubmit")))
    assert claims(answer) == [".rcs/state/sessions/s1/forge-state.json"]
    assert_true(running, answer)
    assert here(running, "Stop", form(any_call(running, "Stop"))).blocks


@pytest.mark.parametrize("field", ["prompt", "turn_id", "transcript_path"])
def test_half_of_a_surrogate_pair_does_no_harm(running: Workspace, field: str) -> None:
    call = any_call(running, "UserPromptSubmit", **{"prompt": "$forge", field: "$forge \ud83d \udc80"})
    answer = here(running, "UserPromptSubmit", call)
    assert_true(running, answer)
    assert running.active() == ["team", "forge"]
    assert here(running, "Stop", last_assistant_message="\ud83d Would you like me to continue?").blocks


@each_row("cwd", ["\ud83d", "a\0b", "/" + "x" * 5000, "~", "$HOME"], ids=ascii)
@each_event
def test_a_strange_cwd_makes_nothing(workspace: Workspace, event: str, cwd: str) -> None:
    assert_lets_pass_or_says_nothing(answer_to(workspace, event, any_call(workspace, event, cwd=cwd)))
    assert tree(workspace.root) == {}


def assert_lets_pass_or_says_nothing(answer: Answer) -> None:
    if answer.line != "{}":
        assert_lets_pass(answer)


TEN_MB = "lorem ipsum $5 and `x` \n" * (10 * 2**20 // 24)


@pytest.mark.slow
def test_ten_megabytes_without_a_token_say_nothing(workspace: Workspace) -> None:
    assert process(workspace, "UserPromptSubmit", turn_id="t1", prompt=TEN_MB).line == "{}"
    assert tree(workspace.root) == {}


@pytest.mark.slow
@pytest.mark.parametrize("text", ["$team " + TEN_MB, TEN_MB + " $team"], ids=["at the start", "at the end"])
def test_ten_megabytes_with_a_token_start_it(workspace: Workspace, text: str) -> None:
    answer = process(workspace, "UserPromptSubmit", turn_id="t1", prompt=text)
    assert_true(workspace, answer)
    assert workspace.active() == ["team"]


@pytest.mark.slow
def test_ten_megabytes_of_last_message_are_blocked_like_any_other(running: Workspace) -> None:
    assert process(running, "Stop", turn_id="t1", last_assistant_message=TEN_MB).blocks


OTHER_EVENTS = [
    *("SessionEnding", "SubagentStart", "SubagentStop", "StopFailure", "PreToolUse", "PostToolUse", "PreCompact"),
    *("PostCompact", "PermissionRequest", "Notification", "stop", "userpromptsubmit", "UserPromptSubmit ", "Stop\n"),
    "x" * 10_000,
    "\ud800",
]


@each_row("event", OTHER_EVENTS, ids=lambda event: ascii(event)[:30])
def test_another_event_is_answered_with_nothing(running: Workspace, event: str) -> None:
    before = running.snapshot()
    assert answer_to(running, "Stop", any_call(running, event)).line == "{}"
    assert running.snapshot() == before


# --- a workspace that cannot be read or written


def replace_by_file(path: Path) -> None:
    shutil.rmtree(path)
    path.write_text("")


def replace_by_loop(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    path.symlink_to(path.name)


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def replace_by_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


SESSION = ".rcs/state/sessions/s1"
BOTH, NEITHER = frozenset({"hello", "Stop"}), frozenset[str]()
# What is in the way, and which of two calls that ask for nothing have to say so; a prompt with a token always has.
IN_THE_WAY = [
    pytest.param(".rcs", replace_by_file, NEITHER, id=".rcs is a file"),
    pytest.param(".rcs", replace_by_loop, BOTH, id=".rcs is a loop"),
    pytest.param(".rcs/state", replace_by_file, NEITHER, id="the state folder is a file"),
    pytest.param(".rcs/state", replace_by_loop, BOTH, id="the state folder is a loop"),
    pytest.param(".rcs/state/sessions", replace_by_file, NEITHER, id="the folder of the sessions is a file"),
    pytest.param(".rcs/state/sessions", replace_by_loop, BOTH, id="the folder of the sessions is a loop"),
    pytest.param(SESSION, replace_by_file, NEITHER, id="the session's folder is a file"),
    pytest.param(SESSION, replace_by_loop, BOTH, id="the session's folder is a loop"),
    pytest.param(".rcs/state/.lock", replace_by_loop, frozenset({"Stop"}), id="the lock is a loop"),
    pytest.param(".rcs/state/.lock", replace_by_folder, frozenset({"Stop"}), id="the lock is a folder"),
]


@pytest.mark.parametrize(("path", "obstruct", "said"), IN_THE_WAY)
def test_state_that_cannot_be_reached_lets_everything_pass(
    running: Workspace, path: str, obstruct: Callable[[Path], None], said: frozenset[str]
) -> None:
    obstruct(running.root / path)
    before = state_of(running)
    asked = running.prompt("$forge")
    assert_lets_pass(asked)
    assert "no workflow was changed" in asked.notice
    for name, answer in {"hello": running.prompt("hello"), "Stop": running.stop()}.items():
        (assert_lets_pass if name in said else assert_lets_pass_or_says_nothing)(answer)
    assert state_of(running) == before


@pytest.mark.parametrize("path", [".rcs/state", ".rcs/state/.lock"])
def test_a_failure_is_logged_where_there_is_a_home_for_it(running: Workspace, path: str) -> None:
    replace_by_loop(running.root / path)
    notices = [running.prompt("$forge").notice, running.stop().notice]
    lines = log_of(running)
    assert [line["event"] for line in lines] == list(EVENTS)
    assert all(line["why"] in notice for line, notice in zip(lines, notices, strict=True))
    assert all(line["at"].startswith("2023-11-14T22:13:2") for line in lines)


def test_a_subfolder_does_not_hide_state_that_cannot_be_reached(running: Workspace) -> None:
    (running.root / "src").mkdir()
    replace_by_loop(running.root / ".rcs")
    assert_lets_pass(running.prompt("$forge", cwd=str(running.root / "src")))
    assert tree(running.root / "src") == {}


BROKEN_FILES: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_text(""),
    "cut JSON": lambda path: path.write_bytes(path.read_bytes()[:40]),
    "a list": lambda path: path.write_text("[]"),
    "not UTF-8": lambda path: path.write_bytes(b'{"active": "\xff"}'),
    "NaN": lambda path: path.write_text('{"active": NaN}'),
    "too deep": lambda path: path.write_text("[" * 100_000),
    "too large": lambda path: path.write_text("{}" + " " * 9_000_000),
    "a pipe": replace_by_pipe,
    "a folder": replace_by_folder,
    "a loop": replace_by_loop,
}
each_broken_file = pytest.mark.parametrize("spoil", BROKEN_FILES.values(), ids=BROKEN_FILES.keys())


@each_broken_file
@each_row("name", ["team", "skill-active"])
def test_a_state_file_that_cannot_be_read_denies_the_transition_and_names_file_and_remedy(
    running: Workspace, name: str, spoil: Callable[[Path], object]
) -> None:
    spoil(running.mode_path(name))
    before = running.workflow_state()
    answer = running.prompt("$forge")
    assert_lets_pass(answer)
    assert answer.context.startswith("Cannot activate forge")
    assert f"{SESSION}/{name}-state.json cannot be read" in answer.context
    assert f"rcs state clear --mode {name} --session s1" in answer.context
    assert running.workflow_state() == before


@pytest.mark.slow
@pytest.mark.parametrize("scope", [SESSION, ".rcs/state"], ids=["of the session", "of root"])
@pytest.mark.parametrize("name", ["autopilot", "skill-active"])
def test_the_remedy_that_is_named_for_an_unreadable_file_remedies_it(running: Workspace, name: str, scope: str) -> None:
    (running.root / scope / f"{name}-state.json").write_text("{")
    denied = here(running, "UserPromptSubmit", turn_id="t1", prompt="$forge")
    command = denied.context.partition("To clear it: ")[2].partition("\n")[0]
    subprocess.run(
        ["/bin/sh", "-c", command], cwd=running.root, env=clean_env(), check=True, capture_output=True, timeout=60
    )
    assert claims(here(running, "UserPromptSubmit", turn_id="t2", prompt="$forge")) == [f"{SESSION}/forge-state.json"]
    assert running.active() == ["team", "forge"]


@each_broken_file
def test_a_stop_with_an_unreadable_mode_file_names_file_and_remedy(
    running: Workspace, spoil: Callable[[Path], object]
) -> None:
    spoil(running.mode_path("team"))
    answer = running.stop()
    assert_lets_pass(answer)
    assert f"{SESSION}/team-state.json cannot be read" in answer.notice
    assert "rcs state clear --mode team --session s1" in answer.notice


@each_broken_file
def test_a_stop_that_blocks_names_the_unreadable_file_of_another_mode(
    running: Workspace, spoil: Callable[[Path], object]
) -> None:
    running.prompt("$forge")
    spoil(running.mode_path("forge"))
    answer = running.stop()
    assert answer.blocks
    assert f"{SESSION}/forge-state.json cannot be read" in answer.reason


@each_broken_file
def test_an_unreadable_count_of_blocks_lets_a_stop_pass_until_the_next_prompt_replaces_it(
    running: Workspace, spoil: Callable[[Path], object]
) -> None:
    running.stop()
    spoil(running.folder("s1") / "hook-ledger.json")
    stopped = running.stop()
    assert_lets_pass(stopped)
    assert "hook-ledger.json" in stopped.notice
    asked = running.prompt("$forge")
    assert claims(asked) == [f"{SESSION}/forge-state.json"]
    assert_true(running, asked)
    assert running.stop().blocks


@each_broken_file
def test_an_answer_never_differs_from_what_is_on_disk_when_the_count_cannot_be_read(
    running: Workspace, spoil: Callable[[Path], object]
) -> None:
    running.stop()
    spoil(running.folder("s1") / "hook-ledger.json")
    is_started = bool(claims(running.prompt("$forge")))
    assert running.mode_path("forge").exists() == is_started
    assert (running.active() == ["team", "forge"]) == is_started


# --- another user's files


@pytest.fixture
def shared_tmp() -> Iterator[Path]:
    """A folder that another user can reach; pytest's own cannot be entered."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
        for path in Path(folder).rglob("*"):
            path.chmod(0o700)


def loads_everything(workspace: Workspace) -> None:
    """Every way an answer can go, in a workspace that is left as it was."""
    workspace.prompt("$forge")
    workspace.stop(message="Would you like me to continue?")
    replace_by_loop(workspace.root / ".rcs/state/.lock")
    workspace.prompt("$cancel")
    workspace.stop()
    shutil.rmtree(workspace.root / ".rcs")


@pytest.fixture
def foreign(shared_tmp: Path) -> Workspace:
    """Team runs in session s1; whoever calls a hook by `as_nobody` may read and write all of it."""
    root = shared_tmp / "workspace"
    root.mkdir()
    workspace = Workspace(root)
    loads_everything(workspace)
    workspace.prompt("$team")
    for path in (root, *root.rglob("*")):
        path.chmod(0o777 if path.is_dir() else 0o666)
    return workspace


def as_nobody(workspace: Workspace, event: str, **fields: Any) -> Answer:
    """The answer of a process that no permission is waived for.

    Forked, with all that a hook loads in it already: the interpreter itself may lie where nobody may look.
    """
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as said:
        asked.write(any_call(workspace, event, **fields))
        asked.seek(0)
        load_hooks()
        child = os.fork()
        if child == 0:
            try:
                os.dup2(asked.fileno(), 0)
                os.dup2(said.fileno(), 1)
                os.chdir(workspace.root)
                drop_privileges()
                os._exit(main())
            finally:
                os._exit(99)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        said.seek(0)
        return Answer(event, said.read().decode().removesuffix("\n"))


def load_hooks() -> None:
    """Import all that a hook may need: another user may not be able to read the folder of this checkout."""
    for room in (clients, files, hook, modes, state, workflow):
        for found in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            importlib.import_module(found.name)


def drop_privileges() -> None:
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


FORBIDDEN = [
    pytest.param(".rcs", 0o000, id=".rcs cannot be read"),
    pytest.param(".rcs/state", 0o000, id="the state folder cannot be read"),
    pytest.param(".rcs/state", 0o444, id="the state folder cannot be entered"),
    pytest.param(".rcs/state/sessions", 0o000, id="the folder of the sessions cannot be read"),
    pytest.param(SESSION, 0o000, id="the session's folder cannot be read"),
    pytest.param(SESSION, 0o555, id="the session's folder cannot be written"),
    pytest.param(".rcs/state/.lock", 0o000, id="the lock cannot be opened"),
    pytest.param(f"{SESSION}/team-state.json", 0o000, id="a mode file cannot be read"),
    pytest.param(f"{SESSION}/skill-active-state.json", 0o000, id="the inventory cannot be read"),
]


@pytest.mark.parametrize(("path", "mode"), FORBIDDEN)
def test_what_the_system_forbids_is_said_and_nothing_changes(foreign: Workspace, path: str, mode: int) -> None:
    before = state_of(foreign)
    (foreign.root / path).chmod(mode)
    asked, stopped = as_nobody(foreign, "UserPromptSubmit"), as_nobody(foreign, "Stop")
    (foreign.root / path).chmod(0o777)
    assert_lets_pass(asked)
    assert "permission denied" in f"{asked.notice}\n{asked.context}"
    assert "permission denied" in f"{stopped.notice}\n{stopped.reason}"
    noted = dict.fromkeys(
        (f"{name}" for name in state_of(foreign) if name.endswith(("-ledger.json", "history.jsonl"))), b""
    )
    assert state_of(foreign) | noted == before | noted


@pytest.mark.skipif(os.getuid() != 0, reason="files of two users are made by the third: root")
def test_what_fails_once_a_commit_is_decided_does_not_unsay_what_was_done(foreign: Workspace) -> None:
    """In a sticky folder everybody may make files, and nobody may replace another's."""
    (foreign.root / SESSION).chmod(0o1777)
    answer = as_nobody(foreign, "UserPromptSubmit", prompt="$forge")
    assert "no workflow was changed" not in answer.notice
    assert claims(answer) == [f"{SESSION}/forge-state.json"]
    foreign.prompt("go on")
    assert foreign.stop().blocks
    assert foreign.active() == ["team", "forge"]


def test_a_state_folder_that_cannot_be_read_is_logged_beside_it(foreign: Workspace) -> None:
    (foreign.root / ".rcs/state").chmod(0o000)
    as_nobody(foreign, "UserPromptSubmit")
    as_nobody(foreign, "Stop")
    assert [line["event"] for line in log_of(foreign)] == list(EVENTS)


def test_a_workspace_that_cannot_be_written_starts_nothing(foreign: Workspace) -> None:
    shutil.rmtree(foreign.root / ".rcs")
    foreign.root.chmod(0o555)
    answer = as_nobody(foreign, "UserPromptSubmit")
    assert_lets_pass(answer)
    assert "permission denied" in answer.notice
    assert as_nobody(foreign, "UserPromptSubmit", prompt="hello").line == "{}"
    assert as_nobody(foreign, "Stop").line == "{}"
    assert tree(foreign.root) == {}


def test_a_log_that_cannot_be_written_is_no_reason_to_fail(foreign: Workspace) -> None:
    (foreign.root / ".rcs/logs").mkdir(mode=0o555)
    (foreign.root / SESSION).chmod(0o000)
    assert_lets_pass(as_nobody(foreign, "Stop"))
    assert log_of(foreign) == []


# --- a full disk


def with_disk_for(size: int, workspace: Workspace, event: str, **fields: Any) -> Answer:
    """A whole process in which no file can grow beyond `size` bytes."""
    # A compiled module that is cut off at that size would stay behind in the checkout, so all are compiled before.
    compileall.compile_dir(CHECKOUT / "rcs_hooks", quiet=2)
    env = {name: value for name, value in clean_env().items() if not name.startswith("COV")}
    pipe, cwd = subprocess.PIPE, workspace.root

    def limit() -> None:
        """Holds for the shell that starts Python, and so for Python."""
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    with subprocess.Popen(
        [str(RCS_HOOK)], stdin=pipe, stdout=pipe, stderr=pipe, cwd=cwd, env=env,
        preexec_fn=limit,  # noqa: PLW1509 - one thread alone
    ) as child:  # fmt: skip
        said, errors = child.communicate(workspace.payload(event, **fields), timeout=60)
    assert (child.returncode, errors) == (0, b"")
    return Answer(event, said.decode().removesuffix("\n"))


SIZES = (0, 1, 100, 200, 250, 300, 400, 600, 800, 1000, 1500)
each_size = pytest.mark.parametrize(
    "size", [size if size in (0, 300, 1500) else pytest.param(size, marks=pytest.mark.slow) for size in SIZES]
)


@pytest.mark.slow
@each_size
@pytest.mark.parametrize("before", [(), ("$team",)], ids=["the first prompt", "a later prompt"])
def test_on_a_full_disk_a_prompt_starts_all_or_nothing_and_says_so(
    workspace: Workspace, before: tuple[str, ...], size: int
) -> None:
    for text in before:
        workspace.prompt(text)
    state = {path: data for path, data in state_of(workspace).items() if path.startswith("state/s")}
    answer = with_disk_for(size, workspace, "UserPromptSubmit", turn_id="t1", prompt="$team $forge")
    if claims(answer):
        assert_true(workspace, answer)
    else:
        assert_lets_pass(answer)
        assert "file too large" in answer.notice
        kept = {path: data for path, data in state_of(workspace).items() if path.startswith("state/s")}
        assert kept == state


@pytest.mark.slow
@each_size
def test_on_a_full_disk_a_handoff_happens_whole_or_not_at_all(workspace: Workspace, size: int) -> None:
    workspace.prompt("$blueprint")
    answer = with_disk_for(size, workspace, "UserPromptSubmit", turn_id="t1", prompt="$forge")
    assert_true(workspace, answer)
    assert workspace.active() == (["forge"] if claims(answer) else ["blueprint"])
    assert workspace.read("blueprint")["active"] is not bool(claims(answer))


@pytest.mark.slow
@each_size
def test_when_the_disk_has_room_again_the_same_prompt_works(workspace: Workspace, size: int) -> None:
    with_disk_for(size, workspace, "UserPromptSubmit", turn_id="t1", prompt="$team")
    process(workspace, "UserPromptSubmit", turn_id="t1", prompt="$team")
    assert workspace.active() == ["team"]
    assert (workspace.root / ".rcs" / ".gitignore").read_text() == "*\n"


def test_on_a_full_disk_a_stop_that_cannot_be_counted_is_let_pass(running: Workspace) -> None:
    before = state_of(running)
    answer = with_disk_for(0, running, "Stop", turn_id="t1", last_assistant_message="Working.")
    assert_lets_pass(answer)
    assert "the turn may end" in answer.notice
    assert state_of(running) == before


def test_a_note_about_a_run_that_has_ended_is_no_reason_to_fail(running: Workspace) -> None:
    running.prompt("$cancel")
    before = state_of(running)
    said = with_disk_for(0, running, "Stop", turn_id="t1", last_assistant_message="Would you like me to continue?")
    assert said.line == "{}"
    assert state_of(running) == before


# --- a lock that does not come


@contextmanager
def lock_held(workspace: Workspace) -> Iterator[None]:
    with (workspace.state / ".lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.mark.slow
@pytest.mark.alone
@each_event
def test_a_lock_that_does_not_come_within_two_seconds_lets_everything_pass(running: Workspace, event: str) -> None:
    before = state_of(running)
    answers = []

    def call() -> None:
        answers.append(process(running, event, any_call(running, event)))

    with lock_held(running):
        assert HOOK_SECONDS <= least(lambda: clock(call), 2 * HOOK_SECONDS) <= 2 * HOOK_SECONDS
    for answer in answers:
        assert_lets_pass(answer)
        assert "/.lock: another rcs process is using it; " in answer.notice
        assert answer.notice.endswith(" Send the prompt again.") is (event == "UserPromptSubmit")
    assert state_of(running) == before
    assert [line["event"] for line in log_of(running)] == [event] * len(answers)


@pytest.mark.slow
@pytest.mark.alone
def test_a_stop_with_nothing_running_does_not_wait_for_a_lock(running: Workspace) -> None:
    running.prompt("$cancel")

    def call() -> None:
        assert process(running, "Stop", any_call(running, "Stop")).line == "{}"

    with lock_held(running):
        assert least(lambda: clock(call), HOOK_SECONDS) <= HOOK_SECONDS


@pytest.mark.slow
@pytest.mark.alone
def test_a_prompt_with_no_work_does_not_wait_for_a_lock(running: Workspace) -> None:
    def call() -> None:
        assert process(running, "UserPromptSubmit", turn_id="t1", prompt="hello").line == "{}"

    with lock_held(running):
        assert least(lambda: clock(call), HOOK_SECONDS) <= HOOK_SECONDS


# --- an end of the pipe that is gone


def shell(workspace: Workspace, command: str, raw: bytes) -> bytes:
    """What is left on stdout of `rcs-hook`, in the shell `$0`; the status is 0 and stderr is empty."""
    call = ["/bin/sh", "-c", command, str(RCS_HOOK)]
    done = subprocess.run(
        call, input=raw, capture_output=True, cwd=workspace.root, env=clean_env(), timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("command", ['"$0" >&-', '"$0" >/dev/full', '"$0" | true'])
@each_event
def test_a_stdout_that_takes_nothing_is_no_error(running: Workspace, event: str, command: str) -> None:
    assert shell(running, command, any_call(running, event)) == b""
    assert all(json.loads(data) for path, data in running.snapshot().items() if path.endswith(".json"))
    assert running.snapshot()["state/.lock"] == b""


def test_a_closed_stdin_is_said(running: Workspace) -> None:
    said = shell(running, '"$0" <&-', b"")
    assert_lets_pass(Answer("Stop", said.decode().removesuffix("\n")))


# --- places that are not there

MISSING = [
    pytest.param({}, "gone", id="cwd"),
    pytest.param({}, "gone/deeper", id="a cwd and the folder above it"),
    pytest.param({"RCS_ROOT": "gone"}, ".", id="RCS_ROOT"),
    pytest.param({"CLAUDE_PROJECT_DIR": "gone"}, ".", id="CLAUDE_PROJECT_DIR"),
    pytest.param({"RCS_ROOT": "file"}, ".", id="an RCS_ROOT that is a file"),
]


@each_row(("env", "cwd"), MISSING)
def test_a_workspace_that_is_not_there_is_said_and_never_made(tmp_path: Path, env: dict[str, str], cwd: str) -> None:
    (tmp_path / "file").write_text("")
    before = tree(tmp_path)
    workspace = Workspace(tmp_path, env={name: str(tmp_path / value) for name, value in env.items()})
    asked = workspace.prompt("$team", cwd=str(tmp_path / cwd))
    assert_lets_pass(asked)
    assert "is not there" in asked.notice
    assert workspace.prompt("hello", cwd=str(tmp_path / cwd)).line == "{}"
    assert workspace.stop(cwd=str(tmp_path / cwd)).line == "{}"
    assert tree(tmp_path) == before


@each_event
def test_a_working_directory_removed_under_the_process_is_never_made_again(tmp_path: Path, event: str) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    with subprocess.Popen(
        [str(RCS_HOOK)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=gone, env=clean_env()
    ) as child:
        gone.rmdir()
        said, _ = child.communicate(any_call(Workspace(gone), event), timeout=60)
    assert child.returncode == 0
    assert_lets_pass_or_says_nothing(Answer(event, said.decode().removesuffix("\n")))
    assert not gone.exists()


# --- links that lead out of the workspace


def move_out(path: Path, outside: Path) -> None:
    """What was at `path` lies outside now, and a link leads there."""
    shutil.move(path, outside)
    path.symlink_to(outside)


LINKED = [".rcs", ".rcs/state", ".rcs/state/sessions", SESSION]


@pytest.mark.parametrize("path", LINKED)
def test_state_behind_a_link_that_leads_out_is_neither_believed_nor_written(
    running: Workspace, outside: Path, path: str
) -> None:
    move_out(running.root / path, outside)
    before = tree(outside)
    for answer in (running.prompt("$forge"), running.prompt("hello"), running.prompt("$cancel"), running.stop()):
        assert_lets_pass(answer)
        assert "link" in answer.notice
    assert tree(outside) == before


@pytest.mark.parametrize("path", LINKED)
def test_nothing_is_made_behind_a_link_that_leads_nowhere(running: Workspace, outside: Path, path: str) -> None:
    shutil.rmtree(running.root / path)
    (running.root / path).symlink_to(outside)
    assert_lets_pass(running.prompt("$forge"))
    assert_lets_pass_or_says_nothing(running.prompt("hello"))
    assert_lets_pass_or_says_nothing(running.stop())
    assert not outside.exists()


def test_no_state_is_written_behind_a_link_that_leads_out_of_rcs(workspace: Workspace) -> None:
    source = workspace.root / "src"
    source.mkdir()
    workspace.state.parent.mkdir()
    workspace.state.symlink_to("../src")
    assert_lets_pass(workspace.prompt("$team"))
    assert_lets_pass_or_says_nothing(workspace.stop())
    assert tree(source) == {}


def test_a_question_behind_a_link_that_leads_out_is_not_answered(running: Workspace, outside: Path) -> None:
    questions = running.folder("s1") / "questions"
    questions.mkdir()
    (questions / "q1.json").write_text(json.dumps({"source": "team", "status": "pending", "question": "Which?"}))
    running.edit("team", lifecycle_outcome="askuserQuestion")
    move_out(questions, outside)
    before = tree(outside)
    running.prompt("the first")
    running.prompt("$cancel")
    assert tree(outside) == before


@pytest.mark.parametrize("link", [".rcs/logs", LOG])
@pytest.mark.parametrize("target", ["../outside", "src"], ids=["out of the workspace", "out of .rcs"])
def test_no_log_is_written_behind_a_link(running: Workspace, link: str, target: str) -> None:
    place = running.root / target
    place.mkdir()
    (place / "hook-errors.jsonl").write_text("")
    before = tree(place)
    (running.root / link).parent.mkdir(exist_ok=True)
    (running.root / link).symlink_to(place if link == ".rcs/logs" else place / "hook-errors.jsonl")
    replace_by_loop(running.state / ".lock")
    assert_lets_pass(running.prompt("$forge"))
    assert tree(place) == before


def test_a_log_that_has_grown_large_starts_over(running: Workspace) -> None:
    replace_by_loop(running.state / ".lock")
    running.prompt("$forge")
    with (running.root / LOG).open("a") as file:
        file.write("x" * 300_000)
    running.stop()
    running.stop()
    assert [line["event"] for line in log_of(running)] == ["Stop", "Stop"]
    assert sorted(path.name for path in (running.root / LOG).parent.iterdir()) == [
        "hook-errors.jsonl",
        "hook-errors.jsonl.old",
    ]


def test_a_denial_makes_nothing_for_a_session_that_has_nothing(running: Workspace) -> None:
    before = tree(running.root)
    assert running.prompt("$autopilot $team", "s2").context.startswith("Cannot activate")
    assert tree(running.root) == before


# --- a `.rcs` that somebody else wrote

NASTY = "\x1b]0;x\x07\x1b[2J\u202eevil\u2066\u200b\u2028\x85\r\n\t\x00\x9b31m\ud800 <b>`$team`</b>" + "A" * 5000


def assert_printable(answer: Answer) -> None:
    for text in (answer.context, answer.notice, answer.reason):
        assert all(char.isprintable() or char == "\n" for char in text), ascii(text)


@each_row(
    "journal",
    [
        pytest.param({"files": [{"path": "../../victim.json"}]}, id="a way up"),
        pytest.param({"files": [{"path": "../../victim.json", "remove": True}]}, id="a way up, to be removed"),
        pytest.param(
            {"files": [{"path": "{root}/victim.json"}, {"path": "{root}/victim.json", "remove": True}]}, id="absolute"
        ),
        pytest.param({"files": [{"path": "../.gitignore", "remove": True}]}, id=".gitignore"),
        pytest.param({"files": [{"path": [], "remove": True}, None]}, id="other types"),
        pytest.param([], id="a list"),
    ],
)
def test_a_journal_from_elsewhere_touches_nothing_and_stops_nobody(workspace: Workspace, journal: object) -> None:
    victims = [workspace.root / "victim.json", workspace.root / "victim.json.new"]
    for victim in victims:
        victim.write_text("mine")
    workspace.state.mkdir(parents=True)
    (workspace.state / ".commit.json").write_text(json.dumps(journal).replace("{root}", str(workspace.root)))
    (workspace.root / ".rcs" / ".gitignore").write_text("*\n")
    assert claims(workspace.prompt("$team")) == [f"{SESSION}/team-state.json"]
    assert [victim.read_text() for victim in victims] == ["mine", "mine"]
    assert (workspace.root / ".rcs" / ".gitignore").exists()
    assert workspace.active() == ["team"]


@pytest.mark.parametrize("remove", [True, False])
def test_a_journal_that_leads_out_over_a_link_touches_nothing(
    workspace: Workspace, outside: Path, *, remove: bool
) -> None:
    outside.mkdir()
    for name in ("victim.json", "victim.json.new"):
        (outside / name).write_text("mine")
    workspace.state.mkdir(parents=True)
    (workspace.state / "exit").symlink_to(outside)
    (workspace.state / ".commit.json").write_text(
        json.dumps({"files": [{"path": "exit/victim.json", "remove": remove}]})
    )
    before = tree(outside)
    asked, stopped = workspace.prompt("$team"), workspace.stop()
    assert_true(workspace, asked)
    assert stopped.blocks
    assert tree(outside) == before


def test_no_control_character_of_a_mode_file_is_said(workspace: Workspace) -> None:
    workspace.prompt("$team")
    record = dict.fromkeys(("current_phase", "mode", "started_at", "session_id", "turn_id"), NASTY) | {"active": True}
    workspace.mode_path("team").write_text(json.dumps(record))
    workspace.edit("skill-active", keyword=NASTY, active_skills=[{"skill": NASTY}, {"skill": "team", "phase": NASTY}])
    for answer in (
        workspace.stop(),
        workspace.prompt("$forge"),
        workspace.prompt("$autopilot"),
        workspace.prompt("$cancel"),
    ):
        assert answer.line != "{}"
        assert_printable(answer)


def test_no_control_character_of_a_question_is_said(running: Workspace) -> None:
    questions = running.folder("s1") / "questions"
    questions.mkdir()
    answered = {"status": "answered", "delivered_at": None, "question": NASTY, "answer": NASTY}
    pending = {"status": "pending", "source": "team", "questions": [{"question": NASTY}], "created_at": NASTY}
    (questions / "a.json").write_text(json.dumps(answered))
    (questions / "b.json").write_text(json.dumps(pending))
    running.edit("team", lifecycle_outcome="askuserQuestion")
    answer = running.prompt("the second one")
    assert "This prompt is the reply" in answer.context
    assert "answered elsewhere" in answer.context
    assert_printable(answer)


def test_no_control_character_of_a_root_record_is_said(workspace: Workspace) -> None:
    workspace.write("autoresearch", None, current_phase=NASTY, completion_note=NASTY)
    workspace.write(
        "skill-active", None, active_skills=[{"skill": "autoresearch", "phase": NASTY}], deferred_skills=[NASTY]
    )
    for answer in (workspace.stop(), workspace.prompt("$team"), workspace.prompt("$cancel")):
        assert answer.line != "{}"
        assert_printable(answer)


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.sampled_from(["team", "forge", "blueprint", "pending", "answered", "finished", "2023-11-14"])
)
KEYS = st.text(max_size=3) | st.just("skill")
JSON_VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=6
)
FIELDS = {
    "team-state.json": (
        "active mode current_phase started_at updated_at completed_at session_id turn_id iteration max_iterations"
        " run_outcome lifecycle_outcome terminal_outcome error state question_enforcement review_verdict"
    ),
    "skill-active-state.json": (
        "active skill phase active_skills deferred_skills deferred_source requested_skills session_id"
    ),
    "hook-ledger.json": "prompts stops noticed closed_at version",
    "questions/q1.json": (
        "status source question questions options answer delivered_at created_at question_id asked_in_turn"
    ),
}


def records_with(fields: str) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=dict.fromkeys(fields.split(), JSON_VALUES))


@each_row("status", ["pending", "answered"])
@each_row("source", [[], {}, ["team"], 1, None, True])
def test_a_question_whose_source_is_no_text_makes_no_hook_stumble(
    workspace: Workspace, status: str, source: object
) -> None:
    workspace.prompt("$team")
    path = workspace.folder("s1") / "questions" / "q1.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"status": status, "source": source, "options": {}, "asked_in_turn": []}))
    for answer in (workspace.prompt("and?"), workspace.stop(), workspace.prompt("$cancel")):
        assert "an error of this hook" not in answer.notice


@pytest.mark.parametrize("name", FIELDS)
@examples(150)
@given(data=st.data())
def test_no_json_in_a_state_file_makes_a_hook_stumble(name: str, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder))
        workspace.prompt("$team")
        path = workspace.folder("s1") / name
        path.parent.mkdir(exist_ok=True)
        old = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(json.dumps(old | data.draw(records_with(FIELDS[name]))))
        for answer in (
            workspace.stop(),
            workspace.prompt("$forge"),
            workspace.prompt("and?"),
            workspace.prompt("$cancel"),
        ):
            assert "an error of this hook" not in answer.notice
            assert_printable(answer)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("deferred_source", []),
        ("deferred_source", {"mode": "blueprint"}),
        ("active_skills", [{"skill": ["team"]}, {"skill": {}}, 5, None]),
        ("active_skills", {"skill": "team"}),
        ("skill", ["team"]),
        ("session_id", 5),
    ],
    ids=json.dumps,
)
def test_an_inventory_of_other_types_stops_nobody(running: Workspace, field: str, value: Any) -> None:
    running.edit("skill-active", **{"deferred_skills": ["ultrawork"], field: value})
    assert claims(running.prompt("$forge")) == [f"{SESSION}/forge-state.json"]
    assert running.active() == ["team", "forge"]


@pytest.mark.parametrize("depth", [100, 600, 5000])
def test_deep_nesting_in_a_mode_file_is_no_error_of_the_hook(running: Workspace, depth: int) -> None:
    path = running.mode_path("team")
    nested = json.dumps(running.read("team") | {"state": "NESTED"}).replace(
        '"NESTED"', '{"x":' * depth + "1" + "}" * depth
    )
    path.write_text(nested)
    stopped, cancelled = running.stop(), running.prompt("$cancel")
    assert stopped.blocks or "team-state.json cannot be read" in stopped.notice
    assert (
        "cancelled: team" in cancelled.context
        or "team-state.json cannot be read" in cancelled.notice + cancelled.context
    )


@pytest.mark.parametrize("count", [-(10**9), -1, 10**30], ids=str)
def test_a_count_of_blocks_from_elsewhere_makes_no_endless_loop(running: Workspace, count: int) -> None:
    running.stop()
    path = running.folder("s1") / "hook-ledger.json"
    ledger = json.loads(path.read_text())
    ledger["stops"] |= {"in_a_row": count, "of_prompt": count}
    path.write_text(json.dumps(ledger))
    assert not all(running.stop().blocks for _ in range(8))


@pytest.mark.parametrize("module", ["rcs_hooks.hook.failures", "rcs_hooks.workflow.messages.shared"])
def test_where_the_words_for_a_failure_cannot_be_opened_the_answer_is_one_line_all_the_same(
    module: str, running: Workspace
) -> None:
    (running.state / ".lock").unlink()
    (running.state / ".lock").mkdir()
    program = f"""
import errno, sys
class Refuses:
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            raise OSError(errno.EMFILE, "Too many open files")
sys.meta_path.insert(0, Refuses())
from rcs_hooks.hook.entry import main
sys.exit(main())
"""
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": str(running.root), "prompt": "$cancel"}
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(payload), env=clean_env(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert list(json.loads(done.stdout)) == ["systemMessage"]
    assert done.stdout.count("\n") == 1
