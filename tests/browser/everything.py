"""All that the pages can show at once: runs, sessions and their questions, failures, files of each kind, and tasks."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

from tests.browser import samples
from tests.browser.scene import running

if TYPE_CHECKING:
    from tests.browser.scene import Scene
    from tests.browser.watched import Window

FILES = "files-1"
"""The run whose artifacts are of each kind."""
PLAN = """# Plan

- [x] read the code
- [ ] write the export
- [ ] measure it

| step | files | hours |
|:-----|:-----:|------:|
| read | 12 | 1.5 |
| write | 3 | 12.25 |

```mermaid
stateDiagram-v2
[*] --> reading
reading --> writing : understood
writing --> reading : surprised
writing --> [*]
```

Then measure.
"""


def fill(window: Window, scene: Scene) -> None:
    """Play what the pages show: runs, sessions, questions, failures, files and tasks."""
    window.allowed += ("404 (Not Found)", "409 (Conflict)", "500 (Internal Server Error)")
    _failures(scene)
    scene.fill()
    scene.run_of_forge()
    scene.own_mode()
    scene.prompt("$release ship version 2", "release-1", 700)
    scene.write("release-1", "release", 90, active=False, lifecycle_outcome="finished")
    _files(scene)
    body = samples.tasks(str(scene.project.root))
    window.page.route("**/api/tasks*", lambda route: route.fulfill(body=body, content_type="application/json"))


def _failures(scene: Scene) -> None:
    for number in range(6):
        data = {
            "status": "failed",
            "feature": f"export {number}",
            "message": "no network: docs.example is out of reach",
        }
        scene.at(9600 - 60 * number).emit("requirements", "failed", run=f"export-{number}", data=data)


def _files(scene: Scene) -> None:
    root = scene.project.root
    (root / "shot.png").write_bytes(png(320, 200))
    (root / "core.bin").write_bytes(b"\0" * 4000)
    (root / "build.log").write_text("compiling a file with a name\n" * 50_000)
    (root / "plan.md").write_text(PLAN)
    scene.at(500).emit("requirements", run=FILES, **running(feature="export as a table"))
    for name in ("shot.png", "core.bin", "build.log", "plan.md"):
        scene.at(400).artifact(name, step="requirements", run=FILES)


def png(width: int, height: int) -> bytes:
    """Return a picture whose colours run from one corner to the other."""
    rows = b"".join(
        b"\0" + b"".join(bytes((x * 255 // width, y * 255 // height, 128)) for x in range(width)) for y in range(height)
    )
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
