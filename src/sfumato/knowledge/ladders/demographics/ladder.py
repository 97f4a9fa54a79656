"""The ladder of what people are: nationality, faith, language, occupation, education, family, health.

*Cardiologist*, medical specialist, physician, health professional; *Methodist*, Protestant, Christian.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sfumato.knowledge.grammar.inflection import indefinite
from sfumato.knowledge.ladders import organisations
from sfumato.knowledge.ladders.base import Mention, Rung
from sfumato.knowledge.ladders.demographics import groups as dem_groups
from sfumato.knowledge.ladders.demographics import health as dem_health
from sfumato.knowledge.ladders.demographics import words as dem_words
from sfumato.knowledge.ladders.demographics.kinds import kinds
from sfumato.knowledge.ladders.demographics.number import singulars
from sfumato.knowledge.ladders.demographics.phrases import Reading, read, tidy
from sfumato.knowledge.lexicon import family_names
from sfumato.knowledge.wider.plurals import several
from sfumato.phrases import stands_in

MOST = 6
"""Rungs that a ladder has at most."""
_JOINED = re.compile(r",? and (?:also )?|, ")
_FOLLOWS = re.compile(r" (?:of|for|in|at|to) ")
"""In the first of two it may go on into the second: minister of labour and health."""
_TOGETHER = frozenset({"personal contact", "health matter", "part of the body"})
"""Kinds of which two are two things; a lawyer and journalist is one person."""

_PREFIX = re.compile(
    r"(?:former|retired|alleged|suspected|presumed|possible|probable|future|aspiring|convicted) |"
    r"(?:(?:suffered|diagnosed with|sustained|developed|had|was|became|"
    r"(?:worked|works|served) as)|history of) (?:an? )?"
)
_PERSON = re.compile(r" (?:people|person)$")
_BELONGS = re.compile(
    r"(?:(?:an?|the) )?(?:(?:leading|prominent|active|founding|senior|board|long-standing|alleged|former) )?"
    r"(?P<role>(?:member|employee|supporter|representative|official|leader|founder|chairman|president|director)s?)"
    r" of (?:the )?"
)
_DENIED = re.compile(r"\b(?:non|anti|pro|pseudo|ex|vice|half|step)[-\u2010\u2011]\Z", re.IGNORECASE)
"""What a mention is cut off from, and is not without: non-[smoker]."""
_SHORT = 6
"""Letters: fewer, all of them capitals, are an acronym."""


def rungs(mention: Mention) -> list[Rung]:
    """What is true of the attribute, most specific first; empty where not all of it is understood."""
    phrase = tidy(mention.said)
    if _DENIED.search(mention.before[-8:]):
        return []
    if mention.language != "en" or not phrase or dem_words.BROKEN.search(phrase):
        return []
    found = dem_groups.rungs(mention, phrase) or dem_groups.described(phrase) or _joined(phrase) or _of(phrase, mention)
    found = found or _belonging(mention)
    return _growing(found, phrase)[:MOST]


def _belonging(mention: Mention) -> list[Rung]:
    """*Member of the Green Party*: by what the ladder of organisations says of that."""
    role = _BELONGS.match(mention.said)
    if not role or mention.label not in ("DEM", "MISC"):
        return []
    named = Mention(mention.text, mention.start + role.end(), mention.end, "ORG", mention.language)
    if not named.said[:1].isupper():
        return []
    word = role["role"].lower()
    many = word.endswith("s")
    return [
        Rung(
            f"{word} of {indefinite(kind.text)} {kind.text}",
            kind.members * 2,
            "" if many else "a",
            many,
            source=kind.source,
        )
        for kind in organisations.rungs(named)
        if kind.article == "a" and not kind.plural
    ]


def _of(phrase: str, mention: Mention) -> list[Rung]:
    reading = dem_health.read_harm(phrase) or read(phrase) or dem_health.read(phrase)
    if not reading or not reading.kinds or _is_surname(mention):
        return []
    if reading.kinds[-1].phrase == "field of study" and not _is_studied(mention):
        return []
    if reading.kinds[0].word_class == "adjective" and (_is_name(mention) or (reading.prefix and not reading.is_framed)):
        return []
    as_person = reading.has_article or dem_groups.stands_as_noun(mention)
    found = [kind.rung(reading.many, as_person) for kind in reading.kinds]
    if reading.bare and _is_plain(mention.said, reading.bare) and (found[0].article == "a" or reading.many):
        alone = None if reading.many else reading.bare
        found.insert(0, replace(found[0], text=reading.bare, members=1.0, modifier=alone))
    return [_put(rung, reading) for rung in found]


def _is_studied(mention: Mention) -> bool:
    """*History* that someone studies, not one that something has."""
    around = mention.text[max(mention.start - 60, 0) : mention.start]
    return mention.label == "DEM" or bool(dem_words.STUDIES.search(around))


def _is_surname(mention: Mention) -> bool:
    """*Miller* as the name of a firm or a place."""
    said = mention.said.strip()
    return mention.label in ("ORG", "LOC") and said.istitle() and said.isalpha() and said.lower() in family_names()


def _is_name(mention: Mention) -> bool:
    """Whether a word that is an ethnic group in small print stands there as a name: EWE, Roma, Karen."""
    return mention.label in ("ORG", "LOC", "PERSON") or (mention.said.isupper() and len(mention.said) < _SHORT)


def _is_plain(said: str, bare: str) -> bool:
    """Whether the words stand there in small letters: then they are no names."""
    return bare in said


def _put(rung: Rung, reading: Reading) -> Rung:
    """The rung behind what has to be said with it; an article before or behind that."""
    if not reading.prefix:
        return rung
    if reading.is_framed and rung.article == "a":
        text = f"{reading.prefix}{indefinite(rung.text)} {rung.text}"
    else:
        text = reading.prefix + rung.text
    return replace(rung, text=text, modifier=None, article="" if reading.is_framed else rung.article)


def _joined(phrase: str) -> list[Rung]:
    """*Nurse and midwife*: both, rung by rung; the one that they share once."""
    parts = [part for part in _JOINED.split(phrase) if part]
    if len(parts) != 2 or _FOLLOWS.search(parts[0]):
        return []
    first, second = (read(part) or dem_health.read(part) for part in parts)
    if not first or not second or first.prefix or second.prefix or not first.kinds or not second.kinds:
        return []
    nouns = all(kind.word_class in ("noun", "mass") for kind in (first.kinds[0], second.kinds[0]))
    return list(_pairs(first, second)) if nouns else []


def _pairs(first: Reading, second: Reading) -> Iterator[Rung]:
    for level in range(max(len(first.kinds), len(second.kinds))):
        one = first.kinds[min(level, len(first.kinds) - 1)]
        other = second.kinds[min(level, len(second.kinds) - 1)]
        if one in other.chain or other in one.chain:
            shared = one if one in other.chain else other
            several = first.many or second.many or any(kind.phrase in _TOGETHER for kind in shared.chain)
            yield from (kind.rung(several) for kind in shared.chain)
            return
        one_rung, other_rung = one.rung(first.many), other.rung(second.many)
        text = f"{one_rung.text} and {other_rung.text}"
        yield replace(one_rung, text=text, members=one_rung.members * other_rung.members, modifier=None)


def _growing(found: Sequence[Rung], phrase: str) -> list[Rung]:
    """Without what says the same again; members growing from rung to rung."""
    kept: list[Rung] = []
    for rung in found:
        said = rung.text.lower()
        if said == phrase or any(said == before.text.lower() for before in kept):
            continue
        kept.append(replace(rung, members=max(rung.members, kept[-1].members + 1)) if kept else rung)
    return kept


def originals(phrase: str, text: str, language: str) -> Iterator[str]:
    """What climbs to this rung, commonest first; what the text names elsewhere before all others."""
    if language != "en":
        return
    bare = re.sub(r"^(?:an?|the)\s+", "", " ".join(phrase.split()), flags=re.IGNORECASE)
    yield from dem_groups.originals(bare, text, language)
    bare, prefix = tidy(bare), ""
    if found := _PREFIX.match(bare):
        prefix, bare = found[0], bare[found.end() :]
    lowered = text.lower()
    for table in (kinds(), kinds("languages")):
        for form, many in ((bare, False), *((one, True) for one in singulars(bare)), (_PERSON.sub("", bare), False)):
            if kind := table.own.get(form):
                names = table.surely(kind)
                near = [name for name in names if stands_in(name, lowered)]
                for name in dict.fromkeys((*near, *names)):
                    yield prefix + (several(name) if many else name)
                return
