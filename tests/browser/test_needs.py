"""What needs the person: what is asked, or why it failed; what is put aside; and a notice for who wants one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

if TYPE_CHECKING:
    from tests.browser.conftest import Open
    from tests.browser.scene import Scene


def failed(scene: Scene, number: int, message: str = "") -> None:
    data = {"status": "failed", "feature": f"export {number}"} | ({"message": message} if message else {})
    scene.at(600 - number).emit("requirements", "failed", run=f"r{number}", data=data)


def test_a_need_says_what_is_asked_or_why_it_failed_and_leads_there(look: Open, scene: Scene) -> None:
    failed(scene, 1, "no network: docs.example cannot be reached")
    data = {"status": "waiting", "feature": "billing", "message": "Which currency?"}
    scene.at(120).emit("requirements", "waiting", run="w1", data=data)
    scene.prompt("$forge ship the fix", "0199aaaa-1111-4222-8333-444455556666", 60)
    scene.write("0199aaaa-1111-4222-8333-444455556666", "forge", 30, active=False, lifecycle_outcome="blocked",
                reason="the key has expired")  # fmt: skip
    page = look("/attention", width=400).page
    waiting = page.locator("#waiting .need")
    expect(waiting.locator(".need-title")).to_have_text("billing")
    expect(waiting.locator(".reason")).to_have_text("Which currency?")
    expect(waiting.locator(".when")).to_have_text(re.compile("^for [2-9] m$"))
    expect(page.locator("#failed .reason")).to_have_text(
        ["the key has expired", "no network: docs.example cannot be reached"]
    )
    forge = page.locator("#failed .need", has_text="ship the fix")
    expect(forge.locator(".id")).to_have_text("0199aaaa")
    expect(forge.locator(".need-of span").first).to_have_text("mode forge")
    expect(waiting.locator(".need-of span").first).to_have_text("run of build")
    expect(forge.get_by_role("button", name="Copy the id")).to_be_visible()
    expect(page).to_have_title("(1) Needs me · rcs")
    expect(page.locator("#needs")).to_have_text("1")
    forge.locator(".need-title").click()
    expect(page.locator("h1")).to_have_text("ship the fix")
    expect(page.locator(".banner.is-failed")).to_have_text("The key has expired.")
