"""An agent that pastes what it is told, and does nothing else, ends each mode that executes by a proof."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.catalog import MODES
from rcs_hooks.modes import skeleton
from rcs_hooks.workflow.proof import PROVEN
from tests.next_steps import SESSION, SESSION_START, TASK, Scene, commands_in
from tests.support import RCS_HOOK, clean_env, paste, run_rcs

if TYPE_CHECKING:
    from pathlib import Path

EXECUTING = [mode.name for mode in MODES.values() if not mode.is_planning]
TOGETHER = ["$team $forge", "$forge $ultrawork", "$team $forge $ultrawork"]
MOST_STEPS = 12
REPLY, STOP, AGAIN, TAKE_UP = "the reply to its last command", "a held Stop", "a session that starts again", "a take-up"


class Agent:
    """Pastes commands in one workspace; `rcs`: how its shell calls the program; `home`: that of the person."""

    def __init__(self, root: Path, rcs: str = "rcs", home: Path | None = None) -> None:
        self.scene = Scene(root, rcs)
        self.rcs = rcs
        self.shell = clean_env(PATH=f"{RCS_HOOK.parent}:/usr/bin:/bin", **({"HOME": str(home)} if home else {}))
        self.commands: list[str] = []
        """What it has pasted, as it was told."""

    def does(self, command: str) -> str:
        """Paste a command, with what it leaves open filled in, and return what is said."""
        self.commands.append(command)
        done = paste(command.replace(" -- COMMAND", " -- test -d ."), cwd=self.scene.root, env=self.shell)
        assert done.returncode == 0, f"{command}: {done.stderr}"
        return done.stdout + done.stderr

    def way_on(self, text: str) -> str:
        """Return the command that goes on: the proof where there is one, and otherwise the last that is a write."""
        found = [each for each in commands_in(text, self.rcs) if " question " not in each and "--fresh" not in each]
        assert found, f"no command to paste in: {text}"
        return next((each for each in found if " prove " in each), found[-1])

    def reads(self, place: str, said: str, typed: str) -> str:
        """Return what the agent is told next; `said`: by its last command, `typed`: what the person had typed."""
        if place == REPLY:
            return said
        if place == STOP:
            return self.scene.stop(SESSION).reason
        if place == AGAIN:
            return self.scene.call(SESSION_START, SESSION, source="compact").context
        self.scene.prompt("$cancel", SESSION)
        return self.scene.prompt(typed, SESSION).context

    def follows(self, typed: str, place: str) -> None:
        """Follow what is told until all runs have ended."""
        text = self.scene.prompt(f"{typed} {TASK}", SESSION).context
        for _ in range(MOST_STEPS):
            said = self.does(self.way_on(text))
            if not self.scene.stop(SESSION).blocks:
                return
            text = self.reads(place, said, typed)
        pytest.fail(f"{typed} has not ended: {text}")

    def proven(self) -> dict[str, bool]:
        """Return of each run whether it has finished where its machine ends, and is proven."""
        records = {
            path.name.removesuffix("-state.json"): path for path in self.scene.folder(SESSION).glob("*-state.json")
        }
        found = {mode: self.scene.read(mode, SESSION) for mode in records if mode != "skill-active"}
        return {
            mode: record["lifecycle_outcome"] == "finished"
            and not record.get("early")
            and record["proof"]["state"] == PROVEN
            for mode, record in found.items()
        }


@pytest.mark.parametrize("place", [REPLY, STOP, AGAIN])
@pytest.mark.parametrize("mode", EXECUTING)
def test_each_mode_that_executes_ends_by_a_proof(mode: str, place: str, tmp_path: Path) -> None:
    agent = Agent(tmp_path)
    agent.follows(f"${MODES[mode].tokens[0]}", place)
    assert agent.proven() == {mode: True}


@pytest.mark.parametrize("typed", TOGETHER)
def test_modes_that_run_together_end_by_proofs(typed: str, tmp_path: Path) -> None:
    agent = Agent(tmp_path)
    agent.follows(typed, STOP)
    assert agent.proven() == {token[1:]: True for token in typed.split()}


ALONE = [(f"${MODES[mode].tokens[0]}", place) for mode in EXECUTING for place in (REPLY, STOP, AGAIN, TAKE_UP)]


@pytest.mark.slow
@pytest.mark.parametrize(("typed", "place"), [*ALONE, *((typed, STOP) for typed in TOGETHER)])
def test_where_the_person_trusts_one_command_no_other_is_run(typed: str, place: str, tmp_path: Path) -> None:
    home, root = tmp_path / "home", tmp_path / "root"
    home.mkdir()
    root.mkdir()
    (root / "rcs.toml").write_text('[proof]\ncommand = "echo once >>ran"\nrequired = true\n')
    (root / ".gitignore").write_text("ran\n")
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)  # without it, the file that the command writes counts
    agent = Agent(root, home=home)
    assert run_rcs("config", "trust", cwd=root, env=agent.shell).returncode == 0
    agent.follows(typed, place)
    proofs = [each for each in agent.commands if " prove " in each]
    assert proofs
    assert not [each for each in proofs if " -- " in each]
    assert (root / "ran").read_text() == "once\n" * len(proofs)
    assert set(agent.proven().values()) == {True}


def test_the_skeleton_of_an_own_mode_ends_by_a_proof(tmp_path: Path) -> None:
    skill = tmp_path / ".claude" / "skills" / "release" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text(skeleton.text("release", "execution"))
    agent = Agent(tmp_path)
    agent.follows("$release", REPLY)
    assert agent.proven() == {"release": True}
