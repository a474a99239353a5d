"""The script of the pages is one file, made of its modules; the files of the page are compressed, and told by a tag."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import TYPE_CHECKING

from rcs_hooks.dashboard import pages, script

if TYPE_CHECKING:
    from tests.dashboard.support import Board


def test_every_module_of_the_pages_is_in_the_script() -> None:
    made = script.bundle(pages.STATIC).decode()
    files = [path.relative_to(pages.STATIC) for path in Path(pages.STATIC).glob("js/**/*.js")]
    for path in files:
        assert f"const ${re.sub(r'[^a-z_]', '_', str(path).removeprefix('js/').removesuffix('.js'))} = " in made, path


def test_the_script_is_sent_compressed_and_only_when_it_has_changed(shown: Board) -> None:
    answer = shown.client.get("/static/pages.js", headers={"Accept-Encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.content == script.bundle(pages.STATIC)
    again = shown.client.get("/static/pages.js", headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    plain = shown.client.get("/static/pages.js", headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.content == answer.content


def test_all_that_a_page_loads_is_small(shown: Board) -> None:
    html = shown.client.get("/").text
    loaded = ["/", *re.findall(r'(?:src|href)="(/static/[^"#]+)', html)]
    sizes = {path: len(gzip.compress(shown.client.get(path).content)) for path in loaded}
    assert len(sizes) <= 7
    assert sum(sizes.values()) <= 100_000, sizes
