"""The hierarchy of things: laws, offences, benefits, medicines, vehicles, buildings, events, works, subjects ...

Citations by rule, then our lists of things by kind, then what the words beside a title say, then WordNet. English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain as joined
from itertools import islice

from sfumato.generalize import demographics
from sfumato.generalize.hierarchy import Level, Mention
from sfumato.generalize.things import kinds as thing_kinds
from sfumato.generalize.things import kinds as thing_titles
from sfumato.generalize.things import law as thing_law
from sfumato.generalize.things.kinds import make_of
from sfumato.generalize.things.law import offence_levels
from sfumato.lexicon import hypernyms, wordnet
from sfumato.lexicon.grammar_en import pluralize_phrase, singularize_phrase, word_classes
from sfumato.lexicon.hypernyms import NOT_THE_THING
from sfumato.lexicon.phrases import stands_in
from sfumato.lexicon.wordnet import several

# -- A noun phrase taken apart, as far as it has to be to say what kind of thing it names.


LONGEST = 8
"""Words; a longer phrase is mostly a clause."""
_QUOTES = "\"'“”‘’«»„`"
_DETERMINERS = frozenset(
    "a an the this that these those his her its their our my your some any each every another such certain own".split()
)
_NUMBERS = frozenset(
    "two three four five six seven eight nine ten several many few various both multiple numerous".split()
)
_PRONOUNS = frozenset("he she it they we i you him them us me who which what".split())
_AUXILIARIES = frozenset(
    "is are was were be been being am has have had having do does did will would shall should can could may might must "
    "not never".split()
)
_AFTER_HEAD = frozenset(
    "of in on at with without for from to by about against between into under over near during after before who whom "
    "which that whose where when as than concerning regarding containing involving called named entitled".split()
)
_WORD = re.compile(r"[^\W_]+(?:[-'’./&+#][^\W_]+)*[+#]*")
_YEAR = re.compile(r"(?:1[0-9]|20)\d\d(?:[-–/]\d{2,4})?$")
_POSSESSOR = re.compile(r"^.*?(?:['’]s|s['’])\s+")


@dataclass(frozen=True, slots=True)
class Phrase:
    """What is left of a mention without quotes, determiners and counts."""

    said: str
    core: str
    """The words up to what follows the head: "left eye" of "the left eye of the boy"."""
    is_counted: bool
    """Whether a number stood before it, so that it is a plural."""
    is_quoted: bool
    is_determined: bool


@lru_cache(maxsize=2**12)
def read(said: str) -> Phrase | None:
    """None where it is no plain noun phrase: empty, too long, a number, a clause."""
    flat = " ".join(said.split()).strip(" .,;:!?()[]")
    is_quoted = len(flat) > 2 and flat[0] in _QUOTES and flat[-1] in _QUOTES
    bare = flat.strip(_QUOTES + " ,.;:")
    words = bare.split()
    if not bare or len(bare) > 120 or len(words) > LONGEST:
        return None
    determined = counted = False
    while words and (words[0].casefold() in _DETERMINERS or words[0].casefold() in _NUMBERS):
        counted = counted or words[0].casefold() in _NUMBERS
        determined = True
        words = words[1:]
    if len(words) > 1 and _YEAR.match(words[0]) and words[1][0].isupper():
        words = words[1:]
    elif len(words) > 1 and _YEAR.match(words[-1]) and words[0][0].isupper():
        words = words[:-1]
    if not words or words[0][0].isdigit() or _is_clause(words):
        return None
    end = next((at for at, word in enumerate(words) if at and word.casefold() in _AFTER_HEAD), len(words))
    core = " ".join(words[:end]).rstrip(",;")
    return Phrase(" ".join(words), core, counted, is_quoted, determined)


def _is_clause(words: list[str]) -> bool:
    """Whether a verb makes it a statement: "owned a garage", "responding well"."""
    folded = [word.casefold().strip(",;") for word in words]
    if not _PRONOUNS.isdisjoint(folded[:1]) or not _AUXILIARIES.isdisjoint(folded):
        return True
    kinds = word_classes()
    if kinds.get(folded[0]) == "past" and len(words) > 1:
        return True
    follows = folded[1] if len(folded) > 1 else ""
    is_verb = kinds.get(folded[0]) in ("participle", "gerund", "verb", "adverb")
    if is_verb and (follows in _DETERMINERS or follows in _PRONOUNS or follows in ("to", "by", "that")):
        return True
    if kinds.get(follows) == "adverb" and kinds.get(folded[0]) in ("gerund", "participle"):
        return True
    return any(kinds.get(word) == "past" for word in folded[1:])


def parts(core: str) -> Iterator[str]:
    """The phrase without its first words, one by one: what may name the thing, most telling first.

    Ends where a dropped word may have made the thing something else ("alleged rape").
    """
    words = core.split()
    for start in range(len(words)):
        if start and (words[start - 1].casefold() in NOT_THE_THING or words[start - 1].casefold().startswith("non-")):
            return
        yield " ".join(words[start:])


def is_doing(core: str) -> bool:
    """Whether it may say what someone does to a thing, not what thing it is: "supplying cocaine"."""
    first, *others = core.casefold().split() or [""]
    return bool(others) and word_classes().get(first) in ("gerund", "verb", "adverb", "past")


def unpossessed(said: str) -> str:
    """Without whose it is: "left eye" of "the applicant's left eye"."""
    return _POSSESSOR.sub("", said, count=1)


def conjuncts(said: str) -> list[str]:
    """The parts of an enumeration; one where it is none."""
    found = [part.strip() for part in re.split(r",\s*(?:and|or)\s+|,\s*|\s+(?:and|or|&)\s+", said) if part.strip()]
    return found or [said]


def is_name(said: str, before: str) -> bool:
    """Whether capitals make it a name: not where a sentence begins, and not letters that are all capitals."""
    first = _WORD.search(said)
    if not first or not first[0][0].isupper() or said.isupper():
        return False
    stem = before.rstrip(" \n\t“\"'(")
    return bool(stem) and stem[-1] not in ".!?:\n" and not before.endswith("\n\n")


# -- What our lists of things by kind say of a phrase: of all of it, of its end, of the things it enumerates.


_EVERYDAY = 520
"""-100 log10 of a word's frequency below which a capital makes it a name: *Speed*, but not *Prozac*."""
_SPEAKS = re.compile(
    r"(?:\b(?:in|into|from|speak\w*|spoke|fluent in|learn\w*|stud\w+|understand\w*|language,?)\s+)$", re.IGNORECASE
)
_NUMBERED = re.compile(r"(?<=\w) (?:(?:\d{1,3}|[IVX]+)$|\d[\d.,]* ?(?:mg|mcg|µg|g|ml|units|iu)\b.*$)", re.IGNORECASE)
"""A model's number or a dose after the name of a thing."""
NAMED = frozenset({"LOC", "ORG", "PERSON"})
_OFTEN_FIRMS = frozenset({"online service"})
_PROPER_ONLY = frozenset({"means of communication"})
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
        "school of thought or movement;belief system;settlement;creative work;medical care;qualification;"
        "unforeseen event;online service;software"
    ).split(";")
)
"""Top kinds whose names end in the word for them: the Booker *Prize*, Hill *Prison*."""
_LONG_NAMED = frozenset({"distinction", "public event", "holiday or festival", "state support", "armed conflict"})


def by_kind(phrase: Phrase, mention: Mention) -> list[Level]:
    """By the lists, where they have the phrase as a whole."""
    unnumbered = _NUMBERED.sub("", phrase.said)
    # Athlete's foot is no one's foot.
    possessed = phrase.said if wordnet.senses(phrase.said) else unpossessed(phrase.said)
    titled = " ".join(mention.surface.split()).strip("\"'“”‘’ ")
    for said in dict.fromkeys((titled, phrase.said, possessed, unnumbered)):
        found = thing_kinds.find(said)
        if found and found.kind and _is_meant(found, phrase, mention):
            return thing_kinds.levels_of(found.kind, found.is_plural or phrase.is_counted)
    make = make_of(phrase.said, phrase.is_determined)
    if make:
        return thing_kinds.levels_of(make, phrase.is_counted)
    return []


def _is_meant(found: thing_kinds.Found, phrase: Phrase, mention: Mention) -> bool:
    """Whether a capital, or its lack, does not make it something else than what the lists hold."""
    first = phrase.said[0]
    top = thing_kinds.tops(found.kind)
    if not hypernyms.may_be_capitals(phrase.said):
        return False
    if first.isupper() and " " not in found.thing and mention.label in NAMED and top not in _OFTEN_FIRMS:
        # Java may be an island, and Apple a firm.
        return False
    if top in _PROPER_ONLY and " " not in found.thing and "language" not in found.thing:
        # "Turkish" is a language only where someone speaks or writes it.
        return first.isupper() and bool(_SPEAKS.search(mention.before[-30:]) or mention.after.startswith(" language"))
    if " " in found.thing or phrase.is_determined or not is_name(mention.surface, mention.before):
        return True
    return wordnet.rarity(found.thing) > _EVERYDAY or top in _NAMED_WITH_CAPITALS


def _is_in_name(part: str, mention: Mention) -> bool:
    """Whether the end of a mention is written as a part of a name."""
    dropped = mention.surface.partition(part)[0].split()
    if not part[0].isupper() or part.isupper():
        return False
    return any(word[0].isupper() for word in dropped) or (not dropped and is_name(part, mention.before))


def by_part(phrase: Phrase, mention: Mention) -> list[Level]:
    """By the lists, where they have the end of the phrase: a *shaven German shepherd* is a German shepherd."""
    if len(conjuncts(phrase.core)) > 1 or phrase.is_quoted or is_doing(phrase.core):
        return []
    known = hypernyms.head(phrase.core)
    for part in parts(unpossessed(phrase.core)):
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
            return [*own, *(thing_kinds.levels_of(found.kind, many) if found.kind else [])]
    return []


def _own(part: str, top: str, is_plural: bool, mention: Mention) -> list[Level]:
    """The thing without what was said of it, as a level of its own."""
    kind = thing_kinds.kinds().get(singularize_phrase(part.casefold())) or thing_kinds.kinds().get(part.casefold())
    if kind:
        return [thing_kinds.level_of(kind, is_plural)]
    is_word = mention.surface.startswith(part) and not is_name(mention.surface, mention.before)
    text = part
    if is_word and not part[1:2].isupper():
        text = part[0].lower() + part[1:]
    elif _is_in_name(part, mention):
        if top in _LONG_NAMED:
            # The Derby of the Epsom Derby is the same name again.
            return []
        text = part.lower()
    return [Level(text, 2, "" if is_plural else "a", plural=is_plural, source=thing_kinds.SOURCE)]


def by_enumeration(phrase: Phrase) -> list[Level]:
    """What all things of an enumeration are."""
    named = conjuncts(phrase.said)
    if not 1 < len(named) < 6:
        return []
    found = [thing_kinds.find(part) for part in named]
    if not all(thing and thing.kind for thing in found):
        return []
    hierarchies = [[kind.name for kind in thing_kinds.ancestors(thing.kind)] for thing in found if thing]
    shared = [name for name in hierarchies[0] if all(name in hierarchy for hierarchy in hierarchies[1:])]
    return thing_kinds.levels_of(shared[0], is_plural=True) if shared else []


# -- Levels from WordNet, for things that our lists do not have: only concepts that readers share and that hold firmly.


SOURCE = "wordnet"
_WORDNET_MOST = 4
_AROUND = 400
"""Letters on either side that are read to settle the sense."""
_FIELDS = frozenset(
    "act animal artifact body communication event food group object phenomenon plant possession process state "
    "substance "
    "cognition".split()
)
"""Where the words for things are; those for people, places, times and amounts have hierarchies of their own."""
_FIRM = frozenset(
    (
        "animal;mammal;bird;fish;reptile;insect;rodent;primate;feline;snake;bird of prey;water bird;aquatic bird;"
        "domestic fowl;cattle;horse;dog;deer;plant;tree;flower;bush;herb;vegetable;root vegetable;edible fruit;"
        "food;dish;meat;dairy product;baked goods;bread;cake;sauce;dessert;candy;liquor;cheese;body part;"
        "organ;internal organ;bone;muscle;joint;gland;tissue;clothing;garment;outer garment;footwear;hat;shoe;dress;"
        "woman's clothing;fabric;jewelry;vehicle;motor vehicle;wheeled vehicle;aircraft;ship;boat;warship;weapon;"
        "firearm;"
        "gun;explosive;knife;explosive device;container;box;bottle;building;farm building;medical building;house;"
        "housing;room;place of worship;shop;retail store;restaurant;place of business;furniture;"
        "tool;hand tool;cutting implement;power tool;machine;engine;computer;electronic equipment;electronic device;"
        "home appliance;musical instrument;wind instrument;percussion instrument;optical instrument;"
        "measuring instrument;scientific instrument;sports equipment;photographic equipment;toy;equipment;"
        "reference book;publication;periodical;sacred text;document;legal document;poem;song;musical composition;"
        "music genre;drug;medicine;hormone;protein;enzyme;chemical element;metal;alloy;mineral;"
        "building material;fuel;body of water;celestial body;planet;storm;disease;infectious disease;symptom;cancer;"
        "skin disease;mental illness;tumor;injury;respiratory disease;cardiovascular disease;sport;outdoor sport;"
        "card game;board game;court game;athletic game;crime;homicide;tax;payment;academic degree;award;"
        "school;cosmetic;military unit;penal correctional institution;"
        "military operation;military action;ceremony;religious ceremony;journey;meal;surgery;medical care;therapy;road;"
        "timepiece;floor cover;carbohydrate;institution;currency;coin;"
        "headdress;bag;kitchen utensil;bed linen;optical device;writing implement;pen;candle;source of illumination"
    ).split(";")
)
"""Concepts that are levels. Others are often a matter of view: a volcano as a crack, a merger as a combination."""


def levels_of(phrase: Phrase, mention: Mention) -> list[Level]:
    """The head of a phrase where something was said of it, then the firm concepts above it."""
    core = unpossessed(phrase.core)
    kind = hypernyms.head(core)
    if not kind or phrase.is_quoted or len(conjuncts(core)) > 1 or not _is_noun(kind):
        return []
    if is_doing(core) or not hypernyms.may_be_capitals(kind):
        return []
    is_whole = len(kind.split()) == len(phrase.said.split())
    starts = core.startswith(kind) and not phrase.is_determined
    if kind[0].isupper() and not kind.isupper() and (not starts or is_name(kind, mention.before)):
        # Baton Rouge is no cosmetic.
        return []
    own = wordnet.senses(kind)
    if not own or own[0].field not in _FIELDS:
        return []
    around = mention.text[max(0, mention.start - _AROUND) : mention.end + _AROUND]
    firm = [concept for concept in hypernyms.chain(kind, None, around) if concept.name in _FIRM]
    if not firm:
        return []
    many = phrase.is_counted or wordnet.is_plural_concept(kind)
    found = [] if is_whole else [Level(kind, 2.0, "" if many else "a", plural=many, source=SOURCE)]
    return found + [_level(concept, many) for concept in firm[:_WORDNET_MOST]]


def _is_noun(kind: str) -> bool:
    """Whether the word is mostly a noun; of activities in -ing WordNet knows less than we need."""
    word = kind.casefold()
    return " " in word or (word_classes().get(word, "noun") == "noun" and not word.endswith("ing"))


_MASS = frozenset(
    {
        "clothing",
        "furniture",
        "jewelry",
        "equipment",
        "food",
        "baked goods",
        "housing",
        "meat",
        "medical care",
        "cattle",
    }
)


def _level(concept: wordnet.Concept, is_plural: bool) -> Level:
    members = concept.members + 3.0
    if concept.name in _MASS:
        return Level(concept.name, members, "", source=SOURCE)
    if is_plural:
        return Level(pluralize_phrase(concept.name), members, "", plural=True, source=SOURCE)
    return Level(concept.name, members, source=SOURCE)


# -- The hierarchy of things: laws, offences, benefits, medicines, vehicles, buildings, events, works, subjects ...


_HIERARCHY_MOST = 6
_LONGEST_TITLE = 12
_TITLED_ORGANISATIONS = frozenset({"publication", "online service", "vessel", "vehicle"})
_SMALL = frozenset("of the and for in on to a an".split())
_BIRTHS = re.compile(r"\b(?:gravida|grav\.?|G)\s?\d{1,2},?\s*\Z", re.IGNORECASE)
"""What stands before the *para 1* of a patient's record."""


def levels(mention: Mention) -> list[Level]:
    """What is true of a thing, most specific first."""
    if mention.language != "en":
        return []
    said = " ".join(mention.surface.split())
    if not said or len(said) > 200:
        return []
    if given := _expansion(said, mention.text):
        return levels(Mention(mention.text, *given, "MISC"))
    found: Iterable[Level] = (
        thing_law.law_levels(said.strip(" \"'“”‘’")) if not _BIRTHS.search(mention.before[-20:]) else ()
    )
    phrase = read(said)
    if not found and phrase is None:
        # The lists have some titles and offences that are no plain noun phrases.
        whole = thing_kinds.find(said.strip(" .,;\"'“”‘’"))
        found = (
            thing_kinds.levels_of(whole.kind, whole.is_plural) if whole and whole.kind and len(whole.thing) > 3 else ()
        )
    if not found and phrase is not None:
        found = by_kind(phrase, mention) or offence_levels(phrase.said)
    found = found or _by_title(said, mention)
    if not found and phrase is not None:
        found = _by_demographics(mention) or by_part(phrase, mention) or by_enumeration(phrase)
        found = found or levels_of(phrase, mention)
    found = found or _as_foreign(said, mention)
    return _growing(found, said)


def candidate_originals(phrase: str, text: str, language: str) -> Iterator[str]:
    """The things that a level may stand for, those the text itself names first, then the best known."""
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
    single = singularize_phrase(bare)
    if bare in thing_kinds.kinds() or single in thing_kinds.kinds():
        return
    for name in hypernyms.hyponyms(single):
        yield several(name) if single != bare else name


def _by_title(said: str, mention: Mention) -> list[Level]:
    """By the words beside it, where it looks like a title."""
    is_title = mention.before[-1:] in tuple("\"'“‘«„") or said[0] in "\"'“‘«„" or any(map(str.isupper, said))
    if not is_title or len(said.split()) > _LONGEST_TITLE:
        return []
    found = thing_titles.title_levels(said, mention.before, mention.after)
    if mention.label in NAMED and found and found[-1].text not in _TITLED_ORGANISATIONS:
        # A firm's film is not a film.
        return []
    return found


def _by_demographics(mention: Mention) -> list[Level]:
    """Conditions and people, which the hierarchy of demographics knows; not by the words that a name is made of."""
    if mention.label in NAMED and any(map(str.isupper, mention.surface)):
        # Hahn and Sons are nobody's children, and the Senators a team.
        return []
    return list(demographics.levels(mention))


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


def _as_foreign(said: str, mention: Mention) -> list[Level]:
    """What a translation gives in brackets behind it: police supervision (dozór policji)."""
    in_brackets = mention.before[-1:] in ("(", "[") and mention.after[:1] in (")", "]", ",")
    words = said.casefold().split()
    if not in_brackets or not said.islower() or not all(word.isalpha() for word in words) or not words:
        return []
    foreign = [word for word in words if wordnet.rarity(word) >= wordnet.UNHEARD or not word.isascii()]
    if len(foreign) * 2 < len(words) or not any(len(word) > 4 for word in foreign):
        return []
    if re.search(r"[A-Za-z]{3,} [(\[]\Z", mention.before[-40:]) is None or wordnet.senses(said):
        return []
    return [Level("foreign-language term", 1e5, source=thing_kinds.SOURCE)]


def _growing(found: Iterable[Level], said: str) -> list[Level]:
    """At most six levels, none of them the mention itself, each wider than the one before."""
    kept: list[Level] = []
    for level in found:
        if level.text.casefold() == said.casefold() or any(level.text == other.text for other in kept):
            continue
        least = kept[-1].members * 1.5 if kept else 2.0
        members = max(level.members, least)
        kept.append(replace(level, members=members))
    return kept[:_HIERARCHY_MOST]
