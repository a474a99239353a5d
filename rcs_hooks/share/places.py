"""What machines and projects are called on the shared pages: `//MACHINE/NAME`, `//MACHINE` and `~PERSON`. Pure."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rcs_hooks.jsontext import JsonObject

LONGEST = 60
PERSON = "~"
"""What the name of a person begins with, where it stands for all projects of that person."""
APART = str.maketrans("/@~\\", "____")
"""What tells the parts of an address apart is no part of a name, whatever a machine has written."""


class SharedMachine(NamedTuple):
    """One machine that has registered, with its names as they are shown."""

    id: int
    name: str
    person: str
    program: str
    seen_at: float | None
    """When it was heard of last, by the server's clock, in seconds since 1970."""


class Place(NamedTuple):
    """One project of one machine."""

    id: int
    machine: SharedMachine
    name: str
    changed: int
    """The batch that changed anything of it last."""
    has_texts: bool
    """Whether its titles, reasons and ids as written have left the machine."""

    @property
    def address(self) -> str:
        """Return what stands for the folder of a local project."""
        return f"//{self.machine.name}/{self.name}"


class Places:
    """All machines and projects, by their numbers and by what they are called."""

    def __init__(
        self,
        machines: Iterable[SharedMachine] = (),
        projects: Iterable[tuple[int, int, str, int, bool]] = (),
    ) -> None:
        """Create them. A project: its number, its machine's, its name, its newest batch, and whether texts leave."""
        self.machines: dict[int, SharedMachine] = {}
        named: set[str] = set()
        for machine in machines:
            name = plain(machine.name) or "machine"
            name = name if name not in named else f"{name}-{machine.id}"
            named.add(name)
            self.machines[machine.id] = machine._replace(
                name=name,
                person=plain(machine.person) or "somebody",
                program=clean(machine.program, LONGEST),
            )
        self.projects: dict[int, Place] = {}
        addresses: set[str] = set()
        for number, machine_id, name, changed, texts in projects:
            if owner := self.machines.get(machine_id):
                place = Place(number, owner, plain(name) or "project", changed, bool(texts))
                place = _numbered(place, addresses)
                addresses.add(place.address)
                self.projects[number] = place

    def machine_named(self, name: str) -> SharedMachine | None:
        return next((each for each in self.machines.values() if each.name == name), None)

    def ids_of(self, address: str | None) -> list[int] | None:
        """Return the numbers of the projects that an address stands for; None for all of them."""
        if address is None:
            return None
        return [each.id for each in self.projects.values() if _is_in(each, address)]

    def named(self, address: str) -> Place | None:
        """Return the project of that address; None if there is none."""
        return next((each for each in self.projects.values() if each.address == address), None)

    def versions(self) -> dict[str, int]:
        """Return for each address a number that changes with everything there."""
        return {each.address: each.changed for each in self.projects.values()}

    def addresses(self) -> list[str]:
        """Return the addresses of all projects, in their order."""
        return sorted(each.address for each in self.projects.values())


def _numbered(place: Place, taken: set[str]) -> Place:
    """Return a project as `NAME-2` or the like where an earlier one of its machine has the name."""
    found, number = place, 1
    while found.address in taken:
        number += 1
        found = place._replace(name=f"{place.name}-{number}")
    return found


def _is_in(place: Place, address: str) -> bool:
    if address.startswith(PERSON):
        return place.machine.person == address.removeprefix(PERSON)
    return address.rstrip("/") in (place.address, f"//{place.machine.name}")


def fairly(entries: list[JsonObject], most: int) -> list[JsonObject]:
    """Return so many entries in their order; where there are more, those that are the first of their machine."""
    if len(entries) <= most:
        return entries
    places: Counter[str] = Counter()
    ranked = []
    for number, entry in enumerate(entries):
        machine = machine_in(str(entry["project"]))
        ranked.append((places[machine], number))
        places[machine] += 1
    return [entries[number] for number in sorted(number for _, number in sorted(ranked)[:most])]


def plain(text: object) -> str:
    """Return a name as it is shown: cleaned, bounded, and without what tells the parts of an address apart."""
    return clean(text, LONGEST).translate(APART).strip()


def machine_in(address: str) -> str:
    """Return the name of the machine in the address of a project or of a run, `RUN@MACHINE`; empty if there is none."""
    if address.startswith("//"):
        return address[2:].partition("/")[0]
    return address.rpartition("@")[2] if "@" in address else ""
