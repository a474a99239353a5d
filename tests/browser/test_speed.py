"""How much a page loads, how soon it shows what happens, and how long it keeps the browser from anything else.

Times are those of the processor where the browser tells them, else the least of several: whatever else the machine does
only adds to them.
"""

from __future__ import annotations

import json
import statistics
import threading
import time
from functools import partial
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.support import least

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Response

    from tests.browser.conftest import Open
    from tests.browser.live import Dashboard
    from tests.browser.scene import Scene
    from tests.browser.watched import Window

MOST_REQUESTS, MOST_BYTES = 15, 200_000
LONGEST_TASK = 0.1
TO_PIXEL = 0.1
TIMES = 15
PAINTED = """() => {
    window.painted = {};
    new MutationObserver(() => {
        const last = Number(document.querySelector("#event-count")?.textContent.replace(/,/g, "") ?? 0);
        if (!(last in window.painted))
            requestAnimationFrame(() => setTimeout(() => (window.painted[last] ??= Date.now() / 1000)));
    }).observe(document.querySelector("main"), { childList: true, subtree: true, characterData: true });
}"""


def test_the_first_load_is_small(browser: Browser, scene: Scene, dashboard: Dashboard) -> None:
    scene.fill()
    for address, shown in (("/", ".entry"), ("/attention", ".need"), ("/runs", "[data-run]"), ("/all", ".entry-row")):
        context = browser.new_context()
        page = context.new_page()
        answers: list[Response] = []
        page.on("response", partial(note, answers))
        page.goto(dashboard.url + address)
        expect(page.locator(shown).first).to_be_visible()
        expect(page.locator("#connection[data-state=live]")).to_be_attached()
        page.wait_for_load_state("networkidle")
        sizes = {answer.url: answer.request.sizes()["responseBodySize"] for answer in answers}
        context.close()
        assert len(answers) <= MOST_REQUESTS, sorted(sizes)
        assert sum(sizes.values()) <= MOST_BYTES, sizes


def note(answers: list[Response], answer: Response) -> None:
    answers.append(answer)


@pytest.mark.alone
def test_what_is_emitted_is_painted_at_once(look: Open, scene: Scene) -> None:
    project = scene.project
    project.walk("requirements", "design", "tasks", "build")
    window = look("/runs/r1")
    window.page.evaluate(PAINTED)

    def median() -> float:
        taken = [after_emit(scene, window) for _ in range(TIMES)]
        return statistics.median(taken)

    assert least(median, TO_PIXEL) <= TO_PIXEL


def after_emit(scene: Scene, window: Window) -> float:
    """Seconds from when an emit has been stored until the browser has painted it."""
    scene.project.now = time.time()
    seq = scene.project.emit("build")["seq"]
    stored = time.time()
    window.page.wait_for_function("seq => window.painted[seq]", arg=seq)
    window.page.wait_for_timeout(150)  # the page is quiet when the next one comes, as it is between two steps
    return float(window.page.evaluate("seq => window.painted[seq]", seq)) - stored


@pytest.mark.alone
@pytest.mark.parametrize("address", ["/runs/r1", "/runs", "/", "/attention"])
def test_a_burst_of_events_keeps_the_browser_from_nothing(
    browser: Browser, look: Open, scene: Scene, address: str
) -> None:
    project = scene.project
    scene.fill()
    project.now = time.time()
    project.walk("requirements", "design", "tasks", "build")
    window = look(address)

    def longest() -> float:
        browser.start_tracing(page=window.page, categories=["toplevel", "devtools.timeline"])
        emitted = threading.Thread(target=emit, args=(scene, 300, 3.0))
        emitted.start()
        window.page.wait_for_timeout(3500)
        emitted.join()
        return longest_task(browser.stop_tracing())

    assert least(longest, LONGEST_TASK, 3) <= LONGEST_TASK


def emit(scene: Scene, count: int, seconds: float) -> None:
    begun = time.monotonic()
    for number in range(count):
        scene.project.emit("build", run="r1", data={"status": "running", "message": f"number {number}"})
        time.sleep(max(0.0, begun + seconds * (number + 1) / count - time.monotonic()))


def longest_task(trace: bytes) -> float:
    """Seconds of the processor that the longest task of a page's main thread took."""
    events = json.loads(trace)["traceEvents"]
    mains = {
        (event["pid"], event["tid"])
        for event in events
        if event.get("name") == "thread_name" and event["args"].get("name") == "CrRendererMain"
    }
    tasks = [
        event
        for event in events
        if (event["pid"], event["tid"]) in mains and event.get("ph") == "X" and "RunTask" in event["name"]
    ]
    assert tasks, "the browser told of no task"
    return max(float(event.get("tdur", event["dur"])) for event in tasks) / 1e6
