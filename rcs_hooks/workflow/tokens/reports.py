"""Tells whether the words after an opening block report what it did, in Spanish, French, German and Russian.

A verb in the past right after the token has the token as its subject: `$forge borró mi rama`. An imperative asks for
work: `$forge borra el archivo viejo`. Their endings differ, so verbs are not listed, but for irregular ones and for
nouns with such an ending. `predicates.py` reads English and `cjk.py` Chinese, Japanese and Korean.

Loaded only where a word after an opening block may belong to one of these languages.
"""

from __future__ import annotations

from itertools import takewhile

from rcs_hooks.workflow.tokens import lexicon
from rcs_hooks.workflow.tokens.clause import Clause, is_mark


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


BETWEEN = _words(
    "me te le nos les lo la los las se ya también otra vez siempre casi ayer hoy todo no nunca jamás aún todavía"
    " tout encore déjà bien mal rien aussi trop mes soudain y en"
    " ничего не ни разу так опять снова уже всё все мне нам его её их тоже вчера сегодня сам просто случайно"
    " зачем-то"
)
"""Words that may come between the token and the verb: `$forge ya falló`, `$forge опять сломал`."""
SPANISH_PARTICIPLES = _words("hecho roto escrito puesto dicho vuelto abierto muerto visto cubierto")
SPANISH_OBJECTS = _words("el la los las mi mis un una todo todos todas nuestro nuestra")
FRENCH_PARTICIPLES = _words(
    "perdu rendu fini choisi détruit écrit réécrit fait refait défait dit mis remis pris repris compris reçu ouvert"
    " disparu corrompu interrompu rompu"
)
FRENCH_NOUNS = _words("await portrait extrait retrait forfait parfait imparfait attrait souhait strait satisfait plait")
"""Words that end as a French past does but are none, English ones too."""
GERMAN_ENDINGS = ("chte", "ckte", "tzte", "gte", "hlte", "hrte", "hnte", "llte", "örte", "erte")
GERMAN_PASTS = _words("brach nahm schrieb ließ lief fiel ging hing blieb verlor vergaß überschrieb")
GERMAN_OBJECTS = _words(
    "meinen meine mein mir mich unsere unseren uns den die das dem alle alles nichts nur einfach ab einen eine ein ihn"
    " sie es gestern schon"
)
"""Words that follow a verb in the past: `löschte meinen Branch`; not `gelöschte Dateien`."""
GERMAN_PLURALS = _words("haben hatten wurden waren")
SUBJUNCTIVES = _words("sei seien habe hätte wäre werde würde könne solle müsse")
SAID = _words(
    "meint meinte meinten sagt sagte sagten findet fand behauptet behauptete glaubt glaubte schreibt schrieb heißt hieß"
)
RUSSIAN_ENDINGS = (
    *("ил", "ал", "ел", "ул", "ял", "ыл", "ёл"),
    *("ила", "ала", "ела", "ула", "яла", "ыла"),
    *("ило", "ало", "ело", "уло", "яло", "ыло"),
    *("или", "ыли", "омали", "овали", "ывали", "ивали"),
    *("лся", "лась", "лось", "лись"),
)
RUSSIAN_PASTS = _words("стёр стер смог помог сдох умер исчез")
RUSSIAN_NOUNS = _words(
    "канал терминал журнал портал функционал сигнал интервал материал персонал оригинал финал капитал квартал"
    " потенциал идеал ритуал сериал подвал вокзал бокал угол раздел отдел предел пробел узел тыл стул артикул мускул"
    " стимул модул шкала скала сила школа формула акула капсула правило начало зеркало дело тело мыло усили стили"
    " профили автомобили"
)
"""Nouns that end as a Russian past does, and one imperative."""


def is_report(after: list[str], clause: Clause) -> bool:
    """Tell whether the words after a block say what it did.

    `after`: these words, without other tokens; the first is no mark.
    """
    words = list(takewhile(lambda word: not is_mark(word), after))
    if words[0] in SUBJUNCTIVES:
        return bool(SAID & {*clause.prior, *clause.after})
    if words[0] in GERMAN_PASTS or (words[0] in GERMAN_PLURALS and not lexicon.SUBJECTS & set(words[1:2])):
        return True
    if words[0].endswith(GERMAN_ENDINGS) and words[1:2] and words[1] in GERMAN_OBJECTS:
        return True
    at = next((at for at, word in enumerate(words) if word not in BETWEEN), 0)
    return _is_romance_past(words[at:]) or _is_russian_past(words[at])


def _is_romance_past(words: list[str]) -> bool:
    first = words[0]
    if first.endswith("ó") and len(first) > 3:
        return True
    if first.endswith(("aron", "ieron")) and len(first) > 5:
        return len(words) == 1 or words[1] in SPANISH_OBJECTS
    if first.endswith(("ait", "aient")) and len(first) > 5 and first not in FRENCH_NOUNS:
        return True
    participle = next((word for word in words[1:] if word not in BETWEEN), "")
    if first in ("ha", "han", "había", "habían"):
        return participle.endswith(("ado", "ido", "ído")) or participle in SPANISH_PARTICIPLES
    if first in ("a", "ont", "m'a", "m'ont", "l'a", "t'a", "nous"):
        return participle.endswith("é") or participle in FRENCH_PARTICIPLES
    return first in ("s'est", "s'était", "n'ont") or words[:2] == ["vient", "de"]


def _is_russian_past(word: str) -> bool:
    is_noun = word in RUSSIAN_NOUNS or word.removesuffix("а") in RUSSIAN_NOUNS
    return (len(word) > 3 and word.endswith(RUSSIAN_ENDINGS) and not is_noun) or word in RUSSIAN_PASTS
