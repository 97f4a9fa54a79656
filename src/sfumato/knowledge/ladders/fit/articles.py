"""The preposition and the article that a phrase needs in an English sentence, given those that stand there."""

from __future__ import annotations

import re
from dataclasses import replace

from sfumato.knowledge.geography.countries import named
from sfumato.knowledge.grammar.inflection import head, indefinite, is_plural
from sfumato.knowledge.ladders.base import Mention, Rung
from sfumato.knowledge.ladders.fit.context import Cut, is_people, kind, word_after
from sfumato.knowledge.ladders.fit.draft import Draft
from sfumato.knowledge.ladders.fit.left import APPROXIMATE, TIME_PREPOSITIONS, Left

OWN_PREPOSITION = re.compile(
    r"(?:in|on|at|between|from|during|around|about|before|after|over|under|up to|(?:more|less|fewer) than|"
    r"at least|at most|approximately|within|since|until|by)\b",
    re.IGNORECASE,
)
RANGE = re.compile(r"\d|between|(?:more|less|fewer) than|over|under|up to|about|around|at least|at most", re.IGNORECASE)
"""How a rung begins that says how much."""
_BOUND = re.compile(r"\b(?:than|least|most|between|from|over|under|nearly|almost|up to)\s+\Z", re.IGNORECASE)
"""Words before a value that leave no place for a range: "more than between 10 and 50"."""
_DASHES = frozenset("-‑–—")
_TAKING_A_DATE = frozenset(
    "dated set fixed named called marked chose chosen spent celebrated following remember read".split()
)
_ADVERBIAL = re.compile(
    r"(?:yesterday|today|tomorrow|tonight|last|next|this|that|every|each|the (?:next|same|following|previous))\b"
    r"|.*\b(?:ago|later|earlier|before)\Z",
    re.IGNORECASE | re.DOTALL,
)


def led(rung: Rung, mention: Mention, edges: Cut, left: Left, phrase: str, many: bool) -> Draft:
    """The phrase with the preposition and the article it needs."""
    article = left.article.low if left.article.locked else _article(rung, mention, edges, left, phrase, many)
    stood, before = left.preposition.low, left.before.lower()
    own = OWN_PREPOSITION.match(phrase)
    preposition = stood
    if not left.preposition.locked:
        preposition = _preposition(rung, mention, edges, left, own.group().lower() if own else "")
    bound = _BOUND.search(mention.text, max(0, edges.start - 20), edges.start)
    sound = own is None or stood != preposition or bound is None
    if mention.label == "DATETIME" and before in ("last", "next", "this", "every", "each", "that"):
        sound = sound and re.search(r"\d", phrase) is None and (rung.article != "the" or " " not in phrase)
    if mention.label == "DEM" and not left.article.word and _name_follows(mention.text, edges.end):
        article = ""
    return replace(_put(edges, left, preposition, article, phrase), sound=sound)


def behind_article(edges: Cut, left: Left, phrase: str) -> Draft:
    """The phrase behind the words that stood there, "a" and "an" as it sounds."""
    article = left.article.low
    if article in ("a", "an") and not left.article.locked:
        article = indefinite(phrase)
    return _put(edges, left, left.preposition.low, article, phrase)


def _put(edges: Cut, left: Left, preposition: str, article: str, phrase: str) -> Draft:
    """The phrase with its lead: words before the mention that are right stay, from the first wrong one on all goes."""
    start = edges.start
    words = []
    for stood, wanted in ((left.preposition, preposition), (left.article, article)):
        outside = stood.word != "" and stood.at < edges.start
        if outside and stood.low != wanted and start == edges.start:
            start = stood.at
        if wanted and (not outside or start < edges.start):
            words.append(wanted)
    return Draft(start, edges.end, " ".join([*words, phrase]), edges.possessive)


def _preposition(rung: Rung, mention: Mention, edges: Cut, left: Left, own: str) -> str:
    """The preposition that is to stand before the phrase."""
    stood = left.preposition.low
    is_time = mention.label == "DATETIME"
    if stood in APPROXIMATE:
        return "" if own else stood
    if " " in stood:  # "at about 9 p.m.": what stands for a clock time takes no "at"
        return "" if own else stood.rpartition(" ")[2] if is_time else stood
    if own and stood and (is_time or own in TIME_PREPOSITIONS):
        return ""
    if rung.preposition in TIME_PREPOSITIONS and stood and stood != "during":
        return rung.preposition
    if rung.preposition is not None and not stood and is_time and not own and _is_adverbial(mention, edges, left):
        return rung.preposition
    return stood


def _is_adverbial(mention: Mention, edges: Cut, left: Left) -> bool:
    """Whether a time stands without a preposition, as in "he left yesterday" and "born 6 May 1993"."""
    follows = word_after(mention.text, edges.end)[0].lower()
    if left.determined or follows in ("is", "was", "has", "had", "will", "would", "as"):
        return False
    before = left.before.lower()
    after_verb = before == "born" or kind(before or "x") in ("participle", "past", "verb")
    if after_verb and not left.article.word and before not in _TAKING_A_DATE:
        return True
    governed = kind(before or "x") == "function" and before not in ("that", "and", "but", "it", "him", "her", "there")
    return not governed and _ADVERBIAL.match(mention.text[edges.start : edges.end]) is not None


def _article(rung: Rung, mention: Mention, edges: Cut, left: Left, phrase: str, many: bool) -> str:
    """The article that is to stand before the phrase."""
    stood = left.article.low
    wanted: str = rung.article
    if wanted == "a":
        named_in_plural = is_plural(head(phrase)[0].rpartition(" ")[2])
        wanted = "" if many or named_in_plural else indefinite(phrase)
    if not stood and mention.label == "DATETIME" and _in_a_range(mention.text, edges):
        return ""
    if not stood:
        return "" if left.determined else wanted
    if stood == "the":
        bare = OWN_PREPOSITION.match(phrase) is not None or (not many and not phrase[:1].islower())
        if wanted == "" and bare and mention.label in ("LOC", "DATETIME"):
            return ""
        if mention.label == "LOC" and wanted in ("a", "an") and named(mention.text[left.core : edges.end]) is not None:
            return wanted  # "the Netherlands" has its article by name only
        return "the"
    if wanted == "" and not many and is_people(phrase.rpartition(" ")[2]):  # "an [Irishman]": "a European"
        return indefinite(phrase)
    return wanted


def _in_a_range(text: str, edges: Cut) -> bool:
    """Whether a dash without spaces joins the time to another: "1933–37"."""
    return text[edges.end : edges.end + 1] in _DASHES or text[max(0, edges.start - 1) : edges.start] in _DASHES


def _name_follows(text: str, end: int) -> bool:
    """Whether a name follows that the mention is the title of: "[police officer] Ahmet"."""
    word, _ = word_after(text, end)
    return word[:1].isupper() and kind(word) == "noun"
