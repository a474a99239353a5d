"""Real git repositories for the tests of the fingerprint."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Self

ENV = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.com",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.com",
    "GIT_CONFIG_NOSYSTEM": "1",
}


def git(top: Path, *words: str, env: dict[str, str] | None = None, may_fail: bool = False) -> str:
    """Run git as a person would; return what it prints."""
    command = ["git", "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main", *words]
    done = subprocess.run(command, cwd=top, env=ENV | (env or {}), capture_output=True, check=False)
    assert may_fail or done.returncode == 0, done.stderr.decode(errors="replace")
    return os.fsdecode(done.stdout)


class Repo:
    """A repository with a few files and one commit."""

    def __init__(self, top: Path, *settings: str, commit: bool = True) -> None:
        self.top = top
        top.mkdir(parents=True)
        self.git("init", "-q", *settings)
        self.write("a.txt", "one\n")
        self.write("src/b.py", "two\n")
        self.write("run.sh", "#!/bin/sh\n")
        self.write(".gitignore", "*.log\n/build/\n")
        (top / "run.sh").chmod(0o755)
        (top / "link").symlink_to("a.txt")
        if commit:
            self.commit()

    @classmethod
    def at(cls, top: Path) -> Self:
        """A repository that is there."""
        repo = cls.__new__(cls)
        repo.top = top
        return repo

    def git(self, *words: str) -> str:
        return git(self.top, *words)

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def commit(self, message: str = "x") -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
