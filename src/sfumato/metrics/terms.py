"""The terms whose information is counted: named entities, then noun phrases, then single words.

They depend on the original text alone, never on what a method masked, so that methods are compared over the same terms.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from sfumato.errors import RecipeError, suggest
from sfumato.lexicon import name_lists, tables
from sfumato.lexicon.grammar import STOP_WORDS
from sfumato.lexicon.grammar_en import AUXILIARIES, DETERMINERS, FUNCTION_WORDS, PREPOSITIONS, PRONOUNS, word_classes
from sfumato.lexicon.language import CONFIDENT, identify_language
from sfumato.lexicon.name_lists import is_title
from sfumato.metrics.mentions import is_ignorable
from sfumato.models.base import Range
from sfumato.models.spacy_pipeline import load_pipeline, max_characters, split_text

TERM_TOKEN = re.compile(r"['’]s\b|(?<=s)['’](?= )|[^\W_]+(?:[’'](?!s\b)[^\W_]+)*|[^\w\s]|_", re.IGNORECASE)
"""A word, a possessive ending, or one punctuation mark."""


class Token(NamedTuple):
    """A word or punctuation mark with its range."""

    start: int
    end: int
    text: str

    @property
    def key(self) -> str:
        """The form in word lists."""
        return self.text.lower().replace("’", "'")

    @property
    def is_capitalised(self) -> bool:
        return self.text[0].isupper()


def tokens(text: str) -> list[Token]:
    """The words and punctuation marks of a text, in order."""
    return [Token(match.start(), match.end(), match[0]) for match in TERM_TOKEN.finditer(text)]


def add_disjoint(taken: Sequence[Range], more: Iterable[Range]) -> list[Range]:
    """``taken`` and the ranges of ``more`` that overlap none of them, sorted."""
    added: list[Range] = []
    index = 0
    for start, end in sorted(more):
        while index < len(taken) and taken[index][1] <= start:
            index += 1
        is_free = index == len(taken) or end <= taken[index][0]
        if is_free and (not added or added[-1][1] <= start):
            added.append((start, end))
    return sorted([*taken, *added])


# -- Named entities by shape and small word lists, without a model. Close to what spaCy's small English pipeline marks
# (docs/utility.md has the agreement).


def _any_of(key: str, topic: str = "terms", package: str = "sfumato.metrics") -> str:
    return "|".join(tables.words(topic, key, "en", package))


_CALENDAR = ("calendar", "sfumato.lexicon")
_MONTH = rf"(?:{_any_of('months', *_CALENDAR)}|{_any_of('short_months', *_CALENDAR)}|Sept)\.?"
_COUNT = rf"(?:\d+(?:[.,/:]\d+){{0,9}}|{_any_of('numbers')})"
_DATE = re.compile(
    rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)? {_MONTH}(?:,? \d{{4}})?|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}"
    rf"|{_MONTH} \d{{1,4}}"
    rf"|\d{{1,4}}[./-]\d{{1,2}}[./-]\d{{1,4}}|(?:the )?\d{{4}}s"
    rf"|{_COUNT}(?:[ -](?:and|to) {_COUNT})?[ -](?:{_any_of('durations')})(?:[ -]old)?)\b"
)
_MONEY = re.compile(rf"(?:\b[A-Z]{{3}} |[$€£] ?)\d+(?:[.,]\d+)*(?: (?:{_any_of('scales')}))?\b")
_AMOUNT = re.compile(rf"\b{_COUNT}(?: (?:{_COUNT}|{_any_of('quantities')}))*(?:\b| ?%)")
_LAW = re.compile(rf"\b(?:{_any_of('provisions')})(?: No\.?)? \d+(?: ?§§? ?\d+)*(?: of the [A-Z]\w+(?: [A-Z]\w+)*)?")
_NAME_PARTICLES = tables.word_set("terms", "name_particles", "en", "sfumato.metrics")
_OPENERS = frozenset('.!?:;•(“"”')


def entities(text: str, words: Sequence[Token]) -> list[Range]:
    """Dates, numbers with their units, and runs of capitalised words, disjoint and sorted."""
    taken: list[Range] = []
    for pattern in (_DATE, _LAW, _MONEY):
        taken = add_disjoint(taken, (match.span() for match in pattern.finditer(text)))
    taken = add_disjoint(taken, _names(text, words))
    return add_disjoint(taken, (match.span() for match in _AMOUNT.finditer(text)))


def _names(text: str, words: Sequence[Token]) -> Iterator[Range]:
    first = 0
    while first < len(words):
        if not _begins_name(text, words, first):
            first += 1
            continue
        last = first
        while (after := _next_name_word(text, words, last)) is not None:
            last = after
        if last > first or _is_rare(words[first]) or words[first].text in name_lists.demonyms():
            # A name of several words takes its article along, as spaCy's do: "the Court of Appeal".
            before = words[first - 1] if first else None
            has_article = last > first and before is not None and before.key == "the" and text[before.end] == " "
            yield words[first - has_article].start, words[last].end + _ends_with_initial(text, words[last])
        first = last + 1


def _ends_with_initial(text: str, word: Token) -> bool:
    """Whether the dot behind belongs to the name, as that of an initial does: "G.D."."""
    return len(word.text) == 1 and text[word.start - 1 : word.start] == "." and text[word.end : word.end + 1] == "."


def _begins_name(text: str, words: Sequence[Token], index: int) -> bool:
    word = words[index]
    if not word.is_capitalised or word.key in FUNCTION_WORDS or is_title(word.text):
        return False
    gap = text[words[index - 1].end : word.start] if index else "\n"
    if "\n" not in gap and words[index - 1].text not in _OPENERS:
        return True
    # A capital at the beginning of a sentence says nothing: the next word's must, or the word is in no list.
    if word_classes().get(word.key, "adjective") != "adjective":
        return False
    after = words[index + 1] if index + 1 < len(words) else None
    if after and after.is_capitalised and after.key not in FUNCTION_WORDS and text[word.end : after.start] == " ":
        return True
    return _is_rare(word)


def _is_rare(word: Token) -> bool:
    return len(word.text) > 1 and word.key not in name_lists.common_words() and word.key not in word_classes()


def _next_name_word(text: str, words: Sequence[Token], last: int) -> int | None:
    """The word that carries the name on: the next one, or one behind "of", a dot of initials, or a hyphen."""
    step = last + 1
    if step >= len(words):
        return None
    gap = text[words[last].end : words[step].start]
    if words[step].text in ".-/" and not gap and step + 1 < len(words):
        is_initial = words[step].text != "." or len(words[last].text) == 1
        near = words[step + 1].start - words[step].end <= (words[step].text == ".")
        return step + 1 if is_initial and near and words[step + 1].is_capitalised else None
    if gap not in (" ", "\u00a0"):
        return None
    if words[step].is_capitalised:
        return step
    while step + 1 < len(words) and words[step].key in _NAME_PARTICLES:
        step += 1
        if text[words[step - 1].end : words[step].start] != " ":
            return None
        if words[step].is_capitalised:
            return step
    return None


# -- English noun phrases by word class, without a parser; also close to what spaCy's small English pipeline marks.

_AMBIGUOUS_MONTHS = tables.word_set("terms", "ambiguous_months", "en", "sfumato.metrics")
_MAY_BEGIN = frozenset({"determiner", "noun", "adjective", "number", "participle"})
_DESCRIBED = frozenset({"noun", "adjective", "verb"})
_MAY_FOLLOW = frozenset({"noun", "adjective", "number", "participle", "gerund", "possessive", "adverb", "hyphen"})
_CLOSED = (
    ("determiner", DETERMINERS - {"that", "which", "what", "all", "both"}),
    ("pronoun", PRONOUNS | {"which", "what"}),
    ("adjective", tables.word_set("terms", "adjectives", "en", "sfumato.metrics")),
    ("auxiliary", AUXILIARIES),
    ("function", FUNCTION_WORDS),
)


def noun_chunks(text: str, words: Sequence[Token]) -> Iterator[Range]:
    """English noun phrases: a determiner, what describes the noun, and the nouns; pronouns alone too."""
    kinds = [_word_class(word) for word in words]
    for index, word in enumerate(words):
        kinds[index] = _class_in_context(word, words[index - 1] if index else None, kinds, index)
    index = 0
    while index < len(words):
        if kinds[index] == "pronoun":
            yield words[index].start, words[index].end
            index += 1
            continue
        stop = index + 1 if kinds[index] in _MAY_BEGIN else index
        while stop < len(words) and stop > index and kinds[stop] in _MAY_FOLLOW and _is_joined(text, words, stop):
            stop += 1
        head = max((position for position in range(index, stop) if kinds[position] == "noun"), default=None)
        if head is None:
            index = max(index + 1, stop)
            continue
        yield words[index].start, words[head].end
        index = head + 1


def _word_class(word: Token) -> str:
    key = word.key
    if key in ("'s", "'"):
        return "possessive"
    if not word.text[0].isalnum():
        return "hyphen" if word.text == "-" else "sign"
    if word.text[0].isdigit():
        return "number"
    if word.text in _AMBIGUOUS_MONTHS:
        return "noun"
    for kind, group in _CLOSED:
        if key in group:
            return kind
    if word.text[0].isupper() and key not in word_classes():
        return "noun"
    return word_classes().get(key, "noun")


def _class_in_context(word: Token, last: Token | None, kinds: Sequence[str], index: int) -> str:
    kind = kinds[index]
    before = kinds[index - 1] if index else "sign"
    after = kinds[index + 1] if index + 1 < len(kinds) else "sign"
    if kind == "verb":
        return "noun" if before in _NOUN_FOLLOWS or _is_noun_behind(word, last, before) else "verb"
    if kind in ("participle", "gerund"):
        return "adjective" if before in (*_NOUN_FOLLOWS, "adverb") and after in _DESCRIBED else "verb"
    if kind == "adverb":
        return "adverb" if before == "determiner" and after in ("adjective", "participle") else "function"
    if kind == "adjective" and after not in _MAY_FOLLOW and before in ("determiner", "adjective"):
        return "noun"
    return kind


_NOUN_FOLLOWS = ("determiner", "adjective", "possessive")


def _is_noun_behind(word: Token, last: Token | None, before: str) -> bool:
    """ "The trial judge": after a noun in the singular a verb would end in s; and none follows a preposition."""
    if last is None:
        return False
    follows_noun = before == "noun" and not word.key.endswith("s") and not last.key.endswith("s")
    return follows_noun or (last.key in PREPOSITIONS and last.key != "to")


def _is_joined(text: str, words: Sequence[Token], index: int) -> bool:
    gap = text[words[index - 1].end : words[index].start]
    return not gap or (gap.isspace() and "\n" not in gap)


# -- Terms.

_CACHE_SIZE = 512
SEGMENTERS = ("rules", "spacy")
"""``rules`` needs no model; ``spacy`` is what the papers' authors used."""


@lru_cache(_CACHE_SIZE)
def terms(text: str, segmenter: str = "rules", *, stop_words: bool = False) -> tuple[Range, ...]:
    """Disjoint, sorted ranges of code points; without stop words unless they are asked for.

    ``segmenter``: "rules", "spacy", or "spacy:MODEL" for a pipeline of your own.
    """
    name, _, model = segmenter.partition(":")
    if name not in SEGMENTERS or (model and name != "spacy"):
        raise RecipeError(f"no terms {segmenter!r}: {suggest(name, SEGMENTERS)}")
    ranges = _by_rules(text) if name == "rules" else _by_spacy(text, model or "en_core_web_sm")
    return tuple(ranges if stop_words else _without_stop_words(text, ranges))


def _by_rules(text: str) -> list[Range]:
    words = tokens(text)
    ranges = entities(text, words)
    if identify_language(text, CONFIDENT).code in ("en", None):
        ranges = add_disjoint(ranges, noun_chunks(text, words))
    return add_disjoint(ranges, ((word.start, word.end) for word in words if word.text[0].isalnum()))


@cache
def _pipeline(model: str) -> Any:
    return load_pipeline(model, without=("lemmatizer",))


def _by_spacy(text: str, model: str) -> list[Range]:
    nlp = _pipeline(model)
    ranges: list[Range] = []
    for start, end in split_text(text, max_characters(nlp)):
        parsed = nlp(text[start:end])
        piece_ranges = [(item.start_char, item.end_char) for item in parsed.ents]
        piece_ranges = add_disjoint(piece_ranges, ((item.start_char, item.end_char) for item in parsed.noun_chunks))
        words = ((token.idx, token.idx + len(token)) for token in parsed if not (token.is_punct or token.is_space))
        ranges += [(low + start, high + start) for low, high in add_disjoint(piece_ranges, words)]
    return ranges


def _without_stop_words(text: str, ranges: Sequence[Range]) -> list[Range]:
    stop_words = STOP_WORDS.get(identify_language(text, CONFIDENT).code or "en", STOP_WORDS["en"])
    words_of_terms = ((term, TERM_TOKEN.findall(text, *term)) for term in ranges)
    return [
        term
        for term, words in words_of_terms
        if not all(is_ignorable(word) or word.lower() in stop_words for word in words)
    ]


def content_ranges(text: str, term: Range) -> list[Range]:
    """The parts of a term that count as masked when they are: its tokens but for signs and small words.

    Where nothing else is in the term ("of", kept as a term by ``stop_words``) all of it counts.
    """
    return [match.span() for match in TERM_TOKEN.finditer(text, *term) if not is_ignorable(match[0])] or [term]
