"""Where the server asks for a key, the pages work with the address that it says, and without it nothing is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from playwright.sync_api import expect

from tests.browser.live import Dashboard
from tests.browser.watched import READY

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.browser.scene import Scene


def test_the_pages_work_with_the_key_and_only_with_it(browser: Browser, scene: Scene) -> None:
    scene.project.emit("requirements")
    made = Dashboard(scene.project.root, scene.project.home, "--token")
    try:
        url = made.start()
        plain = "{0.scheme}://{0.netloc}".format(urlsplit(url))
        context = browser.new_context()
        page = context.new_page()
        refused = page.goto(f"{plain}/runs")
        assert refused
        assert refused.status in (401, 403)
        assert "requirements" not in page.content()
        page.goto(url)
        page.wait_for_selector(READY)
        page.goto(f"{plain}/runs")
        expect(page.locator("[data-run=r1]")).to_be_visible()
        expect(page.locator("#connection")).to_have_attribute("data-state", "live")
        scene.project.emit("design")
        expect(page.locator("[data-run=r1] .step")).to_have_text("design")
        assert "key=" not in page.url
        page.go_back()
        page.goto(f"{plain}/runs/r1")
        page.get_by_role("button", name="End run…").click()
        page.get_by_role("button", name="End the run").click()
        expect(page.locator(".run-head .status")).to_have_text("skipped")
        context.close()
    finally:
        made.stop()
