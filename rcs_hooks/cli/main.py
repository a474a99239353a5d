"""`rcs`: finds the command, loads only its file, and turns errors into words and a status.

Exit status: 0 done, 1 refused, 2 the command line is wrong.
"""

from __future__ import annotations

import sys

from rcs_hooks.cli import output
from rcs_hooks.errors import RcsError
from rcs_hooks.state.paths import let_owner_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Name, module in this folder, what it is for, an example.
COMMANDS = (
    ("try", "attempt", "show what a prompt would do; nothing is written", "rcs try '$blueprint $team ship this fix'"),
    ("setup", "setup", "put the hooks into Codex' and Claude Code's own files", "rcs setup --dry-run"),
    ("doctor", "doctor", "see whether the hooks would run, and what to do", "rcs doctor"),
    ("off", "off", "switch the hooks off, here or everywhere", "rcs off"),
    ("on", "on", "switch them on again", "rcs on"),
    ("uninstall", "uninstall", "take the hooks out again", "rcs uninstall"),
    ("state", "state", "read, write and clear workflow state", "rcs state list-active"),
    ("question", "question", "ask the user a blocking question, answer one, list them", "rcs question list"),
    ("hud", "hud", "one line about what is running", "rcs hud --watch"),
    ("overlay", "overlay", "list the active modes between markers in a file", "rcs overlay apply AGENTS.md"),
    ("emit", "emit", "report a step or an artifact of a run", "rcs emit --help"),
    ("machine", "machine", "check, list and show the state machines that skills declare", "rcs machine list"),
    ("runs", "runs", "list, show, end, prune and export runs", "rcs runs list"),
    ("task", "task", "lead a task from planning to done", "rcs task new login"),
    ("dashboard", "dashboard", "show runs, sessions and tasks in a browser, live", "rcs dashboard --open"),
    ("mcp", "mcp", "serve the same over MCP, on stdin and stdout", "rcs mcp"),
    ("completion", "completion", "print the completion script of a shell", 'eval "$(rcs completion bash)"'),
)
LONGEST_SHOWN = 200
"""Of a path that the system refused."""
MODULES = {name: module for name, module, _, _ in COMMANDS}


def usage() -> str:
    lines = ["usage: rcs COMMAND ...", "", "commands:"]
    lines += [f"  {name:<12}{purpose}" for name, _, purpose, _ in COMMANDS]
    lines += ["", "examples:", *(f"  {example}" for *_, example in COMMANDS[:4])]
    lines += ["", "`rcs COMMAND --help` shows the options of each. Start with `rcs try`."]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    let_owner_in()
    args = list(sys.argv[1:] if argv is None else argv)
    as_json = "--json" in args or any(arg.startswith("--input") for arg in args)
    try:
        status = _run(args)
        output.flush()
    except SystemExit as done:  # argparse has said what it had to say
        status = done.code if isinstance(done.code, int) else output.USAGE
        output.flush()
    except RcsError as error:
        return output.error(str(error), as_json=as_json)
    except BrokenPipeError:
        output.abandoned()
        return output.OK
    except OSError as error:
        output.abandoned()
        return output.error(_words(error), as_json=as_json)
    except KeyboardInterrupt:
        output.flush()
        return 130
    return status


def _words(error: OSError) -> str:
    if isinstance(error, FileNotFoundError) and not error.filename:  # what os.getcwd says
        return "the working directory is not there any more; change to another folder and try again"
    where = f"{str(error.filename)[:LONGEST_SHOWN]}: " if error.filename else ""
    return f"{where}{(error.strerror or str(error)).lower()}"


def _run(args: list[str]) -> int:
    if not args:
        return output.usage(usage())
    if args[0] in ("-h", "--help", "help"):
        output.text(usage())
        return output.OK
    if args[0] in ("-V", "--version"):
        from rcs_hooks import __version__

        output.text(f"rcs {__version__}")
        return output.OK
    if args[0] not in MODULES:
        near = _nearest(args[0])
        hint = f"did you mean `rcs {near}`?" if near else "`rcs --help` lists the commands"
        output.error(f"there is no command {args[0]!r}; {hint}")
        return output.USAGE
    import importlib

    command = importlib.import_module(f"rcs_hooks.cli.{MODULES[args[0]]}")
    status: int = command.run(args[1:])
    return status


def _nearest(name: str) -> str | None:
    import difflib

    return next(iter(difflib.get_close_matches(name, MODULES, 1)), None)
