"""Wider words for nouns: *robbery* -> *violent crime*, *crime*. From our lists of things and people, then WordNet."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from sfumato.generalize import things
from sfumato.generalize.context import word_after, word_before, word_class
from sfumato.generalize.hierarchy import Article, Level, Mention
from sfumato.generalize.sentence import is_grammatical, render_level
from sfumato.generalize.things import kinds
from sfumato.generalize.words.base import (
    PhraseLead,
    WordGeneralization,
    english_words,
    may_generalize,
    read_phrase_lead,
)
from sfumato.lexicon import grammar_en, tables, wordnet
from sfumato.lexicon.caches import remember_in_run
from sfumato.lexicon.grammar import TextRange, is_word, lemma
from sfumato.lexicon.grammar_en import (
    AUXILIARIES,
    DETERMINERS,
    FUNCTION_WORDS,
    PREPOSITIONS,
    is_plural,
    is_unchanged_in_plural,
)
from sfumato.lexicon.tokens import LETTERS

_MOST_OPTIONS = 3
_FEWEST_USES = 0.02
"""The share of a word's uses from which a compound may be named after a sense."""
_EMPTY_KINDS = english_words("empty_kinds") | {
    grammar_en.pluralize_phrase(kind) for kind in english_words("empty_kinds")
}
"""So wide that they say nothing of what was there, or no words for a sentence."""
_AMBIGUOUS_NOUNS = english_words("ambiguous_nouns")
"""Known to our lists and WordNet in one sense, and used in others: in court a *settlement* is no village."""
_PART_OF = ("part of", "parts of")
"""The left knee is no left part of the leg."""
_FIRST_WORDS_OF_TERMS = english_words("first_words_of_terms")
_ORDINAL = re.compile(r"\d(?:st|nd|rd|th)\s\Z")
_PREPOSITIONS_OF_SET_PHRASES = english_words("prepositions_of_set_phrases")
_OPENING_DETERMINERS = english_words("opening_determiners")
_LINKING_VERBS = english_words("linking_verbs") | {"becoming", "as", "also"}
_POSSESSIVE_ENDINGS = ("'s", "’s", "s'", "s’")
_POSSESSIVES = english_words("possessive_determiners") | {"'s"}
_COUNTING_DETERMINERS = english_words("opening_determiners") - {"a", "an", "another", "some"} | {
    "these",
    "those",
    "few",
}
_LEAST_SHARE_OF_FIELD = 0.1
"""The share of a noun's uses from which a semantic field counts."""


def generalize_noun(text: str, start: int, end: int, limits: TextRange) -> list[WordGeneralization]:
    """At most three kinds of the thing that a noun names, the narrowest first; empty where its sense is open."""
    word = text[start:end]
    if not _is_whole_word(text, start, end, word) or _is_in_term_with_of(text, start, end, word):
        return []
    lead, is_common = read_phrase_lead(text, start), bool(wordnet.wider_nouns(word))
    is_noun = lemma(word) not in _AMBIGUOUS_NOUNS and _is_noun(word, lead)
    is_unambiguous = is_noun and not _is_in_compound(text, start, end, word)
    if not is_unambiguous and not (is_common and _is_common_noun_here(text, start, end, word, lead)):
        return []
    if not may_generalize(text, start, end, lead):
        return []
    mention = Mention(text, start, end, "MISC")
    options = _render(things.levels(mention), mention, lead, limits) if is_unambiguous else []
    return options or (_render(_common_levels(mention, lead), mention, lead, limits) if is_common else [])


def is_noun_here(text: str, start: int, end: int) -> bool:
    """Whether the word is used as a noun here."""
    return _is_noun(text[start:end], read_phrase_lead(text, start))


def is_listed(phrase: str) -> bool:
    """Whether WordNet or our lists have it as one thing."""
    return bool(wordnet.lookup_form(phrase)) or kinds.find(phrase) is not None


def is_kind_of(whole: str, part: str) -> bool:
    """Whether what a listed phrase names is a kind of what its part names: a patrol car is a car, a hot dog no dog."""
    concepts = wordnet.senses(whole)
    if not concepts:
        return True
    targets = {sense for sense, share in wordnet.sense_shares(part) if share >= _FEWEST_USES}
    queue, seen = [concepts[0]], set[wordnet.Concept]()
    while queue:
        concept = queue.pop()
        if concept in targets:
            return True
        if concept not in seen:
            seen.add(concept)
            queue += wordnet.direct_hypernyms(concept)
    return False


@remember_in_run(2**13)
def may_be_verb(word: str) -> bool:
    """Whether WordNet has the word, or the form without its ending, as a verb."""
    lowered = word.lower()
    return not _verbs().isdisjoint({lowered, lemma(lowered), lowered.removesuffix("s"), lowered.removesuffix("es")})


@cache
def _verbs() -> frozenset[str]:
    return frozenset(tables.read_numbers("en/hyponyms-verb"))


def _is_whole_word(text: str, start: int, end: int, word: str) -> bool:
    """Whether it is a whole word in lower case that no hyphen joins to another."""
    if len(word) < 3 or not word.islower() or not is_word(word) or word in FUNCTION_WORDS:
        return False
    neighbours = text[max(0, start - 1) : start] + text[end : end + 1]
    return not any(sign.isalnum() or sign in "-‑_/" for sign in neighbours)


def _is_in_term_with_of(text: str, start: int, end: int, word: str) -> bool:
    """Whether it is half of a term with "of", a bill of indictment or a court of appeal."""
    previous, previous_start = word_before(text, start)
    following, following_end = word_after(text, end)
    first = word_before(text, previous_start)[0] if previous == "of" else ""
    last = word_after(text, following_end)[0] if following == "of" else ""
    return bool(first and is_listed(f"{first} of {word}")) or bool(last and is_listed(f"{word} of {last}"))


def _is_noun(word: str, lead: PhraseLead) -> bool:
    class_of_word = word_class(word)
    if class_of_word not in ("noun", "verb") or not wordnet.lookup_form(word):
        return False
    opens_phrase = lead.is_definite or lead.determiner in _OPENING_DETERMINERS
    if word.endswith(("ing", "ed")) and not opens_phrase:
        return False
    is_governed = lead.determiner in PREPOSITIONS - {"to"}
    if may_be_verb(word) and not (opens_phrase or is_governed):
        return False
    return class_of_word == "noun" or opens_phrase


def _is_in_compound(text: str, start: int, end: int, word: str) -> bool:
    """Whether it is part of what is one thing together: a heart attack is no attack."""
    previous, _ = word_before(text, start)
    following, _ = word_after(text, end)
    if following and (word_class(following) in ("noun", "gerund", "number") or is_listed(f"{word} {following}")):
        return True
    is_base_form = word_class(following or ".") == "verb" and not following.endswith("s")
    if is_base_form and not is_plural(word) and wordnet.lookup_form(following):
        return True  # the harbour tunnel: one harbour would tunnel with an s
    if not previous:
        return False
    if is_listed(f"{previous} {word}") and not is_kind_of(f"{previous} {word}", word):
        return True
    class_of_previous = word_class(previous)
    if class_of_previous == "participle":
        # "requested authorisation" may be what someone did.
        return not read_phrase_lead(text, start).determiner
    is_outside = class_of_previous in ("function", "adjective", "number")
    return not is_outside and not previous.lower().endswith(_POSSESSIVE_ENDINGS)


def _is_common_noun_here(text: str, start: int, end: int, word: str, lead: PhraseLead) -> bool:
    """Whether one of the listed common nouns is a noun here and the head of its phrase: a heart attack is no attack."""
    if not _is_head(text, start, end):
        return False
    is_only_noun = word_class(word) == "noun" and not may_be_verb(word) and not word.endswith(("ing", "ed"))
    if not (is_only_noun or _is_noun(word, lead) or _is_noun_by_position(text, start, end)):
        return False
    following, _ = word_after(text, end)
    if following and is_listed(f"{word} {following}"):
        return False
    previous, _ = word_before(text, start)
    if previous in _FIRST_WORDS_OF_TERMS or _ORDINAL.search(text[max(0, start - 8) : start]):
        return False
    if word in ("men", "women") and text[end : end + 1] in ("'", "’"):
        return False
    if not previous or word_class(previous) in ("function", "number"):
        return True
    if not previous.islower() and word_class(previous) != "adjective":
        return False
    whole = f"{previous} {word}"
    return is_kind_of(whole, word) if is_listed(whole) else True


def _is_head(text: str, start: int, end: int) -> bool:
    """Whether the noun ends its phrase, so that a modifier still fits the wider noun: "lower [courts]"."""
    following, following_end = word_after(text, end)
    if not following:
        return True
    class_of_next = word_class(following)
    if class_of_next == "verb" and not is_plural(text[start:end]) and not following.endswith("s"):
        return False  # one applicant requests; an applicant request is another thing
    if class_of_next == "gerund":
        # "a lawyer practising in", but not "the court building"
        after, _ = word_after(text, following_end)
        return after.lower() in PREPOSITIONS or after.lower() in DETERMINERS
    is_next_outside = following.lower() in ("alone", "born", "able", "aged")
    return is_next_outside or class_of_next not in ("noun", "number", "adjective")


def _is_noun_by_position(text: str, start: int, end: int) -> bool:
    """Whether the word before can only be followed by a noun: an adjective, or a noun and "and"."""
    previous, previous_start = word_before(text, start)
    if previous in ("and", "or"):
        first, _ = word_before(text, previous_start)
        following, _ = word_after(text, end)
        return bool(first) and word_class(first) == "noun" and following.lower() not in DETERMINERS
    return bool(previous) and word_class(previous) in ("adjective", "number", "participle", "past")


def _render(levels: list[Level], mention: Mention, lead: PhraseLead, limits: TextRange) -> list[WordGeneralization]:
    takes_no_article = _takes_no_article(mention, lead)
    options = []
    for level in levels:
        shown = replace(level, article="") if takes_no_article and level.article == "a" else level
        says_less = _says_less(level, mention.surface, lead) and _fits(level, shown.article, mention, lead)
        if says_less and is_grammatical(shown, mention, limits):
            rendered = render_level(shown, mention, limits)
            reason = f"{level.source}: {level.text}"
            options.append(WordGeneralization("hypernym", rendered.start, rendered.end, rendered.text, reason))
    return options[:_MOST_OPTIONS]


def _takes_no_article(mention: Mention, lead: PhraseLead) -> bool:
    # A list has its article before the first item: "an actor, writer and [judge]".
    is_in_list = re.search(r"(?:,|\b(?:and|or))\s\Z", mention.before[-5:]) is not None
    if lead.modifiers or lead.is_definite or is_in_list or lead.determiner == "per":
        return True
    if not lead.determiner or lead.determiner in FUNCTION_WORDS - {"own"}:
        return False
    # "The disability claims [tribunal]" and "the surrender [ceremony]" have their article.
    outer, _ = word_before(mention.text, lead.start)
    is_in_phrase = outer.lower() in DETERMINERS or word_class(outer or "x") == "adjective"
    return is_in_phrase or lead.determiner.endswith(("own", "s"))


def _fits(level: Level, article: Article, mention: Mention, lead: PhraseLead) -> bool:
    """Whether the level reads well where the word stands."""
    text, word = mention.text, mention.surface
    if level.text in ("person", "people") and lead.determiner in _POSSESSIVES:
        return False  # "he knocked his person out"
    if _repeats_neighbour(level, mention):
        return False  # "examinations and examinations"
    if is_unchanged_in_plural(word) and lead.determiner not in ("a", "an", "one", "this", "that", "each"):
        return False  # "reindeer were"
    if is_plural(word) and not level.plural and _agrees_with_plural(mention, lead):
        return False  # "the clothing are", "these clothing"
    if level.text == "person" and word_before(text, lead.start)[0].lower() in _LINKING_VERBS:
        return False  # "she became a person"
    if text[mention.end : mention.end + 1] in ("'", "’") and grammar_en.split_after_head(level.text)[1]:
        return False  # "the officer of a court's"
    is_set_phrase = lead.determiner in _PREPOSITIONS_OF_SET_PHRASES and not lead.modifiers
    return not (article == "a" and is_set_phrase and not is_plural(word))  # "in compensation", "under arrest"


def _repeats_neighbour(level: Level, mention: Mention) -> bool:
    """Whether the level's noun stands beside it already, alone or joined by "and"."""
    before = LETTERS.findall(mention.text[max(0, mention.start - 40) : mention.start].lower())[-2:]
    after = LETTERS.findall(mention.text[mention.end : mention.end + 40].lower())[:2]
    noun = grammar_en.split_after_head(level.text)[0].split()[-1].lower()
    joined = {"and", "or"}
    beside = {*before[-1:], *after[:1]}
    beside |= set(before[:1]) if joined.intersection(before[1:]) else set()
    beside |= set(after[1:]) if joined.intersection(after[:1]) else set()
    return lemma(noun) in {lemma(word) for word in beside}


def _agrees_with_plural(mention: Mention, lead: PhraseLead) -> bool:
    """Whether a determiner or a verb beside a noun is in the plural."""
    following, _ = word_after(mention.text, mention.end)
    is_subject = following.lower() in AUXILIARIES | {"who", "which", "that"} or word_class(following or ".") == "verb"
    return is_subject or lead.determiner in _COUNTING_DETERMINERS


def _says_less(level: Level, word: str, lead: PhraseLead) -> bool:
    """Whether the level says something, without the word's own stem and without what a modifier says already."""
    if grammar_en.singularize_phrase(level.text) in _EMPTY_KINDS:
        return False
    if (level.plural and " or " in level.text) or (lead.modifiers and level.text.startswith(_PART_OF)):
        return False
    parts = [part for part in level.text.lower().split() if len(part) > 3]
    if not set(parts).isdisjoint(lead.modifiers):
        return False
    return not any(part.startswith(word[:5]) or word.startswith(part[:5]) for part in parts)


# Common nouns of several senses, where the words around them tell which is meant.

_SOURCE = "nouns"
_SENTENCE_WINDOW = 250
_PASSAGE_CHUNK = 400
_SENTENCE_END = re.compile(r"[.;!?]\s|\n")
_NOT_AFTER_NOUNS = english_words("not_after_nouns")
"""A tennis player is no tennis person."""


def _common_levels(mention: Mention, lead: PhraseLead) -> list[Level]:
    """What is true of a common noun here, narrowest first."""
    levels: list[Level] = []
    word = mention.surface
    following, _ = word_after(mention.text, mention.end)
    in_sentence = _words_of_sentence(mention.text, mention.start, mention.end) - {word}
    in_passage = _words_of_passage(mention.text, mention.start) - {word}
    previous, _ = word_before(mention.text, mention.start)
    is_possessive = previous.lower().endswith(_POSSESSIVE_ENDINGS)
    is_after_noun = bool(previous) and word_class(previous) == "noun" and not is_possessive
    queue = [(noun, 2) for noun in wordnet.wider_nouns(word)]
    seen = set()
    while queue:
        noun, members = queue.pop(0)
        may_change_number = "%" in noun.conditions
        if noun.name in seen or not _is_condition_met(noun, in_sentence, in_passage, following.lower()):
            continue
        if is_after_noun and noun.name in _NOT_AFTER_NOUNS:
            continue
        has_topic = any(condition.startswith("@") for condition in noun.conditions)
        if is_after_noun and not has_topic and not _has_one_field(word):
            continue  # the noun before may give it another sense: a knee strike is no dispute
        if may_change_number and not _is_free_of_agreement(mention, lead, following):
            continue
        seen.add(noun.name)
        levels += _level(noun, members, noun.is_plural if may_change_number else is_plural(word), lead)
        if not may_change_number:
            queue = [*((wider, members + 2) for wider in wordnet.wider_nouns(noun.name)), *queue]
    return levels


def _has_one_field(word: str) -> bool:
    """Whether the common senses of a noun are of one semantic field."""
    fields = {sense.field for sense, share in wordnet.sense_shares(word) if share >= _LEAST_SHARE_OF_FIELD}
    return len(fields) == 1


def _is_free_of_agreement(mention: Mention, lead: PhraseLead, following: str) -> bool:
    """Whether no verb agrees with the noun: it depends on a preposition, and no verb follows."""
    governor = lead.determiner if not lead.is_definite else word_before(mention.text, lead.start)[0].lower()
    is_subject = following.lower() in AUXILIARIES | {"who", "which", "that"}
    agrees = is_subject or word_class(following or ".") in ("verb", "past")
    return governor in PREPOSITIONS - {"of"} and not agrees  # no member of relatives


def _is_condition_met(
    noun: wordnet.WiderNoun, in_sentence: frozenset[str], in_passage: frozenset[str], following: str
) -> bool:
    """Whether the passage is about what the noun then means, and the sentence about nothing else."""
    for condition in noun.conditions:
        sign, name = condition[0], condition[1:]
        if sign == "@" and wordnet.noun_topic(name).isdisjoint(in_passage):
            return False
        if sign == "!" and not wordnet.noun_topic(name).isdisjoint(in_sentence):
            return False
        if sign == "-" and name == following:
            return False
        if sign not in "@!-%" and condition != following:
            return False
    return True


def _level(noun: wordnet.WiderNoun, members: int, is_several: bool, lead: PhraseLead) -> list[Level]:
    if noun.is_mass:
        # Two plots are not two property, and "a small plot" keeps its article.
        fits = not is_several and (lead.is_definite or not lead.modifiers)
    else:
        fits = is_several or not noun.is_plural
    text = grammar_en.pluralize_phrase(noun.name) if is_several and not noun.is_plural else noun.name
    article: Article = "" if noun.is_mass or is_several else "a"
    return [Level(text, members, article, is_several, source=_SOURCE)] if fits else []


def _words_of_sentence(text: str, start: int, end: int) -> frozenset[str]:
    left = text[max(0, start - _SENTENCE_WINDOW) : start]
    sentence_start = max((match.end() for match in _SENTENCE_END.finditer(left)), default=0)
    right = text[end : end + _SENTENCE_WINDOW]
    sentence_end = _SENTENCE_END.search(right)
    return _words(left[sentence_start:] + text[start:end] + (right[: sentence_end.start()] if sentence_end else right))


def _words_of_passage(text: str, start: int) -> frozenset[str]:
    """On a grid, so that neighbours share the result."""
    chunk = start // _PASSAGE_CHUNK * _PASSAGE_CHUNK
    return _words(text[max(0, chunk - _PASSAGE_CHUNK) : chunk + 2 * _PASSAGE_CHUNK])


def _words(passage: str) -> frozenset[str]:
    return frozenset(LETTERS.findall(passage.lower()))
