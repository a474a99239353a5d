"""A file of a client that may hold entries of ours, and what setup and uninstall make of its text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from rcs_hooks import jsontext
from rcs_hooks.clients import entries
from rcs_hooks.editing import jsontree

if TYPE_CHECKING:
    from rcs_hooks.clients.formats import HookFormat
    from rcs_hooks.clients.installer import InstallTarget, SetupOptions


class ClientFile(ABC):
    """A file of a client that may hold entries of ours. Every method takes and returns the file's whole text."""

    kind = "JSON"
    has_comments = False
    """Whether the client reads comments in this file; in another, a comment is an error."""
    empty = "{}\n"
    """The text that stands for a file that is missing or blank."""
    diff_context = 0
    """The number of lines shown around a change; 0 because they may hold a secret."""

    def __init__(self, target: InstallTarget, path: str) -> None:
        self.target = target
        self.path = path

    @property
    def format(self) -> HookFormat:
        """How this file holds hooks."""
        return self.target.installer.format

    @property
    def boundary(self) -> str | None:
        """The folder that no link on the path of this file may lead out of; None if links may lead anywhere."""
        return self.target.boundary

    @property
    def created_folder(self) -> str | None:
        """The folder that setup may have created for an entry in this file; None if it creates none."""
        return None

    def filled(self, text: str | None) -> str:
        """Return the text; if it is None or blank, the text that stands for an empty file."""
        return text if text and text.strip() else self.empty or text or ""

    def parse(self, text: str) -> Any:
        """Parse the text before a change.

        Raises ValueError, also for a duplicate key, one of which a change would lose.
        """
        return (jsontree.parse(text) if self.has_comments else jsontree.parse_strict(text)).value

    def load(self, text: str) -> Any:
        """Parse the text as the client itself reads it. Raises ValueError."""
        return jsontext.loads(jsontree.without_comments(text) if self.has_comments else text)

    @abstractmethod
    def with_ours(self, text: str, options: SetupOptions) -> str:
        """Return the text with our entries as setup writes them for these options."""

    @abstractmethod
    def without_ours(self, text: str) -> str:
        """Return the text without our entries of any scope; two scopes may share a file."""

    def without_target(self, text: str) -> str:
        """Return the text without our entries of this target; those of another scope stay."""
        return self.without_ours(text)

    @abstractmethod
    def with_ours_of(self, present: str, text: str) -> str:
        """Return the text with our entries that the text `present` has, each where setup would put it."""

    @abstractmethod
    def with_all_ours(self) -> str:
        """Return a text with one of each entry that setup can write to this file, and nothing else."""


class HooksFile(ClientFile):
    """A JSON file of a client that holds hooks."""

    def with_ours(self, text: str, options: SetupOptions) -> str:
        from rcs_hooks.clients.reading import is_from_project

        wanted = self.target.installer.handlers(options.transport)
        return entries.with_handlers(
            text if text.strip() else self.empty,
            {event: hook for event, hook in wanted.items() if event not in options.served},
            self.format,
            is_shared=is_from_project(self.target.host, self.path),
        )

    def without_ours(self, text: str) -> str:
        return entries.without_handlers(text)

    def with_ours_of(self, present: str, text: str) -> str:
        ours = entries.ours(jsontree.parse(present).value)
        return entries.with_handlers(text, {event: handler for (event, *_), handler in ours}, self.format)

    def with_all_ours(self) -> str:
        wanted = {event: {"command": entries.PROGRAM} for event in self.format.events}
        return entries.with_handlers(self.empty, wanted, self.format)
