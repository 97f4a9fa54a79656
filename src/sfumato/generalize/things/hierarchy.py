"""The generalization hierarchy of things: laws, offences, benefits, medicines, vehicles, buildings, events, works ...

A mention is read as a citation of a law, then by our lists of things by kind, then by the words beside a title, then
by WordNet. English only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain, islice, takewhile

from sfumato.generalize import demographics, evidence
from sfumato.generalize.hierarchy import Level, Mention, unique
from sfumato.generalize.things import kinds as thing_kinds
from sfumato.generalize.things import law
from sfumato.lexicon import hypernyms, wordnet
from sfumato.lexicon.grammar_en import pluralize_phrase, singularize_phrase, word_classes
from sfumato.lexicon.hypernyms import PRIVATIVE_MODIFIERS
from sfumato.lexicon.tables import languages_with, word_set
from sfumato.lexicon.tokens import PhraseList, find_whole, folded_words, lazy_pattern
from sfumato.lexicon.wordnet import plural_if_used

_LANGUAGES = languages_with("things", "sfumato.generalize")
_words = partial(word_set, "things", language="en", package="sfumato.generalize")

# A noun phrase is taken apart as far as needed to say what kind of thing it names.

_LONGEST_PHRASE = 8
"""In words; a longer phrase is mostly a clause."""
_QUOTES = "\"'“”‘’«»„`"
_DETERMINERS = _words("noun_phrase.determiners")
_NUMBERS = _words("noun_phrase.numbers")
_PRONOUNS = _words("noun_phrase.pronouns")
_AUXILIARIES = _words("noun_phrase.auxiliaries")
_AFTER_HEAD = _words("noun_phrase.after_head")
_WORD = re.compile(r"[^\W_]+(?:[-'’./&+#][^\W_]+)*[+#]*")
_YEAR = re.compile(r"(?:1[0-9]|20)\d\d(?:[-–/]\d{2,4})?$")
_POSSESSOR = re.compile(r"^.*?(?:['’]s|s['’])\s+")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A mention without quotes, determiners and counts."""

    text: str
    core: str
    """The words up to what follows the head: "left eye" of "the left eye of the boy"."""
    is_counted: bool
    """Whether a number stood before it, so that it is a plural."""
    is_quoted: bool
    is_determined: bool


def read(surface: str) -> Phrase | None:
    """The noun phrase of a mention; None where it is none: empty, too long, a number, a clause."""
    flat = " ".join(surface.split()).strip(" .,;:!?()[]")
    is_quoted = len(flat) > 2 and flat[0] in _QUOTES and flat[-1] in _QUOTES
    bare = flat.strip(_QUOTES + " ,.;:")
    words = bare.split()
    if not bare or len(bare) > 120 or len(words) > _LONGEST_PHRASE:
        return None
    leading = [*takewhile(lambda word: word in _DETERMINERS | _NUMBERS, map(str.casefold, words))]
    words = words[len(leading) :]
    if len(words) > 1 and _YEAR.match(words[0]) and words[1][0].isupper():
        words = words[1:]
    elif len(words) > 1 and _YEAR.match(words[-1]) and words[0][0].isupper():
        words = words[:-1]
    if not words or words[0][0].isdigit() or _is_clause(words):
        return None
    end = next((index for index, word in enumerate(words) if index and word.casefold() in _AFTER_HEAD), len(words))
    core = " ".join(words[:end]).rstrip(",;")
    return Phrase(" ".join(words), core, not _NUMBERS.isdisjoint(leading), is_quoted, bool(leading))


def _is_clause(words: list[str]) -> bool:
    """Whether a verb makes it a statement: "owned a garage", "responding well"."""
    folded = [word.casefold().strip(",;") for word in words]
    if not _PRONOUNS.isdisjoint(folded[:1]) or not _AUXILIARIES.isdisjoint(folded):
        return True
    classes = [word_classes().get(word) for word in folded]
    if len(words) > 1 and "past" in classes:
        return True
    second = folded[1] if len(folded) > 1 else ""
    is_followed = second in _DETERMINERS or second in _PRONOUNS or second in ("to", "by", "that")
    if is_followed and classes[0] in ("participle", "gerund", "verb", "adverb"):
        return True
    return classes[1:2] == ["adverb"] and classes[0] in ("gerund", "participle")


def parts(core: str) -> Iterator[str]:
    """The phrase without its first words, one by one: what may name the thing, most telling first.

    Ends where a dropped word may have made the thing something else ("alleged rape").
    """
    words = core.split()
    for start, word in enumerate(words):
        yield " ".join(words[start:])
        if word.casefold() in PRIVATIVE_MODIFIERS or word.casefold().startswith("non-"):
            return


def is_doing(core: str) -> bool:
    """Whether it may say what someone does to a thing, not what thing it is: "supplying cocaine"."""
    first, *others = core.casefold().split() or [""]
    return bool(others) and word_classes().get(first) in ("gerund", "verb", "adverb", "past")


def without_possessor(phrase: str) -> str:
    """Without whose it is: "left eye" of "the applicant's left eye"."""
    return _POSSESSOR.sub("", phrase, count=1)


def conjuncts(phrase: str) -> list[str]:
    """The parts of an enumeration; the phrase itself where it is none."""
    parts = [part.strip() for part in re.split(r",\s*(?:and|or)\s+|,\s*|\s+(?:and|or|&)\s+", phrase) if part.strip()]
    return parts or [phrase]


def is_name(surface: str, before: str) -> bool:
    """Whether capitals make it a name: not where a sentence begins, and not letters that are all capitals."""
    first = _WORD.search(surface)
    if not first or not first[0][0].isupper() or surface.isupper():
        return False
    stem = before.rstrip(" \n\t“\"'(")
    return bool(stem) and stem[-1] not in ".!?:\n" and not before.endswith("\n\n")


# Levels from our lists of things by kind: for all of a phrase, for its end, for the things it enumerates.

_EVERYDAY = 520
"""-100 log10 of a word's frequency below which a capital makes it a name: *Speed*, but not *Prozac*."""
_SPEAKS = re.compile(
    r"(?:\b(?:in|into|from|speak\w*|spoke|fluent in|learn\w*|stud\w+|understand\w*|language,?)\s+)$", re.IGNORECASE
)
_NUMBERED = re.compile(r"(?<=\w) (?:(?:\d{1,3}|[IVX]+)$|\d[\d.,]* ?(?:mg|mcg|µg|g|ml|units|iu)\b.*$)", re.IGNORECASE)
"""A model's number or a dose after the name of a thing."""
NAMED = frozenset({"LOC", "ORG", "PERSON"})
_OFTEN_FIRMS = _words("often_firms")
_PROPER_ONLY = _words("proper_only")
_NAMED_WITH_CAPITALS = _words("named_with_capitals")
_NAMING = _words("naming")
_LONG_NAMED = _words("long_named")


def by_kind(phrase: Phrase, mention: Mention) -> list[Level]:
    """By the lists, where they have the phrase as a whole."""
    unnumbered = _NUMBERED.sub("", phrase.text)
    # Athlete's foot is no one's foot.
    possessed = phrase.text if wordnet.senses(phrase.text) else without_possessor(phrase.text)
    titled = " ".join(mention.surface.split()).strip("\"'“”‘’ ")
    for name in dict.fromkeys((titled, phrase.text, possessed, unnumbered)):
        thing = thing_kinds.find(name)
        if thing and thing.kind and _is_meant(thing, phrase, mention):
            return thing_kinds.levels_of(thing.kind, thing.is_plural or phrase.is_counted)
    make = thing_kinds.make_of(phrase.text, phrase.is_determined)
    return thing_kinds.levels_of(make, phrase.is_counted) if make else []


def _is_meant(thing: thing_kinds.ListedThing, phrase: Phrase, mention: Mention) -> bool:
    """Whether it is the thing of the lists: a capital, or its lack, may make it something else."""
    first = phrase.text[0]
    top = thing_kinds.top_kind(thing.kind)
    if not hypernyms.may_be_written_in_capitals(phrase.text):
        return False
    if first.isupper() and " " not in thing.name and mention.label in NAMED and top not in _OFTEN_FIRMS:
        return False  # Java may be an island, and Apple a firm
    if top in _PROPER_ONLY and " " not in thing.name and "language" not in thing.name:
        # "Turkish" is a language only where someone speaks or writes it.
        return first.isupper() and bool(_SPEAKS.search(mention.before[-30:]) or mention.after.startswith(" language"))
    if " " in thing.name or phrase.is_determined or not is_name(mention.surface, mention.before):
        return True
    return wordnet.rarity(thing.name) > _EVERYDAY or top in _NAMED_WITH_CAPITALS


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
    concept = hypernyms.head_noun(phrase.core)
    for part in parts(without_possessor(phrase.core)):
        if concept and len(part.split()) < len(concept.split()):
            return []  # WordNet has more of it as one concept: a heart attack is no attack
        thing = thing_kinds.find(part) if hypernyms.may_be_written_in_capitals(part) else None
        top = (thing_kinds.top_kind(thing.kind) or thing.name) if thing else ""
        if thing and _is_in_name(part, mention) and top not in _NAMING:
            return []  # the song "Yellow Submarine" is no ship
        if thing:
            many = thing.is_plural or phrase.is_counted
            first = _part_level(part, top, many, mention) if part != phrase.text else []
            return [*first, *(thing_kinds.levels_of(thing.kind, many) if thing.kind else [])]
    return []


def _part_level(part: str, top: str, is_plural: bool, mention: Mention) -> list[Level]:
    """The thing without what was said of it, as a level."""
    kind = thing_kinds.kinds().get(singularize_phrase(part.casefold())) or thing_kinds.kinds().get(part.casefold())
    if kind:
        return [thing_kinds.level_of(kind, is_plural)]
    is_word = mention.surface.startswith(part) and not is_name(mention.surface, mention.before)
    text = part
    if is_word and not part[1:2].isupper():
        text = part[0].lower() + part[1:]
    elif _is_in_name(part, mention):
        text = part.lower()
        if top in _LONG_NAMED:
            return []  # the Derby of the Epsom Derby is the same name again
    return [Level(text, 2, "" if is_plural else "a", plural=is_plural, source=thing_kinds.SOURCE)]


def by_enumeration(phrase: Phrase) -> list[Level]:
    """The kinds that all things of an enumeration share."""
    parts = conjuncts(phrase.text)
    if not 1 < len(parts) < 6:
        return []
    chains = [thing_kinds.ancestors(thing.kind) if (thing := thing_kinds.find(part)) else [] for part in parts]
    shared = [kind.name for kind in chains[0] if all(kind in others for others in chains[1:])]
    return thing_kinds.levels_of(shared[0], is_plural=True) if shared else []


# Levels from WordNet, for things that our lists do not have: only concepts that readers share and that hold firmly.

_WORDNET = "wordnet"
_MOST_CONCEPTS = 4
_SHORTEST = 3
"""Letters; so few are an abbreviation or a symbol."""
_CERTAIN = 0.8
"""Share of a word's uses that its first sense must have."""
_CONTEXT = 400
"""Characters on either side that are read to settle the sense."""
_FIELDS = _words("wordnet.fields")
_FIRM = _words("wordnet.firm")
_MASS = _words("wordnet.mass")


def by_wordnet(phrase: Phrase, mention: Mention) -> list[Level]:
    """The head of a phrase where something was said of it, then the firm concepts above it."""
    core = without_possessor(phrase.core)
    kind = hypernyms.head_noun(core)
    if not kind or phrase.is_quoted or len(conjuncts(core)) > 1 or not _is_noun(kind):
        return []
    if is_doing(core) or not hypernyms.may_be_written_in_capitals(kind):
        return []
    is_whole = len(kind.split()) == len(phrase.text.split())
    starts = core.startswith(kind) and not phrase.is_determined
    if kind[0].isupper() and not kind.isupper() and (not starts or is_name(kind, mention.before)):
        return []  # Baton Rouge is no cosmetic
    shares = wordnet.sense_shares(kind)
    if not shares or shares[0][0].field not in _FIELDS or len(kind) <= _SHORTEST:
        return []
    if " " not in kind and shares[0][1] < _CERTAIN:
        return []  # a fryer is a chicken, and an audit a document, in some senses only
    context = mention.text[max(0, mention.start - _CONTEXT) : mention.end + _CONTEXT]
    firm = [concept for concept in hypernyms.hypernym_chain(kind, None, context) if concept.name in _FIRM]
    if not firm:
        return []
    many = phrase.is_counted or wordnet.is_plural_concept(kind)
    first = [] if is_whole else [Level(kind, 2.0, "" if many else "a", plural=many, source=_WORDNET)]
    return first + [_level(concept, many) for concept in firm[:_MOST_CONCEPTS]]


def _is_noun(kind: str) -> bool:
    """Whether the word is mostly a noun; of activities in -ing WordNet knows less than we need."""
    word = kind.casefold()
    return " " in word or (word_classes().get(word, "noun") == "noun" and not word.endswith("ing"))


def _level(concept: wordnet.Concept, is_plural: bool) -> Level:
    is_mass = concept.name in _MASS
    many = is_plural and not is_mass
    text = pluralize_phrase(concept.name) if many else concept.name
    return Level(text, concept.members + 3.0, "" if is_mass or many else "a", plural=many, source=_WORDNET)


# The hierarchy.

_MOST_LEVELS = 6
_LONGEST_TITLE = 12
_TITLED_ORGANISATIONS = _words("titled_organisations")
_LOWER_IN_NAMES = _words("noun_phrase.lower_in_names")
_BIRTHS = re.compile(r"\b(?:gravida|grav\.?|G)\s?\d{1,2},?\s*\Z", re.IGNORECASE)
"""Before the *para 1* of a patient's record, which is no paragraph."""


def levels(mention: Mention) -> list[Level]:
    """What is true of a thing, most specific first."""
    if mention.language not in _LANGUAGES:
        return []
    surface = " ".join(mention.surface.split())
    if not surface or len(surface) > 200:
        return []
    if mention.label == "DEM" and evidence.is_stated_occupation(mention):
        return []  # one that the hierarchy of occupations does not know: a crossing patrol is no military unit
    if expansion := _expansion(surface, mention.text):
        return levels(Mention(mention.text, *expansion, "MISC"))
    if not law.law_levels(surface.strip(" \"'“”‘’")) and _is_part(surface, mention):
        return []
    return _growing(_first_reading(surface, mention), surface)


def _is_part(surface: str, mention: Mention) -> bool:
    """Whether it is part of a longer name or compound, or a code: the Nile Clinic is no river, a taxi driver no car."""
    if evidence.is_written_as_code(mention):
        return True
    if surface.islower():
        return evidence.is_part_of_compound(mention)
    return evidence.name_word_after(mention) != "" or evidence.precedes_noun(mention)


def _first_reading(surface: str, mention: Mention) -> Iterable[Level]:
    """The levels of the first way of reading that knows the mention."""
    if not _BIRTHS.search(mention.before[-20:]) and (cited := law.law_levels(surface.strip(" \"'“”‘’"))):
        return cited
    phrase = read(surface)
    if phrase is None:
        # The lists have some titles and offences that are no plain noun phrases.
        whole = thing_kinds.find(surface.strip(" .,;\"'“”‘’"))
        if whole and whole.kind and len(whole.name) > 3:
            return thing_kinds.levels_of(whole.kind, whole.is_plural)
        return _by_title(surface, mention) or _as_foreign(surface, mention)
    known = by_kind(phrase, mention) or law.offence_levels(phrase.text) or _by_title(surface, mention)
    if known or mention.label in NAMED:
        return known or _as_foreign(surface, mention)  # the end of a name says little of what bears it
    return (
        _by_demographics(mention)
        or by_part(phrase, mention)
        or by_enumeration(phrase)
        or by_wordnet(phrase, mention)
        or _as_foreign(surface, mention)
    )


def candidate_originals(phrase: str, text: str, language: str) -> Iterator[str]:
    """The things that a level may stand for, those the text itself names first, then the best known."""
    if language not in _LANGUAGES:
        return
    bare = re.sub(r"^(?:an?|the|some)\s+", "", " ".join(phrase.casefold().split()))
    if likely := _likely_originals(bare):
        yield from unique(chain(folded_words(text).those_contained(likely), likely))


@lru_cache(maxsize=512)
def _likely_originals(bare: str) -> PhraseList:
    sources = chain(thing_kinds.things_of(bare), law.laws_of(bare), _hyponyms(bare))
    return PhraseList(dict.fromkeys(islice(sources, 400)))


def _hyponyms(bare: str) -> Iterator[str]:
    """The hyponyms in WordNet of a concept that our lists do not have."""
    singular = singularize_phrase(bare)
    if bare in thing_kinds.kinds() or singular in thing_kinds.kinds():
        return
    for name in hypernyms.hyponyms(singular):
        yield plural_if_used(name) if singular != bare else name


def _by_title(surface: str, mention: Mention) -> list[Level]:
    """By the words beside it, where it looks like a title."""
    is_title = mention.before[-1:] in tuple("\"'“‘«„") or surface[0] in "\"'“‘«„" or any(map(str.isupper, surface))
    if not is_title or len(surface.split()) > _LONGEST_TITLE:
        return []
    levels = thing_kinds.title_levels(surface, mention.before, mention.after)
    if mention.label in NAMED and levels and levels[-1].text not in _TITLED_ORGANISATIONS:
        return []  # a firm's film is not a film
    return levels


def _by_demographics(mention: Mention) -> list[Level]:
    """Conditions and people, which the hierarchy of demographics knows; not by the words that a name is made of."""
    if mention.label in NAMED and any(map(str.isupper, mention.surface)):
        return []  # Hahn and Sons are nobody's children, and the Senators a team
    return list(demographics.levels(mention))


_OPENING = r"(?:: | \()(?:the )?[“\"'‘]?(?:the )?"
_OPENS_ABBREVIATION = lazy_pattern(rf"{_OPENING}\Z")
_BEFORE_ABBREVIATION = lazy_pattern(rf"(?<![\w’'-])((?:[\w’'-]+ ){{1,8}}[\w’'-]+){_OPENING}\Z")
_LONGEST_OPENING, _LONGEST_EXPANSION = 12, 300
"""Characters before the letters that are searched."""


def _expansion(surface: str, text: str) -> tuple[int, int] | None:
    """Where the text gives the words that letters stand for: the Code of Criminal Procedure (“CCP”)."""
    letters = surface.rstrip("s")
    if not 2 <= len(letters) <= 6 or not letters.isalpha() or not letters.isupper():
        return None
    # The first search is the cheap one: most mentions of the letters introduce nothing.
    introduced = (
        match
        for start, _ in find_whole(letters, text)
        if _OPENS_ABBREVIATION.search(text, max(0, start - _LONGEST_OPENING), start)
        and (match := _BEFORE_ABBREVIATION.search(text, max(0, start - _LONGEST_EXPANSION), start))
    )
    match = next(introduced, None)
    if match is None:
        return None
    for first in re.finditer(r"\S+", match[1]):
        words = match[1][first.start() :].split()
        initials = "".join(word[0] for word in words if word.casefold() not in _LOWER_IN_NAMES)
        if len(words) > 1 and initials.upper() == letters:
            return match.start() + first.start(), match.end(1)
    return None


def _as_foreign(surface: str, mention: Mention) -> list[Level]:
    """The original that a translation gives in brackets: police supervision (dozór policji)."""
    in_brackets = mention.before[-1:] in ("(", "[") and mention.after[:1] in (")", "]", ",")
    words = surface.casefold().split()
    if not in_brackets or not surface.islower() or not all(word.isalpha() for word in words) or not words:
        return []
    foreign = [word for word in words if wordnet.rarity(word) >= wordnet.UNLISTED_RARITY or not word.isascii()]
    if len(foreign) * 2 < len(words) or not any(len(word) > 4 for word in foreign):
        return []
    if re.search(r"[A-Za-z]{3,} [(\[]\Z", mention.before[-40:]) is None or wordnet.senses(surface):
        return []
    return [Level("foreign-language term", 1e5, source=thing_kinds.SOURCE)]


def _growing(levels: Iterable[Level], surface: str) -> list[Level]:
    """At most six levels, none of them the mention itself, each wider than the one before."""
    growing: list[Level] = []
    for level in levels:
        if level.text.casefold() == surface.casefold() or any(level.text == other.text for other in growing):
            continue
        least = growing[-1].members * 1.5 if growing else 2.0
        growing.append(replace(level, members=max(level.members, least)))
    return growing[:_MOST_LEVELS]
