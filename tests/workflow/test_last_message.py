"""Whether the last message of an interview asks the person something."""

from __future__ import annotations

from rcs_hooks.workflow.last_message import asks_question, find_softener
from tests.table import each_row

MESSAGES = {
    "Which one?": True,
    "Which one?\n\n1. a\n2. b": True,
    "Is it A or B? (default: A)": True,
    "What? \U0001f600": True,
    "Shall I go on? I would suggest yes.": True,
    "Shall I go on? Yes or no.": True,
    "どちらにしますか？ 私は A を勧めます。": True,
    "Why does it fail? The port is taken.\n\nI have changed the port.": False,
    "Please answer:\n1. Which database?\n2. Which port? 8080 is free.": True,
    "See https://example.org/?q=1 for the rest.": False,
    "I read `a ? b : c` there.": False,
    "C'est prêt ? Non, pas encore.": False,
    "¿Está listo? Sí, está listo.": False,
    "Is it done? No, not yet.": False,
    "Why a? Because b is taken.": False,
    "Ist es fertig? Ja, seit heute.": False,
    "Ist es fertig? Nein, noch nicht.": False,
    "C'est prêt ? Oui, depuis ce matin.": False,
    "Готово? Да, всё готово.": False,
    "Готово? Нет, ещё нет.": False,
    "Soll ich weitermachen? Ja oder nein.": True,
    "On continue ? Oui ou non.": True,
    "¿Sigo? Sí o no.": True,
    "Продолжать? Да или нет.": True,
    "Shall I keep it? Yes? No.": True,
    "- Which one?\n\nI took a.": False,
    "Which one? I took a.\n\nAll is written.": False,
    "": False,
}


@each_row(("message", "expected"), MESSAGES.items(), ids=repr)
def test_a_message_asks(message: str, *, expected: bool) -> None:
    assert asks_question(message) is expected


SOFTENERS = {
    "Should I continue? Shall I start? Do you want me to? Say if you do.": "Should I continue",
    "I move on to the tests.": None,
}


@each_row(("message", "expected"), SOFTENERS.items(), ids=repr)
def test_an_offer_is_found_whatever_else_the_message_offers(message: str, expected: str | None) -> None:
    assert find_softener(message) == expected
