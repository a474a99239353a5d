"""axe-core, from the npm registry, in a cache outside the checkout."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from filelock import FileLock

from tests.real_clients.install import CACHE, Unavailable, _npm_install

VERSION = "4.10.3"
RUN = """async () => {
    const found = await axe.run(document, { resultTypes: ["violations"] });
    return found.violations.flatMap((rule) => rule.nodes.map(
        (node) => `${rule.id}: ${rule.help}: ${node.html.slice(0, 160)} ${node.failureSummary.slice(0, 300)}`));
}"""
"""Says only what is said of it here: all that axe says of a page takes as long to hand over as to find."""
HERE = CACHE.with_name("rcs-hooks-axe")


def source() -> str:
    """The script. Raises Unavailable."""
    try:
        HERE.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Unavailable(f"no cache for axe-core: {error}") from None
    kept = HERE / f"axe-{VERSION}.min.js"
    with FileLock(HERE / "axe.lock"):
        if not kept.exists():
            with tempfile.TemporaryDirectory(dir=HERE) as made:
                _npm_install(f"axe-core@{VERSION}", Path(made))
                shutil.move(Path(made) / "node_modules" / "axe-core" / "axe.min.js", kept)
    return kept.read_text()


def findings(page: Any) -> list[str]:
    """What it finds, in a line each: rule, what to do, where."""
    if not page.evaluate("() => typeof axe === 'object'"):
        page.evaluate(source())
    return list(page.evaluate(RUN))
