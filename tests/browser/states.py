"""The pages and their states: how each is reached, and what is to be seen before it is looked at."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from playwright.sync_api import expect

from tests.browser.everything import FILES
from tests.browser.scene import FORGE, LONG_RUN, page_of
from tests.browser.watched import AWAY

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Route

    from tests.browser.live import Dashboard
    from tests.browser.scene import Scene
    from tests.browser.watched import Window

PAGES = {
    "overview": ("/", ".entry"),
    "needs": ("/attention", ".need"),
    "runs": ("/runs", "[data-run]"),
    "run": (f"/runs/{LONG_RUN}", ".graph svg"),
    "run-step": (f"/runs/{LONG_RUN}?step=build", "#detail"),
    "sessions": ("/sessions", ".session"),
    "tasks": ("/tasks", ".task"),
    "all": ("/all", ".entry-row"),
    "all-found": ("/all?q=report", ".entry-row"),
    "all-none": ("/all?q=nowhere", ".empty"),
    "all-mode": ("/all?kind=mode&sort=title", ".entry-row"),
    "runs-none": ("/runs?status=skipped", ".empty"),
    "failed": ("/runs/fork-3", ".banner.is-failed"),
    "waits": ("/runs/blueprint-7", ".banner.is-waiting"),
    "stalled": ("/runs/quiet-1", ".banner.is-stalled"),
    "days": ("/runs/archived-1", ".with-day"),
    "fresh": ("/runs/fresh-1", ".graph svg"),
    "files": (f"/runs/{FILES}", ".files"),
    "nowhere": ("/nowhere", ".empty"),
    "unknown": ("/runs/there-is-none", ".empty"),
    "markdown": (f"/runs/{LONG_RUN}?artifact=docs/design.md", ".markdown table"),
    "diff": (f"/runs/{LONG_RUN}?artifact=docs/change.diff", ".diff tr.added"),
    "json": (f"/runs/{LONG_RUN}?artifact=docs/report.json", "pre.text"),
    "missing": (f"/runs/{LONG_RUN}?artifact=docs/gone.md", "dialog .problem"),
    "picture": (f"/runs/{FILES}?artifact=shot.png", ".shown-picture"),
    "binary": (f"/runs/{FILES}?artifact=core.bin", "dialog p:has-text('This is not text')"),
    "large": (f"/runs/{FILES}?artifact=build.log", "dialog .note"),
    "plan": (f"/runs/{FILES}?artifact=plan.md", ".mermaid svg"),
}


class Stage(NamedTuple):
    window: Window
    scene: Scene
    dashboard: Dashboard


# --- states that take a click or a key; those that change what is shown come last


def _mode(stage: Stage) -> None:
    stage.window.go(page_of(stage.scene, FORGE, "forge"))
    expect(stage.window.page.locator(".graph svg")).to_be_visible()


def _mode_step(stage: Stage) -> None:
    stage.window.go(page_of(stage.scene, FORGE, "forge", step="fixing"))
    expect(stage.window.page.locator("#detail")).to_be_visible()


def _mode_clear(stage: Stage) -> None:
    _mode(stage)
    stage.window.page.get_by_role("button", name="Clear…").click()


def _own_mode(stage: Stage) -> None:
    stage.window.go(page_of(stage.scene, "release-1", "release"))
    expect(stage.window.page.locator(".tag.own")).to_be_visible()


def _mode_stalled(stage: Stage) -> None:
    stage.window.go(page_of(stage.scene, "01998f2c-forge", "forge"))
    expect(stage.window.page.locator(".graph svg")).to_be_visible()


def _needs_all(stage: Stage) -> None:
    stage.window.go("/attention")
    page = stage.window.page
    page.locator(".more-needs summary").click()
    page.evaluate("scrollTo(0, 0)")


def _end_run(stage: Stage) -> None:
    stage.window.go(f"/runs/{LONG_RUN}")
    stage.window.page.get_by_role("button", name="End run…").click()


def _graph(stage: Stage) -> None:
    stage.window.go(f"/runs/{LONG_RUN}")
    stage.window.page.get_by_role("button", name="Large").click()
    expect(stage.window.page.locator("dialog svg g.state").first).to_be_visible()


def _events(stage: Stage) -> None:
    stage.window.go(f"/runs/{LONG_RUN}")
    stage.window.page.locator(".event-rows summary").first.click()
    expect(stage.window.page.locator(".event-rows [open] pre").first).to_be_visible()


def _keys(stage: Stage) -> None:
    stage.window.go("/runs")
    stage.window.page.keyboard.press("?")
    expect(stage.window.page.get_by_role("heading", name="Keys")).to_be_visible()


def _copied(stage: Stage) -> None:
    stage.window.page.context.grant_permissions(["clipboard-write", "notifications"])
    stage.window.go(f"/runs/{LONG_RUN}")
    stage.window.page.get_by_role("button", name="Copy the id of the run").click()
    expect(stage.window.page.locator(".toast")).to_be_visible()


def _broken(stage: Stage) -> None:
    page = stage.window.page
    body = '{"error": "the database of the runs cannot be read"}'
    page.route("**/api/runs?*", lambda route: route.fulfill(status=500, body=body, content_type="application/json"))
    stage.window.go("/runs")
    expect(page.locator(".empty")).to_be_visible()
    page.unroute("**/api/runs?*")


def _dialog(stage: Stage) -> None:
    stage.window.go("/attention")
    stage.window.page.get_by_role("button", name="SQLite").click()
    expect(stage.window.page.get_by_role("dialog")).to_be_visible()


def _answered(stage: Stage) -> None:
    _dialog(stage)
    stage.window.page.get_by_role("button", name="Send the answer").click()
    expect(stage.window.page.get_by_role("heading", name="Answered")).to_be_visible()


def _after_the_answer(stage: Stage) -> None:
    stage.window.go("/attention")
    expect(stage.window.page.locator(".need").first).to_be_visible()


def _outline(stage: Stage) -> None:
    page = stage.window.page
    stage.window.go("/runs")
    held: list[Route] = []
    page.route("**/api/sessions*", partial(_hold, held))
    page.get_by_role("link", name="Sessions", exact=True).click()
    expect(page.locator(".skeleton .bone")).to_have_count(4)


def _hold(held: list[Route], route: Route) -> None:
    held.append(route)


def _away(stage: Stage) -> None:
    stage.window.allowed += AWAY
    stage.window.go(f"/runs/{LONG_RUN}")
    stage.dashboard.stop()
    expect(stage.window.page.locator("#away")).to_be_visible()


ACTS: dict[str, Callable[[Stage], None]] = {
    "mode": _mode,
    "mode-step": _mode_step,
    "mode-clear": _mode_clear,
    "mode-own": _own_mode,
    "mode-runs": _mode_stalled,
    "end-run": _end_run,
    "graph": _graph,
    "events": _events,
    "keys": _keys,
    "copied": _copied,
    "broken": _broken,
    "needs-all": _needs_all,
    "dialog": _dialog,
    "answered": _answered,
    "answered-needs": _after_the_answer,
    "outline": _outline,
    "away": _away,
}


def _open(address: str, selector: str, stage: Stage) -> None:
    stage.window.go(address)
    expect(stage.window.page.locator(selector).first).to_be_visible()


def states() -> dict[str, Callable[[Stage], None]]:
    """Return how each state is reached, in the order in which they can be."""
    return {name: partial(_open, *place) for name, place in PAGES.items()} | ACTS
