"""Pages that are open follow what happens, also while the server is away; none is loaded again."""

from __future__ import annotations

import os
import re
import time
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from rcs_hooks.files.clock import iso
from tests.browser.scene import HOUR, page_of
from tests.browser.watched import AWAY

if TYPE_CHECKING:
    from tests.browser.conftest import Open
    from tests.browser.live import Dashboard
    from tests.browser.scene import Scene
    from tests.browser.watched import Window

RECORD = """() => {
    window.seen = [];
    const add = (node) => node.dataset?.seq && window.seen.push(Number(node.dataset.seq));
    document.querySelectorAll("[data-seq]").forEach(add);
    window.seen.reverse();
    new MutationObserver((changes) => {
        const added = changes.flatMap((each) => [...each.addedNodes]).filter((node) => node.dataset?.seq);
        added.sort((one, other) => one.dataset.seq - other.dataset.seq).forEach(add);
    }).observe(document.querySelector("main"), { childList: true, subtree: true });
}"""
SHOWN = "() => [...document.querySelectorAll('[data-seq]')].map((each) => Number(each.dataset.seq))"


def at_least(window: Window, count: int) -> None:
    window.page.wait_for_function(
        "count => Number(document.querySelector('#event-count')?.textContent.replace(/,/g, '')) >= count", arg=count
    )


def test_a_run_appears_and_moves_without_a_reload(look: Open, scene: Scene) -> None:
    window = look("/runs")
    page, project = window.page, scene.project
    expect(page.locator(".empty")).to_contain_text("rcs emit --workflow")
    window.mark()
    assert project.rcs(*project.command("requirements")).returncode == 0
    row = page.locator("[data-run=r1]")
    expect(row).to_contain_text("requirements")
    assert project.rcs(*project.command("design")).returncode == 0
    expect(row.locator(".step")).to_have_text("design")
    row.click()
    expect(page.locator(".state.current")).to_have_attribute("data-state", "design")
    expect(page.locator("[data-step=requirements] [aria-label=completed]")).to_be_visible()
    assert project.rcs(*project.command("tasks")).returncode == 0
    expect(page.locator(".state.current")).to_have_attribute("data-state", "tasks")
    expect(page.locator("#event-count")).to_have_text("5")
    window.assert_not_reloaded()


def test_pages_come_back_complete_after_the_server_was_away(look: Open, scene: Scene, dashboard: Dashboard) -> None:
    project = scene.project
    project.walk("requirements", "design", "tasks", "build")
    windows = [look("/runs/r1"), look("/runs"), look("/")]
    for window in windows:
        window.mark()
        window.allowed += AWAY
    windows[0].page.evaluate(RECORD)
    dashboard.stop()
    for window in windows:
        expect(window.page.locator("#connection")).to_have_text("Reconnecting…")
    for _ in range(20):
        project.walk("verify", "build")
    scene.workspace.now = time.time()
    scene.workspace.prompt("$forge go")
    scene.ask("s1", "forge", "Which one?")
    dashboard.start()
    total = 7 + 20 * 4
    at_least(windows[0], total)
    assert windows[0].page.evaluate("window.seen") == list(range(1, total + 1))
    assert windows[0].page.evaluate(SHOWN) == list(range(total, 0, -1))
    expect(windows[1].page.locator("[data-run=r1] .events")).to_contain_text(str(total))
    expect(windows[2].page.locator(".asked")).to_contain_text("Which one?")
    for window in windows:
        window.live()
        expect(window.page.locator("#connection")).to_have_text("")
        window.assert_not_reloaded()
    project.emit("verify")
    at_least(windows[0], total + 2)
    assert windows[0].page.evaluate("window.seen") == list(range(1, total + 3))


SAID = {
    "/": (".entry .status", "running", "stalled"),
    "/attention": (".numbers .is-stalled", "0 stalled", "1 stalled"),
    "/sessions": (".session .status >> nth=0", "running", "stalled"),
    "/all": (".entry-row > .status", "running", "stalled"),
    "forge": (".mode-head .status", "running", "stalled"),
}


@pytest.mark.parametrize("address", SAID)
def test_what_falls_silent_is_stalled_within_five_minutes_though_nothing_is_written(
    look: Open, scene: Scene, address: str
) -> None:
    scene.prompt("$forge fix the login", "s1", 60)
    window = look(page_of(scene, "s1", "forge") if address == "forge" else address)
    page = window.page
    page.clock.install()
    page.reload()
    window.live()
    selector, before, after = SAID[address]
    expect(page.locator(selector)).to_have_text(before)
    window.mark()
    grow_old(scene, 2 * HOUR)
    page.clock.run_for(300_000)
    expect(page.locator(selector)).to_have_text(after)
    window.assert_not_reloaded()


def grow_old(scene: Scene, ago: float) -> None:
    """Let the record of a mode say that it is so old, as if time had passed: its file looks as before."""
    path = scene.workspace.mode_path("forge", "s1")
    status = path.stat()
    old = re.sub(r'("updated_at": *)"[^"]+"', rf'\1"{iso(time.time() - ago)}"', path.read_text())
    with path.open("r+") as file:
        file.write(old)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_size == status.st_size


def test_one_can_turn_back_in_the_events_and_return(look: Open, scene: Scene) -> None:
    project = scene.project
    project.walk("requirements", "design", "tasks", "build")
    for _ in range(500):
        project.emit("build")
    window = look("/runs/r1")
    page = window.page
    page.get_by_role("button", name="Older").click()
    expect(page.locator("[data-seq]").first).to_have_attribute("data-seq", "307")
    assert page.evaluate(SHOWN) == list(range(307, 107, -1))
    project.emit("verify")
    expect(page.get_by_role("button", name="Newest (202)")).to_be_visible()
    assert page.evaluate(SHOWN) == list(range(307, 107, -1))
    page.get_by_role("button", name="Older").click()
    expect(page.locator("[data-seq]").last).to_have_attribute("data-seq", "1")
    page.get_by_role("button", name="Newest").click()
    expect(page.locator("[data-seq]").first).to_have_attribute("data-seq", "509")
