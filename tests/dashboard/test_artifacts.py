"""The artifact viewer: text, from inside the project, and never too much of it."""

from __future__ import annotations

import os
import sqlite3
from typing import Any

import pytest

from rcs_hooks.dashboard.diagrams import diagrams_in
from tests.dashboard.support import Board
from tests.table import each_row

LARGEST = 1024 * 1024


@pytest.fixture
def ready(board: Board) -> Board:
    board.project.emit("requirements")
    return board


def written(board: Board, path: str, text: str | bytes, **data: Any) -> None:
    target = board.project.root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(text if isinstance(text, bytes) else text.encode())
    board.project.artifact(path, **data)


def forced(board: Board, path: str) -> None:
    """As if it had been registered: `emit` takes no such path, another program may have written it."""
    board.project.artifact("innocent.md")
    connection = sqlite3.connect(board.project.database)
    with connection:
        connection.execute("UPDATE artifacts SET path = ? WHERE path = 'innocent.md'", (path,))
    connection.close()


@each_row(
    ("path", "kind"),
    [("docs/a.md", "markdown"), ("x.MD", "markdown"), ("code/d.diff", "diff"), ("d.patch", "diff"), ("a.json", "json"),
     ("page.html", "text"), ("no-suffix", "text"), ("a b/ü.txt", "text")],
)  # fmt: skip
def test_the_text_of_an_artifact(ready: Board, path: str, kind: str) -> None:
    written(ready, path, "# Hello\n\n<script>alert(1)</script> ü\n")
    with_headers = ready.client.get("/api/runs/r1/artifact", params={"path": path})
    assert with_headers.headers["content-type"] == "application/json"
    found = with_headers.json()
    assert (found["path"], found["kind"], found["truncated"], found["diagram"]) == (path, kind, False, None)
    assert found["text"] == "# Hello\n\n<script>alert(1)</script> ü\n"
    assert found["bytes"] == len(found["text"].encode())
    assert "<script" not in with_headers.text.replace("<script>alert(1)", "", 1)


def test_only_what_was_registered_is_shown(ready: Board) -> None:
    (ready.project.root / "secret.md").write_text("secret")
    words = "run 'r1' has registered no artifact 'secret.md'"
    assert ready.refused("/api/runs/r1/artifact", path="secret.md") == (404, words)
    assert ready.refused("/api/runs/r1/artifact") == (404, "run 'r1' has registered no artifact ''")


OUTSIDE = ("../outside/secret.md", "/etc/passwd", "a/../../outside/secret.md", ".", "", "folder/secret.md", "link.md",
           "chain.md", "absolute.md")  # fmt: skip


def test_nothing_out_of_the_project_is_shown_and_a_link_inside_is_followed(ready: Board) -> None:
    root = ready.project.root
    for folder in (root / "a", root.parent / "outside"):
        folder.mkdir()
    (root.parent / "outside/secret.md").write_text("secret")
    links = {"folder": "../outside", "link.md": "../outside/secret.md", "chain.md": "link.md",
             "absolute.md": str(root.parent / "outside/secret.md")}  # fmt: skip
    for name, target in links.items():
        (root / name).symlink_to(target)
    for path in OUTSIDE:
        forced(ready, path)
        answer = ready.client.get("/api/runs/r1/file", params={"path": path})
        assert answer.status_code == 409, path
        assert ready.refused("/api/runs/r1/artifact", path=path) == (
            409, f"{path!r} leads out of the project, so it is not shown",
        )  # fmt: skip
    (root / "real.md").write_text("here")
    (root / "inside.md").symlink_to("real.md")
    forced(ready, "inside.md")
    assert ready.get("/api/runs/r1/artifact", path="inside.md")["text"] == "here"


def test_an_artifact_that_is_not_a_text_file_is_refused(ready: Board) -> None:
    (ready.project.root / "folder").mkdir()
    ready.project.artifact("folder")
    assert ready.refused("/api/runs/r1/artifact", path="folder") == (409, "'folder' is not a file")
    os.mkfifo(ready.project.root / "pipe")
    ready.project.artifact("pipe")
    assert ready.refused("/api/runs/r1/artifact", path="pipe") == (409, "'pipe' is not a file")
    ready.project.artifact("gone.md")
    assert ready.refused("/api/runs/r1/artifact", path="gone.md") == (409, "'gone.md' is gone")
    written(ready, "latin.txt", b"caf\xe9")
    assert ready.get("/api/runs/r1/artifact", path="latin.txt")["text"] == "caf\ufffd"


def test_of_a_large_file_the_beginning_is_shown(ready: Board) -> None:
    written(ready, "large.txt", "x" * (LARGEST + 10))
    found = ready.get("/api/runs/r1/artifact", path="large.txt")
    assert (len(found["text"]), found["bytes"], found["truncated"]) == (LARGEST, LARGEST + 10, True)


PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


@each_row(("path", "data", "kind"), [
    ("a.bin", b"\x7fELF\0\0", "binary"), ("a.png", PNG, "picture"), ("named.txt", PNG, "picture"),
    ("a.jpg", b"\xff\xd8\xff\xe0x", "picture"), ("a.webp", b"RIFF\x10\0\0\0WEBPVP8 ", "picture"),
    ("a.svg", b"<svg xmlns='http://www.w3.org/2000/svg'><script>x</script></svg>", "text"),
    ("no.png", b"plain words", "text"),
])  # fmt: skip
def test_what_a_file_is_says_its_content(ready: Board, path: str, data: bytes, kind: str) -> None:
    written(ready, path, data)
    found = ready.get("/api/runs/r1/artifact", path=path)
    assert (found["kind"], bool(found["text"]), found["bytes"]) == (kind, kind == "text", len(data))


def test_a_picture_is_shown_and_any_other_file_is_only_stored(ready: Board) -> None:
    written(ready, "pictures/a b.png", PNG)
    written(ready, "evil.html", "<script>alert(1)</script>")

    def file(path: str, **more: str) -> tuple[int, str, str, bytes]:
        answer = ready.client.get("/api/runs/r1/file", params={"path": path} | more)
        headers = answer.headers
        return answer.status_code, headers["content-type"], headers.get("content-disposition", ""), answer.content

    assert file("pictures/a b.png") == (200, "image/png", "inline; filename*=utf-8''a%20b.png", PNG)
    stored = (200, "image/png", "attachment; filename*=utf-8''a%20b.png", PNG)
    assert file("pictures/a b.png", download="true") == stored
    status, kind, how, _ = file("evil.html")
    assert (status, kind, how) == (200, "application/octet-stream", "attachment; filename*=utf-8''evil.html")
    assert ready.client.get("/api/runs/r1/file", params={"path": "unknown.png"}).status_code == 404


def test_the_state_diagrams_of_markdown_are_drawn_and_others_stay_text(ready: Board) -> None:
    text = (
        "# A\n\n```mermaid\nstateDiagram-v2\n[*] --> a\n```\n\n````\n```mermaid\nno fence\n```\n````\n"
        "~~~mermaid\nflowchart LR\na --> b\n~~~\n- x\n  ```mermaid\n  stateDiagram-v2\n  a -> b\n  ```\n"
        "```mermaid\n%%{never closed\n```\n```mermaid\nstateDiagram\n[*] --> a\n```\n"
    )
    written(ready, "a.md", text)
    drawn, broken, old = ready.get("/api/runs/r1/artifact", path="a.md")["diagrams"]
    assert drawn["svg"].startswith("<svg")
    assert drawn["source"] == "stateDiagram-v2\n[*] --> a"
    assert broken["problem"].startswith("line 2 of the diagram: ")
    assert old["problem"].endswith("write `stateDiagram-v2`")


def test_all_diagrams_of_a_text_together_are_bounded() -> None:
    fence = "```mermaid\nstateDiagram-v2\n[*] --> a\n" + "a --> b : x\n" * 300 + "```\n"
    found = diagrams_in(fence * 30, "a.md")
    assert [each["problem"] for each in found] == [None] + ["this text has too many diagrams"] * 19


DIAGRAM = "stateDiagram-v2\n[*] --> one\none --> two\ntwo --> [*]\n"


@pytest.mark.parametrize(
    "text",
    [f"# Flow\n\n## STATE-MACHINE\n\n```mermaid\n{DIAGRAM}```\n", f"# Flow\n\n```mermaid\n{DIAGRAM}```\n", DIAGRAM],
    ids=["a section", "a fence", "the diagram alone"],
)
def test_the_diagram_of_a_subflow_is_drawn(ready: Board, text: str) -> None:
    written(ready, "flow.md", text, subflow=True)
    diagram = ready.get("/api/runs/r1/artifact", path="flow.md")["diagram"]
    assert diagram["problem"] is None
    assert 'data-state="one"' in diagram["svg"]
    assert "<style" not in diagram["svg"]
