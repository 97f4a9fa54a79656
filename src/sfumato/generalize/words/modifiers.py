"""Modifiers that may be omitted or widened: *a violent robbery* is a robbery, a *huge* house is a *large* house."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sfumato.generalize.context import NEVER_MODIFIED, begins_sentence, word_after, word_before, word_class
from sfumato.generalize.words.base import (
    DEFINITE_DETERMINERS,
    PhraseLead,
    WordGeneralization,
    english_words,
    is_joined,
    is_negated,
    may_generalize,
    read_phrase_lead,
)
from sfumato.generalize.words.nouns import is_kind_of, is_listed, is_noun_here, may_be_verb
from sfumato.lexicon.grammar import is_word
from sfumato.lexicon.grammar_en import (
    ADVERBS,
    AUXILIARIES,
    FUNCTION_WORDS,
    PREPOSITIONS,
    PRONOUNS,
    indefinite_article,
    is_plural,
)
from sfumato.lexicon.hypernyms import PRIVATIVE_MODIFIERS
from sfumato.lexicon.numbers import read_number
from sfumato.lexicon.wordnet import wider_modifiers

_KEPT_ADJECTIVES = english_words("kept_adjectives")
_KEPT_ADVERBS = english_words("kept_adverbs")
"""Whoever was *nearly* killed was not; what is *usually* so is not always, what came *finally* came after something."""
_KEPT_PARTICIPLES = english_words("kept_participles")
_KEPT_NOUNS = english_words("kept_nouns")
"""A draft law is no law yet, a stone lion no animal."""
NEED_A_MODIFIER = english_words("nouns_that_need_a_modifier")
"""*Of a nature*, *in a manner*, *at an age* are no phrases, and nobody is hurt by *a bone*."""
_BEFORE_PARTICIPLE = DEFINITE_DETERMINERS | english_words("words_before_participle")
KEPT_WORDS = _KEPT_ADJECTIVES | _KEPT_ADVERBS | _KEPT_PARTICIPLES | _KEPT_NOUNS
"""Of any class, without which the thing may be another."""
_NEXT_WORD = re.compile(r"[ \xa0](?=[^\W\d_])")
_BE_OR_HAVE = english_words("forms_of_be") | english_words("forms_of_have")
_DEGREE_WORDS = english_words("degree_words")


def omit_modifier(text: str, start: int, end: int) -> list[WordGeneralization]:
    """The sentence without the word, where that is true and grammatical; else nothing."""
    word = text[start:end]
    if len(word) < 3 or not is_word(word) or not word.islower() or word in FUNCTION_WORDS:
        return []
    if not _NEXT_WORD.match(text, end) or start == 0 or text[start - 1] not in " \xa0\n(":
        return []
    what, may_omit = _OMISSIONS.get(word_class(word), ("", None))
    if may_omit is None or not may_omit(text, start, end, word):
        return []
    # With the space after it.
    return [_replacement("drop", text, start, end + 1, "", text[end + 1 : end + 61], f"{what} left out")]


def _replacement(
    kind: str, text: str, start: int, end: int, replacement: str, follows_article: str, reason: str
) -> WordGeneralization:
    """An "a" or "an" before the replacement agrees with what then follows it."""
    article, article_start = word_before(text, start)
    wanted = indefinite_article(follows_article)
    if article.lower() in ("a", "an") and article.lower() != wanted:
        agreeing = wanted.capitalize() if article[0].isupper() else wanted
        replacement = agreeing + text[article_start + len(article) : start] + replacement
        start = article_start
    return WordGeneralization(kind, start, end, replacement, reason)


def is_kept_modifier(word: str) -> bool:
    """Whether the thing may be another without the word."""
    if word in _KEPT_ADJECTIVES or word in PRIVATIVE_MODIFIERS or word.startswith(("non", "pseudo", "quasi", "semi")):
        return True
    return word.endswith("th") and read_number(word) is not None


def _may_omit_adjective(text: str, start: int, end: int, word: str) -> bool:
    if word.endswith(("est", "er")) or is_kept_modifier(word):
        return False
    return _may_omit_before_noun(text, start, end, word)


def _may_omit_before_noun(text: str, start: int, end: int, word: str) -> bool:
    """Whether the word modifies a noun after it, alone or before adjectives, and the sentence stays true without it."""
    lead = read_phrase_lead(text, start)
    noun, noun_end = _modified_noun(text, end)
    if not noun or noun in NEED_A_MODIFIER or not _is_phrase_whole_without(text, start, lead):
        return False
    if not may_generalize(text, start, noun_end, lead):
        return False
    if not lead.is_definite and is_plural(noun) and word_after(text, noun_end)[0].lower() in AUXILIARIES:
        return False  # "married women had to" is said of all of them
    return not is_part_of_term(word, text[end + 1 : noun_end].split())


def is_part_of_term(word: str, phrase: Sequence[str]) -> bool:
    """Whether a modifier and the words after it name another thing: a hot dog is no dog."""
    return any(
        is_listed(whole := " ".join((word, *phrase[:last]))) and not is_kind_of(whole, phrase[last - 1])
        for last in range(1, len(phrase) + 1)
    )


def _may_omit_participle(text: str, start: int, end: int, word: str) -> bool:
    """After a determiner it modifies what follows: "the injured man"; elsewhere it may be what someone did."""
    previous = word_before(text, start)[0].lower()
    is_modifier = previous in _BEFORE_PARTICIPLE or previous.endswith(("'s", "’s"))
    if not is_modifier or word in _KEPT_PARTICIPLES or is_kept_modifier(word):
        return False
    return _may_omit_before_noun(text, start, end, word)


def _may_omit_noun(text: str, start: int, end: int, word: str) -> bool:
    """Whether it tells of what kind the noun right after it is: "the tennis court"."""
    noun, _ = word_after(text, end)
    lead = read_phrase_lead(text, start)
    if is_kept_modifier(word) or word in _KEPT_NOUNS or is_plural(word) or not is_noun_here(text, start, end):
        return False
    is_governed = word_before(text, start)[0] in PREPOSITIONS - {"to", "as"}
    if not (lead.is_definite or lead.determiner in ("a", "an") or is_governed) or word_class(noun) != "noun":
        return False
    is_term = is_listed(f"{word} {noun}")
    if may_be_verb(noun) and not is_term:
        return False  # the court orders: what it does, or what it gave?
    outer, outer_start = word_before(text, lead.start)
    if is_plural(noun) and not is_term and outer[:1].isupper() and begins_sentence(text, outer_start):
        return False  # "During the trial witnesses said"
    return _may_omit_before_noun(text, start, end, word)


def _is_phrase_whole_without(text: str, start: int, lead: PhraseLead) -> bool:
    """Whether the word before leaves the phrase whole without the modifier: no "very", no "and", no half list."""
    word, word_start = word_before(text, start)
    lowered = word.lower()
    if not word:
        return False  # a sentence's first word, or one after a comma
    if lowered in _DEGREE_WORDS or lowered in ("and", "or", "but", "both", "either", "neither", "nor", "not", "than"):
        return False
    class_of_word = word_class(word)
    is_adverb = class_of_word == "adverb" or lowered in ADVERBS - {"several", "many", "few"}
    if is_adverb or lowered in AUXILIARIES or lowered in PRONOUNS:
        return False
    if class_of_word == "noun" and not lowered.endswith(("'s", "’s", "s'", "s’")):
        return False  # "award winning books", and where the noun before is all that was said of them
    return class_of_word != "number" and not (lead.determiner == "" and begins_sentence(text, word_start))


def _modified_noun(text: str, end: int) -> tuple[str, int]:
    """The noun that is modified, the last of several, and its end; empty where there is none or it is a name."""
    offset, noun = end, ""
    for _ in range(4):
        if not _NEXT_WORD.match(text, offset):
            return noun, offset
        word, stop = word_after(text, offset)
        if not word.isalpha() or word in FUNCTION_WORDS or word in NEVER_MODIFIED:
            return noun, offset
        if not word.islower() or text[stop : stop + 1] in ("-", "‑", "/"):
            return "", offset
        class_of_word = word_class(word)
        if class_of_word == "noun" and is_noun_here(text, offset + 1, stop):
            noun = word
        elif noun or class_of_word != "adjective":
            return noun, offset
        offset = stop
    return noun, offset


def _may_omit_adverb(text: str, start: int, end: int, word: str) -> bool:
    """Whether it precedes a verb or stands between it and its auxiliary, and nothing is negated."""
    if not word.endswith("ly") or word in _KEPT_ADVERBS or is_negated(text, start):
        return False
    previous, _ = word_before(text, start)
    following, following_end = word_after(text, end)
    lowered = previous.lower()
    is_part = lowered in _DEGREE_WORDS or lowered in ("and", "or", "not", "nor", "only", "but")
    if not following.islower() or not lowered or is_part:
        return False
    class_of_next = word_class(following)
    if class_of_next == "adverb" and word_after(text, following_end)[0] in ("and", "or"):
        return False
    if lowered in _BE_OR_HAVE:
        return class_of_next == "participle" or following == "been"
    if lowered in AUXILIARIES:
        return class_of_next == "verb"
    is_subject = lowered in PRONOUNS or (word_class(previous) == "noun" and previous[-1:].isalpha())
    return is_subject and class_of_next in ("past", "participle") and not following.endswith("ing")


_OMISSIONS: dict[str, tuple[str, Callable[[str, int, int, str], bool]]] = {
    "adjective": ("adjective", _may_omit_adjective),
    "participle": ("participle", _may_omit_participle),
    "noun": ("noun before a noun", _may_omit_noun),
    "adverb": ("adverb", _may_omit_adverb),
}
"""Word class -> its name in reasons, and the check whether such a word may be omitted."""


# Wider adjectives and adverbs.

_DEGREE_WORDS_FOR_WIDER = english_words("degree_words_for_wider")
_LINKING_VERBS = english_words("linking_verbs")


def generalize_modifier(text: str, start: int, end: int) -> list[WordGeneralization]:
    """Wider modifiers in the same place, with the article before it; none where it is compared or negated."""
    word = text[start:end]
    if not word.islower() or not (wider := wider_modifiers(word)):
        return []
    previous, _ = word_before(text, start)
    if is_joined(text, start, end) or previous.lower() in _DEGREE_WORDS_FOR_WIDER or is_negated(text, start):
        return []
    following, _ = word_after(text, end)
    if following.lower() in ("and", "or", "enough", "but", "more", "as", "than") or is_listed(f"{word} {following}"):
        return []
    if not _is_modifier_here(word, previous, following):
        return []
    return [
        _replacement("hypernym", text, start, end, modifier, modifier, f"modifiers: {modifier}") for modifier in wider
    ]


def _is_modifier_here(word: str, previous: str, following: str) -> bool:
    """Before the noun it modifies or after "was"; of an adverb, beside a verb."""
    class_of_next = word_class(following) if following else ""
    if word in ("daily", "weekly", "monthly", "yearly", "quarterly"):
        return class_of_next == "noun"
    if word.endswith("ly") or word_class(word) == "adverb":
        is_beside_verb = class_of_next in ("participle", "past", "verb")
        return is_beside_verb or not following or following.lower() in FUNCTION_WORDS
    if class_of_next in ("noun", "adjective"):
        return following.islower()
    ends_clause = not following or following.lower() in FUNCTION_WORDS - AUXILIARIES
    return previous.lower() in _LINKING_VERBS and ends_clause
