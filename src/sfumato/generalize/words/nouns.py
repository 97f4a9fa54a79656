"""Wider words for nouns: *robbery* -> *violent crime*, *crime*. From our lists of things and people, then WordNet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, lru_cache

from sfumato.generalize import things
from sfumato.generalize.context import word_after, word_before, word_class
from sfumato.generalize.hierarchy import Level, Mention
from sfumato.generalize.sentence import is_grammatical, render_level
from sfumato.generalize.things import kinds
from sfumato.generalize.words.base import PhraseLead, WordGeneralization, may_generalize, read_phrase_lead
from sfumato.lexicon.grammar import TextRange, is_word, lemma
from sfumato.lexicon.grammar_en import (
    AUXILIARIES,
    DETERMINERS,
    FUNCTION_WORDS,
    PREPOSITIONS,
    is_plural,
    pluralize_phrase,
    singularize_phrase,
)
from sfumato.lexicon.grammar_en import split_after_head as split_head
from sfumato.lexicon.wordnet import (
    Concept,
    WiderNoun,
    direct_hypernyms,
    lookup_form,
    noun_topic,
    sense_shares,
    senses,
    wider_nouns,
)

# -- Wider words for common nouns of several senses, where the words around them tell which is meant.


SOURCE = "nouns"
_AROUND = 250
_CHUNK = 400
_ENDS = re.compile(r"[.;!?]\s|\n")
_WORDS = re.compile(r"[^\W\d_]+")
_NOT_BEHIND_NOUNS = frozenset({"person", "young person", "well-known person", "place", "item"})
"""A tennis player is no tennis person."""


def common_levels(mention: Mention, before: PhraseLead) -> list[Level]:
    """What is true of a common noun here, narrowest first."""
    found: list[Level] = []
    word = mention.surface
    follower, _ = word_after(mention.text, mention.end)
    near = _sentence(mention.text, mention.start, mention.end) - {word}
    far = _passage(mention.text, mention.start) - {word}
    previous, _ = word_before(mention.text, mention.start)
    behind_noun = (
        bool(previous) and word_class(previous) == "noun" and not previous.lower().endswith(("'s", "’s", "s'", "s’"))
    )
    waiting = [(one, 2) for one in wider_nouns(word)]
    seen = set()
    while waiting:
        one, members = waiting.pop(0)
        may_change = "%" in one.conditions
        if one.name in seen or not _holds(one, near, far, follower.lower()):
            continue
        if (behind_noun and one.name in _NOT_BEHIND_NOUNS) or (may_change and not _is_free(mention, before, follower)):
            continue
        seen.add(one.name)
        found += _level(one, members, one.is_plural if may_change else is_plural(word), before)
        if not may_change:
            waiting = [*((other, members + 2) for other in wider_nouns(one.name)), *waiting]
    return found


def is_head(text: str, start: int, end: int) -> bool:
    """Whether the noun ends its phrase, so that a modifier before it stays one of the wider noun: "lower [courts]"."""
    following, stop = word_after(text, end)
    if not following:
        return True
    what = word_class(following)
    if what == "verb" and not is_plural(text[start:end]) and not following.endswith("s"):
        # One applicant requests; an applicant request is another thing.
        return False
    if what == "gerund":
        # "a lawyer practising in", but not "the court building"
        after, _ = word_after(text, stop)
        return after.lower() in PREPOSITIONS or after.lower() in DETERMINERS
    return what not in ("noun", "number", "adjective") or following.lower() in ("alone", "born", "able", "aged")


def is_noun_by_place(text: str, start: int, end: int) -> bool:
    """Whether what stands before it can only be followed by a noun: an adjective, or a noun and "and"."""
    previous, begin = word_before(text, start)
    if previous in ("and", "or"):
        first, _ = word_before(text, begin)
        following, _ = word_after(text, end)
        return bool(first) and word_class(first) == "noun" and following.lower() not in DETERMINERS
    return bool(previous) and word_class(previous) in ("adjective", "number", "participle", "past")


def _is_free(mention: Mention, before: PhraseLead, follower: str) -> bool:
    """Whether no verb agrees with the noun: it hangs on a preposition, and none follows."""
    governor = before.determiner if not before.is_definite else word_before(mention.text, before.start)[0].lower()
    agrees = follower.lower() in AUXILIARIES | {"who", "which", "that"} or word_class(follower or ".") in (
        "verb",
        "past",
    )
    return governor in PREPOSITIONS and not agrees


def _holds(one: WiderNoun, near: frozenset[str], far: frozenset[str], follower: str) -> bool:
    """Whether the passage is about what the noun then means, and the sentence about nothing else."""
    for condition in one.conditions:
        sign, name = condition[0], condition[1:]
        if sign == "@" and noun_topic(name).isdisjoint(far):
            return False
        if sign == "!" and not noun_topic(name).isdisjoint(near):
            return False
        if sign == "-" and name == follower:
            return False
        if sign not in "@!-%" and condition != follower:
            return False
    return True


def _level(one: WiderNoun, members: int, many: bool, before: PhraseLead) -> Iterator[Level]:
    if one.is_mass:
        # Two plots are not two property, and "a small plot" keeps its article.
        if not many and (before.is_definite or not before.modifiers):
            yield Level(one.name, members, article="", source=SOURCE)
    elif one.is_plural:
        if many:
            yield Level(one.name, members, article="", plural=True, source=SOURCE)
    elif many:
        yield Level(pluralize_phrase(one.name), members, article="", plural=True, source=SOURCE)
    else:
        yield Level(one.name, members, source=SOURCE)


def _sentence(text: str, start: int, end: int) -> frozenset[str]:
    left = text[max(0, start - _AROUND) : start]
    begins = max((found.end() for found in _ENDS.finditer(left)), default=0)
    right = text[end : end + _AROUND]
    stops = _ENDS.search(right)
    return _words(left[begins:] + text[start:end] + (right[: stops.start()] if stops else right))


def _passage(text: str, start: int) -> frozenset[str]:
    """On a grid, so that neighbours share it."""
    at = start // _CHUNK * _CHUNK
    return _words(text[max(0, at - _CHUNK) : at + 2 * _CHUNK])


@lru_cache(maxsize=64)
def _words(sentence: str) -> frozenset[str]:
    return frozenset(_WORDS.findall(sentence.lower()))


# -- Nouns of more than one sense, and kinds that nobody puts into a sentence. English.


EMPTY_KINDS = frozenset(
    (
        "cost or charge;accommodation;act with legal consequences;"
        "associate;athletics;cereal product;digital product or service;"
        "economic activity;equipment;event in public life;financial matter;gathering;general symptom;germ;"
        "health crisis;health matter;housing;inhabited place;institution;land;legal matter;life event;"
        "living creature;means of communication;means of payment;measure against property;"
        "measure depriving someone of liberty;member of a community;movable property;natural feature;"
        "natural or built feature;official act;official measure;part of a property;party to a transaction;"
        "person in a position of responsibility;person involved in a legal matter;person on a restricted diet;"
        "person on a visit or journey;person with a habit;person with an economic interest;personal achievement;"
        "personal contact;personal item;personal matter;pre-trial measure;prohibition or restriction;"
        "public utility;real estate;recording;road user;school of thought or movement;step in legal proceedings;"
        "substance;symbol;system of ideas;transport facility;worker;working person;written material"
    ).split(";")
)
"""So wide that they say nothing of what stood there, or no words for a sentence."""
OPEN_NOUNS = frozenset(
    "academic action administrator adult agent album analyst appeal architecture archive arm assembly assessor attack "
    "author back bail ball bank bar base battle belt bench bill bishop bottle boxer boy brain branch bridge bronze "
    "bug bullet camera candidate captain carpet case cast cell chair charge chemistry chicken chief child citation "
    "citizen clash client coach coin colt company compilation complaint conference consumption conviction corps cost "
    "counsel court cover custody custom cut cyclist daily damage dean degree division doctor dose dress driver drug "
    "election engagement ethics exemption exhibit expulsion face fashion fellow felt field fight figure filly finger "
    "fire foot foreigner forum fruit geography girl globe gold grant ground guard guest hand head heart history honor "
    "honour honours host illustrator interest interview investigation joint journal judge king knight label ladder "
    "lap law leader lecture leg lemon lens letter lied line literature magazine major manager master match max "
    "mechanics medicine medium meet member mine minister minor model money monthly moon mouse movement mph native "
    "note oath offering officer operation operator opus orange order organ organist paint paper parole part partner "
    "party passenger pastor pawn period pet petition piece pitch plant plate play politician politics port poster "
    "potable printer probation producer production prohibition prosecution provision punch queen race rally record "
    "release remand resident revolution right river rook root ruling score sea seat secretary seminar sentence set "
    "settlement settler share shell shot shoulder silver single skin spar stable staff star starter statistics steel "
    "store stream stroke subject suit summon summons support tank tech teeth television testimony theater theatre "
    "threat title tongue tooth track trainer tree trial trustee turkey unit violation virus walker watch weekly wine "
    "lid pupil man woman shortstop veteran prescription proof speech wool work writing young youth".split()
)
"""Known to our lists and WordNet in one sense, and used in others: in court a *settlement* is no village."""


# -- Wider words for nouns: *robbery* -> *violent crime*, *crime*. From our lists of things and people, then WordNet.


MOST = 3
_SPOKEN_OF = 0.02
"""The share of a word's uses from which a sense may be what a compound with it is named after."""
_PART = ("part of", "parts of")
"""The left knee is no left part of the leg."""
_PART_OF_TERM = frozenset("vice high grand real junior senior".split())
_ORDINAL = re.compile(r"\d(?:st|nd|rd|th)\s\Z")
_BARE_AFTER = frozenset("in on at under by".split())
_OPENING = frozenset("a an another some several many two three four five six seven eight nine ten both".split())


def generalize_noun(text: str, start: int, end: int, limits: TextRange) -> list[WordGeneralization]:
    """At most three kinds of the thing that a noun names, the narrowest first; none where its sense is open."""
    word = text[start:end]
    if not _may_stand(text, start, end, word):
        return []
    if _is_in_term(text, start, end, word):
        return []
    before, common = read_phrase_lead(text, start), bool(wider_nouns(word))
    is_open = lemma(word) in OPEN_NOUNS
    is_plain = not is_open and _is_noun(word, before) and not _is_in_compound(text, start, end, word)
    if not is_plain and not (common and _is_common_here(text, start, end, word, before)):
        return []
    if not may_generalize(text, start, end, before):
        return []
    mention = Mention(text, start, end, "MISC")
    found = _put(things.levels(mention), mention, before, limits) if is_plain else []
    return found or (_put(common_levels(mention, before), mention, before, limits) if common else [])


def _put(levels: list[Level], mention: Mention, before: PhraseLead, limits: TextRange) -> list[WordGeneralization]:
    text, word, found = mention.text, mention.surface, list[WordGeneralization]()
    bare = bool(before.modifiers) or before.is_definite or _is_listed_with(text, mention.start)
    if before.determiner and before.determiner not in FUNCTION_WORDS - {"own"}:
        # "The disability claims [tribunal]" and "the surrender [ceremony]" have their article.
        outer, _ = word_before(text, before.start)
        is_noun = outer.lower() in DETERMINERS or word_class(outer or "x") == "adjective"
        bare = bare or is_noun or before.determiner.endswith(("own", "s"))
    for level in levels:
        shown = _bare(level) if bare else level
        if not _says_less(level, word, before) or _is_awkward(shown, text, mention.end):
            continue
        if shown.article == "a" and before.determiner in _BARE_AFTER and not is_plural(word) and not before.modifiers:
            # In compensation, under arrest: set phrases take no article.
            continue
        if is_grammatical(shown, mention, limits):
            fitted = render_level(shown, mention, limits)
            found.append(
                WordGeneralization("hypernym", fitted.start, fitted.end, fitted.text, f"{level.source}: {level.text}")
            )
    return found[:MOST]


def _is_common_here(text: str, start: int, end: int, word: str, before: PhraseLead) -> bool:
    """Whether one of the listed common nouns is a noun here and the head of its phrase: a heart attack is no attack."""
    plain = word_class(word) == "noun" and not may_be_verb(word) and not word.endswith(("ing", "ed"))
    if not is_head(text, start, end):
        return False
    if not (plain or _is_noun(word, before) or is_noun_by_place(text, start, end)):
        return False
    following, _ = word_after(text, end)
    if following and is_listed(f"{word} {following}"):
        return False
    previous, _ = word_before(text, start)
    if (
        previous in _PART_OF_TERM
        or _ORDINAL.search(text[max(0, start - 8) : start])
        or (word in ("men", "women") and text[end : end + 1] in ("'", "’"))
    ):
        return False
    if not previous or word_class(previous) in ("function", "number"):
        return True
    whole = f"{previous} {word}"
    if not previous.islower() and word_class(previous) != "adjective":
        return False
    return is_kind_of(whole, word) if is_listed(whole) else True


def _may_stand(text: str, start: int, end: int, word: str) -> bool:
    """Whether it is a whole word in small letters that no hyphen joins to another."""
    if len(word) < 3 or not word.islower() or not is_word(word) or word in FUNCTION_WORDS:
        return False
    around = text[max(0, start - 1) : start] + text[end : end + 1]
    return not any(sign.isalnum() or sign in "-‑_/" for sign in around)


def _is_in_term(text: str, start: int, end: int, word: str) -> bool:
    """Whether it is half of a term with "of", a bill of indictment or a court of appeal."""
    previous, begin = word_before(text, start)
    following, stop = word_after(text, end)
    if previous == "of":
        other, _ = word_before(text, begin)
        if other and is_listed(f"{other} of {word}"):
            return True
    if following == "of":
        other, _ = word_after(text, stop)
        return bool(other) and is_listed(f"{word} of {other}")
    return False


def is_noun_here(text: str, start: int, end: int) -> bool:
    """Whether the word is used as a noun here."""
    return _is_noun(text[start:end], read_phrase_lead(text, start))


def _is_noun(word: str, before: PhraseLead) -> bool:
    what = word_class(word)
    if what not in ("noun", "verb") or not lookup_form(word):
        return False
    opens = before.is_definite or before.determiner in _OPENING
    if word.endswith(("ing", "ed")) and not opens:
        return False
    governed = before.determiner in PREPOSITIONS - {"to"}
    if may_be_verb(word) and not (opens or governed):
        return False
    return what == "noun" or opens


def _is_in_compound(text: str, start: int, end: int, word: str) -> bool:
    """Whether it is part of what is one thing together: a heart attack is no attack."""
    previous, _ = word_before(text, start)
    following, _ = word_after(text, end)
    if following and (word_class(following) in ("noun", "gerund", "number") or is_listed(f"{word} {following}")):
        return True
    if not previous:
        return False
    if is_listed(f"{previous} {word}") and not is_kind_of(f"{previous} {word}", word):
        return True
    what = word_class(previous)
    if what == "participle":
        # "requested authorisation" may be what someone did.
        return not read_phrase_lead(text, start).determiner
    return what not in ("function", "adjective", "number") and not previous.lower().endswith(("'s", "’s", "s'", "s’"))


def _is_listed_with(text: str, start: int) -> bool:
    """Whether it goes on a list, whose article stands before the first of it: "an actor, writer and [judge]"."""
    return re.search(r"(?:,|\b(?:and|or))\s\Z", text[max(0, start - 5) : start]) is not None


def _bare(level: Level) -> Level:
    return replace(level, article="") if level.article == "a" else level


def _is_awkward(level: Level, text: str, end: int) -> bool:
    """Whether the phrase would have to take a possessive ending behind what follows its head."""
    return text[end : end + 1] in ("'", "’") and bool(split_head(level.text)[1])


@lru_cache(maxsize=2**12)
def is_listed(phrase: str) -> bool:
    """Whether WordNet or our lists have it as one thing."""
    return bool(lookup_form(phrase)) or kinds.find(phrase) is not None


@lru_cache(maxsize=2**12)
def is_kind_of(whole: str, part: str) -> bool:
    """Whether what a listed phrase names is a kind of what its part names: a patrol car is a car, a hot dog no dog."""
    own = senses(whole)
    if not own:
        return True
    tops = {sense for sense, share in sense_shares(part) if share >= _SPOKEN_OF}
    waiting, seen = [own[0]], set[Concept]()
    while waiting:
        concept = waiting.pop()
        if concept in tops:
            return True
        if concept not in seen:
            seen.add(concept)
            waiting += direct_hypernyms(concept)
    return False


def _says_less(level: Level, word: str, before: PhraseLead) -> bool:
    """Whether the level says something, without the word's own stem and without what is said before it already."""
    if singularize_phrase(level.text) in EMPTY_KINDS:
        return False
    if (level.plural and " or " in level.text) or (before.modifiers and level.text.startswith(_PART)):
        return False
    parts = [part for part in level.text.lower().split() if len(part) > 3]
    if not set(parts).isdisjoint(before.modifiers):
        return False
    return not any(part.startswith(word[:5]) or word.startswith(part[:5]) for part in parts)


@cache
def _verbs() -> frozenset[str]:
    from sfumato.lexicon import tables

    return frozenset(tables.read_numbers("en/hyponyms-verb"))


@lru_cache(maxsize=2**13)
def may_be_verb(word: str) -> bool:
    """Whether WordNet has the word, or the form without its ending, as a verb."""
    low = word.lower()
    forms = {low, lemma(low), low.removesuffix("s"), low.removesuffix("es")}
    return not _verbs().isdisjoint(forms)
