"""Turns what the dashboard of this machine shows into the documents that leave it. The rules are those of `leaving`.

No document has a path of the project, the key of an entry or the address of a page: the reader has its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks import jsontext
from rcs_hooks.overview.entries import TASK
from rcs_hooks.share.leaving import NAME_LENGTH, PATH_LENGTH, TEXT_LENGTH, WHO, moment
from rcs_hooks.state.silence import LET_GO
from rcs_hooks.text import clean
from rcs_hooks.workflow.mode_record import TITLE_LENGTH
from rcs_hooks.workflow.silence import QUIET, RUNNING, STALLED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.share.leaving import Leaving

Record = dict[str, Any]

SESSION_DOCUMENT, TASK_DOCUMENT, ENTRY, PASSAGE = "session", "task", "entry", "passage"
UNREAD = "it cannot be read"
"""What is said of anything that cannot be read, where the reason may not leave."""
MOST = 100


class Document(NamedTuple):
    """One thing that the dashboard shows. `at`: when it was last heard of. `record`: JSON."""

    kind: str
    key: str
    at: str | None
    record: str


class LeavingDocuments:
    """What of one project's documents may leave."""

    def __init__(self, leaving: Leaving) -> None:
        self._leaving = leaving
        self._texts = leaving.texts

    # --- sessions

    def session(self, shown: Mapping[str, Any]) -> Document:
        """Return the document of a session, as `dashboard.sessions` shows it."""
        let_go = shown["quiet_because"] == LET_GO
        status = _word(shown["status"])
        if status in QUIET:  # how long it has had no activity is the reader's to say
            status = STALLED if let_go else RUNNING
        record: Record = {
            "session": _name(shown["session"]),
            "client": _name(shown["client"]),
            "resume": self._resume(shown["resume"]),
            "status": status,
            "quiet_because": LET_GO if let_go else None,
            "deferred": [_word(each) for each in shown["deferred"][:MOST]],
            "deferred_source": _name(shown["deferred_source"]),
            "modes": [self._mode(each) for each in shown["modes"]],
            "questions": [_question_of_session(each) for each in shown["questions"]],
            "blocks": {name: int(shown["blocks"][name]) for name in ("in_a_row", "of_prompt", "limit")},
            "unreadable": [self._unreadable(each) for each in shown["unreadable"][:MOST]],
            "updated_at": moment(shown["updated_at"]),
            "early": bool(shown["early"]),
        }
        return _document(SESSION_DOCUMENT, record["session"] or "", record["updated_at"], record)

    def _mode(self, mode: Mapping[str, Any]) -> Record:
        words = ("mode", "phase", "outcome", "verdict", "session")
        times = ("started_at", "updated_at", "completed_at")
        return (
            {name: _name(mode[name]) for name in words}
            | {name: bool(mode[name]) for name in ("active", "waiting", "early")}
            | {name: mode[name] for name in ("iteration", "max_iterations")}
            | {name: moment(mode[name]) for name in times}
            | {"title": self._text(mode["title"], TITLE_LENGTH), "reason": self._text(mode["reason"])}
        )

    def _unreadable(self, broken: Mapping[str, Any]) -> Record:
        if not self._texts:
            return {"path": "", "why": UNREAD, "clear_as": ""}
        return {name: clean(broken[name], PATH_LENGTH) for name in ("path", "why", "clear_as")}

    def _resume(self, commands: list[Mapping[str, Any]]) -> list[Record]:
        if not self._texts:
            return []
        return [{"client": _name(each["client"]), "command": _shown(each["command"])} for each in commands[:MOST]]

    # --- tasks

    def task(self, shown: Mapping[str, Any]) -> Document:
        """Return the document of a task, as `dashboard.tasks` shows it."""
        proof, decision = shown["proof"], shown["decision"]
        record: Record = {
            "task_id": self._leaving.task(shown["task_id"]),
            "phase": _name(shown["phase"]),
            "round": shown["round"],
            "done": bool(shown["done"]),
            "created_at": moment(shown["created_at"]),
            "updated_at": moment(shown["updated_at"]),
            "why": [clean(each, TEXT_LENGTH) for each in shown["why"][:MOST]] if self._texts else [],
            "proof": proof and {"verdict": _word(proof["verdict"]), "says": self._text(proof["says"]) or ""},
            "decision": decision and self._decision(decision),
            "gates": [self._gate(each) for each in shown["gates"]],
            "problem": (self._text(shown["problem"]) or UNREAD) if shown["problem"] else None,
        }
        return _document(TASK_DOCUMENT, record["task_id"], record["updated_at"], record)

    def _decision(self, decision: Mapping[str, Any]) -> Record:
        return {
            "decision": _word(decision["decision"]),
            "by": (_name(decision["by"]) if self._texts or decision["by"] in WHO else None),
            "at": moment(decision["at"]),
            "reasons": [clean(each, TEXT_LENGTH) for each in decision["reasons"]] if self._texts else [],
        }

    def _gate(self, gate: Mapping[str, Any]) -> Record:
        label = clean(gate["label"], TEXT_LENGTH)  # of the machine of all tasks, which is ours
        reasons = [clean(each, TEXT_LENGTH) for each in gate["reasons"][:MOST]] if self._texts else [label]
        return {
            "to": _word(gate["to"]),
            "label": label,
            "open": bool(gate["open"]),
            "reasons": [each for each in reasons if each],
            "suggested": bool(gate["suggested"]),
        }

    # --- entries of the overview

    def entry(self, shown: Mapping[str, Any], group: str) -> Document:
        """Return the document of an entry of the overview, of a mode or a task, in its group."""
        is_task = shown["kind"] == TASK
        name = self._leaving.task(shown["name"]) if is_task else _word(shown["name"])
        question = shown["question"] and _question_of_entry(shown["question"])
        stop = shown["stop"]
        where = {"id": self._leaving.task(shown["id"])} if is_task else {"session": _name(shown["session"])}
        record: Record = {
            "v": shown["v"],
            "kind": shown["kind"],
            "name": name,
            **where,
            "client": _name(shown["client"]),
            "phase": _name(shown["phase"]),
            "since": moment(shown["since"]),
            "started_at": moment(shown["started_at"]),
            "group": group,
            "iteration": shown["iteration"],
            "max_iterations": shown["max_iterations"],
            "outcome": _name(shown["outcome"]),
            "early": bool(shown["early"]),
            "verdict": _name(shown["verdict"]),
            "event": shown["event"],
            "question": question,
            "stop": stop and {"held": bool(stop["held"]), "at": moment(stop["at"])},
            "quiet": STALLED if shown["quiet"] and stop and not stop["held"] else None,
            "resume": self._resume(shown["resume"]),
        } | self._said(shown, name, question)
        # Told apart by what the record says, so that no path or name of a person's is in the key.
        place = (record["question"] or {}).get("id") or record["event"] or ""
        key = ":".join(str(each or "") for each in (shown["kind"], *where.values(), name, place))
        return _document(ENTRY, key, record["since"], record)

    def _said(self, shown: Mapping[str, Any], name: str, question: Record | None) -> Record:
        """Return what an entry says in words: made of what leaves anyway, where texts may not."""
        if self._texts:
            return {
                "title": clean(shown["title"], TITLE_LENGTH),
                "has_title": bool(shown["has_title"]),
                "detail": clean(shown["detail"], TEXT_LENGTH),
                "says": clean(shown["says"], TEXT_LENGTH),
                "command": _shown(shown["command"]),
                "proof_says": self._text(shown["proof_says"]),
                "proof": shown["proof"] and {
                    key: _shown(value) if isinstance(value, str) else value
                    for key, value in shown["proof"].items() if value is None or isinstance(value, str | int | float)
                },
            }  # fmt: skip
        asks = f"asks: {question['text']}" if question else ""
        phase = f"phase {clean(shown['phase'])}" if shown["phase"] else ""
        detail = asks or clean(shown["outcome"]) or phase
        texts = {"title": name, "has_title": False, "detail": detail, "says": detail, "command": ""}
        return texts | {"proof_says": None, "proof": None}

    # --- passages

    def passage(self, shown: Mapping[str, Any], session: str, client: str | None, *, is_last: bool) -> Document:
        """Return the document of one passage of a mode, as the histories tell of it."""
        record: Record = {
            "mode": _word(shown["mode"]),
            "n": shown["n"],
            "title": self._text(shown["title"], TITLE_LENGTH) or "",
            "outcome": _name(shown["outcome"]),
            "phase": _name(shown["phase"]),
            "started_at": moment(shown["started_at"]),
            "last_at": moment(shown["last_at"]),
            "reason": self._text(shown["reason"]) or "",
            "verdict": _name(shown["verdict"]),
            "early": bool(shown["early"]),
            "session": _word(session),
            "client": _name(client),
            "is_last": is_last,
        }
        key = f"{record['session']}:{record['mode']}:{record['n']}"
        return _document(PASSAGE, key, record["last_at"], record)

    def _text(self, value: object, limit: int = TEXT_LENGTH) -> str | None:
        return (clean(value, limit) or None) if self._texts else None


def _document(kind: str, key: str, at: str | None, record: Record) -> Document:
    return Document(kind, key, at, jsontext.dumps_line(record))


def _question_of_session(question: Mapping[str, Any]) -> Record:
    return {
        "question_id": _word(question["question_id"]),
        "mode": _name(question["mode"]),
        "question": _shown(question["question"]),
        "options": [clean(each, TEXT_LENGTH) for each in question["options"][:MOST]],
        "created_at": moment(question["created_at"]),
    }


def _question_of_entry(question: Mapping[str, Any]) -> Record:
    options = [clean(each, TEXT_LENGTH) for each in question["options"][:MOST]]
    return {"id": _word(question["id"]), "text": clean(question["text"], TEXT_LENGTH), "options": options}


def _word(value: object) -> str:
    return clean(value, NAME_LENGTH)


def _name(value: object) -> str | None:
    return clean(value, NAME_LENGTH) or None


def _shown(value: object) -> str:
    """Return a text of several lines, or a command, which loses nothing but what PostgreSQL cannot store."""
    text = value if isinstance(value, str) else ""
    return "".join(char if char.isprintable() or char in "\n\t" else " " for char in text[: 4 * TEXT_LENGTH])
