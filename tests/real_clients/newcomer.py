"""A newcomer: knows README and nothing else, has a terminal with a home of its own, and types what is written there."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tests.real_clients.driver import PATH, Typed
from tests.support import CHECKOUT
from tests.test_docs import README, blocks, sections

if TYPE_CHECKING:
    from tests.real_clients.driver import Outcome, Person
    from tests.real_clients.model_server import Turn

SECTIONS = sections(README.read_text())
SECONDS = 600
LEFT_OUT = (".git", ".venv", "__pycache__", ".*_cache", "build", "*.egg-info")


def shown_commands() -> list[str]:
    """Every line of README that is for a terminal, then every other command that its sentences name."""
    text = README.read_text()
    lines = [without_comment(line) for block in blocks(text, "sh") for line in block.splitlines()]
    spans = re.findall(
        r"(?<!`)`((?:rcs|uv|pipx) [^`\n]+)`(?!`)", re.sub(r"^ *```.*?^ *```$", "", text, flags=re.M | re.S)
    )
    return list(dict.fromkeys([*filter(None, lines), *spans]))


def without_comment(line: str) -> str:
    return line.partition(" # ")[0].strip()


def shown_text(section: str) -> str:
    """Return what a section of README shows to be typed or written that is no command."""
    (text,) = blocks(SECTIONS[section], "(?:text|toml)")
    return re.sub(r"^ +", "", text, flags=re.M)


def shown_span(section: str, pattern: str) -> str:
    """Return the one span of code in a section of README that has a form."""
    spans = re.findall(r"``? ?([^`\n]+(?:`[^`\n]+`)?) ?``?", SECTIONS[section])
    (span,) = {str(span) for span in spans if re.fullmatch(pattern, span)}
    return span


@dataclass
class Newcomer:
    """Sits at a terminal in a folder, and at a client that is on its PATH."""

    person: Person
    path: str
    folder: Path
    typed: set[str] = field(default_factory=set)
    errors: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    """What somebody wanted an answer to: a client about a command, an agent, `rcs` itself."""
    steps: int = 0
    started: float = field(default_factory=time.monotonic)

    @classmethod
    def sits_down(cls, person: Person, tools: Path) -> Newcomer:
        """With the client, pytest and the tools of Python on PATH, and in the folder of a fresh clone."""
        folder = person.home.parent / "rcs-hooks"
        shutil.copytree(CHECKOUT, folder, ignore=shutil.ignore_patterns(*LEFT_OUT))
        programs = person.home.parent / "programs"
        programs.mkdir()
        (programs / person.client).symlink_to(person.program.path)
        (programs / "python3").symlink_to(sys.executable)
        (programs / "pytest").symlink_to(Path(sys.executable).with_name("pytest"))
        return cls(person, f"{person.home / '.local/bin'}:{programs}:{tools}:{PATH}", folder)

    def types(self, line: str, *, says: str = "", where: Path | None = None) -> str:
        """Type a line of README at the terminal, and return what is printed."""
        assert line in shown_commands(), f"README does not show it: {line}"
        self.typed.add(line)
        return self.enters(line, says=says, where=where)

    def enters(self, line: str, *, says: str = "", where: Path | None = None) -> str:
        """Type a line that README only describes. `says` answers a question; `where` is another folder."""
        self.steps += 1
        folder = where or self.folder
        # What an activated environment changes is there for the lines after it, as in one terminal.
        shell = f'{line}\nstatus=$?; printf %s "$PATH" >&3; exit $status'
        words = ["bash", "-c", f'exec 3>"$0"; {shell}', str(self.person.home / "path")]
        if says:
            self.questions.append(line)
            words = ["script", "-qec", shlex.join(words), os.devnull]
        done = subprocess.run(
            words,
            input=says,
            cwd=folder,
            env=self._env(),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        if done.returncode:
            self.errors.append(f"{line}: {done.returncode} {done.stdout[-600:]} {done.stderr[-600:]}")
        self.path = (self.person.home / "path").read_text()
        return done.stdout

    def _env(self) -> dict[str, str]:
        """What any terminal has, and how the registry of packages is reached from here."""
        network = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "UV_", "SSL_"))}
        home = {"HOME": str(self.person.home), "CLAUDE_CONFIG_DIR": str(self.person.home / ".claude")}
        term = {"LANG": "C.UTF-8", "TERM": "xterm-256color", "COLUMNS": "100"}
        return network | home | term | {"PATH": self.path, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}

    def prompts(self, prompt: str, *script: Turn, resume: str = "", **env: str) -> Outcome:
        """Type a prompt in the client, started from this terminal, and say yes to what the client asks."""
        self.steps += 1
        self.person.env = {"PATH": self.path} | env
        outcome = self.person.talks(Typed(prompt), script=script, resume=resume)
        self.errors += outcome.missed + outcome.failures
        if outcome.status != 0:
            self.errors.append(f"{prompt}: {outcome.status} {outcome.err}")
        self.questions += outcome.approvals
        return outcome

    @property
    def minutes(self) -> float:
        return (time.monotonic() - self.started) / 60
