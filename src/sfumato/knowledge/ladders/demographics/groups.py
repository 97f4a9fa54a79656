"""Nationality, ethnicity and language: which part of the world, which family of languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from sfumato.knowledge.grammar.inflection import indefinite
from sfumato.knowledge.ladders import places
from sfumato.knowledge.ladders.base import Mention, Rung
from sfumato.knowledge.ladders.demographics.kinds import kinds
from sfumato.knowledge.ladders.demographics.phrases import Reading, look_up, read

_SPEAKING = re.compile(
    r"\b(?:speaks?|spoke|spoken|speaking|fluent in|fluently in|languages?|tongue(?: is| was)?|translat\w+ (?:in)?to|"
    r"translat\w+ from|learn(?:ed|t|ing|s)?|understands?|understood|in|into|reads?|writes?|written in)"
    r"\s+(?:good |fluent |some |broken |only |native )*$",
    re.IGNORECASE,
)
_FUNCTION = frozenset(
    "and or but in at of on by for from to with who was were is are had has have that which as when where while "
    "because the a an his her he she they it not living aged born working".split()
)
_ONE = frozenset(
    "national,citizen,subject,passport holder,man,woman,boy,girl,child,couple,family,immigrant,refugee,passport,"
    "minority,community,nationalist,resident".split(",")
)
_MANY = frozenset("nationals,citizens,subjects,people,women,men,children,families,immigrants,refugees".split(","))
_QUALITY = frozenset(
    "nationality,citizenship,origin,ethnic origin,national origin,origins,descent,extraction,ancestry,heritage,"
    "parentage,ethnicity,background".split(",")
)
_BEHIND = _ONE | _MANY | _QUALITY
"""What may stand behind a nationality without changing what it says."""
_SUBJECTS = {
    "national": "citizen",
    "nationals": "citizens",
    "citizen": "national",
    "citizens": "nationals",
    "subject": "citizen",
    "subjects": "citizens",
}
"""The same in another word, so that not even that one is repeated."""
_TAUGHT = frozenset({"education professional", "person in education", "language professional", "field of study"})
"""Kinds before which a nationality may be a language: a Spanish professor."""


def stands_as_noun(mention: Mention) -> bool:
    """Whether it is "a Kurd", not "a Kurdish village": an article before it and no noun after it."""
    before = mention.text[max(mention.start - 12, 0) : mention.start]
    return bool(re.search(r"\b(?:an?|another|one)\s+$", before, re.IGNORECASE)) and not _noun_follows(mention)


def _noun_follows(mention: Mention) -> bool:
    found = re.match(r"\s+([^\W\d_]+)", mention.text[mention.end : mention.end + 40])
    return found is not None and found[1].lower() not in _FUNCTION


def rungs(mention: Mention, phrase: str) -> list[Rung]:
    """Of a nationality, an ethnic group, a language, or of a phrase that starts with one."""
    said = " ".join(mention.said.split()).strip(" .,;:\"'“”")
    bare = re.sub(r"^(?:an?|the)\s+", "", said)
    if not bare.removeprefix("of ")[:1].isupper():
        return []
    if spoken := _language(mention, phrase):
        return spoken
    if kinds().knows(bare.lower()):
        return _people(bare)
    return nationality(bare) or _with_noun(bare)


def nationality(said: str) -> list[Rung]:
    """Adjective in, adjective out; of a double one ("Greek-Cypriot") by its last part."""
    found = _people(said)
    if not found and (double := re.fullmatch(r"([A-Z][a-z]+)[ \u2010\u2011-]([A-Z][a-z]+)", said)):
        found = _people(double[2]) if _people(double[1]) else []
    return found


def _people(said: str) -> list[Rung]:
    return list(places.nationality(said))


def _language(mention: Mention, phrase: str) -> list[Rung]:
    table = kinds("languages")
    name = phrase.removeprefix("the ").removesuffix(" language")
    if name.endswith(("-speaking", " speaking")):
        return [
            Rung(f"speaking {indefinite(kind.phrase)} {kind.phrase}", float(kind.members), "", source="languages")
            for kind in table.above(name[:-9])
        ]
    above = table.above(name)
    if above and (
        name != phrase or _is_spoken(mention) or not (kinds().knows(name) or nationality(mention.said.strip()))
    ):
        return [replace(kind.rung(), source="languages") for kind in above]
    return []


def _is_spoken(mention: Mention) -> bool:
    """Whether the sentence speaks of a language: "fluent in Turkish", but not "in Turkish prisons"."""
    if re.match(r"\s+(?:language|dialect|lessons|speaker)", mention.text[mention.end : mention.end + 20]):
        return True
    before = mention.text[max(mention.start - 40, 0) : mention.start]
    return bool(_SPEAKING.search(before)) and not _noun_follows(mention)


def _with_noun(said: str) -> list[Rung]:
    """*Turkish national*, *of Kurdish origin*, *Polish lawyer*, *Irish Catholic*."""
    lead = "of " if said.startswith("of ") else ""
    words = said.removeprefix("of ").split(" ")
    for size in (2, 1):
        rest = " ".join(words[size:]).lower()
        adjectives = _adjectives(" ".join(words[:size])) if rest else []
        if adjectives and rest in _BEHIND:
            return [rung for word, members in adjectives for rung in _behind(word, members, rest, lead)]
        inner = read(rest) if adjectives and not lead else None
        if inner and inner.kinds:
            return _both(*adjectives[0], inner)
    return []


def _behind(word: str, members: float, rest: str, lead: str) -> Iterator[Rung]:
    is_one = rest in _ONE and not lead
    first = Rung(f"{lead}{word} {rest}", members, "a" if is_one else "", rest in _MANY, source="places")
    yield first
    if rest in _SUBJECTS:
        yield replace(first, text=f"{_SUBJECTS[rest]} of {indefinite(word)} {word} country")


def _both(adjective: str, members: float, inner: Reading) -> list[Rung]:
    """The area with the kind, then the kind alone."""
    alone = [kind.rung(inner.many) for kind in inner.kinds]
    alone = [replace(rung, text=inner.prefix + rung.text, modifier=None) for rung in alone] if inner.prefix else alone
    first = inner.kinds[0]
    if first.chain[-1].phrase in _TAUGHT or any(kind.phrase in _TAUGHT for kind in first.chain):
        return alone
    noun = first.rung(inner.many).text if first.word_class != "adjective" else first.before_a_noun
    if noun is None or first.word_class == "verb":
        return alone
    text = f"{inner.prefix}{adjective} {noun}"
    return [replace(alone[0], text=text, members=min(members, alone[0].members), modifier=None), *alone]


def described(phrase: str) -> list[Rung]:
    """*Deaf woman*, *gay couple*: the wider adjective before the same noun."""
    found = re.sub(r"^an? ", "", phrase).rpartition(" ")
    reading = look_up(found[0]) if found[2] in _ONE | _MANY | {"person", "patient", "patients"} else None
    if reading is None or reading.many:
        return []
    many = found[2] in _MANY or found[2] == "patients"
    return [
        replace(kind.rung(), text=f"{kind.before_a_noun} {found[2]}", article="" if many else "a", plural=many)
        for kind in reading.kinds
        if kind.word_class == "adjective" and kind.before_a_noun
    ]


def _adjectives(said: str) -> list[tuple[str, float]]:
    found = [(rung.modifier or rung.text, rung.members) for rung in nationality(said)]
    if not found and said[:1].isupper():
        above = [kind for kind in kinds().above(said.lower()) if kind.word_class == "adjective"]
        found = [(kind.before_a_noun, float(kind.members)) for kind in above if kind.before_a_noun]
    return found


def originals(phrase: str, text: str, language: str) -> Iterator[str]:
    """Of "Western Asian national": what may have stood there."""
    lead = "of " if phrase.startswith("of ") else ""
    words = phrase.removeprefix("of ").split(" ")
    for size in range(1, len(words)):
        rest = " ".join(words[size:])
        if rest in _BEHIND:
            yield from (f"{lead}{name} {rest}" for name in places.originals(" ".join(words[:size]), text, language))
            return
    # A people with a country is the likelier one: "European" is British or German before it is Saxon.
    yield from (f"{lead}{name}" for name in places.originals(" ".join(words), text, language))
