"""The ladder of things: laws, offences, benefits, medicines, vehicles, buildings, events, works, subjects ...

Citations by rule, then our lists of things by kind, then what the words beside a title say, then WordNet. English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain as joined
from itertools import islice

from sfumato.knowledge.grammar.inflection import in_singular
from sfumato.knowledge.ladders import demographics
from sfumato.knowledge.ladders.base import Mention, Rung
from sfumato.knowledge.ladders.things import kinds as thing_kinds
from sfumato.knowledge.ladders.things import law as thing_law
from sfumato.knowledge.ladders.things import lists
from sfumato.knowledge.ladders.things import phrases as thing_phrases
from sfumato.knowledge.ladders.things import titles as thing_titles
from sfumato.knowledge.ladders.things import wordnet as thing_wordnet
from sfumato.knowledge.ladders.things.offences import offence_rungs
from sfumato.knowledge.wider import concepts, hypernyms
from sfumato.knowledge.wider.plurals import several
from sfumato.phrases import stands_in

_MOST = 6
_LONGEST_TITLE = 12
_TITLED_ORGANISATIONS = frozenset({"publication", "online service", "vessel", "vehicle"})
_SMALL = frozenset("of the and for in on to a an".split())
_BIRTHS = re.compile(r"\b(?:gravida|grav\.?|G)\s?\d{1,2},?\s*\Z", re.IGNORECASE)
"""What stands before the *para 1* of a patient's record."""


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
        found = lists.by_kind(phrase, mention) or offence_rungs(phrase.said)
    found = found or _by_title(said, mention)
    if not found and phrase is not None:
        found = _by_demographics(mention) or lists.by_part(phrase, mention) or lists.by_enumeration(phrase)
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
    named = [thing for thing in likely if stands_in(thing.casefold(), folded)]
    yield from dict.fromkeys((*named, *likely))


def _hyponyms(bare: str) -> Iterator[str]:
    """What WordNet has below a concept that our lists do not have."""
    single = in_singular(bare)
    if bare in thing_kinds.kinds() or single in thing_kinds.kinds():
        return
    for name in hypernyms.hyponyms(single):
        yield several(name) if single != bare else name


def _by_title(said: str, mention: Mention) -> list[Rung]:
    """By the words beside it, where it looks like a title."""
    is_title = mention.before[-1:] in tuple("\"'“‘«„") or said[0] in "\"'“‘«„" or any(map(str.isupper, said))
    if not is_title or len(said.split()) > _LONGEST_TITLE:
        return []
    found = thing_titles.title_rungs(said, mention.before, mention.after)
    if mention.label in lists.NAMED and found and found[-1].text not in _TITLED_ORGANISATIONS:
        # A firm's film is not a film.
        return []
    return found


def _by_demographics(mention: Mention) -> list[Rung]:
    """Conditions and people, which the ladder of demographics knows; not by the words that a name is made of."""
    if mention.label in lists.NAMED and any(map(str.isupper, mention.said)):
        # Hahn and Sons are nobody's children, and the Senators a team.
        return []
    return list(demographics.rungs(mention))


def _expansion(said: str, text: str) -> tuple[int, int] | None:
    """Where the text gives the words that letters stand for: the Code of Criminal Procedure (“CCP”)."""
    letters = said.rstrip("s")
    if not 2 <= len(letters) <= 6 or not letters.isalpha() or not letters.isupper():
        return None
    given = re.search(rf"((?:[\w’'-]+ ){{1,8}}[\w’'-]+)(?:: | \()(?:the )?[“\"'‘]?(?:the )?{letters}\b", text)
    if given is None:
        return None
    for first in re.finditer(r"\S+", given[1]):
        words = given[1][first.start() :].split()
        heads = "".join(word[0] for word in words if word.casefold() not in _SMALL)
        if len(words) > 1 and heads.upper() == letters:
            return given.start() + first.start(), given.end(1)
    return None


def _as_foreign(said: str, mention: Mention) -> list[Rung]:
    """What a translation gives in brackets behind it: police supervision (dozór policji)."""
    in_brackets = mention.before[-1:] in ("(", "[") and mention.after[:1] in (")", "]", ",")
    words = said.casefold().split()
    if not in_brackets or not said.islower() or not all(word.isalpha() for word in words) or not words:
        return []
    foreign = [word for word in words if concepts.rarity(word) >= concepts.UNHEARD or not word.isascii()]
    if len(foreign) * 2 < len(words) or not any(len(word) > 4 for word in foreign):
        return []
    if re.search(r"[A-Za-z]{3,} [(\[]\Z", mention.before[-40:]) is None or concepts.senses(said):
        return []
    return [Rung("foreign-language term", 1e5, source=thing_kinds.SOURCE)]


def _growing(found: Iterable[Rung], said: str) -> list[Rung]:
    """At most six rungs, none of them the mention itself, each wider than the one before."""
    kept: list[Rung] = []
    for rung in found:
        if rung.text.casefold() == said.casefold() or any(rung.text == other.text for other in kept):
            continue
        least = kept[-1].members * 1.5 if kept else 2.0
        members = max(rung.members, least)
        kept.append(replace(rung, members=members))
    return kept[:_MOST]
