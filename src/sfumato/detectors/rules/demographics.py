"""What someone is: age, nationality, ethnic group, religion, occupation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from sfumato.detectors.rules.datetimes import MONTHS, NUMBER_WORDS, UNITS, WEEKDAYS
from sfumato.detectors.rules.patterns import Pattern, alternatives
from sfumato.document import Span
from sfumato.knowledge import lexicon

_NUMBERS = alternatives(NUMBER_WORDS)
_ROLE_CUE = re.compile(
    r"(?i)(?<!\w)(?:an?|as|former|retired|profession|occupation|job|works? as|worked as|working "
    r"as|trained as|employed as|became|"
    r"un|una|como|de profesión|profesión|exerce|ein|eine|als|beruf|von beruf|ehemalig\w*|une|"
    r"comme|profession|métier|ancien(?:ne)?|"
    r"come|professione|um|uma|profissão|een|beroep)[:]?(?: (?!of |the )[\w-]{3,14}){0,2} $"
)
_COUNT_BEFORE = re.compile(rf"(?i)(?<!\w)(?:(?:{_NUMBERS})(?:[ -](?:{_NUMBERS})| and a half)?)[ -]$")
_SINCE_BEFORE = re.compile(
    r"(?i)(?<!\w)(?:since|in|from|until|till|by|last|next|this|before|after|during|on|every|early|"
    r"mid|late|desde|en|hasta|de|seit|im|bis|"
    r"am|letzten|nächsten|depuis|jusqu'en|dès|da|fino a|nel|lo scorso|em|até|sinds|tot|vorige|volgende)[ -]$"
)


def _age(regex: str, score: float = 0.8) -> Pattern:
    return Pattern("age", "DEM", regex, "quasi", score, scope="near numbers")


PATTERNS = (
    _age(
        r"(?i)(?<![\w.,-])\d{1,3}(?:[ -]|\.5 )?(?:year|yr|y|month|mo|week|wk|day)s?(?:[ -]old|/o|"
        r"[ -]of[ -]age)(?:s)?(?!\w)"
    ),
    _age(r"(?i)(?<![\w.,-])\d{1,3}[ -]?(?:y/?o|yo)[mf]?(?!\w)"),
    _age(
        r"(?i)(?<!\w)(?:aged?|age:|ages|turn(?:s|ed|ing)?|at the age of|edad:?|alter:?|âge:?|âgée? de|età:?|idade:?|"
        r"leeftijd:?)[ ]?(?:of |de )?(?P<value>\d{1,3}(?:[ ](?:and|to|-|y|a)[ ]\d{1,3})?(?: "
        r"?(?:years?|años|jahre|ans|anni|anos|jaar))?)(?![\w/]|[.,]\d)"
    ),
    _age(r"(?i)(?<![\w.,-])(?:de )?(?P<value>\d{1,3} (?:años|meses) de edad)(?!\w)"),
    _age(
        r"(?i)(?<!\w)(?:varón|mujer|hombre|paciente|niñ[oa]|joven|homme|femme|patiente?|garçon|"
        r"fille|uomo|donna|bambin[oa]|paziente|homem|mulher|menin[oa])(?: \w{3,12})?,? (?:de|di) "
        r"(?P<value>\d{1,3} (?:años|meses|ans|mois|anni|mesi|anos))(?!\w)"
    ),
    _age(r"(?i)(?<![\w.,-])\d{1,3}[ -]?(?:jahre alt|jährige[rnms]?|ans révolus|jaar oud|-?jarige)(?!\w)"),
    _age(
        r"(?i)(?<!\w)(?:tengo|tiene|tenía|ho|ha|tenho|tem|j'ai|il a|elle a) (?P<value>\d{1,3} "
        r"(?:años|anni|anos|ans))(?!\w)",
        0.7,
    ),
    _age(
        r"(?i)(?<!\w)(?:i am|i['’]m|she is|he is|she['’]s|he['’]s|turned|turning) "
        r"(?P<value>\d{1,3})(?= (?:and|now|but|years)|[,.!?;]|$)",
        0.6,
    ),
    _age(r"(?<=, )\d{1,2}(?=, (?:was|is|of|from|a|who|has|had)\b)", 0.6),
    _age(r"(?<![\w.,-])\d{1,3}[ -]?[MF](?![\w/'’])(?=[ ,;.)])", 0.5),
)


@cache
def watched() -> dict[str, str]:
    """What to do at a word: the first words of the phrases of this module and of dates without numbers."""
    watched = {phrase.split()[0]: "occupation" for phrase in lexicon.occupations()}
    watched |= {f"{word}s": "occupation" for word in watched if len(word) > 3}
    watched |= dict.fromkeys(UNITS, "duration")
    watched |= dict.fromkeys(
        (word for word in (*MONTHS, *WEEKDAYS) if len(word) > 3 or word in {"mai", "mei"}), "month"
    )
    for table in (lexicon.demonyms(), lexicon.groups()):
        watched |= {lexicon.key(phrase.split()[0]): "group" for phrase in table}
    return watched


@cache
def _longest_occupation() -> dict[str, int]:
    longest: dict[str, int] = {}
    for phrase in lexicon.occupations():
        words = phrase.split()
        longest[words[0]] = max(longest.get(words[0], 1), len(words))
    return longest


@cache
def _groups() -> frozenset[str]:
    """Demonyms and groups, with the capitalised and plural forms that are no place names."""
    written = lexicon.demonyms() | lexicon.groups()
    places = lexicon.regions() | lexicon.cities()
    capital = {w[:1].upper() + w[1:] for w in written if lexicon.key(w) not in places}
    plural = {f"{w}s" for w in written if w[:1].isupper() and not w.endswith(("s", "sh", "ch", "e"))}
    return written | capital | plural


def find(text: str, word: re.Match[str], purpose: str) -> Iterator[Span]:
    """What, if anything, a watched word begins or ends."""
    start, end = word.span()
    if purpose == "group":
        yield from _group(text, start, end)
    elif purpose == "occupation":
        yield from _occupation(text, start, end)
    elif purpose == "duration":
        if before := _COUNT_BEFORE.search(text[max(0, start - 24) : start]):
            yield Span(start - len(before.group()), end, "DATETIME", "quasi", 0.6, "rules:duration")
    elif text[start].isupper() or _SINCE_BEFORE.search(text[max(0, start - 12) : start]):
        score = 0.6 if _SINCE_BEFORE.search(text[max(0, start - 12) : start]) else 0.4
        yield Span(start, end, "DATETIME", "quasi", score, "rules:month")


def _group(text: str, start: int, end: int) -> Iterator[Span]:
    known = _groups()
    second = text.find(" ", end + 1, end + 20)
    for finish in (second, end):
        if finish > 0 and text[start:finish].rstrip(".,;:)") in known:
            phrase = text[start:finish].rstrip(".,;:)")
            yield Span(start, start + len(phrase), "DEM", "quasi", 0.6, "rules:nationality")
            return


def _occupation(text: str, start: int, end: int) -> Iterator[Span]:
    known = lexicon.occupations()
    first = lexicon.key(text[start:end])
    words = re.findall(r"[\w-]+", text[start : end + 40])[: _longest_occupation().get(first, 1)]
    for count in range(len(words), 0, -1):
        phrase = " ".join(words[:count])
        if not text.startswith(phrase, start):
            continue
        key = lexicon.key(phrase)
        if key in known or key.removesuffix("s") in known:
            cued = _ROLE_CUE.search(text[max(0, start - 45) : start])
            yield Span(start, start + len(phrase), "DEM", "quasi", 0.6 if cued else 0.35, "rules:occupation")
            return
