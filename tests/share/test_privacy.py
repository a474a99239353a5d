"""Which word leaves the machine, and where it is then: each is planted in one place, by the programs themselves."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.dashboard.support import PATIENCE, Record, fetch, served
from tests.runs.support import RCS, Project
from tests.share.conftest import Database, binaries
from tests.share.support import wait_for
from tests.support import RCS_HOOK

DUMP, PAGES, SAID, OWN = "the shared database", "the shared pages", "what was printed", "files of sharing in the home"
EVERYWHERE = {DUMP, PAGES}
NAMES = {
    "zqshown": {DUMP, PAGES, SAID, OWN},  # the name of the project, as `add` was told
    "zqperson": {DUMP, PAGES, SAID},
    "zqmachine": {DUMP, PAGES, SAID, OWN},
    "zqquestion": EVERYWHERE,
    "zqoption": EVERYWHERE,
}
"""What leaves anyway."""
TEXTS = {
    "zqtitle": EVERYWHERE,  # the first words of the prompt
    "zqreason": EVERYWHERE,  # of an outcome
    "zqmessage": EVERYWHERE,  # in the data of an emit
    "zqcommand": EVERYWHERE,
    "zqproving": EVERYWHERE,  # the command of a proof
    "zqartifact": EVERYWHERE,  # a path
    "zqunit": EVERYWHERE,
    "zqfeature": EVERYWHERE,
    "zqrun": EVERYWHERE,
    "zqtask": {DUMP, PAGES, OWN},
    "zqoverride": {DUMP},  # the reason of a task's move
    "zqfolder": {DUMP, PAGES, SAID, OWN},
}
"""What leaves with `--texts` alone."""
HERE = {"zqfolder": {SAID, OWN}, "zqtask": {OWN}}
"""Where those are without it: on this machine, in the person's own home and terminal."""
NEVER = (
    "zqother",  # a project that was not added
    "zqprompt",  # what follows the first words of a prompt
    "zqlater",  # a prompt while something runs
    "zqspoken",  # what the agent says at the end of its turn
    "zqcontents",  # of an artifact
    "zqoutput",  # of a proof
    "zqanswer",  # in a terminal
    "zqreply",  # in a prompt
    "zqplan",  # a file of a task
    "zqpassword",
)
NOT_STORED = ("zqprompt", "zqlater", "zqspoken", "zqpassword")
"""What no hook writes down even here, and the password, which may be in the environment alone."""


class Machine:
    """A person whose project and other project are at work, each word in its place."""

    def __init__(self, database: Database, folder: Path, *, texts: bool, in_variable: bool) -> None:
        self.database = database
        self.project = Project(folder / "zqfolder")
        self.other = folder / "zqother"
        (self.other / ".git/refs").mkdir(parents=True)
        self.role = database.role("writes", "rcs_writer", password="zqpassword")
        self.desk = Project(folder / "desk")
        home = self.project.home
        (home / ".rcs").mkdir()
        (home / ".rcs/config.toml").write_text('[share]\nperson = "zqperson"\nmachine = "zqmachine"\n')
        self.secret = {"PGPASSWORD": "zqpassword"} if in_variable else {}
        if not in_variable:
            (home / ".pgpass").write_text("*:*:*:*:zqpassword\n")
            (home / ".pgpass").chmod(0o600)
        self.said = ""
        self.share("init", database.url(self.role))
        self.share("add", "--name", "zqshown", *(["--texts"] if texts else []))

    def rcs(
        self, *words: str, cwd: Path | None = None, env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*RCS, *words], cwd=cwd or self.project.root, env=self.project.env(**(env or {})), stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=PATIENCE, check=True,
        )  # fmt: skip

    def share(self, *words: str) -> None:
        done = self.rcs("share", *words, env=self.secret)
        self.said += done.stdout + done.stderr

    def hook(self, event: str, cwd: Path | None = None, **fields: object) -> None:
        """Call the hook, as a client does."""
        asked = {"hook_event_name": event, "session_id": "s1", "cwd": str(cwd or self.project.root)} | fields
        subprocess.run(
            [str(RCS_HOOK)], input=json.dumps(asked), cwd=cwd or self.project.root, env=self.project.env(),
            capture_output=True, text=True, timeout=PATIENCE, check=True,
        )  # fmt: skip

    def work(self) -> None:
        forge = ("--mode", "forge", "--session", "s1")
        self.hook("UserPromptSubmit", prompt=f"$forge zqtitle {'and more ' * 60} zqprompt")
        self.hook("UserPromptSubmit", prompt="go on with zqlater")
        self.rcs("question", "ask", *forge, "--text", "Is it zqquestion?")
        self.rcs("question", "answer", "zqanswer")
        self.hook("UserPromptSubmit", prompt="read it")
        self.rcs("question", "ask", *forge, "--text", "And now?")
        self.hook("UserPromptSubmit", prompt="it is zqreply")
        self.hook("Stop", last_assistant_message="zqspoken")
        self.rcs("prove", *forge, "--", "sh", "-c", "printf zq%s output; : zqproving")
        self.rcs("state", "write", *forge, "--outcome", "failed", "--reason", "zqreason")
        self.hook("UserPromptSubmit", session_id="s3", prompt="$blueprint the rest")
        waiting = ("--mode", "blueprint", "--session", "s3", "--text", "Which one?", "--option", "zqoption")
        self.rcs("question", "ask", *waiting)
        self.rcs("task", "new", "zqtask")
        (self.project.root / ".rcs/tasks/zqtask/planning.ai").write_text("zqplan")
        self.rcs("task", "next", "zqtask", "--override", "zqoverride")
        data = {"status": "running", "message": "zqmessage", "command": "make zqcommand"}
        for words in (
            ("--step", "requirements", "--data", json.dumps(data)),
            ("--step", "design", "--data", '{"status": "running"}'),
            ("--step", "tasks", "--data", '{"status": "running"}'),
            ("--step", "build", "--unit", "zqunit", "--data", '{"status": "running"}'),
        ):
            self.rcs("emit", "--type", "status_change", "--workflow", "build", "--run-id", "zqrun", *words)
        (self.project.root / "zqartifact.md").write_text("zqcontents")
        self.project.artifact("zqartifact.md", run="zqrun", feature="zqfeature")
        self.hook("UserPromptSubmit", self.other, session_id="s2", prompt="$forge zqother")
        self.rcs(
            "emit", "--type", "status_change", "--workflow", "blueprint", "--run-id", "zqother-run", "--step", "detect",
            "--data", '{"status": "running", "message": "zqother"}', "--file",
            str(self.project.root / ".claude/skills/blueprint/SKILL.md"), cwd=self.other,
        )  # fmt: skip

    # --- where a word may be

    def dump(self) -> str:
        programs = binaries()
        assert programs
        server = self.database.server
        done = subprocess.run(
            [str(programs / "pg_dump"), "-h", "127.0.0.1", "-p", str(server.port), "-U", "postgres",
             self.database.name],
            capture_output=True, text=True, timeout=PATIENCE, check=True,
        )  # fmt: skip
        return done.stdout

    def log_of_server(self) -> str:
        with self.database.connect() as sql:
            ((folder,),) = sql.execute("SHOW data_directory").fetchall()
        return Path(str(folder), "log.txt").read_text(errors="replace")

    def stored(self) -> str:
        """All that lies on this machine: in the local stores, too."""
        places = (self.project.home.parent, self.other)
        files = [path for place in places for path in place.rglob("*") if path.is_file()]
        return "\n".join(f"{path}\n{path.read_bytes().decode(errors='replace')}" for path in files)

    def written(self) -> str:
        """Every file outside the local stores and what the test itself has written."""
        ours = (self.project.root, self.other)
        home = self.project.home
        stores = {home / ".rcs" / name for name in ("config.toml", "rcs.db", "rcs.db-wal", "rcs.db-shm")}
        paths = [path for path in home.parent.rglob("*") if path.is_file() and path != home / ".pgpass"]
        kept = [path for path in paths if path not in stores and not any(path.is_relative_to(each) for each in ours)]
        assert kept
        return "\n".join(f"{path.relative_to(home)}\n{path.read_bytes().decode(errors='replace')}" for path in kept)

    def pages(self, url: str) -> str:
        def get(address: str, **query: str) -> Record:
            done = fetch(f"{url}shared/api{address}", params=query)
            assert done.status_code == 200, done.text
            found.append(done.text)
            answer: Record = done.json()
            return answer

        found: list[str] = []
        for run in get("/runs")["runs"]:
            get(f"/runs/{run['run_id']}")
        for address in ("/overview", "/tasks", "/attention", "/all", "/machines"):
            get(address)
        project = get("/sessions")["sessions"][0]["root"]
        for mode, session in (("forge", "s1"), ("blueprint", "s3")):
            get(f"/modes/{mode}", project=project, session=session)
        return "\n".join(found)


def command_lines() -> Iterator[tuple[int, str]]:
    """The number and the words of every process that there is now."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield int(path.parent.name), path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:  # it has just ended
            continue


@pytest.mark.slow
@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="the words of all processes are read from /proc of Linux")
@pytest.mark.parametrize(("texts", "in_variable"), [(False, False), (True, True)])
def test_a_word_is_where_it_may_be_and_nowhere_else(
    database: Database, tmp_path: Path, texts: bool, in_variable: bool
) -> None:
    machine = Machine(database, tmp_path, texts=texts, in_variable=in_variable)
    machine.work()
    machine.share("run", "--once")
    (machine.desk.home / ".rcs").mkdir()
    reader = database.url(database.role("looks", "rcs_reader"))
    (machine.desk.home / ".rcs/config.toml").write_text(f'[share]\nurl = "{reader}"\n')
    env = machine.project.env(**machine.secret)
    run = subprocess.Popen(
        [*RCS, "share", "run"], cwd=machine.project.root, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True,
    )  # fmt: skip
    status = machine.project.home / ".rcs/share/status.json"
    try:
        wait_for(lambda: f'"pid":{run.pid}' in status.read_text() and '"state":"current"' in status.read_text())
        machine.share("status")
        with served(machine.desk) as server:
            pages = machine.pages(server.url)
            lines = dict(command_lines())
            ours = lines[run.pid] + lines[server.process.pid]
        machine.said += server.said
    finally:
        run.terminate()
        machine.said += run.communicate(timeout=PATIENCE)[0]
    places = {DUMP: machine.dump(), PAGES: pages, SAID: machine.said, OWN: machine.written()}
    found = {word: {place for place, text in places.items() if word in text} for word in (*NAMES, *TEXTS, *NEVER)}
    wanted = (
        NAMES | (TEXTS if texts else {word: HERE.get(word, set()) for word in TEXTS}) | {word: set() for word in NEVER}
    )
    assert {word: found[word] for word in found if found[word] != wanted[word]} == {}
    here = machine.stored()
    assert [word for word in found if word not in here and word not in NOT_STORED] == []
    logged = machine.log_of_server()
    assert "share run" in ours
    assert [word for word in found if (word in logged and word not in NAMES) or word in ours] == []
    assert [line for line in lines.values() if "zqpassword" in line] == []
