"""The ladder of things: laws, offences, benefits, medicines, vehicles, buildings, events, works, subjects ...

Citations by rule, then our lists of things by kind, then what the words beside a title say, then WordNet. English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain as joined
from itertools import islice

from sfumato.knowledge import hypernyms
from sfumato.knowledge.inflection import in_singular
from sfumato.knowledge.ladders import demographics
from sfumato.knowledge.ladders.base import Mention, Rung
from sfumato.knowledge.ladders.things import kinds as thing_kinds
from sfumato.knowledge.ladders.things import law as thing_law
from sfumato.knowledge.ladders.things import phrases as thing_phrases
from sfumato.knowledge.ladders.things import titles as thing_titles
from sfumato.knowledge.ladders.things import wordnet as thing_wordnet
from sfumato.knowledge.ladders.things.makes import make_of
from sfumato.knowledge.ladders.things.offences import offence_rungs

_MOST = 6
_LONGEST_TITLE = 12
_EVERYDAY = 520
"""-100 log10 of a word's frequency below which a capital makes it a name: *Speed*, but not *Prozac*."""
_SPEAKS = re.compile(
    r"(?:\b(?:in|into|from|speak\w*|spoke|fluent in|learn\w*|stud\w+|understand\w*|language,?)\s+)$", re.IGNORECASE
)
_NUMBERED = re.compile(r"(?<=\w) (?:(?:\d{1,3}|[IVX]+)$|\d[\d.,]* ?(?:mg|mcg|µg|g|ml|units|iu)\b.*$)", re.IGNORECASE)
"""A model's number or a dose after the name of a thing."""
_NAMED = frozenset({"LOC", "ORG", "PERSON"})
_OFTEN_FIRMS = frozenset({"online service"})
_TITLED_ORGANISATIONS = frozenset({"publication", "online service", "vessel", "vehicle"})
_SMALL = frozenset("of the and for in on to a an".split())
_BIRTHS = re.compile(r"\b(?:gravida|grav\.?|G)\s?\d{1,2},?\s*\Z", re.IGNORECASE)
"""What stands before the *para 1* of a patient's record."""
_UNHEARD = 700
"""How rare a word is that English texts do not have."""
_PROPER_ONLY = frozenset({"means of communication"})


def rungs(mention: Mention) -> list[Rung]:
    """What is true of a thing, most specific first."""
    if mention.language != "en":
        return []
    said = " ".join(mention.said.split())
    if not said or len(said) > 200:
        return []
    if given := _expansion(said, mention.text):
        return rungs(Mention(mention.text, *given, "MISC"))
    found: Iterable[Rung] = (
        thing_law.law_rungs(said.strip(" \"'“”‘’")) if not _BIRTHS.search(mention.before[-20:]) else ()
    )
    phrase = thing_phrases.read(said)
    if not found and phrase is None:
        # The lists have some titles and offences that are no plain noun phrases.
        whole = thing_kinds.find(said.strip(" .,;\"'“”‘’"))
        found = (
            thing_kinds.rungs_of(whole.kind, whole.is_plural) if whole and whole.kind and len(whole.thing) > 3 else ()
        )
    if not found and phrase is not None:
        found = _by_kind(phrase, mention) or offence_rungs(phrase.said)
    found = found or _by_title(said, mention)
    if not found and phrase is not None:
        found = _by_demographics(mention) or _by_part(phrase, mention) or _by_enumeration(phrase)
        found = found or thing_wordnet.rungs_of(phrase, mention)
    found = found or _as_foreign(said, mention)
    return _growing(found, said)


def originals(phrase: str, text: str, language: str) -> Iterator[str]:
    """The things that a rung may stand for, those the text itself names first, then the best known."""
    if language != "en":
        return
    bare = re.sub(r"^(?:an?|the|some)\s+", "", " ".join(phrase.casefold().split()))
    sources = joined(thing_kinds.originals_of(bare), thing_law.originals_of(bare), _hyponyms(bare))
    likely = list(dict.fromkeys(islice(sources, 400)))
    folded = text.casefold()
    named = [thing for thing in likely if re.search(rf"\b{re.escape(thing.casefold())}\b", folded)]
    yield from dict.fromkeys((*named, *likely))


def _hyponyms(bare: str) -> Iterator[str]:
    """What WordNet has below a concept that our lists do not have."""
    single = in_singular(bare)
    if bare in thing_kinds.kinds() or single in thing_kinds.kinds():
        return
    for name in hypernyms.hyponyms(single):
        yield thing_kinds.several(name) if single != bare else name


def _by_kind(phrase: thing_phrases.Phrase, mention: Mention) -> list[Rung]:
    """By the lists, where they have the phrase as a whole."""
    unnumbered = _NUMBERED.sub("", phrase.said)
    # Athlete's foot is no one's foot.
    possessed = phrase.said if hypernyms.senses(phrase.said) else thing_phrases.unpossessed(phrase.said)
    titled = " ".join(mention.said.split()).strip("\"'“”‘’ ")
    for said in dict.fromkeys((titled, phrase.said, possessed, unnumbered)):
        found = thing_kinds.find(said)
        if found and found.kind and _is_meant(found, phrase, mention):
            return thing_kinds.rungs_of(found.kind, found.is_plural or phrase.is_counted)
    make = make_of(phrase.said, phrase.is_determined)
    if make:
        return thing_kinds.rungs_of(make, phrase.is_counted)
    return []


def _is_meant(found: thing_kinds.Found, phrase: thing_phrases.Phrase, mention: Mention) -> bool:
    """Whether a capital, or its lack, does not make it something else than what the lists hold."""
    first = phrase.said[0]
    top = thing_kinds.tops(found.kind)
    if not hypernyms.may_be_capitals(phrase.said):
        return False
    if first.isupper() and " " not in found.thing and mention.label in _NAMED and top not in _OFTEN_FIRMS:
        # Java may be an island, and Apple a firm.
        return False
    if top in _PROPER_ONLY and " " not in found.thing and "language" not in found.thing:
        # "Turkish" is a language only where someone speaks or writes it.
        return first.isupper() and bool(_SPEAKS.search(mention.before[-30:]) or mention.after.startswith(" language"))
    if " " in found.thing or phrase.is_determined or not thing_phrases.is_name(mention.said, mention.before):
        return True
    return hypernyms.rarity(found.thing) > _EVERYDAY or top in _NAMED_WITH_CAPITALS


_NAMED_WITH_CAPITALS = frozenset(
    {
        "holiday or festival",
        "online service",
        "distinction",
        "public event",
        "school of thought or movement",
        "belief system",
        "branch of knowledge",
    }
)


_NAMING = frozenset(
    (
        "distinction;public event;publication;document;building;premises;educational institution;medical facility;"
        "place of detention;holiday or festival;political event;armed conflict;state support;regular income;drug;"
        "financial support;compulsory payment;legal matter;legal decision;branch of knowledge;"
        "school of thought or movement;belief system;settlement;creative work;medical care;qualification;unforeseen "
        "event;"
        "online service;software"
    ).split(";")
)
"""Top kinds whose names end in the word for them: the Booker *Prize*, Hill *Prison*."""
_LONG_NAMED = frozenset({"distinction", "public event", "holiday or festival", "state support", "armed conflict"})


def _is_in_name(part: str, mention: Mention) -> bool:
    """Whether the end of a mention is written as a part of a name."""
    dropped = mention.said.partition(part)[0].split()
    if not part[0].isupper() or part.isupper():
        return False
    return any(word[0].isupper() for word in dropped) or (not dropped and thing_phrases.is_name(part, mention.before))


def _by_title(said: str, mention: Mention) -> list[Rung]:
    """By the words beside it, where it looks like a title."""
    is_title = mention.before[-1:] in tuple("\"'“‘«„") or said[0] in "\"'“‘«„" or any(map(str.isupper, said))
    if not is_title or len(said.split()) > _LONGEST_TITLE:
        return []
    found = thing_titles.title_rungs(said, mention.before, mention.after)
    if mention.label in _NAMED and found and found[-1].text not in _TITLED_ORGANISATIONS:
        # A firm's film is not a film.
        return []
    return found


def _by_demographics(mention: Mention) -> list[Rung]:
    """Conditions and people, which the ladder of demographics knows; not by the words that a name is made of."""
    if mention.label in _NAMED and any(map(str.isupper, mention.said)):
        # Hahn and Sons are nobody's children, and the Senators a team.
        return []
    return list(demographics.rungs(mention))


def _by_part(phrase: thing_phrases.Phrase, mention: Mention) -> list[Rung]:
    """By the lists, where they have the end of the phrase: a *shaven German shepherd* is a German shepherd."""
    if len(thing_phrases.conjuncts(phrase.core)) > 1 or phrase.is_quoted or thing_phrases.is_doing(phrase.core):
        return []
    known = hypernyms.head(phrase.core)
    for part in thing_phrases.parts(thing_phrases.unpossessed(phrase.core)):
        if known and len(part.split()) < len(known.split()):
            # WordNet has more of it as one concept: a heart attack is no attack.
            return []
        found = thing_kinds.find(part) if hypernyms.may_be_capitals(part) else None
        top = (thing_kinds.tops(found.kind) or found.thing) if found else ""
        if found and _is_in_name(part, mention) and top not in _NAMING:
            # The song "Yellow Submarine" is no ship.
            return []
        if found:
            many = found.is_plural or phrase.is_counted
            own = _own(part, top, many, mention) if part != phrase.said else []
            return [*own, *(thing_kinds.rungs_of(found.kind, many) if found.kind else [])]
    return []


def _own(part: str, top: str, is_plural: bool, mention: Mention) -> list[Rung]:
    """The thing without what was said of it, as a rung of its own."""
    kind = thing_kinds.kinds().get(in_singular(part.casefold())) or thing_kinds.kinds().get(part.casefold())
    if kind:
        return [thing_kinds.rung_of(kind, is_plural)]
    is_word = mention.said.startswith(part) and not thing_phrases.is_name(mention.said, mention.before)
    text = part
    if is_word and not part[1:2].isupper():
        text = part[0].lower() + part[1:]
    elif _is_in_name(part, mention):
        if top in _LONG_NAMED:
            # The Derby of the Epsom Derby is the same name again.
            return []
        text = part.lower()
    return [Rung(text, 2, "" if is_plural else "a", plural=is_plural, source=thing_kinds.SOURCE)]


def _expansion(said: str, text: str) -> tuple[int, int] | None:
    """Where the text gives the words that letters stand for: the Code of Criminal Procedure (“CCP”)."""
    letters = said.rstrip("s")
    if not 2 <= len(letters) <= 6 or not letters.isalpha() or not letters.isupper():
        return None
    given = re.search(rf"((?:[\w’'-]+ ){{1,8}}[\w’'-]+)(?:: | \()(?:the )?[“\"'‘]?(?:the )?{letters}\b", text)
    starts = [word.start() for word in re.finditer(r"\S+", given[1])] if given else []
    for start in starts:
        words = given[1][start:].split() if given else []
        heads = "".join(word[0] for word in words if word.casefold() not in _SMALL)
        if given and len(words) > 1 and heads.upper() == letters:
            return given.start() + start, given.end(1)
    return None


def _as_foreign(said: str, mention: Mention) -> list[Rung]:
    """What a translation gives in brackets behind it: police supervision (dozór policji)."""
    in_brackets = mention.before[-1:] in ("(", "[") and mention.after[:1] in (")", "]", ",")
    words = said.casefold().split()
    if not in_brackets or not said.islower() or not all(word.isalpha() for word in words) or not words:
        return []
    foreign = [word for word in words if hypernyms.rarity(word) >= _UNHEARD or not word.isascii()]
    if len(foreign) * 2 < len(words) or not any(len(word) > 4 for word in foreign):
        return []
    if re.search(r"[A-Za-z]{3,} [(\[]\Z", mention.before[-40:]) is None or hypernyms.senses(said):
        return []
    return [Rung("foreign-language term", 1e5, source=thing_kinds.SOURCE)]


def _by_enumeration(phrase: thing_phrases.Phrase) -> list[Rung]:
    """What all things of an enumeration are."""
    named = thing_phrases.conjuncts(phrase.said)
    if not 1 < len(named) < 6:
        return []
    found = [thing_kinds.find(part) for part in named]
    if not all(thing and thing.kind for thing in found):
        return []
    ladders = [[kind.name for kind in thing_kinds.climb(thing.kind)] for thing in found if thing]
    shared = [name for name in ladders[0] if all(name in ladder for ladder in ladders[1:])]
    return thing_kinds.rungs_of(shared[0], is_plural=True) if shared else []


def _growing(found: Iterable[Rung], said: str) -> list[Rung]:
    """At most six rungs, none of them the mention itself, each wider than the one before."""
    kept: list[Rung] = []
    for rung in found:
        if rung.text.casefold() == said.casefold() or any(rung.text == other.text for other in kept):
            continue
        least = kept[-1].members * 1.5 if kept else 2.0
        members = max(rung.members, least)
        kept.append(rung if members == rung.members else _with_members(rung, members))
    return kept[:_MOST]


def _with_members(rung: Rung, members: float) -> Rung:
    return Rung(rung.text, members, rung.article, rung.plural, rung.modifier, rung.preposition, rung.source)
