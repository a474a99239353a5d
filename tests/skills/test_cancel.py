"""The skill `cancel`: what it says that the hook has done is what the hook has done."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.skills.reading import body_of, section

if TYPE_CHECKING:
    from tests.skills.desk import Desk


def test_cancel_has_ended_what_the_file_says_it_has(desk: Desk) -> None:
    done = section("cancel", "What the hook has done").text
    desk.prompt("$team $forge go")
    desk.works('rcs question ask --mode forge --session SESSION --text "Which database?"')
    desk.prompt("$forge go", "s2")
    context = desk.prompt("$cancel").context
    assert "cancelled: team + forge (userinterlude)" in context
    assert "cancelled: forge + team (userinterlude)" in done
    assert {desk.read(mode)["lifecycle_outcome"] for mode in ("team", "forge")} == {"userinterlude"}
    assert desk.works("rcs question list") == "no open question\n"
    assert not desk.stop().blocks
    assert desk.stop("s2").blocks
    assert "cancelled: nothing was active" in desk.prompt("$cancel").context
    assert "cancelled: nothing was active" in done


def test_cancel_starts_what_stands_beside_it(desk: Desk) -> None:
    assert "(`$cancel $blueprint`)" in body_of("cancel")
    desk.prompt("$forge go")
    assert "active: blueprint" in desk.prompt("$cancel $blueprint").context
    assert desk.active_now() == ["blueprint"]


@pytest.mark.parametrize("by_hand", [False, True])
def test_after_cancel_the_skill_named_again_goes_on_where_it_stood(by_hand: bool, desk: Desk) -> None:
    _, end, *_ = section("cancel", "Where no hook ran").commands
    desk.prompt("$forge go")
    desk.enter("forge", "executing")
    if by_hand:
        desk.works(end)
    else:
        desk.prompt("$cancel")
    context = desk.prompt("$forge").context
    assert "forge (phase executing" in context
    assert "userinterlude" in context


def test_after_a_clear_nothing_is_left_to_take_up(desk: Desk) -> None:
    clear, everywhere = section("cancel", "Where no hook ran").commands[2:]
    desk.prompt("$forge go")
    desk.enter("forge", "executing")
    desk.works(clear)
    assert "forge (phase starting" in desk.prompt("$forge").context
    desk.prompt("$forge go", "s2")
    desk.works(everywhere)
    assert not desk.stop().blocks
    assert not desk.stop("s2").blocks
