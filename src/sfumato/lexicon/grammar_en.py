"""English grammar: function words, word classes, "a" or "an", singular and plural.

The rules go by sound and by ending; exceptions and word lists are in ``data/en/inflection.toml`` and
``data/en/function_words.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from types import MappingProxyType

from sfumato.lexicon import tables
from sfumato.lexicon.grammar import STOP_WORDS, lemma
from sfumato.lexicon.name_lists import demonyms
from sfumato.lexicon.tokens import alternation

DETERMINERS = tables.word_set("function_words", "determiners", "en")
PRONOUNS = tables.word_set("function_words", "pronouns", "en")
PREPOSITIONS = tables.word_set("function_words", "prepositions", "en")
CONJUNCTIONS = tables.word_set("function_words", "conjunctions", "en")
AUXILIARIES = tables.word_set("function_words", "auxiliaries", "en")
ADVERBS = tables.word_set("function_words", "adverbs", "en")
FUNCTION_WORDS = STOP_WORDS["en"]
"""All of the above."""

_IRREGULAR: Mapping[str, str] = tables.load_toml("inflection", "en")["irregular_plurals"]
_IRREGULAR_SINGULARS = {plural: singular for singular, plural in _IRREGULAR.items()}
_UNCHANGED = tables.word_set("inflection", "unchanged", "en")
_ALWAYS_PLURAL = tables.word_set("inflection", "always_plural", "en")
_NEVER_PLURAL = tables.word_set("inflection", "never_plural", "en")
_NOT_FROM_MAN = tables.word_set("inflection", "not_from_man", "en")
_NOT_FROM_MEN = tables.word_set("inflection", "not_from_men", "en")
_READ_AS_WORDS = tables.word_set("inflection", "acronyms_read_as_words", "en")
_POSTMODIFIER = re.compile(rf"(?<!\s)\s++(?:{alternation(tables.words('inflection', 'postmodifier_words', 'en'))})\s")
_SINGULAR_CLAUSE = re.compile(r"\A(\s(?:who|that|which) )(is|was|has|does|[a-z]+[^s]s)\b")
_PLURAL_VERBS = {"is": "are", "was": "were", "has": "have", "does": "do"}
_SILENT_H = re.compile(r"h(?:eir|onest|onou?r|our(?!i))")
_VOWEL_READ_AS_CONSONANT = re.compile(
    r"eu|ewe|ew[ei]r|u(?:ni(?!n[^g]|m[^o]|dent|d\b)|nanim|s(?:[aeu]|ing)|t(?:[eio]|ah)|k|r(?:a[ln]|e|in|ol|ug)|biq|fo|"
    r"ganda|vul|zbek(?!i))|on(?:e|ce)(?![a-z])|one(?:-|self|ness)|ouija"
)
_LETTERS_READ_WITH_VOWEL = frozenset("AEFHILMNORSX")
_NUMBER_READ_WITH_VOWEL = re.compile(r"8|1[18](?!\d|[.,]\d)|1[18]\d\d(?![\d,.])|1[18][.,]\d{3}(?!\d)")


@cache
def word_classes() -> Mapping[str, str]:
    """Lower-cased word -> "verb", "past", "participle", "gerund", "adjective" or "adverb"; other words are nouns.

    The class a word mostly belongs to, from WordNet by ``training/build_word_classes.py``.
    """
    rows = tables.table_rows("en/word_classes")
    return MappingProxyType({word: word_class for word_class, words in rows for word in words.split()})


@lru_cache(maxsize=2**14)
def indefinite_article(phrase: str) -> str:
    """ "a" or "an", as the phrase sounds: "an hour", "a university", "an NHS hospital", "an 18-month"."""
    match = re.search(r"[^\W_]+(?:-[^\W_]+)?", phrase)
    if match is None:
        return "a"
    word = match.group()
    if word[0].isdigit():
        return "an" if _NUMBER_READ_WITH_VOWEL.match(phrase, match.start()) else "a"
    first = re.split(r"[-\d]", word)[0] or word
    is_spelled_out = first.isupper() and len(first) < 5 and first not in _READ_AS_WORDS
    if is_spelled_out and phrase[match.end() : match.end() + 1] != "_":
        return "an" if first[0] in _LETTERS_READ_WITH_VOWEL else "a"
    lowered = word.lower()
    if lowered[0] == "h":
        return "an" if _SILENT_H.match(lowered) else "a"
    if lowered[0] in "aeiouáéíóúàèìòùâêîôûäëïöüåøæœıİ":
        return "a" if _VOWEL_READ_AS_CONSONANT.match(lowered) else "an"
    return "a"


def is_english_preposition(word: str, language: str) -> bool:
    """Whether a word is a preposition in a text of that language; other languages have no list here."""
    return language == "en" and word in PREPOSITIONS


def pluralize(noun: str) -> str:
    """The plural of a noun in the singular; of its last word where it has several."""
    lead, gap, word = noun.rpartition(" ")
    lowered = word.lower()
    if "-in-law" in lowered:
        split = lowered.index("-in-law")
        return f"{lead}{gap}{pluralize(word[:split])}{word[split:]}"
    if lowered in _UNCHANGED or is_plural(lowered):
        return noun
    for singular, plural in _IRREGULAR.items():
        is_compound = lowered.endswith(singular) and singular in ("man", "woman", "child", "person", "wife")
        if lowered == singular or is_compound:
            if lowered in _NOT_FROM_MAN:
                break
            stem, ending = word[: len(word) - len(singular)], word[-len(singular) :]
            return f"{lead}{gap}{stem}{_with_case_of(ending, plural)}"
    ending = "s"
    if re.search(r"(?:s|x|z|ch|sh)$", lowered):
        ending = "es"
    elif re.search(r"[^aeiou]y$", lowered):
        word, ending = word[:-1], "ies"
    return f"{lead}{gap}{word}{ending.upper() if noun.isupper() and len(word) > 4 else ending}"


def singularize(noun: str) -> str:
    """The singular of a noun in the plural; of its last word where it has several."""
    lead, gap, word = noun.rpartition(" ")
    lowered = word.lower()
    if lowered in _IRREGULAR_SINGULARS:
        return f"{lead}{gap}{_with_case_of(word, _IRREGULAR_SINGULARS[lowered])}"
    if not is_plural(lowered):
        return noun
    for plural in ("women", "men", "children", "wives"):
        if lowered.endswith(plural):
            return f"{lead}{gap}{word[: len(word) - len(plural)]}{_IRREGULAR_SINGULARS[plural]}"
    if lowered.endswith("ies") and len(lowered) > 4:
        return f"{lead}{gap}{word[:-3]}y"
    if re.search(r"(?:ss|x|z|ch|sh)es$", lowered):
        return f"{lead}{gap}{word[:-2]}"
    return f"{lead}{gap}{word[:-1]}" if lowered.endswith("s") else noun


@lru_cache(maxsize=2**14)
def is_plural(word: str) -> bool:
    """Whether a noun is in the plural, as far as its form tells."""
    lowered = word.lower()
    if lowered in _ALWAYS_PLURAL or lowered in _IRREGULAR_SINGULARS:
        return True
    if re.search(r"(?:wo|[^u])men$|children$", lowered) and lowered not in _NOT_FROM_MEN:
        return True
    if len(lowered) < 4 or not lowered.endswith("s") or lowered.endswith(("ss", "us", "is")):
        return False
    if lowered in _NEVER_PLURAL:
        return False
    return lemma(lowered) != lowered or lowered[:-1].title() in demonyms()


def is_unchanged_in_plural(noun: str) -> bool:
    """Whether a noun has one form for one and for several: "reindeer"."""
    return noun.lower() in _UNCHANGED


def split_after_head(phrase: str) -> tuple[str, str]:
    """A noun phrase cut after its head noun: ``("large city", " in northern Poland")``."""
    cut = _POSTMODIFIER.search(phrase)
    return (phrase, "") if cut is None else (phrase[: cut.start()], phrase[cut.start() :])


def pluralize_phrase(phrase: str) -> str:
    """A noun phrase with its head in the plural: "large cities in Poland"."""
    core, rest = split_after_head(phrase)
    if pluralize(core) != core:
        rest = _SINGULAR_CLAUSE.sub(lambda verb: f"{verb[1]}{_PLURAL_VERBS.get(verb[2], verb[2][:-1])}", rest)
    return pluralize(core) + rest


def singularize_phrase(phrase: str) -> str:
    """A noun phrase with its head in the singular: "large city in Poland"."""
    core, rest = split_after_head(phrase)
    return singularize(core) + rest


def _with_case_of(model: str, word: str) -> str:
    if len(model) > 1 and model.isupper():
        return word.upper()
    return word.capitalize() if model[:1].isupper() else word
