"""Makes `fixtures/` anew: `python -m tests.make_fixtures`. What changes there is to be read before it is committed.

Each scene is played once for each client, with that client's own payloads; the last call of a scene is recorded.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from rcs_hooks.clients import CLIENTS
from rcs_hooks.environment import Environment
from rcs_hooks.hook.entry import respond
from rcs_hooks.hook.recording import Recorder, load
from tests.support import CHECKOUT, NOW, Record, Workspace, check_output
from tests.wire import wires

FIXTURES = CHECKOUT / "fixtures"
SECONDS = 60
"""What passes between two calls."""


class Scene(Workspace):
    """A workspace that is called as one client calls, and that can record a call."""

    def __init__(self, root: Path, client: str) -> None:
        super().__init__(root, now=NOW)
        self.in_git()
        self.wire = wires()[client]
        self.session = self.wire.session
        self.env |= self.wire.env
        self.recording: Path | None = None
        self.title = ""
        self.reason = self.context = ""
        """What the last answer said to the agent."""

    def raw(self, event: str, fields: Record) -> bytes:
        call = self.wire.call(event, str(self.root), self.turns, self.now + SECONDS) | fields
        return json.dumps(call, separators=(",", ":"), ensure_ascii=False).encode()

    def say(self, text: str, file: str = "", **fields: object) -> None:
        self.turns += 1
        self.send("UserPromptSubmit", self.raw("UserPromptSubmit", self.wire.prompt(text, file) | fields))

    def go_on_unasked(self) -> None:
        self.turns += bool(self.wire.unasked)
        self.send("UserPromptSubmit", self.raw("UserPromptSubmit", self.wire.unasked_prompt()))

    def get_reason_back(self) -> None:
        self.go_on_for(self.reason)

    def go_on_for(self, reason: str) -> None:
        """Let the client go on in the same turn, with words that are not the person's prompt."""
        self.send("UserPromptSubmit", self.raw("UserPromptSubmit", self.wire.handed_back(reason)))

    def end_turn(self, message: str | None = "Use make ship.", **fields: object) -> None:
        self.send("Stop", self.raw("Stop", self.wire.stop(message) | fields))

    def send(self, event: str, raw: bytes) -> None:
        self.now += SECONDS
        environment = Environment(self.env, str(self.root), self.now, "rcs")
        recorder = Recorder(str(self.recording), raw, environment) if self.recording else None
        line = respond(raw, environment)
        answer = json.loads(line)
        check_output(event, json.dumps(self.wire.in_common_form(answer)))
        self.reason = answer.get("reason", "")
        self.context = answer.get("hookSpecificOutput", {}).get("additionalContext", "")
        if recorder:
            recorder.save(line)

    def put(self, mode: str, *, root: bool = False, **fields: object) -> None:
        """A mode file as another tool has written it."""
        self.write(mode, None if root else self.session, **fields)

    def question(self, mode: str, **fields: object) -> None:
        record = {
            "kind": "rcs.question/v1", "question_id": "q1", "session_id": self.session, "source": mode,
            "status": "pending", "created_at": "2023-11-14T22:13:20.000Z", "question": "Which database?",
        }  # fmt: skip
        path = self.folder(self.session) / "questions" / "q1.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(record | fields, indent=2) + "\n")

    def ask(self, mode: str, **fields: object) -> None:
        enforcement = {"obligation_id": "o1", "source": mode, "status": "pending", "question_id": "q1"}
        self.put(mode, lifecycle_outcome="askuserQuestion", question_enforcement=enforcement)
        self.question(mode, **fields)

    def say_in_the_same_turn(self, text: str) -> None:
        self.send("UserPromptSubmit", self.raw("UserPromptSubmit", self.wire.prompt(text)))


Play = Callable[[Scene], None]
SCENES: dict[str, tuple[str, Play, Play, Callable[[str], bool]]] = {}
"""Name: what it shows, what comes before, the call that is recorded, and which clients have such a call."""


def every_client(_: str) -> bool:
    return True


def attaches_files(client: str) -> bool:
    return wires()[client].attaches_files


def names_turns(client: str) -> bool:
    return bool(wires()[client].turn)


def is_silent(client: str) -> bool:
    return CLIENTS[client].stops_without_answer


def nothing(_: Scene) -> None:
    """A workspace in which no skill was ever used."""


def started(*prompts: str) -> Callable[[Scene], None]:
    def play(scene: Scene) -> None:
        for prompt in prompts:
            scene.say(prompt)

    return play


def says(prompt: str, file: str = "", **fields: object) -> Callable[[Scene], None]:
    return lambda scene: scene.say(prompt, file, **fields)


def stops(message: str | None = "Use make ship.", **fields: object) -> Callable[[Scene], None]:
    return lambda scene: scene.end_turn(message, **fields)


def having(mode: str, *, root: bool = False, **fields: object) -> Callable[[Scene], None]:
    return lambda scene: scene.put(mode, root=root, **fields)


def broken(scene: Scene) -> None:
    scene.put("team")
    scene.mode_path("team", scene.session).write_text('{"active": tru')


def stopped_five_times(scene: Scene) -> None:
    scene.say("$team go")
    for _ in range(5):
        scene.end_turn()


def finished_blueprint(scene: Scene) -> None:
    scene.say("$blueprint $team $forge ship this fix")
    scene.edit("blueprint", scene.session, active=False, lifecycle_outcome="finished")


def answered_elsewhere(scene: Scene) -> None:
    scene.put("forge")
    scene.question("forge", status="answered", answer="Postgres", delivered_at=None)


def typed_early(scene: Scene) -> None:
    scene.say("$forge go")
    scene.ask("forge", asked_in_turn=scene.wire.turn_of(scene.turns))


def both(*plays: Callable[[Scene], None]) -> Callable[[Scene], None]:
    def play(scene: Scene) -> None:
        for each in plays:
            each(scene)

    return play


def scene(name: str, title: str, before: Play, call: Play, of: Callable[[str], bool] = every_client) -> None:
    SCENES[name] = (title, before, call, of)


DENIAL = {"return_to_blueprint_reason": "two findings are open"}
scene(
    "prompt-plain",
    "a prompt without a skill writes and says nothing",
    nothing,
    says('multi\nline prompt "q" é'),
)
scene("prompt-quoted", "a skill in code is no request", nothing, says("what does `$team` do?"))
scene("prompt-start", "a skill starts", nothing, says("$blueprint the login page"))
scene("prompt-alias", "a public name, said beside the runtime name", nothing, says("$autoforge the login page"))
scene("prompt-defer", "execution waits behind planning", nothing, says("$blueprint $team $forge ship this fix"))
scene("prompt-chain", "execution skills of one prompt overlap", nothing, says("$team, $forge go"))
scene(
    "prompt-plain-running",
    "a prompt without a skill leaves a run alone",
    started("$forge go"),
    says("And in German?"),
)
scene("prompt-no-change", "the skill runs already", started("$forge go"), says("$forge go on"))
scene("prompt-overlap", "one joins the other", started("$forge go"), says("$crew go"))
scene(
    "prompt-handoff",
    "planning is completed, execution starts",
    started("$blueprint x"),
    says("$forge build it"),
)
scene(
    "prompt-handoff-survivor",
    "ultrawork survives a handoff",
    started("$blueprint x", "$ulw"),
    says("$forge build it"),
)
scene(
    "prompt-handoff-root",
    "a root record is handed over and ended",
    having("blueprint", root=True),
    says("$forge go"),
)
scene(
    "prompt-review-loop",
    "autopilot goes back to the blueprint",
    having("autopilot", state=DENIAL),
    says("$blueprint"),
)
scene("prompt-denied", "two that exclude each other", started("$brief x"), says("$forge go"))
scene(
    "prompt-rollback",
    "execution does not roll back to planning",
    started("$team go"),
    says("$blueprint again"),
)
scene("prompt-denied-chain", "a chain is all or nothing", nothing, says("$forge $autopilot go"))
scene("prompt-cancel", "everything ends", started("$team $ulw go"), says("$cancel"))
scene(
    "prompt-cancel-start",
    "everything ends, then another starts",
    started("$team go"),
    says("$cancel $brief anew"),
)
scene(
    "prompt-resume",
    "a failed run is taken up",
    having("forge", active=False, run_outcome="error"),
    says("$forge again"),
)
scene(
    "prompt-answer",
    "the prompt answers a question",
    lambda each: each.ask("forge"),
    says("Postgres, please."),
)
scene(
    "prompt-notification",
    "what the client made answers no question",
    lambda each: each.ask("forge"),
    lambda each: each.go_on_unasked(),
)
scene(
    "prompt-option",
    "a number is the option of that number",
    lambda each: each.ask("forge", options=["Postgres", "SQLite"]),
    says("2"),
)
scene(
    "prompt-early",
    "what was typed before the question is no answer",
    typed_early,
    lambda each: each.say_in_the_same_turn("And mind the tests."),
    names_turns,
)
scene("prompt-answered", "an answer from elsewhere is told once", answered_elsewhere, says("go on"))
scene("prompt-offer", "what was deferred is offered once", finished_blueprint, says("thanks"))
scene("prompt-unreadable", "a broken file is left as it is", broken, says("$forge go"))
scene("prompt-bad-session", "no state for such an id", nothing, says("$forge go", session_id="../../etc"))
scene(
    "prompt-cut",
    "half a call",
    nothing,
    lambda each: each.send("UserPromptSubmit", b'{"hook_event_name":"UserPro'),
)
scene("prompt-subagent", "a subagent starts nothing", nothing, says("$forge go", agent_id="a1"))
scene("stop-idle", "nothing runs", nothing, stops("first answer"))
scene("stop-blocks", "a run goes on", started("$team go"), stops())
scene(
    "stop-again",
    "a run goes on, counted",
    both(started("$team go"), stops()),
    stops("Saved 1.", stop_hook_active=True),
)
scene("stop-both", "all that run are named", started("$team $forge go"), stops())
scene(
    "stop-softener",
    "an optional offer is named",
    started("$forge go"),
    stops("Half done. If you want, I can go on."),
)
scene("stop-waiting", "a question lets it stop", lambda each: each.ask("forge"), stops("Which database?"))
scene(
    "stop-finished",
    "an outcome lets it stop",
    having("forge", active=False, lifecycle_outcome="finished"),
    stops("Done."),
)
scene("stop-let-go", "five blocks changed nothing", stopped_five_times, stops(None, stop_hook_active=True))
scene("stop-iterations", "the last iteration is over", having("forge", iteration=50, max_iterations=50), stops())
scene("stop-unreadable", "a broken file lets it stop", broken, stops())
scene("stop-stale-root", "an old root record holds nobody",
      having("team", root=True, updated_at="2023-11-01T00:00:00Z"), stops())  # fmt: skip
scene(
    "stop-subagent",
    "a subagent may always stop",
    started("$team go"),
    stops("Saved.", agent_id="a1", agent_type="reviewer"),
)


scene(
    "prompt-handed-back",
    "the reason of a Stop comes back as a prompt, which nobody typed",
    both(started("$team go"), stops()),
    lambda each: each.get_reason_back(),
)
scene(
    "prompt-file",
    "a file that the prompt names starts nothing",
    nothing,
    says("look at @note.txt please", file="$forge the login"),
    attaches_files,
)
scene(
    "stop-no-answer", "where the agent has said nothing, nothing is held", started("$team go"), stops(None), is_silent
)


def starts(session: Scene) -> None:
    call = session.wire.started(str(session.root), session.now + SECONDS)
    session.send("SessionStart", json.dumps(call, separators=(",", ":")).encode())


scene("session-idle", "a session in which nothing runs is told nothing", nothing, starts)
scene("session-active", "a session that is taken up is told what runs", started("$team $forge go"), starts)


def make(client: str, name: str) -> Path:
    title, before, call, _ = SCENES[name]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "workspace"
        root.mkdir()
        played = Scene(root, client)
        before(played)
        played.recording = Path(folder) / "recorded"
        call(played)
        (made,) = played.recording.iterdir()
        fixture = load(made).model_copy(update={"title": title})
        target = FIXTURES / client / f"{name}.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(fixture.dump())
        return target


def main() -> None:
    for client in CLIENTS:
        shutil.rmtree(FIXTURES / client, ignore_errors=True)
        for name, (*_, has_it) in SCENES.items():
            if has_it(client):
                make(client, name)


if __name__ == "__main__":
    main()
