"""What doctor says of the clients' files, what it starts and what it does not, and that it changes nothing."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rcs_hooks.clients import entries, reading
from rcs_hooks.clients.check import BROKEN, NOTE, OK, TODO, UNSET, WARN, Check
from rcs_hooks.clients.claude import checks as claude_checks
from rcs_hooks.clients.codex import trust
from rcs_hooks.clients.installer import PROJECT, USER, Host, InstallTarget, SetupOptions
from rcs_hooks.editing import files as editing
from rcs_hooks.install import doctor, plan, program_checks
from tests.install.test_health import everything
from tests.support import RCS_HOOK
from tests.table import each_row

if TYPE_CHECKING:
    from collections.abc import Callable

CODEX, CLAUDE = "codex", "claude"
TITLES = {CODEX: "Codex", CLAUDE: "Claude Code", "copilot": "Copilot CLI", "qwen": "Qwen Code", "gemini": "Gemini CLI"}
PATIENCE = 60.0
"""Seconds for what ends by itself, on a machine that is as busy as can be."""
OURS, RCS = (shlex.quote(str(path)) for path in (RCS_HOOK, RCS_HOOK.with_name("rcs")))
EVENTS = "UserPromptSubmit, Stop, SessionStart, SessionEnd"
PYTHON = str(RCS_HOOK.with_name("python3"))
LINE = f"{shlex.quote(PYTHON)} -EP -c 'from rcs_hooks.hook.entry import main; main()' || exit 0"
GONE = LINE.replace(shlex.quote(PYTHON), "/gone/python3")
"""As setup would write it, where what it names is not there: nothing is started."""
EVIL = "touch {mark}; echo '{{}}'"


def make_host(folder: Path) -> Host:
    """A home and a repository beside it; no client is on PATH."""
    for name in ("home", "project/.git", "bin"):
        (folder / name).mkdir(parents=True)
    (folder / "project/.git/HEAD").write_text("ref: refs/heads/main\n")
    home = str(folder / "home")
    return Host({"PATH": f"{folder}/bin:/usr/bin:/bin", "HOME": home}, home, str(folder / "project"))


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return make_host(tmp_path)


def set_up(host: Host, client: str, scope: str = PROJECT, transport: str = "command") -> InstallTarget:
    place = InstallTarget(host, client, scope)
    for change in plan.setup(place, SetupOptions(transport)):
        editing.write(change, place.boundary_of(change.path))
    return place


def checks(host: Host) -> list[Check]:
    """Without the client that each is about."""
    folder = Path(host.home).parent
    before = everything(folder)
    found = [check._replace(client="") for check in doctor.checks(host)]
    assert everything(folder) == before
    return found


def of(found: list[Check], what: str) -> list[Check]:
    return [check for check in found if check.what == what]


def short(found: list[Check]) -> list[tuple[str, str]]:
    return [(check.status, check.found) for check in found]


def file_of(host: Host, client: str, scope: str = PROJECT) -> str:
    return InstallTarget(host, client, scope).hooks_file.path


def write(path: str, value: object) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    Path(path).write_text(value if isinstance(value, str) else json.dumps(value))


def script(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def hooks(command: str, **more: object) -> dict[str, Any]:
    handler = {"type": "command", "command": command, "timeout": 10} | more
    return {"hooks": {event: [{"hooks": [dict(handler)]}] for event in EVENTS.split(", ")}}


# --- whole answers


def test_without_a_client_it_says_so(host: Host) -> None:
    said = "none of codex, claude, copilot, qwen, gemini is on PATH, and none has a folder in your home"
    todo = "install Codex or Claude Code or Copilot CLI or Qwen Code or Gemini CLI, then type: rcs setup --skills"
    assert checks(host) == [Check("clients", UNSET, said, todo)]


@each_row("client", TITLES)
def test_a_client_without_our_hooks_is_told_how_to_have_them(client: str, tmp_path: Path) -> None:
    host = make_host(tmp_path)
    Path(host.home, f".{client}").mkdir()
    todo = f"rcs setup --client {client} --skills"
    unset = Check(f"{TITLES[client]} hooks", UNSET, "none of ours in the files of this project or of yours", todo)
    assert checks(host) == [unset]


def test_claude_code_as_it_is_set_up(host: Host) -> None:
    place = set_up(host, CLAUDE)
    found = checks(host)
    answering = found.pop(1)
    assert answering.found.startswith(f"{PYTHON} answers in ")
    assert found == [
        Check("Claude Code hooks", OK, f"{EVENTS} in {place.hooks_file.path} (command)"),
        Check("Claude Code rules", OK, "the agent may run what it is told to"),
        Check(
            "Claude Code project",
            TODO,
            f"{host.root} is not trusted yet, so neither its hooks nor the rules of its settings count",
            "start `claude` in this folder once, and say that you trust it",
        ),
    ]
    above = os.path.dirname(host.root)
    write(f"{host.home}/.claude.json", {"projects": {above: {"hasTrustDialogAccepted": True}}})
    said = f"its hooks run, for {above} is trusted; the rules of its settings may not count before {host.root} is"
    assert of(checks(host), "Claude Code project") == [Check("Claude Code project", NOTE, said)]


def test_codex_as_it_is_set_up_and_approved(host: Host) -> None:
    file = set_up(host, CODEX).hooks_file.path
    assert [(check.what, check.found) for check in checks(host) if check.status == TODO] == [
        ("Codex project", f"{host.root} is not trusted, so its hooks do not run"),
        ("Codex trust", f"{EVENTS}: untrusted, so Codex skips them"),
    ]
    text = f'[projects.{json.dumps(host.root)}]\ntrust_level = "trusted"\n'
    for spot, handler in entries.handlers(json.loads(Path(file).read_text())):
        name = json.dumps(trust.key(file, spot))
        text += f'[hooks.state.{name}]\ntrusted_hash = "{trust.hash_of(spot[0], handler)}"\n'
    write(f"{host.home}/.codex/config.toml", text)
    found = checks(host)
    answering = found.pop(1)
    assert answering.found.startswith(f"{PYTHON} answers in ")
    assert short(found) == [
        (OK, f"{EVENTS} in {file} (command)"),
        (OK, f"{host.root} is trusted"),
        (OK, f"{EVENTS}: approved"),
        (WARN, f"an agent may not write the run store in {host.home}/.rcs"),
    ]
    assert found[-1].todo == "rcs setup --client codex --scope project --writable"


@pytest.mark.slow
@pytest.mark.parametrize("client", [CODEX, CLAUDE])
def test_a_server_names_its_tools(host: Host, client: str) -> None:
    set_up(host, client, transport="mcp")
    [answer, *_] = of(checks(host), f"{TITLES[client]} server")
    assert answer.status in (OK, WARN)
    assert answer.found.startswith("rcs_state starts and names its tools in ")


# --- what is started


@pytest.mark.parametrize("client", [CODEX, CLAUDE])
def test_a_program_that_the_project_names_is_not_started(host: Host, client: str) -> None:
    folder = Path(host.home).parent
    mark = folder / "ran"
    evil = script(folder / "elsewhere/rcs-hook", EVIL.format(mark=mark))
    write(file_of(host, client), hooks(evil))
    [answer] = of(checks(host), f"{TITLES[client]} hook")
    said = f"{evil} was not started: a file of this project names it, and it is not the one beside this Python"
    again = f"`rcs setup --client {client} --scope project` puts ours in its place"
    assert answer == Check(answer.what, WARN, said, f"look at it before you trust this project; {again}")
    assert not mark.exists()


OF_THE_PROJECT = [
    "{root}/tools/rcs-hook",
    "./tools/rcs-hook",
    '"$CLAUDE_PROJECT_DIR"/tools/rcs-hook',
    "${{CLAUDE_PROJECT_DIR}}/tools/rcs-hook",
    "sh tools/rcs-hook",
    "env A=1 {root}/tools/rcs-hook || exit 0",
    "{root}/venv/bin/python3 -EP -c 'from rcs_hooks.hook.entry import main; main()' || exit 0",
    "{root}/link/rcs-hook",
    "{outside}/rcs-hook",
    "{root}/gone/rcs-hook",
]


@pytest.mark.parametrize(("client", "scope"), [(CODEX, PROJECT), (CLAUDE, USER)])
@each_row("line", OF_THE_PROJECT)
def test_a_program_of_the_project_is_not_called_ours_whoever_names_it(
    line: str, client: str, scope: str, tmp_path: Path
) -> None:
    host, mark = make_host(tmp_path), tmp_path / "ran"
    evil = script(Path(host.root) / "tools/rcs-hook", EVIL.format(mark=mark))
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/rcs-hook").symlink_to(evil)
    (Path(host.root) / "link").symlink_to(tmp_path / "outside")
    line = line.format(root=host.root, outside=tmp_path / "outside")
    path = file_of(host, client, scope)
    write(path, hooks(line))
    first, second, *more = of(checks(host), f"{TITLES[client]} hooks")
    words = " ".join(entries.words_of({"command": line}))
    assert (first.status, first.found) == (
        BROKEN,
        f"{path}: the hook for {EVENTS} runs a program of this project, not ours: {words}",
    )
    assert first.todo == (
        f"look at it before you trust this project; `rcs setup --client {client} --scope {scope}` puts ours in its"
        f" place, `rcs uninstall --client {client} --scope {scope}` removes it"
    )
    assert (second.found, more) == ("none of ours in the files of this project or of yours", [])
    assert not mark.exists()


def test_a_program_that_the_persons_own_file_names_is_started(host: Host) -> None:
    own = script(Path(host.home) / "tools/rcs-hook", "echo '{}'")
    for scope in (USER, PROJECT):
        write(file_of(host, CLAUDE, scope), hooks(own))
    [answer] = of(checks(host), "Claude Code hook")
    assert answer.found.startswith(f"{own} answers in ")


def test_a_persons_file_that_lies_in_the_project_is_the_projects(host: Host) -> None:
    mark = Path(host.home).parent / "ran"
    evil = script(Path(host.home) / "rcs-hook", EVIL.format(mark=mark))
    host = host._replace(env={**host.env, "CLAUDE_CONFIG_DIR": f"{host.root}/dotfiles"})
    write(f"{host.root}/dotfiles/settings.json", hooks(evil))
    assert [check.status for check in of(checks(host), "Claude Code hook")] == [WARN]
    assert not mark.exists()


def test_a_python_that_the_project_names_is_not_started(host: Host) -> None:
    """A link to the very Python that runs here would find the packages beside the link."""
    folder, mark = Path(host.home).parent / "elsewhere", Path(host.home).parent / "ran"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin/python3").symlink_to(os.path.realpath(PYTHON))
    (folder / "pyvenv.cfg").write_text("home = /usr/bin\n")
    (folder / "bin/sitecustomize.py").write_text(f"open({str(mark)!r}, 'w')")
    write(file_of(host, CLAUDE), hooks(LINE.replace(PYTHON, f"{folder}/bin/python3")))
    [answer] = of(checks(host), "Claude Code hook")
    assert " was not started: " in answer.found
    assert not mark.exists()


@pytest.mark.slow
@pytest.mark.parametrize("client", [CODEX, CLAUDE])
def test_a_server_that_the_project_names_is_not_started_nor_its_variables_passed(host: Host, client: str) -> None:
    path = set_up(host, client, transport="mcp").files[1].path
    mark = Path(host.home).parent / "ran"
    evil = script(Path(host.root) / "evil/rcs", f"touch {mark}")
    ours = Path(path).read_text()
    Path(path).write_text(ours.replace(str(RCS_HOOK.parent / "rcs"), evil))
    title = f"{TITLES[client]} server"
    said = f"{evil} mcp was not started: it is in this project, and it is not the one beside this Python"
    assert of(checks(host), title)[0].found == said
    write(f"{host.root}/evil/sitecustomize.py", f"open({str(mark)!r}, 'w')")
    if client == CODEX:
        Path(path).write_text(ours + f'[mcp_servers.rcs_state.env]\nPYTHONPATH = "{host.root}/evil"\n')
    else:
        write(path, ours.replace('"args"', f'"env": {{"PYTHONPATH": "{host.root}/evil"}}, "args"'))
    said = "the entry of rcs_state in a file of this project has env.PYTHONPATH: it was not started"
    assert short(of(checks(host), title))[0] == (WARN, said)
    assert not mark.exists()


@each_row("command", [f"{OURS} && touch {{mark}}", f"FOO=1 {OURS}", f"/bin/sh {OURS}", f"{OURS} > {{mark}}"])
def test_a_line_for_the_shell_is_not_tried(command: str, tmp_path: Path) -> None:
    host, mark = make_host(tmp_path), tmp_path / "ran"
    write(file_of(host, CODEX, USER), hooks(command.format(mark=mark)))
    [answer] = of(checks(host), "Codex hook")
    assert answer.status in (NOTE, BROKEN)
    assert not mark.exists()


@each_row("command", ["/nowhere/rcs-hook", "/\0/rcs-hook", "/\ud800/rcs-hook", f"/{'x' * 9000}/rcs-hook", "{folder}"])
def test_a_program_that_is_none_is_broken(command: str, tmp_path: Path) -> None:
    host = make_host(tmp_path)
    folder = tmp_path / "rcs-hook"
    folder.mkdir()
    write(file_of(host, CLAUDE), hooks(command.replace("{folder}", str(folder)), args=[]))
    [answer] = of(checks(host), "Claude Code hook")
    assert answer.status == BROKEN
    assert answer.found.endswith(" is not a program that can be run")
    assert answer.found.isprintable()
    assert len(answer.found) < 300


def test_of_many_programs_a_few_are_looked_at(host: Host) -> None:
    value = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": f"/{n}/rcs-hook"} for n in range(2000)]}]}}
    write(file_of(host, CODEX), value)
    found = of(checks(host), "Codex hook")
    assert [check.status for check in found] == [BROKEN] * 4 + [WARN]
    assert found[-1].found.endswith(" names 1996 more programs as ours, which were not tried")


@each_row(
    ("does", "status", "said", "seconds"),
    [
        ("echo hello", BROKEN, " does not answer as our hook does: hello", PATIENCE),
        ("echo '{}'; exit 1", BROKEN, " ends with status 1: {}", PATIENCE),
        ("printf '\\033[2J{}\\n'", BROKEN, " does not answer as our hook does: [2J{}", PATIENCE),
        ("kill -9 $$", BROKEN, " ends with status -9", PATIENCE),
        ("exec sleep 600", BROKEN, " does not end in time", 0.3),
        ("sleep 0.35; echo '{}'", WARN, " answers in ", PATIENCE),
    ],
)
def test_a_hook_that_does_not_answer_as_ours_is_named(
    does: str, status: str, said: str, seconds: float, tmp_path: Path
) -> None:
    host = make_host(tmp_path)
    own = script(Path(host.home) / "rcs-hook", does)
    check = program_checks.of_hook(host, CODEX, [own], "rcs setup", is_mine=True, seconds=seconds)
    assert (check.what, check.status) == ("Codex hook", status)
    slow = "it is on a slow disk or started by a version manager; set it up from a plain venv"
    assert check.todo == ("rcs setup" if status == BROKEN else slow)
    assert check.found.startswith(own + said)


def test_what_is_started_is_told_of_no_state_and_no_settings(host: Host) -> None:
    env = {"RCS_ROOT": host.root, "RCS_RECORD": host.root, "RCS_DB": "/x", "SECRET": "1", "LANG": "C"}
    told = program_checks.environment(host._replace(env={**host.env, **env}))
    homes = ("RCS_ROOT", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "COPILOT_HOME", "QWEN_HOME", "GEMINI_CLI_HOME")
    passed = {"PATH": host.env["PATH"], "HOME": host.home, "LANG": "C"}
    assert told == passed | dict.fromkeys(homes, "/dev/null") | {"PYTHONDONTWRITEBYTECODE": "1"}


# --- files of every shape


SHAPES: dict[str, Any] = {
    "empty": "",
    "not JSON": "{",
    "null": "null",
    "hooks list": {"hooks": []},
    "event object": {"hooks": {"Stop": {}}},
    "group text": {"hooks": {"Stop": ["x"]}},
    "handlers object": {"hooks": {"Stop": [{"hooks": {}}]}},
    "handler text": {"hooks": {"Stop": [{"hooks": ["rcs-hook", None, 7, []]}]}},
    "command number": {"hooks": {"Stop": [{"hooks": [{"type": [], "command": 5}]}]}},
    "quotes": {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "'/x/rcs-hook"}]}]}},
    "deep": "[" * 200_000,
    "long number": '{"a": ' + "1" * 9_000 + "}",
    "huge": '{"a": "' + "x" * 2_000_000 + '"}',
    "event of a line's length": {"hooks": {"\x1b[2J" + "x" * 9_000: 7}},
    "key": {"\x1b[2J\n": 1} | hooks(GONE),
    "switches": {
        "disableAllHooks": "yes",
        "enabledPlugins": [],
        "permissions": {"allow": 5},
        "disabledMcpjsonServers": "rcs_state",
    }
    | hooks(GONE),
    "tool": {"hooks": {"Stop": [{"hooks": [{"type": "mcp_tool", "server": "rcs_state"}]}]}},
}


@pytest.mark.parametrize("client", [CODEX, CLAUDE])
@each_row("shape", SHAPES)
def test_a_settings_file_of_any_shape_ends_no_check(shape: str, client: str, tmp_path: Path) -> None:
    host = make_host(tmp_path)
    write(file_of(host, client), SHAPES[shape])
    found = checks(host)
    assert found
    assert all(len(check.found) < 12_000 for check in found)


UNREADABLE: list[tuple[Callable[[Path], object], str]] = [
    (os.mkfifo, "it is not a file of at most 1048576 bytes"),
    (Path.mkdir, "it is a folder"),
    (lambda path: path.symlink_to("/etc/passwd"), "it is a link out of the workspace"),
    (lambda path: path.write_bytes(b"\xff\xfe"), "it is not UTF-8"),
    (lambda path: path.symlink_to(path), "too many levels of symbolic links"),
]


@pytest.mark.parametrize("name", [".codex/config.toml", ".codex/hooks.json", ".claude/settings.local.json"])
@each_row(("make", "why"), UNREADABLE, ids=str)
def test_a_file_that_no_client_can_read_is_broken(
    make: Callable[[Path], object], why: str, name: str, tmp_path: Path
) -> None:
    path = Path(make_host(tmp_path).root, name)
    path.parent.mkdir()
    make(path)
    title = "Codex file" if "codex" in name else "Claude Code file"
    found = of(checks(Host({}, str(tmp_path / "home"), str(tmp_path / "project"))), title)
    assert found == [Check(title, BROKEN, f"{path}: {why}", "fix the file by hand")]


# --- would Codex run them


TOML = '[[hooks.{event}]]\n[[hooks.{event}.hooks]]\ntype = "command"\ncommand = {command}\ntimeout = 10\n'


def test_hooks_in_config_toml_are_found(host: Host) -> None:
    path = f"{host.home}/.codex/config.toml"
    write(path, "".join(TOML.format(event=event, command=json.dumps(GONE)) for event in EVENTS.split(", ")))
    found = checks(host)
    assert short(of(found, "Codex hooks")) == [(OK, f"{EVENTS} in {path} (command)")]
    assert of(found, "Codex trust")[0].status == TODO


OTHER_TYPE = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": GONE}, {"type": "http"}]}]}}


@each_row(
    ("more", "said"),
    [
        ({"$schema": "x"}, "has the key '$schema', so Codex ignores the whole file"),
        ({"\x1b[2J": 1}, "has the key '[2J', so Codex ignores the whole file"),
        (OTHER_TYPE, "of a type that"),
    ],
)
def test_what_makes_codex_drop_the_file_is_broken(more: dict[str, Any], said: str, tmp_path: Path) -> None:
    host = make_host(tmp_path)
    write(file_of(host, CODEX), hooks(GONE) | more)
    assert any(said in check.found and check.status == BROKEN for check in of(checks(host), "Codex hooks"))


@pytest.mark.parametrize("scope", [PROJECT, USER])
def test_hooks_that_codex_has_switched_off_are_broken(host: Host, scope: str) -> None:
    write(file_of(host, CODEX), hooks(GONE))
    path = InstallTarget(host, CODEX, scope).files[1].path
    write(path, "[features]\nhooks = false\n")
    off = Check("Codex hooks", BROKEN, f"{path} switches them off", "remove features.hooks = false")
    assert off in checks(host)


READ_ONLY = "sandbox_mode is read-only: an agent"
STORE = "the run store in {home}/.rcs"
NOT_STORE = f"an agent may not write {STORE}"


@each_row(("text", "status", "said"), [
    ("", WARN, NOT_STORE),
    ('sandbox_mode = "danger-full-access"', OK, "an agent may write everywhere"),
    ('sandbox_mode = "read-only"', WARN,
     f"{READ_ONLY} cannot record an outcome, so each run is held once, then let go"),
    ('sandbox_mode = "read-only"\n[mcp_servers.rcs_state]\ndefault_tools_approval_mode = "approve"', OK,
     f"{READ_ONLY} records through rcs_state"),
    ('[sandbox_workspace_write]\nwritable_roots = ["{home}/.rcs"]', OK, f"an agent may write {STORE}"),
    ('[sandbox_workspace_write]\nwritable_roots = ["\\u0000", 5]', WARN, NOT_STORE),
    ("sandbox_workspace_write = 5", BROKEN, "sandbox_workspace_write is not a table"),
    ("[mcp_servers.rcs_state]", OK, f"an agent reaches {STORE} through rcs_state"),
])  # fmt: skip
def test_whether_an_agent_can_write_the_run_store(text: str, status: str, said: str, tmp_path: Path) -> None:
    host = make_host(tmp_path)
    write(file_of(host, CODEX), hooks(GONE))
    write(f"{host.home}/.codex/config.toml", text.replace("{home}", host.home))
    assert short(of(checks(host), "Codex sandbox")) == [(status, said.format(home=host.home))]


def test_a_worktree_and_a_subfolder_are_trusted_by_their_repository(tmp_path: Path) -> None:
    (tmp_path / "main/.git/worktrees/w").mkdir(parents=True)
    (tmp_path / "w/sub").mkdir(parents=True)
    (tmp_path / "w/.git").write_text(f"gitdir: {tmp_path}/main/.git/worktrees/w\n")
    assert reading.project_names(f"{tmp_path}/w/sub") == [f"{tmp_path}/w/sub", f"{tmp_path}/w", f"{tmp_path}/main"]
    assert reading.project_names(f"{tmp_path}/main") == [f"{tmp_path}/main"]


# --- would Claude Code run them


@each_row(
    ("switches", "decides"),
    [
        *[((None, None, True, None), 2), ((None, False, True, None), None), ((None, True, False, None), 1)],
        *[((True, False, None, None), 0), ((False, False, False, True), 3), ((None, "yes", None, None), None)],
    ],
)
def test_the_first_file_that_names_the_switch_decides(
    switches: tuple[object, ...], decides: int | None, tmp_path: Path
) -> None:
    """As Claude Code 2.1.326 does with the first three: local, the project's, the person's, and what is managed."""
    host = make_host(tmp_path)
    project = f"{host.root}/.claude/settings.json"
    paths = [f"{host.root}/.claude/settings.local.json", project, f"{host.home}/.claude/settings.json"]
    paths.append(f"{host.home}/managed.json")
    for path, value in zip(paths, switches, strict=True):
        write(path, (hooks(GONE) if path == project else {}) | ({} if value is None else {"disableAllHooks": value}))
    found = [each for each in reading.settings_of(host, CLAUDE) if isinstance(each, reading.Settings)]
    said = of(list(claude_checks.checks(host, found, {}, [], paths[3])), "Claude Code hooks")
    off = [f"{paths[decides]} has disableAllHooks, so none runs"] if decides is not None else []
    assert [check.found for check in said] == off


def test_a_company_that_allows_only_its_own_hooks_is_named(host: Host) -> None:
    path = f"{host.home}/managed.json"
    write(path, {"allowManagedHooksOnly": True})
    said = Check("Claude Code hooks", BROKEN, f"{path} allows only managed hooks", "ask who manages it")
    assert said in list(claude_checks.checks(host, [], {}, [], path))


def test_the_plugin_is_found_and_still_switched_off_with_all_hooks(host: Host) -> None:
    path = f"{host.home}/.claude/settings.json"
    write(path, {"enabledPlugins": {"rcs@rcs-hooks": True}, "disableAllHooks": True})
    found = checks(host)
    assert Check("Claude Code plugin", OK, f"switched on in {path}") in found
    off = Check("Claude Code hooks", BROKEN, f"{path} has disableAllHooks, so none runs", "remove disableAllHooks")
    assert off in found
    write(f"{host.root}/.claude/settings.json", {"enabledPlugins": {"rcs@rcs-hooks": False}})
    assert of(checks(host), "Claude Code plugin") == []


@pytest.mark.slow
@each_row(
    ("said", "status", "found"),
    [
        ({"enabledMcpjsonServers": ["rcs_state"]}, OK, "rcs_state is approved"),
        ({"enableAllProjectMcpServers": True}, OK, "rcs_state is approved"),
        ({"disabledMcpjsonServers": ["rcs_state"]}, BROKEN, "rcs_state is listed in disabledMcpjsonServers"),
        ({}, TODO, "rcs_state is not approved in {path}"),
    ],
)
def test_whether_the_server_is_approved(said: dict[str, Any], status: str, found: str, tmp_path: Path) -> None:
    host = make_host(tmp_path)
    path = set_up(host, CLAUDE, transport="mcp").hooks_file.path
    value = json.loads(Path(path).read_text())
    del value["enabledMcpjsonServers"]
    write(path, value | said)
    assert short(of(checks(host), "Claude Code server"))[-1] == (status, found.format(path=path))


@each_row(("allow", "status"), [([], WARN), (["Bash"], OK), ([f"Bash({RCS} state:*)"], WARN), ("Bash", WARN)])
def test_each_command_of_the_agent_wants_a_rule(allow: object, status: str, tmp_path: Path) -> None:
    host = make_host(tmp_path)
    write(file_of(host, CLAUDE), hooks(GONE) | {"permissions": {"allow": allow}})
    assert [check.status for check in of(checks(host), "Claude Code rules")] == [status]


def test_a_rule_that_lets_the_agent_run_any_command_by_rcs_is_named(host: Host) -> None:
    path = set_up(host, CLAUDE).hooks_file.path
    settings = json.loads(Path(path).read_text())
    settings["permissions"]["allow"].append(f"Bash({RCS} prove:*)")
    write(path, settings)
    said = f"Bash({RCS} prove:*) lets the agent run any command by `rcs prove`, `rcs task test` or `rcs watch`, unasked"
    todo = "rcs setup --client claude --scope project; or remove it, if you wrote it"
    assert of(checks(host), "Claude Code rules") == [Check("Claude Code rules", WARN, said, todo)]


# --- under our name, and not ours


@pytest.mark.parametrize("client", [CODEX, CLAUDE])
def test_what_a_repository_adds_to_our_hooks_is_named_and_setup_takes_it_out(host: Host, client: str) -> None:
    path = file_of(host, client)
    title = f"{TITLES[client]} hooks"
    value = hooks(GONE)
    value["hooks"]["SessionStart"][0]["matcher"] = "nothing-at-all"
    for event, more in (
        ("SessionStart", {"timeout": 0.001}),
        ("UserPromptSubmit", {"command": f"PATH=/evil {GONE}"}),
        ("Stop", {"timeout": "abc"}),
        ("SessionEnd", {"timeout": 3, "statusMessage": "evil"}),
    ):
        value["hooks"][event][0]["hooks"][0] |= more
    write(path, value)
    again = f"rcs setup --client {client} --scope project"
    todo = f"{again}, then approve the hooks again: start `codex`, then /hooks" if client == CODEX else again
    narrowed = "in a group with a matcher, which may keep it from running"
    assert of(checks(host), title) == [
        Check(title, WARN, f"{path} has other than rcs setup writes ({words}): look at it", todo)
        if words.endswith("SessionEnd")
        else Check(title, WARN, f"{path} {words}", todo)
        for words in (
            "UserPromptSubmit, SessionEnd",
            f"has the hook for SessionStart {narrowed}",
            "gives the hook for Stop, SessionStart a time-out that is not from 1 to 600 seconds",
        )
    ]
    set_up(host, client)
    assert [check.status for check in of(checks(host), title)] == [OK]
    assert not {word for word in ("evil", "matcher") if word in Path(path).read_text()}


def test_what_the_person_s_own_file_adds_to_our_hooks_stays(host: Host) -> None:
    path = file_of(host, CLAUDE, USER)
    value = hooks(LINE, timeout=30, statusMessage="mine")
    value["hooks"]["SessionStart"][0]["matcher"] = "startup"
    write(path, value)
    set_up(host, CLAUDE, USER)
    assert json.loads(Path(path).read_text())["hooks"] == value["hooks"]
    said = f"{path} has the hook for SessionStart in a group with a matcher, which may keep it from running"
    todo = "remove the matcher, unless you want that"
    assert of(checks(host), "Claude Code hooks") == [Check("Claude Code hooks", WARN, said, todo)]


SERVER = '{"mcpServers": {"rcs_state": {"command": "sh", "args": ["-c", "evil"]}}}'
SERVERS = {
    CODEX: (".codex/config.toml", '[mcp_servers.rcs_state]\ncommand = "sh"\nargs = ["-c", "evil"]\n'),
    CLAUDE: (".mcp.json", SERVER.replace("}}}", ', "env": {"PATH": "x"}}}}')),
    "qwen": (".qwen/settings.json", SERVER),
    "gemini": (".gemini/settings.json", SERVER),
}
"""Where a repository brings a server under our name, and its text."""


@each_row("client", SERVERS)
def test_a_server_that_no_hook_asks_is_named(client: str, tmp_path: Path) -> None:
    host = make_host(tmp_path)
    name, text = SERVERS[client]
    write(f"{host.root}/{name}", text)
    [found] = of(checks(host), f"{TITLES[client]} server")
    said = f"{host.root}/{name} has a server rcs_state that no hook here asks: it runs sh -c evil"
    removes = f"`rcs uninstall --client {client} --scope project` removes it"
    assert (found.status, found.found) == (WARN, f"{said}, with env.PATH" if client == CLAUDE else said)
    todo = "look at it before you trust this project"
    assert found.todo == (f"{todo}; {removes}" if client in (CODEX, CLAUDE) else f"{todo}, or remove it")


@pytest.mark.slow
def test_a_variable_in_the_entry_of_the_project_s_server_is_named(host: Host) -> None:
    path = set_up(host, CLAUDE, transport="mcp").files[1].path
    write(path, Path(path).read_text().replace('"args"', '"env": {"RCS_ROOT": "/evil"}, "args"'))
    said = f"{path}: the server rcs_state sets RCS_ROOT=/evil, which moves the workspace there"
    assert short(of(checks(host), "Claude Code env")) == [(WARN, said)]
    host = host._replace(env={**host.env, "RCS_ROOT": "/evil"})
    assert of(checks(host), "Claude Code env") == []


VARIABLES = {
    "RCS_DB": ("/evil", "which moves the run store there"),
    "RCS_DISABLE": ("1", "which switches the hooks off"),
    "RCS_OTHER": ("1", "which this version does not know"),
    "RCS_RECORD": ("/evil", "which writes each hook call there, with your prompt"),
    "RCS_ROOT": ("/evil", "which moves the workspace there"),
    "RCS_STOP_MAX_BLOCKS": ("0", "which decides how often a Stop is blocked"),
}


@pytest.mark.parametrize("client", [CODEX, CLAUDE, "qwen"])
def test_each_variable_of_ours_that_a_project_s_file_sets_is_named(host: Host, client: str) -> None:
    values = {name: value for name, (value, _) in VARIABLES.items()} | {"OTHER": "1", "MY_RCS_DISABLE": "1"}
    if client == CODEX:
        path = f"{host.root}/.codex/config.toml"
        lines = "".join(f'{name} = "{value}"\n' for name, value in values.items())
        write(path, f"[shell_environment_policy.set]\n{lines}")
    else:
        path = f"{host.root}/.{client}/settings.json"
        write(path, {"env": values})
    title = f"{TITLES[client]} env"
    todo = "remove it from that file before you trust this project, unless it is yours"
    assert of(checks(host), title) == [
        Check(title, BROKEN, f"{path} sets {name}={value}, {does}", todo) for name, (value, does) in VARIABLES.items()
    ]


def test_a_variable_in_a_file_of_the_person_s_own_is_theirs(host: Host) -> None:
    write(f"{host.home}/.claude/settings.json", {"env": {"RCS_DISABLE": "1"}})
    values = {"RCS_DISABLE": "0", "RCS_ROOT": 5, "RCS_DASHBOARD_TOKEN": "secret"}
    write(f"{host.root}/.claude/settings.local.json", {"env": values})
    assert [(check.status, check.found.partition(" sets ")[2]) for check in of(checks(host), "Claude Code env")] == [
        (WARN, "RCS_DASHBOARD_TOKEN=..., which sets the dashboard's token"),
        (WARN, "RCS_DISABLE=0, which leaves the hooks on"),
        (WARN, "RCS_ROOT=5, which moves the workspace there"),
    ]
    write(f"{host.root}/.claude/settings.json", {"env": {f"RCS_{number}": "1" for number in range(3000)}})
    found = of(checks(host), "Claude Code env")
    assert len(found) < 20
    assert found[-1].found.endswith(" more of this kind")


@each_row(
    ("command", "scope", "is_named"),
    [
        ("PATH=/evil rcs hud --statusline", PROJECT, True),
        ("/evil/rcs hud --statusline", PROJECT, True),
        (f"{RCS} hud --statusline; evil", PROJECT, True),
        ("python3 -m rcs_hooks hud --statusline", PROJECT, True),
        (f"{RCS} hud --statusline", PROJECT, False),
        ("my-line", PROJECT, False),
        ("PATH=/mine rcs hud --statusline", USER, False),
    ],
)
def test_a_status_line_under_our_name_is_named(command: str, scope: str, is_named: bool, tmp_path: Path) -> None:
    host = make_host(tmp_path)
    write(file_of(host, CLAUDE), hooks(GONE))
    value = hooks(GONE) if scope == PROJECT else {}
    write(file_of(host, CLAUDE, scope), value | {"statusLine": {"type": "command", "command": command}})
    found = of(checks(host), "Claude Code statusLine")
    assert [check.status for check in found if check.status != OK] == [WARN] * is_named


# --- where they stand


@pytest.mark.parametrize("client", [CODEX, CLAUDE])
def test_hooks_in_two_files_may_count_twice(host: Host, client: str) -> None:
    places = [file_of(host, client, scope) for scope in (PROJECT, USER)]
    for place in places:
        write(place, hooks(GONE))
    twice = [check for check in checks(host) if "count twice" in check.found]
    said = f"they are in {places[0]} and {places[1]}: each Stop may count twice"
    todo = f"rcs uninstall --client {client} --scope project"
    assert [check[1:4] for check in twice] == [(WARN, said, todo)]


def test_a_home_that_is_the_project_has_each_file_once(host: Host) -> None:
    host = host._replace(root=host.home)
    write(file_of(host, CLAUDE, USER), hooks(GONE))
    found = checks(host)
    assert len(of(found, "Claude Code hooks")) == 1
    assert [check for check in found if "twice" in check.found] == []


def test_an_event_that_lacks_or_is_there_twice_is_named(host: Host) -> None:
    path, title = file_of(host, CLAUDE), "Claude Code hooks"
    group = {"hooks": [{"type": "command", "command": GONE}]}
    write(path, {"hooks": {"Stop": [group, group]}})
    todo = "rcs setup --client claude --scope project"
    assert of(checks(host), title) == [
        Check(title, WARN, f"{path} has ours twice for Stop: each Stop may count twice", todo),
        Check(title, BROKEN, f"{path} lacks UserPromptSubmit, SessionStart, SessionEnd", todo),
    ]


def test_ours_in_an_environment_within_the_project_is_ours(host: Host) -> None:
    host = host._replace(root=str(RCS_HOOK.parents[2]), home="/nowhere")
    assert not reading.runs_program_of_project(host, hooks(LINE)["hooks"]["Stop"][0]["hooks"][0])


def test_a_server_of_the_person_s_own_that_is_not_ours_is_noted(host: Host) -> None:
    path = f"{host.home}/.codex/config.toml"
    said = (NOTE, f"{path} has a server rcs_state that no hook here asks: it runs sh")
    for entry, count in ((f'command = "{RCS_HOOK.with_name("rcs")}"\nargs = ["mcp"]', 0), ('command = "sh"', 1)):
        write(path, f"[mcp_servers.rcs_state]\n{entry}\n")
        assert short(of(checks(host), "Codex server")) == [said] * count


@each_row("text", [b"gitdir: \0/.git/worktrees/x", b"\xff" * 100_000, b"gitdir: /nowhere", b""])
def test_a_git_file_may_hold_anything(text: bytes, tmp_path: Path) -> None:
    (tmp_path / ".git").write_bytes(text)
    assert reading.project_names(str(tmp_path)) == [str(tmp_path)]
