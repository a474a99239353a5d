"""A project and a home with files of settings."""

from __future__ import annotations

from pathlib import Path

from rcs_hooks import config
from rcs_hooks.config import Config, ProofSettings, trust
from rcs_hooks.config.loading import project_file
from rcs_hooks.config.reading import read

WHOLE = '[proof]\ncommand = "make check"\nrequired = true\ntimeout = "10m"\n'
CHECK = ProofSettings("make check", True, 600.0, "rcs.toml", "rcs.toml")
OWN = "~/.rcs/config.toml"


class Files:
    """A project and a home, each with its file of settings."""

    def __init__(self, folder: Path) -> None:
        self.home, self.root = folder / "home", folder / "project"
        (self.home / ".rcs").mkdir(parents=True)
        self.root.mkdir()
        self.env = {"HOME": str(self.home)}

    def project(self, text: str, *, trusted: bool = False) -> None:
        (self.root / "rcs.toml").write_text(text)
        if trusted:
            self.trust()

    def own(self, text: str) -> None:
        (self.home / ".rcs/config.toml").write_text(text)

    def trust(self) -> None:
        source = read(project_file(str(self.root)))
        assert source
        trust.change(str(self.home), source.path, trust.digest_of(source.tables["proof"]))

    def load(self, **variables: str) -> Config:
        return config.load(self.env | variables, str(self.root))

    def faults(self, **variables: str) -> list[str]:
        """The faults, with the paths as `PROJECT` and `HOME`."""
        found = self.load(**variables).faults
        return [fault.sentence.replace(str(self.root), "PROJECT").replace(str(self.home), "HOME") for fault in found]
