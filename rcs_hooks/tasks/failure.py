"""One condition that does not hold: where, what was found, what is needed, and what to do about it. Pure."""

from __future__ import annotations

from typing import NamedTuple

MISSING = "missing"


class Failure(NamedTuple):
    artifact: str
    field: str
    found: str
    needed: str
    fix: str

    @property
    def words(self) -> str:
        """`<artifact>[: <field>]: <found>, need <needed>`; what is missing is needed, and a sentence says it all.

        A sentence that begins with a quoted value follows its field without a colon.
        """
        where = f"{self.artifact}: {self.field}" if self.field else self.artifact
        joint = " " if self.field and not self.needed and self.found.startswith('"') else ": "
        need = f", need {self.needed}" if self.needed and self.found != MISSING else ""
        return f"{where}{joint}{self.found}{need}"

    @property
    def as_json(self) -> dict[str, str]:
        return self._asdict()
