"""Words, base forms and sentences of a text, for the languages that have ``function_words.toml``.

What concerns one language only is in ``grammar_en``.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from sfumato.lexicon import tables
from sfumato.lexicon.tokens import WORD_OR_POSSESSIVE

TextRange = tuple[int, int]
"""Start and end offset in a text."""

STOP_WORDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        language: frozenset(
            word
            for word_class in tables.load_toml("function_words", language)
            for word in tables.words("function_words", word_class, language)
        )
        for language in tables.languages_with("function_words")
    }
)
"""Function words by language code: small words that carry grammar rather than meaning."""

_SENTENCE_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]]*+(?=\s)|[\r\n]+|[。！？]")
_LAST_WORD = re.compile(r"[^\W_]+$")
_ABBREVIATIONS = tables.word_set("abbreviations", "sentence_internal") | tables.word_set("abbreviations", "titles")
_LONGEST_WORD = 24


def split_words(text: str) -> list[str]:
    """Runs of letters and digits as they are written, without possessive endings."""
    return [word for word in WORD_OR_POSSESSIVE.findall(text) if word[0] not in "'’"]


def is_word(text: str) -> bool:
    """Whether it is made of letters, and is more than an initial."""
    return len(text) > 1 and text.replace("'", "").replace("’", "").isalpha()


ARTICLES_BY_SOUND = ("en",)
"""Languages whose indefinite article follows the sound of the next word: "a city", "an artist"."""
LEMMA_TABLES = ("en", "es", "de", "fr", "it", "pt", "nl")
"""Languages with a table of the base forms of their frequent words."""


@lru_cache(maxsize=2**17)
def lemma(word: str, language: str = "en") -> str:
    """The base form by dictionary (simplemma, offline), lower-cased; an unknown word is its own base form.

    That of a frequent word is in a table, which loads many times faster than simplemma.
    """
    form = word.lower().replace("’", "'")
    if language in LEMMA_TABLES and form in tables.read_numbers(f"{language}/frequency"):
        return _listed_base_form(form, language)
    import simplemma

    # Words are cached here; its dictionary is read where it is asked, which loads faster than a dict and is smaller.
    return simplemma.lemmatize(form, lang=language, low_memory=True).lower()


def frequent_lemma(word: str, language: str = "en") -> str:
    """The base form of a frequent word; a rarer word, which in a name most are, is its own.

    It is read from a table alone: the dictionaries of ``lemma`` take up to half a second to load.
    """
    form = word.lower().replace("’", "'")
    return _listed_base_form(form, language) if language in LEMMA_TABLES else form


def _listed_base_form(word: str, language: str) -> str:
    """The base form of a frequent word."""
    return tables.sorted_table(f"{language}/lemmas").get(word) or word


def content_lemmas(text: str, language: str = "en", base_form: Callable[[str, str], str] = lemma) -> list[str]:
    """Base forms of the words that carry meaning: no numbers, single letters or stop words.

    A word in capitals is no stop word: WHO is not *who*.
    """
    stop_words = STOP_WORDS[language]
    lemmas = []
    for word in filter(is_word, split_words(text)):
        base = base_form(word, language)
        if word.isupper() or stop_words.isdisjoint((base, word.lower().replace("’", "'"))):
            lemmas.append(base)
    return lemmas


def sentence_ranges(text: str) -> list[TextRange]:
    """Sentences as ranges without surrounding white space, sorted and disjoint. A line break always ends a sentence.

    A rule without a model, for texts of any length and languages with Western full stops.
    """
    ranges = []
    start = 0
    for match in _SENTENCE_END.finditer(text):
        if match[0] == "." and _is_abbreviation(text, match.start(), match.end()):
            continue
        ranges.append((start, match.end()))
        start = match.end()
    ranges.append((start, len(text)))
    trimmed = (trim_range(text, begin, end) for begin, end in ranges)
    return [(begin, end) for begin, end in trimmed if begin < end]


def enclosing_sentences(sentences: Sequence[TextRange], start: int, end: int) -> TextRange:
    """The sentence that holds ``[start, end)``, or the range of all sentences that it overlaps."""
    first = bisect_right(sentences, start, key=lambda sentence: sentence[1])
    last = bisect_left(sentences, end, key=lambda sentence: sentence[0]) - 1
    begin = sentences[first][0] if first < len(sentences) else start
    finish = sentences[last][1] if last >= 0 else end
    return min(begin, start), max(finish, end)


def trim_range(text: str, start: int, end: int, characters: str | None = None) -> TextRange:
    """A range without white space, or without these characters, at its ends."""
    part = text[start:end]
    start += len(part) - len(part.lstrip(characters))
    return start, max(start, end - len(part) + len(part.rstrip(characters)))


def merge_ranges(ranges: Iterable[TextRange]) -> list[TextRange]:
    """The ranges from left to right, those that overlap joined."""
    merged: list[TextRange] = []
    for start, end in sorted(ranges):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _is_abbreviation(text: str, stop: int, end: int) -> bool:
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
    return is_initial or word[0].lower() in _ABBREVIATIONS
