"""What doctor says of the clients' files, what it starts and what it does not, and that it changes nothing."""

from __future__ import annotations

import json
import os
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rcs_hooks.install import answers, claude_runs, codex_runs, doctor, edit, plan, settings, trust
from rcs_hooks.install.check import BROKEN, NOTE, OK, WARN, Check
from rcs_hooks.install.clients import CLAUDE, CODEX, PROJECT, USER, Machine, Place
from rcs_hooks.install.merge import handlers
from tests.install.test_health import everything
from tests.support import RCS_HOOK

if TYPE_CHECKING:
    from collections.abc import Callable

OURS = str(RCS_HOOK)
EVENTS = "UserPromptSubmit, Stop, SessionStart, SessionEnd"
PYTHON = str(RCS_HOOK.with_name("python3"))
LINE = f"{PYTHON} -EP -c 'from rcs_hooks.hook.entry import main; main()' || exit 0"
CLIENTS = (CODEX, CLAUDE)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A home and a repository beside it; no client is on PATH."""
    for name in ("home", "project/.git", "bin"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "project/.git/HEAD").write_text("ref: refs/heads/main\n")
    home = str(tmp_path / "home")
    return Machine({"PATH": f"{tmp_path}/bin:/usr/bin:/bin", "HOME": home}, home, str(tmp_path / "project"))


def set_up(machine: Machine, client: str, scope: str = PROJECT, transport: str = "command") -> Place:
    place = Place(machine, client, scope)
    for change in plan.setup(place, transport).changes:
        edit.write(change, place.within)
    return place


def checks(machine: Machine) -> list[Check]:
    folder = Path(machine.home).parent
    before = everything(folder)
    found = list(doctor.checks(machine))
    assert everything(folder) == before
    return found


def of(found: list[Check], what: str) -> list[Check]:
    return [check for check in found if check.what == what]


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
    return {"hooks": {event: [{"hooks": [handler]}] for event in EVENTS.split(", ")}}


# --- whole answers


def test_without_a_client_it_says_so(machine: Machine) -> None:
    said = "neither codex nor claude is on PATH, and neither has a folder in your home"
    assert checks(machine) == [Check("clients", WARN, said)]


def test_a_client_without_our_hooks_is_told_how_to_have_them(machine: Machine) -> None:
    Path(machine.home, ".claude").mkdir()
    assert checks(machine) == [
        Check("Claude Code", NOTE, "`claude` is not on PATH here, so its version is not known"),
        Check(
            "Claude Code hooks",
            WARN,
            "none of ours in the files of this project or of yours",
            "rcs setup --client claude",
        ),
    ]


def test_claude_code_as_it_is_set_up(machine: Machine) -> None:
    place = set_up(machine, CLAUDE)
    program = script(Path(machine.home).parent / "bin/claude", "echo '2.1.326 (Claude Code)'")
    found = checks(machine)
    answering = found.pop(2)
    assert answering.found.startswith(f"{PYTHON} answers in ")
    assert found == [
        Check("Claude Code", OK, f"2.1.326 (Claude Code) ({program})"),
        Check("Claude Code hooks", OK, f"{EVENTS} in {place.hooks_file} (command)"),
        Check("Claude Code rules", OK, "the agent may run what it is told to"),
        Check(
            "Claude Code project",
            NOTE,
            f"{machine.root} is not trusted yet, so the rules of its settings do not count",
            "start `claude` in it once, and say that you trust it",
        ),
    ]


def test_codex_as_it_is_set_up_and_approved(machine: Machine) -> None:
    place = set_up(machine, CODEX)
    untrusted = checks(machine)
    assert [(check.what, check.found) for check in untrusted if check.status == BROKEN] == [
        ("Codex project", f"{machine.root} is not trusted, so its hooks do not run"),
        ("Codex trust", f"{EVENTS}: untrusted, so Codex passes them over"),
    ]
    approve(machine, place.hooks_file)
    found = checks(machine)
    assert [check.status for check in found] == [NOTE, OK, OK, OK, OK, WARN]
    assert found[3:] == [
        Check("Codex project", OK, f"{machine.root} is trusted"),
        Check("Codex trust", OK, f"{EVENTS}: approved as they stand"),
        Check(
            "Codex sandbox",
            WARN,
            f"an agent may not write the run store in {machine.home}/.rcs",
            "rcs setup --client codex --scope project --writable",
        ),
    ]


def approve(machine: Machine, file: str) -> None:
    text = f'[projects.{json.dumps(machine.root)}]\ntrust_level = "trusted"\n'
    for spot, handler in handlers(json.loads(Path(file).read_text())):
        name = json.dumps(trust.key(file, spot))
        text += f'[hooks.state.{name}]\ntrusted_hash = "{trust.hash_of(spot[0], handler)}"\n'
    write(f"{machine.home}/.codex/config.toml", text)


@pytest.mark.parametrize("client", CLIENTS)
def test_a_server_names_its_tools(machine: Machine, client: str) -> None:
    set_up(machine, client, transport="mcp")
    found = checks(machine)
    [answer, *_] = of(found, f"{'Codex' if client == CODEX else 'Claude Code'} server")
    assert answer.status in (OK, WARN)
    assert answer.found.startswith("rcs_state starts and names its tools in ")


# --- what is started


EVIL = "touch {mark}; echo '{{}}'"


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("where", ["project/evil", "elsewhere"])
def test_a_program_that_the_project_names_is_not_started(machine: Machine, client: str, where: str) -> None:
    folder = Path(machine.home).parent
    mark = folder / "ran"
    evil = script(folder / where / "rcs-hook", EVIL.format(mark=mark))
    write(Place(machine, client, PROJECT).hooks_file, hooks(evil))
    [answer] = of(checks(machine), f"{'Codex' if client == CODEX else 'Claude Code'} hook")
    why = {
        "project/evil": "it lies in this project, and it is not the one beside this Python",
        "elsewhere": "a file of this project names it, and it is not the one beside this Python",
    }[where]
    assert answer == Check(
        answer.what,
        WARN,
        f"{evil} was not started: {why}",
        f"look at it before you trust this project; `rcs setup --client {client} --scope project` puts ours in its"
        " place",
    )
    assert not mark.exists()


def test_a_program_in_the_project_is_not_started_whoever_names_it(machine: Machine) -> None:
    mark = Path(machine.home).parent / "ran"
    evil = script(Path(machine.root) / "evil/rcs-hook", EVIL.format(mark=mark))
    link = Path(machine.home) / "rcs-hook"
    link.symlink_to(evil)
    for named in (evil, str(link)):
        write(Place(machine, CLAUDE, USER).hooks_file, hooks(named))
        [answer] = of(checks(machine), "Claude Code hook")
        assert answer.status == WARN
    assert not mark.exists()


def test_a_program_that_the_persons_own_file_names_is_started(machine: Machine) -> None:
    own = script(Path(machine.home) / "tools/rcs-hook", "echo '{}'")
    write(Place(machine, CLAUDE, USER).hooks_file, hooks(own))
    write(Place(machine, CLAUDE, PROJECT).hooks_file, hooks(own))
    [answer] = of(checks(machine), "Claude Code hook")
    assert answer.found.startswith(f"{own} answers in ")


def test_a_persons_file_that_lies_in_the_project_is_the_projects(machine: Machine) -> None:
    mark = Path(machine.home).parent / "ran"
    evil = script(Path(machine.home) / "rcs-hook", EVIL.format(mark=mark))
    machine = machine._replace(env={**machine.env, "CLAUDE_CONFIG_DIR": f"{machine.root}/dotfiles"})
    write(f"{machine.root}/dotfiles/settings.json", hooks(evil))
    assert [check.status for check in of(checks(machine), "Claude Code hook")] == [WARN]
    assert not mark.exists()


@pytest.mark.parametrize("client", CLIENTS)
def test_a_server_that_the_project_names_is_not_started_nor_its_variables_passed(machine: Machine, client: str) -> None:
    place = set_up(machine, client, transport="mcp")
    mark = Path(machine.home).parent / "ran"
    evil = script(Path(machine.root) / "evil/rcs", f"touch {mark}")
    path = place.config_file if client == CODEX else place.servers_file
    ours = Path(path).read_text()
    Path(path).write_text(ours.replace(str(RCS_HOOK.parent / "rcs"), evil))
    title = f"{'Codex' if client == CODEX else 'Claude Code'} server"
    answer = of(checks(machine), title)[0]
    assert answer.found == (
        f"{evil} mcp was not started: it lies in this project, and it is not the one beside this Python"
    )
    write(f"{machine.root}/evil/sitecustomize.py", f"open({str(mark)!r}, 'w')")
    if client == CODEX:
        Path(path).write_text(ours + f'[mcp_servers.rcs_state.env]\nPYTHONPATH = "{machine.root}/evil"\n')
    else:
        write(path, ours.replace('"args"', f'"env": {{"PYTHONPATH": "{machine.root}/evil"}}, "args"'))
    found = of(checks(machine), title)[0]
    assert (found.status, found.found) == (
        WARN,
        "the entry of rcs_state in a file of this project has env.PYTHONPATH: it was not started",
    )
    assert not mark.exists()


@pytest.mark.parametrize(
    "command",
    [f"{OURS} && touch {{mark}}", f"FOO=1 {OURS}", f"/bin/sh {OURS}", f"{OURS} > {{mark}}"],
)
def test_a_line_for_the_shell_is_not_tried(machine: Machine, command: str) -> None:
    mark = Path(machine.home).parent / "ran"
    command = command.format(mark=mark)
    write(Place(machine, CODEX, USER).hooks_file, hooks(command))
    [answer] = of(checks(machine), "Codex hook")
    assert answer.status in (NOTE, BROKEN)
    assert answer.found.startswith(answers._shown(shlex.split(command)))
    assert not mark.exists()


@pytest.mark.parametrize(
    "command", ["/nowhere/rcs-hook", "/\0/rcs-hook", "/\ud800/rcs-hook", f"/{'x' * 9000}/rcs-hook", "./rcs-hook"]
)
def test_a_program_that_is_none_is_broken(machine: Machine, command: str) -> None:
    write(Place(machine, CLAUDE, PROJECT).hooks_file, hooks(command, args=[]))
    [answer] = of(checks(machine), "Claude Code hook")
    assert answer.status == BROKEN
    assert answer.found.endswith(" is no program that can be run")
    assert answer.found.isprintable()
    assert len(answer.found) < 300


def test_a_folder_is_no_program(machine: Machine) -> None:
    folder = Path(machine.home) / "rcs-hook"
    folder.mkdir()
    write(Place(machine, CLAUDE, USER).hooks_file, hooks(str(folder)))
    assert of(checks(machine), "Claude Code hook")[0].found == f"{folder} is no program that can be run"


def test_of_many_programs_a_few_are_looked_at(machine: Machine) -> None:
    value = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": f"/{n}/rcs-hook"} for n in range(2000)]}]}}
    write(Place(machine, CODEX, PROJECT).hooks_file, value)
    found = of(checks(machine), "Codex hook")
    assert [check.status for check in found] == [BROKEN] * 4 + [WARN]
    assert found[-1].found.endswith(" names 1996 more programs as ours, which were not tried")


# --- how it answers


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("echo hello", " answers what no hook of ours does: hello"),
        ("echo '{}'; exit 1", " ends with status 1: {}"),
        ("printf '\\033[2J{}\\n'", " answers what no hook of ours does: [2J{}"),
        ("yes", " says more than a client takes: y y y"),
        ("yes >&2", " says more than a client takes: y y y"),
        ("sleep 60", " does not end in time"),
        ("echo '{}'; sleep 60 & exit 0", " does not end in time: {}"),
        ("exec >&- 2>&-; sleep 60", " does not end in time"),
        ("kill -9 $$", " ends with status -9"),
    ],
)
def test_a_hook_that_does_not_answer_as_ours_is_broken(machine: Machine, does: str, said: str) -> None:
    own = script(Path(machine.home) / "rcs-hook", does)
    started = time.monotonic()
    check = answers.of_hook(machine, CODEX, [own], "rcs setup", is_mine=True, seconds=0.5)
    assert time.monotonic() - started < 5
    assert (check.what, check.status, check.todo) == ("Codex hook", BROKEN, "rcs setup")
    assert check.found.startswith(own + said)
    assert check.found.isprintable()


def test_a_slow_hook_is_told_what_to_do(machine: Machine) -> None:
    own = script(Path(machine.home) / "rcs-hook", "sleep 0.35; echo '{}'")
    check = answers.of_hook(machine, CODEX, [own], "rcs setup", is_mine=True)
    assert check.status == WARN
    assert check.todo == "it is on a slow disk or behind a version manager; set it up from a plain venv"


def test_nothing_of_what_is_started_stays_behind(machine: Machine, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    own = script(Path(machine.home) / "rcs-hook", f"sleep 60 & echo $! > {pid}; wait")
    answers.of_hook(machine, CODEX, [own], "", is_mine=True, seconds=0.5)
    process = Path(f"/proc/{pid.read_text().strip()}/stat")
    until = time.monotonic() + 5
    while process.exists() and process.read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < until


def test_what_is_started_is_told_of_no_state_and_no_settings(machine: Machine) -> None:
    env = {"RCS_ROOT": machine.root, "RCS_RECORD": machine.root, "RCS_DB": "/x", "SECRET": "1", "LANG": "C"}
    told = answers.environment(machine._replace(env={**machine.env, **env}))
    assert told == {
        "PATH": machine.env["PATH"],
        "HOME": machine.home,
        "LANG": "C",
        "RCS_ROOT": "/dev/null",
        "CODEX_HOME": "/dev/null",
        "CLAUDE_CONFIG_DIR": "/dev/null",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


@pytest.mark.parametrize(
    ("does", "status", "said"),
    [
        ("echo 1.2.3", OK, "1.2.3 ({path})"),
        ("printf '\\033[31m%0200d' 7", OK, "[31m" + "0" * 55 + "… ({path})"),
        ("exit 3", WARN, "{path} --version ends with status 3"),
        ("yes", WARN, "{path} --version says more than a client takes"),
        ("sleep 60", WARN, "{path} --version does not end in time"),
        ("true", OK, "it says no version ({path})"),
    ],
)
def test_a_version_is_asked_for_with_patience(machine: Machine, does: str, status: str, said: str) -> None:
    path = script(Path(machine.home).parent / "bin/codex", does)
    check = answers.of_version(machine, CODEX, 0.5)
    assert (check.status, check.found) == (status, said.format(path=path))


def test_a_client_in_the_project_is_not_started(machine: Machine) -> None:
    mark = Path(machine.home).parent / "ran"
    path = script(Path(machine.root) / "bin/codex", f"touch {mark}")
    inside = machine._replace(env={"PATH": f"{machine.root}/bin"})
    assert answers.of_version(inside, CODEX) == Check(
        "Codex", NOTE, f"{path} lies in this project, so it was not asked for its version"
    )
    assert not mark.exists()


# --- files of every shape


SHAPES: dict[str, Any] = {
    "empty": "",
    "not JSON": "{",
    "list": [],
    "null": "null",
    "hooks list": {"hooks": []},
    "event object": {"hooks": {"Stop": {}}},
    "group text": {"hooks": {"Stop": ["x"]}},
    "handlers object": {"hooks": {"Stop": [{"hooks": {}}]}},
    "handler text": {"hooks": {"Stop": [{"hooks": ["rcs-hook", None, 7, []]}]}},
    "command number": {"hooks": {"Stop": [{"hooks": [{"type": [], "command": 5}]}]}},
    "quotes": {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "'/x/rcs-hook"}]}]}},
    "deep": "[" * 200_000,
    "deep object": '{"a":' * 5_000 + "1" + "}" * 5_000,
    "long number": '{"a": ' + "1" * 9_000 + "}",
    "huge": '{"a": "' + "x" * 2_000_000 + '"}',
    "event of a line's length": {"hooks": {"\x1b[2J" + "x" * 9_000: 7}},
    "key": {"\x1b[2J\n": 1} | hooks(OURS),
    "switches": {
        "disableAllHooks": "yes",
        "enabledPlugins": [],
        "permissions": {"allow": 5},
        "disabledMcpjsonServers": "rcs_state",
    }
    | hooks(OURS),
    "tool": {"hooks": {"Stop": [{"hooks": [{"type": "mcp_tool", "server": "rcs_state"}]}]}},
}


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_settings_file_of_any_shape_ends_no_check(machine: Machine, client: str, shape: str) -> None:
    write(Place(machine, client, PROJECT).hooks_file, SHAPES[shape])
    found = checks(machine)
    assert found[0].what == {CODEX: "Codex", CLAUDE: "Claude Code"}[client]
    assert len(found) > 1
    assert all(len(check.found) < 12_000 for check in found)


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _folder(path: Path) -> None:
    path.mkdir()


def _link_out(path: Path) -> None:
    path.symlink_to("/etc/passwd")


def _loop(path: Path) -> None:
    path.symlink_to(path)


def _bytes(path: Path) -> None:
    path.write_bytes(b"\xff\xfe")


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (_pipe, "it is no file of at most 1048576 bytes"),
        (_folder, "is a directory"),
        (_link_out, "it is a link out of the workspace"),
        (_bytes, "it is not UTF-8"),
        (_loop, "too many levels of symbolic links"),
    ],
)
@pytest.mark.parametrize("name", [".codex/config.toml", ".codex/hooks.json", ".claude/settings.local.json"])
def test_a_file_that_no_client_can_read_is_broken(
    machine: Machine, make: Callable[[Path], None], why: str, name: str
) -> None:
    path = Path(machine.root, name)
    path.parent.mkdir()
    make(path)
    title = "Codex file" if "codex" in name else "Claude Code file"
    assert of(checks(machine), title) == [Check(title, BROKEN, f"{path}: {why}", "mend the file by hand")]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a = [" + "[" * 5_000, "it is not TOML: it is nested too deep"),
        (".".join("a" * 100_000) + " = 1", "it is not TOML: a line of it has too many parts"),
        ("a = ", "it is not TOML: Invalid value (at end of document)"),
        ("[hooks]\nStop = 5", "hooks.Stop is no list"),
    ],
)
def test_a_config_that_codex_cannot_read_is_broken(machine: Machine, text: str, why: str) -> None:
    path = f"{machine.root}/.codex/config.toml"
    write(path, text)
    assert of(checks(machine), "Codex file") == [Check("Codex file", BROKEN, f"{path}: {why}", "mend the file by hand")]


# --- would Codex run them


TOML = '[[hooks.{event}]]\n[[hooks.{event}.hooks]]\ntype = "command"\ncommand = {command}\ntimeout = 10\n'


def test_hooks_in_config_toml_are_found_and_hashed(machine: Machine) -> None:
    path = f"{machine.home}/.codex/config.toml"
    text = "".join(TOML.format(event=event, command=json.dumps(LINE)) for event in EVENTS.split(", "))
    write(path, text)
    found = checks(machine)
    assert of(found, "Codex hooks") == [Check("Codex hooks", OK, f"{EVENTS} in {path} (command)")]
    assert of(found, "Codex trust")[0].status == BROKEN
    handler = {"type": "command", "command": LINE, "timeout": 10}
    for event in EVENTS.split(", "):
        key = json.dumps(trust.key(path, (event, 0, 0)))
        text += f'[hooks.state.{key}]\ntrusted_hash = "{trust.hash_of(event, handler)}"\n'
    write(path, text)
    assert of(checks(machine), "Codex trust") == [Check("Codex trust", OK, f"{EVENTS}: approved as they stand")]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"$schema": "x"}, "has the key '$schema', so Codex takes none of it"),
        ({"\x1b[2J": 1}, "has the key '[2J', so Codex takes none of it"),
        ({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": OURS}, {"type": "http"}]}]}}, "of a type that"),
    ],
)
def test_what_makes_codex_drop_the_file_is_broken(machine: Machine, more: dict[str, Any], said: str) -> None:
    write(Place(machine, CODEX, PROJECT).hooks_file, hooks(OURS) | more)
    assert any(said in check.found and check.status == BROKEN for check in of(checks(machine), "Codex hooks"))


@pytest.mark.parametrize("scope", [PROJECT, USER])
def test_hooks_that_codex_has_switched_off_are_broken(machine: Machine, scope: str) -> None:
    set_up(machine, CODEX)
    path = Place(machine, CODEX, scope).config_file
    write(path, "[features]\nhooks = false\n")
    off = Check("Codex hooks", BROKEN, f"{path} switches them off", "take out features.hooks = false")
    assert off in checks(machine)


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ("", WARN, "an agent may not write the run store in {home}/.rcs"),
        ('sandbox_mode = "danger-full-access"', OK, "an agent may write everywhere"),
        (
            'sandbox_mode = "read-only"',
            WARN,
            "sandbox_mode is read-only: an agent cannot record an outcome, so each run is held once, then let go",
        ),
        (
            'sandbox_mode = "read-only"\n[mcp_servers.rcs_state]\ndefault_tools_approval_mode = "approve"',
            OK,
            "sandbox_mode is read-only: an agent records through rcs_state",
        ),
        (
            '[sandbox_workspace_write]\nwritable_roots = ["{home}/.rcs"]',
            OK,
            "an agent may write the run store in {home}/.rcs",
        ),
        (
            '[sandbox_workspace_write]\nwritable_roots = ["\\u0000", 5]',
            WARN,
            "an agent may not write the run store in {home}/.rcs",
        ),
        ("sandbox_workspace_write = 5", BROKEN, "sandbox_workspace_write is no table"),
        ("[mcp_servers.rcs_state]", OK, "an agent reaches the run store in {home}/.rcs through rcs_state"),
    ],
)
def test_whether_an_agent_can_write_the_run_store(machine: Machine, text: str, status: str, said: str) -> None:
    set_up(machine, CODEX)
    write(f"{machine.home}/.codex/config.toml", text.replace("{home}", machine.home))
    [check] = of(checks(machine), "Codex sandbox")
    assert (check.status, check.found) == (status, said.format(home=machine.home))


@pytest.mark.parametrize("text", [b"gitdir: \0/.git/worktrees/x", b"\xff" * 100_000, b"gitdir: /nowhere", b""])
def test_a_git_file_may_hold_anything(tmp_path: Path, text: bytes) -> None:
    (tmp_path / ".git").write_bytes(text)
    assert codex_runs.projects(str(tmp_path)) == [str(tmp_path)]


def test_a_worktree_and_a_subfolder_are_trusted_by_their_repository(tmp_path: Path) -> None:
    (tmp_path / "main/.git/worktrees/w").mkdir(parents=True)
    (tmp_path / "w/sub").mkdir(parents=True)
    (tmp_path / "w/.git").write_text(f"gitdir: {tmp_path}/main/.git/worktrees/w\n")
    assert codex_runs.projects(f"{tmp_path}/w/sub") == [f"{tmp_path}/w/sub", f"{tmp_path}/w", f"{tmp_path}/main"]
    assert codex_runs.projects(f"{tmp_path}/main") == [f"{tmp_path}/main"]


# --- would Claude Code run them


@pytest.mark.parametrize(
    ("local", "project", "user", "managed", "decides"),
    [
        (None, None, True, None, "user"),
        (None, False, True, None, None),
        (None, True, False, None, "project"),
        (False, True, None, None, None),
        (True, False, None, None, "local"),
        (False, False, False, True, "managed"),
        (None, "yes", None, None, None),
    ],
)
def test_the_first_file_that_names_the_switch_decides(
    machine: Machine, local: object, project: object, user: object, managed: object, decides: str | None
) -> None:
    """As Claude Code 2.1.326 does with the first three of the four."""
    paths = {
        "local": f"{machine.root}/.claude/settings.local.json",
        "project": f"{machine.root}/.claude/settings.json",
        "user": f"{machine.home}/.claude/settings.json",
        "managed": f"{machine.home}/managed.json",
    }
    for (name, path), value in zip(paths.items(), (local, project, user, managed), strict=True):
        write(path, (hooks(OURS) if name == "project" else {}) | ({} if value is None else {"disableAllHooks": value}))
    found = [each for each in settings.read_all(machine, CLAUDE) if isinstance(each, settings.Settings)]
    said = of(list(claude_runs.checks(machine, found, paths["managed"])), "Claude Code hooks")
    off = [f"{paths[decides]} has disableAllHooks, so none runs"] if decides else []
    assert [check.found for check in said] == off


def test_a_company_that_allows_only_its_own_hooks_is_named(machine: Machine) -> None:
    path = f"{machine.home}/managed.json"
    write(path, {"allowManagedHooksOnly": True})
    said = Check("Claude Code hooks", BROKEN, f"{path} allows only managed hooks", "ask who manages it")
    assert said in list(claude_runs.checks(machine, [], path))


def test_the_plugin_is_found_and_still_switched_off_with_all_hooks(machine: Machine) -> None:
    path = f"{machine.home}/.claude/settings.json"
    write(path, {"enabledPlugins": {"rcs@rcs-hooks": True}, "disableAllHooks": True})
    found = checks(machine)
    assert Check("Claude Code plugin", OK, f"switched on in {path}") in found
    assert (
        Check("Claude Code hooks", BROKEN, f"{path} has disableAllHooks, so none runs", "take disableAllHooks out")
        in found
    )
    write(f"{machine.root}/.claude/settings.json", {"enabledPlugins": {"rcs@rcs-hooks": False}})
    assert of(checks(machine), "Claude Code plugin") == []


@pytest.mark.parametrize(
    ("said", "status", "found"),
    [
        ({"enabledMcpjsonServers": ["rcs_state"]}, OK, "rcs_state is approved"),
        ({"enableAllProjectMcpServers": True}, OK, "rcs_state is approved"),
        ({"disabledMcpjsonServers": ["rcs_state"]}, BROKEN, "rcs_state stands in disabledMcpjsonServers"),
        ({}, WARN, "rcs_state is not approved in {path}"),
    ],
)
def test_whether_the_server_is_approved(machine: Machine, said: dict[str, Any], status: str, found: str) -> None:
    place = set_up(machine, CLAUDE, transport="mcp")
    value = json.loads(Path(place.hooks_file).read_text())
    del value["enabledMcpjsonServers"]
    write(place.hooks_file, value | said)
    last = of(checks(machine), "Claude Code server")[-1]
    assert (last.status, last.found) == (status, found.format(path=place.hooks_file))


def test_a_server_of_the_person_s_own_wants_no_approval_beside_a_project_s_commands(machine: Machine) -> None:
    set_up(machine, CLAUDE)
    set_up(machine, CLAUDE, USER, transport="mcp")
    assert [check.status for check in of(checks(machine), "Claude Code server")] == [OK]


@pytest.mark.parametrize(
    ("allow", "status"), [([], WARN), (["Bash"], OK), ([f"Bash({OURS[:-5]} state:*)"], WARN), ("Bash", WARN)]
)
def test_both_commands_of_the_agent_want_a_rule(machine: Machine, allow: object, status: str) -> None:
    write(Place(machine, CLAUDE, PROJECT).hooks_file, hooks(OURS, args=[]) | {"permissions": {"allow": allow}})
    assert [check.status for check in of(checks(machine), "Claude Code rules")] == [status]


# --- under our name, and not ours


@pytest.mark.parametrize("client", CLIENTS)
def test_a_hook_of_the_project_that_says_more_than_ours_is_named(machine: Machine, client: str) -> None:
    path = Place(machine, client, PROJECT).hooks_file
    write(path, hooks(f"PATH=/evil {LINE}"))
    found = of(checks(machine), f"{'Codex' if client == CODEX else 'Claude Code'} hooks")
    assert [(check.status, check.found) for check in found] == [
        (WARN, f"{path} says more than rcs setup writes ({EVENTS}): look at it")
    ]


@pytest.mark.parametrize("where", ["project/.venv", "elsewhere"])
def test_a_python_that_the_project_names_is_not_started(machine: Machine, where: str) -> None:
    """A link to the very Python that runs here would find the packages beside the link."""
    folder = Path(machine.home).parent / where
    (folder / "bin").mkdir(parents=True)
    (folder / "bin/python3").symlink_to(os.path.realpath(PYTHON))
    (folder / "pyvenv.cfg").write_text("home = /usr/bin\n")
    mark = Path(machine.home).parent / "ran"
    (folder / "bin/sitecustomize.py").write_text(f"open({str(mark)!r}, 'w')")
    write(Place(machine, CLAUDE, PROJECT).hooks_file, hooks(LINE.replace(PYTHON, f"{folder}/bin/python3")))
    [answer] = of(checks(machine), "Claude Code hook")
    assert answer.status == WARN
    assert " was not started: " in answer.found
    if where != "elsewhere":
        write(Place(machine, CLAUDE, USER).hooks_file, hooks(LINE.replace(PYTHON, f"{folder}/bin/python3")))
        assert of(checks(machine), "Claude Code hook") == [answer]
    assert not mark.exists()


@pytest.mark.parametrize("client", CLIENTS)
def test_a_server_that_no_hook_asks_is_named(machine: Machine, client: str) -> None:
    place = set_up(machine, client)
    if client == CODEX:
        write(place.config_file, '[mcp_servers.rcs_state]\ncommand = "/evil"\n')
    else:
        write(place.servers_file, {"mcpServers": {"rcs_state": {"command": "/evil"}}})
    [found] = of(checks(machine), f"{'Codex' if client == CODEX else 'Claude Code'} server")
    assert (found.status, found.found) == (
        WARN,
        "a file of this project has a server rcs_state, and no hook here asks it",
    )


@pytest.mark.parametrize(
    ("command", "scope", "is_named"),
    [
        ("PATH=/evil rcs hud --statusline", PROJECT, True),
        ("/evil/rcs hud --statusline", PROJECT, True),
        (f"{OURS[:-5]} hud --statusline; evil", PROJECT, True),
        ("python3 -m rcs_hooks hud --statusline", PROJECT, True),
        (f"{OURS[:-5]} hud --statusline", PROJECT, False),
        ("my-line", PROJECT, False),
        ("PATH=/mine rcs hud --statusline", USER, False),
    ],
)
def test_a_status_line_under_our_name_is_named(machine: Machine, command: str, scope: str, is_named: bool) -> None:
    set_up(machine, CLAUDE)
    path = Place(machine, CLAUDE, scope).hooks_file
    value = json.loads(Path(path).read_text()) if scope == PROJECT else {}
    write(path, value | {"statusLine": {"type": "command", "command": command}})
    found = of(checks(machine), "Claude Code statusLine")
    assert [check.status for check in found if check.status != OK] == [WARN] * is_named


# --- where they stand


@pytest.mark.parametrize("client", CLIENTS)
def test_hooks_in_two_files_may_count_twice(machine: Machine, client: str) -> None:
    places = [set_up(machine, client, scope) for scope in (PROJECT, USER)]
    twice = [check for check in checks(machine) if "count twice" in check.found]
    assert [(check.status, check.found, check.todo) for check in twice] == [
        (
            WARN,
            f"they stand in {places[0].hooks_file} and {places[1].hooks_file}: each Stop may count twice",
            f"rcs uninstall --client {client} --scope project",
        )
    ]


def test_a_home_that_is_the_project_has_each_file_once(machine: Machine) -> None:
    machine = machine._replace(root=machine.home)
    set_up(machine, CLAUDE, USER)
    found = checks(machine)
    assert len(of(found, "Claude Code hooks")) == 1
    assert [check for check in found if "twice" in check.found] == []


def test_an_event_that_lacks_or_is_there_twice_is_named(machine: Machine) -> None:
    path = Place(machine, CLAUDE, PROJECT).hooks_file
    group = {"hooks": [{"type": "command", "command": LINE}]}
    write(path, {"hooks": {"Stop": [group, group]}})
    assert of(checks(machine), "Claude Code hooks") == [
        Check(
            "Claude Code hooks",
            WARN,
            f"{path} has ours twice for Stop: each Stop may count twice",
            "rcs setup --client claude --scope project",
        ),
        Check(
            "Claude Code hooks",
            BROKEN,
            f"{path} lacks UserPromptSubmit, SessionStart, SessionEnd",
            "rcs setup --client claude --scope project",
        ),
    ]
