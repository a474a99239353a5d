"""The gates of a task open and close on the page as its files come."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from rcs_hooks.tasks.store import TaskStore
from tests.browser import samples

if TYPE_CHECKING:
    from tests.browser.conftest import Open
    from tests.browser.scene import Scene

PLAN = {"title": "Login", "file_plan": [{"path": "login.py"}], "acceptance_criteria": ["it works"]}


def test_a_gate_says_why_it_is_closed_and_opens(look: Open, scene: Scene) -> None:
    root = scene.project.root
    begun = TaskStore(str(root), "login", time.time())
    begun.prepare()
    begun.begin()
    window = look("/tasks")
    page = window.page
    window.mark()
    gate = page.locator(".task .gate", has_text="plan review")
    expect(gate).to_contain_text("closed")
    expect(gate).to_contain_text("planning.ai.json: missing")
    expect(page.locator(".phases .here")).to_have_text("planning")
    plan = root / ".rcs" / "tasks" / "login" / "planning" / "planning.ai.json"
    plan.parent.mkdir(exist_ok=True)
    plan.write_text(json.dumps(PLAN | {"blocking_questions": ["<b>who</b>?"]}))
    expect(gate).to_contain_text("1 open (<b>who</b>?)")
    plan.write_text(json.dumps(PLAN))
    expect(gate).to_contain_text("open")
    expect(gate).to_contain_text("next")
    window.assert_not_reloaded()


def test_phases_and_gates_are_shown_and_filtered(look: Open, scene: Scene) -> None:
    window = look("/attention")
    page = window.page
    body = samples.tasks(str(scene.project.root))
    page.route("**/api/tasks*", lambda route: route.fulfill(body=body, content_type="application/json"))
    window.go("/tasks")
    login = page.locator(".task", has=page.get_by_role("heading", name="login"))
    expect(login.locator(".gate.closed")).to_have_count(2)
    expect(login.locator(".gate.open")).to_contain_text("next")
    expect(login.locator(".gate.closed .gate-to").first).to_have_text("closed→ testwhen: review passes")
    expect(login.get_by_role("link", name="Runs")).to_be_visible()
    expect(login.locator(".phases .past")).to_have_count(3)
    expect(login).to_contain_text("<b>no</b> check")
    expect(login.locator(".said")).to_contain_text("sent back here")
    expect(login.locator(".said li")).to_have_text(["C1 src/a.py: <b>no</b> limit", "unit: failed"])
    billing = page.locator(".task", has=page.get_by_role("heading", name="billing"))
    expect(billing.locator(".verdict")).to_have_text("stale")
    expect(billing.locator(".phases [aria-current=step] .is-completed")).to_have_text("done")
    expect(billing.locator("p.said")).to_have_text("Stale: files have changed since pytest -q passed.")
    expect(billing.locator(".said p")).to_contain_text("accepted by an agent, ")
    expect(billing.locator(".said li")).to_have_text("<i>good</i> enough")
    page.select_option("[data-filter=phase]", "done")
    expect(page.locator(".task")).to_have_count(1)
    page.reload()
    expect(page.locator(".task h2")).to_have_text("billing")
