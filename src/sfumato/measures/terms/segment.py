"""The terms whose information is counted: named entities, then noun phrases, then single words.

They depend on the original text alone, never on what a method masked, so that methods are compared over the same terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any

from sfumato.detectors import language
from sfumato.errors import RecipeError, suggest
from sfumato.knowledge.grammar.function_words import STOP_WORDS
from sfumato.measures.mentions import is_ignorable
from sfumato.measures.terms.entities import entities
from sfumato.measures.terms.noun_phrases import noun_chunks
from sfumato.measures.terms.tokens import TOKEN, Token, disjoint, tokens
from sfumato.models.base import Range
from sfumato.models.spacy_pipeline import load_pipeline, pieces, room

_REMEMBERED = 512
_SURE = 0.9
SEGMENTERS = ("rules", "spacy")
"""``rules`` needs no model; ``spacy`` is what the papers' authors used."""


@lru_cache(_REMEMBERED)
def language_of(text: str) -> str | None:
    """The language a text is surely in; None where there is doubt (a short text, names, a table)."""
    found = language.identify(text)
    return found.code if found.confidence >= _SURE else None


@lru_cache(_REMEMBERED)
def terms(text: str, segmenter: str = "rules", *, stop_words: bool = False) -> tuple[Range, ...]:
    """Disjoint, sorted ranges of code points; without stop words unless they are asked for.

    ``segmenter``: "rules", "spacy", or "spacy:MODEL" for a pipeline of your own.
    """
    name, _, model = segmenter.partition(":")
    if name not in SEGMENTERS or (model and name != "spacy"):
        raise RecipeError(f"no terms {segmenter!r}: {suggest(name, SEGMENTERS)}")
    found = _by_rules(text) if name == "rules" else _by_spacy(text, model or "en_core_web_sm")
    return tuple(found if stop_words else _without_stop_words(text, found))


def _by_rules(text: str) -> list[Range]:
    words = tokens(text)
    found = entities(text, words)
    if language_of(text) in ("en", None):
        found = disjoint(found, noun_chunks(text, words))
    return disjoint(found, _single(words))


def _single(words: Iterable[Token]) -> Iterator[Range]:
    return ((word.start, word.end) for word in words if word.text[0].isalnum())


@cache
def _pipeline(model: str) -> Any:
    return load_pipeline(model, without=("lemmatizer",))


def _by_spacy(text: str, model: str) -> list[Range]:
    nlp = _pipeline(model)
    found: list[Range] = []
    for start, end in pieces(text, room(nlp)):
        read = nlp(text[start:end])
        ranges = [(item.start_char, item.end_char) for item in read.ents]
        ranges = disjoint(ranges, ((item.start_char, item.end_char) for item in read.noun_chunks))
        words = ((token.idx, token.idx + len(token)) for token in read if not (token.is_punct or token.is_space))
        found += [(low + start, high + start) for low, high in disjoint(ranges, words)]
    return found


def _without_stop_words(text: str, ranges: Sequence[Range]) -> list[Range]:
    stop_words = STOP_WORDS.get(language_of(text) or "en", STOP_WORDS["en"])
    return [found for found in ranges if not all(_is_empty(word, stop_words) for word in _words(text, found))]


def _words(text: str, found: Range) -> list[str]:
    return [word[0] for word in TOKEN.finditer(text, *found)]


def _is_empty(word: str, stop_words: frozenset[str]) -> bool:
    return is_ignorable(word) or word.lower() in stop_words


def telling(text: str, term: Range) -> list[Range]:
    """The parts of a term that count as masked when they are: its tokens but for signs and small words.

    Where nothing else is in the term ("of", kept as a term by ``stop_words``) all of it counts.
    """
    found = list(TOKEN.finditer(text, *term))
    parts = [token.span() for token in found if not is_ignorable(token[0])]
    return parts or [term]
