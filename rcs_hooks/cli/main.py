"""`rcs`: finds the command, loads only its module, and turns errors into words and an exit status.

Exit status: 0 done, 1 refused, 2 wrong command line, 130 interrupted.
"""

from __future__ import annotations

import sys

from rcs_hooks.cli import output
from rcs_hooks.environment import drop_settings
from rcs_hooks.errors import RcsError, SystemFailure, UsageError
from rcs_hooks.files.paths import let_owner_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

# Name; module in this folder, or MODULE:WHICH where `build_WHICH` and `run_WHICH` are meant; purpose; example.
COMMANDS = (
    (
        "try",
        "try_prompt",
        "show what a prompt would do, and write nothing",
        "rcs try '$blueprint $team ship this fix'",
    ),
    ("setup", "setup", "add the hooks to the configuration of your clients", "rcs setup --dry-run"),
    ("doctor", "doctor", "check whether the hooks run, and what to do if not", "rcs doctor"),
    ("off", "switch:off", "switch the hooks off, here or everywhere", "rcs off"),
    ("on", "switch:on", "switch the hooks on again", "rcs on"),
    ("uninstall", "uninstall", "remove the hooks from the clients' configuration", "rcs uninstall"),
    ("status", "status", "say in words what is running", "rcs status"),
    ("log", "log", "show what happened to the modes", "rcs log --follow"),
    ("modes", "modes", "list the modes that may be typed here, or write a new one", "rcs modes new release"),
    ("config", "config", "show which settings count here; trust those of a project", "rcs config trust"),
    ("state", "state", "read, write and clear workflow state", "rcs state list-active"),
    ("prove", "prove", "run a command as the proof that a run has finished", "rcs prove --finish -- pytest -q"),
    ("question", "question", "ask the user a blocking question; answer and list questions", "rcs question list"),
    ("hud", "hud", "show on one line what is running", "rcs hud --json"),
    ("watch", "watch", "say when something waits, fails or ends, or call a program", "rcs watch --on waiting"),
    ("overlay", "overlay", "list the active modes between markers in a file", "rcs overlay apply AGENTS.md"),
    ("emit", "emit", "report a step or an artifact of a run", "rcs emit --help"),
    ("machine", "machine", "check, list and show the state machines that skills declare", "rcs machine list"),
    ("runs", "runs", "list, show, end, prune and export runs", "rcs runs list"),
    ("task", "task", "lead a task from planning to done", "rcs task new login"),
    ("share", "share", "share what runs here with a team, in PostgreSQL", "rcs share add ."),
    ("dashboard", "dashboard", "show runs, sessions and tasks in a browser, live", "rcs dashboard --open"),
    ("mcp", "mcp", "run the MCP server, on stdin and stdout", "rcs mcp"),
    ("completion", "completion", "print a shell's completion script", 'eval "$(rcs completion bash)"'),
    ("help", "help", "show the help of a command, or a page about a topic", "rcs help status"),
)
MODULES = {name: module for name, module, _, _ in COMMANDS}


def usage() -> str:
    """Return the help of `rcs`: all commands and topics with their purpose, and some examples."""
    from rcs_hooks.cli import pages

    lines = ["usage: rcs COMMAND ...", "", "commands:"]
    lines += [f"  {name:<12}{purpose}" for name, _, purpose, _ in COMMANDS]
    topics = {name: pages.purpose(name) for name in pages.topics()}
    if topics:
        from rcs_hooks.cli import options

        lines += ["", "topics (rcs help TOPIC):", options.listed(topics, least=12)]
    lines += ["", "examples:", *(f"  {example}" for *_, example in COMMANDS[:4])]
    lines += ["", "`rcs COMMAND --help` shows a command's options, `rcs --version` the version."]
    lines += ["Start with `rcs try`."]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command that these arguments name (by default those of the process), and return the exit status."""
    let_owner_in()
    drop_settings()
    output.take_encoding()
    args = list(sys.argv[1:] if argv is None else argv)
    ours = args[: args.index("--")] if "--" in args else args  # what follows may be the words of another program
    as_json = "--json" in ours or any(arg.startswith("--input") for arg in ours)
    try:
        status = _run(args)
        output.flush()
    except SystemExit as done:  # argparse has printed the help
        status = done.code if isinstance(done.code, int) else output.USAGE
        output.flush()
    except RcsError as error:
        return output.error(error, as_json=as_json)
    except BrokenPipeError:
        output.abandoned()
        return output.OK
    except OSError as error:
        output.abandoned()
        return output.error(SystemFailure(error), as_json=as_json)
    except KeyboardInterrupt:
        output.interrupted()
        return 130
    return status


def _run(args: list[str]) -> int:
    if not args:
        return output.usage(usage())
    if args[0] in ("-h", "--help") or args == ["help"]:
        output.text(usage())
        return output.OK
    if args[0] in ("-V", "--version") or args == ["version"]:
        from rcs_hooks import __version__

        output.text(f"rcs {__version__}")
        return output.OK
    if args[0] not in MODULES:
        from rcs_hooks.cli import wrong_calls

        raise UsageError(wrong_calls.unknown_command(args[0], MODULES))
    return functions_of(args[0])[1](args[1:])


def functions_of(command: str) -> tuple[Callable[[], argparse.ArgumentParser], Callable[[Sequence[str]], int]]:
    """Load the module of a command, and return the functions that build its parser and run it."""
    import importlib

    name, _, which = MODULES[command].partition(":")
    module = importlib.import_module(f"rcs_hooks.cli.{name}")
    suffix = f"_{which}" if which else ""
    return getattr(module, f"build{suffix}"), getattr(module, f"run{suffix}")
