"""Which folders a person trusts: the deepest that is named decides."""

from __future__ import annotations

from typing import Any

from rcs_hooks.clients import folder_trust
from tests.table import each_row

T, P, D = "TRUST_FOLDER", "TRUST_PARENT", "DO_NOT_TRUST"


@each_row(
    ("folders", "expected"),
    [
        ({}, False),
        ({"/srv/a/b": T}, True),
        ({"/srv/a/other": P}, True),
        ({"/srv/other/x": P}, False),
        ({"/srv/a/b/c": T}, False),
        ({"/srv/a/bc": T}, False),
        ({"/srv": T, "/srv/a": D}, False),
        ({"/srv": D, "/srv/a/b": T}, True),
        ({"/srv/a/b": "x"}, False),
        ({"\0": T}, False),
    ],
)
def test_the_deepest_folder_decides(folders: dict[str, Any], expected: bool) -> None:
    assert folder_trust.is_trusted(folders, "/srv/a/b") is expected


@each_row(
    ("settings", "expected"),
    [
        ({}, None),
        ({"security": []}, None),
        ({"security": {"folderTrust": {"enabled": "yes"}}}, None),
        ({"security": {"folderTrust": {"enabled": True}}}, True),
        ({"security": {"folderTrust": {"enabled": False}}}, False),
    ],
)
def test_whether_trust_is_switched_on(settings: dict[str, Any], expected: bool | None) -> None:
    assert folder_trust.switch(settings) is expected
