"""A sentence in tokens, each with the class that it has there: by word lists, or as the language model reads it."""

from __future__ import annotations

import re
from typing import NamedTuple

from sfumato.annotated_text import read_once
from sfumato.generalize.context import begins_sentence
from sfumato.generalize.words.fluency import SentenceModel, context
from sfumato.lexicon import wordnet
from sfumato.lexicon.grammar import TextRange, enclosing_sentences, sentence_ranges
from sfumato.lexicon.grammar_en import (
    ADVERBS,
    DETERMINERS,
    FUNCTION_WORDS,
    PRONOUNS,
    is_plural,
    word_classes,
)
from sfumato.lexicon.numbers import read_number

TOKEN = re.compile(r"\d[\d.,:/]*\d[^\W_]*|[^\W_]+(?:[-‑'’][^\W_]+)*['’]?|[^\w\s]")


class Token(NamedTuple):
    start: int
    end: int
    text: str

    @property
    def lowered(self) -> str:
        return self.text.lower().replace("’", "'")

    @property
    def is_word(self) -> bool:
        return self.text[0].isalnum()


class TaggedSentence:
    """A sentence in tokens, with the place of a word in it."""

    def __init__(self, text: str, start: int, end: int, model: SentenceModel) -> None:
        self._text, self._start, self._end, self._model = text, start, end, model
        self.first, self.last = enclosing_sentences(_sentences(text), start, end)
        self._tokens = [Token(*match.span(), match.group()) for match in TOKEN.finditer(text, self.first, self.last)]
        self._index = next((i for i, token in enumerate(self._tokens) if token.end > start), len(self._tokens) - 1)
        self._classes: dict[int, str] = {}

    def word_class(self, index: int) -> str:
        """Of a token: "function", "sign", "number", "name", or as the model reads it where the lists leave it open."""
        if index not in self._classes:
            self._classes[index] = self._read_class(index)
        return self._classes[index]

    def _read_class(self, index: int) -> str:
        token = self._tokens[index]
        word = token.lowered
        if not token.is_word:
            return "sign"
        is_abbreviated = word in ("no", "nos") and self._text[token.end : token.end + 1] == "."
        if token.text[0].isdigit() or is_abbreviated or read_number(word) is not None:
            return "number"
        if word in FUNCTION_WORDS and not (token.text.isupper() and len(word) > 1):
            return "function"
        if word.endswith(("'s", "s'")):
            return "possessive"
        if token.text[0].isupper() and not begins_sentence(self._text, token.start):
            return "name"
        possible = _possible_classes(word)
        if len(possible) == 1:
            return next(iter(possible))
        if index and self._tokens[index - 1].lowered == "to" and "verb" in possible and not self._next(index):
            return "verb"  # "it cost 4,000 pounds to build."
        shares = self._model.class_shares(*context(self._text, token.start, token.end))
        return max(possible or shares, key=lambda name: shares.get("verb" if name == "third" else name, 0.0))

    def _is_adjacent(self, left: int) -> bool:
        """Whether only a blank separates a token from the next."""
        between = self._text[self._tokens[left].end : self._tokens[left + 1].start]
        return between != "" and between.isspace() and "\n" not in between

    def _next(self, index: int) -> int | None:
        return index + 1 if index + 1 < len(self._tokens) and self._is_adjacent(index) else None

    def _previous(self, index: int) -> int | None:
        return index - 1 if index > 0 and self._is_adjacent(index - 1) else None

    def _noun_after(self, index: int) -> int | None:
        """The last noun of the phrase that goes on after a modifier."""
        noun, current = None, self._next(index)
        while current is not None and self.word_class(current) in ("singular", "plural", "adjective", "name"):
            if self.word_class(current) != "adjective":
                noun = current
            elif noun is not None:
                break
            current = self._next(current)
        return noun

    def _is_led(self, index: int) -> bool:
        """Whether a determiner or an adjective stands before, so that a participle modifies what follows it."""
        previous = self._previous(index)
        return previous is not None and (
            self._tokens[previous].lowered in DETERMINERS or self.word_class(previous) in ("adjective", "possessive")
        )


@read_once
def _sentences(text: str) -> list[TextRange]:
    return sentence_ranges(text)


def _possible_classes(word: str) -> frozenset[str]:
    """The classes that the lists allow; empty where they do not know the word."""
    possible: set[str] = set()
    listed = word_classes().get(word)
    if listed:
        possible.add(listed)
    if wordnet.lookup_form(word) and (listed is None or _is_mostly_noun(word)):
        possible.add("plural" if is_plural(word) else "singular")
    for forms in wordnet.verb_readings(word).values():
        for form in forms:
            possible.add({"base": "verb", "ing": "gerund"}.get(form, form))
    if "past" in possible or "participle" in possible:
        possible |= {"past", "participle"}
    if word in ADVERBS or word in PRONOUNS:
        possible.add("function")
    return frozenset(possible)


def _is_mostly_noun(word: str) -> bool:
    return any(share > 0 for _, share in wordnet.sense_shares(word))
