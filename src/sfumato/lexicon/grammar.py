"""English a or an, singular and plural: by sound and by ending, with the exceptions people use.

Written for this project.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from types import MappingProxyType

from sfumato.lexicon import tables
from sfumato.lexicon.name_lists import demonyms, is_title
from sfumato.lexicon.tokens import WORD_OR_POSSESSIVE

# -- Small words that carry grammar rather than meaning, in the seven languages.
#
# Written for this project.


DETERMINERS = tables.word_set("function_words", "determiners", "en")
PRONOUNS = tables.word_set("function_words", "pronouns", "en")
PREPOSITIONS = tables.word_set("function_words", "prepositions", "en")
CONJUNCTIONS = tables.word_set("function_words", "conjunctions", "en")
AUXILIARIES = tables.word_set("function_words", "auxiliaries", "en")
ADVERBS = tables.word_set("function_words", "adverbs", "en")
ENGLISH = DETERMINERS | PRONOUNS | PREPOSITIONS | CONJUNCTIONS | AUXILIARIES | ADVERBS
STOP_WORDS = {
    language: frozenset(
        word
        for word_class in tables.load_toml("function_words", language)
        for word in tables.words("function_words", word_class, language)
    )
    for language in tables.languages_with("function_words")
}
"""By language code."""


# -- Words and their base forms: *nurses* is a form of *nurse*. By dictionary (simplemma, offline), lower-cased.


LANGUAGES = frozenset(STOP_WORDS)


def words(text: str) -> list[str]:
    """Runs of letters and digits as they stand there; a possessive ending is none."""
    return [word for word in WORD_OR_POSSESSIVE.findall(text) if word[0] not in "'’"]


@lru_cache(maxsize=2**17)
def lemma(word: str, language: str = "en") -> str:
    """The base form, lower-cased; a word that is in no dictionary is its own."""
    import simplemma

    return simplemma.lemmatize(word.lower().replace("’", "'"), lang=language).lower()


def content_lemmas(text: str, language: str = "en") -> list[str]:
    """Base forms of the words that carry meaning: not of numbers, single letters and stop words.

    A word in capitals is no stop word: WHO is not *who*.
    """
    stops = STOP_WORDS[language]
    found = []
    for word in filter(is_word, words(text)):
        base = lemma(word, language)
        if word.isupper() or stops.isdisjoint((base, word.lower().replace("’", "'"))):
            found.append(base)
    return found


def is_word(text: str) -> bool:
    """Whether it is made of letters, and is more than an initial."""
    return len(text) > 1 and text.replace("'", "").replace("’", "").isalpha()


# -- English a or an, singular and plural: by sound and by ending, with the exceptions people use.


_IRREGULAR = {
    "man": "men",
    "woman": "women",
    "child": "children",
    "person": "people",
    "foot": "feet",
    "tooth": "teeth",
    "goose": "geese",
    "mouse": "mice",
    "ox": "oxen",
    "wife": "wives",
    "life": "lives",
    "knife": "knives",
    "half": "halves",
    "leaf": "leaves",
    "loaf": "loaves",
    "thief": "thieves",
    "wolf": "wolves",
    "shelf": "shelves",
    "calf": "calves",
    "self": "selves",
    "criterion": "criteria",
    "phenomenon": "phenomena",
    "crisis": "crises",
    "analysis": "analyses",
    "diagnosis": "diagnoses",
    "prognosis": "prognoses",
    "basis": "bases",
    "hypothesis": "hypotheses",
    "thesis": "theses",
    "metastasis": "metastases",
    "stimulus": "stimuli",
    "alumnus": "alumni",
    "bacterium": "bacteria",
    "vertebra": "vertebrae",
    "potato": "potatoes",
    "tomato": "tomatoes",
    "hero": "heroes",
    "echo": "echoes",
    "veto": "vetoes",
    "embargo": "embargoes",
    "passer-by": "passers-by",
    "attorney-general": "attorneys-general",
    "quiz": "quizzes",
    "gas": "gases",
    "bus": "buses",
}
_SINGULARS = {plural: singular for singular, plural in _IRREGULAR.items()}
_UNCHANGED = frozenset(
    "series species means aircraft spacecraft sheep fish deer offspring headquarters barracks crossroads police staff "
    "cattle poultry news physics mathematics economics politics athletics gymnastics diabetes measles rabies herpes "
    "aids personnel military clergy information evidence equipment furniture advice money".split()
)
_ALWAYS_PLURAL = frozenset("police people cattle clergy personnel premises clothes trousers earnings proceeds".split())
_NEVER_PLURAL = frozenset(
    "news physics mathematics economics politics athletics gymnastics diabetes measles rabies herpes aids means series "
    "species headquarters barracks crossroads this his its is was has does as us yes thus plus minus perhaps always "
    "sometimes towards afterwards besides whereas unless across less christmas alias lens canvas atlas chaos ethos "
    "analysis basis crisis thesis status campus virus bus gas pancreas pelvis penis tennis paris texas".split()
)
_POSTMODIFIED = re.compile(
    r"\s+(?:in|of|at|on|for|from|with|without|near|between|to|by|that|who|which|whose|aged|based|located|about|under|"
    r"over|within|among|along|outside|inside|after|before|against|concerning|responsible|born|living|or|and|de|-)\s",
)
_SAID_OF_ONE = re.compile(r"\A(\s(?:who|that|which) )(is|was|has|does|[a-z]+[^s]s)\b")
_AGREEING = {"is": "are", "was": "were", "has": "have", "does": "do"}
_SILENT_H = re.compile(r"h(?:eir|onest|onou?r|our(?!i))")
_YOU_OR_W = re.compile(
    r"eu|ewe|ew[ei]r|u(?:ni(?!n[^g]|m[^o]|dent|d\b)|nanim|s(?:[aeu]|ing)|t(?:[eio]|ah)|k|r(?:a[ln]|e|in|ol|ug)|biq|fo|"
    r"ganda|vul|zbek(?!i))|on(?:e|ce)(?![a-z])|one(?:-|self|ness)|ouija"
)
_VOWEL_LETTERS = frozenset("AEFHILMNORSX")
_SPOKEN = frozenset(
    "NATO NASA FIFA UEFA RAM ROM LAN RADAR LASER SWAT SARS MERS LOC MISC SIM MENSA NAFTA HAMAS MASH SIDS HEPA".split()
)
"""Initials that are read as a word."""


@lru_cache(maxsize=2**14)
def indefinite(phrase: str) -> str:
    """ "a" or "an", as the phrase sounds: "an hour", "a university", "an NHS hospital", "an 18-month"."""
    found = re.search(r"[^\W_]+(?:-[^\W_]+)?", phrase)
    if found is None:
        return "a"
    word = found.group()
    if word[0].isdigit():
        return (
            "an"
            if re.match(r"8|1[18](?!\d|[.,]\d)|1[18]\d\d(?![\d,.])|1[18][.,]\d{3}(?!\d)", phrase[found.start() :])
            else "a"
        )
    first = re.split(r"[-\d]", word)[0] or word
    spelled = first.isupper() and len(first) < 5 and first not in _SPOKEN
    if spelled and phrase[found.end() : found.end() + 1] != "_":
        return "an" if first[0] in _VOWEL_LETTERS else "a"
    low = word.lower()
    if low[0] == "h":
        return "an" if _SILENT_H.match(low) else "a"
    if low[0] in "aeiouáéíóúàèìòùâêîôûäëïöüåøæœıİ":
        return "a" if _YOU_OR_W.match(low) else "an"
    return "a"


def plural(noun: str) -> str:
    """The plural of a noun in the singular; of its last word where it has several."""
    lead, gap, word = noun.rpartition(" ")
    low = word.lower()
    if "-in-law" in low:
        return f"{lead}{gap}{plural(word[: low.index('-in-law')])}{word[low.index('-in-law') :]}"
    if low in _UNCHANGED or is_plural(low):
        return noun
    for singular_form, plural_form in _IRREGULAR.items():
        whole = low == singular_form
        if whole or (low.endswith(singular_form) and singular_form in ("man", "woman", "child", "person", "wife")):
            if low in ("human", "german", "roman", "ottoman", "shaman", "talisman"):
                break
            return (
                f"{lead}{gap}{word[: len(word) - len(singular_form)]}{_like(word[-len(singular_form) :], plural_form)}"
            )
    ending = "s"
    if re.search(r"(?:s|x|z|ch|sh)$", low):
        ending = "es"
    elif re.search(r"[^aeiou]y$", low):
        word, ending = word[:-1], "ies"
    return f"{lead}{gap}{word}{ending.upper() if noun.isupper() and len(word) > 4 else ending}"


def singular(noun: str) -> str:
    """The singular of a noun in the plural; of its last word where it has several."""
    lead, gap, word = noun.rpartition(" ")
    low = word.lower()
    if low in _SINGULARS:
        return f"{lead}{gap}{_like(word, _SINGULARS[low])}"
    if not is_plural(low):
        return noun
    for plural_form in ("women", "men", "children", "wives"):
        if low.endswith(plural_form):
            return f"{lead}{gap}{word[: len(word) - len(plural_form)]}{_SINGULARS[plural_form]}"
    if low.endswith("ies") and len(low) > 4:
        return f"{lead}{gap}{word[:-3]}y"
    if re.search(r"(?:ss|x|z|ch|sh)es$", low):
        return f"{lead}{gap}{word[:-2]}"
    return f"{lead}{gap}{word[:-1]}" if low.endswith("s") else noun


@lru_cache(maxsize=2**14)
def is_plural(word: str) -> bool:
    """Whether a noun stands in the plural, as far as its form tells."""
    low = word.lower()
    if low in _ALWAYS_PLURAL or low in _SINGULARS:
        return True
    if re.search(r"(?:wo|[^u])men$|children$", low) and low not in ("omen", "specimen", "abdomen", "regimen", "acumen"):
        return True
    if len(low) < 4 or not low.endswith("s") or low.endswith(("ss", "us", "is")) or low in _NEVER_PLURAL:
        return False
    return lemma(low) != low or low[:-1].title() in demonyms()


def head(phrase: str) -> tuple[str, str]:
    """A noun phrase cut behind its head: ``("large city", " in northern Poland")``."""
    cut = _POSTMODIFIED.search(phrase)
    return (phrase, "") if cut is None else (phrase[: cut.start()], phrase[cut.start() :])


def in_plural(phrase: str) -> str:
    """A noun phrase with its head in the plural: "large cities in Poland"."""
    core, rest = head(phrase)
    if plural(core) != core:
        rest = _SAID_OF_ONE.sub(lambda verb: f"{verb[1]}{_AGREEING.get(verb[2], verb[2][:-1])}", rest)
    return plural(core) + rest


def in_singular(phrase: str) -> str:
    """A noun phrase with its head in the singular: "large city in Poland"."""
    core, rest = head(phrase)
    return singular(core) + rest


def _like(model: str, word: str) -> str:
    if len(model) > 1 and model.isupper():
        return word.upper()
    return word.capitalize() if model[:1].isupper() else word


# -- Which of the seven languages a text is written in, by its function words. For what must be quick and never wrong
# by much; whether a text is in a language that nobody covers is ``detectors.language``'s question.


_ENOUGH = 20_000
"""Characters that are read."""


@lru_cache(maxsize=64)
def language_of(text: str) -> str | None:
    """The language most of whose function words stand in the text; None where there are none, or as many of another."""
    counts = Counter(word.lower() for word in words(text[:_ENOUGH]))
    found = {code: sum(count for word, count in counts.items() if word in own) for code, own in STOP_WORDS.items()}
    first, second = sorted(found, key=lambda code: -found[code])[:2]
    return first if found[first] > found[second] else None


# -- Where sentences begin and end, by a rule that keeps offsets and reads the text once.
#
# Good enough to say which stretch of text a name stands in; no model, any length, any language with Western stops.


Range = tuple[int, int]

_END = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s)|[\r\n]+|[。！？]")
_LAST_WORD = re.compile(r"[^\W_]+$")
_SHORT = frozenset("no nos nr art arts par para vol pp p v vs st etc e.g i.e cf al inc ltd co approx tel ext".split())
_LONGEST_WORD = 24


def sentences(text: str) -> list[Range]:
    """Ranges without the blanks around them, sorted and disjoint. A line break always ends a sentence."""
    found = []
    start = 0
    for match in _END.finditer(text):
        if match[0] == "." and _is_abbreviated(text, match.start(), match.end()):
            continue
        found.append((start, match.end()))
        start = match.end()
    found.append((start, len(text)))
    return [trimmed for begin, end in found if (trimmed := _trimmed(text, begin, end))[0] < trimmed[1]]


def around(ranges: Sequence[Range], start: int, end: int) -> Range:
    """The sentence that holds ``[start, end)``, or, where it runs over several, all of these."""
    first = bisect_right(ranges, start, key=lambda sentence: sentence[1])
    last = bisect_left(ranges, end, key=lambda sentence: sentence[0]) - 1
    begin = ranges[first][0] if first < len(ranges) else start
    finish = ranges[last][1] if last >= 0 else end
    return min(begin, start), max(finish, end)


def _trimmed(text: str, start: int, end: int) -> Range:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _is_abbreviated(text: str, stop: int, end: int) -> bool:
    """Whether a full stop belongs to the word before it: a title, an initial, "no." and the like."""
    after = end
    while after < len(text) and text[after] in " \t":
        after += 1
    if after < len(text) and text[after].islower():
        return True
    word = _LAST_WORD.search(text, max(0, stop - _LONGEST_WORD), stop)
    if word is None:
        return False
    is_initial = len(word[0]) == 1 and word[0].isupper()
    return is_initial or word[0].lower() in _SHORT or is_title(word[0])


# -- What class an English word mostly belongs to: verb, adjective, adverb; whatever is not listed is a noun.
#
# Made from WordNet by ``training/build_word_classes.py``; licence in ``data/SOURCES.md``.


@cache
def word_classes() -> Mapping[str, str]:
    """Lower-cased word -> "verb", "past", "participle", "gerund", "adjective" or "adverb"."""
    rows = tables.table_rows("word_classes")
    return MappingProxyType({word: kind for kind, words in rows for word in words.split()})
