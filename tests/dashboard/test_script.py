"""The script of the pages is one file, made of its modules; the files of the page are compressed, and told by a tag."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from rcs_hooks.dashboard import pages, script
from tests.dashboard.support import Board


def put(folder: Path, **modules: str) -> bytes:
    for name, text in modules.items():
        (folder / f"{name}.js").write_text(text)
    return script.bundle(str(folder))


def test_modules_come_after_those_that_they_need_each_once(tmp_path: Path) -> None:
    made = put(
        tmp_path,
        app='import { a, b as c } from "./one.js";\nimport { d } from "./two.js";\na(c, d);\n',
        one='import {\n  d,\n} from "./two.js";\nexport function a() {}\nexport const b = d;\n',
        two="export async function d() {}\nexport class E {}\nconst hidden = 1;\n",
    ).decode()
    assert made == (
        "const $two = (() => {\nasync function d() {}\nclass E {}\nconst hidden = 1;\nreturn { d, E };\n})();\n"
        "const $one = (() => {\nconst {\n  d,\n} = $two;\nfunction a() {}\nconst b = d;\nreturn { a, b };\n})();\n"
        "const $app = (() => {\nconst { a, b: c } = $one;\nconst { d } = $two;\na(c, d);\nreturn {  };\n})();\n"
    )


@pytest.mark.parametrize(
    "one",
    ['import { a } from "./app.js";\n', 'import one from "./app.js";\n', "export default 1;\n", "export { a };\n"],
)
def test_what_cannot_be_put_together_is_said(tmp_path: Path, one: str) -> None:
    with pytest.raises(script.Unbundled):
        put(tmp_path, app='import { b } from "./one.js";\nexport const a = b;\n', one=one)


def test_a_changed_module_is_read_again(tmp_path: Path) -> None:
    assert b"1;" in put(tmp_path, app="const a = 1;\n")
    assert b"222;" in put(tmp_path, app="const a = 222;\n")


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


def test_an_address_without_a_page_is_answered_with_a_page_to_a_person(shown: Board) -> None:
    answer = shown.client.get("/nowhere/at/all", headers={"Accept": "text/html,*/*"})
    assert (answer.status_code, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "pages.js" in answer.text
    for path in ("/api/nowhere", "/static/nowhere.js"):
        answer = shown.client.get(path, headers={"Accept": "text/html,*/*"})
        assert answer.headers["content-type"] == "application/json"
    assert shown.client.get("/nowhere").headers["content-type"] == "application/json"
