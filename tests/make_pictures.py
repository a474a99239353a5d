"""Writes the pictures of README and of the package's pages: what the program prints, and what the dashboard shows.

`python -m tests.make_pictures` after a change of what they show; a test says where that was forgotten. The dashboard's
needs a Chromium; without one, its picture stays as it is.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from tests.pictures import of_a_page, of_a_terminal
from tests.pictures.scene import fill
from tests.support import CHECKOUT

FOLDER = CHECKOUT / "rcs_hooks" / "docs"
PRINTED = {
    "status.svg": ("A terminal with rcs status: one run waits, one goes on, one has finished", ("status",)),
}
"""The pictures of a terminal: what each is called, and the command."""
PAGE, SHOWN = "dashboard.svg", "The dashboard: one run waits for an answer, one goes on, one has finished with a proof"
QUESTION = re.compile(r"q-[0-9a-f]{10}")
WIDTH = 1000


def printed() -> dict[str, str]:
    """Return the pictures of a terminal, by the name of their file."""
    with tempfile.TemporaryDirectory() as folder:
        scene = fill(Path(folder) / "shop")
        pictures = {}
        for name, (title, words) in PRINTED.items():
            output = of_a_terminal.printed(words, scene.project.root, scene.project.home)
            output = QUESTION.sub("q-352d145985", output)  # the one part that chance makes
            pictures[name] = of_a_terminal.picture([(f"rcs {' '.join(words)}", output)], title)
    return pictures


def page() -> str:
    """Return the picture of the dashboard. Raises Unavailable if there is no Chromium."""
    from playwright.sync_api import sync_playwright

    from tests.browser.live import Dashboard, chromium
    from tests.browser.watched import Window

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = chromium(playwright)
        scene = fill(Path(folder) / "shop")
        dashboard = Dashboard(scene.project.root, scene.project.home)
        dashboard.start()
        try:
            window = Window(browser, dashboard.url, width=WIDTH)
            window.go("/")
            window.page.wait_for_selector(".entry")
            return of_a_page.picture(window.page, SHOWN)
        finally:
            dashboard.stop()
            browser.close()


def main() -> None:
    from tests.browser.live import Unavailable

    FOLDER.mkdir(exist_ok=True)
    for name, text in printed().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    try:
        (FOLDER / PAGE).write_text(page(), encoding="utf-8")
    except Unavailable as why:
        print(f"{PAGE} stays as it is: {why}")


if __name__ == "__main__":
    main()
