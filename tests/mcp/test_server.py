"""The real server over a real pipe, called by the official client and by JSON-RPC written by hand."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import IO, Any

import anyio
import pytest
from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

from rcs_hooks import __version__
from rcs_hooks.errors import needs_extra
from rcs_hooks.mcp import tools
from tests.support import RCS_HOOK, Workspace, check_output, clean_env, error_json

RCS = RCS_HOOK.with_name("rcs")
COMMAND = [sys.executable, str(RCS), "mcp"]
PATIENCE = 60.0

Arguments = dict[str, Any]
Client = Callable[[str, Arguments], Awaitable[tuple[Any, bool]]]


def with_client(root: Path, use: Callable[[Client, ClientSession], Awaitable[None]]) -> None:
    """Start the server in a workspace, and give `use` a function that calls a tool with the official client."""
    server = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], cwd=str(root), env=clean_env())

    async def main() -> None:
        with open(os.devnull, "w") as nowhere:
            async with (
                stdio_client(server, errlog=nowhere) as (reader, writer),
                ClientSession(reader, writer) as session,
            ):

                async def call(tool: str, arguments: Arguments) -> tuple[Any, bool]:
                    result = await session.call_tool(tool, arguments)
                    assert len(result.content) == 1
                    block = result.content[0]
                    assert block.type == "text"
                    assert result.structured_content is None
                    return json.loads(block.text), bool(result.is_error)

                greeting = await session.initialize()
                assert (greeting.server_info.name, greeting.server_info.version) == ("rcs_state", __version__)
                with anyio.fail_after(120):
                    await use(call, session)

    anyio.run(main)


# --- the official client


@pytest.mark.slow
def test_the_client_is_shown_every_tool_with_a_schema(workspace: Workspace) -> None:
    async def use(_call: Client, session: ClientSession) -> None:
        listed = (await session.list_tools()).tools
        assert [tool.name for tool in listed] == list(tools.NAMES)
        assert [(tool.description, tool.input_schema) for tool in listed] == [
            tools.schema_of(name) for name in tools.NAMES
        ]

    with_client(workspace.root, use)
    assert workspace.snapshot() == {}


def test_every_tool_works_in_one_run(workspace: Workspace) -> None:
    mine = {"session_id": "s1", "cwd": str(workspace.root)}
    turn = {"turn_id": "t1"}

    async def use(call: Client, _session: ClientSession) -> None:
        answer, is_error = await call("hook_user_prompt_submit", mine | turn | {"prompt": "$team $forge ship this"})
        assert not is_error
        assert (
            "active: team (phase starting) + forge (phase starting)"
            in (check_output("UserPromptSubmit", json.dumps(answer))["hookSpecificOutput"]["additionalContext"])
        )
        assert await call("state_list_active", mine) == (
            {"active_modes": ["team", "forge"], "title": "ship this"},
            False,
        )
        path = ".rcs/state/sessions/s1/forge-state.json"
        written, _ = await call("state_write", mine | {"mode": "forge", "iteration": "4", "current_phase": "executing"})
        assert written | {"success": True, "mode": "forge", "path": path} == written
        read, _ = await call("state_read", mine | {"mode": "forge"})
        assert (read["iteration"], read["current_phase"]) == (4, "executing")
        status, _ = await call("state_get_status", mine | {"mode": "forge"})
        assert status["statuses"]["forge"]["phase"] == "executing"
        stop, _ = await call("hook_stop", mine | turn | {"stop_hook_active": "false", "last_assistant_message": ""})
        assert stop["decision"] == "block"
        asked, _ = await call("question_ask", mine | {"mode": "forge", "text": "Which database?"})
        assert asked["success"] is True
        cleared, _ = await call("state_clear", mine | {"mode": "team"})
        assert cleared == {"cleared": True, "mode": "team", "path": ".rcs/state/sessions/s1/team-state.json"}
        assert await call("hook_stop", mine | turn) == ({}, False)

    with_client(workspace.root, use)
    assert workspace.active() == ["forge"]
    assert workspace.read("forge")["lifecycle_outcome"] == "askuserQuestion"


@pytest.mark.slow
def test_the_recovery_calls_of_the_seed_work_letter_by_letter(workspace: Workspace) -> None:
    workspace.prompt("$team $forge")
    workspace.prompt("$forge", session="s2")

    async def use(call: Client, _session: ClientSession) -> None:
        assert (await call("state_clear", {"mode": "team"}))[0]["cleared"] is True
        everywhere, _ = await call("state_clear", {"mode": "forge", "all_sessions": True})
        assert (everywhere["cleared"], everywhere["removed"]) == (True, 2)

    with_client(workspace.root, use)
    assert (workspace.active("s1"), workspace.active("s2")) == ([], [])


REFUSALS: list[tuple[str, str, Arguments, str]] = [
    ("state_read without a mode", "state_read", {}, "mode: missing"),
    ("state_read of no mode", "state_read", {"mode": "nope"}, "'nope' is not a workflow mode"),
    ("state_read in no session", "state_read", {"mode": "team", "session_id": "a/b"}, "session_id"),
    ("state_write of nothing", "state_write", {"mode": "team"}, "nothing to write"),
    ("state_write of a bad field", "state_write", {"mode": "team", "iteration": "many"}, "expected a whole number"),
    ("state_write that is denied", "state_write", {"mode": "autopilot", "active": True}, "Cannot activate autopilot"),
    ("state_write that rolls back", "state_write", {"mode": "blueprint", "active": "true"},
     "First clear current state first and retry if this action is intended."),
    ("state_clear of no mode", "state_clear", {"mode": ""}, "mode: missing"),
    ("state_clear of all or some", "state_clear", {"mode": "team", "all_sessions": "some"}, "all_sessions"),
    ("state_list_active of a list", "state_list_active", {"session_id": ["s1"]}, "session_id"),
    ("state_get_status of no mode", "state_get_status", {"mode": "nope"}, "'nope' is not a workflow mode"),
    ("question_ask without a text", "question_ask", {"mode": "team"}, "text"),
    ("question_ask of an idle mode", "question_ask", {"mode": "ultraqa", "text": "?"}, "ultraqa is not active"),
    ("no tool", "rcs_state.state_read", {"mode": "team"}, "there is no tool 'rcs_state.state_read'"),
]  # fmt: skip


@pytest.mark.slow
def test_every_refusal_is_an_error_with_its_words_and_changes_no_byte(workspace: Workspace) -> None:
    workspace.prompt("$team $forge")
    before = workspace.snapshot()

    async def use(call: Client, _session: ClientSession) -> None:
        for name, tool, arguments, words in REFUSALS:
            answer, is_error = await call(tool, {"session_id": "s1"} | arguments)
            assert is_error, name
            assert answer == error_json("refused" if tool in tools.NAMES else "usage", answer["message"]), name
            assert words in answer["error"], name
            assert workspace.snapshot() == before, name

    with_client(workspace.root, use)


# --- JSON-RPC by hand


class Pipes:
    """A server, and the lines that it writes.

    A thread reads them: so a missing line costs no more than PATIENCE, and an unexpected one is noticed.
    """

    def __init__(self, root: Path, **env: str) -> None:
        self.process = subprocess.Popen(
            COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=root,
            env=clean_env(**env),
        )
        self.lines: queue.Queue[bytes] = queue.Queue()
        self.complaints: list[bytes] = []
        self.readers = [
            threading.Thread(target=self._each, args=(self.process.stdout, self.lines.put)),
            threading.Thread(target=self._each, args=(self.process.stderr, self.complaints.append)),
        ]
        for reader in self.readers:
            reader.start()

    @staticmethod
    def _each(pipe: IO[bytes], take: Callable[[bytes], object]) -> None:
        for line in pipe:
            take(line)

    def write(self, *lines: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(b"".join(line + b"\n" for line in lines))
        self.process.stdin.flush()

    def send(self, message: Arguments) -> None:
        self.write(json.dumps({"jsonrpc": "2.0"} | message).encode())

    def answer(self) -> Arguments:
        """Return the next line of stdout, which is a JSON-RPC message."""
        message: Arguments = json.loads(self.lines.get(timeout=PATIENCE))
        assert message["jsonrpc"] == "2.0"
        return message

    def ask(self, number: int | str, method: str, params: object = None) -> Arguments:
        """Send a request, and return its answer; nothing else may come before it."""
        self.send({"id": number, "method": method} | ({} if params is None else {"params": params}))
        message = self.answer()
        assert message["id"] == number
        return message

    def call(self, number: int | str, tool: str, arguments: object) -> tuple[Any, bool]:
        result = self.ask(number, "tools/call", {"name": tool, "arguments": arguments})["result"]
        assert [block["type"] for block in result["content"]] == ["text"]
        return json.loads(result["content"][0]["text"]), result["isError"]

    def begin(self) -> Arguments:
        params = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "by hand", "version": "0"},
        }
        greeting: Arguments = self.ask(0, "initialize", params)["result"]
        self.send({"method": "notifications/initialized"})
        return greeting

    def end(self) -> int:
        """Close its stdin, and return its exit status; it may have printed nothing more."""
        assert self.process.stdin
        self.process.stdin.close()
        status = self.process.wait(timeout=PATIENCE)
        for reader in self.readers:
            reader.join(timeout=PATIENCE)
        assert self.lines.empty(), self.lines.get()
        return status

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(timeout=PATIENCE)
        for reader in self.readers:
            reader.join(timeout=PATIENCE)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe
            pipe.close()

    def resident(self) -> int:
        """Return the bytes of memory in use."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.fixture
def pipes(workspace: Workspace) -> Iterator[Pipes]:
    server = Pipes(workspace.root)
    yield server
    server.close()


@pytest.mark.slow
def test_a_script_by_hand_is_answered_line_by_line(workspace: Workspace, pipes: Pipes) -> None:
    greeting = pipes.begin()
    assert greeting["serverInfo"]["name"] == "rcs_state"
    assert "tools" in greeting["capabilities"]
    listed = pipes.ask("two", "tools/list")["result"]["tools"]
    assert [tool["name"] for tool in listed] == list(tools.NAMES)
    prompt = {"session_id": "s1", "cwd": str(workspace.root), "turn_id": "t1", "prompt": "$team go"}
    answer, is_error = pipes.call(3, "hook_user_prompt_submit", prompt)
    assert not is_error
    assert check_output("UserPromptSubmit", json.dumps(answer))["hookSpecificOutput"]
    assert pipes.call(4, "state_list_active", {"session_id": "s1"}) == ({"active_modes": ["team"]}, False)
    assert pipes.call(5, "state_read", {})[1] is True
    assert pipes.ask(6, "ping")["result"] == {}
    assert pipes.end() == 0
    assert pipes.complaints == []


GARBAGE: dict[str, bytes] = {
    "no JSON": b"hello",
    "cut JSON": b'{"jsonrpc": "2.0", "id": 90, "method": "tools/',
    "nothing": b"",
    "blanks": b"   \t",
    "a list": b"[]",
    "null": b"null",
    "a number": b"7",
    "not UTF-8": b"\xff\xfe\x00",
    "no method": b'{"jsonrpc": "2.0", "id": 91}',
    "another protocol": b'{"jsonrpc": "1.0", "method": "ping", "id": []}',
    "an answer nobody waits for": b'{"jsonrpc": "2.0", "id": 92, "result": {}}',
    "a notification nobody knows": b'{"jsonrpc": "2.0", "method": "notifications/none", "params": {}}',
    "a cancelled request that is none": b'{"jsonrpc":"2.0","method":"notifications/cancelled"}',
    "a long line": b"x" * 1_000_000,
}


@pytest.mark.slow
def test_the_server_outlives_a_line_of_garbage(workspace: Workspace, pipes: Pipes) -> None:
    pipes.begin()
    for name, line in GARBAGE.items():
        pipes.write(line)
        params = {"name": "state_list_active", "arguments": {}}
        pipes.send({"id": f"after {name}", "method": "tools/call", "params": params})
        messages = [pipes.answer()]
        while messages[-1].get("id") != f"after {name}":  # it may answer the garbage first
            assert "error" in messages[-1], name
            messages.append(pipes.answer())
        text = messages[-1]["result"]["content"][0]["text"]
        assert json.loads(text) == {"active_modes": [], "sessions": {}}, name
    assert pipes.end() == 0
    assert workspace.snapshot() == {}


WRONG: dict[str, tuple[str, object]] = {
    "an unknown method": ("no/such", None),
    "a call without params": ("tools/call", None),
    "a call without a name": ("tools/call", {"arguments": {}}),
    "a name that is a number": ("tools/call", {"name": 5, "arguments": {}}),
    "arguments that are a list": ("tools/call", {"name": "state_read", "arguments": [1]}),
    "arguments that are text": ("tools/call", {"name": "state_read", "arguments": "team"}),
    "resources, which we have not": ("resources/list", {}),
    "prompts, which we have not": ("prompts/get", {"name": "x"}),
}


@pytest.mark.slow
def test_a_wrong_request_is_answered_with_an_error_and_the_next_one_is_served(
    workspace: Workspace, pipes: Pipes
) -> None:
    pipes.begin()
    for number, (name, (method, params)) in enumerate(WRONG.items(), 1):
        assert "error" in pipes.ask(number, method, params), name
        assert pipes.call(f"after {name}", "state_list_active", {})[1] is False
    assert pipes.end() == 0
    assert workspace.snapshot() == {}


NO_ARGUMENTS: dict[str, object] = {"null": None, "empty": {}}


@pytest.mark.slow
def test_a_hook_tool_without_arguments_has_nothing_to_say(workspace: Workspace, pipes: Pipes) -> None:
    pipes.begin()
    for number, arguments in NO_ARGUMENTS.items():
        assert pipes.call(f"stop {number}", "hook_stop", arguments) == ({}, False)
        assert pipes.call(f"prompt {number}", "hook_user_prompt_submit", arguments) == ({}, False)
    assert pipes.end() == 0
    assert workspace.snapshot() == {}


@pytest.mark.slow
def test_nesting_without_end_is_a_tool_error_over_the_wire(pipes: Pipes) -> None:
    pipes.begin()
    deep = '{"x": ' + "[" * 900 + "]" * 900 + "}"
    answer, is_error = pipes.call(1, "state_write", {"mode": "forge", "session_id": "s1", "fields": deep})
    assert is_error
    assert answer == error_json("refused", answer["message"])
    assert pipes.call(2, "state_list_active", {})[1] is False


HALF = '"\\ud800"'
DEEP = "[" * 5_000 + "]" * 5_000
HUGE = "9" * 5_000
LARGE = str(10**400)
DEEP_WORDS = "the arguments are nested too deeply to be read; send less, or write it to a file"
HUGE_WORDS = "the arguments hold a number that is too large to be read; send it as text"
HALF_WORDS = "the arguments hold half of a surrogate pair, which is not text; send U+FFFD in its place"

UNREADABLE = {
    HALF: HALF_WORDS,
    DEEP: DEEP_WORDS,
    HUGE: HUGE_WORDS,
    "1.5.5": "the arguments are not JSON; send one JSON object",
}


@pytest.mark.slow
def test_arguments_that_the_package_cannot_read_are_answered(workspace: Workspace, pipes: Pipes) -> None:
    pipes.begin()
    for value, words in UNREADABLE.items():
        for tool, expected in {
            "state_write": (error_json("usage", words), True),
            "emit": (error_json("usage", words), True),
            "no_such_tool": (error_json("usage", words), True),
            "hook_user_prompt_submit": (
                {"systemMessage": f"rcs: {words}; the prompt went through and no workflow was changed."}, False
            ),
            "hook_stop": ({"systemMessage": f"rcs: {words}; the turn may end."}, False),
        }.items():  # fmt: skip
            number = f"{tool} {words}"
            call = f'"params": {{"name": "{tool}", "arguments": {{"session_id": "s1", "mode": "forge", "x": {value}}}}}'
            pipes.write(f'{{"jsonrpc": "2.0", {call}, "method": "tools/call", "id": "{number}"}}'.encode())
            message = pipes.answer()
            assert message["id"] == number
            result = message["result"]
            assert (json.loads(result["content"][0]["text"]), result["isError"]) == expected, number
        assert pipes.call(f"after {words}", "state_list_active", {})[1] is False
    assert pipes.end() == 0
    assert workspace.snapshot() == {}


@pytest.mark.slow
def test_a_request_that_is_no_call_and_cannot_be_read_is_an_error(pipes: Pipes) -> None:
    pipes.begin()
    for value, words in UNREADABLE.items():
        pipes.write(f'{{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {{"_meta": [{value}]}}}}'.encode())
        assert pipes.answer() == {"jsonrpc": "2.0", "id": 7, "error": {"code": -32700, "message": words}}
        assert pipes.ask(f"after {words}", "ping")["result"] == {}
    assert pipes.end() == 0


@pytest.mark.slow
def test_a_number_of_401_digits_is_answered(workspace: Workspace, pipes: Pipes) -> None:
    """It can be read, and written back."""
    pipes.begin()
    fields = {"session_id": "s1", "mode": "forge", "iteration": 10**400, "turn_id": 10**400, "unit": 10**400}
    more = {"state": {"x": 10**400}, "data": {"status": "running", "x": 10**400}, "text": 10**400}
    for tool in (*tools.NAMES, "no_such_tool"):
        workspace.prompt("$forge")
        answer, _ = pipes.call(tool, tool, fields | more)
        assert isinstance(answer, dict), tool
        assert pipes.call(f"after {tool}", "state_list_active", {"session_id": "s1"})[1] is False
    assert pipes.end() == 0


UNHEARD = {
    "a notification": f'{{"jsonrpc": "2.0", "method": "notifications/none", "params": {{"x": {HALF}}}}}',
    "an answer": f'{{"jsonrpc": "2.0", "id": 1, "result": {{"x": {HALF}}}}}',
    "an invalid notification": '{"jsonrpc": "1.0", "method": "notifications/none"}',
    "an invalid answer": '{"jsonrpc": "2.0", "id": 1, "error": "none"}',
    "nothing": "",
    "blanks": " \t",
}


@pytest.mark.slow
def test_what_nobody_waits_for_is_passed_over_when_it_cannot_be_read(pipes: Pipes) -> None:
    pipes.begin()
    for name, line in UNHEARD.items():
        pipes.write(line.encode())
        assert pipes.ask(f"after {name}", "ping")["result"] == {}
    assert pipes.end() == 0


NO_MESSAGE = "the line is not JSON; send one JSON object on each line"
NO_JSON = "the arguments are not JSON; send one JSON object"
VERSION = 'no valid JSON-RPC request: jsonrpc must be "2.0"'
PARAMS = "no valid JSON-RPC request: params must be an object"
METHOD = "no valid JSON-RPC request: method must be text"
BATCH = "a message is one JSON object; there are no batches"
PING = '{"jsonrpc": "2.0", "id": 7, "method": "ping"}'
NO_VALID_LINES: dict[str, tuple[str, int | str | None, int, str]] = {
    "params that are a list": (PING[:-1] + ', "params": [1]}', 7, -32600, PARAMS),
    "params that are text": (PING[:-1] + ', "params": "x"}', 7, -32600, PARAMS),
    "a call with a list": (PING.replace("ping", "tools/call")[:-1] + ', "params": []}', 7, -32600, PARAMS),
    "no version": ('{"id": "a", "method": "ping"}', "a", -32600, VERSION),
    "another version": (PING.replace("2.0", "1.0"), 7, -32600, VERSION),
    "a method that is a number": (PING.replace('"ping"', "7"), 7, -32600, METHOD),
    "no method": ('{"jsonrpc": "2.0", "id": 7}', 7, -32600, METHOD),
    "an empty object": ("{}", None, -32600, VERSION),
    "an id that is a list": ('{"jsonrpc": "2.0", "id": [7], "method": 7}', None, -32600, METHOD),
    "a batch": (f"[{PING}]", None, -32600, BATCH),
    "an empty batch": ("[]", None, -32600, BATCH),
    "a number": ("7", None, -32600, BATCH),
    "a mark of the byte order": ("\ufeff" + PING, 7, -32700, NO_JSON),
    "text behind it": (f"{PING} x", 7, -32700, NO_JSON),
    "two on one line": (f"{PING}{PING}", 7, -32700, NO_JSON),
    "a missing brace": (PING[:-1], 7, -32700, NO_JSON),
    "two missing braces": (PING[:-1] + ', "params": {"x": 1', 7, -32700, NO_JSON),
    "an end in the middle": (PING[:-8], None, -32700, NO_MESSAGE),
    "a word": ("hello", None, -32700, NO_MESSAGE),
    "a huge id": (PING.replace("7", HUGE), None, -32700, NO_MESSAGE),
    "half an id": (PING.replace("7", HALF), None, -32700, NO_MESSAGE),
    "a deep id": (PING.replace("7", DEEP), None, -32700, NO_MESSAGE),
    "a text without an end": ('"' + '\\"' * 500_000, None, -32700, NO_MESSAGE),
    "only opened": ("[" * 500_000, None, -32700, NO_MESSAGE),
}


@pytest.mark.slow
def test_a_line_that_is_no_valid_message_is_answered_with_its_id_or_null(workspace: Workspace, pipes: Pipes) -> None:
    pipes.begin()
    for name, (line, number, code, words) in NO_VALID_LINES.items():
        pipes.write(line.encode())
        expected = {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": words}}
        assert pipes.answer() == expected, name
        assert pipes.ask(name, "ping")["result"] == {}
    assert pipes.end() == 0
    assert workspace.snapshot() == {}


@pytest.mark.slow
def test_a_hook_call_that_is_cut_off_lets_its_prompt_through(pipes: Pipes) -> None:
    pipes.begin()
    pipes.write(b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "hook_stop"')
    message = pipes.answer()
    assert (message["id"], message["result"]["isError"]) == (7, False)
    assert "the turn may end" in message["result"]["content"][0]["text"]


@pytest.mark.slow
def test_the_server_ends_when_its_stdin_does_before_any_greeting(workspace: Workspace, pipes: Pipes) -> None:
    assert pipes.end() == 0
    assert pipes.complaints == []
    assert workspace.snapshot() == {}


@pytest.mark.slow
def test_a_call_under_way_is_committed_whole_when_stdin_closes(workspace: Workspace, pipes: Pipes) -> None:
    pipes.begin()
    params = {"name": "state_write", "arguments": {"mode": "team", "session_id": "s1", "active": True}}
    pipes.send({"id": 1, "method": "tools/call", "params": params})
    assert pipes.process.stdin
    pipes.process.stdin.close()
    assert pipes.process.wait(timeout=PATIENCE) == 0
    files = {path: data for path, data in workspace.snapshot().items() if path.endswith(".json")}
    assert all(isinstance(json.loads(data), dict) for data in files.values())
    assert workspace.active() in ([], ["team"])


@pytest.mark.slow
def test_the_server_finds_its_workspace_by_its_own_entry(workspace: Workspace, tmp_path: Path) -> None:
    """Codex passes a server nothing but the `env` of its entry."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    workspace.prompt("$forge")
    server = Pipes(elsewhere, RCS_ROOT=str(workspace.root))
    try:
        server.begin()
        assert server.call(1, "state_list_active", {"session_id": "s1"}) == ({"active_modes": ["forge"]}, False)
        assert server.end() == 0
    finally:
        server.close()


@pytest.mark.slow
def test_a_server_whose_folder_is_gone_still_answers_for_another(workspace: Workspace, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    workspace.prompt("$forge")
    server = Pipes(gone)
    try:
        server.begin()
        gone.rmdir()
        mine = {"session_id": "s1", "cwd": str(workspace.root)}
        assert server.call(1, "hook_stop", mine)[0]["decision"] == "block"
        assert server.call(2, "state_list_active", mine) == ({"active_modes": ["forge"]}, False)
        assert server.end() == 0
    finally:
        server.close()


@pytest.mark.slow
def test_a_session_of_the_environment_is_not_the_servers(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    workspace.prompt("$forge", "s2")
    server = Pipes(workspace.root, RCS_SESSION_ID="s1", CLAUDE_CODE_SESSION_ID="s1")
    try:
        server.begin()
        assert server.call(1, "state_list_active", {})[0]["active_modes"] == []
        assert server.end() == 0
    finally:
        server.close()


# --- without the package

FORBID = """
import sys
class Forbid:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Forbid())
from rcs_hooks.cli.main import main
sys.exit(main({args!r}))
"""


@pytest.mark.parametrize("name", ["mcp", "anyio"])
def test_without_the_extra_the_command_says_what_to_install(workspace: Workspace, name: str) -> None:
    code = FORBID.format(names=[name], args=["mcp"])
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=workspace.root, env=clean_env(), check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"rcs: {needs_extra(name, 'the server')}\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "args",
    [["hud"], ["state", "list-active"], ["try", "$team"], ["completion", "bash"], ["mcp", "--help"]],
    ids=" ".join,
)
def test_without_the_extra_every_other_command_works(workspace: Workspace, args: list[str]) -> None:
    code = FORBID.format(names=["mcp", "mcp_types", "anyio"], args=args)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=workspace.root, env=clean_env(), check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


# --- for long, and many at once

WARM, MANY = 2_000, 10_000
GROWTH = 8 << 20


@pytest.mark.full
@pytest.mark.slow
def test_ten_thousand_calls_do_not_grow_the_server(workspace: Workspace, pipes: Pipes) -> None:
    workspace.prompt("$team $forge")
    pipes.begin()
    turns: list[tuple[str, Arguments]] = [
        ("hook_stop", {"session_id": "s1", "turn_id": "t", "last_assistant_message": "Working."}),
        ("hook_user_prompt_submit", {"session_id": "s1", "prompt": "go on with it"}),
        ("state_list_active", {"session_id": "s1"}),
        ("state_write", {"session_id": "s1", "mode": "forge", "current_phase": "executing"}),
        ("state_read", {"mode": "nope"}),
    ]
    for number in range(1, WARM + 1):
        pipes.call(number, *turns[number % len(turns)])
    before = pipes.resident()
    for number in range(WARM + 1, MANY + 1):
        pipes.call(number, *turns[number % len(turns)])
    assert pipes.resident() - before < GROWTH
    assert pipes.end() == 0


@pytest.mark.slow
def test_twenty_sessions_at_once_lose_nothing(workspace: Workspace) -> None:
    sessions = [f"s{number}" for number in range(20)]
    rounds = 10

    async def use(call: Client, _session: ClientSession) -> None:
        async def live(session: str) -> None:
            prompt = {"session_id": session, "turn_id": "t", "prompt": "$team $forge go"}
            said, is_error = await call("hook_user_prompt_submit", prompt)
            assert not is_error
            assert said["systemMessage"] == "rcs: team started; forge started"
            for number in range(rounds):
                written, is_error = await call(
                    "state_write", {"session_id": session, "mode": "forge", "state": {f"n{number}": session}}
                )
                assert not is_error, written

        async with anyio.create_task_group() as group:
            for session in sessions:
                group.start_soon(live, session)

    with_client(workspace.in_git().root, use)
    for session in sessions:
        assert workspace.active(session) == ["team", "forge"]
        assert workspace.read("forge", session)["state"] == {f"n{number}": session for number in range(rounds)}
