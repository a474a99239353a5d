"""Builds the commands that messages show, as the agent's shell calls them for one session."""

from __future__ import annotations

from rcs_hooks.jsontext import dumps_line
from rcs_hooks.text import LOST, UNQUOTED, quoted
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rcs_hooks.workflow.mode_record import ModeRecord

YOUR_QUESTION = "YOUR QUESTION"
YOUR_ANSWER = "YOUR ANSWER"
ASK = f"question ask --text '{YOUR_QUESTION}'"
"""What is different in the command that asks the user, where another command for the same mode is shown."""
COMMAND = "COMMAND"
"""The placeholder for the command that proves the work."""
LONGEST_COMMAND = 100
LONGEST_FOLDER = 60
PLAIN = UNQUOTED - {"%"} | {" "}
"""The characters, besides letters and digits, that mean the same to every program that reads a command line."""
QUOTED_APOSTROPHE = '"\'"'


def pasteable(line: str) -> str:
    """Return a command line as the words that follow `--`; `COMMAND` for one that is long or cannot be printed.

    A line that only a shell can read, because it is more than plain and quoted words, becomes the argument of one.
    """
    if not line.strip() or not line.isprintable() or LOST in line:
        return COMMAND
    words = as_words(line, is_words=_is_words(line))
    return words if len(words) <= LONGEST_COMMAND else COMMAND


def as_words(line: str, *, is_words: bool) -> str:
    """Return a command line as the words that follow `--`; those of a shell that reads it, unless it is only words."""
    return line.strip() if is_words else f"sh -c {quoted(line)}"


def _is_words(line: str) -> bool:
    """Tell whether a line is plain words and words in quotation marks, and the first one no assignment."""
    mark = ""
    for char in line.replace(QUOTED_APOSTROPHE, "''"):
        if char == mark or (not mark and char in "'\""):
            mark = "" if mark else char
        elif mark != "'" and not (char in PLAIN or (char.isascii() and char.isalnum())):
            return False
    return not mark and "=" not in line.split(maxsplit=1)[0]


class Proving(NamedTuple):
    """The command by which a run is told to prove itself, and where to run it."""

    command: str = COMMAND
    """The words that follow `--`; empty if the settings name the command."""
    folder: str = ""
    """The folder in which it has to run, relative to the workspace; empty for the workspace itself, or any."""

    @property
    def where(self) -> str:
        """Return the folder as it follows a word: ` (in sub/)`; empty if none is needed."""
        return f" (in {self.folder}/)" if self.folder else ""


BY_NAME = Proving("")
"""The proof by the command that the settings name."""


def proving(record: ModeRecord) -> Proving:
    """Return the command that proves a run: the one of the settings, else that of its last proof, else a placeholder.

    A command whose folder cannot be shown is not offered: elsewhere it would be another one.
    """
    if record.has_named_proof:
        return BY_NAME
    proof = record.proof if record.has("proof") else None
    if proof is None or not _is_folder(proof.folder):
        return Proving()
    words = pasteable(proof.command)
    return Proving(words, proof.folder) if words != COMMAND else Proving()


def _is_folder(path: str) -> bool:
    """Tell whether a path is empty, or names a folder in the workspace in letters that a message can show."""
    is_plain = all(char.isalnum() or char in "._-+@/" for char in path)
    return is_plain and len(path) <= LONGEST_FOLDER and path[:1] not in ("/", "-") and ".." not in path.split("/")


class Commands(NamedTuple):
    """The commands of this program for one session, ready to paste.

    `rcs`: how the agent's shell calls the program. `session`: the session's id; empty if there is none.
    """

    rcs: str
    session: str
    root: str | None = None
    """The workspace, if the agent's shell would find another one."""
    mcp: bool = False
    """Whether the agent has the tools of our MCP server."""
    root_scope: bool = False
    """Whether the record belongs to the workspace, so that no session id reaches it."""

    def of_workspace(self) -> Commands:
        """Return the commands for a record that belongs to the workspace."""
        return self._replace(session="", root_scope=True)

    def _with_scope(self, *words: str) -> str:
        scope = ["--root-scope"] if self.root_scope else ["--session", self.session] if self.session else []
        place = ["--root", self.root] if self.root else []
        return " ".join([self.rcs, *(quoted(each) for each in (*words, *scope, *place))])

    def write(self, mode: str, *options: str) -> str:
        """Return the command that writes into the record of a mode; `options` say what, as `--phase WORD` does."""
        return self._with_scope("state", "write", "--mode", mode, *options)

    def prove(self, mode: str, command: str, *, finish: bool = True) -> str:
        """Return the command that proves the work of a mode and, with `finish`, ends the run as finished if it passes.

        `command`: the command that proves it, as a shell reads it; empty for the one that the settings name.
        """
        here = self._replace(root_scope=False)  # `rcs prove` itself looks whether a run is the workspace's
        words = here._with_scope("prove", *(["--finish"] if finish else []), "--mode", mode)
        return f"{words} -- {command}" if command else words

    def clear(self, mode: str) -> str:
        """Return the command that clears a mode."""
        return self._with_scope("state", "clear", "--mode", mode)

    def state(self, action: str, mode: str) -> str:
        """Return the command `rcs state ACTION` for a mode."""
        return self._with_scope("state", action, "--mode", mode)

    def ask(self, mode: str) -> str:
        """Return the command that records a question of a mode, with a placeholder for the question's text."""
        return self._with_scope("question", "ask", "--mode", mode, "--text", YOUR_QUESTION)

    def answer(self, question: str) -> str:
        """Return the command that answers a question, with a placeholder for the answer.

        `question`: its id, by which it is found in any session.
        """
        return self._replace(session="", root_scope=False)._with_scope("question", "answer", question, YOUR_ANSWER)

    def ways_to_clear(self, mode: str) -> list[str]:
        """Return the command that clears a mode, and then the call of the MCP tool if the agent has our tools."""
        return [self.clear(mode), *([self.mcp_clear(mode)] if self.mcp else [])]

    def mcp_clear(self, mode: str) -> str:
        """Return the call of the MCP tool that clears a mode."""
        session = f', session_id: "{self.session}"' if self.session else ""
        session = ", root_scope: true" if self.root_scope else session
        where = f", cwd: {dumps_line(self.root)}" if self.root else ""
        return f'rcs_state.state_clear({{ mode: "{mode}"{session}{where} }})'
